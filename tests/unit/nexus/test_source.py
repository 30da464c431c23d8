# SPDX-License-Identifier: GPL-2.0-only
"""No block is dropped that was read."""

from pathlib import Path

from zio_nexus.source import Source

from .makeblocks import Kind, make_file


def test_stop(tmp_path: Path) -> None:
    """After stop(), the blocks come that readers of several files already have."""
    names = []
    for chan in range(3):
        path = tmp_path / f"{chan}.zio"
        names.append(str(make_file(path, Kind(chan=chan), range(8000))))
    source = Source(names)
    found = 0
    for step in source:
        found += sum(len(run) for run in step.runs)
        source.stop()
    assert found == sum(channel.stats.blocks for channel in source.channels)
    assert 0 < found < 24000
    source.close()
