# SPDX-License-Identifier: GPL-2.0-only
"""The server, asked over a socket as a browser and as an attacker would."""

from __future__ import annotations

import asyncio
import contextlib
import os
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import blocks
import numpy as np
import pytest
from aiohttp import web
from zio_scope import picture
from zio_scope.hub import MAX_TRACES, Offer
from zio_scope.server import Server, Setup

TOKEN = "a-token-of-the-tests"
FILES = {"index.html": ("text/html", b"page"), "main.js": ("text/javascript", b"code")}
Session = aiohttp.ClientSession
Test = Callable[[Session, str], Awaitable[None]]


def run(test: Test, *files: Path, **setup: Any) -> None:
    """Serve the files, and run @test with a session and the URL of the server."""

    async def serve() -> None:
        offer = Offer((), tuple(map(str, files)), speed=0)
        options: dict[str, Any] = {
            "address": "127.0.0.1",
            "port": 1,
            "read_only": False,
            **setup,
        }
        server = Server(Setup(token=TOKEN, files=FILES, **options), offer)
        runner = web.AppRunner(server.application(), access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        address = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            async with Session() as session:
                await asyncio.wait_for(test(session, address), 30)
        finally:
            await runner.cleanup()

    asyncio.run(serve())


async def status_of(session: Session, url: str, **options: Any) -> int:
    async with session.get(url, **options) as reply:
        return reply.status


@pytest.mark.parametrize("path", ["", "main.js", "ws", "nothing", "ws?token=wrong"])
def test_nothing_without_the_token(path: str) -> None:
    async def test(session: Session, url: str) -> None:
        assert await status_of(session, f"{url}/{path}") == 403
        cookie = {"zio-scope-1": "wrong"}
        assert await status_of(session, f"{url}/{path}", cookies=cookie) == 403

    run(test)


def test_the_token_gives_a_cookie() -> None:
    async def test(session: Session, url: str) -> None:
        async with session.get(f"{url}/?token={TOKEN}") as reply:
            assert (reply.status, await reply.text()) == (200, "page")
            cookie = reply.headers["Set-Cookie"]
            assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
            csp = reply.headers["Content-Security-Policy"]
            assert "default-src 'none'" in csp and "unsafe" not in csp
            assert reply.headers["Referrer-Policy"] == "no-referrer"
        jar = {"zio-scope-1": TOKEN}
        assert await status_of(session, f"{url}/main.js", cookies=jar) == 200
        assert await status_of(session, f"{url}/nothing", cookies=jar) == 404

    run(test)


def test_a_page_of_another_site_gets_no_socket() -> None:
    async def test(session: Session, url: str) -> None:
        for origin, is_good in (("http://evil.example", False), (url, True)):
            headers = {"Origin": origin}
            socket = session.ws_connect(f"{url}/ws?token={TOKEN}", headers=headers)
            if is_good:
                async with socket as good:
                    assert (await good.receive_json())["type"] == "hello"
                continue
            with pytest.raises(aiohttp.WSServerHandshakeError) as error:
                await socket
            assert error.value.status == 403

    run(test)


def test_a_name_that_points_here_is_refused() -> None:
    async def test(session: Session, url: str) -> None:
        wanted = {"evil.example": 403, "localhost:1": 200}
        for host, status in wanted.items():
            found = await status_of(
                session, f"{url}/?token={TOKEN}", headers={"Host": host}
            )
            assert found == status

    run(test)


@contextlib.asynccontextmanager
async def talk(session: Session, url: str) -> AsyncIterator[Any]:
    """Open the web socket as the page does."""
    async with session.ws_connect(f"{url}/ws?token={TOKEN}") as socket:
        yield socket


async def wait_for_channel(socket: Any) -> None:
    while not (await receive(socket, "state"))["channels"]:
        pass


async def receive(socket: Any, kind: str) -> dict[str, Any]:
    while True:
        message = await socket.receive(timeout=20)
        if message.type == aiohttp.WSMsgType.TEXT and message.json()["type"] == kind:
            found: dict[str, Any] = message.json()
            return found


async def receive_frame(socket: Any) -> bytes:
    while True:
        message = await socket.receive(timeout=20)
        if message.type == aiohttp.WSMsgType.BINARY:
            return bytes(message.data)


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    path = tmp_path / "run7.zio"
    path.write_bytes(blocks.recording(10, 64, channels=2, without=(4,)))
    return path


def test_frames_and_state_of_a_file(recording: Path) -> None:
    async def test(session: Session, url: str) -> None:
        async with talk(session, url) as socket:
            assert (await receive(socket, "hello"))["playable"]
            state: dict[str, Any] = {"channels": []}
            while not state["channels"] or state["channels"][0]["state"] != "ended":
                state = await receive(socket, "state")
            first = state["channels"][0]
            assert (first["name"], first["blocks"], first["lost"]) == (
                "zzero-0000-0-0", 9, 1,
            )  # fmt: skip
            view = {"type": "view", "serial": 5, "channels": ["zzero-0000-0-0"]}
            await socket.send_json(view)
            frame = await receive_frame(socket)
            assert struct.unpack_from("<I", frame, 12) == (5,)
            assert struct.unpack_from("<64f", frame, 80) == tuple(
                (i + 9 * 64) % 256 for i in range(64)
            )

    run(test, recording)


def test_a_time_of_more_than_64_bits(tmp_path: Path) -> None:
    """The page shows the block, and those after it."""
    path = tmp_path / "fifo"
    os.mkfifo(path)
    samples = np.arange(8, dtype="u1")
    times = (2**93, blocks.BEGIN_NS)

    async def test(session: Session, url: str) -> None:
        async with talk(session, url) as socket:
            with open(path, "wb", buffering=0) as fifo:
                await socket.send_json({"type": "view", "channels": ["zzero-0000-0-0"]})
                for seq, time_ns in enumerate(times):
                    fifo.write(blocks.block(samples, seq, time_ns=time_ns))
                    found = None
                    while found != (seq, 0, min(time_ns, 2**64 - 1)):
                        frame = await receive_frame(socket)
                        found = struct.unpack_from("<IIQ", frame, 56 + 8)
                        number = int.from_bytes(frame[16:20], "little")
                        await socket.send_json({"type": "ack", "frame": number})

    run(test, path)


def test_a_picture_that_fails_is_told(
    recording: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next one is drawn."""

    async def test(session: Session, url: str) -> None:
        async with talk(session, url) as socket:
            await wait_for_channel(socket)
            view = {"type": "view", "channels": ["zzero-0000-0-0"]}
            with monkeypatch.context() as patch:
                patch.setattr(picture, "waveform", lambda *_: 1 / 0)
                await socket.send_json(view)
                assert "ZeroDivisionError" in (await receive(socket, "error"))["text"]
            await socket.send_json({**view, "serial": 2})
            frame = await receive_frame(socket)
            assert struct.unpack_from("<I", frame, 12) == (2,)

    run(test, recording)


def test_a_file_of_many_channels(tmp_path: Path) -> None:
    """A page gets the first ones."""
    path = tmp_path / "a.zio"
    samples = np.arange(2, dtype="u1")
    path.write_bytes(b"".join(blocks.block(samples, 0, chan) for chan in range(400)))

    async def test(session: Session, url: str) -> None:
        async with talk(session, url) as socket:
            state: dict[str, Any] = {"isFull": False}
            while not state["isFull"]:
                state = await receive(socket, "state")
            assert len(state["channels"]) == MAX_TRACES
            while state["channels"][-1]["state"] != "ended":
                state = await receive(socket, "state")

    run(test, path)


def test_a_page_that_does_not_draw_gets_two_frames(recording: Path) -> None:
    async def test(session: Session, url: str) -> None:
        async with talk(session, url) as socket:
            await wait_for_channel(socket)
            numbers: list[int] = []
            for serial in range(1, 4):
                view = {
                    "type": "view",
                    "serial": serial,
                    "channels": ["zzero-0000-0-0"],
                }
                await socket.send_json(view)
            for _ in range(5):
                try:
                    message = await socket.receive(timeout=1)
                except asyncio.TimeoutError:
                    break
                if message.type == aiohttp.WSMsgType.BINARY:
                    numbers += struct.unpack_from("<I", message.data, 16)
            assert max(numbers) <= 2
            await socket.send_json({"type": "ack", "frame": max(numbers)})
            await socket.send_json(
                {"type": "view", "serial": 9, "channels": ["zzero-0000-0-1"]}
            )
            frame = await receive_frame(socket)
            while struct.unpack_from("<I", frame, 12) != (9,):
                frame = await receive_frame(socket)

    run(test, recording)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("[1]", "use an object"),
        ("{", "Expecting"),
        ('{"type": "reboot"}', "no such message: reboot"),
        ('{"type": "view", "width": 1}', "view: width: use"),
        ('{"type": "set", "object": 1}', "use text"),
    ],
)
def test_wrong_messages_are_answered(text: str, answer: str) -> None:
    async def test(session: Session, url: str) -> None:
        async with talk(session, url) as socket:
            await socket.send_str(text)
            assert answer in (await receive(socket, "error"))["text"]

    run(test)


@pytest.mark.parametrize(
    ("read_only", "answer"), [(True, "--read-only"), (False, "use `zio set`")]
)
def test_settings_are_refused(read_only: bool, answer: str) -> None:
    async def test(session: Session, url: str) -> None:
        async with talk(session, url) as socket:
            message = {"type": "set", "object": "bus:", "attribute": "x", "value": "1"}
            await socket.send_json({**message, "serial": 3})
            reply = await receive(socket, "set")
            assert (reply["ok"], reply["serial"]) == (False, 3)
            assert answer in reply["text"]

    run(test, read_only=read_only)
