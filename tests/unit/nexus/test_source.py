# SPDX-License-Identifier: GPL-2.0-only
"""No block is dropped that was read."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import zio
from zio_nexus import survey as survey_module
from zio_nexus.placing import Placer
from zio_nexus.source import Source
from zio_nexus.survey import survey

from .makeblocks import Kind, make_file
from .stories import Tape


@pytest.mark.parametrize("error", [MemoryError, zio.RingFull])
def test_fault_of_a_reader_ends_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    """It does not wait for the reader for ever."""

    def fail(*_: object) -> None:
        raise error("of the test")

    names = [str(make_file(tmp_path / name, Kind(), range(10))) for name in "ab"]
    # Files are read one after the other, channels in threads of their own.
    monkeypatch.setattr(zio.Channel, "is_file", False)
    source = Source(names)
    monkeypatch.setattr("zio_nexus.source._Copy.__init__", fail)
    with pytest.raises(error, match="of the test"):
        for _ in source:
            pass
    source.close()


def test_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After stop(), the blocks come that readers of several files already have. On a busy
    host these can be all: then try again."""
    names = []
    for chan in range(3):
        path = tmp_path / f"{chan}.zio"
        names.append(str(make_file(path, Kind(chan=chan), range(8000))))
    read, real = [], zio.Channel.batches

    def batches(*words: Any) -> Any:
        for batch in real(*words):
            read.append(len(batch))
            yield batch

    monkeypatch.setattr(zio.Channel, "batches", batches)
    assert any(blocks_until_stop(names, read) < 24000 for _ in range(10))


def blocks_until_stop(names: list[str], read: list[int]) -> int:
    """Return the number of blocks of a source that is stopped at its first step."""
    source = Source(names)
    found = 0
    read.clear()
    for step in source:
        found += sum(len(run) for run in step.runs)
        source.stop()
    assert found == sum(read) > 0
    source.close()
    return found


@pytest.mark.parametrize(
    ("has_rate", "given", "needs_streams", "wanted"),
    [
        (True, 0, False, False),
        (True, 0, True, True),
        (False, 0, False, True),
        (False, 1000, False, False),
    ],
)
def test_survey_places_what_it_must(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    has_rate: bool,
    given: int,
    needs_streams: bool,
    wanted: bool,
) -> None:
    """Blocks with a rate are placed twice for a format only that fills holes."""
    placed = []

    def place(*words: Any) -> Any:
        placed.append(words)
        return real(*words)

    real = survey_module._place
    monkeypatch.setattr(survey_module, "_place", place)
    tape = Tape(has_rate=has_rate).blocks(20)
    (tmp_path / "a.zio").write_bytes(tape.content)
    source, placer = Source([str(tmp_path / "a.zio")]), Placer(given)
    found = survey(source, placer, needs_streams)
    assert found[tape.kind.name].blocks == 20
    assert bool(placed) == wanted
    assert placer.streams == ({tape.kind.name: True} if needs_streams else {})
    assert placer.given(tape.kind.name) == (0 if has_rate else 1000)
    source.close()


def test_survey_of_a_rate_that_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks behind those with a rate have none: their times tell it."""
    monkeypatch.setattr("zio_nexus.source.CONTROLS", 20)
    tape = Tape().blocks(20)
    tape.has_rate = False
    tape.rate = Fraction(2000)
    (tmp_path / "a.zio").write_bytes(tape.blocks(40).content)
    source, placer = Source([str(tmp_path / "a.zio")]), Placer()
    survey(source, placer, needs_streams=False)
    assert placer.given(tape.kind.name) == 2000
    source.close()
