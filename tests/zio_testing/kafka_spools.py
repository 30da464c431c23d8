# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the spool of zio-kafka put: what it keeps when a program or a disk ends"""

import contextlib
import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .common import Failure
from .kafka_rig import (
    CONTROL,
    LIMIT,
    MEGABYTE,
    Rig,
    Running,
    balanced,
    equal,
    has,
    limit_files,
    make_blocks,
    until,
)

KEY = "zzero-0000-0-0"
SMALL = CONTROL + 16  # bytes of a block
BIG = 65000  # samples of a large one


@contextlib.contextmanager
def standing(rig: Rig) -> Iterator[None]:
    """Let the broker stand for the time of the block: it answers nothing."""
    pid = rig.cluster.pid(1) or 0
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def kill(stream: Running) -> None:
    stream.signal(signal.SIGKILL)
    equal(stream.end().status, -9, "status of a program that was killed")


def size_of(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def sent(spool: Path) -> int:
    """Return the byte of the spool, before which the broker has all."""
    return int(Path(f"{spool}.sent").read_text().split()[1])


def check_whole(rig: Rig, topic: str, count: int) -> dict[str, Any]:
    """All blocks are in the topic; return what verify says of the channel."""
    found: dict[str, Any] = json.loads(rig.verify(topic).text)["channels"][KEY]
    equal([found["blocks"], found["missing"]], [count, 0], "blocks, and missing")
    return found


def test_spool_killed(rig: Rig) -> None:
    """kill -9 while the broker stands: the spool has what waits, also while it drains."""
    topic, spool = rig.topic(), rig.work / "killed.spool"
    first = rig.stream(topic, f"--spool={spool}")
    first.write(make_blocks(range(5)))
    rig.wait_for_blocks(topic, 5)
    with standing(rig):
        first.write(make_blocks(range(5, 505)))
        until(lambda: size_of(spool) == 500 * SMALL, "spool with 500 blocks")
        kill(first)
        second = rig.stream(topic, f"--spool={spool}")
        second.write(make_blocks(range(505, 515)))
        until(lambda: size_of(spool) != 500 * SMALL, "change of the spool")
        kill(second)
    third = rig.put(topic, b"", f"--spool={spool}")
    has(third.error, "510 blocks of an earlier run")
    equal([third.status, balanced(third, 510)["stored"]], [0, 510], "of the spool")
    check_whole(rig, topic, 515)
    equal([spool.exists(), Path(f"{spool}.sent").exists()], [False, False], "files left")


def is_settled(spool: Path) -> bool:
    before = sent(spool)
    time.sleep(0.5)
    return sent(spool) == before


def drain_a_part(rig: Rig, spool: Path) -> None:
    """Let the broker take some blocks of the spool, but not all."""
    limit = time.monotonic() + LIMIT
    while not sent(spool):
        if time.monotonic() > limit:
            raise Failure("the broker takes nothing of the spool")
    pid = rig.cluster.pid(1) or 0
    os.kill(pid, signal.SIGSTOP)
    until(lambda: is_settled(spool), "end of the acknowledgements")


def test_spool_mark(rig: Rig) -> None:
    """After kill -9, what the broker has acknowledged of the spool is not sent again."""
    topic, spool, count = rig.topic(), rig.work / "mark.spool", 1200
    words = f"--spool={spool}", "--queue=1"
    first = rig.stream(topic, *words)
    with standing(rig):
        first.write(make_blocks(range(count), nsamples=BIG))
        until(lambda: size_of(spool) == count * (CONTROL + BIG), "blocks in the spool")
    drain_a_part(rig, spool)
    kill(first)
    left = (size_of(spool) - sent(spool)) // (CONTROL + BIG)
    equal(0 < left < count, True, f"blocks behind the mark: {left}")
    os.kill(rig.cluster.pid(1) or 0, signal.SIGCONT)
    again = rig.put(topic, b"", *words)
    equal([again.status, balanced(again, left)["stored"]], [0, left], "of the spool")
    found = check_whole(rig, topic, count)
    queue = 2 * MEGABYTE // (CONTROL + BIG)
    equal(found["duplicates"] <= queue, True, f"duplicates: {found['duplicates']}")


def test_spool_locked(rig: Rig) -> None:
    """Two programs cannot have one spool, by whatever name; a killed one has none."""
    topic, spool = rig.topic(), rig.work / "locked.spool"
    link = rig.work / "link.spool"
    link.symlink_to(spool)
    first = rig.stream(topic, f"--spool={spool}")
    first.write(make_blocks([0]))
    rig.wait_for_blocks(topic, 1)
    for name in spool, link:
        second = rig.put(topic, make_blocks([9]), f"--spool={name}")
        equal(second.status, 3, "status of a second program")
        has(second.error, f"process {first.process.pid} uses it")
    kill(first)
    third = rig.put(topic, make_blocks([1]), f"--spool={spool}")
    equal(third.status, 0, f"status after the first one: {third.error}")
    check_whole(rig, topic, 2)


def test_spool_full(rig: Rig) -> None:
    """A spool that finds no room on the disk refuses blocks, counts and says so."""
    topic, spool = rig.topic(), rig.work / "full.spool"
    words = "--queue=1", f"--spool={spool}"
    stream = rig.stream(topic, *words, preexec_fn=limit_files)
    stream.write(make_blocks(range(5)))
    rig.wait_for_blocks(topic, 5)
    with standing(rig):
        stream.write(make_blocks(range(5, 85), nsamples=BIG))
    result = stream.end()
    equal(result.status, 1, "status")
    account = balanced(result, 85)
    equal(account["refused"] > 0, True, f"refused: {account}")
    has(result.error, f"spool {spool}: File too large")
    found = json.loads(rig.verify(topic).text)
    equal(found["wrong_accounts"], 0, "wrong accounts")
    missing = found["channels"][KEY]["missing"]
    equal(missing <= account["refused"], True, f"missing {missing}")


def test_spool_rest(rig: Rig) -> None:
    """With a full disk, blocks that are in the spool count as spooled, others do not."""
    topic, spool = rig.topic(), rig.work / "rest.spool"
    words = "--queue=4", "--flush=0.2", f"--spool={spool}"
    stream = rig.stream(topic, *words, preexec_fn=limit_files)
    with standing(rig):
        stream.write(make_blocks(range(200), nsamples=BIG))
        result = stream.end()
    equal(result.status, 1, f"status: {result.error}")
    account, size = balanced(result, 200), CONTROL + BIG
    equal(account["spooled"], size_of(spool) // size, "spooled, and in the file")
    equal(account["spooled"] > 0, True, "blocks are in the spool")
    again = rig.put(topic, b"", f"--spool={spool}")
    equal(balanced(again, account["spooled"])["stored"], account["spooled"], "stored")


def test_spool_power(rig: Rig) -> None:
    """Zeros that a power failure left at the end are dropped; other bytes are kept."""
    topic, blocks = rig.topic(), make_blocks(range(3))
    other = rig.file(blocks + b"no block" * 100)
    refused = rig.put(topic, b"", f"--spool={other}")
    equal(refused.status, 3, f"status: {refused.error}")
    equal(other.read_bytes(), blocks + b"no block" * 100, "a file that is no spool")
    zeros = rig.file(blocks + bytes(5000))
    result = rig.put(topic, b"", f"--spool={zeros}")
    equal([result.status, balanced(result, 3)["stored"]], [0, 3], "of the spool")
    has(result.error, "dropped 5000 bytes")
    nothing = rig.file(bytes(5000))
    result = rig.put(topic, b"", f"--spool={nothing}")
    equal([result.status, nothing.exists()], [0, False], f"only zeros: {result.error}")
    check_whole(rig, topic, 3)


TESTS = [
    test_spool_power,
    test_spool_killed,
    test_spool_mark,
    test_spool_locked,
    test_spool_full,
    test_spool_rest,
]
