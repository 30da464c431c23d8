# SPDX-License-Identifier: LGPL-2.1-or-later
"""A block file as labelled arrays of xarray."""

from __future__ import annotations

import errno as codes
import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import controls as of
from ._block import Array
from ._control import time_ns
from ._errors import make_error
from ._open import open_channel
from ._printable import printable
from ._units import Scaling, scaling

SECOND = 10**9
# Blocks and gaps whose times are made at a time
STEP = 4096
# What is kept of each block
_ROW = np.dtype([("seq_num", "u4"), ("nsamples", "u4"), ("time", "i8")])
_HDF = b"\x89HDF\r\n\x1a\n"


def load(
    file: str,
    channel: str | None = None,
    volts: bool = True,
    rate: float | None = None,
    blocks: tuple[int, int] | None = None,
) -> Any:
    """Return a block file as an `xarray.Dataset`, with a variable for each channel.

    zio.load("run.zio", channel="adc-0-1").plot()

    `channel`: return only this one, as an `xarray.DataArray`. The variables of
    interleaved blocks are "adc-0000-0-1.0" and so on.
    `volts`: values in the unit of the channel, float64; otherwise the raw numbers.
    `rate`: samples of a channel per second. With none, the controls tell it, or else the
    times of the blocks.
    `blocks`: load the blocks from the first number up to the second one, of each channel:
    0 is its first block in the file.

    The coordinate `time` is datetime64[ns] in UTC, or int64 in nanoseconds if the clock
    of the channel tells no date. Channels with other times have one of their own, such
    as `time_adc-0000-0-2`. NaN stands for the samples of lost blocks: raw numbers are
    float64 then. The attributes `units`, `long_name`, `rate`, `lost` and `clock` tell the
    rest.

    All that is loaded is in memory, 16 bytes for a sample of one channel: a file that is
    too large raises `MemoryError` before samples are read.

    Raises `ImportError` if there is no xarray; `Error` as `open()`; `ValueError` if the
    file has no such channel, is no block file, or if nothing tells the rate.
    """
    try:
        import xarray  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(
            "zio.load() needs xarray, which is not there: apt-get install "
            "python3-xarray, or pip install 'zio-daq[load]'"
        ) from error
    _require_file(file)
    found = _survey(file, blocks)
    if channel is not None:
        found = _choose(file, found, channel)
    for part in found.values():
        part.place(rate)
    _require_memory(file, list(found.values()))
    _read(file, found, volts)
    return _Arrays(xarray, list(found.values())).give(channel)


def _require_file(file: str) -> None:
    if not os.path.exists(file):
        raise make_error(codes.ENOENT, f"{printable(file)}: no such file")
    if not os.path.isfile(file):
        raise ValueError(f"{printable(file)}: load() takes files: use open()")
    with open(file, "rb") as opened:
        if opened.read(len(_HDF)) == _HDF:
            raise ValueError(
                f"{printable(file)}: is an HDF5 file: make a block file of it by "
                "zio-nexus cat FILE -o FILE.zio"
            )


# --- where the samples are --------------------------------------------------------------


@dataclass
class _Part:
    """A channel of the file, and its blocks from the number @first up to @end. A gap of
    @missing scans is before each block, whose own begin at @begins."""

    name: str
    control: Any
    first: int
    end: int
    chunks: list[Array] = field(default_factory=list)
    seen: int = 0
    rate: float = 0.0
    lost: int = 0
    scans: int = 0
    rows: Any = None
    missing: Any = None
    begins: Any = None
    values: Any = None

    def count(self, number: int) -> tuple[int, slice]:
        """Count so many blocks; return which of them are wanted, and the number of the
        first of these among all that are wanted."""
        seen, self.seen = self.seen, self.seen + number
        wanted = slice(max(0, self.first - seen), max(0, self.end - seen))
        return max(0, seen - self.first), wanted

    @property
    def columns(self) -> int:
        return max(1, len(of.channel_numbers(self.control)))

    @property
    def lengths(self) -> Array:
        """Return the scans of each block."""
        lengths: Array = self.rows["nsamples"].astype(np.int64) // self.columns
        return lengths

    def place(self, rate: float | None) -> None:
        """Find the place of each block."""
        rows = self.rows = np.concatenate(self.chunks)
        lengths = self.lengths
        known = of.block_of(self.control).rate
        self.rate = rate or known or of.rate_of(rows, rows["time"]) / self.columns
        if not self.rate and (lengths > 1).any():
            raise ValueError(
                f"{printable(self.name)}: neither controls nor times tell the rate: use "
                "load(..., rate=HZ)"
            )
        lost = of.Sequence().lost(rows)
        self.lost = int(lost.sum())
        self.missing = self._count_missing(lost, lengths)
        ends = np.cumsum(lengths + self.missing)
        self.begins = ends - lengths
        self.scans = int(ends[-1]) if len(ends) else 0

    def _count_missing(self, lost: Array, lengths: Array) -> Array:
        missing = np.zeros(len(lost), np.int64)
        is_even = bool((lengths[lengths > 0] == lengths.max(initial=0)).all())
        for row in np.flatnonzero(lost).tolist():
            span = int(self.rows["time"][row] - self.rows["time"][row - 1])
            missing[row] = of.missing_samples(
                int(lost[row]), int(lengths[row - 1]), span, self.rate, is_even
            )
        return missing

    def times(self) -> Array:
        """Return the time of each scan. Those that are missing are evenly between the
        scans before and behind them."""
        starts, lengths = self.rows["time"], self.lengths
        step = SECOND / self.rate if self.rate else 0.0
        ends = starts + np.rint(lengths * step).astype(np.int64)
        before = np.concatenate((starts[:1], ends[:-1]))
        inner = (starts - before) / np.maximum(self.missing, 1)
        # A gap, and the block behind it, take turns.
        counts = np.column_stack((self.missing, lengths)).reshape(-1)
        bases = np.column_stack((before, starts)).reshape(-1)
        steps = np.column_stack((inner, np.full(len(lengths), step))).reshape(-1)
        times = np.empty(self.scans, np.int64)
        at = 0
        for i in range(0, len(counts), STEP):
            part = _times(*(array[i : i + STEP] for array in (bases, counts, steps)))
            times[at : at + len(part)] = part
            at += len(part)
        return times


def _times(bases: Array, counts: Array, steps: Array) -> Array:
    """Return @counts times from each of @bases on, which are @steps apart."""
    firsts = np.cumsum(counts) - counts
    within = np.arange(counts.sum()) - np.repeat(firsts, counts)
    offsets = np.rint(within * np.repeat(steps, counts)).astype(np.int64)
    times: Array = np.repeat(bases, counts) + offsets
    return times


def _survey(file: str, blocks: tuple[int, int] | None) -> dict[str, _Part]:
    """Read the controls, and no samples."""
    first, end = blocks or (0, 1 << 62)
    parts: dict[str, _Part] = {}
    for controls in of.of_file(file):
        for rows in of.rows_of_channels(controls):
            chunk = controls[rows]
            name = of.channel_name(chunk[0]["addr"])
            if name not in parts:
                parts[name] = _Part(name, _with_samples(chunk), first, end)
            part = parts[name]
            if not part.control["nsamples"]:
                part.control = _with_samples(chunk)
            _, wanted = part.count(len(chunk))
            part.chunks.append(_rows(name, chunk[wanted]))
    return parts


def _with_samples(chunk: Array) -> Any:
    """Return the first control with samples, if there is one."""
    return chunk[int(np.argmax(chunk["nsamples"] > 0))].copy()


def _rows(name: str, chunk: Array) -> Array:
    times = time_ns(chunk)
    if times.dtype == object:
        raise ValueError(
            f"{printable(name)}: a time after 2262 is no time of numpy: use open()"
        )
    rows = np.empty(len(chunk), _ROW)
    rows["seq_num"], rows["nsamples"] = chunk["seq_num"], chunk["nsamples"]
    rows["time"] = times
    return rows


def _choose(file: str, found: dict[str, _Part], channel: str) -> dict[str, _Part]:
    """Return the channel alone, by any of its names."""
    from ._names import full_name  # noqa: PLC0415

    name, _, number = channel.partition(".")
    part = found.get(name) or found.get(full_name(name))
    if (
        part is None
        or number
        and number not in map(str, of.channel_numbers(part.control))
    ):
        names = ", ".join(map(printable, found)) or "none"
        raise ValueError(
            f"{printable(file)}: has no channel {printable(channel)}: it has {names}"
        )
    return {part.name: part}


def _require_memory(file: str, parts: list[_Part]) -> None:
    """Complain before Linux kills the program."""
    need = sum(8 * part.scans * (part.columns + 1) for part in parts)
    with open("/proc/meminfo") as info:
        table = dict(line.split(":") for line in info)
    free = 1024 * int(table["MemAvailable"].split()[0])
    if need > free:
        raise MemoryError(
            f"{printable(file)}: needs {need / 1e9:.3g} GB of memory, and "
            f"{free / 1e9:.3g} GB are free: load one channel, or a part by "
            "blocks=(0, 1000)"
        )


# --- what the samples are ---------------------------------------------------------------


def _read(file: str, parts: dict[str, _Part], volts: bool) -> None:
    """Put the samples of all blocks to their places."""
    for part in parts.values():
        part.seen = 0
    with open_channel(file) as source:
        for batch in source.batches(1024):
            for rows in of.rows_of_channels(batch.controls):
                name = of.channel_name(batch.controls[rows[0]]["addr"])
                if name in parts:
                    _put(parts[name], batch, rows, volts)


def _put(part: _Part, batch: Any, rows: Array, volts: bool) -> None:
    first, wanted = part.count(len(rows))
    for number, i in enumerate(rows[wanted].tolist(), first):
        if batch.data[i].size:
            _put_block(part, number, batch.controls[i], batch.data[i], volts)


def _put_block(part: _Part, number: int, control: Any, data: Array, volts: bool) -> None:
    scale = scaling(control)
    if volts or data.dtype.kind == "V":
        data = scale.values(data)
    if part.values is None:
        part.values = _empty(part, data.dtype)
    columns = part.values.shape[1]
    if len(of.channel_numbers(control)) not in (0, columns) or data.size % columns:
        raise ValueError(f"{printable(part.name)}: its channels change: use open()")
    _require_unit(part, scale, volts)
    begin = int(part.begins[number])
    scans = data.reshape(-1, columns)
    part.values[begin : begin + len(scans)] = scans


def _empty(part: _Part, dtype: Any) -> Array:
    """Return room for all scans; NaN where no block puts any."""
    shape = (part.scans, part.columns)
    if dtype.kind != "f" and part.lost:
        dtype = np.dtype(float)
    return np.full(shape, np.nan if dtype.kind == "f" else 0, dtype.newbyteorder("="))


def _require_unit(part: _Part, scale: Scaling, volts: bool) -> None:
    unit = scaling(part.control).unit
    if volts and scale.unit != unit:
        raise ValueError(
            f"{printable(part.name)}: its unit changes from {unit or 'none'} to "
            f"{scale.unit or 'none'}: use load(..., volts=False)"
        )


# --- arrays of xarray -------------------------------------------------------------------


class _Arrays:
    """Makes arrays of the channels. Those with equal times share their coordinate."""

    def __init__(self, xarray: Any, parts: list[_Part]) -> None:
        self.xarray = xarray
        self.variables: dict[str, Any] = {}
        times: dict[str, Array] = {}
        for part in parts:
            coordinate = _dates(part)
            name = next((n for n, t in times.items() if _is_same(t, coordinate)), "")
            name = name or ("time" if not times else f"time_{part.name}")
            times[name] = coordinate
            self._add(part, name, coordinate)

    def _add(self, part: _Part, dimension: str, coordinate: Array) -> None:
        clock = of.clock(part.control)
        about = {"clock": clock}
        if coordinate.dtype.kind == "i":
            about["units"] = "ns"
        times = self.xarray.DataArray(
            coordinate, dims=(dimension,), name=dimension, attrs=about
        )
        values = _empty(part, np.dtype(float)) if part.values is None else part.values
        numbers = of.channel_numbers(part.control)
        names = [f"{part.name}.{n}" for n in numbers] or [part.name]
        for i, name in enumerate(names):
            attrs = {
                "units": scaling(part.control).unit,
                "long_name": name,
                "rate": part.rate,
                "lost": part.lost,
                "clock": clock,
            }
            self.variables[name] = self.xarray.DataArray(
                values[:, i], {dimension: times}, (dimension,), name, attrs
            )

    def give(self, channel: str | None) -> Any:
        """Return one channel as an array, or all."""
        if channel is None:
            return self.xarray.Dataset(self.variables)
        number = channel.partition(".")[2]
        names = [n for n in self.variables if not number or n.endswith(f".{number}")]
        if len(names) == 1:
            return self.variables[names[0]]
        return self.xarray.Dataset(self.variables)


def _is_same(times: Array, others: Array) -> bool:
    return times.dtype == others.dtype and bool(np.array_equal(times, others))


def _dates(part: _Part) -> Array:
    """Return dates in UTC, or ns if the clock tells none."""
    ahead = of.DATED.get(of.clock(part.control))
    times = part.times()
    if ahead is None:
        return times
    times -= ahead
    return times.view("datetime64[ns]")
