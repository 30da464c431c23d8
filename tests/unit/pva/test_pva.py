# SPDX-License-Identifier: GPL-2.0-only
"""Blocks, as a client of p4p sees them"""

import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zio
from p4p.client.thread import RemoteError
from zio_pva.source import ChannelSource
from zio_pva.variables import Variables

from .rig import BEGIN, Program, attributes_of, make_block, wait_for

NAME = "test:zzero-0000-0-0"
Start = Callable[..., Program]


class Served:
    """zio-pva, which reads a FIFO."""

    def __init__(self, start: Start, path: Path, interval: str = "0") -> None:
        self.path = path / "blocks"
        os.mkfifo(self.path)
        options = "--prefix=test:", f"--interval={interval}"
        self.program = start(*options, self.path)
        self.out = open(self.path, "wb", buffering=0)

    def wait(self, number: int, name: str = NAME) -> Any:
        return self.program.wait(name, lambda value: value.uniqueId == number)


@pytest.fixture
def served(start: Start, tmp_path: Path) -> Served:
    return Served(start, tmp_path)


def test_block(served: Served) -> None:
    """Samples, number and time are those of the block."""
    served.out.write(make_block(7))
    value = served.wait(7)
    assert value.value.tobytes() == bytes(range(16))
    assert value.value.dtype == "u1"
    for stamp in value.dataTimeStamp, value.timeStamp:
        assert (stamp.secondsPastEpoch, stamp.nanoseconds) == (BEGIN, 257000000)
    assert [(each.size, each.fullSize) for each in value.dimension] == [(16, 16)]
    assert value.compressedSize == value.uncompressedSize == 16
    assert value.alarm.severity == 0
    array = served.program.get(f"{NAME}:values")
    assert array.value.tolist() == list(map(float, range(16)))
    assert array.timeStamp.userTag == 7


def test_lost(served: Served) -> None:
    """A gap is a minor alarm of one block, and counted."""
    served.out.write(make_block(1) + make_block(5, alarms=1))
    value = served.wait(5)
    assert (value.alarm.severity, value.alarm.message) == (1, "3 blocks lost")
    assert attributes_of(value)["lost"] == attributes_of(value)["lostTotal"] == 3
    served.out.write(make_block(8, alarms=1))
    assert attributes_of(served.wait(8))["lostTotal"] == 5
    assert served.program.get(f"{NAME}:lost").value == 5
    served.out.write(make_block(11))
    value = served.wait(11)
    assert value.alarm.severity == 0
    assert attributes_of(value)["missing"] == 2


def test_times_of_a_timeline(served: Served) -> None:
    """The event is 5 us after the time stamp. The rate is a fraction."""
    trigger = {5: 1411200, 6: 29, 7: 5_000_000, 8: 0, 11: 4}  # RATE, FIRST, MISSED
    block = bytearray(make_block(7))
    struct.pack_into("=H", block, 296, sum(1 << index for index in trigger))
    for index, number in trigger.items():
        struct.pack_into("=I", block, 304 + 4 * index, number)
    served.out.write(make_block(6) + block)
    value = served.wait(7)
    for stamp in value.dataTimeStamp, value.timeStamp:
        assert (stamp.secondsPastEpoch, stamp.nanoseconds) == (BEGIN, 257005000)
    attributes = attributes_of(value)
    assert attributes["sampleRate"] == 1411200 / 29
    assert attributes["missed"] == 4
    assert value.alarm.message == "4 events missed"


def test_blocks_that_are_not_shown(start: Start, tmp_path: Path) -> None:
    """Their losses and alarms are those of the next block that is shown."""
    served = Served(start, tmp_path, "2")
    served.out.write(make_block(0))
    served.wait(0)
    served.out.write(make_block(3, alarms=1) + make_block(4, alarms=2) + make_block(5))
    value = served.wait(5)
    assert value.alarm.message == "2 blocks lost, 1 event missed"
    assert attributes_of(value)["lost"] == 2


def test_two_channels(served: Served) -> None:
    """Each channel of a file has its numbers."""
    numbers = (4, 0), (5, 0), (6, 1), (9, 1)
    blocks = [make_block(n, chan=n % 2, alarms=alarms) for n, alarms in numbers]
    served.out.write(b"".join(blocks))
    other = "test:zzero-0000-0-1"
    assert attributes_of(served.wait(9, other))["lost"] == 3
    assert attributes_of(served.wait(6))["lost"] == 1


def test_alarms(served: Served) -> None:
    """A lost event is a minor alarm. An alarm of the device is a major one."""
    served.out.write(make_block(3, alarms=2))
    value = served.wait(3)
    assert (value.alarm.severity, value.alarm.message) == (1, "lost-trigger")
    served.out.write(make_block(4, device_alarms=5))
    value = served.wait(4)
    assert (value.alarm.severity, value.alarm.message) == (2, "device alarms 0x05")


@pytest.mark.parametrize("later_ns", [2**93, 2**64 * 10**9 - BEGIN * 10**9 - 10**9])
def test_time_that_epics_cannot_hold(served: Served, later_ns: int) -> None:
    """The block is shown with an alarm and the last time, and the next ones come."""
    served.out.write(make_block(3, later_ns=later_ns))
    value = served.wait(3)
    assert value.timeStamp.secondsPastEpoch == 2**63 - 1
    assert (value.alarm.severity, value.alarm.message) == (
        1,
        "the time of the block is out of range",
    )
    served.out.write(make_block(4))
    value = served.wait(4)
    assert (value.alarm.severity, value.timeStamp.secondsPastEpoch) == (0, BEGIN)


def test_wrap(served: Served) -> None:
    """A number beyond 31 bits is negative, as uniqueId has a sign."""
    served.out.write(make_block(0xFFFFFFFF))
    served.wait(-1)


def test_opaque_samples(served: Served) -> None:
    """Samples of three bytes are shown as bytes, and have no values in units."""
    served.out.write(make_block(1, bytes(range(6)), ssize=3))
    assert served.wait(1).value.tobytes() == bytes(range(6))
    array = served.program.get(f"{NAME}:values")
    assert (array.alarm.severity, len(array.value)) == (3, 0)


def test_end_of_file(served: Served) -> None:
    """The writer of a FIFO ends: the variable says so, and goes on with the next one."""
    served.out.write(make_block(1))
    served.wait(1)
    served.out.close()
    for end in "", ":values", ":lost":
        value = served.program.wait(f"{NAME}{end}", lambda v: v.alarm.severity == 3)
        assert value.alarm.message == "end of file"
    assert served.program.get(NAME).value.tobytes() == bytes(range(16))
    with open(served.path, "wb", buffering=0) as out:
        out.write(make_block(2))
        assert served.wait(2).alarm.severity == 0


def test_damaged_file(start: Start, tmp_path: Path) -> None:
    """The last block stays, with an alarm that has the reason."""
    path = tmp_path / "blocks"
    path.write_bytes(make_block(1) + make_block(2)[:-3])
    program = start("--prefix=test:", path)
    value = program.wait(NAME, lambda value: value.alarm.severity == 3)
    assert value.uniqueId == 1
    assert "13 of the 16 bytes" in value.alarm.message
    assert len([line for line in program.said if "13 of the 16" in line]) == 1


def test_no_put(served: Served) -> None:
    """Clients cannot write blocks."""
    served.out.write(make_block(0))
    served.wait(0)
    fields = {"": "uniqueId", ":values": "display.units", ":lost": "value"}
    for end, field in fields.items():
        with pytest.raises(RemoteError):
            served.program.client.put(f"{NAME}{end}", {field: 1})


def test_slow_client(served: Served) -> None:
    """A client that is busy misses blocks, and sees this by uniqueId."""
    seen: list[int] = []
    served.out.write(make_block(0))
    served.wait(0)
    done: list[bool] = []

    def follow(value: Any) -> None:
        seen.append(value.uniqueId)
        wait_for(lambda: done)  # The client is busy.

    with served.program.client.monitor(NAME, follow):
        wait_for(lambda: seen)
        served.out.write(b"".join(make_block(number) for number in range(1, 500)))
        served.wait(499)
        done.append(True)
        wait_for(lambda: seen[-1] == 499)
    assert len(seen) < 100
    assert seen == sorted(set(seen))


class Board:
    """What zio.live.watch() gives, and what the kernel counts of the board."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.returned, self.lost, self.state, self.text = 0, 0, "running", ""
        self.turns: list[list[int]] = []
        monkeypatch.setattr(zio.live, "watch", lambda *names, **options: self)
        monkeypatch.setattr(
            "zio._account.kernel_counts", lambda name: zio.KernelCounts(9, self.lost)
        )

    def turn(self, timeout: float) -> list[zio.Block]:
        numbers = self.turns.pop(0) if self.turns else []
        controls = [zio.make_control("zzero-0-0", seq=number) for number in numbers]
        return [zio.controls.block_of(control) for control in controls]


class Posts(Variables):
    def __init__(self) -> None:
        super().__init__("")
        self.losses: list[tuple[int, int]] = []

    def post(self, base: str, values: Any, handler: Any = None) -> None:
        attributes = attributes_of(values[""]) if "" in values else {}
        if "lost" in attributes:
            self.losses.append((attributes["lost"], attributes["lostTotal"]))


@pytest.mark.parametrize("interval", [0.0, 0.01])
def test_board_is_back_at_once(monkeypatch: pytest.MonkeyPatch, interval: float) -> None:
    """The counter of the kernel begins anew. What the board has lost until it is read is
    no loss of a reader."""
    board, posts = Board(monkeypatch), Posts()
    source = ChannelSource("zzero-0-0", posts, interval)
    for returned, lost, numbers in (0, 2, [5]), (1, 7, [1]), (1, 8, [2]):
        board.returned, board.lost, board.turns = returned, lost, [numbers]
        source._take_turn()
    assert posts.losses == [(2, 2), (0, 7), (1, 8)]
