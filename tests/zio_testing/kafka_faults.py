# SPDX-License-Identifier: GPL-2.0-only
"""Tests of zio-kafka with faults: of brokers, disks, topics, passwords and producers

In each test, acquired blocks = stored + lost + refused + unacknowledged + spooled, and
verify finds in the topic what the producer said.
"""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from .broker import Cluster, free_ports
from .common import Words
from .kafka_rig import (
    CONTROL,
    LIMIT,
    MEGABYTE,
    Result,
    Rig,
    Running,
    Wrong,
    balanced,
    equal,
    has,
    make_blocks,
    need_root,
    until,
)

KEY = "zzero-0000-0-0"
BIG = 65000  # samples of a block
DISK = "400m"  # of the first broker


def add_listeners(cluster: Cluster, work: Path) -> None:
    """Add a listener with passwords and one with TLS to the first broker."""
    cert, key = work / "cert.pem", work / "key.pem"
    words = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1".split()
    names: Words = [
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-keyout",
        key,
        "-out",
        cert,
    ]
    subprocess.run(["openssl", *words, *names], check=True, capture_output=True)
    (work / "both.pem").write_bytes(key.read_bytes() + cert.read_bytes())
    sasl, tls = free_ports(2)
    (work / "listeners.json").write_text(json.dumps([sasl, tls]))
    old = cluster.settings(1)["listeners"]
    values = {
        "listeners": f"{old},SASL://127.0.0.1:{sasl},TLS://127.0.0.1:{tls}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,"
        "SASL:SASL_PLAINTEXT,TLS:SSL",
        "sasl.enabled.mechanisms": "PLAIN",
        "listener.name.sasl.plain.sasl.jaas.config": "org.apache.kafka.common.security."
        'plain.PlainLoginModule required user_zio="right";',
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(work / "both.pem"),
    }
    cluster.change(1, values)


def check_topic(rig: Rig, topic: str, result: Result) -> dict[str, int]:
    """Compare the topic with the account; return what verify says of the channel."""
    verify = rig.verify(topic)
    found = json.loads(verify.text)
    equal(found["wrong_accounts"], 0, "wrong accounts")
    channel: dict[str, int] = found["channels"].get(KEY, {})
    blocks = channel.get("blocks", 0) + channel.get("duplicates", 0)
    equal(blocks, result.account["stored"], "blocks in the topic, and stored")
    gone = sum(result.account[name] for name in ("lost", "refused", "unacknowledged"))
    if channel.get("missing", 0) > gone:
        raise Wrong(f"{channel['missing']} missing, told {gone}")
    return channel


def write_while_away(rig: Rig, streams: list[Running], numbers: range) -> None:
    """Give each producer blocks of 64 KiB; those that wait take what fits."""
    for stream in streams:
        stream.write(make_blocks(numbers, nsamples=BIG))


def feed(stream: Running, first: int, spool: Path) -> int:
    """Write a block each millisecond until the spool is empty; return the next one."""
    limit = time.monotonic() + LIMIT
    while spool.stat().st_size and time.monotonic() < limit:
        stream.write(make_blocks([first]))
        first += 1
        time.sleep(0.001)
    return first


def test_away(rig: Rig) -> None:
    """The broker is killed and comes back: wait, refuse and spool account for all."""
    topics = [rig.topic() for _ in range(3)]
    spool = rig.work / "away.spool"
    choices = ["--when-full=wait"], ["--when-full=refuse"], [f"--spool={spool}"]
    streams = [
        rig.stream(topic, "--queue=1", *choice)
        for topic, choice in zip(topics, choices, strict=True)
    ]
    for topic, stream in zip(topics, streams, strict=True):
        stream.write(make_blocks(range(5)))
        rig.wait_for_blocks(topic, 5)
    rig.cluster.kill()
    write_while_away(rig, streams[1:], range(5, 105))
    write_while_away(rig, streams[:1], range(5, 25))
    time.sleep(0.5)
    equal(spool.stat().st_size > 4 * MEGABYTE, True, "the spool has blocks")
    rig.cluster.start()
    last = feed(streams[2], 105, spool)
    results = [stream.end() for stream in streams]
    equal([r.status for r in results], [0, 1, 0], "status")
    wait, refuse, spooled = (
        balanced(result, count)
        for result, count in zip(results, (25, 105, last), strict=True)
    )
    equal([wait["stored"], spooled["stored"]], [25, last], "stored")
    equal(refuse["refused"] > 50, True, f"refused {refuse['refused']}")
    for topic, result in zip(topics, results, strict=True):
        check_topic(rig, topic, result)
    blocks = make_blocks(range(5)) + make_blocks(range(5, 105), nsamples=BIG)
    blocks += make_blocks(range(105, last))
    equal(rig.get(topics[2]) == blocks, True, "the spool keeps the sequence")
    equal(spool.exists(), False, "the spool is left")
    has(results[0].error, "no broker answers")


def test_end_while_away(rig: Rig) -> None:
    """Ctrl-C, and the end of a run with a spool, while the broker is away."""
    topics = [rig.topic(), rig.topic()]
    spool = rig.work / "end.spool"
    plain = rig.stream(topics[0], "--flush=600")
    kept = rig.stream(topics[1], "--flush=0.5", f"--spool={spool}")
    for stream, topic in zip((plain, kept), topics, strict=True):
        stream.write(make_blocks(range(5)))
        rig.wait_for_blocks(topic, 5)
    rig.cluster.kill()
    for stream in plain, kept:
        stream.write(make_blocks(range(5, 20)))
    time.sleep(0.5)
    plain.signal(signal.SIGINT)
    time.sleep(0.5)
    plain.signal(signal.SIGINT)
    ended, left = plain.end(), kept.end()
    rig.cluster.start()
    equal([ended.status, left.status], [1, 0], "status")
    equal(balanced(ended, 20)["unacknowledged"], 15, "not acknowledged")
    equal(balanced(left, 20)["spooled"], 15, "spooled")
    with open(spool, "ab") as file:
        file.write(b"\0" * 100)
    again = rig.put(topics[1], b"", f"--spool={spool}")
    has(again.error, "dropped 100 bytes")
    equal([again.status, balanced(again, 15)["stored"]], [0, 15], "of the spool")
    equal(rig.get(topics[1]), make_blocks(range(20)), "blocks")
    found = json.loads(rig.verify(topics[1]).text)["channels"][KEY]
    equal([found["missing"], found["duplicates"]], [0, 0], "missing and duplicates")


def test_slow(rig: Rig) -> None:
    """A broker that hangs for two seconds costs no block."""
    topic = rig.topic()
    stream = rig.stream(topic, "--queue=1")
    pid = rig.cluster.pid(1) or 0
    os.kill(pid, signal.SIGSTOP)
    try:
        stream.write(make_blocks(range(20), nsamples=BIG))
        time.sleep(2)
    finally:
        os.kill(pid, signal.SIGCONT)
    result = stream.end()
    equal([result.status, balanced(result, 20)["stored"]], [0, 20], "status and stored")
    check_topic(rig, topic, result)


def test_topic_deleted(rig: Rig) -> None:
    """Blocks for a topic that is deleted are counted, and the cause is told."""
    topic = rig.topic()
    stream = rig.stream(
        topic,
        "--flush=1",
        "-X",
        "topic.metadata.refresh.interval.ms=200",
        "-X",
        "topic.metadata.propagation.max.ms=500",
    )
    stream.write(make_blocks(range(10)))
    rig.wait_for_blocks(topic, 10)
    rig.forget(topic)
    time.sleep(1)
    stream.write(make_blocks(range(10, 30)))
    result = stream.end()
    equal(result.status, 1, "status")
    account = balanced(result, 30)
    equal([account["stored"], account["unacknowledged"]], [10, 20], "stored and not")


def test_too_large(rig: Rig) -> None:
    """Messages that the topic does not take are counted; smaller ones pass."""
    topic = rig.topic(max_message_bytes="20000")
    blocks = make_blocks(range(100))
    large = rig.put(topic, blocks, "--bytes=30000")
    equal(large.status, 1, "status")
    equal(balanced(large, 100)["unacknowledged"] > 50, True, f"{large.account}")
    has(large.error, "give a smaller --bytes")
    check_topic(rig, topic, large)
    fits = rig.topic(max_message_bytes="20000")
    small = rig.put(fits, blocks, "--bytes=10000")
    equal([small.status, balanced(small, 100)["stored"]], [0, 100], "smaller ones")


def listeners(rig: Rig) -> list[str]:
    ports = json.loads((rig.work / "listeners.json").read_text())
    return [f"127.0.0.1:{port}" for port in ports]


def test_password(rig: Rig) -> None:
    """A refused password ends the program at once; a right one lets blocks pass."""
    topic, brokers = rig.topic(), listeners(rig)[0]
    lines = "security.protocol=sasl_plaintext\nsasl.mechanism=PLAIN\nsasl.username=zio\n"
    right = rig.file(f"# lab\n{lines}sasl.password = right\n".encode())
    wrong = rig.file(f"{lines}sasl.password=wrong\n".encode())
    for file in right, wrong:
        file.chmod(0o600)
    refused = rig.put(topic, make_blocks([0]), "--config", wrong, brokers=brokers)
    equal(refused.status, 3, f"status: {refused.error}")
    has(refused.error, "uthentication")
    passed = rig.put(topic, make_blocks([0]), "--config", right, brokers=brokers)
    equal([passed.status, balanced(passed, 1)["stored"]], [0, 1], "with the right one")
    right.chmod(0o440)  # as a credential of systemd, which an ACL opens for the service
    service = {**os.environ, "CREDENTIALS_DIRECTORY": str(right.parent)}
    words = topic, make_blocks([1]), "--config", right
    passed = rig.put(*words, brokers=brokers, env=service)
    equal([passed.status, balanced(passed, 1)["stored"]], [0, 1], "with a credential")


def test_secrets(rig: Rig) -> None:
    """Passwords stay in files that only their owner can read, and off the network."""
    topic, block = rig.topic(), make_blocks([0])
    secret = rig.file(b"security.protocol=sasl_plaintext\nsasl.password=hidden\n")
    for mode in 0o644, 0o640, 0o604:
        secret.chmod(mode)
        shown = rig.put(topic, block, "--config", secret)
        equal(shown.status, 3, f"status for mode {mode:o}: {shown.error}")
        has(shown.error, "line 2: other users can read sasl.password")
    key = rig.put(topic, block, "-X", "ssl.key.pem=hidden")
    equal([key.status, "hidden" in key.error], [3, False], f"a key: {key.error}")
    secret.chmod(0o600)
    words = ["--config", secret, "-X", "sasl.mechanism=PLAIN", "-X", "sasl.username=u"]
    for host in "localhost.example.org", "127.example.org", "SASL_PLAINTEXT://[::2]":
        far = rig.put(topic, block, *words, brokers=f"127.0.0.1:9,{host}:9")
        equal(far.status, 3, f"status for {host}: {far.error}")
        has(far.error, "the password would go through the network")
    words += ["--insecure", "--flush=0"]
    trusted = rig.put(topic, block, *words, brokers="[::2]:9")
    equal(trusted.status, 1, f"status with --insecure: {trusted.error}")
    plain = rig.put(topic, block, "--flush=0", brokers="[::2]:9")
    has(plain.error, "no encryption and no password")


def test_tls(rig: Rig) -> None:
    """TLS needs the certificate of the broker."""
    topic, brokers = rig.topic(), listeners(rig)[1]
    words = ["-X", "security.protocol=ssl"]
    refused = rig.put(topic, make_blocks([0]), *words, brokers=brokers)
    equal(refused.status, 3, f"status: {refused.error}")
    has(refused.error, "ertificate")
    words += ["-X", f"ssl.ca.location={rig.work / 'cert.pem'}"]
    passed = rig.put(topic, make_blocks([0]), *words, brokers=brokers)
    equal([passed.status, balanced(passed, 1)["stored"]], [0, 1], "with the certificate")
    target = rig.file()
    equal(rig.run("get", topic, *words, target, brokers=brokers).status, 0, "get")
    equal(target.read_bytes(), make_blocks([0]), "blocks")


def test_producer_killed(rig: Rig) -> None:
    """verify finds the duplicates and the gap after a producer was killed."""
    topic = rig.topic()
    stream = rig.stream(topic)
    stream.write(make_blocks(range(50)))
    rig.wait_for_blocks(topic, 50)
    stream.signal(signal.SIGKILL)
    equal(stream.end().status, -9, "status")
    balanced(rig.put(topic, make_blocks(range(30, 80))), 50)
    balanced(rig.put(topic, make_blocks(range(90, 100))), 10)
    result = rig.verify(topic)
    found = json.loads(result.text)
    names = "blocks", "missing", "gaps", "duplicates", "told"
    values = [found["channels"][KEY][name] for name in names]
    equal(values, [90, 10, 1, 20, 0], "blocks, missing, gaps, duplicates, told")
    equal([result.status, found["runs_without_account"]], [1, 1], "status and runs")


def test_wrong_account(rig: Rig) -> None:
    """verify finds that messages of a run are not there."""
    from confluent_kafka import TopicPartition

    topic = rig.topic()
    rig.put(topic, make_blocks(range(40)), f"--bytes={10 * (CONTROL + 16)}")
    equal(rig.verify(topic).status, 0, "status of the whole topic")
    part = rig.verify(topic, "--from=1")
    equal(part.status, 0, f"status from the second message: {part.error}")
    rig.admin.delete_records([TopicPartition(topic, 0, 4)])
    time.sleep(0.5)
    equal(rig.verify(topic).status, 1, "status without messages")


def make_disk(directory: Path) -> None:
    """Give a broker a disk of its own, which can be full."""
    if os.geteuid():
        return
    directory.mkdir()
    size = f"size={DISK}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", size, "zio", directory], check=True)


def remove_disk(directory: Path) -> None:
    if os.path.ismount(directory):
        subprocess.run(["umount", "--lazy", directory], check=True)


def free_space(rig: Rig) -> int:
    found = os.statvfs(rig.cluster.part(1) / "data")
    return found.f_bavail * found.f_frsize


def fill_disk(rig: Rig) -> None:
    """Leave some megabytes free on the disk of the first broker."""
    with open(rig.cluster.part(1) / "data/filler", "wb") as file:
        os.posix_fallocate(file.fileno(), 0, free_space(rig) - 4 * MEGABYTE)


def empty_disk(rig: Rig) -> None:
    """Free the disk, and start the broker again, which has stopped itself."""
    until(lambda: not rig.cluster.has_process(1), "end of the broker with the full disk")
    (rig.cluster.part(1) / "data/filler").unlink()
    rig.cluster.start(1)


def test_disk_full(rig: Rig) -> None:
    """The disk of a broker is full: what it did not take is told, or is in the spool."""
    need_root()
    place: Any = {"broker": 1, "min_insync_replicas": "1"}
    topics = [rig.topic(**place), rig.topic(**place)]
    spool, blocks = rig.work / "disk.spool", make_blocks(range(100), nsamples=BIG)
    fill_disk(rig)
    kept = rig.put(topics[0], blocks, "--queue=1", "--flush=2", f"--spool={spool}")
    gone = rig.put(topics[1], blocks, "--queue=8", "--flush=2", "--when-full=wait")
    equal([kept.status, gone.status], [0, 1], f"status: {kept.error} {gone.error}")
    left = balanced(kept, 100)["spooled"]
    equal(0 < left < 100, True, f"spooled: {kept.account}")
    lost = balanced(gone, 100)["unacknowledged"]
    equal(lost, 100 - gone.account["stored"], "not acknowledged")
    empty_disk(rig)
    again = rig.put(topics[0], b"", f"--spool={spool}")
    equal([again.status, balanced(again, left)["stored"]], [0, left], "from the spool")
    found = json.loads(rig.verify(topics[0]).text)["channels"][KEY]
    equal([found["blocks"], found["missing"]], [100, 0], "blocks in the topic")
    check_stored(rig, topics[1], gone)


def check_stored(rig: Rig, topic: str, result: Result) -> None:
    """The broker has what it has acknowledged, and no more than was sent."""
    stored, size = result.account["stored"], CONTROL + BIG
    blocks = rig.get(topic)
    equal(stored * size <= len(blocks) <= 100 * size, True, "blocks in the other topic")
    equal(blocks == make_blocks(range(len(blocks) // size), nsamples=BIG), True, "them")


def test_fail_over(rig: Rig) -> None:
    """The leader of three brokers is killed under load: no block is missing."""
    topic = rig.topic(copies=3)
    stream = rig.stream(topic, "--queue=4")
    stream.write(make_blocks(range(5)))
    rig.wait_for_blocks(topic, 5)
    meta = rig.admin.list_topics(topic, 10)
    leader = meta.topics[topic].partitions[0].leader
    stream.write(make_blocks(range(5, 1000)))
    rig.cluster.kill(leader)
    stream.write(make_blocks(range(1000, 2000)))
    result = stream.end()
    equal([result.status, balanced(result, 2000)["stored"]], [0, 2000], "stored")
    equal(rig.get(topic) == make_blocks(range(2000)), True, "blocks in sequence")
    equal(check_topic(rig, topic, result)["duplicates"], 0, "duplicates")


TESTS = [
    test_away,
    test_end_while_away,
    test_slow,
    test_topic_deleted,
    test_too_large,
    test_password,
    test_secrets,
    test_tls,
    test_producer_killed,
    test_wrong_account,
]
CLUSTER_TESTS = [test_disk_full, test_fail_over]
