# SPDX-License-Identifier: GPL-2.0-only
"""zio restore with damaged files of zio save. A dry run tells all lines that it cannot
set, and writes nothing."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from zio_commands import restore, save

from .conftest import Run

LINES = b"""load zio-trig-hrt
load zio tap_copy=3 user_sessions=16
create trigger hrt clock0
trigger:clock0/enable=0
create device zzero rack2
device:rack2/channels=4
device:rack2/live=1
# a comment

  zzero-0-0/buffer/max-buffer-len=8
zzero/0/trigger/post-samples=32
zzero-0000/cset0/enable=1"""
ROUNDS = 400


def contents(tree: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}


def damage(text: bytes, chance: random.Random) -> bytes:
    """Change some bytes, and move a piece."""
    data = bytearray(text)
    for _ in range(chance.randrange(1, 6)):
        data[chance.randrange(len(data))] = chance.choice(b"\0\n=/#: \t\x80\xffaz09.-")
    a, b = sorted(chance.randrange(len(data)) for _ in range(2))
    at = chance.randrange(len(data))
    return bytes(data[:at] + data[a:b] + data[at:])


def test_damaged_files(
    tree: Path, run: Run, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run(save.main) == 0
    inputs = [capsysbinary.readouterr().out, LINES]
    before, chance, file = contents(tree), random.Random(7), tmp_path / "file"
    bad = 0
    for _ in range(ROUNDS):
        file.write_bytes(damage(chance.choice(inputs), chance))
        status = run(restore.main, "-n", str(file))
        told = capsysbinary.readouterr().err.decode()
        assert (status == 1) == (f"zio: {file}:" in told), told
        assert status in (0, 1)
        bad += status
        assert contents(tree) == before
    assert 0 < bad < ROUNDS


def test_a_file_that_ends_early(tree: Path, run: Run, tmp_path: Path) -> None:
    """A file that cannot be read to its end sets nothing."""
    before = contents(tree)
    assert run(restore.main, str(tmp_path)) == 1
    assert contents(tree) == before
