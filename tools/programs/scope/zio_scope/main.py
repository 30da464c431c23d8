# SPDX-License-Identifier: GPL-2.0-only
"""Start the daemon, and stop it on a signal."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import socket
import ssl
import sys
from collections.abc import AsyncIterator

import zio
from aiohttp import web
from zio.cli import BY_SIGNAL, CANNOT_OPEN, STOPS, Failure, say

from . import log, page_files, security
from .hub import Offer
from .listener import listen_on
from .machine import short_name
from .server import Server, Setup

HDF = b"\x89HDF\r\n\x1a\n"


# --- starting ---------------------------------------------------------------------------


def _refuse_hdf(name: str) -> None:
    if not os.path.isfile(name):
        return
    try:
        with open(name, "rb") as file:
            is_hdf = file.read(len(HDF)) == HDF
    except OSError as error:
        raise Failure(f"{name}: {error.strerror}", CANNOT_OPEN) from error
    if is_hdf:
        text = f"{name}: is an HDF5 file: zio-nexus cat {name} | zio-scope -"
        raise Failure(text, CANNOT_OPEN)


def sort_names(names: list[str]) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """Return channels and files. A name is a channel if such a channel exists."""
    channels, files = [], []
    for name in names:
        if name == "-" or "/" in name and os.path.exists(name):
            files.append(name)
            continue
        try:
            channels.append(short_name(name))
        except OSError as error:
            if not os.path.exists(name):
                text = f"{name}: no file, and no channel: {error.strerror}"
                raise Failure(text, CANNOT_OPEN) from error
            files.append(name)
    for name in files:
        _refuse_hdf(name)
    return (tuple(channels) if names else None), tuple(files)


def load_tls(options: argparse.Namespace) -> ssl.SSLContext | None:
    if not options.tls_cert:
        return None
    try:
        return security.tls_context(options.tls_cert, options.tls_key)
    except (OSError, ssl.SSLError) as error:
        raise Failure(
            f"{options.tls_cert}, {options.tls_key}: {error}: "
            "use a PEM certificate and its key that you can read"
        ) from error


def new_token(options: argparse.Namespace) -> str:
    try:
        return security.new_token(options.token_file)
    except security.Unsafe as error:
        raise Failure(str(error)) from error
    except OSError as error:
        raise Failure(
            f"{options.token_file}: {error.strerror}: use --token-file"
        ) from error


def url_of(options: argparse.Namespace, port: int) -> str:
    scheme = "https" if options.tls_cert else "http"
    host = f"[{options.listen}]" if ":" in options.listen else options.listen
    return f"{scheme}://{host}:{port}/"


def tell(options: argparse.Namespace, port: int, token: str) -> None:
    """Print the URL. Show the token on a terminal only: others may read a log."""
    url = url_of(options, port)
    if sys.stdout.isatty():
        say(f"{url}#token={token}")
        return
    file = zio.printable(str(options.token_file))
    say(f"{url} - append #token= and the token from {file}")


def _signalled() -> asyncio.Future[int]:
    """Return a future that a signal sets to the exit status."""
    loop = asyncio.get_running_loop()
    stopped: asyncio.Future[int] = loop.create_future()

    def stop(status: int) -> None:
        if not stopped.done():
            stopped.set_result(status)

    for number in STOPS:
        loop.add_signal_handler(number, stop, BY_SIGNAL + number)
    return stopped


def _prepare(options: argparse.Namespace) -> tuple[socket.socket, Setup, Offer]:
    """Return the listening socket, the setup of the server, and what it offers."""
    channels, files = sort_names(options.names)
    try:
        listener = listen_on(options.listen, options.port)
        parts = page_files.load()
    except (OSError, page_files.Missing) as error:
        raise Failure(str(error.args[-1])) from error
    setup = Setup(
        token=new_token(options),
        address=options.listen,
        read_only=options.read_only,
        files=parts,
    )
    return listener, setup, Offer(channels, files, options.speed, options.loop)


@contextlib.asynccontextmanager
async def serving(
    listener: socket.socket, setup: Setup, offer: Offer, tls: ssl.SSLContext | None
) -> AsyncIterator[None]:
    """Serve while the block runs."""
    runner = web.AppRunner(
        Server(setup, offer).application(), access_log=None, keepalive_timeout=10
    )
    try:
        await runner.setup()
        await web.SockSite(runner, listener, ssl_context=tls).start()
        yield
    finally:
        await runner.cleanup()
        listener.close()


async def serve(options: argparse.Namespace) -> int:
    """Serve until a signal arrives. Return the exit status."""
    stopped = _signalled()
    tls = load_tls(options)
    listener, setup, offer = _prepare(options)
    async with serving(listener, setup, offer, tls):
        tell(options, listener.getsockname()[1], setup.token)
        return await stopped


def serve_until_signal(options: argparse.Namespace) -> int:
    """Start the log, and serve. Return the exit status."""
    log.set_up()
    return asyncio.run(serve(options))
