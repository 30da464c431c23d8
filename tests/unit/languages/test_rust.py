# SPDX-License-Identifier: GPL-2.0-only
"""The crate zio, with Debian's cargo and no network"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import EXAMPLES, LANGUAGES, run

# The crate must compile with the compiler of Debian 12.
CARGO = "/usr/bin/cargo"
PROJECT = """[package]
name = "peaks"
version = "0.1.0"
edition = "2021"

[dependencies]
zio = { path = "../zio" }
"""


@pytest.fixture(scope="module")
def cargo(
    library: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., str]:
    """Return a function that runs cargo in a copy of the crate, or beside it."""
    work = tmp_path_factory.mktemp("rust")
    shutil.copytree(LANGUAGES / "rust", work / "zio")
    (work / "peaks/src").mkdir(parents=True)
    (work / "peaks/Cargo.toml").write_text(PROJECT)
    shutil.copy(EXAMPLES / "peaks.rs", work / "peaks/src/main.rs")

    def call(folder: str, *words: object, **more: str) -> str:
        tools = {name.upper(): f"/usr/bin/{name}" for name in ("rustc", "rustdoc")}
        env = {**library, **tools, "CARGO_TARGET_DIR": str(work / "target"), **more}
        return run(
            CARGO, *words, cwd=work / folder, env={**env, "RUSTFLAGS": "-Dwarnings"}
        )

    return call


def test_example(cargo: Callable[..., str], recording: Path, expected: str) -> None:
    assert cargo("peaks", "run", "-q", "--offline", "--", recording) == expected


def test_crate(cargo: Callable[..., str], recording: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.zio"
    cut.write_bytes(recording.read_bytes()[:-1])
    files = {"ZIO_RECORDING": str(recording), "ZIO_CUT": str(cut)}
    said = cargo("zio", "test", "--offline", **files)
    assert said.count("test result: ok") == 3
