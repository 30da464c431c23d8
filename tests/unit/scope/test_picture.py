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
    assert (found.lines[0].first, found.lines[0].step) == (0, 1)
    assert found.extent == (0, 99)
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
    assert (found.lines[0].first, found.extent) == (10, (0, 99))


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
    assert found.lines[0].step == 50
    assert found.flags & frame.FLAG_DECIMATED
    assert list(found.lines[0].values[:4]) == [0, 99, 100, 199]


def test_a_crossing_is_at_zero() -> None:
    view = View(channels=("a",), trigger=Trigger("auto", level=30.5))
    found = waveform(snapshot(a=blocks(1)), view, 0)
    assert found is not None
    assert found.flags & frame.FLAG_TRIGGERED
    assert (found.lines[0].first, found.lines[0].values[0]) == (-25.5, 5)
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
    assert [len(line.values) for line in found.lines] == [100, 10]
    assert found.extent == (0, 99)


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
    assert found.lines[0].first + best * found.lines[0].step == pytest.approx(
        20 / samples
    )


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
    """The control wins over the user. The axis has samples of the first channel, in
    seconds if those of all others are known."""
    assert rates_of(50.0, 50.0) == [50.0, 50.0]
    assert rates_of(50.0, 60.0) == [50.0, 50.0]
    assert rates_of(50.0, 0.0) == [0.0, 50.0]
    assert rates_of(0.0, 0.0) == [0.0, 0.0]
    assert rates_of(0.0, 50.0, user=50.0) == [50.0, 50.0]
    assert rates_of(60.0, user=50.0) == [60.0, 60.0]


def stream(
    rate: float, count: int, start_ns: int = 0, samples: int = 20, skip: int = 0
) -> list[Block]:
    """Return blocks whose samples are their own times, in ns. Before the last one, as
    many samples as @skip are not there."""
    found = []
    for seq in range(count):
        is_late = skip > 0 and seq == count - 1
        numbers = np.arange(samples) + seq * samples + skip * is_late
        times = start_ns + numbers * 1e9 / rate
        follows = seq > 0 and not is_late
        first_ns = round(times[0])
        found.append(
            Block(
                times, seq, first_ns, int(is_late), "ns", rate, first_ns, "tai", follows
            )
        )
    return found


def check_times(found: frame.Frame | None, zero_ns: float) -> frame.Frame:
    """Each sample of a picture is at its time."""
    assert found is not None
    for line in found.lines:
        at = line.first + np.arange(len(line.values)) * line.step
        is_there = ~np.isnan(line.values)
        times = zero_ns + at * 1e9 / found.rate
        assert is_there.any()
        assert np.allclose(line.values[is_there], times[is_there], rtol=0, atol=1.01)
    return found


WHOLE = View(channels=("a", "b"), width=8192)


@pytest.mark.parametrize("rate", [1000.0, 250.0, 48000.0, 1411200 / 29, 0.5])
@pytest.mark.parametrize("start_ns", [0, 123_456, 7_000_000])
def test_each_sample_is_at_its_time(rate: float, start_ns: int) -> None:
    lists = snapshot(a=stream(1000.0, 1), b=stream(rate, 1, start_ns))
    found = check_times(waveform(lists, WHOLE, 0), 0)
    assert found.lines[1].first == pytest.approx(start_ns / 1e6)
    assert found.lines[1].step == pytest.approx(1000 / rate)
    end = max(19, found.lines[1].first + 19 * 1000 / rate)
    assert found.extent == pytest.approx((0, end))
    zoomed = replace(WHOLE, range=(found.lines[1].first, found.lines[1].first + 3))
    check_times(waveform(lists, zoomed, 0), 0)


def test_a_crossing_of_a_slow_channel_is_at_zero() -> None:
    lists = snapshot(a=stream(1000.0, 5), b=stream(250.0, 1, 2_000_000))
    trigger = Trigger("auto", "b", level=30_000_000.0)
    found = waveform(lists, replace(WHOLE, blocks=5, trigger=trigger), 0)
    assert found is not None and found.flags & frame.FLAG_TRIGGERED
    check_times(found, 30_000_000)


@pytest.mark.parametrize("late_ms", [0, 3])
def test_a_fast_channel_reaches_as_far_as_a_slow_one(late_ms: int) -> None:
    """Both have a block that begins at 600 ms, or none in common."""
    lists = snapshot(a=stream(1000.0, 40), b=stream(100.0, 4, late_ms * 1_000_000))
    found = check_times(waveform(lists, WHOLE, 0), 600_000_000)
    assert [len(line.values) for line in found.lines] == [200, 20]
    assert [line.blocks for line in found.lines] == [10, 1]
    assert found.lines[1].first == late_ms


def test_a_hole_is_as_wide_as_the_times_tell() -> None:
    lists = snapshot(a=stream(1000.0, 3, skip=7), b=stream(500.0, 2, 1_000_000))
    found = check_times(waveform(lists, replace(WHOLE, blocks=2), 0), 0)
    assert np.isnan(found.lines[0].values).sum() == 7
    assert found.lines[0].missing == 1


def test_a_pause_of_an_hour_is_not_in_the_picture() -> None:
    lists = snapshot(a=stream(1000.0, 3, skip=3_600_000), b=stream(500.0, 2, 1_000_000))
    found = waveform(lists, replace(WHOLE, blocks=3), 0)
    assert found is not None
    assert [line.blocks for line in found.lines] == [1, 2]
    check_times(found, 3_600_040_000_000)


def test_channels_in_step_show_event_after_event() -> None:
    """The pause between events is not in the picture."""
    lists = snapshot(a=stream(1000.0, 3, skip=7), b=stream(1000.0, 3, skip=7))
    found = waveform(lists, replace(WHOLE, blocks=3), 0)
    assert found is not None
    assert [np.isnan(line.values).sum() for line in found.lines] == [20, 20]


@pytest.mark.parametrize("clocks", [("tai", "monotonic"), ("", "")])
def test_without_a_common_clock_both_begin_together(clocks: tuple[str, str]) -> None:
    lists = {
        name: [replace(block, clock=clock) for block in blocks]
        for name, clock, blocks in zip(
            "ab", clocks, [stream(1000.0, 2), stream(250.0, 2, 9 * 10**15)]
        )
    }
    found = waveform(snapshot(**lists), WHOLE, 0)
    assert found is not None
    assert [(line.first, line.step) for line in found.lines] == [(0, 1), (0, 4)]
    assert found.rate == 1000


def test_a_clock_that_was_set_ends_what_reaches_back() -> None:
    ahead = stream(1000.0, 3, 3_600_000_000_000)
    lists = snapshot(a=[*ahead, *stream(1000.0, 4)], b=stream(100.0, 1))
    found = check_times(waveform(lists, WHOLE, 0), 0)
    assert [line.blocks for line in found.lines] == [4, 1]


def test_large_blocks_are_not_kept_in_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zio_scope.samples.KEPT_BYTES", 1000)
    trace = Trace("a", 0)
    for block in blocks(5, samples=100):
        trace.add(block)
    assert [block.seq for block in trace.snapshot()] == [3, 4]
    trace.add(blocks(1, samples=10_000)[0])
    assert len(trace.snapshot()) == 1
