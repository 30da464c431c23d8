# SPDX-License-Identifier: GPL-2.0-only
"""zio-migrate: find what a driver or program uses of ZIO 1.x, and what replaces it."""
