# SPDX-License-Identifier: GPL-2.0-only
"""Whatever a recording is, each format gives it back.

The recordings are random: see recordings.py. ZIO_SEED decides on them, or the commit;
ZIO_FORMAT_EXAMPLES tells how many each test tries. A test that fails prints the smallest
recording that it has found, and the seed.
"""

import io
import os
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, note, seed, settings
from hypothesis import strategies as st
from zio_nexus.cli import main

from zio_testing.common import seed_of_commit

from . import readers
from .conftest import TOOLS
from .readers import Found
from .recordings import PERIOD, RATES, Wave, waves, write

SEED = seed_of_commit()
EXAMPLES = int(os.environ.get("ZIO_FORMAT_EXAMPLES", "25"))
Reader = Callable[[Path, Wave], Found]
OK, LOST = 0, 4


def given_recordings(*strategies: Any) -> Callable[[Any], Any]:
    """Run a test with random recordings."""

    def wrap(test: Any) -> Any:
        chosen = settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            print_blob=True,
            suppress_health_check=list(HealthCheck),
        )
        return seed(SEED)(chosen(given(*strategies)(test)))

    return wrap


def convert(recording: list[Wave], to: Path, *words: str) -> Path:
    """Make a block file of a recording, and let zio-nexus convert it."""
    note(f"ZIO_SEED={SEED}")
    source = to.with_suffix(".zio")
    write(source, recording)
    status = LOST if any(wave.lost for wave in recording) else OK
    said = io.StringIO()
    with redirect_stderr(said):
        found = main([str(source), "-o", str(to), "--max-fill=1d", *words])
    note(said.getvalue())
    assert found == status, said.getvalue()
    return to


def amplitude(values: np.ndarray[Any, Any]) -> float:
    """Return the amplitude of a sine with the period of all recordings."""
    angles = 2 * np.pi * np.arange(len(values)) / PERIOD
    is_there = ~np.isnan(values)
    model = np.column_stack((np.sin(angles), np.cos(angles), np.ones(len(values))))
    found = np.linalg.lstsq(model[is_there], values[is_there], rcond=None)[0]
    return float(np.hypot(found[0], found[1]))


def check(wave: Wave, found: Found) -> None:
    wanted = wave.values()
    assert found.values.shape == wanted.shape
    assert np.array_equal(np.isnan(found.values), np.isnan(wanted))
    swing = wave.scale * 2.0**wave.kind.nbits
    assert np.nanmax(abs(found.values - wanted)) < 1e-4 * swing
    if len(wanted) > 2 * PERIOD and wave.mask().sum() > PERIOD:
        for got, right in zip(found.values.T, wanted.T):
            assert amplitude(got) == pytest.approx(amplitude(right), rel=1e-2)
    if found.rate is not None:
        assert found.rate == pytest.approx(wave.rate, rel=1e-6)
    if found.end_ns is not None:
        assert abs(found.end_ns - wave.time_ns(len(wanted) - 1)) <= 1
    if found.unit is not None:
        assert found.unit == wave.unit


@given_recordings(waves())
def test_wav(wave: Wave) -> None:
    with tempfile.TemporaryDirectory() as place:
        path = convert([wave], Path(place, "a.wav"))
        check(wave, readers.read_wav(path, wave))


@given_recordings(st.tuples(waves(chan=1), waves(chan=2)))
def test_two_wav(recording: tuple[Wave, Wave]) -> None:
    """Each channel has a file, and so a rate of its own."""
    with tempfile.TemporaryDirectory() as place:
        first, second = sorted(recording, key=lambda wave: wave.start_ns)
        path = convert([first, second], Path(place, "a.wav"))
        for wave in first, second:
            name = path.with_name(f"a-{wave.kind.name}.wav")
            check(wave, readers.read_wav(name, wave))


@st.composite
def together(draw: Any) -> tuple[Wave, Wave]:
    """Draw two channels of one rate. One may begin some scans after the other."""
    rate = draw(st.sampled_from(RATES))
    pair = draw(waves(chan=1, rate=rate)), draw(waves(chan=2, rate=rate))
    pair[1].start_ns = pair[0].time_ns(draw(st.integers(0, 100)))
    return pair


@given_recordings(together())
def test_sr(recording: tuple[Wave, Wave]) -> None:
    """All channels have one rate, and begin together."""
    with tempfile.TemporaryDirectory() as place:
        path = convert(list(recording), Path(place, "a.sr"))
        for wave in recording:
            check(wave, readers.read_sr(path, wave))


@given_recordings(waves())
def test_csv(wave: Wave) -> None:
    with tempfile.TemporaryDirectory() as place:
        path = convert([wave], Path(place, "a.csv"), "-u")
        check(wave, readers.read_csv(path, wave))


@st.composite
def whole_rates(draw: Any) -> tuple[Wave, Wave]:
    """Draw two channels whose controls have their rates, and with as many columns."""
    rates = st.sampled_from([rate for rate in RATES if rate == int(rate)])
    pair = tuple(draw(waves(chan=chan, rate=draw(rates))) for chan in (1, 2))
    pair[1].kind.mask = pair[0].kind.mask
    return pair


@given_recordings(whole_rates())
def test_csv_of_two_rates(recording: tuple[Wave, Wave]) -> None:
    """Each channel has the rate that its controls tell."""
    with tempfile.TemporaryDirectory() as place:
        path = convert(list(recording), Path(place, "a.csv"), "-u")
        for wave in recording:
            check(wave, readers.read_csv(path, wave))


def dump(recording: list[Wave], to: Path, *words: str) -> Path:
    """Let zio-dump print a recording."""
    note(f"ZIO_SEED={SEED}")
    source = to.with_suffix(".zio")
    write(source, recording)
    command = [TOOLS / "bin/zio", "dump", "-u", "-f", "csv", *words, source]
    with open(to, "wb") as file:
        done = subprocess.run(
            command, stdout=file, stderr=subprocess.DEVNULL, check=False
        )
    assert done.returncode == (LOST if any(wave.lost for wave in recording) else OK)
    return to


@given_recordings(waves())
def test_dump(wave: Wave) -> None:
    with tempfile.TemporaryDirectory() as place:
        path = dump([wave], Path(place, "a.csv"))
        check(wave, readers.read_dump(path, wave))


@given_recordings(whole_rates())
def test_dump_of_two_rates(recording: tuple[Wave, Wave]) -> None:
    with tempfile.TemporaryDirectory() as place:
        path = dump(list(recording), Path(place, "a.csv"))
        for wave in recording:
            check(wave, readers.read_dump(path, wave))


@given_recordings(waves())
def test_npy(wave: Wave) -> None:
    with tempfile.TemporaryDirectory() as place:
        path = convert([wave], Path(place, "a.npy"), "-u")
        check(wave, readers.read_npy(path, wave))


TABLES = {"npz": readers.read_npz, "parquet": readers.read_parquet}


@pytest.mark.parametrize("suffix", TABLES)
@given_recordings(st.tuples(waves(chan=1), waves(chan=2)))
def test_tables(suffix: str, recording: tuple[Wave, Wave]) -> None:
    if suffix == "parquet":
        pytest.importorskip("pyarrow.parquet", reason="no pyarrow here")
    with tempfile.TemporaryDirectory() as place:
        path = convert(list(recording), Path(place, f"a.{suffix}"), "-u")
        for wave in recording:
            check(wave, TABLES[suffix](path, wave))


@given_recordings(waves())
def test_hdf5(wave: Wave) -> None:
    """It gives the block file back, byte for byte, and other formats the same."""
    with tempfile.TemporaryDirectory() as place:
        path = convert([wave], Path(place, "a.nxs"), f"--rate={wave.rate}")
        check(wave, readers.read_hdf(path, wave))
        back = Path(place, "back.zio")
        assert main(["cat", str(path), "-o", str(back)]) == OK
        assert back.read_bytes() == path.with_suffix(".zio").read_bytes()


RAW = {
    "csv": lambda path, wave: np.loadtxt(
        path, wave.dtype, delimiter=",", skiprows=1, usecols=range(5, 5 + wave.columns)
    ),
    "npz": lambda path, wave: np.load(path)[wave.kind.name],
    "npy": lambda path, wave: np.load(path),
}


@pytest.mark.parametrize("suffix", RAW)
@given_recordings(waves())
def test_raw(suffix: str, wave: Wave) -> None:
    """Raw numbers are what the board gave; npy has 0 for those that are lost."""
    with tempfile.TemporaryDirectory() as place:
        path = convert([wave], Path(place, f"a.{suffix}"))
        found = RAW[suffix](path, wave).reshape(-1, wave.columns)
        wanted = wave.raw()
        if suffix == "npy":
            wanted[~wave.mask()] = 0
        else:
            wanted = wanted[wave.mask()]
        assert found.dtype == wanted.dtype
        assert np.array_equal(found, wanted)
