# SPDX-License-Identifier: GPL-2.0-only
"""Tests of zio-kafka with a broker that serves: blocks, formats, places, losses"""

import json
import os
import re
import struct
import subprocess
import time
from pathlib import Path
from typing import Any

from .common import ROOT
from .kafka_rig import (
    BEGIN,
    CONTROL,
    PROGRAM,
    Headers,
    Rig,
    balanced,
    equal,
    finish,
    has,
    limit_files,
    make_block,
    make_blocks,
    send_message,
    until,
)

WRAP = 1 << 32


def messages_of(rig: Rig, topic: str, count: int) -> list[Any]:
    """Read messages with the consumer of Confluent."""
    from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

    consumer = Consumer({"bootstrap.servers": rig.cluster.address, "group.id": "test"})
    consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
    found: list[Any] = []

    def poll() -> bool:
        if message := consumer.poll(1):
            found.append(message)
        return len(found) >= count

    until(poll, f"{count} messages in {topic}")
    consumer.close()
    return found


def headers_of(message: Any) -> dict[str, bytes]:
    return dict(message.headers())


def split(blocks: bytes, channel: int, nsamples: int = 16) -> bytes:
    """Return the blocks of one channel."""
    size = CONTROL + nsamples
    parts = [blocks[at : at + size] for at in range(0, len(blocks), size)]
    return b"".join(part for part in parts if part[34] == channel)


def test_round_trip(rig: Rig) -> None:
    """Blocks of two channels come back byte by byte, over the wrap, with their losses."""
    topic = rig.topic()
    numbers = [*range(WRAP - 50, WRAP + 20), *range(WRAP + 23, WRAP + 100)]
    mixed = b"".join(make_block(n) + make_block(n - WRAP + 60, 1) for n in numbers)
    put = rig.put(topic, mixed, "--bytes=4096")
    equal(put.status, 0, "status")
    account = balanced(put, 2 * 150)
    equal([account["stored"], account["lost"]], [2 * 147, 2 * 3], "stored and lost")
    found = rig.get(topic)
    for channel in 0, 1:
        equal(
            split(found, channel), split(mixed, channel), f"blocks of channel {channel}"
        )
    result = rig.verify(topic)
    equal(result.status, 1, "status of verify")
    channel0 = json.loads(result.text)["channels"]["zzero-0000-0-0"]
    names = "blocks", "gaps", "missing", "told", "duplicates", "restarts"
    equal([channel0[name] for name in names], [147, 1, 3, 3, 0, 0], "verify")
    has(result.error, "3 blocks are missing, from number 20, between")
    equal(rig.put(topic, mixed, "--strict").status, 1, "status with --strict")


def test_headers(rig: Rig) -> None:
    """Key and headers tell of the message, with numbers of 64 bits."""
    topic = rig.topic()
    rig.put(topic, make_blocks(range(WRAP - 5, WRAP + 5)))
    message = messages_of(rig, topic, 1)[0]
    headers = headers_of(message)
    equal(message.key(), b"zzero-0000-0-0", "key")
    names = "zio-format", "zio-clock", "zio-message", "zio-blocks", "zio-first-seq"
    wanted = [b"blocks/1", b"realtime", b"0", b"10", b"%d" % (WRAP - 5)]
    equal([headers[name] for name in names], wanted, "headers")
    equal(headers["zio-last-seq"], b"%d" % (WRAP + 4), "last number")
    equal(len(headers["zio-run"]), 16, "length of the run")
    equal(bool(headers["zio-host"]), True, "host")


def test_record_time(rig: Rig) -> None:
    """Blocks of any time are sent with the time of sending, and keep their own."""
    topic = rig.topic()
    begin = int(time.time() * 1000)
    blocks = []
    for number, seconds in enumerate((2 * BEGIN, 0, BEGIN // 2, 1 << 63)):
        block = make_block(number)
        blocks.append(block[:48] + struct.pack("=Q", seconds) + block[56:])
        equal(balanced(rig.put(topic, blocks[-1]), 1)["stored"], 1, "stored")
    found = [m for m in messages_of(rig, topic, 8) if headers_of(m).get("zio-blocks")]
    times = [message.timestamp()[1] for message in found]
    end = int(time.time() * 1000)
    equal(len(times), 4, "messages")
    equal(all(begin <= at <= end for at in times), True, f"{begin} {times} {end}")
    equal(rig.get(topic), b"".join(blocks), "blocks")


def test_old_topic(rig: Rig) -> None:
    """get and verify read a topic whose messages have the times of their blocks."""
    topic, blocks = rig.topic(), make_blocks(range(10))
    headers: Headers = {"zio-format": "blocks/1", "zio-blocks": "10"}
    send_message(rig, topic, blocks, "zzero-0000-0-0", headers, BEGIN * 1000)
    equal(rig.get(topic), blocks, "blocks")
    equal(rig.get(topic, f"--until=@{BEGIN}"), b"", "blocks before")
    equal(rig.get(topic, f"--from=@{BEGIN}", "--until=end"), blocks, "blocks from then")
    equal(rig.verify(topic).status, 0, "status of verify")


def test_se00(rig: Rig) -> None:
    """The package of ESS reads se00, for all sizes of samples."""
    from streaming_data_types import deserialise_se00

    topic = rig.topic()
    sized = []
    for number, size in enumerate((1, 2, 4, 8)):
        block = make_block(number, nsamples=8 * size)
        shape = struct.pack("=IHH", 8, size, 8 * size)
        sized.append(block[:8] + shape + block[16:])
    balanced(rig.put(topic, b"".join(sized), "--format=se00"), 4)
    for message, block in zip(messages_of(rig, topic, 4)[:4], sized, strict=True):
        data = deserialise_se00(message.value())
        equal(data.values.tobytes(), block[CONTROL:], "samples")
        equal(data.name, "zzero-0000-0-0", "name")
        equal(data.message_counter, block[4], "counter")
        equal(headers_of(message)["zio-control"], block[:CONTROL], "control")
        equal(data.timestamp_unix_ns, BEGIN * 10**9 + block[4] * 10**6, "time")
    equal(rig.get(topic), b"".join(sized), "blocks")
    equal(rig.verify(topic).status, 0, "verify")


def test_kcat(rig: Rig) -> None:
    """kcat reads keys and values."""
    topic = rig.topic()
    blocks = make_blocks(range(10))
    rig.put(topic, blocks)
    words = ["kcat", "-C", "-b", rig.cluster.address, "-t", topic, "-e", "-q", "-c", "1"]
    done = subprocess.run([*words, "-f", "%k %S %s"], capture_output=True, check=True)
    equal(done.stdout, b"zzero-0000-0-0 %d %s" % (len(blocks), blocks), "message")


def test_places(rig: Rig) -> None:
    """get begins and ends at offsets and times, and selects channels."""
    topic = rig.topic()
    blocks = make_blocks(range(30)) + make_blocks(range(30), 1)
    rig.put(topic, blocks, f"--bytes={10 * (CONTROL + 16)}")
    first = blocks[: 30 * (CONTROL + 16)]
    ten = 10 * (CONTROL + 16)
    equal(rig.get(topic, "--from=1", "--until=3"), first[ten:], "offsets")
    equal(rig.get(topic, "--key=zzero-0000-0-1"), blocks[len(first) :], "key")
    equal(rig.get(topic, "-n", 15), blocks[: 15 * (CONTROL + 16)], "count")
    now, later = time.time(), make_blocks(range(30, 40))
    rig.put(topic, later)
    found = rig.get(topic, f"--until=@{now:.3f}", "--key=zzero-0000-0-0")
    equal(found, first, "until a time")
    equal(rig.get(topic, f"--from=@{now:.3f}"), later, "from a time")
    equal(rig.get(topic, "--from=end"), b"", "from the end")
    equal(rig.get(topic, "--from=999"), b"", "an offset behind the end")
    equal(rig.run("get", topic, "--from=noon").status, 2, "status for a wrong place")


def test_follow(rig: Rig) -> None:
    """get --follow gives blocks as they come, also to a FIFO, until a signal."""
    topic, blocks = rig.topic(), make_blocks(range(40))
    fifo = rig.work / "follow"
    os.mkfifo(fifo)
    process = rig.start("get", topic, "--follow", fifo)
    with open(fifo, "rb") as out:
        rig.put(topic, blocks[: len(blocks) // 2])
        equal(out.read(len(blocks) // 2), blocks[: len(blocks) // 2], "first half")
        rig.put(topic, blocks[len(blocks) // 2 :])
        equal(out.read(len(blocks) // 2), blocks[len(blocks) // 2 :], "second half")
        process.terminate()
        equal(finish(process).status, 143, "status after SIGTERM")


def test_count(rig: Rig) -> None:
    """put stops after --count blocks, within a batch and over two sources."""
    topic = rig.topic()
    sources = [rig.file(make_blocks(range(100), channel)) for channel in range(2)]
    words = "--json", "--stats=0", "--count=110", *sources
    equal(balanced(rig.run("put", topic, *words), 110)["stored"], 110, "stored")
    equal(len(rig.get(topic)), 110 * (CONTROL + 16), "bytes")


def test_linger(rig: Rig) -> None:
    """A block waits for others as long as --linger, and no longer."""
    topic = rig.topic()
    stream = rig.stream(topic, "--linger=0.2")
    begin = time.monotonic()
    for n in range(3):
        stream.write(make_block(n))
        rig.wait_for_blocks(topic, n + 1)
    result = stream.end()
    balanced(result, 3)
    equal(result.account["messages"], 3, f"messages in {time.monotonic() - begin:.1f} s")


def test_prometheus(rig: Rig) -> None:
    """A parser of Prometheus reads the accounts."""
    from prometheus_client.parser import text_string_to_metric_families as parse

    file, victim = rig.file(), rig.file(b"of another user")
    Path(f"{file}.new").symlink_to(victim)
    rig.put(rig.topic(), make_blocks([0, 1, 5]), f"--prometheus={file}")
    equal(victim.read_bytes(), b"of another user", "a file behind a link")
    values = {
        sample.name: sample.value
        for family in parse(file.read_text())
        for sample in family.samples
        if sample.labels == {"channel": "zzero-0000-0-0"}
    }
    names = "acquired_blocks_total", "stored_blocks_total", "lost_blocks_total"
    equal([values[f"zio_kafka_{n}"] for n in names], [6, 3, 3], "values")
    equal(values["zio_kafka_waiting_blocks"], 0, "waiting")


def test_mistakes(rig: Rig) -> None:
    """Wrong use ends with status 2 or 3, and says what to do."""
    put = rig.put("nowhere", make_blocks([0]))
    equal(put.status, 3, "status for an unknown topic")
    has(put.error, "create it, or correct the name")
    secret = rig.put(rig.topic(), b"", "-X", "sasl.password=hidden")
    equal(secret.status, 3, "status for a password")
    has(secret.error, "use --config")
    equal("hidden" in secret.error, False, "the password is told")
    equal(rig.put("t", b"", "--queue=0").status, 2, "status for --queue=0")
    done = subprocess.run([PROGRAM, "put", "-t", "t"], capture_output=True)
    equal(done.returncode, 2, "status without a source")


def test_manual(rig: Rig) -> None:
    """The manual page has all options."""
    page = (ROOT / "tools/man/zio-kafka.1.md").read_text()
    del rig
    for verb in "put", "get", "verify":
        shown = subprocess.run([PROGRAM, verb, "--help"], capture_output=True, text=True)
        options = set(re.findall(r"^ .* --([a-z-]+)", shown.stdout, re.M))
        for option in options - {"help", "usage", "version"}:
            has(page, f"**\\--{option}")


def test_damaged(rig: Rig) -> None:
    """Damaged messages, also with null for a header, are told; get writes all others."""
    topic, five = rig.topic(), make_blocks(range(5))
    rig.put(topic, five)
    format_blocks: Headers = {"zio-format": "blocks/1"}
    damaged: list[tuple[bytes | None, Headers]] = [
        (five[: -CONTROL - 20], format_blocks),
        (b"\0" * 2000, format_blocks),
        (b"se00", {"zio-format": "se00/1", "zio-control": None}),
        (None, {**format_blocks, "zio-blocks": "5"}),
        (b"", {"zio-format": None, "zio-host": None, "zio-run": None}),
    ]
    for value, headers in damaged:
        send_message(rig, topic, value, "zzero-0000-0-0\x1b[31m", headers)
    headers = {**format_blocks, "zio-blocks": "1", "zio-host": None, "zio-clock": None}
    blocks = make_blocks(range(10, 15))
    send_message(rig, topic, make_block(9), "zzero-0000-0-0", headers)
    rig.put(topic, blocks)
    target = rig.file()
    got = rig.run("get", topic, "--realtime", "--json", target)
    found = json.loads(got.text)
    equal([got.status, found["damaged"]], [1, 4], f"status and damaged: {got.error}")
    whole = five + five[: 3 * (CONTROL + 16)] + make_block(9) + blocks
    equal(target.read_bytes() == whole, True, "the blocks that are not damaged")
    verify = rig.verify(topic)
    equal(verify.status, 1, f"status of verify: {verify.error}")
    has(verify.error, r"zzero-0000-0-0\x1b[31m: partition 0")


def test_target(rig: Rig) -> None:
    """get replaces no blocks without --force, and no file that it cannot write whole."""
    topic, blocks = rig.topic(), make_blocks(range(100), nsamples=60000)
    rig.put(topic, blocks)
    target = rig.file(b"of last year")
    link = rig.work / "link"
    link.symlink_to(target)
    for name in target, link:
        refused = rig.run("get", topic, name)
        equal(refused.status, 3, "status of get to a file with blocks")
        has(refused.error, "--force")
    cut = rig.run("get", topic, "--force", target, preexec_fn=limit_files)
    equal(cut.status, 1, "status of get to a full disk")
    equal(target.read_bytes(), b"of last year", "the file")
    victim = rig.file(b"of another user")
    new = Path(f"{target}.new")
    new.symlink_to(victim)
    target.chmod(0o640)
    equal(rig.run("get", topic, "--force", link).status, 0, "status with --force")
    equal(target.read_bytes() == blocks, True, "blocks")
    equal([link.is_symlink(), target.stat().st_mode & 0o777], [True, 0o640], "mode")
    equal([victim.read_bytes(), new.exists()], [b"of another user", True], "the other")
    equal(list(target.parent.glob(f"{target.name}.*")), [new], "files left")
    missing = rig.run("get", "nowhere", "--force", target)
    equal([missing.status, target.stat().st_size], [3, len(blocks)], "without a topic")


def test_fuzz(rig: Rig) -> None:
    """The readers of messages survive those that anyone may have sent."""
    del rig
    words = ["make", "-s", "-C", str(ROOT / "tools"), "check-kafka"]
    done = subprocess.run(words, capture_output=True, text=True)
    equal(done.returncode, 0, f"status: {done.stdout[-1500:]}{done.stderr[-500:]}")


TESTS = [
    test_fuzz,
    test_damaged,
    test_target,
    test_manual,
    test_round_trip,
    test_headers,
    test_record_time,
    test_old_topic,
    test_se00,
    test_kcat,
    test_places,
    test_follow,
    test_count,
    test_linger,
    test_prometheus,
    test_mistakes,
]
