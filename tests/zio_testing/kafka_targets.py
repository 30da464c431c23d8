# SPDX-License-Identifier: GPL-2.0-only
"""Tests of zio-kafka with others: an output channel, zio-nexus, systemd"""

import base64
import json
import subprocess

from .common import ROOT, TESTING, Words
from .kafka_faults import BIG
from .kafka_rig import (
    CONTROL,
    LIMIT,
    PROGRAM,
    Rig,
    Skipped,
    Wrong,
    equal,
    make_block,
    make_blocks,
    need_root,
)
from .kafka_vm import guest_words

NEXUS = ROOT / "tools/nexus/zio-nexus"
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
    size = CONTROL + SAMPLES
    parts = [blocks[at : at + size] for at in range(0, len(blocks), size)]
    return [(part[48:64], part[CONTROL:]) for part in parts]


def test_playback(rig: Rig) -> None:
    """A recorded run is played to an output; its samples and times are the same."""
    values = {"address": rig.guest, "topic": rig.topic(), "blocks": BLOCKS}
    words = guest_words(rig.work / "playback", PLAYBACK.format(**values))
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    equal(done.returncode, 0, f"status: {done.stderr[-600:]}")
    account, recorded, played = done.stdout.strip().splitlines()[-3:]
    equal(json.loads(account)["stored"], BLOCKS, "stored")
    blocks = split_blocks(base64.b64decode(recorded))
    equal([len(samples) for _, samples in blocks], [SAMPLES] * BLOCKS, "recorded samples")
    equal(len({samples for _, samples in blocks}) > 1, True, "samples differ")
    equal(split_blocks(base64.b64decode(played)) == blocks, True, "played as recorded")


def test_nexus(rig: Rig) -> None:
    """zio-nexus records what get writes to a pipe, with the losses."""
    topic, run = rig.topic(), rig.work / "run.nxs"
    numbers = [n for n in range(50) if n not in (30, 31)]
    blocks = b"".join(make_block(n, c) for n in numbers for c in range(2))
    rig.put(topic, blocks)
    words: Words = [PROGRAM, "get", "-b", rig.cluster.address, "-t", topic]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as get:
        nexus: Words = [NEXUS, "-", "-o", run, "--quiet", "--json"]
        done = subprocess.run(nexus, stdin=get.stdout, capture_output=True, text=True)
    equal([get.returncode, done.returncode], [0, 4], f"status: {done.stderr[-300:]}")
    result = json.loads(done.stdout)
    equal([result["blocks"], result["lost"]], [96, 4], "recorded and lost")
    whole = subprocess.run([NEXUS, "cat", run], capture_output=True, check=True).stdout
    for channel in range(2):
        wanted = b"".join(make_block(n, channel) for n in numbers)
        name = f"zzero-0000-0-{channel}"
        words = [NEXUS, "cat", "-c", name, run]
        found = subprocess.run(words, capture_output=True, check=True).stdout
        equal(found == wanted, True, f"blocks of {name}")
    equal(len(whole), len(blocks), "bytes of the recording")


def test_unit(rig: Rig) -> None:
    """The unit runs under systemd: it is ready, restarts, sends its spool, and stops."""
    need_root()
    topic, shared = rig.topic(), rig.work / "unit"
    blocks = make_blocks(range(100), nsamples=BIG)
    shared.mkdir()
    (shared / "blocks").write_bytes(blocks)
    words: Words = [TESTING / "machine/guest/unit-boot", shared, rig.cluster.address, topic]
    done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT)
    if done.returncode == 77:
        raise Skipped(done.stderr.strip())
    said = (shared / "said").read_text()
    if "not ok" in said or "the end" not in said:
        raise Wrong(f"{said[-1500:]}{done.stderr[-500:]}")
    found = rig.get(topic)
    equal(len(found) > 0 and blocks.endswith(found), True, "blocks of the spool")


TESTS = [test_playback, test_nexus, test_unit]
