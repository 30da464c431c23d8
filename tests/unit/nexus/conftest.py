# SPDX-License-Identifier: GPL-2.0-only
"""What the tests share: the program, and the block files that it records."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

TOOLS = Path(__file__).resolve().parents[3] / "tools"
NEXUS = TOOLS / "programs/nexus"
sys.path[:0] = [str(NEXUS), str(TOOLS / "python/build/lib")]
# pyarrow is no package of Debian. Where it cannot be fetched, its tests say so.
FETCHED = subprocess.run(
    [Path(__file__).with_name("fetch-pyarrow")], stdout=subprocess.PIPE, text=True
).stdout.strip()
sys.path.append(FETCHED)

PROGRAM = [sys.executable, str(NEXUS / "zio-nexus")]
Runner = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def nexus(tmp_path: Path) -> Runner:
    """Return a function that runs the program in a directory of the test."""

    def run(*words: Any, status: int | None = 0, **more: Any) -> Any:
        more.setdefault("text", True)
        result = subprocess.run(
            [*PROGRAM, *map(str, words)],
            cwd=tmp_path,
            capture_output=True,
            check=False,
            env={
                **os.environ,
                "ZIO_SYSFS": str(tmp_path / "sys"),
                "PYTHONPATH": f"{os.environ.get('PYTHONPATH', '')}:{FETCHED}",
                **more.pop("env", {}),
            },
            **more,
        )
        assert status is None or result.returncode == status, result.stderr
        return result

    return run


@pytest.fixture
def summary(nexus: Runner) -> Callable[..., Any]:
    """Return a function that runs the program with --json, and returns the object."""

    def run(*words: Any, status: int = 0, **more: Any) -> Any:
        return json.loads(nexus(*words, "--json", status=status, **more).stdout)

    return run


@contextmanager
def pipe_of(path: Path, content: bytes) -> Iterator[Path]:
    """Make a FIFO with @content, whose reader may end before it has all."""

    def write() -> None:
        with suppress(BrokenPipeError):
            path.write_bytes(content)

    os.mkfifo(path)
    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    try:
        yield path
    finally:
        writer.join(60)
        path.unlink()


@pytest.fixture
def record_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Return a function that records what comes through a FIFO, block by block, and
    returns the exit status and the files. 20 blocks of a channel are written at once."""

    def run(content: bytes) -> tuple[int, list[Path]]:
        from zio_nexus.cli import main

        monkeypatch.setattr("zio_nexus.source.BATCH", 1)
        monkeypatch.setattr("zio_nexus.record.FULL_BLOCKS", 20)
        words = ["-o", str(tmp_path / "a.nxs"), "-q", "--flush=1000"]
        with pipe_of(tmp_path / "fifo", content) as fifo:
            status = main([str(fifo), *words])
        return status, [tmp_path / "a.nxs", *sorted(tmp_path.glob("a-*.nxs"))]

    return run
