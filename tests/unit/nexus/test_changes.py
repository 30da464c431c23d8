# SPDX-License-Identifier: GPL-2.0-only
"""A channel may change its scale, its valid bits or its channels in the middle."""

import csv
import wave
import zipfile
from pathlib import Path
from typing import Any

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


CHANGED = 4


@pytest.fixture
def convert(nexus: Any, tmp_path: Path) -> Any:
    """Return a function that converts blocks of these kinds; it returns the result of the
    program."""

    def run(kinds: list[Kind], *words: Any, status: int = CHANGED) -> Any:
        content = b"".join(make_block(kind, seq) for seq, kind in enumerate(kinds))
        (tmp_path / "a.zio").write_bytes(content)
        return nexus("a.zio", *words, "--force", status=status)

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
    assert [row["break"] for row in rows[::4]] == ["", "change", "change", "change"]
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
    """Each session has values, and so another scale would do; its bits would not."""
    convert([PLAIN, SCALED], "-o", "a.sr", "--rate=4000")
    found = []
    for name in "a.sr", "a-0002.sr":
        with zipfile.ZipFile(tmp_path / name) as archive:
            found.append(np.frombuffer(archive.read("analog-1-1-1"), "<f4").tolist())
    assert found == [raw(0), [10 * value for value in raw(1)]]


def wav_of(path: Path) -> list[int]:
    with wave.open(str(path)) as sound:
        return np.frombuffer(sound.readframes(sound.getnframes()), "i2").tolist()


OTHERS = [
    ("wav", SCALED, "scale"),
    ("wav", FEWER_BITS, "bits"),
    ("wav", OTHER_UNIT, "unit"),
    ("sr", OTHER_UNIT, "unit"),
    ("npy", OTHER_UNIT, "unit"),
]


@pytest.mark.parametrize("suffix, kind, what", OTHERS)
def test_another_file(
    convert: Any, tmp_path: Path, suffix: str, kind: Kind, what: str
) -> None:
    """Where a format has one of each, another file begins, and the program says why."""
    kinds = [PLAIN, PLAIN, PLAIN, kind]
    said = convert(kinds, "-u", "-o", f"b.{suffix}", "--rate=4000").stderr
    text = f"{PLAIN.name}: block 3: change ({what}): goes on in b-0002.{suffix}"
    assert text in said and f"1 change ({what})" in said
    found = {path.name for path in tmp_path.glob("b*")}
    assert found == {
        f"b{n}.{suffix}{g}" for n, g in (("", ""), ("-0002", ""), ("-0002", ".gaps.csv"))
    }
    if suffix == "wav":
        assert len(wav_of(tmp_path / "b.wav")) == 12
        assert len(wav_of(tmp_path / "b-0002.wav")) == 4


def test_other_arrays(convert: Any, tmp_path: Path) -> None:
    """An archive has another array in place of another file."""
    said = convert([PLAIN, OTHER_UNIT], "-o", "b.npz").stderr
    assert f"goes on in b.npz, as {PLAIN.name}-0002" in said
    with np.load(tmp_path / "b.npz") as arrays:
        assert arrays[PLAIN.name].tolist() == [raw(0)]
        assert arrays[f"{PLAIN.name}-0002"].tolist() == [raw(1)]
        assert str(arrays[f"{PLAIN.name}-0002_unit"]) == "A"


@pytest.mark.parametrize("suffix", ["csv", "wav", "sr", "npy"])
def test_channels(convert: Any, tmp_path: Path, suffix: str) -> None:
    """As many channels, but others: no sample stands below the name of another."""
    convert([LOW, LOW, HIGH], "-o", f"b.{suffix}", "--rate=2000")
    assert (tmp_path / f"b-0002.{suffix}").exists()
    if suffix == "csv":
        assert list(read_csv(tmp_path / "b.csv")[0])[-4:-2] == ["chan0", "chan1"]
        assert list(read_csv(tmp_path / "b-0002.csv")[0])[-4:-2] == ["chan2", "chan3"]


def test_raw_numbers(convert: Any, tmp_path: Path) -> None:
    """Raw numbers have no unit beside them: another scale begins another file."""
    for suffix in ("csv", "npy"):
        convert([PLAIN, SCALED, PLAIN], "-o", f"a.{suffix}")
    found = [
        np.load(tmp_path / f"a{number}.npy").reshape(-1).tolist()
        for number in ("", "-0002", "-0003")
    ]
    assert found == [raw(0), raw(1), raw(2)]
    assert [int(row["raw"]) for row in read_csv(tmp_path / "a-0002.csv")] == raw(1)


def test_refuse(convert: Any, tmp_path: Path) -> None:
    said = convert(
        [PLAIN, SCALED], "-o", "b.wav", "--rate=4000", "--gaps=refuse", status=1
    ).stderr
    assert f"{PLAIN.name}: block 1: change: refused by --gaps" in said
    assert not list(tmp_path.glob("b*"))


def test_blocks_without_samples(convert: Any) -> None:
    """A block that has no sample changes nothing."""
    kinds = [PLAIN, Kind(nsamples=0, ssize=4, scale=TEN, nbits=3), PLAIN]
    said = convert(kinds, "-o", "a.wav", "--rate=4000").stderr
    assert "change" not in said and "1 pause of 1 ms" in said


def test_an_empty_block_comes_first(convert: Any, tmp_path: Path) -> None:
    """The first sample decides the type of the array."""
    kinds = [Kind(nsamples=0, ssize=0), PLAIN, PLAIN]
    for words in (), ("--units",):
        convert(kinds, "-o", "a.npy", *words, status=0)
        found = np.load(tmp_path / "a.npy").reshape(-1).tolist()
        assert found == raw(1) + raw(2)


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
    nexus("a.zio", "-o", "a.csv", status=CHANGED)
    names = ("a.csv", "a-0002.csv", "a-0003.csv")
    found = [row["raw"] for name in names for row in read_csv(tmp_path / name)]
    assert found == ["65535"] * 4 + ["-1"] * 4 + ["65535"] * 4


def test_scale_by_mask(nexus: Any, tmp_path: Path) -> None:
    """The attributes have the same values, and std_mask does not have them."""
    controls = [make_control(SCALED, seq, 4) for seq in range(2)]
    controls[1]["attr_channel"]["std_mask"] = 0
    blocks = [c.tobytes() + samples(n, 4, 2) for n, c in enumerate(controls)]
    (tmp_path / "b.zio").write_bytes(b"".join(blocks))
    nexus("b.zio", "-u", "-o", "b.csv", status=CHANGED)
    rows = read_csv(tmp_path / "b.csv")
    wanted = [10 * value for value in raw(0)] + raw(1)
    assert [float(row["value"]) for row in rows] == wanted


def test_parquet(convert: Any, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="no pyarrow here")
    convert([PLAIN, SCALED], "-u", "-o", "a.parquet")
    table = parquet.read_table(tmp_path / "a.parquet").to_pydict()
    assert table["data"] == [raw(0), [10 * value for value in raw(1)]]
    convert([PLAIN, OTHER_UNIT], "-u", "-o", "b.parquet")
    assert parquet.read_table(tmp_path / "b.parquet").to_pydict()["unit"] == ["V", "A"]
    convert([LOW, HIGH], "-o", "c.parquet")
    assert (tmp_path / "c-0002.parquet").exists()
