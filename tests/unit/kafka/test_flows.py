# SPDX-License-Identifier: GPL-2.0-only
"""Brokers that serve: blocks, formats, places, losses"""

import os
import re
import struct
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from streaming_data_types import deserialise_se00

from zio_testing import tap
from zio_testing.common import ROOT, Words
from zio_testing.kafka_blocks import (
    BEGIN,
    CONTROL,
    KEY,
    SMALL,
    after_loss,
    make_block,
    make_blocks,
    tell_loss,
)
from zio_testing.kafka_rig import (
    PROGRAM,
    Headers,
    Rig,
    all_stored,
    balanced,
    finish,
    headers_of,
    limit_files,
)
from zio_testing.tap import Results

from .brokers import both, real

WRAP = 1 << 32
TEN = f"--bytes={10 * SMALL}"  # blocks in a message


@pytest.mark.parametrize("name", ["kafka-message-fuzz", "kafka-files-fuzz"])
def test_fuzz(name: str, results: Callable[[Results], None]) -> None:
    """The readers survive messages and files that anyone may have made."""
    words: Words = ["make", "-s", "-C", ROOT / "tools", "kafka-fuzz"]
    subprocess.run(words, check=True)
    results(tap.run_program([PROGRAM.with_name(name)]))


def split(blocks: bytes, channel: int) -> bytes:
    """Return the blocks of one channel."""
    parts = [blocks[at : at + SMALL] for at in range(0, len(blocks), SMALL)]
    return b"".join(part for part in parts if part[34] == channel)


@both
def test_round_trip(rig: Rig) -> None:
    """Blocks of two channels come back byte by byte, over the wrap, with their losses."""
    topic = rig.topic()
    numbers = [*range(WRAP - 50, WRAP + 20), *range(WRAP + 23, WRAP + 100)]
    mixed = b"".join(make_block(n) + make_block(n - WRAP + 60, 1) for n in numbers)
    mixed = tell_loss(tell_loss(mixed, WRAP + 23), 83, channel=1)
    put = rig.put(topic, mixed, "--bytes=4096")
    balanced(put, 2 * 150, stored=2 * 147, lost=2 * 3)
    put.ends_with(0)
    found = rig.get(topic)
    for channel in 0, 1:
        assert split(found, channel) == split(mixed, channel)
    result = rig.verify(topic)
    names = "blocks", "gaps", "missing", "told", "duplicates", "restarts"
    assert result.channel(*names) == [147, 1, 3, 3, 0, 0]
    result.ends_with(4, "3 blocks are missing, from number 20, between")
    assert result.error.endswith(f"{topic}: 6 blocks lost in 2 gaps\n")
    rig.put(topic, mixed, "--strict").ends_with(1)


def test_blocks_of_another_reader(rig: Rig) -> None:
    """A gap of which the control knows no loss was taken. The topic has a gap."""
    topic = rig.topic()
    put = rig.put(topic, make_blocks([1, 2, 7]), "--strict")
    balanced(put, 3, stored=3, lost=0, taken=4)
    put.ends_with(0)
    result = rig.verify(topic)
    assert result.channel("missing", "told") == [4, 4]
    result.ends_with(4)


def test_breaks(rig: Rig) -> None:
    """Missed events, and a device that begins anew; a damaged message is worse."""
    topic = rig.topic()
    blocks = [make_block(5), make_block(6), make_block(1, since=9)]
    rig.put(topic, blocks[0] + after_loss(blocks[1], 2) + blocks[2]).ends_with(0)
    result = rig.verify(topic)
    assert result.channel("missing", "restarts", "duplicates") == [0, 1, 0]
    result.ends_with(4, f"{topic}: at least 1 event missed, 1 outage")
    rig.send(topic, blocks[0][:-1], KEY, {"zio-format": "blocks/1"})
    rig.verify(topic).ends_with(1)


def test_headers(rig: Rig) -> None:
    """Key and headers tell of the message, with numbers of 64 bits."""
    topic, blocks = rig.topic(), make_blocks(range(WRAP - 5, WRAP + 5))
    rig.put(topic, blocks)
    message = rig.messages(topic, 1)[0]
    headers = headers_of(message)
    assert [message.key(), message.value()] == [KEY.encode(), blocks]
    names = "zio-format", "zio-clock", "zio-message", "zio-blocks", "zio-first-seq"
    wanted = [b"blocks/1", b"realtime", b"0", b"10", b"%d" % (WRAP - 5)]
    assert [headers[name] for name in names] == wanted
    assert headers["zio-last-seq"] == b"%d" % (WRAP + 4)
    assert [len(headers["zio-run"]), bool(headers["zio-host"])] == [16, True]


def test_record_time(rig: Rig) -> None:
    """Blocks of any time are sent with the time of sending, and keep their own."""
    topic = rig.topic()
    begin = int(time.time() * 1000)
    blocks = []
    for number, seconds in enumerate((2 * BEGIN, 0, BEGIN // 2, 1 << 63)):
        block = make_block(number)
        blocks.append(block[:48] + struct.pack("=Q", seconds) + block[56:])
        all_stored(rig.put(topic, blocks[-1]), 1)
    found = [m for m in rig.messages(topic, 8) if headers_of(m).get("zio-blocks")]
    times = [message.timestamp()[1] for message in found]
    assert len(times) == 4
    assert begin <= min(times) <= max(times) <= int(time.time() * 1000)
    assert rig.get(topic) == b"".join(blocks)


@real
def test_old_topic(rig: Rig) -> None:
    """get and verify read a topic whose messages have the times of their blocks."""
    topic, both_parts = rig.topic(), [make_blocks(range(10)), make_blocks(range(10, 20))]
    headers: Headers = {"zio-format": "blocks/1", "zio-blocks": "10"}
    for seconds, blocks in enumerate(both_parts, BEGIN):
        rig.send(topic, blocks, KEY, headers, seconds * 1000)
    assert rig.get(topic) == b"".join(both_parts)
    assert rig.get(topic, f"--until=@{BEGIN}") == b""
    assert rig.get(topic, f"--until=@{BEGIN}.1", f"--key={KEY}") == both_parts[0]
    assert rig.get(topic, f"--from=@{BEGIN}.1", "--until=end") == both_parts[1]
    rig.verify(topic).ends_with(0)


def test_se00(rig: Rig) -> None:
    """The package of ESS reads se00, for all sizes of samples."""
    topic = rig.topic()
    sized = []
    for number, size in enumerate((1, 2, 4, 8)):
        block = make_block(number, nsamples=8 * size)
        shape = struct.pack("=IHH", 8, size, 8 * size)
        sized.append(block[:8] + shape + block[16:])
    all_stored(rig.put(topic, b"".join(sized), "--format=se00"), 4)
    for message, block in zip(rig.messages(topic, 4)[:4], sized, strict=True):
        data = deserialise_se00(message.value())
        assert data.values.tobytes() == block[CONTROL:]
        assert [data.name, data.message_counter] == [KEY, block[4]]
        assert headers_of(message)["zio-control"] == block[:CONTROL]
        assert data.timestamp_unix_ns == BEGIN * 10**9 + block[4] * 10**6
    assert rig.get(topic) == b"".join(sized)
    rig.verify(topic).ends_with(4, "3 changes (bits, sample size)")


def test_places(rig: Rig) -> None:
    """get begins and ends at offsets, and selects channels."""
    topic, ten = rig.topic(), 10 * SMALL
    blocks = make_blocks(range(30)) + make_blocks(range(30), 1)
    rig.put(topic, blocks, TEN)
    assert rig.get(topic, "--from=1", "--until=3") == blocks[ten : 3 * ten]
    assert rig.get(topic, "--key=zzero-0000-0-1") == blocks[3 * ten :]
    assert rig.get(topic, "-n", 15) == blocks[: 15 * SMALL]
    assert rig.get(topic, "--from=end") == b""
    assert rig.get(topic, "--from=999") == b""  # an offset behind the end
    rig.run("get", topic, "--from=noon").ends_with(2)


def test_follow(rig: Rig) -> None:
    """get --follow gives blocks as they come, also to a FIFO, until a signal."""
    topic, half = rig.topic(), 20 * SMALL
    fifo = rig.work / "follow"
    os.mkfifo(fifo)
    process = rig.start("get", topic, "--follow", fifo)
    with open(fifo, "rb") as out:
        for blocks in make_blocks(range(20)), make_blocks(range(20, 40)):
            rig.put(topic, blocks)
            assert out.read(half) == blocks
        process.terminate()
        finish(process).ends_with(143)


def test_count(rig: Rig) -> None:
    """put stops after --count blocks, within a batch and over two sources."""
    topic = rig.topic()
    source = rig.file(make_blocks(range(100), 1))
    put = rig.put(topic, make_blocks(range(100)), "--count=110", source)
    all_stored(put, 110)
    assert len(rig.get(topic)) == 110 * SMALL


def test_linger(rig: Rig) -> None:
    """A block waits for others as long as --linger, and no longer."""
    topic = rig.topic()
    stream = rig.stream(topic, "--linger=0.2")
    for n in range(3):
        stream.write(make_block(n))
        rig.wait_for_blocks(topic, n + 1)
    result = stream.end()
    all_stored(result, 3)
    assert result.json["messages"] == 3


def test_prometheus(rig: Rig) -> None:
    """A parser of Prometheus reads the accounts."""
    file, victim = rig.file(), rig.file(b"of another user")
    Path(f"{file}.new").symlink_to(victim)
    blocks = tell_loss(make_blocks([0, 1, 5, 8]), 5)
    rig.put(rig.topic(), blocks, f"--prometheus={file}")
    assert victim.read_bytes() == b"of another user"
    values = {
        sample.name.removeprefix("zio_kafka_"): sample.value
        for family in text_string_to_metric_families(file.read_text())
        for sample in family.samples
        if sample.labels == {"channel": KEY}
    }
    names = [f"{name}_blocks_total" for name in ("acquired", "stored", "lost", "taken")]
    assert [values[name] for name in (*names, "waiting_blocks")] == [7, 4, 3, 2, 0]


@both
def test_mistakes(rig: Rig) -> None:
    """Wrong use ends with status 2 or 3, and says what to do."""
    put = rig.put("nowhere", make_blocks([0]))
    put.ends_with(3, "create it, or correct the name")
    secret = rig.put(rig.topic(), b"", "-X", "sasl.password=hidden")
    secret.ends_with(3, "use --config")
    assert "hidden" not in secret.error
    rig.put("t", b"", "--queue=0").ends_with(2)
    done = subprocess.run([PROGRAM, "put", "-t", "t"], capture_output=True)
    assert done.returncode == 2  # without a source


@pytest.mark.parametrize("verb", ["put", "get", "verify"])
def test_manual(verb: str) -> None:
    """The manual page has all options."""
    page = (ROOT / "tools/man/zio-kafka.1.md").read_text()
    shown = subprocess.run([PROGRAM, verb, "--help"], capture_output=True, text=True)
    options = set(re.findall(r"^ .* --([a-z-]+)", shown.stdout, re.M))
    options -= {"help", "usage", "version"}
    assert options
    assert not {option for option in options if f"**\\--{option}" not in page}


@pytest.mark.parametrize(
    ("word", "values"),
    [
        ("--format=", ["blocks", "se00"]),
        ("--method=", ["auto", "ring", "read"]),
        ("--when-full=", ["wait", "refuse"]),
    ],
)
def test_completion(word: str, values: list[str]) -> None:
    """Each value of an option is offered once."""
    words = [PROGRAM, "--complete", "put", word]
    shown = subprocess.run(words, capture_output=True, text=True, check=True)
    assert shown.stdout.splitlines() == [word + value for value in values]


@both
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
        rig.send(topic, value, f"{KEY}\x1b[31m", headers)
    headers = {**format_blocks, "zio-blocks": "1", "zio-host": None, "zio-clock": None}
    rig.send(topic, make_block(9), KEY, headers)
    blocks = make_blocks(range(10, 15))
    rig.put(topic, blocks)
    target = rig.file()
    got = rig.run("get", topic, "--realtime", "--json", target)
    got.ends_with(1)
    assert got.json["damaged"] == 4
    assert target.read_bytes() == five + five[: 3 * SMALL] + make_block(9) + blocks
    rig.verify(topic).ends_with(1, rf"{KEY}\x1b[31m: partition 0")


def test_target(rig: Rig) -> None:
    """get replaces no blocks without --force, and no file that it cannot write whole."""
    topic, blocks = rig.topic(), make_blocks(range(100), nsamples=60000)
    rig.put(topic, blocks)
    target, link = rig.file(b"of last year"), rig.work / "link"
    link.symlink_to(target)
    for name in target, link:
        rig.run("get", topic, name).ends_with(3, "--force")
    rig.run("get", topic, "--force", target, preexec_fn=limit_files).ends_with(1)
    assert target.read_bytes() == b"of last year"
    target.chmod(0o640)
    rig.run("get", topic, "--force", link).ends_with(0)
    assert target.read_bytes() == blocks
    assert [link.is_symlink(), target.stat().st_mode & 0o777] == [True, 0o640]
    assert list(target.parent.glob(f"{target.name}.*")) == []
    rig.run("get", "nowhere", "--force", target).ends_with(3)
    assert target.stat().st_size == len(blocks)
