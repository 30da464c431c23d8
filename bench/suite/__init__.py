# SPDX-License-Identifier: GPL-2.0-only
"""The benchmarks of ZIO: plans for a virtual machine, tables, figures."""
