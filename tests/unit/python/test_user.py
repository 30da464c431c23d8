# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a program that drives a device can do without a kernel"""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest
from zio import user
from zio._handle import Handle
from zio._libzio import ffi
from zio._request import Request
from zio.user import Device, Set


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
