# SPDX-License-Identifier: GPL-2.0-only
"""kafka_bench - measure zio-kafka with a broker on this machine

Usage: kafka_bench [--rounds N] [--size MB] [--results DIRECTORY]

The program prints a table in Markdown. It compares zio-kafka with a program that sends
the same bytes by librdkafka alone, and with kcat. They run by turns, N times (3), with
files of so many megabytes (200), and the median counts. kcat sends lines of text: as many
bytes in as many messages as blocks. The broker uses the same processors. The figure
rates.png is in results/bench-kafka, or DIRECTORY.
"""

import json
import os
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from .broker import running
from .common import ROOT, TESTING, Failure, Parser, Words, setup
from .kafka_blocks import CONTROL, make_block
from .kafka_rig import LIMIT, Rig, use_packages
from .progress import build

PROGRAM = ROOT / "tools/bin/zio-kafka"
PLAIN = ROOT / "tools/bin/zio-kafka-plain"
EVENTS, SECONDS = 1000, 10
COLUMNS = (
    "bytes",
    "blocks/s",
    "MB/s",
    "plain, one by one",
    "plain, 512 KiB",
    "kcat",
    "CPU us/block",
    "of this, collecting",
)
# Those of zio-kafka, where they matter for speed; kcat has to wait for a full queue.
KCAT_SETTINGS = (
    "enable.idempotence=true",
    "acks=all",
    "linger.ms=5",
    "queue.buffering.max.kbytes=65536",
    "queue.buffering.max.messages=10000000",
)


def write_blocks(path: Path, nsamples: int, megabytes: int) -> int:
    """Write a block file; return the number of its blocks."""
    count = megabytes * 10**6 // (CONTROL + nsamples)
    block = make_block(0, nsamples=0) + bytes(nsamples)
    with open(path, "wb") as file:
        for _ in range(count):
            file.write(block)
    patch_numbers(path, CONTROL + nsamples, nsamples, count)
    return count


def patch_numbers(path: Path, size: int, nsamples: int, count: int) -> None:
    """Give the blocks their numbers and sizes."""
    import numpy

    file = numpy.memmap(path, dtype=numpy.uint8, mode="r+")
    data = file.reshape(count, size)
    data[:, 4:8] = numpy.arange(count, dtype="<u4").view(numpy.uint8).reshape(count, 4)
    data[:, 8:12] = numpy.frombuffer(numpy.uint32(nsamples).tobytes(), numpy.uint8)
    file.flush()


def write_lines(path: Path, size: int, count: int) -> None:
    with open(path, "wb") as file:
        for _ in range(count):
            file.write(b"x" * (size - 1) + b"\n")


def run_plain(rig: Rig, path: Path, size: int) -> float:
    topic = rig.topic()
    words: Words = [PLAIN, rig.cluster.address, topic, path, str(size)]
    seconds = float(subprocess.run(words, check=True, capture_output=True).stdout)
    rig.forget(topic)
    return seconds


def run_kcat(rig: Rig, path: Path) -> float:
    topic = rig.topic()
    words: Words = ["kcat", "-P", "-b", rig.cluster.address, "-t", topic, "-l", path]
    for setting in KCAT_SETTINGS:
        words = [*words, "-X", setting]
    begin = time.monotonic()
    subprocess.run(words, check=True, capture_output=True)
    seconds = time.monotonic() - begin
    rig.forget(topic)
    return seconds


@dataclass
class Cost:
    """Seconds of a run, those of all processors, and those of the collecting thread."""

    seconds: float
    cpu: float
    thread: float


def run_put(rig: Rig, path: Path, *more: str) -> Cost:
    topic = rig.topic()
    words: Words = [PROGRAM, "put", "-b", rig.cluster.address, "-t", topic]
    words = [*words, "--json", "--stats=0", *more, path]
    log = rig.work / "put.log"
    with open(log, "w") as errors:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=errors)
    assert process.stdout
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if not text:
        raise Failure(f"status {status}: {log.read_text()}")
    account = json.loads(text)
    if status or account["stored"] != account["acquired"]:
        raise Failure(f"status {status}: {account}")
    rig.forget(topic)
    cpu = usage.ru_utime + usage.ru_stime
    return Cost(account["seconds"], cpu, account["cpu_seconds"])


@dataclass
class Runs:
    """All runs with blocks of one size."""

    puts: list[Cost] = field(default_factory=list)
    each: list[float] = field(default_factory=list)
    joined: list[float] = field(default_factory=list)
    kcat: list[float] = field(default_factory=list)

    def cost(self, name: str) -> float:
        values: list[float] = [getattr(put, name) for put in self.puts]
        return statistics.median(values)

    def row(self, nsamples: int, count: int) -> str:
        """Return the numbers of the figure: MB/s, and ns of a processor per byte."""
        size = count * (CONTROL + nsamples)
        times = [self.cost("seconds")]
        times += [statistics.median(all) for all in (self.each, self.joined, self.kcat)]
        costs = [self.cost(name) / size * 1e9 for name in ("cpu", "thread")]
        numbers = [*(size / 1e6 / seconds for seconds in times), *costs]
        return " ".join([str(nsamples), *(f"{number:.4g}" for number in numbers)])

    def line(self, nsamples: int, count: int) -> str:
        seconds, rate = self.cost("seconds"), count * (CONTROL + nsamples) / 1e6
        others = [statistics.median(all) for all in (self.each, self.joined, self.kcat)]
        cells = [f"{rate / other:.0f} ({other / seconds:.2f})" for other in others]
        costs = [f"{self.cost(name) / count * 1e6:.2f}" for name in ("cpu", "thread")]
        first = [str(nsamples), f"{count / seconds:,.0f}", f"{rate / seconds:.0f}"]
        return f"| {' | '.join([*first, *cells, *costs])} |"


def compare(rig: Rig, nsamples: int, rounds: int, megabytes: int) -> tuple[str, str]:
    """Return a line of the table, and a row of the figure."""
    path, text = rig.work / f"blocks{nsamples}", rig.work / "lines"
    count, size = write_blocks(path, nsamples, megabytes), CONTROL + nsamples
    write_lines(text, size, count)
    runs = Runs()
    for _ in range(rounds):
        runs.puts.append(run_put(rig, path))
        runs.each.append(run_plain(rig, path, size))
        runs.joined.append(run_plain(rig, path, max(1, 524288 // size) * size))
        runs.kcat.append(run_kcat(rig, text))
    path.unlink()
    text.unlink()
    return runs.line(nsamples, count), runs.row(nsamples, count)


def draw(rows: list[str], work: Path, results: Path) -> None:
    table = work / "rates"
    table.write_text("".join(f"{row}\n" for row in rows))
    results.mkdir(parents=True, exist_ok=True)
    names = f"table='{table}'; picture='{results / 'rates.png'}'"
    script = TESTING / "machine/kafka/rates.gp"
    subprocess.run(["gnuplot", "-e", names, script], check=True)


def send_events(rig: Rig, topic: str) -> "subprocess.Popen[bytes]":
    """Write blocks with the present time, EVENTS in a second, for SECONDS."""
    fifo = rig.work / "events"
    os.mkfifo(fifo)
    words: Words = [PROGRAM, "put", "-b", rig.cluster.address, "-t", topic, fifo]
    process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    begin = time.time() + 1
    with open(fifo, "wb", buffering=0) as out:
        for number in range(EVENTS * SECONDS):
            due = begin + number / EVENTS
            time.sleep(max(0, due - time.time()))
            block = bytearray(make_block(number))
            now = time.time_ns()
            block[48:64] = b"".join(
                part.to_bytes(8, "little") for part in divmod(now, 10**9)
            )
            out.write(block)
    return process


def receive_events(address: str, topic: str) -> list[float]:
    """Return the milliseconds that blocks took."""
    from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

    consumer = Consumer({"bootstrap.servers": address, "group.id": "b", "log_level": 0})
    consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
    late: list[float] = []
    size = CONTROL + 16

    limit = time.monotonic() + LIMIT
    while len(late) < EVENTS * SECONDS and time.monotonic() < limit:
        message = consumer.poll(1)
        now, value = time.time_ns(), message.value() if message else b""
        if not message or dict(message.headers())["zio-format"] != b"blocks/1":
            continue
        for at in range(0, len(value), size):
            seconds = int.from_bytes(value[at + 48 : at + 56], "little")
            rest = int.from_bytes(value[at + 56 : at + 64], "little")
            late.append((now - seconds * 10**9 - rest) / 1e6)
    consumer.close()
    return late


def measure_latency(rig: Rig) -> str:
    topic = rig.topic()
    pid = os.fork()
    if not pid:
        send_events(rig, topic).wait()
        os._exit(0)
    late = sorted(receive_events(rig.cluster.address, topic))
    os.waitpid(pid, 0)
    p50, p99 = late[len(late) // 2], late[len(late) * 99 // 100]
    figures = f"p50 {p50:.1f} ms, p99 {p99:.1f} ms, max {late[-1]:.1f} ms"
    return f"{EVENTS} events/s, linger 5 ms: {figures}"


def main(words: list[str]) -> int:
    parser = Parser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--size", type=int, default=200)
    parser.add_argument("--results", type=Path, default=ROOT / "results/bench-kafka")
    options = parser.parse_args(words)
    setup("broker", "build", "kafka", "plots")
    use_packages()
    with tempfile.TemporaryDirectory(prefix="zio-kafka.") as name, running() as cluster:
        cluster.start()
        build(
            ["make", "-s", "-C", ROOT / "tools", "kafka-bench"], Path(name) / "m", "make"
        )
        rig = Rig(cluster, Path(name))
        print(f"| {' | '.join(COLUMNS)} |")
        print("|---" * len(COLUMNS) + "|")
        rows = []
        for nsamples in 16, 1024, 65536:
            line, row = compare(rig, nsamples, options.rounds, options.size)
            print(line, flush=True)
            rows.append(row)
        draw(rows, rig.work, options.results)
        print(f"\n{measure_latency(rig)}")
    return 0
