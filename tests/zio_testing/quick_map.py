# SPDX-License-Identifier: GPL-2.0-only
"""The map of quick, from files to the tests that cover them. "coverage" writes it."""

import json
from dataclasses import dataclass, field

from . import kernel, selftests
from .common import TESTING

MAP = TESTING / "map.json"
# Seconds after which a selftest has hung, or the host is too slow
LIMIT = 600
# Two run at a time.
WIDTH = 2
UNKNOWN_SECONDS = 10.0


@dataclass
class Chosen:
    """Names of tests, the most telling first."""

    selftests: list[str] = field(default_factory=list)
    programs: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def needs_card(test: selftests.Selftest) -> bool:
    """Tell if a test needs a machine that cannot be saved: with a card, or with the files
    of the host."""
    return bool(test.asks_for("device") | test.asks_for("qemu")) or test.has("host-root")


def can_run(test: selftests.Selftest) -> bool:
    return test.can_run_on("distro") and not needs_card(test)


def kernel_modules(name: str = "distro") -> list[str]:
    """Return the modules of the kernel that selftests ask for, and that are there."""
    place = kernel.prepare(name) / "lib/modules"
    asked = selftests.asked_for(
        "kernel-module", list(filter(can_run, selftests.find_all()))
    )
    return [module for module in asked if any(place.glob(f"*/**/{module}.ko*"))]


def tests_of_file(path: str, known: dict[str, list[str]]) -> list[str]:
    """Return the tests of one file. A test is a test of itself."""
    name = path.rsplit("/", 1)[-1]
    if path.startswith("tests/selftests/"):
        own = name.removesuffix(".c").removesuffix(".sh")
        return [f"selftest:{own}"]
    if path.startswith("tests/unit/") and name.endswith(("_test.c", "_test.sh")):
        return [f"program:{name.removesuffix('.c')}"]
    return known.get(path, [])


def take_turns(lists: list[list[str]]) -> list[str]:
    """Return all tests of @lists once: the first of each list, then the second."""
    result: dict[str, None] = {}
    for at in range(max(map(len, lists), default=0)):
        result.update((tests[at], None) for tests in lists if at < len(tests))
    return list(result)


def choose(changed: list[str], budget: float) -> Chosen:
    """Choose the tests of @changed files whose times fit in @budget seconds. At least one
    is chosen if there is any."""
    data = json.loads(MAP.read_text())
    seconds: dict[str, float] = data["seconds"]
    able = {f"selftest:{t.path.stem}" for t in selftests.find_all() if can_run(t)}
    chosen, spent = Chosen(), 0.0
    for test in take_turns([tests_of_file(path, data["files"]) for path in changed]):
        kind, _, name = test.partition(":")
        if kind == "selftest" and test not in able:
            chosen.left_out.append(name)
            continue
        cost = seconds.get(test, UNKNOWN_SECONDS)
        if spent and (spent + cost) / WIDTH > budget:
            chosen.left_out.append(name)
            continue
        spent += cost
        (chosen.selftests if kind == "selftest" else chosen.programs).append(name)
    return chosen
