# SPDX-License-Identifier: GPL-2.0-only
"""The programs in Documentation/recording.md do what the text says."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from .conftest import TOOLS
from .makeblocks import Kind, make_file

PAGE = TOOLS.parent / "Documentation/recording.md"
VOLTS = (5, -1, -1_000_000, 1)


def run_program(number: int, folder: Path) -> str:
    programs = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    command = [sys.executable, "-c", programs[number]]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    return done.stdout


def test_losses_and_mean(nexus: Any, tmp_path: Path) -> None:
    kind = Kind(nsamples=4, ssize=1, scale=VOLTS)
    make_file(tmp_path / "a.zio", kind, [0, 1, 5])
    nexus("a.zio", "-o", "run.nxs", status=4)
    lines = run_program(0, tmp_path).splitlines()
    assert lines[0].startswith("fake-0007-0-1 lost 3 before block 2 17")
    mean = 0.5 * sum(31 * n + i for n in (0, 1, 5) for i in range(4)) / 12 - 1
    assert lines[1] == f"fake-0007-0-1 (3, 4) {mean} V"


def test_follow(nexus: Any, tmp_path: Path) -> None:
    make_file(tmp_path / "a.zio", Kind(nsamples=4, ssize=1), range(100))
    nexus("a.zio", "-o", "run.nxs")
    assert run_program(1, tmp_path).split()[:3] == ["3", "34", "65"]
