# SPDX-License-Identifier: LGPL-2.1-or-later
"""Read block files: blocks, their attributes, and how long they are valid."""

from __future__ import annotations

import copy
import gc
import pickle
from pathlib import Path

import numpy as np
import pytest
import zio
from zio._libzio import ffi

from .conftest import Maker, make_block, make_control, make_samples


def test_each_block_once(block_file: Maker) -> None:
    with zio.open(block_file(range(10))) as ch:
        found = [(block.seq, block.data.tolist()) for block in ch]
    assert found == [(n, make_samples(n, 16, 4).tolist()) for n in range(10)]


def test_attributes(block_file: Maker) -> None:
    with zio.open(block_file([3])) as ch:
        block = next(iter(ch))
        assert block.time_ns == 1_700_000_003_000_000_005
        assert (block.size, len(block), block.lost) == (64, 16, 0)
        assert block.channel == "fake-0007-1-2"
        assert block.control == make_control(3, 16, 4)
        assert block.control["addr"]["devname"] == b"fake"
        assert block.alarms == ()


def test_a_block_is_an_array(block_file: Maker) -> None:
    with zio.open(block_file([3])) as ch:
        block = next(iter(ch))
        found = np.asarray(block)
        assert found.dtype == np.uint32
        assert np.shares_memory(found, block.data)
        assert np.array(block, float).tolist() == make_samples(3, 16, 4).tolist()
        assert np.mean(block) == make_samples(3, 16, 4).mean()
    with pytest.raises(zio.StaleBlock):
        np.asarray(block)


def test_alarms(tmp_path: Path) -> None:
    control = make_control(0, 0, 1)
    control["zio_alarms"] = 0b1100001
    (tmp_path / "f").write_bytes(control.tobytes())
    with zio.open(str(tmp_path / "f")) as ch:
        assert [block.alarms for block in ch] == [("lost-block", "suspended", "bit6")]


def test_shots(tmp_path: Path) -> None:
    """The times of later shots are distances from the first; the block has 3 of them."""
    control = make_control(0, 6, 1)
    control["tlv"]["type"], control["tlv"]["payload"][0] = 4, 3
    control["attr_trigger"]["ext_val"][8:10] = [7, 2**32 - 1]
    (tmp_path / "f").write_bytes(control.tobytes() + bytes(6) + make_block(1))
    with zio.open(str(tmp_path / "f")) as ch:
        found = [(block.time_ns, block.shot_times_ns) for block in ch]
    first = 1_700_000_000_000_000_005
    assert found[0] == (first, (first, first + 7, first + 2**32 - 1))
    assert found[1] == (first + 1_000_000_000, (first + 1_000_000_000,))


def test_losses(block_file: Maker) -> None:
    with zio.open(block_file([5, 6, 10, 11])) as ch:
        assert [block.lost for block in ch] == [0, 0, 3, 0]
        assert ch.stats == (4, 256, 3)


@pytest.mark.parametrize("ssize", [1, 2, 4, 8])
def test_types(block_file: Maker, ssize: int) -> None:
    with zio.open(block_file([1], 8, ssize)) as ch:
        data = next(iter(ch)).data
    assert data.dtype == np.dtype(f"u{ssize}")
    assert (data == make_samples(1, 8, ssize)).all()


def test_other_sizes_are_void(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(make_control(0, 2, 3).tobytes() + b"abcdef")
    with zio.open(str(tmp_path / "f")) as ch:
        data = next(iter(ch)).data
    assert data.dtype.itemsize == 3
    assert [bytes(sample) for sample in data] == [b"abc", b"def"]


def test_block_without_samples(block_file: Maker) -> None:
    with zio.open(block_file([0, 1], 0)) as ch:
        assert [block.data.shape for block in ch] == [(0,), (0,)]


def test_large_block(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(
        make_block(0, 16) + make_block(1, 1 << 16) + make_block(2)
    )
    with zio.open(str(tmp_path / "f")) as ch:
        found = [block.data.copy() for block in ch]
    assert [len(data) for data in found] == [16, 1 << 16, 16]
    assert (found[1] == make_samples(1, 1 << 16, 4)).all()


# --- how long a block is valid ----------------------------------------------------------


def test_block_is_stale_after_the_next(block_file: Maker) -> None:
    with zio.open(block_file(range(2))) as ch:
        first = ch.read()
        assert first is not None
        assert first.is_valid
        ch.read()
        assert not first.is_valid
        for name in ("data", "control", "time_ns", "seq", "channel", "alarms"):
            with pytest.raises(zio.StaleBlock, match="next one"):
                getattr(first, name)
        with pytest.raises(zio.StaleBlock):
            first.copy()


def test_block_is_stale_after_close(block_file: Maker) -> None:
    with zio.open(block_file(range(2))) as ch:
        block = next(iter(ch))
        data = block.data
    with pytest.raises(zio.StaleBlock):
        _ = block.data
    assert (data == make_samples(0, 16, 4)).all()


def test_kept_arrays_stay_right(block_file: Maker) -> None:
    with zio.open(block_file(range(100))) as ch:
        kept = [block.data for block in ch]
    gc.collect()
    for n, data in enumerate(kept):
        assert (data == make_samples(n, 16, 4)).all()


def test_kept_slices_stay_right(block_file: Maker) -> None:
    """A view of a view keeps the memory as the first one does."""
    with zio.open(block_file(range(50))) as ch:
        kept = [memoryview(block.data[4:8][::2]) for block in ch]
    for n, view in enumerate(kept):
        assert view.tolist() == make_samples(n, 16, 4)[4:8:2].tolist()


def test_data_is_read_only(block_file: Maker) -> None:
    with zio.open(block_file(range(2))) as ch:
        data = next(iter(ch)).data
        with pytest.raises(ValueError, match="read-only"):
            data[0] = 1
        with pytest.raises(ValueError, match="WRITEABLE"):
            data.flags.writeable = True


def test_data_is_not_copied(block_file: Maker) -> None:
    with zio.open(block_file(range(2))) as ch:
        block = next(iter(ch))
        assert np.shares_memory(block.data, block.data)
        assert not block.data.flags.owndata


def test_memory_is_used_again(block_file: Maker) -> None:
    """A loop that keeps nothing, or only the last array, needs two memories."""
    places = set()
    with zio.open(block_file(range(100))) as ch:
        for block in ch:
            data = block.data
            places.add(data.__array_interface__["data"][0])
    assert len(places) == 2


def test_copy_stays_valid(block_file: Maker) -> None:
    with zio.open(block_file(range(5))) as ch:
        copies = [block.copy() for block in ch]
    for n, block in enumerate(copies):
        assert block.seq == n
        assert (block.data == make_samples(n, 16, 4)).all()
        assert block.is_valid
        assert block.copy() is block


# --- the layout -------------------------------------------------------------------------


def test_layout_of_the_control() -> None:
    fields = dict(ffi.typeof("struct zio_control").fields)
    assert zio.control_dtype.itemsize == 512
    assert zio.control_dtype.fields is not None
    for name, field in fields.items():
        assert zio.control_dtype.fields[name][1] == field.offset, name
    for table in ("addr", "tstamp", "attr_channel"):
        dtype = zio.control_dtype[table]
        assert dtype.fields is not None
        for name, field in fields[table].type.fields:
            assert dtype.fields[name][1] == field.offset, name


def test_attributes_of_a_file(tmp_path: Path) -> None:
    """A file has no names: no device of this machine says what a value is."""
    control = make_control(0, 2, 1)
    control["attr_channel"]["std_mask"] = 1 << 1
    control["attr_channel"]["std_val"][1] = 1500
    control["attr_channel"]["ext_mask"] = 1 << 3
    control["attr_channel"]["ext_val"][3] = 7
    path = tmp_path / "blocks"
    path.write_bytes(control.tobytes() + b"12")
    with zio.open(str(path)) as ch:
        block = ch.read()
        assert block
        kept = block.copy()
        assert block.attrs == {"gain-factor": 1500, "ext3": 7}
    assert kept.attrs == {"gain-factor": 1500, "ext3": 7}
    with pytest.raises(zio.StaleBlock):
        _stale = block.attrs


def test_copies_and_pickles_are_refused(block_file: Maker) -> None:
    """A copy that is garbage would close the channel of the original."""
    path = block_file(range(3))
    with zio.open(path) as ch, zio.group([path]) as group:
        block = ch.read()
        for thing in (ch, group, block):
            for take in (copy.copy, copy.deepcopy, pickle.dumps):
                with pytest.raises(TypeError, match="cannot be (copied|pickled): "):
                    take(thing)
        assert ch.read().seq == 1
