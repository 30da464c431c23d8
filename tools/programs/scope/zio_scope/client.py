# SPDX-License-Identifier: GPL-2.0-only
"""One page: what it wants to see, and what it is sent."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import zio
from aiohttp import WSMsgType, web

from . import machine, picture
from .frame import FLAG_TRIGGERED, Frame, encode
from .hub import Hub
from .machine import Refused
from .reader import RATE
from .view import BadRequest, View, parse_view

# Frames sent to the page but not yet drawn
WINDOW = 2
LOG = logging.getLogger("zio_scope")
# Drop a page that does not read once this many messages wait, or after this time.
MESSAGES = 64
PATIENCE_SECONDS = 10.0
# Draw larger pictures in a thread, so that other pages need not wait.
SMALL = 1 << 18


class Client:
    """Sends frames when the page has drawn the last ones, up to RATE per second.

    Each client writes in a task of its own, so that no page waits for another."""

    def __init__(
        self,
        socket: web.WebSocketResponse,
        transport: asyncio.Transport,
        hub: Hub,
        read_only: bool,
        changed: Callable[[], None],
    ) -> None:
        self._socket, self._hub, self._changed = socket, hub, changed
        self._transport = transport
        self._queue: asyncio.Queue[str | bytes | None] = asyncio.Queue(MESSAGES)
        self._state: dict[str, Any] | None = None
        self.read_only = read_only
        self.view = View()
        self._wake = asyncio.Event()
        self._sent = self._drawn = 0
        self._held: picture.Snapshot | None = None
        self._shown: object = None

    def wake(self) -> None:
        self._wake.set()

    def send(self, message: dict[str, Any]) -> None:
        self._put(_encode(message))

    def send_state(self, state: dict[str, Any]) -> None:
        """Send the newest state. It replaces one that is still waiting."""
        is_waiting = self._state is not None
        self._state = state
        if not is_waiting:
            self._put(None)

    def _put(self, message: str | bytes | None) -> None:
        if self._transport.is_closing():
            return
        try:
            self._queue.put_nowait(message)
        except asyncio.QueueFull:
            self._drop(f"{MESSAGES} messages are waiting")

    def _drop(self, why: str) -> None:
        peer = self._transport.get_extra_info("peername")
        LOG.warning("the page at %s does not read (%s): dropped it", peer, why)
        self._transport.abort()

    async def write(self) -> None:
        """Send the messages in the queue until the task is cancelled."""
        while True:
            message = await self._queue.get()
            if message is None:
                assert self._state is not None
                message, self._state = _encode(self._state), None
            try:
                await asyncio.wait_for(self._send(message), PATIENCE_SECONDS)
            except asyncio.TimeoutError:
                self._drop(f"one message took {PATIENCE_SECONDS:g} s")
            except ConnectionError:
                self._transport.abort()

    async def _send(self, message: str | bytes) -> None:
        if isinstance(message, str):
            await self._socket.send_str(message)
        else:
            await self._socket.send_bytes(message)

    # --- from the page ------------------------------------------------------------------

    async def listen(self) -> None:
        """Handle messages until the page closes the connection."""
        async for message in self._socket:
            if message.type != WSMsgType.TEXT:
                self.send({"type": "error", "text": "use text messages"})
                continue
            try:
                await self._handle(json.loads(message.data))
            except (BadRequest, ValueError, RecursionError) as error:
                self.send({"type": "error", "text": str(error)})

    async def _handle(self, message: Any) -> None:
        if not isinstance(message, dict):
            raise BadRequest("use an object with a type")
        kind = message.get("type")
        if kind == "view":
            self._set_view(parse_view(message))
            self._changed()
        elif kind == "ack":
            self._acknowledge(message.get("frame"))
        elif kind == "set":
            await self._set(message)
        elif kind == "play":
            self._hub.play_again()
        else:
            raise BadRequest(f"no such message: {kind}: use view, ack, set or play")

    def _set_view(self, view: View) -> None:
        if view.paused and not self.view.paused:
            self._held = picture.take_snapshot(self._hub.traces().values())
        if not view.paused:
            self._held = None
        self.view = view
        self.wake()

    def _acknowledge(self, number: Any) -> None:
        if isinstance(number, int) and self._drawn < number <= self._sent:
            self._drawn = number
            self.wake()

    async def _set(self, message: dict[str, Any]) -> None:
        names = ("object", "attribute", "value")
        words = [message.get(name) for name in names]
        if not all(isinstance(word, str) for word in words):
            raise BadRequest("set: object, attribute and value: use text")
        reply = {"type": "set", "serial": message.get("serial"), "ok": True, "text": ""}
        try:
            if self.read_only:
                raise Refused("the scope is read-only: start it without --read-only")
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(None, machine.change, *words, self._hub.sets)
        except Refused as error:
            reply.update(ok=False, text=str(error))
        self.send(reply)
        await self._hub.poll()
        self._changed()

    # --- to the page --------------------------------------------------------------------

    async def draw(self) -> None:
        """Send frames until the task is cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            if self._sent - self._drawn >= WINDOW:
                continue  # the acknowledgement wakes it
            begin = time.monotonic()
            if await self._try_to_send():
                await asyncio.sleep(max(0.0, 1 / RATE - (time.monotonic() - begin)))

    async def _try_to_send(self) -> bool:
        """Send the picture. A bug in the program costs this picture only."""
        try:
            return await self._send_frames()
        except Exception as error:
            LOG.exception("a picture cannot be drawn")
            text = zio.printable(f"{type(error).__name__}: {error}")
            text = f"the picture cannot be drawn: {text}: see the log of zio-scope"
            self.send({"type": "error", "text": text})
            return False

    def _snapshot(self) -> picture.Snapshot:
        if self._held is not None:
            return self._held
        traces = self._hub.traces()
        names = set(self.view.channels)
        if self.view.spectrum:
            names.add(self.view.spectrum[0])
        return picture.take_snapshot(traces[n] for n in names if n in traces)

    async def _send_frames(self) -> bool:
        """Send the picture. Return False if the page already shows it."""
        view, snapshot = self.view, self._snapshot()
        newest = {n: id(blocks[-1]) for n, (_, blocks) in snapshot.items() if blocks}
        shown = (view.serial, newest)
        if shown == self._shown:
            return False
        self._shown = shown
        frames = await self._make(snapshot, view)
        for frame in frames:
            self._sent = frame.number
            self._put(encode(frame))
        if frames and view.trigger.mode == "single" and frames[0].flags & FLAG_TRIGGERED:
            await self._end_single(view, snapshot)
        return bool(frames)

    async def _make(self, snapshot: picture.Snapshot, view: View) -> list[Frame]:
        sizes = [len(b.samples) for _, blocks in snapshot.values() for b in blocks[-1:]]
        if sum(sizes) * view.blocks <= SMALL:
            return self._frames(snapshot, view)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(None, self._frames, snapshot, view)

    def _frames(self, snapshot: picture.Snapshot, view: View) -> list[Frame]:
        makers = (picture.waveform, picture.spectrum)
        made = [make(snapshot, view, 0) for make in makers]
        frames = [frame for frame in made if frame]
        return [replace(f, number=self._sent + i) for i, f in enumerate(frames, 1)]

    async def _end_single(self, view: View, snapshot: picture.Snapshot) -> None:
        if view is self.view:
            self.view, self._held = replace(view, paused=True), snapshot
            self.send({"type": "paused", "text": "single: the waveform crossed"})


def _encode(message: dict[str, Any]) -> str:
    return json.dumps(message, separators=(",", ":"))
