# SPDX-License-Identifier: GPL-2.0-only
"""The newest blocks of each channel, which the scope keeps."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt
import zio

Samples = npt.NDArray[Any]

KEPT_BLOCKS = 64
KEPT_BYTES = 64 << 20


@dataclass(frozen=True)
class Block:
    """A copy of a block. @samples has values in @unit, or raw counts if @unit is empty.
    @lost counts the blocks missing before this one. @rate is the sample rate that the
    control states, or 0. Interleaved blocks have @in_turn values per sample. The first
    sample was taken at @first_ns of @clock; "" means that the time is unknown. @follows
    tells whether the samples continue those of the previous block."""

    samples: Samples
    seq: int
    time_ns: int
    lost: int = 0
    unit: str = ""
    rate: float = 0.0
    first_ns: int = 0
    clock: str = ""
    follows: bool = False
    in_turn: int = 1


@dataclass
class Trace:
    """The newest blocks of a channel. Its reader counts and adds blocks in a thread, and
    the event loop takes snapshots. @state is for programs, @text tells users the same."""

    name: str
    index: int
    is_tap: bool = False
    state: str = "waiting"
    text: str = "no block has come yet"
    unit: str = ""
    rate: float = 0.0
    account: zio.Account = field(default_factory=zio.Account)

    def __post_init__(self) -> None:
        self._blocks: deque[Block] = deque()
        self._bytes = 0
        self._lock = threading.Lock()
        self.notify: Callable[[], None] = lambda: None

    def add(self, block: Block) -> None:
        with self._lock:
            self._blocks.append(block)
            self._bytes += block.samples.nbytes
            while len(self._blocks) > KEPT_BLOCKS or (
                self._bytes > KEPT_BYTES and len(self._blocks) > 1
            ):
                self._bytes -= self._blocks.popleft().samples.nbytes
            self.state, self.text = "live", ""
            self.unit, self.rate = block.unit, block.rate
        self.notify()

    def counts(self) -> dict[str, int]:
        """Return the counts. Blocks missing at a tap were skipped, not lost."""
        account = self.account
        sums = {"blocks": account.blocks, "bytes": account.bytes}
        lost = 0 if self.is_tap else account.lost
        skipped = account.missing - lost
        return {**sums, "lost": lost, "skipped": skipped, "missed": account.missed}

    def set_state(self, state: str, text: str) -> None:
        with self._lock:
            self.state, self.text = state, text
        self.notify()

    def forget(self) -> None:
        """Drop the blocks, such as before a file is played again."""
        with self._lock:
            self._blocks.clear()
            self._bytes = 0

    def snapshot(self) -> list[Block]:
        """Return the blocks, oldest first."""
        with self._lock:
            return list(self._blocks)
