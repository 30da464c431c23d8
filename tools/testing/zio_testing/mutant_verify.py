# SPDX-License-Identifier: GPL-2.0-only
"""Run the tests of mutants on the unchanged tree, and remember which pass."""

import json
import re
import sys
import threading
from itertools import groupby

from zio_testing.common import say
from zio_testing.mutant_patch import Mutant, Test
from zio_testing.mutant_run import Run, Runner, run_tests
from zio_testing.mutant_tree import MUTANTS, Scratch, Tree, hash_inputs
from zio_testing.tap import read_kunit, read_selftests

# A test that runs longer hangs: LIMIT_BASE seconds, and LIMIT_FACTOR times its time on
# the unchanged tree.
LIMIT_BASE = 180
LIMIT_FACTOR = 6
LIMIT_UNKNOWN = 900


class Verified:
    """Tests that pass on the unchanged tree, and the seconds that each takes."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.path = MUTANTS / "verified.json"
        self.lock = threading.Lock()
        self.hashes: dict[Test, str] = {}
        self.known: dict[str, float] = {}
        try:
            self.known = json.loads(self.path.read_text())
        except (FileNotFoundError, ValueError):
            pass

    def key(self, test: Test) -> str:
        if test not in self.hashes:
            self.hashes[test] = hash_inputs(self.tree, test)
        return f"{test}:{self.hashes[test]}"

    def seconds(self, test: Test) -> float | None:
        return self.known.get(self.key(test))

    def limit(self, test: Test) -> float:
        seconds = self.seconds(test)
        return LIMIT_BASE + LIMIT_FACTOR * seconds if seconds else LIMIT_UNKNOWN

    def note(self, test: Test, seconds: float) -> None:
        with self.lock:
            others = self.known.items()
            self.known = {k: v for k, v in others if not k.startswith(f"{test}:")}
            self.known[self.key(test)] = round(seconds, 1)
            self.path.write_text(json.dumps(self.known, indent=1))


# --- which passed -----------------------------------------------------------------------


def guest_seconds(said: str, names: list[str]) -> dict[str, int]:
    """Return, for each test that has ended, its seconds by the clock of the machine."""
    ended = re.findall(r"^=== end (\S+) \d+ (\d+)(?: \d+)?$", said, re.M)
    return {name: int(seconds) for name, seconds in ended if name in names}


def passed_alone(run: Run, names: list[str]) -> dict[str, float]:
    return {names[0]: run.seconds} if run.status == 0 and len(names) == 1 else {}


def passed_of(
    scratch: Scratch, kind: str, run: Run, names: list[str]
) -> dict[str, float]:
    """Return the tests that have passed, and the seconds that each takes with a boot."""
    test = Test(kind, "")
    if not test.is_in_machine:
        return passed_alone(run, names)
    if not scratch.has_booted(test):
        return {}
    output, log = (path.read_text(errors="replace") for path in scratch.log_of(test))
    seconds: dict[str, int] = {} if test.is_kunit else guest_seconds(output, names)
    results = read_kunit(log) if test.is_kunit else read_selftests(output, kind)
    boot = max(run.seconds - sum(seconds.values()), 0)
    return {
        name: boot + seconds.get(name, 0)
        for name in names
        if name in results and not results[name].failed
    }


def verify(
    runner: Runner, scratch: Scratch, verified: Verified, kind: str, names: list[str]
) -> set[Test]:
    """Run all tests of one kind in one boot. Return those that fail."""
    say(f"unchanged tree, {kind}: {' '.join(names)}")
    scratch.reset()
    run = run_tests(runner, scratch, kind, names, LIMIT_UNKNOWN + 120 * len(names))
    passed = passed_of(scratch, kind, run, names)
    for name, seconds in passed.items():
        verified.note(Test(kind, name), seconds)
    failed = set(names) - passed.keys()
    if failed:
        print(run.output[-4000:], file=sys.stderr)
    return {Test(kind, name) for name in failed}


def verify_all(
    runner: Runner, scratch: Scratch, verified: Verified, mutants: list[Mutant]
) -> set[Test]:
    """Return the tests that fail without any mutant."""
    tests = sorted({test for mutant in mutants for test in mutant.tests})
    unknown = [test for test in tests if verified.seconds(test) is None]
    failed: set[Test] = set()
    for kind, group in groupby(unknown, key=lambda test: test.kind):
        names = [test.name for test in group]
        together = [names] if Test(kind, "").is_in_machine else [[n] for n in names]
        for part in together:
            failed |= verify(runner, scratch, verified, kind, part)
    return failed
