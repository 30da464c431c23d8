# SPDX-License-Identifier: GPL-2.0-only
"""zioread.m reads in Octave what the library reads"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
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
    pre_samples: int = 0
    mask: int = 0
    shorter: bool = False

    def control(self, seq: int, name: str) -> Any:
        control = zio.make_control(
            name, 1_700_000_000 + seq % 1000, seq=seq, **self.words
        )
        control["flags"] |= np.uint32(self.flags)
        for index, value in self.attributes.items():
            control["attr_channel"]["std_mask"] |= np.uint16(1 << index)
            control["attr_channel"]["std_val"][index] = value
        if self.pre_samples:
            control["attr_trigger"]["std_mask"] = 1 << lib.ZIO_ATTR_TRIG_PRE_SAMP
            at = lib.ZIO_ATTR_TRIG_PRE_SAMP
            control["attr_trigger"]["std_val"][at] = self.pre_samples
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


VOLTS = {"unit": "V", "scale": 0.001, "offset": -0.5}
OLD_SCALE = {
    lib.ZIO_ATTR_UNIT: 2,
    lib.ZIO_ATTR_SCALE_MANT: 2**32 - 5,
    lib.ZIO_ATTR_SCALE_EXP: 2**32 - 3,
    lib.ZIO_ATTR_OFFSET: 2**32 - 7,
}
CASES = {
    **{f"plain-{kind}": Case(kind) for kind in "i1 i2 i4 i8 u1 u2 u4 u8".split()},
    "volts": Case(words={**VOLTS, "rate": 1000}),
    "12-bits": Case(words={**VOLTS, "nbits": 12}),
    "12-bits-above": Case("u2", words={"nbits": 12}, flags=lib.ZIO_CONTROL_MSB_ALIGN),
    "60-bits": Case("i8", words={"nbits": 60}, flags=lib.ZIO_CONTROL_MSB_ALIGN),
    "old-scale": Case(attributes=OLD_SCALE),
    "gap": Case(numbers=(3, 4, 7, 8)),
    "counts-anew": Case(numbers=(7, 8, 0, 1)),
    "wraps": Case(numbers=(2**32 - 2, 1, 2)),
    "wraps-far": Case(numbers=(2**32 - 2, 2**23)),
    "wraps-too-far": Case(numbers=(2**32 - 2, 2**25)),
    "long-gap": Case(numbers=(0, 10**8)),
    "far": Case(numbers=(0, 2**31 + 1, 2**31 + 3)),
    "two": Case(channels=("adc-0-1", "b.c-2-1-70", "adc-0-0"), numbers=(0, 2)),
    "before": Case(words={"rate": 10}, pre_samples=3),
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
    rows = max(map(len, blocks))
    values, times = [], []
    for block in blocks:
        lost = block.lost if block.lost * rows <= 1e6 else 1
        rest = [np.nan] * (rows - len(block))
        for columns in (values, times):
            columns += [np.nan] * (rows * lost)
        values += [*(block.values() if len(block) else []), *rest]
        times += [*block.times(start=blocks[0].time), *rest]
    return {
        "name": blocks[0].channel,
        "unit": blocks[0].unit,
        "time_ns": [block.time_ns for block in blocks],
        "rate": [blocks[0].rate or np.nan],
        "seq": [block.seq for block in blocks],
        "lost": [block.lost for block in blocks],
        "values": values,
        "time": times,
    }


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
        for key, value in one.items():
            if isinstance(value, str):
                assert found[key] == value
            else:
                np.testing.assert_allclose(found[key], value, 1e-14, 1e-9, err_msg=key)


def test_damaged_files(recording: Path, tmp_path: Path) -> None:
    blocks = recording.read_bytes()
    versions = blocks[:712] + b"\2" + blocks[713:]
    other = zio.make_control(unit="V")
    other["attr_channel"]["std_val"][lib.ZIO_ATTR_UNIT] = 99
    damaged = {
        "control": (blocks[:1000], "the file ends within the control at byte 712"),
        "data": (blocks[:-1], "the file ends within block 8"),
        "version": (versions, "no block of this version .* begins at byte 712"),
        "unit": (other.tobytes(), "a scale or a unit that zioread does not know"),
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
