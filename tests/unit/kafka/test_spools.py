# SPDX-License-Identifier: GPL-2.0-only
"""The spool of put: what it keeps when a program or a disk ends"""

import re
import time
from functools import partial
from pathlib import Path
from typing import Any

from zio_testing.common import Failure
from zio_testing.kafka_blocks import BIG, LARGE, SMALL, make_blocks
from zio_testing.kafka_rig import (
    LIMIT,
    MEGABYTE,
    Rig,
    all_stored,
    balanced,
    limit_files,
    until,
)

NAMES = "blocks", "missing", "duplicates"


def size_of(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def sent(spool: Path) -> int:
    """Return the byte of the spool, before which the broker has all."""
    return int(Path(f"{spool}.sent").read_text().split()[1])


def check_whole(rig: Rig, topic: str, count: int) -> int:
    """Check that all blocks are in the topic; return how many are there twice."""
    blocks, missing, duplicates = rig.verify(topic).channel(*NAMES)
    assert [blocks, missing] == [count, 0]
    return duplicates


def test_spool_killed(rig: Rig) -> None:
    """kill -9 while the broker stands: the spool has what waits, also while it drains."""
    topic, spool = rig.topic(), rig.work / "spool"
    first = rig.begin(topic, f"--spool={spool}")
    with rig.standing():
        first.write(make_blocks(range(5, 505)))
        until(lambda: size_of(spool) == 500 * SMALL, "spool with 500 blocks")
        first.kill()
        second = rig.stream(topic, f"--spool={spool}")
        second.write(make_blocks(range(505, 515)))
        until(lambda: size_of(spool) != 500 * SMALL, "change of the spool")
        second.kill()
    third = rig.put(topic, b"", f"--spool={spool}")
    third.ends_with(0, "510 blocks of an earlier run")
    all_stored(third, 510)
    check_whole(rig, topic, 515)
    assert not spool.exists()
    assert not Path(f"{spool}.sent").exists()


def wait_for_mark(spool: Path) -> None:
    """Wait without a pause until the broker has taken some blocks, but not all."""
    limit = time.monotonic() + LIMIT
    while not sent(spool):
        if time.monotonic() > limit:
            raise Failure("the broker takes nothing of the spool")


def is_settled(put: Any, spool: Path) -> bool:
    """Are the last three counts of stored blocks equal, and that of the mark?"""
    newest = [re.search(r"(\d+) stored", line) for line in put.sums()[-3:]]
    stored = {int(found[1]) for found in newest if found}
    return len(newest) == 3 and stored == {sent(spool) // LARGE}


def test_spool_mark(rig: Rig) -> None:
    """After kill -9, what the broker has acknowledged of the spool is not sent again."""
    topic, spool, count = rig.topic(), rig.work / "spool", 1200
    words = f"--spool={spool}", "--queue=1", "--stats=0.2"
    first = rig.stream(topic, *words)
    with rig.standing():
        first.write(make_blocks(range(count), nsamples=BIG))
        until(lambda: size_of(spool) == count * LARGE, "blocks in the spool")
    wait_for_mark(spool)
    with rig.standing():
        # All that the broker has acknowledged is marked, and no answer is on its way.
        until(partial(is_settled, first, spool), "mark that stays")
        first.kill()
    left = (size_of(spool) - sent(spool)) // LARGE
    assert 0 < left < count
    all_stored(rig.put(topic, b"", *words), left)
    assert check_whole(rig, topic, count) <= 2 * MEGABYTE // LARGE  # those in the queue


def test_spool_locked(rig: Rig) -> None:
    """Two programs cannot have one spool, by whatever name; a killed one has none."""
    topic, spool, link = rig.topic(), rig.work / "spool", rig.work / "link"
    link.symlink_to(spool)
    first = rig.begin(topic, f"--spool={spool}", count=1)
    for name in spool, link:
        second = rig.put(topic, make_blocks([9]), f"--spool={name}")
        second.ends_with(3, f"process {first.process.pid} uses it")
    first.kill()
    all_stored(rig.put(topic, make_blocks([1]), f"--spool={spool}"), 1)
    check_whole(rig, topic, 2)


def test_spool_full(rig: Rig) -> None:
    """A spool that finds no room on the disk refuses blocks, counts and says so."""
    topic, spool = rig.topic(), rig.work / "spool"
    words = "--queue=1", f"--spool={spool}"
    stream = rig.begin(topic, *words, preexec_fn=limit_files)
    with rig.standing():
        stream.write(make_blocks(range(5, 85), nsamples=BIG))
    result = stream.end()
    result.ends_with(1, f"spool {spool}: File too large")
    verify = rig.verify(topic)
    assert verify.json["wrong_accounts"] == 0
    assert verify.channel("missing") <= [balanced(result, 85)["refused"]] > [0]


def test_spool_without_room(rig: Rig) -> None:
    """On a disk that is full from the start, a new spool keeps no blocks, and says so."""
    spool, full = rig.work / "spool", partial(limit_files, 0)
    result = rig.put(rig.topic(), make_blocks([5]), f"--spool={spool}", preexec_fn=full)
    assert f"spool {spool}: File too large" in result.error
    all_stored(result, 1)
    assert not Path(f"{spool}.sent").exists()


def test_spool_rest(rig: Rig) -> None:
    """With a full disk, blocks that are in the spool count as spooled, others do not."""
    topic, spool = rig.topic(), rig.work / "spool"
    words = "--queue=4", "--flush=0.2", f"--spool={spool}"
    stream = rig.stream(topic, *words, preexec_fn=limit_files)
    with rig.standing():
        stream.write(make_blocks(range(200), nsamples=BIG))
        result = stream.end()
    result.ends_with(1)
    spooled = balanced(result, 200)["spooled"]
    assert spooled == size_of(spool) // LARGE > 0
    again = rig.put(topic, b"", f"--spool={spool}")
    balanced(again, spooled, stored=spooled)
