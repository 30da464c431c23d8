# SPDX-License-Identifier: GPL-2.0-only
"""Block files become HDF5 files, and come back byte for byte."""

import json
import random
import subprocess
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from zio_nexus.cli import main

from .makeblocks import (
    START,
    SWAPPED,
    Kind,
    make_block,
    make_control,
    make_file,
    samples,
)

WITH_LOSSES = [*range(100, 150), *range(153, 200), *range(210, 1300)]


def open_nexus(path: Path) -> Any:
    return h5py.File(path, "r")


def statistics(file: Any, channel: str) -> Any:
    """Return the counts of a channel."""
    table = file["entry/statistics"][()]
    row = table[file["entry"][channel].attrs["statistics_row"]]
    assert row["channel"] == channel.encode()
    return row


def causes(group: Any) -> list[str]:
    """Return the causes of the breaks of a channel, in words."""
    table = group["breaks"]
    names = table.attrs["causes"].split(", ")
    return [
        ", ".join(name for bit, name in enumerate(names) if row["cause"] >> bit & 1)
        for row in table[()]
    ]


def round_trip(nexus: Any, tmp_path: Path, content: bytes, *words: Any) -> Any:
    """Record @content and get it back; return the open HDF5 file."""
    (tmp_path / "a.zio").write_bytes(content)
    nexus("a.zio", "-o", "a.nxs", *words)
    nexus("verify", "a.nxs")
    nexus("cat", "a.nxs", "-o", "b.zio")
    assert (tmp_path / "b.zio").read_bytes() == content
    return open_nexus(tmp_path / "a.nxs")


def test_rows(nexus: Any, tmp_path: Path) -> None:
    kind = Kind()
    make_file(tmp_path / "a.zio", kind, WITH_LOSSES)
    nexus("a.zio", "-o", "a.nxs", status=4)
    with open_nexus(tmp_path / "a.nxs") as file:
        group = file["entry"][kind.name]
        assert group.attrs["NX_class"] == "NXdata"
        wanted = [np.frombuffer(samples(n, 16, 2), "u2") for n in WITH_LOSSES]
        assert np.array_equal(group["data"][()], wanted)
        assert np.array_equal(group["control"]["seq_num"], WITH_LOSSES)
        times = [START * 10**9 + n * 10**6 for n in WITH_LOSSES]
        assert group["time"][()].tolist() == times
        assert group["time"].attrs["units"] == "ns"
        assert group["time"].attrs["start"] == "1970-01-01T00:00:00Z"
        breaks = group["breaks"][()][["block", "lost", "first_seq", "time"]].tolist()
        assert breaks == [(50, 3, 150, times[50]), (97, 10, 200, times[97])]
        assert set(causes(group)) == {"lost"}
        counts = statistics(file, kind.name)
        assert (counts["blocks"], counts["lost"], counts["gaps"]) == (1187, 13, 2)
        assert (counts["first_seq"], counts["last_seq"]) == (100, 1299)
        assert file["entry/recording/complete"][()] == 1
    nexus("verify", "a.nxs", status=4)
    nexus("cat", "a.nxs", "-o", "b.zio")
    assert (tmp_path / "b.zio").read_bytes() == (tmp_path / "a.zio").read_bytes()


def test_plottable_by_default(nexus: Any, tmp_path: Path) -> None:
    """Each chain of "default" ends at an NXdata with a signal, and axes that exist."""
    for kind in (Kind(), Kind(nsamples=1)):
        make_file(tmp_path / "a.zio", kind, range(10))
        nexus("a.zio", "-o", "a.nxs", "--force")
        with open_nexus(tmp_path / "a.nxs") as file:
            place = file
            classes = []
            while "default" in place.attrs:
                place = place[place.attrs["default"]]
                classes.append(place.attrs["NX_class"])
            assert classes[0] == "NXentry" and classes[-1] == "NXdata"
            signal = place[place.attrs["signal"]]
            axes = list(place.attrs["axes"])
            assert len(axes) == signal.ndim
            assert axes[0] == "time" and len(place["time"]) == len(signal) == 10
            assert place.attrs["time_indices"] == 0
            if signal.ndim > 1:
                assert (
                    axes[1] == "sample_time" and place.attrs["sample_time_indices"] == 1
                )
                assert len(place["sample_time"]) == signal.shape[1]


def test_opened_by_h5dump(nexus: Any, tmp_path: Path) -> None:
    kind = Kind(ssize=1, nsamples=3)
    make_file(tmp_path / "a.zio", kind, range(2))
    nexus("a.zio", "-o", "a.nxs")
    words = ["h5dump", "-d", f"/entry/{kind.name}/data", "-y", "-w", "0", "a.nxs"]
    dump = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "H5T_STD_U8LE" in dump.stdout
    text = " ".join(dump.stdout.split())
    assert "DATA { 0, 1, 2, 31, 32, 33 }" in text


def test_series(nexus: Any, tmp_path: Path) -> None:
    kind = Kind(nsamples=1, ssize=4)
    content = b"".join(make_block(kind, n) for n in range(2500))
    with round_trip(nexus, tmp_path, content) as file:
        group = file["entry"][kind.name]
        assert group.attrs["NX_class"] == "NXlog"
        assert group["value"].shape == group["time"].shape == (2500,)
        assert group["value"][7] == int.from_bytes(samples(7, 1, 4), "little")
        index, cues = group["cue_index"][()], group["cue_timestamp_zero"][()]
        assert index[0] == 0 and len(index) > 1
        assert np.array_equal(group["time"][()][index], cues)


def test_varying_length(nexus: Any, tmp_path: Path) -> None:
    kind = Kind(ssize=4)
    lengths = [n % 7 for n in range(3000)]
    content = b"".join(make_block(kind, n, count) for n, count in enumerate(lengths))
    with round_trip(nexus, tmp_path, content) as file:
        group = file["entry"][kind.name]
        assert group.attrs["NX_class"] == "NXlog"
        begins = np.cumsum(lengths) - lengths
        assert np.array_equal(group["cue_index"][()], begins)
        assert len(group["cue_timestamp_zero"]) == 3000
        last = group["value"][begins[2998] : begins[2999]]
        assert last.tobytes() == samples(2998, 2998 % 7, 4)


def test_time_of_each_sample(nexus: Any, tmp_path: Path) -> None:
    kind = Kind(ssize=2)
    content = make_block(kind, 0, 3) + make_block(kind, 1, 2)
    with round_trip(nexus, tmp_path, content, "--rate=1e6") as file:
        time = file["entry"][kind.name]["time"][()] - START * 10**9
        assert time.tolist() == [0, 1000, 2000, 1_000_000, 1_001_000]


@pytest.mark.parametrize("ssize", [1, 2, 3, 4, 5, 8, 16])
@pytest.mark.parametrize("signed", [False, True])
def test_sizes(nexus: Any, tmp_path: Path, ssize: int, signed: bool) -> None:
    kind = Kind(ssize=ssize, signed=signed)
    content = b"".join(make_block(kind, n) for n in range(50))
    with round_trip(nexus, tmp_path, content) as file:
        data = file["entry"][kind.name]["data"]
        is_number = ssize in (1, 2, 4, 8)
        assert data.dtype.kind == ("V" if not is_number else "i" if signed else "u")
        assert data[3].tobytes() == samples(3, 16, ssize)


def test_blocks_without_samples(nexus: Any, tmp_path: Path) -> None:
    kind = Kind(nsamples=0, ssize=0)
    content = b"".join(make_block(kind, n) for n in range(20))
    with round_trip(nexus, tmp_path, content) as file:
        assert len(file["entry"][kind.name]["control"]) == 20


def test_channels_in_turn(nexus: Any, tmp_path: Path) -> None:
    """Blocks of three channels of different types, mixed, keep their order."""
    kinds = [Kind(chan=1), Kind(chan=2, ssize=4, nsamples=5), Kind(chan=3, nsamples=1)]
    turns = [kinds[(n * n + n // 5) % 3] for n in range(3000)]
    seen = {kind.chan: 0 for kind in kinds}
    content = b""
    for kind in turns:
        content += make_block(kind, seen[kind.chan])
        seen[kind.chan] += 1
    with round_trip(nexus, tmp_path, content) as file:
        for kind in kinds:
            assert len(file["entry"][kind.name]["control"]) == seen[kind.chan]


def test_one_channel_after_the_other(summary: Any, tmp_path: Path) -> None:
    """A file on disk is surveyed, so the second channel needs no second file."""
    content = b"".join(make_block(Kind(chan=n // 1500), n) for n in range(3000))
    (tmp_path / "a.zio").write_bytes(content)
    assert len(summary("a.zio", "-o", "a.nxs")["files"]) == 1


def test_standard_input(summary: Any, nexus: Any, tmp_path: Path) -> None:
    """A channel that comes late, or blocks of another length, begin another file."""
    late = [make_block(Kind(chan=n // 2500), n % 2500) for n in range(5000)]
    late += [make_block(Kind(chan=1), n, 7) for n in range(2500, 2600)]
    report = summary("-", "-o", "a.nxs", input=b"".join(late), text=False, status=4)
    assert [Path(name).name for name in report["files"]] == [
        "a.nxs",
        "a-0002.nxs",
        "a-0003.nxs",
    ]
    assert (report["blocks"], report["lost"]) == (5100, 0)
    # The shorter blocks come as rarely as the others: there are pauses between them.
    found = json.loads(nexus("verify", "--json", *report["files"], status=4).stdout)
    assert found["all"]["account"] == report["account"]
    assert found["all"]["pauses"] == report["pauses"] > 0 == report["gaps"]
    nexus("cat", *report["files"], "-o", "b.zio")
    assert (tmp_path / "b.zio").read_bytes() == b"".join(late)


def part_kinds(cause: str, part: int) -> list[Kind]:
    """Return the channels of a part. The first one leads to another file."""
    if cause == "a new channel":
        return [Kind(chan=chan) for chan in range(3 + part, 0, -1)]
    kinds = [Kind(chan=1), Kind(chan=2, ssize=4), Kind(chan=3, nsamples=1)]
    if cause == "another type":
        kinds[0].ssize = 2 << part % 2
    else:
        kinds[0].nsamples = 16 + part % 2
    return kinds


# What leads to another file, and how often
CAUSES = {"another type": 5, "another length": 2, "a new channel": 4}


@pytest.mark.parametrize("cause", CAUSES)
def test_files_in_order(record_stream: Any, tmp_path: Path, cause: str) -> None:
    """A block that waits when a file ends does not go to a later one, if the file has
    its channel. No block is lost, and all come back in their order."""
    content, parts, chance = b"", {}, random.Random(1)
    for part in range(CAUSES[cause]):
        first, *others = part_kinds(cause, part)
        for _ in range(100):
            # Others wait long for the number of blocks with which they are written.
            kind = first if chance.random() < 0.8 else chance.choice(others)
            content += make_block(kind, len(parts))
            parts[kind.name, len(parts)] = part
    _, files = record_stream(content)
    assert len(files) == CAUSES[cause]
    seen = []
    for number, path in enumerate(files):
        with open_nexus(path) as file:
            for name in {name for name, _ in parts} & file["entry"].keys():
                numbers = file["entry"][name]["control"]["seq_num"].tolist()
                seen += [(name, seq) for seq in numbers]
                if cause != "another length" or name != Kind().name:
                    assert all(parts[name, seq] >= number for seq in numbers)
    assert len(seen) == len(parts) and set(seen) == set(parts)
    assert main(["cat", *map(str, files), "-o", str(tmp_path / "b.zio")]) == 0
    assert (tmp_path / "b.zio").read_bytes() == content


def test_interleaved(nexus: Any, tmp_path: Path) -> None:
    """A reader finds the values of each channel by the mask."""
    kind = Kind(mask=0b1011, nsamples=12)
    scans = np.array([0, 1000, 3000], "u2") + np.arange(80, dtype="u2")[:, None]
    blocks = zip(range(20), np.split(scans, 20))
    content = b"".join(
        make_control(kind, n, 12).tobytes() + data.tobytes() for n, data in blocks
    )
    with round_trip(nexus, tmp_path, content) as file:
        group = file["entry"][kind.name]
        mask = int(group.attrs["channel_mask"])
        channels = [n for n in range(64) if mask >> n & 1]
        assert channels == [0, 1, 3]
        columns = group["data"][()].reshape(-1, 3).T.tolist()
        assert columns == [[1000 * n + k for k in range(80)] for n in channels]


def test_units(nexus: Any, tmp_path: Path) -> None:
    kind = Kind(signed=True, scale=(25, -4, -5_000_000, 1))
    content = b"".join(make_block(kind, n) for n in range(10))
    with round_trip(nexus, tmp_path, content) as file:
        data = file["entry"][kind.name]["data"]
        assert data.attrs["units"] == "V"
        assert data.attrs["scaling_factor"] == pytest.approx(25e-4)
        assert data.attrs["offset"] == pytest.approx(-5.0)


def test_other_byte_order(nexus: Any, tmp_path: Path) -> None:
    make_file(tmp_path / "a.zio", Kind(flags=SWAPPED), range(3))
    nexus("a.zio", "-o", "a.nxs", status=1)


def test_sequence_that_wraps(summary: Any, tmp_path: Path) -> None:
    make_file(tmp_path / "a.zio", Kind(), [2**32 - 2, 2**32 - 1, 0, 2, 3, 0, 1])
    assert summary("a.zio", "-o", "a.nxs", status=4)["lost"] == 1


@pytest.mark.parametrize("words", [["--compress=gzip", "--shuffle"], ["--compress=lzf"]])
def test_compression(nexus: Any, tmp_path: Path, words: list[str]) -> None:
    kind = Kind(nsamples=512)
    content = b"".join(make_block(kind, n) for n in range(1000))
    with round_trip(nexus, tmp_path, content, *words):
        pass
    assert (tmp_path / "a.nxs").stat().st_size < len(content) / 4


def test_rotation_by_size(summary: Any, nexus: Any, tmp_path: Path) -> None:
    make_file(tmp_path / "a.zio", Kind(nsamples=512), WITH_LOSSES * 4)
    report = summary("a.zio", "-o", "a.nxs", "--rotate-size=2M", status=4)
    assert len(report["files"]) > 1 and report["files"][0] == "a-0001.nxs"
    assert report["lost"] == 13 * 4
    nexus("verify", *report["files"], status=4)
    nexus("cat", *report["files"], "-o", "b.zio")
    assert (tmp_path / "b.zio").read_bytes() == (tmp_path / "a.zio").read_bytes()


def test_count(summary: Any, nexus: Any, tmp_path: Path) -> None:
    make_file(tmp_path / "a.zio", Kind(), range(3000))
    assert summary("a.zio", "-o", "a.nxs", "-n", 1500)["blocks"] == 1500
    nexus("verify", "a.nxs")


@pytest.mark.parametrize("name", ["a.zio", "link.zio", "hard.csv"])
def test_the_source_is_never_the_target(nexus: Any, tmp_path: Path, name: str) -> None:
    make_file(tmp_path / "a.zio", Kind(), range(3))
    before = (tmp_path / "a.zio").read_bytes()
    (tmp_path / "link.zio").symlink_to("a.zio")
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "a.zio")
    said = nexus("-f", "--to=csv", "a.zio", "-o", name, status=3).stderr
    assert f"{name}: is also the source: use another name" in said
    nexus("a.zio", "-o", "a.nxs")
    said = nexus("cat", "a.nxs", "-o", "a.nxs", "-f", status=3).stderr
    assert "a.nxs: is also the source: use another name" in said
    assert (tmp_path / "a.zio").read_bytes() == before
    nexus("verify", "a.nxs")


def test_overwrite(nexus: Any, tmp_path: Path) -> None:
    make_file(tmp_path / "a.zio", Kind(), range(3))
    (tmp_path / "a.nxs").write_text("precious")
    said = nexus("a.zio", "-o", "a.nxs", status=3).stderr
    assert "a.nxs: exists: use --force" in said
    assert (tmp_path / "a.nxs").read_text() == "precious"
    nexus("a.zio", "-o", "a.nxs", "--force")
    nexus("verify", "a.nxs")


def test_damaged_source(nexus: Any, tmp_path: Path) -> None:
    """All blocks before the damage are recorded."""
    content = b"".join(make_block(Kind(), n) for n in range(1500))
    (tmp_path / "a.zio").write_bytes(content[:-5])
    said = nexus("a.zio", "-o", "a.nxs", status=1).stderr
    assert "a.zio" in said
    nexus("cat", "a.nxs", "-o", "b.zio")
    assert (tmp_path / "b.zio").read_bytes() == content[: -(512 + 32)]


def test_several_sources(summary: Any, nexus: Any, tmp_path: Path) -> None:
    for chan in (1, 2, 3):
        make_file(tmp_path / f"{chan}.zio", Kind(chan=chan), range(chan * 1000))
    report = summary("1.zio", "2.zio", "3.zio", "-o", "a.nxs")
    assert report["blocks"] == 6000
    assert report["channels"]["fake-0007-0-3"]["blocks"] == 3000
    nexus("verify", "a.nxs")


def test_usage(nexus: Any, tmp_path: Path) -> None:
    make_file(tmp_path / "a.zio", Kind(), range(3))
    nexus("a.zio", status=2)
    nexus("a.zio", "-o", "a.unknown", status=2)
    nexus("a.zio", "-o", "a.nxs", "--nonsense", status=2)
    nexus("a.zio", "-o", "a.nxs", "--count=-1", status=2)
    for rate in ("nan", "inf", "0", "-1"):
        nexus("a.zio", "-o", "a.wav", f"--rate={rate}", status=2)
    nexus("a.zio", "-o", "no/a.nxs", status=3)
    nexus("missing", "-o", "a.nxs", status=3)
    nexus("verify", "a.zio", status=3)
    assert not (tmp_path / "a.nxs").exists()
