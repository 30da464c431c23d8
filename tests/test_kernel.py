# SPDX-License-Identifier: GPL-2.0-only
"""The kernel with sanitizers compiles. Tests that need it wait for this one."""

from zio_testing import kernel


def test_kasan() -> None:
    assert (kernel.prepare("kasan") / "vmlinuz").exists()
