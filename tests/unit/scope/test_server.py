# SPDX-License-Identifier: GPL-2.0-only
"""The server, asked over a socket as a browser and as an attacker would."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import numpy as np
import pytest
from aiohttp import web
from zio_scope import picture
from zio_scope.hub import MAX_TRACES, Offer
from zio_scope.server import Server, Setup

from . import blocks

TOKEN = "a-token-of-the-tests"
FILES = {"index.html": ("text/html", b"page"), "main.js": ("text/javascript", b"code")}
# Seconds, which only a hang reaches: a minute, on a machine that is eight times slower
PATIENCE = 480
ENDS = (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.CLOSING)
Session = aiohttp.ClientSession
Test = Callable[[Session, str], Awaitable[None]]


def run(test: Test, *files: Path, **setup: Any) -> None:
    """Serve the files, and run @test with a session and the URL of the server."""

    async def serve() -> None:
        offer = Offer((), tuple(map(str, files)), speed=0)
        options: dict[str, Any] = {
            "address": "127.0.0.1",
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
                await asyncio.wait_for(test(session, address), PATIENCE)
        finally:
            await runner.cleanup()

    asyncio.run(serve())


async def status_of(session: Session, url: str, **options: Any) -> int:
    async with session.get(url, **options) as reply:
        return reply.status


def test_a_path_that_is_no_file() -> None:
    async def test(session: Session, url: str) -> None:
        for path in ("nothing", "page/main.js", "page%2f..%2fmain.js"):
            assert await status_of(session, f"{url}/{path}") == 404

    run(test)


def test_the_page_is_no_secret_and_gets_no_cookie() -> None:
    async def test(session: Session, url: str) -> None:
        async with session.get(f"{url}/") as reply:
            assert (reply.status, await reply.text()) == (200, "page")
            assert "Set-Cookie" not in reply.headers
            csp = reply.headers["Content-Security-Policy"]
            assert "default-src 'none'" in csp and "unsafe" not in csp
            assert reply.headers["Referrer-Policy"] == "no-referrer"

    run(test)


WRONG = ("", "wrong", TOKEN[:-1], "é" * 20, "\udcff", None, 5, [TOKEN], {TOKEN: TOKEN})


@pytest.mark.parametrize(
    "first",
    ["{", f"{TOKEN}", "[1]", "{}", *(json.dumps({"token": token}) for token in WRONG)],
)
def test_nothing_without_the_token(first: str) -> None:
    async def test(session: Session, url: str) -> None:
        async with session.ws_connect(f"{url}/ws?token={TOKEN}") as socket:
            await socket.send_str(first)
            assert (await socket.receive_json(timeout=PATIENCE))["type"] == "refused"
            assert (await socket.receive(timeout=PATIENCE)).type in ENDS

    run(test)


def test_a_stranger_has_little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zio_scope.server.STRANGER_SECONDS", 0.1)

    async def test(session: Session, url: str) -> None:
        async with session.ws_connect(f"{url}/ws") as socket:
            assert (await socket.receive(timeout=PATIENCE)).type in ENDS

    run(test)


def test_sixteen_pages() -> None:
    async def test(session: Session, url: str) -> None:
        async def one() -> str:
            socket = await session.ws_connect(f"{url}/ws")
            return str((await begin(socket, TOKEN))["type"])

        found = await asyncio.gather(*(one() for _ in range(24)))
        assert sorted(found) == ["hello"] * 16 + ["refused"] * 8

    run(test)


def test_a_page_of_another_site_gets_no_socket() -> None:
    async def test(session: Session, url: str) -> None:
        for origin, is_good in (("http://evil.example", False), (url, True)):
            headers = {"Origin": origin}
            socket = session.ws_connect(f"{url}/ws", headers=headers)
            if is_good:
                async with socket as good:
                    await begin(good, TOKEN)
                continue
            with pytest.raises(aiohttp.WSServerHandshakeError) as error:
                await socket
            assert error.value.status == 403

    run(test)


def test_a_name_that_points_here_is_refused() -> None:
    async def test(session: Session, url: str) -> None:
        wanted = {"evil.example": 403, "localhost:1": 200, "[": 400, "[::1": 400}
        for host, status in wanted.items():
            assert await status_of(session, url, headers={"Host": host}) == status

    run(test)


@contextlib.asynccontextmanager
async def talk(session: Session, url: str) -> AsyncIterator[Any]:
    """Open the web socket as the page does."""
    async with session.ws_connect(f"{url}/ws") as socket:
        hello = await begin(socket, TOKEN)
        assert hello["type"] == "hello"
        assert hello["playable"] in (True, False)
        yield socket


async def begin(socket: Any, token: str) -> dict[str, Any]:
    """Show the token. Return the message that follows."""
    await socket.send_json({"type": "begin", "token": token})
    found: dict[str, Any] = await socket.receive_json(timeout=PATIENCE)
    return found


async def wait_for_channel(socket: Any) -> None:
    while not (await receive(socket, "state"))["channels"]:
        pass


async def receive(socket: Any, kind: str) -> dict[str, Any]:
    while True:
        message = await socket.receive(timeout=PATIENCE)
        if message.type == aiohttp.WSMsgType.TEXT and message.json()["type"] == kind:
            found: dict[str, Any] = message.json()
            return found


async def receive_frame(socket: Any) -> bytes:
    while True:
        message = await socket.receive(timeout=PATIENCE)
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
            assert struct.unpack_from("<64f", frame, 96) == tuple(
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
                        found = struct.unpack_from("<IIQ", frame, 48 + 8)
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
            view: dict[str, Any] = {"type": "view", "channels": ["zzero-0000-0-0"]}
            with monkeypatch.context() as patch:
                patch.setattr(picture, "waveform", lambda *_: 1 / 0)
                await socket.send_json(view)
                assert "ZeroDivisionError" in (await receive(socket, "error"))["text"]
            await socket.send_json({**view, "serial": 2})
            # A block that came meanwhile may have drawn the first view before.
            while struct.unpack_from("<I", await receive_frame(socket), 12) != (2,):
                pass

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
    """Points of the history come for some seconds, and no third frame."""

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
            told = 0
            while told < 3:
                message = await socket.receive(timeout=PATIENCE)
                if message.type == aiohttp.WSMsgType.BINARY:
                    numbers += struct.unpack_from("<I", message.data, 16)
                elif numbers:
                    told += message.json()["type"] == "history"
            assert max(numbers) <= 2
            await socket.send_json({"type": "ack", "frame": max(numbers)})
            await socket.send_json(
                {"type": "view", "serial": 9, "channels": ["zzero-0000-0-1"]}
            )
            frame = await receive_frame(socket)
            while struct.unpack_from("<I", frame, 12) != (9,):
                frame = await receive_frame(socket)

    run(test, recording)


def test_a_page_that_does_not_read_stops_no_other(
    recording: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The answers to its messages fill all buffers on the way to it."""

    async def test(session: Session, url: str) -> None:
        async with talk(session, url) as stalled, talk(session, url) as other:
            stalled._response.connection.transport.pause_reading()
            with contextlib.suppress(OSError, aiohttp.ClientError):
                for _ in range(400):
                    await stalled.send_json({"type": "x" * 60000})
            await other.send_json({"type": "nonsense"})
            assert "nonsense" in (await receive(other, "error"))["text"]
            while "does not read" not in caplog.text:
                await receive(other, "state")

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
            message: dict[str, Any] = {
                "type": "set",
                "object": "bus:",
                "attribute": "x",
                "value": "1",
            }
            await socket.send_json({**message, "serial": 3})
            reply = await receive(socket, "set")
            assert (reply["ok"], reply["serial"]) == (False, 3)
            assert answer in reply["text"]

    run(test, read_only=read_only)
