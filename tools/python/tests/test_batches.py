# SPDX-License-Identifier: LGPL-2.1-or-later
"""Batches of block files and FIFOs."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from conftest import Maker, make_block, make_samples

import zio


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


def test_losses_and_times(block_file: Maker) -> None:
    with zio.open(block_file([1, 2, 5, 6, 9])) as ch:
        batch = next(ch.batches())
    assert batch.lost.tolist() == [0, 0, 2, 0, 2]
    times = [(1_700_000_000 + n) * 10**9 + 5 for n in (1, 2, 5, 6, 9)]
    assert batch.time_ns.tolist() == times
    assert batch.time_ns.dtype == np.int64


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
