# SPDX-License-Identifier: GPL-2.0-only
import os
import struct
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import zio
from zio_scope import picture
from zio_scope import reader as reader_module
from zio_scope.reader import FileReader, Pace, TapReader
from zio_scope.samples import Trace
from zio_scope.view import View

from . import blocks


class Traces:
    def __init__(self) -> None:
        self.found: dict[str, Trace] = {}

    def __call__(self, name: str) -> Trace:
        return self.found.setdefault(name, Trace(name, len(self.found)))


def wait_for(is_so: Callable[[], object]) -> None:
    end = time.monotonic() + 480
    while not is_so():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def play(path: Path, **options: float) -> tuple[FileReader, Traces]:
    traces = Traces()
    reader = FileReader(str(path), traces, **options)  # type: ignore[arg-type]
    reader.start()
    return reader, traces


def test_interleaved_channels_have_several_values_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "a.zio"
    control = zio.make_control("zzero-0-0", rate=1000)
    control["flags"] |= np.uint32(zio.lib.ZIO_CONTROL_INTERLEAVE_DATA)
    control["tlv"]["type"], control["tlv"]["length"] = zio.lib.ZIO_TLV_CHANNELS, 1
    control["tlv"]["payload"] = np.array([0b1011], "u8").view("u1")
    with zio.open(str(path), create=True) as out:
        out.write(np.arange(30, dtype="u2"), control)
    reader, traces = play(path)
    wait_for(lambda: traces.found and traces.found["zzero-0000-0-0"].state == "ended")
    reader.stop()
    (trace,) = traces.found.values()
    (block,) = trace.snapshot()
    assert (block.rate, block.in_turn) == (1000, 3)
    names = (trace.name,)
    found = picture.waveform({trace.name: (0, [block])}, View(channels=names), 0)
    assert found is not None and found.rate == 3000


def test_a_channel_that_comes_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block file stands for the channel. A fault of the program ends nothing."""
    path = tmp_path / "a.zio"
    trace = Trace(str(path), 0, is_tap=True)
    real = reader_module.block_of
    monkeypatch.setattr(reader_module, "block_of", lambda *_: 1 / 0)
    reader = TapReader(trace)
    reader.start()
    wait_for(lambda: trace.state == "gone")
    assert str(path) in trace.text and trace.text.endswith("; waiting until it is back")
    os.mkfifo(path)
    with open(path, "wb", buffering=0) as fifo:
        fifo.write(blocks.recording(1, 64))
        wait_for(lambda: "ZeroDivisionError" in trace.text)
        monkeypatch.setattr(reader_module, "block_of", real)
        fifo.write(blocks.recording(6, 64, without=(2, 3)))
        wait_for(lambda: trace.account.blocks == 5)
    assert trace.counts()["skipped"] == 2
    reader.stop()
    reader.join(60)
    assert not reader.is_alive()


def test_a_board_that_is_back_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No block of the board before it stays, though the state does not tell of it."""

    class Live:
        state, text, returned = "running", "", 0

        def turn(self, timeout: float) -> list[zio.Block]:
            control = zio.make_control("zzero-0-0", seq=self.returned)
            return [zio.controls.block_of(control)]

    live = Live()
    monkeypatch.setattr(zio.live, "watch", lambda name: live)
    trace = Trace("zzero-0000-0-0", 0, is_tap=True)
    reader = TapReader(trace)
    for live.returned, numbers in (0, [0]), (0, [0, 0]), (1, [1]), (1, [1, 1]):
        reader._take_turn()
        assert [block.seq for block in trace.snapshot()] == numbers


def test_all_blocks_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.zio"
    path.write_bytes(blocks.recording(20, 64, channels=2, without=(5, 6)))
    reader, traces = play(path, speed=0)
    wait_for(lambda: [t.state for t in traces.found.values()] == ["ended", "ended"])
    trace = traces.found["zzero-0000-0-0"]
    for other in traces.found.values():
        assert (other.account.blocks, other.account.lost) == (18, 2)
    last = trace.snapshot()[-1]
    assert list(last.samples) == list((np.arange(64) + 19 * 64) % 256)
    assert (last.seq, last.time_ns) == (19, blocks.BEGIN_NS + 19 * 10_000_000)
    reader.play_again()
    wait_for(lambda: trace.account.blocks == 36)
    reader.stop()
    reader.join(5)
    assert not reader.is_alive()


def test_a_fifo_is_read_as_it_comes(tmp_path: Path) -> None:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    reader, traces = play(path)
    with open(path, "wb", buffering=0) as fifo:
        fifo.write(blocks.block(np.arange(8, dtype="u2")))
        wait_for(lambda: "zzero-0000-0-0" in traces.found)
        wait_for(lambda: traces.found["zzero-0000-0-0"].snapshot())
        assert traces.found["zzero-0000-0-0"].snapshot()[0].samples.dtype == "u2"
        reader.stop()
        reader.join(5)
    assert not reader.is_alive()


def test_a_damaged_file_says_why(tmp_path: Path) -> None:
    path = tmp_path / "a.zio"
    path.write_bytes(blocks.recording(2, 64)[:-10])
    reader, traces = play(path, speed=0)
    wait_for(lambda: traces.found and traces.found["zzero-0000-0-0"].state == "error")
    trace = traces.found["zzero-0000-0-0"]
    assert trace.account.blocks == 1
    assert str(path) in trace.text and "54 of the 64 bytes" in trace.text
    reader.stop()


def test_a_fault_of_the_program_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread goes on: it plays the file again."""
    path = tmp_path / "a.zio"
    path.write_bytes(blocks.recording(3, 64))
    real = reader_module.block_of
    monkeypatch.setattr(reader_module, "block_of", lambda *_: 1 / 0)
    reader, traces = play(path, speed=0)
    wait_for(lambda: traces.found and traces.found["zzero-0000-0-0"].state == "error")
    trace = traces.found["zzero-0000-0-0"]
    assert "ZeroDivisionError" in trace.text
    monkeypatch.setattr(reader_module, "block_of", real)
    reader.play_again()
    wait_for(lambda: trace.account.blocks == 4)
    reader.stop()


def test_a_file_without_a_block_says_why(tmp_path: Path) -> None:
    path = tmp_path / "a.zio"
    path.write_bytes(b"x" * 600)
    reader, traces = play(path)
    wait_for(lambda: traces.found and traces.found[str(path)].state == "error")
    reader.stop()


def test_stop_ends_a_wait(tmp_path: Path) -> None:
    path = tmp_path / "a.zio"
    path.write_bytes(blocks.recording(3, 64, step_ns=900_000_000))
    reader, traces = play(path)
    wait_for(lambda: traces.found)
    reader.stop()
    reader.join(0.5)
    assert not reader.is_alive()


def test_samples_of_odd_size_become_bytes(tmp_path: Path) -> None:
    data = bytearray(blocks.block(np.arange(6, dtype="u1")))
    data[8:14] = (2).to_bytes(4, "little") + (3).to_bytes(2, "little")
    path = tmp_path / "a.zio"
    path.write_bytes(data)
    reader, traces = play(path)
    wait_for(lambda: traces.found and traces.found["zzero-0000-0-0"].snapshot())
    found = traces.found["zzero-0000-0-0"].snapshot()[0].samples
    assert list(found) == [0, 1, 2, 3, 4, 5]
    reader.stop()


def test_samples_with_a_scale_become_values(tmp_path: Path) -> None:
    data = bytearray(blocks.block(np.array([0, 1, 65535], dtype="u2")))
    # The standard attributes unit (V), signed, scale and offset
    halves = np.array([0.005, 0.1]).view(np.uint32)
    values = {5: 1, 8: 1, **dict(enumerate(halves.tolist(), 9))}
    struct.pack_into("=H", data, 96, sum(1 << index for index in values))
    for index, value in values.items():
        struct.pack_into("=I", data, 104 + 4 * index, value)
    path = tmp_path / "a.zio"
    path.write_bytes(data)
    reader, traces = play(path)
    wait_for(lambda: traces.found and traces.found["zzero-0000-0-0"].snapshot())
    found = traces.found["zzero-0000-0-0"].snapshot()[0]
    assert found.unit == "V"
    np.testing.assert_allclose(found.samples, [0.1, 0.105, 0.095])
    reader.stop()


def test_rate_and_time_of_a_block(tmp_path: Path) -> None:
    """They are those of a timeline: the event is 5 us after the time stamp."""
    path = tmp_path / "a.zio"
    control = zio.make_control("zzero-0-0", time=1e9, rate=1411200 / 29)
    trigger = control["attr_trigger"]
    for index, value in ((7, 5_000_000), (8, 0)):  # FIRST
        trigger["std_mask"] |= 1 << index
        trigger["std_val"][index] = value
    with zio.open(str(path), create=True) as out:
        out.write(np.arange(6, dtype="u2"), control)
    reader, traces = play(path)
    wait_for(lambda: traces.found and traces.found["zzero-0000-0-0"].snapshot())
    trace = traces.found["zzero-0000-0-0"]
    found = trace.snapshot()[0]
    assert (found.rate, found.time_ns) == (1411200 / 29, 10**18 + 5000)
    assert (trace.rate, trace.counts()["bytes"]) == (found.rate, 12)
    reader.stop()


def test_missing_blocks_of_a_file(tmp_path: Path) -> None:
    """Each channel has its numbers. They wrap at 2^32. A number that goes back is that of
    another recording: its losses begin anew."""
    path = tmp_path / "a.zio"
    samples = np.arange(8, dtype="u1")
    numbers = {0: (7, 8, 10, 12), 1: (2**32 - 2, 1, 2), 2: (1000, 0, 1, 5)}
    lost = {(0, 10), (0, 12), (1, 1), (2, 5)}
    made = [
        blocks.block(samples, n, chan, alarms=(chan, n) in lost)
        for chan, s in numbers.items()
        for n in s
    ]
    path.write_bytes(b"".join(made))
    reader, traces = play(path, speed=0)
    wait_for(lambda: [t.state for t in traces.found.values()] == ["ended"] * 3)
    found = [trace.account.lost for trace in traces.found.values()]
    assert found == [2, 2, 3]
    reader.stop()


def test_channels_that_take_turns(tmp_path: Path) -> None:
    path = tmp_path / "a.zio"
    samples = np.arange(8, dtype="u1")
    made = [
        blocks.block(samples, n // 2, n % 2, alarms=n in (6, 9))
        for n in range(12)
        if n not in (4, 7)
    ]
    path.write_bytes(b"".join(made))
    reader, traces = play(path, speed=0)
    wait_for(lambda: [t.state for t in traces.found.values()] == ["ended"] * 2)
    assert [trace.account.lost for trace in traces.found.values()] == [1, 1]
    reader.stop()


def test_pace() -> None:
    pace = Pace(2.0)
    second = 1_000_000_000
    assert pace.delay(5 * second, now=100.0) == 0
    assert abs(pace.delay(6 * second, now=100.1) - 0.4) < 1e-9
    # A pause of an hour becomes one second; then the pace goes on.
    assert pace.delay(3600 * second, now=100.5) == 1.0
    assert abs(pace.delay(3601 * second, now=101.5) - 0.5) < 1e-9
    # Time that goes back, as in two files in sequence, starts anew.
    assert pace.delay(second, now=102.0) == 0
    assert abs(pace.delay(2 * second, now=102.0) - 0.5) < 1e-9


def test_speed_0_does_not_wait() -> None:
    assert Pace(0).delay(10**18, 0.0) == 0
