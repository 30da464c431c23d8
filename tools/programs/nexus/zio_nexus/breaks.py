# SPDX-License-Identifier: GPL-2.0-only
"""The table of breaks of a channel: why blocks do not follow on from each other."""

import numpy as np
import zio

from .blocks import Array, Run

# A row for each break: @block is the first block after it, and @time is when the first
# sample of that block was taken. @first_seq is the number of the first missing block.
# @length_ns is the length of an outage or pause, or how far the clock was set.
BREAK = np.dtype(
    [
        ("block", "i8"),
        ("cause", "u4"),
        ("changes", "u4"),
        ("lost", "u4"),
        ("taken", "u4"),
        ("missed", "u4"),
        ("first_seq", "u4"),
        ("time", "i8"),
        ("length_ns", "i8"),
    ]
)
# The counts derived from breaks, by their names in an account
COUNTS = (
    "lost",
    "gaps",
    "missed",
    "taken",
    "outages",
    "pauses",
    "steps",
    "changes",
)


# The names of the bits of causes and changes
CAUSES = [name for bit in zio.Break for name in bit.names()]
CHANGES = [name for bit in zio.Change for name in bit.names()]

# For messages: a block has ...
TEXTS = {
    zio.Change.UNIT: "another unit",
    zio.Change.SCALE: "another scale",
    zio.Change.SSIZE: "another size of samples",
    zio.Change.SIGN: "another sign",
    zio.Change.BITS: "other valid bits",
    zio.Change.ORDER: "another order of bits or bytes",
    zio.Change.MASK: "other channels",
    zio.Change.RATE: "another rate",
    zio.Change.CLOCK: "another clock",
}


def text_of(changes: int) -> str:
    """Put @changes of a block into words."""
    texts = [text for bit, text in TEXTS.items() if changes & bit]
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if texts[1:] else texts)


def find_breaks(run: Run, first_row: int, times: Array) -> Array:
    """Return an array of BREAK. @first_row is the row of the first block of @run."""
    at = np.flatnonzero(run.places["breaks"])
    found = np.zeros(len(at), BREAK)
    if not len(at):
        return found
    places = run.places[at]
    for name in ("changes", "lost", "taken", "missed"):
        found[name] = places[name]
    found["block"], found["cause"] = at + first_row, places["breaks"]
    missing = places["lost"] + places["taken"]
    found["first_seq"] = run.controls["seq_num"][at] - missing
    found["time"] = times[at]
    # A break has one of them.
    for name in ("outage_ns", "pause_ns", "step_ns"):
        found["length_ns"] += places[name]
    return found


def count_breaks(breaks: Array) -> dict[str, int]:
    """Return COUNTS of an array of BREAK."""

    def number(bit: int) -> int:
        return int(np.count_nonzero(breaks["cause"] & bit))

    return {
        "lost": int(breaks["lost"].sum()),
        "gaps": number(zio.Break.LOST),
        "missed": int(breaks["missed"].sum()),
        "taken": int(breaks["taken"].sum()),
        "outages": number(zio.Break.OUTAGE),
        "pauses": number(zio.Break.PAUSE),
        "steps": number(zio.Break.STEP),
        "changes": number(zio.Break.CHANGE),
    }
