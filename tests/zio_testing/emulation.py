# SPDX-License-Identifier: GPL-2.0-only
"""Run the programs of another processor on this machine.

The kernel starts an emulator for them: QEMU, a static program that needs nothing of the
root that it runs in. A kernel that has such an emulator already keeps it. Otherwise this
module registers one, for all of this machine, and removes it at the end.
"""

import contextlib
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .common import Failure, setup

# The emulator, and the first 20 bytes of a program: ELF with 64 bits for this machine
EMULATORS = {"arm64": ("/usr/bin/qemu-aarch64-static", 0xB7)}
NAME = "zio-emulator"


def magic_of(machine: int) -> str:
    """Return magic and mask as binfmt_misc reads them. Programs are of type 2 or 3."""
    magic = bytes([0x7F, *b"ELF", 2, 1, 1, *[0] * 9, 2, 0, machine, 0])
    mask = bytes([*[0xFF] * 7, 0, *[0xFF] * 8, 0xFE, 0xFF, 0xFF, 0xFF])
    return ":".join("".join(f"\\x{byte:02x}" for byte in text) for text in (magic, mask))


def handler_of(program: str, machine: int) -> str:
    """Return what registers @program. It has no flag C: a setuid program of the root
    would run the emulator as root, with the environment of its caller."""
    return f":{NAME}:M::{magic_of(machine)}:{program}:POF"


def is_registered(binfmt: Path, program: str) -> bool:
    """Tell if a handler for this emulator works in each root: it has the flag F."""
    texts = [path.read_text() for path in binfmt.iterdir() if path.name != "register"]
    names = (program, program.removesuffix("-static"))
    return any(
        text.startswith("enabled")
        and any(f"interpreter {name}\n" in text for name in names)
        and "F" in text.partition("flags: ")[2].partition("\n")[0]
        for text in texts
    )


@contextlib.contextmanager
def mounted() -> Iterator[Path]:
    """Mount binfmt_misc for the time of the block. All mounts show the same handlers."""
    with tempfile.TemporaryDirectory(prefix="zio-binfmt.") as directory:
        command = ["mount", "-t", "binfmt_misc", "binfmt_misc", directory]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise Failure(f"this machine cannot mount binfmt_misc: {done.stderr.strip()}")
        try:
            yield Path(directory)
        finally:
            subprocess.run(["umount", directory])


@contextlib.contextmanager
def emulated(arch: str) -> Iterator[None]:
    """Run the programs of @arch in the block, also those in another root."""
    if arch not in EMULATORS:
        yield
        return
    setup("emulation")
    program, machine = EMULATORS[arch]
    with mounted() as binfmt:
        if is_registered(binfmt, program):
            yield
            return
        (binfmt / "register").write_text(handler_of(program, machine))
        try:
            yield
        finally:
            (binfmt / NAME).write_text("-1")
