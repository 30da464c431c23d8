# SPDX-License-Identifier: GPL-2.0-only
"""Sound files as sets"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from zio.cli import Failure
from zio_devices.wav import Sound, begin_again, is_sound
from zio_devices.waves import Settings, SoundWave

RATE = 44100


def write(path: Path, samples: Any, subtype: str) -> str:
    soundfile.write(path, samples, RATE, subtype=subtype)
    return str(path)


def make(path: str, is_endless: bool = False) -> Sound:
    return Sound(path, "set0", 1024, "V", 2.5, is_endless)


def test_samples(tmp_path: Path) -> None:
    """16-bit samples are those of the file, in blocks of any size, at its rate."""
    samples = np.random.default_rng(1).integers(-(2**15), 2**15, (1500, 2), dtype="i2")
    path = write(tmp_path / "a.wav", samples, "PCM_16")
    assert is_sound(path)
    sound = make(path)
    found = sound.description
    assert (found.channels, found.rate, found.unit) == (2, RATE, "V")
    assert (found.dtype, found.scale) == (np.dtype("i2"), 2.5 / 2**15)
    first = sound.take(1000)
    assert not sound.is_over
    second = sound.take(1000)
    assert first and second and sound.is_over and sound.take(1) is None
    assert (np.concatenate([first.samples, second.samples], axis=1) == samples.T).all()
    assert second.time_ns == first.length_ns == 1000 * 10**9 // RATE


def test_loop(tmp_path: Path) -> None:
    """A block goes on with the begin of the file where the file ends."""
    path = write(tmp_path / "a.wav", np.arange(100, dtype="i2"), "PCM_16")
    event = make(path, is_endless=True).take(250)
    assert event and list(event.samples[0]) == [i % 100 for i in range(250)]


def test_floats(tmp_path: Path) -> None:
    """Floats become 32 bits. Those beyond full scale are cut, and counted."""
    values = np.array([0.5, -1.0, 1.5, 2**-31, np.nan, np.inf, -np.inf])
    sound = make(write(tmp_path / "a.wav", values, "DOUBLE"))
    event = sound.take(7)
    top = 2**31 - 1
    assert event and list(event.samples[0]) == [2**30, -top - 1, top, 1, 0, top, -top - 1]
    assert sound.clipped == 4


def test_lossy(tmp_path: Path) -> None:
    """What is compressed with a loss goes beyond full scale, and does not wrap there."""
    square = 0.99 * np.sign(np.sin(np.arange(20_000) / 20))
    path = write(tmp_path / "a.ogg", square, "VORBIS")
    values = soundfile.read(path)[0]
    assert np.abs(values).max() > 1.1
    sound = make(path)
    event = sound.take(len(values))
    wanted = np.clip(np.round(values * 2.0**31), -(2**31), 2**31 - 1)
    assert event and (event.samples[0] == wanted).all()
    assert sound.clipped == np.count_nonzero((values < -1) | (values >= 1))


@pytest.mark.parametrize("subtype", ["ULAW", "IMA_ADPCM"])
def test_telephony(tmp_path: Path, subtype: str) -> None:
    """Samples of few bits are those that the library makes of them."""
    path = write(tmp_path / "a.wav", np.sin(np.arange(5000) / 20), subtype)
    wanted = soundfile.read(path, dtype="int32")[0]
    event = make(path).take(len(wanted))
    assert event and (event.samples[0] == wanted).all()


def test_24_bits(tmp_path: Path) -> None:
    samples = (np.arange(-100, 100) << 8).astype("i4")
    event = make(write(tmp_path / "a.wav", samples, "PCM_24")).take(200)
    assert event and (event.samples[0] == samples).all()


def test_no_samples(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="has no samples: record some"):
        make(write(tmp_path / "a.wav", np.zeros(0, "i2"), "PCM_16"))


def test_truncated(tmp_path: Path) -> None:
    """A file that has fewer samples than it says ends, and does not begin again."""
    path = write(tmp_path / "a.flac", np.zeros(50_000, "i2"), "PCM_16")
    sound = make(path)
    assert sound._file.frames == 50_000
    sound._file.seek(49_990)
    event = sound.take(1024)
    assert event and len(event.samples[0]) == 10 and sound.is_over
    sound._file.seek(0)
    with pytest.raises(Failure, match="fewer samples than it says"):
        begin_again(sound._file)


def test_damaged_within(tmp_path: Path) -> None:
    """Damage that shows while the file is read is said by both programs."""
    path = tmp_path / "a.flac"
    samples = np.random.default_rng(1).integers(-(2**15), 2**15, 50_000, dtype="i2")
    write(path, samples, "PCM_16")
    content = bytearray(path.read_bytes())
    content[50_000] ^= 1
    path.write_bytes(content)
    wave = SoundWave(Settings(rate=RATE), str(path), 0)
    for take in (make(str(path)).take, wave.shape):
        with pytest.raises(Failure, match=r"a\.flac: .*: convert it again"):
            take(50_000)


def test_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(b"RIFF" + bytes(20))
    with pytest.raises(Failure, match="a.wav: is no sound file: "):
        make(str(path))
