# SPDX-License-Identifier: GPL-2.0-only
"""A channel may change its scale, its valid bits or its channels in the middle."""

import csv
import json
import zipfile
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from .makeblocks import SIGNED, Kind, make_block, make_control, samples

ONE = (1, 0, 0, 1)
TEN = (10, 0, 0, 1)
AMPERES = (1, 0, 0, 2)
PLAIN = Kind(nsamples=4, scale=ONE)
SCALED = Kind(nsamples=4, scale=TEN)
OTHER_UNIT = Kind(nsamples=4, scale=AMPERES)
FEWER_BITS = Kind(nsamples=4, scale=ONE, nbits=12)
LOW, HIGH = Kind(nsamples=4, mask=0b0011), Kind(nsamples=4, mask=0b1100)


@pytest.fixture(params=["zio", "nxs"])
def convert(request: Any, nexus: Any, tmp_path: Path) -> Any:
    """Return a function that converts blocks of these kinds, as a block file or a
    recording; it returns the result of the program."""

    def run(kinds: list[Kind], *words: Any, **more: Any) -> Any:
        content = b"".join(make_block(kind, seq) for seq, kind in enumerate(kinds))
        (tmp_path / "a.zio").write_bytes(content)
        if request.param == "nxs":
            nexus("a.zio", "-o", "a.nxs", "--force")
        return nexus(f"a.{request.param}", *words, "--force", **more)

    return run


def raw(seq: int) -> list[int]:
    return np.frombuffer(samples(seq, 4, 2), "u2").tolist()


def read_csv(path: Path) -> list[dict[str, str]]:
    with open(path) as file:
        return list(csv.DictReader(file))


def test_scale(convert: Any, tmp_path: Path) -> None:
    """Each block has its own scale and unit, if the format can tell them."""
    kinds = [PLAIN, SCALED, OTHER_UNIT, PLAIN]
    wanted = [f * v for n, f in enumerate((1, 10, 1, 1)) for v in raw(n)]
    convert(kinds, "-u", "-o", "a.csv")
    rows = read_csv(tmp_path / "a.csv")
    assert [float(row["value"]) for row in rows] == wanted
    assert [row["unit"] for row in rows[::4]] == ["V", "V", "A", "V"]
    convert(kinds[:2], "-u", "-o", "a.npy")
    assert np.load(tmp_path / "a.npy").reshape(-1).tolist() == wanted[:8]
    convert(kinds[:2], "-u", "-o", "a.npz")
    assert np.load(tmp_path / "a.npz")[PLAIN.name].reshape(-1).tolist() == wanted[:8]


def test_valid_bits(convert: Any, tmp_path: Path) -> None:
    convert([PLAIN, FEWER_BITS], "-u", "-o", "a.csv")
    rows = read_csv(tmp_path / "a.csv")
    wanted = raw(0) + [value & 0xFFF for value in raw(1)]
    assert [float(row["value"]) for row in rows] == wanted


def test_sigrok_scale(convert: Any, tmp_path: Path) -> None:
    convert([PLAIN, SCALED], "-o", "a.sr", "--rate=9")
    with zipfile.ZipFile(tmp_path / "a.sr") as archive:
        found = np.frombuffer(archive.read("analog-1-1-1"), "<f4").tolist()
    assert found == raw(0) + [10 * value for value in raw(1)]


REFUSED = [
    ("wav", SCALED, "another scale"),
    ("wav", FEWER_BITS, "other valid bits"),
    ("wav", OTHER_UNIT, "another unit"),
    ("sr", OTHER_UNIT, "another unit"),
    ("npy", OTHER_UNIT, "another unit"),
    ("npz", OTHER_UNIT, "another unit"),
]


@pytest.mark.parametrize("suffix, kind, what", REFUSED)
def test_refused(
    convert: Any, tmp_path: Path, suffix: str, kind: Kind, what: str
) -> None:
    """A format that has one of each tells the block, and what has it all."""
    kinds = [PLAIN, PLAIN, PLAIN, kind]
    said = convert(kinds, "-u", "-o", f"b.{suffix}", status=1).stderr
    wanted = f"{PLAIN.name}: block 3 has {what} than those before: "
    assert wanted in said and "use HDF5" in said
    assert not list(tmp_path.glob("b.*"))


@pytest.mark.parametrize("suffix", ["csv", "wav", "sr", "npy", "npz"])
def test_channels(convert: Any, suffix: str) -> None:
    """As many channels, but others: no sample stands below the name of another."""
    said = convert([LOW, LOW, HIGH], "-o", f"b.{suffix}", status=1).stderr
    assert f"{LOW.name}: block 2 has" in said and "use HDF5" in said


def test_raw_numbers(convert: Any, tmp_path: Path) -> None:
    """Raw numbers stay what they are, and the program says that their scale changes."""
    for suffix in ("csv", "npy"):
        said = convert([PLAIN, SCALED, PLAIN], "-o", f"a.{suffix}").stderr
        text = f"{PLAIN.name}: block 1 has another scale than those before: use --units"
        assert said.count(text) == 1 and said.count("another") == 1
    wanted = raw(0) + raw(1) + raw(2)
    assert np.load(tmp_path / "a.npy").reshape(-1).tolist() == wanted


def test_blocks_without_samples(convert: Any) -> None:
    """A block that has no sample changes nothing."""
    kinds = [PLAIN, Kind(nsamples=0, ssize=4, scale=TEN, nbits=3), PLAIN]
    said = convert(kinds, "-o", "a.wav", "--rate=9").stderr
    assert "another" not in said


def test_an_empty_block_comes_first(convert: Any, tmp_path: Path) -> None:
    """The first sample decides the type of the array."""
    kinds = [Kind(nsamples=0, ssize=0), PLAIN, SCALED]
    for words in (), ("--units",):
        convert(kinds, "-o", "a.npy", *words)
        found = np.load(tmp_path / "a.npy").tolist()
        assert found == raw(1) + [value * (10 if words else 1) for value in raw(2)]


def test_sign_without_its_mask(nexus: Any, tmp_path: Path) -> None:
    """A value that std_mask does not name is none."""
    controls = [make_control(PLAIN, seq, 4) for seq in range(3)]
    for number, control in enumerate(controls):
        control["attr_channel"]["std_val"][SIGNED] = 1
        if number == 1:
            control["attr_channel"]["std_mask"] |= np.uint16(1 << SIGNED)
        else:
            control["attr_channel"]["std_mask"] &= ~np.uint16(1 << SIGNED)
    data = (65535).to_bytes(2, "little") * 4
    (tmp_path / "a.zio").write_bytes(b"".join(c.tobytes() + data for c in controls))
    nexus("a.zio", "-o", "a.csv")
    found = [row["raw"] for row in read_csv(tmp_path / "a.csv")]
    assert found == ["65535"] * 4 + ["-1"] * 4 + ["65535"] * 4


def test_scale_by_mask(nexus: Any, tmp_path: Path) -> None:
    """The attributes have the same values, and std_mask does not have them."""
    controls = [make_control(SCALED, seq, 4) for seq in range(2)]
    controls[1]["attr_channel"]["std_mask"] = 0
    blocks = [c.tobytes() + samples(n, 4, 2) for n, c in enumerate(controls)]
    (tmp_path / "b.zio").write_bytes(b"".join(blocks))
    nexus("b.zio", "-u", "-o", "b.csv")
    rows = read_csv(tmp_path / "b.csv")
    wanted = [10 * value for value in raw(0)] + raw(1)
    assert [float(row["value"]) for row in rows] == wanted


def test_recording(nexus: Any, tmp_path: Path) -> None:
    """HDF5 counts the changes, keeps each control, and the program says it once."""
    kinds = [PLAIN, PLAIN, SCALED, Kind(nsamples=0), SCALED, PLAIN]
    content = b"".join(make_block(kind, seq) for seq, kind in enumerate(kinds))
    (tmp_path / "a.zio").write_bytes(content)
    said = nexus("a.zio", "-o", "a.nxs", "--layout=flat").stderr
    assert said.count(f"{PLAIN.name}: block 2 has another scale") == 1
    with h5py.File(tmp_path / "a.nxs") as file:
        group = file["entry"][PLAIN.name]
        assert group["statistics/scaling_changes"][()] == 2
    assert "2 changes of the scale" in nexus("verify", "a.nxs").stdout
    report = json.loads(nexus("verify", "a.nxs", "--json").stdout)
    channel = report["files"][0]["channels"][PLAIN.name]
    assert channel["scaling_changes"] == 2


def test_parquet(convert: Any, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="no pyarrow here")
    convert([PLAIN, SCALED], "-u", "-o", "a.parquet")
    table = parquet.read_table(tmp_path / "a.parquet").to_pydict()
    assert table["data"] == [raw(0), [10 * value for value in raw(1)]]
    for kinds, words in (([PLAIN, OTHER_UNIT], ["-u"]), ([LOW, HIGH], [])):
        said = convert(kinds, *words, "-o", "b.parquet", status=1).stderr
        assert f"{PLAIN.name}: block 1 has " in said and "use HDF5" in said
