# SPDX-License-Identifier: GPL-2.0-only
"""Settings of an instrument that users change, each a number in a file of sysfs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from .fields import Field

# The bytes of the name of an attribute in the kernel, and of its choices
MOST_NAME = 31
MOST_CHOICES = 256
SIGNED = -(1 << 31), (1 << 31) - 1
UNSIGNED = 0, (1 << 32) - 1
# Instruments tell a number with few digits.
CLOSE = 1e-6


@dataclass(frozen=True)
class Setting:
    """A setting. A number of the file is `number * scale` for the instrument, or one of
    `words`. `low` and `high` are both 0 if there are no limits.
    """

    name: str
    query: str
    commands: tuple[str, ...]
    scale: float = 1.0
    low: int = 0
    high: int = 0
    choices: tuple[int, ...] = ()
    words: dict[int, str] = field(default_factory=dict)

    @property
    def is_signed(self) -> bool:
        return min(self.low, *self.choices, 0) < 0

    def accepts(self, value: int) -> bool:
        """Tell whether users may write the value."""
        if self.choices:
            return value in self.choices
        low, high = SIGNED if self.is_signed else UNSIGNED
        if self.low or self.high:
            low, high = self.low, self.high
        return low <= value <= high

    def word(self, value: int) -> str:
        """Return what stands for {value} in commands."""
        if self.words:
            return self.words[value]
        return str(value) if self.scale == 1 else f"{value * self.scale:.10g}"

    def number(self, answer: str) -> int:
        """Return the number for an answer to the query. Raise ValueError if there is none."""
        if self.words:
            return self._number_of_word(answer.strip('"'))
        try:
            steps = float(answer) / self.scale
        except ValueError:
            raise ValueError(f"{answer!r} is not a number") from None
        low, high = SIGNED if self.is_signed else UNSIGNED
        # A comparison with NaN is false.
        if not low - 0.5 < steps < high + 0.5:
            raise ValueError(
                f"{answer} is not from {self.word(low)} to {self.word(high)}"
            )
        return round(steps)

    def _number_of_word(self, answer: str) -> int:
        for value, word in self.words.items():
            if _is_same(word, answer):
                return value
        raise ValueError(f"{answer} is none of {', '.join(self.words.values())}")


def _is_same(word: str, answer: str) -> bool:
    """Tell whether an instrument means the word: 1, 1.0 and +1.00E+00 are the same."""
    try:
        return math.isclose(float(word), float(answer), rel_tol=CLOSE)
    except ValueError:
        return word.casefold() == answer.casefold()


# --- read a file ------------------------------------------------------------------------

SETTING_FIELDS = ("query", "set", "scale", "limits", "choices")


def _limits(field: Field) -> tuple[int, int]:
    items = field.items()
    if len(items) != 2:
        raise field.fault("write the smallest and the largest value, such as [1, 100]")
    low = items[0].whole(SIGNED[0], UNSIGNED[1])
    high = items[1].whole(*(SIGNED if low < 0 else UNSIGNED))
    if low >= high:
        raise field.fault(f"{low} is not smaller than {high}")
    return low, high


def _choices(field: Field) -> tuple[tuple[int, ...], dict[int, str]]:
    """Return the numbers, and the words of the instrument if the numbers stand for some."""
    pairs = (
        field.entries() if field.is_mapping() else [(one, one) for one in field.items()]
    )
    if not 1 <= len(pairs) <= MOST_CHOICES:
        raise field.fault(f"{len(pairs)} choices: there are 1 to {MOST_CHOICES}")
    words: dict[int, str] = {}
    for key, value in pairs:
        number = key.whole(SIGNED[0], UNSIGNED[1])
        if number in words:
            raise key.fault(f"{number} is there twice")
        words[number] = value.text()
    choices = tuple(words)
    if min(choices) < 0 and max(choices) > SIGNED[1]:
        raise field.fault(f"{min(choices)} and {max(choices)} do not fit into 32 bits")
    return choices, words if field.is_mapping() else {}


def _setting(name: Field, field: Field, words: Iterable[str]) -> Setting:
    part = field.parts(SETTING_FIELDS, ("query", "set"))
    query, commands = (
        part["query"].command(words),
        part["set"].commands(("value", *words)),
    )
    if not any("{value}" in command for command in commands):
        raise part["set"].fault("no command has {value}")
    if "choices" in part and "limits" in part:
        raise part["limits"].fault("the choices are the limits: give one of the two")
    choices, names = _choices(part["choices"]) if "choices" in part else ((), {})
    if names and "scale" in part:
        raise part["scale"].fault("the choices are words: give a list of numbers instead")
    low, high = _limits(part["limits"]) if "limits" in part else (0, 0)
    scale = part["scale"].number(1e-30, 1e30) if "scale" in part else 1.0
    return Setting(
        name.identifier(MOST_NAME), query, commands, scale, low, high, choices, names
    )


def read_settings(field: Field, words: Iterable[str] = ()) -> tuple[Setting, ...]:
    """Return the settings of a mapping, whose commands may name these words."""
    return tuple(_setting(name, value, words) for name, value in field.entries())
