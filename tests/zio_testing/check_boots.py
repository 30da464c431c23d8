# SPDX-License-Identifier: GPL-2.0-only
"""The steps of check that boot machines: vm, kunit, selftests."""

import argparse
import os
from functools import partial
from pathlib import Path

from . import delays, kernel, selftests, suite, tap
from .common import ROOT, TESTING, Failure, Words, read_log, say
from .kernel_suite import PROGRAMS_32
from .modules import build_tools
from .pool import Job, Preparation
from .report import Report
from .selftests import Selftest, find_place
from .toolchain import I386, Toolchain, toolchain_of

# Seconds. A test reaches a limit only when it hangs, also on a busy machine. The slowest
# takes two minutes on an idle one.
KUNIT_LIMIT, TEST_LIMIT, SELFTESTS_LIMIT, PROGRAM_LIMIT = 3600, 900, 14400, 2400
# So long a kernel is silent, when no test begins.
SILENCE = TEST_LIMIT + 120
# The machine gets these variables, with the values that this process has
PASSED_ON = ("ZIO_STORM_SECONDS", "ZIO_FUZZ_SECONDS", "ZIO_REMOVAL_TRIALS", "ZIO_SEED")

KERNELS = ["kasan", "leaks", "delays", "rt", "preempt", "distro", "single", "swiotlb"]
KERNELS += ["iommu"]


def judge_boot(report: Report, what: str, log: Path, status: int) -> None:
    if status:
        errors = Path(f"{log}.err")
        report.fail(f"{what}: the machine ended with status {status}", errors)


def prepare_vm(report: Report) -> Job:
    what = "virtual machine"
    say(what)
    finish = partial(report.add_program, what)
    return Job(report.logs / "vm", within_limit([TESTING / "vm_test"]), finish)


def within_limit(command: Words) -> Words:
    """Let timeout(1) end a program that hangs, with its children."""
    return ["timeout", "--kill-after=60", str(PROGRAM_LIMIT), *command]


# --- KUnit ----------------------------------------------------------------------------


def kunit_jobs(report: Report, options: argparse.Namespace) -> list[Preparation]:
    """The distribution's kernels have no KUnit."""
    able = [name for name in options.kernel or KERNELS if find_place(name).has_kunit]
    return [partial(prepare_kunit, report, name) for name in able]


def prepare_kunit(report: Report, name: str) -> Job:
    what, log = f"KUnit on {name}", report.logs / f"kunit-{name}"
    kernel_log = Path(f"{log}.kernel")
    kernel_log.unlink(missing_ok=True)
    say(what)
    command = [TESTING / "vm", "--kernel", name]
    if os.environ.get("ZIO_KUNIT_LEAKS", "yes") == "yes":
        command.append("--leaks")
    command += ["--timeout", str(KUNIT_LIMIT), "--silence", str(SILENCE)]
    command += ["--log", kernel_log, "--"]
    # zio-core/Kbuild reads ZIO_KUNIT_SUITES.
    command.append("zio-load zio-buf-dma && zio-load zio-test")
    return Job(log, command, partial(finish_kunit, report, what))


def finish_kunit(report: Report, what: str, log: Path, status: int) -> None:
    judge_boot(report, what, log, status)
    kernel_log = Path(f"{log}.kernel")
    if kernel_log.exists():
        results = tap.add_up(tap.read_kunit(read_log(kernel_log)))
        if not results.passed + results.failed:
            report.fail(f"{what}: no suite ran", kernel_log)
        report.add(what, results)


# --- selftests ------------------------------------------------------------------------


def selftest_jobs(report: Report, options: argparse.Namespace) -> list[Preparation]:
    """Return a job for each place that has tests, after compiling them all."""
    chosen = {}
    for place in options.kernel or KERNELS:
        if tests := selftests.choose(place, options.tests, bool(options.kernel)):
            chosen[place] = tests
    if not chosen:
        report.fail(f"no such selftest: {' '.join(options.tests)}")
        return []
    try:
        for toolchain in {compilers_for(place) for place in chosen}:
            selftests.build(programs_for(report, toolchain), toolchain)
    except Failure as error:
        report.fail(f"the selftests do not compile\n{error}")
        return []
    return [partial(prepare_selftests, report, *item) for item in chosen.items()]


def tree_of(place: str) -> Path:
    return kernel.prepare(find_place(place).kernel)


def compilers_for(place: str, tree: Path | None = None) -> Toolchain:
    """Return the compilers for programs that run with the kernel in @tree."""
    if find_place(place).is_32:
        return Toolchain(I386, suite.prepare(PROGRAMS_32))
    return toolchain_of(tree or tree_of(place)).programs


def programs_for(report: Report, toolchain: Toolchain) -> Path:
    """Return where the selftests for this processor are."""
    return report.logs / f"selftests.{toolchain.arch.name}"


def prepare_selftests(report: Report, name: str, tests: list[Selftest]) -> Job:
    say(f"selftests on {name}")
    log = report.logs / f"selftests-{name}"
    given = {variable: os.environ.get(variable, "") for variable in PASSED_ON}
    longer = sum(int(value or 0) for key, value in given.items() if "SECONDS" in key)
    names = [test.name for test in tests]
    command = [TESTING / "vm", *machine_options(report, name, tests)]
    command += ["--no-load", "--timeout", str(SELFTESTS_LIMIT + longer)]
    command += ["--silence", str(SILENCE + longer)]
    command += ["--add", f"{programs_for(report, compilers_for(name))}:/selftests"]
    if find_place(name).is_32:
        command += ["--add", f"{build_tools(compilers_for(name)) / 'bin'}:/usr/local/bin"]
    command += ["--log", f"{log}.kernel", "--", "env"]
    command += [f"{variable}={value}" for variable, value in given.items()]
    command.append(f"ZIO_TREE={ROOT}")
    command += ["zio-selftests", "/selftests", str(TEST_LIMIT + longer), *names]
    return Job(log, command, partial(finish_selftests, report, name, names))


def machine_options(report: Report, name: str, tests: list[Selftest]) -> list[str]:
    place, models = find_place(name), report.logs / f"models-{name}"
    tree = tree_of(name)
    if selftests.asked_for("model", tests) and selftests.build_models(tree, models):
        report.fail(f"the models do not build for {name}", Path(f"{models}.log"))
    options = selftests.machine_options(tests, tree, models)
    if place.has_delays:
        options += ["--modules", delays.build_modules(tree)]
    return ["--kernel", place.kernel, *place.options, *options]


def finish_selftests(
    report: Report, name: str, names: list[str], log: Path, status: int
) -> None:
    what = f"selftests on {name}"
    judge_boot(report, what, log, status)
    results = tap.read_selftests(read_log(log), name)
    report.add(what, tap.sum_selftests(results, names, name))
