# SPDX-License-Identifier: GPL-2.0-only
"""Parquet: a row for each block, with its samples as a list, and their unit."""

import argparse
import sys
from typing import Any

import numpy as np
from zio import Change

from .blocks import Run
from .converter import Converter
from .failure import UsageFailure, say
from .placing import Placer
from .target import Target
from .track import causes_of

try:
    import pyarrow
    import pyarrow.parquet
except ImportError:
    pyarrow = None


class ParquetConverter(Converter):
    """Columns: channel, seq, time_ns, rate, lost, missed, break, unit, data; without
    --units also the factor and the offset, by which a sample becomes a value."""

    def __init__(
        self, values: argparse.Namespace, target: Target, placer: Placer
    ) -> None:
        super().__init__(values, target, placer)
        if pyarrow is None:
            raise UsageFailure(
                "Parquet needs the Python package pyarrow: pip install "
                "'zio-daq[parquet]'. Debian 12 does not have it: python3 -m venv "
                "--system-site-packages DIR && DIR/bin/pip install 'pyarrow<17', and "
                f"then run DIR/bin/python {sys.argv[0]}"
            )
        # Runs without samples, which wait for one that tells the type
        self.empty: list[tuple[Run, int]] = []
        self.paths: dict[tuple[str, int], str] = {}
        self.writers: dict[tuple[int, str], Any] = {}

    def cuts(self) -> int:
        """Each row has its unit and its scale; all have one type of samples."""
        if self.values.units:
            return Change.CLOCK | Change.MASK
        return Change.CLOCK | Change.MASK | Change.SSIZE | Change.SIGN

    def path_of(self, channel: str, number: int) -> str:
        return self.paths.get((channel, number), super().path_of(channel, number))

    def write(self, run: Run, number: int) -> None:
        self.require_numbers(run)
        if not run.data.size:
            self.empty.append((run.copy(), number))
            return
        self._put(run, number)
        self._put_empty()

    def _put_empty(self) -> None:
        """Write runs without samples, which have any type."""
        waiting, self.empty = self.empty, []
        for run, number in waiting:
            self._put(run, number)

    def _put(self, run: Run, number: int) -> None:
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
        writer = self._writer_of(run, number, table.schema)
        writer.write_table(table.cast(writer.schema))

    def _writer_of(self, run: Run, number: int, schema: Any) -> Any:
        """Return the writer of a file whose samples have the type of @schema. Blocks of
        another channel with another type begin one more file."""
        kind = str(schema.field("data").type)
        known = [key for key in self.writers if key[0] == number]
        if known and not run.data.size:
            return self.writers[known[0]]
        if (number, kind) not in self.writers:
            path = self.name(run.channel if known else "", number)
            file = self.open_part(path).file
            self.writers[number, kind] = pyarrow.parquet.ParquetWriter(file, schema)
            if known:
                say(f"{run.channel}: is in {path}")
            self.paths[run.channel, number] = path
        return self.writers[number, kind]

    def close(self) -> None:
        self._put_empty()
        for writer in self.writers.values():
            writer.close()
