# SPDX-License-Identifier: GPL-2.0-only
"""The command line: messages, exit status, completion, manual."""

import os
import pty
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest
import zio
from zio.cli import Failure, candidates
from zio_scope import page_files
from zio_scope.options import complete, make_parser

SCOPE = Path(__file__).resolve().parents[3] / "tools/programs/scope"
TOOLS = SCOPE.parents[1]


def run(*words: str, **options: Any) -> tuple[int, str]:
    done = subprocess.run(
        [SCOPE / "zio-scope", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=480,
        **options,
    )
    return done.returncode, done.stdout


def test_a_name_that_is_nothing() -> None:
    status, said = run("nosuch")
    assert status == 3
    assert "nosuch: no file, and no channel: " in said


def test_a_recording_in_hdf5(tmp_path: Path) -> None:
    file = tmp_path / "run.nxs"
    file.write_bytes(b"\x89HDF\r\n\x1a\n")
    status, said = run(str(file))
    assert status == 3
    assert f"run.nxs: is an HDF5 file: zio-nexus cat {file} | zio-scope -" in said


def test_a_port_in_use(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        status, said = run("--port", str(port), "--token-file", str(tmp_path / "t"))
    assert status == 1
    assert f"127.0.0.1 port {port}: Address already in use" in said
    assert "--port 0" in said


def test_a_token_file_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    status, said = run("--port", "0", "--token-file", str(tmp_path / "file/token"))
    assert status == 1
    assert "use --token-file" in said


def test_a_certificate_that_is_none(tmp_path: Path) -> None:
    name = str(tmp_path / "x")
    status, said = run("-p", "0", "--tls-cert", name, "--tls-key", name)
    assert status == 1
    assert f"{name}: " in said and "PEM" in said


def start(work: Path, terminal: bool) -> str:
    """Return the first line of the daemon."""
    (work / "run7.zio").touch()
    words = ["--port=0", "--token-file", str(work / "token"), str(work / "run7.zio")]
    reader, writer = pty.openpty() if terminal else os.pipe()
    with subprocess.Popen([SCOPE / "zio-scope", *words], stdout=writer) as daemon:
        os.close(writer)
        with open(reader) as file:
            line = file.readline()
            daemon.terminate()
    return line


def test_the_token_goes_to_a_terminal(tmp_path: Path) -> None:
    token = start(tmp_path, True).strip().partition("#token=")[2]
    assert token == (tmp_path / "token").read_text().strip()


def test_the_token_does_not_go_to_a_log(tmp_path: Path) -> None:
    line = start(tmp_path, False)
    assert line.startswith("http://127.0.0.1:")
    assert str(tmp_path / "token") in line
    assert (tmp_path / "token").read_text().strip() not in line


def test_a_name_with_escapes() -> None:
    status, said = run("no\x1b]0;such\n")
    assert status == 3
    assert "no?]0;such" in said and "\x1b" not in said


@pytest.mark.parametrize("word", ["--help", "--version"])
def test_output_that_cannot_be_written(word: str) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [SCOPE / "zio-scope", word], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1
    assert (
        done.stderr == "zio-scope: standard output: No space left on device: make room\n"
    )


def test_a_changed_uplot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "zio" / f"uplot-{page_files.UPLOT_VERSION}"
    folder.mkdir(parents=True)
    for name in page_files.UPLOT_FILES:
        (folder / name).write_text("alert()")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(page_files, "PAGE", page_files.PAGE.parent)
    with pytest.raises(page_files.Missing, match="not the file of uPlot"):
        page_files.load()


@pytest.mark.parametrize("words", [["--port=x"], ["--speed=-1"], ["--nothing"]])
def test_wrong_usage(words: list[str]) -> None:
    status, said = run(*words)
    assert status == 2
    assert "zio-scope --help" in said


def test_demo_takes_no_name() -> None:
    status, said = run("--demo", "run7.zio")
    assert status == 2
    assert "--demo: give no NAME with it" in said


def test_demo_of_a_package_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zio._sample, "FILE", Path("/nosuch"))
    options = make_parser().parse_words(["--demo"])
    with pytest.raises(Failure, match="/nosuch: build the package") as failure:
        complete(make_parser(), options)
    assert failure.value.status == 3


def test_help_and_version() -> None:
    status, said = run("--help")
    assert status == 0
    assert "--tls-cert" in said
    header = (TOOLS / "libzio/zio.h").read_text()
    version = header.partition('LIBZIO_VERSION "')[2].partition('"')[0]
    assert run("--version") == (0, f"zio-scope {version}\n")


def test_completion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ZIO_SYSFS", str(tmp_path))
    (tmp_path / "run7.zio").touch()
    (tmp_path / "runs").mkdir()
    parser = make_parser()
    assert candidates(parser, ["--tls-"]) == ["--tls-cert=", "--tls-key="]
    assert candidates(parser, ["--r"]) == ["--read-only"]
    assert candidates(parser, ["ru"]) == ["run7.zio", "runs/"]
    assert candidates(parser, ["--token-file=run7"]) == ["--token-file=run7.zio"]


def test_the_manual_has_all_options() -> None:
    manual = (TOOLS / "man/zio-scope.1.md").read_text().replace("\\", "")
    for action in make_parser()._actions:
        for name in action.option_strings:
            assert f"**{name}**" in manual


def test_help_without_the_server(tmp_path: Path) -> None:
    """The help comes before the packages that it tells to install."""
    (tmp_path / "aiohttp.py").write_text("raise ImportError('no aiohttp here')")
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"}
    status, said = run("--help", env=env)
    assert (status, said.startswith("Usage: zio-scope")) == (0, True)
    assert run("--version", env=env)[0] == 0
    assert run("--nonsense", env=env)[0] == 2
    status, said = run(env=env)
    assert status == 1 and "no aiohttp here: apt-get install" in said
