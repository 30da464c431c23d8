# SPDX-License-Identifier: LGPL-2.1-or-later
"""Blocks of a ring: arrays show the memory of the kernel, and never another block."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
from conftest import FakeRing, make_samples

import zio

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


def test_data_are_in_the_ring(ring: FakeRing) -> None:
    """The array shows what the kernel writes, so it is no copy."""
    with open_ring(ring) as ch:
        ring.put(0)
        block = ch.read()
        assert block is not None
        data = block.data
        ring.data[0:4] = b"\xff\xff\xff\xff"
        assert data[0] == 0xFFFFFFFF


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


def test_kept_array_keeps_its_block(ring: FakeRing) -> None:
    with open_ring(ring) as ch:
        ring.put(0)
        block = ch.read()
        assert block is not None
        data = block.data[4:8]
        for n in range(1, FakeRing.SLOTS // 2 + 1):
            ring.put(n)
            block = ch.read()
            assert block is not None
            assert block.seq == n
            assert ring.tail == 0
        while ring.put(99):
            pass
        assert ring.head == FakeRing.SLOTS
        assert data.tolist() == make_samples(0, 16, 4)[4:8].tolist()
        del data
        assert ch.read() is not None
        assert ring.tail == FakeRing.SLOTS // 2 + 1


def test_array_of_a_loop_keeps_one_block(ring: FakeRing) -> None:
    with open_ring(ring) as ch:
        for n in range(50):
            ring.put(n)
            block = ch.read()
            assert block is not None
            data = block.data
            assert is_block(data, n)
            assert ring.head - ring.tail <= 2


@pytest.mark.parametrize("nsamples", [16, FakeRing.DATA // 32])
def test_too_many_kept_arrays(ring: FakeRing, nsamples: int) -> None:
    """Half of the blocks, or of the memory, is left for the kernel. No block is lost."""
    kept: list[Array] = []
    seq = 0
    with open_ring(ring) as ch:
        with pytest.raises(zio.RingFull, match="delete them, or keep copies"):
            while seq < 100:
                assert ring.put(seq, nsamples)
                seq += 1
                block = ch.read()
                assert block is not None
                kept.append(block.data)
        assert len(kept) == (9 if nsamples == 16 else 5)
        for n, data in enumerate(kept):
            assert is_block(data, n, nsamples)
        kept.clear()
        del data
        block = ch.read()
        assert block is not None
        assert block.seq == seq - 1
        assert block.lost == 0


def test_large_blocks_are_copied(ring: FakeRing) -> None:
    """A loop keeps the array of the last block: a ring for few blocks would stop."""
    nsamples = FakeRing.DATA // 4 // 2
    kept = []
    with open_ring(ring) as ch:
        for n in range(40):
            assert ring.put(n, nsamples)
            block = ch.read()
            assert block is not None
            kept.append(block.data)
    for n, data in enumerate(kept):
        assert is_block(data, n, nsamples)


def test_data_are_read_only(ring: FakeRing) -> None:
    with open_ring(ring) as ch:
        ring.put(0)
        block = ch.read()
        assert block is not None
        with pytest.raises(ValueError, match="WRITEABLE"):
            block.data.flags.writeable = True


def test_array_outlives_the_channel(ring: FakeRing) -> None:
    """close() gives the ring back when the last array is gone."""
    ch = open_ring(ring)
    ring.put(0)
    block = ch.read()
    assert block is not None
    data = block.data
    view = data[2:]
    ch.close()
    del ch, block, data
    gc.collect()
    assert view.tolist() == make_samples(0, 16, 4)[2:].tolist()
    assert ring.tail == 0
    del view
    assert ring.tail == 1


def test_close_without_arrays(ring: FakeRing) -> None:
    ch = open_ring(ring)
    ring.put(0)
    ch.read()
    ch.close()
    assert ring.tail == 1


def test_forgotten_channel(ring: FakeRing) -> None:
    ring.put(0)
    block = open_ring(ring).read()
    assert block is not None
    data = block.data
    del block
    gc.collect()
    assert ring.tail == 0
    assert is_block(data, 0)
    del data
    assert ring.tail == 1


# --- batches ----------------------------------------------------------------------------


def test_batch_shows_the_ring(ring: FakeRing) -> None:
    with open_ring(ring) as ch:
        for n in range(6):
            ring.put(n)
        batch = next(ch.batches())
        assert batch.controls["seq_num"].tolist() == list(range(6))
        data, controls = batch.data, batch.controls
        assert isinstance(data, np.ndarray)
        ring.data[64:68] = b"\xff\xff\xff\xff"
        assert data[1, 0] == 0xFFFFFFFF
        ring.control[ring.PAGE + 4 : ring.PAGE + 8] = b"\x09\0\0\0"
        assert controls["seq_num"][0] == 9


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


def test_kept_batches(ring: FakeRing) -> None:
    kept: list[Array] = []
    seq = 0
    ring.put(seq)
    seq += 1
    with open_ring(ring) as ch, pytest.raises(zio.RingFull):
        for batch in ch.batches(3):
            kept += list(batch.data)
            while ring.put(seq):
                seq += 1
    for number, row in enumerate(kept):
        assert is_block(row, number)


def test_batches_of_different_size(ring: FakeRing) -> None:
    with open_ring(ring) as ch:
        for n in range(6):
            ring.put(n, n + 1)
        batch = next(ch.batches())
        assert isinstance(batch.data, list)
        for n, data in enumerate(batch.data):
            assert is_block(data, n, n + 1)


def test_timeout_adds_up(ring: FakeRing) -> None:
    """What a batch has so far stays in the ring while it waits for more."""
    with open_ring(ring) as ch:
        for n in range(3):
            ring.put(n)
        batches = ch.batches(4, timeout=30)
        ring.put(3)
        batch = next(batches)
        assert batch.controls["seq_num"].tolist() == [0, 1, 2, 3]
        assert ring.tail == 0


def test_losses(ring: FakeRing) -> None:
    with open_ring(ring) as ch:
        for n in (0, 1, 5, 6):
            ring.put(n)
        batch = next(ch.batches())
        assert batch.lost.tolist() == [0, 0, 3, 0]
        assert ch.stats.lost == 3
