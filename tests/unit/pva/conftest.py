# SPDX-License-Identifier: GPL-2.0-only
import os
from collections.abc import Callable, Iterator

import pytest

from . import PACKAGES
from .rig import Program


@pytest.fixture(autouse=True)
def packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program finds p4p, and the numpy that came with it."""
    monkeypatch.setenv("PYTHONPATH", f"{os.environ['PYTHONPATH']}:{PACKAGES}")


@pytest.fixture
def start() -> Iterator[Callable[..., Program]]:
    """Return a function that starts zio-pva with these words."""
    programs: list[Program] = []

    def run(*words: str, **options: dict[str, str]) -> Program:
        programs.append(Program(*words, **options))
        return programs[-1]

    yield run
    for program in programs:
        if program.process.poll() is None:
            assert program.stop() == 143
