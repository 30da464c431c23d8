# SPDX-License-Identifier: LGPL-2.1-or-later
"""Run the programs of Documentation/from-python.md that need no device."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import make_block
from test_units import scaled_block

from zio._libzio import lib

PAGE = Path(__file__).resolve().parents[3] / "Documentation/from-python.md"
PROGRAMS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
# What the output of each has, in the order of the page; None: it needs devices
WANTED = [None, "114\nStats(blocks=100", None, "0 99", "'V'|V", None, "GroupStats", None]


def make_files(directory: Path) -> None:
    blocks = b"".join(make_block(n) for n in range(100))
    for name in ("run.zio", "one.zio", "two.zio"):
        (directory / name).write_bytes(blocks)
    samples = np.arange(16, dtype=np.uint16).tobytes()
    (directory / "volts.zio").write_bytes(scaled_block(samples, 2, 12, False))


def test_each_program_has_a_result() -> None:
    assert len(PROGRAMS) == len(WANTED)


@pytest.mark.parametrize("number", [i for i, text in enumerate(WANTED) if text])
def test_program(tmp_path: Path, number: int) -> None:
    program = PROGRAMS[number]
    if ".values()" in program and not hasattr(lib, "zio_control_scale"):
        pytest.skip("this libzio has no units")
    if "zio.group" in program and not hasattr(lib, "zio_group_open"):
        pytest.skip("this libzio has no groups")
    make_files(tmp_path)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    wanted = WANTED[number]
    assert wanted is not None
    assert any(text in done.stdout for text in wanted.split("|")), done.stdout
