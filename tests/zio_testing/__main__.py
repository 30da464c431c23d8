# SPDX-License-Identifier: GPL-2.0-only
"""Run one program of this package: `python3 zio_testing NAME ARGUMENT...`"""

import importlib
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent.parent)
from zio_testing import common  # noqa: E402

program = importlib.import_module(f"zio_testing.{sys.argv[1]}")
sys.exit(common.run_program(program, sys.argv[1], sys.argv[2:]))
