# SPDX-License-Identifier: GPL-2.0-only
"""Turns the blocks of the chosen channels into frames."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .crossing import find_crossing
from .decimate import min_max
from .frame import (
    FLAG_DECIMATED,
    FLAG_PAUSED,
    FLAG_TRIGGERED,
    SPECTRUM,
    WAVEFORM,
    Frame,
    Line,
)
from .samples import Block, Samples, Trace
from .spectrum import MAX_SAMPLES, spectrum_db
from .view import View

# This fraction of a triggered picture precedes the crossing.
BEFORE = 0.25
# Largest total width of the holes of a channel, in samples
WIDEST = 1 << 18
SECOND_NS = 10**9


@dataclass(frozen=True)
class Channel:
    """The blocks of one channel in a picture, and their samples in sequence. Sample i is
    at @begin + i * @step, in samples of the first channel."""

    index: int
    blocks: Sequence[Block]
    samples: Samples
    begin: float = 0.0
    step: float = 1.0

    @property
    def end(self) -> float:
        """Return the position of the last sample."""
        return self.begin + max(len(self.samples) - 1, 0) * self.step

    @property
    def missing(self) -> int:
        return sum(block.lost for block in self.blocks)

    def line(self, values: Samples, first: float, step: float) -> Line:
        last, count = self.blocks[-1], len(self.blocks)
        return Line(
            self.index, values, last.seq, last.time_ns, count, self.missing, first, step
        )

    def part(self, low: float, high: float, zero: float, width: int) -> tuple[Line, bool]:
        """Return the line from @low to @high, relative to @zero, and whether minima and
        maxima replace its samples."""
        start = math.floor((low + zero - self.begin) / self.step)
        stop = math.ceil((high + zero - self.begin) / self.step) + 1
        start = min(max(start, 0), len(self.samples))
        stop = min(max(stop, start), len(self.samples))
        values = min_max(self.samples[start:stop], width)
        first = self.begin + start * self.step - zero
        step = self.step * (stop - start) / len(values) if len(values) else self.step
        return self.line(values, first, step), len(values) < stop - start


def rates_of(lists: Sequence[list[Block]], view: View) -> list[float]:
    """Return the values per second of each channel; [] if any is unknown."""
    newest = [blocks[-1] for blocks in lists]
    rates = [(last.rate or view.rate or 0.0) * last.in_turn for last in newest]
    return rates if all(rates) else []


Snapshot = Mapping[str, tuple[int, list[Block]]]


def take_snapshot(traces: Iterable[Trace]) -> Snapshot:
    return {trace.name: (trace.index, trace.snapshot()) for trace in traces}


def pick_event(lists: Sequence[list[Block]], count: int) -> list[list[Block]]:
    """Return the last @count blocks of each list, up to the newest event that all lists
    share. If they share none, return the newest blocks of each list.

    The newest event is the last to arrive, whatever its time: a clock may go back, and a
    time may be wrong."""
    full = [blocks for blocks in lists if blocks]
    common = set.intersection(*({b.time_ns for b in blocks} for blocks in full))
    times = (block.time_ns for block in reversed(full[0]))
    newest = next((time_ns for time_ns in times if time_ns in common), None)
    picked = []
    for blocks in lists:
        if newest is not None:
            while blocks and blocks[-1].time_ns != newest:
                blocks = blocks[:-1]
        picked.append(blocks[-count:])
    return picked


def join(blocks: Sequence[Block]) -> Samples:
    """Return the samples in sequence. In place of missing blocks, insert a gap (NaN) as
    wide as the next block."""
    parts: list[Samples] = []
    for number, block in enumerate(blocks):
        if number and block.lost:
            parts.append(np.full(max(1, len(block.samples)), np.nan))
        parts.append(block.samples)
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def join_by_time(blocks: Sequence[Block], rate: float) -> Samples:
    """Return the samples in sequence, with gaps where their times show that samples are
    missing."""
    parts: list[Samples] = []
    count = 0
    for block in blocks:
        at = round((block.first_ns - blocks[0].first_ns) * rate / SECOND_NS)
        if at > count and not block.follows:
            parts.append(np.full(at - count, np.nan))
            count = at
        parts.append(block.samples)
        count += len(block.samples)
    return np.concatenate(parts)


def _end_ns(block: Block, rate: float) -> int:
    return block.first_ns + round(len(block.samples) * SECOND_NS / rate)


def _goes_on(before: Block, after: Block) -> bool:
    """Tell whether the clock and rate stay the same, and time does not go back."""
    is_like = (before.clock, before.rate) == (after.clock, after.rate)
    return is_like and before.first_ns <= after.first_ns


def reach(
    blocks: list[Block], last: Block, low_ns: int, high_ns: int, rate: float
) -> list[Block]:
    """Return @last and its neighbours that have samples between two times. Stop at a
    clock that was set, a different rate, or too wide a hole."""
    begin = next(i for i, block in enumerate(blocks) if block is last)
    end, hole_ns = begin + 1, 0
    while begin and _goes_on(blocks[begin - 1], blocks[begin]):
        end_ns = _end_ns(blocks[begin - 1], rate)
        hole_ns += max(blocks[begin].first_ns - end_ns, 0)
        if end_ns <= low_ns or hole_ns * rate > WIDEST * SECOND_NS:
            break
        begin -= 1
    while end < len(blocks) and _goes_on(blocks[end - 1], blocks[end]):
        if blocks[end].first_ns >= high_ns:
            break
        end += 1
    return blocks[begin:end]


def have_one_clock(lists: Sequence[list[Block]]) -> bool:
    clocks = {block.clock for blocks in lists for block in blocks}
    return len(clocks) == 1 and "" not in clocks


def are_in_step(lists: Sequence[list[Block]], rates: list[float]) -> bool:
    """Tell whether all channels sample at the same times."""
    shapes = {
        (rate, *((block.first_ns, len(block.samples)) for block in blocks))
        for blocks, rate in zip(lists, rates)
    }
    return len(shapes) == 1


def choose(snapshot: Snapshot, view: View) -> list[Channel]:
    """Return the channels of the view. If all channels are in step, block follows block.
    Otherwise put each sample at its time, if rates and a common clock are known."""
    found = [snapshot[name] for name in view.channels if name in snapshot]
    found = [(index, blocks) for index, blocks in found if blocks]
    if not found:
        return []
    lists = [blocks for _, blocks in found]
    picked = pick_event(lists, view.blocks)
    rates = rates_of(picked, view)
    indices = [index for index, _ in found]
    if not rates:
        return [Channel(i, blocks, join(blocks)) for i, blocks in zip(indices, picked)]
    steps = [rates[0] / rate for rate in rates]
    if are_in_step(picked, rates) or not have_one_clock(picked):
        return [
            Channel(i, blocks, join(blocks), 0.0, step)
            for i, blocks, step in zip(indices, picked, steps)
        ]
    low_ns = min(blocks[0].first_ns for blocks in picked)
    high_ns = max(_end_ns(blocks[-1], rate) for blocks, rate in zip(picked, rates))
    parts = [
        reach(blocks, part[-1], low_ns, high_ns, rate)
        for blocks, part, rate in zip(lists, picked, rates)
    ]
    zero_ns, unit = parts[0][0].first_ns, rates[0] / SECOND_NS
    return [
        Channel(i, part, join_by_time(part, rate), (part[0].first_ns - zero_ns) * unit, s)
        for i, part, rate, s in zip(indices, parts, rates, steps)
    ]


def _index_of(snapshot: Snapshot, name: str) -> int | None:
    return snapshot[name][0] if name in snapshot else None


def _by_name(channels: list[Channel], snapshot: Snapshot, name: str) -> Channel | None:
    """Return the channel @name, or the first one if @name is empty."""
    if not name:
        return channels[0]
    index = _index_of(snapshot, name)
    return next((c for c in channels if c.index == index), None)


def _origin(
    channels: list[Channel], snapshot: Snapshot, view: View
) -> tuple[float, bool] | None:
    """Return the position of x = 0, and whether it is a crossing. None: draw nothing."""
    trigger = view.trigger
    if trigger.mode == "off":
        return 0.0, False
    low, span = _extent(channels)
    near = low + math.floor((span + 1) * BEFORE)
    source = _by_name(channels, snapshot, trigger.channel)
    found = None
    if source:
        at = max(round((near - source.begin) / source.step), 0)
        found = find_crossing(source.samples, trigger.level, trigger.slope, at)
    if source and found is not None:
        return source.begin + found * source.step, True
    return (float(near), False) if trigger.mode == "auto" else None


def _extent(channels: list[Channel]) -> tuple[float, float]:
    """Return where the samples of all channels begin, and the width of their range."""
    low = min(channel.begin for channel in channels)
    return low, max(channel.end for channel in channels) - low


def waveform(snapshot: Snapshot, view: View, number: int) -> Frame | None:
    """Return the frame for @view; None if there is nothing to draw or the trigger found
    no crossing."""
    channels = choose(snapshot, view)
    if not channels:
        return None
    origin = _origin(channels, snapshot, view)
    if origin is None:
        return None
    zero, triggered = origin
    low, span = _extent(channels)
    if view.trigger.mode != "off":
        low = -math.floor((span + 1) * BEFORE)
    extent = (float(low), float(low + span))
    parts = [c.part(*(view.range or extent), zero, view.width) for c in channels]
    flags = FLAG_TRIGGERED * triggered | FLAG_PAUSED * view.paused
    flags |= FLAG_DECIMATED * any(is_decimated for _, is_decimated in parts)
    lines = tuple(line for line, _ in parts)
    return Frame(
        WAVEFORM, flags, view.serial, number, extent, lines, _rate_of(channels, view)
    )


def _rate_of(channels: list[Channel], view: View) -> float:
    rates = rates_of([list(channel.blocks) for channel in channels], view)
    return rates[0] if rates else 0.0


def spectrum(snapshot: Snapshot, view: View, number: int) -> Frame | None:
    """Return the spectrum of one channel of @view, in cycles per sample; None without
    data, or if @view asks for none."""
    if view.spectrum is None:
        return None
    name, window = view.spectrum
    channels = choose(snapshot, replace(view, channels=view.channels[:1]))
    if name:
        channels = choose(snapshot, replace(view, channels=(name,)))
    if not channels:
        return None
    values = spectrum_db(channels[0].samples, window)
    if not len(values):
        return None
    reduced = min_max(values, view.width)
    samples = min(len(channels[0].samples), MAX_SAMPLES)
    step = len(values) / len(reduced) / samples
    return Frame(
        SPECTRUM,
        FLAG_PAUSED * view.paused,
        view.serial,
        number,
        (0.0, 0.5),
        (channels[0].line(reduced, 0.0, step),),
        _rate_of(channels[:1], view),
    )
