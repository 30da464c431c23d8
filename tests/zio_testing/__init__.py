# SPDX-License-Identifier: GPL-2.0-only
"""The test drivers of the project: build, boot, count, break the code on purpose."""
