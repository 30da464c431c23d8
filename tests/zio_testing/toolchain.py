# SPDX-License-Identifier: GPL-2.0-only
"""Which compilers a kernel needs: for what processor, and of which suite."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from .suite import inside


@dataclass(frozen=True)
class Arch:
    """A processor: how to compile for it, and how QEMU emulates it."""

    name: str  # Debian's
    linux: str  # the kernel's
    prefix: str  # of the cross compilers
    qemu: str = ""
    machine: tuple[str, ...] = ()
    cpu: str = ""
    console: str = ""
    # The options for a serial port with the output of a command, and the names of two
    port: str = "-device pci-serial,chardev={}"
    ports: tuple[str, str] = ("ttyS0", "ttyS1")
    # Arguments of an emulated kernel
    arguments: tuple[str, ...] = ()


# The kernel checks at boot that the timer interrupts within ten of its own ticks. An
# emulator on a busy host can miss that time. The kernel then panics: "IO-APIC + timer
# doesn't work". Hence no_timer_check.
AMD64 = Arch(
    "amd64",
    "x86",
    "",
    qemu="qemu-system-x86_64",
    cpu="qemu64",
    console="ttyS0,115200",
    port="-serial chardev:{}",
    ports=("ttyS1", "ttyS2"),
    arguments=("no_timer_check",),
)
VIRT = ("-machine", "virt,gic-version=2")
# An old kernel for 32 bits cannot reach the PCI bus above 4 GB.
VIRT_32 = ("-machine", "virt,gic-version=2,highmem=off")
ARM64 = Arch(
    "arm64",
    "arm64",
    "aarch64-linux-gnu-",
    qemu="qemu-system-aarch64",
    machine=VIRT,
    cpu="cortex-a57",
    console="ttyAMA0",
)
ARMHF = Arch(
    "armhf",
    "arm",
    "arm-linux-gnueabihf-",
    qemu="qemu-system-arm",
    machine=VIRT_32,
    cpu="cortex-a15",
    console="ttyAMA0",
)
I386 = Arch("i386", "x86", "i686-linux-gnu-")
S390X = Arch("s390x", "s390", "s390x-linux-gnu-")
# A kernel that runs as a program of this machine
UML = Arch("um", "um", "")
ARCHES = {arch.name: arch for arch in (AMD64, ARM64, ARMHF, S390X, UML)}


@dataclass(frozen=True)
class Toolchain:
    """The compilers for one processor, of this machine or in the root of a suite."""

    arch: Arch = AMD64
    root: Path | None = None

    def run(self, *command: str | Path) -> list[str | Path]:
        """Return @command such that it runs where the compilers are."""
        return inside(self.root, command) if self.root else list(command)

    def headers_of(self, tree: Path) -> str:
        """Return the headers of the kernel in @tree, by their name in the root. Under
        another name, Linux 7.2 takes them for the directory to build in."""
        headers = tree / "build"
        if not self.root:
            return str(headers)
        return f"/{headers.resolve().relative_to(self.root)}"

    @property
    def kernel_words(self) -> list[str]:
        """What make needs to compile modules."""
        if self.arch == AMD64:
            return []
        prefix = [f"CROSS_COMPILE={self.arch.prefix}"] if self.arch.prefix else []
        return [f"ARCH={self.arch.linux}", *prefix]

    @property
    def program_words(self) -> list[str]:
        """What make needs to compile programs."""
        if not self.arch.prefix:
            return []
        return [f"CC={self.arch.prefix}gcc", f"AR={self.arch.prefix}ar"]

    @property
    def programs(self) -> "Toolchain":
        """The compilers for programs: those of this machine if it can run them."""
        return self if self.guest else NATIVE

    @property
    def gcc(self) -> str:
        return f"{self.arch.prefix}gcc"

    @property
    def guest(self) -> Path | None:
        """Programs of the other processor; None if those of this machine run."""
        if self.arch == AMD64 or not self.root:
            return None
        return self.root.parent / "guest" / self.arch.name

    def program(self, name: str) -> Path:
        """Return a program for a machine with this processor."""
        if self.guest:
            found = [self.guest / "usr/bin" / name, self.guest / "bin" / name]
            return next((path for path in found if path.exists()), found[0])
        return Path(shutil.which(name) or name).resolve()


NATIVE = Toolchain()


def toolchain_of(tree: Path) -> Toolchain:
    """Return the compilers for the kernel in @tree. If it has no file
    "arch", it is for this processor. If it has no "root", this machine has them."""
    if not (tree / "arch").exists():
        return NATIVE
    arch, root = ARCHES[(tree / "arch").read_text().strip()], tree / "root"
    return Toolchain(arch, root.resolve() if root.exists() else None)
