# SPDX-License-Identifier: GPL-2.0-only
"""setup, with an apt-get that has not all packages"""

import os
import subprocess
from pathlib import Path

import pytest

from zio_testing.common import TESTING

# The archive has no package "chromium", and "openssl" cannot be installed.
PROGRAMS = {
    "apt-cache": """
case $2 in chromium) c="(none)" ;; *) c=1 ;; esac
echo "  Candidate: $c\"""",
    "dpkg-query": 'sed "s/^/installed /" "{place}/have"',
    "apt-get": """
for word; do
    case $word in
    chromium) echo "E: Unable to locate package chromium" >&2; exit 100 ;;
    openssl) bad=1 ;;
    esac
done
[ -z "$bad" ] || { echo "E: openssl depends on what is not there" >&2; exit 100; }
for word; do
    case $word in
    -* | *=* | install | update) ;;
    *) echo "$word" >>"{place}/have" ;;
    esac
done""",
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "have").write_text("")
    for name, text in PROGRAMS.items():
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\n{text.replace('{place}', str(tmp_path))}\n")
        program.chmod(0o755)
    return tmp_path


def setup(place: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    path = f"{place}:{os.environ['PATH']}"
    return subprocess.run(
        [TESTING / "setup", *words],
        env={**os.environ, "PATH": path, "XDG_CACHE_HOME": str(place)},
        capture_output=True,
        text=True,
    )


def test_what_can_be_had_is_installed(place: Path) -> None:
    done = setup(place, "scope", "npm")
    assert done.returncode == 125
    have = (place / "have").read_text().split()
    assert {"python3-aiohttp", "chromium-driver", "npm"} <= set(have)
    assert not {"chromium", "openssl"} & set(have)
    end = done.stderr.splitlines()[-1]
    assert end == "setup: not installed: chromium openssl; apt-get has told why"
    assert "E: openssl depends on what is not there" in done.stderr
    assert "E: Unable to locate package chromium" in done.stderr


def test_all_can_be_had(place: Path) -> None:
    assert setup(place, "mutants").returncode == 0
    assert (place / "have").read_text().split() == ["git"]
    assert setup(place, "mutants").stderr == ""
