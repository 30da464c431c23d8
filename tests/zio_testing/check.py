# SPDX-License-Identifier: GPL-2.0-only
"""check - run all tests of the project

Usage: check [--only STEP]... [--kernel NAME]... [TEST]... [OPTION OF pytest]...

  build      the modules with all warnings on, sparse, checkpatch, layering, prose,
             and the style of Python
  testing    the tests of the programs in tests/zio_testing, which need no machine
  matrix     the modules compile for Debian's newest kernel, for 64 and 32 bits. The
             commit chooses another target ("matrix" compiles for all, and boots most)
  tools      the tests of the tools and the library, on this machine
  python     the Python package
  nexus      zio-nexus
  scope      zio-scope with block files, in a browser
  docs       the site of all documents: its links, and its search in a browser
  pva        zio-pva, with the client of p4p
  languages  the readers in other languages, each with the example of its page
  live       zio-scope and zio-pva with the channels of a virtual machine; browser and
             client are on this machine
  packages   the Debian packages: built twice, installed in a small system of their
             own, with DKMS for two kernels, and in a virtual machine
  pages      run the documents on a system that has the packages
  wheels     the wheel of the Python package: in empty Debian 12 and 13, from pip to
             a picture in a browser in a minute
  litmus     the memory barriers, against the kernel's memory model
  kafka      zio-kafka with a mock, and with real brokers, some of which are killed
  vm         the tests of the virtual machine
  kernel     compiles the kernel with sanitizers, if the cache does not have it
  kunit      the KUnit suites, in User Mode Linux, and in a kernel with KASAN, lockdep
             and kmemleak. ZIO_KUNIT_SUITES has the names of suites, commas between:
             only these run
  selftests  tests/selftests on several kernels, see below. A TEST (basic.sh, map_test)
             runs on the kernels that its header names, or on those of --kernel. The
             environment has limits for storm.sh (ZIO_STORM_SECONDS), for fuzz.sh
             (ZIO_FUZZ_SECONDS) and for removal_test (ZIO_REMOVAL_TRIALS).
             ZIO_NTH_SECONDS gives nth_calls_test and nth_files_test the time to let
             each allocation fail, not a sample. This runs two hours:
             ZIO_FUZZ_SECONDS=7200 check --kernel kasan fuzz.sh
  intree     ZIO in the sources of two kernels: checkpatch, modules, and KUnit by the
             kernel's own program. It runs only when it is named
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
  foreign    distro with sound cards and serial ports that QEMU emulates, for its own
             drivers: tests with "# foreign"
  icount     distro where time counts instructions: tests with "# icount". It runs
             only when it is named

A test runs on kasan. It runs on distro where its header has a line "# distro" or
"# not kasan: REASON". --kernel distro with no TEST runs all that can run there. --kernel
kcsan looks for data races ("kernel" makes it). --kernel rt-debug has PREEMPT_RT with
lockdep: KUnit, and the tests with "# rt". Each report is a failure.

check is pytest, with two tests at a time. Options such as -k, --lf, -x, -v and -n 1 are
those of pytest, and `pytest tests/unit/nexus` does what one expects. check installs the
Debian packages that it misses. A test that needs a machine continues one that was saved,
so each has a fresh one; check makes what is missing, once. A fault that the kernel
reports is a failure. If the host stood still, so that a watchdog of the kernel bit, the
test is repeated once.

Random decisions follow from the commit, or from the number in ZIO_SEED: a commit is
tested in the same way each time. The end names the seconds of each step. The results are
in ~/.cache/zio/tests/*/junit.xml, too. The last line is "N passed, N failed".
"""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from . import stage, steps
from .common import TESTING, Failure, Parser, Usage, Words, say, setup
from .selftests import SELFTESTS

PYTEST: Words = ["/usr/bin/python3", "-B", "-m", "pytest", "--rootdir", TESTING]
SETTINGS: Words = ["-c", TESTING / "pyproject.toml"]


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


def paths_of(tests: list[str]) -> list[Path]:
    """Return the files of selftests."""
    found = []
    for name in tests:
        stem = Path(name).stem
        files = [SELFTESTS / f"{stem}.sh", SELFTESTS / f"{stem}.c"]
        existing = [file for file in files if file.exists()]
        if not existing:
            raise Usage(f"no such selftest: {name}")
        found += existing
    return found


def pytest_command(words: list[str]) -> Words:
    parser = Parser()
    parser.add_argument("--only", action="append", choices=list(steps.STEPS), default=[])
    parser.add_argument("--kernel", action="append", default=[])
    parser.add_argument("-n", default=str(steps.WIDTH))
    options, rest = parser.parse_known_args(words)
    tests = [word for word in rest if word.endswith((".sh", "_test", "_test.c"))]
    more = [word for word in rest if word not in tests]
    paths = paths_of(tests)
    usual = [step for step in steps.STEPS if step not in steps.NAMED]
    for step in options.only or ([] if tests or options.kernel else usual):
        paths += [TESTING / path for path in steps.STEPS[step]]
    if options.kernel and not paths:
        paths = [SELFTESTS]
    kernels = [f"--kernel={name}" for name in options.kernel]
    cache = ["-o", f"cache_dir={stage.PLACE}/pytest"]
    results = ["--junitxml", stage.PLACE / "junit.xml"]
    width = [] if options.n == "1" else ["-n", options.n]
    return [*PYTEST, *SETTINGS, *cache, *results, *width, *kernels, *more, *paths]


def main(words: list[str]) -> int:
    command = pytest_command(words)
    setup("pytest")
    with proc():
        process = subprocess.Popen(command)
        try:
            return process.wait()
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
