# SPDX-License-Identifier: LGPL-2.1-or-later
"""Names of channels, and the counters of the kernel."""

from __future__ import annotations

from pathlib import Path

import pytest
import zio


@pytest.mark.parametrize(
    "name",
    [
        "zzero-0-1",
        "zzero/0/1",
        "zzero/cset0/chan1",
        "zzero-0000/0/1",
        "zzero-0000-0-1-ctrl",
        "/dev/zio/zzero-0000-0-1-data",
    ],
)
def test_names_of_a_channel(name: str) -> None:
    assert zio.is_channel_name(name)
    assert zio.full_name(name) == "zzero-0000-0-1"


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("adc-100m14b-0-1", "adc-100m14b-0000-0-1"),
        ("adc-100m14b/0/1", "adc-100m14b-0000-0-1"),
        ("adc-100m14b-00ff-0-1", "adc-100m14b-00ff-0-1"),
        ("/dev/zio/adc-100m14b-0000-0-i-ctrl", "adc-100m14b-0000-0-0"),
        ("adc-100m14b/cset0/chani", "adc-100m14b-0000-0-0"),
        ("a-0-2-1", "a-0-0000-2-1"),
        ("a-0-0000-2-1", "a-0-0000-2-1"),
        ("a-0000-2-1", "a-0000-2-1"),
    ],
)
def test_hyphens_in_the_name_of_a_device(name: str, full: str) -> None:
    assert zio.is_channel_name(name)
    assert zio.full_name(name) == full


@pytest.mark.parametrize("name", ["run.zio", "-", "data/run/0", "zzero", "a/b/0/1"])
def test_other_names(name: str) -> None:
    assert not zio.is_channel_name(name)
    assert zio.full_name(name) == name


def test_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "bus/zio/devices/fake-0007/cset0/chan1/statistics"
    place.mkdir(parents=True)
    monkeypatch.setenv("ZIO_SYSFS", str(tmp_path))
    assert zio.kernel_counts("fake-0007-0-1") is None
    for name, count in {"blocks": 7, "lost_blocks": 3}.items():
        (place / name).write_text(f"{count}\n")
    assert zio.kernel_counts("fake-0007-0-1") == (7, 3)
    assert zio.kernel_counts("fake-0007-0-1-data") == (7, 3)
    assert zio.kernel_counts("fake-0-1") is None
