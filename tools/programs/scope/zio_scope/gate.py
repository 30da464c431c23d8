# SPDX-License-Identifier: GPL-2.0-only
"""Lets connections in: few strangers at a time, for a short time, until they show that
they have the token."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from typing import Any

LOG = logging.getLogger("zio_scope")
# Connections that have not shown the token: the next one ends the oldest.
MAX_STRANGERS = 32
# They last for so long.
STRANGER_SECONDS = 15.0
RETRY_SECONDS = 1.0


class Gate:
    """Accepts connections of @listener. @factory makes the protocol for each."""

    def __init__(
        self,
        listener: socket.socket,
        factory: Callable[[], asyncio.BaseProtocol],
        tls: ssl.SSLContext | None,
    ) -> None:
        self._listener, self._factory, self._tls = listener, factory, tls
        self._strangers: dict[Any, asyncio.Task[None]] = {}
        self._tokens: dict[Any, asyncio.Event] = {}

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Accept connections for the time of the block."""
        accepting = asyncio.create_task(self._accept())
        try:
            yield
        finally:
            tasks = [accepting, *self._strangers.values()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def trust(self, peer: Any) -> None:
        """Let the connection from @peer stay: it has the token."""
        if event := self._tokens.get(peer):
            event.set()

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, peer = await loop.sock_accept(self._listener)
            except OSError as error:
                LOG.warning("cannot accept a connection: %s", error.strerror)
                await self._make_room()
                continue
            if len(self._strangers) >= MAX_STRANGERS:
                self._dismiss_oldest()
            self._tokens[peer] = asyncio.Event()
            self._strangers[peer] = asyncio.create_task(self._admit(connection, peer))

    async def _make_room(self) -> None:
        """Wait until another connection may be accepted."""
        if self._strangers:
            await asyncio.wait([self._dismiss_oldest()])
        else:
            await asyncio.sleep(RETRY_SECONDS)

    def _dismiss_oldest(self) -> asyncio.Task[None]:
        peer = next(iter(self._strangers))
        self._tokens.pop(peer)
        task = self._strangers.pop(peer)
        task.cancel()
        return task

    async def _admit(self, connection: socket.socket, peer: Any) -> None:
        """Serve a connection. End it if it does not show the token in time."""
        loop, event = asyncio.get_running_loop(), self._tokens[peer]
        transport = None
        try:
            async with asyncio.timeout(STRANGER_SECONDS):
                transport, _ = await loop.connect_accepted_socket(
                    self._factory, connection, ssl=self._tls
                )
                await event.wait()
        except (OSError, asyncio.CancelledError):  # also TimeoutError and SSLError
            if transport:
                transport.abort()
        finally:
            if self._tokens.get(peer) is event:
                del self._tokens[peer], self._strangers[peer]
