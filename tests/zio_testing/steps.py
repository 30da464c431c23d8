# SPDX-License-Identifier: GPL-2.0-only
"""The steps of check: folders of tests, what they need, and their order."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path, PurePath
from typing import Any

from . import guest, kernel, kunit_module, stage
from .common import ROOT, TESTING, Words, setup, stop_children
from .modules import built_modules
from .progress import build

# So many tests run at a time: most of them keep one processor busy.
WIDTH = 2
# The order in which a worker takes them: what takes long, and does not need the kernel
# with sanitizers, which the step "kernel" compiles meanwhile
STEPS = {
    "kernel": ["test_kernel.py"],
    "packages": ["test_packages.py"],
    "pages": ["test_pages.py"],
    "wheels": ["test_wheels.py"],
    "build": ["test_build.py"],
    "testing": ["unit/testing"],
    "kafka": ["unit/kafka"],
    "live": ["unit/live"],
    "scope": ["unit/scope"],
    "docs": ["unit/docs"],
    "nexus": ["unit/nexus"],
    "python": ["unit/python"],
    "pva": ["unit/pva"],
    "devices": ["unit/devices"],
    "visa": ["unit/visa"],
    "sigrok": ["unit/sigrok"],
    "comedi": ["unit/comedi"],
    "languages": ["unit/languages"],
    "litmus": ["test_litmus.py"],
    "matrix": ["test_matrix.py"],
    "tools": ["unit", "models/qemu"],
    "mutants": ["test_mutants.py"],
    "kunit": ["test_kunit.py"],
    "vm": ["test_vm.py"],
    "shell": ["test_shell.py"],
    "selftests": ["selftests"],
    "intree": ["test_in_tree.py"],
}
# Tests that run only when they are named: intree compiles two kernels, and shell types
# for half an hour. `make check` types README.md.
NAMED = ("intree", "shell")
# What `make check` runs, beside the selftests with "# check" on distro. `make check-all`
# runs the rest.
CHECK = (
    "test_build.py::test_modules",
    "test_build.py::test_text[prose]",
    "test_build.py::test_text[versions]",
    "test_kunit.py::test_machine[distro]",
    "test_litmus.py",
    "test_shell.py::test_page[README.md]",
    "models/qemu/*_test.c",
    "unit/*_test.c",
    "unit/*_test.sh",
    "unit/python/test_*.py",
    "unit/nexus/test_convert.py",
    "unit/nexus/test_interrupt.py::test_signal",
    "unit/nexus/test_record.py::test_rows",
    "unit/nexus/test_record.py::test_sizes[False-8]",
    "unit/nexus/test_verify.py::test_change",
    "unit/commands/test_*.py",
    "unit/devices/test_*.py",
    "unit/scope/test_*.py",
)
# They take long, or need programs that `make check` does not install.
NOT_CHECK = (
    "unit/fuzz_test.c",
    "unit/man_test.sh",
    "unit/python/test_install.py",
    "unit/python/test_interpreters.py",
    "unit/scope/test_command.py",
    "unit/scope/test_install.py",
    "unit/scope/test_tls.py",
)
# Others judge the same, and more: quick has them, as they are faster.
TWINS = ("test_kunit.py::test_uml",)
CHECK_PLACE = "distro"
# These need the modules.
MACHINES = "selftests kunit vm shell build live mutants kernel".split()
# The jobs of setup
CHECK_JOBS = "pytest build vm vm-shell kunit check python-lib record page".split()
PATHS = sorted(
    ((path, step) for step, paths in STEPS.items() for path in paths),
    key=lambda pair: -len(pair[0]),
)
PACKAGES = (
    "python",
    "nexus",
    "scope",
    "pva",
    "devices",
    "visa",
    "sigrok",
    "comedi",
    "live",
    "languages",
)
# One machine, cluster, or scratch tree serves all tests of these.
UNDIVIDED = (
    "docs live kafka mutants packages pages wheels pva matrix intree shell".split()
)
PYTHON_PATHS = (
    TESTING,
    ROOT / "tools/python/build/lib",
    ROOT / "tools/programs/scope",
    ROOT / "tools/programs/pva",
    ROOT / "tools/programs/devices",
    ROOT / "tools/programs/visa",
    ROOT / "tools/programs/zio",
)
# One worker saves the machine for it, while the other runs tests of this host.
FIRST = f"test_kunit.py::test_machine[{CHECK_PLACE}]"
# These take longest.
LONG = (
    "modules_test alsa-card.sh fuzz.sh set_node_test slink.sh dmaengine_test "
    "slink-power.sh storm.sh"
)


def step_of(nodeid: str) -> str:
    """Return the step of a test; for selftests with the kernel."""
    found = next((step for path, step in PATHS if nodeid.startswith(path)), "others")
    if found == "selftests":
        return f"selftests-{nodeid.rpartition('::')[2]}"
    return found


def is_in_check(nodeid: str, asks: bool = False) -> bool:
    """Tell if `make check` runs this test. A selftest @asks for it in its header."""
    step = step_of(nodeid)
    if step.startswith("selftests"):
        return asks and step == f"selftests-{CHECK_PLACE}"
    if nodeid.startswith(NOT_CHECK):
        return False
    file = PurePath(nodeid.partition("::")[0])
    return any(
        file.match(path) and nodeid.startswith(f"{file}{colons}{name}")
        for path, colons, name in (entry.partition("::") for entry in CHECK)
    )


def paths_of_check() -> list[Path]:
    """Return the files that have the tests of `make check`, and other tests."""
    entries = [entry.partition("::")[0] for entry in CHECK]
    paths = {path for entry in entries for path in TESTING.glob(entry)}
    out = {TESTING / name for name in NOT_CHECK}
    return [*sorted(paths - out), TESTING / "selftests"]


def group_of(nodeid: str) -> str:
    """Return the name of the tests that one worker runs together."""
    step = step_of(nodeid)
    if step in UNDIVIDED:
        return step
    if step in PACKAGES:
        return nodeid.split("::")[0]
    return nodeid


def rank(item: Any) -> tuple[int, str, int, str]:
    step, _, place = step_of(item.nodeid).partition("-")
    order = [*STEPS, "others"].index(step)
    if item.nodeid == FIRST:
        order = -1
    is_short = not any(name in item.nodeid for name in LONG.split())
    return order, place, int(is_short), group_of(item.nodeid)


def steps_in(args: list[str]) -> set[str]:
    """Return the steps that have tests in these words of a command line."""
    found = set()
    for word in args:
        path = Path(word.partition("::")[0]).resolve()
        if word.startswith("-") or not path.exists():
            continue
        for name, step in PATHS:
            if path == TESTING / name or path in (TESTING / name).parents:
                found.add(step)
            elif (TESTING / name) in path.parents:
                found.add(step)
                break
    return found


def build_tools(*targets: str) -> None:
    """Build what several tests share: they must not build it at the same time."""
    command: Words = ["make", f"-j{os.cpu_count()}", "-C", ROOT / "tools", *targets]
    build(command, stage.PLACE / "tools.log", "the tools and their tests do not build")


def build_package_and_tools(*goals: str) -> None:
    stage.build_package()
    if goals:
        build_tools(*goals)


def build_modules() -> None:
    """Build the modules for the distribution's kernel, with KUnit beside them."""
    tree = kernel.prepare(CHECK_PLACE)
    kunit_module.make(tree)
    with built_modules(tree):
        pass


def prepare(args: list[str]) -> None:
    """Make what the chosen tests need to be read, and what several of them share: the
    modules beside the programs."""
    stage.PLACE.mkdir(parents=True, exist_ok=True)
    chosen = steps_in(args)
    packages = chosen.intersection(PACKAGES)
    if "--tier=check" in args:
        setup(*CHECK_JOBS)
        goals = ["check-ready"]
    else:
        goals = find_goals(chosen, packages)
    jobs: list[Callable[[], None]] = []
    if chosen & set(MACHINES):
        jobs.append(build_modules)
    if packages or goals:
        jobs.append(partial(build_package_and_tools, *goals))
    with ThreadPoolExecutor() as pool:
        try:
            for job in [pool.submit(job) for job in jobs]:
                job.result()
        except BaseException:  # also a signal: the pool waits for its threads
            stop_children()
            guest.stop_all()
            raise


def find_goals(chosen: set[str], packages: set[str]) -> list[str]:
    """Install what these steps need. Return what they need of the tools."""
    if chosen:
        setup("build", "vm", "kunit", "check")
    if "build" in chosen:
        setup("style")
    if packages:
        setup("nexus")
    if "languages" in chosen:
        setup("languages")
    if chosen & {"docs", "wheels"}:
        setup("site", "scope")
    goals = ["check-ready"] if chosen & {"tools", "kafka", "live"} else []
    goals += ["all"] if "nexus" in packages else []
    return goals + (["scope-ready"] if packages & {"scope", "live"} else [])
