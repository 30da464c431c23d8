# SPDX-License-Identifier: GPL-2.0-only
"""zio-comedi without a card. selftests/comedi.sh has one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from zio_testing import common
from zio_testing.common import ROOT

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def run() -> Run:
    common.setup("build", "comedi")
    subprocess.run(["make", "-s", "-C", ROOT / "tools", "comedi"], check=True)

    def do(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        command = [str(ROOT / "tools/bin/zio-comedi"), *words]
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=480,
            env=dict(os.environ, **variables),
        )

    return do


@pytest.fixture(scope="module")
def card(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a library with a card that has faults."""
    library = tmp_path_factory.mktemp("card") / "card.so"
    source = ROOT / "tests/unit/comedi/card.c"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
    return library


@pytest.fixture(scope="module")
def overrun(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a program that runs acquire.c with a card and a clock of its own."""
    program = tmp_path_factory.mktemp("overrun") / "overrun"
    tools = ROOT / "tools"
    folders = (tools, tools / "programs", ROOT / "include/uapi")
    sources = (
        ROOT / "tests/unit/comedi/overrun.c",
        tools / "programs/comedi/acquire.c",
    )
    flags = ["-D_GNU_SOURCE", *(f"-I{folder}" for folder in folders)]
    subprocess.run(["gcc", *flags, "-o", program, *sources], check=True)
    return program


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ([], 2, "Usage: zio-comedi [OPTION...] FILE"),
        (["/dev/null", "/dev/null"], 2, "/dev/null: one card at a time"),
        (["--aref=north", "/dev/null"], 2, "north"),
        (["--rate=fast", "/dev/null"], 2, "fast"),
        (["--rate=0.2", "/dev/null"], 2, "--rate=0.2: Comedi has no rate below 0.233 Hz"),
        (["/nowhere"], 3, "/nowhere: cannot open it: No such file or directory"),
        (["/dev/null"], 3, "/dev/null: cannot open it: "),
    ],
)
def test_refusals(run: Run, words: list[str], status: int, said: str) -> None:
    done = run(*words)
    assert done.returncode == status, done.stderr
    assert said in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("fault", "words", "said"),
    [
        ("one subdevice", ["-s", "1"], "cannot read from subdevice 1: "),
        ("no bits", [], "channel 0: its largest sample is unknown"),
        (
            "no such channels",
            [],
            "no command for 2 channels at 1000 Hz: the driver cannot scan these: try "
            "--channels, --range or --aref",
        ),
        # No name: the card is right, and there is no device with or without the module.
        ("three corrections", ["-d", "-"], "x: no device: "),
    ],
)
def test_cards(run: Run, card: Path, fault: str, words: list[str], said: str) -> None:
    done = run(*words, "x", LD_PRELOAD=str(card), CARD=fault)
    assert done.returncode == 3
    assert done.stderr.startswith("zio-comedi: x: ")
    assert said in done.stderr


@pytest.mark.parametrize(
    ("what", "lines"),
    [
        # 37 s is how far this TAI is ahead.
        ("clock", ["1000000 ms, 0 lost", "1037010 ms, 0 lost"]),
        # A request has 10 ms, and the reader has 10 ms from second 1000 on.
        (
            "overruns",
            ["1000000 ms, 0 lost", "EOVERFLOW", "1002000 ms, 199 lost"],
        ),
        (
            "overruns and clock",
            ["1000000 ms, 0 lost", "EOVERFLOW", "1039000 ms, 199 lost"],
        ),
        (
            "abort",
            ["1000000 ms, 0 lost", "EOVERFLOW", "ECANCELED", "4603000 ms, 0 lost"],
        ),
    ],
)
def test_times(overrun: Path, what: str, lines: list[str]) -> None:
    """A continuous acquisition counts what is lost from the last scan that was read."""
    done = subprocess.run(
        [overrun, what], capture_output=True, text=True, check=True, timeout=480
    )
    assert done.stdout.splitlines() == lines
