# SPDX-License-Identifier: LGPL-2.1-or-later
"""What has come of a channel, and what is missing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import zio

from .conftest import FakeBoard, Maker, make_control

Lose = Callable[[int], None]
NAME = "zzero-0-2"


def counts_of(account: zio.Account) -> tuple[int, ...]:
    return account.missing, account.lost, account.total


@pytest.fixture
def lose(board: FakeBoard) -> Lose:
    """Give what sets the counter of lost blocks in the kernel."""
    counter = board.device / "cset0/chan2/statistics/lost_blocks"
    counter.parent.mkdir()

    def set_counter(number: int) -> None:
        counter.write_text(f"{number}\n")

    set_counter(0)
    return set_counter


def empty_block(seq: int, alarms: int = 0) -> zio.Block:
    control = make_control(seq, 0, 1)
    control["zio_alarms"] = alarms
    return zio.controls.block_of(control)


def test_blocks_of_a_file(block_file: Maker) -> None:
    """Another reader took what is missing, if no alarm tells of a loss."""
    account = zio.Account()
    with zio.open(block_file([0, 1, 4, 9])) as channel:
        for block in channel:
            place = account.add(block)
            assert place.time_ns == block.time_ns and account.place is place
    assert (account.blocks, account.bytes, account.gaps) == (4, 4 * 64, 2)
    assert counts_of(account.look()) == (6, 0, 0)


def test_the_next_account() -> None:
    """It has the sum of the losses, and goes on where the one before ended."""
    account = zio.Account()
    for seq, alarms in (0, 0), (3, 1), (4, 2):
        account.add(empty_block(seq, alarms))
    assert counts_of(account.look()) == (2, 2, 2)
    assert (account.missed, account.gaps) == (1, 1)
    after = account.next()
    assert (after.blocks, after.bytes, after.gaps, after.missed) == (0, 0, 0, 0)
    assert counts_of(after.look()) == (0, 0, 2)
    after.add(empty_block(6, 1))
    assert counts_of(after.look()) == (1, 1, 3)


def test_a_time_that_is_none() -> None:
    """The block counts, without a time."""
    account = zio.Account()
    account.add(empty_block(0))
    for field, value in ("secs", 2**64 - 1), ("ticks", 0):
        control = make_control(5, 0, 1)
        control["zio_alarms"] = 1
        control["tstamp"][field] = value
        if not value:
            control["attr_trigger"]["std_mask"] = 1 << 5  # half of a rate
        place = account.add(zio.controls.block_of(control))
        assert place.time_ns is None
        account.add(empty_block(0))
    assert counts_of(account) == (8, 8, 8)


def test_alarms() -> None:
    """Those of all blocks together"""
    account = zio.Account()
    for alarms in 1, 6:
        control = make_control(0, 0, 1)
        control["drv_alarms"], control["zio_alarms"] = alarms, alarms % 4
        account.add(zio.controls.block_of(control))
    assert account.device_alarms == 7
    assert account.alarms == {"lost-block", "lost-trigger"}
    assert not account.next().alarms


def test_what_a_tap_passes_over_is_not_lost(block_file: Maker, lose: Lose) -> None:
    """The kernel counts what is lost, also while no block comes."""
    lose(7)
    account = zio.Account(NAME)
    with zio.open(block_file([0, 5])) as channel:
        for block in channel:
            account.add(block)
    assert counts_of(account.look()) == (4, 0, 7)
    lose(9)
    assert counts_of(account.look()) == (4, 2, 9)
    lose(10)
    assert counts_of(account.next().look()) == (0, 1, 10)


def test_a_counter_that_begins_anew(lose: Lose) -> None:
    """That is no loss, and does not make one good."""
    lose(5)
    account = zio.Account(NAME)
    for number, lost in ((6, 1), (2, 1), (3, 2)):
        lose(number)
        assert counts_of(account.look()) == (0, lost, number)


def test_a_device_that_is_gone_tells_nothing(
    board: FakeBoard, lose: Lose, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose(4)
    account = zio.Account(NAME)
    monkeypatch.setenv("ZIO_SYSFS", str(board.sysfs / "nothing"))
    assert counts_of(account.look()) == (0, 0, 4)
    assert counts_of(account.next().look()) == (0, 0, 4)
