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
        assert (live.state, live.returned) == ("running", 1)


def test_board_comes_back_within_a_call(board: FakeBoard) -> None:
    """The state does not tell of it, but the count of its returns does."""
    with zio.live.watch("zzero-0-2", tap=False, retry=0.01) as live:
        for returns, seq in enumerate((7, 3, 9)):
            board.put(2, seq)
            assert [block.seq for block in live.turn(60)] == [seq]
            assert (live.state, live.lost, live.returned) == ("running", 0, returns)
            board.plug_again()


def test_damaged_file_is_tried_again(block_file: Maker) -> None:
    path = block_file([0, 1])
    os.truncate(path, os.path.getsize(path) - 10)
    with zio.live.watch(path, retry=0.01) as live:
        assert live.newest(0.1) is None
        assert (live.state, live.returned) == ("error", 0)


@pytest.mark.parametrize("call", ["newest", "turn"])
def test_file_ends(block_file: Maker, call: str) -> None:
    with zio.live.watch(block_file([0, 1, 4])) as live:
        found = getattr(live, call)(60)
        assert (found if call == "newest" else found[-1]).seq == 4
        assert not getattr(live, call)(60)
        assert (live.state, live.lost) == ("ended", 2)


@pytest.mark.parametrize("call", ["newest", "turn"])
def test_blocks_without_samples(block_file: Maker, call: str) -> None:
    """They are blocks, and no end of the file."""
    path = block_file([0, 1], 0)
    with zio.live.watch(path) as live:
        found = getattr(live, call)(60)
        assert (found if call == "newest" else found[-1]).seq == 1
        assert live.state == "running"
    with zio.open(path) as ch:
        assert all(ch)


def test_blocks_before_an_error(board: FakeBoard) -> None:
    """They come first, and then the error."""
    with zio.live.watch("zzero-0-2", tap=False) as live:
        assert live.newest(0) is None
        for seq in 0, 3:
            board.put(2, seq)
        os.write(board.control(2), bytes(512))
        assert [block.seq for block in live.turn(60)] == [0, 3]
        assert (live.state, live.lost) == ("running", 2)
        assert live.turn(0) == []
        assert live.state == "error"


def test_closed_while_it_opens(board: FakeBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing stays open, and the state stays."""
    opened = []

    def open_late(*names: object, **how: object) -> zio.Channel:
        live.close()
        opened.append(open_input(*names, **how))
        return opened[0]

    open_input = zio.live.open_input
    monkeypatch.setattr(zio.live, "open_input", open_late)
    live = zio.live.watch("zzero-0-2", tap=False)
    assert live.newest() is None
    assert opened[0].closed and live.state == "stopped"


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
