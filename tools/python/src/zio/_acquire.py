# SPDX-License-Identifier: LGPL-2.1-or-later
"""Acquire with settings that are restored at the end."""

from __future__ import annotations

import atexit
import errno as codes
import os
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ._errors import Error, make_error
from ._objects import Object, Value, find
from ._open import open_channel

if TYPE_CHECKING:
    from types import TracebackType

    from ._channel import Channel

# Attributes of triggers with the time between two events, and their units per second
PERIODS = {"period-ns": 10**9, "period-ms": 10**3}
# Attributes of a trigger that others depend on: restore them first.
FIRST = ("post-samples", "pre-samples", "nshots")
# Not settings: actions, and values that follow from others
NO_SETTINGS = ("alarms", "fire", "flush", "reset", "sequence")
# Not ENOENT: the trigger of the set may have been replaced.
IS_GONE = (codes.ENODEV, codes.ENXIO)
ENABLE = "trigger/enable"


class Settings:
    """Attributes of a set that a program changes, and their previous texts.

    Names are relative to the set, such as "trigger/nsamples" or "chan0/enable".
    """

    def __init__(self, cset: Object) -> None:
        self.cset = cset
        self._old: list[tuple[str, str]] = []
        self._is_halted = False
        self._inode = os.stat(cset.path).st_ino
        self._pid = os.getpid()
        # For a program that ends during restore()
        atexit.register(self.restore)

    def keep(self, name: str) -> None:
        """Remember the text of an attribute, unless done before."""
        if all(known != name for known, _ in self._old):
            self._old.append((name, self.cset.text(name)))

    def put(self, name: str, value: Value) -> None:
        """Set an attribute that will be restored."""
        self.keep(name)
        self.cset[name] = value

    def halt(self) -> None:
        """Disable the trigger, and remember all of its settings."""
        self.keep(ENABLE)
        trigger = self.cset.trigger
        names = [name for name in trigger if trigger.is_writable(name)]
        if "post-samples" in names:
            names = [name for name in names if name != "nsamples"]
        names.sort(key=lambda name: name in FIRST and -FIRST.index(name) + len(FIRST))
        for name in names:
            if name not in NO_SETTINGS:
                self.keep(f"trigger/{name}")
        self._is_halted = True
        try:
            self.cset[ENABLE] = 0
        except Error:
            self._is_halted = False
            raise

    def start(self) -> None:
        """Enable the trigger after halt()."""
        if self._is_halted:
            self.cset[ENABLE] = 1

    def restore(self) -> list[Error]:
        """Restore the attributes, and return what failed.

        Ctrl-C takes effect only at the end. In a child forked by the program, this does
        nothing.
        """
        if os.getpid() != self._pid:
            return []
        failed: list[Error] = []
        late: BaseException | None = None
        while True:
            try:
                while self._old:
                    self._restore_last(failed)
                break
            except KeyboardInterrupt as error:
                late = error
        atexit.unregister(self.restore)
        if late is not None:
            raise late
        return failed

    def _restore_last(self, failed: list[Error]) -> None:
        """Restore the last changed attribute, and forget it."""
        is_halted = self._is_halted
        try:
            if not self._is_there():
                raise make_error(codes.ENODEV, "the board is gone")
            if is_halted:
                self.cset[ENABLE] = 0
            else:
                name, text = self._old[-1]
                if self.cset.text(name) != text:
                    self.cset[name] = text
        except Error as error:
            if error.errno in IS_GONE or not self._is_there():
                self._old.clear()
                return
            failed.append(error)
        if is_halted:
            self._is_halted = False
        else:
            self._old.pop()

    def _is_there(self) -> bool:
        """Tell whether the set exists. Another board may have its name now."""
        try:
            return os.stat(self.cset.path).st_ino == self._inode
        except OSError:
            return False


def set_period(cset: Object, period: float) -> None:
    """Set the seconds between two events of the trigger of a set."""
    for name, parts in PERIODS.items():
        if name in cset.trigger:
            count = round(period * parts)
            if abs(count - period * parts) > 1e-6 * count:
                raise ValueError(f"a period of {period} s: {name} is a whole number")
            cset.trigger[name] = count
            return
    text = f"the trigger {cset.text('current_trigger')} has no period"
    raise make_error(codes.EINVAL, f"{cset.name}: {text}: take hrt or timer")


class Acquisition:
    """A channel with settings of its own, for `with`. Made by `zio.acquire()`."""

    def __init__(
        self,
        name: str,
        trigger: str | None,
        period: float | None,
        nsamples: int | None,
        buffer: str | None,
        settings: Mapping[str, Value],
        how: dict[str, Any],
    ) -> None:
        self._name, self._how = name, how
        self._trigger, self._period, self._nsamples = trigger, period, nsamples
        self._buffer, self._others = buffer, dict(settings)
        self._settings: Settings | None = None
        self._channel: Channel | None = None

    def __enter__(self) -> Channel:
        if self._settings is not None or self._channel is not None:
            raise ValueError("the acquisition has already begun")
        try:
            self._begin()
        except BaseException as error:
            self._end(error)
            raise
        assert self._channel is not None
        return self._channel

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end(error)

    def _begin(self) -> None:
        """Apply the settings, open the channel, and enable the trigger."""
        wanted = (self._trigger, self._period, self._nsamples, self._buffer)
        if any(value is not None for value in wanted) or self._others:
            self._apply()
        self._channel = open_channel(self._name, **self._how)
        if self._settings is None:
            return
        if not self._how.get("tap"):
            self._drop_old_blocks(self._channel)
        self._settings.start()

    def _apply(self) -> None:
        channel = find(self._name)
        if channel.kind != "channel":
            raise make_error(codes.EINVAL, f"{channel.name} is a {channel.kind}")
        parent, _, part = channel.name.rpartition("/")
        settings = self._settings = Settings(find(parent))
        cset = settings.cset
        for name in ("enable", f"{part}/enable"):
            if cset.text(name) == "0":
                settings.put(name, 1)
        settings.halt()
        if self._buffer is not None and cset.text("current_buffer") != self._buffer:
            settings.put("current_buffer", self._buffer)
        if self._trigger is not None and cset.text("current_trigger") != self._trigger:
            settings.put("current_trigger", self._trigger)
        # The attributes to restore belong to this trigger.
        settings.keep("current_trigger")
        if self._nsamples is not None:
            cset["trigger/nsamples"] = self._nsamples
        if self._period is not None:
            set_period(cset, self._period)
        for name, value in self._others.items():
            settings.put(name, value)

    def _drop_old_blocks(self, channel: Channel) -> None:
        """Drop the blocks acquired before the settings were applied."""
        try:
            channel.flush()
        except Error as error:
            if error.errno not in (codes.ENOTTY, codes.EOPNOTSUPP, codes.EBADF):
                raise

    def _end(self, error: BaseException | None) -> None:
        """Close the channel and restore the settings."""
        failed: list[Error] = []
        try:
            if self._channel is not None:
                self._channel.close()
        finally:
            if self._settings is not None:
                failed = self._settings.restore()
            self._settings = self._channel = None
        if failed and error is None:
            raise failed[0]
        for fault in failed:
            warnings.warn(f"not restored: {fault.strerror}", RuntimeWarning, stacklevel=4)


def acquire(
    name: str,
    trigger: str | None = None,
    period: float | None = None,
    nsamples: int | None = None,
    buffer: str | None = None,
    settings: Mapping[str, Value] | None = None,
    tap: bool = False,
    nonblock: bool = False,
    method: str | None = None,
    output: bool = False,
) -> Acquisition:
    """Open a channel with settings that are restored at the end.

    with zio.acquire("zzero-0-2", trigger="hrt", period=0.01, nsamples=1000) as ch:
        for block in ch.take(10):
            print(block.time, block.lost, block.values().mean())

    `trigger`: type of the trigger of the set, such as "hrt", "timer" or "user". `period`:
    seconds between two events; the trigger must have one. `nsamples`: samples per block.
    `buffer`: type of the buffer of the set, such as "vmalloc". `settings`: other
    attributes of the set by their names, such as "trigger/slack-ns". `tap`, `nonblock`,
    `method`, `output`: as for `zio.open()`.

    Enables the set and the channel if they are disabled. All settings of the trigger are
    restored at the end, even those that the program changes meanwhile; also after an
    error or Ctrl-C, but not after SIGKILL. Each acquisition restores what it found: of
    two on one set, the one that began last must end first. If the board is gone, or
    another one has its name, nothing is restored. The first block is acquired with the
    new settings, unless the kernel module cannot flush.

    Raises `Error` as `zio.open()`, and with the code of the kernel if it refuses a
    setting; earlier settings are then restored. EINVAL: the trigger has no period. Raises
    `ValueError` if the period is not a whole number in the unit of the trigger. At the
    end, raises `Error` if a setting cannot be restored; after another error this is only
    a warning.
    """
    how = {"tap": tap, "nonblock": nonblock, "method": method, "output": output}
    others = settings or {}
    return Acquisition(name, trigger, period, nsamples, buffer, others, how)
