# SPDX-License-Identifier: GPL-2.0-only
"""check - run all tests of the project

Usage: check [--only STEP]... [--kernel NAME]... [TEST]...

  build      the modules with all warnings on, sparse, checkpatch, layering, prose,
             and the tests of the programs here
  tools      the tests of the tools and the library, on this machine
  litmus     the memory barriers, against the kernel's memory model
  vm         the tests of the virtual machine
  kunit      the KUnit suites, in a kernel with KASAN, lockdep and kmemleak.
             ZIO_KUNIT_SUITES has the names of suites, commas between: only these
             run. ZIO_KUNIT_LEAKS=no takes half of the time: kmemleak is off
  selftests  tools/testing/selftests on several kernels, see below. A TEST (basic.sh,
             map_test) runs on the kernels that its header names, or on those of
             --kernel. The environment has limits for storm.sh (ZIO_STORM_SECONDS,
             ZIO_STORM_SEED) and for fuzz.sh (ZIO_FUZZ_SECONDS, ZIO_FUZZ_SEED). This
             runs two hours: ZIO_FUZZ_SECONDS=7200 check --kernel kasan fuzz.sh
  mutants    puts ten bugs into the code, another ten each day: tests must fail
             ("mutants" runs others)

The kernels of the selftests:

  distro     the distribution's
  kasan      with sanitizers, without kmemleak, which more than doubles the time
  leaks      the same with kmemleak: tests with a line "# leaks", which do not run
             on kasan then
  single     distro on one processor: tests with "# single"
  rt         the distribution's kernel with PREEMPT_RT: tests with "# rt"
  swiotlb    distro where each DMA goes through a bounce buffer (swiotlb=force):
             tests with "# swiotlb"
  icount     distro where time counts instructions: tests with "# icount". It runs
             only when it is named. Mutants that omit a wait need it

A test runs on distro and on kasan, but not where its header has a line
"# not kasan: REASON".

--kernel kcsan looks for data races in the KUnit suites and in the selftests
("kernel" makes it). Each report is a failure. It takes an hour, and runs only when
it is named.

check installs missing Debian packages. It compiles the kernel with the sanitizers
when the cache does not have it (5 to 10 minutes). The steps vm, kunit and
selftests boot two machines at a time. A fault or a leak that the kernel reports in
any boot is a failure. check prints failures in full, and keeps the logs in
~/.cache/zio/check. The last line is "N passed, N failed".
"""

import contextlib
import getopt
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from zio_testing import check_boots, check_build, kernel
from zio_testing.common import CACHE, ROOT, TESTING, Failure, Usage, Words, say, setup
from zio_testing.pool import Job, run_jobs
from zio_testing.report import Report

STEPS = ("build", "tools", "litmus", "vm", "kunit", "selftests", "mutants")
BOOTS = ("vm", "kunit", "selftests")
MUTANTS = ["--kind", "host", "--kind", "kunit", "--kind", "litmus"]
KERNELS = ["kasan", "leaks", "rt", "distro", "single", "swiotlb"]


@dataclass
class Options:
    """The command line."""

    steps: list[str] = field(default_factory=list)
    kernels: list[str] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)


def parse_options(words: list[str]) -> Options:
    found, tests = getopt.gnu_getopt(words, "", ["only=", "kernel="])
    options = Options(tests=tests)
    for name, value in found:
        if name == "--kernel":
            options.kernels.append(value)
        elif value in STEPS:
            options.steps.append(value)
        else:
            raise Usage(f"no such step: {value}")
    options.steps = options.steps or (["selftests"] if tests else list(STEPS))
    return options


@contextlib.contextmanager
def proc() -> Iterator[None]:
    """Mount /proc where it is missing, as in a bare chroot. The sanitizers of the host's
    programs read it."""
    if os.path.exists("/proc/self/fd"):
        yield
        return
    say("mounting /proc for the time of the tests")
    if subprocess.run(["mount", "-t", "proc", "proc", "/proc"]).returncode:
        raise Failure("cannot mount /proc, which the tests need: mount it")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", "/proc"])


# --- the steps ------------------------------------------------------------------------


# Programs on this machine that print TAP: the title, and the command
PROGRAMS: dict[str, tuple[str, Words]] = {
    "tools": ("tools and library", ["make", "-C", ROOT / "tools", "check"]),
    "litmus": ("memory barriers", [TESTING / "litmus/run"]),
    # Only mutants that need no boot, or a short one
    "mutants": ("mutants", [TESTING / "mutants", "--sample", "10", *MUTANTS]),
}


def run_program(report: Report, step: str, steps: list[str]) -> None:
    what, command = PROGRAMS[step]
    if step == "mutants" and len(steps) > 1:
        # The steps before have run these tests on the unchanged tree.
        command = [*command, "--no-verify"]
    say(what)
    report.add_program(what, *report.run(step, command))


def run_boots(report: Report, options: Options, steps: list[str]) -> None:
    """Start the long boots first, so that both processors are busy to the end."""
    kernels = options.kernels or KERNELS
    jobs: list[Callable[[], Job | None]] = []
    if "selftests" in steps:
        forced = bool(options.kernels)
        jobs += check_boots.selftest_jobs(report, kernels, options.tests, forced)
    short = [check_boots.vm_job(report)] if "vm" in steps else []
    short += check_boots.kunit_jobs(report, kernels) if "kunit" in steps else []
    jobs[2:2] = short
    run_jobs(jobs)


def groups_of(steps: list[str]) -> Iterator[list[str]]:
    """Yield each step alone, but the steps that boot machines together."""
    boots = [step for step in steps if step in BOOTS]
    for step in steps:
        if step not in BOOTS:
            yield [step]
        elif step == boots[0]:
            yield boots


def main(words: list[str]) -> int:
    options = parse_options(words)
    report = Report(CACHE / "check")
    report.logs.mkdir(parents=True, exist_ok=True)
    with proc():
        setup("build", "vm", "debug-kernel", "check", "mutants")
        kernel.prepare("distro")
        kernel.prepare("kasan")
        for steps in groups_of(options.steps):
            begin = time.monotonic()
            if steps[0] in BOOTS:
                run_boots(report, options, steps)
            elif steps[0] == "build":
                check_build.run(report)
            else:
                run_program(report, steps[0], options.steps)
            say(f"{', '.join(steps)} took {time.monotonic() - begin:.0f} s")
    return report.end()
