# SPDX-License-Identifier: GPL-2.0-only
"""What is called stored is on the disk; a conversion that fails leaves nothing."""

import json
import re
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from zio_nexus.hdf import Recording

from .makeblocks import Kind, make_block, make_file

KIND = Kind(nsamples=512)
BLOCKS = 1500
NOT_STORED = 5
FORMATS = ["wav", "sr", "csv", "npy", "npz"]
NO_SYNC = """
import errno, os

def refuse(fd):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

os.fsync = refuse
"""


def limit_files(size: int) -> Callable[[], None]:
    """Return what makes each write behind @size fail, as on a disk that is full."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def blocks_in(path: Path) -> int:
    if not path.exists():
        return 0
    recording = Recording(str(path))
    blocks = recording.channels[KIND.name].blocks
    recording.close()
    return blocks


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return make_file(tmp_path / "a.zio", KIND, range(BLOCKS))


@pytest.mark.parametrize("size", [1, 4096, 1_200_000, 1_500_000])
def test_full_disk(nexus: Any, source: Path, tmp_path: Path, size: int) -> None:
    """The counts are those of the file, wherever the disk ends."""
    limits = {"preexec_fn": limit_files(size), "status": NOT_STORED}
    result = nexus("a.zio", "-o", "a.nxs", "--json", "--flush=0", **limits)
    report = json.loads(result.stdout)
    assert report["stored"] == blocks_in(tmp_path / "a.nxs") < BLOCKS
    assert report["stored"] + report["not_stored"] == report["blocks"]
    assert f"{report['not_stored']} of the {report['blocks']} blocks" in result.stderr
    assert [Path(name).name for name in report["files"]] == [
        path.name for path in tmp_path.glob("a*.nxs")
    ]


@pytest.mark.parametrize("suffix", ["nxs", *FORMATS])
def test_disk_that_refuses_late(
    nexus: Any, source: Path, tmp_path: Path, suffix: str
) -> None:
    """Some disks tell of no room only when data leave the memory."""
    (tmp_path / "late").mkdir()
    (tmp_path / "late/sitecustomize.py").write_text(NO_SYNC)
    more = {"env": {"PYTHONPATH": str(tmp_path / "late")}, "status": NOT_STORED}
    result = nexus("a.zio", "-o", f"a.{suffix}", "--rate=512000", "--json", **more)
    report = json.loads(result.stdout)
    assert (report["stored"], report["not_stored"]) == (0, BLOCKS)
    assert f"a.{suffix}: cannot " in result.stderr and "No space" in result.stderr


@pytest.mark.parametrize("suffix", FORMATS)
def test_nothing_is_left(nexus: Any, source: Path, tmp_path: Path, suffix: str) -> None:
    words = ("a.zio", "-o", f"a.{suffix}", "--rate=512000")
    said = nexus(*words, preexec_fn=limit_files(1000), status=NOT_STORED).stderr
    assert f"a.{suffix}: cannot write: File too large: make room" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.zio"]
    nexus(*words)
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"a.{suffix}", "a.zio"]


@pytest.mark.parametrize("suffix", ["wav", "sr"])
def test_the_old_file_stays(
    nexus: Any, source: Path, tmp_path: Path, suffix: str
) -> None:
    (tmp_path / f"a.{suffix}").write_text("precious")
    words = ("a.zio", "-o", f"a.{suffix}", "--rate=512000", "--force")
    nexus(*words, preexec_fn=limit_files(1000), status=NOT_STORED)
    assert (tmp_path / f"a.{suffix}").read_text() == "precious"
    nexus(*words)
    assert (tmp_path / f"a.{suffix}").read_bytes() != b"precious"


def test_a_refusal_leaves_nothing(nexus: Any, tmp_path: Path) -> None:
    """The second batch has samples of a size that the format does not have."""
    kinds = [KIND] * 1100 + [Kind(ssize=5)] * 3
    content = b"".join(make_block(kind, seq) for seq, kind in enumerate(kinds))
    (tmp_path / "a.zio").write_bytes(content)
    for suffix in ("wav", "sr", "npy", "npz"):
        said = nexus("a.zio", "-u", "-o", f"a.{suffix}", "--rate=512000", status=1).stderr
        assert f"{KIND.name}: " in said and "use HDF5" in said
    assert [path.name for path in tmp_path.iterdir()] == ["a.zio"]


def test_a_pipe_keeps_what_came(summary: Any, tmp_path: Path) -> None:
    """Blocks of a pipe do not come again: those before the refusal are in the file."""
    kinds = [KIND] * 1100 + [Kind(ssize=5)] * 3
    content = b"".join(make_block(kind, seq) for seq, kind in enumerate(kinds))
    words = ("-", "-u", "-o", "a.npy")
    report = summary(*words, input=content, text=False, status=1)
    assert (report["blocks"], report["stored"]) == (1103, 1100)
    assert (tmp_path / "a.npy").stat().st_size == 128 + 1100 * 4096


def test_a_pipe_on_a_full_disk(nexus: Any, tmp_path: Path) -> None:
    content = b"".join(make_block(KIND, seq) for seq in range(BLOCKS))
    more = {"preexec_fn": limit_files(100_000), "status": NOT_STORED}
    said = nexus("-", "-o", "a.npy", input=content, text=False, **more).stderr.decode()
    (part,) = tmp_path.glob("a.npy.*.part")
    assert f"what was written is in {part.name}" in said
    assert re.search(r"(\d+) of the \1 blocks read are not stored", said)


def test_cat_leaves_nothing(nexus: Any, source: Path, tmp_path: Path) -> None:
    nexus("a.zio", "-o", "a.nxs")
    more = {"preexec_fn": limit_files(100_000), "status": NOT_STORED}
    said = nexus("cat", "a.nxs", "-o", "b.zio", **more).stderr
    assert "b.zio: cannot write: File too large" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.nxs", "a.zio"]
