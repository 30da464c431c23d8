# SPDX-License-Identifier: GPL-2.0-only
"""zio-migrate: what a driver or a program for ZIO 1.x uses, and what replaces it."""
