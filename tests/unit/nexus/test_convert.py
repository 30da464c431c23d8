# SPDX-License-Identifier: GPL-2.0-only
"""The other formats, opened by the programs that users have."""

import csv
import subprocess
import sys
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from .makeblocks import START, Kind, make_block, make_file, samples

VOLTS = (5, -1, -1_000_000, 1)


def all_samples(kind: Kind, count: int) -> bytes:
    return b"".join(samples(n, kind.nsamples, kind.ssize) for n in range(count))


def sox_samples(path: Path, size: int) -> bytes:
    """Return the samples as sox understands them, signed."""
    words = ["sox", "-D", path, "-t", "raw", "-e", "signed", "-b", str(8 * size), "-"]
    return subprocess.run(words, capture_output=True, check=True).stdout


@pytest.mark.parametrize("ssize", [1, 2, 3, 4])
@pytest.mark.parametrize("signed", [False, True])
def test_wav(nexus: Any, tmp_path: Path, ssize: int, signed: bool) -> None:
    kind = Kind(ssize=ssize, nsamples=8, signed=signed)
    make_file(tmp_path / "a.zio", kind, range(100))
    nexus("a.zio", "-o", "a.wav", "--rate=8000")
    with wave.open(str(tmp_path / "a.wav")) as sound:
        assert sound.getparams()[:4] == (1, ssize, 8000, 800)
    wanted = np.frombuffer(all_samples(kind, 100), np.uint8).reshape(-1, ssize).copy()
    if not signed:
        wanted[:, -1] ^= 0x80
    assert sox_samples(tmp_path / "a.wav", ssize) == wanted.tobytes()


def test_wav_of_interleaved_blocks(nexus: Any, tmp_path: Path) -> None:
    kind = Kind(mask=0b101, nsamples=8, signed=True)
    make_file(tmp_path / "a.zio", kind, range(10))
    nexus("a.zio", "-o", "a.wav")
    with wave.open(str(tmp_path / "a.wav")) as sound:
        assert sound.getnchannels() == 2 and sound.getnframes() == 40
        assert sound.getframerate() == 4000  # 4 of each channel in a millisecond


def test_wav_of_two_channels(nexus: Any, tmp_path: Path) -> None:
    """Each has its channel in its name, and the list of gaps beside it, too."""
    numbers = [n for n in range(20) if n != 4]
    content = b"".join(
        make_block(Kind(chan=n % 2), n // 2, has_lost=n == 6) for n in numbers
    )
    (tmp_path / "a.zio").write_bytes(content)
    nexus("a.zio", "-o", "a.wav", "--rate=16000", status=4)
    names = ["a-fake-0007-0-0.wav", "a-fake-0007-0-1.wav"]
    for name in names:
        with wave.open(str(tmp_path / name)) as sound:
            assert sound.getnframes() == 160
    assert sorted(path.name for path in tmp_path.glob("a-*")) == [
        names[0],
        f"{names[0]}.gaps.csv",
        names[1],
    ]
    assert not (tmp_path / "a.wav").exists()


def sigrok(path: Path, *words: str) -> str:
    """Return the output of sigrok-cli 0.7.2, whose status is 1 for all analog data."""
    command = ["sigrok-cli", "-i", str(path), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def test_sigrok_analog(nexus: Any, tmp_path: Path) -> None:
    """Two channels in volts."""
    kinds = [Kind(chan=n, nsamples=4, ssize=1, scale=VOLTS) for n in (1, 2)]
    content = b"".join(make_block(kind, n) for n in range(10) for kind in kinds)
    (tmp_path / "a.zio").write_bytes(content)
    nexus("a.zio", "-o", "a.sr")
    shown = sigrok(tmp_path / "a.sr", "--show")
    assert "4000" in shown and "fake-0007-0-1" in shown and "fake-0007-0-2" in shown
    lines = sigrok(tmp_path / "a.sr", "-O", "analog").splitlines()
    wanted = [0.5 * value - 1 for value in all_samples(kinds[0], 10)]
    for kind in kinds:
        head = f"{kind.name}: "
        texts = [line.removeprefix(head) for line in lines if line.startswith(head)]
        assert [float(text.split()[0]) for text in texts] == wanted


def test_sigrok_logic(nexus: Any, tmp_path: Path) -> None:
    kind = Kind(nsamples=4, ssize=1)
    make_file(tmp_path / "a.zio", kind, range(10))
    nexus("a.zio", "-o", "a.sr", "--logic")
    lines = sigrok(tmp_path / "a.sr", "-O", "csv:header=false").split()
    found = [line.split(",") for line in lines if set(line) <= {"0", "1", ","}]
    wanted = [[str(v >> bit & 1) for bit in range(8)] for v in all_samples(kind, 10)]
    assert found == wanted


def test_csv(nexus: Any, tmp_path: Path) -> None:
    kind = Kind(nsamples=3, ssize=2, signed=True)
    make_file(tmp_path / "a.zio", kind, [0, 1, 4])
    nexus("a.zio", "-o", "a.csv", status=4)
    with open(tmp_path / "a.csv") as file:
        rows = list(csv.DictReader(file))
    wanted = b"".join(samples(n, 3, 2) for n in (0, 1, 4))
    assert [int(row["raw"]) for row in rows] == np.frombuffer(wanted, "i2").tolist()
    assert [row["lost"] for row in rows] == ["0"] * 6 + ["2", "0", "0"]
    assert rows[3]["time_ns"] == str(START * 10**9 + 10**6)
    assert rows[8]["seq"] == "4" and rows[8]["sample"] == "2"


def test_csv_in_units(nexus: Any, tmp_path: Path) -> None:
    make_file(tmp_path / "a.zio", Kind(nsamples=2, ssize=1, scale=VOLTS), [1])
    nexus("a.zio", "-o", "a.csv", "--units")
    rows = (tmp_path / "a.csv").read_text().split()
    assert rows[0].endswith("sample,value,unit,missed,break")
    assert [row.split(",")[-4:-2] for row in rows[1:]] == [["14.5", "V"], ["15.0", "V"]]


def test_npy(nexus: Any, tmp_path: Path) -> None:
    kind = Kind(ssize=4, signed=True)
    make_file(tmp_path / "a.zio", kind, range(1500))
    nexus("a.zio", "-o", "a.npy")
    array = np.load(tmp_path / "a.npy")
    assert array.shape == (1500, 16) and array.dtype == np.int32
    assert array.tobytes() == all_samples(kind, 1500)


def test_npz(nexus: Any, tmp_path: Path) -> None:
    kinds = [Kind(chan=1), Kind(chan=2, nsamples=5)]
    content = b"".join(
        make_block(kind, n, has_lost=n == 3) for n in (0, 1, 3) for kind in kinds
    )
    content += make_block(kinds[1], 4, 2)
    (tmp_path / "a.zio").write_bytes(content)
    nexus("a.zio", "-o", "a.npz", status=4)
    arrays = np.load(tmp_path / "a.npz")
    assert arrays["fake-0007-0-1"].shape == (3, 16)
    assert arrays["fake-0007-0-2"].shape == (17,)
    assert arrays["fake-0007-0-2_nsamples"].tolist() == [5, 5, 5, 2]
    assert arrays["fake-0007-0-1_seq"].tolist() == [0, 1, 3]
    assert arrays["fake-0007-0-1_lost"].tolist() == [0, 0, 1]
    assert arrays["fake-0007-0-1_time_ns"][0] == START * 10**9


def test_parquet(nexus: Any, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="no pyarrow here")
    kind = Kind(nsamples=3)
    make_file(tmp_path / "a.zio", kind, [0, 1, 4])
    nexus("a.zio", "-o", "a.parquet", status=4)
    table = parquet.read_table(tmp_path / "a.parquet").to_pydict()
    assert table["seq"] == [0, 1, 4] and table["lost"] == [0, 0, 2]
    assert table["channel"] == [kind.name] * 3
    assert table["data"][2] == np.frombuffer(samples(4, 3, 2), "u2").tolist()


def test_parquet_without_pyarrow(nexus: Any, tmp_path: Path) -> None:
    """The message tells how to install it."""
    (tmp_path / "none").mkdir()
    (tmp_path / "none/pyarrow.py").write_text("raise ImportError")
    make_file(tmp_path / "a.zio", Kind(), range(3))
    path = {"PYTHONPATH": str(tmp_path / "none")}
    said = nexus("a.zio", "-o", "a.parquet", status=2, env=path).stderr
    assert "pip install" in said and "DIR/bin/python " in said


def test_from_hdf5(nexus: Any, tmp_path: Path) -> None:
    """A recording becomes what the block file itself becomes."""
    make_file(tmp_path / "a.zio", Kind(), [*range(20), *range(25, 40)])
    nexus("a.zio", "-o", "a.nxs", status=4)
    nexus("a.zio", "-o", "a.csv", status=4)
    nexus("a.nxs", "-o", "b.csv", status=4)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_start(tmp_path: Path) -> None:
    """A conversion does not wait for what it does not need."""
    make_file(tmp_path / "a.zio", Kind(), range(9))
    for suffix, wanted in ("csv", []), ("wav", []), ("nxs", ["h5py"]):
        words = [str(tmp_path / "a.zio"), "-q", "-o", str(tmp_path / f"a.{suffix}")]
        text = (
            f"import sys; sys.path[:0] = {sys.path[:2]!r};"
            "from zio_nexus.cli import main;"
            f"status = main({words!r}); print(*{{'asyncio', 'h5py'}} & {{*sys.modules}});"
            "sys.exit(status)"
        )
        command = [sys.executable, "-c", text]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.split() == wanted


def test_refusals(nexus: Any, tmp_path: Path) -> None:
    """A format that cannot hold the samples says so, and what can."""
    make_file(tmp_path / "a.zio", Kind(ssize=8), range(3))
    assert "use HDF5" in nexus("a.zio", "-o", "a.wav", "--rate=1", status=1).stderr
    make_file(tmp_path / "b.zio", Kind(ssize=3), range(3))
    assert "use HDF5" in nexus("b.zio", "-o", "b.sr", status=1).stderr
    make_file(tmp_path / "c.zio", Kind(), [0])
    assert "--rate" in nexus("c.zio", "-o", "c.wav", status=1).stderr
