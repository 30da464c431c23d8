# SPDX-License-Identifier: LGPL-2.1-or-later
"""Command lines, with a program that does nothing."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zio
from zio import cli

CODE = """
import os, sys
from zio import cli
def work(options):
    {work}
sys.exit(cli.run(cli.Parser("prog", "[NAME]...", "Does.").add_standard("7"),
                 sys.argv[1:], work))
"""


Done = subprocess.CompletedProcess[str]


def make_parser(operands: str = "[NAME]...") -> cli.Parser:
    parser = cli.Parser("prog", operands, "Does nothing.", "The end.")
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", help="a file")
    add("--to", metavar="FORMAT", choices=("csv", "npy"))
    add("--group", metavar="NAME=CHANNEL,...", action="append")
    add("-q", "--quiet", action="store_true")
    add("-n", "--count", metavar="N", type=cli.number(1, 9), default=1)
    return parser.add_standard("7.5")


def run(work: Callable[[argparse.Namespace], int], *words: str) -> int:
    return cli.run(make_parser(), list(words), work)


@pytest.fixture
def channel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two sets: an input and an output; and files beside them."""
    for number, direction in enumerate(("input", "output")):
        cset = tmp_path / f"bus/zio/devices/zzero-0000/cset{number}"
        (cset / "chan1").mkdir(parents=True)
        (cset / "direction").write_text(f"{direction}\n")
    for name in ("run7.zio", ".hidden"):
        (tmp_path / name).touch()
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs/a").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ZIO_SYSFS", str(tmp_path))


@pytest.mark.usefixtures("channel")
@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--qu"], ["--quiet"]),
        (["--o"], ["--output="]),
        (["--output=ru"], ["--output=run7.zio", "--output=runs/"]),
        (["-o", "ru"], ["run7.zio", "runs/"]),
        (["--to="], ["--to=csv", "--to=npy"]),
        (["--group=g=zz"], ["--group=g=zzero-0000-0-1"]),
        (["--group=g=a-0-0,"], ["--group=g=a-0-0,zzero-0000-0-1"]),
        (["--group=z"], []),
        (["zz"], ["zzero-0000-0-1"]),
        (["runs/"], ["runs/a"]),
        (["."], [".hidden"]),
        (["--nothing="], []),
        (["-q", ""], ["zzero-0000-0-1", "bus/", "run7.zio", "runs/"]),
    ],
)
def test_completion(words: list[str], found: list[str]) -> None:
    assert cli.candidates(make_parser(), words) == found


@pytest.mark.usefixtures("channel")
def test_completion_of_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.candidates(make_parser("FILE..."), ["zz"]) == []
    assert cli.candidates(make_parser(), ["ve"], ("verify",)) == ["verify"]
    assert cli.candidates(make_parser(), ["-q", "ve"], ("verify",)) == []
    assert run(lambda _: 1, "--complete", "--to=c") == 0
    assert capsys.readouterr().out == "--to=csv\n"


@pytest.mark.usefixtures("channel")
def test_completion_of_strange_names(tmp_path: Path) -> None:
    """No name ends the completion, or is two candidates."""
    (tmp_path / "runs/loop").symlink_to("loop")
    for name in (b"runs/b\xff", b"runs/c\n--quiet"):
        Path(os.fsdecode(name)).touch()
    done = complete("runs/", LC_ALL="C.UTF-8", PYTHONUTF8="0")
    assert (done.stdout, done.stderr) == (b"runs/a\nruns/b\xff\nruns/loop\n", b"")


def complete(word: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a program as the completion of bash does."""
    path = os.pathsep.join([str(Path(zio.__file__).parents[1]), *sys.path])
    command = [sys.executable, "-c", CODE.format(work="return 0"), "--complete", word]
    env = {**os.environ, "PYTHONPATH": path, **environment}
    return subprocess.run(command, capture_output=True, env=env)


def test_words_between_options() -> None:
    seen: list[argparse.Namespace] = []
    assert run(lambda options: seen.append(options) or 5, "a", "-q", "b", "-n3") == 5
    assert (seen[0].names, seen[0].quiet, seen[0].count) == (["a", "b"], True, 3)


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["--", "-x"], ["-x"]),
        (["a", "-q", "--", "--quiet", "b"], ["a", "--quiet", "b"]),
        (["-q", "--", "--"], ["--"]),
        (["-q", "a", "--"], ["a"]),
    ],
)
@pytest.mark.parametrize("operands", ["[NAME]...", "FILE..."])
def test_words_behind_two_dashes(
    operands: str, words: list[str], names: list[str]
) -> None:
    """The file "-x" can be named."""
    seen: list[argparse.Namespace] = []
    parser = make_parser(operands)
    assert cli.run(parser, words, lambda options: seen.append(options) or 0) == 0
    assert (seen[0].names, seen[0].quiet) == (names, "-q" in words)


@pytest.mark.parametrize("words", [["-n0"], ["-nx"], ["--quie"], ["--to=x"]])
def test_wrong_words(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        run(lambda _: 0, *words)
    assert end.value.code == cli.USAGE
    said = capsys.readouterr().err
    assert said.startswith("prog: ")
    assert said.endswith("\nTry 'prog --help' for more information.\n")


def test_a_missing_word(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.run(make_parser("FILE..."), [], lambda _: 0)
    assert "prog: the following arguments are required: FILE" in capsys.readouterr().err


def test_an_option_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    """The complaint names it, also if there is no operand."""
    with pytest.raises(SystemExit):
        cli.run(make_parser("FILE..."), ["-x"], lambda _: 0)
    assert "prog: unrecognized arguments: -x\n" in capsys.readouterr().err


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        run(lambda _: 1, "--help")
    assert not end.value.code
    said = capsys.readouterr().out
    assert said.startswith("Usage: prog [OPTION]... [NAME]...\n\nDoes nothing.\n")
    assert "\n  -o, --output=FILE " in said and "\n      --to=FORMAT" in said
    for word, text in ("--version", "prog 7.5\n"), ("--usage", said.split("\n\n")[0]):
        with pytest.raises(SystemExit):
            run(lambda _: 1, word)
        assert capsys.readouterr().out.rstrip() == text.rstrip()


def test_failures(capsys: pytest.CaptureFixture[str]) -> None:
    def fail(error: BaseException) -> int:
        raise error

    assert run(lambda _: fail(cli.Failure("a\x1b: b\nc"))) == cli.FAILED
    assert capsys.readouterr().err == "prog: a?: b?c\n"
    assert run(lambda _: fail(cli.Failure("x", 7))) == 7
    assert run(lambda _: fail(KeyboardInterrupt())) == 130
    assert run(lambda _: fail(BrokenPipeError())) == 141


def run_program(work: str, word: str, closed: str = "", **how: Any) -> Done:
    """Run a program with streams such as ">&-" and "2>&-"."""
    path = os.pathsep.join([str(Path(zio.__file__).parents[1]), *sys.path])
    code = CODE.format(work=work)
    command = ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-c", code, word]
    env = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, env=env, **how)


WORDS = ["--help", "--version", "--usage", "--complete", "x"]


@pytest.mark.parametrize("word", WORDS)
def test_output_that_cannot_be_written(word: str) -> None:
    with open("/dev/full", "w") as full:
        done = run_program("cli.say('x'); return 0", word, stdout=full)
    assert done.returncode == 1
    wanted = "prog: standard output: No space left on device: make room\n"
    assert done.stderr == wanted


@pytest.mark.parametrize("word", WORDS)
def test_closed_output(word: str) -> None:
    """As the programs in C."""
    done = run_program("cli.say('x'); return 0", word, ">&-")
    assert done.returncode == 1
    assert done.stderr == "prog: standard output: Bad file descriptor\n"


INTERRUPTED = """
import signal
import sys
from zio import cli


def work(_):
    signal.signal(signal.SIGALRM, lambda *_: cli.complain("prog", "interrupted"))
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    cli.say("x" * 300000)
    cli.say("y")
    return 0


sys.exit(cli.run(cli.Parser("prog", "[NAME]", ""), [], work))
"""


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_signal_within_a_long_line(unbuffered: str) -> None:
    """The pipe takes a part of the line: the signal ends this write()."""
    path = os.pathsep.join([str(Path(zio.__file__).parents[1]), *sys.path])
    env = {**os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": unbuffered}
    command = [sys.executable, "-c", INTERRUPTED]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=env, stdout=pipe, stderr=pipe) as child:
        assert child.stderr is not None
        assert child.stderr.readline() == b"prog: interrupted\n"
        said, _ = child.communicate()
    assert said == b"x" * 300000 + b"\ny\n"


def test_closed_streams() -> None:
    """No file of the program gets the number of one, and what asks a stream works."""
    work = "sys.stderr.isatty(); cli.complain('prog', 'x'); cli.say(str(os.dup(1)))"
    done = run_program(f"{work}; return 0", "x", "<&- 2>&-", stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout, done.stderr) == (0, "3\n", "")
