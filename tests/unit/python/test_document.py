# SPDX-License-Identifier: LGPL-2.1-or-later
"""Run the programs of Documentation/from-python.md that need no device, each in an empty
directory. guest/test_channels.py runs the others."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[3] / "Documentation/from-python.md"
PROGRAMS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
# What the output of each has, in the order of the page; None: it needs devices
WANTED = [None, None, None, "0.114 V\nStats(blocks=100", "1600 samples, 1056"]
WANTED += [None, "1200000.0 0 "]
WANTED += [None, None, "GroupStats(events=", None]


def needs_device(program: str) -> bool:
    return "zzero" in program or "zio.devices()" in program


def test_each_program_has_a_result() -> None:
    assert [wanted is None for wanted in WANTED] == list(map(needs_device, PROGRAMS))


@pytest.mark.parametrize("number", [i for i, text in enumerate(WANTED) if text])
def test_program(tmp_path: Path, number: int) -> None:
    program = PROGRAMS[number]
    if "zio.load(" in program:
        pytest.importorskip("xarray", reason="this interpreter has no xarray")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    wanted = WANTED[number]
    assert wanted is not None and wanted in done.stdout, done.stdout
