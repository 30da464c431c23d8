# SPDX-License-Identifier: GPL-2.0-only
import numpy as np
import pytest
from zio_scope.decimate import min_max


def slow_min_max(values: list[int], buckets: int) -> list[int]:
    edges = [i * len(values) // buckets for i in range(buckets + 1)]
    parts = [values[a:b] for a, b in zip(edges, edges[1:])]
    return [edge for part in parts for edge in (min(part), max(part))]


@pytest.mark.parametrize("count", [1, 2, 9, 10, 11, 12, 999, 1000, 1001])
@pytest.mark.parametrize("kind", ["u1", "i2", "u4", "f4", "f8"])
def test_as_a_plain_loop(count: int, kind: str) -> None:
    random = np.random.default_rng(count)
    values = random.integers(0, 100, count).astype(kind)
    found = min_max(values, 5)
    assert found.dtype == values.dtype
    wanted = list(values) if count <= 10 else slow_min_max(list(values), 5)
    assert list(found) == wanted


def test_one_peak_among_millions_stays() -> None:
    values = np.zeros(3_000_001, dtype="i2")
    values[1_234_567] = 77
    values[2_999_999] = -5
    found = min_max(values, 800)
    assert len(found) == 1600
    assert (found.max(), found.min()) == (77, -5)
    assert int(found.argmax()) // 2 == 1_234_567 * 800 // 3_000_001


def test_a_gap_shows_where_a_bucket_has_no_values() -> None:
    values = np.arange(1000, dtype=float)
    values[200:400] = np.nan
    found = min_max(values, 10)
    assert np.isnan(found[4:8]).all()
    assert not np.isnan(found[:4]).any() and not np.isnan(found[8:]).any()


def test_no_bucket_is_an_error() -> None:
    with pytest.raises(ValueError, match="use 1 or more"):
        min_max(np.zeros(4), 0)
