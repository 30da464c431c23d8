# SPDX-License-Identifier: LGPL-2.1-or-later
"""The sample recording has what its documentation says."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
import zio
from zio import _sample

NAMES = ("demo-0000-0-0", "demo-0000-0-1", "demo-0000-0-2")


@pytest.fixture(scope="module")
def volts() -> dict[str, np.ndarray]:
    """Return the samples of each channel."""
    found = defaultdict(list)
    with zio.open(zio.sample()) as channel:
        for block in channel:
            found[block.channel].append(block.values().copy())
    return {name: np.concatenate(parts) for name, parts in found.items()}


def test_what_is_lost() -> None:
    lost, alarms = [], []
    with zio.open(zio.sample()) as channel:
        for block in channel:
            if block.lost:
                lost.append((block.channel, block.seq, block.lost))
            if block.control["zio_alarms"]:
                alarms.append((block.channel, block.seq))
    assert lost == [(NAMES[1], 151, 1), (NAMES[1], 301, 1)]
    assert alarms == [(NAMES[1], 151), (NAMES[1], 301)]


def test_times() -> None:
    with zio.open(zio.sample()) as channel:
        times = [block.time_ns for block in channel if block.channel == NAMES[0]]
    assert times[0] == _sample.BEGIN * 10**9
    assert set(np.diff(times)) == {20_000_000}


def test_size(volts: dict[str, np.ndarray]) -> None:
    assert {name: len(v) for name, v in volts.items()} == dict(
        zip(NAMES, (400_000, 398_000, 400_000))
    )
    assert 1e6 < Path(zio.sample()).stat().st_size < 4e6


def test_the_sine(volts: dict[str, np.ndarray]) -> None:
    values = volts[NAMES[0]]
    bins = np.abs(np.fft.rfft(values)) / (len(values) / 2)
    assert np.argmax(bins) * _sample.RATE / len(values) == 440
    assert bins.max() == pytest.approx(1, rel=1e-3)


def test_the_pulses(volts: dict[str, np.ndarray]) -> None:
    """Their heights have two peaks in a histogram."""
    blocks = volts[NAMES[1]].reshape(-1, 8, _sample.SIZE // 8)
    heights = blocks.max(axis=2).ravel()
    assert len(heights) == 398 * 8
    counts, edges = np.histogram(heights, bins=150, range=(0, 3))
    low, high = np.argmax(counts[:75]), 75 + np.argmax(counts[75:])
    assert edges[low] == pytest.approx(1, abs=0.05)
    assert edges[high] == pytest.approx(2, abs=0.05)
    assert counts[65:85].sum() == 0


def test_the_noise(volts: dict[str, np.ndarray]) -> None:
    assert np.std(volts[NAMES[2]]) == pytest.approx(0.1, rel=0.01)
    assert np.mean(volts[NAMES[2]]) == pytest.approx(0, abs=0.001)


def test_the_same_bytes_each_time(tmp_path: Path) -> None:
    _sample.make(str(tmp_path / "again"))
    assert (tmp_path / "again").read_bytes() == Path(zio.sample()).read_bytes()


def test_a_package_without_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_sample, "FILE", tmp_path / "sample.zio")
    with pytest.raises(FileNotFoundError, match="build the package"):
        zio.sample()
