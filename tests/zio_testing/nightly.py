# SPDX-License-Identifier: GPL-2.0-only
"""nightly - the tests that take hours, with random decisions

Usage: nightly [--hours N] [--short] [STEP]...

  fuzz      random calls on the kernel with sanitizers, most of the time
  storm     the same for settings, boards that go, and routes, with delays at each barrier
  kasan     all selftests on the kernel with sanitizers
  faults    each allocation of each call, setting, board and module fails once, and the
            KUnit suites lose no memory
  removal   300 removals under polls, on preempt=full and with PREEMPT_RT
  rt-debug  KUnit and selftests with PREEMPT_RT and lockdep
  kcsan     KUnit and selftests on a kernel that looks for data races
  pages     the commands of all documents (see packages)
  matrix    the modules compile for each kernel and processor (see matrix)
  intree    ZIO in the sources of two kernels, which run its KUnit suites
  feedback  random calls, where coverage decides on the next ones (see feedback)
  coverage  which lines the tests run (see coverage), and the table in testing.md
  generated  60 bugs that rules make, in files of the kernel
  mutants   the bugs of mutants.d, which no rule can make

All steps run unless some are named. The first line has the seed: ZIO_SEED=N repeats its
decisions. Variables of the environment such as ZIO_FUZZ_SECONDS (see check) come before
--hours. --short takes the least of each step, to see that it runs; it changes no file.
The last line is "N passed, N failed", where each step counts once.
"""

import os
import random
import subprocess
import sys

from .common import TESTING, Parser, Usage, Words, number, running, say

BOTH = "--only kunit --only selftests"
# The commands of each step, and those of --short
STEPS: dict[str, tuple[list[str], list[str]]] = {
    "fuzz": (["check --kernel kasan fuzz.sh"], []),
    "storm": (["check --kernel delays storm.sh fuzz.sh"], []),
    "kasan": (["check --kernel kasan"], ["check --kernel kasan dmabuf_test"]),
    "faults": (
        [
            "check --kernel leaks --kernel kasan nth_calls_test nth_files_test",
            "check --only kunit --kernel kunit-leaks",
        ],
        ["check --kernel leaks nth_calls_test"],
    ),
    "removal": (["check --kernel preempt --kernel rt removal_test"], []),
    "rt-debug": (
        [f"check --kernel rt-debug {BOTH}"],
        ["check --kernel rt-debug route_test"],
    ),
    "kcsan": ([f"check --kernel kcsan {BOTH}"], ["check --kernel kcsan route_test"]),
    "pages": (["packages documents"], ["packages documents uart.md"]),
    "matrix": (["matrix --compile"], ["matrix --compile armhf-newest"]),
    "intree": (["check --only intree"], ["check --only intree -k 6.1"]),
    "feedback": (["feedback"], []),
    "coverage": (["coverage", "coverage --table"], ["coverage kunit basic_test"]),
    "generated": (["mutants --generated 60"], ["mutants --generated 1"]),
    "mutants": (["mutants"], ["mutants --sample 2 --kind litmus"]),
}


def limits(hours: int) -> dict[str, int]:
    """Return the variables that divide the time. Other steps take what they take."""
    return {
        "ZIO_FUZZ_SECONDS": hours * 1500,
        "ZIO_STORM_SECONDS": hours * 600,
        "ZIO_NTH_SECONDS": hours * 3600,
        "ZIO_FEEDBACK_SECONDS": hours * 600,
        "ZIO_REMOVAL_TRIALS": 300,
    }


SHORT = {
    "ZIO_FUZZ_SECONDS": 10,
    "ZIO_STORM_SECONDS": 10,
    "ZIO_NTH_SECONDS": 0,
    "ZIO_FEEDBACK_SECONDS": 30,
    "ZIO_REMOVAL_TRIALS": 3,
}


def run_command(command: str, times: dict[str, int]) -> bool:
    """Run a program of this directory. A signal ends it, with all that it has started."""
    say(command)
    program, *words = command.split()
    env = {**{key: str(value) for key, value in times.items()}, **os.environ}
    command_line: Words = [TESTING / program, *words]
    with running(subprocess.Popen(command_line, env=env, stdout=sys.stderr)) as process:
        return process.wait() == 0


def run_step(name: str, is_short: bool, times: dict[str, int]) -> bool:
    whole, short = STEPS[name]
    is_good = all(
        run_command(command, times) for command in (is_short and short) or whole
    )
    print(f"{'ok' if is_good else 'not ok'} - {name}", flush=True)
    return is_good


def main(words: list[str]) -> int:
    parser = Parser()
    parser.add_argument("--hours", type=number, default=4)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("steps", nargs="*")
    options = parser.parse_args(words)
    for step in options.steps:
        if step not in STEPS:
            raise Usage(f"no step {step}: {', '.join(STEPS)}")
    os.environ.setdefault("ZIO_SEED", str(random.SystemRandom().randrange(1, 1 << 24)))
    print(f"ZIO_SEED={os.environ['ZIO_SEED']}", flush=True)
    times = SHORT if options.short else limits(options.hours)
    steps = options.steps or STEPS
    results = [run_step(step, options.short, times) for step in steps]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1
