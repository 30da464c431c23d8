# SPDX-License-Identifier: GPL-2.0-only
"""zio-nexus: record blocks of ZIO channels in HDF5 files, convert them, check them."""

import zio

PROGRAM = "zio-nexus"
VERSION = zio.__version__
