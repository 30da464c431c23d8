# SPDX-License-Identifier: GPL-2.0-only
"""The pictures of the tutorial are those that its commands draw."""

from __future__ import annotations

import re
import struct

import pytest

from zio_testing.common import ROOT

PAGE = (ROOT / "Documentation/tutorial.md").read_text()
DRAWN = [int(n) for n in re.findall(r"step(\d)\.png", PAGE)]
SHOWN = [int(n) for n in re.findall(r"\(figures/tutorial-(\d)\.png\)", PAGE)]
# Width, height, and most bytes: a page must load fast
SIZE, LIMIT = (720, 320), 60_000


def test_each_step_has_its_picture() -> None:
    assert DRAWN == SHOWN == list(range(1, 7))


@pytest.mark.parametrize("number", SHOWN)
def test_size(number: int) -> None:
    data = (ROOT / f"Documentation/figures/tutorial-{number}.png").read_bytes()
    assert data.startswith(b"\x89PNG") and len(data) < LIMIT
    assert struct.unpack(">II", data[16:24]) == SIZE
