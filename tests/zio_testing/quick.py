# SPDX-License-Identifier: GPL-2.0-only
"""quick - judge a change in a minute

Usage: quick [OPTION]... [FILE]...

quick takes the files that have changed since its last green run, or else since HEAD.
FILEs stand in their place. It builds what they need, and runs what may see a fault:

  texts       the rules for comments, folders and versions
  KUnit       all suites, in User Mode Linux
  selftests   those that cover the files, each in a fresh machine that was saved
  programs    the tests of the programs and packages that cover the files

  --seconds S   leave out tests when the chosen ones take S seconds (default: 40)
  --list        show what would run
  --all         all tests that quick can run

Other options are those of pytest, such as -x or -k.

The map from files to tests follows from coverage: see "coverage". The first run compiles
a kernel (UML, 4 minutes), and boots and saves a machine.

quick judges no race, and no other kernel, processor or sanitizer: "make check" does. The
last line is "N passed, N failed". The exit status is 0 if nothing failed, else 1.
"""

import argparse
import hashlib
import json
import subprocess
import time
from collections.abc import Callable

from . import quick_map
from .check import PYTEST, SETTINGS
from .common import ROOT, TESTING, Parser, Words, output_of, say, setup
from .stage import PLACE
from .steps import WIDTH

GREEN = PLACE / "green.json"
KERNEL_FOLDERS = ("zio-core/", "buffers/", "triggers/", "drivers/", "include/")
CODE = (".c", ".h", ".cpp", ".py")
# Tests of texts, and the files that they look at
TEXTS: dict[str, Callable[[str], bool]] = {
    "test_build.py::test_text[prose]": lambda path: True,
    "test_build.py::test_text[versions]": lambda path: True,
    "test_build.py::test_text[layering]": lambda path: path.endswith(CODE),
    "unit/testing": lambda path: (
        path.startswith((*KERNEL_FOLDERS, "tests/", "tools/")) or path.endswith(".md")
    ),
    "unit/docs/test_site.py::test_each_document_is_a_page": lambda path: (
        path.startswith("Documentation/ABI/") or path.endswith(".md")
    ),
    "test_litmus.py": lambda path: path.startswith((*KERNEL_FOLDERS, "tests/litmus/")),
    "test_kunit.py::test_uml": lambda path: path.startswith(KERNEL_FOLDERS),
}
NOT_JUDGED = "races, sanitizers, other kernels: make check"


# --- what has changed -------------------------------------------------------------------


def list_files() -> list[str]:
    command = ["git", "-C", ROOT, "ls-files", "-coz", "--exclude-standard"]
    names = filter(None, output_of(command).split("\0"))
    return [name for name in names if (ROOT / name).is_file()]


def sums_of(names: list[str]) -> dict[str, str]:
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
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--all", action="store_true")
    options, rest = parser.parse_known_args(words)
    options.files = [word for word in rest if (ROOT / word).is_file()]
    options.more = [word for word in rest if word not in options.files]
    return options


def run(tests: list[str], more: list[str]) -> int:
    """Run pytest; the last line is its own."""
    say(f"not judged: {NOT_JUDGED}")
    command: Words = [*PYTEST, *SETTINGS, "-q", "-n", str(WIDTH), "--kernel=distro"]
    command = [*command, "-o", f"cache_dir={PLACE}/quick", *more]
    begin = time.monotonic()
    done = subprocess.run([*command, *(TESTING / test for test in tests)])
    say(f"{time.monotonic() - begin:.0f} s")
    return done.returncode


def main(words: list[str]) -> int:
    options = parse_options(words)
    sums = sums_of(list_files())
    changed = options.files or (list(sums) if options.all else find_changed(sums))
    chosen = quick_map.choose(changed, float("inf") if options.all else options.seconds)
    tests = [test for test, sees in TEXTS.items() if any(map(sees, changed))]
    tests += chosen.tests
    if options.list:
        print("\n".join(tests))
        return 0
    say(f"{len(changed)} changed files: {' '.join(changed[:6])}")
    if chosen.left_out:
        say(f"left out, for the time: {' '.join(chosen.left_out)}")
    if not tests:
        say("nothing to judge")
        return 0
    setup("pytest", "build", "vm", "debug-kernel", "check")
    PLACE.mkdir(parents=True, exist_ok=True)
    status = run(tests, options.more)
    if status == 0 and not options.files:
        GREEN.write_text(json.dumps(sums))
    return status
