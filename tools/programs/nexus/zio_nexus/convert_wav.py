# SPDX-License-Identifier: GPL-2.0-only
"""WAV: samples of 1 to 4 bytes. Samples of an interleaved block are channels of sound."""

import argparse
import os
import struct
from typing import IO, Any

import numpy as np

from .blocks import Array, Run
from .failure import Failure, say
from .meaning import Meaning, meaning_of
from .paced import PacedConverter
from .target import Part, Target
from .timeline import Timeline, count_of, whole_rate

WIDTHS = (1, 2, 3, 4)
MAX_BYTES = (1 << 32) - (1 << 16)
MAX_BYTES_PER_SECOND = (1 << 32) - 1
# RIFF, its size, WAVE; fmt, its size, PCM, channels, rate, bytes per second, bytes and
# bits of a scan; data, its size
HEAD = struct.Struct("<4sI4s4sIHHIIHH4sI")
PCM = 1
# Bytes of the head beside RIFF and its size, and of the part "fmt "
REST, FORMAT = HEAD.size - 8, 16
# Where the head of a file has its size
SIZE_AT = 4
# Bytes of silence that are written at a time
SILENCE = 1 << 20


class _Sound:
    """The file of one channel."""

    def __init__(self, runs: list[Run], rate: float, part: Part) -> None:
        self.part = part
        self.timeline = Timeline(runs, rate)
        self.channels, self.width = self.timeline.channels, runs[0].sample_size
        self.rate = whole_rate(runs[0].channel, rate)
        self.bytes = 0
        part.file.write(self._head(0))

    def _head(self, size: int) -> bytes:
        """Return the head of a file with @size bytes of samples."""
        scan = self.channels * self.width
        sound = (PCM, self.channels, self.rate, self.rate * scan, scan, 8 * self.width)
        return HEAD.pack(
            b"RIFF", REST + size, b"WAVE", b"fmt ", FORMAT, *sound, b"data", size
        )

    def write(self, run: Run) -> None:
        sound = sound_of(run) if run.data.size else b""
        begin = 0
        for missing, data in self.timeline.pieces(run):
            self._put_silence(missing * self.channels * self.width, run)
            size = len(data) * self.width
            self._count(size, run)
            self.part.file.write(sound[begin : begin + size])
            begin += size

    def _put_silence(self, size: int, run: Run) -> None:
        self._count(size, run)
        zero = b"\x80" if self.width == 1 else b"\0"
        for begin in range(0, size, SILENCE):
            self.part.file.write(zero * min(SILENCE, size - begin))

    def _count(self, size: int, run: Run) -> None:
        if self.bytes + size > MAX_BYTES:
            raise Failure(f"{run.channel}: a WAV file has at most 4 GiB: use HDF5")
        self.bytes += size

    def close(self) -> None:
        self.part.file.seek(0)
        self.part.file.write(self._head(self.bytes))
        notes = [self.timeline.head(), self.timeline.note()]
        _append_comment(self.part.file, "\n".join(filter(None, notes)))

    def salvage(self) -> bool:
        """Let the head tell of the samples that the disk has."""
        scan = self.channels * self.width
        size = (self.part.room() - HEAD.size) // scan * scan
        head = self._head(max(size, 0))
        return size > 0 and os.pwrite(self.part.file.fileno(), head, 0) == HEAD.size


class WavConverter(PacedConverter):
    """A file for each channel, with its name if there are several."""

    def __init__(self, values: argparse.Namespace, target: Target) -> None:
        super().__init__(values, target)
        self.sounds: dict[str, _Sound] = {}

    def check(self, run: Run) -> None:
        if run.data.size and run.sample_size not in WIDTHS:
            raise Failure(
                f"{run.channel}: WAV has 1 to 4 bytes per sample, not "
                f"{run.sample_size}: use HDF5"
            )

    def has_begun(self, channel: str) -> bool:
        return channel in self.sounds

    def begin(self, runs: list[Run], rate: float) -> None:
        run = runs[0]
        if rate * count_of(run) * run.sample_size > MAX_BYTES_PER_SECOND:
            raise Failure(
                f"{run.channel}: {rate:.6g} Hz: WAV has at most {MAX_BYTES_PER_SECOND} "
                "bytes per second: use HDF5"
            )
        if len(self.sounds) == 1:
            first, sound = next(iter(self.sounds.items()))
            self.name_part(sound.part, first)
            say(f"{first}: is in {sound.part.path}")
        part = self.open_part(run.channel if self.sounds else "")
        if self.sounds:
            say(f"{run.channel}: is in {part.path}")
        sound = self.sounds[run.channel] = _Sound(runs, rate, part)
        self.list_gaps(part, [sound.timeline])

    def put(self, run: Run) -> None:
        self.sounds[run.channel].write(run)

    def salvage(self, part: Part) -> bool:
        return any(s.part is part and s.salvage() for s in self.sounds.values())

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
    meaning = meaning_of(run.first_control())
    bits = 8 * size
    valid, is_high = meaning.bits
    words = _words_of(run.data, size)
    if not is_high:
        words = words << np.uint32(bits - valid)
    if meaning.is_signed != (size > 1):
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
