# SPDX-License-Identifier: LGPL-2.1-or-later
"""Build the package zio. `make -C tools python` and pip call this file.

$ZIO_VERSION is the version of the package; without it, that of libzio. $ZIO_STATIC=1
links libzio into the module, and 0 does not: see binding.py.
"""

import os
import re
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup

# One build is for all later interpreters. Those without a global lock need their own.
IS_LIMITED = sys.version_info >= (3, 11) and not sysconfig.get_config_var(
    "Py_GIL_DISABLED"
)
LIMIT = [("Py_LIMITED_API", "0x030b0000")]
HEADER = Path(__file__).resolve().parent.parent / "libzio/zio.h"


def version() -> str:
    """Return the version of the libzio beside this package."""
    found = re.search(r'LIBZIO_VERSION "(.*)"', HEADER.read_text())
    return found[1] if found else "0"


setup(
    name="zio",
    version=os.environ.get("ZIO_VERSION") or version(),
    description="Read and write the blocks of ZIO channels",
    license="LGPL-2.1-or-later",
    python_requires=">=3.9",
    package_dir={"": "src"},
    packages=["zio"],
    package_data={"zio": ["py.typed", "*.pyi"]},
    cffi_modules=["binding.py:builder"],
    ext_modules=[
        Extension(
            "zio._buffer",
            ["buffer.c"],
            define_macros=LIMIT if IS_LIMITED else [],
            py_limited_api=IS_LIMITED,
        )
    ],
    install_requires=["cffi >= 1.15", "numpy >= 1.20"],
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if IS_LIMITED else {},
)
