# SPDX-License-Identifier: GPL-2.0-only
"""Tests of zio-kafka with several sources: events of a group, and of two hosts"""

import json
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .common import Words
from .kafka_flows import headers_of, messages_of
from .kafka_rig import (
    CONTROL,
    PROGRAM,
    Headers,
    Rig,
    balanced,
    equal,
    finish,
    has,
    make_block,
    need_root,
    send_message,
    stamped,
)

SIZE = CONTROL + 16
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


def write_channel(rig: Rig, channel: int, numbers: list[int], device: int = 0) -> Path:
    return rig.file(b"".join(make_block(n, channel, device=device) for n in numbers))


def split_events(messages: list[Any]) -> list[list[bytes]]:
    """Cut the messages into events by their headers alone."""
    events = []
    for message in messages:
        value, at = message.value(), 0
        for word in words_of(headers_of(message)["zio-events"]):
            count = word.count("B")
            events.append([value[at + k * SIZE :][:SIZE] for k in range(count)])
            at += count * SIZE
        equal(at, len(value), "bytes of the events in a message")
    return events


def put_group(rig: Rig, topic: str, sources: list[Path], *words: object) -> Any:
    command = "--json", "--stats=0", "--group=run", *words, *sources
    return rig.run("put", topic, *command)


def test_group(rig: Rig) -> None:
    """Events keep together in messages, and the header tells of missing partners."""
    topic = rig.topic()
    gone = {1: {7}, 2: set(range(30, 40))}
    numbers = [[n for n in range(40) if n not in gone.get(c, ())] for c in range(3)]
    sources = [write_channel(rig, c, numbers[c]) for c in range(3)]
    put = put_group(rig, topic, sources, f"--bytes={10 * SIZE}", "--limit=100")
    equal(put.status, 0, f"status: {put.error}")
    account = balanced(put, 40 + 40 + 30)
    equal([account["stored"], account["lost"]], [109, 1], "stored and lost")
    names = "events", "complete", "lost", "gone", "late", "skipped"
    found = [account["group"][name] for name in names]
    equal(found, [40, 29, 1, 10, 0, 0], "the group")
    messages = messages_of(rig, topic, account["messages"])[: account["messages"]]
    equal({m.key() for m in messages}, {b"run"}, "keys")
    events = split_events(messages)
    wanted = [
        [make_block(n, c) for c in range(3) if n not in gone.get(c, ())]
        for n in range(40)
    ]
    equal(events == wanted, True, "blocks of the events")
    equal(max(len(m.value()) for m in messages) <= 10 * SIZE, True, "size of messages")
    check_headers(messages)


def check_headers(messages: list[Any]) -> None:
    headers = [headers_of(message) for message in messages]
    words = [word for each in headers for word in words_of(each["zio-events"])]
    equal(words[7], "BLB", "the event with a lost block")
    equal(words[30:], ["BBG"] * 10, "the events after the end of a source")
    equal(headers[0]["zio-format"], b"events/1", "format")
    channels = b"zzero-0000-0-0 zzero-0000-0-1 zzero-0000-0-2"
    equal(headers[0]["zio-sources"], channels, "sources")
    numbers = [(int(h["zio-first-event"]), int(h["zio-last-event"])) for h in headers]
    equal([first for first, _ in numbers[1:]], [last + 1 for _, last in numbers[:-1]], "")
    equal([numbers[0][0], numbers[-1][1]], [0, 39], "numbers of the events")


def test_group_read(rig: Rig) -> None:
    """verify checks the events of a group; get selects channels from them."""
    topic = rig.topic()
    numbers = [[*range(20)], [n for n in range(20) if n != 7]]
    sources = [write_channel(rig, c, numbers[c]) for c in range(2)]
    balanced(put_group(rig, topic, sources, "--limit=100"), 40)
    blocks = b"".join(make_block(n, 1) for n in numbers[1])
    equal(rig.get(topic, "--key=zzero-0000-0-1"), blocks, "blocks of a channel")
    equal(len(rig.get(topic, "--key=run")), 39 * SIZE, "bytes of the group")
    result = rig.verify(topic)
    found = json.loads(result.text)
    group = found["groups"]["run"]
    names = "events", "complete", "lost", "missing", "damaged"
    equal([group[name] for name in names], [20, 19, 1, 0, 0], "verify")
    channel = found["channels"]["zzero-0000-0-1"]
    equal([channel["blocks"], channel["missing"], channel["told"]], [19, 1, 1], "losses")
    equal([result.status, found["wrong_accounts"]], [1, 0], "status and accounts")


def test_group_refused(rig: Rig) -> None:
    """A full queue refuses whole events, and verify finds which."""
    topic = rig.topic()
    size = 65000
    sources = [
        rig.file(b"".join(make_block(n, c, size) for n in range(200))) for c in range(2)
    ]
    words = "--queue=1", "--when-full=refuse", "--limit=100"
    put = put_group(rig, topic, sources, *words)
    account = balanced(put, 400)
    refused = account["refused"]
    equal([put.status, refused > 0, refused % 2], [1, True, 0], f"{account}")
    found = json.loads(rig.verify(topic).text)
    group = found["groups"]["run"]
    equal(group["events"], account["stored"] // 2, "events")
    equal(group["complete"], group["events"], "complete events")
    told = sum(channel["told"] for channel in found["channels"].values())
    equal([told, found["wrong_accounts"]], [refused, 0], "told, and wrong accounts")


def test_group_mistakes(rig: Rig) -> None:
    """A group with a spool, or in se00, is refused with the reason."""
    for word, reason in ("--spool=x", "--queue larger"), ("--format=se00", "many blocks"):
        result = rig.put(rig.topic(), b"", "--group=g", word)
        equal(result.status, 2, f"status with {word}")
        has(result.error, reason)


def test_group_slow(rig: Rig) -> None:
    """An event waits --limit for a source; the block that comes late is told."""
    topic = rig.topic()
    slow = rig.stream(topic, "--group=run", "--limit=0.2", rig.file(make_block(0)))
    rig.wait_for_blocks(topic, 1)
    slow.write(make_block(0, 1))
    rig.wait_for_blocks(topic, 2)
    result = slow.end()
    equal(result.status, 0, f"status: {result.error}")
    group = balanced(result, 2)["group"]
    equal([group["late"], group["late_blocks"]], [1, 1], "late")
    messages = messages_of(rig, topic, 2)[:2]
    words = [words_of(headers_of(message)["zio-events"]) for message in messages]
    equal(words, [["BT"], ["+GB"]], "events")
    found = json.loads(rig.verify(topic).text)["groups"]["run"]
    equal([found["events"], found["late"], found["came_late"]], [1, 1, 1], "verify")


def test_group_stop(rig: Rig) -> None:
    """A signal ends the wait for partners: blocks that were read are sent, not lost."""
    topic = rig.topic()
    numbers = [*range(10)]
    source = write_channel(rig, 0, numbers)
    stream = rig.stream(topic, "--group=run", "--limit=3600", source)
    stream.write(make_block(0, 1))
    rig.wait_for_blocks(topic, 2)
    stream.signal(signal.SIGTERM)
    result = stream.end()
    equal(result.status, 143, f"status: {result.error}")
    equal(balanced(result, 11)["stored"], 11, "stored")
    group = result.account["group"]
    # The source of the partner may end before the program looks.
    found = [group["events"], group["complete"], group["late"] + group["gone"]]
    equal(found, [10, 1, 9], "events")


def send_events(rig: Rig, topic: str, events: str, first: int, blocks: bytes) -> None:
    """Send a message with blocks of these events."""
    count = len(blocks) // SIZE
    headers: Headers = {
        "zio-format": "events/1",
        "zio-run": "0",
        "zio-message": "0",
        "zio-events": events,
        "zio-first-event": f"{first}",
        "zio-last-event": f"{first + len(words_of(events.encode())) - 1}",
        "zio-blocks": f"{count}",
    }
    send_message(rig, topic, blocks, "run", headers)


def test_group_damaged(rig: Rig) -> None:
    """verify finds events that are missing, and headers that tell of other blocks."""
    topic = rig.topic()
    pair = make_block(0) + make_block(0, 1)
    send_events(rig, topic, "BB", 0, pair)
    send_events(rig, topic, "BL", 4, make_block(1) + make_block(1, 1))
    result = rig.verify(topic)
    found = json.loads(result.text)["groups"]["run"]
    equal([found["events"], found["missing"], found["damaged"]], [2, 3, 1], "verify")
    has(result.error, "events 1 to 3 are missing")
    has(result.error, "the events have 1 blocks, the message 2")
    equal(result.status, 1, "status")


@dataclass
class Host:
    """A host in namespaces of its own, whose two channels share a clock."""

    name: str
    device: int
    clock: int  # of its time stamps
    skew: int  # nanoseconds from the clock of this machine

    def wrap(self) -> Words:
        """Return the words before a program of this host."""
        words: Words = ["unshare", "--uts", "--time"]
        if self.clock == time.CLOCK_MONOTONIC:
            words = [*words, "--monotonic", str(EARLIER)]
        return [*words, "sh", "-c", f'hostname {self.name}; exec "$@"', "host"]

    def stamp(self, real: int) -> int:
        """Return what the clock of this host shows at a time of CLOCK_REALTIME."""
        return real - self.skew

    def blocks(self, real: int, channel: int, numbers: list[int]) -> bytes:
        return b"".join(
            stamped(
                make_block(n, channel, device=self.device),
                self.stamp(real + n * SECOND // 100),
                self.clock,
                f"clock-{self.name}",
            )
            for n in numbers
        )


def make_hosts() -> list[Host]:
    now = time.clock_gettime_ns(time.CLOCK_MONOTONIC) + EARLIER * SECOND
    skew = time.time_ns() - now
    return [
        Host("left", 0, time.CLOCK_REALTIME, 0),
        Host("right", 1, time.CLOCK_MONOTONIC, skew),
    ]


def record(rig: Rig, topic: str, host: Host, channel: int) -> Path:
    """Read a channel of a host, with time stamps that all hosts understand."""
    target = rig.file()
    key = f"--key=zzero-{host.device:04x}-0-{channel}"
    result = rig.run("get", topic, "--realtime", key, target)
    equal(result.status, 0, f"status: {result.error}")
    return target


def put_as_host(rig: Rig, topic: str, host: Host, sources: list[Path]) -> Any:
    words: Words = [*host.wrap(), PROGRAM, "put", "-b", rig.cluster.address, "-t", topic]
    return rig.spawn([*words, "--json", "--stats=0", *sources])


def test_two_hosts(rig: Rig) -> None:
    """Events of two hosts with clocks of their own are aligned, and losses accounted."""
    need_root()
    topic, aligned = rig.topic(), rig.topic()
    hosts, real = make_hosts(), time.time_ns() - 2 * SECOND
    gone = {(1, 1): {20, 21, 22}, (0, 0): {50}}
    numbers = {
        (h, c): [n for n in range(100) if n not in gone.get((h, c), ())]
        for h in range(2)
        for c in range(2)
    }
    files = {
        (h, c): rig.file(hosts[h].blocks(real, c, found))
        for (h, c), found in numbers.items()
    }
    producers = [
        put_as_host(rig, topic, host, [files[h, 0], files[h, 1]])
        for h, host in enumerate(hosts)
    ]
    accounts = [balanced(finish(producer), 200) for producer in producers]
    equal([a["lost"] for a in accounts], [1, 3], "lost on each host")
    lost = accounts[1]["channels"]["zzero-0001-0-1"]["lost"]
    equal(lost, 3, "lost in the channel")
    check_hosts(rig, topic)
    sources = [record(rig, topic, hosts[h], c) for h, c in sorted(files)]
    words = "--any-trigger", "--window=2000000", "--limit=100"
    group = balanced(put_group(rig, aligned, sources, *words), 400)["group"]
    equal([group["events"], group["complete"]], [100, 96], "aligned events, complete")
    equal([group["lost"], group["skipped"] + group["late"]], [4, 0], "missing partners")
    check_aligned(rig, aligned, numbers)


def check_hosts(rig: Rig, topic: str) -> None:
    """Each message tells of its host, and of the clock of its time stamps."""
    messages = [m for m in messages_of(rig, topic, 8) if m.key()]
    told = set()
    for message in messages:
        headers = headers_of(message)
        if headers["zio-format"] == b"blocks/1":
            told.add((headers["zio-host"], headers["zio-clock"]))
    equal(told, {(b"left", b"realtime"), (b"right", b"monotonic")}, "hosts and clocks")
    result = rig.verify(topic)
    found = json.loads(result.text)["channels"]
    missing = {key: (c["missing"], c["told"]) for key, c in found.items() if c["missing"]}
    wanted = {"zzero-0001-0-1": (3, 3), "zzero-0000-0-0": (1, 1)}
    equal(missing, wanted, "missing blocks, and what the hosts told")


def check_aligned(
    rig: Rig, topic: str, numbers: dict[tuple[int, int], list[int]]
) -> None:
    """Event n has the blocks with number n of all channels, and no others."""
    count = json.loads(rig.verify(topic).text)["groups"]["run"]["messages"]
    events = split_events(messages_of(rig, topic, count)[:count])
    for n, blocks in enumerate(events):
        wanted = [key for key in sorted(numbers) if n in numbers[key]]
        equal([(b[28], b[34]) for b in blocks], wanted, f"channels of event {n}")
        equal({b[4] for b in blocks}, {n}, f"numbers of the blocks of event {n}")


TESTS = [
    test_group,
    test_group_read,
    test_group_refused,
    test_group_mistakes,
    test_group_slow,
    test_group_stop,
    test_group_damaged,
    test_two_hosts,
]
