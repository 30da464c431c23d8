# SPDX-License-Identifier: GPL-2.0-only
"""No file is lost, or replaced by surprise, under which name ever."""

import contextlib
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from zio_nexus import target
from zio_nexus.failure import OpenFailure
from zio_nexus.target import Part, Target

from .conftest import PROGRAM
from .makeblocks import Kind, make_file
from .test_interrupt import Running, start  # noqa: F401
from .test_stored import limit_files

TEXT = "precious"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return make_file(tmp_path / "a.zio", Kind(), range(100))


def read(path: Path) -> str:
    return path.read_text(errors="replace")


def test_part_that_exists(tmp_path: Path) -> None:
    """Neither a link of a stranger nor a part that was kept is written to."""
    path = tmp_path / "a.csv"
    kept, linked = (f"{path}.{os.getpid()}{part}" for part in (".part", ".2.part"))
    (tmp_path / "victim").write_text(TEXT)
    Path(kept).write_text(TEXT)
    os.symlink(tmp_path / "victim", linked)
    part = Part(str(path), force=False)
    part.file.write(b"new")
    part.publish()
    assert read(path) == "new"
    assert read(tmp_path / "victim") == read(Path(kept)) == TEXT
    assert sorted(tmp_path.iterdir()) == sorted(
        map(Path, (path, kept, linked, tmp_path / "victim"))
    )


@pytest.mark.parametrize("has_links", [True, False])
def test_file_that_appears(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_links: bool
) -> None:
    """Another program makes a file of that name meanwhile: it stays."""

    def refuse(*_: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    if not has_links:
        monkeypatch.setattr(os, "link", refuse)
    path = tmp_path / "a.csv"
    part = Part(str(path), force=False)
    part.file.write(b"new")
    real = target.check_free
    if has_links:
        # The file comes between the check and the name.
        monkeypatch.setattr(target, "check_free", lambda *_: path.write_text(TEXT))
    else:
        path.write_text(TEXT)
    with pytest.raises(OpenFailure, match="exists: use --force"):
        part.publish()
    assert read(path) == TEXT and read(Path(part.name)) == "new"
    monkeypatch.setattr(target, "check_free", real)
    path.unlink()
    part = Part(str(path), force=False)
    part.publish()
    assert path.exists() and not os.path.exists(part.name)


def test_name_that_is_taken_at_the_end(tmp_path: Path) -> None:
    """The blocks of a pipe are whole then: they stay in the part."""
    content = make_file(tmp_path / "a.zio", Kind(), range(100)).read_bytes()
    words = [*PROGRAM, "-", "-o", "a.csv"]
    process = subprocess.Popen(
        words, cwd=tmp_path, stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    while not list(tmp_path.glob("a.csv.*.part")):
        assert process.poll() is None
    (tmp_path / "a.csv").write_text(TEXT)
    said = process.communicate(content)[1].decode()
    (part,) = tmp_path.glob("a.csv.*.part")
    assert process.returncode == 3 and f"what was written is in {part.name}" in said
    assert read(tmp_path / "a.csv") == TEXT
    assert len(read(part).splitlines()) == 1 + 100 * 16


def test_recording_that_appears(tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "a.nxs"
    monkeypatch.setattr(target, "check_free", lambda *_: path.write_text(TEXT))
    (tmp_path / "new").write_text("new")
    with pytest.raises(OpenFailure, match="exists: use --force"):
        target.give_name(str(tmp_path / "new"), str(path), force=False)
    assert read(path) == TEXT
    assert Target(str(path), False, False).next_path() == str(path)


@pytest.mark.parametrize("size", [1, 4096])
def test_old_recording_stays(nexus: Any, source: Path, tmp_path: Path, size: int) -> None:
    """With no room for a new recording, --force leaves the old one."""
    (tmp_path / "a.nxs").write_text(TEXT)
    more = {"preexec_fn": limit_files(size), "status": 5}
    assert "make room" in nexus("a.zio", "-f", "-o", "a.nxs", **more).stderr
    assert read(tmp_path / "a.nxs") == TEXT
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.nxs", "a.zio"]
    nexus("a.zio", "-f", "-o", "a.nxs")
    nexus("verify", "a.nxs")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.nxs", "a.zio"]


def test_old_file_stays_open(nexus: Any, source: Path, tmp_path: Path) -> None:
    """A program that has the old file open keeps it."""
    (tmp_path / "a.nxs").write_text(TEXT)
    with open(tmp_path / "a.nxs") as old:
        nexus("a.zio", "-f", "-o", "a.nxs")
        assert old.read() == TEXT


@pytest.mark.parametrize("suffix", ["nxs", "csv"])
def test_running_recorder(start: Any, nexus: Any, tmp_path: Path, suffix: str) -> None:  # noqa: F811
    """--force does not take the name of a recorder that still runs."""
    program: Running = start()
    program.feed(1500)
    program.wait_stored(1500)
    make_file(tmp_path / "a.zio", Kind(), range(10))
    words = ("a.zio", "-f", "-o", "a.nxs", "--to", "hdf5" if suffix == "nxs" else suffix)
    said = nexus(*words, status=3).stderr
    pid = program.process.pid
    assert f"a.nxs: is being recorded by process {pid}: " in said
    program.feed(500)
    assert program.process.stdin
    program.process.stdin.close()
    assert program.process.wait(60) == 0
    assert "2000 blocks" in nexus("verify", "a.nxs").stdout
    nexus(*words)


def test_recorder_that_was_killed(start: Any, nexus: Any, tmp_path: Path) -> None:  # noqa: F811
    program: Running = start()
    program.feed(1500)
    program.wait_stored(1500)
    program.process.kill()
    program.process.communicate()
    make_file(tmp_path / "a.zio", Kind(), range(10))
    nexus("a.zio", "-f", "-o", "a.nxs")


def test_two_at_once(tmp_path: Path) -> None:
    """Of two recorders that begin together, one has the name; the other says so."""
    words = [*PROGRAM, "-", "-f", "-o", "two.nxs", "--flush=0"]
    content = make_file(tmp_path / "a.zio", Kind(), range(1500)).read_bytes()
    both = [
        subprocess.Popen(
            words, cwd=tmp_path, stdin=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(2)
    ]
    for process in both:
        assert process.stdin
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(content)
            process.stdin.flush()
    first = None
    while first is None:
        first = next((p for p in both if p.poll() is not None), None)
    (other,) = (p for p in both if p is not first)
    said = first.communicate()[1].decode()
    assert first.returncode == 3
    assert f"two.nxs: is being recorded by process {other.pid}" in said
    other.communicate()
    assert other.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.zio", "two.nxs"]
