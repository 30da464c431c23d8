# SPDX-License-Identifier: GPL-2.0-only
"""Comma-separated values: a line for each sample, or each scan of interleaved blocks."""

import argparse
from collections.abc import Iterator

import numpy as np
from zio.controls import block_of, channel_numbers

from .blocks import SECOND, Array, Run
from .converter import Converter
from .failure import Failure
from .meaning import scaling_of, text_of
from .target import Part, Target


class CsvConverter(Converter):
    """A block without samples has a line without a sample. The first line of a block has
    the number of blocks that are lost before it, the others have 0."""

    def __init__(self, values: argparse.Namespace, target: Target) -> None:
        super().__init__(values, target)
        self.file = self.open_part().file
        # Numbers of the channels in a block; None: no block has come yet
        self.numbers: list[int] | None = None

    def write(self, run: Run) -> None:
        self._check_columns(run)
        lost = self.lost_before(run)
        columns = len(self.numbers or ()) or 1
        unit = ""
        if self.values.units:
            unit = f",{scaling_of(run.first_control()).unit}"
        texts = _texts(self.samples(run), columns)
        ends = np.cumsum(run.lengths) // columns
        begins = ends - run.lengths // columns
        for row, control in enumerate(run.controls):
            lines = texts[begins[row] : ends[row]] or ["," * (columns - 1)]
            self._write_block(run.channel, control, int(lost[row]), lines, unit)

    def _write_block(
        self, channel: str, control: Array, lost: int, lines: list[str], unit: str
    ) -> None:
        head = f"{channel},{control['seq_num']},"
        is_empty = not control["nsamples"]
        times = _times(control, len(lines), self.values.rate)
        table = []
        for i, (time, text) in enumerate(zip(times, lines)):
            sample = "" if is_empty else i
            table.append(f"{head}{time},{0 if i else lost},{sample},{text}{unit}\n")
        self.file.write("".join(table).encode())

    def _check_columns(self, run: Run) -> None:
        numbers = channel_numbers(run.first_control())
        if self.numbers is None:
            self.numbers = numbers
            self._write_head()
        is_other = run.data.size and numbers != self.numbers
        if is_other or (run.lengths % (len(self.numbers) or 1)).any():
            text = text_of(run, "channels")
            raise Failure(f"{text}: csv has one table: use HDF5")

    def fixed(self) -> tuple[str, ...]:
        """A table has one set of columns, and each line has its unit."""
        return ("channels",)

    def _write_head(self) -> None:
        value = "value" if self.values.units else "raw"
        names = [f"chan{number}" for number in self.numbers or ()] or [value]
        unit = ["unit"] if self.values.units else []
        head = ["channel", "seq", "time_ns", "lost", "sample", *names, *unit]
        self.file.write((",".join(head) + "\n").encode())

    def salvage(self, part: Part) -> bool:
        return part.room() > 0

    def close(self) -> None:
        if self.numbers is None:
            self._write_head()


def _texts(samples: Array, columns: int) -> list[str]:
    """Return a text for each scan."""
    if samples.dtype.kind == "V":
        texts = [bytes(sample).hex() for sample in samples]
    elif samples.dtype.kind == "f":
        texts = [repr(value) for value in samples.tolist()]
    else:
        texts = [str(value) for value in samples.tolist()]
    if columns == 1:
        return texts
    return [",".join(texts[i : i + columns]) for i in range(0, len(texts), columns)]


def _times(control: Array, count: int, rate: float) -> Iterator[int]:
    """Yield the time of each scan, as far as it is known: that of its shot, and its own
    with @rate, or with the rate of the control."""
    block = block_of(control)
    shots, rate = block.shot_times_ns, rate or block.rate or 0.0
    length = max(1, count // len(shots))
    for i in range(count):
        shot = min(i // length, len(shots) - 1)
        step = round((i - shot * length) * SECOND / rate) if rate else 0
        yield shots[shot] + step
