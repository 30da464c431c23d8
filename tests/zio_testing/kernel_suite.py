# SPDX-License-Identifier: GPL-2.0-only
"""Kernels of other suites and processors: headers with their compilers, and images."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from . import suite
from .common import Failure, locked, say
from .kernel_cache import KERNELS, move_to, new_directory
from .suite import NATIVE, Processor, Suite

COMPILERS = ("linux-headers-amd64", "sparse")
ARM64 = Processor("arm64", ("gcc-aarch64-linux-gnu",))
ARMHF = Processor("armhf", ("gcc-arm-linux-gnueabihf", "libc6:i386"))
S390X = Processor("s390x", ("gcc-s390x-linux-gnu",), has_programs=False)
I386 = Processor("i386", ("gcc-i686-linux-gnu",))

BOOKWORM = Suite("bookworm", COMPILERS, (ARM64,))
TRIXIE = Suite("trixie", (*COMPILERS, "clang", "lld", "llvm"), (ARM64, ARMHF, S390X))
# Programs of 32 bits for kernels of 64: static ones, so that nothing else is needed
PROGRAMS_32 = Suite("bookworm", (), (I386,))
SID = Suite("sid", COMPILERS, (ARM64, ARMHF))


@dataclass(frozen=True)
class Flavour:
    """A kernel of a suite: "arm64-16k" for the processor "arm64"."""

    name: str
    suite: Suite
    arch: str = NATIVE
    package: str = "amd64"
    # The processor to emulate, if that of the architecture does not do
    cpu: str = ""


FLAVOURS = [
    Flavour("6.12", TRIXIE),
    Flavour("newest", SID),
    Flavour("arm64-6.1", BOOKWORM, "arm64", "arm64"),
    Flavour("arm64-6.12", TRIXIE, "arm64", "arm64"),
    Flavour("arm64-newest", SID, "arm64", "arm64"),
    # A Cortex-A57 has no pages of 16 kB.
    Flavour("arm64-16k", SID, "arm64", "arm64-16k", cpu="neoverse-n1"),
    Flavour("armhf-6.12", TRIXIE, "armhf", "armmp"),
    Flavour("armhf-newest", SID, "armhf", "armmp"),
    Flavour("s390x-6.12", TRIXIE, "s390x", "s390x"),
]


def make_headers(flavour: Flavour) -> Path:
    """Return a directory with the headers; make() adds what a boot needs."""
    root = suite.prepare(flavour.suite, flavour.arch, flavour.package)
    headers = headers_in(root, flavour)
    release = headers.name.removeprefix("linux-headers-")
    directory = KERNELS / f"{flavour.name}-{release}"
    with locked(KERNELS / f"{flavour.name}.lock"):
        if (directory / "root").resolve() != root.resolve():
            with new_directory(flavour.name) as new:
                (new / "release").write_text(f"{release}\n")
                (new / "arch").write_text(f"{flavour.arch}\n")
                (new / "root").symlink_to(root)
                (new / "build").symlink_to(headers)
                move_to(new, directory)
    return directory


def headers_in(root: Path, flavour: Flavour) -> Path:
    found = sorted((root / "usr/src").glob(f"linux-headers-*[0-9]-{flavour.package}"))
    if not found:
        raise Failure(f"no headers of {flavour.package} in {root}/usr/src")
    return found[-1]


def make(flavour: Flavour) -> Path:
    directory = make_headers(flavour)
    with locked(KERNELS / f"{flavour.name}.lock"):
        if not os.access(directory / "vmlinuz", os.R_OK):
            add_image(flavour, directory)
    return directory


def add_image(flavour: Flavour, directory: Path) -> None:
    """Add the image and the modules. One package has them, or three have."""
    release = (directory / "release").read_text().strip()
    say(f"downloading linux-image-{release} (unpacked in the cache, not installed)")
    store = directory / "image"
    shutil.rmtree(store, ignore_errors=True)
    packages = suite.parts_of_image(flavour.suite, release, flavour.arch)
    try:
        suite.download(flavour.suite, packages, store)
    except Failure as error:
        newer = f"if the archive has a newer one, delete {flavour.suite.place}"
        raise Failure(f"{error}; {newer}") from error
    suite.unpack(list(store.glob("*.deb")), store)
    found = [*store.glob("boot/vmlinuz-*"), *store.glob("usr/lib/modules/*/vmlinuz")]
    if not found:
        raise Failure(f"no image in the packages {' '.join(packages)}")
    shutil.rmtree(directory / "lib", ignore_errors=True)
    modules = [store / "usr/lib/modules", store / "lib/modules"]
    (directory / "lib").mkdir()
    image = found[0].rename(directory / "vmlinuz.new")
    next(path for path in modules if path.is_dir()).rename(directory / "lib/modules")
    for link in ("build", "source"):
        (directory / "lib/modules" / release / link).unlink(missing_ok=True)
    subprocess.run(["/sbin/depmod", "-b", directory, release], check=True)
    shutil.rmtree(store)
    image.rename(directory / "vmlinuz")
