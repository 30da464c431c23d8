# SPDX-License-Identifier: GPL-2.0-only
"""WAV: samples of 1 to 4 bytes. The channels of an interleaved block are channels of
sound.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, BinaryIO

import numpy as np
from zio import Change
from zio.controls import clock

from .blocks import SECOND, Array, Run
from .converter import RatedConverter
from .failure import Failure, UsageFailure, say
from .meaning import meaning_of
from .output import Body, Output
from .track import MEANING, Gap, count_of, rate_of

try:
    import soundfile
except (ImportError, OSError):
    soundfile = None

SUBTYPES = {1: "PCM_U8", 2: "PCM_16", 3: "PCM_24", 4: "PCM_32"}
# The type that the library takes for samples of this many bytes: it uses the high bits
WIDE = {1: "u2", 2: "u2", 3: "u4", 4: "u4"}
MAX_BYTES = (1 << 32) - (1 << 16)
MAX_BYTES_PER_SECOND = (1 << 32) - 1
# Relative error of the rate that nobody notices
TOLERANCE = 1e-6
# Samples of silence to write at a time
SILENCE = 1 << 20
# Maximum number of gaps in the note in the file
NOTED = 100
# Where a file stores its size, and the size of its samples
SIZE_AT, DATA_AT, HEAD = 4, 40, 44


class _Wire:
    """Wraps the file for the library, which would lose the reason of an error. The
    library also calls it when the program has given up the file.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.error: OSError | None = None

    def _call(self, method: Callable[..., int], *words: Any) -> int:
        if self.error or self.file.closed:
            return 0
        try:
            return method(*words)
        except OSError as error:
            self.error = error
            return 0

    def write(self, data: Any) -> int:
        return self._call(self.file.write, data)

    def seek(self, place: int, whence: int = 0) -> int:
        return self._call(self.file.seek, place, whence)

    def tell(self) -> int:
        return self._call(self.file.tell)

    def readinto(self, _: Any) -> int:
        """Refuse: the library does not read a file that it writes."""
        return 0


class _Sound(Body):
    """A file of one channel."""

    def __init__(self, run: Run, output: Output) -> None:
        place = run.first_place()
        self.channel, self.output, self.rate = run.channel, output, rate_of(place)
        self.channels, self.width = count_of(run), run.sample_size
        self.control = run.first_control().copy()
        self.begin = int(place["first"]["ns"]) if place["has_time"] else None
        self.bytes = 0
        self.wire = _Wire(output.part.file)
        self.file = soundfile.SoundFile(
            self.wire,
            "w",
            whole_rate(run.channel, self.rate),
            self.channels,
            SUBTYPES[self.width],
            format="WAV",
        )

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Raise the error of the file instead of the library's own."""
        try:
            yield
        except (RuntimeError, AssertionError):
            if not self.wire.error:
                raise
        if self.wire.error:
            raise self.wire.error

    def write(self, samples: Array) -> None:
        self._require_room(samples.size)
        self.bytes += samples.size * self.width
        with self._writing():
            self.file.write(samples.reshape(-1, self.channels))

    def _require_room(self, samples: int) -> None:
        if self.bytes + samples * self.width > MAX_BYTES:
            raise Failure(f"{self.channel}: a WAV file has at most 4 GiB: use HDF5")

    def put_silence(self, missing: int) -> None:
        self._require_room(missing * self.channels)
        kind = WIDE[self.width].replace("u", "i")
        for begin in range(0, missing, SILENCE):
            count = min(SILENCE, missing - begin)
            self.write(np.zeros(count * self.channels, kind))

    def close(self, gaps: list[Gap]) -> None:
        self.file.comment = "\n".join(filter(None, [self._head(), note_of(gaps)]))
        with self._writing():
            self.file.close()

    def _head(self) -> str:
        """Return what the head of a sound file cannot express."""
        meaning = meaning_of(self.control)
        scale, offset = meaning.scale
        half = scale * 2.0 ** (meaning.bits[0] - 1)
        silence = offset if meaning.is_signed else offset + half
        full = f"{half!r} {meaning.unit}".rstrip()
        begin = "begin unknown"
        if self.begin is not None:
            seconds, rest = divmod(self.begin, SECOND)
            begin = f"begins at {seconds}.{rest:09d} s ({clock(self.control)})"
        return (
            f"{self.channel}: {float(self.rate)!r} Hz; {begin}; full scale is {full}, "
            f"silence is {silence!r}"
        )

    def salvage(self) -> bool:
        """Make the head match the samples on the disk."""
        scan = self.channels * self.width
        size = (self.output.part.room() - HEAD) // scan * scan
        fd = self.output.part.file.fileno()
        for at, count in ((SIZE_AT, size + HEAD - 8), (DATA_AT, size)):
            if size <= 0 or os.pwrite(fd, count.to_bytes(4, "little"), at) != 4:
                return False
        return True


class WavConverter(RatedConverter):
    """A file for each channel, with the name of the channel if there are several."""

    def __init__(self, *words: Any) -> None:
        super().__init__(*words)
        if soundfile is None:
            raise UsageFailure(
                "WAV needs the Python package soundfile: apt install python3-soundfile, "
                "or pip install soundfile"
            )
        self.sounds: dict[tuple[str, int], _Sound] = {}
        # The only channel so far, whose file does not need the name of a channel
        self.single = ""

    def check(self, run: Run) -> None:
        if run.data.size and run.sample_size not in SUBTYPES:
            raise Failure(
                f"{run.channel}: WAV has 1 to 4 bytes per sample, not "
                f"{run.sample_size}: use HDF5"
            )

    def cuts(self) -> int:
        """Full scale means the same in the whole file."""
        return MEANING | Change.CLOCK | Change.RATE

    def path_of(self, channel: str, number: int) -> str:
        return self.name("" if channel == self.single else channel, number)

    def write(self, run: Run, number: int) -> Output:
        sound = self._sound_of(run, number)
        if run.data.size:
            sound.write(sound_of(run))
        return sound.output

    def fill(self, run: Run, number: int, missing: int) -> None:
        self._sound_of(run, number).put_silence(missing)

    def _sound_of(self, run: Run, number: int) -> _Sound:
        key = (run.channel, number)
        if key not in self.sounds:
            self._check_rate(run)
            self._name_channel(run.channel)
            path = self.path_of(run.channel, number)
            output = self.open_output(path, number, run.channel, has_list=True)
            output.body = self.sounds[key] = _Sound(run, output)
        return self.sounds[key]

    def _name_channel(self, channel: str) -> None:
        """A second channel adds the name of the channel to the files of the first."""
        known = {name for name, _ in self.sounds}
        if not known:
            self.single = channel
        elif channel not in known:
            first, self.single = self.single, ""
            for (name, number), sound in self.sounds.items():
                if first == name:
                    sound.output.rename(self.path_of(name, number))
                    say(f"{name}: is in {sound.output.path}")
            say(f"{channel}: is in {self.path_of(channel, 1)}")

    def _check_rate(self, run: Run) -> None:
        rate = float(rate_of(run.first_place()))
        if rate * count_of(run) * run.sample_size > MAX_BYTES_PER_SECOND:
            raise Failure(
                f"{run.channel}: {rate:.6g} Hz: WAV has at most {MAX_BYTES_PER_SECOND} "
                "bytes per second: use HDF5"
            )


def whole_rate(channel: str, rate: Fraction) -> int:
    """Return the rate for a file, a whole number; warn if it differs."""
    whole = max(1, round(rate))
    if abs(whole - rate) > TOLERANCE * rate:
        say(f"{channel}: the file has the rate {whole} Hz, not {float(rate):.9g} Hz")
    return whole


def note_of(gaps: list[Gap]) -> str:
    """Return what a user of the file must know about gaps; "" if there are none."""
    filled = [gap for gap in gaps if gap.samples]
    if not filled:
        return ""
    named = ", ".join(f"{gap.samples} at {gap.sample}" for gap in filled[:NOTED])
    more = f" and {len(filled) - NOTED} more" if len(filled) > NOTED else ""
    count = sum(gap.samples for gap in filled)
    return (
        f"{filled[0].channel}: {count} zeros stand in for missing samples: {named}{more}"
    )


def sound_of(run: Run) -> Array:
    """Return samples as WAV stores them: signed, with the valid bits on top."""
    size, meaning = run.sample_size, meaning_of(run.first_control())
    wide = np.dtype(WIDE[size])
    bits, (valid, is_high) = 8 * wide.itemsize, meaning.bits
    words = _words_of(run.data, size, wide)
    shift = bits - (8 * size if is_high else valid)
    if shift:
        words = words << wide.type(shift)
    if not meaning.is_signed:
        words = words ^ wide.type(1 << (bits - 1))
    return np.asarray(words.view(f"i{wide.itemsize}"))


def _words_of(data: Array, size: int, wide: Any) -> Array:
    """Return samples of 1 to 4 bytes in the low bytes of a number."""
    if size != 3:
        return np.asarray(data.view(f"u{size}").astype(wide, copy=False))
    words = np.zeros((len(data), 4), np.uint8)
    place = slice(0, 3) if np.little_endian else slice(1, 4)
    words[:, place] = np.ascontiguousarray(data).view(np.uint8).reshape(-1, 3)
    return np.asarray(words.view(np.uint32).reshape(-1))
