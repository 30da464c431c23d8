# SPDX-License-Identifier: GPL-2.0-only
"""check - run all tests of the project

Usage: check [--only STEP]... [--kernel NAME]... [TEST]...

  build      the modules with all warnings on, sparse, checkpatch, layering, prose,
             and the tests of the programs here
  matrix     the modules compile for Debian's newest kernel, for 64 and 32 bits. The
             commit chooses another target ("matrix" compiles for all, and boots most)
  tools      the tests of the tools and the library, on this machine
  python     the Python package, on this machine
  nexus      zio-nexus, on this machine
  scope      zio-scope with block files, in a browser
  pva        zio-pva, with the client of p4p
  live       zio-scope and zio-pva with the channels of a virtual machine; browser and
             client are on this machine
  packages   the Debian packages: built twice, installed in a small system of their
             own, with DKMS for two kernels, and in a virtual machine
  litmus     the memory barriers, against the kernel's memory model
  kafka      zio-kafka with real brokers, some of which are killed
  vm         the tests of the virtual machine
  kunit      the KUnit suites, in a kernel with KASAN, lockdep and kmemleak.
             ZIO_KUNIT_SUITES has the names of suites, commas between: only these
             run. ZIO_KUNIT_LEAKS=no takes half of the time: kmemleak is off
  selftests  tests/selftests on several kernels, see below. A TEST (basic.sh,
             map_test) runs on the kernels that its header names, or on those of
             --kernel. The environment has limits for storm.sh (ZIO_STORM_SECONDS),
             for fuzz.sh (ZIO_FUZZ_SECONDS) and for removal_test (ZIO_REMOVAL_TRIALS).
             This runs two hours:
             ZIO_FUZZ_SECONDS=7200 check --kernel kasan fuzz.sh
  mutants    puts ten bugs into the code, others for another commit: tests must fail
             ("mutants" runs others)

The kernels of the selftests:

  distro     the distribution's
  kasan      with sanitizers, without kmemleak, which more than doubles the time
  leaks      the same with kmemleak: tests with a line "# leaks", which do not run
             on kasan then
  single     distro on one processor: tests with "# single"
  delays     kasan, with modules that wait at random beside each lettered barrier:
             tests with "# delays"
  rt         the distribution's kernel with PREEMPT_RT: tests with "# rt"
  preempt    distro with preempt=full: tests with "# preempt"
  swiotlb    distro where each DMA goes through a bounce buffer (swiotlb=force):
             tests with "# swiotlb"
  iommu      distro with an IOMMU: tests with "# iommu"
  icount     distro where time counts instructions: tests with "# icount". It runs
             only when it is named. Mutants that omit a wait need it

A test runs on kasan. It runs on distro where its header has a line "# distro" or
"# not kasan: REASON". --kernel distro with no TEST runs all that can run there.

--kernel kcsan looks for data races in the KUnit suites and in the selftests
("kernel" makes it). Each report is a failure. It takes an hour, and runs only when
it is named.

check installs missing Debian packages. It compiles the kernel with the sanitizers
when a step needs it and the cache does not have it (5 to 10 minutes). The steps from tools to mutants
run two jobs at a time. Random decisions follow from the commit, or from the number in
ZIO_SEED: a commit is tested in the same way each time. The end names the seconds of
each step and boot. A fault or a leak that the kernel reports in
any boot is a failure. check prints failures in full, and keeps the logs in
~/.cache/zio/check. The last line is "N passed, N failed".
"""

import argparse
import contextlib
import os
import subprocess
from collections.abc import Iterator
from functools import partial

from . import check_boots, check_build, kernel, matrix, selftests
from .common import (
    CACHE,
    ROOT,
    TESTING,
    Failure,
    Parser,
    Words,
    run_logged,
    say,
    seed_of_commit,
    setup,
)
from .pool import Job, Preparation, run_jobs
from .report import Report

BOOTS = ("vm", "kunit", "selftests")
# These programs use one processor each. The machine of live waits most of the time.
BESIDE_BOOTS = ("litmus", "tools", "python", "nexus", "scope", "pva", "kafka", "live")
BESIDE_BOOTS += ("packages",)
# The steps of a group run together, two jobs at a time.
GROUPS = (("build",), ("matrix",), (*BESIDE_BOOTS, *BOOTS, "mutants"))
STEPS = [step for group in GROUPS for step in group]
NEED_SANITIZERS = {"build", "vm", "kunit", "mutants"}
NEED_PYTHON = {"python", "nexus", "scope", "pva", "live"}
# Only mutants that need no boot, or a short one
MUTANTS = ["--sample", "10", "--kind", "host", "--kind", "kunit", "--kind", "litmus"]
# Programs on this machine that print TAP: the title, and the command
PROGRAMS: dict[str, tuple[str, Words]] = {
    "tools": ("tools and library", ["make", "-C", ROOT / "tools", "check"]),
    "python": ("Python package", ["make", "-C", ROOT / "tools", "check-python"]),
    "nexus": ("zio-nexus", ["make", "-C", ROOT / "tools", "check-nexus"]),
    "scope": ("zio-scope", ["make", "-C", ROOT / "tools", "check-scope"]),
    "kafka": ("blocks through Apache Kafka", [TESTING / "kafka_test"]),
    "pva": ("zio-pva", ["make", "-C", ROOT / "tools", "check-pva"]),
    "live": ("zio-scope, zio-pva, live", ["make", "-C", ROOT / "tools", "check-live"]),
    "packages": ("packages", [TESTING / "packages", "test"]),
    "litmus": ("memory barriers", [TESTING / "litmus/run"]),
    "mutants": ("mutants", [TESTING / "mutants", *MUTANTS]),
}


def parse_options(words: list[str]) -> argparse.Namespace:
    parser = Parser()
    parser.add_argument("--only", action="append", choices=STEPS, default=[])
    parser.add_argument("--kernel", action="append", default=[])
    parser.add_argument("tests", nargs="*")
    options = parser.parse_intermixed_args(words)
    options.steps = options.only or (["selftests"] if options.tests else STEPS)
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


def prepare_program(report: Report, step: str, *more: str) -> Job:
    what, command = PROGRAMS[step]
    say(what)
    finish = partial(report.add_program, what)
    command = check_boots.within_limit([*command, *more])
    return Job(report.logs / step, command, finish)


def build_tools(report: Report) -> None:
    """Build what several programs of PROGRAMS would build at the same time."""
    log = report.logs / "tools-build"
    command = ["make", f"-j{os.cpu_count()}", "-C", ROOT / "tools", "check-ready"]
    if run_logged(command, log):
        report.fail("the tools and their tests build", log)


def run_together(report: Report, options: argparse.Namespace) -> None:
    """Start the longest job first, so that both processors are busy to the end."""
    jobs: list[Preparation] = []
    if "selftests" in options.steps:
        jobs += check_boots.selftest_jobs(report, options)
    if "kunit" in options.steps:
        jobs[2:2] = check_boots.kunit_jobs(report, options)
    if "vm" in options.steps:
        jobs.insert(2, partial(check_boots.prepare_vm, report))
    programs = [step for step in BESIDE_BOOTS if step in options.steps]
    if programs and programs != ["litmus"]:
        build_tools(report)
    jobs[1:1] = [partial(prepare_program, report, step) for step in programs]
    if "mutants" in options.steps:
        # Another job runs these tests on the unchanged tree.
        more = ["--no-verify"] if len(options.steps) > 1 else []
        jobs.insert(1, partial(prepare_program, report, "mutants", *more))
    report.seconds |= run_jobs(jobs)


def run_group(report: Report, group: list[str], options: argparse.Namespace) -> None:
    with report.timed(group[0] if len(group) == 1 else "tests"):
        if group == ["build"]:
            check_build.run(report)
        elif group == ["matrix"]:
            matrix.compile_all(report, matrix.sample(seed_of_commit()))
        else:
            run_together(report, options)


def prepare(steps: list[str]) -> None:
    """Make what several jobs need: they must not make it at the same time. Boots prepare
    their kernels themselves."""
    setup("build", "vm", "check", "mutants")
    kernel.prepare("distro")
    if NEED_SANITIZERS.intersection(steps):
        kernel.prepare("kasan")
    if NEED_PYTHON.intersection(steps):
        setup("nexus")
        selftests.build_package()


def main(words: list[str]) -> int:
    options = parse_options(words)
    report = Report(CACHE / "check")
    os.environ["ZIO_SEED"] = str(seed_of_commit())
    say(f"ZIO_SEED={os.environ['ZIO_SEED']}")
    with proc():
        with report.timed("prepare"):
            prepare(options.steps)
        for steps in GROUPS:
            if group := [step for step in steps if step in options.steps]:
                run_group(report, group, options)
    return report.end()
