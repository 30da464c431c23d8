# SPDX-License-Identifier: LGPL-2.1-or-later
"""Run the examples: on a board made of files and FIFOs, with a stub of matplotlib."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import FakeBoard

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "Documentation/from-python.md"
STUB = ROOT / "tests/unit/python/stub"
EXAMPLES = sorted((ROOT / "examples/python").glob("*.py"))
# The end of the output of each
WANTED = {
    "block_file": "0.114 V\nStats(blocks=100, bytes=3200, lost=0)\n",
    "list_devices": "zzero-0000\n",
    "live_plot": "running, 0 blocks lost 16\n",
    "load": "0.015 V\n1600 samples, 1056 are NaN\n66 blocks taken by another reader\n",
    "many_blocks": "1200000.0 0 9999\n",
    "read_blocks": "1700000009.0 0 9007.5\n",
    "two_boards": "late_blocks=0, dropped=0, errors=0)\n",
    "two_tasks": " 5 5000\n",
    "volts": "[1.25 2.5  3.75] V\n",
}
# A FIFO has no tap. The recording of load.py has gaps, and a warning tells of them.
RUN = """
import runpy, sys, warnings, zio
zio.live.watch.__defaults__ = (False, 0.01)
warnings.simplefilter("default", zio.GapWarning)
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def code_of(path: Path) -> str:
    return path.read_text().partition("\n")[2]


def test_each_example_has_a_result() -> None:
    assert sorted(WANTED) == [path.stem for path in EXAMPLES]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_page_quotes_the_example(path: Path) -> None:
    assert f"\n{code_of(path)}```\n" in PAGE.read_text()


def test_readme_quotes_an_example() -> None:
    code = code_of(ROOT / "examples/python/read_blocks.py")
    assert f"```python\n{code}```\n" in (ROOT / "README.md").read_text()


def test_programs_are_short() -> None:
    """These are the three by which the interface is judged, without their imports."""
    lines = {
        path.stem: [
            line
            for line in code_of(path).splitlines()
            if line and not line.startswith("import")
        ]
        for path in EXAMPLES
    }
    assert len(lines["list_devices"]) == 1
    assert len(lines["read_blocks"]) <= 4
    assert len(lines["live_plot"]) <= 12


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(board: FakeBoard, tmp_path: Path, path: Path) -> None:
    if path.stem == "load":
        pytest.importorskip("xarray", reason="this interpreter has no xarray")
    before = board.settings()
    for seq in range(20 if path.stem != "volts" else 0):
        for channel in (0, 2):
            board.put(channel, seq)
    if path.stem == "volts":
        before = make_volts(board)
    paths = f"{STUB}:{os.environ['PYTHONPATH']}"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", RUN, str(path)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(WANTED[path.stem]), done.stdout
    assert board.settings() == before


def make_volts(board: FakeBoard) -> dict[str, str]:
    """Make a block in volts. Return the settings that the program leaves."""
    for name, text in (("unit", "V"), ("scale", "0.00125")):
        (board.device / "cset0/chan2" / name).write_text(f"{text}\n")
    board.put_volts(2, range(1000, 17000, 1000), 0.00125)
    return board.settings()
