# SPDX-License-Identifier: LGPL-2.1-or-later
"""The newest blocks of a channel, also after its board was away."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
import zio

from .conftest import FakeBoard, Maker, make_samples


def test_newest_and_loss(board: FakeBoard) -> None:
    with zio.live.watch("zzero-0-2", tap=False) as live:
        assert live.newest(0) is None
        assert (live.state, live.lost) == ("waiting", 0)
        for seq in (0, 1, 5):
            board.put(2, seq)
        block = live.newest(60)
        assert block is not None
        assert (block.seq, live.state, live.lost) == (5, "running", 3)
        board.put(2, 7)
        assert [block.seq for block in live.turn(60)] == [7]
        assert live.lost == 4
        assert block.data.tolist() == make_samples(5, 16, 4).tolist()
    assert live.state == "stopped" and live.newest() is None


def test_board_comes_back(board: FakeBoard) -> None:
    """No call raises: the state tells that the board is away."""
    away = Path(board.nodes).parent / "away"
    board.nodes.rename(away)
    board.nodes.mkdir()
    with zio.live.watch("zzero-0-2", tap=False, retry=0.01) as live:
        assert live.turn(0.05) == []
        assert live.state == "gone" and "no such" in live.text
        board.nodes.rmdir()
        away.rename(board.nodes)
        board.put(2, 3)
        assert [block.seq for block in live.turn(60)] == [3]
        assert live.state == "running"


def test_damaged_file_is_tried_again(block_file: Maker) -> None:
    path = block_file([0, 1])
    os.truncate(path, os.path.getsize(path) - 10)
    with zio.live.watch(path, retry=0.01) as live:
        assert live.newest(0.1) is None
        assert live.state == "error"


@pytest.mark.parametrize("call", ["newest", "turn"])
def test_file_ends(block_file: Maker, call: str) -> None:
    with zio.live.watch(block_file([0, 1, 4])) as live:
        found = getattr(live, call)(60)
        assert (found if call == "newest" else found[-1]).seq == 4
        assert not getattr(live, call)(60)
        assert (live.state, live.lost) == ("ended", 2)


@pytest.mark.parametrize("exists", [False, True])
def test_stop_ends_a_call_that_waits(board: FakeBoard, exists: bool) -> None:
    live = zio.live.watch("zzero-0-2" if exists else "nosuch-0-2", False, retry=600)
    timer = threading.Timer(0.05, live.stop)
    timer.start()
    assert live.newest() is None
    timer.join()
    live.close()


def test_stop_may_come_first(board: FakeBoard) -> None:
    live = zio.live.watch("zzero-0-2", tap=False)
    live.stop()
    assert live.newest() is None and live.turn() == []
