# SPDX-License-Identifier: GPL-2.0-only
"""Show the blocks of ZIO channels and block files in a browser."""
