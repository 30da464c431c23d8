# SPDX-License-Identifier: GPL-2.0-only
"""Requests of the kernel for an instrument, from a device that needs no kernel"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from typing import Any

import pytest
from zio.user import Attribute, Change
from zio_visa.cli import model_of
from zio_visa.device import Bridge, describe
from zio_visa.instrument import Instrument, open_manager
from zio_visa.knobs import read_knobs

from .oscilloscope import Scope


class Over(Exception):
    """There are no more requests."""


class Written(Change):
    """A value that a user has written, and the answer"""

    __slots__ = ("answers",)

    def __init__(self, attribute: Attribute, value: int) -> None:
        self.attribute, self.value, self.channel = attribute, value, 0
        self.answers: list[Any] = []

    def done(self) -> None:
        self.answers.append(self.value)

    def fail(self, code: int, reason: str = "") -> None:
        self.answers.append((code, reason))


class Kernel:
    """What the bridge uses of a device. `lists`: what each call finds."""

    def __init__(self, sets: Any, attributes: Any) -> None:
        self.name = "rigol-0000"
        self.sets, self.attributes = sets, attributes
        self.lists: list[list[Any]] = []

    def requests(self, timeout: float | None = None) -> Iterator[Any]:
        if not self.lists:
            raise Over
        yield from self.lists.pop(0)


def bridge_of(scope: Scope) -> Bridge:
    instrument = Instrument(open_manager("@py"), scope.resource)
    model = model_of(instrument, None)
    instrument.use(model)
    knobs = read_knobs(instrument, model)
    sets = [describe(cset, instrument.rate(cset)) for cset in model.sets]
    kernel: Any = Kernel(sets, [knob.describe() for knob in knobs])
    return Bridge(instrument, model, knobs, kernel)


def serve(bridge: Bridge, *lists: list[Any]) -> None:
    kernel: Any = bridge.device
    kernel.lists = list(lists)
    with pytest.raises(Over):
        bridge.serve(0)


def attribute_of(bridge: Bridge, name: str) -> Attribute:
    return next(each for each in bridge.device.attributes if each.name == name)


def test_value_that_no_attribute_accepts(scope: Scope) -> None:
    """The kernel would refuse it. What the instrument had at the start is accepted."""
    scope.settings[":CHAN3:PROB"] = "3"
    bridge = bridge_of(scope)
    probe = attribute_of(bridge, "probe")
    assert 3 in probe.choices
    good, bad = Written(probe, 3), Written(probe, 20)
    scope.taken = "15"
    serve(bridge, [good], [bad])
    assert good.answers == [3]
    text = "the instrument has taken 15, which is none of the values"
    assert bad.answers == [(errno.ERANGE, text)]
