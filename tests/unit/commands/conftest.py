# SPDX-License-Identifier: GPL-2.0-only
"""A directory that stands for sysfs and configfs, and programs that see it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

FILES = {
    "bus/zio/version": "1.4",
    "bus/zio/devices/zzero-0000/cset0/direction": "input",
    "bus/zio/devices/zzero-0000/cset0/enable": "1",
    "bus/zio/devices/zzero-0000/cset0/current_buffer": "kmalloc",
    "bus/zio/devices/zzero-0000/cset0/current_trigger": "user",
    "bus/zio/devices/zzero-0000/cset0/statistics/fired": "7",
    "bus/zio/devices/zzero-0000/cset0/trigger/name": "user",
    "bus/zio/devices/zzero-0000/cset0/trigger/enable": "1",
    "bus/zio/devices/zzero-0000/cset0/trigger/post-samples": "16",
    "bus/zio/devices/zzero-0000/cset0/chan0/enable": "1",
    "bus/zio/devices/zzero-0000/cset0/chan0/address": "zzero-0000-0-0",
    "bus/zio/devices/zzero-0000/cset0/chan0/statistics/blocks": "100",
    "bus/zio/devices/zzero-0000/cset0/chan0/statistics/lost_blocks": "3",
    "bus/zio/devices/zzero-0000/cset0/chan0/buffer/max-buffer-len": "16",
    "module/zio/parameters/user_sessions": "1024",
    "zio/triggers/hrt/clock0/enable": "0",
    "zio/triggers/hrt/clock0/period-ns": "1000",
    "zio/devices/zzero/rack1/name": "zzero-0001",
    "zio/devices/zzero/rack1/id": "auto",
    "zio/devices/zzero/rack1/live": "0",
    "zio/devices/zzero/rack1/channels": "3",
}

Run = Callable[..., int]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files that stand for sysfs and configfs."""
    for name, text in FILES.items():
        (tmp_path / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / name).write_text(f"{text}\n")
    for name in ("ZIO_SYSFS", "ZIO_CONFIGFS"):
        monkeypatch.setenv(name, str(tmp_path / "tree"))
    return tmp_path / "tree"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs main() of a command with words."""

    def call(command: Callable[[], int], *words: str) -> int:
        monkeypatch.setattr(sys, "argv", ["zio", *words])
        return command()

    return call
