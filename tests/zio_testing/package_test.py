# SPDX-License-Identifier: GPL-2.0-only
"""Build the packages twice, and try them in a small system that is not booted."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from . import kernel, package_apt, package_upgrade
from .common import ROOT, TESTING, Failure, Words, output_of, say
from .debian_root import ROOTS, Root
from .kernel_cache import release_of
from .package_build import VERSION, build, built, packages_in
from .package_install import install, modules_of, releases_of, test_modules
from .suite import NO_MOUNTS, can_enter
from .trial import Trial, run

NAMES = "zio-dkms libzio1 libzio-dev zio-tools zio-doc python3-zio zio-nexus".split()
NAMES += ["zio-devices", "zio-migrate", "zio-pva", "zio-scope", "zio-visa"]
# DKMS makes its key with openssl.
NEEDED = ("gcc", "libc6-dev", "make", "openssl", "pkg-config", "udev")
ARTIFACTS = "artifacts"
PROGRAMS = "zio zio-dump zio-cat-file zio-copy zio-generate zio-replay".split()


def test_build(trial: Trial, work: Path) -> list[Path]:
    """The second build has another path."""
    say("building the packages twice")
    first = built()
    packages = packages_in(first)
    again = build(work / "another-place")
    for package, other in zip(packages, again, strict=True):
        same = package.read_bytes() == other.read_bytes()
        trial.result(f"{package.name} is the same twice", same, f"{package} {other}")
    changes = next(first.glob("*.changes"))
    # The unit restores settings at boot: no other init does that.
    suppressed = "package-supports-alternative-init-but-no-init.d-script"
    command = ["lintian", "--allow-root", "--display-info"]
    said = run(*command, "--suppress-tags", suppressed, changes)[1]
    trial.result("lintian has nothing to say", not said, said)
    return [package for package in packages if "dbgsym" not in package.name]


def test_install(trial: Trial, root: Root, packages: list[Path], release: str) -> bool:
    say("installing them in a fresh root")
    headers = f"linux-headers-{release}"
    found = install(root, packages, *NEEDED, headers)
    return trial.command(f"the packages install, with {headers}", found)


def test_versions(trial: Trial, root: Root) -> None:
    for program in PROGRAMS:
        said = root.run(program, "--version")[1]
        trial.result(f"{program} has version {VERSION}", said.split()[-1:] == [VERSION])
    said = root.run("getent", "group", "zio")[1]
    trial.result("the group zio is there", said.startswith("zio:"), said)


PYTHON = """
import zio
assert zio.__file__.startswith("/usr/lib/python3/dist-packages/"), zio.__file__
with zio.open("/tmp/blocks", create=True) as out:
    for n in range(3):
        out.write(bytes(range(n, n + 8)))
with zio.open("/tmp/blocks") as ch:
    print([block.data.tolist()[0] for block in ch], zio.__version__)
"""


def test_python(trial: Trial, root: Root) -> None:
    found = root.run("/usr/bin/python3", "-c", PYTHON)
    good = found == (0, f"[0, 1, 2] {VERSION}\n")
    trial.result("python3-zio writes and reads a block file", good, found[1])


def test_commands(trial: Trial, root: Root) -> None:
    """Draw the block file of test_python()."""
    found = root.run("zio", "plot", "--script", "-n", "1", "/tmp/blocks")
    good = found[0] == 0 and "plot $zio using 1:2" in found[1]
    trial.result("zio plot is in python3-zio, and draws a block file", good, found[1])


def test_nexus(trial: Trial, root: Root) -> None:
    """Record the block file of test_python()."""
    record = "zio-nexus -q /tmp/blocks -o /tmp/blocks.nxs"
    found = root.run("sh", "-c", f"{record} && zio-nexus verify /tmp/blocks.nxs")
    good = found[0] == 0 and "3 blocks, 24 bytes, nothing lost" in found[1]
    trial.result("zio-nexus records a block file", good, found[1])


def test_migrate(trial: Trial, root: Root) -> None:
    """Its examples are in libzio-dev."""
    place = "/usr/share/doc/libzio-dev/examples/porting"
    found = root.run("zio-migrate", "check", f"{place}/tdc/tdc.c")
    trial.command("zio-migrate finds nothing in a ported driver", found)
    status, said = root.run("zio-migrate", "check", f"{place}/tdc/tdc-1x.c")
    trial.result("zio-migrate finds what ZIO 1.x has", status == 3, said)


PVA = """
import json, subprocess
from p4p.client.thread import Context
command = ["zio-pva", "--json", "--port=0", "--prefix=test", "/tmp/blocks"]
with subprocess.Popen(command, stdout=subprocess.PIPE) as program:
    where = f"127.0.0.1:{json.loads(program.stdout.readline())['port']}"
    settings = {"EPICS_PVA_NAME_SERVERS": where, "EPICS_PVA_AUTO_ADDR_LIST": "NO"}
    try:
        with Context("pva", nt=False, conf=settings, useenv=False) as client:
            name = "testzio-0000-0-0:values"
            print(client.get(name, timeout=60).value.tolist()[:2])
    finally:
        program.terminate()
print(program.returncode)
"""


def test_pva(trial: Trial, root: Root) -> None:
    """Show the block file of test_python(), with a copy of p4p."""
    found = root.run("zio-pva", "/tmp/blocks")
    good = found[0] == 1 and "pip install --require-hashes" in found[1]
    trial.result("zio-pva says how to install p4p", good, found[1])
    packages = output_of([ROOT / "tests/unit/fetch-venv", "pva"]).strip()
    venv = f"/opt/zio-pva/lib/{Path(packages).parent.name}"
    shutil.copytree(packages, root.directory / venv[1:] / "site-packages")
    path = f"PYTHONPATH={venv}/site-packages"
    found = root.run("env", path, "/usr/bin/python3", "-B", "-c", PVA)
    shutil.rmtree(root.directory / "opt/zio-pva")
    good = found[0] == 0 and found[1].endswith("[2.0, 3.0]\n143\n")
    trial.result("zio-pva shows a block file", good, found[1])


def test_autopkgtests(trial: Trial, root: Root) -> None:
    shutil.copytree(ROOT / "debian/tests", root.directory / "tests")
    trial.command("a program is compiled with pkg-config", root.run("/tests/program"))
    trial.command("a driver is built out of the tree", test_driver(root))


def test_driver(root: Root) -> tuple[int, str]:
    return root.run("env", f"AUTOPKGTEST_ARTIFACTS=/{ARTIFACTS}", "/tests/driver")


# --- signatures -------------------------------------------------------------------------

KEY = "/root/lab"
SIGNER = "Laboratory"
FRAMEWORK = f"""mok_signing_key={KEY}.priv
mok_certificate={KEY}.der
"""


def signers_of(root: Root, release: str) -> set[str]:
    paths = modules_of(root, release).values()
    return {output_of(["/sbin/modinfo", "-F", "signer", path]).strip() for path in paths}


def make_key(trial: Trial, root: Root) -> None:
    """Make the key that DKMS uses from now on."""
    words = f"openssl req -new -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN={SIGNER}/"
    words += f" -outform DER -keyout {KEY}.priv -out {KEY}.der"
    trial.command("a key of our own is made", root.run(*words.split()))
    directory = root.directory / "etc/dkms/framework.conf.d"
    directory.mkdir(exist_ok=True)
    (directory / "lab.conf").write_text(FRAMEWORK)


def test_signers(trial: Trial, root: Root, first: str, second: str) -> None:
    found = signers_of(root, first)
    what = "DKMS has signed each module, with the key that it has made"
    trial.result(what, found == {"DKMS module signing key"}, f"{found}")
    found = signers_of(root, second)
    trial.result("mok_signing_key is used", found == {SIGNER}, f"{found}")


# --- other kernels ----------------------------------------------------------------------


def test_second(trial: Trial, root: Root, first: str) -> None:
    others = [release for release in releases_of(root, "amd64") if release != first]
    if not others:
        raise Failure("apt-get has the headers of one kernel only")
    second = others[-1]
    make_key(trial, root)
    say(f"installing the headers of {second}")
    found = root.apt("install", f"linux-headers-{second}")
    trial.command(f"linux-headers-{second} installs", found)
    test_modules(trial, root, second)
    kept = modules_of(root, first)
    trial.result(f"the modules for {first} are still there", bool(kept))
    test_signers(trial, root, first, second)
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
    # A cross build has no zio-kafka.
    names = [n for n in (*NAMES, "zio-kafka") if not root.run("dpkg", "-s", n)[0]]
    trial.command("the packages can be purged", root.apt("purge", *names))
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
    for file in [*files_of(root, programs), *more]:
        command += ["--add", f"{root.directory}{file}:{file}"]
    # By its name, udevadm is the daemon.
    command += ["--add", f"{root.directory}/bin/udevadm:/lib/systemd/systemd-udevd"]
    recipes = [
        TESTING / "machine/guest" / name for name in ("recipe-lib", "packages-recipe")
    ]
    for recipe in recipes:
        command += ["--add", recipe]
    return [*command, "--", "sh packages-recipe"]


def test_machine(trial: Trial, root: Root, release: str, work: Path) -> None:
    say("a virtual machine with the modules and programs of the packages")
    trial.program("vm", *run(*machine_command(root, release, work)))


def test_all(work: Path) -> int:
    trial = Trial()
    release = release_of(kernel.prepare("distro"))
    packages = test_build(trial, work)
    if not can_enter():
        trial.result(f"they install # SKIP {NO_MOUNTS}", True)
        return trial.end()
    root = Root(work / "root")
    before = root.files("zio")
    package_apt.test_all(trial, root, packages, work)
    package_upgrade.test_all(trial, packages, work)
    if test_install(trial, root, packages, release):
        test_modules(trial, root, release)
        test_versions(trial, root)
        test_python(trial, root)
        test_commands(trial, root)
        test_nexus(trial, root)
        test_migrate(trial, root)
        test_pva(trial, root)
        test_autopkgtests(trial, root)
        test_machine(trial, root, release, work)
        test_old(trial, root, release)
        test_second(trial, root, release)
        test_removal(trial, root, before)
    shutil.copy(root.log, ROOTS / "last.log")
    return trial.end()
