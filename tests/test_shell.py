# SPDX-License-Identifier: GPL-2.0-only
"""The first hour of a newcomer: the pages are typed into the shell of `tests/vm`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from zio_testing import common, kernel, vm
from zio_testing.common import ROOT, Failure
from zio_testing.document import run_page
from zio_testing.image import Image
from zio_testing.reader import Reader
from zio_testing.toolchain import Toolchain

# What each needs of the machine beside what tests/vm installs
PAGES = {
    "README.md": (),
    "Documentation/first-steps.md": ("vm-pages",),
    "Documentation/tutorial.md": ("vm-pages",),
}


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    with Reader() as found:
        yield found


@pytest.mark.parametrize("page", PAGES)
def test_page(page: str) -> None:
    """Each block does what the page tells, but for those that begin a machine."""
    if jobs := PAGES[page]:
        common.setup(*jobs)
    with Reader() as reader:
        blocks = list(run_page(ROOT / page, reader.run))
    wrong = [f"{page}:{b.line}: {b.said}" for b in blocks if b.result == "not ok"]
    assert not wrong, "\n".join(wrong)
    left = {block.said for block in blocks if block.result == "skip"}
    assert left <= {"in a checkout"}
    assert "ok" in {block.result for block in blocks}


def test_start_tells_its_steps(reader: Reader) -> None:
    assert "booting, 'exit' leaves" in reader.banner
    assert " 0 files" not in reader.banner


def test_what_a_machine_has(reader: Reader) -> None:
    """Further words of the pages: udev, tracepoints, a sound card, the selftest"""
    commands = """udevadm settle
    test -d /sys/kernel/tracing/events/zio
    grep -q HDA /proc/asound/cards
    zio selftest --help | grep -q Measure
    """
    assert reader.run(commands) == (0, "")


def test_browser_of_this_machine(reader: Reader) -> None:
    """zio-scope prints an address, which a browser here can open."""
    status, said = reader.run(
        """zio-scope >scope.log & until grep -q http scope.log; do sleep 0.1; done
        cut -d ' ' -f 1 scope.log"""
    )
    address = said.split()[-1]
    assert (status, address) == (0, "http://127.0.0.1:8642/")
    for _ in range(3):
        with urlopen(address, timeout=120) as answer:
            assert b"<title>" in answer.read()
    assert reader.run("kill %1")[0] == 0


def test_what_is_not_installed(reader: Reader) -> None:
    """The machine names it, and tells where to install it."""
    status, said = reader.run("apt-get install -y bash no-such-package")
    assert status == 1
    assert said.endswith("type there, as root: apt-get install no-such-package\n")
    assert reader.run("apt-get install bash") == (0, "")
    status, said = reader.run("no-such-program")
    assert status == 127
    assert "no-such-program: not found. The programs here are those of" in said


@pytest.mark.parametrize("lacks", ["HOST_MODULES", "SOUND_MODULES"])
def test_kernel_without_modules(lacks: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell also begins with a kernel that lacks what its machine would have."""
    monkeypatch.setattr(vm, lacks, ["no-such-module"])
    monkeypatch.setattr(vm, "is_free", lambda port: True)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    options = vm.parse_options([])
    vm.choose_shell(options, kernel.prepare("distro"))
    assert options.is_shell == (lacks == "SOUND_MODULES")
    assert options.has_scope == options.host_root == options.is_shell
    assert not options.has_sound


def test_machine_without_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A shell also begins where nobody may install packages."""

    def refuse(*_: object) -> None:
        raise Failure("not root and no sudo here")

    monkeypatch.setattr(vm, "setup", refuse)
    monkeypatch.setattr(vm, "install_python", refuse)
    vm.add_shell(Image(tmp_path / "root", Toolchain()))
    said = capsys.readouterr().err
    assert "not root and no sudo here: what needs these packages does not work" in said
