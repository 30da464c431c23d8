# SPDX-License-Identifier: LGPL-2.1-or-later
"""Blocks of a ring: arrays show the memory of the kernel, and never another block."""

from __future__ import annotations

import gc
import threading
from typing import Any

import numpy as np
import pytest
import zio

from .conftest import FakeRing, make_samples

Array = np.ndarray[Any, Any]


def is_block(data: Array, seq: int, nsamples: int = 16) -> bool:
    return bool((data == make_samples(seq, nsamples, 4)).all())


def open_ring(ring: FakeRing) -> zio.Channel:
    return zio.open(ring.name, nonblock=True, method="ring")


def test_each_block_once(ring: FakeRing) -> None:
    with open_ring(ring) as ch:
        assert ch.method == "ring"
        for n in range(100):
            assert ring.put(n)
            block = ch.read()
            assert block is not None
            assert block.seq == n
            assert is_block(block.data, n)
            with pytest.raises(zio.WouldBlock):
                ch.read()
            assert ring.tail == ring.head


def test_block_is_stale_after_the_next(ring: FakeRing) -> None:
    with open_ring(ring) as ch:
        ring.put(0)
        ring.put(1)
        first = ch.read()
        assert first is not None
        kept = first.copy()
        ch.read()
        for name in ("data", "control", "time_ns", "seq"):
            with pytest.raises(zio.StaleBlock):
                getattr(first, name)
        assert is_block(kept.data, 0)


def test_block_without_array_is_released(ring: FakeRing) -> None:
    with open_ring(ring) as ch:
        ring.put(0)
        ring.put(1)
        first = ch.read()
        second = ch.read()
        assert first is not None and second is not None
        assert ring.tail == 1


def test_kept_arrays_stop_nothing(ring: FakeRing) -> None:
    """The array of one block is a copy: the kernel has all of the ring."""
    kept = []
    with open_ring(ring) as ch:
        for n in range(100):
            assert ring.put(n)
            block = ch.read()
            assert block is not None
            kept.append(block.data[2:])
            assert ring.head - ring.tail == 1
    for n, data in enumerate(kept):
        assert data.tolist() == make_samples(n, 16, 4)[2:].tolist()


def test_data_are_read_only(ring: FakeRing) -> None:
    with open_ring(ring) as ch:
        ring.put(0)
        block = ch.read()
        assert block is not None
        with pytest.raises(ValueError, match="WRITEABLE"):
            block.data.flags.writeable = True


def test_close_gives_the_ring_back(ring: FakeRing) -> None:
    ch = open_ring(ring)
    ring.put(0)
    block = ch.read()
    assert block is not None
    data = block.data
    ch.close()
    assert ring.tail == 1
    assert is_block(data, 0)


def test_forgotten_channel(ring: FakeRing) -> None:
    ring.put(0)
    block = open_ring(ring).read()
    del block
    gc.collect()
    assert ring.tail == 1


# --- batches ----------------------------------------------------------------------------


def fill(ring: FakeRing, first: int) -> int:
    """Fill the ring. Return the number of the block that comes next."""
    while ring.put(first):
        first += 1
    return first


def test_full_batch_shows_the_ring(ring: FakeRing) -> None:
    """The arrays show what the kernel writes, so they are no copies."""
    with open_ring(ring) as ch:
        fill(ring, 0)
        batch = next(ch.batches(6))
        assert batch.controls["seq_num"].tolist() == list(range(6))
        data, controls = batch.data, batch.controls
        assert isinstance(data, np.ndarray)
        ring.data[64:68] = b"\xff\xff\xff\xff"
        assert data[1, 0] == 0xFFFFFFFF
        ring.control[ring.PAGE + 4 : ring.PAGE + 8] = b"\x09\0\0\0"
        assert controls["seq_num"][0] == 9
        for array in (data, controls):
            with pytest.raises(ValueError, match="WRITEABLE"):
                array.flags.writeable = True


def test_last_batch_is_a_copy(ring: FakeRing) -> None:
    """The next call waits. The kernel must not find blocks that arrays keep."""
    with open_ring(ring) as ch:
        for n in range(6):
            ring.put(n)
        batches = ch.batches()
        data = next(batches).data
        with pytest.raises(zio.WouldBlock):
            next(batches)
        assert ring.tail == ring.head
        for n, row in enumerate(data):
            assert is_block(row, n)


def test_kept_batch_keeps_its_blocks(ring: FakeRing) -> None:
    """Until the ring has no further block: then the next call raises RingFull."""
    kept: list[Array] = []
    found: list[int] = []
    with open_ring(ring) as ch:
        fill(ring, 0)
        with pytest.raises(zio.RingFull, match="delete them, or keep copies"):
            for batch in ch.batches(3):
                found += batch.controls["seq_num"].tolist()
                kept += list(batch.data)
                assert ring.tail == 0
                fill(ring, ring.head)
        assert found == list(range(len(found)))
        for number, row in enumerate(kept):
            assert is_block(row, number)
        del batch, row
        kept.clear()
        block = ch.read()
        assert block is not None
        assert (block.seq, block.lost) == (len(found), 0)


def test_batch_outlives_the_channel(ring: FakeRing) -> None:
    """close() gives the ring back when the last array is gone."""
    ch = open_ring(ring)
    fill(ring, 0)
    batch = next(ch.batches(4))
    view = batch.data[2][4:]
    ch.close()
    del ch, batch
    gc.collect()
    assert view.tolist() == make_samples(2, 16, 4)[4:].tolist()
    assert ring.tail == 0
    del view
    assert ring.tail == 4


@pytest.mark.parametrize("nsamples", [16, 100, 700])
def test_batches_wrap(ring: FakeRing, nsamples: int) -> None:
    """The variables of the loop keep the last batch meanwhile."""
    found: list[int] = []
    before: list[tuple[Array, int, int]] = []
    seq = 0
    with open_ring(ring) as ch:
        batches = ch.batches(7)
        while seq < 500:
            for _ in range(seq % 5 + 1):
                seq += ring.put(seq, nsamples)
            if len(found) == seq:
                ch.wait(0)  # gives back the last batch
                continue
            batch = next(batches)
            for row in before:
                assert is_block(*row)
            rows = batch.data
            for row, number in zip(rows, batch.controls["seq_num"].tolist()):
                assert is_block(row, number, nsamples)
                found.append(number)
            before = [(row, n, nsamples) for row, n in zip(rows, found[-len(rows) :])]
    assert found == list(range(len(found)))
    assert len(found) > 450


def test_batches_of_different_size(ring: FakeRing) -> None:
    with open_ring(ring) as ch:
        for n in range(6):
            ring.put(n, n + 1)
        batch = next(ch.batches())
        assert isinstance(batch.data, list)
        for n, data in enumerate(batch.data):
            assert is_block(data, n, n + 1)


def test_timeout_adds_up(ring: FakeRing) -> None:
    """What a batch has so far is not in the ring while it waits for more."""
    with zio.open(ring.name, method="ring") as ch:
        for n in range(3):
            ring.put(n)
        batches = ch.batches(4, timeout=480)
        timer = threading.Timer(0.1, ring.put, (3,))
        timer.start()
        batch = next(batches)
        timer.join()
        assert batch.controls["seq_num"].tolist() == [0, 1, 2, 3]
        for n, row in enumerate(batch.data):
            assert is_block(row, n)
        assert ring.tail == 3


def test_losses(ring: FakeRing) -> None:
    with open_ring(ring) as ch:
        for n in (0, 1, 5, 6):
            ring.put(n)
        batch = next(ch.batches())
        assert batch.lost.tolist() == [0, 0, 3, 0]
        assert ch.stats.lost == 3
