# SPDX-License-Identifier: GPL-2.0-only
"""Each sample of a recording is in the file, with its value and its time, or lies in a
hole that is told; and nothing else is there. The account is the truth.

Programs and libraries of others read the files; unit/languages/test_stories.py has those
that only check-all installs."""

import csv
import io
import json
import re
import tempfile
import wave
import zipfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas
import pytest
import soundfile
from hypothesis import note
from zio_nexus.breaks import CAUSES
from zio_nexus.cli import main

from .stories import SECOND_PS, Story, stories
from .test_convert import sigrok
from .test_formats import given_recordings

OK, LOST = 0, 4
Found = list[tuple[Fraction, int]]
# A sample of a file without times is at most half a sample beside its own, per gap.
HALF = Fraction(1, 2)


def convert(story: Story, to: Path, *words: str) -> dict[str, Any]:
    """Convert a story, and return the summary."""
    story.write(to.with_suffix(".zio"))
    said, told = io.StringIO(), io.StringIO()
    with redirect_stderr(said), redirect_stdout(told):
        status = main(
            [
                str(to.with_suffix(".zio")),
                "-o",
                str(to),
                "--max-fill=1d",
                "--json",
                *words,
            ]
        )
    note(said.getvalue())
    assert status == (LOST if story.breaks else OK), said.getvalue()
    report: dict[str, Any] = json.loads(told.getvalue())
    assert {name: report[name] for name in story.counts()} == story.counts()
    return report


def check_exact(story: Story, found: list[tuple[int, int]]) -> None:
    """Times are whole ns, rounded down: that of a block, and that of a sample in it."""
    wanted = story.samples()
    assert [value for _, value in found] == [value for _, value in wanted]
    for (time, _), (right, _) in zip(found, wanted):
        assert -2.001 < time - right / 1000 < 0.001


def check_paced(story: Story, found: Found, slack: Fraction) -> None:
    wanted = story.samples()
    assert [value for _, value in found] == [value for _, value in wanted]
    for (time, _), (right, _) in zip(found, wanted):
        assert abs(time - right) <= slack


def causes_of(story: Story) -> list[str]:
    """Return what is told before each block."""
    causes = [block.cause[0] if block.cause else "" for block in story.told()]
    return [cause.replace("step", "clock step") for cause in causes]


def rows_of_csv(path: Path) -> list[dict[str, Any]]:
    with open(path) as file:
        return list(csv.DictReader(file))


def rows_of_pandas(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a table that pandas reads by itself. "" is where it has none."""
    table = pandas.read_csv(path)
    assert table["time_ns"].dtype == np.int64
    return table.astype(object).where(table.notna(), "").to_dict("records")


@pytest.mark.parametrize("rows_of", [rows_of_csv, rows_of_pandas])
@given_recordings(stories())
def test_csv(rows_of: Callable[[Path], list[dict[str, Any]]], story: Story) -> None:
    with tempfile.TemporaryDirectory() as place:
        convert(story, Path(place, "a.csv"))
        rows = rows_of(Path(place, "a.csv"))
    check_exact(
        story,
        [(int(row["time_ns"]), int(row["raw"])) for row in rows if row["raw"] != ""],
    )
    told = [row["break"] for row in rows if str(row["sample"]) in ("0", "0.0", "")]
    assert told == causes_of(story)


def in_blocks(
    times: Any, lengths: Any, values: Any, rate: float
) -> list[tuple[int, int]]:
    found, at = [], 0
    exact = Fraction(rate).limit_denominator(10**6)
    for time, length in zip(times.tolist(), lengths.tolist()):
        for k in range(length):
            found.append((time + int(k * 10**9 / exact), int(values[at + k])))
        at += length
    return found


@given_recordings(stories())
def test_npz(story: Story) -> None:
    name = story.kind.name
    with tempfile.TemporaryDirectory() as place:
        convert(story, Path(place, "a.npz"))
        with np.load(Path(place, "a.npz")) as arrays:
            found = in_blocks(
                arrays[f"{name}_time_ns"],
                arrays[f"{name}_nsamples"],
                arrays[name].reshape(-1),
                float(arrays[f"{name}_rate"]),
            )
            lost = int(arrays[f"{name}_lost"].sum()), int(arrays[f"{name}_missed"].sum())
    check_exact(story, found)
    assert lost == (story.counts()["lost"], story.counts()["missed"])


@given_recordings(stories())
def test_hdf5(story: Story) -> None:
    with tempfile.TemporaryDirectory() as place:
        convert(story, Path(place, "a.nxs"))
        with h5py.File(Path(place, "a.nxs")) as file:
            group = file["entry"][story.kind.name]
            values = group[group.attrs.get("signal", "value")][()].reshape(-1)
            times = group.get("time", group.get("cue_timestamp_zero"))[()]
            lengths, breaks = group["control"]["nsamples"], group["breaks"][()]
            rate = group.attrs["rate"]
    check_exact(story, in_blocks(times, lengths, values, rate))
    told = {
        int(row["block"]): CAUSES[int(row["cause"]).bit_length() - 1] for row in breaks
    }
    assert told == {at: cause for at, cause in enumerate(causes_of(story)) if cause}
    for name in "lost", "taken", "missed":
        assert breaks[name].sum() == story.counts()[name]


def columns_of_arrow(path: Path) -> dict[str, list[Any]]:
    parquet = pytest.importorskip("pyarrow.parquet", reason="no pyarrow here")
    columns: dict[str, list[Any]] = parquet.read_table(path).to_pydict()
    return columns


def columns_of_pandas(path: Path) -> dict[str, list[Any]]:
    pytest.importorskip("pyarrow.parquet", reason="no pyarrow here")
    columns: dict[str, list[Any]] = pandas.read_parquet(path).to_dict("list")
    return columns


@pytest.mark.parametrize("columns_of", [columns_of_arrow, columns_of_pandas])
@given_recordings(stories())
def test_parquet(
    columns_of: Callable[[Path], dict[str, list[Any]]], story: Story
) -> None:
    with tempfile.TemporaryDirectory() as place:
        convert(story, Path(place, "a.parquet"))
        table = columns_of(Path(place, "a.parquet"))
    values = np.concatenate(table["data"])
    lengths = np.array([len(data) for data in table["data"]])
    found = in_blocks(np.array(table["time_ns"]), lengths, values, table["rate"][0])
    check_exact(story, found)


def gaps_of(path: Path) -> tuple[set[int], int]:
    """Return the samples of a file that stand for missing ones, and how many gaps."""
    beside = Path(f"{path}.gaps.csv")
    if not beside.exists():
        return set(), 0
    with open(beside) as file:
        rows = list(csv.DictReader(file))
    filled: set[int] = set()
    for row in rows:
        begin, count = int(row["sample"]), int(row["samples"])
        filled |= set(range(begin, begin + count))
    return filled, len(rows)


def parts_of(place: str, stem: str) -> list[Path]:
    return sorted(Path(place).glob(stem), key=lambda path: (len(path.name), path))


def placed(path: Path, values: list[int], begin_ns: int, rate: Fraction) -> Found:
    filled, _ = gaps_of(path)
    return [
        (begin_ns * 1000 + k * SECOND_PS / rate, value)
        for k, value in enumerate(values)
        if k not in filled
    ]


def holes_of(story: Story) -> int:
    """Return how many blocks with samples have something missing before them. Blocks
    without samples may be between."""
    filled = [number for number, length in enumerate(story.lengths) if length]
    ends = {next((n for n in filled if n >= at), None) for at in story.breaks}
    return len(ends - {None})


def sound_of_python(path: Path) -> list[int]:
    with wave.open(str(path)) as sound:
        frames = sound.readframes(sound.getnframes())
    return np.frombuffer(frames, "<i2").tolist()


def sound_of_libsndfile(path: Path) -> list[int]:
    values: list[int] = soundfile.read(path, dtype="int16")[0].tolist()
    return values


@pytest.mark.parametrize("sound_of", [sound_of_python, sound_of_libsndfile])
@given_recordings(stories())
def test_wav(sound_of: Callable[[Path], list[int]], story: Story) -> None:
    """Another file begins at outages and steps."""
    found: Found = []
    gaps = 0
    with tempfile.TemporaryDirectory() as place:
        convert(story, Path(place, "a.wav"))
        for path in parts_of(place, "a*.wav"):
            comment = path.read_bytes().decode(errors="replace")
            begin = re.search(r"begins at (\d+)\.(\d{9}) s", comment)
            assert begin
            begin_ns = int(begin[1]) * 10**9 + int(begin[2])
            found += placed(path, sound_of(path), begin_ns, story.rate)
            gaps += gaps_of(path)[1]
    period = SECOND_PS / story.rate
    check_paced(story, found, (len(story.breaks) + 1) * HALF * period + 1000)
    assert gaps == holes_of(story)


@given_recordings(stories())
def test_sr(story: Story) -> None:
    """Read by sigrok-cli, which knows whole rates only. The note has the exact one."""
    found: Found = []
    with tempfile.TemporaryDirectory() as place:
        convert(story, Path(place, "a.sr"))
        for path in parts_of(place, "a*.sr"):
            values = sigrok(path, "-O", "csv:header=false:label=off").split()
            shown = sigrok(path, "--show")
            assert f"Samplerate: {max(1, round(story.rate))}\n" in shown
            assert f"Analog sample count: {len(values)}\n" in shown
            with zipfile.ZipFile(path) as archive:
                text = archive.read("metadata").decode()
            begin = re.search(r"begin_ns=(\d+)", text)
            assert begin and f"rate={float(story.rate)!r}" in text
            found += placed(path, list(map(int, values)), int(begin[1]), story.rate)
    period = SECOND_PS / story.rate
    check_paced(story, found, (len(story.breaks) + 1) * HALF * period + 1000)


@given_recordings(stories())
def test_npy(story: Story) -> None:
    values: list[int] = []
    with tempfile.TemporaryDirectory() as place:
        convert(story, Path(place, "a.npy"))
        for path in parts_of(place, "a*.npy"):
            filled, _ = gaps_of(path)
            array = np.load(path).reshape(-1).tolist()
            values += [value for k, value in enumerate(array) if k not in filled]
    assert values == [value for _, value in story.samples()]
