# SPDX-License-Identifier: GPL-2.0-only
"""Parses and checks what a client wants to see."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from .crossing import RISING, SLOPES
from .samples import KEPT_BLOCKS
from .spectrum import WINDOWS

MAX_WIDTH = 8192
MAX_CHANNELS = 8
MIN_RATE, MAX_RATE = 1e-9, 1e12
MODES = ("off", "auto", "normal", "single")


class BadRequest(Exception):
    """The daemon refuses a request. The text names the field and says what to send."""


@dataclass(frozen=True)
class Trigger:
    """The display trigger. "auto" draws even without a crossing, "normal" does not, and
    "single" pauses after the first crossing. An empty @channel means the first one."""

    mode: str = "off"
    channel: str = ""
    level: float = 0.0
    slope: str = RISING


@dataclass(frozen=True)
class View:
    """@width is in pixels. @range is in samples; None shows all. @blocks is the number of
    blocks in the picture. @spectrum names the channel and the window. @rate is the sample
    rate of channels whose controls do not state it."""

    serial: int = 0
    channels: tuple[str, ...] = ()
    width: int = 1000
    blocks: int = 1
    range: tuple[float, float] | None = None
    paused: bool = False
    trigger: Trigger = field(default_factory=Trigger)
    spectrum: tuple[str, str] | None = None
    rate: float | None = None


def _integer(
    message: dict[str, Any], name: str, low: int, high: int, default: int
) -> int:
    value = message.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise BadRequest(f"view: {name}: use an integer from {low} to {high}")
    return value


def _finite(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BadRequest(f"view: {name}: use a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise BadRequest(f"view: {name}: use a finite number")
    return number


def _choice(value: Any, name: str, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise BadRequest(f"view: {name}: use one of {', '.join(choices)}")
    return str(value)


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str) or len(value) > 4096:
        raise BadRequest(f"view: {name}: use the name of a channel")
    return value


def _channels(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > MAX_CHANNELS:
        raise BadRequest(f"view: channels: use a list of up to {MAX_CHANNELS} names")
    return tuple(dict.fromkeys(_text(name, "channels") for name in value))


def _range(value: Any) -> tuple[float, float] | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2:
        raise BadRequest("view: range: use two numbers, or null")
    low, high = (_finite(edge, "range") for edge in value)
    if low >= high:
        raise BadRequest("view: range: use a first number below the second")
    return low, high


def _trigger(value: Any) -> Trigger:
    if value is None:
        return Trigger()
    if not isinstance(value, dict):
        raise BadRequest("view: trigger: use an object, or null")
    return Trigger(
        mode=_choice(value.get("mode", "off"), "trigger.mode", MODES),
        channel=_text(value.get("channel", ""), "trigger.channel"),
        level=_finite(value.get("level", 0), "trigger.level"),
        slope=_choice(value.get("slope", RISING), "trigger.slope", SLOPES),
    )


def _spectrum(value: Any) -> tuple[str, str] | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise BadRequest("view: spectrum: use an object, or null")
    window = _choice(value.get("window", "hann"), "spectrum.window", WINDOWS)
    return _text(value.get("channel", ""), "spectrum.channel"), window


def _rate(value: Any) -> float | None:
    if value is None:
        return None
    rate = _finite(value, "rate")
    if not MIN_RATE <= rate <= MAX_RATE:
        raise BadRequest(f"view: rate: use a number from {MIN_RATE:g} to {MAX_RATE:g}")
    return rate


def parse_view(message: dict[str, Any]) -> View:
    """Return the view described by @message. Raise BadRequest if a field is wrong."""
    paused = message.get("paused", False)
    if not isinstance(paused, bool):
        raise BadRequest("view: paused: use true or false")
    return View(
        serial=_integer(message, "serial", 0, 2**32 - 1, 0),
        channels=_channels(message.get("channels", [])),
        width=_integer(message, "width", 16, MAX_WIDTH, 1000),
        blocks=_integer(message, "blocks", 1, KEPT_BLOCKS, 1),
        range=_range(message.get("range")),
        paused=paused,
        trigger=_trigger(message.get("trigger")),
        spectrum=_spectrum(message.get("spectrum")),
        rate=_rate(message.get("rate")),
    )
