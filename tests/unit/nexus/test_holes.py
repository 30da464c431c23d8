# SPDX-License-Identifier: GPL-2.0-only
"""Holes that are hard to tell: at blocks without samples, in several channels, between
events, of a part of a sample."""

import csv
import json
import wave
import zipfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from zio_nexus.cli import main

from .stories import Tape

LOST = 4
FORMATS = ("wav", "sr", "npy")


def gaps_of(path: Path) -> list[dict[str, str]]:
    with open(f"{path}.gaps.csv") as file:
        return list(csv.DictReader(file))


def wav_of(path: Path) -> list[int]:
    with wave.open(str(path)) as sound:
        return np.frombuffer(sound.readframes(sound.getnframes()), "<i2").tolist()


def check_loss(nexus: Any, path: Path, suffix: str, tape: Tape) -> None:
    """Check that two blocks of 16 samples are missing after the first 14 blocks."""
    (path / "a.zio").write_bytes(tape.content)
    nexus("a.zio", "-o", f"a.{suffix}", status=LOST)
    (gap,) = gaps_of(path / f"a.{suffix}")
    found = [gap[name] for name in ("sample", "samples", "cause", "first_seq", "lost")]
    assert found == ["224", "32", "lost", "14", "2"]


@pytest.mark.parametrize("suffix", FORMATS)
def test_loss_at_an_empty_block(nexus: Any, tmp_path: Path, suffix: str) -> None:
    """What is missing before it is missing before the next sample."""
    tape = Tape().blocks(14).skip(32).block(0, lost=2).blocks(4)
    check_loss(nexus, tmp_path, suffix, tape)


@pytest.mark.parametrize("suffix", FORMATS)
def test_loss_without_a_time(nexus: Any, tmp_path: Path, suffix: str) -> None:
    """The block that tells of the loss has no time, but the next one has."""
    tape = Tape().blocks(14).skip(32)
    tape.has_time = False
    tape.block(0, lost=2)
    tape.has_time = True
    tape.blocks(4)
    check_loss(nexus, tmp_path, suffix, tape)


@pytest.mark.parametrize("suffix", FORMATS)
def test_outage_at_an_empty_block(nexus: Any, tmp_path: Path, suffix: str) -> None:
    tape = Tape().blocks(14).skip(5000).restart().block(0).blocks(10)
    (tmp_path / "a.zio").write_bytes(tape.content)
    nexus("a.zio", "-o", f"a.{suffix}", status=LOST)
    (gap,) = gaps_of(tmp_path / f"a-0002.{suffix}")
    assert (gap["cause"], gap["sample"], gap["samples"]) == ("outage", "0", "0")


def test_batch_of_several_types(nexus: Any, tmp_path: Path) -> None:
    """The rate is known at the end of a batch: all of its blocks are placed by it."""
    tape = Tape(has_rate=False).blocks(20)
    tape.kind.ssize = 4
    tape.blocks(30).skip(48).block(lost=3).blocks(30)
    result = nexus("-", "-o", "a.wav", input=tape.content, text=False, status=LOST)
    said = result.stderr.decode()
    assert "3 blocks lost in 1 gap, 1 change (bits, sample size)" in said
    (gap,) = (gap for gap in gaps_of(tmp_path / "a-0002.wav") if gap["lost"] != "0")
    assert gap["samples"] == "48"


def test_several_rates(nexus: Any, tmp_path: Path) -> None:
    tape = Tape(has_rate=False).blocks(40)
    tape.rate = Fraction(2000)
    (tmp_path / "a.zio").write_bytes(tape.blocks(60).content)
    said = nexus("a.zio", "-o", "a.wav", status=1).stderr
    assert "the times suggest 1000 to 2000 samples per second" in said
    assert "use --rate" in said


def test_parts_of_a_sample(nexus: Any, tmp_path: Path) -> None:
    """What each gap is too short adds up, and is filled."""
    tape = Tape().blocks(14)
    for _ in range(50):
        tape.skip(Fraction(104, 10)).blocks(2)
    (tmp_path / "a.zio").write_bytes(tape.content)
    nexus("a.zio", "-o", "a.wav", status=LOST)
    assert len(wav_of(tmp_path / "a.wav")) == 16 * 114 + 520


def test_events_that_are_filled(nexus: Any, tmp_path: Path) -> None:
    """The list has each silence, and only that."""
    tape = Tape()
    for _ in range(12):
        tape.block().skip(100)
    (tmp_path / "a.zio").write_bytes(tape.content)
    said = nexus("a.zio", "-o", "a.wav", status=1).stderr
    assert "has an event of its own" in said and "--gaps=split" in said
    nexus("a.zio", "-o", "a.wav", "--gaps=fill")
    gaps = gaps_of(tmp_path / "a.wav")
    assert {gap["cause"] for gap in gaps} == {"event"} and len(gaps) == 11
    values = wav_of(tmp_path / "a.wav")
    for gap in gaps:
        begin, count = int(gap["sample"]), int(gap["samples"])
        values[begin : begin + count] = [-1] * count
    assert [value for value in values if value >= 0] == [*range(12 * 16)]
    nexus("a.zio", "-o", "b.wav", "--gaps=split")
    assert wav_of(tmp_path / "b-0012.wav") == [*range(11 * 16, 12 * 16)]
    nexus("a.zio", "-o", "a.npy")
    assert np.load(tmp_path / "a.npy").shape == (12, 16)


BREAKS = {
    "outage": lambda tape: tape.skip(10).restart(),
    "step": lambda tape: tape.skip(-100),
    "pause": lambda tape: tape.skip(100),
}


@pytest.mark.parametrize("cause", BREAKS)
@pytest.mark.parametrize("suffix", FORMATS)
def test_refuse(nexus: Any, tmp_path: Path, suffix: str, cause: str) -> None:
    tape = BREAKS[cause](Tape().blocks(14)).blocks(4)
    (tmp_path / "a.zio").write_bytes(tape.content)
    said = nexus("a.zio", "-o", f"a.{suffix}", "--gaps=refuse", status=1).stderr
    assert f"{cause}: refused by --gaps" in said
    assert [path.name for path in tmp_path.iterdir()] == ["a.zio"]


@pytest.mark.parametrize("suffix", FORMATS)
def test_refuse_a_loss(nexus: Any, tmp_path: Path, suffix: str) -> None:
    tape = Tape().blocks(14).skip(32).block(lost=2).blocks(4)
    (tmp_path / "a.zio").write_bytes(tape.content)
    nexus("a.zio", "-o", f"a.{suffix}", "--gaps=refuse", status=1)
    nexus("a.zio", "-o", f"a.{suffix}", "--max-fill=0.01", status=LOST)
    assert (tmp_path / f"a-0002.{suffix}").exists()


@pytest.mark.parametrize("suffix", FORMATS)
def test_pause_at_the_begin(nexus: Any, tmp_path: Path, suffix: str) -> None:
    """It is one of a stream, although its first blocks do not tell that."""
    tape = Tape().block().skip(100).blocks(20)
    (tmp_path / "a.zio").write_bytes(tape.content)
    nexus("a.zio", "-o", f"a.{suffix}", status=LOST)
    (gap,) = gaps_of(tmp_path / f"a.{suffix}")
    assert (gap["cause"], gap["samples"]) == ("pause", "100")


def late_stamp(late: int, back: int) -> Tape:
    """Return blocks with one time that is late, and with the next one that is back."""
    tape = Tape().blocks(14)
    tape.error = 0
    return tape.blocks(10).skip(late).block().skip(-back)


@pytest.mark.parametrize(("late", "back"), [(6, 6), (12, 12), (12, 6)])
@pytest.mark.parametrize("suffix", FORMATS)
def test_late_stamp(
    nexus: Any, tmp_path: Path, suffix: str, late: int, back: int
) -> None:
    """It is no hole: the samples follow each other, but for what does not come back."""
    tape = late_stamp(late, back).blocks(20)
    (tmp_path / "a.zio").write_bytes(tape.content)
    nexus("a.zio", "-o", f"a.{suffix}", status=LOST)
    gaps = gaps_of(tmp_path / f"a.{suffix}")
    assert sum(int(gap["samples"]) for gap in gaps) == late - back
    assert not (tmp_path / f"a-0002.{suffix}").exists()
    if suffix == "wav":
        filled = [0] * (late - back)
        wanted = [*range(25 * 16), *filled, *range(25 * 16, 45 * 16)]
        assert wav_of(tmp_path / "a.wav") == wanted


def test_late_stamp_that_was_filled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody knew yet that the next time is back. The next pause is filled with less."""
    tape = late_stamp(12, 12).blocks(20).skip(100).blocks(5)
    (tmp_path / "a.zio").write_bytes(tape.content)
    monkeypatch.setattr("zio_nexus.source.BATCH", 1)
    words = [str(tmp_path / "a.zio"), "-q", "-o", str(tmp_path / "a.wav")]
    assert main(words) == LOST
    gaps = gaps_of(tmp_path / "a.wav")
    assert [gap["samples"] for gap in gaps] == ["12", "88"]


@pytest.mark.parametrize("suffix", (*FORMATS, "npz", "csv"))
def test_part_of_a_scan(nexus: Any, tmp_path: Path, suffix: str) -> None:
    tape = Tape(mask=0b1100).blocks(12).block(15).blocks(4)
    (tmp_path / "a.zio").write_bytes(tape.content)
    said = nexus("a.zio", "-o", f"a.{suffix}", status=1).stderr
    assert "a block has an incomplete scan: use HDF5" in said


def test_half_a_block(nexus: Any, tmp_path: Path) -> None:
    """No row of an array has halves of two blocks."""
    tape = Tape().blocks(14).skip(8).blocks(6).skip(8).blocks(4)
    (tmp_path / "a.zio").write_bytes(tape.content)
    nexus("a.zio", "-o", "a.npy", status=LOST)
    assert np.load(tmp_path / "a.npy").shape == (24 * 16 + 16,)


def test_a_channel_that_begins_later(nexus: Any, tmp_path: Path) -> None:
    """The zeros before it are told. With too many of them, it is in another session."""
    tapes = [Tape(chan=1).blocks(20), Tape(chan=2).skip(500).blocks(20)]
    (tmp_path / "a.zio").write_bytes(b"".join(tape.content for tape in tapes))
    nexus("a.zio", "-o", "a.sr")
    gap, end = gaps_of(tmp_path / "a.sr")
    found = [gap[name] for name in ("channel", "sample", "samples", "cause")]
    assert found == ["fake-0007-0-2", "0", "500", "begins later"]
    assert (end["channel"], end["cause"]) == ("fake-0007-0-1", "ends earlier")
    said = nexus("a.zio", "-o", "b.sr", "--max-fill=0.1").stderr
    assert "fake-0007-0-2: is in b-0002.sr" in said


def test_a_channel_that_ends_earlier(nexus: Any, tmp_path: Path) -> None:
    """All channels of a session have one length."""
    tapes = [Tape(chan=1).blocks(20), Tape(chan=2).blocks(12)]
    (tmp_path / "a.zio").write_bytes(b"".join(tape.content for tape in tapes))
    nexus("a.zio", "-o", "a.sr")
    (gap,) = gaps_of(tmp_path / "a.sr")
    found = [gap[name] for name in ("channel", "sample", "samples", "cause")]
    assert found == ["fake-0007-0-2", "192", "128", "ends earlier"]
    with zipfile.ZipFile(tmp_path / "a.sr") as archive:
        sizes = [len(archive.read(f"analog-1-{number}-1")) for number in (1, 2)]
    assert sizes == [20 * 16 * 4] * 2


def test_nothing_but_empty_blocks(summary: Any, tmp_path: Path) -> None:
    tape = Tape()
    for _ in range(5):
        tape.block(0).skip(16)
    (tmp_path / "a.zio").write_bytes(tape.content)
    for suffix in FORMATS:
        report = summary("a.zio", "-o", f"a.{suffix}")
        assert (report["stored"], report["not_stored"]) == (5, 0)
    assert [path.name for path in tmp_path.iterdir()] == ["a.zio"]


def test_what_is_filled_in_each_channel(nexus: Any, tmp_path: Path) -> None:
    tapes = [
        Tape(chan=chan).blocks(14).skip(16 * chan).block(lost=chan).blocks(6 - chan)
        for chan in (1, 2)
    ]
    (tmp_path / "a.zio").write_bytes(b"".join(tape.content for tape in tapes))
    said = nexus("a.zio", "-o", "a.sr", status=LOST).stderr
    for chan in (1, 2):
        assert f"fake-0007-0-{chan}: {16 * chan} samples of zero in 1 gap" in said


def test_file_of_an_older_recording(nexus: Any, tmp_path: Path) -> None:
    """It looks like the next one of this recording: the program names it."""
    tape = Tape().blocks(14).restart().blocks(4)
    (tmp_path / "a.zio").write_bytes(tape.content)
    nexus("a.zio", "-o", "b.wav", status=LOST)
    (tmp_path / "c.zio").write_bytes(Tape().blocks(14).content)
    said = nexus("c.zio", "-o", "b.wav", "--force").stderr
    assert "b-0002.wav: is of an older recording" in said


def test_missed_event_a_little_early(summary: Any, tmp_path: Path) -> None:
    """Jitter of a time stamp is no hole, also below zero."""
    tape = Tape().blocks(14).skip(Fraction(-3, 10)).block(missed=1).blocks(4)
    (tmp_path / "a.zio").write_bytes(tape.content)
    report = summary("a.zio", "-o", "a.wav", status=LOST)
    assert report["missed"] == 1 and len(report["files"]) == 2
    assert json.dumps(report["filled"]["a.wav"]["samples"]) == "0"


@pytest.mark.parametrize("suffix", ("csv", "npy", "npz", "sr"))
def test_scale_that_is_not_known(nexus: Any, tmp_path: Path, suffix: str) -> None:
    """Raw numbers do not become values."""
    tape = Tape(scale=(1, 999, 0, 1)).blocks(14)
    (tmp_path / "a.zio").write_bytes(tape.content)
    said = nexus("a.zio", "-u", "-o", f"a.{suffix}", status=1).stderr
    assert "the scale of its samples is unknown" in said
    assert [path.name for path in tmp_path.iterdir()] == ["a.zio"]


@pytest.mark.parametrize("suffix", (*FORMATS, "csv", "npz", "nxs"))
def test_pause_beside_a_block_without_a_time(
    summary: Any, tmp_path: Path, suffix: str
) -> None:
    """The account and the rows of csv have it, not only the formats that are filled."""
    tape = Tape().blocks(14)
    tape.has_time = False
    tape.block(0)
    tape.has_time = True
    tape.skip(100).blocks(4)
    (tmp_path / "a.zio").write_bytes(tape.content)
    report = summary("a.zio", "-o", f"a.{suffix}", status=LOST)
    assert report["account"] == "1 pause of 100 ms"
    if suffix == "csv":
        with open(tmp_path / "a.csv") as file:
            rows = [row for row in csv.DictReader(file) if row["break"]]
        assert [(row["seq"], row["break"]) for row in rows] == [("15", "pause")]
    elif suffix in FORMATS:
        (gap,) = gaps_of(tmp_path / f"a.{suffix}")
        assert (gap["sample"], gap["samples"], gap["cause"]) == ("224", "100", "pause")
