# SPDX-License-Identifier: GPL-2.0-only
"""The map of quick, from files to the tests that cover them. "coverage" writes it."""

import json
from dataclasses import dataclass, field

from . import selftests
from .common import TESTING
from .steps import WIDTH

MAP = TESTING / "map.json"
UNKNOWN_SECONDS = 10.0


@dataclass
class Chosen:
    """Tests as pytest names them, the most telling first."""

    tests: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def can_run(test: selftests.Selftest) -> bool:
    return test.can_run_on("distro")


def tests_of_file(path: str, known: dict[str, list[str]]) -> list[str]:
    """Return the tests of one file. A test is a test of itself."""
    name = path.rsplit("/", 1)[-1]
    if path.startswith("tests/selftests/"):
        own = name.removesuffix(".c").removesuffix(".sh")
        return [f"selftest:{own}"]
    if path.startswith("tests/unit/") and name.endswith(("_test.c", "_test.sh")):
        return [f"program:{name.removesuffix('.c')}"]
    if path.startswith("tools/programs/kafka/"):
        return ["program:kafka"]
    return known.get(path, [])


def path_of(test: str) -> str:
    """Return the name of a test for pytest; empty if it is gone, or runs elsewhere."""
    kind, _, name = test.partition(":")
    if kind == "selftest":
        able = {found.path.stem: found for found in selftests.find_all()}
        fits = name in able and can_run(able[name])
        return f"selftests/{able[name].path.name}" if fits else ""
    for suffix in ("", ".c"):
        if (TESTING / f"unit/{name}{suffix}").exists():
            return f"unit/{name}{suffix}"
    model = f"models/qemu/{name}.c"
    return model if (TESTING / model).exists() else ""


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
    chosen, spent = Chosen(), 0.0
    for test in take_turns([tests_of_file(path, data["files"]) for path in changed]):
        name, cost = path_of(test), seconds.get(test, UNKNOWN_SECONDS)
        if not name or (spent and (spent + cost) / WIDTH > budget):
            chosen.left_out.append(test.partition(":")[2])
            continue
        spent += cost
        chosen.tests.append(name)
    return chosen
