# SPDX-License-Identifier: LGPL-2.1-or-later
"""Judge a board from the numbers and times of its blocks: pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Union

import numpy as np

from ._block import Array

Figure = Union[int, float]

LEAST_BLOCKS = 8
# Reading two clocks may put a stamp this much after the read of its block.
MOST_FUTURE_NS = 1_000_000
# Minimum correlation between what an output plays and an input hears.
LEAST_CORRELATION = 0.9


class Check(NamedTuple):
    """A check of a board and its result."""

    name: str
    verdict: str
    """ "passed", "failed" or "skipped"."""
    text: str
    figures: dict[str, Figure]


class Record:
    """Numbers and times of the blocks of a channel, in nanoseconds."""

    def __init__(self, clock: str = "") -> None:
        self.clock = clock
        """The clock of the stamps."""
        self.numbers: list[int] = []
        self.stamps: list[int] = []
        self.arrivals: list[int] = []
        """When the program received each block, on the monotonic clock of the host."""
        self.latencies: list[int] = []
        """From stamp to arrival, where the stamps use a clock of the host."""
        self.restarts = 0
        """How often the numbers restarted."""
        self.taken = 0
        """Blocks that another reader took."""

    def add(self, number: int, stamp: int, arrival: int, latency: int | None) -> None:
        """Add a block."""
        self.numbers.append(number)
        self.stamps.append(stamp)
        self.arrivals.append(arrival)
        if latency is not None:
            self.latencies.append(latency)


class Line(NamedTuple):
    """The straight line that best fits the times of blocks."""

    period: float
    """Nanoseconds from one number to the next."""
    error: float
    """Error of the period: scatter of the times moves it no further."""
    residuals: Array
    """How much later than the line each time is."""


def fit(numbers: Sequence[int] | Array, times: Sequence[int] | Array) -> Line:
    """Fit a line to times in nanoseconds by least squares."""
    x = np.asarray(numbers, np.float64)
    # Use floats for the time since the first block, not since 1970.
    y = (np.asarray(times, np.int64) - int(times[0])).astype(np.float64)
    period, start = np.polyfit(x - x[0], y, 1)
    residuals = y - (start + period * (x - x[0]))
    return Line(float(period), float(np.ptp(residuals) / (x[-1] - x[0])), residuals)


def _drift(record: Record) -> tuple[float, float]:
    """Return how much later each block comes than its stamp says, in nanoseconds from
    block to block, and the error.

    A block may be read late, but not early. So the line goes through the blocks read
    soonest in the first and the last third. The soonest block of the second third should
    be on the line.
    """
    x, late = np.array(record.numbers), np.subtract(record.arrivals, record.stamps)
    thirds = np.array_split(np.arange(len(x)), 3)
    a, b, c = (int(third[late[third].argmin()]) for third in thirds)
    span = float(x[c] - x[a])
    slope = float(late[c] - late[a]) / span
    return slope, abs(float(late[b] - late[a]) - slope * float(x[b] - x[a])) / span


def _skipped(name: str, record: Record) -> Check:
    count = len(record.numbers)
    text = (
        f"{count} blocks are too few: see that the board acquires and that its source "
        "sends, or give more --seconds"
    )
    return Check(name, "skipped", text, {"blocks": count})


def judge_rate(record: Record, wanted: float | None, tolerance: float) -> Check:
    """Compare the rate of the blocks by the host clock, by their stamps, and as expected.

    `wanted`: expected nanoseconds from block to block, if known. `tolerance`: the
    relative difference allowed between two rates, beyond what the scatter explains.
    """
    if len(record.numbers) < LEAST_BLOCKS:
        return _skipped("rate", record)
    board = fit(record.numbers, record.stamps)
    drift, drift_error = _drift(record)
    host = board.period + drift
    if host <= 0 or board.period <= 0:
        return Check("rate", "failed", "the times of the blocks do not grow", {})
    error = (board.error + drift_error) / host
    is_wrong = abs(board.period / host - 1) > tolerance + error
    text = (
        f"{1e9 / host:.6g} blocks/s by the clock of the host; the time stamps say "
        f"{1e9 / board.period:.6g}"
    )
    figures: dict[str, Figure] = {
        "blocks_per_s": 1e9 / host,
        "stamps_blocks_per_s": 1e9 / board.period,
        "error_ppm": 1e6 * error,
    }
    if wanted:
        deviation = wanted / board.period - 1
        is_wrong |= abs(host / wanted - 1) > tolerance + error
        text += f"; {1e9 / wanted:.6g} are expected: {1e6 * deviation:+.0f} ppm"
        figures["wanted_blocks_per_s"] = 1e9 / wanted
        figures["deviation_ppm"] = 1e6 * deviation
    text += f" (+-{1e6 * error:.0f} ppm by the scatter)"
    if is_wrong:
        return Check("rate", "failed", text, figures)
    if error <= tolerance:
        return Check("rate", "passed", text, figures)
    text += ": too much to tell: use more --seconds, or an idle machine"
    return Check("rate", "skipped", text, figures)


def judge_times(record: Record) -> Check:
    """Tell how far the stamps are from a straight line, and whether any is impossible."""
    count = len(record.numbers)
    if count < LEAST_BLOCKS:
        return _skipped("times", record)
    residuals = fit(record.numbers, record.stamps).residuals / 1000
    rms, most = float(np.sqrt(np.mean(residuals**2))), float(np.abs(residuals).max())
    figures: dict[str, Figure] = {"jitter_rms_us": rms, "jitter_max_us": most}
    text = f"jitter {rms:.3g} us rms, {most:.3g} us at most"
    if record.latencies:
        latency = float(np.median(record.latencies)) / 1000
        figures["latency_us"] = latency
        text += f"; a block is read {latency:.0f} us after its time ({record.clock})"
    backwards = int(np.count_nonzero(np.diff(record.stamps) < 0))
    future = int(np.count_nonzero(np.array(record.latencies) < -MOST_FUTURE_NS))
    figures.update(backwards=backwards, future=future)
    if backwards:
        is_are = "is" if backwards == 1 else "are"
        text += (
            f"; {backwards} of {count} time stamps {is_are} before the one of the block "
            "before"
        )
    if future:
        text += f"; {future} of {count} time stamps are in the future"
    return Check("times", "failed" if backwards or future else "passed", text, figures)


def judge_loss(record: Record, lost: int, events: int, load: str) -> Check:
    """Tell whether blocks or events were lost, another reader took some, or the numbers
    of blocks restarted.

    A set that is still busy with one event loses the next. `load`: the load on the
    machine.
    """
    blocks = len(record.numbers)
    is_bad = lost or events or record.restarts or record.taken
    if blocks < LEAST_BLOCKS and not is_bad:
        return _skipped("loss", record)
    noun = "block" if lost == 1 else "blocks"
    text = f"{lost} {noun} lost of {blocks + lost}, {load}"
    if lost:
        text += ": use a larger buffer, larger blocks, or a faster reader"
    if events:
        text += f"; the set was too busy for {events} events: use a longer period"
    if record.restarts:
        text += f"; {record.restarts} times the numbers begin anew"
    if record.taken:
        text += f"; another reader took {record.taken} blocks: end it, and measure again"
    figures: dict[str, Figure] = {
        "blocks": blocks,
        "lost": lost,
        "lost_events": events,
        "taken": record.taken,
    }
    return Check("loss", "failed" if is_bad else "passed", text, figures)


def judge_loop(sent: Array, heard: Array) -> Check:
    """Look for the samples of an output in those of an input."""
    delay, likeness, gain = _find(_even(sent), _even(heard))
    figures: dict[str, Figure] = {
        "delay_samples": delay,
        "correlation": likeness,
        "gain": gain,
    }
    text = f"the input hears the output {delay} samples later, correlation {likeness:.3f}"
    if abs(likeness) >= LEAST_CORRELATION:
        return Check("loop", "passed", f"{text}, gain {gain:.4g}", figures)
    text = (
        f"the input does not hear the output: correlation {likeness:.3f}: see the cable, "
        "and the gain of both"
    )
    return Check("loop", "failed", text, figures)


def _even(samples: Array) -> Array:
    values: Array = np.asarray(samples, np.float64)
    even: Array = values - (values.mean() if len(values) else 0.0)
    return even


def _find(sent: Array, heard: Array) -> tuple[int, float, float]:
    """Return where `sent` begins in `heard`, how alike the two are, and the gain."""
    count = min(len(sent), len(heard))
    size = 1 << (len(heard) + len(sent)).bit_length()
    product: Any = np.fft.rfft(heard, size) * np.conj(np.fft.rfft(sent, size))
    sums = np.fft.irfft(product, size)[: max(len(heard), 1)]
    delay = int(np.abs(sums).argmax())
    count = min(len(sent), len(heard) - delay)
    a, b = sent[:count], heard[delay : delay + count]
    power, other = float(a @ a), float(b @ b)
    if not power or not other:
        return delay, 0.0, 0.0
    return delay, float(a @ b) / (power * other) ** 0.5, float(a @ b) / power
