# SPDX-License-Identifier: GPL-2.0-only
"""Print the processor time of the daemon for 60 frames a second of two channels.

Usage: PYTHONPATH=tools/python/build/lib tests/unit/scope/cost.py [SECONDS]

The daemon plays a file with 1000 blocks of 1024 samples a second for each channel. The
client acknowledges each frame at once, and draws nothing.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import aiohttp

from . import blocks
from .test_server import begin

SCOPE = Path(__file__).resolve().parents[3] / "tools/programs/scope"
TICKS = os.sysconf("SC_CLK_TCK")


def seconds_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


async def watch(url: str, token: str, channels: list[str], seconds: float) -> int:
    """Return the number of frames in this time."""
    loop, count = asyncio.get_running_loop(), 0
    async with aiohttp.ClientSession() as session:
        async with session.ws_connect(f"{url}ws") as socket:
            assert (await begin(socket, token))["type"] == "hello"
            view = {"type": "view", "serial": 1, "width": 1600, "channels": channels}
            await socket.send_json(view)
            end = loop.time() + seconds
            while loop.time() < end:
                message = await socket.receive()
                if message.type == aiohttp.WSMsgType.BINARY:
                    number = int.from_bytes(message.data[16:20], "little")
                    await socket.send_json({"type": "ack", "frame": number})
                    count += 1
    return count


def measure(path: Path, work: str, seconds: float, channels: list[str]) -> str:
    command = [str(SCOPE / "zio-scope"), "--port", "0", "--token-file", f"{work}/t"]
    command += ["--loop", str(path)]
    daemon = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        url = daemon.stdout.readline().split()[0] if daemon.stdout else ""
        token = Path(f"{work}/t").read_text().strip()
        asyncio.run(watch(url, token, channels, 2))
        used = seconds_of(daemon.pid)
        count = asyncio.run(watch(url, token, channels, seconds))
        used = seconds_of(daemon.pid) - used
    finally:
        daemon.terminate()
        daemon.wait()
    each = used / max(count, 1) * 1e3
    rate, share = count / seconds, 100 * used / seconds
    return f"{rate:5.1f} frames/s  {share:5.1f} % CPU  {each:.2f} ms"


def main(seconds: float) -> None:
    names = ["zzero-0000-0-0", "zzero-0000-0-1"]
    with tempfile.TemporaryDirectory() as work:
        path = Path(work) / "a.zio"
        for rate, samples in ((100, 1024), (1000, 1024), (100, 65536)):
            count = max(2, 10_000_000 // samples // 10)
            step = 1_000_000_000 // rate
            path.write_bytes(blocks.recording(count, samples, 2, step))
            views: dict[str, list[str]] = {"shown": names, "not shown": []}
            for what, channels in views.items():
                text = f"{rate:5} blocks/s of {samples:5} samples, {what:9} "
                print(text, measure(path, work, seconds, channels), flush=True)


main(float(sys.argv[1]) if len(sys.argv) > 1 else 10)
