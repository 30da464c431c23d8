# SPDX-License-Identifier: GPL-2.0-only
"""Help, manual, completion, and what the options read."""

import re
from pathlib import Path
from typing import Any

import pytest
from conftest import NEXUS

from zio_nexus.commands import COMMANDS
from zio_nexus.complete import complete
from zio_nexus.options import seconds, size

MANUAL = NEXUS.parent / "man/zio-nexus.1.md"
COMPLETION = NEXUS.parent / "completion/zio"


@pytest.mark.parametrize("name", COMMANDS)
def test_manual_has_all_options(name: str, nexus: Any) -> None:
    text = MANUAL.read_text().replace("\\", "")
    said = nexus(name, "--help").stdout
    options = re.findall(r"^ +(?:-.,|   ) (--[a-z-]+)", said, re.M)
    assert len(options) == len(COMMANDS[name].options) + 1
    for option in options:
        assert f"**{option}**" in text, option


def test_help(nexus: Any) -> None:
    assert nexus("--help").stdout == nexus("help").stdout == nexus("-h").stdout
    assert "Usage" in nexus("--usage").stdout
    assert re.fullmatch(r"zio-nexus \d+\.\d+\n", nexus("--version").stdout)
    assert nexus(status=2).stderr


def test_completion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = tmp_path / "dev"
    nodes.mkdir()
    for name in ("zzero-0000-0-1-data", "zzero-0000-0-1-ctrl"):
        (nodes / name).touch()
    (tmp_path / "run7.zio").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ZIO_DEV_PATH", str(nodes))
    assert complete(["ver"]) == ["verify"]
    assert complete(["zz"]) == ["zzero-0000-0-1"]
    assert complete(["ru"]) == ["run7.zio"]
    assert complete(["verify", "zz"]) == []
    assert complete(["a", "--comp"]) == ["--compress="]
    assert complete(["--compress="]) == [
        "--compress=none",
        "--compress=lzf",
        "--compress=gzip",
    ]
    assert complete(["a", "--output=run"]) == ["--output=run7.zio"]
    assert "--live" in complete(["verify", "-"])
    assert re.search(r"^complete .* zio-nexus\b", COMPLETION.read_text(), re.M)


def test_sizes_and_times() -> None:
    assert (size("500"), size("1.5k"), size("2G")) == (500, 1500, 2 * 10**9)
    assert (seconds("90"), seconds("15m"), seconds("1.5h")) == (90, 900, 5400)
    for text in ("x", "5x", ""):
        with pytest.raises(ValueError):
            size(text)
        with pytest.raises(ValueError):
            seconds(text)
