# SPDX-License-Identifier: GPL-2.0-only
"""Attributes of devices and triggers as process variables"""

from collections.abc import Iterator, MutableMapping
from typing import Any

from p4p.nt import NTScalar
from p4p.server import ServerOperation, StaticProvider
from p4p.server.thread import Handler, SharedPV

import zio

NUMBER = NTScalar("l", control=True)


class Attribute(Handler):
    """Reads an attribute for each new client, and writes it if that is allowed."""

    def __init__(self, attributes: MutableMapping[str, Any], name: str, write: bool):
        self.attributes, self.name, self.write = attributes, name, write

    def put(self, variable: SharedPV, operation: ServerOperation) -> None:
        if not self.write:
            operation.done(error=f"{self.name} is read-only: start zio-pva --allow-write")
            return
        try:
            self.attributes[self.name] = int(operation.value())
            variable.post(int(self.attributes[self.name]))
        except (OSError, ValueError) as error:
            operation.done(error=f"{self.name}: {error}")
        else:
            operation.done()


def add_attributes(
    provider: StaticProvider,
    base: str,
    attributes: MutableMapping[str, Any],
    write: bool,
) -> None:
    """Add a variable for each attribute that is a number."""
    for name in attributes:
        try:
            value = int(attributes[name])
        except (OSError, ValueError, TypeError):
            continue
        handler = Attribute(attributes, name, write)
        provider.add(
            f"{base}:{name}", SharedPV(nt=NUMBER, initial=value, handler=handler)
        )


def list_attributes() -> Iterator[tuple[str, MutableMapping[str, Any]]]:
    """Yield the sets and triggers of all devices, with their names."""
    for device in zio.devices().values():
        for number, cset in enumerate(device.cset):
            yield f"{device.name}:{number}", cset
            if cset.trigger is not None:
                yield f"{device.name}:{number}:trigger", cset.trigger
