# SPDX-License-Identifier: GPL-2.0-only
"""Access to the daemon: token, origin of requests, headers, and TLS."""

from __future__ import annotations

import hmac
import json
import os
import re
import secrets
import ssl
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any
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
TOKEN = re.compile(r"[\w-]{16,64}", re.ASCII)


class Unsafe(Exception):
    """A setting would give others access. The text says what to do."""


def check_address(address: str, has_tls: bool) -> None:
    """Raise Unsafe if other machines could read the token on the network."""
    if not (is_loopback(address) or has_tls):
        raise Unsafe(
            f"{address}: not a loopback address, and the token would cross the network "
            "in the clear: give --tls-cert and --tls-key, or listen on 127.0.0.1 and "
            "connect through 'ssh -L'"
        )


def default_token_file(environ: Mapping[str, str]) -> Path:
    state = environ.get("XDG_STATE_HOME") or Path.home() / ".local/state"
    return Path(state) / "zio" / "scope-token"


def _check_file(path: Path, found: os.stat_result, text: str) -> None:
    """Raise Unsafe unless only this user can read the file, and it has a token or is
    empty."""
    if found.st_uid != os.geteuid():
        raise Unsafe(
            f"{path}: the file belongs to user {found.st_uid}, who could read the token: "
            "use --token-file with a file of your own"
        )
    if found.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise Unsafe(f"{path}: other users can read the token: chmod 600 {path}")
    if text and not TOKEN.fullmatch(text):
        raise Unsafe(f"{path}: contains something other than a token: name another file")


def new_token(path: Path) -> str:
    """Return a random token, and store it in @path for the user alone. It is valid for
    this run: a program that takes the port later gets only an old one from open pages."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    with open(descriptor, "r+", errors="replace") as file:
        _check_file(path, os.fstat(descriptor), file.read(4096).strip())
        token = secrets.token_urlsafe(TOKEN_BYTES)
        file.seek(0)
        file.truncate()
        file.write(f"{token}\n")
    return token


def has_token(message: Any, token: str) -> bool:
    """Tell whether the first message of a page has the token, in constant time."""
    try:
        found = json.loads(message)
    except (TypeError, ValueError, RecursionError):
        return False
    given = found.get("token") if isinstance(found, dict) else None
    text = given if isinstance(given, str) else ""
    return hmac.compare_digest(text.encode(errors="replace"), token.encode())


def host_name(host: str) -> str | None:
    """Return the name in the header Host; None if the header is invalid."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return None


def is_good_host(host: str, is_bound_to_loopback: bool) -> bool:
    """Refuse names of another site that resolve to this machine (DNS rebinding)."""
    name = host_name(host) or ""
    return is_loopback(name) or not is_bound_to_loopback


def is_same_origin(origin: str | None, scheme: str, host: str) -> bool:
    """Tell whether a request comes from a page of this daemon. Only browsers send an
    origin; other programs just need the token."""
    return origin is None or origin == f"{scheme}://{host}"


def tls_context(cert: str, key: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(cert, key)
    return context
