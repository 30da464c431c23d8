# SPDX-License-Identifier: GPL-2.0-only
"""mutants - put bugs into the code, and check that the tests fail

Usage: mutants [OPTION]... [NAME]...

A mutant is one bug. tests/mutants.d describes them. mutants puts each into a
scratch copy of this checkout, and compiles the copy. It runs only the tests that the
mutant names. A test that fails, or a fault that the kernel reports, kills the mutant.
A mutant that lives shows a hole in the tests.

NAME is that of a mutant, or a pattern such as 'slink-*'. With no name and no option that
chooses, all mutants run, which takes hours.

  --changed [BASE]  mutants of files, and of tests, that have changed since the
                    commit BASE (default HEAD~1), uncommitted changes included
  --kind KIND       mutants whose first test is of this kind (may be given again)
  --sample N        N of the chosen mutants, which follow from the commit
  --generated N     N mutants that rules make of the C source; see below
  --seed S          number that replaces that of the commit in --sample, --generated
  --list            show what is chosen, run nothing
  --no-verify       do not run the tests on the unchanged tree before (only those in
                    User Mode Linux)

Verdicts:

  killed     a test has failed
  timed out  a test has not ended, and it ends on the unchanged tree
  survived   all tests passed: they need another check
  stale      an edit does not fit any more
  broken     the code does not compile (killed, if a rule made it)
  unclear    the machine has not booted, twice; or the host is too slow for the test
  unsound    a test of the mutant fails on the unchanged tree, too

A mutant is a paragraph. A line that begins with a space continues another:

  NAME: the change
  why: the harm that the bug does
  in FILE FUNCTION by KIND:NAME...
  -the old text, which the function has once
  +the new text

The tests stand behind "by", the cheapest first. "equivalent: REASON" in their place says
that a test cannot see the change. mutants lists it apart, and runs it only when it is
named. FUNCTION is missing where the text is in none. Old text with no new text: its lines
go as a whole. More edits follow, each with "in FILE FUNCTION", or with "-" after "+".

The kinds are uml (NAME is a suite of KUnit, in User Mode Linux: seconds), kunit (the
same with KASAN and two processors), kunit-leaks (the same, with a look for lost memory,
which doubles the time), quick (NAME is a selftest on distro), host (a test in tests/unit,
such as file_test or nexus/test_times.py), litmus, and the kernels that "check --kernel"
knows (NAME is a selftest, such as basic.sh).

With --generated, the NAMEs are C files; with none, all files that tests cover. The rules
(mutant_rules.py) turn a condition or a result, and change an error or "+ 1". They drop an
assignment or a call. The commit chooses N mutants. Their names are FILE#NUMBER, and such
a NAME chooses one. All KUnit suites run in User Mode Linux, and then the selftests that
cover the file, in a saved machine. mutants.d/equivalent.toml lists what no test can see.

mutants runs each test on the unchanged tree first. It keeps the result until a file
changes that the test depends on. The scratch copy with its build results is in
~/.cache/zio/mutants, as is the log of each mutant that lived. A second run waits for the
first one. The exit status is 0 if all chosen mutants were killed or timed out, 1 if not.
"""

import argparse
import re
from collections import Counter
from dataclasses import dataclass

from .common import Parser, locked, number, say, seed_of_commit, setup
from .mutant_edit import Stale
from .mutant_patch import HOST, Mutant, Test, choose
from .mutant_rules import generate
from .mutant_run import Run, run_tests
from .mutant_tree import MUTANTS, Scratch, read_tree
from .mutant_verify import Verified, verify_all

KILLED, SURVIVED, STALE = "killed", "survived", "stale"
TIMED_OUT, BROKEN, UNCLEAR, UNSOUND = "timed out", "broken", "unclear", "unsound"
VERDICTS = (KILLED, TIMED_OUT, SURVIVED, STALE, BROKEN, UNCLEAR, UNSOUND)
GOOD = (KILLED, TIMED_OUT)

DOES_NOT_COMPILE = re.compile(
    r"the modules do not build|the tools do not build|the selftests do not compile|"
    r"the models do not build|make(\[\d+\])?: \*\*\* "
)
SOME_FAILED = re.compile(r"^\d+ passed, [1-9]\d* failed", re.M)
NO_MACHINE = re.compile(r"the machine did not boot|QEMU has ended|QEMU: ")
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
    found = (re.search(reason, run.output, re.M) for reason in REASONS)
    return next((match[0].strip() for match in found if match), f"status {run.status}")


def judge(run: Run, test: Test) -> tuple[str, str]:
    """Return the verdict of one test, and the reason."""
    if run.status == 0:
        return SURVIVED, ""
    if run.status is None:
        return TIMED_OUT, f"no end after {run.seconds:.0f} s"
    has_run = test.kind == HOST and SOME_FAILED.search(run.output)
    if DOES_NOT_COMPILE.search(run.output) and not has_run:
        return BROKEN, ""
    if test.is_in_machine and NO_MACHINE.search(run.output):
        return UNCLEAR, ""
    return KILLED, find_reason(run)


def try_test(scratch: Scratch, test: Test, limit: float) -> tuple[Run, str, str]:
    """Run a test. Repeat it once if the machine does not boot."""
    for _ in range(2):
        run = run_tests(scratch, test.kind, [test.name], limit)
        verdict, reason = judge(run, test)
        if verdict != UNCLEAR:
            break
    return run, verdict, reason


def blame_time(
    scratch: Scratch, test: Test, limit: float, reason: str
) -> tuple[str, str]:
    """A test has not ended. Run it on the unchanged tree: does the mutant hold it up, or
    is the host too slow?"""
    say(f"{test}: {reason}: once more on the unchanged tree")
    scratch.reset()
    run = run_tests(scratch, test.kind, [test.name], limit)
    if run.status == 0:
        return TIMED_OUT, f"{reason}; the unchanged tree took {run.seconds:.0f} s"
    return UNCLEAR, f"{reason}; nor does the unchanged tree pass: the host is too slow"


def keep_log(mutant: Mutant, run: Run) -> str:
    log = MUTANTS / f"{mutant.name.replace('/', '-')}.log"
    log.write_text(run.output)
    return f"see {log}"


def run_test(scratch: Scratch, verified: Verified, mutant: Mutant, test: Test) -> Result:
    limit = verified.limit(test)
    scratch.apply(mutant)
    run, verdict, reason = try_test(scratch, test, limit)
    if verdict == BROKEN and not mutant.why:
        # Nobody has written it: the compiler has found it.
        verdict, reason = KILLED, "it does not compile"
    if verdict not in GOOD:
        reason = keep_log(mutant, run)
    if verdict == TIMED_OUT:
        verdict, reason = blame_time(scratch, test, limit, reason)
    return Result(verdict, run.seconds, str(test), reason)


def run_mutant(scratch: Scratch, verified: Verified, mutant: Mutant) -> Result:
    seconds, result = 0.0, Result(SURVIVED)
    try:
        scratch.check(mutant)
        for test in mutant.tests:
            if test in verify_all(scratch, verified, [test]):
                return Result(UNSOUND, seconds, str(test), "fails without the mutant")
            result = run_test(scratch, verified, mutant, test)
            result.seconds = seconds = seconds + result.seconds
            if result.verdict != SURVIVED:
                break
    except Stale as error:
        return Result(STALE, reason=str(error))
    return result


def run_all(mutants: list[Mutant], verify: bool) -> dict[Mutant, Result]:
    tree = read_tree()
    verified, scratch = Verified(tree, verify), Scratch(tree)
    # Most mutants need no other test than the first.
    verify_all(scratch, verified, sorted({m.tests[0] for m in mutants if m.tests}))
    results: dict[Mutant, Result] = {}
    for mutant in mutants:
        result = results[mutant] = run_mutant(scratch, verified, mutant)
        by = f", {result.test}" if result.test else ""
        text = f"{result.verdict} {mutant.name}, {result.seconds:.0f} s{by}"
        say(f"[{len(results)}/{len(mutants)}] {text}")
    return results


# --- output -----------------------------------------------------------------------------


def as_line(mutant: Mutant, result: Result) -> str:
    good = "ok" if result.verdict in GOOD else "not ok"
    by = f" by {result.test}" if result.verdict in GOOD else ""
    why = f": {result.reason}" if result.reason else ""
    return f"{good} - mutant {mutant.name} ({mutant.what}): {result.verdict}{by}{why}"


def show_list(mutants: list[Mutant]) -> None:
    for mutant in mutants:
        tests = " ".join(map(str, mutant.tests)) or "equivalent"
        print(f"{mutant.name:32} {tests:40} {mutant.what}")
    print(f"{len(mutants)} mutants")


def show_results(results: dict[Mutant, Result], equivalent: list[Mutant]) -> None:
    for mutant, result in sorted(results.items(), key=lambda pair: pair[0].name):
        print(as_line(mutant, result))
    for mutant in equivalent:
        print(f"# equivalent: {mutant.name} ({mutant.what}): {mutant.equivalent}")
    count = Counter(result.verdict for result in results.values())
    shown = [v for v in VERDICTS if count[v] or v in (KILLED, SURVIVED)]
    print(", ".join(f"{count[verdict]} {verdict}" for verdict in shown))


# --------------------------------------------------------------------------------------


def parse_options(words: list[str]) -> argparse.Namespace:
    parser = Parser()
    parser.add_argument("--changed", nargs="?", const="HEAD~1")
    parser.add_argument("--kind", action="append")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--generated", type=number)
    parser.add_argument("--seed", type=int, default=seed_of_commit())
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--no-verify", action="store_true")
    parser.add_argument("names", nargs="*")
    return parser.parse_args(words)


def main(words: list[str]) -> int:
    options = parse_options(words)
    if options.generated:
        mutants = generate(options.names, options.generated, options.seed)
    else:
        mutants = choose(options)
    if options.list:
        show_list(mutants)
        return 0
    setup("mutants")
    equivalent = [m for m in mutants if m.equivalent and m.name not in options.names]
    chosen = [m for m in mutants if m not in equivalent]
    with locked(MUTANTS / "lock"):
        results = run_all(chosen, not options.no_verify)
    show_results(results, equivalent)
    return 0 if all(r.verdict in GOOD for r in results.values()) else 1
