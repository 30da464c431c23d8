# SPDX-License-Identifier: GPL-2.0-only
"""packages - build the Debian packages, and try them in systems of their own

Usage: packages build [--arch ARCH] [DIRECTORY]
       packages test
       packages autopkgtest
       packages system [--suite SUITE] [--arch ARCH] [--keep DIRECTORY]
       packages documents [--system DIRECTORY] [PAGE...] [upgrade]

build puts the packages into results/deb, or DIRECTORY, and prints their names. They
replace packages of an earlier build there. A directory with other files is refused. The
command builds a copy of the checkout, with no signature. It does not test the programs:
make check does that. With --arch arm64, cross compilers build them in a small
Debian system, as root.

test prints TAP. It builds the packages twice and compares them, and runs lintian. A
signed apt repository of them upgrades a system while it records. Then the program
installs them with the kernel's headers in a small Debian system. debootstrap makes that
system, and the cache keeps it. There DKMS builds the modules for two kernels, and
a program and a driver are compiled against the packages. A virtual machine runs the
modules, the programs and the udev rule of the packages. At the end the packages are
removed, and nothing of them must be left.

autopkgtest prints TAP. It runs autopkgtest in such a system: the tests in debian/tests,
and that of DKMS.

system prints TAP. It installs the packages in an empty system of SUITE (that of this
machine, trixie or sid), with a kernel and systemd, and upgrades the kernel. Then it boots
the system in a virtual machine, from a disk. The recipe of the wiki runs there. After a
reboot, zio.service must have restored the settings. In the third boot, the kernel loads
only modules with a signature that it knows. A system takes some 15 minutes. With --arch
arm64, the programs of the root run under an emulator, also the compiler that DKMS starts:
this takes twice as long. --keep keeps the packages, the disk and the logs.

documents prints TAP. It installs the packages in an empty system, boots it in a virtual
machine, and runs the blocks of each page of README.md, Documentation/ and tools/man/ (or
only of PAGE, such as tutorial.md) in the order of the page, in an empty directory.
The other machines of the pages are this one, to which ssh logs in.
A page that shows figures/PAGE-N.png must draw them: they are put into results/figures.
With the word upgrade, newer packages are then installed while zio-copy records from a
board with a timer: "make systems" does that. It must lose no block. The new modules are
loaded after it, all packages are purged, and only the user's data may be left.
--system keeps the disk of the system in DIRECTORY, or takes it from there, such as it is.

All but build without --arch need root: they start sudo when you are not root.
"""

import argparse
import os
import shutil
import tempfile
from pathlib import Path

from . import autopkgtest, documents, package_test, system
from .common import CACHE, ROOT, TESTING, Failure, Parser
from .debian_root import ROOTS, make_private
from .package_build import build, build_for, clear

COMMANDS = ("build", "test", "autopkgtest", "system", "documents")
ARCHES = ("amd64", "arm64")


def become_root(words: list[str]) -> None:
    """Start this program again with sudo. The cache stays that of the user."""
    if os.geteuid() == 0:
        return
    if shutil.which("sudo") is None:
        raise Failure(f"packages {words[0]} needs root, and there is no sudo here")
    names = [f"XDG_CACHE_HOME={CACHE.parent}", f"PATH={os.environ['PATH']}"]
    os.execvp("sudo", ["sudo", "env", *names, str(TESTING / "packages"), *words])


def work_directory() -> Path:
    make_private(ROOTS)
    return Path(tempfile.mkdtemp(prefix="try.", dir=ROOTS))


def build_packages(options: argparse.Namespace, words: list[str]) -> int:
    directory = Path(options.directory or ROOT / "results/deb").absolute()
    if options.arch == "amd64":
        print(*build(directory), sep="\n")
        return 0
    become_root(words)
    clear(directory)
    work = work_directory()
    try:
        found = build_for(options.arch, work)
        print(*(shutil.copy(package, directory) for package in found), sep="\n")
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return 0


def parse_options(words: list[str]) -> argparse.Namespace:
    parser = Parser()
    parser.add_argument("command", choices=COMMANDS)
    if words[:1] in (["build"], ["system"]):
        parser.add_argument("--arch", choices=ARCHES, default="amd64")
    if words[:1] == ["build"]:
        parser.add_argument("directory", nargs="?")
    if words[:1] == ["system"]:
        parser.add_argument("--suite", default="")
        parser.add_argument("--keep", type=Path)
    if words[:1] == ["documents"]:
        parser.add_argument("--system", type=Path)
        parser.add_argument("pages", nargs="*")
    return parser.parse_intermixed_args(words)


def main(words: list[str]) -> int:
    options = parse_options(words)
    if options.command == "build":
        return build_packages(options, words)
    become_root(words)
    work = work_directory()
    try:
        if options.command == "test":
            return package_test.test_all(work)
        if options.command == "autopkgtest":
            return autopkgtest.test(work)
        if options.command == "documents":
            return documents.test(work, options.pages, options.system)
        return system.test(options.suite, options.arch, work)
    finally:
        if getattr(options, "keep", None):
            shutil.copytree(work, options.keep, symlinks=True, dirs_exist_ok=True)
        shutil.rmtree(work, ignore_errors=True)
