# SPDX-License-Identifier: GPL-2.0-only
"""Parquet: a row for each block, with its samples as a list, and their unit."""

import sys
from typing import Any

import numpy as np
from zio import Change

from .blocks import Run
from .converter import Converter
from .failure import UsageFailure, say
from .output import Body, Output
from .track import Gap, causes_of

try:
    import pyarrow
    import pyarrow.parquet
except ImportError:
    pyarrow = None


class _Table(Body):
    """A file."""

    def __init__(self, output: Output, schema: Any) -> None:
        self.output = output
        self.writer = pyarrow.parquet.ParquetWriter(output.part.file, schema)

    def close(self, gaps: list[Gap]) -> None:
        self.writer.close()


class ParquetConverter(Converter):
    """Columns: channel, seq, time_ns, rate, lost, missed, break, unit, data; without
    --units also the factor and the offset that convert samples to values.
    """

    def __init__(self, *words: Any) -> None:
        super().__init__(*words)
        if pyarrow is None:
            raise UsageFailure(
                "Parquet needs the Python package pyarrow: pip install "
                "'zio-daq[parquet]'. Debian 12 does not have it: python3 -m venv "
                "--system-site-packages DIR && DIR/bin/pip install 'pyarrow<17', and "
                f"then run DIR/bin/python {sys.argv[0]}"
            )
        # Runs without samples, which wait for one with a type
        self.empty: list[tuple[Run, int]] = []
        self.paths: dict[tuple[str, int], str] = {}
        self.tables: dict[tuple[int, str], _Table] = {}

    def cuts(self) -> int:
        """Each row has its own unit and scale; all share one type of samples."""
        if self.values.units:
            return Change.CLOCK | Change.MASK
        return Change.CLOCK | Change.MASK | Change.SSIZE | Change.SIGN

    def path_of(self, channel: str, number: int) -> str:
        return self.paths.get((channel, number), super().path_of(channel, number))

    def write(self, run: Run, number: int) -> Output | None:
        self.require_numbers(run)
        if not run.data.size:
            self.empty.append((run.copy(), number))
            return None
        output = self._put(run, number)
        self.drain()
        return output

    def drain(self) -> None:
        """Write runs without samples, which fit any type."""
        waiting, self.empty = self.empty, []
        for run, number in waiting:
            self.outside -= len(run)
            self._put(run, number).blocks += len(run)

    def _put(self, run: Run, number: int) -> Output:
        count = len(run)
        offsets = np.zeros(count + 1, np.int64)
        offsets[1:] = np.cumsum(run.lengths)
        samples = pyarrow.array(self.samples(run))
        rates = run.places["rate_num"] / np.maximum(run.places["rate_den"], 1)
        is_known = run.places["rate_num"] > 0
        table = pyarrow.table(
            {
                "channel": pyarrow.array([run.channel] * count),
                "seq": pyarrow.array(run.controls["seq_num"]),
                "time_ns": pyarrow.array(self.times(run), mask=~run.places["has_time"]),
                "rate": pyarrow.array(rates, mask=~is_known),
                "lost": pyarrow.array(run.places["lost"]),
                "missed": pyarrow.array(run.places["missed"]),
                "break": pyarrow.array(list(map(causes_of, run.places["breaks"]))),
                **{name: [item] * count for name, item in self.line(run).items()},
                "data": pyarrow.LargeListArray.from_arrays(
                    pyarrow.array(offsets), samples
                ),
            }
        )
        into = self._table_of(run, number, table.schema)
        into.writer.write_table(table.cast(into.writer.schema))
        return into.output

    def _table_of(self, run: Run, number: int, schema: Any) -> "_Table":
        """Return a file whose samples have the type of @schema. A channel with another
        type begins another file.
        """
        kind = str(schema.field("data").type)
        known = [key for key in self.tables if key[0] == number]
        if known and not run.data.size:
            return self.tables[known[0]]
        if (number, kind) not in self.tables:
            path = self.name(run.channel if known else "", number)
            output = self.open_output(path, number)
            output.body = self.tables[number, kind] = _Table(output, schema)
            if known:
                say(f"{run.channel}: is in {path}")
            self.paths[run.channel, number] = path
        return self.tables[number, kind]
