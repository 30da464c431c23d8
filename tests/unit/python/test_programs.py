# SPDX-License-Identifier: LGPL-2.1-or-later
"""What pip makes programs of."""

from __future__ import annotations

import signal
import sys
from types import ModuleType

import pytest
from zio import _programs


def test_an_extra_that_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "zio_scope", None)
    assert _programs.scope() == 1
    said = capsys.readouterr().err
    assert said.startswith("zio-scope: ") and "pip install 'zio-daq[scope]'" in said


@pytest.mark.parametrize("name", ["scope", "nexus", "pva"])
def test_a_program_gets_its_words(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    program = ModuleType(f"zio_{name}.cli")
    program.__dict__["main"] = lambda words: len(words)
    monkeypatch.setitem(sys.modules, f"zio_{name}", ModuleType(f"zio_{name}"))
    monkeypatch.setitem(sys.modules, f"zio_{name}.cli", program)
    monkeypatch.setattr(sys, "argv", ["zio", "a", "b"])
    # A shell starts programs in the background with SIGINT ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert getattr(_programs, name)() == 2
        is_default = signal.getsignal(signal.SIGINT) is signal.SIG_DFL
        assert is_default == (name == "nexus")
    finally:
        signal.signal(signal.SIGINT, before)
