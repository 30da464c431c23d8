# SPDX-License-Identifier: GPL-2.0-only
"""What lies between blocks is in the file, as it was: causes, sizes, times, rates."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import zio
from zio import lib
from zio_nexus.cli import main

from .makeblocks import START, Kind, make_control, samples, set_trigger
from .test_record import causes, statistics

KIND = Kind(nsamples=10)
NAME = KIND.name
RATE = 1000
# A block of ten samples
STEP_NS = 10_000_000
BEGIN = START * 10**9
COUNTS = ("lost", "gaps", "missed", "taken", "outages", "pauses", "steps", "changes")
LOST, MISSED = lib.ZIO_ATTR_TRIG_LOST, lib.ZIO_ATTR_TRIG_MISSED
EPOCH, PRE = lib.ZIO_ATTR_TRIG_EPOCH, lib.ZIO_ATTR_TRIG_PRE_SAMP
RATE_NUM, RATE_DEN = lib.ZIO_ATTR_TRIG_RATE_NUM, lib.ZIO_ATTR_TRIG_RATE_DEN


@dataclass
class Told:
    """A block: its number, its time in ns from BEGIN, and what its control tells."""

    seq: int
    time: int
    kind: Kind = field(default_factory=lambda: KIND)
    words: dict[int, int] = field(default_factory=dict)

    def bytes(self) -> bytes:
        control = make_control(self.kind, self.seq, self.kind.nsamples)
        time = BEGIN + self.time
        control["tstamp"]["secs"], control["tstamp"]["ticks"] = divmod(time, 10**9)
        usual = {RATE_NUM: RATE, RATE_DEN: 1, LOST: 0, MISSED: 0, EPOCH: 7}
        for number, value in {**usual, **self.words}.items():
            set_trigger(control, number, value)
        data = samples(self.seq, self.kind.nsamples, self.kind.ssize)
        return bytes(control.tobytes()) + data


def stream(count: int, seq: int = 0, time: int = 0, **words: Any) -> list[Told]:
    """Return blocks that follow each other."""
    return [Told(seq + i, time + i * STEP_NS, **words) for i in range(count)]


def write(path: Path, told: Iterable[Told]) -> None:
    path.write_bytes(b"".join(block.bytes() for block in told))


def lost() -> tuple[list[Told], dict[str, Any]]:
    blocks = [*stream(20), *stream(20, 23, 23 * STEP_NS)]
    blocks[20].words = {LOST: 3}
    return blocks, {"cause": "lost", "lost": 3, "first_seq": 20, "length_ns": 0}


def missed() -> tuple[list[Told], dict[str, Any]]:
    blocks = stream(40)
    blocks[20].words = {MISSED: 5}
    return blocks, {"cause": "missed", "missed": 5, "first_seq": 20}


def taken() -> tuple[list[Told], dict[str, Any]]:
    blocks = [*stream(20), *stream(20, 24, 24 * STEP_NS)]
    return blocks, {"cause": "taken", "taken": 4, "first_seq": 20}


def lost_and_taken() -> tuple[list[Told], dict[str, Any]]:
    blocks = [*stream(20), *stream(20, 24, 24 * STEP_NS)]
    blocks[20].words = {LOST: 1}
    return blocks, {"cause": "lost, taken", "lost": 1, "taken": 3, "first_seq": 20}


def restart() -> tuple[list[Told], dict[str, Any]]:
    """The machine was away for an hour behind the last sample."""
    begin = 20 * STEP_NS + 3600 * 10**9
    blocks = [*stream(20), *stream(20, 0, begin, words={EPOCH: 8})]
    return blocks, {"cause": "outage", "first_seq": 0, "length_ns": 3600 * 10**9}


def pause() -> tuple[list[Told], dict[str, Any]]:
    blocks = [*stream(20), *stream(20, 20, 20 * STEP_NS + 10**9)]
    return blocks, {"cause": "pause", "first_seq": 20, "length_ns": 10**9}


def step() -> tuple[list[Told], dict[str, Any]]:
    """NTP sets the clock back by 2 s."""
    blocks = [*stream(20), *stream(20, 20, 20 * STEP_NS - 2 * 10**9)]
    return blocks, {"cause": "clock step", "first_seq": 20, "length_ns": -2 * 10**9}


def wrap() -> tuple[list[Told], dict[str, Any]]:
    """Blocks are lost where the numbers begin anew."""
    blocks = [*stream(20, 2**32 - 21), *stream(20, 2, 23 * STEP_NS)]
    for place, block in enumerate(blocks):
        block.time = place * STEP_NS + (3 * STEP_NS if place >= 20 else 0)
    blocks[20].words = {LOST: 3}
    return blocks, {"cause": "lost", "lost": 3, "first_seq": 2**32 - 1}


STORIES = [lost, missed, taken, lost_and_taken, restart, pause, step, wrap]


def check_row(group: Any, wanted: dict[str, Any]) -> None:
    """Check the only row of the table of breaks."""
    (row,) = group["breaks"][()]
    (cause,) = causes(group)
    found = {name: int(row[name]) for name in row.dtype.names if name != "cause"}
    zeros = dict.fromkeys(("lost", "taken", "missed", "changes", "length_ns"), 0)
    block = 20 if wanted.get("block") is None else wanted["block"]
    time = int(group["time"][block])
    assert {"cause": cause, **found} == {**zeros, "block": block, "time": time, **wanted}


@pytest.mark.parametrize("story", STORIES)
def test_break(nexus: Any, tmp_path: Path, story: Any) -> None:
    """A break has its cause, its place and its size, in the table and in all counts."""
    blocks, wanted = story()
    write(tmp_path / "a.zio", blocks)
    report = json.loads(nexus("a.zio", "-o", "a.nxs", "--json", status=4).stdout)
    with h5py.File(tmp_path / "a.nxs") as file:
        group, row = file["entry"][NAME], statistics(file, NAME)
        check_row(group, wanted)
        times = [BEGIN + block.time for block in blocks]
        assert group["time"][()].tolist() == times
        assert {name: row[name] for name in COUNTS} == {n: report[n] for n in COUNTS}
    found = json.loads(nexus("verify", "--json", "a.nxs", status=4).stdout)
    assert found["files"][0]["good"], found["files"][0]
    assert found["all"]["account"] == report["account"] != "nothing lost"
    said = nexus("verify", "a.nxs", status=4).stdout.splitlines()
    assert said[0] == f"a.nxs: {NAME}: 40 blocks, 800 bytes, {report['account']}"
    assert said[1] == f"1 file: 40 blocks, 800 bytes, {report['account']}"


def test_nothing(nexus: Any, tmp_path: Path) -> None:
    write(tmp_path / "a.zio", stream(40))
    nexus("a.zio", "-o", "a.nxs")
    assert "40 blocks, 800 bytes, nothing lost" in nexus("verify", "a.nxs").stdout
    with h5py.File(tmp_path / "a.nxs") as file:
        assert len(file["entry"][NAME]["breaks"]) == 0


@pytest.mark.parametrize("story", STORIES)
def test_break_between_parts(
    nexus: Any, record_stream: Any, tmp_path: Path, story: Any
) -> None:
    """A break at the seam of two files belongs to the second one, also alone."""
    blocks, wanted = story()
    shorter = replace(KIND, nsamples=5)
    for block in blocks[20:]:
        block.kind = shorter
    _, files = record_stream(b"".join(block.bytes() for block in blocks[:21]))
    assert len(files) == 2
    with h5py.File(tmp_path / "a-0002.nxs") as file:
        (row,) = file["entry"][NAME]["breaks"][()]
        assert row["block"] == 0
        for name in {"lost", "missed", "taken", "first_seq"} & wanted.keys():
            assert row[name] == wanted[name]
    nexus("verify", "a.nxs")
    said = nexus("verify", "a-0002.nxs", status=4).stdout
    assert "earlier parts of the recording are not given" in said
    both = nexus("verify", "a-0002.nxs", "a.nxs", status=4).stdout.splitlines()
    assert both[0].endswith("nothing lost") and "FAULT" not in " ".join(both)
    assert both[1].split(", ", 2)[2] == both[2].split(", ", 2)[2] != "nothing lost"


CHANGES = {
    "unit": replace(KIND, scale=(1, 0, 0, 2)),
    "scale": replace(KIND, scale=(5, 0, 0, 1)),
    "sign": replace(KIND, signed=True, scale=(1, 0, 0, 1)),
    "bits": replace(KIND, nbits=12, scale=(1, 0, 0, 1)),
    "clock": replace(KIND, clock=11, scale=(1, 0, 0, 1)),
    "channels": replace(KIND, mask=0b11, scale=(1, 0, 0, 1)),
    "rate": replace(KIND, scale=(1, 0, 0, 1)),
}
TEXTS = {
    "unit": "another unit",
    "scale": "another scale",
    "sign": "another sign",
    "bits": "other valid bits",
    "clock": "another clock",
    "channels": "other channels",
    "rate": "another rate",
}


@pytest.mark.parametrize("change", CHANGES)
def test_change(nexus: Any, tmp_path: Path, change: str) -> None:
    """Another meaning begins another file, whose attributes hold for all its blocks."""
    first = replace(KIND, scale=(1, 0, 0, 1))
    words = {RATE_NUM: 2000} if change == "rate" else {}
    blocks = stream(20, kind=first)
    blocks += stream(20, 20, 20 * STEP_NS, kind=CHANGES[change], words=words)
    write(tmp_path / "a.zio", blocks)
    said = nexus("a.zio", "-o", "a.nxs", status=4).stderr
    assert f"{NAME}: block 20 has {TEXTS[change]}: a new file begins" in said
    files = [tmp_path / "a.nxs", tmp_path / "a-0002.nxs"]
    for path, begin in zip(files, (0, 20)):
        with h5py.File(path) as file:
            group, kind = file["entry"][NAME], blocks[begin].kind
            seq = group["control"]["seq_num"]
            assert seq.tolist() == list(range(begin, begin + 20))
            data, scale = group["data"], zio.scaling(group["control"][0])
            assert data.attrs["units"] == scale.unit
            assert data.attrs["scaling_factor"] == scale.scale
            assert data.attrs["valid_bits"] == (kind.nbits or 16)
            assert data.dtype == ("i2" if kind.signed else "u2")
            assert group.attrs.get("channel_mask", 0) == kind.mask
            assert group["time"].attrs["clock"] == ("tai" if kind.clock else "realtime")
            assert group.attrs["rate"] == blocks[begin].words.get(RATE_NUM, RATE)
    with h5py.File(files[1]) as file:
        table = file["entry"][NAME]["breaks"]
        bit = table.attrs["changes"].split(", ").index(change)
        assert table["changes"].tolist()[0] >> bit & 1 and table["block"][0] == 0
    nexus("verify", files[0])
    lines = nexus("verify", *files, status=4).stdout
    assert "FAULT" not in lines and f"1 change ({change}" in lines
    nexus("cat", *files, "-o", "b.zio")
    assert (tmp_path / "b.zio").read_bytes() == (tmp_path / "a.zio").read_bytes()


def test_one_file_for_a_change_of_all(nexus: Any, tmp_path: Path) -> None:
    """A change of two channels at once begins one file. A third one goes on in it."""
    kinds = [replace(KIND, chan=chan, scale=(1, 0, 0, 1)) for chan in (1, 2, 3)]
    blocks = []
    for seq in range(40):
        for kind in kinds:
            is_other = seq >= 20 and kind.chan < 3
            now = replace(kind, scale=(5, 0, 0, 1)) if is_other else kind
            blocks += stream(1, seq, seq * STEP_NS, kind=now)
    write(tmp_path / "a.zio", blocks)
    nexus("a.zio", "-o", "a.nxs", status=4)
    files = sorted(tmp_path.glob("*.nxs"))
    assert len(files) == 2
    nexus("verify", *files, status=4)
    nexus("cat", *files, "-o", "b.zio")
    assert (tmp_path / "b.zio").read_bytes() == (tmp_path / "a.zio").read_bytes()


@pytest.mark.parametrize("pre", [0, 4])
@pytest.mark.parametrize("first_ps", [0, -1_500_000, 2**33])
def test_time_of_the_first_sample(
    nexus: Any, tmp_path: Path, pre: int, first_ps: int
) -> None:
    """Samples before the event, and the time that the control tells, are in the time."""
    words = {PRE: pre, RATE_NUM: 44100}
    words[lib.ZIO_ATTR_TRIG_FIRST_LOW] = first_ps & 0xFFFFFFFF
    words[lib.ZIO_ATTR_TRIG_FIRST_HIGH] = first_ps >> 32
    write(tmp_path / "a.zio", stream(3, words=words))
    nexus("a.zio", "-o", "a.nxs", status=None)
    with h5py.File(tmp_path / "a.nxs") as file:
        group = file["entry"][NAME]
        axis = group["sample_time"][()]
        wanted = np.arange(10) * 1e9 / 44100
        assert np.allclose(axis, wanted, rtol=0, atol=1e-6)
        assert list(group.attrs["axes"]) == ["time", "sample_time"]
        begins = BEGIN + np.arange(3) * STEP_NS
        moved = first_ps / 1000 - pre * 1e9 / 44100
        assert np.abs(group["time"][()] - begins - moved).max() <= 1
        assert group.attrs["rate"] == 44100
    assert "FAULT" not in nexus("verify", "a.nxs", status=None).stdout


def test_axis_of_interleaved_samples(nexus: Any, tmp_path: Path) -> None:
    """The samples of a scan have one time."""
    write(tmp_path / "a.zio", stream(3, kind=replace(KIND, mask=0b11)))
    nexus("a.zio", "-o", "a.nxs", status=None)
    with h5py.File(tmp_path / "a.nxs") as file:
        axis = file["entry"][NAME]["sample_time"][()]
        assert axis.tolist() == np.repeat(np.arange(5) * 1e6, 2).tolist()


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ({}, (1000, 1, 1)),
        ({RATE_NUM: 44100, RATE_DEN: 7}, (44100, 7, 1)),
        ({RATE_NUM: 0, RATE_DEN: 0}, (1000, 1, 3)),
    ],
)
def test_rate(nexus: Any, tmp_path: Path, words: Any, wanted: Any) -> None:
    """The statistics have the rate and its source."""
    write(tmp_path / "a.zio", stream(40, words=words))
    nexus("a.zio", "-o", "a.nxs", status=None)
    nexus("verify", "a.nxs", status=None)
    with h5py.File(tmp_path / "a.nxs") as file:
        row = statistics(file, NAME)
        assert tuple(row[["rate_num", "rate_den", "rate_source"]]) == wanted
        source = file["entry/statistics"].attrs["rate_sources"][wanted[2]]
        assert source == {1: "control", 3: "estimated"}[wanted[2]]
        assert file["entry"][NAME].attrs["rate"] == wanted[0] / wanted[1]


def test_rate_of_some_blocks(nexus: Any, tmp_path: Path, record_stream: Any) -> None:
    """The times of the last blocks tell no rate. The statistics have the last one that
    was known, however many blocks the program has written at once."""
    words = {RATE_NUM: 0, RATE_DEN: 0}
    blocks = stream(90, words=words)
    for i, block in enumerate(blocks[30:]):
        block.time = blocks[29].time + (i + 1) ** 3 * STEP_NS
    status, files = record_stream(b"".join(block.bytes() for block in blocks))
    with h5py.File(files[0]) as file:
        assert statistics(file, NAME)["rate_num"] == RATE
        estimates = zio.Timeline().add_all(file["entry"][NAME]["control"][()])
    assert estimates["rate_num"][[29, -1]].tolist() == [RATE, 0]
    assert "FAULT" not in nexus("verify", files[0], status=None).stdout


def test_given_rate(nexus: Any, tmp_path: Path) -> None:
    words = {RATE_NUM: 0, RATE_DEN: 0, PRE: 4}
    write(tmp_path / "a.zio", stream(40, words=words))
    nexus("a.zio", "-o", "a.nxs", "--rate=1000")
    nexus("verify", "a.nxs")
    with h5py.File(tmp_path / "a.nxs") as file:
        row, group = statistics(file, NAME), file["entry"][NAME]
        assert tuple(row[["rate_num", "rate_den", "rate_source"]]) == (1000, 1, 2)
        assert group["time"][0] == BEGIN - 4_000_000
        assert group["sample_time"][3] == 3e6


def test_rate_of_a_pipe(nexus: Any, tmp_path: Path) -> None:
    """The times tell the rate when the file has begun: the statistics have it."""
    blocks = stream(40, words={RATE_NUM: 0, RATE_DEN: 0})
    content = b"".join(block.bytes() for block in blocks)
    nexus("-", "-o", "a.nxs", input=content, text=False)
    with h5py.File(tmp_path / "a.nxs") as file:
        group = file["entry"][NAME]
        assert list(group.attrs["axes"]) == ["time", "."] and "rate" not in group.attrs
        row = statistics(file, NAME)
        assert tuple(row[["rate_num", "rate_den", "rate_source"]]) == (1000, 1, 3)
    nexus("verify", "a.nxs")


def test_part_of_a_second(nexus: Any, tmp_path: Path) -> None:
    """A time with more than a second in its ticks is no late time."""
    control = make_control(KIND, 0, 10)
    control["tstamp"]["ticks"] = 1_500_000_000
    data = samples(0, 10, 2)
    (tmp_path / "a.zio").write_bytes(control.tobytes() + data)
    said = nexus("a.zio", "-o", "a.nxs").stderr
    assert f"{NAME}: a time has 1500000000 ns beside its seconds" in said
    assert "2262" not in said
    with h5py.File(tmp_path / "a.nxs") as file:
        assert file["entry"][NAME]["time"][0] == 9_223_372_000 * 10**9
        assert file["entry/start_time"][()] == b""
    nexus("verify", "a.nxs")


# --- several starts of the recorder -----------------------------------------------------


def record(nexus: Any, tmp_path: Path, name: str, blocks: list[Told]) -> str:
    write(tmp_path / "a.zio", blocks)
    nexus("a.zio", "-o", f"{name}.nxs", status=None)
    return f"{name}.nxs"


def test_starts(nexus: Any, tmp_path: Path) -> None:
    """Between files of several starts lies an outage, or what nobody has recorded."""
    first = record(nexus, tmp_path, "b", stream(20))
    away = record(nexus, tmp_path, "a", stream(20, 50, 50 * STEP_NS))
    booted = record(nexus, tmp_path, "c", stream(20, 0, 3600 * 10**9, words={EPOCH: 8}))
    said = nexus("verify", away, first, status=4).stdout.splitlines()
    assert said[0] == f"{first}: {NAME}: 20 blocks, 400 bytes, nothing lost"
    assert "30 blocks taken" in said[1] and said[1].startswith(away)
    said = nexus("verify", booted, first, status=4).stdout
    assert "1 outage of 3599.8 s" in said and "FAULT" not in said
    both = json.loads(
        nexus("verify", "--json", *("a.nxs", "b.nxs", "c.nxs"), status=4).stdout
    )
    assert (both["all"]["taken"], both["all"]["outages"]) == (30, 1)
    assert all(file["good"] for file in both["files"])


# --- recordings of before ---------------------------------------------------------------


def make_old(path: Path, losses: list[tuple[int, int, int, int]]) -> None:
    """Make a recording have what an older version has written."""
    with h5py.File(path, "r+") as file:
        entry = file["entry"]
        group, row = entry[NAME], statistics(file, NAME)
        del group["breaks"], entry["statistics"]
        kind = [("block", "i8"), ("lost", "u4"), ("first_seq", "u4"), ("time", "i8")]
        group["losses"] = np.array(losses, kind)
        counts = ["blocks", "samples", "bytes", "first_seq", "last_seq"]
        counts += ["kernel_blocks_start", "kernel_lost_start"]
        counts += ["kernel_blocks", "kernel_lost"]
        numbers = {name: int(row[name]) for name in counts}
        numbers["lost"] = sum(loss[1] for loss in losses)
        numbers |= {"gaps": len(losses), "scaling_changes": 0}
        for name, number in numbers.items():
            group[f"statistics/{name}"] = np.int64(number)


def test_old_recording(nexus: Any, tmp_path: Path) -> None:
    """It is read, and compared with what it has."""
    blocks, _ = lost_and_taken()
    write(tmp_path / "a.zio", blocks)
    nexus("a.zio", "-o", "a.nxs", status=4)
    make_old(tmp_path / "a.nxs", [(20, 4, 20, BEGIN + blocks[20].time)])
    said = nexus("verify", "a.nxs", status=4).stdout
    assert "recorded by an older version" in said
    assert "1 block lost in 1 gap, 3 blocks taken" in said and "FAULT" not in said
    nexus("cat", "a.nxs", "-o", "b.zio")
    assert (tmp_path / "b.zio").read_bytes() == (tmp_path / "a.zio").read_bytes()
    nexus("a.nxs", "-o", "b.nxs", status=4)
    nexus("verify", "b.nxs", status=4)
    make_wrong = h5py.File(tmp_path / "a.nxs", "r+")
    make_wrong["entry"][NAME]["losses"][0] = (20, 5, 20, 0)
    make_wrong.close()
    assert "FAULT" in nexus("verify", "a.nxs", status=1).stdout


# --- many channels ----------------------------------------------------------------------


def test_many_channels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file of many channels is not much larger than its data, and all is in it."""
    kinds = [Kind(device=b"d%03d" % n, nsamples=32) for n in range(300)]
    content = b"".join(
        Told(seq, seq * STEP_NS, kind).bytes() for seq in range(20) for kind in kinds
    )
    source, target = tmp_path / "a.zio", tmp_path / "a.nxs"
    source.write_bytes(content)
    assert main([str(source), "-o", str(target), "-q"]) in (0, 4)
    assert target.stat().st_size < 2 * len(content)
    with h5py.File(target) as file:
        assert (file["entry/statistics"]["blocks"] == 20).all()
        for number in (0, 123, 299):
            group = file["entry"][f"d{number:03d}-0007-0-1"]
            assert group["data"].attrs["long_name"] == f"d{number:03d}-0007-0-1"
            assert group.attrs["device"] == f"d{number:03d}"
            wanted = [np.frombuffer(samples(n, 32, 2), "u2") for n in range(20)]
            assert np.array_equal(group["data"][()], wanted)
    back = tmp_path / "b.zio"
    assert main(["cat", str(target), "-o", str(back)]) == 0
    assert back.read_bytes() == content
    capsys.readouterr()
