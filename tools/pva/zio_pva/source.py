# SPDX-License-Identifier: GPL-2.0-only
"""Channels that are read, and their process variables"""

import sys
import threading
import time

from p4p.server import StaticProvider
from p4p.server.thread import SharedPV

import zio

from .values import array_of, count_of, image_of


class Source:
    """Reads one channel, and posts its newest block at most each @interval seconds."""

    def __init__(self, name: str, prefix: str, interval: float) -> None:
        self.channel = open_channel(name)
        self.name, self.prefix, self.interval = name, prefix, interval
        self.variables: dict[str, SharedPV] = {}
        self.lost = self.posted = 0
        self.error: zio.Error | None = None
        self.provider = StaticProvider(name)
        self.thread = threading.Thread(target=self.run, name=name, daemon=True)

    def run(self) -> None:
        try:
            self.read()
        except zio.Interrupted:
            pass
        except zio.Error as error:
            print(f"zio-pva: {error}", file=sys.stderr)
            self.error = error

    def read(self) -> None:
        """Post blocks; one that comes too soon waits until the next one, or the end."""
        due, last = 0.0, None
        for block in self.channel:
            self.lost += block.lost
            if time.monotonic() >= due:
                self.post(block)
                due, last = time.monotonic() + self.interval, None
            else:
                last = block.copy()
        if last is not None:
            self.post(last)

    def post(self, block: zio.Block) -> None:
        base = f"{self.prefix}{block.channel}"
        values = {
            base: image_of(block, self.lost),
            f"{base}:values": array_of(block),
            f"{base}:lost": count_of(self.lost, block),
        }
        for name, value in values.items():
            if name in self.variables:
                self.variables[name].post(value)
            else:
                # PVAccess refuses every put to a variable that has no handler.
                self.variables[name] = SharedPV(initial=value)
                self.provider.add(name, self.variables[name])
        self.posted += 1

    def stop(self) -> None:
        self.channel.interrupt()
        self.thread.join()
        self.channel.close()
        for variable in self.variables.values():
            variable.close()


def open_channel(name: str) -> zio.Channel:
    """Open a block file, or a tap of a channel: a tap takes no block from recorders."""
    channel = zio.open(name)
    if channel.is_file:
        return channel
    channel.close()
    return zio.open(name, tap=True)
