# SPDX-License-Identifier: GPL-2.0-only
"""kafka_demo - a sawtooth from a virtual machine through Apache Kafka

Usage: kafka_demo [--blocks N] [--results DIRECTORY]

The program starts a broker on this machine, and a recorder that reads its topic. Then a
virtual machine acquires N blocks (50) of a sawtooth from zio-zero. It sends them over
its network. The program compares the topic with the account, and draws a block. It writes
recorded.zio and waveform.png to results/demo-kafka, or DIRECTORY.
"""

import json
import subprocess
import tempfile
from pathlib import Path

from .broker import Cluster, free_ports
from .common import ROOT, TESTING, Failure, Parser, Words, build, say, setup

BIN = ROOT / "tools/bin"
TOPIC = "demo"
LIMIT = 600
GUEST = """
ip link set lo up
ip addr add 10.0.2.15/24 dev eth0
ip link set eth0 up
cset=/sys/zio/devices/zzero/cset0
echo 0 >$cset/chan0/enable
echo 0 >$cset/chan1/enable
echo 256 >$cset/trigger/nsamples
exec zio-kafka put -b {address} -t {topic} -n {blocks} --json zzero-0-2
"""


def start_broker(cluster: Cluster) -> str:
    """Start a broker; return its address in the virtual machine."""
    cluster.create(1, None, {})
    port = free_ports(1)[0]
    address = f"{HOST_IN_GUEST}:{port}"
    own = f"127.0.0.1:{cluster.ports[0]}"
    old = cluster.settings(1)
    cluster.change(
        1,
        {
            "listeners": f"{old['listeners']},GUEST://127.0.0.1:{port}",
            "advertised.listeners": f"PLAINTEXT://{own},GUEST://{address}",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,GUEST:PLAINTEXT,"
            "CONTROLLER:PLAINTEXT",
        },
    )
    say("starting a broker")
    cluster.start()
    cluster.create_topic(TOPIC)
    return address


def run_machine(address: str, blocks: int, work: Path) -> dict[str, int]:
    """Acquire and send blocks in a virtual machine; return the account."""
    script = work / "demo-guest"
    script.write_text(GUEST.format(address=address, topic=TOPIC, blocks=blocks))
    words: Words = [
        TESTING / "vm",
        "--module",
        "virtio_pci",
        "--module",
        "virtio_net",
        "--timeout",
        str(LIMIT),
    ]
    words = [*words, "--qemu", "-nic user,model=virtio-net-pci"]
    words = [*words, "--add", f"{BIN / 'zio-kafka'}:/usr/local/bin/zio-kafka"]
    words = [*words, "--add", script, "--", "sh demo-guest"]
    say("a virtual machine acquires and sends blocks")
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    if done.returncode:
        raise Failure(f"the virtual machine failed (status {done.returncode})")
    account: dict[str, int] = json.loads(done.stdout)
    return account


def record(cluster: Cluster, blocks: int, target: Path) -> "subprocess.Popen[bytes]":
    words: Words = [BIN / "zio-kafka", "get", "-b", cluster.address, "-t", TOPIC]
    return subprocess.Popen([*words, "--follow", "-n", str(blocks), target])


def check(cluster: Cluster, account: dict[str, int], blocks: int) -> None:
    """Compare the topic with what the virtual machine has told."""
    words: Words = [BIN / "zio-kafka", "verify", "-b", cluster.address, "-t", TOPIC]
    if subprocess.run(words).returncode or account["stored"] != blocks:
        raise Failure(f"not all blocks are in the topic: {account}")


def draw(recorded: Path, picture: Path) -> None:
    words: Words = [BIN / "zio", "plot", "-n", "1"]
    terminal = "--terminal=dumb size 79,20"
    subprocess.run([*words, terminal, recorded], check=True)
    subprocess.run([*words, "-o", picture, recorded], check=True)


def run(work: Path, results: Path, blocks: int) -> None:
    cluster = Cluster(work / "brokers")
    recorded = results / "recorded.zio"
    try:
        address = start_broker(cluster)
        recorder = record(cluster, blocks, recorded)
        try:
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
    parser.add_argument("--blocks", type=int, default=50)
    parser.add_argument("--results", type=Path, default=ROOT / "results/demo-kafka")
    options = parser.parse_args(words)
    setup("broker", "build", "kafka", "vm", "plots")
    options.results.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="zio-kafka.") as name:
        make = ["make", "-s", "-C", ROOT / "tools", "all", "kafka"]
        build(make, Path(name) / "make", "no zio-kafka")
        run(Path(name), options.results, options.blocks)
    return 0
