# SPDX-License-Identifier: LGPL-2.1-or-later
"""Block files that the tests make."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zio

FLAGS = 0x01000001 if sys.byteorder == "little" else 0x02000002


def make_control(seq: int, nsamples: int, ssize: int) -> np.void:
    control: np.void = np.zeros((), zio.control_dtype)[()]
    control["major_version"], control["minor_version"] = 1, 4
    control["seq_num"], control["nsamples"], control["ssize"] = seq, nsamples, ssize
    control["nbits"] = 8 * ssize
    control["flags"] = FLAGS
    control["addr"]["devname"] = b"fake"
    control["addr"]["dev_id"], control["addr"]["cset"], control["addr"]["chan"] = 7, 1, 2
    control["tstamp"]["secs"], control["tstamp"]["ticks"] = 1_700_000_000 + seq, 5
    return control


def make_samples(seq: int, nsamples: int, ssize: int) -> np.ndarray[Any, Any]:
    """Return samples that no other block has."""
    return (np.arange(nsamples) + 1000 * seq).astype(f"u{ssize}")


def make_block(seq: int, nsamples: int = 16, ssize: int = 4) -> bytes:
    samples = make_samples(seq, nsamples, ssize)
    return make_control(seq, nsamples, ssize).tobytes() + samples.tobytes()


Maker = Callable[..., str]


@pytest.fixture
def block_file(tmp_path: Path) -> Maker:
    """Return a function that makes a file of blocks, and returns its path."""

    def make(numbers: Iterable[int], nsamples: int = 16, ssize: int = 4) -> str:
        path = tmp_path / "blocks"
        path.write_bytes(b"".join(make_block(n, nsamples, ssize) for n in numbers))
        return str(path)

    return make
