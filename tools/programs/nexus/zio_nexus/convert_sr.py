# SPDX-License-Identifier: GPL-2.0-only
"""The sessions of sigrok, version 2: a zip archive that PulseView opens."""

import argparse
import zipfile
from dataclasses import replace
from typing import Any

import numpy as np
from zio.controls import channel_numbers

from .archive import Archive
from .blocks import SECOND, Array, Run
from .failure import Failure
from .meaning import scaling_of
from .paced import PacedConverter
from .target import Target
from .timeline import LONGEST, Timeline, count_of, fits, whole_rate

VERSION = "2"
WRITER = "0.5.2"
MAX_RATE = (1 << 64) - 1
# Samples in a part of the archive
PART = 1 << 20


class _Probe:
    """An analog channel, or the lines: @index is its number in the archive, @parts the
    parts of it so far."""

    def __init__(self, name: str, index: int) -> None:
        self.name = name
        self.index = index
        self.parts = 0
        self.waiting: list[Array] = []
        self.count = 0

    def add(self, data: Array) -> None:
        self.waiting.append(data.copy())
        self.count += len(data)

    def take(self) -> Array:
        data = np.concatenate(self.waiting)
        self.waiting, self.count = [], 0
        self.parts += 1
        return data


class _Channel:
    """A channel of ZIO, with a probe for each channel in its blocks."""

    def __init__(self, runs: list[Run], rate: float, index: int) -> None:
        self.timeline = Timeline(runs, rate)
        name, control = runs[0].channel, runs[0].first_control()
        names = [f"{name}.{n}" for n in channel_numbers(control)] or [name]
        self.unit = scaling_of(control).unit
        self.probes = [_Probe(name, index + i) for i, name in enumerate(names)]


class SigrokConverter(PacedConverter):
    """Channels are analog, in their units; with --logic the bits of one are lines."""

    def __init__(self, values: argparse.Namespace, target: Target) -> None:
        super().__init__(values, target)
        part = self.open_part()
        self.archive = Archive(part.file, zipfile.ZIP_DEFLATED)
        self.archive.writestr("version", VERSION)
        self.channels: dict[str, _Channel] = {}
        self.timelines: list[Timeline] = []
        self.list_gaps(part, self.timelines)
        # The rate of all channels; 0 until the first one begins
        self.rate = 0.0
        self.whole_rate = 1
        # The first blocks of the first channel, and no samples
        self.first: list[Run] = []
        self.lines = 0

    def check(self, run: Run) -> None:
        self.require_numbers(run)

    def has_begun(self, channel: str) -> bool:
        return channel in self.channels

    def put(self, run: Run) -> None:
        channel = self.channels[run.channel]
        for missing, data in channel.timeline.pieces(run):
            self._put_zeros(channel, missing)
            if data.size:
                self._put(channel, self._values(run, data))

    def fixed(self) -> tuple[str, ...]:
        """Values have the scale of their block. Lines have none."""
        if self.values.logic:
            return ("type", "channels", "bits")
        return ("channels", "unit")

    def unsaid(self) -> tuple[str, ...]:
        return ()

    def _values(self, run: Run, data: Array) -> Array:
        if self.lines:
            return data
        return scaling_of(run.first_control()).values(data).astype("<f4")

    def _put_zeros(self, channel: _Channel, missing: int) -> None:
        kind = f"u{self.lines // 8}" if self.lines else "<f4"
        for begin in range(0, missing, PART):
            count = min(PART, missing - begin)
            self._put(channel, np.zeros(count * len(channel.probes), kind))

    def _put(self, channel: _Channel, data: Array) -> None:
        scans = data.reshape(-1, len(channel.probes))
        for i, probe in enumerate(channel.probes):
            probe.add(scans[:, i])
            if probe.count >= PART:
                self._put_part(probe)

    def begin(self, runs: list[Run], rate: float) -> None:
        run = runs[0]
        if self.values.logic and (self.channels or count_of(run) > 1):
            raise Failure(f"{run.channel}: with --logic there is one channel only")
        if not self.rate:
            self._set_rate(run.channel, rate)
            self.first = [replace(run, data=run.data[:0].copy()) for run in runs]
        elif not self.values.rate:
            self._check_rate(runs, rate)
        if self.values.logic:
            self.lines = 8 * run.sample_size
        index = 1 + sum(len(channel.probes) for channel in self.channels.values())
        channel = self.channels[run.channel] = _Channel(runs, self.rate, index)
        self.timelines.append(channel.timeline)
        self._put_delay(channel)

    def _check_rate(self, runs: list[Run], rate: float) -> None:
        """Complain about a rate of its own. Blocks of a short time tell the rate less
        exactly: the more exact one explains the times of both channels."""
        if fits(runs, self.rate):
            return
        if not fits(self.first, rate):
            raise Failure(
                f"{runs[0].channel}: {rate:.9g} Hz: the channels before have "
                f"{self.rate:.9g} Hz, and sr has one rate: use HDF5, or --rate if they "
                "have one"
            )
        self._set_rate(runs[0].channel, rate)

    def _put_delay(self, channel: _Channel) -> None:
        """Let a channel begin at its time: all channels of a session begin together."""
        timeline = channel.timeline
        span = timeline.begin - self.timelines[0].begin
        delay = round(span * self.rate / SECOND)
        if delay < 0 or delay > LONGEST:
            raise Failure(
                f"{timeline.channel}: begins {span} ns after "
                f"{self.timelines[0].channel}: sr has one begin: use HDF5"
            )
        timeline.delay(delay)
        self._put_zeros(channel, delay)

    def _set_rate(self, channel: str, rate: float) -> None:
        if rate > MAX_RATE:
            raise Failure(
                f"{channel}: {rate:.6g} Hz: sr has at most {MAX_RATE} Hz: use HDF5"
            )
        self.rate, self.whole_rate = rate, whole_rate(channel, rate)

    def _put_part(self, probe: _Probe) -> None:
        data = probe.take()
        stem = "logic-1" if self.lines else f"analog-1-{probe.index}"
        self.archive.writestr(f"{stem}-{probe.parts}", data.tobytes())

    def _probes(self) -> list[_Probe]:
        return [probe for channel in self.channels.values() for probe in channel.probes]

    def close(self) -> None:
        for probe in self._probes():
            if probe.count:
                self._put_part(probe)
        self.archive.writestr("metadata", self.metadata())
        self.archive.close()
        for timeline in self.timelines:
            timeline.say()

    def notes(self) -> dict[str, Any]:
        return {name: item.timeline.report() for name, item in self.channels.items()}

    def metadata(self) -> str:
        lines = ["[global]", f"sigrok version={WRITER}", "", "[device 1]"]
        if self.lines:
            lines += ["capturefile=logic-1", f"total probes={self.lines}"]
        else:
            lines += ["total probes=0"]
        lines += [f"samplerate={self.whole_rate} Hz"]
        if self.lines:
            lines += [f"probe{i + 1}=D{i}" for i in range(self.lines)]
            lines += [f"unitsize={self.lines // 8}", "total analog=0"]
        else:
            probes = self._probes()
            lines += [f"total analog={len(probes)}"]
            lines += [f"analog{probe.index}={probe.name}" for probe in probes]
        return "\n".join(lines + self._section()) + "\n"

    def _section(self) -> list[str]:
        """Return a section that sigrok does not read: the rate, the begin, the units, and
        the gaps."""
        if not self.timelines:
            return []
        lines = [f"rate={self.rate!r}", f"begin_ns={self.timelines[0].begin}"]
        for channel in self.channels.values():
            lines += [f"unit{probe.index}={channel.unit}" for probe in channel.probes]
        notes = [timeline.note() for timeline in self.timelines]
        lines += [f"gaps{i + 1}={note}" for i, note in enumerate(notes) if note]
        return ["", "[zio-nexus]", *lines]
