# SPDX-License-Identifier: LGPL-2.1-or-later
"""Build the package zio. `make -C tools python` calls this file.

$ZIO_VERSION is the version of the package. $ZIO_STATIC=1 links libzio into the module.
"""

import os

from setuptools import setup

setup(
    name="zio",
    version=os.environ.get("ZIO_VERSION", "0"),
    description="Read and write the blocks of ZIO channels",
    license="LGPL-2.1-or-later",
    python_requires=">=3.9",
    package_dir={"": "src"},
    packages=["zio"],
    package_data={"zio": ["py.typed", "*.pyi"]},
    cffi_modules=["binding.py:builder"],
    install_requires=["cffi >= 1.15", "numpy >= 1.20"],
    options={"bdist_wheel": {"py_limited_api": "cp39"}},
)
