# SPDX-License-Identifier: LGPL-2.1-or-later
"""Survey the controls of block files: the channels, and the runs of blocks of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from . import controls as of
from ._block import Array
from ._errors import Error, make_error
from ._libzio import lib
from ._names import full_name
from ._printable import printable
from ._timeline import Timeline, place_dtype

# What to keep of each block
ROW = np.dtype(
    [
        ("index", "i8"),  # of all blocks in the files
        ("ns", "i8"),  # the event
        ("first", "i8"),  # sample 0
        ("ps", "u2"),
        ("samples", "u4"),
        ("lost", "u4"),
        ("taken", "u4"),
        ("missed", "u4"),
        ("breaks", "u1"),
        ("continues", "?"),
        ("has_time", "?"),
    ]
)
_SAME_NAME = ("samples", "lost", "taken", "missed", "breaks", "continues", "has_time")
# After these, samples have another meaning, or their times are not from one clock.
_ANEW = lib.ZIO_BREAK_OUTAGE | lib.ZIO_BREAK_STEP | lib.ZIO_BREAK_CHANGE
_ESTIMATED = lib.ZIO_RATE_ESTIMATED


class Request(NamedTuple):
    """What to load."""

    files: Sequence[str]
    channel: str | None
    rate: float | None
    first: int
    end: int

    @property
    def number(self) -> str:
        """The only wanted channel of an interleaved block, or ""."""
        last = (self.channel or "").rpartition(".")[2]
        return last if last.isdigit() and last != self.channel else ""

    def wants(self, name: str) -> bool:
        """Tell whether a channel is wanted."""
        if self.channel is None:
            return True
        wanted = self.channel[: -len(self.number) - 1] if self.number else self.channel
        return name in (wanted, full_name(wanted))


class Start(NamedTuple):
    """The first block of a run."""

    row: int
    control: Any
    place: Any


@dataclass
class Part:
    """A channel and its wanted blocks."""

    name: str
    control: Any
    timeline: Timeline
    is_estimated: bool
    seen: int = 0
    rows: Any = None
    shots: Any = None
    """Nanoseconds from the first shot of a block to each; None if each block has one."""
    starts: list[Start] = field(default_factory=list)
    _count: int = 0
    _chunks: list[Array] = field(default_factory=list)
    _shots: list[Array] = field(default_factory=list)
    _estimate: Fraction | None = None

    def add(self, index: Array, controls: Array, request: Request) -> None:
        """Add the next blocks of the channel, if wanted."""
        begin, end = request.first - self.seen, request.end - self.seen
        wanted = slice(max(0, begin), max(0, end))
        self.seen += len(controls)
        index, controls = index[wanted], controls[wanted]
        if not len(controls):
            return
        try:
            places = self.timeline.add_all(controls)
        except Error as error:
            text = f"{printable(self.name)}: {error.strerror}"
            raise make_error(error.errno or 0, text) from None
        self._require_shares(controls, places)
        self._begin_runs(controls, places)
        rows = np.empty(len(places), ROW)
        rows["index"] = index
        rows["ns"], rows["ps"] = places["event"]["ns"], places["event"]["ps"]
        rows["first"] = places["first"]["ns"]
        for name in _SAME_NAME:
            rows[name] = places[name]
        self._chunks.append(rows)
        self._shots.append(places["shot_ns"][:, : places["n_shots"].max()].copy())
        estimated = np.flatnonzero(places["rate_source"] == _ESTIMATED)
        if len(estimated):
            last = places[estimated[-1]]
            self._estimate = Fraction(int(last["rate_num"]), int(last["rate_den"]))

    def _require_shares(self, controls: Array, places: Array) -> None:
        """Complain about a block whose number of samples does not fit its channels."""
        words = of.channel_words(controls)
        bits = (
            np.unpackbits(words.view(np.uint8), axis=1).sum(axis=1) if words.any() else 0
        )
        bad = np.flatnonzero(
            controls["nsamples"] != places["samples"] * np.maximum(bits, 1)
        )
        if len(bad):
            control = controls[bad[0]]
            raise ValueError(
                f"{printable(self.name)}: block {control['seq_num']} has "
                f"{control['nsamples']} samples, which its channels and shots cannot "
                "share: use open()"
            )

    def _begin_runs(self, controls: Array, places: Array) -> None:
        """Note the blocks that begin a run."""
        has_time = places["has_time"]
        had_time = self._chunks[-1]["has_time"][-1] if self._chunks else ~has_time[0]
        begins = (places["breaks"] & _ANEW > 0) | (np.diff(has_time, prepend=had_time))
        for i in np.flatnonzero(begins).tolist():
            row = self._count + i
            self.starts.append(Start(row, controls[i].copy(), places[i].copy()))
        self._count += len(places)

    def end(self) -> None:
        """Join what was added."""
        if not self._chunks:
            self._chunks.append(np.empty(0, ROW))
            self.starts.append(Start(0, self.control, np.zeros((), place_dtype)[()]))
        self.rows = np.concatenate(self._chunks)
        self._chunks = []
        width = max((part.shape[1] for part in self._shots), default=1)
        if width > 1:
            self.shots = np.zeros((len(self.rows), width), np.int64)
            row = 0
            for part in self._shots:
                self.shots[row : row + len(part), : part.shape[1]] = part
                row += len(part)
        self._shots = []

    @property
    def estimate(self) -> Fraction | None:
        """The rate estimated from the times of the blocks, if needed."""
        rate = self.timeline.rate
        return rate.value if rate.source == "estimated" else self._estimate


@dataclass
class Survey:
    """What was found in the files."""

    parts: dict[str, Part] = field(default_factory=dict)
    counts: list[int] = field(default_factory=list)
    """The number of blocks of each file"""
    largest: int = 0
    """Size of the samples of the largest block in bytes"""


def survey(request: Request) -> Survey:
    """Read the controls without samples. An estimated rate needs a second pass, because
    the first blocks were placed without it.
    """
    found = _pass(request, {})
    estimates = {name: part.estimate for name, part in found.parts.items()}
    known = {name: rate for name, rate in estimates.items() if rate}
    return _pass(request, known) if known else found


def _pass(request: Request, known: dict[str, Fraction]) -> Survey:
    found = Survey()
    index = 0
    for file in request.files:
        begin = index
        for controls in of.of_file(file):
            sizes = controls["nsamples"].astype(np.int64) * controls["ssize"]
            found.largest = max(found.largest, int(sizes.max()))
            for rows in of.rows_of_channels(controls):
                chunk = controls[rows]
                name = of.channel_name(chunk[0]["addr"])
                if name not in found.parts:
                    found.parts[name] = _make_part(name, chunk[0], request, known)
                if request.wants(name):
                    found.parts[name].add(index + rows, chunk, request)
            index += len(controls)
        found.counts.append(index - begin)
    for part in found.parts.values():
        part.end()
    return found


def _make_part(
    name: str, control: Any, request: Request, known: dict[str, Fraction]
) -> Part:
    rate = request.rate or known.get(name) or of.block_of(control).rate
    return Part(name, control.copy(), Timeline(rate), name in known)
