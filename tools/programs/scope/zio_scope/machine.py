# SPDX-License-Identifier: GPL-2.0-only
"""The channel sets of this machine: statistics, trigger state and settings."""

from __future__ import annotations

import errno
import time
from dataclasses import dataclass
from typing import Any

import zio


class Refused(Exception):
    """The daemon or the kernel refuses a setting. The text is for the user."""


@dataclass(frozen=True)
class Setting:
    """An attribute that the page shows. @choices is empty if any text may be valid."""

    object: str
    attribute: str
    value: str
    writable: bool
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class ChannelCounts:
    """The kernel's counters of a channel."""

    name: str
    enabled: bool
    blocks: int
    bytes: int
    lost: int
    queued: int


@dataclass(frozen=True)
class SetState:
    """A channel set: its counters, settings and channels."""

    name: str
    trigger: str
    trigger_enabled: bool
    enabled: bool
    fired: int
    lost_triggers: int
    settings: tuple[Setting, ...]
    channels: tuple[ChannelCounts, ...]
    time: float = 0.0
    """When the counters were read: CLOCK_MONOTONIC."""
    fired_per_s: float = 0.0


def _text(obj: Any, attribute: str, default: str = "") -> str:
    """Return an attribute, or @default if the object does not have it. Raise OSError if
    the device is gone."""
    try:
        return str(obj.text(attribute))
    except OSError as error:
        if error.errno == errno.ENODEV:
            raise
        return default


def _count(obj: Any, attribute: str) -> int:
    text = _text(obj, attribute, "0")
    return int(text) if text.isdecimal() else 0


def channel_name(obj: Any) -> str:
    """Return the name of a channel, as in the names of its nodes: zzero-0000-0-1."""
    return _text(obj, "address")


def _channel(obj: Any) -> ChannelCounts:
    return ChannelCounts(
        name=channel_name(obj),
        enabled=_text(obj, "enable", "1") == "1",
        blocks=_count(obj, "statistics/blocks"),
        bytes=_count(obj, "statistics/bytes"),
        lost=_count(obj, "statistics/lost_blocks"),
        queued=_count(obj, "buffer/queued-buffer-len"),
    )


def _choices(obj: Any, attribute: str) -> tuple[str, ...]:
    """Return the words that an attribute accepts; none if it also accepts other text."""
    try:
        text = str(obj.accepted(attribute))
    except OSError:
        return ()
    return () if text.startswith(("[", "<")) else tuple(text.split())


def _setting(obj: Any, attribute: str, value: str) -> Setting:
    return Setting(obj.name, attribute, value, True, _choices(obj, attribute))


def _settings(cset: Any, trigger: str) -> tuple[Setting, ...]:
    settings = [
        _setting(cset, "enable", _text(cset, "enable", "1")),
        _setting(cset, "current_trigger", trigger),
    ]
    part = cset.trigger
    for name in sorted([*part, *part.commands()]):
        if name not in ("name", "uevent", "version") and part.is_writable(name):
            settings.append(_setting(part, name, _text(part, name)))
    for chan in cset.chan:
        value = _text(chan, "enable")
        if value:
            settings.append(_setting(chan, "enable", value))
    return tuple(settings)


def _set_state(cset: Any) -> SetState:
    trigger = _text(cset, "current_trigger")
    return SetState(
        name=cset.name,
        trigger=trigger,
        trigger_enabled=_text(cset, "trigger/enable", "1") == "1",
        enabled=_text(cset, "enable", "1") == "1",
        time=time.monotonic(),
        fired=_count(cset, "statistics/fired"),
        lost_triggers=_count(cset, "statistics/lost_triggers"),
        settings=_settings(cset, trigger),
        channels=tuple(_channel(chan) for chan in cset.chan),
    )


def input_sets(only: set[str] | None = None) -> list[SetState]:
    """Return the channel sets of all inputs, or those with a channel in @only. Skip sets
    that vanish in the meantime. Without the module zio, return an empty list."""
    try:
        devices = zio.devices()
    except OSError:
        return []
    found = []
    for device in devices.values():
        try:
            sets = [s for s in device.cset if _text(s, "direction") == "input"]
            states = [_set_state(cset) for cset in sets]
        except OSError:
            continue
        for state in states:
            if only is None or any(c.name in only for c in state.channels):
                found.append(state)
    return found


def short_name(name: str) -> str:
    """Return the full name of a channel: zzero-0-1 becomes zzero-0000-0-1. Raise OSError
    if the channel does not exist."""
    found = zio.find(name)
    if found.kind != "channel":
        raise OSError(
            errno.EINVAL, f"{name} is not a channel: use a name from `zio list`"
        )
    return channel_name(found)


def change(object_name: str, attribute: str, value: str, sets: list[SetState]) -> None:
    """Set an attribute shown by one of @sets. Raise Refused with the library's text."""
    shown = {(s.object, s.attribute) for state in sets for s in state.settings}
    if (object_name, attribute) not in shown:
        raise Refused(
            f"{object_name}/{attribute}: the scope cannot set this: use `zio set`"
        )
    try:
        zio.find(object_name)[attribute] = value
    except OSError as error:
        raise Refused(str(error.strerror)) from error
    except KeyError as error:
        raise Refused(str(error.args[0])) from error
    except ValueError as error:  # such as half a character
        raise Refused(f"{object_name}/{attribute}: use another text: {error}") from error
