# SPDX-License-Identifier: LGPL-2.1-or-later
"""Acquire with settings that go back: a board made of files and FIFOs."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import zio

from .conftest import FakeBoard, Maker, make_samples


def test_the_three_programs(board: FakeBoard) -> None:
    """What the design promises: the block has time, loss and samples."""
    for seq in (0, 1, 5):
        board.put(2, seq)
    before = board.settings()
    kept = []
    with zio.acquire("zzero-0-2", trigger="hrt", period=0.01, nsamples=1000) as ch:
        assert isinstance(ch, zio.Channel)
        now = board.settings()
        for block in ch.take(3):
            assert block.time == pytest.approx(1_700_000_000 + block.seq)
            kept.append(block)
    changed = {name: text for name, text in now.items() if before[name] != text}
    assert changed == {
        "cset0/current_trigger": "hrt",
        "cset0/trigger/period-ns": "10000000",
        "cset0/trigger/nsamples": "1000",
    }
    assert [block.lost for block in kept] == [0, 0, 3]
    assert kept[0].data.tolist() == make_samples(0, 16, 4).tolist()
    assert board.settings() == before


@pytest.mark.parametrize("name", ["zzero-0-2", "zzero/0/2", "zzero-0000/cset0/chan2"])
def test_one_spelling_of_names(board: FakeBoard, name: str) -> None:
    """What finds the object opens the channel, and the other way round."""
    board.put(2, 7)
    with zio.open(name) as ch:
        assert ch.object == zio.find(name) == zio.find("zzero/0/2")
        block = ch.read()
        assert block is not None and block.seq == 7
    board.put(2, 8)
    with zio.find(name).open() as ch:
        assert [block.seq for block in ch.take(1)] == [8]
    with zio.acquire(name, nsamples=8):
        assert board.settings()["cset0/trigger/nsamples"] == "8"
    assert board.settings()["cset0/trigger/nsamples"] == "16"


def test_a_file_comes_before_a_channel(
    board: FakeBoard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "zzero/0").mkdir(parents=True)
    (tmp_path / "zzero/0/2").write_bytes(b"")
    with zio.open("zzero/0/2") as ch:
        assert ch.is_file
        with pytest.raises(zio.Error, match="block file"):
            _ = ch.object


def test_open_an_object_that_is_no_channel(board: FakeBoard) -> None:
    with pytest.raises(zio.Error, match="is not a channel") as caught:
        zio.find("zzero/0").open()
    assert caught.value.errno == errno.EINVAL
    with pytest.raises(zio.Error, match="is a cset"):
        zio.acquire("zzero/0", nsamples=8).__enter__()


def test_settings_go_back_after_an_error(board: FakeBoard) -> None:
    before = board.settings()
    acquisition = zio.acquire("zzero-0-2", nsamples=8, settings={"trigger/slack-ns": 5})
    with pytest.raises(ZeroDivisionError), acquisition:
        assert board.settings()["cset0/trigger/slack-ns"] == "5"
        zio.find("zzero/0/trigger")["slack-ns"] = 6
        raise ZeroDivisionError
    assert board.settings() == before


@pytest.mark.parametrize(
    "wanted, fault",
    [
        ({"nsamples": 8, "method": "ring"}, "ring"),
        ({"nsamples": 8, "settings": {"trigger/nosuch": 1}}, "nosuch"),
        ({"period": 1.5e-9}, "whole number"),
    ],
)
def test_nothing_is_left_when_it_cannot_begin(
    board: FakeBoard, wanted: dict[str, Any], fault: str
) -> None:
    before = board.settings()
    with pytest.raises((zio.Error, ValueError), match=fault):
        zio.acquire("zzero-0-2", **wanted).__enter__()
    assert board.settings() == before


def test_trigger_without_a_period(board: FakeBoard) -> None:
    (board.device / "cset0/trigger/period-ns").unlink()
    with pytest.raises(zio.Error, match="has no period: take hrt") as caught:
        zio.acquire("zzero-0-2", period=0.01).__enter__()
    assert caught.value.errno == errno.EINVAL


def test_period_in_milliseconds(board: FakeBoard) -> None:
    trigger = board.device / "cset0/trigger"
    (trigger / "period-ns").rename(trigger / "period-ms")
    with zio.acquire("zzero-0-2", period=0.25):
        assert (trigger / "period-ms").read_text().strip() == "250"


def test_disabled_channel_is_enabled(board: FakeBoard) -> None:
    for name in ("cset0/enable", "cset0/chan2/enable", "cset0/trigger/enable"):
        (board.device / name).write_text("0\n")
    before = board.settings()
    with zio.acquire("zzero-0-2", nsamples=8):
        now = board.settings()
        assert {now[name] for name in now if name.endswith("enable")} == {"1"}
    assert board.settings() == before


def test_board_goes_meanwhile(board: FakeBoard) -> None:
    with zio.acquire("zzero-0-2", nsamples=8):
        shutil.rmtree(board.device)
    with pytest.raises(zio.Error):
        zio.find("zzero/0/2")


def test_another_user_changes_the_trigger(board: FakeBoard) -> None:
    """The type of the trigger goes back, too, before its attributes."""
    before = board.settings()
    with zio.acquire("zzero-0-2", nsamples=8):
        zio.find("zzero/0")["current_trigger"] = "timer"
    assert board.settings() == before


def test_an_attribute_goes_meanwhile(board: FakeBoard) -> None:
    """The board is there: the others go back, and the program is told."""
    before = board.settings()
    with pytest.raises(zio.Error, match="slack-ns"):
        with zio.acquire("zzero-0-2", nsamples=8):
            (board.device / "cset0/trigger/slack-ns").unlink()
    before.pop("cset0/trigger/slack-ns")
    assert board.settings() == before


def test_trigger_that_cannot_be_disabled(board: FakeBoard) -> None:
    """No setting is forgotten with it."""
    enable = board.device / "cset0/trigger/enable"
    with pytest.raises(zio.Error, match="enable"):
        with zio.acquire("zzero-0-2", nsamples=8):
            (board.device / "cset0/trigger/slack-ns").write_text("5\n")
            enable.unlink()
            enable.mkdir()
    settings = board.settings()
    assert settings["cset0/trigger/nsamples"] == "16"
    assert settings["cset0/trigger/slack-ns"] == "0"


def test_another_board_has_the_name(board: FakeBoard) -> None:
    """It keeps the settings that somebody gave it."""
    with zio.acquire("zzero-0-2", nsamples=8):
        board.device.rename(board.device.parent / "old")
        shutil.copytree(board.device.parent / "old", board.device)
        (board.device / "cset0/trigger/nsamples").write_text("77\n")
    assert board.settings()["cset0/trigger/nsamples"] == "77"


def test_a_setting_that_cannot_go_back(
    board: FakeBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others go back, and the program is told: after another error, by a warning."""
    before = board.settings()

    def acquire() -> None:
        with zio.acquire("zzero-0-2", nsamples=8, settings={"trigger/slack-ns": 5}):
            (board.device / "cset0/trigger/slack-ns").unlink()
            (board.device / "cset0/trigger/slack-ns").mkdir()
            if is_bad:
                raise ZeroDivisionError

    for is_bad, kind in ((False, zio.Error), (True, ZeroDivisionError)):
        with pytest.raises(kind):
            if is_bad:
                with pytest.warns(RuntimeWarning, match="slack-ns"):
                    acquire()
            else:
                acquire()
        (board.device / "cset0/trigger/slack-ns").rmdir()
        (board.device / "cset0/trigger/slack-ns").write_text("0\n")
        assert board.settings() == before


CTRL_C = """
import sys, zio
with zio.acquire("zzero-0-2", trigger="hrt", nsamples=8) as ch:
    print("waiting", flush=True)
    ch.read()
"""


def test_settings_go_back_after_ctrl_c(board: FakeBoard) -> None:
    before = board.settings()
    command = [sys.executable, "-c", CTRL_C]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "waiting\n"
        assert board.settings() != before
        said = None
        while said is None:
            child.send_signal(signal.SIGINT)
            try:
                _, said = child.communicate(timeout=0.2)
            except subprocess.TimeoutExpired:
                continue
    assert "KeyboardInterrupt" in said
    assert board.settings() == before


def test_ctrl_c_while_settings_go_back(
    board: FakeBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = board.settings()
    interrupted = []
    write = zio.Object.__setitem__

    def interrupt_once(self: zio.Object, name: str, value: Any) -> None:
        write(self, name, value)
        if not interrupted:
            interrupted.append(name)
            os.kill(os.getpid(), signal.SIGINT)

    # A shell ignores the signal for what runs in the background, as may another test.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            with zio.acquire("zzero-0-2", trigger="hrt", period=0.5, nsamples=8):
                monkeypatch.setattr(zio.Object, "__setitem__", interrupt_once)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert interrupted
    assert board.settings() == before


def test_block_file_needs_no_settings(block_file: Maker) -> None:
    path = block_file(range(3))
    with zio.acquire(path) as ch:
        assert [block.seq for block in ch.take(10)] == [0, 1, 2]
    with pytest.raises(zio.Error):
        zio.acquire(path, nsamples=8).__enter__()


# --- newest -----------------------------------------------------------------------------


def test_newest(board: FakeBoard) -> None:
    for seq in (0, 1, 4, 5):
        board.put(1, seq)
    with zio.open("zzero-0-1") as ch:
        block = ch.newest()
        assert block is not None
        assert (block.seq, block.lost) == (5, 2)
        assert ch.newest(0.01) is None
        board.put(1, 6)
        other = ch.newest(60)
        assert other is not None
        assert (other.seq, other.lost) == (6, 0)
        assert block.data.tolist() == make_samples(5, 16, 4).tolist()


def test_newest_of_a_file_is_its_last(block_file: Maker) -> None:
    with zio.open(block_file([0, 1, 7])) as ch:
        block = ch.newest()
        assert block is not None
        assert (block.seq, block.lost) == (7, 5)
        assert ch.newest() is None


def test_newest_does_not_wait(board: FakeBoard) -> None:
    with zio.open("zzero-0-1", nonblock=True) as ch:
        with pytest.raises(zio.WouldBlock):
            ch.newest()
        board.put(1, 3)
        block = ch.newest()
        assert block is not None and block.seq == 3
