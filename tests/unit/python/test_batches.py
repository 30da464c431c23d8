# SPDX-License-Identifier: LGPL-2.1-or-later
"""Batches of block files and FIFOs."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zio

from .conftest import Maker, make_block, make_control, make_samples


def test_all_blocks_in_order(block_file: Maker) -> None:
    seqs, rows = [], []
    with zio.open(block_file(range(100))) as ch:
        for batch in ch.batches(32):
            assert batch.controls.dtype == zio.control_dtype
            assert isinstance(batch.data, np.ndarray)
            assert batch.data.shape == (len(batch), 16)
            seqs += batch.controls["seq_num"].tolist()
            rows += batch.data.tolist()
        assert ch.stats == (100, 6400, 0)
    assert seqs == list(range(100))
    assert rows == [make_samples(n, 16, 4).tolist() for n in range(100)]


def test_batch_is_full_where_blocks_are_there(block_file: Maker) -> None:
    with zio.open(block_file(range(100))) as ch:
        assert [len(batch) for batch in ch.batches(32)] == [32, 32, 32, 4]


def test_as_many_blocks_as_there_are(block_file: Maker) -> None:
    """No batch has so many that the memory of a list of them matters."""
    with zio.open(block_file(range(20))) as ch:
        assert [len(batch) for batch in ch.batches(sys.maxsize)] == [20]


def test_losses_and_times(block_file: Maker) -> None:
    times = [(1_700_000_000 + n) * 10**9 + 5 for n in (1, 2, 5, 6, 9)]
    with zio.open(block_file([1, 2, 5, 6, 9])) as ch:
        batch = next(ch.batches())
        assert batch.lost.tolist() == [0, 0, 2, 0, 2]
        assert batch.time_ns.tolist() == times
        assert batch.time_ns.dtype == np.int64


@pytest.mark.parametrize(
    ("secs", "ticks"), [(2**63 // 10**9 + 1, 0), (2**64 - 1, 2**64 - 1), (0, 2**63)]
)
def test_times_of_more_than_63_bits(tmp_path: Path, secs: int, ticks: int) -> None:
    """The times of a batch are those of its blocks."""
    control = make_control(1, 0, 1)
    control["tstamp"]["secs"], control["tstamp"]["ticks"] = secs, ticks
    (tmp_path / "f").write_bytes(make_block(0) + control.tobytes())
    with zio.open(str(tmp_path / "f")) as ch:
        times = next(ch.batches()).time_ns.tolist()
    assert times == [1_700_000_000 * 10**9 + 5, secs * 10**9 + ticks]


def test_a_batch_is_an_array(block_file: Maker, tmp_path: Path) -> None:
    with zio.open(block_file(range(4))) as ch:
        batch = next(ch.batches())
        assert np.asarray(batch).shape == (4, 16)
        assert np.shares_memory(np.asarray(batch), np.asarray(batch.data))
    (tmp_path / "f").write_bytes(make_block(0, 4) + make_block(1, 5))
    ch = zio.open(str(tmp_path / "f"))
    with ch, pytest.raises(ValueError, match="differ in size"):
        np.asarray(next(ch.batches()))


def test_blocks_of_different_size(tmp_path: Path) -> None:
    sizes = [4, 4, 7, 0, 5000, 1]
    blocks = [make_block(n, size) for n, size in enumerate(sizes)]
    (tmp_path / "f").write_bytes(b"".join(blocks))
    found: list[np.ndarray] = []
    with zio.open(str(tmp_path / "f")) as ch:
        for batch in ch.batches():
            found += list(batch.data)
    assert [len(data) for data in found] == sizes
    for n, (data, size) in enumerate(zip(found, sizes)):
        assert (data == make_samples(n, size, 4)).all()


def read_all(path: Path) -> tuple[list[Any], list[Any]]:
    """Return data and values of each block, read in batches."""
    data: list[Any] = []
    values: list[Any] = []
    with zio.open(str(path)) as ch:
        for batch in ch.batches():
            data += list(batch.data)
            values += list(batch.values())
    return data, values


def test_blocks_of_several_types_and_scales(tmp_path: Path) -> None:
    """The channels of one file differ: each block has its own type and scale."""
    wanted = []
    with zio.open(str(tmp_path / "f"), create=True) as out:
        for n in range(20):
            what = {"scale": 1.0 + n % 2} if n % 4 else {"nbits": 12}
            samples = np.array([-5, 7 + n], np.int16).astype("iu"[n % 3 % 2] + "2")
            out.write(samples, zio.make_control(f"adc-0-{n % 2}", **what))
    with zio.open(str(tmp_path / "f")) as ch:
        wanted = [(block.data.tolist(), block.values().tolist()) for block in ch]
    data, values = read_all(tmp_path / "f")
    assert [(d.tolist(), v.tolist()) for d, v in zip(data, values)] == wanted


@pytest.mark.parametrize("sizes", [(4, 4, 4), (4, 3, 5)])
def test_one_type_and_several_scales(tmp_path: Path, sizes: tuple[int, ...]) -> None:
    with zio.open(str(tmp_path / "f"), create=True) as out:
        for n, size in enumerate((1, *sizes)):
            control = zio.make_control("adc-0-0", unit="V", scale=1.0 + n)
            out.write(np.arange(size, dtype=np.uint16), control)
    _, values = read_all(tmp_path / "f")
    assert [v[-1] for v in values] == [
        (1.0 + n) * (size - 1) for n, size in enumerate((1, *sizes))
    ]


def test_timeout(tmp_path: Path) -> None:
    path = str(tmp_path / "fifo")
    os.mkfifo(path)
    fd = os.open(path, os.O_RDWR)
    with zio.open(path, nonblock=True) as ch:
        batches = ch.batches(10, timeout=0.05)
        assert len(next(batches)) == 0
        os.write(fd, make_block(0) + make_block(1))
        assert len(next(batches)) == 2
    os.close(fd)


def test_batch_is_stale_after_the_next(block_file: Maker) -> None:
    with zio.open(block_file(range(20))) as ch:
        batches = ch.batches(10)
        first = next(batches)
        kept = [first.data, first.controls, first.lost]
        next(batches)
        for name in ("data", "controls", "time_ns"):
            with pytest.raises(zio.StaleBlock):
                getattr(first, name)
        assert kept[0].tolist() == [make_samples(n, 16, 4).tolist() for n in range(10)]
        assert kept[1]["seq_num"].tolist() == list(range(10))


def test_kept_batches_stay_right(block_file: Maker) -> None:
    with zio.open(block_file(range(200))) as ch:
        kept = [batch.data for batch in ch.batches(7)]
    rows = [row.tolist() for data in kept for row in data]
    assert rows == [make_samples(n, 16, 4).tolist() for n in range(200)]


def test_batches_are_read_only(block_file: Maker) -> None:
    with zio.open(block_file(range(20))) as ch:
        batch = next(ch.batches())
        for array in (batch.data, batch.controls):
            assert isinstance(array, np.ndarray)
            with pytest.raises(ValueError, match="WRITEABLE"):
                array.flags.writeable = True


def test_strange_sizes(tmp_path: Path) -> None:
    """Controls are not aligned in the file: 5 samples of one byte."""
    (tmp_path / "f").write_bytes(b"".join(make_block(n, 5, 1) for n in range(40)))
    with zio.open(str(tmp_path / "f")) as ch:
        rows = [row.tolist() for batch in ch.batches(16) for row in batch.data]
    assert rows == [make_samples(n, 5, 1).tolist() for n in range(40)]


def test_error_comes_after_the_blocks(block_file: Maker) -> None:
    path = block_file(range(5))
    os.truncate(path, os.path.getsize(path) - 3)
    found = []
    with zio.open(path) as ch, pytest.raises(zio.Error) as caught:
        for batch in ch.batches():
            found += batch.controls["seq_num"].tolist()
    assert caught.value.errno == errno.ENODATA
    assert found == [0, 1, 2, 3]


def test_error_after_a_timeout(tmp_path: Path) -> None:
    path = str(tmp_path / "fifo")
    os.mkfifo(path)
    fd = os.open(path, os.O_RDWR)
    found = []
    with zio.open(path) as ch, pytest.raises(zio.Error) as caught:
        os.write(fd, make_block(0) + make_block(1) + b"x" * 512)
        for batch in ch.batches(10, timeout=480):
            found += batch.controls["seq_num"].tolist()
    os.close(fd)
    assert caught.value.errno == errno.EPROTO
    assert found == [0, 1]


def test_blocks_without_samples(block_file: Maker) -> None:
    with zio.open(block_file(range(10), 0)) as ch:
        batch = next(ch.batches())
        assert isinstance(batch.data, np.ndarray)
        assert batch.data.shape == (10, 0)


def test_wrong_number(block_file: Maker) -> None:
    with zio.open(block_file([0])) as ch, pytest.raises(ValueError, match="at least one"):
        ch.batches(0)
