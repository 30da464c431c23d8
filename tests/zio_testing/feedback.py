# SPDX-License-Identifier: GPL-2.0-only
"""feedback - random calls, where coverage decides on the next ones

Usage: feedback

Runs fuzz.sh in rounds of 20 seconds, for ZIO_FEEDBACK_SECONDS (600), on modules that
count their lines (see coverage). A round has a fresh machine, a seed, and a few
operations that come more often than others. A round that runs a line which no earlier
round has run is kept: later rounds take its operations, and add or drop one. ZIO_SEED is
the first seed.

~/.cache/zio/feedback/kept has the rounds that were kept: a seed and operations in each
line. The next run begins with them. The program prints a line for each round. It prints
"not ok" if the test fails or the kernel reports a fault, after the output of the test.
"""

import os
import random
import re
import time
from dataclasses import dataclass

from . import runner, tap
from .common import CACHE, TESTING, Parser, seed_of_commit, setup
from .coverage import COLLECT, Runner, counted_modules
from .coverage_lines import Lines

PLACE = CACHE / "feedback"
KEPT = PLACE / "kept"
ROUND_SECONDS = 20
# A round favours at most so many operations: more would not be a preference.
MOST = 5
OPERATION = re.compile(r'^\t\{ "([a-z-]+)", do_\w+, \d+,', re.M)


@dataclass(frozen=True)
class Round:
    seed: int
    favoured: frozenset[str]

    def __str__(self) -> str:
        return f"{self.seed} {','.join(sorted(self.favoured))}"


def read_round(line: str) -> Round:
    seed, _, names = line.partition(" ")
    return Round(int(seed), frozenset(filter(None, names.split(","))))


def all_operations() -> list[str]:
    """Return the operations of the scenario "calls"."""
    files = sorted((TESTING / "fuzz").glob("*.c"))
    texts = [file.read_text() for file in files if file.stem not in ("storm", "mesh")]
    return [name for text in texts for name in OPERATION.findall(text)]


def next_round(kept: list[Round], names: list[str], chance: random.Random) -> Round:
    """Return a child of a round that was kept: recent ones are chosen more often."""
    parents = kept[-8:] if chance.random() < 0.7 else kept
    favoured = set(chance.choice(parents).favoured) if parents else set()
    if favoured and (len(favoured) >= MOST or chance.random() < 0.3):
        favoured.remove(chance.choice(sorted(favoured)))
    favoured.add(chance.choice(names))
    return Round(chance.randrange(1, 1 << 24), frozenset(favoured))


def count_new(ran: Lines, known: Lines) -> int:
    """Add the lines of the core to @known. Return how many are new."""
    new = 0
    for path, lines in ran.items():
        if path.startswith("zio-core/"):
            have = known.setdefault(path, set())
            new += len(lines - have)
            have |= lines
    return new


def run_round(counting: Runner, this: Round, known: Lines) -> tuple[bool, int]:
    """Return whether the round has passed, and how many lines are new."""
    favoured = ",".join(sorted(this.favoured)) or "none"
    line = f"ZIO_SEED={this.seed} ZIO_FUZZ_SECONDS={ROUND_SECONDS} "
    line += f"ZIO_FUZZ_FAVOUR={favoured} zio-selftests /selftests 9999 fuzz.sh"
    with runner.resumed(counting.machine) as running:
        outcome = running.run(line, runner.LIMIT)
        results = tap.read_selftest(outcome.said)
        results = runner.judge(outcome, results, running.card_faults()).results
        counters = running.run(COLLECT, runner.LIMIT)
    if counters.status:
        results.fail("the machine gave no counters", counters.said)
    new = 0 if counters.status else count_new(counting.read(counters.said)[0], known)
    for part in results.failures:
        print(f"{part.said}\nnot ok - {this}: {part.name}", flush=True)
    passed = not results.failures
    text = f"{this}: {new} new lines of {total(known)}, {outcome.seconds:.0f} s"
    print(f"{'ok' if passed else 'not ok'} - {text}", flush=True)
    return passed, new


def total(lines: Lines) -> int:
    return sum(map(len, lines.values()))


def search(counting: Runner, waiting: list[Round], end: float) -> bool:
    """Run the rounds @waiting and their children until @end. Write what is worth it."""
    chance, names = random.Random(seed_of_commit()), all_operations()
    kept: list[Round] = []
    known: Lines = {}
    good = True
    while time.monotonic() < end:
        this = waiting.pop(0) if waiting else next_round(kept, names, chance)
        passed, new = run_round(counting, this, known)
        good = good and passed
        if new:
            kept.append(this)
            KEPT.write_text("".join(f"{item}\n" for item in kept + waiting))
    print(f"# {len(kept)} rounds kept, {total(known)} lines of zio-core", flush=True)
    return good


def main(words: list[str]) -> int:
    Parser().parse_args(words)
    setup("build", "vm", "debug-kernel", "check")
    PLACE.mkdir(parents=True, exist_ok=True)
    lines = KEPT.read_text().splitlines() if KEPT.exists() else []
    waiting = list(map(read_round, lines))
    end = time.monotonic() + float(os.environ.get("ZIO_FEEDBACK_SECONDS") or 600)
    first = Round(seed_of_commit(), frozenset())
    with counted_modules() as built:
        return 0 if search(Runner(built), waiting or [first], end) else 1
