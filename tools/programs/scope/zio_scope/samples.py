# SPDX-License-Identifier: GPL-2.0-only
"""The blocks that the scope keeps: the newest ones of each channel."""

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
    @lost counts the blocks that are missing before this one. @rate are the samples per
    second that the control tells; 0 if it does not. Interleaved blocks have @in_turn values
    for each of them. The first sample was taken at @first_ns of @clock, which is "" if
    there is no time. It follows the block before, or not."""

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
    """The newest blocks of a channel. Its reader counts and adds blocks in a thread; the
    event loop takes snapshots. @state is a word for programs, and @text describes it for users."""

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
        """Return the counts. A tap skips blocks that a file would have lost."""
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
        """Drop the blocks, as before a file is played again."""
        with self._lock:
            self._blocks.clear()
            self._bytes = 0

    def snapshot(self) -> list[Block]:
        """Return the blocks, oldest first."""
        with self._lock:
            return list(self._blocks)
