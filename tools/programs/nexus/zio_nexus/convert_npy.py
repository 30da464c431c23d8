# SPDX-License-Identifier: GPL-2.0-only
"""Files of numpy: one array, or an archive with arrays of all channels."""

import argparse
import io
import os
import tempfile
import zipfile
from typing import IO, Any, BinaryIO

import numpy as np

from .archive import Archive
from .blocks import Array, Run
from .converter import Converter
from .failure import Failure
from .target import Part, Target
from .timeline import Timeline

# Samples that are filled at a time
PART = 1 << 20
# Bytes that the head of an array may need, whatever its length
HEAD = 128
MAGIC = b"\x93NUMPY\x01\x00"


def _head(dtype: Any, shape: tuple[int, ...]) -> bytes:
    fields = {
        "descr": dtype.str,
        "fortran_order": False,
        "shape": shape,
    }
    text = repr(fields).encode()
    room = HEAD - len(MAGIC) - 2
    return MAGIC + room.to_bytes(2, "little") + text.ljust(room - 1) + b"\n"


class GrowingArray:
    """An array in a file that grows at its end. It is readable after close()."""

    def __init__(self, file: IO[bytes], dtype: Any) -> None:
        self.file = file
        self.dtype = np.dtype(dtype)
        self.length = 0
        self.file.write(bytes(HEAD))

    def append(self, rows: Array) -> None:
        self.file.write(np.ascontiguousarray(rows, self.dtype).tobytes())
        self.length += len(rows)

    def append_samples(self, samples: Array) -> None:
        """Append samples; the first ones decide the type."""
        if not self.length:
            self.dtype = samples.dtype
        if samples.size:
            self.append(samples)

    def close(self, columns: int = 0) -> None:
        """Write the head. With @columns the array has two dimensions."""
        shape = (self.length // columns, columns) if columns else (self.length,)
        self.file.seek(0)
        self.file.write(_head(self.dtype, shape))
        self.file.flush()


class NpyConverter(Converter):
    """One channel: (block, sample), or one dimension if the blocks differ in length. NaN
    or zeros stand for the samples of lost blocks."""

    def __init__(self, values: argparse.Namespace, target: Target) -> None:
        super().__init__(values, target)
        self.channel = ""
        self.file: BinaryIO | None = None
        self.array: GrowingArray | None = None
        self.timeline: Timeline | None = None
        self.lengths: set[int] = set()

    def write(self, run: Run) -> None:
        if run.channel != (self.channel or run.channel):
            raise Failure(
                f"{run.channel}: a .npy file has one channel, and this is "
                "another one: use --to=npz"
            )
        self.channel = run.channel
        samples = self.samples(run)
        self.lengths.update(run.lengths.tolist())
        if self.timeline is None:
            self.timeline = Timeline([run], self.values.rate)
        at = 0
        for missing, data in self.timeline.pieces(run):
            self._fill(missing * self.timeline.channels)
            self._put(samples[at : at + len(data)])
            at += len(data)

    def _put(self, samples: Array) -> None:
        if self.array is None and samples.size:
            self._begin(samples.dtype)
        if self.array:
            self.array.append_samples(samples)

    def _begin(self, dtype: Any) -> None:
        part = self.open_part()
        assert self.timeline
        self.list_gaps(part, [self.timeline])
        self.file = part.file
        self.array = GrowingArray(self.file, dtype)

    def _fill(self, missing: int) -> None:
        """Write what stands for samples that are missing."""
        if not self.array:
            return
        is_float = self.array.dtype.kind == "f"
        for begin in range(0, missing, PART):
            rows = np.zeros(min(PART, missing - begin), self.array.dtype)
            self.array.append(rows + np.nan if is_float else rows)

    def salvage(self, part: Part) -> bool:
        """The samples are there, only the head is missing."""
        if self.array is None or part.room() <= HEAD:
            return False
        dtype = self.array.dtype
        head = _head(dtype, ((part.room() - HEAD) // dtype.itemsize,))
        return os.pwrite(part.file.fileno(), head, 0) == HEAD

    def close(self) -> None:
        if self.array and self.timeline:
            self.timeline.say("NaN" if self.values.units else "zero")
            self.array.close(self.lengths.pop() if len(self.lengths) == 1 else 0)


class _Member:
    """The arrays of one channel, in temporary files."""

    TABLES = {"time_ns": "i8", "seq": "u4", "lost": "i8", "nsamples": "i8"}

    def __init__(self, directory: str, dtype: Any, line: dict[str, Any]) -> None:
        self.line = line
        self.lengths: set[int] = set()
        self.arrays = {
            name: GrowingArray(tempfile.TemporaryFile(dir=directory), kind)
            for name, kind in (("data", dtype), *self.TABLES.items())
        }

    def append(self, run: Run, samples: Array, times: Array, lost: Array) -> None:
        self.lengths.update(run.lengths.tolist())
        tables = (times, run.controls["seq_num"], lost, run.lengths)
        for name, rows in zip(self.TABLES, tables):
            self.arrays[name].append(rows)
        self.arrays["data"].append_samples(samples)

    def put(self, archive: zipfile.ZipFile, channel: str) -> None:
        columns = self.lengths.pop() if len(self.lengths) == 1 else 0
        for name, array in self.arrays.items():
            array.close(columns if name == "data" else 0)
            array.file.seek(0)
            member = channel if name == "data" else f"{channel}_{name}"
            with archive.open(f"{member}.npy", "w", force_zip64=True) as target:
                while part := array.file.read(1 << 20):
                    target.write(part)
            array.file.close()
        for name, value in self.line.items():
            content = io.BytesIO()
            np.save(content, np.array(value))
            archive.writestr(f"{channel}_{name}.npy", content.getvalue())


class NpzConverter(Converter):
    """CHANNEL has the samples, CHANNEL_time_ns, _seq, _lost and _nsamples the blocks.
    CHANNEL_unit has the unit."""

    def __init__(self, values: argparse.Namespace, target: Target) -> None:
        super().__init__(values, target)
        self.archive = Archive(self.open_part().file, zipfile.ZIP_STORED)
        self.members: dict[str, _Member] = {}

    def write(self, run: Run) -> None:
        samples = self.samples(run)
        member = self.members.get(run.channel)
        if member is None:
            directory = os.path.dirname(self.target.path) or "."
            member = self.members[run.channel] = _Member(
                directory, samples.dtype, self.line(run)
            )
        member.append(run, samples, self.times(run), self.lost_before(run))

    def close(self) -> None:
        for channel, member in self.members.items():
            member.put(self.archive, channel)
        self.archive.close()
