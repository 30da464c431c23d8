# SPDX-License-Identifier: GPL-2.0-only
"""No block is dropped that was read."""

from pathlib import Path

import pytest
import zio
from zio_nexus.source import Source

from .makeblocks import Kind, make_file


@pytest.mark.parametrize("error", [MemoryError, zio.RingFull])
def test_fault_of_a_reader_ends_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    """It does not wait for the reader for ever."""

    def fail(*_: object) -> None:
        raise error("of the test")

    for name in "ab":
        make_file(tmp_path / name, Kind(), range(10))
    source = Source([str(tmp_path / "a"), str(tmp_path / "b")])
    # Files are read one after the other, channels in threads of their own.
    for channel in source.channels:
        monkeypatch.setattr(type(channel), "is_file", False)
    monkeypatch.setattr("zio_nexus.source._Copy.__init__", fail)
    with pytest.raises(error, match="of the test"):
        for _ in source:
            pass
    source.close()


def test_stop(tmp_path: Path) -> None:
    """After stop(), the blocks come that readers of several files already have. On a busy
    host these can be all: then try again."""
    names = []
    for chan in range(3):
        path = tmp_path / f"{chan}.zio"
        names.append(str(make_file(path, Kind(chan=chan), range(8000))))
    assert any(blocks_until_stop(names) < 24000 for _ in range(10))


def blocks_until_stop(names: list[str]) -> int:
    """Return the number of blocks of a source that is stopped at its first step."""
    source = Source(names)
    found = 0
    for step in source:
        found += sum(len(run) for run in step.runs)
        source.stop()
    assert found == sum(channel.stats.blocks for channel in source.channels) > 0
    source.close()
    return found
