# SPDX-License-Identifier: GPL-2.0-only
"""Descriptions of instruments, and what zio-visa says of wrong ones"""

import re
from pathlib import Path

import pytest
from zio_visa.fields import Fault
from zio_visa.model import read_model

from .rig import HERE, PROGRAMS, run

GOOD = (HERE / "digitiser.yaml").read_text()
SHIPPED = sorted((PROGRAMS / "models").glob("*.yaml"))
# What is replaced in a good file, by what, and what zio-visa says: "LINE: text"
WRONG = {
    "no YAML": ("sets:", "sets: [", "5: not YAML: "),
    "unknown": (
        "    unit: V",
        "    units: V",
        "10: sets[0].units: no such field: did you",
    ),
    "missing": ("    unit: V\n", "", "5: sets[0]: unit is missing"),
    "twice": ("device: acme", "device: acme\ndevice: b", "4: device: given twice"),
    "pattern": ("'ACME", "'(ACME", "2: match: not a regular expression: "),
    "large pattern": (
        "'ACME",
        "'a{99999999999}",
        "2: match: not a regular expression: ",
    ),
    "deep pattern": (
        "'ACME",
        f"'{'(' * 9999}{')' * 9999}",
        "2: match: not a regular expression: ",
    ),
    "name": (
        "device: acme",
        "device: Acme",
        "3: device: Acme is not a name: use 1 to 11",
    ),
    "long name": ("acme", "a" * 12, "3: device: aaaaaaaaaaaa is not a name"),
    "number": ("scale: 0.25", "scale: much", "11: sets[0].scale: much is not a number"),
    "zero": ("scale: 0.25", "scale: 0", "11: sets[0].scale: 0 is no scale"),
    "range": ("nsamples: 5", "nsamples: 0", "7: sets[0].nsamples: 0 is not from 1 to"),
    "fraction": (
        "nsamples: 5",
        "nsamples: 5.5",
        "7: sets[0].nsamples: 5.5 is not a whole",
    ),
    "format": (
        "format: u8",
        "format: u9",
        "9: sets[0].format: u9 is none of u8, s8, u16",
    ),
    "fractions": (
        "format: u8",
        "format: ascii",
        "11: sets[0].scale: the samples are fract",
    ),
    "word": (
        "{nsamples}",
        "{count}",
        "8: sets[0].query: {count} is unknown here: there is",
    ),
    "list": ("[a]", "a", "6: sets[0].channels: write a list here"),
    "none": ("[a]", "[]", "6: sets[0].channels: a set has at least one channel"),
    "text": ("unit: V", "unit: [V]", "10: sets[0].unit: write a text here"),
    "both": (
        "rate: 1000",
        "resolution: 1",
        "13: sets[0].resolution: the set has a scale",
    ),
    "neither": ("    scale: 0.25\n", "", "5: sets[0]: scale or resolution is missing"),
    "wait": (
        "rate: 1000",
        "wait: {query: 'A?'}",
        "13: sets[0].wait: give either until, a pattern, or clear",
    ),
    "position": (
        "rate: 1000",
        "preamble: {period: 4}",
        "13: sets[0].preamble.period: a position, but preamble.query is missing",
    ),
    "two rates": (
        "rate: 1000",
        "rate: 1\n    preamble: {query: 'A?', period: 4}",
        "13: sets[0].rate: the preamble tells the period",
    ),
    "mapping": ("device: acme", "device: acme\n- x", "4: not YAML: "),
}


# A setting of the instrument, in line 15, and what is wrong with others: the place behind
# settings.level, and the cause
SETTING = """\
settings:
  level: {query: 'LEV?', set: ['LEV {value}'], limits: [-5, 5]}
"""
WRONG_SETTINGS = {
    "name": ("level", "Level", "15: settings.Level: Level is not a name: use 1 to 31"),
    "unknown": ("limits", "limit", "15: settings.level.limit: no such field: did you"),
    "no query": ("query: 'LEV?', ", "", "15: settings.level: query is missing"),
    "no command": (
        "['LEV {value}']",
        "[]",
        "15: settings.level.set: no command has {val",
    ),
    "no value": ("{value}", "1", "15: settings.level.set: no command has {value}"),
    "channel": (
        "{value}",
        "{channel}",
        "15: settings.level.set[0]: {channel} is unknown",
    ),
    "three": (
        "5]",
        "5, 6]",
        "15: settings.level.limits: write the smallest and the larg",
    ),
    "order": ("-5", "5", "15: settings.level.limits: 5 is not smaller than 5"),
    "signed": ("5]", "4e9]", "15: settings.level.limits[1]: 4e+09 is not from -2.14748e"),
    "scale": ("limits", "scale: 0, limits", "15: settings.level.scale: 0 is not from 1e"),
    "both": ("limits", "choices: [1], limits", "15: settings.level.limits: the choices"),
    "none": ("limits: [-5, 5]", "choices: []", "15: settings.level.choices: 0 choices"),
    "double": (
        "limits: [-5, 5]",
        "choices: [1, 1.0]",
        "15: settings.level.choices[1]: 1",
    ),
    "word": ("limits: [-5, 5]", "choices: {a: DC}", "15: settings.level.choices.a: a is"),
    "bits": (
        "limits: [-5, 5]",
        "choices: [-1, 4000000000]",
        "15: settings.level.choices",
    ),
    "words": (
        "limits: [-5, 5]",
        "choices: {1: DC}, scale: 2",
        "15: settings.level.scale: the choices are words",
    ),
    "twice": ("}\n", "}\n  level: {}\n", "16: settings.level: given twice"),
    "list": ("  level: ", "- ", "15: settings: write a mapping here"),
}


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_shipped(file: Path) -> None:
    done = run("check", file)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.match(rf"{file}: \w+: \w+ \(\d channels\)\n", done.stdout)


@pytest.mark.parametrize("name", WRONG)
def test_wrong(name: str, tmp_path: Path) -> None:
    old, new, said = WRONG[name]
    assert old in GOOD
    file = tmp_path / "wrong.yaml"
    file.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(Fault) as caught:
        read_model(file)
    assert str(caught.value).startswith(f"{file}:{said}")


@pytest.mark.parametrize("name", WRONG_SETTINGS)
def test_wrong_setting(name: str, tmp_path: Path) -> None:
    old, new, said = WRONG_SETTINGS[name]
    assert old in SETTING
    file = tmp_path / "wrong.yaml"
    file.write_text(GOOD + SETTING.replace(old, new, 1))
    with pytest.raises(Fault) as caught:
        read_model(file)
    assert str(caught.value).startswith(f"{file}:{said}")


@pytest.mark.parametrize(
    ("change", "value", "word"),
    [
        ("limits: [-5, 5]", -5, "-5"),
        ("scale: 1e-3, limits: [-5, 5]", -5, "-0.005"),
        ("scale: 1e-9", 4_000_000_000, "4"),
        ("choices: [1, 10]", 10, "10"),
        ("choices: {0: DC, 1: AC}", 1, "AC"),
        ("choices: {0: 0.02, 7: 10}", 7, "10"),
    ],
)
def test_setting(change: str, value: int, word: str, tmp_path: Path) -> None:
    """The word for a value, and the value of an answer."""
    file = tmp_path / "good.yaml"
    file.write_text(GOOD + SETTING.replace("limits: [-5, 5]", change))
    (setting,) = read_model(file).settings
    assert setting.word(value) == word
    assert setting.accepts(value) and not setting.accepts(1 << 32)
    number = f"{float(word):+.6E}" if word != "AC" else '"ac"'
    assert setting.number(word) == setting.number(number) == value


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", ": the file is empty"),
        (b"\xff\xfe\xfd", ": not UTF-8: "),
        (b"- a\n", ":1: write a mapping here"),
        (b"a: \x00", ": not YAML: "),
        pytest.param(b"[" * 9999, ": not YAML: it is nested too deeply", id="deep"),
    ],
)
def test_no_model(content: bytes, said: str, tmp_path: Path) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_bytes(content)
    done = run("check", file, HERE / "digitiser.yaml")
    assert done.returncode == 1
    assert f"zio-visa: {file}{said}" in done.stderr
    assert "digitiser.yaml: acme: counts (1 channels)" in done.stdout


def test_same_set_twice(tmp_path: Path) -> None:
    file = tmp_path / "two.yaml"
    file.write_text(GOOD + GOOD.partition("sets:\n")[2])
    assert (
        "two.yaml:14: sets[1]: another set has the name counts"
        in run("check", file).stderr
    )


def test_missing_file() -> None:
    done = run("check", "/nowhere/x.yaml")
    assert done.returncode == 1
    assert done.stderr == "zio-visa: /nowhere/x.yaml: No such file or directory\n"
