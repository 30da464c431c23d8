# SPDX-License-Identifier: GPL-2.0-only
"""mutants - put bugs into the code, and check that the tests fail

Usage: mutants [OPTION]... [NAME]...

A mutant is a patch in tools/testing/mutants.d that puts one bug into the tree. mutants
applies each patch to a scratch copy of this checkout, and compiles the copy. It runs only
the tests that the patch names. A test that fails, a fault that the kernel reports, or a
test that does not end kills the mutant. A mutant that lives shows a hole in the tests.

NAME is that of a patch, without .patch, or a pattern such as 'slink-*'. With no name and
no option that chooses, all mutants run, which takes hours.

  --changed [BASE]  mutants of files, and of tests, that have changed since the
                    commit BASE (default HEAD~1), uncommitted changes included
  --kind KIND       mutants whose first test is of this kind (may be given again)
  --sample N        N of the chosen mutants; another N each day
  --seed S          number that replaces the day in --sample
  --list            show the chosen mutants, run nothing
  --json            results as JSON on standard output
  --jobs N          mutants at a time, each in a scratch copy of its own (1)
  --no-verify       do not run the tests on the unchanged tree before

Verdicts:

  killed     a test has failed
  survived   all tests passed: they need another check
  stale      the patch does not apply any more
  broken     the code does not compile
  unclear    the machine has not booted, twice
  unsound    a test of the mutant fails on the unchanged tree, too

A patch begins with these lines; lines that begin with a space continue a value:

  Mutant: the change
  Why: the harm that the bug does
  Tests: KIND:NAME...      the cheapest first
  Equivalent: REASON       in place of Tests: a test cannot see the change. mutants
                           lists it apart and runs it only when it is named

The kinds are kunit (NAME is a suite), kunit-leaks (the same, with a look for lost
memory, which doubles the time), host (a program of tools/tests), litmus, and the
kernels that "check --kernel" knows (NAME is a selftest, such as basic.sh).

mutants runs each test on the unchanged tree first. It keeps the result until a file
changes that the test depends on. ~/.cache/zio/mutants has the scratch copies with their
compiled files, and the log of each mutant that lived. The exit status is 0 if all chosen
mutants were killed, 1 if not.
"""

import argparse
import datetime
import json
import re
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from zio_testing.common import say
from zio_testing.mutant_patch import (
    HOST,
    Mutant,
    Test,
    changed_files,
    of_names,
    read_mutants,
    sample,
)
from zio_testing.mutant_run import Run, Runner, run_tests
from zio_testing.mutant_tree import MUTANTS, Scratch, read_tree
from zio_testing.mutant_verify import Verified, verify_all

KILLED, SURVIVED, STALE = "killed", "survived", "stale"
BROKEN, UNCLEAR, UNSOUND = "broken", "unclear", "unsound"
VERDICTS = (KILLED, SURVIVED, STALE, BROKEN, UNCLEAR, UNSOUND)

DOES_NOT_COMPILE = re.compile(
    r"the modules do not build|the tools do not build|the selftests do not compile|"
    r"the models do not build|make(\[\d+\])?: \*\*\* "
)
SOME_FAILED = re.compile(r"^\d+ passed, [1-9]\d* failed", re.M)
NO_MACHINE = re.compile(r"stood still while it booted, twice|QEMU failed")
REASONS = (r"^not ok .*", r".*\b(BUG|WARNING|ERROR): .*", r".* ended with status .*")


@dataclass
class Result:
    """The outcome of a mutant."""

    verdict: str
    seconds: float = 0
    test: str = ""
    reason: str = ""


# --- a mutant -------------------------------------------------------------------------


def find_reason(run: Run) -> str:
    for reason in REASONS:
        if found := re.search(reason, run.output, re.M):
            return found.group(0).strip()
    return f"status {run.status}"


def judge(run: Run, scratch: Scratch, test: Test) -> tuple[str, str]:
    """Return the verdict of one test, and the reason."""
    if run.status == 0:
        return SURVIVED, ""
    if run.status is None:
        return KILLED, f"no end after {run.seconds:.0f} s"
    has_run = test.kind == HOST and SOME_FAILED.search(run.output)
    if DOES_NOT_COMPILE.search(run.output) and not has_run:
        return BROKEN, ""
    has_come_up = not NO_MACHINE.search(run.output) and scratch.has_booted(test)
    if test.is_in_machine and not has_come_up:
        return UNCLEAR, ""
    return KILLED, find_reason(run)


def try_test(
    runner: Runner, scratch: Scratch, test: Test, limit: float
) -> tuple[Run, str, str]:
    """Run a test. Repeat it once if the machine does not boot."""
    for _ in range(2):
        run = run_tests(runner, scratch, test.kind, [test.name], limit)
        verdict, reason = judge(run, scratch, test)
        if verdict != UNCLEAR:
            break
    return run, verdict, reason


def keep_log(mutant: Mutant, run: Run) -> str:
    log = MUTANTS / f"{mutant.name}.log"
    log.write_text(run.output)
    return f"see {log}"


def run_mutant(
    runner: Runner, scratch: Scratch, verified: Verified, mutant: Mutant
) -> Result:
    begin = time.monotonic()
    if not scratch.apply(mutant):
        return Result(STALE, reason="the patch does not apply")
    run, result = None, Result(SURVIVED)
    for test in mutant.tests:
        limit = verified.limit(test)
        run, verdict, reason = try_test(runner, scratch, test, limit)
        result = Result(verdict, time.monotonic() - begin, str(test), reason)
        if verdict != SURVIVED:
            break
    if result.verdict != KILLED and run:
        result.reason = keep_log(mutant, run)
    return result


class Session:
    """All mutants that were chosen, some at a time."""

    def __init__(self, runner: Runner, mutants: list[Mutant], jobs: int) -> None:
        self.runner = runner
        self.mutants = mutants
        self.results: dict[Mutant, Result] = {}
        tree = read_tree()
        self.verified = Verified(tree)
        self.jobs = max(1, min(jobs, len(mutants)))
        self.free = [Scratch(tree) for _ in range(self.jobs)]

    def run(self, verify: bool) -> None:
        failed: set[Test] = set()
        if verify:
            failed = verify_all(self.runner, self.free[0], self.verified, self.mutants)
        sound = []
        for mutant in self.mutants:
            bad = [str(test) for test in mutant.tests if test in failed]
            if bad:
                why = "fails without the mutant"
                self.note(mutant, Result(UNSOUND, test=bad[0], reason=why))
            else:
                sound.append(mutant)
        with ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(self.run_one, sound))

    def run_one(self, mutant: Mutant) -> None:
        scratch = self.free.pop()
        try:
            self.note(mutant, run_mutant(self.runner, scratch, self.verified, mutant))
        finally:
            self.free.append(scratch)

    def note(self, mutant: Mutant, result: Result) -> None:
        self.results[mutant] = result
        by = f", {result.test}" if result.test else ""
        say(
            f"[{len(self.results)}/{len(self.mutants)}] {result.verdict} {mutant.name}, "
            f"{result.seconds:.0f} s{by}"
        )


# --- output -----------------------------------------------------------------------------


def as_line(mutant: Mutant, result: Result) -> str:
    good = "ok" if result.verdict == KILLED else "not ok"
    by = f" by {result.test}" if result.verdict == KILLED else ""
    why = f": {result.reason}" if result.reason else ""
    return f"{good} - mutant {mutant.name} ({mutant.what}): {result.verdict}{by}{why}"


def as_object(mutant: Mutant, result: Result) -> dict[str, object]:
    return {
        "name": mutant.name,
        "mutant": mutant.what,
        "why": mutant.why,
        "files": sorted(mutant.files),
        "verdict": result.verdict,
        "test": result.test,
        "reason": result.reason,
        "seconds": round(result.seconds, 1),
    }


def show_list(mutants: list[Mutant]) -> None:
    for mutant in mutants:
        tests = " ".join(map(str, mutant.tests)) or "equivalent"
        print(f"{mutant.name:32} {tests:40} {mutant.what}")
    print(f"{len(mutants)} mutants")


def show_json(results: dict[Mutant, Result], equivalent: list[Mutant]) -> None:
    rows = [as_object(*pair) for pair in results.items()]
    for m in equivalent:
        row = {"name": m.name, "mutant": m.what, "verdict": "equivalent"}
        rows.append({**row, "reason": m.equivalent})
    print(json.dumps(rows, indent=1))


def show_lines(results: dict[Mutant, Result], equivalent: list[Mutant]) -> None:
    for mutant, result in sorted(results.items(), key=lambda pair: pair[0].name):
        print(as_line(mutant, result))
    for mutant in equivalent:
        print(f"# equivalent: {mutant.name} ({mutant.what}): {mutant.equivalent}")
    count = Counter(result.verdict for result in results.values())
    shown = [v for v in VERDICTS if count[v] or v in (KILLED, SURVIVED)]
    print(", ".join(f"{count[verdict]} {verdict}" for verdict in shown))


# --------------------------------------------------------------------------------------


def parse_options(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="mutants", add_help=False)
    parser.add_argument("--changed", nargs="?", const="HEAD~1")
    parser.add_argument("--kind", action="append")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=datetime.date.today().toordinal())
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--no-verify", action="store_true")
    parser.add_argument("names", nargs="*")
    return parser.parse_args(words)


def choose(options: argparse.Namespace) -> list[Mutant]:
    mutants = read_mutants()
    if options.names:
        mutants = of_names(mutants, options.names)
    if options.changed:
        files = changed_files(options.changed)
        mutants = [m for m in mutants if m.is_of(files)]
    if options.kind:
        mutants = [m for m in mutants if m.tests and m.tests[0].kind in options.kind]
    if options.sample:
        able = [m for m in mutants if not m.equivalent]
        mutants = sample(able, options.sample, options.seed)
    return mutants


def main(words: list[str]) -> int:
    options = parse_options(words)
    mutants = choose(options)
    if options.list:
        show_list(mutants)
        return 0
    equivalent = [m for m in mutants if m.equivalent and m.name not in options.names]
    session = Session(Runner(), [m for m in mutants if m not in equivalent], options.jobs)
    try:
        session.run(not options.no_verify)
    except SystemExit:
        say("stopped")
        raise
    show = show_json if options.json else show_lines
    show(session.results, equivalent)
    return 0 if all(r.verdict == KILLED for r in session.results.values()) else 1
