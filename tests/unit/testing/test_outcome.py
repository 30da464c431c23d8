# SPDX-License-Identifier: GPL-2.0-only
"""How a run ends: its last line, tests that are unsteady, and what is never repeated"""

import datetime
import os
import subprocess
import time
from pathlib import Path

import pytest

from zio_testing import unsteady
from zio_testing.common import ROOT
from zio_testing.outcome import Outcome, read
from zio_testing.unsteady import Failed

TODAY = datetime.date(2026, 3, 10)
GREEN = "0 failed"


def test_last_line_of_a_whole_run() -> None:
    found = Outcome(passed=3, total=2, failures=[("a", "no"), ("b", "no")])
    assert found.last_line() == "3 passed, 2 failed"
    assert found.last_line(frozenset(["a"])) == "3 passed, 1 failed"


def test_a_run_without_a_test_has_failed() -> None:
    assert Outcome().last_line() == "0 passed, 1 failed"


def test_an_interrupted_run_does_not_read_green() -> None:
    line = Outcome(passed=127, total=1968, missing=1841).last_line()
    assert GREEN not in line and " passed" not in line
    assert "1841 of 1968" in line


def test_a_run_that_wrote_nothing_is_incomplete(tmp_path: Path) -> None:
    assert read(tmp_path / "none").last_line().startswith("incomplete")


def test_an_outcome_is_read_back(tmp_path: Path) -> None:
    found = Outcome(passed=1, total=2, missing=0, failures=[("a", "text")])
    found.write(tmp_path / "file")
    assert read(tmp_path / "file") == found


# --- what is repeated -------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "not ok - the kernel reported a fault",
        "not ok - event 76 follows 71",
        "not ok - the software used the card wrongly",
        "E   AssertionError: lost 35 blocks",
        "not ok - sample 5 is 7, not 6",
        "not ok - a block came twice",
        "ERROR: AddressSanitizer: heap-use-after-free",
    ],
)
def test_what_blocks(text: str) -> None:
    assert Failed("a", text).is_hard


@pytest.mark.parametrize("text", ["E   assert 3 == 4", "not ok - poll ends in time"])
def test_what_may_be_repeated(text: str) -> None:
    failed = Failed("a", f"some words\n{text}\n")
    assert not failed.is_hard
    assert failed.message == text


class Runs:
    """Stands for runs of a test, here and on the base."""

    def __init__(self, here: int | None, base: int | None) -> None:
        self.counts, self.asked = [here, base], 0
        self.bisected: list[str] = []

    def bisect(self, base: Path, nodeid: str, commit: str) -> None:
        self.bisected.append(nodeid)

    def __call__(self, root: Path, nodeid: str, end: float) -> int | None:
        self.asked += 1
        return self.counts[root != ROOT]


def judged(
    monkeypatch: pytest.MonkeyPatch,
    runs: Runs,
    *failures: Failed,
    entries: int = 0,
    is_joined: bool = True,
) -> set[str]:
    listed = [
        {"item": f"old{n}", "message": "m", "date": "2026-03-09"} for n in range(entries)
    ]
    monkeypatch.setattr(unsteady, "read_entries", lambda: listed)
    monkeypatch.setattr(unsteady, "base_of", lambda: "c0ffee")
    monkeypatch.setattr(unsteady, "checkout_base", lambda commit: Path("/base"))
    monkeypatch.setattr(unsteady, "count_failures", runs)
    monkeypatch.setattr(unsteady, "tell_first_bad", runs.bisect)
    monkeypatch.setattr(unsteady, "judges_change", lambda nodeid, commit: is_joined)
    return unsteady.judge(list(failures), TODAY)


SOFT, HARD = Failed("a", "not ok - too late"), Failed("b", "not ok - 3 blocks are lost")


def test_a_failure_of_the_base_is_unsteady(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert judged(monkeypatch, Runs(1, 1), SOFT) == {"a"}
    assert f"date = {TODAY}" in capsys.readouterr().out


@pytest.mark.parametrize("base", [0, None])
def test_a_failure_of_this_commit_alone_stays(
    monkeypatch: pytest.MonkeyPatch, base: int | None
) -> None:
    assert not judged(monkeypatch, Runs(0, base), SOFT)


@pytest.mark.parametrize(("here", "base"), [(5, 0), (None, 0), (5, None)])
def test_a_failure_that_no_change_explains(
    here: int | None, base: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert judged(monkeypatch, Runs(1, 0), SOFT, is_joined=False) == {"a"}
    assert judged(monkeypatch, Runs(0, None), SOFT, is_joined=False) == {"a"}
    assert not judged(monkeypatch, Runs(here, base), SOFT, is_joined=False)


def test_what_always_fails_here_alone_is_bisected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for here, base, bisected in ((5, 0, ["a"]), (4, 0, []), (5, 1, []), (5, None, [])):
        runs = Runs(here, base)
        judged(monkeypatch, runs, SOFT)
        assert runs.bisected == bisected


def test_a_test_of_a_changed_file(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = "tests/zio_testing/unsteady.py\n"
    monkeypatch.setattr(unsteady, "output_of", lambda command: changed)
    assert unsteady.judges_change("unit/testing/test_outcome.py::test_what_blocks", "c")
    assert not unsteady.judges_change("unit/kafka/test_faults.py::test_slow", "c")


def test_repetition_ends_in_time(tmp_path: Path) -> None:
    program = tmp_path / "tests/check"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexec sleep 1000\n")
    program.chmod(0o755)
    (tmp_path / "tests/test_a.py").touch()
    end = time.monotonic() + 0.2
    assert unsteady.count_failures(tmp_path, "test_a.py::test", end) is None
    assert time.monotonic() >= end


def test_a_file_that_the_base_does_not_have(tmp_path: Path) -> None:
    assert unsteady.count_failures(tmp_path, "test_b.py::test", time.monotonic()) is None


def test_a_lost_sample_is_never_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = Runs(0, 5)
    assert not judged(monkeypatch, runs, HARD)
    assert not runs.asked


def test_many_failures_are_no_race(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = Runs(5, 5)
    many = [Failed(f"test{n}", "not ok - no") for n in range(5)]
    assert not judged(monkeypatch, runs, *many)
    assert not runs.asked


def test_a_fourth_entry_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not judged(monkeypatch, Runs(1, 1), SOFT, entries=3)


def test_a_listed_failure_passes_only_with_its_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failed = [Failed("old0", "it said m"), Failed("old1", "other words")]
    assert judged(monkeypatch, Runs(0, 0), *failed, entries=2) == {"old0"}


def test_an_old_entry_is_a_failure() -> None:
    entry = {"item": "a", "message": "m", "date": "2026-03-03"}
    assert "7 days" in unsteady.complaints([entry], TODAY)[0]
    assert not unsteady.complaints([{**entry, "date": "2026-03-04"}], TODAY)
    assert unsteady.complaints([{**entry, "date": "2026-03-10"}] * 4, TODAY)


def test_the_list_of_this_tree_is_in_order() -> None:
    for entry in unsteady.read_entries():
        assert set(entry) == {"item", "message", "date"}
        datetime.date.fromisoformat(str(entry["date"]))


class Repository:
    """A repository of git, whose commits have hours"""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str, **times: str) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@b"]
        command = ["git", "-C", str(self.place), *who, *words]
        env = {**os.environ, **times}
        done = subprocess.run(command, env=env, check=True, capture_output=True)
        return done.stdout.decode().strip()

    def commit(self, hour: int) -> str:
        date = f"2026-03-01T{hour:02}:00:00Z"
        words = ("commit", "-q", "--allow-empty", "-m", f"hour {hour}")
        self.git("add", "-A")
        self.git(*words, GIT_COMMITTER_DATE=date, GIT_AUTHOR_DATE=date)
        return self.git("rev-parse", "HEAD")


def test_the_base_is_where_the_branch_left_its_upstream(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    old = repository.commit(1)
    assert unsteady.base_of(tmp_path) == ""
    repository.commit(20)
    assert unsteady.base_of(tmp_path) == old
    repository.git("checkout", "-q", "-b", "work", "--track", "main")
    left = repository.git("rev-parse", "main")
    repository.commit(21)
    assert unsteady.base_of(tmp_path) == left


CHECK = """#!/bin/sh
[ "$*" = '-n 1 tests/test_a.py::test' ] || exit 3
[ ! -e is_broken ] || exit 2
! grep -q bug program
"""


def test_the_first_bad_commit(tmp_path: Path) -> None:
    """Two commits before the bug do not build."""
    repository = Repository(tmp_path)
    check, program = tmp_path / "tests/check", tmp_path / "program"
    broken = tmp_path / "is_broken"
    check.parent.mkdir()
    check.write_text(CHECK)
    check.chmod(0o755)
    program.write_text("good")
    commits = [repository.commit(1)]
    for hour in range(2, 10):
        if hour == 3:
            broken.touch()
        if hour == 5:
            broken.unlink()
        if hour == 7:
            program.write_text("a bug")
        commits.append(repository.commit(hour))
    words = (tmp_path, "test_a.py::test", commits[0], commits[-1])
    assert unsteady.find_first_bad(*words, 60) == commits[6]
    assert repository.git("rev-parse", "HEAD") == commits[-1]
    assert unsteady.find_first_bad(*words, 0) == ""
    assert repository.git("status", "--porcelain", "--branch") == "## main"
