# SPDX-License-Identifier: GPL-2.0-only
"""A small Debian system in a directory, where packages are tried.

The cache keeps the system as debootstrap makes it, one for each suite and processor. It
also has the packages that apt-get has downloaded later. Each use gets a copy. Commands
run in a chroot. They get namespaces of their own for mounts and processes where the
kernel allows it.
"""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from .common import CACHE, Failure, Words, locked, output_of, say, setup
from .kernel_cache import move_to

ROOTS = CACHE / "packages"
ARCHIVES = "var/cache/apt/archives"
SETTINGS = """APT::Keep-Downloaded-Packages "true";
APT::Install-Recommends "false";
Acquire::Languages "none";
Acquire::Retries "3";
Dpkg::Use-Pty "false";
"""
# Mounts are made in a namespace only, so that none is left in the root.
MOUNT = 'mount --make-rprivate / && mount -t proc proc "$0/proc"; exec chroot "$0" "$@"'
NAMESPACES = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
ENVIRONMENT = ["HOME=/root", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"]
# The root is not booted: an image of a kernel needs no initial file system.
ENVIRONMENT += ["DEBIAN_FRONTEND=noninteractive", "INITRD=No"]
PASSED_ON = ("http_proxy", "https_proxy", "no_proxy")


def enter(directory: Path) -> Words:
    return [*NAMESPACES, "sh", "-c", MOUNT, directory]


def sources() -> list[str]:
    """Return lines for sources.list: Debian's suites that this machine uses."""
    form = "$(SITE) $(RELEASE) $(ORIGIN)"
    targets = ["apt-get", "indextargets", "--format", form, "Created-By: Packages"]
    words = [line.split() for line in output_of(targets).splitlines()]
    found = {(w[0], w[1]) for w in words if len(w) == 3 and w[2] == "Debian"}
    if not found:
        raise Failure("apt-get knows no suite of Debian here")
    return [f"deb {site} {suite} main" for site, suite in sorted(found)]


def native_suite() -> str:
    """Return the suite that this machine has: bookworm, not bookworm-updates."""
    return min((line.split()[2] for line in sources()), key=len)


def sources_of(suite: str) -> list[str]:
    """Return lines for sources.list. The archive here has other suites, too."""
    native = native_suite()
    lines = [line.replace(f" {native}", f" {suite}") for line in sources()]
    # sid is alone: it has no updates.
    return [line for line in lines if suite != "sid" or f" {suite} " in line]


def make_private(directory: Path) -> None:
    """Make a directory that its owner alone enters: the systems in it have programs with
    setuid, and other users of this machine could run these."""
    directory.mkdir(parents=True, exist_ok=True)
    directory.chmod(0o700)


def make_base(base: Path, suite: str, arch: str, packages: Sequence[str]) -> None:
    """Run debootstrap. The system also has @packages."""
    setup("packages")
    new = ROOTS / f".new-{base.name}"
    shutil.rmtree(new, ignore_errors=True)
    make_private(ROOTS)
    lines = sources_of(suite)
    site = next(line.split()[1] for line in lines if line.split()[2] == suite)
    say(f"debootstrap {suite} for {arch} from {site} (kept in {ROOTS})")
    command = ["debootstrap", "--variant=minbase", f"--arch={arch}"]
    command += [f"--include={','.join(packages)}"] if packages else []
    with open(ROOTS / f"debootstrap-{base.name}.log", "wb") as log:
        if subprocess.run(
            [*command, suite, new, site], stdout=log, stderr=log
        ).returncode:
            raise Failure(f"debootstrap failed: see {log.name}")
    (new / "etc/apt/sources.list").write_text("\n".join(lines) + "\n")
    (new / "etc/apt/apt.conf.d/zio").write_text(SETTINGS)
    move_to(new, base)


class Root:
    """A copy of the base system, in a directory that the caller removes. The programs of
    another processor run only inside the block of emulation.emulated()."""

    def __init__(
        self,
        directory: Path,
        suite: str = "",
        arch: str = "amd64",
        packages: Sequence[str] = (),
    ) -> None:
        suite = suite or native_suite()
        name = "-".join((suite, arch, *packages))
        self.directory = directory
        self.base = ROOTS / f"base-{name}"
        self.log = ROOTS / f"root-{name}.log"
        with locked(Path(f"{self.base}.lock")):
            if not (self.base / "etc/apt/apt.conf.d/zio").exists():
                make_base(self.base, suite, arch, packages)
            copy: Words = ["cp", "-a", "--reflink=auto", self.base, directory]
            subprocess.run(copy, check=True)
        shutil.copy("/etc/resolv.conf", directory / "etc/resolv.conf")
        self.log.write_text("")

    def words(self, *command: str | Path) -> Words:
        """Return what starts a command in the root."""
        given = [name for name in PASSED_ON if name in os.environ]
        passed = [f"{name}={os.environ[name]}" for name in given]
        return [*enter(self.directory), "env", "-i", *ENVIRONMENT, *passed, *command]

    def run(self, *command: str | Path) -> tuple[int, str]:
        """Return the exit status of a command in the root, and what it said."""
        done = subprocess.run(
            self.words(*command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        with open(self.log, "a") as log:
            log.write(f"=== {' '.join(map(str, command))}\n{done.stdout}")
        return done.returncode, done.stdout

    def apt(self, *words: str) -> tuple[int, str]:
        """Run apt-get. Old lists name files that the archive no longer has: update the
        lists and try again."""
        found = self.run("apt-get", "-qq", "-y", *words)
        if "Unable to fetch" in found[1] or "Unable to locate" in found[1]:
            self.update()
            found = self.run("apt-get", "-qq", "-y", *words)
        self.keep_archives()
        return found

    def update(self) -> None:
        if self.run("apt-get", "-qq", "update")[0]:
            raise Failure(f"apt-get update failed in the root: see {self.log}")
        lists = "var/lib/apt/lists"
        shutil.rmtree(self.base / lists)
        copy: Words = ["cp", "-a", self.directory / lists, self.base / lists]
        subprocess.run(copy, check=True)

    def keep_archives(self) -> None:
        """The next root need not download what this one has downloaded. Packages of this
        project are new in each test."""
        for package in (self.directory / ARCHIVES).glob("*.deb"):
            target = self.base / ARCHIVES / package.name
            if "zio" not in package.name and not target.exists():
                shutil.copy(package, target)

    def files(self, word: str) -> set[str]:
        """Return the paths that have @word in the last part. Leave out apt's cache."""
        command = ["find", self.directory, "-xdev", "-name", f"*{word}*"]
        command += ["!", "-path", f"{self.directory}/{ARCHIVES}/*"]
        found = output_of(command).splitlines()
        return {line.removeprefix(str(self.directory)) for line in found}
