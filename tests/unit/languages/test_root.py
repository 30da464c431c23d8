# SPDX-License-Identifier: GPL-2.0-only
"""zio2root: the file has what the library reads"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import zio

from zio_testing.common import ROOT

from .conftest import EXAMPLES, Run

PROGRAM = ROOT / "tools/programs/root/zio2root"
SHOW = """
import sys, uproot
with uproot.open(sys.argv[1]) as file:
    for name in sorted(file.keys(cycle=False)):
        tree = file[name]
        print(tree.title, tree["lost"].array().tolist(), tree["values"].array().tolist())
"""


def test_example(python: Run, recording: Path, expected: str, tmp_path: Path) -> None:
    said = python(PROGRAM, recording, tmp_path / "run.root", status=4).stderr
    assert said == "8 blocks, 1600 bytes: 2 blocks lost in 1 gap\n"
    assert python(EXAMPLES / "peaks_root.py", tmp_path / "run.root").stdout == expected


def write(out: zio.Channel, samples: object, control: np.void, alarms: int = 0) -> None:
    control["zio_alarms"] = alarms
    out.write(samples, control)


def test_channels_with_blocks_of_any_size(python: Run, tmp_path: Path) -> None:
    source, target = tmp_path / "two.zio", tmp_path / "two.root"
    with zio.open(str(source), create=True) as out:
        for seq in (1, 2, 5):
            volts = zio.make_control("adc-0-1", seq=seq, unit="V", scale=0.5)
            write(out, np.arange(seq - 1, dtype="i2"), volts, alarms=int(seq == 5))
            control = zio.make_control("b-1-0", seq=seq)
            write(out, np.arange(2, dtype="u1"), control, alarms=int(seq == 5))
    said = python(PROGRAM, source, target, status=4).stderr
    assert ": 4 blocks lost in 2 gaps" in said
    assert "adc-0000-0-1 [V] [0, 0, 2] [[], [0.0], [0.0, 0.5, 1.0, 1.5]]\n" in (
        python("-c", SHOW, target).stdout
    )
    python(PROGRAM, "-n", 1, source, target, status=1)
    python(PROGRAM, "--force", "-n", 1, source, target)
    assert python("-c", SHOW, target).stdout.count("\n") == 1


def test_volts_and_then_amperes(python: Run, tmp_path: Path) -> None:
    """Values of another meaning are in a tree of their own."""
    source, target = tmp_path / "u.zio", tmp_path / "u.root"
    with zio.open(str(source), create=True) as out:
        for seq, unit in enumerate("VVA"):
            out.write(
                np.full(2, seq, "i2"), zio.make_control("b-1-0", seq=seq, unit=unit)
            )
    said = python(PROGRAM, source, target, status=4).stderr
    assert said.endswith("1 change (unit)\n")
    assert python("-c", SHOW, target).stdout == (
        "b-0000-1-0 [V] [0, 0] [[0.0, 0.0], [1.0, 1.0]]\n"
        "b-0000-1-0 [A] [0] [[2.0, 2.0]]\n"
    )


def test_samples_before_the_event(python: Run, tmp_path: Path) -> None:
    source, target = tmp_path / "p.zio", tmp_path / "p.root"
    control = zio.make_control("b-1-0", 100)
    trigger = control["attr_trigger"]
    for index, value in ((2, 4), (5, 1000), (6, 1)):  # PRE_SAMP, RATE_NUM, RATE_DEN
        trigger["std_mask"] |= 1 << index
        trigger["std_val"][index] = value
    with zio.open(str(source), create=True) as out:
        out.write(np.arange(8, dtype="i2"), control)
    python(PROGRAM, source, target)
    show = SHOW.replace('tree["lost"]', 'tree["first_ns"]')
    show = show.replace('tree["values"]', 'tree["period_ns"]')
    assert python("-c", show, target).stdout == ("b-0000-1-0 [99996000000] [1000000.0]\n")


def test_the_source_is_never_the_target(python: Run, tmp_path: Path) -> None:
    source = tmp_path / "run.zio"
    with zio.open(str(source), create=True) as out:
        out.write(np.arange(8, dtype="i2"), zio.make_control("b-1-0"))
    before = source.read_bytes()
    os.link(source, tmp_path / "other.root")
    for target in (source, tmp_path / "other.root"):
        said = python(PROGRAM, "-f", source, target, status=1).stderr
        assert said == f"zio2root: {target}: is the source: choose another name\n"
    assert source.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.root", "run.zio"]


def test_more_values_than_a_piece(python: Run, tmp_path: Path) -> None:
    source, target = tmp_path / "long.zio", tmp_path / "long.root"
    with zio.open(str(source), create=True) as out:
        for seq in range(3):
            out.write(np.full(700_000, seq, "u1"), zio.make_control("b-1-0", seq=seq))
    python(PROGRAM, source, target)
    show = SHOW.replace(".tolist()", ".to_numpy().sum()")
    assert python("-c", show, target).stdout == "b-0000-1-0 0 2100000.0\n"


def test_file_that_was_cut(python: Run, recording: Path, tmp_path: Path) -> None:
    """What is good is in the file."""
    cut, target = tmp_path / "cut.zio", tmp_path / "cut.root"
    cut.write_bytes(recording.read_bytes()[:-1])
    said = python(PROGRAM, cut, target, status=1).stderr
    assert "cut.zio: end of file after" in said
    assert "[0, 0, 0, 0, 2, 0, 0]" in python("-c", SHOW, target).stdout


def test_program_without_uproot(tmp_path: Path) -> None:
    """It tells how to get uproot, and its words are explained without."""
    words = [PROGRAM, tmp_path / "run.zio", tmp_path / "run.root"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "pip install --require-hashes" in done.stderr
    done = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "FILE.root" in done.stdout
