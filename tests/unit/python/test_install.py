# SPDX-License-Identifier: LGPL-2.1-or-later
"""The package is installed by `make install-python`, and pip finds its version."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = ("tools", "include/uapi", "packaging/wheels", "LICENSES")
FILES = ("setup.py", "pyproject.toml", "MANIFEST.in", "COPYING")


def output_of(*command: str | Path, **settings: str) -> str:
    done = subprocess.run(
        command,
        cwd="/",
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_install(tmp_path: Path) -> None:
    make = (
        "make",
        "-s",
        "-C",
        ROOT / "tools",
        f"DESTDIR={tmp_path}",
        "PYTHONDIR=/packages",
    )
    output_of(*make, "install-python")
    program = "import zio; print(zio.__file__, hasattr(zio, 'group'))"
    found = output_of(
        sys.executable, "-c", program, PYTHONPATH=str(tmp_path / "packages")
    )
    assert found == f"{tmp_path}/packages/zio/__init__.py True"
    output_of(*make, "uninstall-python")
    assert not list((tmp_path / "packages").iterdir())


def test_version() -> None:
    header = (ROOT / "tools/libzio/zio.h").read_text()
    wanted = re.search(r'LIBZIO_VERSION "(.*)"', header)
    assert wanted
    found = output_of("env", "-C", ROOT, "-u", "ZIO_VERSION",
                      sys.executable, "setup.py", "-q", "--version")  # fmt: skip
    assert found.splitlines()[-1] == wanted[1]


def test_pip(tmp_path: Path) -> None:
    """pip makes a wheel without a network. It has all files, and can be installed."""
    venv = tmp_path / "venv"
    output_of(sys.executable, "-m", "venv", "--system-site-packages", venv)
    # pip builds in the tree, where the other tests have their package.
    tree = tmp_path / "tree"
    ignore = shutil.ignore_patterns("build", "*.egg-info")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, tree / folder, ignore=ignore)
    for file in FILES:
        shutil.copy(ROOT / file, tree)
    options = ("--no-index", "--no-build-isolation", "--no-deps", "--no-cache-dir")
    pip = (venv / "bin/pip", "wheel", "-q", *options, "-w", tmp_path, tree)
    output_of(*pip, ZIO_PROGRAMS="0")
    (wheel,) = tmp_path.glob("zio_daq-*-cp311-abi3-*.whl")
    folder = ROOT / "tools/python/src/zio"
    sources = {path.name for path in folder.iterdir() if path.is_file()}
    made = {"_buffer.abi3.so", "_libzio.abi3.so", "sample.zio"}
    names = {name.removeprefix("zio/") for name in ZipFile(wheel).namelist()}
    assert {name for name in names if "/" not in name} == sources | made
    output_of(venv / "bin/pip", "install", "-q", "--no-index", "--no-deps", wheel)
    found = output_of(
        venv / "bin/python", "-c", "import zio; print(zio.__file__)", PYTHONPATH=""
    )
    assert found.startswith(str(venv))
