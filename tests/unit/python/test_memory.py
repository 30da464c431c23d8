# SPDX-License-Identifier: LGPL-2.1-or-later
"""Memory that arrays show, and blocks that are arrays."""

from __future__ import annotations

import gc
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import zio
from zio import _buffer
from zio._memory import Memory

from .conftest import Maker, make_samples


def test_views_are_counted() -> None:
    """A copy of a view counts, too: no array of it may see other bytes."""
    memory = Memory(64)
    assert memory.is_free()
    array = np.frombuffer(memory.view(), np.uint8)
    part = array[3:9].view(np.uint16)
    other = memoryview(part)
    del array, part
    assert not memory.is_free()
    del other
    gc.collect()
    assert memory.is_free()


def test_references_do_not_count() -> None:
    """A reference to the memory is no view of it."""
    memory = Memory(64)
    kept = [memory.buffer] * 3
    assert memory.is_free() and kept


def test_owner_lives_as_long_as_an_array() -> None:
    class Owner:
        pass

    ends: list[int] = []
    owner = Owner()
    Owner.__del__ = lambda self: ends.append(1)  # type: ignore[attr-defined]
    memory = Memory(8)
    address = int(zio._libzio.ffi.cast("intptr_t", memory.pointer))
    array = np.frombuffer(_buffer.Memory(address, 8, owner), np.uint8)
    del owner
    gc.collect()
    assert not ends
    del array
    gc.collect()
    assert ends == [1]


def test_nothing_depends_on_counts_of_references() -> None:
    """Interpreters differ in them."""
    package = Path(zio.__file__).parent
    assert not [path for path in package.glob("*.py") if "getrefc" in path.read_text()]


def test_views_of_many_threads() -> None:
    memory = Memory(64)

    def work() -> None:
        for _ in range(2000):
            np.frombuffer(memory.view(), np.uint8)[1:].sum()

    old = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=work) for _ in range(4)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(old)
    assert memory.is_free()


# --- a block is an array ----------------------------------------------------------------


@pytest.mark.parametrize("ssize", [1, 2, 4, 8])
def test_block_is_an_array(block_file: Maker, ssize: int) -> None:
    wanted = make_samples(3, 16, ssize)
    with zio.open(block_file([3], 16, ssize)) as ch:
        block = next(iter(ch))
        assert np.mean(block) == wanted.mean()
        assert np.asarray(block).dtype == wanted.dtype
        assert (np.asarray(block, float) == wanted).all()
        assert np.stack([block, block]).shape == (2, 16)
        view = memoryview(block)
        assert (view.readonly, view.tolist()) == (True, wanted.tolist())
        assert bytes(block) == wanted.tobytes()
        assert block.raw.tolist() == wanted.tolist()
    assert view.tolist() == wanted.tolist()
    with pytest.raises(zio.StaleBlock):
        memoryview(block)
    with pytest.raises(zio.StaleBlock):
        np.asarray(block)


def test_buffer_of_a_block_is_its_own(block_file: Maker) -> None:
    with zio.open(block_file(range(20))) as ch:
        views = [memoryview(block) for block in ch]
    for n, view in enumerate(views):
        assert view.tolist() == make_samples(n, 16, 4).tolist()


def test_object_that_is_its_own_data() -> None:
    class Loop(_buffer.Exporter):
        data: object

    loop = Loop()
    loop.data = loop
    with pytest.raises(RecursionError):
        memoryview(loop)
