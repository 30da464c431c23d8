# SPDX-License-Identifier: GPL-2.0-only
"""The choice of quick among the tests that judge a change: those whose times fit"""

from dataclasses import dataclass, field

from . import judges
from .steps import WIDTH

UNKNOWN_SECONDS = 10.0


@dataclass
class Chosen:
    """Tests as pytest names them, the most telling first."""

    tests: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    not_judged: list[str] = field(default_factory=list)


def seconds_of(test: str) -> float:
    return judges.read_map().seconds.get(test, UNKNOWN_SECONDS)


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
