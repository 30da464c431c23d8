# SPDX-License-Identifier: GPL-2.0-only
"""zio-pva, blocks for it, and a client"""

import json
import os
import queue
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from p4p.client.thread import Context

PROGRAM = str(Path(__file__).resolve().parents[3] / "tools/programs/pva/zio-pva")
# Seconds, which only a hang reaches: a minute, on a machine that is eight times slower
SECONDS = 480.0
BEGIN = 1795357071
LITTLE_ENDIAN = 0x01000001


def make_block(
    number: int,
    samples: bytes = bytes(range(16)),
    alarms: int = 0,
    device_alarms: int = 0,
    chan: int = 0,
    ssize: int = 1,
    later_ns: int = 0,
) -> bytes:
    """Return a block of zzero-0000-0-@chan, whose time has @number milliseconds."""
    control = bytearray(512)
    control[0:4] = bytes((1, 4, alarms, device_alarms))
    count = len(samples) // ssize
    struct.pack_into("=IIHH", control, 4, number, count, ssize, 8 * ssize)
    struct.pack_into("=HBB8sIHH12s", control, 16, 0, 0, 0, b"", 0, 0, chan, b"zzero")
    time_ns = BEGIN * 10**9 + 250_000_000 + number % 2**31 * 10**6
    time_ns += later_ns
    struct.pack_into("=QQQ", control, 48, *divmod(time_ns, 10**9), 0)
    struct.pack_into("=I", control, 80, LITTLE_ENDIAN)
    struct.pack_into("=12s", control, 84, b"hrt")
    return bytes(control) + samples


def wait_for(found: Callable[[], Any]) -> Any:
    """Wait until the result is true, and return it."""
    limit = time.monotonic() + SECONDS
    while not (result := found()):
        assert time.monotonic() < limit, "never true"
        time.sleep(0.02)
    return result


class Program:
    """zio-pva on a free port, and a client that asks this port alone."""

    def __init__(self, *words: str | Path, environ: dict[str, str] | None = None) -> None:
        command = [sys.executable, "-B", PROGRAM, "--json", "--port=0", *map(str, words)]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **(environ or {})},
        )
        self.said: list[str] = []
        lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        assert self.process.stdout
        read = self.process.stdout.readline
        threading.Thread(target=lambda: lines.put(read()), daemon=True).start()
        line = lines.get(timeout=SECONDS)
        assert line, self.said
        self.start = json.loads(line)
        self.client = self.connect()

    def connect(self) -> Context:
        settings = {
            "EPICS_PVA_ADDR_LIST": "",
            "EPICS_PVA_AUTO_ADDR_LIST": "NO",
            "EPICS_PVA_NAME_SERVERS": f"127.0.0.1:{self.start['port']}",
        }
        return Context("pva", nt=False, conf=settings, useenv=False)

    def _listen(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self.said.append(line.rstrip())

    def get(self, name: str) -> Any:
        return self.client.get(name, timeout=SECONDS)

    def wait(self, name: str, condition: Callable[[Any], Any]) -> Any:
        """Return the value of a variable as soon as it meets the condition."""

        def look() -> Any:
            value = self.get(name)
            return [value] if condition(value) else None

        return wait_for(look)[0]

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.client.close()
        self.process.send_signal(number)
        return self.process.wait(SECONDS)


def attributes_of(value: Any) -> dict[str, Any]:
    return {each.name: each.value for each in value.attribute}
