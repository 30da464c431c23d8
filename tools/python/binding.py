# SPDX-License-Identifier: LGPL-2.1-or-later
"""Describe the module zio._libzio for cffi: the declarations and the C code."""

import os
import sysconfig
from pathlib import Path

from cffi import FFI

HERE = Path(__file__).resolve().parent
TOOLS = HERE.parent

builder = FFI()
builder.cdef((HERE / "libzio.cdef").read_text())
library = TOOLS / "libzio/libzio.a"
# pip knows no settings: the module then has the library of this tree in it.
static = os.environ.get("ZIO_STATIC", "1") == "1"
# cffi 1.x uses the limited API unless this word is defined.
is_limited = not sysconfig.get_config_var("Py_GIL_DISABLED")
builder.set_source(
    "zio._libzio",
    (HERE / "helpers.c").read_text(),
    include_dirs=[str(TOOLS / "libzio"), str(TOOLS.parent / "include/uapi")],
    library_dirs=[str(TOOLS / "libzio")],
    libraries=[] if static else ["zio"],
    extra_objects=[str(library)] if static else [],
    extra_compile_args=["-D_FILE_OFFSET_BITS=64", "-Wno-unused-result"],
    define_macros=[] if is_limited else [("_CFFI_NO_LIMITED_API", None)],
    py_limited_api=is_limited,
)
