# SPDX-License-Identifier: GPL-2.0-only
"""Threads that read blocks: from a channel through its tap, or from a block file."""

import os
import stat
import time

import zio

from .spec import complain
from .values import (
    ARRAY,
    IMAGE,
    NUMBER,
    UNDEFINED,
    alarm_of,
    count_block,
    count_of,
    invalid,
    stamp_of,
    values_of_block,
    values_without_block,
)
from .variables import Variables

RETRY_SECONDS = 0.5
# If programs cannot map the buffer, a tap first returns the block after the last turn.
FRESH_SECONDS = 0.02
SAMPLES = {"": IMAGE.type, ":values": ARRAY.type}
ENDS = {**SAMPLES, ":lost": NUMBER.type}


def text_of(error: Exception) -> str:
    """Return a text for clients. A bug in the program shows the name of its exception."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return f"{type(error).__name__}: {error}"


class Source(zio.Reader):
    """Reads until stop(), and posts the newest block at most every @interval seconds.
    After an error, it reopens its source."""

    def __init__(self, name: str, variables: Variables, interval: float) -> None:
        super().__init__(name)
        self.source, self.variables, self.interval = name, variables, interval
        self._fault = ""

    def run(self) -> None:
        while not self.stopping.is_set():
            try:
                self.read()
            except zio.Interrupted:
                return
            except Exception as error:  # keep the thread: without it, values get stale
                self.report(error)
            self.pause()

    def pause(self) -> None:
        """Wait before the source is reopened."""
        self.stopping.wait(RETRY_SECONDS)

    def read(self) -> None:
        """Open the source, and post blocks until an error."""
        raise NotImplementedError

    def invalidate(self, text: str) -> None:
        """Tell clients that no blocks arrive."""
        raise NotImplementedError

    def report(self, error: Exception) -> None:
        is_gone = isinstance(error, OSError) and error.errno in zio.live.IS_GONE
        self.tell_fault(text_of(error), is_gone)

    def tell_fault(self, text: str, is_gone: bool) -> None:
        """Complain once, and tell clients."""
        if is_gone:
            text += "; waiting until it is back"
        if text != self._fault:
            is_told = text.startswith(f"{self.source}:")
            complain(text if is_told else f"{self.source}: {text}")
            self._fault = text
            self.invalidate(text)

    def recover(self) -> None:
        if self._fault:
            complain(f"{self.source}: is back")
        self._fault = ""


class ChannelSource(Source):
    """Looks at a channel through a tap, which takes no blocks from other programs."""

    def __init__(self, name: str, variables: Variables, interval: float) -> None:
        super().__init__(name, variables, interval)
        self.channel, self.due = zio.full_name(name), 0.0
        self.live = zio.live.watch(name, retry=RETRY_SECONDS)
        self.account, self._returned = zio.Account(name), 0
        alarm = invalid("no block has come yet", UNDEFINED)
        variables.post(self.channel, values_without_block(alarm))

    def invalidate(self, text: str) -> None:
        self.variables.set_alarm(self.channel, ENDS, invalid(text))

    def run(self) -> None:
        with self.live:
            super().run()

    def stop(self) -> None:
        super().stop()
        self.live.stop()

    def read(self) -> None:
        while not self.live.closed:
            self._take_turn()

    def _take_turn(self) -> None:
        """Post new blocks, or the reason why there are none."""
        blocks = self._turn(1.0)
        if self.live.state in ("gone", "error"):
            self.tell_fault(self.live.text, self.live.state == "gone")
        elif not blocks:
            self._tell_loss()
        elif self.interval:
            self.stopping.wait(max(self.due - time.monotonic(), 0.0))
            for timeout in 0.0, min(self.interval, FRESH_SECONDS):
                blocks = self._turn(timeout) or blocks
            self._post(blocks[-1])

    def _turn(self, timeout: float) -> list[zio.Block]:
        """Count and return new blocks. With an interval of 0, post each one."""
        blocks = self.live.turn(timeout)
        if self._returned != self.live.returned:
            self.account, self._returned = zio.Account(self.source), self.live.returned
        for block in blocks:
            count_block(self.account, block)
            if not self.interval:
                self._post(block)
        return blocks

    def _tell_loss(self) -> None:
        """Report losses while no block arrives: a reader has stopped reading."""
        loss = self.account.look()
        if loss.lost:
            self.variables.set_alarm(self.channel, SAMPLES, alarm_of(loss))
            stamp = stamp_of(time.time_ns())
            self.variables.post(self.channel, {":lost": count_of(loss.total, stamp)})

    def _post(self, block: zio.Block) -> None:
        self.recover()
        self.variables.post(self.channel, values_of_block(block, self.account.look()))
        self.account = self.account.next()
        self.due = time.monotonic() + self.interval


class FileSource(Source):
    """Reads a block file once, or a FIFO whenever a program writes to it."""

    def __init__(self, name: str, variables: Variables, interval: float) -> None:
        super().__init__(name, variables, interval)
        self.accounts: dict[str, zio.Account] = {}
        self.next: dict[str, float] = {}
        self.waiting: dict[str, zio.Block] = {}

    def invalidate(self, text: str) -> None:
        for channel in self.accounts:
            self.variables.set_alarm(channel, ENDS, invalid(text))

    def pause(self) -> None:
        if not is_fifo(self.source):
            self.stopping.wait()

    def read(self) -> None:
        with self.reading(zio.open(self.source)) as channel:
            try:
                while block := self._next(channel):
                    self._add(block)
            finally:
                self._post_waiting()
        self.report(OSError(0, "end of file"))

    def _next(self, channel: zio.Channel) -> zio.Block | None:
        """Return the next block. While waiting, post those that are due."""
        while self.waiting:
            due = min(self.next[name] for name in self.waiting)
            if channel.wait(max(due - time.monotonic(), 0.0)):
                break
            self._post_waiting()
        return channel.read()

    def _add(self, block: zio.Block) -> None:
        """Post a block. If it comes too soon, keep it until it is due, or replaced."""
        name = zio.printable(block.channel)
        count_block(self.accounts.setdefault(name, zio.Account()), block)
        if time.monotonic() >= self.next.get(name, 0.0):
            self.waiting.pop(name, None)
            self._post(name, block)
        else:
            self.waiting[name] = block.copy()

    def _post(self, name: str, block: zio.Block) -> None:
        self._fault = ""
        self.variables.post(name, values_of_block(block, self.accounts[name]))
        self.accounts[name] = self.accounts[name].next()
        self.next[name] = time.monotonic() + self.interval

    def _post_waiting(self) -> None:
        for name, block in self.waiting.items():
            self._post(name, block)
        self.waiting.clear()


def is_fifo(path: str) -> bool:
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except OSError:
        return False
