# SPDX-License-Identifier: GPL-2.0-only
"""quick - judge a change in a minute

Usage: quick [OPTION]... [FILE]...

quick takes the files that have changed since its last green run, or else since HEAD.
FILEs stand in their place. It builds what they need, and runs:

  the rules for texts, folders, barriers and versions
  the first test of each file
  further tests of the files, as long as their times fit

The tests of a file are, in this order:

  those of its name, such as test_verify.py for verify.py, and slink*.sh for drivers/slink
  those that kill its mutants ("mutants" tells of them)
  those that coverage has seen in it ("coverage" writes the map)

A header also has the tests of the files that include it. A file with none of these has
the tests of its folder, or of the files that use it. Tests of the kernel are the suites
of KUnit, which run together, and selftests, each in a fresh machine that was saved.

  --seconds S   leave out further tests when the chosen ones take S seconds (default: 40)
  --list        show what would run
  --all         all tests that quick can run
  --learn XML   run nothing; take the times of tests from what a run of check has left
                (~/.cache/zio/tests/*/junit.xml), and write them into tests/map.json

Other options are those of pytest, such as -x or -k.

The first run compiles a kernel (User Mode Linux, 4 minutes), and boots and saves a
machine. quick judges no race, and no other kernel, processor or sanitizer: "make check"
does.

The tests end with "N passed, N failed". Lines "not judged: FILE" follow for programs that
no test judges in a minute, with what does. The exit status is 0 if nothing failed and
each program is judged, else 1.
"""

import argparse
import hashlib
import json
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from . import judges, quick_map
from .check import PYTEST, SETTINGS
from .common import ROOT, TESTING, Parser, Words, output_of, say, setup
from .stage import PLACE
from .steps import WIDTH

SECONDS = 40.0
GREEN = PLACE / "green.json"
KERNEL_FOLDERS = ("zio-core/", "buffers/", "triggers/", "drivers/", "include/")
CODE = (".c", ".h", ".cpp", ".py")
# Tests of texts, and the files that they look at
TEXTS: dict[str, Callable[[str], bool]] = {
    "test_build.py::test_text[prose]": lambda path: True,
    "test_build.py::test_text[versions]": lambda path: True,
    "test_build.py::test_text[layering]": lambda path: (
        path.startswith((*KERNEL_FOLDERS, "tools/")) and path.endswith(CODE)
    ),
    "unit/testing/test_mutants.py::test_each_edit_fits": lambda path: path.endswith(CODE),
    "unit/testing/test_numbers.py": lambda path: (
        path.startswith(("tools/", "bench/", "examples/"))
    ),
    "unit/testing/test_documents.py": lambda path: path.endswith(".md"),
    "unit/testing/test_tables.py": lambda path: path.startswith("bench/")
    or path.endswith(".md"),
    "unit/docs/test_site.py::test_each_document_is_a_page": lambda path: (
        path.startswith("Documentation/ABI/") or path.endswith(".md")
    ),
    judges.BARRIERS: lambda path: path.startswith((*KERNEL_FOLDERS, "tests/litmus/")),
}


# --- what has changed -------------------------------------------------------------------


def sums_of(names: Iterable[str]) -> dict[str, str]:
    return {name: hashlib.sha1((ROOT / name).read_bytes()).hexdigest() for name in names}


def find_changed(sums: dict[str, str]) -> list[str]:
    """Return the files that differ from those of the last green run, or from HEAD."""
    if GREEN.exists():
        green = json.loads(GREEN.read_text())
        return [name for name, value in sums.items() if green.get(name) != value]
    git = ["git", "-C", ROOT]
    names = output_of([*git, "diff", "--name-only", "HEAD"]).split()
    names += output_of([*git, "ls-files", "-o", "--exclude-standard"]).split()
    return [name for name in names if name in sums]


# --------------------------------------------------------------------------------------


def parse_options(words: list[str]) -> argparse.Namespace:
    parser = Parser()
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--learn", type=Path)
    options, rest = parser.parse_known_args(words)
    options.files = [word for word in rest if (ROOT / word).is_file()]
    options.more = [word for word in rest if word not in options.files]
    return options


def run(tests: list[str], more: list[str]) -> int:
    """Run pytest; the last line is its own."""
    say("races, sanitizers and other kernels: make check")
    command: Words = [*PYTEST, *SETTINGS, "-q", "-n", str(WIDTH), "--kernel=distro"]
    command = [*command, "-o", f"cache_dir={PLACE}/quick", *more]
    begin = time.monotonic()
    done = subprocess.run([*command, *(TESTING / test for test in tests)])
    say(f"{time.monotonic() - begin:.0f} s")
    return done.returncode


def tell_not_judged(files: list[str]) -> None:
    for path in files:
        by = judges.elsewhere(path)
        print(f"not judged: {path}{by and f' ({by})'}", flush=True)


def main(words: list[str]) -> int:
    options = parse_options(words)
    if options.learn:
        say(f"the times of {quick_map.learn(options.learn)} tests")
        return 0
    sums = sums_of(judges.list_files())
    changed = options.files or (list(sums) if options.all else find_changed(sums))
    chosen = quick_map.choose(changed, float("inf") if options.all else options.seconds)
    if options.all:
        chosen.not_judged.clear()
    texts = [test for test, sees in TEXTS.items() if any(map(sees, changed))]
    tests = list(dict.fromkeys([*chosen.tests, *texts]))
    if options.list:
        print("\n".join(tests))
        tell_not_judged(chosen.not_judged)
        return int(bool(chosen.not_judged))
    say(f"{len(changed)} changed files: {' '.join(changed[:6])}")
    if chosen.left_out:
        say(f"left out, for the time: {' '.join(chosen.left_out)}")
    if not tests:
        say("nothing to judge")
        return 0
    setup("pytest", "build", "vm", "debug-kernel", "check")
    PLACE.mkdir(parents=True, exist_ok=True)
    status = run(tests, options.more)
    tell_not_judged(chosen.not_judged)
    status = status or int(bool(chosen.not_judged))
    if status == 0 and not options.files:
        GREEN.write_text(json.dumps(sums))
    return status
