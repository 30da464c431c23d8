# SPDX-License-Identifier: GPL-2.0-only
"""zio-replay and zio-generate in the virtual machine. selftests/devices.sh runs this."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import soundfile
import zio

TOOLS = Path(__file__).resolve().parents[4] / "tools"
NEXUS = [sys.executable, str(TOOLS / "programs/nexus/zio-nexus")]
SAWTOOTH = "zzero-0-2"
# Seconds, which only a hang reaches
SECONDS = 120.0


def in_guest(*command: str) -> None:
    """Run a program of the virtual machine, which has the modules."""
    subprocess.run(["chroot", "/proc/1/root", *command], check=True)


def wait_for(found: Callable[[], Any]) -> Any:
    """Wait until the result is true, and return it."""
    limit = time.monotonic() + SECONDS
    while not (result := found()):
        assert time.monotonic() < limit, "never true"
        time.sleep(0.02)
    return result


@pytest.fixture(scope="session", autouse=True)
def modules() -> None:
    for name in ("zio-buf-vmalloc", "zio-trig-hrt", "zio-uzio", "zio-loop"):
        in_guest("zio-load", name)


class Program:
    """A program that has made its device."""

    def __init__(self, place: Path, name: str, *words: Any) -> None:
        link = place / name
        if not link.exists():
            link.symlink_to(TOOLS / "programs/devices/zio-device")
        command = [sys.executable, str(link), "--json", *map(str, words)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, self.process.communicate()[1]
        self.start = json.loads(line)
        self.device = self.start["device"]

    def end(self, number: int | None = None) -> tuple[int, dict[str, Any]]:
        """Send a signal, or wait for the end. Return the status and the counts."""
        if number is not None:
            self.process.send_signal(number)
        out, err = self.process.communicate(timeout=SECONDS)
        assert out, err
        return self.process.returncode, json.loads(out.splitlines()[-1])


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Program]]:
    """Return a function that starts a program with these words."""
    programs: list[Program] = []

    def run(name: str, *words: Any) -> Program:
        programs.append(Program(tmp_path, name, *words))
        return programs[-1]

    yield run
    for program in programs:
        program.process.kill()
        program.process.communicate()
        wait_for(lambda program=program: program.device not in zio.devices())


def collect(name: str, most: int = 10**6) -> list[zio.Block]:
    """Return the blocks of a channel, until its device is gone."""
    blocks: list[zio.Block] = []
    with zio.open(name) as channel:
        try:
            for block in channel.take(most):
                blocks.append(block)
        except zio.Error as error:
            assert error.errno == 19, error
    return blocks


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """A recording of zio-zero with the trigger hrt, by zio-copy."""
    path = tmp_path / "zero.zio"
    cset = zio.devices()["zzero-0000"].cset[0]
    cset["current_trigger"] = "hrt"
    cset.trigger["nsamples"], cset.trigger["period-ns"] = 64, 5_000_000
    try:
        subprocess.run(
            ["chroot", "/proc/1/root", "zio-copy", f"if={SAWTOOTH}", "count=40",
             f"of=/host{path}"],
            check=True,
        )  # fmt: skip
    finally:
        cset["current_trigger"] = "user"
        cset.trigger["nsamples"] = 16
    return path


def make(path: Path, count: int = 40, lost: tuple[int, ...] = (), **more: Any) -> Path:
    """Make a recording with a unit and a rate, without the blocks that are lost."""
    settings = {"unit": "V", "scale": 0.001, "rate": 64000, **more}
    with zio.open(str(path), create=True) as file:
        for number in range(count):
            if number in lost:
                continue
            control = zio.make_control("adc-0-0", 1.7e9, seq=number, **settings)
            control["tstamp"]["ticks"] = number * 1_000_000
            file.write((np.arange(64) + 7 * number).astype("i2"), control)
    return path


def test_same_again(start: Callable[..., Program], recording: Path) -> None:
    """What is recorded, replayed and recorded again has the same samples, losses and
    relative times."""
    program = start("zio-replay", recording)
    before = list(zio.open(str(recording)).take(1000))
    after = collect(f"{program.device}-0-0")
    assert len(after) == len(before) == 40
    for one, other in zip(before, after, strict=True):
        assert (one.data == other.data).all()
        assert one.time_ns - before[0].time_ns == other.time_ns - after[0].time_ns
        assert one.lost == other.lost
    assert abs(after[0].time - time.time()) < SECONDS
    status, counts = program.end()
    assert status == 0
    assert (counts["events"], counts["blocks"], counts["samples"]) == (40, 40, 2560)


def test_real_time(start: Callable[..., Program], tmp_path: Path) -> None:
    """A block does not come before its last sample was taken, and at another speed the
    recording is as much shorter."""
    path = make(tmp_path / "slow.zio", count=500)
    for words, least in (((), 0.5), (("--speed=10",), 0.05)):
        program = start("zio-replay", *words, path)
        began = time.monotonic()
        assert len(collect(f"{program.device}-0-0")) == 500
        assert time.monotonic() - began >= least
        assert program.end()[0] == 0


def test_losses(start: Callable[..., Program], tmp_path: Path) -> None:
    """Readers are told of as many losses as the recording has."""
    path = make(tmp_path / "lossy.zio", lost=(3, 4, 20))
    program = start("zio-replay", "--speed=max", path)
    blocks = collect(f"{program.device}-0-0")
    assert [block.lost for block in blocks[:5]] == [0, 0, 0, 2, 0]
    assert sum(block.lost for block in blocks) == 3
    timeline = zio.Timeline()
    assert [timeline.add(block).lost for block in blocks[:5]] == [0, 0, 0, 2, 0]
    status, counts = program.end()
    assert (status, counts["events"], counts["lost"], counts["late"]) == (0, 37, 3, 0)
    assert counts["notes"] == []


def test_nexus(start: Callable[..., Program], tmp_path: Path) -> None:
    """zio-nexus records the replayed device with unit, scale and rate; and its file is
    replayed again."""
    path, file = make(tmp_path / "run.zio"), tmp_path / "run.nxs"
    program = start("zio-replay", "--speed=max", path)
    name = f"{program.device}-0-0"
    done = subprocess.run(
        [*NEXUS, name, "-o", str(file), "-n", "40"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    program.end(signal.SIGINT)
    with h5py.File(file) as hdf:
        group = hdf["entry"][name]
        assert group["data"].attrs["units"] == "V"
        assert group["data"].attrs["scaling_factor"] == 0.001
        assert group.attrs["rate"] == 64000
        wanted = np.stack([block.data for block in zio.open(str(path)).take(40)])
        assert (group["data"][()] == wanted).all()
    program = start("zio-replay", "--speed=max", "--name=again", file)
    assert program.start["sets"][0]["unit"] == "V"
    blocks = collect("again-0-0")
    assert (np.stack([block.data for block in blocks]) == wanted).all()
    assert blocks[0].unit == "V" and blocks[0].rate == 64000
    assert program.end()[0] == 0


def test_trigger(start: Callable[..., Program], tmp_path: Path) -> None:
    """Each event of the trigger gets the next block, with the time of the event."""
    path = make(tmp_path / "run.zio")
    program = start("zio-replay", "--by-trigger", "--trigger=hrt", "--period=20ms", path)
    blocks = collect(f"{program.device}-0-0", 5)
    steps = np.diff([block.time_ns for block in blocks])
    # The blocks of the recording are 1 ms apart. A busy machine serves the timer late.
    assert steps.min() > 5_000_000, steps
    assert [int(block.data[0]) for block in blocks] == [0, 7, 14, 21, 28]
    assert program.end(signal.SIGTERM)[0] == 143


def test_loop(start: Callable[..., Program], tmp_path: Path) -> None:
    """A recording without an end has no gap where it begins again."""
    path = make(tmp_path / "run.zio", count=10)
    program = start("zio-replay", "--loop", "--speed=max", path)
    blocks = collect(f"{program.device}-0-0", 35)
    assert [int(block.data[0]) for block in blocks] == [n % 10 * 7 for n in range(35)]
    assert set(np.diff([block.time_ns for block in blocks])) == {1_000_000}
    timeline = zio.Timeline()
    for block in blocks:
        timeline.add(block)
    assert timeline.account().is_clean, timeline.account()
    assert program.end(signal.SIGINT)[0] == 130


def test_original_times(start: Callable[..., Program], tmp_path: Path) -> None:
    path = make(tmp_path / "run.zio", count=5)
    program = start("zio-replay", "--times=original", "--speed=max", path)
    times = [block.time_ns for block in collect(f"{program.device}-0-0")]
    assert times == [1_700_000_000 * 10**9 + n * 1_000_000 for n in range(5)]


def test_list_and_kill(start: Callable[..., Program], tmp_path: Path) -> None:
    """The device is in the list, and goes with its program, even by kill -9."""
    path = make(tmp_path / "run.zio", count=5)
    program = start("zio-replay", "--name=again", "--loop", path)
    assert program.device == "again-0000"
    assert zio.find("again/0/0")["unit"] == "V"
    assert float(zio.find("again/0").text("sample-rate")) == 64000
    reader = zio.open("again-0-0")
    assert reader.read() is not None
    os.kill(program.process.pid, signal.SIGKILL)
    with pytest.raises(zio.Error, match="device"):
        while reader.read():
            pass
    reader.close()
    wait_for(lambda: "again-0000" not in zio.devices())


def test_background(tmp_path: Path) -> None:
    """The program returns when the device is there, which goes when all is read."""
    link, path = tmp_path / "zio-replay", make(tmp_path / "run.zio", count=5)
    link.symlink_to(TOOLS / "programs/devices/zio-device")
    command = [sys.executable, str(link), "--background", "--speed=max", "--name=back"]
    with open(tmp_path / "said", "w") as said:
        subprocess.run([*command, str(path)], check=True, stdout=said, timeout=SECONDS)
    assert "back-0000" in zio.devices()
    assert len(collect("back-0-0", 5)) == 5
    wait_for(lambda: "back-0000" not in zio.devices())
    lines = (tmp_path / "said").read_text().splitlines()
    assert lines[0].startswith("back-0000-0-0: channels 1, samples in a block 64, 64000")
    assert lines[-1].startswith("back-0000: 5 events, 5 blocks, 320 samples, 0 lost")


def test_sound(start: Callable[..., Program], tmp_path: Path) -> None:
    samples = np.random.default_rng(1).integers(-(2**15), 2**15, (5000, 2), dtype="i2")
    soundfile.write(tmp_path / "a.wav", samples, 44100, subtype="PCM_16")
    program = start(
        "zio-replay", "--unit=V", "--full-scale=2", "--speed=max", tmp_path / "a.wav"
    )
    blocks = collect(f"{program.device}-0-1")
    assert (np.concatenate([block.data for block in blocks]) == samples[:, 1]).all()
    assert (blocks[0].unit, blocks[0].rate) == ("V", 44100)
    assert blocks[0].scaling.scale == 2 / 2**15


def test_sine(start: Callable[..., Program]) -> None:
    """The peak of the spectrum is at the frequency, over many blocks."""
    program = start(
        "zio-generate", "sine", "--frequency=1250", "--amplitude=2", "--rate=16k",
        "--speed=max", "--samples=1000", "--channels=2",
    )  # fmt: skip
    blocks = collect(f"{program.device}-0-0", 16)
    values = np.concatenate([block.values() for block in blocks])
    spectrum = np.abs(np.fft.rfft(values)) / len(values)
    assert np.argmax(spectrum) == 1250 * len(values) / 16000
    assert spectrum.max() == pytest.approx(1.0, rel=1e-3)
    assert blocks[0].unit == "V"
    assert zio.Timeline().add(blocks[0]).rate == 16000
    status, counts = program.end(signal.SIGINT)
    assert status == 130 and counts["lost"] == 0


def test_attributes_of_a_signal(start: Callable[..., Program]) -> None:
    """They change the signal from the next block on, and its phase goes on."""
    program = start(
        "zio-generate", "sine", "--by-trigger", "--frequency=100", "--rate=10k",
        "--samples=64", "--bits=32",
    )  # fmt: skip
    directory = Path(zio.find(program.device).path)
    names = ("amplitude", "offset", "frequency")
    values = [(directory / name).read_text() for name in names]
    assert values == ["1000\n", "0\n", "100000\n"]
    phase = np.arange(64) / 10_000
    with zio.open(f"{program.device}-0-0") as channel:
        block = channel.read()
        assert block is not None
        assert block.values() == pytest.approx(np.sin(2 * np.pi * 100 * phase), abs=1e-6)
        in_guest("zio", "set", program.device, "amplitude=3000", "frequency=50000")
        block = channel.read()
        assert block is not None
        wanted = 3 * np.sin(2 * np.pi * (0.64 + 50 * phase))
        assert block.values() == pytest.approx(wanted, abs=1e-6)
    for word, reason in (
        ("offset=7500", "its values reach 10.5 V, beyond the range of 10"),
        ("offset=10001", "it accepts -10000 to 10000"),
    ):
        command = ["chroot", "/proc/1/root", "zio", "set", program.device, word]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 1 and reason in done.stderr, done
    assert (directory / "offset").read_text() == "0\n"
    program.end(signal.SIGTERM)


def test_real_time_signal(start: Callable[..., Program]) -> None:
    """A signal takes as long as its samples, and has no gap for a reader that is fast."""
    program = start("zio-generate", "noise", "--seed=1", "--rate=10k", "--samples=500")
    began = time.monotonic()
    blocks = collect(f"{program.device}-0-0", 6)
    assert time.monotonic() - began >= 0.3
    values = np.concatenate([block.values() for block in blocks])
    assert 0.9 < values.std() < 1.1


def test_pulses(start: Callable[..., Program]) -> None:
    """The same seed gives the same samples. The mean is rate * height * decay."""
    found = []
    for _ in range(2):
        program = start(
            "zio-generate", "pulses", "--seed=7", "--pulse-rate=1k", "--decay=1ms",
            "--rate=100k", "--speed=max", "--samples=10000", "--blocks=20",
        )  # fmt: skip
        blocks = collect(f"{program.device}-0-0")
        found.append(np.concatenate([block.values() for block in blocks]))
        assert program.end()[1]["blocks"] == 20
    assert len(found[0]) == 200_000 and (found[0] == found[1]).all()
    # 2000 pulses: five standard deviations are 11 %.
    assert found[0].mean() == pytest.approx(1.0, rel=0.12)


def test_output(tmp_path: Path) -> None:
    """A signal goes to an output that is looped to an input."""
    link = tmp_path / "zio-generate"
    link.symlink_to(TOOLS / "programs/devices/zio-device")
    writer = subprocess.Popen(
        [sys.executable, str(link), "sine", "--to=zloop/0/0", "--frequency=1",
         "--rate=16", "--amplitude=100", "--offset=128", "--blocks=3", "--json"],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    blocks = collect("zloop-1-0", 3)
    out, _ = writer.communicate(timeout=SECONDS)
    assert json.loads(out)["samples"] == 48 and writer.returncode == 0
    wanted = np.round(128 + 100 * np.sin(np.arange(48) / 16 * 2 * np.pi))
    assert (np.concatenate([block.data for block in blocks]) == wanted).all()
