# SPDX-License-Identifier: GPL-2.0-only
"""The client of p4p, which is no package of Debian"""

import subprocess
import sys
from pathlib import Path

PACKAGES = subprocess.run(
    [Path(__file__).parents[1] / "fetch-venv", "pva"],
    capture_output=True,
    text=True,
    check=True,
).stdout.strip()
# Behind those of Debian: numpy is there as well.
sys.path.append(PACKAGES)
