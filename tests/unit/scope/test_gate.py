# SPDX-License-Identifier: GPL-2.0-only
"""Strangers do not lock the owner out, and do not fill the log."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import resource
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from zio_scope import gate, log
from zio_scope.listener import listen_on

from .test_server import shake_hands

SCOPE = Path(__file__).resolve().parents[3] / "tools/programs/scope"
FILES = 256


def limit_files() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))


@contextlib.contextmanager
def daemon(work: Path) -> Iterator[str]:
    """Start the daemon, which may open FILES files. Yield its URL."""
    command = [SCOPE / "zio-scope", "--port", "0", "--token-file", work / "token"]
    with (
        open(work / "log", "w") as errors,
        subprocess.Popen(
            [*map(str, command), str(work / "run7.zio")],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            preexec_fn=limit_files,
        ) as process,
    ):
        assert process.stdout
        yield process.stdout.readline().split()[0]
        process.terminate()


async def enter(session: aiohttp.ClientSession, url: str, token: str) -> Any:
    """Return a web socket that has shown the token."""
    found = await asyncio.wait_for(session.ws_connect(f"{url}ws"), 480)
    assert (await shake_hands(found, "token", token))["type"] == "hello"
    return found


def connect(url: str, first: bytes) -> socket.socket:
    port = int(url.split(":")[2].strip("/"))
    made = socket.create_connection(("127.0.0.1", port), timeout=480)
    made.sendall(first)
    return made


@pytest.mark.parametrize("first", [b"", b"GET /ws HTTP/1.1\r\nHost:", b"\x00\x01\n\n"])
def test_idle_connections_do_not_lock_the_owner_out(tmp_path: Path, first: bytes) -> None:
    (tmp_path / "run7.zio").touch()

    async def test(url: str) -> None:
        token = (tmp_path / "token").read_text().strip()
        strangers = [connect(url, first) for _ in range(FILES + 50)]
        async with aiohttp.ClientSession() as session:
            owner = await enter(session, url, token)
            strangers += [connect(url, first) for _ in range(FILES + 50)]
            await enter(session, url, token)
            assert (await owner.receive_json(timeout=480))["type"] == "state"
        for stranger in strangers:
            stranger.close()

    with daemon(tmp_path) as url:
        asyncio.run(test(url))
    assert (tmp_path / "log").stat().st_size < 100_000


class Echo(asyncio.Protocol):
    """Stands for the protocol of the web server."""

    def __init__(self, made: list[asyncio.BaseTransport]) -> None:
        self.made = made

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.made.append(transport)


def test_a_stranger_has_little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that has shown the token stays."""
    monkeypatch.setattr(gate, "STRANGER_SECONDS", 0.3)

    async def test() -> None:
        made: list[Any] = []
        listener = listen_on("127.0.0.1", 0)
        one = gate.Gate(listener, lambda: Echo(made), None)
        async with one.open():
            address = listener.getsockname()[:2]
            reader, writer = await asyncio.open_connection(*address)
            while not made:
                await asyncio.sleep(0)
            one.trust(made[0].get_extra_info("peername"))
            stranger, other = await asyncio.open_connection(*address)
            with contextlib.suppress(ConnectionError):
                assert await asyncio.wait_for(stranger.read(), 480) == b""
            assert not made[0].is_closing()
            for each in writer, other:
                each.close()
        listener.close()

    asyncio.run(test())


def test_the_log_is_sparing(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("zio_scope.log.time.monotonic", lambda: now)
    sparing = log.Sparing()

    def record() -> logging.LogRecord:
        return logging.LogRecord("a", logging.ERROR, "f", 1, "no %s", ("room",), None)

    assert sum(sparing.filter(record()) for _ in range(500)) == log.BURST
    now += log.PERIOD + 1
    found = record()
    assert sparing.filter(found)
    assert found.getMessage() == f"no room ({500 - log.BURST} messages were left out)"
