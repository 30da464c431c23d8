# SPDX-License-Identifier: GPL-2.0-only
"""check - run the tests of the project

Usage: check [--all] [--only STEP]... [--kernel NAME]... [TEST]... [OPTION OF pytest]...

With no arguments, check proves in some ten minutes that the product works here (make
check): it builds the modules with all warnings on, and runs the KUnit suites, the
selftests with "# check" in one virtual machine, and the tests of the library, the
programs and the Python package. --all runs all that this leaves out (make check-all).
The steps are:

  build      the modules with all warnings on, sparse, checkpatch, layering, prose,
             and the style of Python
  testing    the tests of the programs in tests/zio_testing, which need no machine
  matrix     the modules compile for Debian's newest kernel, for 32 bits ("matrix"
             compiles for all kernels, and boots most)
  tools      the tests of the tools and the library, on this machine
  python     the Python package
  nexus      zio-nexus
  scope      zio-scope with block files, in a browser
  docs       the site of all documents: its links, and its search in a browser
  pva        zio-pva, with the client of p4p
  devices    zio-replay and zio-generate
  visa       zio-visa, with simulated instruments
  sigrok     zio-sigrok, with the simulated instrument of libsigrok
  comedi     zio-comedi, as far as it needs no card
  languages  the readers in other languages, each with the example of its page
  live       zio-scope and zio-pva with the channels of a virtual machine; browser and
             client are on this machine
  packages   the Debian packages: built twice, installed in a small system of their
             own, with DKMS for two kernels, and in a virtual machine
  pages      run documents on a system that has the packages: README.md, the first ones,
             those with other blocks than on the base, and an eighth that the commit
             chooses ("packages documents" runs all)
  wheels     the wheel of the Python package: in an empty Debian 12 or 13, which the
             commit chooses, from pip to a picture in a browser in a minute
  litmus     the memory barriers, against the kernel's memory model
  kafka      zio-kafka with a mock, and with real brokers, some of which are killed
  vm         the tests of the virtual machine
  shell      types README.md, first-steps.md and tutorial.md into its shell. It runs only
             when it is named; make check types README.md
  kernel     compiles the kernel with sanitizers, if the cache does not have it
  kunit      the KUnit suites, on the distribution's kernel, and on one with KASAN and
             lockdep; --kernel kunit-leaks looks for lost memory. ZIO_KUNIT_SUITES has
             the names of suites, commas between: only these run
  selftests  tests/selftests on several kernels, see below. A TEST (basic.sh, map_test)
             runs on the kernels that its header names, or on those of --kernel. The
             environment has limits for storm.sh (ZIO_STORM_SECONDS), for fuzz.sh
             (ZIO_FUZZ_SECONDS) and for removal_test (ZIO_REMOVAL_TRIALS).
             ZIO_NTH_SECONDS gives nth_calls_test and nth_files_test the time to let
             each allocation fail, not a sample. This runs two hours:
             ZIO_FUZZ_SECONDS=7200 check --kernel kasan fuzz.sh
  intree     ZIO in the sources of two kernels: checkpatch, modules, and KUnit by the
             kernel's own program. It runs only when it is named
  mutants    puts five bugs into the code, others for another commit: tests must fail
             ("mutants" runs others)

The kernels of the selftests:

  distro     the distribution's
  kasan      with sanitizers, without kmemleak, which more than doubles the time: tests
             with a line "# kasan"
  leaks      the same with kmemleak: tests with "# leaks"
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
  icount     distro where time counts instructions: tests with "# icount"

A test that asks for no other kernel runs on distro, and so does one with a line
"# distro". --kernel distro with no TEST runs all that can run there. --kernel kcsan
looks for data races ("kernel" makes it). --kernel rt-debug has PREEMPT_RT with lockdep:
KUnit, and the tests with "# rt", "# kasan" or "# leaks". Each report is a failure.

check is pytest, with two tests at a time. Options such as -k, --lf, -x, -v and -n 1 are
those of pytest, and `pytest tests/unit/nexus` does what one expects. check installs the
Debian packages that it misses. A test that needs a machine continues one that was saved,
so each has a fresh one; check makes what is missing, once. A fault that the kernel
reports is a failure. If the host stood still, so that a watchdog of the kernel bit, the
test is repeated once.

Random decisions follow from the commit, or from the number in ZIO_SEED: a commit is
tested in the same way each time. A line tells the end of each step, and at least every
ten seconds what runs. The results are in ~/.cache/zio/tests/*/junit.xml, too. The last
line is "N passed, N failed"; that of a run that was interrupted names what did not run.

A test that failed in a whole run, with or without --all, runs again, five times on this
commit and five times on the base: where the branch left its upstream, or $ZIO_BASE. What
fails on the base, too, is unsteady, and does not fail the run: tests/unsteady.toml lists
such tests. A report of a kernel, or a sample that is lost, wrong or there twice, is never
repeated.
"""

import contextlib
import datetime
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from . import outcome, stage, steps, unsteady
from .common import TESTING, Failure, Parser, Usage, Words, say, setup, stop, wait
from .progress import Ticker, notes
from .selftests import SELFTESTS

PYTEST: Words = ["/usr/bin/python3", "-B", "-m", "pytest", f"--rootdir={TESTING}"]
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


def has_paths(words: list[str]) -> bool:
    """Tell if the user has named tests as pytest does."""
    return any(Path(word.partition("::")[0]).exists() for word in words)


def pytest_command(words: list[str]) -> Words:
    parser = Parser()
    parser.add_argument("--only", action="append", choices=list(steps.STEPS), default=[])
    parser.add_argument("--kernel", action="append", default=[])
    parser.add_argument("-n", default=str(steps.WIDTH))
    parser.add_argument("--all", action="store_true")
    options, rest = parser.parse_known_args(words)
    tests = [word for word in rest if word.endswith((".sh", "_test", "_test.c"))]
    more = [word for word in rest if word not in tests]
    paths = paths_of(tests)
    is_named = bool(tests or options.only or options.kernel)
    if options.all and is_named:
        raise Usage("--all with a step, a kernel or a test: which of them?")
    tier = "" if is_named or has_paths(more) else "all" if options.all else "check"
    usual = [step for step in steps.STEPS if step not in steps.NAMED]
    if tier == "check":
        paths = steps.paths_of_check()
    for step in options.only or (usual if tier == "all" else []):
        paths += [TESTING / path for path in steps.STEPS[step]]
    if options.kernel and not paths:
        paths = [SELFTESTS]
    kernels = [f"--kernel={name}" for name in options.kernel]
    cache = ["-o", f"cache_dir={stage.PLACE}/pytest"]
    results = ["--junitxml", stage.PLACE / "junit.xml"]
    width = [] if options.n == "1" else ["-n", options.n]
    chosen = [f"--tier={tier}"] if tier else []
    options_of_pytest: Words = [*cache, *results, *width, *chosen, *kernels, *more]
    return [*PYTEST, *SETTINGS, *options_of_pytest, *paths]


def prepare(command: Words) -> None:
    """Make what the tests need. pytest would not show how far that is."""
    os.environ.setdefault("ZIO_RUN", f"{os.getpid()}-{time.time()}")
    os.environ["ZIO_TIER"] = "check" if "--tier=check" in command else ""
    with Ticker(lambda: "; ".join(notes()) or "preparing"):
        steps.prepare(list(map(str, command)))
    os.environ["ZIO_PREPARED"] = "yes"


def run(command: Words) -> int:
    """Run pytest to its end. Return its status. Where a signal ends check, pytest gets
    the time to write how far it was."""
    process = subprocess.Popen(command)
    try:
        return process.wait()
    except SystemExit as end:
        process.send_signal(signal.SIGINT)
        wait(process, 60)
        return int(end.code or 0)
    finally:
        stop(process)


def find_unsteady(found: outcome.Outcome) -> frozenset[str]:
    """Return the tests whose failures are no fault of this commit."""
    texts: dict[str, list[str]] = {}
    for name, text in found.failures:
        texts.setdefault(name, []).append(text)
    failures = [unsteady.Failed(name, "\n".join(text)) for name, text in texts.items()]
    return frozenset(unsteady.judge(failures, datetime.date.today()))


def main(words: list[str]) -> int:
    command = pytest_command(words)
    is_whole = any(str(word).startswith("--tier=") for word in command)
    setup(*(steps.CHECK_JOBS if "--tier=check" in command else ["pytest"]))
    path = stage.PLACE / f"outcome-{os.getpid()}.json"
    os.environ["ZIO_OUTCOME"] = str(path)
    with proc():
        prepare(command)
        status = run(command)
        found = outcome.read(path)
        path.unlink(missing_ok=True)
        old = find_unsteady(found) if is_whole and not found.missing else frozenset()
    bad = unsteady.complaints(unsteady.read_entries(), datetime.date.today())
    if is_whole and bad:
        say("; ".join(bad))
        found.failures += [(text, text) for text in bad]
    if old:
        print(f"unsteady: {', '.join(sorted(old))}")
    print(found.last_line(old), flush=True)
    if status not in (0, 1):
        return status
    return 1 if found.missing or found.failed(old) else 0
