# SPDX-License-Identifier: GPL-2.0-only
"""The page and the daemon show each other that they have the token. They do not send it:
another program that has taken the port of the daemon learns nothing."""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Mapping
from typing import Any

from aiohttp import WSMsgType, web

NONCE_BYTES = 16
LONGEST_NONCE = 128


def proof(secret: str, who: str, page_nonce: str, daemon_nonce: str) -> str:
    """Return what shows that @who ("page" or "daemon") has the secret."""
    text = f"zio-scope {who} {page_nonce} {daemon_nonce}"
    return hmac.new(secret.encode(), text.encode(errors="replace"), "sha256").hexdigest()


def is_proof(given: Any, wanted: str) -> bool:
    """Compare in a time that does not depend on the contents."""
    text = given if isinstance(given, str) else ""
    return hmac.compare_digest(text.encode(errors="replace"), wanted.encode())


async def _receive(socket: web.WebSocketResponse, kind: str) -> dict[str, Any]:
    """Return a message of the page; an empty one if it is another."""
    message = await socket.receive()
    if message.type != WSMsgType.TEXT:
        return {}
    try:
        found = json.loads(message.data)
    except (ValueError, RecursionError):
        return {}
    if isinstance(found, dict) and found.get("type") == kind:
        return found
    return {}


async def shake_hands(socket: web.WebSocketResponse, known: Mapping[str, str]) -> bool:
    """Tell whether the page has one of the secrets @known, by their names."""
    begin = await _receive(socket, "begin")
    nonce, name = begin.get("nonce"), begin.get("with")
    if not isinstance(nonce, str) or len(nonce) > LONGEST_NONCE:
        return False
    if not isinstance(name, str) or name not in known:
        return False
    secret, own = known[name], secrets.token_hex(NONCE_BYTES)
    shown = proof(secret, "daemon", nonce, own)
    await socket.send_json({"type": "challenge", "nonce": own, "proof": shown})
    answer = await _receive(socket, "answer")
    return is_proof(answer.get("proof"), proof(secret, "page", nonce, own))
