# SPDX-License-Identifier: GPL-2.0-only
"""The choice of quick among the tests that judge a change: those whose times fit"""

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from . import judges
from .steps import CHECK_PLACE, WIDTH

UNKNOWN_SECONDS = 10.0


@dataclass
class Chosen:
    """Tests as pytest names them, the most telling first."""

    tests: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    not_judged: list[str] = field(default_factory=list)


def seconds_of(test: str) -> float:
    return judges.read_map().seconds.get(test, UNKNOWN_SECONDS)


def seconds_in(results: Path) -> dict[str, float]:
    """Return what each test took in a run of check, which has left these @results."""
    tests = judges.list_tests().values()
    names = {test.removesuffix(".py").replace("/", "."): test for test in tests}
    found: defaultdict[str, float] = defaultdict(float)
    for case in ElementTree.parse(results).iter("testcase"):
        test = names.get(case.get("classname", ""), "")
        if test.startswith("selftests/") and case.get("name") != CHECK_PLACE:
            continue
        if test and case.find("skipped") is None:
            found[test] += float(case.get("time", 0))
    return {test: round(seconds, 1) for test, seconds in found.items()}


def learn(results: Path) -> int:
    """Write the seconds of these @results into the map. Return how many they are."""
    known, new = judges.read_map(), seconds_in(results)
    judges.write_map(judges.Map(known.files, known.seconds | new))
    return len(new)


def take_turns(lists: list[tuple[str, ...]]) -> list[str]:
    """Return all tests of @lists once: the first of each list, then the second."""
    result: dict[str, None] = {}
    for at in range(max(map(len, lists), default=0)):
        result.update((tests[at], None) for tests in lists if at < len(tests))
    return list(result)


def choose(changed: list[str], budget: float) -> Chosen:
    """Choose tests of @changed files: the first of each file, and others whose times fit
    in @budget seconds."""
    code = {path: judges.tests_of(path) for path in changed if judges.is_code(path)}
    chosen = Chosen(not_judged=[path for path, tests in code.items() if not tests])
    first = {tests[0] for tests in code.values() if tests}
    spent = sum(map(seconds_of, first))
    for test in take_turns(list(code.values())):
        cost = 0 if test in first else seconds_of(test)
        if cost and (spent + cost) / WIDTH > budget:
            chosen.left_out.append(test)
        else:
            spent += cost
            chosen.tests.append(test)
    return chosen
