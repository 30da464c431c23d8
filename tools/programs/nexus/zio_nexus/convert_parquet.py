# SPDX-License-Identifier: GPL-2.0-only
"""Parquet: a row for each block, with its samples as a list, and their unit."""

import argparse
import sys
from typing import Any

import numpy as np

from .blocks import Run
from .converter import Converter
from .failure import UsageFailure
from .target import Target

try:
    import pyarrow
    import pyarrow.parquet
except ImportError:
    pyarrow = None


class ParquetConverter(Converter):
    """Columns: channel, seq, time_ns, lost, unit, data; without --units also the factor
    and the offset, by which a sample becomes a value."""

    def __init__(self, values: argparse.Namespace, target: Target) -> None:
        super().__init__(values, target)
        if pyarrow is None:
            raise UsageFailure(
                "Parquet needs the Python package pyarrow: pip install "
                "'zio-daq[parquet]'. Debian 12 does not have it: python3 -m venv "
                "--system-site-packages DIR && DIR/bin/pip install 'pyarrow<17', and "
                f"then run DIR/bin/python {sys.argv[0]}"
            )
        self.writer: Any = None

    def write(self, run: Run) -> None:
        self.require_numbers(run)
        count = len(run)
        offsets = np.zeros(count + 1, np.int64)
        offsets[1:] = np.cumsum(run.lengths)
        samples = pyarrow.array(self.samples(run))
        table = pyarrow.table(
            {
                "channel": pyarrow.array([run.channel] * count),
                "seq": pyarrow.array(run.controls["seq_num"]),
                "time_ns": pyarrow.array(self.times(run)),
                "lost": pyarrow.array(self.lost_before(run)),
                **{name: [item] * count for name, item in self.line(run).items()},
                "data": pyarrow.LargeListArray.from_arrays(
                    pyarrow.array(offsets), samples
                ),
            }
        )
        if self.writer is None:
            file = self.open_part().file
            self.writer = pyarrow.parquet.ParquetWriter(file, table.schema)
        if table.schema != self.writer.schema:
            table = table.cast(self.writer.schema)
        self.writer.write_table(table)

    def close(self) -> None:
        if self.writer:
            self.writer.close()
