# SPDX-License-Identifier: GPL-2.0-only
"""Damage of the structure of a file ends in a verdict, not in a wait or a traceback."""

import random
import re
from pathlib import Path
from typing import Any

import h5py
import pytest
from zio_nexus.superblock import FLAGS_AT, SIZE, checksum

from .makeblocks import Kind, make_block, make_file

KIND = Kind(nsamples=64)
# A file that still grows, or whose writer was killed
GROWING = 5
HUGE = 2**40
# What the program may say of a damaged file; 0 and 4: nobody needs the byte
VERDICTS = (0, 1, 3, 4)
REASONS = "damaged|FAULT|cannot|refuses|not a recording"
# Seconds; what this is about lasts for ever
PATIENCE = 300


@pytest.fixture
def recorded(nexus: Any, tmp_path: Path) -> Path:
    make_file(tmp_path / "a.zio", KIND, range(700))
    nexus("a.zio", "-o", "a.nxs")
    return tmp_path / "a.nxs"


def structure(path: Path) -> list[int]:
    """Return the places of the bytes that are no samples and no table."""
    content = path.read_bytes()
    is_data = bytearray(len(content))

    def note(_name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset) and item.chunks:
            for i in range(item.id.get_num_chunks()):
                chunk = item.id.get_chunk_info(i)
                end = chunk.byte_offset + chunk.size
                is_data[chunk.byte_offset : end] = b"\1" * chunk.size

    with h5py.File(path, "r") as file:
        file.visititems(note)
    return [i for i in range(SIZE + 4, len(content)) if content[i] and not is_data[i]]


@pytest.mark.parametrize("flags", [0, GROWING])
def test_structure(nexus: Any, recorded: Path, tmp_path: Path, flags: int) -> None:
    """HDF5 tries again and again to read what a writer may just write."""
    places = structure(recorded)
    content = recorded.read_bytes()
    chance = random.Random(flags)
    for _ in range(8):
        damaged = bytearray(content)
        damaged[FLAGS_AT] = flags
        damaged[SIZE : SIZE + 4] = checksum(damaged[:SIZE]).to_bytes(4, "little")
        damaged[chance.choice(places)] ^= 1 << chance.randrange(8)
        (tmp_path / "b.nxs").write_bytes(damaged)
        result = nexus("verify", "b.nxs", status=None, timeout=PATIENCE)
        assert result.returncode in VERDICTS, result.stderr
        assert "Traceback" not in result.stderr
        if result.returncode in (1, 3):
            assert re.search(REASONS, result.stdout + result.stderr)


def test_start_time(nexus: Any, recorded: Path) -> None:
    """verify orders files by it."""
    with h5py.File(recorded, "r") as file:
        place = h5py.h5o.get_info(file["entry/start_time"].id).addr
    content = bytearray(recorded.read_bytes())
    content[place + 8] ^= 1
    recorded.write_bytes(content)
    said = nexus("verify", recorded, status=3).stderr
    assert "cannot read start_time" in said and "Traceback" not in said


def test_rate_that_is_none(nexus: Any, recorded: Path) -> None:
    with h5py.File(recorded, "r+") as file:
        file["entry"][KIND.name].attrs["given_rate"] = ""
    said = nexus("verify", recorded, status=3).stderr
    assert "its structure is damaged" in said and "Traceback" not in said


def flip(path: Path, table: str, number: int) -> range:
    """Change a bit in chunk @number of a table; return its rows."""
    with h5py.File(path, "r") as file:
        dataset = file["entry"][KIND.name][table]
        chunk = dataset.id.get_chunk_info(number)
        first, rows = chunk.chunk_offset[0], dataset.chunks[0]
        end = min(first + rows, len(dataset))
    content = bytearray(path.read_bytes())
    content[chunk.byte_offset + 100] ^= 1
    path.write_bytes(content)
    return range(first, end)


def blocks_without(lengths: list[int], gone: set[int]) -> bytes:
    return b"".join(
        make_block(KIND, seq, count)
        for seq, count in enumerate(lengths)
        if seq not in gone
    )


@pytest.mark.parametrize("table", ["data", "control", "order", "time"])
def test_one_bit(nexus: Any, tmp_path: Path, table: str) -> None:
    """It costs the blocks of its chunk, and no other."""
    lengths = [64] * 9000
    (tmp_path / "a.zio").write_bytes(blocks_without(lengths, set()))
    nexus("a.zio", "-o", "a.nxs")
    rows = flip(tmp_path / "a.nxs", table, 1)
    said = nexus("verify", "a.nxs", status=1).stdout
    if table == "time":
        # Nobody else needs it: the controls tell the times.
        assert "FAULT: cannot read time of block" in said and "9000 blocks" in said
        nexus("cat", "a.nxs", "-o", "b.zio")
        assert (tmp_path / "b.zio").read_bytes() == blocks_without(lengths, set())
        return
    text = f"cannot read {len(rows)} of 9000 blocks, {rows[0]} to {rows[-1]}: "
    assert f"FAULT: {text}" in said and f"{9000 - len(rows)} blocks" in said
    said = nexus("cat", "a.nxs", "-o", "b.zio", status=1).stderr
    assert f"a.nxs: {KIND.name}: {text}" in said
    wanted = blocks_without(lengths, set(rows))
    assert (tmp_path / "b.zio").read_bytes() == wanted
    assert text in nexus("a.nxs", "-o", "b.nxs", status=1).stderr
    nexus("cat", "b.nxs", "-o", "c.zio")
    assert (tmp_path / "c.zio").read_bytes() == wanted


def test_two_places(nexus: Any, tmp_path: Path) -> None:
    make_file(tmp_path / "a.zio", KIND, range(9000))
    nexus("a.zio", "-o", "a.nxs")
    for number in (1, 4):
        flip(tmp_path / "a.nxs", "data", number)
    said = nexus("verify", "a.nxs", status=1).stdout
    assert "cannot read 2048 of 9000 blocks, 1024 to 2047, 4096 to 5119: " in said


@pytest.mark.parametrize("table", ["value", "control", "cue_index"])
def test_one_bit_of_varying_blocks(nexus: Any, tmp_path: Path, table: str) -> None:
    """A block that begins or ends in a bad chunk of samples cannot be read, either."""
    lengths = [100 + seq % 60 for seq in range(3000)]
    (tmp_path / "a.zio").write_bytes(blocks_without(lengths, set()))
    nexus("a.zio", "-o", "a.nxs", status=None)
    bad = flip(tmp_path / "a.nxs", table, 1 if table != "cue_index" else 0)
    gone = set(bad)
    if table == "value":
        ends = [sum(lengths[: seq + 1]) for seq in range(3000)]
        gone = {
            seq
            for seq, end in enumerate(ends)
            if end > bad[0] and end - lengths[seq] <= bad[-1]
        }
    nexus("cat", "a.nxs", "-o", "b.zio", status=1)
    assert (tmp_path / "b.zio").read_bytes() == blocks_without(lengths, gone)
    said = nexus("verify", "a.nxs", status=1).stdout
    assert f"cannot read {len(gone)} of 3000 blocks, {min(gone)} to {max(gone)}: " in said


def claim_blocks(group: Any) -> None:
    table = group.parent["statistics"]
    rows = table[()]
    rows["blocks"] = HUGE
    table[...] = rows


def claim_rows(group: Any) -> None:
    for name in ("control", "order", "time", "data"):
        group[name].resize(HUGE, 0)
    claim_blocks(group)


@pytest.mark.parametrize("change", [claim_blocks, claim_rows])
def test_rows_that_are_not_there(nexus: Any, recorded: Path, change: Any) -> None:
    """HDF5 makes up the rows that a table only claims to have."""
    with h5py.File(recorded, "r+") as file:
        change(file["entry"][KIND.name])
    assert "rows for" in nexus("verify", recorded, status=1, timeout=PATIENCE).stdout
    nexus("cat", recorded, "-o", "b.zio", "--force", timeout=PATIENCE)


def test_parts_in_any_order(nexus: Any, tmp_path: Path) -> None:
    """A shell puts a-0002.nxs before a.nxs; the files know their numbers."""
    content = b"".join(make_block(KIND, n) for n in range(2048))
    content += make_block(KIND, 2055, 32, has_lost=True)
    content += b"".join(make_block(KIND, n, 32) for n in range(2056, 2200))
    nexus("-", "-o", "a.nxs", input=content, text=False, status=4)
    parts = sorted(path.name for path in tmp_path.glob("*.nxs"))
    assert parts == ["a-0002.nxs", "a.nxs"]
    nexus("cat", *parts, "-o", "b.zio")
    assert (tmp_path / "b.zio").read_bytes() == content
    lines = nexus("verify", *parts, status=4).stdout.splitlines()
    assert [line.split(":")[0] for line in lines[:2]] == ["a.nxs", "a-0002.nxs"]
    assert "7 blocks lost in 1 gap" in lines[1]


def test_a_part_that_comes_twice(nexus: Any, recorded: Path) -> None:
    for command in ("cat", "verify"):
        said = nexus(command, recorded, recorded, status=3).stderr
        assert "both are part 1 of one recording" in said


def test_a_part_without_a_number(nexus: Any, recorded: Path) -> None:
    with h5py.File(recorded, "r+") as file:
        del file["entry/recording/part"]
        file["entry/recording/part"] = "second\x1b[31m"
    for command in ("cat", "verify"):
        said = nexus(command, recorded, status=3).stderr
        assert "no number, but second?[31m" in said
