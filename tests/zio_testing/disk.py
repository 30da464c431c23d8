# SPDX-License-Identifier: GPL-2.0-only
"""Boot a whole Debian system: a root directory becomes a disk, and systemd the first
process. The kernel and its initial file system are those of the root."""

import shutil
import subprocess
from pathlib import Path

from .boot import Boot
from .common import TESTING, Failure, Words, output_of, say
from .machine import Machine, qemu_command
from .toolchain import Arch

GUEST = TESTING / "machine/guest"
TRIAL = "root/trial"
WANTS = "etc/systemd/system/multi-user.target.wants"
ROOM = 400
# A first boot on a busy machine, without KVM
BOOT_SECONDS, LIMIT = 600, 2400


def add_trial(root: Path, service: str, *scripts: str) -> None:
    """Add scripts, a service that runs them, and what a system from a disk needs."""
    (root / TRIAL).mkdir(parents=True)
    for name in scripts:
        shutil.copy(GUEST / name, root / TRIAL)
    shutil.copy(GUEST / service, root / "etc/systemd/system")
    (root / WANTS).mkdir(exist_ok=True)
    (root / WANTS / service).symlink_to(f"../{service}")
    (root / "etc/fstab").write_text("/dev/vda / ext4 defaults 0 0\n")
    (root / "etc/hostname").write_text("zio\n")


class Disk:
    """An image of a root. Each boot changes it."""

    def __init__(self, root: Path, release: str, work: Path) -> None:
        self.image, self.work = work / "disk", work
        # Machines take a kernel from a directory with the name of the kernel.
        self.tree = work / release
        self.tree.mkdir()
        shutil.copy(root / "boot" / f"vmlinuz-{release}", self.tree / "vmlinuz")
        shutil.copy(root / "boot" / f"initrd.img-{release}", work / "initrd")
        self.make(root)

    def make(self, root: Path) -> None:
        size = int(output_of(["du", "-sm", "--apparent-size", root]).split()[0]) + ROOM
        command: Words = [
            "mke2fs",
            "-q",
            "-t",
            "ext4",
            "-m0",  # else no user but root has room
            "-F",
            "-d",
            root,
            self.image,
            f"{size}M",
        ]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise Failure(f"mke2fs cannot make a disk of {root}: {done.stderr.strip()}")

    def read(self, path: str) -> str:
        return output_of(["debugfs", "-R", f"cat {path}", self.image])

    def boot(self, arch: Arch, phase: str, *arguments: str) -> tuple[int, str]:
        """Run a phase of the recipe. Return the status and what it said."""
        say(f"booting the system, phase {phase}")
        machine = Machine(
            memory=1024,
            arch=arch,
            qemu_words=["-drive", f"file={self.image},format=raw,if=virtio"],
            arguments=["root=/dev/vda", "rw", f"zio_phase={phase}", *arguments],
        )
        command = qemu_command(machine, self.tree, self.work)
        boot = Boot(command, {}, self.work, arch.port)
        boot.run_command(LIMIT, BOOT_SECONDS)
        status = boot.judge()
        shutil.copy(boot.log, self.work / f"log.{phase}")
        return status, self.read(f"/{TRIAL}/said")
