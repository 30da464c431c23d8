# SPDX-License-Identifier: GPL-2.0-only
"""The mutants: the head of each patch, and the choice of patches."""

import argparse
import fnmatch
import random
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .common import ROOT, TESTING, Failure, say
from .selftests import PLACES

PATCHES = TESTING / "mutants.d"

# Kinds of tests. The other kinds are the kernels of "check --kernel".
HOST, LITMUS = "host", "litmus"
KUNIT, KUNIT_LEAKS = "kunit", "kunit-leaks"
KINDS = (HOST, LITMUS, KUNIT, KUNIT_LEAKS, *PLACES, "kcsan")


@dataclass(frozen=True, order=True)
class Test:
    """A test that must fail."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"

    @property
    def is_kunit(self) -> bool:
        return self.kind in (KUNIT, KUNIT_LEAKS)

    @property
    def is_in_machine(self) -> bool:
        return self.kind not in (HOST, LITMUS)

    def is_written_in(self, path: str) -> bool:
        """Return true if @path has the test. Litmus tests are found by their letters."""
        stem = self.name.removeprefix("zio-") + "_test" if self.is_kunit else self.name
        return Path(path).name in (stem, f"{stem}.c")


def parse_test(word: str) -> Test:
    kind, _, name = word.partition(":")
    if not name or kind not in KINDS:
        raise ValueError(f"no such test: {word}")
    return Test(kind, name)


def field_of(head: str, name: str) -> str:
    """Return the value of a field. Lines that begin with a space continue it."""
    found = re.search(rf"^{name}:(.*(?:\n[ \t].*)*)", head, re.M)
    return " ".join(found.group(1).split()) if found else ""


class Mutant:
    """One patch, and the fields of its head."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.stem
        text = path.read_text()
        head = text.partition("\n--- ")[0]
        self.what = field_of(head, "Mutant")
        self.why = field_of(head, "Why")
        self.equivalent = field_of(head, "Equivalent")
        self.tests = [parse_test(word) for word in field_of(head, "Tests").split()]
        self.files = set(re.findall(r"^\+\+\+ b/(\S+)", text, re.M))
        if not (self.what and self.why and self.files):
            raise ValueError('lines "Mutant:", "Why:" and a patch of b/FILE are wanted')
        if not (self.tests or self.equivalent):
            raise ValueError('a line "Tests:" is wanted')

    def is_of(self, files: set[str]) -> bool:
        """Return true if the mutant changes one of the files, or has a test in one."""
        own = {str(self.path.relative_to(ROOT)), *self.files}
        tests = any(test.is_written_in(file) for test in self.tests for file in files)
        return bool(own & files) or tests


def read_mutants() -> list[Mutant]:
    mutants, faulty = [], []
    for path in sorted(PATCHES.glob("*.patch")):
        try:
            mutants.append(Mutant(path))
        except ValueError as error:
            faulty.append(f"{path.name}: {error}")
    if faulty:
        raise Failure("\n".join(faulty))
    return mutants


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
