# SPDX-License-Identifier: GPL-2.0-only
"""A virtual machine that a test commands"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BOOT_SECONDS = 400
# What the machine runs first: each connection to the port is a shell.
SHELL = "exec busybox nc -ll -p {port} -e /bin/sh"


def reserve_port() -> socket.socket:
    """Return a socket that keeps a free port for QEMU. It does not listen, so a socket
    with the same option may have its port; Linux gives the port to no other one."""
    keeper = socket.socket()
    keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    keeper.bind(("127.0.0.1", 0))
    return keeper


class Guest:
    """A virtual machine with zio-zero. @ports of the machine are those of this one."""

    def __init__(self, log: Path) -> None:
        self.keepers = [reserve_port() for _ in range(3)]
        self.control, *self.ports = (k.getsockname()[1] for k in self.keepers)
        options = ["--host-root", "--mem", "1024", "--timeout", "3000"]
        # The numpy of PyPI does not run on the default processor.
        options += ["--qemu", "-cpu Nehalem"]
        for port in self.control, *self.ports:
            options += ["--forward", str(port)]
        self.log = log
        with open(log, "wb") as output:
            self.process = subprocess.Popen(
                [
                    ROOT / "tests/vm",
                    *options,
                    "--",
                    f"zio-load zio-trig-timer; {SHELL.format(port=self.control)}",
                ],
                stdout=output,
                stderr=output,
            )
        self.wait(lambda: "ready" in self.run("echo ready"))

    def wait(
        self, condition: Callable[[], object], seconds: float = BOOT_SECONDS
    ) -> None:
        """Wait until a condition is true."""
        end = time.monotonic() + seconds
        while not condition():
            said = self.log.read_text(errors="replace")
            assert self.process.poll() is None and time.monotonic() < end, said
            time.sleep(0.2)

    def run(self, command: str) -> str:
        """Run lines of the shell in the machine. Return what they print. While the
        machine boots, QEMU takes the connection, and ends it."""
        said = b""
        try:
            with socket.create_connection(("127.0.0.1", self.control), 120) as line:
                line.sendall(f"{command} 2>&1\nexit\n".encode())
                while part := line.recv(65536):
                    said += part
        except ConnectionError:
            pass
        return said.decode(errors="replace")

    def start(self, command: str, output: str) -> str:
        """Start a program in the machine. Return its number. Its output goes to files."""
        words = f"{command} >{output} 2>{output}.err </dev/null & echo $!"
        return self.run(words).strip()

    def start_python(
        self, program: Path, words: str, output: str, packages: str = ""
    ) -> str:
        """Start a Python program of this checkout, with the files of this machine."""
        path = f"{ROOT}/tools/python/build/lib:{packages}"
        cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        environ = f"PYTHONPATH={path} PYTHONDONTWRITEBYTECODE=1 XDG_CACHE_HOME={cache}"
        command = f"zio-host env {environ} /usr/bin/python3 -B {program} {words}"
        return self.start(command, output)

    def has_process(self, pid: str) -> bool:
        return "alive" in self.run(f"kill -0 {pid} && echo alive")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()
        for keeper in self.keepers:
            keeper.close()
