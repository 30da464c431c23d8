# SPDX-License-Identifier: GPL-2.0-only
"""Requests of the kernel for an instrument, from a device that needs no kernel"""

from __future__ import annotations

import errno
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from zio._control import rate_parts
from zio.cli import STOPS
from zio.user import Attribute, Change, Request, Set
from zio_visa.cli import model_of
from zio_visa.device import Bridge, Stopped, describe, stall_limit, stop
from zio_visa.device import serve as serve_device
from zio_visa.instrument import Instrument, Lost, ScpiError, open_manager
from zio_visa.knobs import read_knobs
from zio_visa.model import read_model

from .oscilloscope import Scope
from .rig import PROGRAMS


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


class Armed(Request):
    """A request for blocks, and the answer"""

    __slots__ = ("answers", "is_aborted")

    def __init__(self, cset: Set, *blocks: Any) -> None:
        self.set, self.blocks = cset, list(blocks)
        self.is_aborted = False
        self.answers: list[int] = []

    @property
    def aborted(self) -> bool:
        return self.is_aborted

    def done(self, n: int | None = None) -> None:
        self.answers.append(0)

    def fail(self, code: int) -> None:
        self.answers.append(code)


class Space:
    """A block to fill: the samples in it, and the rate that it has"""

    def __init__(self, bridge: Bridge) -> None:
        kernel: Any = bridge.device
        self.channel, self.count, self.rate = 0, 10, kernel.rate
        self.samples: list[int] = []
        self.alarms = 0

    def fill(self, samples: Any) -> None:
        self.samples = list(samples)


class Kernel:
    """What the bridge uses of a device. `lists`: functions with what a call finds."""

    def __init__(self, sets: Any, attributes: Any) -> None:
        self.name = "rigol-0000"
        self.sets, self.attributes = sets, attributes
        self.lists: list[Callable[[], list[Any]]] = []
        self.flushed = 0
        self.rate = self.told = 1e6
        self.object = SimpleNamespace(cset=[SimpleNamespace(text=self._text)])

    def _text(self, name: str) -> str:
        """The rate of blocks, which changes only some time after flush()."""
        assert name == "sample-rate"
        text = f"{self.rate:g}"
        if self.flushed:
            self.rate = self.told
        return text

    def put_timing(self, number: int, rate: float) -> None:
        assert number == 0
        rate_parts(rate)
        self.told = rate

    def requests(self, timeout: float | None = None) -> Iterator[Any]:
        if not self.lists:
            raise Over
        yield from self.lists.pop(0)()

    def flush(self) -> None:
        self.flushed += 1


def bridge_of(scope: Scope) -> Bridge:
    instrument = Instrument(open_manager("@py"), scope.resource)
    model = model_of(instrument, None)
    instrument.use(model)
    knobs = read_knobs(instrument, model)
    sets = [describe(cset, instrument.rate(cset)) for cset in model.sets]
    kernel: Any = Kernel(sets, [knob.describe() for knob in knobs])
    return Bridge(instrument, model, knobs, kernel)


def serve(bridge: Bridge, *lists: Callable[[], list[Any]]) -> None:
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
    serve(bridge, lambda: [good], lambda: [bad])
    assert good.answers == [3]
    text = "the instrument has taken 15, which is none of the values"
    assert bad.answers == [(errno.ERANGE, text)]


def test_abort_while_another_set_waits(scope: Scope) -> None:
    """The answer to an aborted request does not wait for the trigger of another one."""
    bridge = bridge_of(scope)
    scope.triggers_at = 10**9
    kernel: Any = bridge.device
    (cset,) = kernel.sets
    waits, other = Armed(cset), Armed(cset)

    def abort_other() -> list[Any]:
        other.is_aborted = True
        return [other]

    def abort_first() -> list[Any]:
        assert (other.answers, kernel.flushed) == ([errno.ECANCELED], 1)
        assert waits.answers == []
        waits.is_aborted = True
        return [waits]

    serve(bridge, lambda: [waits], lambda: [other], abort_other, abort_first)
    assert waits.answers == other.answers == [errno.ECANCELED]


@pytest.mark.parametrize(
    ("timeout", "poll", "limit"), [(5, 0.02, 15.02), (5, 60, 75), (3600, 60, 3600)]
)
def test_stall_limit(timeout: float, poll: float, limit: float) -> None:
    """The program sees an abort after a poll, and the kernel knows up to an hour."""
    model = read_model(PROGRAMS / "models/rigol-scope.yaml")
    (cset,) = model.sets
    assert cset.wait
    wait = replace(cset.wait, poll_s=poll)
    model = replace(model, timeout_s=timeout, sets=(replace(cset, wait=wait),))
    assert stall_limit(model) == pytest.approx(limit)
    model = replace(model, sets=(replace(cset, wait=None),))
    assert stall_limit(model) == min(2 * timeout + 5, 3600)


def test_signal_while_the_instrument_waits(scope: Scope) -> None:
    """Its acquisition is aborted, even if the signal comes in front of an answer."""
    bridge = bridge_of(scope)
    scope.triggers_at = 10**9
    cset = bridge.device.sets[0]

    def interrupt() -> list[Any]:
        raise Stopped(signal.SIGINT)

    kernel: Any = bridge.device
    kernel.lists = [lambda: [Armed(cset)], list, interrupt]
    with pytest.raises(Stopped):
        bridge.serve(0)
    bridge.instrument.check()
    assert scope.said[-2:] == [":STOP", "SYST:ERR?"]
    with pytest.raises(Stopped), bridge.instrument._talking("X?"):
        raise Stopped(signal.SIGTERM)
    assert bridge.instrument.is_late


def test_wait_without_end(scope: Scope) -> None:
    """An instrument that is silent, or does not trigger in time, does not go on."""
    bridge = bridge_of(scope)
    cset = bridge.models[id(bridge.device.sets[0])]
    assert cset.wait
    cset = replace(cset, wait=replace(cset.wait, limit_s=0.001, poll_s=0.01))
    scope.triggers_at = 10**9
    with pytest.raises(ScpiError, match="no acquisition within 0.001 s"):
        bridge.instrument.arm(cset, 10, lambda: True)
    bridge.instrument.check()
    assert scope.said[-2:] == [":STOP", "SYST:ERR?"]


def test_second_signal() -> None:
    """It ends the program at once, and without a traceback."""
    before = {number: signal.getsignal(number) for number in STOPS}
    try:
        for number in STOPS:
            signal.signal(number, stop)
        with pytest.raises(Stopped):
            signal.raise_signal(signal.SIGTERM)
        assert [signal.getsignal(each) for each in STOPS] == [signal.SIG_DFL] * 2
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_signal_behind_the_end(scope: Scope, monkeypatch: pytest.MonkeyPatch) -> None:
    """The instrument is being closed then."""
    instrument = Instrument(open_manager("@py"), scope.resource)
    before = {number: signal.getsignal(number) for number in STOPS}

    def fail(*_: Any) -> Any:
        raise Lost("gone")

    monkeypatch.setattr("zio_visa.device.read_knobs", fail)
    try:
        with pytest.raises(Lost):
            serve_device(instrument, model_of(instrument, None), "rigol", 0)
        assert [signal.getsignal(each) for each in STOPS] == [signal.SIG_DFL] * 2
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_rate_changes(scope: Scope, capfd: pytest.CaptureFixture[str]) -> None:
    """Blocks in hand have the old rate: they fail. Later ones have the new rate."""
    bridge = bridge_of(scope)
    cset = bridge.device.sets[0]
    first, old = (Armed(cset, Space(bridge)) for _ in range(2))
    later: list[Armed] = []

    def arm_later() -> list[Any]:
        assert old.answers == [errno.EIO]
        later.append(Armed(cset, Space(bridge)))
        return list(later)

    def turn() -> list[Any]:
        assert first.answers == [0] and len(first.blocks[0].samples) == 10
        scope.period = "2.00001e-6"
        return [old]

    serve(bridge, lambda: [first], *polls(scope), turn, *polls(scope), arm_later)
    assert old.blocks[0].samples == [] and later[0].answers == []
    assert later[0].blocks[0].rate == pytest.approx(5e5, rel=1e-4)
    said = capfd.readouterr().err
    assert "499998 samples per second instead of 1e+06: later blocks tell it" in said
    serve(bridge, lambda: later, *polls(scope))
    assert later[0].answers == [0]
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("period", ["1e-300", "1e300", "inf"])
def test_rate_that_no_device_has(
    scope: Scope, period: str, capfd: pytest.CaptureFixture[str]
) -> None:
    bridge = bridge_of(scope)
    scope.period = period
    request = Armed(bridge.device.sets[0], Space(bridge))
    serve(bridge, lambda: [request], *polls(scope))
    assert request.answers == [errno.EIO]
    assert "samples per second: pass 2.4e-10 to 4e9" in capfd.readouterr().err


def polls(scope: Scope) -> list[Callable[[], list[Any]]]:
    """What the bridge finds while it acquires: before the trigger, and for a block."""
    return [list] * scope.triggers_at
