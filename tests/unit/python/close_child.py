# SPDX-License-Identifier: LGPL-2.1-or-later
"""Close in one thread what another thread uses. test_close.py runs this as a process."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import zio

from unit.python.conftest import FakeRing, make_block

# An object with close(), and what the other thread does with it until it raises
Case = tuple[Any, Callable[[], object]]
ROUNDS = 60


def read_block(ch: zio.Channel) -> None:
    """Read a block. At the end of the file there is none; the next call says so, too."""
    if block := ch.read():
        block.data.sum()
        block.copy()


def open_ring(folder: Path) -> zio.Channel:
    ring = FakeRing(folder)
    for n in range(10):
        ring.put(n)
    return zio.open(ring.name, nonblock=True, method="ring")


def use_ring_block(folder: Path) -> Case:
    ch = open_ring(folder)
    block = next(iter(ch))
    return ch, lambda: (block.seq, block.control, block.data.sum(), block.copy())


def use_ring_batch(folder: Path) -> Case:
    ch = open_ring(folder)
    batch = next(ch.batches(4))
    return ch, lambda: (batch.controls["seq_num"].sum(), np.sum(batch.data))


def make_case(case: str, folder: Path) -> Case:
    path, fifo = str(folder / "blocks"), str(folder / "fifo")
    if case == "ring's block":
        return use_ring_block(folder)
    if case == "ring's batch":
        return use_ring_batch(folder)
    if "group" in case:
        group = zio.group([fifo if "waiting" in case else path])
        return group, lambda: group.next()
    ch = zio.open(fifo if "wait" in case else path)
    uses: dict[str, Callable[[], object]] = {
        "blocks": lambda: read_block(ch),
        "batches": lambda: [batch.data for batch in ch.batches(7)],
        "waiting read": lambda: ch.read(),
        "wait": lambda: ch.wait(),
        "attributes": lambda: (ch.path, ch.stats, ch.fileno()),
    }
    return ch, uses[case]


def close_while_used(thing: Any, use: Callable[[], object]) -> str:
    """Return what the other thread was told."""
    begun = threading.Event()
    told: list[str] = []

    def work() -> None:
        try:
            while True:
                use()
                begun.set()
        except (ValueError, zio.StaleBlock) as error:
            told.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    begun.wait(0.01)  # A call that waits has no end to wait for.
    thing.close()
    thread.join()
    return told[0]


def close_at_line(line: int, folder: Path) -> None:
    """Close before a line of Block.times() runs, as another thread may."""
    ch = open_ring(folder)
    block = next(iter(ch))

    def trace(frame: Any, event: str, _: Any) -> Any:
        if frame.f_code is zio.Block.times.__code__:
            if event == "line" and frame.f_lineno == line:
                ch.close()
            return trace
        return None

    sys.settrace(trace)
    try:
        block.times(1.0)
    except zio.StaleBlock:
        pass
    finally:
        sys.settrace(None)


def main(case: str, folder: Path) -> None:
    if case == "times":
        for line in {line for *_, line in zio.Block.times.__code__.co_lines() if line}:
            close_at_line(line, folder)
        return
    blocks = b"".join(make_block(n) for n in range(1000))
    (folder / "blocks").write_bytes(blocks)
    os.mkfifo(folder / "fifo")
    writer = os.open(folder / "fifo", os.O_RDWR)
    descriptors = len(os.listdir("/proc/self/fd"))
    told = [close_while_used(*make_case(case, folder)) for _ in range(ROUNDS)]
    assert len(os.listdir("/proc/self/fd")) == descriptors
    os.close(writer)
    print(sum("closed" in text for text in told))


if __name__ == "__main__":
    sys.setswitchinterval(1e-6)
    main(sys.argv[1], Path(sys.argv[2]))
