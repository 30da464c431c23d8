# SPDX-License-Identifier: GPL-2.0-only
"""Sessions of sigrok, version 2: zip archives that PulseView opens."""

import zipfile
from fractions import Fraction
from typing import Any

import numpy as np
from zio import Change
from zio.controls import channel_numbers, clock

from .archive import Archive
from .blocks import Array, Run
from .convert_wav import TOLERANCE, note_of, whole_rate
from .converter import RatedConverter
from .failure import Failure, say
from .meaning import scaling_of, values_of
from .output import Body, Output
from .track import (
    LONGEST,
    MEANING,
    PS_PER_SECOND,
    Gap,
    Gaps,
    begin_of,
    count_of,
    rate_of,
)

VERSION = "2"
WRITER = "0.5.2"
MAX_RATE = (1 << 64) - 1
# Bits of a number in a 32-bit float
BITS = 24
# Samples in a part of the archive
PART = 1 << 20


class _Probe:
    """An analog channel, or the lines: @index is its number in the archive, @parts the
    number of its parts so far.
    """

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
    """A ZIO channel, with a probe for each channel in its blocks."""

    def __init__(self, run: Run, index: int) -> None:
        control = run.first_control()
        names = [f"{run.channel}.{n}" for n in channel_numbers(control)]
        self.unit = scaling_of(control).unit
        # Samples of each probe
        self.samples = 0
        self.probes = [
            _Probe(name, index + i) for i, name in enumerate(names or [run.channel])
        ]


class _Session(Body):
    """One archive: channels that begin together and share one rate."""

    def __init__(self, output: Output, logic: bool) -> None:
        self.output = output
        self.archive = Archive(output.part.file, zipfile.ZIP_DEFLATED)
        self.archive.writestr("version", VERSION)
        self.logic = logic
        self.lines = 0
        self.channels: dict[str, _Channel] = {}
        self.rate = Fraction()
        self.whole_rate = 1
        # The time of the first sample, in ps, and its clock
        self.begin = Fraction()
        self.clock = ""

    def delay_of(self, run: Run) -> Fraction | None:
        """Return how many samples after the begin of the session a channel starts. None
        if it cannot be in this session.
        """
        place = run.first_place()
        rate = rate_of(place)
        name = clock(run.first_control())
        if not place["has_time"]:
            raise Failure(f"{run.channel}: has no time, which sr needs: use npy or HDF5")
        if not self.channels:
            return Fraction()
        if abs(rate - self.rate) > TOLERANCE * self.rate or name != self.clock:
            return None
        return (begin_of(place) - self.begin) * self.rate / PS_PER_SECOND

    def begin_channel(self, run: Run, delay: int) -> None:
        """Begin a channel, with @delay zeros."""
        place = run.first_place()
        if self.logic and (self.channels or count_of(run) > 1):
            raise Failure(f"{run.channel}: --logic allows only one channel")
        if not self.channels:
            self._set_rate(run.channel, rate_of(place))
            self.begin, self.clock = begin_of(place), clock(run.first_control())
            self.lines = 8 * run.sample_size if self.logic else 0
        self.channels[run.channel] = _Channel(run, 1 + len(self.probes()))
        self.put_zeros(run.channel, delay)

    def _set_rate(self, channel: str, rate: Fraction) -> None:
        if rate > MAX_RATE:
            raise Failure(
                f"{channel}: {float(rate):.6g} Hz: sr has at most {MAX_RATE} Hz: use HDF5"
            )
        self.rate, self.whole_rate = rate, whole_rate(channel, rate)

    def probes(self) -> list[_Probe]:
        return [probe for channel in self.channels.values() for probe in channel.probes]

    def put_zeros(self, name: str, missing: int) -> None:
        kind = f"u{self.lines // 8}" if self.lines else "<f4"
        count = len(self.channels[name].probes)
        for begin in range(0, missing, PART):
            self.put(name, np.zeros(min(PART, missing - begin) * count, kind))

    def put(self, name: str, data: Array) -> None:
        probes = self.channels[name].probes
        scans = data.reshape(-1, len(probes))
        self.channels[name].samples += len(scans)
        for i, probe in enumerate(probes):
            probe.add(scans[:, i])
            if probe.count >= PART:
                self._put_part(probe)

    def _put_part(self, probe: _Probe) -> None:
        data = probe.take()
        stem = "logic-1" if self.lines else f"analog-1-{probe.index}"
        self.archive.writestr(f"{stem}-{probe.parts}", data.tobytes())

    def close(self, gaps: list[Gap]) -> None:
        self._fill_ends(gaps)
        for probe in self.probes():
            if probe.count:
                self._put_part(probe)
        notes = [
            note_of([gap for gap in gaps if gap.channel == name])
            for name in self.channels
        ]
        self.archive.writestr("metadata", self._metadata(list(filter(None, notes))))
        self.archive.close()

    def _fill_ends(self, gaps: list[Gap]) -> None:
        """Pad all channels to the length of the longest."""
        longest = max((channel.samples for channel in self.channels.values()), default=0)
        for name, channel in self.channels.items():
            begin, missing = channel.samples, longest - channel.samples
            if missing:
                self.put_zeros(name, missing)
                gaps.append(Gap(name, begin, missing, "ends earlier", 0, 0, 0, 0, None))

    def _metadata(self, notes: list[str]) -> str:
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
            probes = self.probes()
            lines += [f"total analog={len(probes)}"]
            lines += [f"analog{probe.index}={probe.name}" for probe in probes]
        return "\n".join(lines + self._section(notes)) + "\n"

    def _section(self, notes: list[str]) -> list[str]:
        """Return a section that sigrok ignores: the rate, the begin, the units, and the
        gaps.
        """
        if not self.channels:
            return []
        lines = [f"rate={float(self.rate)!r}", f"begin_ns={int(self.begin) // 1000}"]
        for channel in self.channels.values():
            lines += [f"unit{probe.index}={channel.unit}" for probe in channel.probes]
        lines += [f"gaps{i + 1}={note}" for i, note in enumerate(notes)]
        return ["", "[zio-nexus]", *lines]


class SigrokConverter(RatedConverter):
    """Channels are analog, in their units; with --logic the bits of one channel are
    lines.
    """

    def __init__(self, *words: Any) -> None:
        super().__init__(*words)
        self.sessions: dict[int, _Session] = {}
        self.told: set[str] = set()

    def check(self, run: Run) -> None:
        self.require_numbers(run)
        if run.data.size and run.channel not in self.told and not self.values.logic:
            bits = int(run.first_control()["nbits"])
            if bits > BITS:
                self.told.add(run.channel)
                say(f"{run.channel}: sr keeps {BITS} of {bits} bits of a sample")

    def cuts(self) -> int:
        return MEANING | Change.CLOCK | Change.RATE

    def write(self, run: Run, number: int) -> Output | None:
        if not run.data.size:
            return None
        session = self.sessions.get(number)
        if session is None or run.channel not in session.channels:
            session = self._begin_channel(run, number)
        data = run.data
        if not session.lines:
            data = values_of(run).astype("<f4")
        session.put(run.channel, data)
        return session.output

    def _begin_channel(self, run: Run, number: int) -> _Session:
        """Begin a channel in the session @number, or in the next one that can take it."""
        wanted, delay = number, None
        while delay is None:
            if number not in self.sessions:
                output = self.open_output(self.name("", number), number, has_list=True)
                self.sessions[number] = _Session(output, self.values.logic)
                output.body = self.sessions[number]
            session = self.sessions[number]
            delay = self._delay_in(session, run)
            number += delay is None
        if number != wanted:
            say(f"{run.channel}: is in {session.output.path}")
        self.numbers[run.channel] = number
        session.begin_channel(run, delay)
        track = self.tracks[run.channel]
        if delay:
            time = int(run.first_place()["first"]["ns"])
            gap = Gap(run.channel, 0, delay, "begins later", 0, 0, 0, 0, time)
            session.output.gaps.append(gap)
            track.samples += delay
        return session

    def _delay_in(self, session: _Session, run: Run) -> int | None:
        """Return how many zeros a channel needs at the begin of a session; None if it
        does not fit.
        """
        found = session.delay_of(run)
        if found is None or round(found) < 0 or found > LONGEST:
            return None
        gaps, delay = Gaps(self.values.gaps), round(found)
        is_long = found > self.values.max_fill * session.rate and gaps is not Gaps.FILL
        if delay and (gaps in (Gaps.SPLIT, Gaps.REFUSE) or is_long):
            return None
        return delay

    def fill(self, run: Run, number: int, missing: int) -> None:
        self.sessions[number].put_zeros(run.channel, missing)
