# SPDX-License-Identifier: GPL-2.0-only
"""Run the tests of mutants on the unchanged tree, and remember which pass."""

import contextlib
import json
import sys
from itertools import groupby

from .common import say
from .mutant_patch import ALL, UML, Test
from .mutant_run import run_tests
from .mutant_tree import MUTANTS, Scratch, Tree, hash_inputs

# A test that runs longer hangs: LIMIT_BASE seconds, and LIMIT_FACTOR times its time on
# the unchanged tree.
LIMIT_BASE = 180
LIMIT_FACTOR = 6
LIMIT_UNKNOWN = 400


class Verified:
    """Tests that pass on the unchanged tree, and the seconds that each takes. If not
    @verify, another program has run them, except those in User Mode Linux."""

    def __init__(self, tree: Tree, verify: bool) -> None:
        self.tree, self.verify = tree, verify
        self.failed: set[Test] = set()
        self.path = MUTANTS / "verified.json"
        self.hashes: dict[Test, str] = {}
        self.known: dict[str, float] = {}
        with contextlib.suppress(FileNotFoundError, ValueError):
            self.known = json.loads(self.path.read_text())

    def key(self, test: Test) -> str:
        if test not in self.hashes:
            self.hashes[test] = hash_inputs(self.tree, test)
        return f"{test}:{self.hashes[test]}"

    def seconds(self, test: Test) -> float | None:
        return self.known.get(self.key(test))

    def is_unknown(self, test: Test) -> bool:
        is_wanted = self.verify or test.kind == UML
        return is_wanted and test not in self.failed and self.seconds(test) is None

    def limit(self, test: Test) -> float:
        seconds = self.seconds(test)
        return LIMIT_BASE + LIMIT_FACTOR * seconds if seconds else LIMIT_UNKNOWN

    def note(self, test: Test, seconds: float) -> None:
        others = self.known.items()
        self.known = {k: v for k, v in others if not k.startswith(f"{test}:")}
        self.known[self.key(test)] = round(seconds, 1)
        self.path.write_text(json.dumps(self.known, indent=1))


# --- which passed -----------------------------------------------------------------------


def verify(scratch: Scratch, verified: Verified, tests: list[Test]) -> set[Test]:
    """Run tests of one kind. Return those that fail."""
    kind, names = tests[0].kind, [test.name for test in tests]
    say(f"unchanged tree, {kind}: {' '.join(names)}")
    scratch.reset()
    run = run_tests(scratch, kind, names, LIMIT_UNKNOWN + 120 * len(names))
    good = [name for name in names if f"not ok - {name}: " not in run.output]
    has_some = kind == UML and run.status == 1 and ALL not in names
    passed = good if run.status == 0 or has_some else []
    failed = {test for test in tests if test.name not in passed}
    for test in set(tests) - failed:
        verified.note(test, run.seconds)
    if failed:
        print(run.output[-4000:], file=sys.stderr)
    return failed


def verify_all(scratch: Scratch, verified: Verified, tests: list[Test]) -> set[Test]:
    """Return those of @tests that fail without any mutant."""
    unknown = [test for test in tests if verified.is_unknown(test)]
    for _, group in groupby(unknown, lambda t: UML if t.kind == UML else str(t)):
        verified.failed |= verify(scratch, verified, list(group))
    return verified.failed & set(tests)
