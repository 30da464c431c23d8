# SPDX-License-Identifier: GPL-2.0-only
"""Groups, attributes and growing tables at the cost of plain HDF5.

A recording may have a thousand channels, and the objects of h5py cost several times as
much.
"""

from typing import Any

import h5py
import numpy as np
from h5py import h5a, h5d, h5g, h5p, h5s, h5t, h5z
from zio._libzio import ffi, lib

from .blocks import Array
from .layout import Options

TEXT_DTYPE = h5py.string_dtype()
TEXT = h5t.py_create(TEXT_DTYPE, logical=True)
SCALAR = h5s.create(h5s.SCALAR)
# Attributes stored with their object before HDF5 makes a heap for them, which costs more
MOST_ATTRIBUTES = 32
# From this many bytes on, look for whole chunks among the rows.
LARGE_BYTES = 16 << 10
CHECKSUM_BYTES = 4


class Column:
    """A dataset that grows at its end."""

    def __init__(self, identifier: Any, memory_type: Any) -> None:
        self.id = identifier
        shape = identifier.shape
        self.length, self.tail = shape[0], shape[1:]
        self.origin = tuple(0 for _ in self.tail)
        self.memory_type = memory_type
        # What a large append needs
        self.chunk: Chunk | None = None

    def append(self, rows: Array) -> None:
        """Append @rows. Write whole chunks straight to the file, the rest by HDF5."""
        count = len(rows)
        if not count:
            return
        rows = np.ascontiguousarray(rows)
        self.id.set_extent((self.length + count, *self.tail))
        begin, end = self._whole_chunks(rows)
        if begin:
            self._write(rows[:begin])
        if begin < end:
            self._write_chunks(rows[begin:end])
        if end < count:
            self._write(rows[end:])

    def _whole_chunks(self, rows: Array) -> tuple[int, int]:
        """Return which of @rows are whole chunks."""
        if rows.nbytes < LARGE_BYTES:
            return 0, 0
        if not self.chunk:
            self.chunk = Chunk(self.id)
        step, count = self.chunk.rows, len(rows)
        begin = -self.length % step if step else 0
        if not step or begin + step > count:
            return 0, 0
        return begin, begin + (count - begin) // step * step

    def _write(self, rows: Array) -> None:
        """Write rows. The slices of h5py cost more than the data of a small batch."""
        shape = (len(rows), *self.tail)
        place = self.id.get_space()
        place.select_hyperslab((self.length, *self.origin), shape)
        memory = h5s.create_simple(shape)
        self.id.write(memory, place, rows, self.memory_type)
        self.length += len(rows)

    def _write_chunks(self, rows: Array) -> None:
        assert self.chunk
        for begin in range(0, len(rows), self.chunk.rows):
            content = self.chunk.seal(rows[begin : begin + self.chunk.rows])
            self.id.write_direct_chunk((self.length, *self.origin), content)
            self.length += self.chunk.rows


class Chunk:
    """How a table stores a whole chunk. Bypassing HDF5 saves a fill, a check for
    conversions, and two copies for the checksum.
    """

    def __init__(self, identifier: Any) -> None:
        made = identifier.get_create_plist()
        chunk, shape = made.get_chunk(), identifier.shape
        filters = [made.get_filter(i)[0] for i in range(made.get_nfilters())]
        is_plain = filters in ([], [h5z.FILTER_FLETCHER32])
        # 0: only HDF5 can write the chunks of this table
        self.rows = chunk[0] if is_plain and chunk[1:] == shape[1:] else 0
        self.memory = bytearray()
        if filters and self.rows:
            size = int(np.prod(chunk)) * identifier.dtype.itemsize
            self.memory = bytearray(size + CHECKSUM_BYTES)

    def seal(self, rows: Array) -> Any:
        """Return what the file stores for a chunk: @rows, followed by the checksum if
        there is one. It is valid until the next call.
        """
        if not self.memory:
            return rows
        source = ffi.from_buffer(rows)
        lib.zpy_seal(ffi.from_buffer(self.memory), source, rows.nbytes)
        return self.memory


class Maker:
    """Makes the objects of a file, and what they share only once."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.group_list = h5p.create(h5p.GROUP_CREATE)
        self.group_list.set_attr_phase_change(MOST_ATTRIBUTES, 0)
        self.types: dict[Any, Any] = {}
        self.shapes: dict[Any, Any] = {}

    def group(self, parent: Any, name: str, nx_class: str, **attributes: Any) -> Any:
        group = h5g.create(parent, name.encode(), gcpl=self.group_list)
        self.describe(group, NX_class=nx_class, **attributes)
        return group

    def describe(self, target: Any, **attributes: Any) -> None:
        """Add attributes to a group or a dataset: texts, numbers, or lists of texts."""
        for name, value in attributes.items():
            if isinstance(value, str | list):
                array, kind = np.array(value, TEXT_DTYPE), TEXT
            else:
                array = np.asarray(value)
                kind = self._type(array.dtype)
            space = h5s.create_simple(array.shape) if array.shape else SCALAR
            h5a.create(target, name.encode(), kind, space).write(array)

    def column(
        self,
        group: Any,
        name: str,
        dtype: Any,
        chunk: tuple[int, ...],
        tail: tuple[int, ...] = (),
        filters: bool = True,
    ) -> Any:
        """Make an empty table whose rows have the shape @tail."""
        dtype = np.dtype(dtype)
        key = (dtype, chunk, tail, filters)
        if key not in self.shapes:
            space = h5s.create_simple((0, *tail), (h5s.UNLIMITED, *tail))
            self.shapes[key] = (self._type(dtype), space, self._list(chunk, filters))
        kind, space, made = self.shapes[key]
        return h5d.create(group, name.encode(), kind, space, made)

    def open(self, place: Any, name: str, dtype: Any) -> Column:
        """Return an existing table of @dtype."""
        return Column(h5d.open(place, name.encode()), self._type(np.dtype(dtype)))

    def array(self, group: Any, name: str, values: Array) -> Any:
        """Make a table of fixed size."""
        kind, space = self._type(values.dtype), h5s.create_simple(values.shape)
        made = h5d.create(group, name.encode(), kind, space)
        made.write(h5s.ALL, h5s.ALL, values)
        return made

    def _type(self, dtype: Any) -> Any:
        if dtype not in self.types:
            self.types[dtype] = h5t.py_create(dtype, logical=True)
        return self.types[dtype]

    def _list(self, chunk: tuple[int, ...], filters: bool) -> Any:
        made, options = h5p.create(h5p.DATASET_CREATE), self.options
        made.set_chunk(chunk)
        made.set_fill_time(h5d.FILL_TIME_ALLOC)
        made.set_attr_phase_change(MOST_ATTRIBUTES, 0)
        if not filters:
            return made
        if options.shuffle:
            made.set_shuffle()
        if options.compression == "gzip":
            made.set_deflate(options.level)
        elif options.compression == "lzf":
            made.set_filter(h5z.FILTER_LZF, h5z.FLAG_OPTIONAL)
        if options.checksum:
            made.set_fletcher32()
        return made
