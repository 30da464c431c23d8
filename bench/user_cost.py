#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""user_cost.py - processor time of the Python programs, beside libraries that do the same

Usage: bench/user_cost.py [--rounds N] [--blocks N] [--directory DIR]

Needs `make -C tools python`, h5py, soundfile, pandas, xarray; pyarrow is measured if it
is there. Each way is a process of its own, with its start, from bytecode. Rounds take
both ways in turn; a row has the best of each: user mode and the kernel.
"""

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
NEXUS = ROOT / "tools/programs/nexus/zio-nexus"
LIBRARY = ROOT / "tools/python/build/lib"
sys.path.insert(0, str(LIBRARY))

import numpy as np  # noqa: E402
import zio  # noqa: E402

SAMPLES = 1024 // 2  # of 1 KiB
CHANNELS, OF_EACH = 1000, 40
HEAD = f"""
import sys, numpy as np
sys.path.insert(0, {str(LIBRARY)!r})
import zio
source, target = sys.argv[1:3]
"""
# Samples alone: the floor of a format that has nothing else
SOUND = """
import sys, numpy, soundfile
source, target = sys.argv[1:3]
block = numpy.dtype([("control", "V512"), ("data", "i2", (512,))])
memory = numpy.empty(1024, block)
with open(source, "rb") as file, soundfile.SoundFile(target, "w", 512000, 1) as sound:
    while count := file.readinto(memory) // block.itemsize:
        sound.write(memory[:count]["data"].reshape(-1))
"""
# The lines of zio-nexus: the same columns, and the same times
TABLE = """
timeline = zio.Timeline()
with zio.open(source) as channel, open(target, "wb") as file:
    for batch in channel.batches(1024):
        places, (blocks, count) = timeline.add_all(batch.controls), batch.data.shape
        first = np.arange(blocks * count) % count == 0
        rows = {
            "channel": np.zeros(blocks * count, "i4"),
            "seq": np.repeat(batch.controls["seq_num"], count),
            "time_ns": zio.sample_times(places),
            "lost": np.repeat(places["lost"], count) * first,
            "sample": np.tile(np.arange(count), blocks),
            "raw": batch.data.reshape(-1),
            "missed": np.repeat(places["missed"], count) * first,
            "break": np.zeros(blocks * count, "i4"),
        }
"""
PANDAS = (
    f"{HEAD}import pandas{TABLE}"
    + """
        rows |= {"channel": "bench-0000-0-0", "break": ""}
        pandas.DataFrame(rows).to_csv(file, index=False, header=not file.tell())
"""
)
ARROW = (
    f"{HEAD}import pyarrow, pyarrow.csv{TABLE}"
    + """
        for name, text in (("channel", "bench-0000-0-0"), ("break", "")):
            codes = pyarrow.array(rows[name])
            column = pyarrow.DictionaryArray.from_arrays(codes, pyarrow.array([text]))
            rows[name] = column.cast(pyarrow.string())
        if not file.tell():
            file.write((",".join(rows) + "\\n").encode())
        options = pyarrow.csv.WriteOptions(include_header=False, quoting_style="none")
        pyarrow.csv.write_csv(pyarrow.table(rows), file, options)
"""
)
LOAD = HEAD + "[values] = zio.load(source).data_vars.values(); print(float(values.sum()))"
XARRAY = """
import sys, numpy, xarray
control = numpy.dtype({"names": ["secs", "ticks"], "formats": ["u8", "u8"],
                       "offsets": [48, 56], "itemsize": 512})
block = numpy.dtype([("control", control), ("data", "i2", (512,))])
rows = numpy.fromfile(sys.argv[1], block)
stamps = rows["control"]
begins = (stamps["secs"] * 10**9 + stamps["ticks"]).astype("i8")
times = begins[:, None] + numpy.arange(512) * (10**9 // 512000)
data = rows["data"].reshape(-1).astype(float)
print(float(xarray.DataArray(data, {"time": times.reshape(-1).view("M8[ns]")}).sum()))
"""


class Cost(NamedTuple):
    """Seconds of processor time, KiB of memory at most, bytes of the file."""

    seconds: float
    memory: int
    size: int


def make_file(path: Path, blocks: int) -> None:
    """Make a stream of 1 KiB blocks at 512 kHz, without a gap."""
    control = zio.make_control("bench-0-0", time=0.0, rate=512000)
    data = np.random.default_rng(1).integers(-9999, 9999, SAMPLES, np.int16)
    with zio.open(str(path), create=True) as out:
        out.write(data, control)
    kind = np.dtype([("control", zio.control_dtype), ("data", np.int16, (SAMPLES,))])
    rows = np.tile(np.fromfile(path, kind), blocks)
    times = 1_700_000_000 * 10**9 + np.arange(blocks) * 10**6
    rows["control"]["seq_num"] = np.arange(blocks)
    rows["control"]["tstamp"]["secs"], rows["control"]["tstamp"]["ticks"] = np.divmod(
        times, 10**9
    )
    rows.tofile(path)


def make_channels(path: Path) -> None:
    """Make a file of many channels, whose blocks of 64 bytes take turns."""
    control = zio.make_control("bench-0-0", time=0.0, rate=32000)
    with zio.open(str(path), create=True) as out:
        out.write(np.zeros(32, np.uint16), control)
    kind = np.dtype([("control", zio.control_dtype), ("data", np.uint16, (32,))])
    rows = np.tile(np.fromfile(path, kind), CHANNELS * OF_EACH)
    numbers = np.arange(len(rows))
    rows["control"]["seq_num"] = numbers // CHANNELS
    rows["control"]["addr"]["chan"] = numbers % CHANNELS
    rows["control"]["tstamp"]["secs"] = 1_700_000_000
    rows["control"]["tstamp"]["ticks"] = numbers // CHANNELS * 10**6
    rows.tofile(path)


def run(command: list[str], target: Path) -> Cost:
    """Run a way, which writes @target or prints a number."""
    target.unlink(missing_ok=True)
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 4):
        sys.exit(f"user_cost.py: {' '.join(command)[:200]}: status {child.returncode}")
    size = target.stat().st_size if target.exists() else 0
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss, size)


def compare(ways: tuple[list[str], list[str]], target: Path, rounds: int) -> list[Cost]:
    """Return the best round of each way."""
    found = [[run(way, target) for way in ways] for _ in range(rounds)]
    return [min(costs) for costs in zip(*found)]


def rows_of(place: Path, source: Path) -> dict[str, tuple[list[str], list[str], Path]]:
    """Return both ways of each row, and what they write."""
    python, rows = sys.executable, {}
    nexus: Any = SourceFileLoader("bench", str(NEXUS.with_name("bench"))).load_module()
    references = {
        "HDF5 / h5py": ("nxs", nexus.REFERENCE, ["1024", "0"]),
        "HDF5 / h5py, with checksums": ("nxs", nexus.REFERENCE, ["1024", "1"]),
        "wav / soundfile": ("wav", SOUND, []),
        "csv / pandas": ("csv", PANDAS, []),
    }
    if importlib.util.find_spec("pyarrow"):
        references["csv / pyarrow"] = ("csv", ARROW, [])
    for name, (suffix, code, words) in references.items():
        target = place / f"out.{suffix}"
        both = [str(source), str(target)]
        ours = [python, str(NEXUS), str(source), "-q", "-o", str(target)]
        rows[name] = (ours, [python, "-c", code, *both, *words], target)
    target = place / "none"
    load = ([python, "-c", code, str(source), "none"] for code in (LOAD, XARRAY))
    rows["zio.load / numpy, xarray"] = (*load, target)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--blocks", type=int, default=100_000)
    parser.add_argument("--directory", default="/dev/shm")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.directory) as folder:
        place, source = Path(folder), Path(folder, "blocks.zio")
        os.environ["PYTHONPYCACHEPREFIX"] = f"{folder}/bytecode"
        make_file(source, options.blocks)
        print("| blocks of 1 KiB | us of a block | of the library | ratio |")
        print("|---|---|---|---|")
        for name, (ours, other, target) in rows_of(place, source).items():
            costs = compare((ours, other), target, options.rounds)
            each = [cost.seconds * 1e6 / options.blocks for cost in costs]
            print(f"| {name} | {each[0]:.2f} | {each[1]:.2f} | {each[0] / each[1]:.2f} |")
        make_channels(source)
        target = place / "many.nxs"
        way = [sys.executable, str(NEXUS), str(source), "-q", "-o", str(target)]
        cost = min(run(way, target) for _ in range(options.rounds))
        print(
            f"\n{CHANNELS} channels, {CHANNELS * OF_EACH} blocks of 64 bytes in HDF5: "
            f"{cost.seconds:.2f} s, {cost.size / source.stat().st_size:.2f} times the "
            f"size, {cost.memory / 1024:.0f} MB of memory"
        )


if __name__ == "__main__":
    main()
