# SPDX-License-Identifier: LGPL-2.1-or-later
"""Describe the module zio._libzio for cffi: the declarations and the C code."""

import os
from pathlib import Path

from cffi import FFI

HERE = Path(__file__).resolve().parent
TOOLS = HERE.parent

builder = FFI()
builder.cdef((HERE / "libzio.cdef").read_text())
static = os.environ.get("ZIO_STATIC") == "1"
builder.set_source(
    "zio._libzio",
    (HERE / "helpers.c").read_text(),
    include_dirs=[str(TOOLS / "libzio"), str(TOOLS.parent / "include/uapi")],
    library_dirs=[str(TOOLS / "libzio")],
    libraries=[] if static else ["zio"],
    extra_objects=[str(TOOLS / "libzio/libzio.a")] if static else [],
    extra_compile_args=["-D_FILE_OFFSET_BITS=64", "-Wno-unused-result"],
    py_limited_api=True,
)
