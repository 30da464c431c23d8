# SPDX-License-Identifier: GPL-2.0-only
import numpy as np
import pytest
from zio_scope.spectrum import FLOOR_DB, WINDOWS, spectrum_db


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("count", [1024, 1000])
def test_a_sine_has_its_amplitude_at_its_frequency(window: str, count: int) -> None:
    sine = 7 + 10 * np.sin(2 * np.pi * 50 * np.arange(count) / count)
    found = spectrum_db(sine, window)
    assert len(found) == count // 2 + 1
    assert int(found.argmax()) == 50
    assert found[50] == pytest.approx(20, abs=0.01)
    assert found[0] < -100  # the mean is gone
    assert found[80:].max() < -90


def test_half_of_the_sample_rate() -> None:
    found = spectrum_db(np.tile([1.0, -1.0], 64), "rectangle")
    assert found[-1] == pytest.approx(0, abs=1e-9)


def test_silence_is_the_floor() -> None:
    assert set(spectrum_db(np.full(16, 3, dtype="u1"), "hann")) == {FLOOR_DB}


def test_gaps_count_as_the_mean() -> None:
    values = np.array([1.0, np.nan, 1.0, np.nan])
    assert spectrum_db(values, "hann").max() == FLOOR_DB


@pytest.mark.parametrize("values", [[], [1.0], [np.nan, np.nan]])
def test_nothing_to_transform(values: list[float]) -> None:
    assert len(spectrum_db(np.array(values), "hann")) == 0
