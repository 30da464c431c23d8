# SPDX-License-Identifier: LGPL-2.1-or-later
"""zio selftest: what it finds in blocks that are known, and what it leaves behind."""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zio
from zio import _estimate as estimate
from zio import _removal as removal
from zio import selftest

from .conftest import FakeBoard

PERIOD = 10_000_000
PROGRAM = Path(__file__).resolve().parents[3] / "tools/programs/selftest/zio-selftest"


def make_record(
    count: int = 200,
    period: float = PERIOD,
    host: float = PERIOD,
    jitter: float = 0.0,
    missing: tuple[int, ...] = (),
) -> estimate.Record:
    """Return a record of blocks: `period` by their stamps, `host` by the host's clock."""
    rng = np.random.default_rng(1)
    record = estimate.Record("realtime")
    for n in range(count):
        if n in missing:
            continue
        stamp = round(1_700_000_000 * 10**9 + n * period + rng.normal(0, 1) * jitter)
        arrival = round(5 * 10**9 + n * host + 100_000)
        record.add(n, stamp, arrival, 100_000)
    return record


def rate(record: estimate.Record, wanted: float | None = PERIOD) -> estimate.Check:
    return estimate.judge_rate(record, wanted, 0.01)


def test_line_of_known_times() -> None:
    numbers = np.array([0, 1, 2, 5, 6])
    line = estimate.fit(numbers, numbers * PERIOD + 1_700_000_000 * 10**9)
    assert line.period == pytest.approx(PERIOD, rel=1e-9)
    assert np.abs(line.residuals).max() < 1
    assert line.error < 1


def test_a_right_rate_passes_and_has_its_figures() -> None:
    check = rate(make_record())
    assert check.verdict == "passed", check.text
    assert check.figures["blocks_per_s"] == pytest.approx(100, rel=1e-6)
    assert check.figures["stamps_blocks_per_s"] == pytest.approx(100, rel=1e-6)
    assert check.figures["wanted_blocks_per_s"] == 100
    assert abs(check.figures["deviation_ppm"]) < 1


@pytest.mark.parametrize(
    "record, text",
    [
        (make_record(period=PERIOD * 1.02, host=PERIOD * 1.02), "98.0.* are expected"),
        (make_record(period=PERIOD * 0.97), "time stamps say 103"),
        (make_record(period=PERIOD * 0.97, missing=(3, 4, 5, 90)), "time stamps say 103"),
    ],
)
def test_a_wrong_rate_fails(record: estimate.Record, text: str) -> None:
    check = rate(record)
    assert check.verdict == "failed"
    assert re.search(text, check.text)


def test_a_loss_does_not_change_the_rate() -> None:
    check = rate(make_record(missing=tuple(range(50, 80))))
    assert check.verdict == "passed", check.text


def test_blocks_that_are_read_late_do_not_change_the_rate() -> None:
    """A program that begins late finds a queue; a stall makes a step."""
    record = make_record()
    for begin, end in (0, 40), (120, 150):
        for n in range(begin, end):
            record.arrivals[n] = record.arrivals[end] - 1000 * (end - n)
    check = rate(record)
    assert check.verdict == "passed", check.text
    assert check.figures["blocks_per_s"] == pytest.approx(100, rel=1e-3)


def test_a_rate_that_nobody_knows() -> None:
    check = rate(make_record(host=PERIOD, period=PERIOD), None)
    assert check.verdict == "passed"
    assert "wanted_blocks_per_s" not in check.figures


def test_a_scatter_that_hides_a_wrong_rate_is_no_pass() -> None:
    check = rate(make_record(count=20, period=PERIOD * 1.05, jitter=PERIOD))
    assert check.verdict == "skipped"
    assert "scatter" in check.text and "--seconds" in check.text


def test_few_blocks_are_no_rate() -> None:
    check = rate(make_record(count=3))
    assert check.verdict == "skipped"
    assert "3 blocks" in check.text


def test_the_jitter_is_that_of_the_times() -> None:
    check = estimate.judge_times(make_record(count=2000, jitter=50_000))
    assert check.verdict == "passed"
    assert check.figures["jitter_rms_us"] == pytest.approx(50, rel=0.1)
    assert check.figures["jitter_max_us"] > 100
    assert check.figures["latency_us"] == 100


def test_times_that_go_backwards_fail() -> None:
    record = make_record()
    record.stamps[100] = record.stamps[99] - 1
    check = estimate.judge_times(record)
    assert check.verdict == "failed"
    assert "1 of 200 time stamps is before the one of the block before" in check.text
    assert check.figures["backwards"] == 1


def test_a_time_in_the_future_fails() -> None:
    record = make_record()
    record.latencies[7] = -2_000_000
    check = estimate.judge_times(record)
    assert check.verdict == "failed" and "in the future" in check.text


def test_numbers_that_begin_anew_fail() -> None:
    record = make_record()
    record.restarts = 1
    check = estimate.judge_loss(record, 0, 0, "idle")
    assert check.verdict == "failed" and "begin anew" in check.text


def test_a_lost_block_fails() -> None:
    check = estimate.judge_loss(make_record(missing=(9,)), 1, 0, "busy")
    assert check.verdict == "failed"
    assert check.figures == {"blocks": 199, "lost": 1, "lost_events": 0, "taken": 0}
    assert "1 block lost of 200" in check.text
    assert estimate.judge_loss(make_record(), 0, 0, "busy").verdict == "passed"
    events = estimate.judge_loss(make_record(), 0, 3, "busy")
    assert events.verdict == "failed" and "3 events" in events.text


@pytest.mark.parametrize("count", [3, 200])
def test_blocks_of_another_reader_are_no_pass(count: int) -> None:
    record = make_record(count=count)
    record.taken = 3
    check = estimate.judge_loss(record, 0, 0, "idle")
    assert check.verdict == "failed" and check.figures["taken"] == 3
    assert "another reader took 3 blocks" in check.text


def test_few_blocks_are_no_loss() -> None:
    """A trigger that never fires, or once, is no board that passes."""
    assert estimate.judge_loss(make_record(count=1), 0, 0, "idle").verdict == "skipped"
    assert estimate.judge_loss(make_record(count=1), 2, 0, "idle").verdict == "failed"


@pytest.mark.parametrize("noise, verdict", [(0.05, "passed"), (3.0, "failed")])
def test_a_loop_is_found_where_it_is(noise: float, verdict: str) -> None:
    rng = np.random.default_rng(2)
    sent = rng.normal(0, 1, 4000)
    heard = np.concatenate([np.zeros(123), 0.5 * sent])
    heard += rng.normal(0, noise, len(heard))
    check = estimate.judge_loop(sent, heard)
    assert check.verdict == verdict
    assert check.figures["delay_samples"] == 123
    if verdict == "passed":
        assert check.figures["gain"] == pytest.approx(0.5, rel=0.02)


def test_an_input_that_hears_nothing() -> None:
    check = estimate.judge_loop(np.ones(100), np.zeros(200))
    assert check.verdict == "failed"


# --- the program ------------------------------------------------------------------------


def put_counts(board: FakeBoard, blocks: int = 0, lost: int = 0) -> None:
    counts = {"statistics/lost_triggers": 0, "chan0/statistics/blocks": blocks}
    counts["chan0/statistics/lost_blocks"] = lost
    for name, count in counts.items():
        path = board.device / "cset0" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{count}\n")


def start(board: FakeBoard, *words: str) -> subprocess.Popen[str]:
    (board.sysfs / "bus/zio/version").write_text("1.4\n")
    put_counts(board)
    return subprocess.Popen(
        [sys.executable, PROGRAM, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def feed(board: FakeBoard, child: subprocess.Popen[str]) -> None:
    """Give blocks as the program reads them, until it has ended."""
    for seq in itertools.count():
        if child.poll() is not None:
            return
        board.put(0, seq)


@pytest.fixture
def child_of_board(board: FakeBoard) -> Any:
    children = []

    def run(*words: str) -> subprocess.Popen[str]:
        child = start(board, *words)
        children.append(child)
        threading.Thread(target=feed, args=(board, child), daemon=True).start()
        return child

    yield run
    for child in children:
        child.kill()
        child.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_restores_all(
    board: FakeBoard, child_of_board: Any, number: signal.Signals
) -> None:
    before = board.settings()
    child = child_of_board("zzero", "-s", "60")
    trigger = board.device / "cset0/current_trigger"
    while trigger.read_text().strip() != "hrt" or not child.stdout:
        assert child.poll() is None, child.communicate()
    child.send_signal(number)
    assert child.wait(30) == 128 + number
    after = board.settings()
    assert {k: v for k, v in after.items() if "/statistics/" not in k} == before


@pytest.mark.parametrize("name", ["zzero-0000", "zother-0000"])
def test_two_at_once(board: FakeBoard, name: str) -> None:
    """The second does not begin: its settings would be those of the first."""
    other = board.device.parent / "zother-0000"
    shutil.copytree(board.device, other)
    (other / "cset0/direction").write_text("output\n")
    fd = os.open(board.device.parent / name, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    child = start(board, "zzero", "-s", "60", "--loop=zother")
    err = child.communicate()[1]
    os.close(fd)
    assert child.returncode == 3
    assert f"{name}: another zio selftest is running" in err


def test_errors_name_object_cause_and_remedy(
    board: FakeBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    for words, status, text in (
        (["none"], 3, "none: no such device or channel; there are: zzero-0000"),
        ([], 2, "DEVICE"),
        (["zzero/0/trigger"], 1, "is a trigger: name a device, set or channel"),
        (["zzero", "-s", "0"], 2, "is not from"),
        (["zzero/0", "-p", "0.0000015555"], 2, "is a whole number"),
        (["zzero", "-o", "/none/x"], 1, "cannot write /none/x: No such file"),
        (["zzero", "--loop=none"], 3, "none: no such device or channel"),
        (["zzero", "--loop=zzero/0"], 1, "zzero/0: this is not an output"),
    ):
        child = start(board, *words)
        out, err = child.communicate()
        assert child.returncode == status, err
        assert text in err, err
        assert "rate" not in out, "it has measured"


def test_a_report_without_room(board: FakeBoard, child_of_board: Any) -> None:
    child = child_of_board("zzero", "-s", "0.1", "-o", "/dev/full")
    out, err = child.communicate()
    assert "result:" in out
    assert child.returncode == 1
    assert "cannot write /dev/full: No space left on device" in err


class Rivals:
    """A listener to a board, and the blocks that it gets from it."""

    def __init__(self, board: FakeBoard, channel: zio.Channel) -> None:
        self.board = board
        place = selftest.find_places("zzero/0/0")[0]
        self.listener = selftest.Listener(place, channel)

    def hear(self, *numbers: int, alarms: int = 0) -> estimate.Record:
        """Return what it notes of these blocks, and of the empty queue after them."""
        for number in numbers:
            self.board.put(0, number, alarms=alarms)
        return self.listener.listen(0.1)[0]


def test_another_reader(board: FakeBoard) -> None:
    """Numbers that are missing and not lost are those of another reader. What an old
    queue has lost shows when it has been read: the kernel counted that before."""
    put_counts(board)
    with zio.open("zzero-0-0", nonblock=True) as channel:
        rivals = Rivals(board, channel)
        assert rivals.hear(0, 50).taken == 0
        assert rivals.hear(90).taken == 0
        assert rivals.hear(91, 95, 97).taken == 4
        put_counts(board, lost=7)
        assert rivals.hear(105, alarms=1).taken == 0
        assert rivals.hear(106, 108).taken == 1
        assert len(rivals.hear().numbers) == 0


def test_a_reader_that_takes_all(board: FakeBoard) -> None:
    """No number tells it, but the kernel has counted blocks. They are told once."""
    put_counts(board, 100)
    with zio.open("zzero-0-0", nonblock=True) as channel:
        rivals = Rivals(board, channel)
        assert rivals.hear(4).taken + rivals.hear(5).taken == 0
        put_counts(board, 150)
        assert rivals.hear().taken == 50
        put_counts(board, 151)
        assert rivals.hear(56).taken == 0
        assert rivals.hear(57, 59).taken == 1


class Options:
    """Options of the program as they are without words."""

    def __new__(cls, *words: str) -> Any:
        return selftest.make_parser().parse_words([*words, "zzero"])


def test_what_an_output_is_not_asked(board: FakeBoard) -> None:
    (board.device / "cset0/direction").write_text("output\n")
    (board.sysfs / "bus/zio/version").write_text("1.4\n")
    before = board.settings()
    report = selftest.run_tests("zzero", Options())
    checks = report["sets"][0]["checks"]
    assert [check["verdict"] for check in checks] == ["skipped"]
    assert "--play" in checks[0]["text"]
    assert report["result"] == "nothing was measured"
    assert board.settings() == before
    json.dumps(report)


def test_the_manual_page_has_all_options() -> None:
    page = PROGRAM.parents[2] / "man/zio-selftest.1.md"
    text = page.read_text().replace("\\", "")
    names = [n for a in selftest.make_parser()._actions for n in a.option_strings]
    assert [name for name in names if f"**{name}**" not in text] == []


def test_the_load_ends() -> None:
    with selftest.load() as count:
        found = os.listdir(f"/proc/{os.getpid()}/task/{os.getpid()}")
        assert count == os.cpu_count() and found
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_period_of_the_settings(board: FakeBoard) -> None:
    cset = zio.find("zzero/0")
    assert selftest.wanted_period(cset) == 10**9
    (board.device / "cset0/trigger/period-ns").unlink()
    assert selftest.wanted_period(cset) is None
    assert selftest.wanted_period(cset, 480, 96_000.0) == 5_000_000
    (board.device / "cset0/rate").write_text("48000\n")
    assert selftest.wanted_period(cset, 480) == 10_000_000
    assert selftest.wanted_period(cset, 480, 96_000.0) == 10_000_000


@pytest.mark.parametrize("status", [0, 1])
def test_settings_around_a_removal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    """Those of the board alone, and what refers to it. A failure is told."""
    program = tmp_path / "zio"
    program.write_text(
        "#!/bin/sh\nif [ $1 = save ]; then echo load zio; echo zadc-0000/x=1\n"
        "echo zzero-0000/cset0/enable=0\n"
        "echo zadc-0000/source=zzero-0000-0-1; exit 1; fi\n"
        f"cat >{tmp_path}/given; echo zio: refused >&2; exit {status}\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    failed = False
    try:
        with removal._kept_settings("zzero-0000"):
            assert not (tmp_path / "given").exists()
    except zio.cli.Failure as failure:
        failed = "zzero-0000: cannot restore its settings: zio: refused" in str(failure)
    assert failed == bool(status)
    assert (tmp_path / "given").read_text().splitlines() == [
        "zzero-0000/cset0/enable=0",
        "zadc-0000/source=zzero-0000-0-1",
    ]


def test_a_board_without_a_driver_stays(board: FakeBoard) -> None:
    check = removal.check_removal(zio.find("zzero"), "zzero-0-0")
    assert (check.verdict, check.text) == (
        "skipped",
        "zzero-0000: no driver to unbind from it",
    )
