# SPDX-License-Identifier: GPL-2.0-only
"""Start the server, and stop it on a signal."""

import argparse
import json
import os
import signal
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from p4p.server import Server

import zio
from zio.cli import BY_SIGNAL, CANNOT_OPEN, STOPS, Failure, say

from .attributes import Attributes
from .group import GroupSource, is_there
from .loopback import bind_udp
from .options import DEFAULT_PORT
from .source import ChannelSource, FileSource, Source
from .variables import Variables

# Do not wait longer: a thread that waits for the writer of a FIFO cannot be interrupted.
JOIN_SECONDS = 2.0


# --- what to show -----------------------------------------------------------------------


def is_file(name: str) -> bool:
    try:
        return name == "-" or not stat.S_ISCHR(os.stat(name).st_mode)
    except OSError:
        return False


def make_source(name: str, variables: Variables, options: argparse.Namespace) -> Source:
    """Return the reader of a channel or file. Raise Failure if it cannot be opened."""
    try:
        zio.open(name, tap=True, nonblock=True).close()
    except zio.Error as error:
        # EINVAL: a file has no taps.
        if is_file(name) and os.access(name, os.R_OK) or name == "-":
            return FileSource(name, variables, options.interval)
        if not (options.wait and zio.is_channel_name(name) and "/" not in name):
            raise Failure(error.strerror or str(error), CANNOT_OPEN) from error
    return ChannelSource(name, variables, options.interval)


def make_sources(options: argparse.Namespace, variables: Variables) -> list[Source]:
    sources = [make_source(name, variables, options) for name in options.names]
    for spec in options.group:
        for name in spec.channels:
            if not (options.wait or is_there(name)):
                make_source(name, Variables(""), options)
        sources.append(GroupSource(spec, variables, options.interval))
    return sources


def make_attributes(
    options: argparse.Namespace, variables: Variables
) -> Attributes | None:
    if not options.attributes:
        return None
    try:
        zio.devices()
    except zio.Error as error:
        if not options.wait:
            raise Failure(error.strerror or str(error), CANNOT_OPEN) from error
    attributes = Attributes(variables, options.allow_write)
    attributes.look()
    return attributes


# --- the server -------------------------------------------------------------------------


def make_settings(options: argparse.Namespace) -> dict[str, str]:
    """Return the settings of the library for PVAccess. The options override EPICS_PVAS_*;
    if the library read the environment itself, EPICS_PVAS_* would override them."""
    port = DEFAULT_PORT if options.port is None else options.port
    settings = {k: v for k, v in os.environ.items() if k.startswith("EPICS_PVA")}
    settings["EPICS_PVAS_INTF_ADDR_LIST"] = " ".join(options.listen)
    settings["EPICS_PVAS_SERVER_PORT"] = str(port)
    if options.is_local:
        # Send no beacons to other machines.
        settings["EPICS_PVAS_AUTO_BEACON_ADDR_LIST"] = "NO"
        settings["EPICS_PVAS_BEACON_ADDR_LIST"] = ""
    return settings


@contextmanager
def listening(options: argparse.Namespace, variables: Variables) -> Iterator[int]:
    """Serve while the block runs. Yield the port."""
    where = " ".join(options.listen)
    try:
        settings = make_settings(options)
        server = Server(providers=[variables.provider], conf=settings, useenv=False)
    except RuntimeError as error:
        remedy = "use --listen with an address of this machine"
        raise Failure(f"{where}: cannot listen: {error}: {remedy}") from error
    if options.is_local:
        try:
            bind_udp()
        except OSError as error:
            text = f"UDP: cannot bind to the interface lo: {error.strerror}"
            remedy = "use --listen=0.0.0.0 if other machines may search for the names"
            raise Failure(f"{text}: {remedy}") from error
    with server:
        port = int(server.conf()["EPICS_PVAS_SERVER_PORT"])
        if options.port and port != options.port:
            remedy = "use another --port, or --port=0 for a free one"
            text = f"{where} port {options.port}: another program uses it: {remedy}"
            raise Failure(text)
        yield port


def tell(options: argparse.Namespace, variables: Variables, port: int) -> None:
    """Print the addresses, and the variables or their number."""
    names = sorted(variables.names())
    if options.json:
        found = {"listen": options.listen, "port": port, "local": options.is_local}
        say(json.dumps({**found, "write": options.allow_write, "variables": names}))
        return
    whom = "every user of this machine"
    if not options.is_local:
        whom += " and of OTHER MACHINES"
    where = " ".join(options.listen)
    say(f"{len(names)} variables on {where} port {port}: {whom} can read them")
    if options.allow_write:
        say(f"they may write {' '.join(options.allow_write)}, without a password")


def catch_stops() -> int:
    """Return a descriptor that gets the number of each signal, whichever thread receives
    it."""
    readable, writable = os.pipe()
    os.set_blocking(writable, False)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    for number in STOPS:
        signal.signal(number, lambda *_: None)
    return readable


def serve(options: argparse.Namespace) -> int:
    """Serve until a signal arrives. Return the exit status."""
    stops = catch_stops()
    variables = Variables(options.prefix)
    threads: list[Source | Attributes] = [*make_sources(options, variables)]
    if attributes := make_attributes(options, variables):
        threads.append(attributes)
    with listening(options, variables) as port:
        for thread in threads:
            thread.start()
        tell(options, variables, port)
        status = BY_SIGNAL + os.read(stops, 1)[0]
        for thread in threads:
            thread.stop()
        for thread in threads:
            thread.join(JOIN_SECONDS)
        variables.close()
    return status
