# SPDX-License-Identifier: LGPL-2.1-or-later
"""Devices and attributes, in a directory that stands for sysfs."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
import zio


@pytest.fixture
def sysfs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    device = tmp_path / "bus/zio/devices/fake-0007"
    for part in (
        "cset0/chan0/buffer",
        "cset0/chan1/buffer",
        "cset0/trigger",
        "cset1/chan0",
    ):
        (device / part).mkdir(parents=True)
    files = {
        "name": "fake",
        "cset0/trigger/nsamples": "16",
        "cset0/current_trigger": "user",
        "cset0/enable": "1",
        "cset0/chan1/type": "uint8",
    }
    for name, text in files.items():
        (device / name).write_text(f"{text}\n")
    (device / "cset0/enable").chmod(0o444)
    monkeypatch.setenv("ZIO_SYSFS", str(tmp_path))
    return device


def test_tree(sysfs: Path) -> None:
    devices = zio.devices()
    assert list(devices) == ["fake-0007"]
    device = devices["fake-0007"]
    assert [cset.name for cset in device.cset] == ["fake-0007/cset0", "fake-0007/cset1"]
    assert [chan.path for chan in device.cset[0].chan] == [
        str(sysfs / "cset0/chan0"),
        str(sysfs / "cset0/chan1"),
    ]
    assert device.cset[0].trigger.kind == "trigger"
    assert device.cset[0].chan[1].buffer.kind == "buffer"
    assert device == zio.find("fake-0007")
    assert hash(device) == hash(zio.find("fake-0007"))
    assert device != device.cset[0]


def test_objects_of_a_kind(sysfs: Path) -> None:
    names = [obj.name for obj in zio.objects("channel")]
    assert names == [f"fake-0007/cset{n}" for n in ("0/chan0", "0/chan1", "1/chan0")]
    cset = zio.find("fake-0007/cset1")
    (channel,) = zio.objects("channel", cset)
    del cset
    assert channel.name == "fake-0007/cset1/chan0" and channel.type == ""
    with pytest.raises(KeyError):
        zio.objects("door")
    with pytest.raises(zio.Error) as refused:
        zio.objects("device", channel)
    assert refused.value.errno == errno.EINVAL


def test_objects_of_configfs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZIO_CONFIGFS", str(tmp_path))
    assert zio.objects("shared trigger") == []
    (tmp_path / "zio/triggers/hrt/clock0").mkdir(parents=True)
    (trigger,) = zio.objects("shared trigger")
    assert (trigger.name, trigger.type) == ("trigger:clock0", "hrt")


def test_create_and_destroy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZIO_CONFIGFS", str(tmp_path))
    (tmp_path / "zio/triggers/hrt").mkdir(parents=True)
    trigger = zio.create("shared trigger", "hrt", "clock0")
    assert trigger == zio.find("trigger:clock0")
    with pytest.raises(zio.Error) as refused:
        zio.create("shared trigger", "hrt", "clock0")
    assert refused.value.errno == errno.EEXIST
    trigger.destroy()
    assert zio.objects("shared trigger") == []
    with pytest.raises(zio.Error):
        trigger.destroy()
    with pytest.raises(zio.Error) as refused:
        zio.create("shared trigger", "irq", "clock0")
    assert refused.value.errno == errno.ENOENT


def test_settings(sysfs: Path) -> None:
    (sysfs / "cset0/flush").write_text("")
    (sysfs / "cset0/flush").chmod(0o200)
    cset = zio.find("fake-0007/cset0")
    assert cset.settings() == ["current_trigger"]
    cset.check("trigger/nsamples")
    for name, code in (("enable", errno.EACCES), ("door", errno.ENOENT)):
        with pytest.raises(zio.Error) as refused:
            cset.check(name)
        assert refused.value.errno == code


def test_attributes_of_a_device(sysfs: Path) -> None:
    files = {"version": 0o444, "mode": 0o644, "command": 0o200, "calibration": 0o644}
    for name, mode in files.items():
        (sysfs / name).write_text("3\n")
        (sysfs / name).chmod(mode)
    (sysfs / "accepted").write_text("version\nmode 0 1 3\ncommand [0 1 3]\n")
    device = zio.find("fake-0007")
    assert dict(device) == {"version": 3, "mode": 3}
    assert len(device) == 2
    assert device.commands() == ["command"]
    assert "command" in device
    assert "calibration" not in device
    assert device["version"] == 3
    device["mode"] = 1
    device["command"] = 2
    assert (sysfs / "mode").read_text() == "1\n"
    assert (sysfs / "command").read_text() == "2\n"
    assert not device.is_writable("version")
    assert device.accepted("mode") == "0 1 3"


def test_attributes(sysfs: Path) -> None:
    cset = zio.devices()["fake-0007"].cset[0]
    assert cset.trigger["nsamples"] == 16
    assert cset["current_trigger"] == "user"
    cset.trigger["nsamples"] = 64
    assert (sysfs / "cset0/trigger/nsamples").read_text().strip() == "64"
    assert cset["trigger/nsamples"] == 64
    assert set(cset) >= {"current_trigger", "enable"}
    assert len(cset) == len(list(cset))
    assert cset.is_writable("current_trigger")
    assert not cset.is_writable("enable")
    assert dict(cset.trigger) == {"nsamples": 64}


def test_accepted(sysfs: Path) -> None:
    (sysfs / "cset0/accepted").write_text("trigger/nsamples [1 1 4294967295]\n")
    cset = zio.devices()["fake-0007"].cset[0]
    assert cset.trigger.accepted("nsamples") == "[1 1 4294967295]"
    assert cset.accepted("trigger/nsamples") == "[1 1 4294967295]"
    assert "accepted" not in cset
    with pytest.raises(zio.Error, match="does not say what it accepts") as caught:
        cset.accepted("current_trigger")
    assert caught.value.errno == errno.ENODATA


def test_failures(sysfs: Path) -> None:
    cset = zio.devices()["fake-0007"].cset[0]
    with pytest.raises(KeyError, match="has no attribute nosuch"):
        _ = cset["nosuch"]
    with pytest.raises(KeyError):
        cset["nosuch"] = 1
    with pytest.raises(zio.Error) as caught:
        cset["trigger/nosuch"] = 1
    assert caught.value.errno == errno.ENOENT
    with pytest.raises(zio.Error, match="two lines|one line") as caught:
        cset.trigger["nsamples"] = "1\n2"
    assert caught.value.errno == errno.EINVAL
    with pytest.raises(TypeError):
        del cset["enable"]
    if os.geteuid():
        with pytest.raises(zio.Error):
            cset["enable"] = 1


def test_no_zio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZIO_SYSFS", str(tmp_path))
    with pytest.raises(zio.Error) as caught:
        zio.devices()
    assert caught.value.errno == errno.ENOENT
