# SPDX-License-Identifier: GPL-2.0-only
"""Read recordings as users do: by what the files of each format tell."""

import csv
import re
import wave as waves_of_python
import zipfile
from configparser import ConfigParser
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from .recordings import SECOND, Wave

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass
class Found:
    """What a file tells of a channel: its values in units (scan, column), NaN for those
    that are lost; the rate and the time of the last scan, None where the format has none;
    and the unit."""

    values: Array
    rate: float | None
    end_ns: int | None
    unit: str | None


def gaps_beside(path: Path, channel: str) -> list[dict[str, str]]:
    """Return the rows of the list of gaps."""
    beside = Path(f"{path}.gaps.csv")
    if not beside.exists():
        return []
    with open(beside) as file:
        return [row for row in csv.DictReader(file) if row["channel"] == channel]


def without_gaps(path: Path, channel: str, values: Array) -> Array:
    """Return @values with NaN where the list of gaps tells that they are none, and
    without those behind the end of the channel."""
    for gap in gaps_beside(path, channel):
        begin, count = int(gap["sample"]), int(gap["samples"])
        values[begin : begin + count] = np.nan
        if gap["cause"] == "ends earlier":
            values = values[:begin]
    return values


def at_times(wave: Wave, times: Array, values: Array, end_ns: int, unit: str) -> Found:
    """Put scans where their times tell, and NaN elsewhere. The rate is that of @wave."""
    places = np.rint((times - times[0]) * wave.rate / SECOND).astype(int)
    placed = np.full((places[-1] + 1, wave.columns), np.nan)
    placed[places] = values
    return Found(placed, None, end_ns, unit)


def in_blocks(
    wave: Wave, times: Array, lengths: Array, samples: Array, unit: str
) -> Found:
    """Return what a table of blocks tells. A scan has the time of its block, and its
    number divided by the rate."""
    scans = lengths // wave.columns
    begins = np.cumsum(scans) - scans
    within = np.arange(scans.sum()) - np.repeat(begins, scans)
    each = np.repeat(times, scans) + np.rint(within * SECOND / wave.rate).astype(np.int64)
    values = samples.reshape(-1, wave.columns)
    return at_times(wave, each, values, int(each[-1]), unit)


def read_wav(path: Path, wave: Wave) -> Found:
    with waves_of_python.open(str(path)) as sound:
        size, rate = sound.getsampwidth(), float(sound.getframerate())
        frames = np.frombuffer(
            sound.readframes(sound.getnframes()), "u1" if size == 1 else f"<i{size}"
        )
        columns = sound.getnchannels()
    note = re.search(
        r": ([0-9.e+-]+) Hz; .*full scale is (\S+) ?(\w*), silence is ([0-9.e+-]+)",
        path.read_bytes().decode(errors="replace"),
    )
    assert note and (float(note[1]) == rate or rate != wave.rate)
    parts = (frames.astype(float) - (128 if size == 1 else 0)) / 2.0 ** (8 * size - 1)
    values = parts.reshape(-1, columns) * float(note[2]) + float(note[4])
    values = without_gaps(path, wave.kind.name, values)
    return Found(values, float(note[1]), None, note[3])


def read_sr(path: Path, wave: Wave) -> Found:
    with zipfile.ZipFile(path) as archive:
        parser = ConfigParser(delimiters="=", strict=True, interpolation=None)
        parser.read_string(archive.read("metadata").decode())
        device, notes = parser["device 1"], parser["zio-nexus"]
        columns, unit = [], ""
        for i in range(1, int(device["total analog"]) + 1):
            if device[f"analog{i}"].partition(".")[0] == wave.kind.name:
                columns.append(np.frombuffer(archive.read(f"analog-1-{i}-1"), "<f4"))
                unit = notes[f"unit{i}"]
    values = np.column_stack(columns).astype(float)
    values = without_gaps(path, wave.kind.name, values)
    rate = float(notes["rate"])
    assert rate != round(rate) or device["samplerate"] == f"{rate:.0f} Hz"
    begin = round((wave.start_ns - int(notes["begin_ns"])) * rate / SECOND)
    assert not np.nan_to_num(values[:begin]).any()
    return Found(values[begin:], rate, None, unit)


def read_table(path: Path, wave: Wave, time: str, ns: Any) -> Found:
    """Return what a table of scans tells. @ns makes ns of the column @time."""
    with open(path) as file:
        rows = [r for r in csv.DictReader(file) if r["channel"] == wave.kind.name]
    assert sum(int(row["lost"]) for row in rows) == wave.lost
    names = [name for name in rows[0] if name.startswith("chan") and name != "channel"]
    values = np.array([[float(row[n]) for n in names or ["value"]] for row in rows])
    times = np.array([ns(row[time]) for row in rows])
    return at_times(wave, times, values, int(times[-1]), rows[0]["unit"])


def read_csv(path: Path, wave: Wave) -> Found:
    return read_table(path, wave, "time_ns", int)


def ns_of(text: str) -> int:
    """Return seconds with nine digits in ns."""
    seconds, _, rest = text.partition(".")
    return int(seconds) * SECOND + int(rest)


def read_dump(path: Path, wave: Wave) -> Found:
    return read_table(path, wave, "time", ns_of)


def read_npz(path: Path, wave: Wave) -> Found:
    with np.load(path) as arrays:
        table = {
            key: arrays[f"{wave.kind.name}_{key}"]
            for key in ("time_ns", "nsamples", "lost", "unit")
        }
        samples = arrays[wave.kind.name].reshape(-1)
    assert table["lost"].sum() == wave.lost
    return in_blocks(
        wave, table["time_ns"], table["nsamples"], samples, str(table["unit"])
    )


def read_npy(path: Path, wave: Wave) -> Found:
    values = np.load(path).reshape(-1, wave.columns)
    gaps = gaps_beside(path, wave.kind.name)
    assert sum(int(gap["lost"]) for gap in gaps) == wave.lost
    assert sum(int(gap["samples"]) for gap in gaps) == np.isnan(values[:, 0]).sum()
    return Found(values, None, None, None)


def read_parquet(path: Path, wave: Wave) -> Found:
    parquet = __import__("pyarrow.parquet").parquet
    rows = parquet.read_table(path).to_pylist()
    rows = [row for row in rows if row["channel"] == wave.kind.name]
    assert sum(row["lost"] for row in rows) == wave.lost
    return in_blocks(
        wave,
        np.array([row["time_ns"] for row in rows]),
        np.array([len(row["data"]) for row in rows]),
        np.concatenate([row["data"] for row in rows]),
        rows[0]["unit"],
    )


def read_hdf(path: Path, wave: Wave) -> Found:
    with h5py.File(path) as file:
        channel = file["entry"][wave.kind.name]
        data = channel[channel.attrs.get("signal", "value")]
        values = data[()] * data.attrs["scaling_factor"] + data.attrs["offset"]
        unit = data.attrs["units"]
        lengths = channel["control"]["nsamples"].astype(int)
        assert channel["breaks"]["lost"].sum() == wave.lost
        if channel.attrs["layout"] == "flat":
            times = channel["time"][()][:: wave.columns]
            values = values.reshape(-1, wave.columns)
            return at_times(wave, times, values, int(times[-1]), unit)
        return in_blocks(wave, channel["time"][()], lengths, values.reshape(-1), unit)
