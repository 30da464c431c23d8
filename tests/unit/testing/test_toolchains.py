# SPDX-License-Identifier: GPL-2.0-only
"""Compilers and emulators of other processors"""

from pathlib import Path

from zio_testing import emulation
from zio_testing.toolchain import NATIVE, toolchain_of


def test_magic() -> None:
    wanted = r"\x7f\x45\x4c\x46\x02\x01\x01" + r"\x00" * 9 + r"\x02\x00\xb7\x00:"
    assert emulation.magic_of(0xB7).startswith(wanted)


def test_no_setuid_program_keeps_its_rights() -> None:
    flags = emulation.handler_of("/usr/bin/qemu", 0xB7).rpartition(":")[2]
    assert flags == "POF"


def test_this_processor(tmp_path: Path) -> None:
    assert toolchain_of(tmp_path) == NATIVE
    assert NATIVE.kernel_words == []
    assert NATIVE.run("make") == ["make"]


def test_another_processor(tmp_path: Path) -> None:
    (tmp_path / "arch").write_text("armhf\n")
    (tmp_path / "root").symlink_to(tmp_path)
    other = toolchain_of(tmp_path)
    assert other.kernel_words == ["ARCH=arm", "CROSS_COMPILE=arm-linux-gnueabihf-"]
    # Its compiler is in the root.
    assert f"chroot {tmp_path.resolve()} " in " ".join(map(str, other.run("make")))
