# SPDX-License-Identifier: GPL-2.0-only
"""The mutants: the files that describe them, and the choice among them."""

import argparse
import fnmatch
import random
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

from .common import ROOT, TESTING, Failure, say
from .mutant_edit import Edit
from .selftests import PLACES

FOLDER = TESTING / "mutants.d"
WHY = re.compile(r"(?:why|equivalent): ")
TESTS = re.compile(r"in \S+(?: \w+)? by (.*)")

# Kinds of tests. The other kinds are the kernels of "check --kernel".
HOST, LITMUS = "host", "litmus"
UML, KUNIT, KUNIT_LEAKS = "uml", "kunit", "kunit-leaks"
# The suites of KUnit that are there
ALL = "all"
# In a machine that was saved
QUICK = "quick"
KINDS = (HOST, LITMUS, UML, QUICK, KUNIT, KUNIT_LEAKS, *PLACES, "kcsan")


@dataclass(frozen=True, order=True)
class Test:
    """A test that must fail."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"

    @property
    def is_kunit(self) -> bool:
        return self.kind in (UML, KUNIT, KUNIT_LEAKS)

    @property
    def is_in_machine(self) -> bool:
        return self.kind not in (HOST, LITMUS, UML, QUICK)

    def is_written_in(self, path: str) -> bool:
        """Return true if @path has the test. Litmus tests are found by their letters."""
        stem = self.name.removeprefix("zio-") + "_test" if self.is_kunit else self.name
        return f"/{path}".endswith((f"/{stem}", f"/{stem}.c"))


def parse_test(word: str) -> Test:
    kind, _, name = word.partition(":")
    if not name or kind not in KINDS:
        raise ValueError(f"no such test: {word}")
    return Test(kind, name)


@dataclass(frozen=True)
class Mutant:
    """A bug: its edits, and the tests that must see it."""

    name: str
    what: str
    why: str = ""
    equivalent: str = ""
    tests: tuple[Test, ...] = ()
    edits: tuple[Edit, ...] = ()

    @property
    def files(self) -> set[str]:
        return {edit.file for edit in self.edits}

    def is_of(self, files: set[str]) -> bool:
        """Return true if the mutant changes one of the files, or has a test in one."""
        tests = any(test.is_written_in(file) for test in self.tests for file in files)
        return bool(self.files & files) or tests


def parse_edits(lines: list[str]) -> Iterator[Edit]:
    """Read the lines from the first "in" on. Each run of "-" lines begins an edit."""
    text = "\n".join([*lines, ""])
    for place, changes in re.findall(r"^in (.*)\n((?:[-+].*\n)+)", text, re.M):
        file, _, function = place.partition(" by ")[0].partition(" ")
        for old, new in re.findall(r"((?:^-.*\n)+)((?:^\+.*\n)*)", changes, re.M):
            parts = [re.sub(r"^[-+]", "", part, flags=re.M)[:-1] for part in (old, new)]
            yield Edit(file, function, parts[0], parts[1] if new else None)


def parse_mutant(text: str) -> Mutant:
    """Read a paragraph."""
    # A line that begins with a space continues another.
    lines = re.sub(r"\n +", " ", text).split("\n")
    name, _, what = lines[0].partition(": ")
    fields = dict(line.split(": ", 1) for line in lines if WHY.match(line))
    words = next((w[1] for w in map(TESTS.match, lines) if w), "").split()
    edits = tuple(parse_edits(lines))
    if not (what and "why" in fields and edits):
        raise ValueError('"NAME: WHAT", "why: HARM", "in FILE" and an edit are wanted')
    if not (words or "equivalent" in fields):
        raise ValueError('"by TEST" is wanted')
    tests = tuple(map(parse_test, words))
    return Mutant(name, what, tests=tests, edits=edits, **fields)


def read_mutants() -> list[Mutant]:
    mutants: dict[str, Mutant] = {}
    faulty = []
    for path in sorted(FOLDER.glob("*.txt")):
        # The first paragraph has the licence.
        for text in path.read_text().strip().split("\n\n")[1:]:
            try:
                mutant = parse_mutant(text)
                if mutant.name in mutants:
                    raise ValueError("another mutant has this name")
                mutants[mutant.name] = mutant
            except ValueError as error:
                faulty.append(f"{path.name}: {text.partition(':')[0]}: {error}")
    if faulty:
        raise Failure("\n".join(faulty))
    return sorted(mutants.values(), key=lambda mutant: mutant.name)


def changed_files(base: str) -> set[str]:
    command = ["git", "-C", str(ROOT), "diff", "--name-only", "-z", base, "--"]
    out = subprocess.run(command, capture_output=True, text=True)
    if out.returncode:
        raise Failure(out.stderr.strip())
    return set(filter(None, out.stdout.split("\0")))


def sample(mutants: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """Return a window over a fixed shuffle. Each seed moves it by its size."""
    say(f"a sample of {count}, seed {seed}")
    mixed = sorted(mutants, key=lambda m: m.name)
    random.Random(0).shuffle(mixed)
    count = min(count, len(mixed))
    return [mixed[i % len(mixed)] for i in range(seed * count, (seed + 1) * count)]


def choose(options: argparse.Namespace) -> list[Mutant]:
    mutants = read_mutants()
    for pattern in options.names:
        if not fnmatch.filter([m.name for m in mutants], pattern):
            raise Failure(f"no mutant {pattern}")
    if options.names:
        fits = "|".join(map(fnmatch.translate, options.names))
        mutants = [m for m in mutants if re.match(fits, m.name)]
    if options.changed:
        files = changed_files(options.changed)
        mutants = [m for m in mutants if m.is_of(files)]
    if options.kind:
        mutants = [m for m in mutants if m.tests and m.tests[0].kind in options.kind]
    if options.sample:
        able = [m for m in mutants if not m.equivalent]
        mutants = sample(able, options.sample, options.seed)
    return mutants
