# SPDX-License-Identifier: GPL-2.0-only
"""The command line, and where the program listens"""

import contextlib
import ctypes
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from p4p.client.thread import Context

from .rig import PROGRAM, SECONDS, Program, attributes_of, make_block

Start = Callable[..., Program]
# Linux has one number for all architectures.
PIDFD_GETFD = 438


def run(*words: str | Path, **environ: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-B", PROGRAM, *map(str, words)]
    env = {**os.environ, **environ}
    return subprocess.run(
        command, capture_output=True, text=True, env=env, timeout=SECONDS
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "blocks"
    path.write_bytes(make_block(1))
    return path


def sockets(pid: int, kind: str) -> dict[int, str]:
    """Return the addresses of sockets of a process by their descriptors: TCP sockets that
    listen, or UDP sockets with a port."""
    inodes = {}
    for name in os.listdir(f"/proc/{pid}/fd"):
        # The process opens and closes files meanwhile.
        with contextlib.suppress(FileNotFoundError):
            inodes[os.readlink(f"/proc/{pid}/fd/{name}")] = int(name)
    found = {}
    for table in kind, f"{kind}6":
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            name = f"socket:[{words[9]}]"
            if name in inodes and words[3] in ("0A", "07"):
                found[inodes[name]] = words[1].split(":")[0]
    return found


def listeners(pid: int) -> set[str]:
    return set(sockets(pid, "tcp").values())


def device_of(pid: int, descriptor: int) -> bytes:
    """Return the interface to which a socket of another process is bound."""
    take = ctypes.CDLL(None, use_errno=True).syscall
    process = os.pidfd_open(pid)
    number = take(PIDFD_GETFD, process, descriptor, 0)
    os.close(process)
    assert number >= 0, os.strerror(ctypes.get_errno())
    with socket.socket(fileno=number) as found:
        name = found.getsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, 16)
    return name.rstrip(b"\0")


@pytest.mark.parametrize(("words", "device"), [((), b"lo"), (("--listen=0.0.0.0",), b"")])
def test_searches(
    start: Start, file: Path, words: tuple[str, ...], device: bytes
) -> None:
    """The library binds the UDP port of searches to all addresses. By default it
    receives from this machine alone."""
    pid = start(*words, file).process.pid
    udp = sockets(pid, "udp")
    assert udp
    for descriptor, address in udp.items():
        assert int(address, 16) == 0
        assert device_of(pid, descriptor) == device


def test_a_client_that_searches(start: Start, file: Path) -> None:
    """A client on this machine finds the server by UDP."""
    start("--prefix=found:", file)
    settings = {"EPICS_PVA_ADDR_LIST": "127.0.0.1", "EPICS_PVA_AUTO_ADDR_LIST": "NO"}
    with Context("pva", conf=settings, useenv=False) as client:
        assert len(client.get("found:zzero-0000-0-0", timeout=SECONDS)) == 16


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


@pytest.mark.parametrize(
    ("listen", "whom"),
    [
        ("127.0.0.1", "users of this machine reach 127.0.0.1"),
        ("0.0.0.0", "other machines reach 0.0.0.0"),
    ],
)
def test_writes_without_a_password(listen: str, whom: str) -> None:
    """They need an option of their own."""
    done = run("--allow-write=*", f"--listen={listen}")
    assert done.returncode == 2
    assert "--insecure-write" in done.stderr
    assert whom in done.stderr


@pytest.mark.parametrize("word", ["--help", "--version"])
def test_output_that_cannot_be_written(word: str) -> None:
    command = [sys.executable, "-B", PROGRAM, word]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr == "zio-pva: standard output: No space left on device: make room\n"


def test_names_with_escapes(start: Start, tmp_path: Path) -> None:
    """Those of a block reach no client, and those of files no terminal."""
    block = make_block(1)
    at = block.index(b"zzero")
    name = b"\x1b]<b>\xe2\x80\xae\n".ljust(12, b"\0")
    path = tmp_path / "run\x1b[2J"
    path.write_bytes(block[:at] + name + block[at + 12 :])
    program = start(path)
    value = program.get("?]<b>??-0000-0-0")
    assert attributes_of(value)["channel"] == "?]<b>??-0000-0-0"
    done = run("no\x1b]0;such\n")
    assert done.returncode == 3
    assert "no?]0;such" in done.stderr and "\x1b" not in done.stderr


def test_says_where(file: Path) -> None:
    command = [sys.executable, "-B", PROGRAM, "--port=0", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout
        said = program.stdout.readline()
        program.send_signal(signal.SIGINT)
    wanted = r"\d+ variables on 127.0.0.1 port \d+: every user of this machine can read"
    assert re.match(wanted, said)
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
    (["--interval=-1", "a-0-0"], "-1 is not from 0 to 3600"),
    (["--port=99999", "a-0-0"], "is not from 0 to 65535"),
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
    assert done.returncode == 0 and done.stdout.startswith("Usage: zio-pva")
    assert run("--version", PYTHONPATH=path).returncode == 0
    assert run("--nonsense", PYTHONPATH=path).returncode == 2
