# SPDX-License-Identifier: GPL-2.0-only
"""zio-pva, seen by the client of p4p"""

import os
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from p4p.client.thread import Context, RemoteError
from p4p.server import Server, StaticProvider
from zio_pva.setpoint import add_attributes

PROGRAM = Path(__file__).resolve().parent.parent / "zio-pva"
NAME = "test:zzero-0000-0-0"


def make_block(number: int, samples: bytes = bytes(range(16)), alarms: int = 0) -> bytes:
    control = bytearray(512)
    control[0:4] = bytes((1, 4, alarms, 0))
    struct.pack_into("=IIHH", control, 4, number, len(samples), 1, 8)
    struct.pack_into("=HBB8sIHH12s", control, 16, 0, 0, 0, b"", 0, 0, 0, b"zzero")
    struct.pack_into("=QQQ", control, 48, 1795357071, 250000000 + number, 0)
    struct.pack_into("=I", control, 80, 0x01000001)
    return bytes(control) + samples


@pytest.fixture
def client() -> Iterator[Context]:
    with Context("pva", nt=False) as context:
        yield context


class Served:
    """zio-pva, which reads a FIFO."""

    def __init__(self, directory: Path) -> None:
        fifo = directory / "blocks"
        os.mkfifo(fifo)
        words = [sys.executable, "-B", PROGRAM, "--prefix=test:", "--interval=0", fifo]
        self.process = subprocess.Popen(words)
        self.out = open(fifo, "wb", buffering=0)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    program = Served(tmp_path)
    yield program
    program.process.terminate()
    assert program.process.wait(30) == 0


def wait_for(client: Context, number: int) -> object:
    limit = time.monotonic() + 30
    while (value := client.get(NAME, timeout=30)).uniqueId != number:
        assert time.monotonic() < limit, value.uniqueId
        time.sleep(0.05)
    return value


def test_block(client: Context, served: Served) -> None:
    """Samples, number and time are those of the block."""
    served.out.write(make_block(7))
    value = wait_for(client, 7)
    assert value.value.tobytes() == bytes(range(16))
    assert value.value.dtype == "u1"
    assert value.dataTimeStamp.secondsPastEpoch == 1795357071
    assert value.dataTimeStamp.nanoseconds == 250000007
    assert value.dimension[0].size == 16
    assert value.alarm.severity == 0
    array = client.get(f"{NAME}:values")
    assert array.value.tolist() == list(map(float, range(16)))
    assert array.timeStamp.userTag == 7


def test_lost(client: Context, served: Served) -> None:
    """A gap is a minor alarm, and counted."""
    served.out.write(make_block(1) + make_block(5))
    value = wait_for(client, 5)
    assert (value.alarm.severity, value.alarm.message[:1]) == (1, "3")
    attributes = {each.name: each.value for each in value.attribute}
    assert attributes["lost"] == 3
    served.out.write(make_block(8))
    wait_for(client, 8)
    assert client.get(f"{NAME}:lost").value == 5


def test_alarm(client: Context, served: Served) -> None:
    """An alarm of the device is an invalid value."""
    served.out.write(make_block(3, alarms=2))
    value = wait_for(client, 3)
    assert value.alarm.severity == 3
    assert value.alarm.message


def test_wrap(client: Context, served: Served) -> None:
    """A number beyond 31 bits is negative, as uniqueId has a sign."""
    served.out.write(make_block(0xFFFFFFFF))
    wait_for(client, -1)


def test_no_put(client: Context, served: Served) -> None:
    """Clients cannot write blocks."""
    served.out.write(make_block(0))
    wait_for(client, 0)
    with pytest.raises(RemoteError):
        client.put(f"{NAME}:lost", {"value": 1})


@pytest.mark.parametrize("write", [False, True])
def test_attributes(client: Context, write: bool) -> None:
    """Attributes are read-only, unless writing is allowed; text is left out."""
    attributes: dict[str, object] = {"nsamples": 16, "name": "hrt"}
    provider = StaticProvider("attributes")
    add_attributes(provider, "test:trigger", attributes, write)
    assert list(provider.keys()) == ["test:trigger:nsamples"]
    with Server(providers=[provider]):
        assert client.get("test:trigger:nsamples").value == 16
        if write:
            client.put("test:trigger:nsamples", {"value": 64})
            assert client.get("test:trigger:nsamples").value == 64
        else:
            with pytest.raises(RemoteError, match="allow-write"):
                client.put("test:trigger:nsamples", {"value": 64})
    assert attributes["nsamples"] == (64 if write else 16)


def test_no_channel() -> None:
    """A channel that is not there ends the program with status 3."""
    done = subprocess.run([sys.executable, PROGRAM, "/nowhere"], capture_output=True)
    assert done.returncode == 3
    assert b"/nowhere" in done.stderr
