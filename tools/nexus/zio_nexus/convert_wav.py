# SPDX-License-Identifier: GPL-2.0-only
"""WAV: samples of 1 to 4 bytes. Samples of an interleaved block are channels of sound."""

import argparse
import wave

import numpy as np

from .blocks import Array, Run, channel_mask
from .converter import Converter, find_rate, first_control
from .failure import Failure, say
from .scaling import scaling_of
from .target import Target

WIDTHS = (1, 2, 3, 4)
MAX_BYTES = (1 << 32) - 4096


class WavConverter(Converter):
    """A file for each channel; the first has the name of the target."""

    def __init__(self, values: argparse.Namespace, target: Target) -> None:
        super().__init__(values, target)
        self.files: dict[str, wave.Wave_write] = {}
        self.bytes: dict[str, int] = {}

    def write(self, run: Run) -> None:
        if not run.data.size:
            return
        file = self.files.get(run.channel) or self._begin(run)
        if file.getsampwidth() != run.sample_size:
            raise Failure(f"{run.channel}: the size of samples has changed: {_now(run)}")
        data = sound_of(run)
        self.bytes[run.channel] += data.nbytes
        if self.bytes[run.channel] > MAX_BYTES:
            raise Failure(f"{run.channel}: a WAV file has at most 4 GiB: use HDF5")
        file.writeframesraw(data.tobytes())

    def _begin(self, run: Run) -> wave.Wave_write:
        if run.sample_size not in WIDTHS:
            raise Failure(f"{run.channel}: WAV has 1 to 4 bytes per sample: {_now(run)}")
        rate = find_rate(self.values, run)
        part = self.open_part(run.channel if self.files else "")
        if self.files:
            say(f"{run.channel}: is in {part.path}")
        file = wave.open(part.file, "wb")
        file.setnchannels(max(1, channel_mask(first_control(run)).bit_count()))
        file.setsampwidth(run.sample_size)
        file.setframerate(max(1, round(rate)))
        self.files[run.channel], self.bytes[run.channel] = file, 0
        return file

    def close(self) -> None:
        for file in self.files.values():
            file.close()


def _now(run: Run) -> str:
    return f"it is {run.sample_size} now: use HDF5"


def sound_of(run: Run) -> Array:
    """Return samples as WAV has them: one byte is unsigned, more are signed."""
    data = run.data
    size = run.sample_size
    is_signed = scaling_of(first_control(run)).is_signed
    if is_signed == (size > 1):
        return data
    if data.dtype.kind == "V":
        return _flip_bytes(data, size)
    top = np.array(1 << (8 * size - 1)).astype(f"u{size}")
    return np.asarray(data.view(f"u{size}") ^ top)


def _flip_bytes(data: Array, size: int) -> Array:
    """Turn the sign of samples of 3 bytes."""
    rows = data.view(np.uint8).reshape(-1, size).copy()
    rows[:, -1 if np.little_endian else 0] ^= 0x80
    return rows
