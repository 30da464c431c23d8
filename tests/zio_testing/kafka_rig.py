# SPDX-License-Identifier: GPL-2.0-only
"""What the tests of zio-kafka share: blocks, the program, topics and results"""

import fcntl
import json
import os
import resource
import signal
import site
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .broker import Cluster
from .common import (
    CACHE,
    ROOT,
    TESTING,
    Failure,
    Words,
    build,
    locked,
    say,
    setup,
    tag_of,
)

CONTROL = 512
# Where a control has the name of its trigger, and the extended attribute for its clock
TRIGGER_NAME, TRIGGER_MASK, TRIGGER_CLOCK = 84, 300, 492
BEGIN = 1795357071
# Seconds. Only a program that hangs reaches it, also on a busy machine.
LIMIT = 120
MEGABYTE = 1 << 20
PROGRAM = ROOT / "tests/unit/out/bin/zio-kafka"
Account = dict[str, Any]
Headers = dict[str, str | None]


def make_block(
    number: int, channel: int = 0, nsamples: int = 16, device: int = 0
) -> bytes:
    """Return a block of a device such as zzero-0000 in the format of block files."""
    control = bytearray(CONTROL)
    wrapped = number & 0xFFFFFFFF
    struct.pack_into("=BBBBIIHH", control, 0, 1, 4, 0, 0, wrapped, nsamples, 1, 8)
    struct.pack_into(
        "=HBB8sIHH12s", control, 16, 0, 0, 0, b"", device, 0, channel, b"zzero"
    )
    since = number + 1000 & 0xFFFF  # milliseconds; block 0 has BEGIN
    stamp = BEGIN - 1 + since // 1000, since % 1000 * 1000000
    struct.pack_into("=QQQ", control, 48, *stamp, 0)
    struct.pack_into("=I", control, 80, 0x01000001)
    return bytes(control) + bytes((number + k) & 255 for k in range(nsamples))


def stamped(block: bytes, ns: int, clock: int, trigger: str) -> bytes:
    """Return the block with another time stamp, of a clock and a trigger."""
    control = bytearray(block)
    struct.pack_into("=QQ", control, 48, *divmod(ns, 10**9))
    struct.pack_into("=12s", control, TRIGGER_NAME, trigger.encode())
    mask = struct.unpack_from("=I", control, TRIGGER_MASK)[0] | 1 << 31
    struct.pack_into("=I", control, TRIGGER_MASK, mask)
    struct.pack_into("=I", control, TRIGGER_CLOCK, clock)
    return bytes(control)


def make_blocks(numbers: Iterable[int], channel: int = 0, nsamples: int = 16) -> bytes:
    return b"".join(make_block(n, channel, nsamples) for n in numbers)


def use_packages() -> None:
    """Make the pinned packages of PyPI importable; fetch them once."""
    requirements = TESTING / "machine/kafka/requirements.txt"
    directory = CACHE / "kafka" / f"python-{tag_of(requirements.read_text())}"
    with locked(CACHE / "kafka.lock"):
        if not (directory / ".complete").exists():
            say("fetching confluent-kafka and ess-streaming-data-types from PyPI, once")
            subprocess.run([sys.executable, "-m", "venv", directory], check=True)
            pip: Words = [
                directory / "bin/pip",
                "install",
                "-q",
                "--only-binary",
                ":all:",
            ]
            subprocess.run([*pip, "--require-hashes", "-r", requirements], check=True)
            (directory / ".complete").touch()
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site.addsitedir(str(directory / "lib" / version / "site-packages"))


def build_program(logs: Path) -> None:
    """Build zio-kafka with sanitizers, and without for a virtual machine."""
    setup("build", "docs", "kafka", "nexus", "vm")
    target = PROGRAM.relative_to(ROOT / "tools")
    words: Words = ["make", "-s", "-C", ROOT / "tools", target, "kafka", "python"]
    build(words, logs / "make", "no zio-kafka")


@dataclass
class Result:
    """How zio-kafka ended."""

    status: int
    text: str
    error: str
    account: Account = field(default_factory=dict)


@dataclass
class Running:
    """zio-kafka put, with a FIFO as its source."""

    process: "subprocess.Popen[str]"
    fifo: Any

    def write(self, blocks: bytes) -> None:
        self.fifo.write(blocks)

    def end(self) -> Result:
        """Close the source, and wait for the end."""
        self.fifo.close()
        return finish(self.process)

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)


def finish(process: "subprocess.Popen[str]") -> Result:
    try:
        out, error = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired as late:
        process.kill()
        text = (process.communicate()[1] or "")[-2000:]
        raise Failure(f"zio-kafka does not end: {text}") from late
    account = json.loads(out) if out.startswith("{") else {}
    return Result(process.returncode, out, error, account)


class Rig:
    """A broker, and a directory for files."""

    def __init__(self, cluster: Cluster, work: Path, guest: str = "") -> None:
        from confluent_kafka.admin import AdminClient

        self.cluster, self.work = cluster, work
        self.guest = guest  # address of the first broker in a virtual machine
        self.admin = AdminClient({"bootstrap.servers": cluster.address, "log_level": 0})
        self.count = 0

    def file(self, content: bytes = b"") -> Path:
        self.count += 1
        path = self.work / f"file{self.count}"
        path.write_bytes(content)
        return path

    def topic(self, copies: int = 1, broker: int = 0, **settings: str) -> str:
        """Make a topic with so many copies, or with one at this broker alone."""
        from confluent_kafka.admin import NewTopic

        self.count += 1
        name = f"topic{self.count}"
        config = {key.replace("_", "."): value for key, value in settings.items()}
        place: Any = {"replication_factor": copies}
        if broker:
            place = {"replica_assignment": [[broker]]}
        new = NewTopic(name, num_partitions=1, config=config, **place)
        self.admin.create_topics([new])[name].result(LIMIT)
        until(lambda: self.knows(name), f"topic {name}")
        return name

    def knows(self, topic: str) -> bool:
        """The brokers hear of a new topic after the controller."""
        found = self.admin.list_topics(topic, LIMIT).topics[topic]
        return found.error is None and len(found.partitions) > 0

    def forget(self, topic: str) -> None:
        self.admin.delete_topics([topic])[topic].result(LIMIT)

    def start(self, verb: str, topic: str, *words: object, **more: Any) -> Any:
        brokers = more.pop("brokers", self.cluster.address)
        return self.spawn([PROGRAM, verb, "-b", brokers, "-t", topic, *words], **more)

    def spawn(self, words: Iterable[object], **more: Any) -> Any:
        return subprocess.Popen(
            [str(word) for word in words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **more,
        )

    def run(self, verb: str, topic: str, *words: object, **more: Any) -> Result:
        return finish(self.start(verb, topic, *words, **more))

    def put(self, topic: str, blocks: bytes, *words: object, **more: Any) -> Result:
        """Send blocks of a file."""
        source = self.file(blocks)
        return self.run("put", topic, "--json", "--stats=0", *words, source, **more)

    def stream(self, topic: str, *words: object, **more: Any) -> Running:
        """Start a producer whose source the test writes."""
        self.count += 1
        fifo = self.work / f"fifo{self.count}"
        os.mkfifo(fifo)
        process = self.start("put", topic, "--json", "--stats=0", *words, fifo, **more)
        end = open(fifo, "wb", buffering=0)
        fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, 1 << 20)
        return Running(process, end)

    def get(self, topic: str, *words: object) -> bytes:
        """Return the blocks of a topic."""
        target = self.file()
        result = self.run("get", topic, *words, target)
        if result.status:
            raise Failure(f"get: status {result.status}: {result.error}")
        return target.read_bytes()

    def verify(self, topic: str, *words: object) -> Result:
        return self.run("verify", topic, "--json", *words)

    def wait_for_blocks(self, topic: str, number: int) -> None:
        size = number * (CONTROL + 16)
        until(lambda: len(self.get(topic)) >= size, f"{number} blocks in {topic}")


def limit_files() -> None:
    """Let this process write files of two megabytes, as if the disk had no more room."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 * MEGABYTE, 2 * MEGABYTE))


def until(condition: Callable[[], bool], what: str) -> None:
    limit = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > limit:
            raise Failure(f"no {what} within {LIMIT} s")
        time.sleep(0.1)


def send_message(
    rig: Rig,
    topic: str,
    value: bytes | None,
    key: str,
    headers: Headers,
    time_ms: int = 0,
) -> None:
    """Send a message with the producer of Confluent; None is Kafka's null, 0 is now."""
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": rig.cluster.address})
    pairs = [*headers.items()]
    producer.produce(topic, value, key, headers=pairs, timestamp=time_ms)
    equal(producer.flush(LIMIT), 0, "messages that are left")


class Wrong(Exception):
    """A test has failed."""


class Skipped(Exception):
    """A test cannot run here."""


def need_root() -> None:
    if os.geteuid():
        raise Skipped("only root may do this")
    words = ["unshare", "--mount", "--uts", "--time", "true"]
    if subprocess.run(words, capture_output=True).returncode:
        raise Skipped("this machine allows no name spaces")


def equal(found: object, wanted: object, what: str) -> None:
    if found != wanted:
        raise Wrong(f"{what}: {str(found)[:300]!r}, not {str(wanted)[:300]!r}")


def has(text: str, part: str) -> None:
    if part not in text:
        raise Wrong(f"{text[-600:]!r} has no {part!r}")


def balanced(result: Result, acquired: int) -> Account:
    """Check that the account has all blocks, each once; return it."""
    if not result.account:
        raise Wrong(f"status {result.status}, no account: {result.error[-600:]}")
    ends = "stored", "lost", "refused", "unacknowledged", "spooled"
    for account in (result.account, *result.account["channels"].values()):
        equal(
            sum(account[end] for end in ends), account["acquired"], "sum of the account"
        )
        equal(account["waiting"], 0, "waiting at the end")
    equal(result.account["acquired"], acquired, f"acquired ({result.error[-300:]})")
    return result.account
