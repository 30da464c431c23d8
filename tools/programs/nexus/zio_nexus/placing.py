# SPDX-License-Identifier: GPL-2.0-only
"""When samples were taken and what is missing: a timeline for each channel."""

from fractions import Fraction

import numpy as np
import zio

from .blocks import Array, Run, is_late
from .failure import SourceFailure, say


class Placer:
    """Places the blocks of all channels. @rate, in samples per second and channel, and
    the rates from learn() are for controls without a rate.
    """

    def __init__(self, rate: float = 0.0) -> None:
        self.rate = Fraction(rate)
        self.rates: dict[str, Fraction] = {}
        # Whether the blocks of a surveyed channel follow each other
        self.streams: dict[str, bool] = {}
        # Channels whose times tell several rates
        self.unsure: set[str] = set()
        self.timelines: dict[str, zio.Timeline] = {}

    def learn(self, channel: str, rate: Fraction | None) -> None:
        """Use @rate for @channel, unless the user gave one."""
        if rate and not self.rate:
            self.rates[channel] = rate

    def given(self, channel: str) -> Fraction:
        """Return the rate for controls that lack one; 0 if there is none."""
        return self.rate or self.rates.get(channel, Fraction())

    def timeline(self, channel: str) -> zio.Timeline:
        if channel not in self.timelines:
            self.timelines[channel] = zio.Timeline(self.given(channel) or None)
        return self.timelines[channel]

    def place(self, run: Run) -> None:
        """Fill in the places of @run. If a control contradicts itself, cut @run before it
        and raise SourceFailure.
        """
        timeline = self.timeline(run.channel)
        try:
            run.places = timeline.add_all(_without_late(run.controls))
        except zio.PlaceError as error:
            good = run.part(0, len(error.places))
            run.controls, run.data = good.controls, good.data
            run.lengths, run.order = good.lengths, good.order
            run.places = error.places
            raise SourceFailure(f"{run.channel}: {error.strerror}") from None

    def settle(self, channel: str, rate: Fraction, runs: list[Run]) -> None:
        """Place @runs, all blocks of @channel so far, again, this time with @rate."""
        self.learn(channel, rate)
        del self.timelines[channel]
        for run in runs:
            self.place(run)

    def is_stream(self, channel: str) -> bool:
        """Return whether the blocks of a channel usually follow each other."""
        known = self.streams.get(channel)
        return self.account(channel).is_stream > 0 if known is None else known

    def account(self, channel: str) -> zio.TimelineAccount:
        return self.timeline(channel).account()


def say_estimate(channel: str, rate: zio.Rate) -> None:
    """Report a rate that was estimated from the times of blocks."""
    assert rate.value
    text = (
        f"{float(rate.value):.6g} samples per second, estimated from the times of blocks"
    )
    if rate.scatter_ns:
        text += f", which scatter by {rate.scatter_ns / 1000:.6g} us"
    say(f"{channel}: {text}")


def _without_late(controls: Array) -> Array:
    """Return @controls without the times that do not fit in a file."""
    late = is_late(controls)
    if not late.any():
        return controls
    controls = controls.copy()
    controls["tstamp"][late] = np.zeros((), controls.dtype["tstamp"])
    return controls
