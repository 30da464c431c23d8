# SPDX-License-Identifier: GPL-2.0-only
"""zio-kafka with others: an output channel, zio-nexus, systemd"""

import base64
import json
import os
import subprocess
import sys

import pytest

from zio_testing.common import ROOT, TESTING, Words
from zio_testing.kafka_blocks import BIG, CONTROL, SMALL, make_block, make_blocks
from zio_testing.kafka_rig import LIMIT, Rig
from zio_testing.kafka_vm import guest_words

from .brokers import listener, real

NEXUS = ROOT / "tools/programs/nexus/zio-nexus"
READER = ROOT / "examples/languages/kafka_reader.py"
PAGE = ROOT / "Documentation/more-than-one-machine.md"
BLOCKS, SAMPLES = 20, 16
# The reader plays along: zio-loop gives what its output plays.
PLAYBACK = """
zio-load zio-loop nchan=1
to="-b {address} -t {topic}"
zio-kafka put $to -n {blocks} --stats=0 --json zzero-0-2 >put.json
zio-kafka get $to recorded.zio
zio-copy if=zloop-1-0 of=played.zio count={blocks} &
reader=$!
zio-kafka get $to zloop-0-0
wait $reader
cat put.json
base64 recorded.zio | tr -d '\\n'
echo
base64 played.zio | tr -d '\\n'
"""


def split_blocks(blocks: bytes) -> list[tuple[bytes, bytes]]:
    """Return time stamp and samples of each block."""
    parts = [blocks[at : at + SMALL] for at in range(0, len(blocks), SMALL)]
    return [(part[48:64], part[CONTROL:]) for part in parts]


@real
def test_playback(rig: Rig) -> None:
    """A recorded run is played to an output; its samples and times are the same."""
    address = listener(rig.real, "GUEST")
    text = PLAYBACK.format(address=address, topic=rig.topic(), blocks=BLOCKS)
    words = guest_words(rig.work / "playback", text)
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-600:]
    account, recorded, played = done.stdout.strip().splitlines()[-3:]
    assert json.loads(account)["stored"] == BLOCKS
    blocks = split_blocks(base64.b64decode(recorded))
    assert [len(samples) for _, samples in blocks] == [SAMPLES] * BLOCKS
    assert len({samples for _, samples in blocks}) > 1
    assert split_blocks(base64.b64decode(played)) == blocks


def test_nexus(rig: Rig) -> None:
    """zio-nexus records what get writes to a pipe, with the losses."""
    topic, run = rig.topic(), rig.work / "run.nxs"
    numbers = [n for n in range(50) if n not in (30, 31)]
    blocks = b"".join(make_block(n, c) for n in numbers for c in range(2))
    rig.put(topic, blocks)
    with rig.start("get", topic) as get:
        words: Words = [NEXUS, "-", "-o", run, "--quiet", "--json"]
        done = subprocess.run(words, stdin=get.stdout, capture_output=True, text=True)
    assert [get.returncode, done.returncode] == [0, 4], done.stderr[-300:]
    result = json.loads(done.stdout)
    assert [result["blocks"], result["taken"]] == [96, 4]

    def cat(*words: str) -> bytes:
        command: Words = [NEXUS, "cat", *words, run]
        return subprocess.run(command, capture_output=True, check=True).stdout

    for channel in range(2):
        assert cat("-c", f"zzero-0000-0-{channel}") == make_blocks(numbers, channel)
    assert len(cat()) == len(blocks)


def test_reader_in_python(rig: Rig) -> None:
    """The program of the page reads what put has sent, as one of a group."""
    topic, numbers = rig.topic(), [n for n in range(50) if n not in (30, 31)]
    rig.put(topic, make_blocks(numbers))
    words: Words = [sys.executable, READER, rig.cluster.address, topic]
    places = [ROOT / "tools/python/build/lib", *(path for path in sys.path if path)]
    environment = {**os.environ, "PYTHONPATH": ":".join(map(str, places))}
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, env=environment
    ) as reader:
        assert reader.stdout
        lines = [reader.stdout.readline().split() for _ in numbers]
        reader.terminate()
    assert [(name, int(seq)) for name, seq, _ in lines] == [
        ("zzero-0000-0-0", n) for n in numbers
    ]
    assert READER.read_text().partition("\n")[2] in PAGE.read_text()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may do this")
def test_unit(rig: Rig) -> None:
    """The unit runs under systemd: it is ready, restarts, sends its spool, and stops."""
    topic, shared = rig.topic(), rig.work / "unit"
    blocks = make_blocks(range(60), nsamples=BIG)  # the mock keeps 5 MB
    shared.mkdir()
    (shared / "blocks").write_bytes(blocks)
    words: Words = [
        TESTING / "machine/guest/unit-boot",
        shared,
        rig.cluster.address,
        topic,
    ]
    done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT)
    if done.returncode == 77:
        pytest.skip(done.stderr.strip())
    said = (shared / "said").read_text()
    assert "not ok" not in said
    assert "the end" in said, done.stderr[-500:]
    assert rig.get(topic) == blocks
