# SPDX-License-Identifier: GPL-2.0-only
"""The mutants: the head of each patch, and the choice of patches."""

import fnmatch
import random
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from zio_testing.common import ROOT, TESTING, Failure, say
from zio_testing.selftests import PLACES

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


def of_names(mutants: list[Mutant], patterns: Iterable[str]) -> list[Mutant]:
    """Return the mutants that a pattern fits. Each pattern must fit one."""
    chosen = []
    for pattern in patterns:
        found = [m for m in mutants if fnmatch.fnmatch(m.name, pattern)]
        if not found:
            raise Failure(f"no mutant {pattern}")
        chosen += found
    return [m for m in mutants if m in chosen]


def sample(mutants: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """Return a window over a fixed shuffle. Each seed moves it by its size."""
    say(f"a sample of {count}, seed {seed}")
    mixed = sorted(mutants, key=lambda m: m.name)
    random.Random(0).shuffle(mixed)
    count = min(count, len(mixed))
    first = seed * count
    return [mixed[(first + i) % len(mixed)] for i in range(count)]
