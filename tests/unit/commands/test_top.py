# SPDX-License-Identifier: GPL-2.0-only
"""What zio top reads, its rates and its order. unit/top_test.sh runs it."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
import zio
from zio_commands import top
from zio_commands.snapshot import Snapshot

CHANNEL = "bus/zio/devices/zzero-0000/cset0/chan0"


def add_channel(tree: Path, number: int, lost: int) -> None:
    place = tree / f"{CHANNEL[:-1]}{number}"
    shutil.copytree(tree / CHANNEL, place)
    (place / "address").write_text(f"zzero-0000-0-{number}\n")
    (place / "statistics/lost_blocks").write_text(f"{lost}\n")


def rows_of(new: Snapshot, old: Snapshot) -> list[top.Row]:
    new.seconds, old.seconds = 12.0, 10.0
    return top.make_rows(new, old, [])


def test_each_file_is_read_once(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_channel(tree, 1, 0)
    read: Counter[str] = Counter()
    text = zio.Object.text

    def count(self: zio.Object, name: str) -> str:
        read[f"{self.name}/{name}"] += 1
        return text(self, name)

    monkeypatch.setattr(zio.Object, "text", count)
    snapshot = Snapshot()
    rows = top.make_rows(snapshot, snapshot, [])
    assert top.make_lines(rows) and [row.as_json() for row in rows]
    assert set(read.values()) == {1}
    assert not any(name.endswith(("/name", "current_buffer")) for name in read)


def test_rates(tree: Path) -> None:
    old = Snapshot()
    (tree / CHANNEL / "statistics/blocks").write_text("130\n")
    (row,) = rows_of(Snapshot(), old)
    assert (row.blocks, row.lost, row.bytes, row.fired) == (15.0, 0.0, None, 0.0)
    # A counter that went back began at 0.
    (tree / CHANNEL / "statistics/blocks").write_text("8\n")
    (row,) = rows_of(Snapshot(), old)
    assert row.blocks == 4.0
    # A channel that was made anew has no rate.
    shutil.copytree(tree / CHANNEL, tree / "new")
    (tree / CHANNEL).rename(tree / "gone")
    (tree / "new").rename(tree / CHANNEL)
    (row,) = rows_of(Snapshot(), old)
    assert row.blocks is None and row.fired is None


def test_order(tree: Path) -> None:
    for number, lost in ((2, 9), (10, 5), (1, 9)):
        add_channel(tree, number, lost)
    snapshot = Snapshot()
    rows = top.make_rows(snapshot, snapshot, [])

    def order(key: str, is_reverse: bool = False) -> list[int]:
        found = top.sort_rows(rows, key, is_reverse)
        return [int(row.channel.address.rpartition("-")[2]) for row in found]

    assert order("name") == [0, 1, 2, 10]
    assert order("name", True) == [10, 2, 1, 0]
    assert order("lost") == [1, 2, 10, 0]
    assert order("lost", True) == [0, 10, 1, 2]
    assert order("blocks") == [0, 1, 2, 10]


def test_numbers() -> None:
    texts = [top.scaled(n) for n in (None, 0, 999, 999.94, 999.95, 1.5, 12e6, 4e21)]
    assert texts == ["-", "0", "999", "999.9", "1.0k", "1.5", "12.0M", "4000.0E"]


def test_an_output_has_the_losses_of_its_route(tree: Path) -> None:
    cset = tree / CHANNEL / ".."
    (cset / "direction").write_text("output\n")
    for name, text in (
        ("buffer/source", "zzero-0001-0-0"),
        ("statistics/route-lost", "4"),
    ):
        (tree / CHANNEL / name).write_text(f"{text}\n")
    snapshot = Snapshot()
    (row,) = top.make_rows(snapshot, snapshot, [])
    found = row.as_json()
    assert (found["lost"], found["source"], found["state"]) == (7, "zzero-0001-0-0", "on")
    for name, state in (("../trigger", "trigger-off"), ("..", "set-off"), (".", "off")):
        (tree / CHANNEL / name / "enable").write_text("0\n")
        ((channel,),) = (cset.channels for cset in Snapshot().csets)
        assert channel.state == state
