# SPDX-License-Identifier: GPL-2.0-only
"""Files of numpy: one array, or an archive with arrays of all channels."""

import os
import tempfile
import zipfile
from array import array
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import chain
from typing import Any

import numpy as np
from zio import Change

from .archive import Archive
from .blocks import Array, Run
from .converter import Converter
from .failure import Failure
from .output import Body, Output
from .track import Gap, count_of, rate_of

# Samples to fill, and bytes to copy, at a time
PART = READ_BYTES = 1 << 20
# What an archive stores for each block
COLUMNS = {
    "time_ns": "i8",
    "seq": "u4",
    "lost": "i8",
    "missed": "i8",
    "breaks": "u4",
    "nsamples": "i8",
}
TABLE = np.dtype([*COLUMNS.items()])
# Bytes of the head of an array, whatever its length
HEAD = 128
MAGIC = b"\x93NUMPY\x01\x00"


def _head(dtype: Any, shape: tuple[int, ...]) -> bytes:
    fields = {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": shape}
    text = repr(fields).encode()
    room = HEAD - len(MAGIC) - 2
    return MAGIC + room.to_bytes(2, "little") + text.ljust(room - 1) + b"\n"


class _Shape:
    """The shape of an array with all samples of a channel."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = np.dtype(dtype)
        self.length = 0
        # The samples per block, if all blocks agree; 0 before the first one
        self.columns = 0
        self.is_even = True

    def add(self, samples: Array, lengths: Array) -> None:
        """Add the samples of blocks; the first samples decide the type."""
        if not self.length:
            self.dtype = samples.dtype
        self.length += len(samples)
        columns = self.columns or int(lengths[0])
        self.is_even = self.is_even and bool((lengths == columns).all())
        self.columns = columns

    def fill(self, missing: int) -> None:
        """Add this many samples that stand in for missing ones."""
        self.length += missing
        self.is_even = self.is_even and missing % (self.columns or 1) == 0

    def head(self) -> bytes:
        """Return the head of the array, which has two dimensions if all blocks have one
        length.
        """
        columns = self.columns if self.is_even else 0
        is_whole = columns and self.length % columns == 0
        shape = (self.length // columns, columns) if is_whole else (self.length,)
        return _head(self.dtype, shape)


class _ArrayFile(Body):
    """A file that grows at its end and gets its head last."""

    def __init__(self, output: Output, dtype: Any) -> None:
        self.output = output
        self.shape = _Shape(dtype)
        output.part.file.write(bytes(HEAD))

    def write(self, samples: Array) -> None:
        rows = np.ascontiguousarray(samples, self.shape.dtype)
        self.output.part.file.write(rows.data)

    def fill(self, missing: int) -> None:
        """Write NaN, or zeros in an array of integers."""
        self.shape.fill(missing)
        kind = self.shape.dtype
        for begin in range(0, missing, PART):
            value = np.nan if kind.kind == "f" else np.zeros((), kind)
            self.write(np.full(min(PART, missing - begin), value, kind))

    def close(self, gaps: list[Gap]) -> None:
        """Write the head. The size of the file tells how many samples it has, even after
        an error.
        """
        file = self.output.part.file
        self.shape.length = (
            file.seek(0, os.SEEK_END) - HEAD
        ) // self.shape.dtype.itemsize
        file.seek(0)
        file.write(self.shape.head())

    def salvage(self) -> bool:
        """The samples are complete, only the head is missing."""
        part, dtype = self.output.part, self.shape.dtype
        if part.room() <= HEAD:
            return False
        head = _head(dtype, ((part.room() - HEAD) // dtype.itemsize,))
        return os.pwrite(part.file.fileno(), head, 0) == HEAD


class NpyConverter(Converter):
    """One channel: (block, sample), or one dimension if the blocks differ in length. NaN
    or zeros stand in for missing samples.
    """

    paced = True
    has_rows = True

    def __init__(self, *words: Any) -> None:
        super().__init__(*words)
        self.channel = ""
        self.arrays: dict[int, _ArrayFile] = {}

    def cuts(self) -> int:
        return super().cuts() | Change.RATE

    def write(self, run: Run, number: int) -> Output | None:
        if run.channel != (self.channel or run.channel):
            raise Failure(
                f"{run.channel}: a .npy file holds one channel, and this is "
                "another one: use --to=npz"
            )
        self.channel = run.channel
        samples = self.samples(run)
        if number not in self.arrays:
            if not samples.size:
                return None
            path = self.name("", number)
            output = self.open_output(path, number, run.channel, has_list=True)
            output.body = self.arrays[number] = _ArrayFile(output, samples.dtype)
        into = self.arrays[number]
        into.shape.add(samples, run.lengths)
        into.write(samples)
        return into.output

    def filler(self) -> str:
        return "NaN" if self.values.units else "zero"

    def fill(self, run: Run, number: int, missing: int) -> None:
        self.arrays[number].fill(missing * count_of(run))


class _Spool:
    """Pieces of many arrays in one nameless file."""

    def __init__(self, directory: str) -> None:
        self.file = tempfile.TemporaryFile(dir=directory)
        self.end = 0

    def append(self, rows: Array) -> tuple[int, int]:
        """Append @rows; return their begin and end."""
        self.file.write(np.ascontiguousarray(rows).view(np.uint8).data)
        begin, self.end = self.end, self.end + rows.nbytes
        return begin, self.end

    def read(self, pieces: "array[int]") -> Iterator[bytes]:
        """Yield what append() stored at @pieces, alternating begins and ends."""
        for begin, end in zip(pieces[::2], pieces[1::2]):
            self.file.seek(begin)
            for at in range(begin, end, READ_BYTES):
                yield self.file.read(min(READ_BYTES, end - at))


class _Member:
    """The arrays of one channel."""

    def __init__(self, spool: _Spool, dtype: Any, line: dict[str, Any]) -> None:
        self.spool = spool
        self.line = line
        self.shape = _Shape(dtype)
        # Where in the spool the samples are, and the rows of TABLE, one for each block
        self.samples = array("q")
        self.rows = array("q")
        self.count = 0

    def append(self, run: Run, samples: Array, times: Array) -> None:
        rows = np.zeros(len(run), TABLE)
        rows["time_ns"], rows["seq"] = times, run.controls["seq_num"]
        rows["nsamples"] = run.lengths
        for name in ("lost", "missed", "breaks"):
            rows[name] = run.places[name]
        self.shape.add(samples, run.lengths)
        where = self.spool.append(np.asarray(samples, self.shape.dtype))
        self.rows.extend(self.spool.append(rows))
        self.samples.extend(where)
        self.count += len(run)

    def put(self, archive: zipfile.ZipFile, channel: str) -> None:
        samples = self.spool.read(self.samples)
        _put(archive, channel, chain([self.shape.head()], samples))
        for name, kind in COLUMNS.items():
            head = _head(kind, (self.count,))
            column = (
                np.ascontiguousarray(np.frombuffer(piece, TABLE)[name]).data
                for piece in self.spool.read(self.rows)
            )
            _put(archive, f"{channel}_{name}", chain([head], column))
        for name, value in self.line.items():
            content = BytesIO()
            np.save(content, np.array(value))
            archive.writestr(f"{channel}_{name}.npy", content.getvalue())


def _put(archive: zipfile.ZipFile, name: str, parts: Iterable[Any]) -> None:
    """Put an array into the archive."""
    with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
        for part in parts:
            member.write(part)


class _Bundle(Body):
    """The archive. Its members follow each other, so the arrays wait in a spool. An array
    contains only what was appended completely.
    """

    tears = False

    def __init__(self, output: Output, directory: str) -> None:
        self.archive = Archive(output.part.file, zipfile.ZIP_STORED)
        self.spool = _Spool(directory)
        self.members: dict[str, _Member] = {}

    def close(self, gaps: list[Gap]) -> None:
        for channel, member in self.members.items():
            member.put(self.archive, channel)
        self.archive.close()
        self.spool.file.close()


class NpzConverter(Converter):
    """CHANNEL holds the samples, CHANNEL_time_ns and others hold a value per block,
    CHANNEL_unit and CHANNEL_rate apply to all. When samples change their meaning, they
    continue in CHANNEL-0002.
    """

    def __init__(self, *words: Any) -> None:
        super().__init__(*words)
        self.output = self.open_output(self.name("", 1), 1)
        directory = os.path.dirname(self.target.path) or "."
        self.output.body = self.bundle = _Bundle(self.output, directory)

    def cuts(self) -> int:
        return super().cuts() | Change.RATE

    def path_of(self, channel: str, number: int) -> str:
        path = self.name("", 1)
        return f"{path}, as {_member_of(channel, number)}" if number > 1 else path

    def write(self, run: Run, number: int) -> Output:
        samples, members = self.samples(run), self.bundle.members
        name = _member_of(run.channel, number)
        if name not in members:
            members[name] = _Member(self.bundle.spool, samples.dtype, self.line(run))
        members[name].append(run, samples, self.times(run))
        members[name].line["rate"] = float(rate_of(run.places[-1])) or np.nan
        return self.output

    def end_passed(self) -> None:
        """Do nothing: there is only one file."""


def _member_of(channel: str, number: int) -> str:
    return f"{channel}-{number:04d}" if number > 1 else channel
