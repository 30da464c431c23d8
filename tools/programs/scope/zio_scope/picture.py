# SPDX-License-Identifier: GPL-2.0-only
"""Turn the blocks of the chosen channels into frames."""

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

# A triggered picture has this part of its samples before the crossing.
BEFORE = 0.25


@dataclass(frozen=True)
class Channel:
    """The blocks of one channel that a picture shows, and their samples in sequence."""

    index: int
    blocks: Sequence[Block]
    samples: Samples

    @property
    def missing(self) -> int:
        return sum(block.lost for block in self.blocks)

    def line(self, values: Samples) -> Line:
        last = self.blocks[-1]
        return Line(
            self.index, values, last.seq, last.time_ns, len(self.blocks), self.missing
        )


def rate_of(channels: Sequence[Channel], view: View) -> float:
    """Return the samples per second that all channels have in common; else 0."""
    rates = {channel.blocks[-1].rate or view.rate or 0.0 for channel in channels}
    return rates.pop() if len(rates) == 1 else 0.0


Snapshot = Mapping[str, tuple[int, list[Block]]]


def take_snapshot(traces: Iterable[Trace]) -> Snapshot:
    return {trace.name: (trace.index, trace.snapshot()) for trace in traces}


def pick_event(lists: Sequence[list[Block]], count: int) -> list[list[Block]]:
    """Return the last @count blocks of each list, up to the newest event that all lists
    have in common. If there is none, return the newest blocks of each list.

    The newest event came last: a clock may go back, and a time may be wrong."""
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
    """Return the samples in sequence. Where blocks are missing there is a gap (NaN) as
    wide as the next block."""
    parts: list[Samples] = []
    for number, block in enumerate(blocks):
        if number and block.lost:
            parts.append(np.full(max(1, len(block.samples)), np.nan))
        parts.append(block.samples)
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def choose(snapshot: Snapshot, view: View) -> list[Channel]:
    found = [snapshot[name] for name in view.channels if name in snapshot]
    found = [(index, blocks) for index, blocks in found if blocks]
    if not found:
        return []
    picked = pick_event([blocks for _, blocks in found], view.blocks)
    indices = [index for index, _ in found]
    return [Channel(i, blocks, join(blocks)) for i, blocks in zip(indices, picked)]


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
    """Return the sample at x = 0, and whether it is a crossing. None: draw nothing."""
    trigger = view.trigger
    if trigger.mode == "off":
        return 0.0, False
    longest = max(len(channel.samples) for channel in channels)
    near = math.floor(longest * BEFORE)
    source = _by_name(channels, snapshot, trigger.channel)
    found = None
    if source:
        found = find_crossing(source.samples, trigger.level, trigger.slope, near)
    if found is not None:
        return found, True
    return (float(near), False) if trigger.mode == "auto" else None


def _slice(samples: Samples, start: int, end: int) -> Samples:
    part = samples[start:end]
    if len(part) == end - start:
        return part
    return np.concatenate([part, np.full(end - start - len(part), np.nan)])


def waveform(snapshot: Snapshot, view: View, number: int) -> Frame | None:
    """Return the frame for @view; None if there is nothing to draw, or if the trigger has
    found no crossing."""
    channels = choose(snapshot, view)
    if not channels:
        return None
    origin = _origin(channels, snapshot, view)
    if origin is None:
        return None
    longest = max(len(channel.samples) for channel in channels)
    zero, triggered = origin
    low = -math.floor(longest * BEFORE) if view.trigger.mode != "off" else 0
    extent = (float(low), float(low + max(longest - 1, 0)))
    begin, end = view.range or extent
    start = min(max(math.floor(begin + zero), 0), longest)
    stop = min(max(math.ceil(end + zero) + 1, start), longest)
    values = [min_max(_slice(c.samples, start, stop), view.width) for c in channels]
    points = len(values[0])
    step = (stop - start) / points if points else 1.0
    flags = FLAG_TRIGGERED * triggered | FLAG_DECIMATED * (points < stop - start)
    lines = tuple(c.line(v) for c, v in zip(channels, values))
    flags |= FLAG_PAUSED * view.paused
    rate = rate_of(channels, view)
    first = start - zero
    return Frame(WAVEFORM, flags, view.serial, number, first, step, extent, lines, rate)


def spectrum(snapshot: Snapshot, view: View, number: int) -> Frame | None:
    """Return the spectrum of one channel of @view, in cycles per sample; None if it has
    none."""
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
        0.0,
        step,
        (0.0, 0.5),
        (channels[0].line(reduced),),
        rate_of(channels[:1], view),
    )
