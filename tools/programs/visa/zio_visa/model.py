# SPDX-License-Identifier: GPL-2.0-only
"""The description of an instrument: a YAML file for each model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .fields import Fault, Field, read_file
from .settings import Setting, read_settings

MOST_SAMPLES = 1 << 26
# The letter of the struct module, and the type of a sample in numpy
FORMATS = {
    "u8": ("B", "u1"),
    "s8": ("b", "i1"),
    "u16": ("H", "u2"),
    "s16": ("h", "i2"),
    "u32": ("I", "u4"),
    "s32": ("i", "i4"),
    "f32": ("f", "f4"),
    "f64": ("d", "f8"),
    "ascii": ("", "f8"),
}


@dataclass(frozen=True)
class Wait:
    """How the program learns that an acquisition is over."""

    query: str
    until: re.Pattern[str] | None
    clear: int
    poll_s: float
    limit_s: float | None

    def is_over(self, answer: str) -> bool:
        """Tell what the answer to the query means. Raise ValueError for no number."""
        if self.until:
            return bool(self.until.fullmatch(answer))
        return not int(answer) & self.clear


@dataclass(frozen=True)
class Preamble:
    """Where the scale of samples is: a position in the answer to `query`, or a query of
    its own. value = (sample - origin - reference) * scale + offset
    """

    query: str
    places: dict[str, int | str]


@dataclass(frozen=True)
class SetModel:
    """Channels that the instrument acquires at the same time."""

    name: str
    channels: tuple[str, ...]
    nsamples: int
    max_samples: int
    arm: tuple[str, ...]
    wait: Wait | None
    abort: tuple[str, ...]
    select: tuple[str, ...]
    query: str
    format: str
    is_big_endian: bool
    unit: str
    scale: float | None
    offset: float
    resolution: float
    rate: float | None
    preamble: Preamble | None
    settings: tuple[Setting, ...]
    """Each channel has them."""

    @property
    def dtype(self) -> str:
        """The type of the samples in blocks: those of the instrument if their scale never
        changes, or else multiples of the resolution.
        """
        return FORMATS[self.format][1] if self.scale is not None else "i4"


@dataclass(frozen=True)
class Model:
    """A model of instruments."""

    file: Path
    match: re.Pattern[str]
    device: str
    timeout_s: float
    end: str
    errors: str
    init: tuple[str, ...]
    sets: tuple[SetModel, ...]
    settings: tuple[Setting, ...]


# --- read a file ------------------------------------------------------------------------


def _wait(field: Field) -> Wait:
    part = field.parts(("query", "until", "clear", "poll", "limit"), ("query",))
    if ("until" in part) == ("clear" in part):
        raise field.fault("give either until, a pattern, or clear, bits that become 0")
    return Wait(
        part["query"].command(),
        part["until"].pattern() if "until" in part else None,
        part["clear"].whole(1, 65535) if "clear" in part else 0,
        part["poll"].number(0.001, 60) if "poll" in part else 0.02,
        part["limit"].number(0.001, 86400) if "limit" in part else None,
    )


PLACES = ("scale", "offset", "reference", "origin", "period")


def _preamble(field: Field) -> Preamble:
    part = field.parts(("query", *PLACES))
    places: dict[str, int | str] = {}
    for name in PLACES:
        if name not in part:
            continue
        place = part[name]
        if place.is_number():
            if "query" not in part:
                raise place.fault("a position, but preamble.query is missing")
            places[name] = place.whole(0, 1000)
        else:
            places[name] = place.command(("channel",))
    if not places:
        raise field.fault(f"give at least one of {', '.join(PLACES)}")
    query = part["query"].command(("channel",)) if "query" in part else ""
    return Preamble(query, places)


SET_FIELDS = (
    "name channels nsamples max-samples arm wait abort select query format byte-order unit "
    "scale offset resolution rate preamble settings"
).split()


def _scale(field: Field, part: dict[str, Field]) -> float | None:
    """Return the constant scale of samples, if they have one."""
    if "scale" in part and "resolution" in part:
        raise part["resolution"].fault("the set has a scale: give one of the two")
    if "scale" not in part:
        if "resolution" not in part:
            raise field.fault("scale or resolution is missing")
        return None
    if part["format"].text() in ("f32", "f64", "ascii"):
        raise part["scale"].fault("the samples are fractions: give resolution instead")
    if "preamble" in part and set(PLACES[:-1]) & set(_preamble(part["preamble"]).places):
        raise part["scale"].fault("the preamble tells the scale: give resolution instead")
    value = part["scale"].number(-1e100, 1e100)
    if value == 0:
        raise part["scale"].fault("0 is no scale")
    return value


def _set(field: Field) -> SetModel:
    part = field.parts(SET_FIELDS, ("name", "channels", "query", "format", "unit"))
    words = ("channel", "nsamples")
    format_ = part["format"].choice(FORMATS)
    channels = tuple(each.text() for each in part["channels"].items())
    if not channels:
        raise part["channels"].fault("a set has at least one channel")
    most = part["max-samples"].whole(1, MOST_SAMPLES) if "max-samples" in part else 0
    preamble = _preamble(part["preamble"]) if "preamble" in part else None
    rate = part["rate"].number(1e-9, 4e9) if "rate" in part else None
    if preamble and rate and "period" in preamble.places:
        raise part["rate"].fault("the preamble tells the period: give one of the two")
    order = part["byte-order"].choice(("big", "little")) if "byte-order" in part else ""

    def commands(name: str, known: tuple[str, ...] = ()) -> tuple[str, ...]:
        return part[name].commands(known) if name in part else ()

    return SetModel(
        part["name"].identifier(15),
        channels,
        part["nsamples"].whole(1, most or MOST_SAMPLES) if "nsamples" in part else 16,
        most,
        commands("arm", ("nsamples",)),
        _wait(part["wait"]) if "wait" in part else None,
        commands("abort"),
        commands("select", words),
        part["query"].command(words),
        format_,
        order == "big",
        part["unit"].text(),
        _scale(field, part),
        part["offset"].number(-1e100, 1e100) if "offset" in part else 0.0,
        part["resolution"].number(1e-30, 1e30) if "resolution" in part else 1.0,
        rate,
        preamble,
        read_settings(part["settings"], ("channel",)) if "settings" in part else (),
    )


MODEL_FIELDS = ("match", "device", "timeout", "end", "errors", "init", "sets", "settings")


def read_model(file: Path) -> Model:
    """Return the model that a file describes. Raise Fault, or OSError."""
    part = read_file(file).parts(MODEL_FIELDS, ("match", "device", "sets"))
    fields = part["sets"].items()
    sets = tuple(map(_set, fields))
    if not sets:
        raise part["sets"].fault("an instrument has at least one set")
    for at, each in enumerate(sets):
        if each.name in [other.name for other in sets[:at]]:
            raise fields[at].fault(f"another set has the name {each.name}")
    return Model(
        file,
        part["match"].pattern(),
        part["device"].identifier(11),
        part["timeout"].number(0.01, 3600) if "timeout" in part else 5.0,
        part["end"].text() if "end" in part else "\n",
        part["errors"].text() if "errors" in part else "SYST:ERR?",
        part["init"].commands() if "init" in part else (),
        sets,
        read_settings(part["settings"]) if "settings" in part else (),
    )


# --- find a model -----------------------------------------------------------------------


def list_files(places: list[Path]) -> list[Path]:
    """Return the files of models. A name in an earlier place hides the same name later."""
    found: dict[str, Path] = {}
    for place in places:
        for file in sorted(place.glob("*.yaml")):
            found.setdefault(file.name, file)
    return list(found.values())


def read_all(places: list[Path]) -> Iterator[Model | Fault]:
    """Yield the models of some directories, and what is wrong with others."""
    for file in list_files(places):
        try:
            yield read_model(file)
        except Fault as fault:
            yield fault
        except OSError as error:
            yield Fault(f"{file}: {error.strerror}")
