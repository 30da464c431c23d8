# SPDX-License-Identifier: GPL-2.0-only
"""Gaps whose numbers wrap, valid bits, and times that are hard to store"""

import csv
import json
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

TAI, MONOTONIC = 11, 1


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


def test_wav_of_odd_length(summary: Any, tmp_path: Path) -> None:
    """The note behind an odd number of bytes begins at an even place."""
    kind = Kind(nsamples=3, ssize=1)
    make_file(tmp_path / "a.zio", kind, [0, 2, 4])
    report = summary("a.zio", "-o", "a.wav", "--rate=3000", status=4)
    assert report["lost"] == 2 and report["filled"]["a.wav"]["samples"] == 6
    assert "6 zeros stand in for missing samples: 3 at 3, 3 at 9" in comment_in(
        tmp_path / "a.wav"
    )


def test_logic(nexus: Any, tmp_path: Path) -> None:
    kind = Kind(nsamples=4, ssize=1)
    numbers = [0, 1, 5, 6]
    make_file(tmp_path / "a.zio", kind, numbers)
    nexus("a.zio", "-o", "a.sr", "--logic", "--rate=4000", status=4)
    wanted = b"".join(
        samples(n, 4, 1) if n in numbers else bytes(4) for n in range(numbers[-1] + 1)
    )
    with zipfile.ZipFile(tmp_path / "a.sr") as archive:
        assert archive.read("logic-1-1") == wanted
        text = archive.read("metadata").decode()
    assert "samplerate=4000 Hz" in text and "12 zeros stand in for missing" in text


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


def test_csv_of_other_channels(nexus: Any, tmp_path: Path) -> None:
    blocks = [make_block(Kind(chan=n, mask=n), 0) for n in (1, 3)]
    (tmp_path / "a.zio").write_bytes(b"".join(blocks))
    assert "one table" in nexus("a.zio", "-o", "a.csv", status=1).stderr
