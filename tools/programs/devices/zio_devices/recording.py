# SPDX-License-Identifier: GPL-2.0-only
"""What a recording has: its sets and channels, found in the controls of its blocks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import zio
from zio import controls as of
from zio.cli import CANNOT_OPEN, Failure

from .event import SECOND, Array, Description

# A device has one description of a set: these may not change within a recording.
FIXED = ~int(zio.Change.SHAPE) & 0xFFFFFFFF
# Blocks by which one channel of a set may have more than another, at the end
RAGGED = 4096
MOST_FIRST_PS = 3600 * 10**12


@dataclass
class Part:
    """What the controls of one channel tell.

    `control` and `place` are of its first block with samples. `longest_ns` and `back_ns`
    are the largest steps from one block to the next, forth and back. `sums` fingerprints
    its events: entry -1 all of them, entry -2 all but the last one, and so on.
    """

    name: str
    control: Any
    place: Any
    blocks: int = 0
    samples: int = 0
    longest: int = 0
    lost: int = 0
    missed: int = 0
    first_ns: int = 0
    last_ns: int = 0
    end_ns: int = 0
    longest_ns: int = 0
    back_ns: int = 0
    has_times: bool = True
    has_one_first: bool = True
    sums: Array = field(default_factory=lambda: np.zeros(1, np.uint64))
    timeline: zio.Timeline = field(default_factory=zio.Timeline)

    def add(self, path: str, controls: Array) -> None:
        """Count the next blocks. Raise Failure if one of them does not fit the others."""
        places = self.timeline.add_all(controls)
        self._require_fixed(path, controls, places)
        begins = places["first"]["ns"]
        if not self.blocks:
            self.first_ns = self.last_ns = int(begins[0])
        steps = np.diff(begins, prepend=self.last_ns)
        self.longest_ns = max(self.longest_ns, int(steps.max()))
        self.back_ns = max(self.back_ns, -int(steps.min()))
        numbers = np.arange(self.blocks, self.blocks + len(controls), dtype=np.uint64)
        self.sums = _next_sums(self.sums, _keys(places) + numbers)
        self.blocks += len(controls)
        self.samples += int(places["samples"].sum(dtype=np.int64))
        self.longest = max(self.longest, int(places["samples"].max()))
        self.lost += int((places["lost"] + places["taken"]).sum(dtype=np.int64))
        self.missed += int(places["missed"].sum(dtype=np.int64))
        self.last_ns = int(begins[-1])
        self.end_ns = max(self.end_ns, int((begins + lengths(places)).max()))
        self.has_times &= bool(places["has_time"].all())
        self.has_one_first &= bool((first_ps(places) == first_ps(self.place)).all())

    def _require_fixed(self, path: str, controls: Array, places: Array) -> None:
        changed = np.flatnonzero(places["changes"] & np.uint32(FIXED))
        if not len(changed):
            return
        at = int(changed[0])
        names = zio.Change(int(places["changes"][at]) & FIXED).names()
        raise Failure(
            f"{path}: {self.name}: from block {self.blocks + at} on ({', '.join(names)}) "
            "differs, and a device has one description: replay the parts that "
            f"'zio-nexus {path} -o PART.nxs' makes"
        )

    @property
    def rate(self) -> Fraction | None:
        """Samples per second and channel."""
        num, den = int(self.place["rate_num"]), int(self.place["rate_den"])
        return Fraction(num, den) if num else None

    @property
    def columns(self) -> int:
        """The channels whose samples alternate in a block."""
        return max(1, len(of.channel_numbers(self.control)))


def lengths(places: Array) -> Array:
    """Return the time from the first sample of each block to its end, in ns: int64."""
    samples = places["samples"].astype(np.float64)
    rates = places["rate_num"] / np.maximum(places["rate_den"], 1)
    spans = np.where(rates > 0, samples * SECOND / np.where(rates > 0, rates, 1.0), 0)
    return spans.astype(np.int64)


def first_ps(places: Array) -> Array:
    """Return the time from the event of each block to its first sample, in ps: int64."""
    first, event = places["first"], places["event"]
    more = first["ps"].astype(np.int64) - event["ps"].astype(np.int64)
    ps: Array = (first["ns"] - event["ns"]) * 1000 + more
    return ps


def _keys(places: Array) -> Array:
    """Return a number for the time and the losses of each block: uint64."""
    missing = (places["lost"] + places["taken"]).astype(np.uint64)
    keys: Array = places["event"]["ns"].astype(np.uint64) + (missing << np.uint64(40))
    return keys


def _next_sums(sums: Array, keys: Array) -> Array:
    """Add a hash of each key to a running sum, modulo 2^64. Keep the last ones."""
    mixed = keys.copy()
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    more = sums[-1] + np.cumsum(mixed, dtype=np.uint64)
    kept: Array = np.concatenate([sums, more])[-RAGGED:]
    return kept


# --- the sets ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """A set of the device, and the parts of the recording that its channels come from.
    `events` is the number that all parts have. The time of an event is that of its first
    sample if `is_by_first`.
    """

    parts: list[Part]
    description: Description
    events: int
    is_by_first: bool


class Survey:
    """Collects the parts of a recording from its controls."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.parts: dict[bytes, Part] = {}

    def add(self, controls: Array) -> None:
        """Count the next blocks of all channels."""
        for rows in of.rows_of_channels(controls):
            some = controls[rows]
            key = some["addr"][0].tobytes()
            if key not in self.parts:
                self.parts[key] = _begin(some)
            self.parts[key].add(self.path, some)

    def plans(self) -> list[Plan]:
        """Return the sets. The channels of a set stay together if they have the same
        events: a device loses an event in all channels of a set, or in none."""
        sets: dict[Any, list[Part]] = {}
        for key, part in sorted(self.parts.items(), key=lambda item: _order(item[1])):
            address = part.control["addr"]
            alone = key if part.columns > 1 else b""
            place = address["devname"], int(address["dev_id"]), int(address["cset"])
            sets.setdefault((*place, alone), []).append(part)
        if not sets:
            raise Failure(
                f"{self.path}: has no block: record some, such as by zio-copy",
                CANNOT_OPEN,
            )
        found: list[Plan] = []
        for parts in sets.values():
            for some in [parts] if _agree(parts) else [[part] for part in parts]:
                found.append(_make_plan(some, len(found)))
        return found


def _begin(controls: Array) -> Part:
    at = int(np.argmax(controls["nsamples"] > 0))
    control = controls[at].copy()
    place = zio.Timeline().add_all(controls[at : at + 1])[0]
    return Part(of.channel_name(control["addr"]), control, place)


def _order(part: Part) -> tuple[Any, ...]:
    address = part.control["addr"]
    return bytes(address["devname"]), *(
        int(address[name]) for name in ("dev_id", "cset", "chan")
    )


def _agree(parts: list[Part]) -> bool:
    """Tell whether all parts have the same meaning and the same events, except that the
    recording of some may have ended earlier."""
    least = min(part.blocks for part in parts)
    first = parts[0]
    return all(
        part.blocks - least < len(part.sums) - 1
        and part.sums[-1 - (part.blocks - least)]
        == first.sums[-1 - (first.blocks - least)]
        and _meaning(part) == _meaning(first)
        for part in parts
    )


def _meaning(part: Part) -> tuple[Any, ...]:
    meaning = of.meanings(part.control[None])[0].tobytes()
    return meaning, part.rate, part.has_one_first, int(first_ps(part.place))


def sample_type(part: Part) -> np.dtype[Any]:
    """Return the type of the samples on this machine."""
    return of.block_of(part.control).data.dtype.newbyteorder("=")


def _make_plan(parts: list[Part], index: int) -> Plan:
    part = parts[0]
    place, scaling = part.place, zio.scaling(part.control)
    is_scaled = scaling.is_scaled and not scaling.code
    first = int(first_ps(place))
    is_by_first = not part.has_one_first or abs(first) > MOST_FIRST_PS
    return Plan(
        parts,
        Description(
            name=f"set{index}",
            channels=sum(part.columns for part in parts),
            dtype=sample_type(part),
            nsamples=max(1, *(part.longest for part in parts)),
            nbits=scaling.nbits,
            rate=part.rate,
            unit=scaling.unit if is_scaled else "",
            scale=scaling.scale if is_scaled else None,
            offset=scaling.offset if is_scaled else 0.0,
            error_ns=int(place["error_ns"]),
            first_ps=0 if is_by_first else first,
        ),
        min(part.blocks for part in parts),
        is_by_first,
    )


def begin_of(plans: Iterable[Plan]) -> int:
    """Return the time of the first event of a recording, in ns."""
    return min(part.first_ns for plan in plans for part in plan.parts)


def period_of(plans: Iterable[Plan]) -> int:
    """Return how long a recording is, in ns: from its first sample to the end of the last
    one, or to where the next event would be."""
    plans = list(plans)
    end = max(
        max(
            part.end_ns,
            part.last_ns + (part.last_ns - part.first_ns) // (part.blocks - 1),
        )
        if part.blocks > 1
        else part.end_ns
        for plan in plans
        for part in plan.parts
    )
    return end - begin_of(plans)
