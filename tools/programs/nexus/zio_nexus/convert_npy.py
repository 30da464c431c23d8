# SPDX-License-Identifier: GPL-2.0-only
"""Files of numpy: one array, or an archive with arrays of all channels."""

import argparse
import os
import tempfile
import zipfile
from io import BytesIO
from typing import IO, Any

import numpy as np
from zio import Change

from .archive import Archive
from .blocks import Array, Run
from .converter import Converter
from .failure import Failure
from .placing import Placer
from .target import Part, Target
from .track import count_of, rate_of

# Samples that are filled at a time
PART = 1 << 20
# Bytes that the head of an array has, whatever its length
HEAD = 128
MAGIC = b"\x93NUMPY\x01\x00"


def _head(dtype: Any, shape: tuple[int, ...]) -> bytes:
    fields = {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": shape}
    text = repr(fields).encode()
    room = HEAD - len(MAGIC) - 2
    return MAGIC + room.to_bytes(2, "little") + text.ljust(room - 1) + b"\n"


class GrowingArray:
    """An array in a file that grows at its end. It is readable after close()."""

    def __init__(self, file: IO[bytes], dtype: Any) -> None:
        self.file = file
        self.dtype = np.dtype(dtype)
        self.length = 0
        # The samples of all blocks, if they are as many; 0 before the first one
        self.columns = 0
        self.is_even = True
        self.file.write(bytes(HEAD))

    def append(self, rows: Array) -> None:
        self.file.write(np.ascontiguousarray(rows, self.dtype).data)
        self.length += len(rows)

    def append_blocks(self, samples: Array, lengths: Array) -> None:
        """Append the samples of blocks; the first samples decide the type."""
        if not self.length:
            self.dtype = samples.dtype
        if samples.size:
            self.append(samples)
        columns = self.columns or int(lengths[0])
        self.is_even = self.is_even and bool((lengths == columns).all())
        self.columns = columns

    def close(self) -> None:
        """Write the head. With blocks of one length, the array has two dimensions. The
        file tells how many samples it has taken, also after an error."""
        self.length = (self.file.seek(0, 2) - HEAD) // self.dtype.itemsize
        columns = self.columns if self.is_even else 0
        is_whole = columns and self.length % columns == 0
        shape = (self.length // columns, columns) if is_whole else (self.length,)
        self.file.seek(0)
        self.file.write(_head(self.dtype, shape))
        self.file.flush()


class NpyConverter(Converter):
    """One channel: (block, sample), or one dimension if the blocks differ in length. NaN
    or zeros stand for the samples that are missing."""

    paced = True
    has_rows = True

    def __init__(
        self, values: argparse.Namespace, target: Target, placer: Placer
    ) -> None:
        super().__init__(values, target, placer)
        self.channel = ""
        self.arrays: dict[int, GrowingArray] = {}
        self.files: dict[int, Part] = {}

    def cuts(self) -> int:
        return super().cuts() | Change.RATE

    def write(self, run: Run, number: int) -> None:
        if run.channel != (self.channel or run.channel):
            raise Failure(
                f"{run.channel}: a .npy file has one channel, and this is "
                "another one: use --to=npz"
            )
        self.channel = run.channel
        samples = self.samples(run)
        if number not in self.arrays:
            if not samples.size:
                return
            part = self.open_part(self.name("", number), has_list=True)
            self.files[number] = part
            self.arrays[number] = GrowingArray(part.file, samples.dtype)
        self.arrays[number].append_blocks(samples, run.lengths)

    def filler(self) -> str:
        return "NaN" if self.values.units else "zero"

    def fill(self, run: Run, number: int, missing: int) -> None:
        array, missing = self.arrays[number], missing * count_of(run)
        array.is_even = array.is_even and missing % (array.columns or 1) == 0
        value = np.nan if array.dtype.kind == "f" else 0
        for begin in range(0, missing, PART):
            rows = np.zeros(min(PART, missing - begin), array.dtype)
            array.append(rows + rows.dtype.type(value) if value else rows)

    def salvage(self, part: Part) -> bool:
        """The samples are there, only the head is missing."""
        for number, file in self.files.items():
            if file is part and part.room() > HEAD:
                dtype = self.arrays[number].dtype
                head = _head(dtype, ((part.room() - HEAD) // dtype.itemsize,))
                return os.pwrite(part.file.fileno(), head, 0) == HEAD
        return False

    def close(self) -> None:
        for array in self.arrays.values():
            array.close()


class _Member:
    """The arrays of one channel, in temporary files."""

    TABLES = {
        "time_ns": "i8",
        "seq": "u4",
        "lost": "i8",
        "missed": "i8",
        "breaks": "u4",
        "nsamples": "i8",
    }

    def __init__(self, directory: str, dtype: Any, line: dict[str, Any]) -> None:
        self.line = line
        self.arrays = {
            name: GrowingArray(tempfile.TemporaryFile(dir=directory), kind)
            for name, kind in (("data", dtype), *self.TABLES.items())
        }

    def append(self, run: Run, samples: Array, times: Array) -> None:
        places = run.places
        tables = (
            times,
            run.controls["seq_num"],
            places["lost"],
            places["missed"],
            places["breaks"],
            run.lengths,
        )
        for name, rows in zip(self.TABLES, tables):
            self.arrays[name].append(rows)
        self.arrays["data"].append_blocks(samples, run.lengths)

    def put(self, archive: zipfile.ZipFile, channel: str) -> None:
        for name, array in self.arrays.items():
            array.close()
            array.file.seek(0)
            member = channel if name == "data" else f"{channel}_{name}"
            with archive.open(f"{member}.npy", "w", force_zip64=True) as target:
                while part := array.file.read(1 << 20):
                    target.write(part)
            array.file.close()
        for name, value in self.line.items():
            content = BytesIO()
            np.save(content, np.array(value))
            archive.writestr(f"{channel}_{name}.npy", content.getvalue())


class NpzConverter(Converter):
    """CHANNEL has the samples, CHANNEL_time_ns and others the blocks, CHANNEL_unit and
    CHANNEL_rate what all have. Samples that mean something else are CHANNEL-0002."""

    def __init__(
        self, values: argparse.Namespace, target: Target, placer: Placer
    ) -> None:
        super().__init__(values, target, placer)
        self.archive = Archive(self.open_part(self.name("", 1)).file, zipfile.ZIP_STORED)
        self.members: dict[str, _Member] = {}

    def cuts(self) -> int:
        return super().cuts() | Change.RATE

    def path_of(self, channel: str, number: int) -> str:
        path = self.name("", 1)
        return f"{path}, as {_member_of(channel, number)}" if number > 1 else path

    def write(self, run: Run, number: int) -> None:
        samples = self.samples(run)
        name = _member_of(run.channel, number)
        member = self.members.get(name)
        if member is None:
            directory = os.path.dirname(self.target.path) or "."
            member = _Member(directory, samples.dtype, self.line(run))
            self.members[name] = member
        member.append(run, samples, self.times(run))
        member.line["rate"] = float(rate_of(run.places[-1])) or np.nan

    def close(self) -> None:
        for channel, member in self.members.items():
            member.put(self.archive, channel)
        self.archive.close()


def _member_of(channel: str, number: int) -> str:
    return f"{channel}-{number:04d}" if number > 1 else channel
