# SPDX-License-Identifier: GPL-2.0-only
import unit.pva  # noqa: F401  which finds p4p
