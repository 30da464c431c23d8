# SPDX-License-Identifier: GPL-2.0-only
"""Comma-separated values: a line for each sample, or each scan of interleaved blocks."""

from collections.abc import Callable
from typing import Any

import zio
from zio import Change
from zio.controls import channel_numbers

from .blocks import NO_TIME, Array, Run
from .converter import Converter
from .failure import Failure
from .meaning import scaling_of
from .output import Body, Output
from .track import MEANING, Gap, causes_of


class _Table(Body):
    """A file. Its first block decides which channels have columns."""

    def __init__(self, output: Output, head: Callable[[list[int]], str]) -> None:
        self.output = output
        self.head = head
        self.columns: list[int] | None = None

    def columns_of(self, run: Run) -> list[int]:
        """Return the numbers of the channels in a block."""
        numbers = channel_numbers(run.first_control())
        if self.columns is None:
            self._put_head(numbers)
        assert self.columns is not None
        if run.data.size and numbers != self.columns:
            raise Failure(
                f"{run.channel}: a block has other channels than those before: csv "
                "has one table: convert each channel alone, or use HDF5"
            )
        return self.columns

    def _put_head(self, columns: list[int]) -> None:
        self.columns = columns
        self.output.part.file.write(self.head(columns).encode())

    def close(self, gaps: list[Gap]) -> None:
        if self.columns is None:
            self._put_head([])

    def salvage(self) -> bool:
        return self.output.part.room() > 0


class CsvConverter(Converter):
    """A block without samples gets a line without a sample. Only the first line of a
    block tells what is missing before it.
    """

    has_times = True

    def __init__(self, *words: Any) -> None:
        super().__init__(*words)
        self.tables = {1: self._begin(1)}

    def cuts(self) -> int:
        """With --units each line has its unit; raw numbers have no unit."""
        return Change.CLOCK | (Change.MASK if self.values.units else MEANING)

    def _begin(self, number: int) -> "_Table":
        output = self.open_output(self.name("", number), number)
        output.body = table = _Table(output, self._head)
        return table

    def write(self, run: Run, number: int) -> Output:
        if number not in self.tables:
            self.tables[number] = self._begin(number)
        table = self.tables[number]
        columns = table.columns_of(run)
        unit = ""
        if self.values.units:
            unit = f",{scaling_of(run.first_control()).unit}"
        texts = _texts(self.samples(run), len(columns) or 1)
        times = _times(run)
        at = 0
        lines: list[str] = []
        for control, place in zip(run.controls, run.places):
            end = at + int(place["samples"])
            head = f"{run.channel},{control['seq_num']},"
            tail = f"{unit},{place['missed']},{causes_of(place['breaks'])}\n"
            if end == at:
                empty = "," * (len(columns) - 1 if columns else 0)
                time = "" if not place["has_time"] else int(place["first"]["ns"])
                lines.append(f"{head}{time},{place['lost']},,{empty}{tail}")
                continue
            lines.append(f"{head}{times[at]},{place['lost']},0,{texts[at]}{tail}")
            lines += [
                f"{head}{time},0,{i},{text}{unit},0,\n"
                for i, (time, text) in enumerate(
                    zip(times[at + 1 : end], texts[at + 1 : end]), 1
                )
            ]
            at = end
        table.output.part.file.write("".join(lines).encode())
        return table.output

    def _head(self, numbers: list[int]) -> str:
        value = "value" if self.values.units else "raw"
        names = [f"chan{number}" for number in numbers] or [value]
        unit = ["unit"] if self.values.units else []
        head = ["channel", "seq", "time_ns", "lost", "sample"]
        return ",".join([*head, *names, *unit, "missed", "break"]) + "\n"


def _times(run: Run) -> list[Any]:
    """Return the time of each scan; "" where it is unknown."""
    times: list[Any] = zio.sample_times(run.places).tolist()
    return ["" if time == NO_TIME else time for time in times]


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
