# SPDX-License-Identifier: GPL-2.0-only
"""How a selftest in a machine is judged"""

import contextlib
from typing import Any

import pytest

from zio_testing import runner
from zio_testing.guest import Outcome
from zio_testing.runner import STALL, Verdict
from zio_testing.tap import PASSED, Part, Results

FAULT = "[    1.0] BUG: KASAN: use-after-free in f+0x40/0x50 [zio]\n"
WATCHDOG = "[    1.0] watchdog: BUG: soft lockup - CPU#0 stuck for 26s!\n"
CARD = "sspci: card 0 saw 1 faults"
BITTEN, BROKEN = "a watchdog of the kernel bit", "the kernel reported a fault"
WRONG, LATE = "the software used the card wrongly", "no end after"
LONG, SHORT = STALL + 1, STALL - 1
# The log, the faults of the cards, the status, and for how long the host stalled; then
# the failures, and whether this is a stall
CASES: dict[str, tuple[str, list[str], int, int, list[str], bool]] = {
    "good": ("", [], 0, 0, [], False),
    "a stall alone": ("", [], 0, LONG, [], False),
    "watchdog, stalled": (WATCHDOG, [], 0, LONG, [BITTEN], True),
    "watchdog, not stalled": (WATCHDOG, [], 0, SHORT, [BITTEN], False),
    "watchdog and fault": (WATCHDOG + FAULT, [], 0, LONG, [BROKEN], False),
    "fault": (FAULT, [], 0, LONG, [BROKEN], False),
    "card": ("", [CARD], 0, LONG, [WRONG], False),
    "late, stalled": ("", [], 124, LONG, [LATE], True),
    "late, not stalled": ("", [], 124, SHORT, [LATE], False),
    "late, watchdog": (WATCHDOG, [], 124, LONG, [BITTEN, LATE], True),
    "late, fault": (FAULT, [], 124, LONG, [BROKEN, LATE], False),
}


@pytest.mark.parametrize("name", CASES)
def test_judge(name: str) -> None:
    log, cards, status, stalled, failures, is_stall = CASES[name]
    results = Results([Part("a", PASSED)])
    verdict = runner.judge(Outcome("", status, log, 9.0, stalled), results, cards)
    found = [part.name for part in verdict.results.failures]
    assert len(found) == len(failures)
    assert all(map(str.startswith, found, failures))
    assert verdict.is_stall == is_stall


def failing(is_stall: bool) -> Verdict:
    results = Results()
    results.fail("x")
    return Verdict(results, is_stall)


GOOD, STALLED, FAILS = Verdict(Results()), failing(True), failing(False)


@pytest.mark.parametrize(
    ("verdicts", "runs"),
    [([GOOD], 1), ([FAILS, GOOD], 1), ([STALLED, GOOD], 2), ([STALLED, STALLED], 2)],
)
def test_stall_is_repeated_once(
    verdicts: list[Verdict], runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = iter([*verdicts, GOOD])
    monkeypatch.setattr(runner, "resumed", contextlib.nullcontext)
    monkeypatch.setattr(runner, "run_in", lambda running, test: next(left))
    nothing: Any = None
    assert runner.run_selftest(nothing, nothing) is verdicts[runs - 1]
    assert len(list(left)) == len(verdicts) + 1 - runs
