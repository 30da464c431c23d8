# SPDX-License-Identifier: GPL-2.0-only
"""Faults of brokers, disks, topics, passwords and producers

In each test, acquired blocks = stored + lost + refused + unacknowledged + spooled, and
verify finds in the topic what the producer said.
"""

import os
import signal
import time
from pathlib import Path

import pytest
from confluent_kafka import TopicPartition

from zio_testing.kafka_blocks import BIG, LARGE, SMALL, make_blocks
from zio_testing.kafka_rig import (
    LIMIT,
    MEGABYTE,
    Result,
    Rig,
    Running,
    all_stored,
    balanced,
    until,
)

from .brokers import both, certificate, listener, real

TEN = f"--bytes={10 * SMALL}"  # blocks in a message


def check_topic(rig: Rig, topic: str, result: Result) -> int:
    """Compare the topic with the account; return how many blocks are there twice."""
    found, told = rig.verify(topic).json, result.json
    assert found["wrong_accounts"] == 0
    names = "blocks", "duplicates", "missing"
    channel = next(iter(found["channels"].values()), dict.fromkeys(names, 0))
    blocks, duplicates, missing = (int(channel[name]) for name in names)
    assert blocks + duplicates == told["stored"]
    assert missing <= told["lost"] + told["refused"] + told["unacknowledged"]
    return duplicates


def size_of(spool: Path) -> int:
    return spool.stat().st_size


def feed(stream: Running, first: int, spool: Path) -> int:
    """Write a block each millisecond until the spool is empty; return the next one."""
    limit = time.monotonic() + LIMIT
    while size_of(spool) and time.monotonic() < limit:
        stream.write(make_blocks([first]))
        first += 1
        time.sleep(0.001)
    return first


@both
def test_away(rig: Rig) -> None:
    """The broker is killed and comes back: wait, refuse and spool account for all."""
    topics = [rig.topic() for _ in range(3)]
    spool = rig.work / "spool"
    choices = "--when-full=wait", "--when-full=refuse", f"--spool={spool}"
    streams = [
        rig.begin(topic, "--queue=1", choice)
        for topic, choice in zip(topics, choices, strict=True)
    ]
    rig.cluster.kill()
    large = make_blocks(range(5, 105), nsamples=BIG)
    for stream in streams[1:]:
        stream.write(large)
    streams[0].write(large[: 20 * LARGE])
    until(lambda: size_of(spool) > 4 * MEGABYTE, "spool with blocks")
    rig.cluster.start()
    last = feed(streams[2], 105, spool)
    results = [stream.end() for stream in streams]
    all_stored(results[0], 25)
    all_stored(results[2], last)
    results[1].ends_with(1)
    assert balanced(results[1], 105)["refused"] > 50
    for topic, result in zip(topics, results, strict=True):
        check_topic(rig, topic, result)
    blocks = make_blocks(range(5)) + large + make_blocks(range(105, last))
    assert rig.get(topics[2]) == blocks  # in sequence
    assert not spool.exists()
    results[0].ends_with(0, "no broker answers")


def test_end_while_away(rig: Rig) -> None:
    """Ctrl-C, and the end of a run with a spool, while the broker is away."""
    topics = [rig.topic(), rig.topic()]
    spool = rig.work / "spool"
    plain = rig.begin(topics[0], "--flush=600", "--stats=0.2")
    kept = rig.begin(topics[1], "--flush=0.5", f"--spool={spool}")
    rig.cluster.kill()
    for stream in plain, kept:
        stream.write(make_blocks(range(5, 20)))
    until(lambda: plain.count("acquired") == 20, "20 blocks")
    until(lambda: "no broker answers" in plain.listen(), "complaint of the broker")
    plain.signal(signal.SIGINT)
    until(lambda: "waiting for 600 s" in plain.listen(), "wait for the broker")
    plain.signal(signal.SIGINT)
    ended, left = plain.end(), kept.end()
    rig.cluster.start()
    ended.ends_with(1)
    left.ends_with(0)
    balanced(ended, 20, unacknowledged=15)
    balanced(left, 20, spooled=15)
    with open(spool, "ab") as file:
        file.write(b"\0" * 100)
    again = rig.put(topics[1], b"", f"--spool={spool}")
    again.ends_with(0, "dropped 100 bytes")
    all_stored(again, 15)
    assert rig.get(topics[1]) == make_blocks(range(20))
    assert rig.verify(topics[1]).channel("missing", "duplicates") == [0, 0]


def test_slow(rig: Rig) -> None:
    """A broker that hangs while the program tells its sums ten times costs no block."""
    topic = rig.topic()
    stream = rig.stream(topic, "--queue=1", "--stats=0.2")
    with rig.standing():
        stream.write(make_blocks(range(20), nsamples=BIG))
        until(lambda: len(stream.sums()) >= 10, "ten sums")
        assert stream.count("waiting") > 0
    result = stream.end()
    all_stored(result, 20)
    check_topic(rig, topic, result)


@real
def test_topic_deleted(rig: Rig) -> None:
    """Blocks for a topic that is deleted are counted, and the cause is told."""
    topic = rig.topic()
    times = "refresh.interval.ms=200", "propagation.max.ms=500"
    words = [word for name in times for word in ("-X", f"topic.metadata.{name}")]
    stream = rig.begin(topic, "--flush=1", *words, count=10)
    rig.forget(topic)
    stream.write(make_blocks(range(10, 30)))
    result = stream.end()
    result.ends_with(1)
    balanced(result, 30, stored=10, unacknowledged=20)


@real
def test_too_large(rig: Rig) -> None:
    """Messages that the topic does not take are counted; smaller ones pass."""
    topic, blocks = rig.topic(max_message_bytes="20000"), make_blocks(range(100))
    large = rig.put(topic, blocks, "--bytes=30000")
    large.ends_with(1, "give a smaller --bytes")
    assert balanced(large, 100)["unacknowledged"] > 50
    check_topic(rig, topic, large)
    fits = rig.topic(max_message_bytes="20000")
    all_stored(rig.put(fits, blocks, "--bytes=10000"), 100)


def test_rejected(rig: Rig) -> None:
    """Messages that the broker rejects are not stored; those behind them are."""
    topic, blocks = rig.topic(), make_blocks(range(50))
    rig.mock.reject(2)
    put = rig.put(topic, blocks, TEN, "-X", "batch.num.messages=1")
    put.ends_with(1, "give a smaller --bytes")
    balanced(put, 50, stored=30, unacknowledged=20)
    assert rig.get(topic) == blocks[20 * SMALL :]
    check_topic(rig, topic, put)


@real
def test_password(rig: Rig) -> None:
    """A refused password ends the program at once; a right one lets blocks pass."""
    topic, brokers = rig.topic(), listener(rig.real, "SASL")
    lines = "security.protocol=sasl_plaintext\nsasl.mechanism=PLAIN\nsasl.username=zio\n"
    right = rig.file(f"# lab\n{lines}sasl.password = right\n".encode())
    wrong = rig.file(f"{lines}sasl.password=wrong\n".encode())
    for file in right, wrong:
        file.chmod(0o600)
    refused = rig.put(topic, make_blocks([0]), "--config", wrong, brokers=brokers)
    refused.ends_with(3, "uthentication")
    words = topic, make_blocks([0]), "--config", right
    all_stored(rig.put(*words, brokers=brokers), 1)
    right.chmod(0o440)  # as a credential of systemd, which an ACL opens for the service
    service = {**os.environ, "CREDENTIALS_DIRECTORY": str(right.parent)}
    all_stored(rig.put(*words, brokers=brokers, env=service), 1)


def test_secrets(rig: Rig) -> None:
    """Passwords stay in files that only their owner can read, and off the network."""
    topic, block = rig.topic(), make_blocks([0])
    secret = rig.file(b"security.protocol=sasl_plaintext\nsasl.password=hidden\n")
    for mode in 0o644, 0o640, 0o604:
        secret.chmod(mode)
        shown = rig.put(topic, block, "--config", secret)
        shown.ends_with(3, "line 2: other users can read sasl.password")
    key = rig.put(topic, block, "-X", "ssl.key.pem=hidden")
    assert [key.status, "hidden" in key.error] == [3, False]
    secret.chmod(0o600)
    words = ["--config", secret, "-X", "sasl.mechanism=PLAIN", "-X", "sasl.username=u"]
    for host in "localhost.example.org", "127.example.org", "SASL_PLAINTEXT://[::2]":
        far = rig.put(topic, block, *words, brokers=f"127.0.0.1:9,{host}:9")
        far.ends_with(3, "the password would go through the network")
    words += ["--insecure", "--flush=0"]
    rig.put(topic, block, *words, brokers="[::2]:9").ends_with(1)
    plain = rig.put(topic, block, "--flush=0", brokers="[::2]:9")
    plain.ends_with(1, "no encryption and no password")


@real
def test_tls(rig: Rig) -> None:
    """TLS needs the certificate of the broker."""
    topic, brokers = rig.topic(), listener(rig.real, "TLS")
    words = ["-X", "security.protocol=ssl"]
    refused = rig.put(topic, make_blocks([0]), *words, brokers=brokers)
    refused.ends_with(3, "ertificate")
    words += ["-X", f"ssl.ca.location={certificate(rig.real)}"]
    all_stored(rig.put(topic, make_blocks([0]), *words, brokers=brokers), 1)
    target = rig.file()
    rig.run("get", topic, *words, target, brokers=brokers).ends_with(0)
    assert target.read_bytes() == make_blocks([0])


def test_producer_killed(rig: Rig) -> None:
    """verify finds the duplicates and the gap after a producer was killed."""
    topic = rig.topic()
    rig.begin(topic, count=50).kill()
    all_stored(rig.put(topic, make_blocks(range(30, 80))), 50)
    all_stored(rig.put(topic, make_blocks(range(90, 100))), 10)
    result = rig.verify(topic)
    names = "blocks", "missing", "gaps", "duplicates", "told"
    assert result.channel(*names) == [90, 10, 1, 20, 0]
    assert result.json["runs_without_account"] == 1
    result.ends_with(1)


@real
def test_wrong_account(rig: Rig) -> None:
    """verify finds that messages of a run are not there."""
    topic = rig.topic()
    rig.put(topic, make_blocks(range(40)), TEN)
    rig.verify(topic).ends_with(0)
    rig.verify(topic, "--from=1").ends_with(0)
    rig.admin.delete_records([TopicPartition(topic, 0, 4)])
    until(lambda: len(rig.get(topic)) == 0, "deletion")
    rig.verify(topic).ends_with(1)


def free_space(rig: Rig) -> int:
    found = os.statvfs(rig.real.part(1) / "data")
    return found.f_bavail * found.f_frsize


def fill_disk(rig: Rig) -> None:
    """Leave some megabytes free on the disk of the first broker."""
    with open(rig.real.part(1) / "data/filler", "wb") as file:
        os.posix_fallocate(file.fileno(), 0, free_space(rig) - 4 * MEGABYTE)


def empty_disk(rig: Rig) -> None:
    """Free the disk, and start the broker again, which has stopped itself."""
    until(lambda: not rig.real.has_process(1), "end of the broker with the full disk")
    (rig.real.part(1) / "data/filler").unlink()
    rig.real.start(1)


@pytest.mark.real(3)
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")
def test_disk_full(rig: Rig) -> None:
    """The disk of a broker is full: what it did not take is told, or is in the spool."""
    topics = [rig.topic(broker=1, min_insync_replicas="1") for _ in range(2)]
    spool, blocks = rig.work / "spool", make_blocks(range(100), nsamples=BIG)
    fill_disk(rig)
    kept = rig.put(topics[0], blocks, "--queue=1", "--flush=2", f"--spool={spool}")
    gone = rig.put(topics[1], blocks, "--queue=8", "--flush=2", "--when-full=wait")
    kept.ends_with(0)
    gone.ends_with(1)
    left = balanced(kept, 100)["spooled"]
    assert 0 < left < 100
    stored = balanced(gone, 100)["stored"]
    assert gone.json["unacknowledged"] == 100 - stored
    empty_disk(rig)
    all_stored(rig.put(topics[0], b"", f"--spool={spool}"), left)
    assert rig.verify(topics[0]).channel("blocks", "missing") == [100, 0]
    # The broker has what it has acknowledged, and no more than was sent.
    found = rig.get(topics[1])
    assert stored * LARGE <= len(found) <= 100 * LARGE
    assert blocks.startswith(found)


@pytest.mark.real(3)
def test_fail_over(rig: Rig) -> None:
    """The leader of three brokers is killed under load: no block is missing."""
    topic = rig.topic(copies=3)
    stream = rig.begin(topic, "--queue=4")
    leader = rig.admin.list_topics(topic, LIMIT).topics[topic].partitions[0].leader
    stream.write(make_blocks(range(5, 1000)))
    rig.real.kill(leader)
    stream.write(make_blocks(range(1000, 2000)))
    result = stream.end()
    all_stored(result, 2000)
    assert rig.get(topic) == make_blocks(range(2000))  # in sequence
    assert check_topic(rig, topic, result) == 0
