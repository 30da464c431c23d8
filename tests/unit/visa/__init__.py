# SPDX-License-Identifier: GPL-2.0-only
"""zio_visa, and the simulated instruments of pyvisa-sim, which Debian does not have"""

import subprocess
import sys
from pathlib import Path

PACKAGES = subprocess.run(
    [Path(__file__).parents[1] / "fetch-venv", "visa"],
    capture_output=True,
    text=True,
    check=True,
).stdout.strip()
# Behind those of Debian, which has PyVISA
sys.path.append(PACKAGES)
sys.path.insert(0, str(Path(__file__).parents[3] / "tools/programs/visa"))
