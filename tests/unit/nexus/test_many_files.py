# SPDX-License-Identifier: GPL-2.0-only
"""A conversion may have more files than a process, or the disk, takes at a time."""

import csv
import os
import resource
import wave
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from zio_nexus import target
from zio_nexus.failure import StoreFailure
from zio_nexus.target import Part

from .makeblocks import Kind, make_block, samples
from .stories import Tape
from .test_stored import limit_files

LOST, NOT_STORED = 4, 5
# Outages; each file also has a list beside it
RUNS = {"wav": 1200, "sr": 300, "npy": 300}
CHANNELS = 400
KINDS = [Kind(chan=chan, nsamples=4) for chan in range(CHANNELS)]
NAME = Tape().kind.name


def few_descriptors(count: int = 256) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))


def values_of(path: Path) -> list[int]:
    """Return the samples of a file."""
    if path.suffix == ".npy":
        return np.load(path).reshape(-1).tolist()
    if path.suffix == ".sr":
        with zipfile.ZipFile(path) as archive:
            return np.frombuffer(archive.read("analog-1-1-1"), "<f4").astype(int).tolist()
    with wave.open(str(path)) as sound:
        return np.frombuffer(sound.readframes(sound.getnframes()), "<i2").tolist()


@pytest.mark.parametrize("suffix", RUNS)
def test_many_outages(summary: Any, tmp_path: Path, suffix: str) -> None:
    """Each begins another file, and has a line in the list beside it."""
    tape = Tape().block()
    for _ in range(RUNS[suffix]):
        tape.skip(10).restart().block()
    (tmp_path / "a.zio").write_bytes(tape.content)
    words = ("a.zio", "-q", "-o", f"a.{suffix}")
    report = summary(*words, preexec_fn=few_descriptors, status=LOST)
    count = RUNS[suffix] + 1
    assert report["stored"] == count
    names = [f"a.{suffix}", *(f"a-{n:04d}.{suffix}" for n in range(2, count + 1))]
    lists = [f"{name}.gaps.csv" for name in names[1:]]
    found = [path.name for path in tmp_path.iterdir()]
    assert sorted(found) == sorted([*names, *lists, "a.zio"])
    assert report["files"] == names + lists
    values = [value for name in names for value in values_of(tmp_path / name)]
    assert values == [*range(16 * count)]
    with open(tmp_path / lists[-1]) as file:
        (gap,) = csv.DictReader(file)
    assert gap["cause"] == "outage"


SOURCES = [f"{n:03d}.zio" for n in range(300)]


@pytest.mark.parametrize("suffix", ["nxs", "wav", "csv"])
def test_many_sources(summary: Any, tmp_path: Path, suffix: str) -> None:
    """Each is opened when it is its turn."""
    tape = Tape()
    for name in SOURCES:
        tape.content = b""
        (tmp_path / name).write_bytes(tape.blocks(2).content)
    words = (*SOURCES, "-q", "-o", f"a.{suffix}")
    report = summary(*words, preexec_fn=lambda: few_descriptors(64))
    assert report["stored"] == 2 * len(SOURCES)
    if suffix == "wav":
        assert values_of(tmp_path / "a.wav") == [*range(32 * len(SOURCES))]


def test_source_that_is_missing(nexus: Any, tmp_path: Path) -> None:
    """The program tells it before it writes anything, also if it is the last one."""
    for name in SOURCES[:80]:
        (tmp_path / name).write_bytes(Tape().block().content)
    words = (*SOURCES[:81], "-o", "a.nxs")
    said = nexus(*words, preexec_fn=lambda: few_descriptors(64), status=3).stderr
    assert f"{SOURCES[80]}: " in said
    assert {path.name for path in tmp_path.iterdir()} == set(SOURCES[:80])


def write_channels(path: Path, blocks: int) -> None:
    path.write_bytes(
        b"".join(make_block(kind, seq) for seq in range(blocks) for kind in KINDS)
    )


@pytest.mark.parametrize("suffix", ["wav", "npz", "csv"])
def test_many_channels(nexus: Any, tmp_path: Path, suffix: str) -> None:
    """More than a batch: each file is written, left, and written again."""
    write_channels(tmp_path / "a.zio", 40)
    words = ("a.zio", "-q", "-o", f"a.{suffix}", "--rate=4000")
    nexus(*words, preexec_fn=few_descriptors)
    wanted = np.frombuffer(b"".join(samples(seq, 4, 2) for seq in range(40)), "<u2")
    if suffix == "csv":
        with open(tmp_path / "a.csv") as file:
            rows = [(row["channel"], int(row["raw"])) for row in csv.DictReader(file)]
        found = {
            kind.name: [v for name, v in rows if name == kind.name] for kind in KINDS
        }
        assert all(values == wanted.tolist() for values in found.values())
    elif suffix == "npz":
        with np.load(tmp_path / "a.npz") as arrays:
            for kind in KINDS:
                assert np.array_equal(arrays[kind.name].reshape(-1), wanted)
                assert arrays[f"{kind.name}_seq"].tolist() == [*range(40)]
    else:
        for kind in KINDS:
            found = values_of(tmp_path / f"a-{kind.name}.wav")
            assert [value + 0x8000 for value in found] == wanted.tolist()


def test_part_that_is_gone(tmp_path: Path, monkeypatch: Any) -> None:
    """A part that was left is found again by its name, but not behind a link."""
    monkeypatch.setattr(target, "MOST_OPEN", 1)
    first, second = (Part(str(tmp_path / name), force=False) for name in "ab")
    for part in first, second, first, second:
        part.file.write(b"new")
        part.file.flush()
    assert Path(first.name).read_bytes() == b"newnew"
    os.unlink(first.name)
    os.symlink(second.name, first.name)
    first.file.write(b"more")
    with pytest.raises(StoreFailure, match="a: cannot write: Too many levels"):
        first.store()
    second.publish()
    assert (tmp_path / "b").read_bytes() == b"newnew"
    first.discard()


# --- a disk that is full in the second file ---------------------------------------------

# Bytes that the first file fits in, and the second does not
ROOM = {"wav": 20_000, "sr": 20_000, "npy": 20_000, "parquet": 60_000}


def two_files() -> bytes:
    """Return a recording whose second file is much larger than the first."""
    noise = np.random.default_rng(1)
    tape = Tape().blocks(100)
    tape.restart().skip(10)
    tape.kind.scale = (2, 0, 0, 1)
    tape.kind.clock = 11
    for _ in range(60):
        tape.value = int(noise.integers(0, 10_000))
        tape.block(1024)
    return tape.content


def full_in_the_second(
    run: Callable[..., Any], suffix: str, *words: str, **more: Any
) -> Any:
    if suffix == "parquet":
        pytest.importorskip("pyarrow", reason="no pyarrow here")
    limits = {"preexec_fn": limit_files(ROOM[suffix]), "status": NOT_STORED}
    return run(*words, "-q", "-o", f"a.{suffix}", **limits, **more)


@pytest.mark.parametrize("suffix", ROOM)
def test_pipe(summary: Any, tmp_path: Path, suffix: str) -> None:
    """The blocks of a pipe do not come again: the first file was whole, and stays."""
    content = two_files()
    report = full_in_the_second(summary, suffix, "-", input=content, text=False)
    assert report["files"][0] == f"a.{suffix}"
    assert report["stored"] == 100
    assert report["not_stored"] == report["blocks"] - 100
    if suffix != "parquet":
        assert values_of(tmp_path / f"a.{suffix}") == [*range(1600)]
    assert not (tmp_path / f"a-0002.{suffix}").exists()


@pytest.mark.parametrize("suffix", ROOM)
def test_file_on_disk(nexus: Any, tmp_path: Path, suffix: str) -> None:
    """A file on disk can be converted again: all is removed, and the program says so."""
    (tmp_path / "a.zio").write_bytes(two_files())
    said = full_in_the_second(nexus, suffix, "a.zio").stderr
    text = "the 2 files that were begun are removed: all blocks are still in a.zio"
    assert f"a.{suffix}: {text}" in said
    assert [path.name for path in tmp_path.iterdir()] == ["a.zio"]


def test_file_that_no_channel_needs(tmp_path: Path, nexus: Any) -> None:
    """A channel that comes late finds the first session ended: it begins the next."""
    # The second channel is in another batch.
    tapes = [Tape(chan=1).blocks(20).skip(10).restart().blocks(2000), Tape(chan=2)]
    tapes[1].skip(330).blocks(10)
    content = b"".join(tape.content for tape in tapes)
    nexus("-", "-q", "-o", "a.sr", input=content, text=False, status=LOST)
    with zipfile.ZipFile(tmp_path / "a-0002.sr") as archive:
        metadata = archive.read("metadata").decode()
    assert "analog2=fake-0007-0-2" in metadata
    # A file on disk has told its channels: the session waits for the second one.
    tapes[1] = Tape(chan=2).blocks(20)
    (tmp_path / "b.zio").write_bytes(b"".join(tape.content for tape in tapes))
    nexus("b.zio", "-q", "-o", "b.sr", status=LOST)
    with zipfile.ZipFile(tmp_path / "b.sr") as archive:
        assert "analog2=fake-0007-0-2" in archive.read("metadata").decode()
