# SPDX-License-Identifier: GPL-2.0-only
"""A recording, what the library reads in it, and the numbers of the header."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zio

from zio_testing.common import ROOT

EXAMPLES = ROOT / "examples/languages"
LANGUAGES = ROOT / "tools/languages"
PAGE = ROOT / "Documentation/from-other-languages.md"
NSAMPLES = 100
FETCH = ROOT / "tests/unit/fetch-venv"
LOST = (4, 5)
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def run(*words: Any, **more: Any) -> str:
    """Return what a program prints. It must not fail."""
    more = {"capture_output": True, "text": True, "check": False, **more}
    done = subprocess.run([*map(str, words)], **more)
    assert done.returncode == 0, f"{words}\n{done.stdout}{done.stderr}"
    return str(done.stdout)


def write_blocks(path: Path) -> None:
    """A sine of 1 V and 10 Hz, with 0.25 V at 0. Two blocks are missing."""
    numbers = np.arange(10 * NSAMPLES)
    samples = np.round(1000 * np.sin(2 * np.pi * 10 * numbers / 2500)).astype("i2")
    with zio.open(str(path), create=True) as out:
        for seq, part in enumerate(samples.reshape(-1, NSAMPLES)):
            if seq in LOST:
                continue
            control = zio.make_control(
                "adc-0-1", 1_700_000_000, "V", 0.001, 0.25, 2500, seq
            )
            control["tstamp"]["ticks"] = seq * 40_000_000
            control["zio_alarms"] = seq - 1 in LOST
            out.write(part, control)


@pytest.fixture(scope="session")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recording") / "run.zio"
    write_blocks(path)
    return path


@pytest.fixture(scope="session")
def expected(recording: Path) -> str:
    """What each reader prints: number, time, losses, and the largest value in volts"""
    with zio.open(str(recording)) as ch:
        return "".join(
            f"{block.seq} {block.time_ns // 10**9}.{block.time_ns % 10**9:09} "
            f"{block.lost} {block.values().max():.4f}\n"
            for block in ch
        )


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Install the library. Return the environment of a user who has it."""
    root = tmp_path_factory.mktemp("root")
    make = ["make", "-s", "-C", ROOT / "tools", "install-lib", "PREFIX=/opt"]
    run(*make, f"DESTDIR={root}")
    return {
        **os.environ,
        "PKG_CONFIG_SYSROOT_DIR": str(root),
        "PKG_CONFIG_LIBDIR": str(root / "opt/lib/pkgconfig"),
        "LD_LIBRARY_PATH": str(root / "opt/lib"),
    }


@pytest.fixture(scope="session")
def python() -> Run:
    """Return a function that runs Python with uproot. It has an own numpy."""
    command = [FETCH, "root"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("PyPI package uproot is missing")
    env = {
        **os.environ,
        "PYTHONPATH": f"{done.stdout.strip()}:{os.environ['PYTHONPATH']}",
    }

    def run(*words: object, status: int = 0) -> subprocess.CompletedProcess[str]:
        command = ["/usr/bin/python3", *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, env=env)
        assert done.returncode == status, done.stderr
        return done

    return run


def header_numbers(words: Iterable[str], work: Path) -> dict[str, int]:
    """Return the value that each expression in C has with <linux/zio-user.h>."""
    words = list(words)
    lines = "".join(f'printf("%lld\\n", (long long)({word}));\n' for word in words)
    (work / "numbers.c").write_text(
        "#include <stddef.h>\n#include <stdio.h>\n#include <linux/zio-user.h>\n"
        f"int main(void)\n{{\n{lines}return 0;\n}}\n"
    )
    include = f"-I{ROOT / 'include/uapi'}"
    run("cc", include, "-o", work / "numbers", work / "numbers.c")
    return dict(zip(words, map(int, run(work / "numbers").split()), strict=True))


def code_of(path: Path) -> str:
    """Return an example as the page quotes it, without its licence."""
    return path.read_text().partition("\n")[2]


def lines_of(path: Path) -> list[str]:
    """Return the lines that do something: no braces alone, no imports."""
    idle = re.compile(
        r"[\s{})\];]*$|\s*(import|use|#include|const \S+ = require|using)\b"
    )
    lines = code_of(path).splitlines()
    return [line for line in lines if not idle.match(line)]
