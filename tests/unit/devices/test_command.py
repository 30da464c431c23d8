# SPDX-License-Identifier: GPL-2.0-only
"""The command lines: helps, completion, and errors with their remedies"""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from .conftest import TOOLS, Runner

PROGRAMS = ("zio-generate", "zio-replay")
HAS_MODULE = os.path.exists("/dev/uzio")


@pytest.mark.parametrize("name", PROGRAMS)
def test_help(run: Runner, name: str) -> None:
    """The manual page has each option of the help."""
    said = run(name, "--help").stdout
    assert said.startswith(f"Usage: {name} [OPTION]... ")
    page = (TOOLS / f"man/{name}.1.md").read_text().replace("\\", "")
    options = [word.strip("-").split("=")[0] for word in said.split() if word[:2] == "--"]
    assert len(options) > 10
    for option in options:
        assert f"--{option}**" in page, option


def test_completion(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "run.zio").touch()
    assert run("zio-replay", "--complete", "run").stdout == "run.zio\n"
    assert run("zio-replay", "--complete", "--times=o").stdout == "--times=original\n"
    assert run("zio-generate", "--complete", "--fr").stdout == "--frequency=\n"


@pytest.mark.skipif(HAS_MODULE, reason="the module is loaded")
@pytest.mark.parametrize("words", [("zio-generate", "sine"), ("zio-replay", "run.zio")])
def test_no_module(run: Runner, record: Callable[..., Path], words: list[str]) -> None:
    record()
    for more in ((), ("--background",)):
        said = run(*words, *more, status=1).stderr
        assert said.startswith(f"{words[0]}: /dev/uzio: ") and "modprobe zio-uzio" in said


WRONG = {
    "no file": (("zio-replay", "nosuch"), 3, "nosuch: No such file or directory"),
    "a device": (("zio-replay", "/dev/null"), 3, "/dev/null: is no file: record"),
    "empty": (("zio-replay", "empty"), 3, "empty: has no block: record some"),
    "no blocks": (
        ("zio-replay", "junk"),
        3,
        "junk: no block begins at byte 0: use a block",
    ),
    "no sound": (("zio-replay", "riff"), 3, "riff: is no sound file: "),
    "no samples": (("zio-replay", "none.wav"), 3, "none.wav: has no samples: record"),
    "no HDF5": (("zio-replay", "hdf"), 3, "hdf: HDF5 refuses the file"),
    "no word": (("zio-replay",), 2, "the following arguments are required: FILE"),
    "two words": (("zio-replay", "a", "b"), 2, "unrecognized arguments: b"),
    "speed": (("zio-replay", "--speed=fast", "a"), 2, "fast is not a number"),
    "no signal": (("zio-generate", "saw"), 2, "saw: is neither a signal (sine, square,"),
    "range": (("zio-generate", "sine", "--amplitude=20"), 1, "use --range=20"),
    "number": (("zio-generate", "sine", "--rate=1x"), 2, "1x is not a number, such as"),
    "zero": (("zio-generate", "sine", "--rate=0"), 2, "0 is not from 1e-06 to 4e+09 Hz"),
    "unit": (("zio-generate", "sine", "--unit=volt"), 1, "a unit of volt: there are"),
    "pulses": (("zio-generate", "pulses", "--rate=1", "--pulse-rate=4G"), 1, "4e+09 in"),
    "one of a device": (
        ("zio-generate", "sine", "--to=zloop/0/0", "--by-trigger", "--speed=2"),
        2,
        "zio-generate: --by-trigger is of a device, and --to makes none: leave it out",
    ),
    "all of a device": (
        (
            *"zio-generate sine --to=zloop/0/0 --name=a --channels=2".split(),
            *"--linger=1 --trigger=hrt --period=1ms --background".split(),
        ),
        2,
        "--channels, --name, --trigger, --period, --linger, --background are of a device",
    ),
    "output": (("zio-generate", "sine", "--to=nosuch/0/0"), 1, "nosuch/0/0: no such"),
}


@pytest.mark.parametrize("words", WRONG.values(), ids=WRONG)
def test_wrong(
    run: Runner, tmp_path: Path, words: tuple[tuple[str, ...], int, str]
) -> None:
    """Errors name the object, the cause and the remedy."""
    (tmp_path / "empty").touch()
    (tmp_path / "junk").write_bytes(b"junk" * 300)
    (tmp_path / "riff").write_bytes(b"RIFF" + bytes(20))
    (tmp_path / "hdf").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(2000))
    soundfile.write(tmp_path / "none.wav", np.zeros(0, "i2"), 44100)
    command, status, text = words
    said = run(*command, status=status).stderr
    assert said.startswith(f"{command[0]}: ") and text in said, said
    assert "Traceback" not in said


def test_scale(run: Runner, record: Callable[..., Path]) -> None:
    """A scale that a device cannot have is named, with the file."""
    record(scale=1e260)
    for more in ((), ("--background",)):
        said = run("zio-replay", "run.zio", *more, status=1).stderr
        assert said == (
            "zio-replay: run.zio: cannot be a device: set set0: a scale of 1e+260 and "
            "-1.5\n"
        )


def test_no_soundfile(run: Runner, tmp_path: Path) -> None:
    """A library that is missing is named, and where it is."""
    (tmp_path / "soundfile.py").write_text("raise ImportError('No module')")
    (tmp_path / "a.wav").write_bytes(b"RIFF" + bytes(20))
    path = f"{tmp_path}:{os.environ['PYTHONPATH']}"
    said = run("zio-replay", "a.wav", status=3, env={"PYTHONPATH": path}).stderr
    assert "a.wav: is a sound file, and" in said and "python3-soundfile" in said
