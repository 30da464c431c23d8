# SPDX-License-Identifier: GPL-2.0-only
"""zio-sigrok with the simulated instrument of libsigrok, without a device"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from zio_testing import common
from zio_testing.common import ROOT

Run = Callable[..., "subprocess.CompletedProcess[str]"]
SECOND = ("acquire 1", "done 1: began 1001")


@pytest.fixture(scope="module")
def run() -> Run:
    common.setup("build", "sigrok")
    subprocess.run(["make", "-s", "-C", ROOT / "tools", "sigrok"], check=True)

    def do(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        command = [str(ROOT / "tools/bin/zio-sigrok"), *words]
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=480,
            env=dict(os.environ, **variables),
        )

    return do


def compile_to(file: Path, *words: str | Path) -> None:
    command = ["pkg-config", "--cflags", "--libs", "libsigrok"]
    flags = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    subprocess.run(["gcc", "-o", file, *words, *flags.split(), "-lm"], check=True)


@pytest.fixture(scope="module")
def twist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a library that changes the packets of the instrument."""
    library = tmp_path_factory.mktemp("twist") / "twist.so"
    compile_to(library, "-shared", "-fPIC", ROOT / "tests/unit/sigrok/twist.c")
    return library


@pytest.fixture(scope="module")
def turns(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a program that runs serve.c without a kernel."""
    program = tmp_path_factory.mktemp("turns") / "turns"
    tools = ROOT / "tools"
    flags = ("-D_GNU_SOURCE", f"-I{tools}", f"-I{ROOT}/include/uapi")
    sources = (
        ROOT / "tests/unit/sigrok/turns.c",
        tools / "programs/sigrok/serve.c",
    )
    compile_to(program, *flags, *sources)
    return program


def test_sets(run: Run) -> None:
    """Analog channels of one unit are a set, in the order of the instrument."""
    words = ["-c", "samplerate=1M", "-c", "A0/amplitude=2"]
    done = run("--try", *words, "demo:analog_channels=2:logic_channels=12")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "analog: 1000000 samples per second\n"
        "  A0: 1000 samples, -2 to 2\n"
        "  A1: 1000 samples, -10 to 10\n"
        "logic: 1000000 samples per second\n"
        "  1000 samples of 12 bits\n"
    )


def test_channels(run: Run) -> None:
    done = run("--try", "--channels=A1,D2,D0", "demo")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(
        r"analog: .*\n  A1: 1000 .*\nlogic: .*\n  1000 samples of 2 bits\n", done.stdout
    )


@pytest.mark.parametrize(
    ("name", "settings", "said"),
    [
        ("many digits", ["A0/amplitude=1e-10"], "1000 samples, -1e-10 to 1e-10"),
        ("more digits later", [], "1000 samples, -10 to 10, rounded"),
        ("overload first", ["A0/amplitude=0.5"], "1000 samples, -0.5 to 0.5"),
        ("others", [], "1000 samples, -10 to 10"),
        ("logic", [], "1000 samples, -10 to 10"),
    ],
)
def test_packets(
    run: Run, twist: Path, name: str, settings: list[str], said: str
) -> None:
    """Neither what comes first nor what others send changes the samples."""
    words = [f"--config={setting}" for setting in ("samplerate=1M", *settings)]
    done = run("--try", "-C", "A0", *words, "demo", LD_PRELOAD=str(twist), TWIST=name)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"analog: 1000000 samples per second\n  A0: {said}\n"


def test_frames(run: Run, twist: Path) -> None:
    """An oscilloscope without a limit of samples: one frame is a block."""
    words = ["--try", "-C", "A0", "-c", "samplerate=10", "demo"]
    done = run(*words, LD_PRELOAD=str(twist), TWIST="frames")
    assert (done.returncode, done.stderr) == (0, "")
    found = re.search(r"A0: (\d+) samples", done.stdout)
    assert found and 1 <= int(found[1]) < 1000, done.stdout


def test_silence(run: Run, twist: Path) -> None:
    words = ["--try", "-C", "A0", "-c", "samplerate=1k", "-c", "limit_time=50", "demo"]
    done = run(*words, LD_PRELOAD=str(twist), TWIST="silence later")
    assert done.returncode == 1
    assert done.stderr == "zio-sigrok: analog: the instrument has given no samples\n"
    assert done.stdout == "analog: 1000 samples per second\n  A0: no samples\n"


@pytest.mark.parametrize(
    ("script", "error", "status", "lines"),
    [
        # The time of a block is that of its acquisition.
        ("0..1", "", 143, ["acquire 0", "done 0: began 1000", *SECOND]),
        # The abort of a set that waits is answered before the acquisition ends.
        ("01a.", "", 143, ["acquire 0", "failed 1: ECANCELED", "done 0: began 1000"]),
        # Set 0 is armed again while 2 waits, and comes behind it.
        (
            "012.0.",
            "",
            143,
            [
                *("acquire 0", "done 0: began 1000", *SECOND),
                *("acquire 2", "done 2: began 1002"),
                *("acquire 0", "done 0: began 1003"),
            ],
        ),
        ("0.0.0.0.", "EIO", 1, ["acquire 0", "failed 0: EIO"] * 3),
        ("0.0.0.0.", "EPROTO", 1, ["acquire 0", "failed 0: EPROTO"]),
    ],
)
def test_turns(
    turns: Path, script: str, error: str, status: int, lines: list[str]
) -> None:
    done = subprocess.run(
        [turns, script, error], capture_output=True, text=True, timeout=480
    )
    assert done.stdout.splitlines() == ["turns: turns, 3 sets", *lines]
    assert done.returncode == status


def test_list(run: Run) -> None:
    done = run("list", "demo")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("demo\t13 channels\tDemo device")


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ([], 2, "name a driver, such as demo, or try list"),
        (["demo", "demo"], 2, "too many words"),
        (["--nonsense"], 2, "unrecognized option"),
        (["nothere"], 3, "nothere: no such driver: sigrok-cli -L lists them"),
        (["demo:nonsense=1"], 3, "nonsense: libsigrok has no setting of this name"),
        (["demo:logic_channels=x"], 3, "logic_channels: x is no value for it"),
        ([""], 3, ": no such driver"),
        (["list", ""], 3, ": no such driver"),
        (["-c", "A0/amplitude=2x", "demo"], 1, "amplitude: 2x is no value for it"),
        (["-c", "A0/amplitude=", "demo"], 1, "amplitude:  is no value for it"),
        (["-c", "averaging=maybe", "demo"], 1, "averaging: maybe is no value for it"),
        (["demo:logic_channels=4294967297"], 3, "logic_channels: 4294967297 is no"),
        (["-c", "samplerate=fast", "demo"], 1, "samplerate: fast is no value for it"),
        (["-c", "samplerate=0", "demo"], 1, "samplerate=0: demo refuses it: "),
        (
            ["-c", "X/amplitude=1", "demo"],
            1,
            "X/amplitude=1: demo has no group of channels X",
        ),
        (["-C", "A0,X", "demo"], 1, "A0,X: 1 of these are no channels of demo"),
        (["-d", "a" * 12, "demo"], 2, "aaaaaaaaaaaa: a name has at most 11 characters"),
        (["list", "nothere"], 3, "nothere: no such driver"),
    ],
)
def test_refusals(run: Run, words: list[str], status: int, said: str) -> None:
    done = run(*words)
    assert done.returncode == status, done.stderr
    assert said in done.stderr
    assert done.stdout == ""


def test_licence() -> None:
    """libsigrok has the GPL 3: nothing with the GPL 2 only may be linked with it."""
    files = (ROOT / "tools/programs/sigrok").glob("*.[ch]")
    for file in files:
        text = file.read_text()
        assert "SPDX-License-Identifier: GPL-3.0-or-later" in text
        for name in re.findall(r'#include "(.*)"', text):
            assert name in ("sigrok.h", "libzio/zio.h"), file
