# SPDX-License-Identifier: GPL-2.0-only
"""Suites of the distribution: what each place takes from the archive"""

from pathlib import Path

import pytest

from zio_testing import suite
from zio_testing.common import Failure
from zio_testing.kernel_suite import FLAVOURS, PROGRAMS_32
from zio_testing.suite import Processor, Suite

ARM64 = Processor("arm64", ("gcc-arm64",))
S390X = Processor("s390x", ("gcc-s390x",), has_programs=False)
TRIXIE = Suite("trixie", ("headers",), (ARM64, S390X))


class Archive:
    """An archive that lacks each package whose name has one of these words."""

    def __init__(self) -> None:
        self.lacks: tuple[str, ...] = ()
        self.asked: list[str] = []

    def answer(self, _: Suite, *words: str, cwd: Path | None = None) -> None:
        self.asked += words
        if any(lacking in word for lacking in self.lacks for word in words):
            raise Failure("404")

    def was_asked_for(self, text: str) -> bool:
        return any(text in word for word in self.asked)


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Archive:
    archive = Archive()
    monkeypatch.setattr(suite, "SUITES", tmp_path)
    monkeypatch.setattr(suite, "archives", lambda: [])
    monkeypatch.setattr(suite, "run_apt", archive.answer)
    monkeypatch.setattr(suite, "newest", lambda _, part, name: f"linux-{part}-{name}")
    return archive


def test_no_place_fails_by_the_headers_of_another(archive: Archive) -> None:
    archive.lacks = ("s390x", "arm64-16k")
    assert suite.prepare(TRIXIE).is_dir()
    assert suite.prepare(TRIXIE, "arm64", "arm64") == TRIXIE.root
    assert archive.was_asked_for("linux-headers-arm64:arm64")
    assert archive.was_asked_for("libc6-dev:arm64")
    for arch, flavour in (("arm64", "arm64-16k"), ("s390x", "s390x")):
        with pytest.raises(Failure):
            suite.prepare(TRIXIE, arch, flavour)


def test_processor_comes_when_it_is_wanted(archive: Archive) -> None:
    suite.prepare(TRIXIE)
    assert not archive.was_asked_for("arm64") and not archive.was_asked_for("s390x")
    suite.prepare(TRIXIE, "s390x", "s390x")
    assert archive.was_asked_for("gcc-s390x")
    assert archive.was_asked_for("linux-headers-s390x:s390x")
    assert not archive.was_asked_for("libc6-dev:s390x")
    assert not archive.was_asked_for("arm64")


def test_what_is_there_is_not_asked_for_again(archive: Archive) -> None:
    for _ in range(2):
        suite.prepare(TRIXIE, "arm64", "arm64")
    assert archive.asked.count("gcc-arm64") == 1
    assert archive.asked.count("linux-headers-arm64:arm64") == 1


def test_headers_that_lacked_are_asked_for_again(archive: Archive) -> None:
    archive.lacks = ("linux-headers-s390x",)
    with pytest.raises(Failure):
        suite.prepare(TRIXIE, "s390x", "s390x")
    archive.lacks = ()
    suite.prepare(TRIXIE, "s390x", "s390x")
    assert archive.asked.count("linux-headers-s390x:s390x") == 2
    assert archive.asked.count("gcc-s390x") == 1


def test_each_kernel_has_its_processor() -> None:
    for flavour in FLAVOURS:
        known = {processor.arch for processor in flavour.suite.processors}
        assert flavour.arch in known | {suite.NATIVE}, flavour.name
    assert [processor.arch for processor in PROGRAMS_32.processors] == ["i386"]
