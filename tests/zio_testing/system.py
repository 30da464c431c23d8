# SPDX-License-Identifier: GPL-2.0-only
"""The packages in a whole Debian system, which systemd boots in a virtual machine."""

import re
import shutil
from pathlib import Path

from .common import Failure, say, setup
from .debian_root import Root, native_suite
from .disk import Disk, add_trial
from .emulation import emulated
from .package_build import build, build_for
from .package_install import install, modules_of, releases_of, test_modules
from .toolchain import ARCHES
from .trial import Trial

# What an administrator has, beside the kernel; openssl makes DKMS's key.
BASIC = ("systemd-sysv", "udev", "initramfs-tools", "adduser", "openssl")
RECIPES = ("recipe-lib", "system-recipe")
PHASES: dict[str, tuple[str, ...]] = {
    "first": (),
    "second": (),
    "enforced": ("module.sig_enforce=1",),
}


def kernel_of_suite(root: Root, arch: str) -> str:
    """Return the kernel that the suite's own package depends on. Debian 12 also has the
    kernels of Debian 13."""
    said = root.run("apt-cache", "depends", f"linux-headers-{arch}")[1]
    if found := re.search(r"Depends: linux-headers-(\d\S*)", said):
        return found[1]
    raise Failure(f"no linux-headers-{arch} in the lists of the root")


def kernel_packages(release: str) -> list[str]:
    return [f"linux-{part}-{release}" for part in ("image", "headers")]


def make_initial(trial: Trial, root: Root, release: str) -> None:
    """Make an initial file system of the modules that the disk needs. All modules would
    take an emulated shell ten minutes."""
    directory = root.directory / "etc/initramfs-tools"
    (directory / "conf.d/modules").write_text("MODULES=list\n")
    (directory / "modules").write_text("virtio_blk\nvirtio_pci\next4\n")
    words = ("env", "INITRD=Yes", "update-initramfs", "-c", "-k", release)
    trial.command("an initial file system is made", root.run(*words))


class System:
    """A root with the packages, for one suite and processor."""

    def __init__(self, trial: Trial, suite: str, arch: str, work: Path) -> None:
        self.trial, self.arch, self.work = trial, arch, work
        self.root = Root(work / "root", suite, arch)
        self.name = f"{suite} {arch}"

    def install(self, packages: list[Path]) -> str:
        """Install everything. Return the kernel to boot: that of the suite, after an
        upgrade if the archive has an older one."""
        self.root.update()
        newest = kernel_of_suite(self.root, self.arch)
        releases = releases_of(self.root, self.arch)
        older = releases[: releases.index(newest)]
        # An emulated compiler takes its time: one kernel is enough.
        first = older[-1] if older and self.arch == "amd64" else newest
        say(f"{self.name}: installing systemd, Linux {first} and the packages")
        words = (*BASIC, *kernel_packages(first))
        self.trial.command(f"Linux {first} installs", self.root.apt("install", *words))
        found = install(self.root, packages)
        if self.trial.command("the packages install", found):
            test_modules(self.trial, self.root, first)
        if first != newest:
            self.upgrade(first, newest)
        return newest

    def upgrade(self, first: str, newest: str) -> None:
        say(f"{self.name}: upgrading to Linux {newest}")
        meta = [f"linux-image-{self.arch}", f"linux-headers-{self.arch}"]
        found = self.root.apt("install", *meta)
        self.trial.command(f"the kernel is upgraded from {first} to {newest}", found)
        test_modules(self.trial, self.root, newest)
        kept = modules_of(self.root, first)
        self.trial.result(f"the modules for {first} are still there", bool(kept))

    def make_disk(self, release: str) -> Disk:
        make_initial(self.trial, self.root, release)
        add_trial(self.root.directory, "zio-trial.service", *RECIPES)
        return Disk(self.root.directory, release, self.work)

    def boot(self, disk: Disk) -> None:
        for phase, arguments in PHASES.items():
            status, said = disk.boot(ARCHES[self.arch], phase, *arguments)
            print(said)
            self.trial.program(f"{self.name}, {phase}", status, said)


def test(suite: str, arch: str, work: Path) -> int:
    """Build the packages, install them in an empty system, boot it, and use them."""
    setup("systems")
    trial, suite = Trial(), suite or native_suite()
    say(f"building the packages for {arch}")
    packages = build_for(arch, work) if arch != "amd64" else build(work / "packages")
    packages = [path for path in packages if "dbgsym" not in path.name]
    trial.result(f"the packages are built for {arch}", bool(packages))
    with emulated(arch):
        system = System(trial, suite, arch, work)
        release = system.install(packages)
        disk = system.make_disk(release)
    shutil.rmtree(system.root.directory)
    system.boot(disk)
    return trial.end()
