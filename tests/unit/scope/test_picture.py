# SPDX-License-Identifier: GPL-2.0-only
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import zio
from zio_scope import frame
from zio_scope.picture import Snapshot, spectrum, waveform
from zio_scope.samples import KEPT_BLOCKS, Block, Trace
from zio_scope.view import Trigger, View


def blocks(
    count: int, samples: int = 100, lost: tuple[int, ...] = (), first: int = 0
) -> list[Block]:
    return [
        Block(
            (np.arange(samples) + seq * samples).astype("u4"),
            seq,
            1000 + seq,
            3 if seq in lost else 0,
        )
        for seq in range(first, first + count)
    ]


def snapshot(**lists: list[Block]) -> Snapshot:
    return {name: (index, found) for index, (name, found) in enumerate(lists.items())}


def test_the_newest_block_as_it_is() -> None:
    found = waveform(snapshot(a=blocks(3)), View(channels=("a",)), 9)
    assert found is not None
    assert list(found.lines[0].values) == list(range(200, 300))
    assert (found.first, found.step, found.extent) == (0, 1, (0, 99))
    assert (found.lines[0].seq, found.lines[0].time_ns, found.flags) == (2, 1002, 0)


def test_channels_show_the_same_event() -> None:
    lists = snapshot(a=blocks(5), b=blocks(4))
    found = waveform(lists, View(channels=("a", "b")), 0)
    assert found is not None
    assert [line.seq for line in found.lines] == [3, 3]


def test_a_clock_that_goes_back() -> None:
    """The newest block is the last one, whatever its time is."""
    lists = snapshot(a=[*blocks(1, first=9), *blocks(3)])
    found = waveform(lists, View(channels=("a",)), 0)
    assert found is not None
    assert found.lines[0].seq == 2


def test_without_a_common_event_the_newest() -> None:
    lists = snapshot(a=blocks(5), b=blocks(2, first=7))
    found = waveform(lists, View(channels=("a", "b")), 0)
    assert found is not None
    assert [line.seq for line in found.lines] == [4, 8]


def test_a_loss_is_a_gap_and_is_counted() -> None:
    found = waveform(snapshot(a=blocks(3, lost=(2,))), View(channels=("a",), blocks=3), 0)
    assert found is not None
    values = found.lines[0].values
    assert len(values) == 400
    assert np.isnan(values[200:300]).all()
    assert list(values[300:]) == list(range(200, 300))
    assert (found.lines[0].missing, found.lines[0].blocks) == (3, 3)


@pytest.mark.parametrize("shown", range(1, 6))
@pytest.mark.parametrize("width", [16, 10_000])
def test_each_shown_block_tells_its_loss(shown: int, width: int) -> None:
    """A loss counts from the first to the last shown block, whatever the picture is. Gaps
    are between two shown blocks."""
    for lost in combinations(range(5), 2):
        lists = snapshot(a=blocks(5, lost=lost), b=blocks(5))
        found = [number for number in lost if number >= 5 - shown]
        view = View(
            channels=("a", "b"), blocks=shown, width=width, spectrum=("a", "hann")
        )
        trigger = Trigger("auto", level=450.5, channel="b")
        for chosen in (view, replace(view, trigger=trigger)):
            picture = waveform(lists, chosen, 0)
            assert picture is not None
            missing = [line.missing for line in picture.lines]
            assert missing == [3 * len(found), 0]
            assert [line.blocks for line in picture.lines] == [shown, shown]
        if width == 10_000:
            gaps = len([number for number in found if number > 5 - shown])
            whole = waveform(lists, view, 0)
            assert whole is not None
            assert np.isnan(whole.lines[0].values).sum() == 100 * gaps
        tones = spectrum(lists, view, 0)
        assert tones is None or tones.lines[0].missing == 3 * len(found)


def test_zoom_takes_the_samples_of_the_range() -> None:
    view = View(channels=("a",), range=(10.2, 20.0), width=16)
    found = waveform(snapshot(a=blocks(1)), view, 0)
    assert found is not None
    assert list(found.lines[0].values) == list(range(10, 21))
    assert (found.first, found.extent) == (10, (0, 99))


@pytest.mark.parametrize("range_", [(-50.0, -20.0), (500.0, 600.0)])
def test_zoom_beside_the_samples(range_: tuple[float, float]) -> None:
    found = waveform(snapshot(a=blocks(1)), View(channels=("a",), range=range_), 0)
    assert found is not None
    assert len(found.lines[0].values) <= 1


def test_many_samples_are_decimated() -> None:
    view = View(channels=("a",), width=100)
    found = waveform(snapshot(a=blocks(1, samples=10_000)), view, 0)
    assert found is not None
    assert len(found.lines[0].values) == 200
    assert found.step == 50
    assert found.flags & frame.FLAG_DECIMATED
    assert list(found.lines[0].values[:4]) == [0, 99, 100, 199]


def test_a_crossing_is_at_zero() -> None:
    view = View(channels=("a",), trigger=Trigger("auto", level=30.5))
    found = waveform(snapshot(a=blocks(1)), view, 0)
    assert found is not None
    assert found.flags & frame.FLAG_TRIGGERED
    assert (found.first, found.lines[0].values[0]) == (-25.5, 5)
    assert found.extent == (-25, 74)


def test_no_crossing_draws_in_auto_mode_only() -> None:
    for mode, is_drawn in (("auto", True), ("normal", False), ("single", False)):
        view = View(channels=("a",), trigger=Trigger(mode, level=1e6))
        found = waveform(snapshot(a=blocks(1)), view, 0)
        assert (found is not None) == is_drawn
        assert found is None or not found.flags & frame.FLAG_TRIGGERED


def test_channels_of_different_length() -> None:
    lists = snapshot(a=blocks(1, samples=100), b=blocks(1, samples=10))
    found = waveform(lists, View(channels=("a", "b")), 0)
    assert found is not None
    assert len(found.lines[1].values) == 100
    assert np.isnan(found.lines[1].values[10:]).all()


@pytest.mark.parametrize("names", [(), ("b",)])
def test_nothing_to_show(names: tuple[str, ...]) -> None:
    view = View(channels=names, spectrum=("b", "hann"))
    assert waveform(snapshot(a=blocks(1), b=[]), view, 0) is None
    assert spectrum(snapshot(a=blocks(1), b=[]), view, 0) is None


@pytest.mark.parametrize("samples", [100, 101])
def test_the_frequency_of_a_spectrum(samples: int) -> None:
    sine = np.sin(2 * np.pi * 20 * np.arange(samples) / samples)
    view = View(channels=("a",), spectrum=("", "hann"))
    found = spectrum(snapshot(a=[Block(sine, 0, 0)]), view, 0)
    assert found is not None
    best = int(found.lines[0].values.argmax())
    assert found.first + best * found.step == pytest.approx(20 / samples)


def test_a_trace_keeps_a_limited_number() -> None:
    trace = Trace("a", 0)
    for block in blocks(KEPT_BLOCKS + 10):
        trace.add(block)
    assert len(trace.snapshot()) == KEPT_BLOCKS
    assert trace.snapshot()[-1].seq == KEPT_BLOCKS + 9
    assert trace.state == "live"


@pytest.mark.parametrize(("is_tap", "lost", "skipped"), [(False, 3, 2), (True, 0, 5)])
def test_what_a_trace_counts(is_tap: bool, lost: int, skipped: int) -> None:
    """3 blocks were lost, 2 taken, an event was missed. A tap skips what is not there.
    The bytes are those of the samples, not of their values."""
    trace = Trace("a", 0, is_tap=is_tap)
    for seq, alarms in (0, 0), (4, 1), (7, 2):
        control = zio.make_control("a-0-0", seq=seq)
        control["zio_alarms"] = alarms
        trace.account.add(zio.controls.block_of(control))
    counts = {"blocks": 3, "bytes": 0, "lost": lost, "skipped": skipped, "missed": 1}
    assert trace.counts() == counts


def rates_of(*rates: float, user: float | None = None) -> list[float]:
    """Return the rates of the waveform and of the spectrum of channels with these."""
    lists = {
        name: [replace(block, rate=rate) for block in blocks(2)]
        for name, rate in zip("abc", rates)
    }
    view = View(channels=tuple(lists), spectrum=("a", "hann"), rate=user)
    shown = snapshot(**lists)
    frames = [make(shown, view, 0) for make in (waveform, spectrum)]
    return [frame.rate for frame in frames if frame]


def test_rates() -> None:
    """The control wins over the user. Channels of two rates have no time in common."""
    assert rates_of(50.0, 50.0) == [50.0, 50.0]
    assert rates_of(50.0, 60.0) == [0.0, 50.0]
    assert rates_of(50.0, 0.0) == [0.0, 50.0]
    assert rates_of(0.0, 0.0) == [0.0, 0.0]
    assert rates_of(0.0, 50.0, user=50.0) == [50.0, 50.0]
    assert rates_of(60.0, user=50.0) == [60.0, 60.0]


def test_large_blocks_are_not_kept_in_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zio_scope.samples.KEPT_BYTES", 1000)
    trace = Trace("a", 0)
    for block in blocks(5, samples=100):
        trace.add(block)
    assert [block.seq for block in trace.snapshot()] == [3, 4]
    trace.add(blocks(1, samples=10_000)[0])
    assert len(trace.snapshot()) == 1
