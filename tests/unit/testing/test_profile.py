# SPDX-License-Identifier: GPL-2.0-only
"""The traces of bench/profile: what ran, and whether it was what the method says"""

import collections
import dataclasses
import sys
from pathlib import Path

import pytest

from zio_testing.common import ROOT

sys.path.append(str(ROOT / "bench"))
from suite import trace  # noqa: E402
from suite.machine import Failure  # noqa: E402

# The driver's function has two names, and what follows it is another module.
KALLSYMS = """\
ffffffff81000000 T entry_SYSCALL_64
ffffffff81000100 T zio_trigger_fire_at\t[zio]
ffffffff81000140 T zio_channel_reclaim\t[zio]
ffffffff81000180 t chardev_read_data_plain\t[zio]
ffffffff810001c0 t ring_publish\t[zio]
ffffffffc0000000 t zero_input\t[zio_zero]
ffffffffc0000000 t zero_alias\t[zio_zero]
ffffffffc0000040 t hrt_fire\t[zio_trig_hrt]
0000000000000000 A fixed_percpu_data
"""
CALL, FIRE, RECLAIM, READ, PUBLISH = (
    0xFFFFFFFF81000000 + at for at in (0, 0x100, 0x140, 0x180, 0x1C0)
)
INPUT, HRT = 0xFFFFFFFFC0000000, 0xFFFFFFFFC0000040


def trace_of(counts: dict[int, int]) -> trace.Trace:
    return trace.attribute(collections.Counter(counts), trace.Symbols(KALLSYMS))


def test_lines_of_the_emulator(tmp_path: Path) -> None:
    file = tmp_path / "trace"
    line = "Trace 0: 0x7f12 [0000000000000000/ffffffffc0000004/0040c0b0/ff000000] zero\n"
    file.write_text(line * 3 + "Stopped execution of TB chain before 0x7f12\n")
    assert trace.count_addresses(file) == {INPUT + 4: 3}


def test_instructions_and_calls() -> None:
    found = trace_of({0x400123: 7, INPUT: 2, INPUT + 4: 3, HRT + 4: 5})
    assert found.instructions == {"user space": 7, "zero_alias": 5, "hrt_fire": 5}
    # A function that was entered is called by each of its names; hrt_fire() was not.
    assert found.calls == {"zero_input": 2, "zero_alias": 2}
    assert found.symbols.modules["hrt_fire"] == "zio_trig_hrt"


WAYS: dict[str, tuple[str, dict[int, int], int]] = {
    "a block is a call": ("read", {CALL: 5, INPUT: 5, READ: 5}, 5),
    "a block is two calls": ("ctrl+read", {CALL: 10, INPUT: 5, READ: 5}, 5),
    "a block is what the driver does": ("bulk", {CALL: 1, INPUT: 500}, 500),
    "many blocks are a call": ("ring", {INPUT: 500, PUBLISH: 40}, 500),
    "buffers are full": ("hrt-full", {FIRE: 3, RECLAIM: 300}, 3),
    "the trace ends in a block": ("read", {CALL: 100, INPUT: 99, READ: 100}, 100),
}
OTHERS: dict[str, tuple[str, dict[int, int], str]] = {
    "buffers have room": (
        "hrt-full",
        {FIRE: 3, RECLAIM: 200, INPUT: 100},
        "100 calls of zero_input",
    ),
    "nothing is lost": ("hrt-full", {FIRE: 3}, "0 calls of zio_channel_reclaim"),
    "the driver does nothing": ("read", {CALL: 5, READ: 5}, "0 calls of zero_input"),
    "it does too little": ("read", {CALL: 5, READ: 5, INPUT: 4}, "4 calls of zero_input"),
    "the ring is not used": ("ring", {INPUT: 500}, "0 calls of ring_publish"),
    "no event": ("hrt-read", {INPUT: 3, READ: 3}, "no call of zio_trigger_fire_at"),
    "no such function": ("stream-ring", {}, "no function zio_channel_complete"),
}


def way_of(method: str) -> trace.Way:
    """The functions that these symbols have."""
    way = trace.WAYS[method]
    return dataclasses.replace(
        way, runs=tuple(name for name in way.runs if f" {name}\t" in KALLSYMS)
    )


@pytest.mark.parametrize("what", WAYS)
def test_blocks(what: str) -> None:
    method, counts, blocks = WAYS[what]
    assert trace_of(counts).blocks_of(way_of(method)) == blocks


@pytest.mark.parametrize("what", OTHERS)
def test_another_way_is_a_failure(what: str) -> None:
    method, counts, reason = OTHERS[what]
    with pytest.raises(Failure, match=reason):
        trace_of(counts).blocks_of(way_of(method))


def test_each_function_is_one_of_the_source() -> None:
    """The compiler keeps the names of functions that are global, or in a table."""
    files = [*(ROOT / "zio-core").rglob("*.c"), *(ROOT / "drivers/zero").glob("*.c")]
    text = "".join(file.read_text() for file in files)
    for way in trace.WAYS.values():
        for name in {way.per, *way.runs, *way.rare, *way.never} - {trace.SYSTEM_CALL}:
            assert (
                f"EXPORT_SYMBOL_GPL({name})" in text
                or f" = {name}," in text
                or (f"struct zio_block *{name}(" in text)
            ), name
