# SPDX-License-Identifier: GPL-2.0-only
"""Set points, on files that stand for sysfs"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from p4p.client.thread import RemoteError
from p4p.server import ServerOperation
from p4p.server.thread import SharedPV
from zio_pva.attributes import Attributes, SetPoint
from zio_pva.variables import Variables

from .rig import Program, wait_for

Start = Callable[..., Program]
NSAMPLES = "zzero-0000:0:trigger:nsamples"


@pytest.fixture
def device(tmp_path: Path) -> Path:
    """A device with one set, one channel and a trigger"""
    device = tmp_path / "bus/zio/devices/zzero-0000"
    files = {
        "cset0/direction": "input",
        "cset0/current_trigger": "user",
        "cset0/lines": "one\ntwo",
        "cset0/trigger/nsamples": "16",
        "cset0/chan0/enable": "1",
    }
    for name, text in files.items():
        (device / name).parent.mkdir(parents=True, exist_ok=True)
        (device / name).write_text(f"{text}\n")
    (device / "cset0/direction").chmod(0o444)
    return device


def begin(start: Start, device: Path, *words: str) -> Program:
    return start(*words, environ={"ZIO_SYSFS": str(device.parents[3])})


def test_read(start: Start, device: Path) -> None:
    """Numbers and texts have variables; nobody can write them."""
    program = begin(start, device, "--attributes")
    assert program.start["variables"] == [
        "zzero-0000:0:0:enable",
        "zzero-0000:0:current_trigger",
        "zzero-0000:0:direction",
        NSAMPLES,
    ]
    assert program.get(NSAMPLES).value == 16
    assert program.get("zzero-0000:0:current_trigger").value == "user"
    with pytest.raises(RemoteError, match=f"--allow-write={NSAMPLES}"):
        program.client.put(NSAMPLES, {"value": 64})
    assert (device / "cset0/trigger/nsamples").read_text() == "16\n"


def test_write(start: Start, device: Path) -> None:
    """A client writes what the patterns allow, and nothing else."""
    words = "--insecure-write", "--allow-write=*:trigger:*", "--allow-write=*_trigger"
    program = begin(start, device, *words)
    program.client.put(NSAMPLES, {"value": 64})
    assert (device / "cset0/trigger/nsamples").read_text().strip() == "64"
    assert program.get(NSAMPLES).value == 64
    program.client.put("zzero-0000:0:current_trigger", {"value": "hrt"})
    assert (device / "cset0/current_trigger").read_text().strip() == "hrt"
    with pytest.raises(RemoteError, match="is read-only"):
        program.client.put("zzero-0000:0:0:enable", {"value": 0})
    assert (device / "cset0/chan0/enable").read_text() == "1\n"
    wait_for(lambda: [x for x in program.said if "set zzero-0000/cset0/trigger/ns" in x])


class Forger:
    """A write of a client that wants a line of its own in the log."""

    def value(self) -> dict[str, str]:
        return {"value": "hrt\x1b[2J"}

    def account(self) -> str:
        return "eve at 127.0.0.1 set x to 1\nzio-pva: root"

    def peer(self) -> str:
        return "127.0.0.1:1"

    def done(self, error: str = "") -> None:
        assert not error


def test_a_client_forges_no_line_of_the_log(
    device: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ZIO_SYSFS", str(device.parents[3]))
    attributes = Attributes(Variables(""), ["*"])
    point = SetPoint(attributes, "x", "zzero-0000/cset0/current_trigger")
    point.put(cast("SharedPV", None), cast("ServerOperation", Forger()))
    said = capfd.readouterr().err
    assert said.startswith("zio-pva: 127.0.0.1:1 set zzero-0000/cset0/current_trigger")
    assert said.count("\n") == 1 and "\x1b" not in said


def test_changes_of_others(start: Start, device: Path) -> None:
    """A client sees what others change."""
    program = begin(start, device, "--attributes")
    seen: list[int] = []
    with program.client.monitor(NSAMPLES, lambda value: seen.append(value.value)):
        wait_for(lambda: seen == [16])
        (device / "cset0/trigger/nsamples").write_text("128\n")
        wait_for(lambda: seen == [16, 128])


def test_device_goes_and_comes(start: Start, device: Path) -> None:
    program = begin(start, device, "--attributes")
    assert program.get(NSAMPLES).alarm.severity == 0
    device.rename(device.parent.parent / "away")
    value = program.wait(NSAMPLES, lambda value: value.alarm.severity == 3)
    assert value.value == 16
    with pytest.raises(RemoteError):
        program.client.put(NSAMPLES, {"value": 64})
    shutil.copytree(device.parent.parent / "away", device)
    program.wait(NSAMPLES, lambda value: value.alarm.severity == 0)
