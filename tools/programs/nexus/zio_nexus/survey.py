# SPDX-License-Identifier: GPL-2.0-only
"""Look at the controls in files on disk to know channels and rates in advance."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import zio
from zio.controls import (
    block_of,
    channel_name,
    rates_are_told,
    rows_of_channels,
)

from .blocks import Array, Run
from .failure import SourceFailure, say
from .placing import Placer, say_estimate
from .source import Source
from .split import Splitter

# The number of "estimated" among the sources of a rate
ESTIMATED = 3
# Estimates of one rate differ by less than this factor.
SPREAD = 1.2


@dataclass
class Found:
    """A channel in the file. @control belongs to the first block with samples. @blocks
    and @samples are the totals of the channel.
    """

    control: Any
    length: int
    is_varying: bool = False
    blocks: int = 0
    samples: int = 0

    def run(self) -> Run:
        """Return a run as an example of the blocks."""
        lengths = np.array([self.length])
        data = np.zeros(self.length, block_of(self.control).data.dtype)
        controls = np.array([self.control], zio.control_dtype)
        name = channel_name(self.control["addr"])
        return Run(name, controls, data, lengths, np.zeros(1, int))


def survey(source: Source, placer: Placer, needs_streams: bool) -> dict[str, Found]:
    """Return the channels of files on disk; none unless all sources are regular files.
    The placer learns the rates from the times, and with @needs_streams also which
    channels are streams. The survey ends where a file is damaged.
    """
    found: dict[str, Found] = {}
    trial, names = Placer(float(placer.rate)), Splitter()
    rates: dict[str, list[float]] = {}
    with suppress(OSError, SourceFailure):
        for controls in source.controls():
            for rows in rows_of_channels(controls):
                part = controls[rows] if len(rows) < len(controls) else controls
                name = names.name_of(part[0])
                _note(found, name, part)
                is_known = placer.rate or rates_are_told(part)
                if needs_streams or name in rates or not is_known:
                    run = _place(trial, name, part, rows)
                    rates.setdefault(name, []).extend(_estimates(run))
    for channel, timeline in trial.timelines.items():
        if needs_streams:
            placer.streams[channel] = trial.is_stream(channel)
        _learn(placer, channel, timeline.rate, rates.get(channel, []))
    return found


def _place(trial: Placer, name: str, controls: Array, rows: Array) -> Run:
    """Return the placed blocks of a channel without their samples."""
    lengths = controls["nsamples"].astype(np.int64)
    run = Run(name, controls, np.zeros(0, np.uint8), lengths, rows)
    trial.place(run)
    return run


def _estimates(run: Run) -> list[float]:
    """Return the lowest and the highest rate according to the times of a run."""
    places = run.places[run.places["rate_source"] == ESTIMATED]
    rates = places["rate_num"] / np.maximum(places["rate_den"], 1)
    return [float(rates.min()), float(rates.max())] if len(rates) else []


def _learn(placer: Placer, channel: str, rate: zio.Rate, found: list[float]) -> None:
    """Use the estimate for all blocks, unless there were several rates."""
    if rate.source != "estimated" or rate.value is None or placer.rate:
        return
    if found and max(found) > SPREAD * min(found):
        say(
            f"{channel}: the times suggest {min(found):.6g} to {max(found):.6g} samples "
            "per second: use --rate if there is one"
        )
        placer.unsure.add(channel)
        return
    say_estimate(channel, rate)
    placer.learn(channel, rate.value)


def _note(found: dict[str, Found], name: str, controls: Array) -> None:
    """Note the blocks of a channel."""
    lengths = controls["nsamples"]
    first = int(np.argmax(lengths > 0))
    known = found.get(name)
    if known is None:
        known = found[name] = Found(controls[first].copy(), int(lengths[0]))
    elif not known.control["nsamples"] and lengths[first]:
        known.control = controls[first].copy()
    known.blocks += len(controls)
    known.samples += int(lengths.sum(dtype=np.int64))
    if (lengths != known.length).any():
        known.is_varying = True
