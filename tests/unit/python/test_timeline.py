# SPDX-License-Identifier: LGPL-2.1-or-later
"""The timeline of random recordings, whose truth is known."""

from __future__ import annotations

import copy
import errno
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zio
from hypothesis import HealthCheck, given, note, seed, settings
from hypothesis import strategies as st

from zio_testing.common import seed_of_commit

from .conftest import Maker, make_control

SECOND = 10**9
YEAR = 365 * 86400 * SECOND
# Indices of attributes of the trigger
POST, PRE, CLOCK, NUM, DEN, FIRST, ERROR = 1, 2, 3, 5, 6, 7, 9
LOST, MISSED, EPOCH = 10, 11, 12
LOST_BLOCK, LOST_TRIGGER, MSB_ALIGN, INTERLEAVED = 1, 2, 4, 0x40
RATES = [(1, 60), (1000, 1), (44100, 1), (1411200, 29), (999983, 7), (100_000_000, 1)]
LENGTHS = [1, 2, 7, 100, 4096, 1_000_003]
# A shorter block is not told from the latency of an interrupt.
SHORTEST = 2_000_000
LONGEST = 1000 * SECOND
# Blocks that a timeline needs to know a stream
SETTLED = 10

SEED = seed_of_commit()
thorough = settings(
    max_examples=500,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@dataclass
class Board:
    """A stream of blocks, or one block per event: what it has done, and its controls.

    `now` is when its next sample is taken, in ns, and `offset` what its clock is ahead.
    """

    rate: Fraction
    length: int
    is_new: bool
    error: int
    jitter: int
    pre: int = 0
    first_ps: int = 0
    epoch: int = 1
    number: int = 0
    now: Fraction = Fraction(1_700_000_000 * SECOND)
    offset: int = 0
    values: dict[str, int] = field(default_factory=dict)
    controls: list[np.void] = field(default_factory=list, repr=False)
    truth: list[dict[str, Any]] = field(default_factory=list, repr=False)

    @property
    def period(self) -> Fraction:
        return SECOND / self.rate

    @property
    def block(self) -> Fraction:
        return self.length * self.period

    def stamp(self, late: int) -> int:
        """Return the time stamp of the block that begins now."""
        event = self.now + self.pre * self.period - Fraction(self.first_ps, 1000)
        return int(event) + self.offset + late

    def put(self, late: int = 0, length: int | None = None, **truth: Any) -> None:
        """Take a block, whose stamp is `late`; `truth` is what lies before it."""
        length = self.length if length is None else length
        control = make_control(self.number, length * max(1, self.mask.bit_count()), 2)
        secs, ticks = divmod(self.stamp(late), SECOND)
        control["tstamp"]["secs"], control["tstamp"]["ticks"] = secs, ticks
        self._describe(control, truth)
        truth["first"] = self.stamp(late) + Fraction(self.first_ps, 1000)
        truth["first"] -= self.pre * self.period if self.is_new else 0
        self.controls.append(control)
        self.truth.append(truth)
        self.number = (self.number + 1) % 2**32
        self.now += length * self.period

    @property
    def mask(self) -> int:
        return self.values.get("mask", 0)

    def _describe(self, control: np.void, truth: dict[str, Any]) -> None:
        trigger, channel = control["attr_trigger"], control["attr_channel"]
        wanted = {POST: self.values.get("shape", 0), CLOCK: self.values.get("clock", 0)}
        if self.is_new:
            low, high = self.first_ps & 0xFFFFFFFF, self.first_ps >> 32 & 0xFFFFFFFF
            wanted |= {NUM: self.rate.numerator, DEN: self.rate.denominator}
            wanted |= {FIRST: low, FIRST + 1: high, PRE: self.pre, EPOCH: self.epoch}
            wanted |= {LOST: truth.get("lost", 0), MISSED: truth.get("missed", 0)}
        elif truth.get("lost"):
            control["zio_alarms"] |= LOST_BLOCK
        if not self.is_new and truth.get("missed"):
            control["zio_alarms"] |= LOST_TRIGGER
        if self.error:
            wanted[ERROR] = self.error
        for index, value in wanted.items():
            trigger["std_mask"] |= 1 << index
            trigger["std_val"][index] = value
        for name, index in ("unit", 5), ("scale", 9), ("sign", 8):
            channel["std_mask"] |= 1 << index
            channel["std_val"][index] = self.values.get(name, 0)
        control["nbits"] -= self.values.get("bits", 0)
        control["ssize"] += self.values.get("sample size", 0)
        control["flags"] |= self.values.get("byte order", 0) * MSB_ALIGN
        if self.mask:
            control["flags"] |= INTERLEAVED
            control["tlv"]["type"] = control["tlv"]["length"] = 1
            payload = np.array([self.mask], np.uint64).view(np.uint8)
            control["tlv"]["payload"] = payload


CHANGES = {
    "unit": 1,
    "scale": 5,
    "sign": 1,
    "bits": 4,
    "sample size": 2,
    "byte order": 1,
    "clock": 11,
    "shape": 9,
    "channels": 0b1011,
}


def is_usual(rate: Fraction, length: int) -> bool:
    return SHORTEST <= length * SECOND / rate <= LONGEST


class Recorder:
    """Draws what happens to a board."""

    def __init__(
        self, draw: st.DrawFn, is_stream: bool, lengths: Sequence[int] = LENGTHS
    ) -> None:
        self.draw, self.is_stream = draw, is_stream
        rates = [Fraction(num, den) for num, den in RATES]
        pairs = [(rate, length) for rate in rates for length in lengths]
        rate, length = draw(st.sampled_from([pair for pair in pairs if is_usual(*pair)]))
        is_new = draw(st.booleans())
        block = int(length * SECOND / rate)
        error = draw(st.sampled_from([0, 1, 1000, block // 20])) if is_new else 0
        jitter = draw(st.integers(0, error if error else 20_000))
        self.board = Board(rate, length, is_new, min(error, 2**32 - 1), jitter)
        self.board.jitter = min(jitter, self.board.error) if error else jitter
        self.board.number = draw(st.sampled_from([0, 5, 2**32 - 12]))
        if is_new:
            self.board.pre = draw(st.sampled_from([0, 0, 1, length // 2, length]))
            self.board.first_ps = draw(st.integers(-(10**9), 10**9))

    def put(self, length: int | None = None, **truth: Any) -> None:
        board = self.board
        if not self.is_stream:
            board.now += board.block * self.draw(st.integers(2, 40)) // 2
        late = self.draw(st.integers(-board.jitter, board.jitter))
        board.put(late, length, **truth)

    def plain(self, count: int) -> None:
        for _ in range(count):
            self.put()

    def small(self, most: int = 9) -> int:
        return self.draw(st.integers(1, most))

    # --- what may happen

    def gap(self) -> None:
        """Blocks are lost, or taken; an older control tells one of both."""
        lost, taken = self.draw(st.sampled_from([(1, 0), (0, 1), (1, 1)]))
        lost, taken = lost * self.small(), taken * self.small()
        if not self.board.is_new and lost:
            taken = 0
        pause = self._pause() if self.is_stream and self.draw(st.booleans()) else 0
        self.board.number = (self.board.number + lost + taken) % 2**32
        self.board.now += (lost + taken) * self.board.block + pause
        self.put(lost=lost, taken=taken, pause_ns=pause)

    def miss(self) -> None:
        """Events are missed; an older control does not tell how many."""
        missed = self.small() if self.board.is_new else 1
        self.board.now += missed * self.board.block
        self.put(missed=missed)

    def _pause(self) -> int:
        return int(self.board.block * self.small(50)) + SECOND // 100

    def pause(self) -> None:
        pause = self._pause()
        self.board.now += pause
        self.put(pause_ns=pause if self.is_stream else 0)

    def restart(self) -> None:
        """The device is there again: by EPOCH, or by its numbers."""
        if not self.board.is_new and not 1 < self.board.number < 2**31:
            return
        outage = self.small(10**6) * SECOND
        self.board.now += outage
        self.board.number = self.draw(st.sampled_from([0, 1]))
        if self.board.is_new:
            self.board.epoch += 1
            self.board.number = self.draw(st.sampled_from([0, self.board.number, 10**6]))
        self.put(outage=1, outage_ns=outage if self.is_stream else None)
        self.plain(SETTLED)

    def set_clock(self) -> None:
        board = self.board
        halves = self.draw(st.sampled_from([1, 2, 1000]))
        back = int(board.block) * halves // 2 + SECOND // 50
        if not self.is_stream:
            back += int(board.block) * 50
        step = self.draw(st.sampled_from([-back, 2 * YEAR, 50 * YEAR]))
        if board.stamp(0) + step > 9 * 10**18 or board.stamp(0) + step < 10**12:
            step = -back
        board.offset += step
        self.put(step_ns=step, event_ns=not self.is_stream)

    def change(self) -> None:
        name = self.draw(st.sampled_from([*CHANGES, "rate"]))
        if name == "rate":
            if not self.board.is_new:
                return
            # A sample more in the same time
            self.board.rate *= Fraction(3, 2)
        else:
            key = "mask" if name == "channels" else name
            value = self.board.values.get(key, 0)
            self.board.values[key] = 0 if value else CHANGES[name]
        self.put(changes=(name,))
        self.plain(SETTLED)

    def empty(self) -> None:
        """A block without samples"""
        self.put(0)

    def run(self) -> Board:
        what = [self.gap, self.miss, self.pause, self.restart, self.set_clock]
        what += [self.change, self.empty]
        self.plain(SETTLED)
        for _ in range(self.draw(st.integers(0, 12))):
            self.draw(st.sampled_from(what))()
            self.plain(self.draw(st.integers(2, 4)))
        return self.board


@st.composite
def boards(draw: st.DrawFn, is_stream: bool) -> Board:
    return Recorder(draw, is_stream).run()


def wanted_breaks(truth: dict[str, Any]) -> set[str]:
    names = {name for name in ("lost", "taken", "missed", "outage") if truth.get(name)}
    names |= {"pause"} if truth.get("pause_ns") else set()
    names |= {"clock step"} if truth.get("step_ns") else set()
    return names | ({"change"} if truth.get("changes") else set())


def check_times(board: Board, place: zio.Place, truth: dict[str, Any]) -> None:
    """Each sample is where the formula of <linux/zio-std-attr.h> puts it."""
    if not board.is_new:
        assert place.time_ns == truth["first"]
        return
    assert place.rate_source == "control"
    for number in {0, place.samples // 3, max(place.samples - 1, 0)}:
        time = truth["first"] + number * SECOND / place.rate
        exact = int(time * 1000 // 1)
        assert place.sample_time(number) == divmod(exact, 1000)
    assert (place.first.ns, place.first.ps) == place.sample_time(0)


def check_sizes(board: Board, place: zio.Place, truth: dict[str, Any]) -> None:
    for name in "lost", "taken", "missed":
        assert getattr(place, name) == truth.get(name, 0), name
    assert place.lost_samples == truth.get("lost", 0) * board.length
    # Jitter of both stamps, whole ns, and what an estimate of the rate is wrong by
    error = Fraction(2 * board.jitter + 5)
    if not board.is_new:
        error += board.block / 100 + 10**6
    for name in "outage_ns", "pause_ns", "step_ns":
        wanted = None if truth.get("event_ns") else truth.get(name, 0)
        if wanted is not None:
            assert abs(getattr(place, name) - wanted) <= error + abs(wanted) * 1e-12, name


def check(board: Board, is_stream: bool) -> None:
    timeline, counts = zio.Timeline(), Counter[str]()
    for i, (control, truth) in enumerate(zip(board.controls, board.truth, strict=True)):
        place = timeline.add(control)
        note(f"{i}: {control['seq_num']} {place} {truth} {place.rate}")
        wanted = wanted_breaks(truth)
        assert set(place.breaks) == wanted
        assert place.changes == truth.get("changes", ())
        check_times(board, place, truth)
        check_sizes(board, place, truth)
        if i and board.is_new:
            assert place.continues == (is_stream and not wanted)
        counts.update(wanted)
        for name in "lost", "taken", "missed":
            counts[f"n_{name}"] += truth.get(name, 0)
    account = timeline.account()
    assert account.blocks == len(board.controls)
    assert account.is_clean == (not any(counts.values()))
    assert account.gaps == counts["lost"]
    for name in "lost", "taken", "missed":
        assert getattr(account, name) == counts[f"n_{name}"], name
    pairs = ("outages", "outage"), ("pauses", "pause"), ("steps", "clock step")
    for name, what in *pairs, ("changes", "change"):
        assert getattr(account, name) == counts[what], name


@seed(SEED)
@thorough
@given(boards(is_stream=True))
def test_streams(board: Board) -> None:
    check(board, True)


@seed(SEED)
@thorough
@given(boards(is_stream=False))
def test_events(board: Board) -> None:
    if board.is_new:
        check(board, False)


@seed(SEED)
@thorough
@given(
    st.booleans(),
    st.lists(st.integers(1, 8), max_size=2, unique=True),
    st.lists(st.integers(5, 20), max_size=9),
    st.integers(0, 40_000),
)
def test_early_pauses(
    is_new: bool, early: list[int], distances: list[int], jitter: int
) -> None:
    """The account has also the pauses that came before anybody could know a stream, and
    a rate; and so has a second pass with the rate of the first one. An estimate bears
    fewer pauses than a quarter of the steps."""
    later = (8 + np.cumsum(distances)).tolist()
    board = Board(Fraction(1000), 100, is_new, 0, 0)
    for number in range(8 + sum(distances) + 12):
        board.now += board.block * 3 if number in (*early, *later) else 0
        board.put(number * number * 7919 % (jitter + 1))
    first = zio.Timeline()
    first.add_all(np.array(board.controls))
    rate = first.rate.value
    assert rate is not None and abs(rate - 1000) < (1 if is_new else 10)
    second = zio.Timeline(rate)
    places = second.add_all(np.array(board.controls))
    for timeline in first, second:
        account = timeline.account()
        note(str(account))
        assert account.is_stream and account.steps == 0
        assert account.pauses == len(early) + len(later)
        assert abs(account.pause_ns - account.pauses * 3 * board.block) <= 10**7
    assert places["rate_num"].all()


# --- the binding


def test_a_file_with_a_gap(block_file: Maker) -> None:
    """A block and its control have one place; the account is a sentence."""
    timeline, other = zio.Timeline(), zio.Timeline(rate=Fraction(16))
    with zio.open(block_file([*range(5), 7, 8])) as ch:
        for block in ch:
            place = timeline.add(block)
            assert place.time_ns == block.time_ns
            assert place.breaks == (("taken",) if block.seq == 7 else ())
            assert other.add(block.control).rate == 16
    account = timeline.account()
    assert str(account) == "2 blocks taken by another reader"
    assert not account.is_clean and account.blocks == 7
    assert timeline.rate == zio.Rate(Fraction(16), "estimated", None)
    assert other.rate.source == "given"
    account.add(other.account())
    assert account.taken == 4
    assert repr(account) == "<zio.TimelineAccount 4 blocks taken by another reader>"
    account.forget_taken()
    assert account.is_clean and account.taken == 0
    with pytest.raises(AttributeError, match="an account has no 'found'"):
        _ = account.found
    assert str(zio.TimelineAccount(lost=3, gaps=1)) == "3 blocks lost in 1 gap"
    with pytest.raises(TypeError, match="an account has no 'found'"):
        zio.TimelineAccount(found=1)


def test_many_controls() -> None:
    controls = np.array([make_control(number, 4, 2) for number in (1, 2, 3, 9, 10)])
    timeline, other = zio.Timeline(), zio.Timeline()
    places = timeline.add_all(controls)
    for row, control in zip(places, controls, strict=True):
        place = other.add(control)
        assert row["first"]["ns"] == place.time_ns
        assert row["taken"] == place.taken and row["continues"] == place.continues
    assert places["taken"].tolist() == [0, 0, 0, 5, 0]
    assert not len(timeline.add_all(controls[:0]))
    controls["tstamp"]["secs"][1] = 2**63
    with pytest.raises(zio.Error, match="block 2: its time, 9223372036854775808 s") as e:
        timeline.add_all(controls)
    assert e.value.errno == errno.ERANGE
    assert timeline.account().blocks == 6


def test_times_of_samples() -> None:
    control = make_control(1, 5, 2)
    place = zio.Timeline(rate=3).add(control)
    start = 1_700_000_001 * SECOND + 5
    assert place.rate == 3 and place.rate_source == "given"
    assert place.sample_time(2) == (start + 666_666_666, 666)
    wanted = [start + number * SECOND // 3 for number in range(5)]
    assert place.times_ns().tolist() == wanted
    assert repr(place) == f"<zio.Place at {start} ns, begins>"
    control["tstamp"]["secs"] = control["tstamp"]["ticks"] = 0
    place = zio.Timeline().add(control)
    assert place.time_ns is None and place.rate is None
    for ask in (lambda: place.sample_time(0), place.times_ns):
        with pytest.raises(zio.Error) as e:
            ask()
        assert e.value.errno == errno.ENODATA
    with pytest.raises(AttributeError, match="a place has no 'end'"):
        _ = place.end


def test_times_of_a_block(tmp_path: Path) -> None:
    """They are those of the timeline: samples before the event, shots, two channels."""
    control = make_control(1, 24, 2)
    trigger = control["attr_trigger"]
    for index, value in (PRE, 2), (NUM, 3), (DEN, 1), (FIRST, 5500), (FIRST + 1, 0):
        trigger["std_mask"] |= 1 << index
        trigger["std_val"][index] = value
    control["flags"] |= INTERLEAVED
    control["tlv"]["type"], control["tlv"]["payload"][0] = 1, 0b101
    path = tmp_path / "blocks"
    path.write_bytes(control.tobytes() + bytes(48))
    start = 1_700_000_001
    exact = [5 + Fraction(11, 2) + (k - 2) * Fraction(SECOND, 3) for k in range(12)]
    with zio.open(str(path)) as ch:
        block = next(iter(ch))
        times = block.times(start=start)
        assert block.times(rate=7, start=start).tolist() == times.tolist()
    assert times[::2].tolist() == times[1::2].tolist()
    assert np.abs(times[::2] * SECOND - np.array(exact, float)).max() < 0.002
    control["tlv"]["type"], control["tlv"]["payload"][0] = 4, 3
    trigger["ext_val"][8:10] = SECOND, 3_000_000_000
    path.write_bytes(control.tobytes() + bytes(48))
    with zio.open(str(path)) as ch:
        shots = next(iter(ch)).times(start=start).reshape(3, 8)
    assert np.abs((shots - shots[0])[1:] - [[1], [3]]).max() < 1e-12
    control["tstamp"]["secs"] = control["tstamp"]["ticks"] = 0
    path.write_bytes(control.tobytes() + bytes(48))
    with zio.open(str(path)) as ch, pytest.raises(zio.Error) as e:
        next(iter(ch)).times()
    assert e.value.errno == errno.ENODATA


def test_wrong_arguments() -> None:
    timeline = zio.Timeline()
    for rate in (-1, 1e-11, 1e11):
        with pytest.raises(ValueError, match="samples per second"):
            timeline.set_rate(rate)
    timeline.set_rate(44100.5)
    assert timeline.rate.value == Fraction(88201, 2)
    timeline.set_rate(None)
    assert timeline.rate == zio.Rate(None, "unknown", None)
    with pytest.raises(TypeError, match="str is not a control"):
        timeline.add("block")
    with pytest.raises(TypeError, match="a zio.Timeline cannot be copied"):
        copy.copy(timeline)
    control = make_control(1, 5, 2)
    timeline.add(control)
    control["addr"]["chan"] += 1
    with pytest.raises(zio.Error, match="block 1 is of another channel") as e:
        timeline.add(control)
    assert e.value.errno == errno.EINVAL
