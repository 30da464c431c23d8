# SPDX-License-Identifier: GPL-2.0-only
"""Blocks of ZIO as process variables of EPICS PVAccess"""
