# SPDX-License-Identifier: GPL-2.0-only
"""The settings that an open instrument has, as attributes of the device."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from zio import cli
from zio.user import Attribute

from .instrument import Instrument, ScpiError
from .model import Model
from .options import PROGRAM
from .settings import MOST_CHOICES, Setting


@dataclass(frozen=True)
class Knob:
    """A setting, and the value that it has for each of `channels`. A setting of the whole
    instrument has one channel without a name, and `set` is None.
    """

    setting: Setting
    set: int | None
    channels: tuple[str, ...]
    values: tuple[int, ...]

    @property
    def widened(self) -> Setting:
        """The setting, which also accepts what the instrument has: somebody may have
        turned it to a value that the model does not list.
        """
        setting = self.setting
        if setting.choices:
            found = dict.fromkeys((*self.values, *setting.choices))
            return replace(setting, choices=tuple(sorted([*found][:MOST_CHOICES])))
        if setting.low or setting.high:
            low, high = (min(setting.low, *self.values), max(setting.high, *self.values))
            return replace(setting, low=low, high=high)
        return setting

    def describe(self) -> Attribute:
        setting = self.widened
        return Attribute(
            setting.name,
            set=self.set,
            channels=self.set is not None,
            value=self.values[0],
            low=setting.low,
            high=setting.high,
            choices=setting.choices,
            signed=setting.is_signed,
        )


def read_knobs(instrument: Instrument, model: Model) -> list[Knob]:
    """Return the settings. Complain about those that the instrument does not know."""
    knobs = []
    for setting, cset, channels in _settings(model):
        try:
            values = tuple(instrument.get(setting, channel) for channel in channels)
            instrument.check()
        except ScpiError as error:
            text = f"{instrument.resource}: no setting {setting.name}: {error.strerror}"
            cli.complain(PROGRAM, text)
            instrument.forget_errors()
        else:
            knobs.append(Knob(setting, cset, channels, values))
    return knobs


def _settings(model: Model) -> Iterator[tuple[Setting, int | None, tuple[str, ...]]]:
    for setting in model.settings:
        yield setting, None, ("",)
    for number, cset in enumerate(model.sets):
        for setting in cset.settings:
            yield setting, number, cset.channels
