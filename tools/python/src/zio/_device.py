# SPDX-License-Identifier: LGPL-2.1-or-later
"""Descriptions of a device that a program drives."""

from __future__ import annotations

import errno as codes
import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from ._control import rate_parts
from ._errors import make_error
from ._libzio import ffi, lib
from ._make import unit_numbers
from ._objects import encode

ACCESS = {"rw": 0, "r": lib.UZIO_ATTR_READ_ONLY, "w": lib.UZIO_ATTR_WRITE_ONLY}
# Fields of a set that are numbers, and their names in struct uzio_set
NUMBERS = {
    "channels": "n_chan",
    "nbits": "nbits",
    "nsamples": "nsamples",
    "max_samples": "max_samples",
    "depth": "depth",
    "shots": "max_shots",
}


@dataclass(frozen=True)
class Set:
    """Description of a channel set. The kernel checks the numbers.

    `dtype`: type of a sample: integers in the byte order of this machine, or "V" and a
    number of bytes. `nsamples`: initial samples of a block. `max_samples`: most samples
    that users may choose. `rate`: samples per second. `scale` and `offset`: value =
    sample * scale + offset, in `unit`. `calibrate`: whether users may change them.
    `first`: seconds from the time of a block to its first sample. `time_error`: largest
    error of the time of a block, in seconds. `clock`: the name of the device's clock, if
    it stamps the blocks. `trigger`, `period`: set up the trigger, as `zio.acquire()`
    does; the program needs the permission. `output`: the program plays what users write.
    `stream`: it has many blocks at once, without a trigger, up to `depth` of each
    channel. `shots`: most shots of an arming that users may choose. `pre_samples`:
    whether users may choose samples before the event. `interleaved`: one block carries
    all channels.
    """

    name: str = ""
    channels: int = 1
    dtype: Any = "u2"
    rate: Fraction | float | None = None
    unit: str = ""
    scale: float | None = None
    offset: float | None = None
    nsamples: int = 0
    max_samples: int = 0
    nbits: int = 0
    first: float = 0.0
    time_error: float = 0.0
    clock: str = ""
    calibrate: bool = False
    trigger: str | None = None
    period: float | None = None
    output: bool = False
    stream: bool = False
    depth: int = 0
    shots: int = 0
    pre_samples: bool = False
    interleaved: bool = False
    sample: np.dtype[Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        sample = np.dtype(self.dtype)
        if sample.kind not in "iuV" or not sample.isnative:
            raise ValueError(
                f"set {self.name}: a dtype of {self.dtype}: samples are integers in the"
                " byte order of this machine, or bytes"
            )
        if self.unit not in unit_numbers():
            units = " ".join(unit_numbers())
            raise ValueError(f"set {self.name}: a unit of {self.unit}: there are{units}")
        object.__setattr__(self, "sample", sample)


@dataclass(frozen=True)
class Attribute:
    """Description of an attribute: a number of 32 bits in a file of sysfs.

    `set`: position of the set that has it; None: the device. `channels`: each channel of
    the set has it. `value`: initial value. `low`, `high`: what users may write; both 0:
    any number. `choices`: the only values that users may write. `signed`: whether it may
    be negative. `access`: "rw", "r" if only the program changes it, or "w" for a command.
    `standard`: number of a standard attribute, such as 0 for gain, whose value each
    control has. `extended`: position in the extended attributes of the control.
    `per_block`: each block has its own value there, and there is no file; see
    `Block.put()`.
    """

    name: str
    set: int | None = None
    channels: bool = False
    value: int = 0
    low: int = 0
    high: int = 0
    choices: tuple[int, ...] = ()
    signed: bool = False
    access: str = "rw"
    standard: int | None = None
    extended: int | None = None
    per_block: bool = False

    def __post_init__(self) -> None:
        if self.access not in ACCESS:
            raise ValueError(
                f"attribute {self.name}: an access of {self.access}: it is rw, r or w"
            )
        if self.standard is not None and self.extended is not None:
            raise ValueError(f"attribute {self.name}: it is standard and extended")
        if self.per_block and self.extended is None:
            raise ValueError(f"attribute {self.name}: a value per block is extended")


def put_field(to: Any, member: str, value: Any, what: str, given: Any = None) -> None:
    """Put a value into a struct. Raise `Error` if it does not fit.

    `what`: object and field. `given`: what the program has given, if not the value.
    """
    try:
        setattr(to, member, encode(value) if isinstance(value, str) else value)
    except (IndexError, OverflowError):
        shown = value if given is None else given
        raise make_error(codes.EINVAL, f"{what} of {shown!r}: it does not fit") from None


def describe_attribute(to: Any, attr: Attribute) -> Any:
    """Put the description into a struct uzio_attr, and return memory to keep."""
    what = f"attribute {attr.name}"
    put_field(to, "name", attr.name, f"{what}: a name")
    cset = lib.UZIO_DEVICE if attr.set is None else attr.set
    put_field(to, "set", cset, f"{what}: set")
    to.flags = ACCESS[attr.access]
    to.flags |= lib.UZIO_ATTR_CHANNELS if attr.channels else 0
    to.flags |= lib.UZIO_ATTR_SIGNED if attr.signed else 0
    if attr.standard is not None:
        to.place = lib.UZIO_PLACE_STD
        put_field(to, "index", attr.standard, f"{what}: standard")
    if attr.extended is not None:
        to.place = lib.UZIO_PLACE_BLOCK if attr.per_block else lib.UZIO_PLACE_EXT
        put_field(to, "index", attr.extended, f"{what}: extended")
    put_field(to, "value", attr.value, f"{what}: value")
    put_field(to, "min", attr.low, f"{what}: low")
    put_field(to, "max", attr.high, f"{what}: high")
    choices = ffi.new("uint32_t[]", [choice & 0xFFFFFFFF for choice in attr.choices])
    if attr.choices:
        to.choices = int(ffi.cast("uintptr_t", choices))
        to.n_choices = len(attr.choices)
    return choices


def describe_set(to: Any, cset: Set) -> None:
    """Put the description of a set into a struct uzio_set."""
    what = f"set {cset.name}"
    put_field(to, "name", cset.name, f"{what}: a name")
    put_field(to, "clock", cset.clock, f"{what}: a clock")
    to.flags = lib.UZIO_SET_OUTPUT if cset.output else 0
    to.flags |= lib.UZIO_SET_STREAM if cset.stream else 0
    to.flags |= lib.UZIO_SET_PRE_SAMPLES if cset.pre_samples else 0
    to.flags |= lib.UZIO_SET_INTERLEAVED if cset.interleaved else 0
    to.ssize = cset.sample.itemsize
    for name, member in NUMBERS.items():
        put_field(to, member, getattr(cset, name), f"{what}: {name}")
    if cset.rate is not None:
        to.rate_num, to.rate_den = rate_parts(cset.rate)
    put_field(to, "first_ps", round(cset.first * 1e12), f"{what}: first", cset.first)
    # The product may be a little too large.
    error_ns = math.ceil(round(cset.time_error * 1e9, 3))
    put_field(to, "error_ns", error_ns, f"{what}: time_error", cset.time_error)
    is_signed = cset.sample.kind == "i"
    is_scaled = cset.unit or cset.scale is not None or cset.offset is not None
    if not is_scaled and not is_signed:
        return
    scale = 1.0 if cset.scale is None else cset.scale
    unit, offset = unit_numbers()[cset.unit], cset.offset or 0.0
    if lib.zio_user_set_scale(ffi.addressof(to), unit, scale, offset):
        raise ValueError(f"set {cset.name}: a scale of {scale} and {cset.offset}")
    to.scaling.flags |= lib.UZIO_SCALING_SIGNED if is_signed else 0
    to.scaling.flags |= lib.UZIO_SCALING_WRITABLE if cset.calibrate else 0
