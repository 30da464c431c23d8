# SPDX-License-Identifier: GPL-2.0-only
"""Items of pytest: selftests in machines, and programs of this machine that print TAP."""

from __future__ import annotations

import functools
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from . import runner, tap
from .common import ROOT, TESTING, Failure
from .guest import SavedMachine
from .selftests import SELFTESTS, Selftest, find_place, is_selftest
from .tap import FAILED, SKIPPED, Part, Results

OUT = TESTING / "unit/out/bin"
TOOLS = ROOT / "tools"
DOCUMENTS = "reading-fast block-files sharing migration two-boards-one-clock".split()
# Arguments of programs that have some
ARGUMENTS: dict[str, list[Any]] = {
    "completion_test.sh": [OUT, TOOLS / "completion/zio"],
    "header_test.sh": [ROOT / "include/uapi"],
    "udev_test.sh": [TOOLS / "udev/60-zio.rules"],
    "bench_test.c": [ROOT / "Documentation/slink/slink-model.md"],
}
# Seconds. Even on a busy machine only a program that hangs takes so long.
PROGRAM_LIMIT = 3600


# --- results inside an item -------------------------------------------------------------


def part_report(item: pytest.Item, part: Part) -> pytest.TestReport:
    path, _, name = item.location
    text: Any = None
    if part.outcome == FAILED:
        text = f"{part.said}\nnot ok - {part.name}".strip()
    elif part.outcome == SKIPPED:
        text = (path, 0, part.name)
    outcome: Any = part.outcome
    return pytest.TestReport(
        item.nodeid,
        (path, None, f"{name}: {part.name}"),
        {},
        outcome,
        text,
        "call",
        is_part=True,
    )


def report(item: pytest.Item, results: Results) -> None:
    """Report each result as a test of its own."""
    for part in results.parts:
        item.ihook.pytest_runtest_logreport(report=part_report(item, part))


class TapItem(pytest.Item):
    """An item with several results. It fails if one of them does."""

    def runtest(self) -> None:
        results = self.find_results()
        report(self, results)
        if results.failures:
            names = ", ".join(part.name for part in results.failures)
            pytest.fail(f"{len(results.failures)} of its results: {names}", False)

    def find_results(self) -> Results:
        raise NotImplementedError

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        if isinstance(excinfo.value, Failure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"{self.path.name} {self.name}"


# --- programs ---------------------------------------------------------------------------


class Program(TapItem):
    """A program or script of tests/unit or of the models, in a directory of its own"""

    words: list[Any]

    def find_results(self) -> Results:
        with tempfile.TemporaryDirectory(prefix="zio-test.") as work:
            os.chmod(work, 0o711)  # one test runs as another user
            env = {**os.environ, "TMPDIR": work}
            env["ASAN_OPTIONS"] = "allocator_may_return_null=1:detect_leaks=1"
            env["UBSAN_OPTIONS"] = "print_stacktrace=1"
            # timeout(1) also ends the children.
            command = ["timeout", "--kill-after=20", str(PROGRAM_LIMIT), *self.words]
            done = subprocess.run(
                command,
                cwd=TOOLS,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
        said = done.stdout.decode(errors="replace")
        return tap.read_program(
            said, f"status {done.returncode}" if done.returncode else ""
        )


class ProgramFile(pytest.File):
    """A source of one or more items"""

    def collect(self) -> Iterator[pytest.Item]:
        name = self.path.name
        if name == "doc_test.sh":
            library = TOOLS / "libzio/libzio.a"
            for document in DOCUMENTS:
                page = ROOT / f"Documentation/{document}.md"
                yield self.item(document, [self.path, page, library, OUT])
        elif self.path.suffix == ".sh":
            yield self.item("tap", [self.path, *ARGUMENTS.get(name, [OUT])])
        else:
            yield self.item("tap", [OUT / self.path.stem, *ARGUMENTS.get(name, [])])

    def item(self, name: str, words: list[Any]) -> Program:
        item: Program = Program.from_parent(self, name=name)
        item.words = words
        return item


# --- selftests --------------------------------------------------------------------------


@functools.cache
def machine_of(place: str) -> SavedMachine:
    return SavedMachine(place)


@functools.cache
def hunt_of(place: str) -> runner.LeakHunt:
    return runner.LeakHunt(machine_of(place))


class SelftestItem(TapItem):
    """A selftest on one kernel"""

    test: Selftest
    place: str

    def find_results(self) -> Results:
        if find_place(self.place).leaks:
            return hunt_of(self.place).run(self.test).results
        machine = machine_of(self.place)
        if not self.test.can_run_on(self.place):
            machine = SavedMachine(self.place, [self.test])
        return runner.run_selftest(machine, self.test).results


class SelftestFile(pytest.File):
    """A selftest: an item for each kernel where it runs, or those that the user names"""

    def collect(self) -> Iterator[pytest.Item]:
        test = Selftest(self.path)
        chosen = self.config.getoption("--kernel")
        is_named = any(str(self.path) in word for word in map(str, self.config.args))
        for place in test.places(chosen, is_named):
            item: SelftestItem = SelftestItem.from_parent(self, name=place)
            item.test, item.place = test, place
            yield item


def finish(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Look for leaks after the last of several selftests that shared a machine."""
    place = getattr(item, "place", "")
    if not place or not find_place(place).leaks:
        return
    if getattr(nextitem, "place", "") != place:
        results = hunt_of(place).finish()
        report(item, results)
        if results.failures:
            pytest.fail(results.failures[0].name, False)


# --------------------------------------------------------------------------------------


def kind_of(path: Path) -> type[pytest.File] | None:
    """Return what collects the tests of a file; None if it has none."""
    if path.parent == SELFTESTS and is_selftest(path.name):
        return SelftestFile
    is_host_test = path.parent in (TESTING / "unit", TESTING / "models/qemu")
    if is_host_test and path.name.endswith(("_test.c", "_test.sh")):
        return ProgramFile
    return None


def collect(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    kind: Any = kind_of(path)
    file: pytest.File | None = kind and kind.from_parent(parent, path=path)
    return file
