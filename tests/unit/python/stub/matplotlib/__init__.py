# SPDX-License-Identifier: LGPL-2.1-or-later
"""Stands for matplotlib, which the machines of the tests do not have."""
