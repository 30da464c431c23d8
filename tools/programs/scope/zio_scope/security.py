# SPDX-License-Identifier: GPL-2.0-only
"""Access to the daemon: the token, the origin of requests, headers, and TLS."""

from __future__ import annotations

import os
import secrets
import ssl
import stat
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from zio.cli import is_loopback

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
TOKEN_BYTES = 24
SHORTEST_TOKEN = 16


class Unsafe(Exception):
    """A setting that would give others access. The text tells what to do."""


def check_address(address: str, has_tls: bool, is_insecure: bool) -> None:
    """Raise Unsafe if other machines could read the token on the network."""
    if not (is_loopback(address) or has_tls or is_insecure):
        raise Unsafe(
            f"{address}: not a loopback address, and the token would cross the network "
            "in the clear: give --tls-cert and --tls-key, or --insecure-listen if you "
            "trust the network"
        )


def default_token_file(environ: Mapping[str, str]) -> Path:
    state = environ.get("XDG_STATE_HOME") or Path.home() / ".local/state"
    return Path(state) / "zio" / "scope-token"


def _read_token(path: Path) -> str:
    with open(path) as file:
        found = os.fstat(file.fileno())
        token = file.read(4096).strip()
    if found.st_uid != os.geteuid():
        raise Unsafe(
            f"{path}: it belongs to user {found.st_uid}, and that user knows the token: "
            "use --token-file with a file of your own"
        )
    if found.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise Unsafe(f"{path}: other users can read the token: chmod 600 {path}")
    is_plain = token.isascii() and all(c.isalnum() or c in "-_" for c in token)
    if len(token) < SHORTEST_TOKEN or not is_plain:
        raise Unsafe(
            f"{path}: no token: it needs {SHORTEST_TOKEN} or more of A-Z, a-z, 0-9, - and "
            f"_: remove the file, and the next start makes a new one"
        )
    return token


def load_token(path: Path) -> str:
    """Return the token in @path. Make a file with a random one if there is none, for the
    user alone. So a page that is open works with the next daemon, too."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _read_token(path)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    with open(descriptor, "w") as file:
        file.write(f"{token}\n")
    return token


def host_name(host: str) -> str | None:
    """Return the name in the header Host; None if it is none."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return None


def is_good_host(host: str, is_bound_to_loopback: bool) -> bool:
    """Refuse a name that another site has pointed at this machine."""
    name = host_name(host) or ""
    return is_loopback(name) or not is_bound_to_loopback


def is_same_origin(origin: str | None, scheme: str, host: str) -> bool:
    """Tell whether a request comes from a page of this daemon. A program that is no
    browser sends no origin; it needs the token only."""
    return origin is None or origin == f"{scheme}://{host}"


def tls_context(cert: str, key: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(cert, key)
    return context
