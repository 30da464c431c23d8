# SPDX-License-Identifier: GPL-2.0-only
"""The wheel of the Python package, in empty Debian systems without a compiler: pip
installs it, and what it has works with no kernel module and no checkout. Also the wheel
that an ordinary user builds for this machine alone."""

import importlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.request import urlopen
from zipfile import ZipFile

import pytest

from zio_testing.common import ROOT, TESTING, Words, running, seed_of_commit
from zio_testing.debian_root import ROOTS, Root, make_private
from zio_testing.package_build import VERSION
from zio_testing.suite import can_enter

SUITES = ("bookworm", "trixie")
SUITE = SUITES[seed_of_commit() % len(SUITES)]
PIP = "/venv/bin/pip install -q --disable-pip-version-check"
# The certificates that this machine trusts: its network may need more than pip has.
TRUST = "etc/ssl/certs/ca-certificates.crt"

READ = """
import numpy as np, zio
with zio.open(zio.sample()) as channel:
    pulses = [b.values().max() for b in channel if b.channel == "demo-0000-0-1"]
print(zio.__version__, len(pulses), np.histogram(pulses, [0, 0.5, 1.5, 2.5])[0].sum())
"""


class Steps:
    """The seconds of each step, which the report of the tests has."""

    def __init__(self) -> None:
        self.begin = self.last = time.monotonic()
        self.text = ""

    def end(self, what: str) -> None:
        now = time.monotonic()
        self.text += f"{now - self.last:6.1f} s  {what}\n"
        self.last = now

    def total(self) -> str:
        """Return the text. A slow network or a busy machine is no failure."""
        self.text += f"{self.last - self.begin:6.1f} s  in all"
        print(self.text, file=sys.stderr)
        return self.text


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel for this machine."""
    place = tmp_path_factory.mktemp("wheels")
    words: Words = [ROOT / "packaging/wheels/wheels", "--arch", "x86_64", place]
    subprocess.run(words, check=True)
    (found,) = place.glob(f"zio_daq-{VERSION}-cp311-abi3-manylinux_2_28_x86_64.whl")
    return found


@pytest.fixture(scope="module", params=(SUITE,))
def system(request: pytest.FixtureRequest, wheel: Path) -> Iterator[Root]:
    """An empty system with the wheel, where nothing is installed of it."""
    if os.geteuid() or not can_enter():
        pytest.skip("it needs root and mounts: sudo tests/check --only wheels")
    make_private(ROOTS)
    with tempfile.TemporaryDirectory(prefix="try.", dir=ROOTS) as work:
        root = Root(Path(work, "root"), request.param, packages=("python3-venv",))
        if Path("/", TRUST).exists():
            (root.directory / TRUST).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(Path("/", TRUST), root.directory / TRUST)
        shutil.copy(wheel, root.directory)
        yield root


def expect(found: tuple[int, str]) -> str:
    assert found[0] == 0, found[1]
    return found[1]


def install(root: Root, extra: str) -> None:
    """Run pip as a user does."""
    (wheel,) = root.directory.glob("*.whl")
    trust = f"export PIP_CERT=/{TRUST};" if (root.directory / TRUST).exists() else ""
    expect(root.run("sh", "-c", f"{trust} {PIP} '/{wheel.name}[{extra}]'"))


def page_url(root: Root, line: str) -> str:
    """Return the URL with the token; a pipe gets it without."""
    token = (root.directory / "root/.local/state/zio/scope-token").read_text()
    return f"{line.split()[0]}#token={token.strip()}"


def draw(url: str, steps: Steps) -> None:
    """Wait until a browser has drawn waveforms, and knows the three channels."""
    conftest = importlib.import_module("unit.scope.browser.conftest")
    with conftest.driver() as browser:
        steps.end("Chromium has started")
        page = conftest.Page(browser).open(url)
        page.wait("s && s.frame && s.frame.lines.length && s.channels.length === 3")
        steps.end("the page has drawn a frame")
        page.wait("s.channels.every((c) => c.state === 'live')")
        assert "demo-0000-0-1" in page.text("body")


def test_what_the_wheel_has(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        names = set(archive.namelist())
    wanted = ("zio/sample.zio", "zio_scope/page/uplot/uPlot.esm.js", "zio_pva/cli.py")
    uplot = "zio_scope/page/uplot/LICENSE"
    assert names.issuperset((*wanted, uplot, "zio_nexus/cli.py"))
    assert "zio_commands/export.py" in names
    assert not any(name.startswith("zio.libs/") for name in names)
    assert wheel.stat().st_size < 3e6


def test_a_picture_without_a_kernel(
    system: Root, record_property: Callable[[str, object], None]
) -> None:
    """The report of the tests, junit.xml, has the time of each step."""
    assert system.run("sh", "-c", "command -v cc gcc")[0] != 0, "there is a compiler"
    steps = Steps()
    expect(system.run("python3", "-m", "venv", "/venv"))
    steps.end("python3 -m venv")
    install(system, "scope")
    steps.end("pip install zio-daq[scope]")
    command = system.words("/venv/bin/zio-scope", "--demo", "--port", "0")
    with running(subprocess.Popen(command, stdout=subprocess.PIPE)) as scope:
        assert scope.stdout
        line = scope.stdout.readline().decode()
        steps.end("zio-scope --demo listens")
        draw(page_url(system, line), steps)
        scope.stdout.close()
    record_property("steps", steps.total())


def test_reading(system: Root) -> None:
    """The sample recording, and a histogram of the heights of its pulses"""
    assert expect(system.run("/venv/bin/python", "-c", READ)) == f"{VERSION} 398 398\n"


def test_what_is_missing(system: Root) -> None:
    """A program without its extra says how to get it."""
    words = "/venv/bin/zio-nexus $(/venv/bin/python -c 'import zio; print(zio.sample())')"
    status, said = system.run("sh", "-c", f"{words} -o /run7.nxs")
    assert status == 1 and "pip install 'zio-daq[nexus]'" in said, said
    status, said = system.run("/venv/bin/zio-pva", "/sample.zio")
    assert status == 1 and "pip install 'zio-daq[pva]'" in said, said


def test_recording(system: Root) -> None:
    install(system, "nexus")
    script = """cd /tmp; sample=$(/venv/bin/python -c 'import zio; print(zio.sample())')
    /venv/bin/zio-nexus -q "$sample" -o run7.nxs; /venv/bin/zio-nexus verify run7.nxs"""
    said = system.run("sh", "-c", script)[1]
    assert (
        "demo-0000-0-1: 398 blocks, 796000 bytes, 2 blocks lost in 2 gaps" in said
    ), said


def test_reader_of_kafka(system: Root) -> None:
    install(system, "kafka")
    expect(system.run("/venv/bin/python", "-c", "import confluent_kafka, zio"))


def test_removal(system: Root) -> None:
    expect(system.run("/venv/bin/pip", "uninstall", "-q", "-y", "zio-daq"))
    left = {name for name in system.files("zio") if name.startswith("/venv")}
    assert not left


def test_the_program_of_the_wheels_tells_its_usage() -> None:
    program = ROOT / "packaging/wheels/wheels"
    assert subprocess.run([program, "--nosuch"], capture_output=True).returncode == 2
    assert subprocess.run([TESTING / "venv"], capture_output=True).returncode == 2


# --- the wheel for this machine ---------------------------------------------------------

# Nothing of this may run for a wheel.
FORBIDDEN = ("apt-get", "debootstrap", "sudo")
NOBODY = "65534"


class User:
    """An ordinary user with a copy of the checkout, an empty cache, and no programs but
    those in the folder "bin" of the home directory. npm is none of them."""

    def __init__(self, home: Path) -> None:
        self.home, self.tree = home, home / "zio"
        self.tree.mkdir()
        copy = 'git ls-files -z | cpio -0pd --quiet "$0"'
        subprocess.run(["sh", "-c", copy, self.tree], cwd=ROOT, check=True)
        (home / "bin").mkdir()
        for program in Path("/usr/bin").iterdir():
            (home / "bin" / program.name).symlink_to(program)
        for name in FORBIDDEN:
            (home / "bin" / name).unlink(missing_ok=True)
            (home / "bin" / name).write_text(f"#!/bin/sh\necho {name} >>{home}/ran\n")
            (home / "bin" / name).chmod(0o755)
        (home / "bin/npm").unlink(missing_ok=True)
        self.words: Words = []
        if os.geteuid() == 0:
            subprocess.run(["chown", "-R", NOBODY, home], check=True)
            self.words = ["setpriv", f"--reuid={NOBODY}", "--clear-groups"]

    def start(self, *command: str) -> "subprocess.Popen[str]":
        kept = {k: v for k, v in os.environ.items() if k not in ("XDG_CACHE_HOME", "CC")}
        env = {**kept, "HOME": str(self.home), "PATH": str(self.home / "bin")}
        words, pipe = [*self.words, *command], subprocess.PIPE
        return subprocess.Popen(
            words, cwd=self.tree, env=env, text=True, stdout=pipe, stderr=pipe
        )

    def run(self, *command: str) -> tuple[int, str, str]:
        process = self.start(*command)
        out, err = process.communicate()
        return process.returncode, out, err


@pytest.fixture
def user() -> Iterator[User]:
    with tempfile.TemporaryDirectory(prefix="zio-user.") as home:
        yield User(Path(home))


def test_wheel_for_this_machine(user: User) -> None:
    """The last line is the command that installs it, and then the demo runs."""
    status, out, err = user.run("make", "wheel")
    assert status == 0, err
    assert not (user.home / "ran").exists(), (user.home / "ran").read_text()
    last = out.splitlines()[-1]
    found = re.fullmatch(
        r"pip install '(results/wheels/zio_daq-\S+\.whl)\[scope\]'", last
    )
    assert found and (user.tree / found[1]).exists(), out
    venv = f"python3 -m venv ~/venv && . ~/venv/bin/activate && {last}"
    assert user.run("sh", "-c", venv)[0] == 0
    demo = user.start(f"{user.home}/venv/bin/zio-scope", "--demo", "--port", "0")
    try:
        assert demo.stdout
        with urlopen(demo.stdout.readline().split()[0]) as answer:
            assert b"<title>" in answer.read()
    finally:
        demo.kill()
        demo.communicate()


def test_what_a_wheel_needs(user: User) -> None:
    """A machine that has no compiler makes no file. A line names the packages."""
    for compiler in (user.home / "bin").glob("*gcc*"):
        compiler.unlink()
    before = sorted(user.home.rglob("*"))
    status, out, err = user.run("make", "wheel")
    assert (status, out) == (2, "")
    assert "as root: apt-get install gcc libc6-dev\n" in err
    assert sorted(user.home.rglob("*")) == before
