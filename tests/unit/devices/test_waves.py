# SPDX-License-Identifier: GPL-2.0-only
"""Signals: frequencies, phases, statistics"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from zio_devices.knobs import Knobs
from zio_devices.signal_source import Converter, Signals
from zio_devices.waves import WAVES, Pulses, Settings, Sine

RATE = 100e3


def make(name: str, seed: int = 1, **more: Any) -> Any:
    return WAVES[name](Settings(rate=RATE, **more), np.random.default_rng(seed))


@pytest.mark.parametrize("name", WAVES)
def test_blocks(name: str) -> None:
    """A signal does not depend on the sizes of the blocks: its phase goes on."""
    sizes = (1, 7, 1000, 3992, 5000)
    whole = make(name, frequency=1234.5).take(sum(sizes))
    wave = make(name, frequency=1234.5)
    parts = np.concatenate([wave.take(size) for size in sizes])
    assert np.allclose(parts, whole, rtol=0, atol=1e-9)
    assert len(np.unique(whole)) > 1


@pytest.mark.parametrize("name", ["noise", "pulses"])
def test_seed(name: str) -> None:
    """The same seed gives the same samples, and another one others."""
    assert (make(name, 5).take(5000) == make(name, 5).take(5000)).all()
    assert (make(name, 5).take(5000) != make(name, 6).take(5000)).any()


@pytest.mark.parametrize("frequency", [1000.0, 12500.0])
def test_frequency(frequency: float) -> None:
    wave = make("sine", frequency=frequency, amplitude=2.0, offset=0.25)
    values = np.concatenate([wave.take(1000) for _ in range(10)])
    spectrum = np.abs(np.fft.rfft(values)) / len(values)
    assert np.argmax(spectrum[1:]) + 1 == frequency * len(values) / RATE
    assert spectrum.max() == pytest.approx(1.0)
    assert spectrum[0] == pytest.approx(0.25)


def test_new_frequency() -> None:
    """Another frequency goes on with the phase that is reached."""
    wave = Sine(Settings(rate=RATE, frequency=100.0))
    before = wave.take(333)
    wave.settings.frequency = 200.0
    after = wave.take(10)
    assert abs(after[0] - before[-1]) < 2 * np.pi * 200 / RATE


def test_knobs() -> None:
    """They have thousandths, and limits. What would leave the range changes nothing."""
    wave = make("sine", amplitude=2.0, offset=-1.0, frequency=0.5)
    knobs = Knobs([wave], 4.0, "V")
    knobs.check()
    amplitude, offset, frequency = knobs.attributes
    assert (amplitude.value, amplitude.low, amplitude.high) == (2000, 0, 4000)
    assert (offset.value, offset.low, offset.high) == (-1000, -4000, 4000)
    assert offset.signed and not amplitude.signed
    assert (frequency.value, frequency.high) == (500, RATE / 2 * 1000)
    knobs.change(amplitude, 2500)
    knobs.change(frequency, 1_234_567)
    assert (wave.settings.amplitude, wave.settings.frequency) == (2.5, 1234.567)
    with pytest.raises(ValueError, match="reach 4.5 V, beyond the range of 4: use --ra"):
        knobs.change(offset, -2000)
    assert wave.settings.offset == -1.0


@pytest.mark.parametrize(
    ("name", "more", "span", "names"),
    [
        ("noise", {}, 1.0, ["amplitude", "offset"]),
        ("square", {"frequency": 5e6}, 1.0, ["amplitude", "offset"]),
        ("sine", {"amplitude": 1e7}, 1e7, ["offset", "frequency"]),
        ("sine", {"amplitude": 1e-9}, 1e-8, ["frequency"]),
    ],
)
def test_no_knobs(name: str, more: Any, span: float, names: list[str]) -> None:
    """What the signal has not, and what does not fit into 32 bits, is no attribute."""
    knobs = Knobs([make(name, **more)], span, "V")
    assert [attribute.name for attribute in knobs.attributes] == names


def test_unbounded() -> None:
    """Noise has no largest value. The converter cuts it."""
    knobs = Knobs([make("noise")], 1.0, "V")
    knobs.change(knobs.attributes[1], 500)
    knobs.check()


def test_square() -> None:
    values = make("square", frequency=1000.0, duty=0.25).take(1000)
    assert set(values) == {1.0, -1.0}
    assert (values == 1.0).mean() == pytest.approx(0.25, abs=0.01)


def test_noise() -> None:
    values = make("noise", amplitude=0.5, offset=1.0).take(100_000)
    assert values.mean() == pytest.approx(1.0, abs=5 * 0.5 / 316)
    assert values.std() == pytest.approx(0.5, rel=0.02)


def test_pulses() -> None:
    """The times are those of a Poisson process: the number in equal spans has a variance
    that is its mean. The mean of the signal is rate * amplitude * decay."""
    wave = Pulses(
        Settings(rate=RATE, pulse_rate=500.0, decay=1e-3, amplitude=0.3),
        np.random.default_rng(1),
    )
    counts, total = [], 0.0
    for _ in range(1000):
        before = wave.pulses
        total += float(wave.take(2000).sum())
        counts.append(wave.pulses - before)
    # 10 are expected in each span. Five standard deviations of the mean and the variance.
    assert np.mean(counts) == pytest.approx(10, abs=5 * np.sqrt(10 / 1000))
    assert np.var(counts) == pytest.approx(10, abs=5 * 10 * np.sqrt(2.1 / 1000))
    assert total / 2_000_000 == pytest.approx(500 * 0.3 * 1e-3, rel=0.05)


def test_decay() -> None:
    """A single pulse decays by its constant, also one that is shorter than a sample."""
    for decay in (1e-3, 1e-4, 1e-7):
        wave = Pulses(
            Settings(rate=RATE, pulse_rate=1e-3, decay=decay), np.random.default_rng(1)
        )
        wave._next = 10.0
        values = wave.take(400)
        assert values[10] == pytest.approx(1.0)
        assert values[11] == pytest.approx(np.exp(-1 / (decay * RATE)), abs=1e-12)
        assert (values[:10] == 0).all() and np.isfinite(values).all()


@pytest.mark.parametrize(("rate", "decay"), [(10.0, 1e-4), (1e3, 1e-6), (1.0, 1e-12)])
def test_short_pulses(rate: float, decay: float) -> None:
    """Pulses of which nothing is left at the next sample stand alone, without an end."""
    settings = Settings(rate=rate, pulse_rate=rate / 4, decay=decay)
    wave = Pulses(settings, np.random.default_rng(1))
    with np.errstate(divide="raise", invalid="raise", over="raise"):
        values = np.concatenate([wave.take(1000) for _ in range(3)])
    assert np.isfinite(values).all() and wave.pulses > 500
    settings.pulse_rate, wave._next = 1e-9, 10.0
    values = wave.take(20)
    assert values[10] == 1.0 and np.count_nonzero(values) == 1


def test_converter() -> None:
    """Values become the nearest samples. Those beyond the range are cut, and counted."""
    converter = Converter(np.dtype("i2"), 12, 0.01, 1.0)
    found = converter.convert(np.array([1.0, 1.014, 0.0, 100.0, -100.0]))
    assert list(found) == [0, 1, -100, 2047, -2048] and converter.clipped == 2
    unsigned = Converter(np.dtype("u1"), 8, 1.0)
    assert list(unsigned.convert(np.array([-3.0, 300.0]))) == [0, 255]


def test_no_number() -> None:
    """NaN becomes 0, and is counted."""
    converter = Converter(np.dtype("i2"), 16, 1.0)
    found = converter.convert(np.array([np.nan, np.inf, -np.inf, 5.0]))
    assert list(found) == [0, 2**15 - 1, -(2**15), 5] and converter.clipped == 3


@pytest.mark.parametrize(
    ("dtype", "bits", "bottom", "top"),
    [
        ("i8", 64, -(2.0**63), 2.0**63),
        ("i8", 60, -(2.0**59), 2.0**59),
        ("u8", 64, 0.0, 2.0**64),
        ("i4", 32, -(2.0**31), 2.0**31 - 1),
    ],
)
def test_wide_samples(dtype: str, bits: int, bottom: float, top: float) -> None:
    """The largest samples of more than 53 bits are no doubles, and do not wrap."""
    converter = Converter(np.dtype(dtype), bits, 1.0)
    low, high = converter.convert(np.array([-1e30, 1e30]))
    assert int(low) == bottom and converter.clipped == 2
    assert top * (1 - 2**-52) <= int(high) <= int(top) - (bits > 53)


def test_times() -> None:
    """The times of many blocks do not drift, also where a sample takes no whole ns."""
    make_wave: Callable[..., Any] = make
    signals = Signals(
        [make_wave("sine")], Converter(np.dtype("i2"), 16, 1.0), Fraction(44100), "V", 1
    )
    event = [signals.take(1024) for _ in range(1000)][-1]
    assert event.time_ns == 999 * 1024 * 10**9 // 44100
