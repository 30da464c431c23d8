# SPDX-License-Identifier: GPL-2.0-only
"""`make install` installs all programs that have a manual, and they start."""

import os
import subprocess
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[3] / "tools"


def make(prefix: Path, *goals: str) -> None:
    words = ["make", "-s", "-C", TOOLS, f"PREFIX={prefix}", f"PYTHONDIR={prefix}/python"]
    done = subprocess.run([*words, *goals], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_all_programs_start(tmp_path: Path) -> None:
    make(tmp_path, "install", "install-more")
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}/python"}
    for manual in (TOOLS / "man").glob("*.1.md"):
        name = manual.name.removesuffix(".1.md")
        if name == "zio-kafka" and not Path("/usr/include/librdkafka").exists():
            continue
        words = [tmp_path / "bin" / name, "--help"]
        done = subprocess.run(words, env=env, cwd="/", capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert name in done.stdout
    make(tmp_path, "uninstall")
    assert not list((tmp_path / "bin").iterdir())
