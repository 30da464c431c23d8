# SPDX-License-Identifier: LGPL-2.1-or-later
"""zio.load() of random recordings: each sample has its value and its time, or lies in a
hole that is told."""

from __future__ import annotations

import warnings
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zio
from hypothesis import HealthCheck, assume, given, note, seed, settings
from hypothesis import strategies as st

from zio_testing.common import seed_of_commit

from .test_timeline import DEN, NUM, SECOND, Board, Recorder

pytest.importorskip("xarray", reason="this interpreter has no xarray")
LENGTHS = [1, 2, 7, 100, 300]
SEED = seed_of_commit()
thorough = settings(
    max_examples=120,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


class Recording:
    """The blocks of a board, with samples of any size."""

    def __init__(self, board: Board, sizes: tuple[int, int], random: int) -> None:
        self.board = board
        self.random = np.random.default_rng(random)
        self.samples: list[np.ndarray[Any, Any]] = []
        """Of each block: raw numbers of shape (scans, channels)."""
        self.channels: list[list[int | None]] = []
        """The channels of each block; None if it has one"""
        for control in board.controls:
            self._put(control, sizes)

    def _put(self, control: np.void, sizes: tuple[int, int]) -> None:
        less = control["nbits"] % 8  # nothing, or 4 bits
        size = sizes[0] if control["ssize"] == 2 else sizes[1]
        control["ssize"], control["nbits"] = size, 8 * size - less
        is_signed = control["attr_channel"]["std_val"][8]
        dtype = np.dtype(f"{'i' if is_signed else 'u'}{size}")
        channels = zio.controls.channel_numbers(control)
        data = self.random.bytes(int(control["nsamples"]) * size)
        columns = max(1, len(channels))
        self.samples.append(np.frombuffer(data, dtype).reshape(-1, columns))
        self.channels.append(channels or [None])

    def write(self, path: Path, cut: int) -> list[str]:
        """Write two files, the second one from the block `cut` on."""
        blocks = [
            control.tobytes() + samples.tobytes()
            for control, samples in zip(self.board.controls, self.samples, strict=True)
        ]
        parts = [path / "a.zio", path / "b.zio"]
        parts[0].write_bytes(b"".join(blocks[:cut]))
        parts[1].write_bytes(b"".join(blocks[cut:]))
        return [str(part) for part in parts]

    def rate(self, i: int) -> Fraction:
        """Return the rate of a block."""
        if not self.board.is_new:
            return self.board.rate
        trigger = self.board.controls[i]["attr_trigger"]["std_val"]
        return Fraction(int(trigger[NUM]), int(trigger[DEN]))

    def truth(self, channel: int | None) -> tuple[list[int], list[Fraction | None]]:
        """Return the numbers of a channel, and when each was taken: None if an estimate
        of the rate tells it."""
        values: list[int] = []
        times: list[Fraction | None] = []
        for i, truth in enumerate(self.board.truth):
            here = self.channels[i]
            if channel not in here:
                continue
            samples = self.samples[i][:, here.index(channel)].tolist()
            values += samples
            is_told = self.board.is_new
            for k in range(len(samples)):
                time = truth["first"] + k * SECOND / self.rate(i)
                times.append(time if is_told or not k else None)
        return values, times

    def may_be_refused(self) -> bool:
        """Tell whether one array without gaps cannot hold the recording."""
        later = self.board.truth[1:]
        anew = ("outage", "step_ns", "changes")
        has_wide = any(samples.itemsize == 8 for samples in self.samples)
        has_holes = len({len(samples) for samples in self.samples}) > 1 or any(later)
        return has_wide and has_holes or any(t.get(name) for t in later for name in anew)


def load(recording: Recording, files: list[str], gaps: str) -> list[Any]:
    """Load by one of the ways, or by the other one if that is refused with a reason."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found = zio.load(files, volts=False, gaps=gaps)
        except ValueError as error:
            note(str(error))
            assert gaps == "fill" and "gaps='split'" in str(error)
            assert recording.may_be_refused()
            return load(recording, files, "split")
    is_clean = not any(names(truth) for truth in recording.board.truth[1:])
    assert [warning.category for warning in told] == [zio.GapWarning] * (not is_clean)
    return found if isinstance(found, list) else list(found.data_vars.values())


def names(truth: dict[str, Any]) -> list[str]:
    keys = ("lost", "taken", "missed", "outage", "pause_ns", "step_ns", "changes")
    return [name for name in keys if truth.get(name)]


def is_nan(values: np.ndarray[Any, Any]) -> Any:
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), bool)


Moments = list[tuple[int, int]]


def flatten(array: Any) -> tuple[np.ndarray[Any, Any], Moments]:
    """Return all values of an array, and their times: ns, and ps after that."""
    first = array[array.dims[0]].values.astype(np.int64)
    first = first + zio.controls.DATED[array.attrs["clock"]]
    after = np.zeros(1, np.int64)
    if array.ndim == 2:
        after = np.rint(array[array.dims[1]].values * 1e12).astype(np.int64)
    shape = (len(first), array.size // max(len(first), 1))
    ns = np.broadcast_to(first[:, None], shape).reshape(-1)
    ps = np.broadcast_to(after, shape).reshape(-1)
    return array.values.reshape(-1), list(zip(ns.tolist(), ps.tolist(), strict=True))


def check(recording: Recording, arrays: list[Any]) -> None:
    sums = Counter[str]({"lost": 0, "taken": 0, "missed": 0})
    for truth in recording.board.truth[1:]:
        sums.update({name: truth.get(name, 0) for name in sums})
    for channel in {c for found in recording.channels for c in found}:
        name = "fake-0007-1-2" + ("" if channel is None else f".{channel}")
        values: list[int] = []
        times: Moments = []
        for array in arrays:
            if array.name != name:
                continue
            assert {key: array.attrs[key] for key in sums} == sums
            found, moments = flatten(array)
            is_there = ~is_nan(found)
            values += [int(value) for value in found[is_there]]
            times += [moments[i] for i in np.flatnonzero(is_there)]
        true_values, true_times = recording.truth(channel)
        assert values == true_values
        for (ns, ps), exact in zip(times, true_times, strict=True):
            assert exact is None or abs(ns + Fraction(ps, 1000) - exact) <= 1


def check_holes(recording: Recording, array: Any) -> None:
    """NaN lies where samples are missing, with times between those beside it, and nowhere
    else."""
    times = array.time.values.astype(np.int64)
    is_nothing = is_nan(array.values)
    at = 0
    last: tuple[int, Fraction] | None = None
    for i, truth in enumerate(recording.board.truth):
        length = len(recording.samples[i])
        if not length:
            continue
        begin = at + int(np.argmin(is_nothing[at:]))
        if last:
            gap = (truth["first"] - last[1]) * recording.rate(i) / SECOND
            wanted = gap if last[0] != i - 1 or names(truth) else Fraction(0)
            note(f"{i}: {begin - at} of {float(gap)} {truth}")
            assert abs(begin - at - wanted) <= recording.board.length / 2 + 1
            if not names(truth) and last[0] == i - 1:
                assert begin == at
            assert (np.diff(times[at - 1 : begin + 1]) >= 0).all() or begin == at
        at = begin + length
        last = i, truth["first"] + length * SECOND / recording.rate(i)
    assert at == len(times)


@st.composite
def recordings(draw: st.DrawFn, is_stream: bool) -> Recording:
    board = Recorder(draw, is_stream, LENGTHS).run()
    sizes = draw(st.permutations([1, 2, 4, 8]))[:2]
    return Recording(board, (sizes[0], sizes[1]), draw(st.integers(0, 2**32 - 1)))


def run(recording: Recording, gaps: str, folder: Path, cut: float) -> list[Any]:
    board = recording.board
    for i, (control, truth) in enumerate(zip(board.controls, board.truth, strict=True)):
        note(f"{i}: {control['seq_num']} {control['nsamples']} {truth}")
    files = recording.write(folder, int(cut * len(board.controls)))
    arrays = load(recording, files, gaps)
    check(recording, arrays)
    return arrays


WAYS = st.sampled_from(["fill", "split"])
CUTS = st.floats(0, 1)


@seed(SEED)
@thorough
@given(recordings(is_stream=True), WAYS, CUTS)
def test_streams(
    tmp_path_factory: pytest.TempPathFactory, recording: Recording, gaps: str, cut: float
) -> None:
    arrays = run(recording, gaps, tmp_path_factory.mktemp("run"), cut)
    assert all(array.ndim == 1 for array in arrays)
    if len(arrays) == 1:
        check_holes(recording, arrays[0])


@seed(SEED)
@thorough
@given(recordings(is_stream=False), WAYS, CUTS)
def test_events(
    tmp_path_factory: pytest.TempPathFactory, recording: Recording, gaps: str, cut: float
) -> None:
    """Each event is a row. What is lost before it stands beside."""
    board = recording.board
    assume(board.is_new)
    arrays = run(recording, gaps, tmp_path_factory.mktemp("run"), cut)
    first = [array for array in arrays if array.name == arrays[0].name]
    if len(first) == 1 and not board.mask:
        truth = board.truth[1:]
        lost = [sum(t.get(n, 0) for n in ("lost", "taken", "missed")) for t in truth]
        if first[0].ndim == 2:
            assert first[0].missing.values.tolist() == [0, *lost]
