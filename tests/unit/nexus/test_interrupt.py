# SPDX-License-Identifier: GPL-2.0-only
"""A file is readable up to the last flush, whatever ends the program."""

import contextlib
import json
import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from zio_nexus.cli import main
from zio_nexus.hdf import Recording

from .conftest import PROGRAM
from .makeblocks import Kind, make_block, make_file, samples

KIND = Kind(nsamples=512)
BLOCK = len(make_block(KIND, 0))
# Seconds, which only a hang reaches: a minute, on a machine that is eight times slower
PATIENCE = 480


class Running:
    """The program, which records what feed() gives it."""

    def __init__(self, directory: Path, *words: str, **more: Any) -> None:
        command = [*PROGRAM, "-", "-o", "a.nxs", "--flush=0.01", *words]
        self.path = directory / "a.nxs"
        self.next = 0
        self.process = subprocess.Popen(
            command,
            cwd=directory,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **more,
        )

    def feed(self, count: int, has_lost: bool = False) -> None:
        """Feed blocks. With @has_lost, blocks were lost before the first one."""
        assert self.process.stdin
        first = make_block(KIND, self.next, has_lost=has_lost)
        numbers = range(self.next + 1, self.next + count)
        self.next += count
        rest = b"".join(make_block(KIND, n) for n in numbers)
        self.process.stdin.write(first + rest)
        self.process.stdin.flush()

    def stored(self) -> int:
        """Return the blocks that a reader finds in the file, at this moment."""
        try:
            recording = Recording(str(self.path))
        except Exception:
            return 0
        channel = recording.channels.get(KIND.name)
        blocks = channel.blocks if channel else 0
        recording.close()
        return blocks

    def wait_stored(self, count: int) -> None:
        end = time.monotonic() + PATIENCE
        while self.stored() < count:
            assert self.process.poll() is None and time.monotonic() < end
            time.sleep(0.01)

    def overfill(self, count: int) -> tuple[int, str, str]:
        """Feed blocks until the program does not take them any more, and end()."""
        with contextlib.suppress(BrokenPipeError):
            self.feed(count)
        self.process.stdin = None
        return self.end()

    def end(self) -> tuple[int, str, str]:
        out, said = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out.decode(), said.decode()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    running: list[Running] = []

    def run(*words: str, **more: Any) -> Running:
        running.append(Running(more.pop("directory", tmp_path), *words, **more))
        return running[-1]

    yield run
    for program in running:
        if program.process.poll() is None:
            program.process.kill()
            program.process.communicate()


def check_contents(path: Path, least: int) -> int:
    """Check all blocks of a file; return their number."""
    recording = Recording(str(path))
    channel = recording.channels[KIND.name]
    assert channel.blocks >= least
    seen = 0
    for run in channel.runs():
        for number, data in zip(run.controls["seq_num"], run.blocks()):
            assert number == seen and data.tobytes() == samples(seen, 512, 2)
            seen += 1
    assert seen == channel.blocks
    recording.close()
    return seen


def test_kill(start: Any, nexus: Any, tmp_path: Path) -> None:
    """kill -9 in the middle of writes loses nothing that was flushed before."""
    program = start()
    program.feed(3000)
    program.wait_stored(3000)
    program.feed(700)
    program.process.kill()
    program.end()
    stored = check_contents(tmp_path / "a.nxs", 3000)
    said = nexus("verify", "a.nxs").stdout
    assert "interrupted" in said and f"{stored} blocks" in said
    nexus("cat", "a.nxs", "-o", "b.zio")
    content = b"".join(make_block(KIND, n) for n in range(stored))
    assert (tmp_path / "b.zio").read_bytes() == content


def test_repair(start: Any, nexus: Any, tmp_path: Path) -> None:
    """After a kill other programs refuse the file until it is repaired."""
    program = start()
    program.feed(2000)
    program.wait_stored(2000)
    program.process.kill()
    program.end()
    with pytest.raises(OSError):
        h5py.File(tmp_path / "a.nxs", "r")
    assert "repaired" in nexus("repair", "a.nxs").stderr
    assert "does not need repair" in nexus("repair", "a.nxs").stderr
    with h5py.File(tmp_path / "a.nxs", "r") as file:
        assert len(file["entry"][KIND.name]["control"]) == 2000
    subprocess.run(["h5dump", "-H", tmp_path / "a.nxs"], check=True, capture_output=True)
    nexus("verify", "a.nxs")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal(start: Any, nexus: Any, tmp_path: Path, number: int) -> None:
    """Everything that has come is in the file, which is complete."""
    program = start("--json")
    program.feed(1500)
    program.wait_stored(1500)
    program.process.send_signal(number)
    status, out, _ = program.end()
    assert status == 128 + number
    assert json.loads(out)["blocks"] == 1500
    assert "interrupted" not in nexus("verify", "a.nxs").stdout
    with h5py.File(tmp_path / "a.nxs", "r") as file:
        assert file["entry/end_time"][()] != b""
        assert len(file["entry"][KIND.name]["data"]) == 1500


def limit_files(size: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


# --- the exit status: what ends a recording comes before a loss -------------------------


def feed(program: Running, lost: int) -> int:
    """Feed blocks, some of which are missing. Return how many they are."""
    program.feed(100)
    program.next += lost
    program.feed(50, has_lost=lost > 0)
    return 150


@pytest.mark.parametrize("lost", [0, 3])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_status_of_a_signal(start: Any, number: int, lost: int) -> None:
    program = start("--json")
    program.wait_stored(feed(program, lost))
    program.process.send_signal(number)
    program.process.wait(PATIENCE)
    status, out, _ = program.end()
    assert status == 128 + number
    report = json.loads(out)
    assert (report["end"], report["lost"]) == (f"signal {number}", lost)


@pytest.mark.parametrize("lost", [0, 3])
def test_status_of_a_full_disk(start: Any, lost: int) -> None:
    program = start("--json", preexec_fn=limit_files(9_000_000))
    feed(program, lost)
    status, out, _ = program.overfill(20000)
    assert status == 5
    assert json.loads(out)["lost"] == lost


@pytest.mark.parametrize("lost", [0, 3])
@pytest.mark.parametrize("suffix", ["nxs", "csv", "npz"])
def test_status_of_an_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], suffix: str, lost: int
) -> None:
    """The end of the file, the wanted number, the wanted time, and a source that fails"""
    numbers = [*range(10), *range(10 + lost, 15 + lost)]
    make_file(tmp_path / "a.zio", Kind(), numbers)
    words = [str(tmp_path / "a.zio"), "-o", str(tmp_path / f"a.{suffix}")]
    words += ["--json", "--force", "-q"]
    for end, more in (
        ("end of file", []),
        ("count", ["--count=15"]),
        ("duration", ["--duration=1e-9"]),
    ):
        assert main([*words, *more]) == (4 if lost else 0)
        report = json.loads(capsys.readouterr().out)
        assert (report["end"], report["blocks"], report["lost"]) == (end, 15, lost)
    os.truncate(tmp_path / "a.zio", (tmp_path / "a.zio").stat().st_size - 1)
    assert main(words) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["blocks"], report["lost"]) == (14, lost)


@pytest.mark.parametrize("lost", [0, 3])
def test_status_of_verify(tmp_path: Path, lost: int) -> None:
    """A file that cannot be opened, and a fault, come before a loss."""
    make_file(tmp_path / "a.zio", Kind(), [0, 1, 2 + lost, 3 + lost])
    path, missing = str(tmp_path / "a.nxs"), str(tmp_path / "missing.nxs")
    status = 4 if lost else 0
    assert main([str(tmp_path / "a.zio"), "-o", path]) == status
    assert main(["verify", path]) == status
    assert main(["verify", path, missing]) == 3
    assert main(["verify", "--live", path]) == 1
    with h5py.File(path, "r+") as file:
        file["entry"][Kind().name]["time"][1] += 1
    assert main(["verify", path]) == 1
    assert main(["verify", path, missing]) == 3


def test_follow(start: Any) -> None:
    """A reader sees blocks as they come, without opening the file again."""
    program = start()
    program.feed(1100)
    program.wait_stored(1100)
    with h5py.File(program.path, "r", swmr=True, libver="v110") as file:
        group = file["entry"][KIND.name]
        data, statistics = group["data"], file["entry/statistics"]
        for count in (2000, 2001, 5000):
            program.feed(count - program.next)
            end = time.monotonic() + PATIENCE
            while statistics["blocks"][0] < count and time.monotonic() < end:
                statistics.refresh()
            data.refresh()
            assert len(data) >= statistics["blocks"][0] == count
            assert data[count - 1].tobytes() == samples(count - 1, 512, 2)
    program.process.stdin.close()
    assert program.process.wait(PATIENCE) == 0


def test_file_limit(start: Any, nexus: Any, tmp_path: Path) -> None:
    """The program stops before the limit, and the file is complete."""
    program = start("--json", preexec_fn=limit_files(9_000_000))
    program.feed(2000)
    program.wait_stored(2000)
    status, out, said = program.overfill(20000)
    assert status == 5 and "File too large" in said
    assert json.loads(out)["end"] != "end of file"
    check_contents(tmp_path / "a.nxs", 2000)
    assert "interrupted" not in nexus("verify", "a.nxs").stdout
    h5py.File(tmp_path / "a.nxs", "r").close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "small"
    place.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=12M", "tmpfs", str(place)]
    if os.geteuid() or subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("only root can mount a small disk")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_full_disk(start: Any, nexus: Any, small_disk: Path) -> None:
    """The program stops before the disk is full, and the file is complete."""
    program = start("--json", directory=small_disk)
    program.feed(2000)
    program.wait_stored(2000)
    status, out, said = program.overfill(20000)
    assert status == 5 and "No space left" in said
    check_contents(small_disk / "a.nxs", 2000)
    assert "interrupted" not in nexus("verify", small_disk / "a.nxs").stdout


def test_write_fails(start: Any, nexus: Any, tmp_path: Path) -> None:
    """A write fails within HDF5: the file keeps what was flushed before."""
    program = start("--json")
    program.feed(2000)
    program.wait_stored(2000)
    resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE, (4096, 4096))
    status, out, said = program.overfill(20)
    assert status == 5 and "File too large" in said
    assert json.loads(out)["end"] != "end of file"
    if "truncated" in nexus("verify", "a.nxs", status=None).stderr:
        nexus("repair", "a.nxs")
    check_contents(tmp_path / "a.nxs", 2000)
    nexus("verify", "a.nxs")


def test_array_of_times(start: Any) -> None:
    """The times in a file that still grows are those of its blocks."""
    program = start()
    program.feed(1200)
    program.wait_stored(1200)
    recording = Recording(str(program.path))
    times = recording.entry[KIND.name]["time"][:1200]
    assert np.array_equal(np.diff(times), np.full(1199, 1_000_000))
    recording.close()
