# SPDX-License-Identifier: GPL-2.0-only
"""Devices of ZIO that are programs: zio-NAME runs main() of the module NAME."""
