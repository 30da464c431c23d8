# SPDX-License-Identifier: GPL-2.0-only
"""Make a ZIO device of an instrument: each request of the kernel is an acquisition."""

from __future__ import annotations

import errno
import math
import signal
import time
from collections import deque
from typing import Any, NoReturn

import zio
from zio import cli
from zio.cli import BY_SIGNAL, CANNOT_OPEN, STOPS, Failure, say
from zio.user import Change, Device, Request, Set

from .instrument import Instrument, ScpiError, reason
from .knobs import Knob, read_knobs
from .model import Model, SetModel
from .options import PROGRAM

# A block has this alarm of the device if a value was too large, or no number.
CLIPPED = 1
# The rate may differ by so much: an instrument tells its period with few digits.
RATE_ERROR = 1e-4
# The kernel takes no longer limit, in seconds.
LONGEST_STALL = 3600
# Within so many seconds the kernel asks for a new rate, unless the machine is very busy.
SOON = 1


class Stopped(BaseException):
    """A signal ends the program."""

    def __init__(self, number: int) -> None:
        self.status = BY_SIGNAL + number


def describe(cset: SetModel, rate: float | None) -> Set:
    is_raw = cset.scale is not None
    return Set(
        cset.name,
        channels=len(cset.channels),
        dtype=cset.dtype,
        rate=rate,
        unit=cset.unit,
        scale=cset.scale if is_raw else cset.resolution,
        offset=cset.offset if is_raw else 0.0,
        nsamples=cset.nsamples,
        max_samples=cset.max_samples,
    )


class Bridge:
    """Serves the requests of a device, one after the other."""

    def __init__(
        self, instrument: Instrument, model: Model, knobs: list[Knob], device: Device
    ) -> None:
        self.instrument, self.device = instrument, device
        self.models = {id(s): m for s, m in zip(device.sets, model.sets)}
        self.knobs = {id(a): k for a, k in zip(device.attributes, knobs)}
        self.rates = [float(cset.rate or 0) for cset in device.sets]
        self.waiting: deque[Request | Change] = deque()

    def serve(self, idle_s: float) -> NoReturn:
        """Serve until an exception ends it. Look after an instrument that is idle."""
        while True:
            request = self._next(idle_s or None)
            if isinstance(request, Change):
                self._change(request)
            elif request:
                self._acquire(request)
            else:
                self.instrument.probe()

    def _next(self, limit: float | None) -> Request | Change | None:
        if self.waiting:
            return self.waiting.popleft()
        return next(self.device.requests(limit), None)

    def _is_wanted(self, request: Request) -> bool:
        """Tell whether the kernel still wants this request. Keep other ones."""
        for other in self.device.requests(timeout=0):
            if other is not request and other not in self.waiting:
                self.waiting.append(other)
        self._answer_aborted()
        return not request.aborted

    def _answer_aborted(self) -> None:
        """Give the answer at once: the request in hand may wait for its trigger for ever."""
        for other in list(self.waiting):
            if isinstance(other, Request) and other.aborted:
                self.waiting.remove(other)
                other.fail(errno.ECANCELED)
                self.device.flush()

    def _is_awaited(self, request: Request) -> bool:
        """Tell the same while the instrument waits for its trigger. Users may change
        meanwhile what it waits for.
        """
        is_wanted = self._is_wanted(request)
        waiting, self.waiting = self.waiting, deque()
        for other in waiting:
            if isinstance(other, Change):
                self._change(other)
            else:
                self.waiting.append(other)
        return is_wanted

    def _change(self, change: Change) -> None:
        """Send a value that a user has written, and answer with what has become of it."""
        knob = self.knobs[id(change.attribute)]
        channel = knob.channels[change.channel]
        try:
            change.value = self.instrument.set(knob.setting, change.value, channel)
        except ScpiError as error:
            change.fail(error.errno or errno.EIO, error.strerror)
            self._probe_after(error)
        else:
            if knob.widened.accepts(change.value):
                change.done()
            else:
                text = f"the instrument has taken {change.value}, which is none of the values"
                change.fail(errno.ERANGE, text)

    def _probe_after(self, error: OSError) -> None:
        """Raise Lost if the connection has ended, which the library does not tell from
        silence, or if answers no longer belong to their questions.
        """
        if error.errno in (errno.ETIMEDOUT, errno.EPROTO):
            self.instrument.probe()

    def _acquire(self, request: Request) -> None:
        if request.aborted:
            request.fail(errno.ECANCELED)
            return
        try:
            is_done = self._fill(request)
        except zio.Error:
            raise
        except OSError as error:
            complain(f"{self.instrument.resource}: {reason(error)}")
            self._probe_after(error)
            request.fail(error.errno or errno.EIO)
        else:
            request.done() if is_done else request.fail(errno.ECANCELED)

    def _fill(self, request: Request) -> bool:
        """Return false if the kernel has taken the request back meanwhile."""
        cset = self.models[id(request.set)]
        nsamples = max((block.count for block in request.blocks), default=0)
        if not self.instrument.arm(cset, nsamples, lambda: self._is_awaited(request)):
            return False
        for block in request.blocks:
            channel = cset.channels[block.channel]
            found, scaling = self.instrument.read(cset, channel, block.count)
            if scaling.period is not None:
                self._follow_rate(request.set, scaling.period)
            if not self._is_wanted(request):
                return False
            block.fill(found.samples)
            block.alarms = CLIPPED if found.is_clipped else 0
        return True

    def _follow_rate(self, cset: Set, period: float) -> None:
        """Tell the kernel a new rate. Then raise OSError: the blocks in hand have the old
        one.
        """
        number = next(i for i, s in enumerate(self.device.sets) if s is cset)
        before = self.rates[number]
        if not period > 0 or math.isclose(before * period, 1, rel_tol=RATE_ERROR):
            return
        rate = 1 / period
        shown = self.device.object.cset[number]
        old_text = shown.text("sample-rate")
        try:
            self.device.put_timing(number, rate)
        except ValueError as error:
            raise OSError(errno.EIO, str(error)) from None
        self.device.flush()
        self.rates[number] = rate
        # The kernel asks for the rate soon: a block that is armed earlier has the old one.
        end = time.monotonic() + SOON
        while shown.text("sample-rate") == old_text and time.monotonic() < end:
            time.sleep(0.001)
        text = f"{rate:g} samples per second instead of {before:g}: later blocks tell it"
        raise OSError(errno.EIO, text)


def complain(text: object) -> None:
    cli.complain(PROGRAM, text)


def stall_limit(model: Model) -> float:
    """Return after how many seconds without the program the kernel unplugs the device. An
    abort waits for the answer to the question of this moment, and between two questions.
    """
    polls = (cset.wait.poll_s for cset in model.sets if cset.wait)
    return min(2 * model.timeout_s + 5 + max(polls, default=0), LONGEST_STALL)


def make_device(
    instrument: Instrument, model: Model, knobs: list[Knob], name: str
) -> Device:
    sets = [describe(cset, instrument.rate(cset)) for cset in model.sets]
    attributes = [knob.describe() for knob in knobs]
    try:
        device = Device(name, sets, timeout=stall_limit(model), attributes=attributes)
    except (zio.Error, ValueError) as error:
        raise Failure(f"{model.file}: no device: {reason(error)}", CANNOT_OPEN) from error
    for attribute, knob in zip(attributes, knobs):
        for channel, value in enumerate(knob.values):
            device.put(attribute, value, channel)
    device.flush()
    return device


def handle_signals(handler: Any) -> None:
    for number in STOPS:
        signal.signal(number, handler)


def stop(number: int, _: Any) -> None:
    # Another signal ends the program at once, even while it closes the device.
    handle_signals(signal.SIG_DFL)
    raise Stopped(number)


def serve(instrument: Instrument, model: Model, name: str, idle_s: float) -> int:
    """Be the driver of the instrument until a signal. Return the exit status. Raise Lost
    if the connection ends: then the device is unplugged.
    """
    handle_signals(stop)
    try:
        knobs = read_knobs(instrument, model)
        with make_device(instrument, model, knobs, name) as device:
            say(f"{device.name}: {instrument.resource}, {model.file.stem}")
            Bridge(instrument, model, knobs, device).serve(idle_s)
    except Stopped as stopped:
        return stopped.status
    except zio.Error as error:
        raise Failure(f"{instrument.resource}: {reason(error)}") from error
    finally:
        handle_signals(signal.SIG_DFL)
