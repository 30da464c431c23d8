# SPDX-License-Identifier: GPL-2.0-only
"""zioread.m reads in Octave what the library reads"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import zio
from zio import lib

from .conftest import EXAMPLES, LANGUAGES, header_numbers, run

HERE = Path(__file__).parent
READER = LANGUAGES / "zioread.m"
OCTAVE = ["octave-cli", "-q", "--norc", "--path", LANGUAGES]


@dataclass
class Case:
    """A block file: its samples, numbers, and what its controls have"""

    kind: str = "i2"
    numbers: Iterable[int] = (0, 1, 2)
    nsamples: int = 8
    words: dict[str, Any] = field(default_factory=dict)
    flags: int = 0
    channels: Iterable[str] = ("adc-0-1",)
    attributes: dict[int, int] = field(default_factory=dict)
    trigger: dict[int, int] = field(default_factory=dict)
    mask: int = 0
    shorter: bool = False

    def control(self, seq: int, name: str) -> Any:
        control = zio.make_control(
            name, 1_700_000_000 + seq % 1000, seq=seq, **self.words
        )
        control["flags"] |= np.uint32(self.flags)
        set_attributes(control["attr_channel"], self.attributes)
        set_attributes(control["attr_trigger"], self.trigger)
        if self.mask:
            control["flags"] |= np.uint32(lib.ZIO_CONTROL_INTERLEAVE_DATA)
            control["tlv"]["type"], control["tlv"]["length"] = lib.ZIO_TLV_CHANNELS, 1
            control["tlv"]["payload"] = np.array([self.mask], "u8").view("u1")
        return control

    def write(self, path: Path) -> None:
        random = np.random.default_rng(1)
        with zio.open(str(path), create=True) as out:
            for at, seq in enumerate(self.numbers):
                count = self.nsamples - (at if self.shorter else 0)
                for name in self.channels:
                    samples = random.bytes(count * int(self.kind[1:]))
                    out.write(np.frombuffer(samples, self.kind), self.control(seq, name))


def set_attributes(part: Any, values: dict[int, int]) -> None:
    for index, value in values.items():
        part["std_mask"] |= np.uint16(1 << index)
        part["std_val"][index] = value & 0xFFFFFFFF


VOLTS = {"unit": "V", "scale": 0.001, "offset": -0.5}
CASES = {
    **{f"plain-{kind}": Case(kind) for kind in "i1 i2 i4 i8 u1 u2 u4 u8".split()},
    "volts": Case(words={**VOLTS, "rate": 1000}),
    "12-bits": Case(words={**VOLTS, "nbits": 12}),
    "12-bits-above": Case("u2", words={"nbits": 12}, flags=lib.ZIO_CONTROL_MSB_ALIGN),
    "60-bits": Case("i8", words={"nbits": 60}, flags=lib.ZIO_CONTROL_MSB_ALIGN),
    "gap": Case(numbers=(3, 4, 7, 8)),
    "counts-anew": Case(numbers=(7, 8, 0, 1)),
    "wraps": Case(numbers=(2**32 - 2, 1, 2)),
    "wraps-far": Case(numbers=(2**32 - 2, 2**23)),
    "wraps-too-far": Case(numbers=(2**32 - 2, 2**25)),
    "long-gap": Case(numbers=(0, 10**8)),
    "far": Case(numbers=(0, 2**31 + 1, 2**31 + 3)),
    "two": Case(channels=("adc-0-1", "b.c-2-1-70", "adc-0-0"), numbers=(0, 2)),
    "before": Case(words={"rate": 10}, trigger={lib.ZIO_ATTR_TRIG_PRE_SAMP: 3}),
    "old-rate": Case(attributes={lib.ZIO_ATTR_MAXRATE: 10}),
    "no-rate": Case(
        attributes={lib.ZIO_ATTR_MAXRATE: 10}, trigger={lib.ZIO_ATTR_TRIG_EPOCH: 7}
    ),
    "interleaved": Case(words={"rate": 10}, mask=0x8000000000000101, nsamples=9),
    "shorter": Case(shorter=True, words={"rate": 4}),
    "empty": Case(numbers=()),
    "no-samples": Case(nsamples=0),
}  # fmt: skip


def expect(path: Path) -> list[dict[str, Any]]:
    """Return the channels by name, as the library reads them."""
    found: dict[str, list[zio.Block]] = {}
    with zio.open(str(path)) as ch:
        for block in ch.take(1000):
            found.setdefault(block.channel, []).append(block)
    return [expect_channel(found[name]) for name in sorted(found)]


def expect_channel(blocks: list[zio.Block]) -> dict[str, Any]:
    timeline = zio.Timeline()
    places = [timeline.add(block) for block in blocks]
    rows = max(map(len, blocks))
    values: list[float] = []
    times: list[float] = []
    for block, place in zip(blocks, places, strict=True):
        missing = place.lost + place.taken
        missing = missing if missing * rows <= 1e6 else 1
        rest = [np.nan] * (rows - len(block))
        for columns in (values, times):
            columns += [np.nan] * (rows * missing)
        values += [*(block.values() if len(block) else []), *rest]
        times += [*seconds_of(block, place, places[0]), *rest]
    return {
        "name": blocks[0].channel,
        "unit": blocks[0].unit,
        "time_ns": [place.event_ns for place in places],
        "rate": [float(rate_of(place) or np.nan) for place in places],
        "seq": [block.seq for block in blocks],
        **{
            name: [getattr(place, name) for place in places]
            for name in ("lost", "taken", "missed")
        },
        "outage": ["outage" in place.breaks for place in places],
        "values": values,
        "time": times,
    }


def rate_of(place: zio.Place) -> Fraction | None:
    """Return the rate of a control. An estimate of the library is no time axis."""
    return place.rate if place.rate_source == "control" else None


def seconds_of(block: zio.Block, place: zio.Place, first: zio.Place) -> list[float]:
    """Return the times of all samples after the event of the first block."""
    in_turn, pre = max(block.scaling.n_channels, 1), place.pre
    origin = sum_ps(first.sample_time(first.pre))
    known = rate_of(place) is not None
    numbers = [n // in_turn if known else pre for n in range(len(block))]
    return [(sum_ps(place.sample_time(n)) - origin) / 1e12 for n in numbers]


def sum_ps(time: tuple[int, int]) -> int:
    return time[0] * 1000 + time[1]


# --- random recordings


def random_controls(random: Random) -> Iterator[Any]:
    """Yield controls of one channel, in which anything changes that a timeline reads."""
    has_lost, has_missed, has_epoch = (random.random() < 0.7 for _ in range(3))
    rate = random.choice([None, 1000, 1411200 / 29, 1 / 60, 44100.1])
    seq, epoch, ns = random.choice([0, 5, 2**32 - 4]), 1, 1_700_000_000 * 10**9
    trigger = {lib.ZIO_ATTR_TRIG_PRE_SAMP: random.choice([0, 0, 3])}
    for _ in range(random.randint(1, 12)):
        control = zio.make_control("adc-0-1", rate=rate, seq=seq % 2**32)
        stamp = control["tstamp"]
        stamp["secs"], stamp["ticks"] = divmod(ns, 10**9)
        control["zio_alarms"] = random.choice([0, 0, 1, 2, 3])
        if random.random() < 0.2:
            set_attributes(control["attr_channel"], {lib.ZIO_ATTR_MAXRATE: 50})
        if has_lost:
            trigger[lib.ZIO_ATTR_TRIG_LOST] = random.choice([0, 0, 1, 5])
        if has_missed:
            trigger[lib.ZIO_ATTR_TRIG_MISSED] = random.choice([0, 0, 4])
        if has_epoch:
            trigger[lib.ZIO_ATTR_TRIG_EPOCH] = epoch
        if random.random() < 0.5:
            first = random.randint(-(10**10), 10**10)
            trigger[lib.ZIO_ATTR_TRIG_FIRST_LOW] = first
            trigger[lib.ZIO_ATTR_TRIG_FIRST_HIGH] = first >> 32
        set_attributes(control["attr_trigger"], trigger)
        yield control
        ns += random.randint(-(10**8), 10**9)
        seq += random.choice([1, 1, 1, 2, 4])
        if random.random() < 0.1:
            seq = random.randint(0, 9)
        if random.random() < 0.1:
            epoch += 1
        if random.random() < 0.1:
            rate = 2000


def test_random_recordings(tmp_path: Path) -> None:
    """All results are those of the library."""
    paths = [tmp_path / f"{seed}" for seed in range(200)]
    for seed, path in enumerate(paths):
        random = Random(seed)
        with zio.open(str(path), create=True) as out:
            for control in random_controls(random):
                out.write(np.arange(random.randint(1, 6), dtype="i2"), control)
    found = read(paths)
    for path in paths:
        (wanted,) = expect(path)
        (got,) = found[path.name]
        compare(got, wanted, path.name)


def parse(text: str) -> list[dict[str, Any]]:
    channels: list[dict[str, Any]] = []
    for line in text.splitlines():
        name, _, rest = line.partition(" ")
        if name == "name":
            channels.append({})
        if name == "error":
            channels.append({"error": rest})
        elif name in ("name", "unit"):
            channels[-1][name] = rest
        else:
            kind: type = int if name == "time_ns" else float
            channels[-1][name] = [kind(word) for word in rest.split()]
    return channels


def read(paths: Iterable[Path]) -> dict[str, list[dict[str, Any]]]:
    """Read all files in one Octave, as it takes long to start."""
    said = run(*OCTAVE, HERE / "show_channels.m", *paths)
    files = re.findall(r"^file (.*)\n((?:(?!file ).*\n)*)", said, re.M)
    return {Path(name).name: parse(text) for name, text in files}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    work = tmp_path_factory.mktemp("files")
    for name, case in CASES.items():
        case.write(work / name)
    return work


@pytest.fixture(scope="module")
def channels(written: Path) -> dict[str, list[dict[str, Any]]]:
    return read(written / name for name in CASES)


@pytest.mark.parametrize("name", CASES)
def test_file(name: str, channels: Any, written: Path) -> None:
    wanted = expect(written / name)
    assert [each["name"] for each in channels[name]] == [one["name"] for one in wanted]
    for found, one in zip(channels[name], wanted, strict=True):
        compare(found, one, name)


def compare(found: dict[str, Any], wanted: dict[str, Any], name: str) -> None:
    for key, value in wanted.items():
        if isinstance(value, str) or key == "time_ns":
            assert found[key] == value
        else:
            about = f"{name}: {key}"
            np.testing.assert_allclose(found[key], value, 1e-14, 1e-9, err_msg=about)


def test_damaged_files(recording: Path, tmp_path: Path) -> None:
    blocks = recording.read_bytes()
    versions = blocks[:712] + b"\2" + blocks[713:]
    other = zio.make_control(unit="V")
    other["attr_channel"]["std_val"][lib.ZIO_ATTR_UNIT] = 99
    damaged = {
        "control": (blocks[:1000], "the file ends within the control at byte 712"),
        "data": (blocks[:-1], "the file ends within block 8"),
        "version": (versions, "no block of this version .* begins at byte 712"),
        "unit": (other.tobytes(), "zioread does not know this scale or unit"),
    }
    for name, (content, _) in damaged.items():
        (tmp_path / name).write_bytes(content)
    found = read([*(tmp_path / name for name in damaged), tmp_path / "none"])
    for name, (_, text) in damaged.items():
        assert re.search(f"{name}: {text}", found[name][0]["error"])
    assert "No such file" in found["none"][0]["error"]


def test_example(recording: Path, expected: str, tmp_path: Path) -> None:
    shutil.copy(recording, tmp_path / "run.zio")
    assert run(*OCTAVE, EXAMPLES / "peaks.m", cwd=tmp_path) == expected


def test_numbers(tmp_path: Path) -> None:
    """The reader has the numbers of the header."""
    text = READER.read_text()
    numbers = {word: int(n) for word, n in re.findall(r"^n\.(\w+) = (\d+);", text, re.M)}
    for path, n in re.findall(r"^at\.([\w.]+) = (\d+);", text, re.M):
        member = re.sub("^addr_", "addr.", path).replace("tlv.", "tlv[0].")
        word = f"offsetof(struct zio_control, {member})"
        numbers["sizeof(struct zio_control)" if "end_of" in path else word] = int(n)
    assert len(numbers) > 30
    assert header_numbers(numbers, tmp_path) == numbers


def test_units() -> None:
    listed = re.search(r"^names = \{(.*?)\};", READER.read_text(), re.M | re.S)
    assert listed and re.findall(r"'(.*?)'", listed[1]) == [
        "none",
        *list(zio._make.unit_numbers())[2:],
    ]
