# SPDX-License-Identifier: LGPL-2.1-or-later
"""Unplug a board and plug it back in, and check what its reader sees."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ._estimate import Check
from ._objects import Object, find, objects
from ._open import open_channel
from .cli import STOPS, Failure

MOST_S = 20.0


def _driver_of(device: Object) -> Path | None:
    """Return the link to the driver that the hardware of a board is bound to."""
    parent = Path(os.path.realpath(device.path)).parent
    return next((p / "driver" for p in (parent, parent.parent) if _is_bound(p)), None)


def _is_bound(place: Path) -> bool:
    return (place / "driver/unbind").exists()


class Plug:
    """How a board is unplugged: in configfs, or by unbinding its driver."""

    def __init__(self, device: Object) -> None:
        made = objects("config device")
        self._live = next((c for c in made if c.text("name") == device.name), None)
        link = None if self._live else _driver_of(device)
        self._driver = Path(os.path.realpath(link)) if link else None
        self._hardware = link.parent.name if link else ""
        if self._live is None and self._driver is None:
            raise LookupError(f"{device.name}: no driver to unbind from it")

    def pull(self) -> None:
        """Unplug the board."""
        self._set("unbind", 0)

    def push(self) -> None:
        """Plug the board back in."""
        self._set("bind", 1)

    def _set(self, action: str, live: int) -> None:
        if self._live is not None:
            self._live["live"] = live
        elif self._driver is not None:
            (self._driver / action).write_text(self._hardware)


def _zio(program: str, *words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, *words], input=text, capture_output=True, text=True, check=False
    )


@contextmanager
def _kept_settings(name: str) -> Iterator[None]:
    """Save the settings of a board, and restore them at the end."""
    program = shutil.which("zio")
    if program is None:
        raise Failure("cannot save the settings: zio is not in $PATH; add its directory")
    lines = [
        line
        for line in _zio(program, "save").stdout.splitlines()
        if line.startswith(f"{name}/") or f"={name}-" in line
    ]
    try:
        yield
    finally:
        done = _zio(program, "restore", "-", text="\n".join([*lines, ""]))
        if done.returncode:
            raise Failure(f"{name}: cannot restore its settings: {done.stderr.strip()}")


@contextmanager
def _signals_wait() -> Iterator[None]:
    """Hold back Ctrl-C until the board is back."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Waiter(threading.Thread):
    """Reads until the board is gone."""

    def __init__(self, node: str) -> None:
        super().__init__(daemon=True)
        self._channel = open_channel(node)
        self.ended = 0.0

    def run(self) -> None:
        try:
            while self._channel.read() is not None:
                pass
        except (OSError, ValueError):
            pass
        self.ended = time.monotonic()

    def stop(self) -> None:
        """End the thread if the unplugged board did not end it."""
        self._channel.interrupt()
        self.join()
        self._channel.close()


def _comes_back(node: str) -> bool:
    """Wait until udev and the driver let the channel be opened."""
    end = time.monotonic() + MOST_S
    while time.monotonic() < end:
        try:
            find(node)
            open_channel(node, nonblock=True).close()
        except OSError:
            time.sleep(0.01)
        else:
            return True
    return False


def check_removal(device: Object, node: str) -> Check:
    """Unplug the board under its reader, and plug it back in with its settings."""
    try:
        plug = Plug(device)
    except LookupError as error:
        return Check("removal", "skipped", str(error.args[0]), {})
    with _signals_wait(), _kept_settings(device.name):
        waiter = _Waiter(node)
        waiter.start()
        begin = time.monotonic()
        try:
            plug.pull()
            pulled = time.monotonic() - begin
            waiter.join(MOST_S)
        finally:
            waiter.stop()
            plug.push()
        is_back = _comes_back(node)
    ended = waiter.ended - begin
    figures = {"removal_ms": 1000 * pulled, "reader_ended_ms": 1000 * ended}
    text = (
        f"the removal took {1000 * pulled:.3g} ms, the reader ended after "
        f"{1000 * ended:.3g} ms"
    )
    is_good = is_back and ended < MOST_S
    text += ", and the board is back" if is_back else ", and the board did not come back"
    return Check("removal", "passed" if is_good else "failed", text, figures)
