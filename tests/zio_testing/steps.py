# SPDX-License-Identifier: GPL-2.0-only
"""The steps of check: folders of tests, what they need, and their order."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from . import kernel, stage
from .common import ROOT, TESTING, Failure, run_logged, setup

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
    "languages": ["unit/languages"],
    "litmus": ["test_litmus.py"],
    "matrix": ["test_matrix.py"],
    "tools": ["unit", "models/qemu"],
    "mutants": ["test_mutants.py"],
    "kunit": ["test_kunit.py"],
    "vm": ["test_vm.py"],
    "selftests": ["selftests"],
    "intree": ["test_in_tree.py"],
}
# Tests that run only when they are named, as they compile two kernels
NAMED = ("intree",)
PATHS = sorted(
    ((path, step) for step, paths in STEPS.items() for path in paths),
    key=lambda pair: -len(pair[0]),
)
PACKAGES = ("python", "nexus", "scope", "pva", "live", "languages")
# One machine, cluster, or scratch tree serves all tests of these.
UNDIVIDED = "docs live kafka mutants packages pages wheels pva matrix intree".split()
PYTHON_PATHS = (
    TESTING,
    ROOT / "tools/python/build/lib",
    ROOT / "tools/programs/scope",
    ROOT / "tools/programs/pva",
)
# These take longest.
LONG = "fuzz.sh xdma_test set_node_test slink.sh dmaengine_test slink-power.sh storm.sh"


def step_of(nodeid: str) -> str:
    """Return the step of a test; for selftests with the kernel."""
    found = next((step for path, step in PATHS if nodeid.startswith(path)), "others")
    if found == "selftests":
        return f"selftests-{nodeid.rpartition('::')[2]}"
    return found


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
    log = stage.PLACE / "tools.log"
    command = ["make", f"-j{os.cpu_count()}", "-C", ROOT / "tools", *targets]
    if run_logged(command, log):
        end = "\n".join(log.read_text(errors="replace").splitlines()[-40:])
        raise Failure(f"the tools and their tests do not build\n{end}")


def prepare(args: list[str]) -> None:
    """Make what the chosen tests need to be read, and what several of them share."""
    stage.PLACE.mkdir(parents=True, exist_ok=True)
    chosen = steps_in(args)
    if chosen:
        setup("build", "vm", "check", "mutants")
    if chosen & {"selftests", "kunit", "vm", "build", "live", "mutants", "kernel"}:
        kernel.prepare("distro")
    if packages := chosen.intersection(PACKAGES):
        setup("nexus")
        stage.build_package()
        if "nexus" in packages:
            build_tools("all")
        if packages & {"scope", "live"}:
            build_tools("scope-ready")
    if "languages" in chosen:
        setup("languages")
    if chosen & {"docs", "wheels"}:
        setup("site", "scope")
    if chosen & {"tools", "kafka", "live"}:
        build_tools("check-ready")
