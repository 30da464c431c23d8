# SPDX-License-Identifier: GPL-2.0-only
"""What the tests and the benchmark of zio-kafka share: topics, and how programs end"""

import contextlib
import fcntl
import json
import os
import re
import resource
import select
import signal
import site
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from .broker import Cluster
from .common import CACHE, ROOT, TESTING, Failure, Words, locked, say, tag_of
from .kafka_blocks import KEY, SMALL, make_blocks
from .kafka_mock import Mock

# Seconds. Only a program that hangs reaches it, also on a busy machine.
LIMIT = 120
MEGABYTE = 1 << 20
PROGRAM = ROOT / "tests/unit/out/bin/zio-kafka"
# The sums of put: "20 blocks acquired in 0.4 s: 5 stored (80 bytes, ...), ... 2 spooled"
SUMS = re.compile(r"\d+ blocks acquired in .* spooled\n")
Headers = dict[str, str | None]


def use_packages() -> None:
    """Make the pinned packages of PyPI importable; fetch them once."""
    requirements = TESTING / "machine/kafka/requirements.txt"
    directory = CACHE / "kafka" / f"python-{tag_of(requirements.read_text())}"
    with locked(CACHE / "kafka.lock"):
        if not (directory / ".complete").exists():
            say("fetching confluent-kafka and ess-streaming-data-types from PyPI, once")
            subprocess.run([sys.executable, "-m", "venv", directory], check=True)
            pip: Words = [directory / "bin/pip", "install", "-q", "--only-binary=:all:"]
            subprocess.run([*pip, "--require-hashes", "-r", requirements], check=True)
            (directory / ".complete").touch()
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site.addsitedir(str(directory / "lib" / version / "site-packages"))


@dataclass
class Result:
    """How zio-kafka ended."""

    status: int
    text: str
    error: str

    @cached_property
    def json(self) -> dict[str, Any]:
        """What put or verify has told by --json"""
        assert self.text.startswith("{"), f"status {self.status}: {self.error[-600:]}"
        found: dict[str, Any] = json.loads(self.text)
        return found

    def channel(self, *names: str, key: str = KEY) -> list[int]:
        """Return these numbers that verify tells of a channel."""
        return [self.json["channels"][key][name] for name in names]

    def ends_with(self, status: int, *parts: str) -> None:
        """Check the status, and that the user is told these parts."""
        missing = [part for part in parts if part not in self.error]
        assert [self.status, missing] == [status, []], self.error[-600:]


@dataclass
class Running:
    """zio-kafka put, with a FIFO as its source."""

    process: "subprocess.Popen[str]"
    fifo: Any
    told: str = ""

    def write(self, blocks: bytes) -> None:
        self.fifo.write(blocks)

    def listen(self) -> str:
        """Return what the program has told on standard error so far."""
        assert self.process.stderr
        fd = self.process.stderr.fileno()
        while select.select([fd], [], [], 0)[0] and (part := os.read(fd, 1 << 16)):
            self.told += part.decode()
        return self.told

    def sums(self) -> list[str]:
        """Return the lines with sums that the program has told because of --stats."""
        return SUMS.findall(self.listen())

    def count(self, name: str) -> int:
        """Return a number of the newest sums."""
        newest = "".join(self.sums()[-1:])
        found = re.search(rf"(\d+) (blocks )?{name}", newest)
        return int(found[1]) if found else 0

    def end(self) -> Result:
        """Close the source, and wait for the end."""
        self.fifo.close()
        result = finish(self.process)
        return replace(result, error=self.told + result.error)

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def kill(self) -> None:
        self.signal(signal.SIGKILL)
        self.end().ends_with(-signal.SIGKILL)


def finish(process: "subprocess.Popen[str]") -> Result:
    try:
        out, error = process.communicate(timeout=LIMIT)
    finally:
        process.kill()
    return Result(process.returncode, out, error)


class Rig:
    """Brokers, and a directory for files."""

    def __init__(self, cluster: Cluster | Mock, work: Path) -> None:
        from confluent_kafka.admin import AdminClient

        self.cluster, self.work = cluster, work
        self.admin = AdminClient({"bootstrap.servers": cluster.address, "log_level": 0})
        self.count = 0
        self.processes: list[subprocess.Popen[str]] = []

    def end(self) -> None:
        """End what a failed test has left, and the mock."""
        for process in self.processes:
            process.kill()
        if isinstance(self.cluster, Mock):
            self.cluster.end()

    @property
    def real(self) -> Cluster:
        assert isinstance(self.cluster, Cluster)
        return self.cluster

    @property
    def mock(self) -> Mock:
        assert isinstance(self.cluster, Mock)
        return self.cluster

    def name(self) -> str:
        self.count += 1
        return f"{self.work.name}.{self.count}"

    def file(self, content: bytes = b"") -> Path:
        path = self.work / self.name()
        path.write_bytes(content)
        return path

    def topic(self, copies: int = 1, broker: int = 0, **settings: str) -> str:
        """Make a topic with so many copies, or with one at this broker alone."""
        from confluent_kafka.admin import NewTopic

        name = self.name()
        if isinstance(self.cluster, Mock):
            self.cluster.call("topic_create", name, 1, copies)
            return name
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
        """Delete a topic. The brokers hear of it after the controller."""
        self.admin.delete_topics([topic])[topic].result(LIMIT)
        until(lambda: not self.knows(topic), f"end of topic {topic}")

    @contextlib.contextmanager
    def standing(self) -> Iterator[None]:
        """Let the broker stand for the time of the block: it answers nothing."""
        pid = self.cluster.pid(1) or 0
        os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

    def words(self, verb: str, topic: str, *words: object, brokers: str = "") -> Words:
        """Return the command. Blocks are packed where few bytes have room."""
        address = brokers or self.cluster.address
        packed = verb == "put" and isinstance(self.cluster, Mock)
        more = ["-X", "compression.type=lz4"] if packed else []
        return [PROGRAM, verb, "-b", address, "-t", topic, *more, *words]

    def start(self, verb: str, topic: str, *words: object, **more: Any) -> Any:
        brokers = more.pop("brokers", "")
        return self.spawn(self.words(verb, topic, *words, brokers=brokers), **more)

    def spawn(self, words: Words, **more: Any) -> Any:
        command, pipe = [str(word) for word in words], subprocess.PIPE
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True, **more
        )
        self.processes.append(process)
        return process

    def run(self, verb: str, topic: str, *words: object, **more: Any) -> Result:
        return finish(self.start(verb, topic, *words, **more))

    def put(self, topic: str, blocks: bytes, *words: object, **more: Any) -> Result:
        """Send blocks of a file."""
        source = self.file(blocks)
        return self.run("put", topic, "--json", "--stats=0", *words, source, **more)

    def stream(self, topic: str, *words: object, **more: Any) -> Running:
        """Start a producer whose source the test writes."""
        fifo = self.work / self.name()
        os.mkfifo(fifo)
        process = self.start("put", topic, "--json", "--stats=0", *words, fifo, **more)
        end = open_when_read(fifo, process)
        fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, 1 << 20)
        return Running(process, end)

    def begin(self, topic: str, *words: object, count: int = 5, **more: Any) -> Running:
        """Start such a producer, and wait until the broker has so many blocks."""
        stream = self.stream(topic, *words, **more)
        stream.write(make_blocks(range(count)))
        self.wait_for_blocks(topic, count)
        return stream

    def get(self, topic: str, *words: object) -> bytes:
        """Return the blocks of a topic."""
        target = self.file()
        self.run("get", topic, *words, target).ends_with(0)
        return target.read_bytes()

    def verify(self, topic: str, *words: object) -> Result:
        return self.run("verify", topic, "--json", *words)

    def wait_for_blocks(self, topic: str, number: int) -> None:
        size = number * SMALL
        until(lambda: len(self.get(topic)) >= size, f"{number} blocks in {topic}")

    def send(
        self, topic: str, value: bytes | None, key: str, headers: Headers, ms: int = 0
    ) -> None:
        """Send a message with the producer of Confluent; None is Kafka's null."""
        from confluent_kafka import Producer

        producer = Producer({"bootstrap.servers": self.cluster.address})
        producer.produce(topic, value, key, headers=[*headers.items()], timestamp=ms)
        assert producer.flush(LIMIT) == 0

    def messages(self, topic: str, count: int) -> list[Any]:
        """Read the first messages with the consumer of Confluent."""
        from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

        settings = {"bootstrap.servers": self.cluster.address, "group.id": "test"}
        consumer = Consumer(settings)
        consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
        found: list[Any] = []

        def poll() -> bool:
            if message := consumer.poll(1):
                found.append(message)
            return len(found) >= count

        until(poll, f"{count} messages in {topic}")
        consumer.close()
        return found


def limit_files(size: int = 2 * MEGABYTE) -> None:
    """Let this process write files of this size, as if the disk had no more room."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def open_when_read(fifo: Path, reader: subprocess.Popen[str]) -> IO[bytes]:
    """Open a FIFO to write when the reader has opened it. Tell what a reader says that
    ends."""
    descriptors: list[int] = []

    def has_opened() -> bool:
        if reader.poll() is not None:
            raise Failure(f"it has ended:\n{''.join(map(str, reader.communicate()))}")
        with contextlib.suppress(OSError):
            descriptors.append(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK))
        return bool(descriptors)

    until(has_opened, "reader of the FIFO")
    os.set_blocking(descriptors[0], True)
    return open(descriptors[0], "wb", buffering=0)


def until(condition: Callable[[], bool], what: str) -> None:
    limit = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > limit:
            raise Failure(f"no {what} within {LIMIT} s")
        time.sleep(0.02)


def headers_of(message: Any) -> dict[str, bytes]:
    return dict(message.headers())


def balanced(result: Result, acquired: int, **ends: int) -> dict[str, Any]:
    """Check that the account has all blocks, each once, and these ends; return it."""
    names = "stored", "lost", "refused", "unacknowledged", "spooled"
    for account in (result.json, *result.json["channels"].values()):
        assert sum(account[name] for name in names) == account["acquired"]
        assert account["waiting"] == 0
    found = {name: result.json[name] for name in ("acquired", *ends)}
    assert found == {"acquired": acquired, **ends}, result.error[-300:]
    return result.json


def all_stored(result: Result, count: int) -> None:
    """Check that the broker has acknowledged all blocks of put."""
    result.ends_with(0)
    balanced(result, count, stored=count)
