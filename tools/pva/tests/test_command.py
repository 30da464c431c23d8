# SPDX-License-Identifier: GPL-2.0-only
"""The command line, and where the program listens"""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rig import PROGRAM, Program, make_block

Start = Callable[..., Program]


def run(*words: str | Path, **environ: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-B", PROGRAM, *map(str, words)]
    env = {**os.environ, **environ}
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=60)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "blocks"
    path.write_bytes(make_block(1))
    return path


def listeners(pid: int) -> set[str]:
    """Return the addresses of the TCP sockets on which a process listens."""
    folder = f"/proc/{pid}/fd"
    links = []
    for name in os.listdir(folder):
        # The process opens and closes files meanwhile.
        with contextlib.suppress(FileNotFoundError):
            links.append(os.readlink(f"{folder}/{name}"))
    inodes = {link[8:-1] for link in links if link.startswith("socket:")}
    found = set()
    for table in "tcp", "tcp6":
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[9] in inodes and words[3] == "0A":
                found.add(words[1].split(":")[0])
    return found


def test_only_this_machine(start: Start, file: Path) -> None:
    """By default no other machine connects, whatever the environment says."""
    program = start(file, environ={"EPICS_PVAS_INTF_ADDR_LIST": "0.0.0.0"})
    assert listeners(program.process.pid) == {"0100007F"}
    assert program.start["local"] is True
    program.get("zzero-0000-0-0")


def test_all_machines(start: Start, file: Path) -> None:
    program = start("--listen=0.0.0.0", file)
    assert all(int(address, 16) == 0 for address in listeners(program.process.pid))
    assert program.start["local"] is False


def test_writes_of_other_machines() -> None:
    """They need an option of their own."""
    done = run("--allow-write=*", "--listen=0.0.0.0")
    assert done.returncode == 2
    assert "--insecure-write" in done.stderr
    assert "other machines reach 0.0.0.0" in done.stderr


def test_says_where(file: Path) -> None:
    command = [sys.executable, "-B", PROGRAM, "--port=0", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout
        said = program.stdout.readline()
        program.send_signal(signal.SIGINT)
    assert re.match(r"\d+ variables on 127.0.0.1 port \d+, for only this machine", said)
    assert program.returncode == 130


def test_port_in_use(file: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        done = run(f"--port={port}", file)
    assert done.returncode == 1
    assert f"port {port}: another program uses it: use another --port" in done.stderr


def test_no_such_address(file: Path) -> None:
    done = run("--listen=203.0.113.7", file)
    assert done.returncode == 1
    assert "203.0.113.7: cannot listen" in done.stderr


@pytest.mark.parametrize("name", ["/nowhere", "nosuch-0-1", "--group=g=nosuch-0-1"])
def test_no_channel(name: str) -> None:
    """A channel that is not there ends the program with status 3."""
    done = run(name)
    assert done.returncode == 3
    assert "no such" in done.stderr


def test_wait(start: Start) -> None:
    """With --wait it is a variable with an alarm, and no client hangs."""
    program = start("--wait", "nosuch-0-1", "--group=g=nosuch-0-1,nosuch-0-2")
    for name in "nosuch-0000-0-1", "g", "g:nosuch-0000-0-2", "g:lost":
        value = program.wait(name, lambda value: "waiting" in value.alarm.message)
        assert value.alarm.severity == 3


WRONG = [
    ([], "nothing to show"),
    (["--group=x", "a-0-0"], "use NAME=CHANNEL"),
    (["--group=x=a-0-0,a-0-0"], "named twice"),
    (["--interval=-1", "a-0-0"], "use 0 to 3600"),
    (["--port=99999", "a-0-0"], "use 0 to 65535"),
]


@pytest.mark.parametrize("words, text", WRONG, ids=[text for _, text in WRONG])
def test_wrong_usage(words: list[str], text: str) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert text in done.stderr


def test_help() -> None:
    """It says that the program is for looking, and where it listens."""
    said = run("--help").stdout
    assert "for looking, not for recording" in said
    assert "listens on 127.0.0.1" in said
    assert run("--version").stdout.startswith("zio-pva ")


def test_completion(tmp_path: Path) -> None:
    said = run("--complete", "--al").stdout.split()
    assert said == ["--allow-write="]
    (tmp_path / "run7.zio").touch()
    said = run("--complete", str(tmp_path / "run")).stdout.split()
    assert said == [str(tmp_path / "run7.zio")]


def test_without_p4p(tmp_path: Path, file: Path) -> None:
    """The program says how to install it; its help needs nothing."""
    # A directory whose p4p cannot be imported
    (tmp_path / "p4p").mkdir()
    (tmp_path / "p4p/__init__.py").write_text("raise ImportError('p4p is broken')")
    path = f"{tmp_path}:{os.environ['PYTHONPATH']}"
    done = run(file, PYTHONPATH=path)
    assert done.returncode == 1
    assert "pip install --require-hashes" in done.stderr
    done = run("--help", PYTHONPATH=path)
    assert done.returncode == 0 and done.stdout.startswith("usage: zio-pva")
    assert run("--version", PYTHONPATH=path).returncode == 0
    assert run("--nonsense", PYTHONPATH=path).returncode == 2
