# SPDX-License-Identifier: GPL-2.0-only
"""The samples of a sound file."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from zio.cli import CANNOT_OPEN, Failure

from .event import SECOND, Array, Description, Event, Source

MAGIC = (b"RIFF", b"RF64", b"fLaC", b"OggS", b"FORM")
# Samples of these are read as they are; those of all others become 32-bit numbers.
SHORT = ("PCM_S8", "PCM_U8", "PCM_16")
# The library reads others as floats, which may lie beyond full scale and would wrap.
INTEGERS = ("PCM_", "ALAC_")


def is_sound(path: str) -> bool:
    """Tell whether a file begins as a sound file does."""
    with open(path, "rb") as file:
        return file.read(4) in MAGIC


def open_sound(path: str) -> Any:
    """Return an open file of soundfile. Raise Failure if it has no frames."""
    try:
        import soundfile  # noqa: PLC0415
    except ImportError as error:
        raise Failure(
            f"{path}: is a sound file, and {error}: apt-get install python3-soundfile, "
            "or pip install 'zio-daq[nexus]'",
            CANNOT_OPEN,
        ) from None
    try:
        file = soundfile.SoundFile(path)
    except (OSError, RuntimeError) as error:
        text = str(error).removeprefix(f"Error opening {path!r}: ").strip(". ")
        raise Failure(f"{path}: is no sound file: {text}", CANNOT_OPEN) from None
    if not file.frames:
        file.close()
        raise Failure(f"{path}: has no samples: record some first", CANNOT_OPEN)
    return file


def begin_again(file: Any) -> None:
    """Go back to the first frame. Raise Failure if the file never had one."""
    if not file.tell():
        raise Failure(f"{file.name}: has fewer samples than it says: convert it again")
    file.seek(0)


def read_frames(file: Any, count: int, dtype: str = "float64") -> Array:
    """Return the next frames, up to so many. Raise Failure if they are damaged."""
    try:
        frames: Array = file.read(count, dtype=dtype, always_2d=True)
    except RuntimeError as error:
        text = str(error).strip(". ")
        raise Failure(f"{file.name}: is damaged: {text}: convert it again") from None
    return frames


class Sound(Source):
    """A sound file as a set with its channels. `full_scale` in `unit` is what a sample of
    1.0 means; with the unit "" the samples have a scale all the same.
    """

    def __init__(
        self,
        path: str,
        name: str,
        nsamples: int,
        unit: str,
        full_scale: float,
        is_endless: bool,
    ) -> None:
        self._is_endless = is_endless
        self._file = open_sound(path)
        bits = 16 if self._file.subtype in SHORT else 32
        self.description = Description(
            name=name,
            channels=self._file.channels,
            dtype=np.dtype(f"i{bits // 8}"),
            nsamples=nsamples,
            rate=Fraction(self._file.samplerate),
            unit=unit,
            scale=full_scale / 2 ** (bits - 1),
        )
        self.clipped = 0
        self._done = 0
        self._is_ended = False

    def take(self, count: int) -> Event | None:
        frames = self._read(count)
        while self._is_endless and len(frames) < count:
            begin_again(self._file)
            frames = np.concatenate([frames, self._read(count - len(frames))])
        self._is_ended = len(frames) < count
        if not len(frames):
            return None
        time = self._time(self._done)
        self._done += len(frames)
        return Event(list(frames.T), time, self._time(self._done) - time)

    @property
    def is_over(self) -> bool:
        return not self._is_endless and (
            self._is_ended or self._done >= int(self._file.frames)
        )

    def _time(self, sample: int) -> int:
        return sample * SECOND // int(self._file.samplerate)

    def _read(self, count: int) -> Array:
        """Return frames as integers. What is beyond full scale is cut, and NaN is 0."""
        dtype = self.description.dtype
        if self._file.subtype.startswith(INTEGERS):
            return read_frames(self._file, count, dtype.name)
        most = np.iinfo(dtype).max
        raw = np.round(read_frames(self._file, count) * (most + 1.0))
        clipped = np.clip(np.nan_to_num(raw), -most - 1, most)
        self.clipped += int(np.count_nonzero(clipped != raw))
        samples: Array = clipped.astype(dtype)
        return samples

    def close(self) -> None:
        self._file.close()
