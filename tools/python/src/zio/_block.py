# SPDX-License-Identifier: LGPL-2.1-or-later
"""A block: its control and its samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._attrs import attributes
from ._buffer import Exporter
from ._control import (
    CONTROL_SIZE,
    alarm_names,
    as_array,
    channel_name,
    control_dtype,
    sample_type,
    stamp_ns,
    whole_ns,
)
from ._errors import StaleBlock
from ._handle import Handle
from ._libzio import ffi, lib
from ._memory import Memory, Ring
from ._printable import printable
from ._timeline import Timeline
from ._unique import Unique
from ._units import Scaling, scaling_of

Array = np.ndarray[Any, np.dtype[Any]]


class Block(Unique, Exporter):
    """One block of a channel, valid until the program asks for the next one.

    It acts as an array: use `np.mean(block)` or `memoryview(block)`. After the next
    block, each attribute raises `StaleBlock`. An array from `data` stays valid as long as
    the program keeps it. `copy()` returns a block that stays valid.
    """

    __slots__ = ("_channel", "_control", "_number", "_samples", "_source", "lost", "size")
    REMEDY = "use its copy(), or numpy.array() of it"

    def __init__(
        self,
        channel: Handle,
        source: Memory | Ring,
        control: Any,
        samples: Any,
        size: int,
        lost: int,
    ) -> None:
        self._channel = channel
        self._number = channel._number
        self._source = source
        self._control: Any = control
        self._samples: Any = samples
        self.size: int = size
        """Bytes of the samples."""
        self.lost: int = lost
        """Number of blocks missing before this one; 0 for the first block."""

    def _hold(self) -> Any:
        """Return what keeps the memory of the block, even if another thread closes."""
        held = self._channel._ch
        if self._number != self._channel._number or held is None:
            raise StaleBlock(
                "the block is no longer valid: the program has closed the channel, or "
                "asked for the next one (copy() keeps a block)"
            )
        return held

    @property
    def is_valid(self) -> bool:
        """Whether the block can still be used."""
        channel = self._channel
        return self._number == channel._number and channel._ch is not None

    @property
    def data(self) -> Array:
        """The samples: a read-only array of shape (nsamples,).

        The type is an integer of 1, 2, 4 or 8 bytes, or a void type for other sizes. An
        array kept by the program never changes to another block. It is a copy for the
        method "ring", but not for files and the method "read".
        """
        _held = self._channel._ch
        if self._number != self._channel._number or _held is None:
            self._hold()
        dtype = sample_type(lib.zpy_sample_kind(self._control))
        size = self.size
        if not size:
            return np.empty(0, dtype)
        source = self._source
        return np.frombuffer(
            source.view(self._samples, size),
            dtype,
            size // dtype.itemsize,
            source.offset,
        )

    @property
    def raw(self) -> Array:
        """The raw samples: another name for `data`."""
        return self.data

    def values(self) -> Array:
        """Return the samples in `unit`: float64, shape (nsamples,), a new array.

        Without a scale in the control, these are the raw numbers. Raises `Error` with
        EOPNOTSUPP if a sample is not a number, ERANGE if the scale is unknown.
        """
        return self.scaling.values(self.data)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        """Return `data`, for `np.asarray(block)`."""
        return as_array(self.data, dtype, copy)

    @property
    def unit(self) -> str:
        """Unit of `values()`, such as "V"; "" for numbers without a unit."""
        return self.scaling.unit

    @property
    def scaling(self) -> Scaling:
        """How to convert samples to values; its `code` tells whether that is possible."""
        _held = self._hold()
        return scaling_of(self._control)

    @property
    def control(self) -> np.void:
        """The control: a structured scalar of `control_dtype`, a copy."""
        _held = self._hold()
        head = bytes(ffi.buffer(self._control, CONTROL_SIZE))
        scalar: np.void = np.frombuffer(head, control_dtype)[0]
        return scalar

    @property
    def time(self) -> float:
        """Time of the event, in seconds of the clock of the trigger."""
        return self.time_ns / 10**9

    @property
    def time_ns(self) -> int:
        """Time of the event, in nanoseconds of the clock of the trigger."""
        _held = self._hold()
        return stamp_ns(self._control.tstamp)

    @property
    def rate(self) -> float | None:
        """Samples per second and channel; None if the control does not say.

        In recordings of older kernels this is the attribute max-sample-rate.
        """
        _held = self._hold()
        rate = ffi.new("struct zio_rate *")
        if lib.zio_control_rate(self._control, rate) or not rate.num:
            return None
        return rate.num / rate.den  # type: ignore[no-any-return]

    def times(self, rate: float | None = None, start: float = 0.0) -> Array:
        """Return the time of each sample, in seconds after `start`: float64.

        `rate`: samples per second, if the control lacks them. Without a rate, each sample
        has the time of its shot. Samples before the trigger are earlier. The samples of
        one scan of interleaved channels have the same time. A float holds seconds since
        1970 to a quarter of a microsecond: pass `start=block.time` for fast samples. For
        the times of many blocks in whole nanoseconds, use `zio.Timeline`.

        Raises `Error`: ENODATA the block has no time; ERANGE it is beyond 64 bits of
        nanoseconds; EINVAL attributes of the control contradict each other.
        """
        place = Timeline(rate or self.rate).add(self)
        columns = self.scaling.n_channels
        count = -(-len(self) // columns)
        times = place.times_after(whole_ns(start), count)
        return np.repeat(times, columns)[: len(self)]

    @property
    def shot_times_ns(self) -> tuple[int, ...]:
        """Times of the shots in the block, in nanoseconds; one for a single event.

        Each shot has `len(block)` samples divided by the number of shots.
        """
        _held = self._hold()
        stamp = ffi.new("struct zio_timestamp *")
        times = []
        for i in range(lib.zio_control_shots(self._control)):
            lib.zio_control_shot(self._control, i, stamp)
            times.append(stamp_ns(stamp))
        return tuple(times)

    @property
    def seq(self) -> int:
        """Number of the block in its channel, modulo 2^32; a gap is a loss."""
        _held = self._hold()
        return int(self._control.seq_num)

    @property
    def channel(self) -> str:
        """The channel of the block, such as "zzero-0000-0-1"."""
        _held = self._hold()
        return channel_name(self._control)

    @property
    def attrs(self) -> dict[str, int]:
        """Attributes of the channel by name: `block.attrs["gain-factor"]`.

        These are the attributes in the control, including the values of the individual
        block. Extended attributes of a block from a file or group have no names: they are
        called "ext0" and so on.
        """
        _held = self._hold()
        return attributes(self._control, self._is_live())

    def _is_live(self) -> bool:
        """Tell whether the block comes from a channel of this machine."""
        return not self._channel.is_file  # type: ignore[attr-defined]

    @property
    def alarms(self) -> tuple[str, ...]:
        """Names of the alarms since the block before, such as ("lost-block",)."""
        _held = self._hold()
        return alarm_names(self._control.zio_alarms)

    def copy(self) -> Block:
        """Return a block with the same contents that stays valid."""
        _held = self._hold()
        memory = Memory(CONTROL_SIZE + self.size)
        ffi.memmove(memory.pointer, self._control, CONTROL_SIZE)
        if self.size:
            ffi.memmove(memory.samples, self._samples, self.size)
        return Copy(memory, self.size, self.lost, self._is_live())

    def __len__(self) -> int:
        """Return the number of samples."""
        _held = self._hold()
        return int(self._control.nsamples)

    def __bool__(self) -> bool:
        """Return True even for a block without samples: `while block := ch.read()`."""
        return True

    def __repr__(self) -> str:
        if not self.is_valid:
            return "<zio.Block, no longer valid>"
        name = printable(self.channel)
        return f"<zio.Block {name} seq {self.seq}, {self.size} bytes>"


class _Forever:
    """Stands for the channel of a block that stays valid."""

    _number = 0
    _ch = "open"


_FOREVER: Any = _Forever()


class Copy(Block):
    """A block with its own memory: a control followed by the samples."""

    __slots__ = ("_live",)

    def __init__(
        self, memory: Memory, size: int, lost: int, is_live: bool = False
    ) -> None:
        super().__init__(_FOREVER, memory, memory.control, memory.samples, size, lost)
        self._live = is_live

    def _is_live(self) -> bool:
        return self._live

    def copy(self) -> Block:
        """Return the block itself, because it does not change."""
        return self
