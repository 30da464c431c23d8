# SPDX-License-Identifier: GPL-2.0-only
"""Groups of block files"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from .rig import BEGIN, Program, make_block

Start = Callable[..., Program]
ONE, TWO = "zzero-0000-0-0", "zzero-0000-0-1"


def make_file(path: Path, chan: int, numbers: Iterable[int]) -> Path:
    """Make a file of blocks whose samples tell the number. What is missing is lost."""
    blocks, expected = [], None
    for n in numbers:
        lost = n != (n if expected is None else expected)
        blocks.append(make_block(n, bytes([n, chan] * 4), chan=chan, alarms=int(lost)))
        expected = n + 1
    path.write_bytes(b"".join(blocks))
    return path


def start_group(start: Start, *files: Path) -> Program:
    names = ",".join(str(path) for path in files)
    return start("--prefix=test:", "--interval=0", f"--group=both={names}")


def follow(program: Program, name: str, number: int) -> Any:
    return program.wait(name, lambda value: value.uniqueId == number)


def test_event(start: Start, tmp_path: Path) -> None:
    """The blocks of an event have one time. A missing one is stated, and the end, too."""
    one = make_file(tmp_path / ONE, 0, range(5))
    two = make_file(tmp_path / TWO, 1, [0, 1, 2, 3])
    program = start_group(start, one, two)
    # The second file ends before the last event.
    last = follow(program, f"test:both:{ONE}", 4)
    assert last.value.tolist() == [4, 0] * 4
    assert last.timeStamp.nanoseconds == 254000000
    whole = program.wait("test:both", lambda value: value.alarm.severity == 3)
    assert list(whole.channelName) == [str(one), str(two)]
    other = program.get(f"test:both:{TWO}")
    assert (other.uniqueId, other.alarm.severity) == (3, 3)
    assert other.value.tolist() == [3, 1] * 4


def test_lost_block(start: Start, tmp_path: Path) -> None:
    """A block that is missing in the last event"""
    one = make_file(tmp_path / ONE, 0, range(4))
    two = make_file(tmp_path / TWO, 1, [0, 1, 9])
    program = start_group(start, one, two)
    whole = program.wait("test:both", lambda v: v.timeStamp.nanoseconds == 259000000)
    assert whole.timeStamp.secondsPastEpoch == BEGIN
    assert [bool(len(value)) for value in whole.value] == [False, True]
    assert list(whole.severity)[0] == 3
    assert list(whole.userTag)[1] == 9
    assert "zzero-0000-0-0" in whole.alarm.message
    assert program.get("test:both:lost").value == 7


def test_complete_event(start: Start, tmp_path: Path) -> None:
    files = [make_file(tmp_path / name, n, range(3)) for n, name in enumerate((ONE, TWO))]
    program = start_group(start, *files)
    whole = program.wait("test:both", lambda v: v.timeStamp.nanoseconds == 252000000)
    assert [value.tolist() for value in whole.value] == [[2, 0] * 4, [2, 1] * 4]
    assert list(whole.nanoseconds) == [252000000] * 2
    assert list(whole.userTag) == [2, 2]
    values = program.get(f"test:both:{TWO}:values")
    assert values.value.tolist() == [2.0, 1.0] * 4
    assert program.get("test:both:lost").value == 0


def test_time_that_epics_cannot_hold(start: Start, tmp_path: Path) -> None:
    """A group goes on after a block whose time has more than 63 bits of seconds."""
    one = tmp_path / ONE
    late = make_block(1, later_ns=2**93)
    one.write_bytes(make_block(0) + late)
    program = start_group(start, one)
    image = follow(program, f"test:both:{ONE}", 1)
    assert image.dataTimeStamp.secondsPastEpoch == 2**63 - 1


def test_time_of_an_event(start: Start, tmp_path: Path) -> None:
    """All channels of an event have its time. The time of the block is beside it."""
    one = make_file(tmp_path / ONE, 0, range(3))
    two = tmp_path / TWO
    two.write_bytes(b"".join(make_block(n, chan=1, later_ns=300) for n in range(3)))
    names = f"{one},{two}"
    program = start("--interval=0", f"--group=both={names}", "--window=1000")
    image = follow(program, f"both:{TWO}", 2)
    assert image.timeStamp.nanoseconds == 252000000
    assert image.dataTimeStamp.nanoseconds == 252000300
    assert program.get(f"both:{TWO}:values").timeStamp.nanoseconds == 252000000
    assert list(program.get("both").nanoseconds) == [252000000, 252000300]
