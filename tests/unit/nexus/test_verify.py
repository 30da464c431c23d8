# SPDX-License-Identifier: GPL-2.0-only
"""verify finds deliberate damage."""

import json
import os
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import zio
from zio_nexus.cli import main
from zio_nexus.superblock import checksum, repair

from .makeblocks import Kind, make_block, make_file

KIND = Kind(nsamples=64)
NUMBERS = [*range(100), *range(103, 1500)]


def count(group: Any, name: str, more: int) -> None:
    """Change a number of the statistics."""
    table = group.parent["statistics"]
    rows = table[()]
    rows[name][group.attrs["statistics_row"]] += more
    table[...] = rows


def lengthen(group: Any) -> None:
    count(group, "blocks", -1)


def swap_sequence(group: Any) -> None:
    rows = group["control"][10:12]
    rows["seq_num"] = rows["seq_num"][::-1]
    group["control"][10:12] = rows


def lose(group: Any) -> None:
    row = group["control"][20]
    row["seq_num"] += 1
    group["control"][20] = row


def forget_break(group: Any) -> None:
    group["breaks"].resize(0, 0)


def change_break(group: Any, **values: int) -> None:
    row = group["breaks"][0]
    for name, value in values.items():
        row[name] = value
    group["breaks"][0] = row


def invent_loss(group: Any) -> None:
    change_break(group, lost=4)


def change_cause(group: Any) -> None:
    """An outage has a length; the loss of blocks has none."""
    change_break(group, cause=zio.Break.OUTAGE)


def change_length(group: Any) -> None:
    change_break(group, length_ns=1)


def forget_pause(group: Any) -> None:
    count(group, "pauses", 1)


def change_rate(group: Any) -> None:
    count(group, "rate_num", 1)


def change_address(group: Any) -> None:
    row = group["control"][700]
    row["addr"]["chan"] = 9
    group["control"][700] = row


def change_time(group: Any) -> None:
    group["time"][5] += 1


def change_size(group: Any) -> None:
    row = group["control"][7]
    row["nsamples"] = 63
    group["control"][7] = row


def cut_data(group: Any) -> None:
    group["data"].resize(1400, 0)


def change_version(group: Any) -> None:
    row = group["control"][7]
    row["major_version"] = 2
    group["control"][7] = row


def count_bytes(group: Any) -> None:
    count(group, "bytes", 1)


CHANGES = [
    lengthen,
    swap_sequence,
    lose,
    forget_break,
    invent_loss,
    change_cause,
    change_length,
    forget_pause,
    change_rate,
    change_address,
    change_time,
    change_size,
    cut_data,
    change_version,
    count_bytes,
]


@pytest.fixture
def recorded(nexus: Any, tmp_path: Path) -> Path:
    make_file(tmp_path / "a.zio", KIND, NUMBERS)
    nexus("a.zio", "-o", "a.nxs", status=4)
    return tmp_path / "a.nxs"


@pytest.mark.parametrize("change", CHANGES)
def test_change(nexus: Any, recorded: Path, change: Callable[[Any], None]) -> None:
    with h5py.File(recorded, "r+") as file:
        change(file["entry"][KIND.name])
    assert "FAULT" in nexus("verify", recorded, status=1).stdout


def test_cues(nexus: Any, tmp_path: Path) -> None:
    content = b"".join(make_block(KIND, n, n % 5) for n in range(100))
    (tmp_path / "a.zio").write_bytes(content)
    nexus("a.zio", "-o", "a.nxs")
    with h5py.File(tmp_path / "a.nxs", "r+") as file:
        file["entry"][KIND.name]["cue_index"][50] += 1
    assert "cue_index" in nexus("verify", "a.nxs", status=1).stdout


@pytest.mark.parametrize("table", ["data", "control"])
def test_damaged_bytes(nexus: Any, recorded: Path, table: str) -> None:
    """A byte that has changed on the disk does not fit the checksum."""
    with h5py.File(recorded, "r") as file:
        dataset = file["entry"][KIND.name][table]
        place = dataset.id.get_chunk_info(0).byte_offset
    with open(recorded, "r+b") as raw:
        raw.seek(place + 1000)
        byte = raw.read(1)[0]
        raw.seek(place + 1000)
        raw.write(bytes([byte ^ 1]))
    assert "cannot read" in nexus("verify", recorded, status=1).stdout
    nexus("cat", recorded, "-o", "b.zio", status=1)


def test_cut_file(nexus: Any, recorded: Path) -> None:
    os.truncate(recorded, recorded.stat().st_size // 2)
    assert "repair" in nexus("verify", recorded, status=3).stderr


def test_json(nexus: Any, recorded: Path) -> None:
    report = json.loads(nexus("verify", "--json", recorded, status=4).stdout)
    counts = report["files"][0]["channels"][KIND.name]
    assert report["files"][0]["good"] and report["files"][0]["complete"]
    assert (counts["blocks"], counts["lost"], counts["gaps"]) == (1497, 3, 1)


def test_parts(nexus: Any, tmp_path: Path) -> None:
    """A loss at the seam of two files is found, and belongs to the second."""
    content = b"".join(make_block(KIND, n) for n in range(2048))
    content += make_block(KIND, 2055, 32, has_lost=True)
    content += b"".join(make_block(KIND, n, 32) for n in range(2056, 2200))
    nexus("-", "-o", "a.nxs", input=content, text=False, status=4)
    files = [tmp_path / "a.nxs", tmp_path / "a-0002.nxs"]
    found = json.loads(nexus("verify", "--json", *files, status=4).stdout)["files"]
    assert [file["channels"][KIND.name]["lost"] for file in found] == [0, 7]
    nexus("verify", files[0])
    nexus("verify", files[1], status=4)


def make_parts() -> tuple[bytes, int]:
    """Make blocks of two channels, with a loss before each. When the type of channel 1
    changes, a part begins. Channel 2 comes late. Return how many are lost, too."""
    content, numbers, total = b"", [0, 0], 0
    for part in range(5):
        kinds = Kind(chan=1, ssize=2 << part % 2), Kind(chan=2)
        for place in range(60):
            which = place % 2 if part else 0
            lost = 1 + place % 3 if numbers[which] else 0
            numbers[which] += 1 + lost
            total += lost
            content += make_block(kinds[which], numbers[which], has_lost=lost > 0)
    return content, total


def stored_losses(path: str) -> dict[str, list[int]]:
    """Return the block and the number of each loss."""
    with h5py.File(path) as file:
        names = {Kind(chan=1).name, Kind(chan=2).name} & file["entry"].keys()
        tables = {name: file["entry"][name]["breaks"][()] for name in names}
    return {
        name: table[table["lost"] > 0][["block", "lost"]].tolist()
        for name, table in tables.items()
    }


def test_each_part(record_stream: Any, capfd: pytest.CaptureFixture[str]) -> None:
    """Each part says the same of its channels, alone and behind those before it."""
    content, total = make_parts()
    status, files = record_stream(content)
    paths = [str(path) for path in files]
    tables = [stored_losses(path) for path in paths]
    assert status == 4 and len(paths) == 5
    assert all(
        table and not table[0][0] for file in tables[2:] for table in file.values()
    )
    wanted = [
        {name: sum(lost for _, lost in table) for name, table in file.items()}
        for file in tables
    ]
    assert sum(sum(file.values()) for file in wanted) == total
    for first, end in combinations(range(len(paths) + 1), 2):
        assert main(["verify", "--json", *reversed(paths[first:end])]) == 4
        files = json.loads(capfd.readouterr().out)["files"]
        assert all(file["good"] for file in files), (first, end)
        found = [
            {name: channel["lost"] for name, channel in file["channels"].items()}
            for file in files
        ]
        assert found == wanted[first:end]
    with h5py.File(paths[2], "r+") as file:
        group = file["entry"][Kind().name]
        change_break(group, lost=group["breaks"]["lost"][0] + 1)
        count(group, "lost", 1)
    assert main(["verify", paths[2]]) == 4
    assert main(["verify", *paths]) == 1


def make_sysfs(tmp_path: Path, blocks: int, lost: int) -> None:
    place = tmp_path / "sys/bus/zio/devices/fake-0007/cset0/chan1/statistics"
    place.mkdir(parents=True, exist_ok=True)
    (place / "blocks").write_text(f"{blocks}\n")
    (place / "lost_blocks").write_text(f"{lost}\n")


def test_live(nexus: Any, recorded: Path, tmp_path: Path) -> None:
    """The counts of the kernel since the beginning are those of the file."""
    assert "FAULT" in nexus("verify", "--live", recorded, status=1).stdout
    with h5py.File(recorded, "r+") as file:
        # They are -1, and become 10 and 5.
        count(file["entry"][KIND.name], "kernel_blocks_start", 11)
        count(file["entry"][KIND.name], "kernel_lost_start", 6)
    make_sysfs(tmp_path, 1507, 8)
    assert "they agree" in nexus("verify", "--live", recorded, status=4).stdout
    make_sysfs(tmp_path, 1507, 9)
    assert "they differ" in nexus("verify", "--live", recorded, status=1).stdout


def test_checksum_of_hdf5(recorded: Path) -> None:
    """The superblock that HDF5 has written has the checksum that repair calculates."""
    head = recorded.read_bytes()[:48]
    assert int.from_bytes(head[44:48], "little") == checksum(head[:44])
    assert not repair(str(recorded))


def test_numbers_of_all_blocks(recorded: Path) -> None:
    with h5py.File(recorded, "r") as file:
        assert np.array_equal(file["entry"][KIND.name]["control"]["seq_num"], NUMBERS)
