# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a program that drives a device can do without a kernel"""

from __future__ import annotations

import errno
import threading
from types import SimpleNamespace
from typing import Any

import pytest
import zio
from zio import user
from zio._device import describe_attribute, describe_set
from zio._handle import Handle
from zio._libzio import ffi
from zio._request import Request
from zio.user import Attribute, Device, Set


class Bare(Device):
    """A device of no kernel. `freed`: whether the library has freed its memory."""

    def __init__(self) -> None:
        self.name, self.sets, self.attributes = "bare-0000", (Set("wave"),), ()
        self._areas, self._held = {}, {}
        self.freed: list[Any] = []
        self.interrupts: list[Any] = []
        self.CALLS = self.freed.append, self._on_interrupt, lambda _: None
        Handle.__init__(self, ffi.new("int *"))

    def _on_interrupt(self, _: Any) -> None:
        self.interrupts.append(None)
        if len(self.interrupts) == 1:
            self.stop()


class Record:
    """A request in the memory of the library. Another thread closes the device while this
    one reads it.
    """

    def __init__(self, device: Bare) -> None:
        self.device = device

    def _read(self) -> int:
        self.device.close()
        assert not self.device.freed
        return 0

    is_aborted = set = property(_read)


def request_of(device: Bare) -> Request:
    request = Request.__new__(Request)
    request._device, request._request = device, Record(device)
    request.set, request.blocks = device.sets[0], [None]  # type: ignore[list-item]
    return request


def test_request_of_a_closed_device() -> None:
    """Its memory is there as long as somebody reads it, and then no longer."""
    device = Bare()
    request = request_of(device)
    assert not request.aborted
    assert device.freed
    with pytest.raises(ValueError, match="the device is closed"):
        assert request.aborted
    assert repr(request) == "<zio.user.Request wave, 1 blocks, closed>"


def test_memory_of_a_closed_device(monkeypatch: pytest.MonkeyPatch) -> None:
    device = Bare()
    monkeypatch.setattr(user, "lib", SimpleNamespace(zio_user_fd=lambda _: 7))
    monkeypatch.setattr(user, "Area", lambda *what: (what, list(device.freed)))
    area: Any = device._area(request_of(device), 1, 4096, 64)
    assert area == ((7, 4096, 64, True), [])
    assert device.freed


def test_stop_in_a_signal_handler() -> None:
    """The signal may come while the same thread stops the device, or closes it."""
    device = Bare()
    thread = threading.Thread(target=device.stop, daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive() and len(device.interrupts) == 2


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ({"name": "a" * 99}, f"set {'a' * 99}: a name of '{'a' * 99}': it does not fit"),
        (
            {"name": "w", "clock": "b" * 99},
            f"set w: a clock of '{'b' * 99}': it does not",
        ),
        ({"name": "w", "channels": -1}, "set w: channels of -1: it does not fit"),
        (
            {"name": "w", "max_samples": 1 << 40},
            "set w: max_samples of 1099511627776: it",
        ),
        ({"name": "w", "nsamples": -1}, "set w: nsamples of -1: it does not fit"),
        ({"name": "w", "depth": -1}, "set w: depth of -1: it does not fit"),
        ({"name": "w", "shots": -1}, "set w: shots of -1: it does not fit"),
        ({"name": "w", "nbits": -1}, "set w: nbits of -1: it does not fit"),
        ({"name": "w", "time_error": -1}, "set w: time_error of -1: it does not fit"),
        ({"name": "w", "first": 1e9}, "set w: first of 1000000000.0: it does not fit"),
    ],
)
def test_set_that_does_not_fit(what: Any, said: str) -> None:
    with pytest.raises(zio.Error) as caught:
        describe_set(ffi.new("struct uzio_set *"), Set(**what))
    assert caught.value.errno == errno.EINVAL
    assert str(caught.value.strerror).startswith(said)


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ({"name": "a" * 99}, f"attribute {'a' * 99}: a name of '{'a' * 99}': it does"),
        ({"name": "a", "set": -1}, "attribute a: set of -1: it does not fit"),
        ({"name": "a", "value": 1 << 64}, f"attribute a: value of {1 << 64}: it does"),
        ({"name": "a", "low": -1 << 64}, f"attribute a: low of {-1 << 64}: it does not"),
        ({"name": "a", "high": 1 << 64}, f"attribute a: high of {1 << 64}: it does not"),
        ({"name": "a", "standard": -1}, "attribute a: standard of -1: it does not fit"),
        ({"name": "a", "extended": -1}, "attribute a: extended of -1: it does not fit"),
    ],
)
def test_attribute_that_does_not_fit(what: Any, said: str) -> None:
    with pytest.raises(zio.Error) as caught:
        describe_attribute(ffi.new("struct uzio_attr *"), Attribute(**what))
    assert caught.value.errno == errno.EINVAL
    assert str(caught.value.strerror).startswith(said)


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ({"id": 1 << 40}, "device w: id of 1099511627776: it does not fit"),
        ({"timeout": -1}, "device w: timeout of -1: it does not fit"),
    ],
)
def test_device_that_does_not_fit(what: Any, said: str) -> None:
    with pytest.raises(zio.Error) as caught:
        Device("w", [Set("w")], **what)
    assert caught.value.strerror == said


@pytest.mark.parametrize(
    ("seconds", "ns"), [(0, 0), (1e-6, 1000), (1.1e-6, 1100), (1e-10, 1), (1.0000001, 0)]
)
def test_time_error(seconds: float, ns: int) -> None:
    """Multiplication adds no nanosecond; a part of one counts as one."""
    to = ffi.new("struct uzio_set *")
    describe_set(to, Set("w", time_error=seconds))
    assert to.error_ns == (ns or round(seconds * 1e9))
