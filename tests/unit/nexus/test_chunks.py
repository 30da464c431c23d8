# SPDX-License-Identifier: GPL-2.0-only
"""Chunks that pass HDF5 by are those that it would have written itself."""

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from zio._libzio import ffi, lib
from zio_nexus.layout import Options
from zio_nexus.tables import Chunk, Column, Maker

ZEROS, ONES, NOISE = "zeros", "ones", "noise"
SIZES = [1, 2, 3, 255, 256, 257, 511, 1024, 65535, 65536, 1 << 18, (1 << 20) + 3]


def contents(kind: str, size: int) -> np.ndarray[Any, Any]:
    if kind == NOISE:
        return np.random.default_rng(size).integers(0, 256, size, np.uint8)
    return np.full(size, 255 * (kind == ONES), np.uint8)


@pytest.mark.parametrize("kind", [ZEROS, ONES, NOISE])
@pytest.mark.parametrize("size", SIZES)
def test_checksum(tmp_path: Path, size: int, kind: str) -> None:
    data = contents(kind, size)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        table = file.create_dataset("a", data=data, chunks=(size,), fletcher32=True)
        file.flush()
        wanted = table.id.read_direct_chunk((0,))[1]
    found = bytearray(size + 4)
    lib.zpy_seal(ffi.from_buffer(found), ffi.from_buffer(data), size)
    assert bytes(found) == wanted


OPTIONS = {
    "checksum": Options(),
    "plain": Options(checksum=False),
    "gzip": Options(compression="gzip"),
    "shuffle": Options(shuffle=True),
}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("tail", [(), (24,), (100,)])
def test_appends(tmp_path: Path, options: str, tail: tuple[int, ...]) -> None:
    """Rows of any number, beside the borders of chunks, while a reader may look."""
    chance = np.random.default_rng(3)
    parts = [
        chance.integers(0, 1 << 62, (n, *tail), np.int64)
        for n in (1, 5000, 0, 2999, 4096, 12_288, 7, 4089, 8192)
    ]
    # The chunks of the widest rows are narrower.
    chunk = (4096, *(min(size, 50) for size in tail))
    path = tmp_path / "a.h5"
    with h5py.File(path, "w", libver="v110") as file:
        maker = Maker(OPTIONS[options])
        maker.column(file.id, "a", np.int64, chunk, tail)
        column: Column = maker.open(file.id, "a", np.int64)
        file.swmr_mode = True
        for number, part in enumerate(parts, 1):
            column.append(part[::1])
            file.flush()
            with h5py.File(path, swmr=True, libver="v110") as reader:
                wanted = np.concatenate(parts[:number])
                assert np.array_equal(reader["a"][()], wanted)
        is_direct = Chunk(column.id).rows > 0
    assert is_direct == (options in ("checksum", "plain") and tail != (100,))


def test_damage_of_a_chunk(tmp_path: Path, nexus: Any) -> None:
    """HDF5 checks a chunk that it has not written."""
    data = np.arange(1 << 14)
    path = tmp_path / "a.h5"
    with h5py.File(path, "w", libver="v110") as file:
        maker = Maker(Options())
        maker.column(file.id, "a", np.int64, (1 << 14,))
        column = maker.open(file.id, "a", np.int64)
        column.append(data)
        place = column.id.get_chunk_info(0).byte_offset
    with open(path, "r+b") as raw:
        raw.seek(place + 77)
        raw.write(b"\x55")
    with h5py.File(path) as file, pytest.raises(OSError, match="checksum|filter"):
        file["a"][()]
