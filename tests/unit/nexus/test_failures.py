# SPDX-License-Identifier: GPL-2.0-only
"""Samples that a format does not take, and files that cannot be completed."""

import errno
import fcntl
import json
import os
import subprocess
import sys
import termios
import time
import wave
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

import numpy as np
import pytest
from zio_nexus.cli import main
from zio_nexus.convert_csv import CsvConverter

from .conftest import PROGRAM, pipe_of
from .makeblocks import Kind, make_block, make_control, make_file, samples
from .test_stored import limit_files

KIND = Kind(nsamples=512)
NAME = KIND.name


def complain(result: Any) -> str:
    """Return what the program says; it has no traceback."""
    said = result.stderr if isinstance(result.stderr, str) else result.stderr.decode()
    assert "Traceback" not in said and "Exception" not in said
    return str(said)


def test_rate_of_no_file(nexus: Any, tmp_path: Path) -> None:
    make_file(tmp_path / "a.zio", KIND, range(3))
    said = complain(nexus("a.zio", "-o", "a.wav", "--rate=4e9", status=1))
    assert f"{NAME}: 4e+09 Hz: WAV has at most 4294967295 bytes" in said
    assert "use HDF5" in said
    complain(nexus("a.zio", "-o", "a.wav", "--rate=5e9", status=2))
    assert [path.name for path in tmp_path.iterdir()] == ["a.zio"]


def test_rate_by_the_times(nexus: Any, tmp_path: Path) -> None:
    """The times tell a rate of 512 GHz, which no control can have."""
    blocks = []
    for seq in range(3):
        control = make_control(KIND, seq, 512)
        control["tstamp"]["ticks"] = seq
        blocks.append(control.tobytes() + samples(seq, 512, 2))
    (tmp_path / "a.zio").write_bytes(b"".join(blocks))
    said = complain(nexus("a.zio", "-o", "a.wav", status=1))
    assert "the times do not tell the rate: use --rate=HZ" in said


@pytest.mark.parametrize("suffix", ["wav", "sr"])
def test_rate_below_a_hertz(nexus: Any, tmp_path: Path, suffix: str) -> None:
    make_file(tmp_path / "a.zio", KIND, range(1))
    said = complain(nexus("a.zio", "-o", f"a.{suffix}", "--rate=0.25"))
    assert f"{NAME}: the file has the rate 1 Hz, not 0.25 Hz" in said


def test_error_of_the_program(tmp_path: Path, monkeypatch: Any, capfd: Any) -> None:
    """Blocks of a pipe that were written stay, whatever ends the program."""
    write = CsvConverter.write

    def fail(self: Any, run: Any, number: int) -> Any:
        if self.outputs[0].blocks:
            raise ZeroDivisionError
        return write(self, run, number)

    monkeypatch.setattr(CsvConverter, "write", fail)
    content = b"".join(make_block(KIND, seq) for seq in range(1500))
    with pipe_of(tmp_path / "pipe", content) as pipe, pytest.raises(ZeroDivisionError):
        main([str(pipe), "-o", str(tmp_path / "a.csv")])
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert len(lines) > 1 and (len(lines) - 1) % 512 == 0


def overfill(nexus: Any, tmp_path: Path, suffix: str) -> tuple[str, list[Path]]:
    """Convert a pipe on a disk that is full; return the messages and the parts."""
    content = b"".join(make_block(KIND, seq) for seq in range(1500))
    words = ("-", "-o", f"a.{suffix}", "--rate=512000")
    # A session of sigrok is compressed.
    size = 2_000 if suffix == "sr" else 100_000
    more = {"preexec_fn": limit_files(size), "status": 5}
    result = nexus(*words, input=content, text=False, **more)
    return complain(result), list(tmp_path.glob(f"a.{suffix}.*.part"))


@pytest.mark.parametrize("suffix", ["csv", "npy"])
def test_half_a_block(tmp_path: Path, monkeypatch: Any, capfd: Any, suffix: str) -> None:
    """The disk is full within a block, behind others that were written: the file is no
    whole one, and does not get the name of one."""
    # More than the buffer of a file is lost with the write, so its end would succeed.
    real, room = os.pwrite, 90_000 if suffix == "npy" else 1_500_000

    def write(fd: int, data: Any, place: int) -> int:
        if place == room:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(fd, bytes(data)[: room - place], place)

    monkeypatch.setattr("zio_nexus.target.os.pwrite", write)
    monkeypatch.setattr("zio_nexus.source.BATCH", 20)
    content = b"".join(make_block(KIND, seq) for seq in range(150))
    words = ["--json", "--rate=512000", "-o", str(tmp_path / f"a.{suffix}")]
    with pipe_of(tmp_path / "pipe", content) as pipe:
        assert main([str(pipe), *words]) == 5
    out, said = capfd.readouterr()
    (part,) = tmp_path.glob(f"a.{suffix}.*.part")
    assert f"what was written is in {part}" in said
    assert not (tmp_path / f"a.{suffix}").exists()
    report = json.loads(out)
    assert report["stored"] == 0 < report["not_stored"]


def test_part_of_npy(nexus: Any, tmp_path: Path) -> None:
    said, (part,) = overfill(nexus, tmp_path, "npy")
    assert f"what was written is in {part.name}" in said
    array = np.load(part)
    wanted = b"".join(samples(seq, 512, 2) for seq in range(1500))
    assert array.nbytes > 90_000 and array.tobytes() == wanted[: array.nbytes]


def test_part_of_wav(nexus: Any, tmp_path: Path) -> None:
    said, (part,) = overfill(nexus, tmp_path, "wav")
    assert f"what was written is in {part.name}" in said
    with wave.open(str(part)) as sound:
        assert sound.getnframes() * 2 > 90_000 and sound.getframerate() == 512000


def test_part_of_csv(nexus: Any, tmp_path: Path) -> None:
    said, (part,) = overfill(nexus, tmp_path, "csv")
    assert f"what was written is in {part.name}" in said
    assert part.read_text().startswith("channel,seq,time_ns,lost,sample,")


@pytest.mark.parametrize("suffix", ["npz", "sr"])
def test_part_of_an_archive(nexus: Any, tmp_path: Path, suffix: str) -> None:
    """An archive has no end, and cannot be read: the program promises nothing."""
    said, parts = overfill(nexus, tmp_path, suffix)
    assert f"a.{suffix}: cannot be completed: its blocks are lost" in said
    assert "is in" not in said and not parts


def unread(pipe: IO[bytes]) -> int:
    """Return the bytes in the pipe."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


def slowly(tmp_path: Path, blocks: Iterable[bytes], *words: str) -> tuple[int, str]:
    """Convert a pipe that gives the blocks one by one; return the status, the text."""
    process = subprocess.Popen(
        [*PROGRAM, "-", *words],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin
    for block in blocks:
        process.stdin.write(block)
        process.stdin.flush()
        while process.poll() is None and unread(process.stdin):
            time.sleep(0.01)
    said = process.communicate()[1].decode()
    assert "Exception" not in said
    return process.returncode, said


@pytest.mark.parametrize("suffix", ["wav", "sr"])
def test_slow_source(tmp_path: Path, suffix: str) -> None:
    """The first block comes alone, and the times tell the rate later."""
    kinds = [Kind(chan=1, nsamples=4), Kind(chan=2, nsamples=0)]
    numbers = [(0, 0), (1, 0), *((0, seq) for seq in range(1, 9))]
    blocks = [make_block(kinds[which], seq) for which, seq in numbers]
    status, said = slowly(tmp_path, blocks, "-o", f"a.{suffix}")
    assert status == 0 and "4000 samples per second" in said
    wanted = b"".join(samples(seq, 4, 2) for seq in range(9))
    if suffix == "wav":
        with wave.open(str(tmp_path / "a.wav")) as sound:
            found = np.frombuffer(sound.readframes(99), np.uint16) ^ 0x8000
    else:
        with zipfile.ZipFile(tmp_path / "a.sr") as archive:
            found = np.frombuffer(archive.read("analog-1-1-1"), "<f4").astype("u2")
    assert found.tobytes() == wanted


def test_source_that_never_tells(summary: Any, tmp_path: Path) -> None:
    """What other channels have is kept, and counted."""
    blocks = [make_block(Kind(chan=1), seq) for seq in range(5)]
    blocks.append(make_block(Kind(chan=2), 0))
    words = ("-", "-o", "a.wav")
    report = summary(*words, input=b"".join(blocks), text=False, status=1)
    assert (report["stored"], report["not_stored"]) == (5, 1)
    with wave.open(str(tmp_path / "a.wav")) as sound:
        assert sound.getnframes() == 80
    assert "use --rate=HZ" in report["end"]
    report = summary(*words, "-f", input=blocks[-1], text=False, status=1)
    assert (report["stored"], report["not_stored"]) == (0, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["a.wav"]


def test_without_h5py(nexus: Any, tmp_path: Path) -> None:
    """A command imports it when it begins, and says what to install."""
    (tmp_path / "h5py.py").write_text("raise ImportError('no h5py')")
    (tmp_path / "a.zio").write_bytes(make_block(Kind(), 0))
    path = {"PYTHONPATH": str(tmp_path)}
    said = nexus("a.zio", "-o", "a.nxs", status=1, env=path).stderr
    assert said == (
        "zio-nexus: no h5py: install python3-zio and python3-h5py; in the source tree, "
        "`make -C tools python` builds the package zio\n"
    )
    nexus("a.zio", "-o", "a.csv", env=path)
