# SPDX-License-Identifier: GPL-2.0-only
"""Blocks as a script for gnuplot."""

from __future__ import annotations

import argparse
import errno as codes
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import zio
from zio import cli

from .terminal import Terminal

Array = np.ndarray[Any, np.dtype[Any]]
# If a picture has more samples, it shows the extremes of neighbouring samples.
MAX_POINTS = 20000
FILE_TERMINALS = {
    ".png": "pngcairo size 1000,600",
    ".svg": "svg size 1000,600 background 'white'",
    ".pdf": "pdfcairo size 20cm,12cm",
}
MARK = (
    "set arrow {n} from first {x:.12g}, graph 0 to first {x:.12g}, graph 1 nohead "
    "dashtype 2 linecolor rgb 'red'\n"
    "set label {n} '{text}' at first {x:.12g}, graph 0.97 offset 0.5,0 "
    "textcolor rgb 'red' front\n"
)


class Kept(NamedTuple):
    """A copy of a block, and where it lies."""

    block: zio.Block
    place: zio.Place

    @property
    def length(self) -> int:
        """The number of samples."""
        return int(self.block.control["nsamples"])

    @property
    def event_ns(self) -> int:
        """When the event was; 0 if the block has no time."""
        return self.place.event_ns or 0


def quote(text: str) -> str:
    """Return a string of gnuplot, which runs what stands in backquotes between double
    quotes. Between single quotes, only a single quote means something to it."""
    return "'" + text.replace("'", "''") + "'"


def plain(name: bytes | str) -> str:
    """Return a name of a control, which anyone may have written, without what a program
    could take for a command."""
    text = name if isinstance(name, str) else name.decode("latin-1")
    return re.sub(r"[^A-Za-z0-9_.:+-]", "?", text.partition("\0")[0])


def file_terminal(name: str) -> str | None:
    """Return the terminal of gnuplot for a file; None if its suffix is unknown."""
    return FILE_TERMINALS.get(os.path.splitext(name)[1].lower())


def _break_of(place: zio.Place) -> str:
    """Say what lies before a block. What a tap passes over or others take is not lost."""
    for count, text in (
        (place.lost, "lost"),
        (place.missed, "missed"),
        (place.taken, "not read"),
    ):
        if count:
            return f"{count} {text}"
    return place.breaks[0]


class Script:
    """Makes the script. `options` are those of zio plot."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.output: str | None = options.output
        self.terminal: str | None = options.terminal
        self.is_script: bool = options.script
        self.is_signed: bool = options.signed
        self.has_units: bool = options.units
        self.is_time: bool = options.time

    # --- what can be drawn

    def scaling(self, block: zio.Block) -> zio.Scaling:
        """Return how samples become values; they have a unit if the user wants it."""
        found = block.scaling
        if not self.has_units:
            code = 0 if found.code == codes.ERANGE else found.code
            found = replace(
                found, scale=1.0, offset=0.0, unit="", is_scaled=False, code=code
            )
        return replace(found, is_signed=True) if self.is_signed else found

    def check(self, kept: Kept) -> None:
        """Raise Failure if the block cannot be drawn."""
        ssize = int(kept.block.control["ssize"])
        if not kept.length or not ssize:
            raise cli.Failure(
                "plot: the blocks have no samples; zio-dump prints their time"
            )
        code = self.scaling(kept.block).code
        if code == codes.EOPNOTSUPP:
            raise cli.Failure(
                f"plot: samples of {ssize} bytes are no numbers; 1, 2, 4 or 8 bytes are"
            )
        if code:
            raise cli.Failure(
                "plot: the blocks have a scale that this version does not know: leave "
                "out --units"
            )
        if self.is_time and not kept.place.rate and kept.length > 1:
            raise cli.Failure(
                f"plot: a block has one time stamp for {kept.length} samples: --time "
                "also needs --rate=HZ"
            )

    # --- the head

    def _is_dumb(self) -> bool:
        """gnuplot draws with letters if there is no window system."""
        if self.terminal:
            return self.terminal.startswith("dumb")
        has_display = any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "GNUTERM")))
        return not self.output and not self.is_script and not has_display

    def head(self) -> str:
        """Return what comes before the first picture."""
        terminal = self.terminal or (self.output and file_terminal(self.output))
        if not terminal and self._is_dumb():
            columns, lines = Terminal.size()
            terminal = f"dumb size {columns - 1},{lines - 1}"
        text = f"set terminal {terminal}\n" if terminal else ""
        if self.output:
            # gnuplot runs a name that begins with | as a command, and expands one with ~.
            path = self.output if self.output.startswith("/") else f"./{self.output}"
            text += f"set output {quote(path)}\n"
        axis = "seconds since the first block" if self.is_time else "sample"
        return f"{text}set grid\nunset key\nset ylabel 'value'\nset xlabel '{axis}'\n"

    # --- a picture

    def picture(self, series: Sequence[Sequence[Kept]]) -> str:
        """Return a picture of the blocks of each channel, the oldest first."""
        origin = min(blocks[0].event_ns for blocks in series)
        text = ""
        if self.has_units:
            units = {self.scaling(blocks[0].block).unit for blocks in series}
            unit = units.pop() if len(units) == 1 else ""
            text += f"set ylabel {quote(unit or 'value')} noenhanced\n"
        if self._is_dumb() and not self.output:
            text += "set print '-'\nprint \"\\033[H\\033[J\"\n"
        text += "unset arrow\nunset label\n"
        for n, blocks in enumerate(series):
            points = "".join(self._points(blocks, origin))
            text += f"{_name(n)} << EOD\n{points}EOD\n"
        if len(series) == 1:
            text += f"set title {quote(self._title(series[0]))} noenhanced\n"
        else:
            text += f"set title '{len(series)} channels' noenhanced\nset key noenhanced\n"
        marks = 0
        for blocks in series:
            for i, (kept, x) in enumerate(zip(blocks, self._starts(blocks, origin))):
                if kept.place.break_bits:
                    number = marks + i + 1
                    text += MARK.format(n=number, x=x, text=_break_of(kept.place))
            marks += len(blocks)
        curves = (self._curve(n, blocks, len(series)) for n, blocks in enumerate(series))
        return f"{text}plot {', '.join(curves)}\n"

    def _starts(self, blocks: Sequence[Kept], origin: int) -> Iterator[float]:
        """Yield where each block begins: a time, or the number of its first sample."""
        number = 0
        for kept in blocks:
            yield (kept.event_ns - origin) / 1e9 if self.is_time else number
            number += kept.length

    def _points(self, blocks: Sequence[Kept], origin: int) -> Iterator[str]:
        count = sum(kept.length for kept in blocks)
        step = 1 if count <= MAX_POINTS else 2 * count // MAX_POINTS + 1
        for i, (kept, x) in enumerate(zip(blocks, self._starts(blocks, origin))):
            place = kept.place
            follows = not self.is_time or not place.rate or place.continues
            if i and (place.break_bits or not follows):
                yield "\n"
            xs = x + np.arange(kept.length, dtype=float)
            if self.is_time:
                has_time = place.time_ns is not None
                xs = place.times_after(origin, kept.length) if has_time else xs * 0 + x
            ys = self.scaling(kept.block).values(kept.block.data)
            for at in range(kept.length) if step == 1 else _extremes(ys, step):
                yield f"{xs[at]:.12g} {ys[at]:.17g}\n"

    def _title(self, blocks: Sequence[Kept]) -> str:
        first, last = blocks[0].block, blocks[-1].block
        numbers = f"{first.seq} to {last.seq}" if first.seq != last.seq else str(last.seq)
        return (
            f"{plain(last.channel)}  block {numbers}: {blocks[-1].length} samples each, "
            f"{self.scaling(last).nbits} bits, trigger "
            f"{plain(bytes(last.control['triggername']))}, "
            f"{blocks[-1].event_ns / 1e9:.6f} s"
        )

    def _curve(self, n: int, blocks: Sequence[Kept], of: int) -> str:
        is_short = blocks[0].length * len(blocks) <= 100
        style = "linespoints pointtype 7 pointsize 0.5" if is_short else "lines"
        text = f"{_name(n)} using 1:2 with {style} linewidth 1.5"
        if of == 1:
            return text
        unit = self.scaling(blocks[0].block).unit
        key = f"{plain(blocks[0].block.channel)}{'  ' if unit else ''}{unit}"
        return f"{text} title {quote(key)}"


def _name(n: int) -> str:
    """The data of the first channel are $zio, those of the others $zio1 and so on."""
    return f"$zio{n or ''}"


def _extremes(values: Array, step: int) -> Iterator[int]:
    """Yield the least and the largest of each `step` values, in their order."""
    for at in range(0, len(values), step):
        piece = values[at : at + step]
        yield from sorted({at + int(piece.argmin()), at + int(piece.argmax())})
