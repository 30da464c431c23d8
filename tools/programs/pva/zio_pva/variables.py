# SPDX-License-Identifier: GPL-2.0-only
"""Process variables that appear with their first value."""

import threading
from collections.abc import Mapping
from typing import Any

from p4p import Value
from p4p.server import StaticProvider
from p4p.server.thread import Handler, SharedPV


class Variables:
    """The variables, whose names begin with @prefix. Any thread may use them."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.provider = StaticProvider("zio")
        self._variables: dict[str, SharedPV] = {}
        self._lock = threading.Lock()

    def post(
        self, base: str, values: Mapping[str, Value], handler: Handler | None = None
    ) -> None:
        """Post @values. Their keys are the ends of the names that begin with @base."""
        with self._lock:
            for end, value in values.items():
                self._post(f"{self.prefix}{base}{end}", value, handler)

    def _post(self, name: str, value: Value, handler: Handler | None) -> None:
        if name in self._variables:
            self._variables[name].post(value)
            return
        # Without a handler, PVAccess refuses every put to a variable.
        self._variables[name] = SharedPV(initial=value, handler=handler)
        self.provider.add(name, self._variables[name])

    def set_alarm(
        self, base: str, ends: Mapping[str, Any], alarm: dict[str, Any]
    ) -> None:
        """Change the alarm of variables but keep their values. @ends has their types, by
        the ends of the names."""
        values = {end: Value(kind, {"alarm": alarm}) for end, kind in ends.items()}
        with self._lock:
            for end, value in values.items():
                if found := self._variables.get(f"{self.prefix}{base}{end}"):
                    found.post(value)

    def names(self) -> list[str]:
        with self._lock:
            return list(self._variables)

    def close(self) -> None:
        with self._lock:
            for variable in self._variables.values():
                variable.close()
