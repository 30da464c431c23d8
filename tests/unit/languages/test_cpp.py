# SPDX-License-Identifier: GPL-2.0-only
"""<zio/zio.hpp>, as `make install-lib` installs it"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import EXAMPLES, run

HERE = Path(__file__).parent
WARNINGS = "-Wall -Wextra -Wpedantic -Werror".split()
SANITIZERS = "-g -fsanitize=address,undefined -fno-sanitize-recover=all".split()
Compiler = Callable[..., Path]


@pytest.fixture
def compiled(library: dict[str, str], tmp_path: Path) -> Compiler:
    """Return a function that compiles a program as a user does, and returns its path."""

    def compile(source: Path, standard: str, *more: str) -> Path:
        program = tmp_path / f"{source.stem}-{standard}"
        flags = run("pkg-config", "--cflags", "--libs", "libzio", env=library).split()
        words = [*WARNINGS, f"-std={standard}", *more, source, "-o", program]
        run("g++", *words, *flags, env=library)
        return program

    return compile


def test_example(
    compiled: Compiler, library: dict[str, str], recording: Path, expected: str
) -> None:
    program = compiled(EXAMPLES / "peaks.cpp", "c++17")
    assert run(program, recording, env=library) == expected


@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_header(
    compiled: Compiler,
    library: dict[str, str],
    recording: Path,
    tmp_path: Path,
    standard: str,
) -> None:
    trigger = tmp_path / "sys/bus/zio/devices/zzero-0000/cset0/trigger"
    trigger.mkdir(parents=True)
    (trigger.parent / "current_trigger").write_text("user\n")
    (trigger / "nsamples").write_text("16\n")
    cut = tmp_path / "cut.zio"
    cut.write_bytes(recording.read_bytes()[:-1])
    env = {**library, "ZIO_SYSFS": str(tmp_path / "sys")}
    sanitizers = SANITIZERS if standard == "c++17" else []
    program = compiled(HERE / "cpp_program.cpp", standard, *sanitizers)
    run(program, recording, cut, tmp_path / "copy.zio", env=env)
