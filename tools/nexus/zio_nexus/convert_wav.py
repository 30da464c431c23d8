# SPDX-License-Identifier: GPL-2.0-only
"""WAV: samples of 1 to 4 bytes. Samples of an interleaved block are channels of sound."""

import argparse
import wave
from typing import IO, Any

import numpy as np

from .blocks import MSB_ALIGN, Array, Run
from .converter import Converter
from .failure import Failure, say
from .meaning import Meaning
from .scaling import scaling_of
from .target import Part, Target
from .timeline import Timeline, find_rate

WIDTHS = (1, 2, 3, 4)
MAX_BYTES = (1 << 32) - (1 << 16)
# Where the head of a file has its size
SIZE_AT = 4
# Bytes of silence that are written at a time
SILENCE = 1 << 20


class _Sound:
    """The file of one channel."""

    def __init__(self, run: Run, rate: float, part: Part) -> None:
        self.part = part
        self.timeline = Timeline(run, rate)
        self.bytes = 0
        self.file = wave.open(part.file, "wb")
        self.file.setnchannels(self.timeline.channels)
        self.file.setsampwidth(run.sample_size)
        self.file.setframerate(max(1, round(rate)))

    def write(self, run: Run) -> None:
        width = self.file.getsampwidth()
        sound = sound_of(run) if run.data.size else b""
        begin = 0
        for missing, data in self.timeline.pieces(run):
            self._put_silence(missing * self.timeline.channels * width, run)
            size = len(data) * width
            self._count(size, run)
            self.file.writeframesraw(sound[begin : begin + size])
            begin += size

    def _put_silence(self, size: int, run: Run) -> None:
        self._count(size, run)
        zero = b"\x80" if self.file.getsampwidth() == 1 else b"\0"
        for begin in range(0, size, SILENCE):
            self.file.writeframesraw(zero * min(SILENCE, size - begin))

    def _count(self, size: int, run: Run) -> None:
        self.bytes += size
        if self.bytes > MAX_BYTES:
            raise Failure(f"{run.channel}: a WAV file has at most 4 GiB: use HDF5")

    def close(self) -> None:
        self.file.close()
        if note := self.timeline.note():
            _append_comment(self.part.file, note)


class WavConverter(Converter):
    """A file for each channel; the first has the name of the target."""

    def __init__(self, values: argparse.Namespace, target: Target) -> None:
        super().__init__(values, target)
        self.sounds: dict[str, _Sound] = {}

    def write(self, run: Run) -> None:
        if run.channel in self.sounds or run.data.size:
            sound = self.sounds.get(run.channel) or self._begin(run)
            sound.write(run)

    def _begin(self, run: Run) -> _Sound:
        if run.sample_size not in WIDTHS:
            raise Failure(
                f"{run.channel}: WAV has 1 to 4 bytes per sample, not "
                f"{run.sample_size}: use HDF5"
            )
        rate = find_rate(self.values, run)
        part = self.open_part(run.channel if self.sounds else "")
        if self.sounds:
            say(f"{run.channel}: is in {part.path}")
        sound = self.sounds[run.channel] = _Sound(run, rate, part)
        return sound

    def fixed(self) -> tuple[str, ...]:
        """Full scale stands for the same in the whole file."""
        return Meaning._fields

    def close(self) -> None:
        for sound in self.sounds.values():
            sound.close()
            sound.timeline.say()

    def notes(self) -> dict[str, Any]:
        return {name: sound.timeline.report() for name, sound in self.sounds.items()}


def sound_of(run: Run) -> bytes:
    """Return samples as WAV has them: the valid bits are the highest ones; one byte is
    unsigned, more are signed."""
    size = run.sample_size
    control = run.first_control()
    bits = 8 * size
    valid = int(control["nbits"])
    words = _words_of(run.data, size)
    if 0 < valid < bits and not int(control["flags"]) & MSB_ALIGN:
        words = words << np.uint32(bits - valid)
    if scaling_of(control).is_signed != (size > 1):
        words = words ^ np.uint32(1 << (bits - 1))
    raw = words.astype("<u4").view(np.uint8).reshape(-1, 4)
    return bytes(np.ascontiguousarray(raw[:, :size]).data)


def _words_of(data: Array, size: int) -> Array:
    """Return samples of 1 to 4 bytes as the low bytes of 32 bits."""
    words = np.zeros((len(data), 4), np.uint8)
    place = slice(0, size) if np.little_endian else slice(4 - size, 4)
    words[:, place] = np.ascontiguousarray(data).view(np.uint8).reshape(-1, size)
    return words.view(np.uint32).reshape(-1)


def _append_comment(file: IO[bytes], text: str) -> None:
    """Append a chunk LIST with a comment, and put the new size into the head."""
    comment = text.encode() + b"\0"
    comment += bytes(len(comment) % 2)
    field = b"ICMT" + len(comment).to_bytes(4, "little") + comment
    end = file.seek(0, 2)
    file.write(bytes(end % 2))
    file.write(b"LIST" + (len(field) + 4).to_bytes(4, "little") + b"INFO" + field)
    size = file.tell() - SIZE_AT - 4
    file.seek(SIZE_AT)
    file.write(size.to_bytes(4, "little"))
    file.seek(0, 2)
