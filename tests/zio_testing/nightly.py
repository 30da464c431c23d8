# SPDX-License-Identifier: GPL-2.0-only
"""nightly - the tests that take hours, with random decisions

Usage: nightly [--hours N] [STEP]...

  fuzz      random calls on the kernel with sanitizers, most of the time
  storm     the same for settings, boards that go, and routes, with delays at each barrier
  removal   300 removals under polls, on preempt=full and with PREEMPT_RT
  kcsan     KUnit and selftests on a kernel that looks for data races
  coverage  which lines of the modules the tests run (see coverage)
  mutants   60 bugs, of all kinds
  generated 60 bugs that rules make of the source

All steps run unless some are named. The first line has the seed: ZIO_SEED=N repeats its
decisions. The last line is "N passed, N failed", where each step counts once.
"""

import os
import random
import subprocess
import sys

from .common import TESTING, Parser, Usage, Words, number, say

STEPS: dict[str, tuple[dict[str, str], Words]] = {
    "fuzz": ({}, ["check", "--kernel", "kasan", "fuzz.sh"]),
    "storm": ({}, ["check", "--kernel", "delays", "storm.sh", "fuzz.sh"]),
    "removal": (
        {"ZIO_REMOVAL_TRIALS": "300"},
        ["check", "--kernel", "preempt", "--kernel", "rt", "removal_test"],
    ),
    "kcsan": (
        {},
        ["check", "--kernel", "kcsan", "--only", "kunit", "--only", "selftests"],
    ),
    "coverage": ({}, ["coverage"]),
    "mutants": ({}, ["mutants", "--sample", "60"]),
    "generated": ({}, ["mutants", "--generated", "60"]),
}


def run_step(name: str, hours: int) -> bool:
    extra, (program, *words) = STEPS[name]
    # Two steps take the given time.
    times = {"ZIO_FUZZ_SECONDS": hours * 1800, "ZIO_STORM_SECONDS": hours * 900}
    env = {**os.environ, **{key: str(value) for key, value in times.items()}, **extra}
    say(f"{name}: {' '.join([program, *words])}")
    done = subprocess.run([TESTING / program, *words], env=env, stdout=sys.stderr)
    print(f"{'not ok' if done.returncode else 'ok'} - {name}", flush=True)
    return done.returncode == 0


def main(words: list[str]) -> int:
    parser = Parser()
    parser.add_argument("--hours", type=number, default=4)
    parser.add_argument("steps", nargs="*")
    options = parser.parse_args(words)
    for step in options.steps:
        if step not in STEPS:
            raise Usage(f"no step {step}: {', '.join(STEPS)}")
    os.environ.setdefault("ZIO_SEED", str(random.SystemRandom().randrange(1, 1 << 24)))
    print(f"ZIO_SEED={os.environ['ZIO_SEED']}", flush=True)
    results = [run_step(step, options.hours) for step in options.steps or STEPS]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1
