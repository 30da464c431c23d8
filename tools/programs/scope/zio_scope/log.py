# SPDX-License-Identifier: GPL-2.0-only
"""The log. Strangers cannot fill it."""

from __future__ import annotations

import logging
import time

# At most BURST records in PERIOD seconds
BURST, PERIOD = 20, 60.0


class Sparing(logging.Filter):
    """Passes up to BURST records per PERIOD. The next record counts those left out."""

    def __init__(self) -> None:
        super().__init__()
        self._begin = 0.0
        self._passed = self._dropped = 0

    def filter(self, record: logging.LogRecord) -> bool:
        now = time.monotonic()
        if now - self._begin > PERIOD or not self._begin:
            self._begin, self._passed = now, 0
        self._passed += 1
        if self._passed > BURST:
            self._dropped += 1
            return False
        if self._dropped:
            text = f"{record.getMessage()} ({self._dropped} messages were left out)"
            record.msg, record.args, self._dropped = text, (), 0
        return True


def set_up() -> None:
    """Send the log to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("zio-scope: %(message)s"))
    handler.addFilter(Sparing())
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
