# SPDX-License-Identifier: LGPL-2.1-or-later
"""Read and write the blocks of ZIO channels and block files.

with zio.acquire("zzero-0-1", trigger="hrt", period=0.01) as ch:
    for block in ch.take(10):
        print(block.time, block.lost, block.values().mean())
"""

from __future__ import annotations

from . import controls, live
from ._account import Account
from ._acquire import Acquisition, acquire
from ._batch import Batch
from ._block import Block
from ._channel import Channel, Stats
from ._control import control_dtype
from ._errors import Error, GapWarning, Interrupted, RingFull, StaleBlock, WouldBlock
from ._group import Event, Group, GroupStats, group
from ._libzio import ffi, lib
from ._load import load
from ._make import make_control
from ._names import KernelCounts, full_name, is_channel_name, kernel_counts
from ._objects import Devices, Object, create, devices, find, objects
from ._open import open_channel as open
from ._printable import printable
from ._reader import Reader
from ._sample import sample
from ._timeline import (
    Break,
    Change,
    Place,
    PlaceError,
    Rate,
    Timeline,
    TimelineAccount,
    place_dtype,
    sample_times,
)
from ._units import Scaling, scaling

__all__ = [
    "Account",
    "Acquisition",
    "Batch",
    "Block",
    "Break",
    "Change",
    "Channel",
    "Devices",
    "Error",
    "Event",
    "GapWarning",
    "Group",
    "GroupStats",
    "Interrupted",
    "KernelCounts",
    "Object",
    "Place",
    "PlaceError",
    "Rate",
    "Reader",
    "RingFull",
    "Scaling",
    "StaleBlock",
    "Stats",
    "Timeline",
    "TimelineAccount",
    "WouldBlock",
    "__version__",
    "acquire",
    "control_dtype",
    "controls",
    "create",
    "devices",
    "find",
    "full_name",
    "group",
    "is_channel_name",
    "kernel_counts",
    "live",
    "load",
    "make_control",
    "objects",
    "open",
    "place_dtype",
    "printable",
    "sample",
    "sample_times",
    "scaling",
]

__version__: str = ffi.string(lib.zio_version()).decode()
