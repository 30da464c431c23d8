# SPDX-License-Identifier: GPL-2.0-only
"""What was recorded comes back in each format: samples, rate, times, losses, units."""

import csv
import json
import random
import subprocess
import wave
import zipfile
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from zio_nexus.cli import main

from .makeblocks import (
    MSB_ALIGN,
    NATIVE,
    PERIOD_NS,
    START,
    Kind,
    make_block,
    make_control,
    make_file,
    samples,
)

VOLTS = (5, -1, -1_000_000, 1)
TAI, MONOTONIC = 11, 1


def with_losses(seed: int, count: int = 200) -> list[int]:
    """Return sequence numbers, some of them missing; the first and the last are there."""
    chance = random.Random(seed)
    inner = [n for n in range(1, count - 1) if chance.random() > 0.1]
    return [0, *inner, count - 1]


def place(kind: Kind, numbers: list[int]) -> np.ndarray[Any, Any]:
    """Return the samples where the sequence numbers tell, and 0 for what is missing."""
    dtype = f"{'i' if kind.signed else 'u'}{kind.ssize}"
    whole = np.zeros((numbers[-1] + 1, kind.nsamples), dtype)
    for number in numbers:
        whole[number] = np.frombuffer(samples(number, kind.nsamples, kind.ssize), dtype)
    return whole.reshape(-1, max(1, kind.mask.bit_count()))


def read_wav(path: Path) -> tuple[int, np.ndarray[Any, Any]]:
    with wave.open(str(path)) as sound:
        dtype = "u1" if sound.getsampwidth() == 1 else f"i{sound.getsampwidth()}"
        frames = np.frombuffer(sound.readframes(sound.getnframes()), dtype)
        return sound.getframerate(), frames.reshape(-1, sound.getnchannels())


@pytest.mark.parametrize("mask", [0, 0b101])
@pytest.mark.parametrize("ssize", [1, 2, 4])
def test_wav(summary: Any, tmp_path: Path, mask: int, ssize: int) -> None:
    """A lost block keeps its place: later samples are not early, the rate is right."""
    kind = Kind(nsamples=16, ssize=ssize, signed=True, mask=mask)
    numbers = with_losses(ssize)
    make_file(tmp_path / "a.zio", kind, numbers)
    report = summary("a.zio", "-o", "a.wav", status=4)
    rate, found = read_wav(tmp_path / "a.wav")
    wanted = place(kind, numbers)
    if ssize == 1:
        wanted = wanted.view("u1") ^ 0x80
    assert rate == 16 * 1000 // wanted.shape[1]
    assert np.array_equal(found, wanted)
    lost = numbers[-1] + 1 - len(numbers)
    assert report["lost"] == lost
    filled = lost * 16 // wanted.shape[1]
    assert report["filled"]["a.wav"]["samples"] == filled
    note = f"{kind.name}: {filled} zeros stand in for missing samples: "
    assert note in comment_in(tmp_path / "a.wav")
    subprocess.run(["sox", tmp_path / "a.wav", "-n", "stat"], check=True)


def comment_in(path: Path) -> str:
    """Return the comment in the last chunk of a RIFF file."""
    content = path.read_bytes()
    assert int.from_bytes(content[4:8], "little") == len(content) - 8
    at, chunks = 12, {}
    while at < len(content):
        size = int.from_bytes(content[at + 4 : at + 8], "little")
        chunks[content[at : at + 4]] = content[at + 8 : at + 8 + size]
        at += 8 + size + size % 2
    assert at == len(content) and list(chunks) == [b"fmt ", b"data", b"LIST"]
    assert chunks[b"LIST"].startswith(b"INFOICMT")
    return chunks[b"LIST"][12:].rstrip(b"\0").decode()


def test_wav_of_odd_length(nexus: Any, tmp_path: Path) -> None:
    """The note behind an odd number of bytes begins at an even place."""
    kind = Kind(nsamples=3, ssize=1)
    make_file(tmp_path / "a.zio", kind, [0, 2, 4])
    nexus("a.zio", "-o", "a.wav", "--rate=3000", status=4)
    assert "6 zeros stand in for missing samples: 3 at 3, 3 at 9" in comment_in(
        tmp_path / "a.wav"
    )


def test_blocks_of_several_lengths(nexus: Any, tmp_path: Path) -> None:
    """The length of a lost block is not known: the times tell how much is missing."""
    kind = Kind(nsamples=8, signed=True)
    content = b"".join(make_block(kind, n) for n in range(10))
    content += make_block(kind, 13, 4, has_lost=True)
    (tmp_path / "a.zio").write_bytes(content)
    said = nexus("a.zio", "-o", "a.wav", status=4).stderr
    rate, found = read_wav(tmp_path / "a.wav")
    assert rate == 8000
    begin = found[13 * 8 : 13 * 8 + 4, 0]
    assert begin.tobytes() == samples(13, 4, 2)
    assert not found[10 * 8 : 13 * 8].any()
    assert "24 samples of zero in 1 gap keep the times" in said


@pytest.mark.parametrize("mask", [0, 0b11])
def test_sigrok(nexus: Any, tmp_path: Path, mask: int) -> None:
    kind = Kind(nsamples=4, ssize=1, scale=VOLTS, mask=mask)
    numbers = with_losses(3, 40)
    make_file(tmp_path / "a.zio", kind, numbers)
    nexus("a.zio", "-o", "a.sr", status=4)
    wanted = place(kind, numbers) * 0.5 - 1
    for number in range(40):
        if number not in numbers:
            rows = 4 // wanted.shape[1]
            wanted[number * rows : (number + 1) * rows] = 0
    with zipfile.ZipFile(tmp_path / "a.sr") as archive:
        for i in range(wanted.shape[1]):
            found = np.frombuffer(archive.read(f"analog-1-{i + 1}-1"), "<f4")
            assert np.allclose(found, wanted[:, i])
        text = archive.read("metadata").decode()
    assert f"samplerate={4000 // wanted.shape[1]} Hz" in text
    zeros = (40 - len(numbers)) * 4 // wanted.shape[1]
    assert f"{zeros} zeros stand in for missing samples" in text
    words = ["sigrok-cli", "-i", str(tmp_path / "a.sr"), "-O", "analog"]
    shown = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    assert shown.count(" V") == wanted.size


def test_logic(nexus: Any, tmp_path: Path) -> None:
    kind = Kind(nsamples=4, ssize=1)
    numbers = [0, 1, 5, 6]
    make_file(tmp_path / "a.zio", kind, numbers)
    nexus("a.zio", "-o", "a.sr", "--logic", "--rate=4000", status=4)
    with zipfile.ZipFile(tmp_path / "a.sr") as archive:
        assert archive.read("logic-1-1") == place(kind, numbers).tobytes()
        assert "samplerate=4000 Hz" in archive.read("metadata").decode()


WRAP = 2**32
# Blocks that are there, and the gaps between them: the first number and how many
THERE, MISSING = (0, 1, 2, 5, 6, 10, 11), [(3, 2), (7, 3)]


def wrapped(path: Path, start: int) -> list[tuple[int, int]]:
    """Write the same blocks at the same times, with numbers from @start on. Return the
    gaps as they are in files."""
    content = b""
    for place in THERE:
        control = make_control(Kind(nsamples=4), place, 4)
        control["seq_num"] = (start + place) % WRAP
        control["zio_alarms"] = place in (5, 10)
        content += control.tobytes() + samples(place, 4, 2)
    path.write_bytes(content)
    return [((start + first) % WRAP, lost) for first, lost in MISSING]


# The numbers wrap at each block, and in each gap.
STARTS = [0, *range(WRAP - 12, WRAP)]


@pytest.mark.parametrize("suffix", ["wav", "sr", "npy"])
def test_gaps_that_wrap(tmp_path: Path, suffix: str) -> None:
    """A gap has the same place and length, wherever its numbers are, and has these."""
    source, to = tmp_path / "a.zio", tmp_path / f"a.{suffix}"
    wanted = None
    for start in STARTS:
        gaps = wrapped(source, start)
        assert main([str(source), "-o", str(to), "--force", "-q"]) == 4
        rows = read_csv(tmp_path / f"a.{suffix}.gaps.csv")
        assert [(int(row.pop("first_seq")), int(row["lost"])) for row in rows] == gaps
        wanted = wanted or rows
        assert rows == wanted


def test_tables_that_wrap(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """HDF5, CSV and the summary have the gaps and the numbers of the controls."""
    source, hdf, table = (
        str(tmp_path / f"a.{suffix}") for suffix in ("zio", "nxs", "csv")
    )
    for start in STARTS:
        gaps = wrapped(Path(source), start)
        numbers = [(start + place) % WRAP for place in THERE]
        assert main([source, "-o", hdf, "--force", "--json", "-q"]) == 4
        report = json.loads(capsys.readouterr().out)
        assert (report["lost"], report["gaps"]) == (5, 2)
        with h5py.File(hdf) as file:
            group = file["entry"][Kind().name]
            losses = group["breaks"][()]
            assert list(zip(losses["first_seq"], losses["lost"])) == gaps
            counts = file["entry/statistics"][0]
        assert (counts["first_seq"], counts["last_seq"]) == (numbers[0], numbers[-1])
        assert main(["verify", hdf]) == 4
        assert main([hdf, "-o", table, "--force", "-q"]) == 4
        capsys.readouterr()
        rows = read_csv(Path(table))[::4]
        assert [int(row["seq"]) for row in rows] == numbers
        assert [int(row["lost"]) for row in rows] == [0, 0, 0, 2, 0, 3, 0]


def test_a_gap_that_no_file_holds(nexus: Any, tmp_path: Path) -> None:
    make_file(tmp_path / "a.zio", Kind(nsamples=512), [0, 1, 2**30])
    said = nexus("a.zio", "-o", "a.wav", "--rate=512000", "--gaps=fill", status=1).stderr
    assert "samples are missing before it" in said and "or HDF5" in said
    assert not (tmp_path / "a.wav").exists()


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("ssize, nbits", [(1, 6), (2, 12), (3, 20), (4, 24)])
def test_valid_bits(
    nexus: Any, tmp_path: Path, ssize: int, nbits: int, signed: bool
) -> None:
    """The middle of the range of an ADC is silence, and its ends are full scale."""
    low = -(1 << (nbits - 1)) if signed else 0
    values = [low, low + 1, low + (1 << (nbits - 1)), low + (1 << nbits) - 1]
    shift = 8 * ssize - nbits
    wanted = [(value - low << shift) - (1 << (8 * ssize - 1)) for value in values]
    for aligned in (0, MSB_ALIGN):
        kind = Kind(nsamples=4, ssize=ssize, nbits=nbits, signed=signed)
        kind.flags = NATIVE | aligned
        mask = (1 << 8 * ssize) - 1
        raw = [(value << shift if aligned else value) & mask for value in values]
        data = b"".join(value.to_bytes(ssize, "little") for value in raw)
        block = make_block(kind, 0)[:512] + data
        (tmp_path / "a.zio").write_bytes(block)
        nexus("a.zio", "-o", "a.wav", "--rate=9", "--force")
        with wave.open(str(tmp_path / "a.wav")) as sound:
            frames = sound.readframes(4)
        found = [
            int.from_bytes(frames[i : i + ssize], "little", signed=ssize > 1)
            - (128 if ssize == 1 else 0)
            for i in range(0, len(frames), ssize)
        ]
        assert found == wanted


def iso(seconds: float) -> bytes:
    return str(np.datetime64(int(seconds * 10**6), "us")).encode() + b"+00:00"


@pytest.mark.parametrize("clock", [0, TAI])
def test_time_of_the_data(nexus: Any, tmp_path: Path, clock: int) -> None:
    """Data of 2023 have the times of 2023, whenever they are converted."""
    kinds = [Kind(chan=1, clock=clock), Kind(chan=2, clock=clock)]
    content = b"".join(make_block(kinds[n % 2], n // 2) for n in range(3000))
    (tmp_path / "a.zio").write_bytes(content)
    nexus("a.zio", "-o", "a.nxs")
    begin = START - (37 if clock == TAI else 0)
    with h5py.File(tmp_path / "a.nxs", "r") as file:
        assert file["entry/start_time"][()] == iso(begin)
        assert file["entry/end_time"][()] == iso(begin + 1499 * PERIOD_NS / 1e9)


def test_time_without_a_date(nexus: Any, tmp_path: Path) -> None:
    """A clock that counts from the start of the machine tells no date."""
    make_file(tmp_path / "a.zio", Kind(clock=MONOTONIC), range(10))
    nexus("a.zio", "-o", "a.nxs")
    with h5py.File(tmp_path / "a.nxs", "r") as file:
        assert file["entry/start_time"][()] == file["entry/end_time"][()] == b""
        assert file["entry/recording/begin"][()] != b""


@pytest.mark.parametrize("secs", [2**34, 2**63, 2**64 - 1])
def test_time_beyond_the_file(nexus: Any, tmp_path: Path, secs: int) -> None:
    """A time that has more than 64 bits in ns does not wrap. Its control keeps it."""
    controls = [make_control(Kind(), seq, 16) for seq in range(3)]
    controls[1]["tstamp"]["secs"] = secs
    data = samples(0, 16, 2)
    (tmp_path / "a.zio").write_bytes(b"".join(c.tobytes() + data for c in controls))
    said = nexus("a.zio", "-o", "a.nxs").stderr
    assert f"{Kind().name}: a time after 2262 is stored as 9223372000 s" in said
    with h5py.File(tmp_path / "a.nxs", "r") as file:
        group = file[f"entry/{Kind().name}"]
        first = START * 10**9
        wanted = [first, 9_223_372_000 * 10**9, first + 2 * PERIOD_NS]
        assert group["time"][:].tolist() == wanted
        assert group["control"]["tstamp"]["secs"][1] == secs
    nexus("a.zio", "-o", "a.csv")
    found = {row["time_ns"] for row in read_csv(tmp_path / "a.csv")}
    assert found == {str(wanted[0]), "", str(wanted[2])}
    nexus("a.zio", "-o", "a.npz")
    arrays = np.load(tmp_path / "a.npz")
    times = arrays[f"{Kind().name}_time_ns"]
    assert times.tolist() == [wanted[0], -(2**63), wanted[2]]
    assert np.isnat(times.view("M8[ns]")).tolist() == [False, True, False]


def test_parquet_of_a_late_time(nexus: Any, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="no pyarrow here")
    control = make_control(Kind(), 0, 16)
    control["tstamp"]["secs"] = 2**63
    (tmp_path / "a.zio").write_bytes(control.tobytes() + samples(0, 16, 2))
    nexus("a.zio", "-o", "a.parquet")
    table = parquet.read_table(tmp_path / "a.parquet").to_pydict()
    assert table["time_ns"] == [None]


def read_csv(path: Path) -> list[dict[str, str]]:
    with open(path) as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("mask", [0, 0b1010])
def test_csv(nexus: Any, tmp_path: Path, mask: int) -> None:
    """Losses count once, each sample has its time, each channel its column."""
    kind = Kind(nsamples=8, signed=True, mask=mask)
    numbers = with_losses(5, 50)
    make_file(tmp_path / "a.zio", kind, numbers)
    channels = max(1, mask.bit_count())
    rate = 8000 // channels
    nexus("a.zio", "-o", "a.csv", f"--rate={rate}", status=4)
    rows = read_csv(tmp_path / "a.csv")
    lost = [int(row["lost"]) for row in rows]
    assert sum(lost) == 50 - len(numbers)
    steps = np.diff([int(row["time_ns"]) for row in rows])
    assert np.array_equal(steps, (np.array(lost[1:]) * 8 // channels + 1) * 10**9 // rate)
    names = ["chan1", "chan3"] if mask else ["raw"]
    assert list(rows[0])[5:-2] == names
    found = [[int(row[name]) for name in names] for row in rows]
    there = np.isin(np.arange(50).repeat(8 // channels), numbers)
    assert np.array_equal(found, place(kind, numbers)[there])


def test_csv_of_other_channels(nexus: Any, tmp_path: Path) -> None:
    blocks = [make_block(Kind(chan=n, mask=n), 0) for n in (1, 3)]
    (tmp_path / "a.zio").write_bytes(b"".join(blocks))
    assert "one table" in nexus("a.zio", "-o", "a.csv", status=1).stderr


@pytest.mark.parametrize("seed", range(3))
def test_all_formats(nexus: Any, tmp_path: Path, seed: int) -> None:
    """By the way of HDF5, too, all formats have the same blocks."""
    chance = random.Random(seed)
    kind = Kind(
        nsamples=chance.choice([2, 6, 30]),
        ssize=chance.choice([1, 2, 4]),
        signed=chance.choice([False, True]),
        scale=VOLTS,
    )
    numbers = with_losses(seed, 60)
    make_file(tmp_path / "a.zio", kind, numbers)
    nexus("a.zio", "-o", "a.nxs", status=4)
    lost = np.diff([-1, *numbers]) - 1
    raw = place(kind, numbers)[np.isin(np.arange(60).repeat(kind.nsamples), numbers), 0]
    values = raw * 0.5 - 1

    nexus("a.nxs", "-o", "a.csv", "-u", f"--rate={kind.nsamples * 1000}", status=4)
    rows = read_csv(tmp_path / "a.csv")
    assert [float(row["value"]) for row in rows] == values.tolist()
    assert sum(int(row["lost"]) for row in rows) == lost.sum()
    assert {row["unit"] for row in rows} == {"V"}

    nexus("a.nxs", "-o", "a.npz", "-u", status=4)
    arrays = np.load(tmp_path / "a.npz")
    assert arrays[kind.name].reshape(-1).tolist() == values.tolist()
    assert arrays[f"{kind.name}_lost"].tolist() == lost.tolist()
    times = START * 10**9 + np.array(numbers) * PERIOD_NS
    assert arrays[f"{kind.name}_time_ns"].tolist() == times.tolist()

    nexus("a.nxs", "-o", "a.wav", status=4)
    rate, found = read_wav(tmp_path / "a.wav")
    assert rate == kind.nsamples * 1000
    assert len(found) == 60 * kind.nsamples
