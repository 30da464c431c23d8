# SPDX-License-Identifier: GPL-2.0-only
"""Attributes of sets, channels and triggers as process variables."""

import fnmatch
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

from p4p import Value
from p4p.nt import NTScalar
from p4p.server import ServerOperation
from p4p.server.thread import Handler, SharedPV

import zio

from .source import text_of
from .spec import complain
from .values import NO_ALARM, invalid, stamp_of
from .variables import Variables

NUMBER, TEXT = NTScalar("l", control=True), NTScalar("s")
# Seconds between two looks at the attributes
INTERVAL = 1.0
LONGEST_ACCOUNT = 64


def list_objects() -> Iterator[tuple[str, zio.Object]]:
    """Yield the sets, channels and triggers of all devices, with their names. Skip a
    device that vanishes in the meantime."""
    for device in zio.devices().values():
        try:
            yield from list_parts(device)
        except OSError:
            continue


def list_parts(device: zio.Object) -> Iterator[tuple[str, zio.Object]]:
    for i, cset in enumerate(device.cset):
        yield f"{device.name}:{i}", cset
        yield f"{device.name}:{i}:trigger", cset.trigger
        for j, channel in enumerate(cset.chan):
            yield f"{device.name}:{i}:{j}", channel


def read_texts(parts: Iterator[tuple[str, zio.Object]]) -> Iterator[tuple[str, str, str]]:
    """Yield the name of each variable, the path of its attribute, and the text. Skip
    attributes of several lines, which have no variable."""
    for base, part in parts:
        try:
            names = list(part)
        except OSError:
            continue
        for name in names:
            try:
                text = part.text(name)
            except OSError:  # unreadable, or just gone
                continue
            if "\n" not in text:
                yield f"{base}:{name}", f"{part.name}/{name}", text


def is_number(text: str) -> bool:
    try:
        return -(2**63) <= int(text) < 2**63
    except ValueError:
        return False


class SetPoint(Handler):
    """Writes an attribute, if allowed."""

    def __init__(self, attributes: "Attributes", name: str, path: str) -> None:
        self.attributes, self.name, self.path = attributes, name, path

    def put(self, variable: SharedPV, operation: ServerOperation) -> None:
        if not self.attributes.may_write(self.name):
            hint = f"--allow-write={self.name}"
            operation.done(error=f"{self.path} is read-only: start zio-pva with {hint}")
            return
        text = str(operation.value()["value"])
        try:
            self.attributes.write(self.path, text)
        except (OSError, KeyError) as error:
            operation.done(error=getattr(error, "strerror", None) or str(error))
            return
        # The client chooses its account name, without a password: print it last.
        account = operation.account()[:LONGEST_ACCOUNT]
        complain(f"{operation.peer()} set {self.path} to {text}; account: {account}")
        self.attributes.look()
        operation.done()


class Attributes(threading.Thread):
    """Shows the attributes. Polls them every second: others change them, too."""

    def __init__(self, variables: Variables, writable: Sequence[str]) -> None:
        super().__init__(name="attributes", daemon=True)
        self.variables, self.writable = variables, writable
        self.stopping = threading.Event()
        self._lock = threading.Lock()
        self._texts: dict[str, str | None] = {}
        self._types: dict[str, NTScalar] = {}

    def stop(self) -> None:
        self.stopping.set()

    def run(self) -> None:
        fault = ""
        while not self.stopping.wait(INTERVAL):
            try:
                self.look()
            except Exception as error:  # keep the thread: without it, values get stale
                if text_of(error) != fault:
                    fault = text_of(error)
                    complain(f"attributes: {fault}; trying again")

    def may_write(self, name: str) -> bool:
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in self.writable)

    def write(self, path: str, text: str) -> None:
        """Write an attribute. Raise OSError with a message for the client."""
        base, _, attribute = path.rpartition("/")
        zio.find(base)[attribute] = text

    def look(self) -> None:
        """Post changed attributes, and alarms for vanished ones."""
        with self._lock:
            seen = set()
            try:
                for name, path, text in read_texts(list_objects()):
                    seen.add(name)
                    if self._texts.get(name) != text:
                        self._post(name, path, text)
            except OSError:  # the module zio is not loaded
                pass
            for name in set(self._texts) - seen:
                self._forget(name)

    def _post(self, name: str, path: str, text: str) -> None:
        kind = self._types.setdefault(name, NUMBER if is_number(text) else TEXT)
        handler = None if name in self._texts else SetPoint(self, name, path)
        self._texts[name] = text
        if kind is NUMBER and not is_number(text):
            self._set_alarm(name, f"{path} is no longer a number: {text}")
            return
        content: dict[str, Any] = {"value": int(text) if kind is NUMBER else text}
        content |= {"alarm": NO_ALARM, "timeStamp": stamp_of(time.time_ns())}
        self.variables.post(name, {"": Value(kind.type, content)}, handler)

    def _forget(self, name: str) -> None:
        if self._texts[name] is not None:
            self._texts[name] = None
            self._set_alarm(name, "the attribute is gone; waiting until it is back")

    def _set_alarm(self, name: str, text: str) -> None:
        self.variables.set_alarm(name, {"": self._types[name].type}, invalid(text))
