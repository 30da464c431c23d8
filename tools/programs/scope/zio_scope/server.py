# SPDX-License-Identifier: GPL-2.0-only
"""The web server: serves the page, and a web socket for each open page."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import zio
from aiohttp import WSCloseCode, web
from zio.cli import is_loopback

from . import security
from .client import LOG, Client
from .history import Point
from .hub import POLL_SECONDS, Hub, Offer

MAX_CLIENTS = 16
MAX_MESSAGE = 64 << 10
HEARTBEAT_SECONDS = 15
# A page shows its token at once: do not wait longer for one.
STRANGER_SECONDS = 15.0
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class Setup:
    """How the daemon is set up. @files has the parts of the page by name: type and bytes.
    They are not secret."""

    token: str
    address: str
    read_only: bool
    files: Mapping[str, tuple[str, bytes]]


class Server:
    """Owns the hub and the clients. Everything runs in one event loop."""

    def __init__(self, setup: Setup, offer: Offer) -> None:
        self.setup, self._offer = setup, offer
        self._clients: set[Client] = set()
        self._sockets: set[web.WebSocketResponse] = set()
        self.hub: Hub

    def application(self) -> web.Application:
        app = web.Application(middlewares=[self._guard])
        app.router.add_get("/ws", self._talk)
        app.router.add_get("/{name:.*}", self._get_file)
        app.cleanup_ctx.append(self._run_hub)
        app.on_shutdown.append(self._close)
        return app

    # --- access ---------------------------------------------------------------------

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            self._check(request)
            response = await handler(request)
        except web.HTTPException as error:
            error.headers.update(security.HEADERS)
            error.force_close()
            raise
        if not response.prepared:
            response.headers.update(security.HEADERS)
        return response

    def _check(self, request: web.Request) -> None:
        is_local = is_loopback(self.setup.address)
        if security.host_name(request.host) is None:
            raise web.HTTPBadRequest(text="Host: invalid name: use the printed URL\n")
        if not security.is_good_host(request.host, is_local):
            raise web.HTTPForbidden(
                text=f"{request.host}: not a name of this daemon: use the printed URL\n"
            )

    # --- the page -------------------------------------------------------------------

    async def _get_file(self, request: web.Request) -> web.Response:
        name = request.match_info["name"] or "index.html"
        if name not in self.setup.files:
            raise web.HTTPNotFound(text=f"/{name}: no such file: use the printed URL\n")
        kind, body = self.setup.files[name]
        return web.Response(body=body, content_type=kind, charset="utf-8")

    # --- the web socket -------------------------------------------------------------

    async def _talk(self, request: web.Request) -> web.StreamResponse:
        origin = request.headers.get("Origin")
        if not security.is_same_origin(origin, request.scheme, request.host):
            raise web.HTTPForbidden(
                text=f"{origin}: the page of another site: use the printed URL\n"
            )
        socket = web.WebSocketResponse(
            heartbeat=HEARTBEAT_SECONDS, max_msg_size=MAX_MESSAGE, compress=False
        )
        await socket.prepare(request)
        self._sockets.add(socket)
        try:
            if await self._admit(socket):
                await self._serve(request, socket)
        except ConnectionError:
            pass  # the page is gone
        finally:
            self._sockets.discard(socket)
        return socket

    async def _admit(self, socket: web.WebSocketResponse) -> bool:
        """Tell whether the page has the token and fits into the limit of pages."""
        text = "the token is wrong: open the URL that zio-scope prints"
        try:
            message = await socket.receive(STRANGER_SECONDS)
        except TimeoutError:
            return False
        if security.has_token(message.data, self.setup.token):
            if len(self._clients) < MAX_CLIENTS:
                return True
            text = f"{MAX_CLIENTS} pages are open already: close one"
        await socket.send_json({"type": "refused", "text": text})
        await socket.close()
        return False

    async def _serve(self, request: web.Request, socket: web.WebSocketResponse) -> None:
        if not (transport := request.transport):
            return
        read_only = self.setup.read_only
        client = Client(socket, transport, self.hub, read_only, self._tell_state)
        self._clients.add(client)
        tasks = [asyncio.create_task(work()) for work in (client.write, client.draw)]
        try:
            client.send(self._hello())
            client.send_state(self._state())
            await client.listen()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._clients.discard(client)
            self._watch()

    # --- messages -------------------------------------------------------------------

    def _hello(self) -> dict[str, Any]:
        points = [_point(point) for point in self.hub.history.points]
        return {
            "type": "hello",
            "version": zio.__version__,
            "readOnly": self.setup.read_only,
            "playable": self.hub.is_playable,
            "isFile": bool(self._offer.files),
            "history": points,
        }

    def _state(self) -> dict[str, Any]:
        channels = [
            {
                "name": trace.name,
                "index": trace.index,
                "state": trace.state,
                "text": trace.text,
                "unit": trace.unit,
                "rate": trace.rate,
                "isTap": trace.is_tap,
                **trace.counts(),
            }
            for trace in self.hub.traces().values()
        ]
        sets = [asdict(state) for state in self.hub.sets]
        is_full = self.hub.is_full
        return {"type": "state", "channels": channels, "sets": sets, "isFull": is_full}

    def _tell(self, message: dict[str, Any]) -> None:
        for client in self._clients:
            client.send(message)

    def _tell_state(self) -> None:
        self._watch()
        state = self._state()
        for client in self._clients:
            client.send_state(state)

    # --- background work ------------------------------------------------------------

    def _watch(self) -> None:
        views = [client.view for client in self._clients]
        names = {name for view in views for name in view.channels}
        names |= {view.spectrum[0] for view in views if view.spectrum}
        self.hub.watch(names)

    def _ring(self) -> None:
        for client in self._clients:
            client.wake()

    async def _poll(self) -> None:
        while True:
            try:
                await self._look()
            except Exception:
                LOG.exception("the state cannot be read; trying again")
            await asyncio.sleep(POLL_SECONDS)

    async def _look(self) -> None:
        point = await self.hub.poll()
        if point:
            self._tell({"type": "history", "points": [_point(point)]})
        self._tell_state()

    async def _run_hub(self, app: web.Application) -> AsyncIterator[None]:
        self.hub = Hub(self._offer, self._ring)
        await self.hub.poll()
        self.hub.start()
        polling = asyncio.create_task(self._poll())
        yield
        polling.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await polling
        self.hub.stop()

    async def _close(self, app: web.Application) -> None:
        ends = (
            socket.close(code=WSCloseCode.GOING_AWAY, message=b"the daemon ends")
            for socket in self._sockets
        )
        await asyncio.gather(*ends, return_exceptions=True)


def _point(point: Point) -> dict[str, Any]:
    rates = {
        name: [round(blocks, 2), round(size, 1), round(lost, 2)]
        for name, (blocks, size, lost) in point.rates.items()
    }
    return {"time": round(point.time, 3), "rates": rates}
