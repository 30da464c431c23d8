# SPDX-License-Identifier: GPL-2.0-only
"""Strangers do not fill the log."""

from __future__ import annotations

import logging

import pytest
from zio_scope import log


def test_the_log_is_sparing(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("zio_scope.log.time.monotonic", lambda: now)
    sparing = log.Sparing()

    def record() -> logging.LogRecord:
        return logging.LogRecord("a", logging.ERROR, "f", 1, "no %s", ("room",), None)

    assert sum(sparing.filter(record()) for _ in range(500)) == log.BURST
    now += log.PERIOD + 1
    found = record()
    assert sparing.filter(found)
    assert found.getMessage() == f"no room ({500 - log.BURST} messages were left out)"
