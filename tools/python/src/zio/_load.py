# SPDX-License-Identifier: LGPL-2.1-or-later
"""Block files as labelled arrays of xarray."""

from __future__ import annotations

import errno as codes
import os
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Union

import numpy as np

from . import controls as of
from ._block import Array
from ._control import CONTROL_SIZE
from ._errors import GapWarning, make_error, new_error, raise_error, reason_error
from ._libzio import ffi, lib
from ._memory import Memory
from ._printable import printable
from ._runs import Run, make_runs, target_dtype
from ._survey import Part, Request, Survey, survey
from ._timeline import Break, Change, TimelineAccount
from ._units import scaling

Path = Union[str, "os.PathLike[str]"]

GAPS = ("fill", "split", "refuse")
# A hole of up to this many samples is short, whatever surrounds it.
SHORT = 1 << 20
# Bytes that a block needs besides its samples
BESIDE = 128
# Samples to read at a time, so that they stay in the processor cache.
PIECE = 1 << 20
_HDF = b"\x89HDF\r\n\x1a\n"


def load(
    file: Path | Sequence[Path],
    channel: str | None = None,
    volts: bool = True,
    rate: float | None = None,
    blocks: tuple[int, int] | None = None,
    gaps: str = "fill",
) -> Any:
    """Return block files as an `xarray.Dataset` with a variable for each channel.

    zio.load("run.zio", channel="adc-0-1").plot()

    `file`: a block file, or the list of parts of one recording in order. `channel`:
    return only this channel, as an `xarray.DataArray`. The variables of interleaved
    blocks are "adc-0000-0-1.0" and so on. `volts`: return values in the unit of the
    channel as float64, or raw numbers if it has no scale. If false, always return raw
    numbers in their own type. `rate`: samples per second and channel, if the controls
    lack it; by default it is estimated from the times of the blocks. `blocks`: load these
    blocks of each channel, from the first number up to, but not including, the second; 0
    is the first block of the channel in the files. `gaps`: "fill": put NaN for missing
    samples, and refuse a recording whose samples do not fit into one array. "split":
    return a list of arrays without gaps: those of the first channel in order, then those
    of the next. "refuse": raise ValueError if anything is missing or changes.

    Consecutive samples have one dimension. Its coordinate `time` is datetime64[ns] in
    UTC, or int64 in nanoseconds if the clock of the channel does not tell the date. A
    recording of events has the dimensions `event`, with the time of each, and `sample`,
    in seconds after the event, negative before it. A coordinate `missing` counts the
    events missing before each. Events of one sample have only `time`. Channels with
    different times have their own coordinates, such as `time_adc-0000-0-2`. The
    attributes `units`, `long_name`, `rate`, `clock`, `lost`, `taken`, `missed` and
    `account`, a sentence, tell the rest. A `zio.GapWarning` reports that something is
    missing or changes.

    Everything is loaded into memory, 16 bytes per sample of one channel. A file that is
    too large raises `MemoryError` before any samples are read.

    Raises `ImportError` without xarray; `Error` as `open()` and `Timeline.add()`;
    `ValueError`, with the remedy, if a file lacks the channel, is not a block file, or is
    named twice, if the rate or the scale is unknown, or if no type can hold all values.
    """
    xarray = _import_xarray()
    if gaps not in GAPS:
        raise ValueError(f"gaps={gaps!r}: it is one of {', '.join(map(repr, GAPS))}")
    request = _make_request(_find_files(file), channel, rate, blocks)
    found = survey(request)
    parts = _choose(request, found)
    _require_rate(request, parts)
    runs = _arrange(parts, request, gaps)
    for run in runs:
        run.choose_type(volts)
    _require_memory(request.files, runs, sum(found.counts))
    _read(request.files, found, runs)
    _warn(request.files, parts)
    return _Arrays(xarray, runs, volts).give(request, parts, gaps)


def _import_xarray() -> Any:
    try:
        import xarray  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(
            "zio.load() needs xarray, which is not there: apt-get install "
            "python3-xarray, or pip install 'zio-daq[load]'"
        ) from error
    return xarray


def _make_request(
    files: list[str],
    channel: str | None,
    rate: float | None,
    blocks: tuple[int, int] | None,
) -> Request:
    first, end = blocks or (0, 1 << 62)
    if not 0 <= first <= end:
        raise ValueError(
            f"blocks={blocks}: the first number is from 0 on, and not beyond the second"
        )
    if rate is not None and not rate > 0:
        raise ValueError(f"rate={rate}: it is samples per second, more than 0")
    return Request(files, channel, rate, first, end)


def _find_files(file: Path | Sequence[Path]) -> list[str]:
    """Return the paths. Refuse the same file twice, which would repeat its time."""
    paths = [file] if isinstance(file, (str, bytes, os.PathLike)) else file
    files = [os.fsdecode(path) for path in paths]
    seen: dict[tuple[int, int], str] = {}
    for path in files:
        _require_file(path)
        status = os.stat(path)
        key = status.st_dev, status.st_ino
        if key in seen:
            raise ValueError(
                f"{printable(path)}: the file {printable(seen[key])} is the same: name "
                "each part once"
            )
        seen[key] = path
    if not files:
        raise ValueError("load() of no files: name one")
    return files


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


# --- what is loaded ---------------------------------------------------------------------


def _choose(request: Request, found: Survey) -> list[Part]:
    """Return the wanted channels."""
    parts = [part for name, part in found.parts.items() if request.wants(name)]
    if request.channel is None:
        return parts
    starts = [start for part in parts for start in part.starts]
    has = {str(n) for start in starts for n in of.channel_numbers(start.control)}
    if not parts or request.number and request.number not in has:
        names = ", ".join(map(printable, found.parts)) or "none"
        raise ValueError(
            f"{_name(request.files)}: has no channel {printable(request.channel)}: it "
            f"has {names}"
        )
    return parts


def _require_rate(request: Request, parts: Iterable[Part]) -> None:
    """The rate of a control takes precedence: complain about a useless `rate`."""
    rates = {start.place["rate_source"]: start for p in parts for start in p.starts}
    control = rates.get(lib.ZIO_RATE_CONTROL)
    if request.rate is None or control is None or lib.ZIO_RATE_GIVEN in rates:
        return
    known = int(control.place["rate_num"]) / int(control.place["rate_den"])
    if abs(known / request.rate - 1) > 1e-9:
        raise ValueError(
            f"{_name(request.files)}: its controls tell the rate, {known:g} samples per "
            f"second: leave rate={request.rate:g} away"
        )


def _arrange(parts: Iterable[Part], request: Request, gaps: str) -> list[Run]:
    """Return what becomes an array, in order."""
    arranged: list[Run] = []
    for part in parts:
        account = part.timeline.account()
        if gaps == "refuse" and not account.is_clean:
            raise ValueError(
                f"{printable(part.name)}: {account}: use load(..., gaps='fill'), or "
                "gaps='split'"
            )
        runs = make_runs(part)
        if gaps == "split":
            arranged += [piece for run in runs for piece in run.pieces()]
            continue
        if len(runs) > 1:
            raise ValueError(_explain(runs[1], request))
        _require_short(runs[0])
        arranged += runs
    return arranged


def _explain(run: Run, request: Request) -> str:
    """Say why a run does not follow on from the one before."""
    place, control = run.start.place, run.start.control
    changes = Change(int(place["changes"])).names()
    causes = [
        (Break.OUTAGE, f"an outage of {place['outage_ns'] / 1e9:.6g} s"),
        (Break.STEP, f"a step of the clock by {place['step_ns'] / 1e9:.6g} s"),
        (Break.CHANGE, "a change of " + ", ".join(changes)),
    ]
    texts = [text for bit, text in causes if place["breaks"] & bit]
    if not texts:
        texts.append(f"{'a begin' if run.has_time else 'an end'} of time stamps")
    number = request.first + run.start.row
    return (
        f"{run.name}: there is {' and '.join(texts)} at its block {number} (seq "
        f"{control['seq_num']}), which one array cannot hold: use load(..., "
        f"gaps='split') for a list of arrays, or blocks=({request.first}, {number})"
    )


def _require_short(run: Run) -> None:
    missing = int(run.missing.sum())
    if missing > max(run.scans, SHORT):
        raise ValueError(
            f"{run.name}: {missing} samples are missing, more than the {run.scans} that "
            "are there: use load(..., gaps='split'), which fills in nothing"
        )


def _free_memory() -> int:
    with open("/proc/meminfo") as info:
        table = dict(line.split(":") for line in info)
    return 1024 * int(table["MemAvailable"].split()[0])


def _require_memory(files: Sequence[str], runs: Iterable[Run], count: int) -> None:
    """Complain before Linux kills the program for lack of memory."""
    need = sum(run.nbytes for run in runs) + count * BESIDE
    free = _free_memory()
    if need > free:
        raise MemoryError(
            f"{_name(files)}: needs {need / 1e9:.3g} GB of memory, and "
            f"{free / 1e9:.3g} GB are free: load one channel, or a part by "
            "blocks=(0, 1000)"
        )


def _warn(files: Sequence[str], parts: Iterable[Part]) -> None:
    """Say what is missing, because an array looks complete."""
    bad = [(p.name, p.timeline.account()) for p in parts]
    bad = [(name, account) for name, account in bad if not account.is_clean]
    if not bad:
        return
    text = f"{printable(bad[0][0])}: {bad[0][1]}"
    if len(bad) > 1:
        text += f"; and {len(bad) - 1} more channels: see the attributes 'account'"
    warnings.warn(f"{_name(files)}: {text}", GapWarning, stacklevel=3)


def _name(files: Sequence[str]) -> str:
    return ", ".join(map(printable, files))


# --- what the samples are ---------------------------------------------------------------


def _read(files: Sequence[str], found: Survey, runs: Iterable[Run]) -> None:
    """Put the samples of all blocks in place."""
    targets = np.zeros(sum(found.counts), target_dtype)
    for run in runs:
        run.allocate()
        if run.has_samples:
            run.put_targets(targets)
    begin = 0
    for file, count in zip(files, found.counts):
        mine = targets[begin : begin + count]
        wanted = np.flatnonzero(mine["to"])
        if len(wanted):
            _read_file(file, mine[: wanted[-1] + 1], found.largest)
        begin += count


def _read_file(file: str, targets: Array, largest: int) -> None:
    err = new_error()
    opened = lib.zio_open(os.fsencode(file), 0, err)
    channel = ffi.gc(opened, lib.zio_close) if opened else raise_error(err)
    memory = Memory(max(PIECE, CONTROL_SIZE + largest + 8))
    blocks = ffi.new("struct zio_block[]", PIECE // CONTROL_SIZE)
    done = 0
    while done < len(targets):
        most = min(len(blocks), len(targets) - done)
        got = lib.zio_next_batch(channel, blocks, most, memory.pointer, memory.size)
        if got < 0 and ffi.errno != codes.EMSGSIZE:
            raise reason_error(channel, ffi.errno)
        wanted = targets[done : done + max(got, 0)]
        at = ffi.from_buffer("struct zpy_target[]", wanted)
        if got <= 0 or lib.zpy_put(blocks, got, at) < got:
            raise ValueError(
                f"{printable(file)}: has changed while it was read: wait until its "
                "recorder ends"
            )
        done += got


# --- arrays of xarray -------------------------------------------------------------------


class _Arrays:
    """Makes arrays of runs."""

    def __init__(self, xarray: Any, runs: Iterable[Run], volts: bool) -> None:
        self.xarray = xarray
        self.runs = runs
        self.volts = volts
        self.names: set[str] = set()
        self.made: dict[Any, list[tuple[str, Any, Array]]] = {}

    def give(self, request: Request, parts: Iterable[Part], gaps: str) -> Any:
        """Return one channel as an array, all as a Dataset, or a list."""
        number = request.number
        arrays = []
        for run in self.runs:
            if gaps == "split":
                self.names, self.made = set(), {}
            arrays += [
                array for n, array in self._make(run) if not number or str(n) == number
            ]
        if gaps == "split":
            return arrays
        if request.channel is not None and len(arrays) == 1:
            return arrays[0]
        total = TimelineAccount()
        for part in parts:
            total.add(part.timeline.account())
        about = {"account": str(total)}
        variables = {array.name: array for array in arrays}
        return self.xarray.Dataset(variables, attrs=about)

    def _make(self, run: Run) -> list[tuple[int | None, Any]]:
        """Return an array of each channel of a run."""
        dims, coordinates = self._coordinates(run)
        made: list[tuple[int | None, Any]] = []
        numbers: list[int | None] = [*run.numbers] if run.numbers else [None]
        for i, number in enumerate(numbers):
            name = run.part.name if number is None else f"{run.part.name}.{number}"
            values = run.values[..., i]
            attrs = {"long_name": name, **self._attributes(run)}
            array = self.xarray.DataArray(values, coordinates, dims, name, attrs)
            made.append((number, array))
        return made

    def _attributes(self, run: Run) -> dict[str, Any]:
        account = run.part.timeline.account()
        about = {
            "units": scaling(run.start.control).unit if self.volts else "",
            "clock": of.clock(run.start.control),
            "lost": account.lost,
            "taken": account.taken,
            "missed": account.missed,
            "account": str(account),
        }
        if run.rate:
            about["rate"] = float(run.rate)
        scatter = run.part.timeline.rate.scatter_ns
        if run.part.is_estimated and scatter is not None:
            about["rate_scatter_ns"] = scatter
        return about

    def _coordinates(self, run: Run) -> tuple[tuple[str, ...], dict[str, Any]]:
        """Return the dimensions, and the coordinates."""
        kind = "event" if run.layout == "events" else "time" if run.has_time else "sample"
        first, times = self._share(kind, run, *self._times(run))
        dims: tuple[str, ...] = (first,)
        found = {first: times}
        if run.layout == "events":
            about = {"units": "s", "long_name": "time after the event"}
            second, offsets = self._share("sample", run, run.offsets(), about)
            dims = (first, second)
            found[second] = offsets
        if run.layout != "stream":
            about = {"long_name": "events that are not there before this one"}
            name, missing = self._share("missing", run, run.not_here(), about, first)
            found[name] = missing
        return dims, found

    @staticmethod
    def _times(run: Run) -> tuple[Array, dict[str, str]]:
        """Return dates in UTC, or ns if the clock does not tell the date."""
        clock = of.clock(run.start.control)
        times = run.times()
        if not run.has_time:
            return times, {}
        ahead = of.DATED.get(clock)
        if ahead is None:
            return times, {"clock": clock, "units": "ns"}
        times -= ahead
        return times.view("datetime64[ns]"), {"clock": clock}

    def _share(
        self, kind: str, run: Run, values: Array, attrs: dict[str, str], dim: str = ""
    ) -> tuple[str, Any]:
        """Return a coordinate, and its name. Channels with equal values share them."""
        ends = values[:1].tobytes() + values[-1:].tobytes()
        alike = self.made.setdefault((kind, dim, len(values), ends), [])
        for name, made, others in alike:
            if values.dtype == others.dtype and np.array_equal(values, others):
                return name, made
        name = kind if kind not in self.names else f"{kind}_{run.part.name}"
        self.names.add(name)
        made = self.xarray.DataArray(values, None, (dim or name,), name, attrs)
        alike.append((name, made, values))
        return name, made
