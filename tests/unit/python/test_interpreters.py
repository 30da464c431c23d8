# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tests of the package pass on other interpreters, too: those on $PATH, and those
that $ZIO_PYTHONS names, as PATH:PATH. Each needs cffi, numpy and pytest. One without a
global lock needs setuptools, too: it has a build of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
TESTS = HERE.parents[1]
ROOT = TESTS.parent
NAMES = [f"python3.{minor}{kind}" for minor in range(12, 20) for kind in ("", "t")]
PYTHONS = [path for name in NAMES if (path := shutil.which(name))]
PYTHONS += filter(None, os.environ.get("ZIO_PYTHONS", "").split(":"))
# Prints whether the interpreter has no global lock
PROBE = """
import sysconfig, _cffi_backend, numpy, pytest
print(sysconfig.get_config_var("Py_GIL_DISABLED") or 0)
"""
OPTIONS = "-q -p no:cacheprovider -c /dev/null --rootdir . --confcutdir unit/python"
LEFT_OUT = ("guest", "test_install.py", "test_interpreters.py")


def run(folder: Path, library: Path, *command: str | Path, **settings: str) -> str:
    """Return what a program prints."""
    paths = {"PYTHONPATH": f"{library}:{TESTS}"}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **paths, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stdout[-4000:])
    return done.stdout


def build(python: str, folder: Path) -> Path:
    """Build the module zio for an interpreter without a global lock."""
    words = f"setup.py -q build --build-base {folder} --build-lib {folder}/lib"
    run(ROOT, folder, python, *words.split(), ZIO_PROGRAMS="0")
    return folder / "lib"


@pytest.mark.parametrize("python", PYTHONS)
def test_on_another_interpreter(python: str, tmp_path: Path) -> None:
    """The build of this interpreter serves all later ones that have a global lock."""
    try:
        has_no_lock = run(tmp_path, tmp_path, python, "-c", PROBE).endswith("1\n")
    except RuntimeError as error:
        pytest.skip(str(error).splitlines()[-1])
    library, settings = ROOT / "tools/python/build/lib", {}
    if has_no_lock:
        # cffi 1 does not say that it needs no lock.
        library, settings = build(python, tmp_path), {"PYTHON_GIL": "0"}
    left_out = [f"--ignore=unit/python/{name}" for name in LEFT_OUT]
    options = [*OPTIONS.split(), *left_out, "unit/python"]
    run(TESTS, library, python, "-m", "pytest", *options, **settings)
