# SPDX-License-Identifier: GPL-2.0-only
"""Settings and statistics, with files that stand for sysfs."""

import os
import subprocess
from pathlib import Path

import pytest
from zio_scope import machine

HERE = Path(__file__).resolve().parent
FAKE = HERE.parent / "fake-tree.sh"


@pytest.fixture
def sysfs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the devices zzero-0000 and zzero-0001, with three inputs each."""
    script = f". {FAKE}; make_tree"
    subprocess.run(["bash", "-euc", script], cwd=tmp_path, check=True)
    monkeypatch.setenv("ZIO_SYSFS", str(tmp_path / "sysfs"))
    monkeypatch.setenv("ZIO_CONFIGFS", str(tmp_path / "configfs"))
    return tmp_path / "sysfs/bus/zio/devices"


@pytest.mark.usefixtures("sysfs")
def test_input_sets() -> None:
    first, second = machine.input_sets()
    assert (first.name, second.name) == ("zzero-0000/cset0", "zzero-0001/cset0")
    assert (first.trigger, first.fired, first.enabled) == ("user", 100, True)
    channel = first.channels[1]
    assert (channel.name, channel.blocks, channel.lost) == ("zzero-0000-0-1", 100, 3)
    shown = {(s.object, s.attribute): s for s in first.settings}
    assert shown["zzero-0000/cset0", "current_trigger"].choices == (
        "user",
        "hrt",
        "clock7",
    )
    assert shown["zzero-0000/cset0/trigger", "nsamples"].value == "16"
    assert ("zzero-0000/cset0/trigger", "name") not in shown
    assert ("zzero-0000/cset0/chan2", "enable") in shown


@pytest.mark.usefixtures("sysfs")
def test_only_sets_with_these_channels() -> None:
    assert [s.name for s in machine.input_sets({"zzero-0001-0-2"})] == [
        "zzero-0001/cset0"
    ]
    assert machine.input_sets({"zzero-0001-1-0"}) == []


def test_no_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZIO_SYSFS", str(tmp_path))
    assert machine.input_sets() == []


def test_change(sysfs: Path) -> None:
    sets = machine.input_sets()
    machine.change("zzero-0000/cset0/trigger", "nsamples", "64", sets)
    assert (sysfs / "zzero-0000/cset0/trigger/nsamples").read_text().strip() == "64"


@pytest.mark.parametrize(
    ("name", "attribute"),
    [
        ("zzero-0000/cset0/chan0", "alarms"),
        ("zzero-0000/cset1", "enable"),
        ("zzero-0000/cset0", "trigger/nsamples"),
        ("bus:", "version"),
    ],
)
@pytest.mark.usefixtures("sysfs")
def test_what_the_page_does_not_show_is_refused(name: str, attribute: str) -> None:
    with pytest.raises(machine.Refused, match="use `zio set`"):
        machine.change(name, attribute, "1", machine.input_sets())


def test_the_text_of_the_library_is_the_answer(sysfs: Path) -> None:
    sets = machine.input_sets()
    path = sysfs / "zzero-0000/cset0/trigger/nsamples"
    os.remove(path)
    path.mkdir()
    with pytest.raises(machine.Refused, match="zzero-0000/cset0/trigger"):
        machine.change("zzero-0000/cset0/trigger", "nsamples", "0", sets)


@pytest.mark.usefixtures("sysfs")
@pytest.mark.parametrize("text", ["\ud800", "8\x008"])
def test_what_is_no_text_is_refused(text: str) -> None:
    """The page gets the answer to its setting, with the reason."""
    sets = machine.input_sets()
    with pytest.raises(machine.Refused, match="use another text"):
        machine.change("zzero-0000/cset0/trigger", "nsamples", text, sets)


@pytest.mark.usefixtures("sysfs")
def test_short_names() -> None:
    assert machine.short_name("zzero-0-1") == "zzero-0000-0-1"
    for name in ("zzero-0", "nosuch-0-1"):
        with pytest.raises(OSError):
            machine.short_name(name)
