# SPDX-License-Identifier: GPL-2.0-only
"""kafka_demo - a sawtooth from a virtual machine through Apache Kafka

Usage: kafka_demo [--blocks N] [--results DIRECTORY]

The program starts a broker on this machine, and two readers of its topic: a recorder, and
a viewer that draws the newest block each second. Then a virtual machine acquires N blocks
(100) of a sawtooth from zio-zero, 10 in a second. It sends them over its network. The
program compares the topic with the account. It writes recorded.zio and waveform.png to
results/demo-kafka, or DIRECTORY.
"""

import contextlib
import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .broker import Cluster
from .common import ROOT, Failure, Parser, Words, say, setup
from .kafka_vm import HOST_IN_GUEST, guest_words
from .progress import build

BIN = ROOT / "tools/bin"
TOPIC = "demo"
LIMIT = 600
TERMINAL = "--terminal=dumb size 79,20"
GUEST = """
zio-load zio-trig-hrt
echo 256 >$cset/trigger/nsamples
echo hrt >$cset/current_trigger
echo 256 >$cset/trigger/nsamples
echo 100000000 >$cset/trigger/period-ns
exec zio-kafka put -b {address} -t {topic} -n {blocks} --json zzero-0-2
"""


def start_broker(cluster: Cluster) -> str:
    """Start a broker; return its address in the virtual machine."""
    cluster.create(1, None, {})
    address = cluster.listen("GUEST", host=HOST_IN_GUEST)
    say("starting a broker")
    cluster.start()
    cluster.create_topic(TOPIC, {})
    return address


def run_machine(address: str, blocks: int, work: Path) -> dict[str, int]:
    """Acquire and send blocks in a virtual machine; return the account."""
    text = GUEST.format(address=address, topic=TOPIC, blocks=blocks)
    say("a virtual machine acquires and sends blocks")
    words = guest_words(work / "demo-guest", text)
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    if done.returncode:
        raise Failure(f"the virtual machine failed (status {done.returncode})")
    account: dict[str, int] = json.loads(done.stdout)
    return account


def get_words(cluster: Cluster) -> Words:
    return [BIN / "zio-kafka", "get", "-b", cluster.address, "-t", TOPIC, "--follow"]


def record(cluster: Cluster, blocks: int, target: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([*get_words(cluster), "-n", str(blocks), target])


@contextlib.contextmanager
def viewer(cluster: Cluster, log: Path) -> Iterator[None]:
    """Draw the newest block each second on standard output, as blocks come."""
    plot: Words = [BIN / "zio", "plot", "--interval=1", TERMINAL, "-"]
    with open(log, "wb") as errors:
        get = subprocess.Popen(get_words(cluster), stdout=subprocess.PIPE, stderr=errors)
        picture = subprocess.Popen(plot, stdin=get.stdout, stderr=errors)
        try:
            yield
        finally:
            get.terminate()
            get.wait()
            picture.wait(LIMIT)


def check(cluster: Cluster, account: dict[str, int], blocks: int) -> None:
    """Compare the topic with what the virtual machine has told."""
    words: Words = [BIN / "zio-kafka", "verify", "-b", cluster.address, "-t", TOPIC]
    if subprocess.run(words).returncode or account["stored"] != blocks:
        raise Failure(f"not all blocks are in the topic: {account}")


def draw(recorded: Path, picture: Path) -> None:
    words: Words = [BIN / "zio", "plot", "-o", picture, recorded]
    subprocess.run(words, check=True)


def run(work: Path, results: Path, blocks: int) -> None:
    cluster = Cluster(work / "brokers")
    recorded = results / "recorded.zio"
    try:
        address = start_broker(cluster)
        recorder = record(cluster, blocks, recorded)
        try:
            with viewer(cluster, work / "viewer"):
                account = run_machine(address, blocks, work)
            recorder.wait(LIMIT)
        finally:
            recorder.kill()
        check(cluster, account, blocks)
    finally:
        cluster.kill()
    draw(recorded, results / "waveform.png")
    say(f"{account['stored']} blocks are in {recorded}, one in {results}/waveform.png")


def main(words: list[str]) -> int:
    parser = Parser()
    parser.add_argument("--blocks", type=int, default=100)
    parser.add_argument("--results", type=Path, default=ROOT / "results/demo-kafka")
    options = parser.parse_args(words)
    setup("broker", "build", "kafka", "vm", "plots")
    options.results.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="zio-kafka.") as name:
        make: Words = ["make", "-s", "-C", ROOT / "tools", "all", "kafka"]
        build(make, Path(name) / "make", "no zio-kafka")
        run(Path(name), options.results, options.blocks)
    return 0
