# SPDX-License-Identifier: GPL-2.0-only
"""Run zio-visa with simulated instruments."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from . import PACKAGES

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE.parents[2] / "tools/programs/visa"
PROGRAM = PROGRAMS / "zio-visa"
SIMULATED = f"--backend={HERE}/lab.yaml@sim"
SECONDS = 480.0


def run(*words: str | Path, home: Path = Path("/nowhere")) -> Any:
    """Return what zio-visa has done, with the models of the user in @home."""
    path = f"{os.environ.get('PYTHONPATH', '')}:{PACKAGES}"
    environ = {**os.environ, "PYTHONPATH": path, "XDG_CONFIG_HOME": str(home)}
    return subprocess.run(
        [sys.executable, "-B", PROGRAM, *words],
        capture_output=True,
        text=True,
        env=environ,
        timeout=SECONDS,
    )
