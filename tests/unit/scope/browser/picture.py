# SPDX-License-Identifier: GPL-2.0-only
"""Draw the page with two waveforms of a block file: picture.py FILE.png"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from selenium.webdriver.common.keys import Keys

from .. import blocks
from . import conftest

SIZE = (1120, 800)


def recording() -> bytes:
    """Return a minute of a damped oscillation and a sawtooth, with losses."""
    random = np.random.default_rng(1)
    x = np.arange(2000)
    parts = []
    for seq in range(6000):
        if 300 < seq % 1000 < 310:
            continue
        time_ns = blocks.BEGIN_NS + seq * 10_000_000
        wave = 1800 * np.exp(-(x % 1000) / 300) * np.sin((x % 1000) / 12) + 2048
        wave = np.round(wave + random.normal(0, 15, len(x))).astype("u2")
        ramp = (x * 4 % 2000 + 1000).astype("u2")
        parts.append(blocks.block(wave, seq, 0, time_ns))
        parts.append(blocks.block(ramp, seq, 1, time_ns))
    return b"".join(parts)


def choose(page: Any) -> None:
    page.fill("rate", "1000000")
    page.press("t", *"auto")
    page.fill("trigger-level", "3000")
    page.press("f", "a", "b")
    page.wait("s.spectrum[1].length && s.cursors.b")
    page.wait("s.history.some((p) => Object.values(p.rates).some((r) => r[2]))")
    page.wait("s.history.length > 6")


def main(file: str) -> None:
    with tempfile.TemporaryDirectory() as work, conftest.driver() as browser:
        path = Path(work) / "run7.zio"
        path.write_bytes(recording())
        daemon = conftest.Daemon(Path(work), path)
        daemon.start()
        try:
            page = conftest.Page(browser)
            page.resize(*SIZE)
            page.open(daemon.url).wait("s && s.frame")
            choose(page)
            page.press(Keys.SPACE)
            time.sleep(0.2)  # for the last frame; it changes no result
            browser.save_screenshot(file)
        finally:
            daemon.stop()


main(sys.argv[1])
