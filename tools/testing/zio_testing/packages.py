# SPDX-License-Identifier: GPL-2.0-only
"""packages - build the Debian packages, and try them in a system of their own

Usage: packages build [DIRECTORY]
       packages test

build makes the packages in results/deb, or DIRECTORY, and prints their names. It builds
a copy of the checkout, with no signature. The programs are not tested: make check does
that.

test prints TAP. It builds the packages twice and compares them, and runs lintian. Then it
installs them with the kernel's headers in a small Debian system. debootstrap makes that
system, and the cache keeps it. There DKMS builds the modules for two kernels, and a
program and a driver are compiled against the packages. A virtual machine runs the
modules, the programs and the udev rule of the packages. At the end the packages are
removed, and nothing of them must be left. test needs root: it starts sudo when it is not
root.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from . import kernel
from .common import (
    CACHE,
    ROOT,
    TESTING,
    Failure,
    Usage,
    Words,
    output_of,
    run_logged,
    say,
    setup,
)
from .debian_root import ROOTS, Root, has_namespaces
from .kernel_cache import release_of
from .tap import indent
from .versions import SOURCE, find

LEFT_OUT = (".git", "results", "*.o", "*.d", "*.a", "*.so*", "*.ko", "*.mod*", "*.cmd")
LEFT_OUT += ("bin", "out", ".link-mode", ".tmp*", "__pycache__", "Module.symvers")
NAMES = ("zio-dkms", "libzio1", "libzio-dev", "zio-tools", "zio-doc")
NEEDED = ("gcc", "libc6-dev", "make", "pkg-config", "udev")
SHOWN = 40
ARTIFACTS = "artifacts"
VERSION = find(ROOT, *SOURCE)


# --- build ------------------------------------------------------------------------------


def build(directory: Path, kind: str = "-b") -> list[Path]:
    """Build the packages in @directory. Return them; those with debug symbols are last.
    With -F for @kind, build the source package, too."""
    setup("packages")
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    copy = directory / f"zio-{VERSION}"
    shutil.copytree(
        ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns(*LEFT_OUT)
    )
    log = directory / "build.log"
    # The options of another build must not reach this one.
    command: Words = ["env", "-C", copy, "DEB_BUILD_OPTIONS=nocheck parallel=2"]
    command = [*command, "dpkg-buildpackage", "-us", "-uc", kind]
    if run_logged(command, log):
        print(*log.read_text(errors="replace").splitlines()[-SHOWN:], sep="\n")
        raise Failure(f"the packages do not build: see {log}")
    shutil.rmtree(copy)
    return sorted(directory.glob("*.deb"), key=lambda path: ("dbgsym" in path.name, path))


# --- tests ------------------------------------------------------------------------------


class Trial:
    """Prints a line of TAP for each result, and what a failed command said."""

    def __init__(self) -> None:
        self.count = self.failed = 0

    def result(self, what: str, good: bool, said: str = "") -> bool:
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {what}", flush=True)
        if not good:
            print(*indent(said.splitlines()[-SHOWN:]), sep="\n", flush=True)
        return good

    def command(self, what: str, found: tuple[int, str]) -> bool:
        return self.result(what, found[0] == 0, found[1])

    def end(self) -> int:
        print(f"1..{self.count}")
        return 1 if self.failed else 0


def run(*command: str | Path) -> tuple[int, str]:
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return done.returncode, done.stdout


def test_build(trial: Trial, work: Path) -> list[Path]:
    """The second build has another path."""
    say("building the packages twice")
    packages = build(work / "one", "-F")
    again = build(work / "another-place")
    for package, other in zip(packages, again, strict=True):
        same = package.read_bytes() == other.read_bytes()
        trial.result(f"{package.name} is the same twice", same, f"{package} {other}")
    changes = next((work / "one").glob("*.changes"))
    # The unit restores settings at boot: no other init does that.
    suppressed = "package-supports-alternative-init-but-no-init.d-script"
    command = ["lintian", "--allow-root", "--display-info"]
    said = run(*command, "--suppress-tags", suppressed, changes)[1]
    trial.result("lintian has nothing to say", not said, said)
    return [package for package in packages if "dbgsym" not in package.name]


def modules_of(root: Root, release: str) -> dict[str, Path]:
    """Return the modules that DKMS has installed for a kernel, by their names."""
    directory = root.directory / "lib/modules" / release / "updates/dkms"
    return {path.name.split(".")[0]: path for path in directory.glob("*.ko*")}


def expected_modules() -> set[str]:
    """Return the modules that the Makefile installs."""
    shown = output_of(["make", "-s", "-C", ROOT, "print-modules"])
    return {Path(word).name for word in shown.split()}


def test_modules(trial: Trial, root: Root, release: str) -> None:
    modules = modules_of(root, release)
    missing = expected_modules() - modules.keys()
    trial.result(
        f"DKMS has built all modules for {release}", not missing, f"{sorted(missing)}"
    )
    fields = {
        name: output_of(["/sbin/modinfo", "-F", "version", path]).strip()
        for name, path in modules.items()
    }
    others = {name: field for name, field in fields.items() if field != VERSION}
    trial.result(f"their version is {VERSION}", bool(fields) and not others, f"{others}")


def test_install(trial: Trial, root: Root, packages: list[Path], release: str) -> bool:
    (root.directory / "debs").mkdir()
    for package in packages:
        shutil.copy(package, root.directory / "debs")
    say("installing them in a fresh root")
    headers = f"linux-headers-{release}"
    files = [f"/debs/{package.name}" for package in packages]
    found = root.apt("install", *NEEDED, headers, *files)
    shutil.rmtree(root.directory / "debs")
    return trial.command(f"the packages install, with {headers}", found)


def test_versions(trial: Trial, root: Root) -> None:
    for program in ("zio", "zio-dump", "zio-cat-file", "zio-copy"):
        said = root.run(program, "--version")[1]
        trial.result(f"{program} has version {VERSION}", said.split()[-1:] == [VERSION])
    said = root.run("getent", "group", "zio")[1]
    trial.result("the group zio is there", said.startswith("zio:"), said)


def test_autopkgtests(trial: Trial, root: Root) -> None:
    shutil.copytree(ROOT / "debian/tests", root.directory / "tests")
    trial.command("a program is compiled with pkg-config", root.run("/tests/program"))
    trial.command("a driver is built out of the tree", test_driver(root))


def test_driver(root: Root) -> tuple[int, str]:
    return root.run("env", f"AUTOPKGTEST_ARTIFACTS=/{ARTIFACTS}", "/tests/driver")


def find_second(root: Root, first: str) -> str:
    """Return the release of another kernel whose headers apt-get can install."""
    pattern = "^linux-headers-[0-9].*-amd64$"
    said = root.run("apt-cache", "search", "--names-only", pattern)[1]
    # Packages with two numbers depend on the newest one with three.
    found = re.findall(r"^linux-headers-(\d+\.\d+\.\d+\S*) ", said, re.M)
    found = [release for release in found if not re.search("-(rt|cloud)-", release)]
    others = [release for release in found if release != first]
    if not others:
        raise Failure("apt-get has the headers of one kernel only")
    return max(others, key=lambda text: [int(n) for n in re.findall(r"\d+", text)])


def test_second(trial: Trial, root: Root, first: str) -> None:
    second = find_second(root, first)
    say(f"installing the headers of {second}")
    found = root.apt("install", f"linux-headers-{second}")
    trial.command(f"linux-headers-{second} installs", found)
    test_modules(trial, root, second)
    kept = modules_of(root, first)
    trial.result(f"the modules for {first} are still there", bool(kept))
    trial.command("a driver is built for both kernels", test_driver(root))


OLD = "6.0.0-1-amd64"


def test_old(trial: Trial, root: Root, release: str) -> None:
    """A kernel with an old name and headers that would do"""
    directory = root.directory / "lib/modules" / OLD
    directory.mkdir()
    (directory / "build").symlink_to(f"/lib/modules/{release}/build")
    status, said = root.run("dkms", "build", f"zio/{VERSION}", "-k", OLD)
    trial.result("DKMS does not build for Linux 6.0", status == 77, said)
    trial.result("it says why", "BUILD_EXCLUSIVE" in said, said)
    shutil.rmtree(directory)


def test_removal(trial: Trial, root: Root, before: set[str]) -> None:
    trial.command("the packages can be purged", root.apt("purge", *NAMES))
    left = sorted(root.files("zio") - before - {"/var/cache/apt/zio"})
    trial.result("they leave nothing", not left, "\n".join(left))


# --- the virtual machine ----------------------------------------------------------------


def files_of(root: Root, programs: list[str]) -> Iterator[str]:
    """Yield programs of the root and their shared libraries."""
    libraries = root.run("ldd", *programs)[1]
    yield from programs
    yield from sorted(set(re.findall(r"(/\S+) \(0x", libraries)))


def machine_command(root: Root, release: str, work: Path) -> Words:
    modules = work / "modules"
    modules.mkdir()
    for name, path in modules_of(root, release).items():
        shutil.copy(path, modules / path.name)
    programs = ["/bin/udevadm"]
    programs += [f"/usr/bin/{name}" for name in ("zio", "zio-cat-file", "zio-dump")]
    programs += ["/usr/bin/find", "/usr/sbin/chroot"]
    command: list[str | Path] = [TESTING / "vm", "--no-load", "--timeout", "900"]
    command += ["--modules", modules]
    command += ["--module", root.directory / ARTIFACTS / release / "my-board.ko"]
    more = ["/usr/libexec/zio/zio-permit", "/etc/group"]
    more += ["/lib/udev/rules.d/60-zio.rules"]
    for path in [*files_of(root, programs), *more]:
        command += ["--add", f"{root.directory}{path}:{path}"]
    # By its name, udevadm is the daemon.
    command += ["--add", f"{root.directory}/bin/udevadm:/lib/systemd/systemd-udevd"]
    recipe = TESTING / "guest/packages-recipe"
    return [*command, "--add", recipe, "--", "sh packages-recipe"]


def test_machine(trial: Trial, root: Root, release: str, work: Path) -> None:
    say("a virtual machine with the modules and programs of the packages")
    status, said = run(*machine_command(root, release, work))
    for good, what in re.findall(r"^(not ok|ok) - (.*)", said, re.M):
        trial.result(f"vm: {what}", good == "ok", said)
    trial.result("vm: the recipe ends", status == 0 and "\nthe end\n" in said, said)


def test_all(work: Path) -> int:
    trial = Trial()
    release = release_of(kernel.prepare("distro"))
    packages = test_build(trial, work)
    if not has_namespaces():
        trial.result("they install # SKIP no mounts here: unshare --mount fails", True)
        return trial.end()
    root = Root(work / "root")
    before = root.files("zio")
    if test_install(trial, root, packages, release):
        test_modules(trial, root, release)
        test_versions(trial, root)
        test_autopkgtests(trial, root)
        test_machine(trial, root, release, work)
        test_old(trial, root, release)
        test_second(trial, root, release)
        test_removal(trial, root, before)
    shutil.copy(root.log, ROOTS / "last.log")
    return trial.end()


def become_root() -> None:
    """Start this program again with sudo. The cache stays that of the user."""
    if shutil.which("sudo") is None:
        raise Failure("packages test needs root, and there is no sudo here")
    names = [f"XDG_CACHE_HOME={CACHE.parent}", f"PATH={os.environ['PATH']}"]
    os.execvp("sudo", ["sudo", "env", *names, str(TESTING / "packages"), "test"])


def main(words: list[str]) -> int:
    if words[:1] == ["build"] and len(words) <= 2:
        directory = Path(words[1]) if words[1:] else ROOT / "results/deb"
        print(*build(directory.absolute()), sep="\n")
        return 0
    if words != ["test"]:
        raise Usage("build or test?")
    if os.geteuid():
        become_root()
    ROOTS.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix="try.", dir=ROOTS))
    try:
        return test_all(work)
    finally:
        shutil.rmtree(work, ignore_errors=True)
