# SPDX-License-Identifier: GPL-2.0-only
"""Several sources: events of a group, and of two hosts"""

import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from zio_testing.kafka_blocks import (
    BIG,
    SMALL,
    after_loss,
    make_block,
    make_blocks,
    stamped,
    tell_loss,
)
from zio_testing.kafka_rig import Headers, Result, Rig, balanced, finish, headers_of

from .brokers import both

SECOND = 10**9
# The second host has booted so many seconds earlier.
EARLIER = 100000


def words_of(text: bytes) -> list[str]:
    """Return the events of a header, one by one."""
    events: list[str] = []
    for word in text.decode().split():
        parts, _, number = word.partition("*")
        events += [parts] * int(number or 1)
    return events


def split_events(messages: list[Any]) -> list[list[bytes]]:
    """Cut the messages into events by their headers alone."""
    events = []
    for message in messages:
        value, at = message.value(), 0
        for word in words_of(headers_of(message)["zio-events"]):
            count = word.count("B")
            events.append([value[at + k * SMALL :][:SMALL] for k in range(count)])
            at += count * SMALL
        assert at == len(value)
    return events


def put_group(rig: Rig, topic: str, sources: list[Path], *words: object) -> Result:
    command = "--json", "--stats=0", "--group=run", "--limit=100", *words, *sources
    return rig.run("put", topic, *command)


def group_of(result: Result, *names: str) -> list[int]:
    """Return what verify says of the events."""
    return [result.json["groups"]["run"][name] for name in names]


@both
def test_group(rig: Rig) -> None:
    """Events keep together in messages; header and verify tell of missing partners."""
    topic = rig.topic()
    gone = {1: {7}, 2: set(range(30, 40))}
    numbers = [[n for n in range(40) if n not in gone.get(c, ())] for c in range(3)]
    sources = [rig.file(tell_loss(make_blocks(numbers[c], c), 8, 1)) for c in range(3)]
    put = put_group(rig, topic, sources, f"--bytes={10 * SMALL}")
    put.ends_with(0)
    account = balanced(put, 40 + 40 + 30, stored=109, lost=1)
    names = "events", "complete", "lost", "gone", "late", "skipped"
    assert [account["group"][name] for name in names] == [40, 29, 1, 10, 0, 0]
    messages = rig.messages(topic, account["messages"])[: account["messages"]]
    assert {m.key() for m in messages} == {b"run"}
    assert split_events(messages) == [
        [tell_loss(make_block(n, c), 8, 1) for c in range(3) if n in numbers[c]]
        for n in range(40)
    ]
    assert max(len(m.value()) for m in messages) <= 10 * SMALL
    check_headers(messages)
    assert rig.get(topic, "--key=zzero-0000-0-1") == sources[1].read_bytes()
    assert len(rig.get(topic, "--key=run")) == 109 * SMALL
    result = rig.verify(topic)
    names = "events", "complete", "lost", "gone", "missing", "damaged"
    assert group_of(result, *names) == [40, 29, 1, 10, 0, 0]
    found = result.channel("blocks", "missing", "told", key="zzero-0000-0-1")
    assert [*found, result.json["wrong_accounts"]] == [39, 1, 1, 0]
    result.ends_with(4)


def check_headers(messages: list[Any]) -> None:
    headers = [headers_of(message) for message in messages]
    words = [word for each in headers for word in words_of(each["zio-events"])]
    assert words[7] == "BLB"  # the event with a lost block
    assert words[30:] == ["BBG"] * 10  # the events after the end of a source
    assert headers[0]["zio-format"] == b"events/1"
    assert headers[0]["zio-sources"] == b"zzero-0000-0-0 zzero-0000-0-1 zzero-0000-0-2"
    numbers = [(int(h["zio-first-event"]), int(h["zio-last-event"])) for h in headers]
    assert [first for first, _ in numbers] == [0, *(last + 1 for _, last in numbers[:-1])]
    assert numbers[-1][1] == 39


def test_group_refused(rig: Rig) -> None:
    """A full queue refuses whole events, and verify finds which."""
    topic = rig.topic()
    sources = [rig.file(make_blocks(range(200), c, BIG)) for c in range(2)]
    put = put_group(rig, topic, sources, "--queue=1", "--when-full=refuse")
    account = balanced(put, 400)
    refused = account["refused"]
    assert [put.status, refused > 0, refused % 2] == [1, True, 0]
    verify = rig.verify(topic)
    assert group_of(verify, "events", "complete") == [account["stored"] // 2] * 2
    told = sum(channel["told"] for channel in verify.json["channels"].values())
    assert [told, verify.json["wrong_accounts"]] == [refused, 0]


@pytest.mark.parametrize(
    ("word", "reason"),
    [("--spool=x", "--queue larger"), ("--format=se00", "many blocks")],
)
def test_group_mistakes(rig: Rig, word: str, reason: str) -> None:
    """A group with a spool, or in se00, is refused with the reason."""
    rig.put(rig.topic(), b"", "--group=g", word).ends_with(2, reason)


def test_group_slow(rig: Rig) -> None:
    """An event waits --limit for a source; the block that comes late is told."""
    topic = rig.topic()
    slow = rig.stream(topic, "--group=run", "--limit=0.2", rig.file(make_block(0)))
    rig.wait_for_blocks(topic, 1)
    slow.write(make_block(0, 1))
    rig.wait_for_blocks(topic, 2)
    result = slow.end()
    result.ends_with(0)
    group = balanced(result, 2)["group"]
    assert [group["late"], group["late_blocks"]] == [1, 1]
    headers = [headers_of(message) for message in rig.messages(topic, 2)[:2]]
    assert [words_of(h["zio-events"]) for h in headers] == [["BT"], ["+GB"]]
    assert group_of(rig.verify(topic), "events", "late", "came_late") == [1, 1, 1]


def test_group_stop(rig: Rig) -> None:
    """A signal ends the wait for partners: blocks that were read are sent, not lost."""
    topic, source = rig.topic(), rig.file(make_blocks(range(10)))
    stream = rig.stream(topic, "--group=run", "--limit=3600", source)
    stream.write(make_block(0, 1))
    rig.wait_for_blocks(topic, 2)
    stream.signal(signal.SIGTERM)
    result = stream.end()
    result.ends_with(143)
    group = balanced(result, 11, stored=11)["group"]
    # The source of the partner may end before the program looks.
    found = [group["events"], group["complete"], group["late"] + group["gone"]]
    assert found == [10, 1, 9]


def send_events(rig: Rig, topic: str, events: str, first: int, blocks: bytes) -> None:
    """Send a message with blocks of these events."""
    headers: Headers = {
        "zio-format": "events/1",
        "zio-run": "0",
        "zio-message": "0",
        "zio-events": events,
        "zio-first-event": f"{first}",
        "zio-last-event": f"{first + len(words_of(events.encode())) - 1}",
        "zio-blocks": f"{len(blocks) // SMALL}",
    }
    rig.send(topic, blocks, "run", headers)


def test_group_damaged(rig: Rig) -> None:
    """verify finds events that are missing, and headers that tell of other blocks."""
    topic = rig.topic()
    send_events(rig, topic, "BB", 0, make_block(0) + make_block(0, 1))
    send_events(rig, topic, "BL", 4, make_block(1) + make_block(1, 1))
    result = rig.verify(topic)
    assert group_of(result, "events", "missing", "damaged") == [2, 3, 1]
    told = "events 1 to 3 are missing", "the events have 1 blocks, the message 2"
    result.ends_with(1, *told)


@dataclass
class Host:
    """A host in namespaces of its own, whose two channels share a clock."""

    name: str
    device: int
    clock: int  # of its time stamps
    skew: int = 0  # nanoseconds from the clock of this machine
    more: tuple[str, ...] = ()  # options of unshare

    def put(self, rig: Rig, topic: str, real: int, numbers: list[list[int]]) -> Any:
        """Start a producer of blocks that have what the clock shows from a time on."""
        since, trigger = real - self.skew, f"clock-{self.name}"
        files = []
        for c, own in enumerate(numbers):
            blocks = [(n, make_block(n, c, device=self.device)) for n in own]
            blocks = [
                (n, after_loss(block) if n and n - 1 not in own else block)
                for n, block in blocks
            ]
            times = [(block, since + n * SECOND // 100) for n, block in blocks]
            parts = [stamped(*each, self.clock, trigger) for each in times]
            files.append(rig.file(b"".join(parts)))
        shell = "sh", "-c", f'hostname {self.name}; exec "$@"', "host"
        words = rig.words("put", topic, "--json", "--stats=0", *files)
        return rig.spawn(["unshare", "--uts", "--time", *self.more, *shell, *words])


def can_be_two_hosts() -> bool:
    words = ["unshare", "--mount", "--uts", "--time", "true"]
    return not os.geteuid() and not subprocess.run(words, capture_output=True).returncode


@pytest.mark.skipif(not can_be_two_hosts(), reason="this user may make no name spaces")
def test_two_hosts(rig: Rig) -> None:
    """Events of two hosts with clocks of their own are aligned, and losses accounted."""
    topic, aligned = rig.topic(), rig.topic()
    skew = time.time_ns() - time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    early = skew - EARLIER * SECOND, ("--monotonic", str(EARLIER))
    left = Host("left", 0, time.CLOCK_REALTIME)
    right = Host("right", 1, time.CLOCK_MONOTONIC, *early)
    real = time.time_ns() - 2 * SECOND
    gone: list[list[set[int]]] = [[{50}, set()], [set(), {20, 21, 22}]]
    numbers = [[[n for n in range(100) if n not in g] for g in host] for host in gone]
    producers = [
        host.put(rig, topic, real, own)
        for host, own in zip((left, right), numbers, strict=True)
    ]
    balanced(finish(producers[0]), 200, lost=1)
    channels = balanced(finish(producers[1]), 200, lost=3)["channels"]
    assert channels["zzero-0001-0-1"]["lost"] == 3
    check_hosts(rig, topic)
    keys = [f"--key=zzero-{h:04x}-0-{c}" for h in range(2) for c in range(2)]
    sources = [rig.file(rig.get(topic, "--realtime", key)) for key in keys]
    result = put_group(rig, aligned, sources, "--any-trigger", "--window=2000000")
    names = "events", "complete", "lost", "skipped", "late"
    group = balanced(result, 400)["group"]
    assert [group[name] for name in names] == [100, 96, 4, 0, 0]
    check_aligned(rig, aligned, numbers)


def check_hosts(rig: Rig, topic: str) -> None:
    """Each message tells of its host, and of the clock of its time stamps."""
    headers = [headers_of(m) for m in rig.messages(topic, 8) if m.key()]
    blocks = [each for each in headers if each["zio-format"] == b"blocks/1"]
    told = {(each["zio-host"], each["zio-clock"]) for each in blocks}
    assert told == {(b"left", b"realtime"), (b"right", b"monotonic")}
    found = rig.verify(topic).json["channels"]
    missing = {key: (c["missing"], c["told"]) for key, c in found.items() if c["missing"]}
    assert missing == {"zzero-0001-0-1": (3, 3), "zzero-0000-0-0": (1, 1)}


def check_aligned(rig: Rig, topic: str, numbers: list[list[list[int]]]) -> None:
    """Event n has the blocks with number n of all channels, and no others."""
    (count,) = group_of(rig.verify(topic), "messages")
    events = split_events(rig.messages(topic, count)[:count])
    places = [(h, c) for h in range(2) for c in range(2)]
    assert [[(b[28], b[34], b[4]) for b in blocks] for blocks in events] == [
        [(h, c, n) for h, c in places if n in numbers[h][c]] for n in range(100)
    ]
