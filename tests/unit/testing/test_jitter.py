# SPDX-License-Identifier: GPL-2.0-only
"""The percentiles of the benchmark "jitter"."""

import sys

import pytest

from zio_testing.common import ROOT

sys.path.append(str(ROOT / "bench"))
from suite import jitter  # noqa: E402

# A histogram, and its p50, p99, p99.99 and maximum
HUNDRED = [(ns, 1) for ns in range(100, 0, -1)]
MANY = [(5, 9_998), (70, 1), (900, 1)]
PERCENTILES = {
    "one event": ([(7, 1)], [7, 7, 7, 7]),
    "each event differs, not in order": (HUNDRED, [50, 99, 100, 100]),
    "a rank that is whole": (MANY, [5, 5, 70, 900]),
    "a rank between two events": ([*MANY, (901, 1)], [5, 5, 900, 901]),
    "events that come early": ([(-3, 2), (4, 1)], [-3, 4, 4, 4]),
}
BEFORE, AFTER = "cpu  1 1 1 100 5 1 1 1 0 0", "cpu  21 11 11 130 5 6 6 21 9 9"


@pytest.mark.parametrize("what", PERCENTILES)
def test_percentiles(what: str) -> None:
    histogram, wanted = PERCENTILES[what]
    found = [jitter.percentile(histogram, parts) for _, parts in jitter.SHOWN]
    assert found == wanted


def test_share_of_events_at_least_so_late() -> None:
    assert jitter.survivors([(3000, 1), (1000, 3)]) == [(1.0, 1.0), (3.0, 0.25)]


def test_idle_share() -> None:
    assert jitter.idle_share(BEFORE, AFTER) == 30.0


@pytest.mark.parametrize(
    ("ns", "text"),
    [(64, "0.06"), (9_990, "9.99"), (12_300, "12.3"), (1_230_000, "1230")],
)
def test_microseconds(ns: int, text: str) -> None:
    assert jitter.microseconds(ns) == text
