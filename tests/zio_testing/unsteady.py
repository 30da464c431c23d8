# SPDX-License-Identifier: GPL-2.0-only
"""What a failure means: a fault of this change, or one that was there before.

A failed test runs again, five times on the base and five times on this commit, with the
same seed, as long as ten minutes last. A report of a kernel, or a sample that is lost,
wrong or there twice, is never repeated: it stays a failure. So does what fails on this
commit alone, unless it fails only sometimes and judges no file that has changed. If it
fails each time, git finds its first commit. Other failures are unsteady: the run prints
an entry for tests/unsteady.toml, where the next person finds it. An entry of seven days
fails the run, and so does a fourth one."""

import datetime
import json
import os
import re
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL

from . import judges
from .common import (
    CACHE,
    ROOT,
    TESTING,
    Failure,
    Words,
    locked,
    output_of,
    running,
    say,
    tag_of,
    wait,
)

ENTRIES = TESTING / "unsteady.toml"
REPEATS = 5
REPEAT_SECONDS = BISECT_SECONDS = 600.0
MOST, DAYS = 3, 7
HALF_A_DAY = 12 * 3600
# More failures than this are no race.
MOST_FAILURES = 4
# A failure with these words is never repeated.
HARD = re.compile(
    r"kernel reported|used the card wrongly|BUG:|WARNING:|Sanitizer|KASAN|Oops"
    r"|\b(lost|missing|doubled|duplicated?|twice|wrong|misaligned|stale)\b"
    r"|\bsamples?\b|\b(block|event)s? \d+ (follows?|after|instead)",
    re.I,
)


@dataclass(frozen=True)
class Failed:
    """A test that failed, and what it said."""

    nodeid: str
    text: str

    @property
    def is_hard(self) -> bool:
        return HARD.search(self.text) is not None

    @property
    def message(self) -> str:
        """The line of the failure that an entry keeps"""
        lines = [line.strip() for line in self.text.splitlines() if line.strip()]
        found = [line for line in lines if line.startswith(("E ", "not ok"))]
        return (found or lines or [""])[-1][:200]


def read_entries(path: Path = ENTRIES) -> list[dict[str, str]]:
    found: list[dict[str, str]] = tomllib.loads(path.read_text()).get("test", [])
    return found


def complaints(entries: list[dict[str, str]], today: datetime.date) -> list[str]:
    """Return what is wrong with the list itself."""
    found = []
    if len(entries) > MOST:
        found.append(f"{ENTRIES.name} has {len(entries)} entries; {MOST} are allowed")
    for entry in entries:
        age = (today - datetime.date.fromisoformat(str(entry["date"]))).days
        if age >= DAYS:
            name = entry["item"]
            found.append(f"{ENTRIES.name}: {name} is unsteady for {age} days: mend it")
    return found


def is_listed(failed: Failed, entries: list[dict[str, str]]) -> bool:
    return any(
        entry["item"] == failed.nodeid and entry["message"] in failed.text
        for entry in entries
    )


# --- once more --------------------------------------------------------------------------


def base_of(root: Path = ROOT) -> str:
    """Return the commit to compare with: $ZIO_BASE, or where the branch left its
    upstream, or the newest that is half a day older than HEAD; empty if there is none."""
    git: Words = ["git", "-C", root]
    if given := os.environ.get("ZIO_BASE"):
        return output_of([*git, "rev-parse", "--verify", f"{given}^{{commit}}"]).strip()
    head = output_of([*git, "rev-parse", "HEAD"]).strip()
    upstream = output_of([*git, "merge-base", "HEAD", "@{upstream}"]).strip()
    if upstream and upstream != head:
        return upstream
    made = int(output_of([*git, "log", "-1", "--format=%ct"]) or 0)
    before = f"--before={made - HALF_A_DAY}"
    return output_of([*git, "rev-list", "-n", "1", before, "HEAD"]).strip()


def checkout_base(commit: str) -> Path:
    """Return a checkout of the base, which the cache keeps."""
    place = CACHE / "base" / tag_of(ROOT)
    place.parent.mkdir(parents=True, exist_ok=True)
    with locked(place.with_suffix(".lock")):
        if not (place / ".git").exists():
            clone: Words = ["git", "clone", "-q", "--no-checkout", ROOT, place]
            if subprocess.run(clone).returncode:
                raise Failure("cannot clone the base")
        git: Words = ["git", "-C", place]
        for words in (["fetch", "-q", "origin", commit], ["checkout", "-qf", commit]):
            if subprocess.run([*git, *words]).returncode:
                raise Failure(f"cannot check out the base {commit[:12]}")
    return place


def run_for(command: Words, seconds: float, cwd: Path | None = None) -> int | None:
    """Run a test as on its own, with the seed of this run. Return its status; None if it
    has not ended after so many @seconds."""
    env = {name: value for name, value in os.environ.items() if name[:4] != "ZIO_"}
    env["ZIO_SEED"] = os.environ.get("ZIO_SEED", "1")
    with running(
        subprocess.Popen(command, cwd=cwd, env=env, stdout=DEVNULL, stderr=DEVNULL)
    ) as process:
        return wait(process, max(seconds, 0))


def run_once(root: Path, nodeid: str, seconds: float) -> int | None:
    return run_for([root / "tests/check", "-n", "1", root / "tests" / nodeid], seconds)


def count_failures(root: Path, nodeid: str, end: float) -> int | None:
    """Run a test REPEATS times. Return how often it failed; None if it is not there, or
    the time ends before."""
    failures = 0
    # A word that names no file would start all tests.
    if not (root / "tests" / nodeid.partition("::")[0]).exists():
        return None
    for number in range(REPEATS):
        status = run_once(root, nodeid, end - time.monotonic())
        if status not in (0, 1):
            return None
        failures += status
        say(f"{nodeid}: run {number + 1} of {REPEATS}, {failures} failed")
    return failures


def find_first_bad(root: Path, nodeid: str, good: str, bad: str, seconds: float) -> str:
    """Return the first commit from @good to @bad with which a test fails; empty if that
    takes longer. The checkout at @root is the place for the tries."""
    git: Words = ["git", "-C", root]
    # A commit that has no such test, or does not build, tells nothing.
    once = 'tests/check -n 1 "tests/$1"; s=$?; [ $s -le 1 ] || exit 125; exit $s'
    try:
        start: Words = [*git, "bisect", "start", bad, good]
        if subprocess.run(start, stdout=DEVNULL).returncode:
            return ""
        status = run_for(
            ["git", "bisect", "run", "sh", "-c", once, "sh", nodeid], seconds, root
        )
        found = output_of([*git, "rev-parse", "refs/bisect/bad"]).strip()
        return found if status == 0 else ""
    finally:
        subprocess.run([*git, "bisect", "reset"], stdout=DEVNULL, stderr=DEVNULL)


def tell_first_bad(base: Path, nodeid: str, commit: str) -> None:
    """Tell which commit made a test fail, and which of them can be submitted before."""
    head = output_of(["git", "-C", ROOT, "rev-parse", "HEAD"]).strip()
    fetch: Words = ["git", "-C", base, "fetch", "-q", "origin", head]
    if subprocess.run(fetch).returncode:
        return
    say(f"{nodeid}: git bisect looks for its commit, for {BISECT_SECONDS:.0f} s at most")
    bad = find_first_bad(base, nodeid, commit, head, BISECT_SECONDS)
    if not bad:
        say(f"{nodeid}: not found in that time")
        return
    git: Words = ["git", "-C", ROOT]
    title = output_of([*git, "log", "-1", "--format=%h %s", bad]).strip()
    n = output_of([*git, "rev-list", "--count", f"{commit}..{bad}^"]).strip()
    say(
        f"{nodeid}: fails since {title}; the {n} commits before it can be submitted alone"
    )


def judges_change(nodeid: str, commit: str) -> bool:
    """Tell if the test judges a file that has changed since this @commit."""
    changed = output_of(["git", "-C", ROOT, "diff", "--name-only", commit]).split()
    tests = {test for path in changed for test in judges.tests_of(path)}
    return any(nodeid.startswith(test) for test in tests)


def repeat(failed: Failed, commit: str, base: Path, end: float) -> bool:
    """Return whether the test is unsteady. Tell what was found."""
    # Here everything is built. The base may have to build for most of the time.
    here = count_failures(ROOT, failed.nodeid, end)
    before = count_failures(base, failed.nodeid, end)
    is_old = bool(before)
    # A change that the test does not judge has not made it fail, whatever the base does.
    if here is not None and here < REPEATS:
        is_old = is_old or not judges_change(failed.nodeid, commit)
    texts = ["not known" if n is None else f"{n} of {REPEATS}" for n in (here, before)]
    say(f"{failed.nodeid}: fails here {texts[0]}, on the base {texts[1]}")
    if here == REPEATS and before == 0:
        tell_first_bad(base, failed.nodeid, commit)
    return is_old


def entry_for(failed: Failed, today: datetime.date) -> str:
    return (
        f"[[test]]\nitem = {json.dumps(failed.nodeid)}\n"
        f"message = {json.dumps(failed.message)}\ndate = {today}\n"
    )


def judge(failures: list[Failed], today: datetime.date) -> set[str]:
    """Return the tests that are unsteady. Print what was found of each failure."""
    entries, unsteady = read_entries(), set()
    known = [f for f in failures if not f.is_hard and is_listed(f, entries)]
    for failed in known:
        say(f"unsteady, as {ENTRIES.name} tells: {failed.nodeid}: {failed.message}")
        unsteady.add(failed.nodeid)
    others = [f for f in failures if f.nodeid not in unsteady]
    for failed in others:
        if failed.is_hard:
            say(f"blocks, and is not repeated: {failed.nodeid}: {failed.message}")
    soft = [f for f in others if not f.is_hard]
    if not soft or len(soft) > MOST_FAILURES:
        return unsteady
    commit, end = base_of(), time.monotonic() + REPEAT_SECONDS
    if not commit:
        say("no commit to compare with: ZIO_BASE names one")
        return unsteady
    base = checkout_base(commit)
    for failed in soft:
        if not repeat(failed, commit, base, end):
            continue
        if len(entries) + 1 > MOST:
            say(f"unsteady, but {ENTRIES.name} is full")
            continue
        unsteady.add(failed.nodeid)
        print(f"unsteady; add to {ENTRIES.name}:\n{entry_for(failed, today)}")
    sys.stdout.flush()
    return unsteady
