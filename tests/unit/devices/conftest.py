# SPDX-License-Identifier: GPL-2.0-only
"""What the tests share: the programs, and recordings with known contents"""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

TOOLS = Path(__file__).resolve().parents[3] / "tools"
sys.path[:0] = [
    str(TOOLS / place)
    for place in ("programs/devices", "programs/nexus", "python/build/lib")
]

import zio  # noqa: E402

BEGIN = 1_700_000_000
RATE = 64000
COUNT = 64
Runner = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Runner:
    """Return a function that runs a program by its name."""

    def run(name: str, *words: Any, status: int = 0, **more: Any) -> Any:
        link = tmp_path / name
        if not link.exists():
            link.symlink_to(TOOLS / "programs/devices/zio-device")
        command = [sys.executable, "-B", str(link), *map(str, words)]
        environment = {**os.environ, **more.pop("env", {})}
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, env=environment
        )
        assert done.returncode == status, done.stderr + done.stdout
        return done

    return run


def samples_of(number: int, chan: int) -> Any:
    """Return the samples of a block."""
    return (np.arange(COUNT) * 3 + number * 101 + chan * 1009).astype("i2")


@pytest.fixture
def record(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that makes a block file of a set with so many channels. `lost`
    has the channel and the number of each block that is missing."""

    def record(
        blocks: int = 10,
        channels: int = 2,
        lost: tuple[tuple[int, int], ...] = (),
        name: str = "run.zio",
        **more: Any,
    ) -> Path:
        path = tmp_path / name
        settings = {"unit": "V", "scale": 0.001, "offset": -1.5, "rate": RATE, **more}
        with zio.open(str(path), create=True) as file:
            for number in range(blocks):
                for chan in range(channels):
                    if (chan, number) in lost:
                        continue
                    control = zio.make_control(
                        f"adc-0-{chan}", BEGIN + number // 1000, seq=number, **settings
                    )
                    # A float is not exact.
                    control["tstamp"]["ticks"] = number % 1000 * 1_000_000
                    file.write(samples_of(number, chan), control)
        return path

    return record
