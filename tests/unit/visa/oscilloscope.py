# SPDX-License-Identifier: GPL-2.0-only
"""An oscilloscope that listens on a port of this machine"""

from __future__ import annotations

import socketserver
import threading
from typing import BinaryIO


class Scope(socketserver.ThreadingTCPServer):
    """An oscilloscope with the commands of Rigol. It triggers at the third question."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Talk)
        self.said: list[str] = []
        """The commands that have come."""
        self.errors: list[str] = []
        self.volts_per_step = 0.04
        self.period = "1e-6"
        self.questions = 0
        self.triggers_at = 3
        self.ends_at = ""
        """The command at which it hangs up, after so many others of the kind."""
        self.lives = 0
        self.slow = ""
        """The question whose answer comes in front of the next one, or by release()."""
        self.late: list[tuple[BinaryIO, bytes]] = []
        """Answers that have not been sent."""
        self.identity = "RIGOL TECHNOLOGIES,DS1054Z,DS1ZA1,00.04.04"
        self.taken = "10"
        """What it takes for a probe of 20:1."""
        self.settings = {":TIM:MAIN:SCAL": "1.000000e-06"}
        """What commands with a number or a word have set."""
        for channel in range(1, 5):
            self.settings[f":CHAN{channel}:COUP"] = "DC"
            self.settings[f":CHAN{channel}:PROB"] = "1.000000e+00"
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def resource(self) -> str:
        return f"TCPIP::127.0.0.1::{self.server_address[1]}::SOCKET"

    def answer(self, command: str) -> bytes | None:
        if command == "*IDN?" and self.identity:
            return self.identity.encode()
        if command == "SYST:ERR?":
            return (self.errors.pop(0) if self.errors else '0,"No error"').encode()
        if command == ":SING":
            self.questions = 0
        if command == ":TRIG:STAT?":
            self.questions += 1
            return b"STOP" if self.questions >= self.triggers_at else b"WAIT"
        if command == ":WAV:PRE?":
            return f"0,0,1200,1,{self.period},0,0,{self.volts_per_step},-10,127".encode()
        if command == ":WAV:DATA?":
            # Every byte is there, also that of a newline.
            data = bytes(number % 256 for number in range(1200))
            return b"#9000001200" + data
        if command[:-1] in self.settings:
            return self.settings[command[:-1]].encode()
        name, _, value = command.partition(" ")
        if name in self.settings:
            self.change(name, value)
        elif command.endswith("?"):
            self.errors.append('-113,"Undefined header"')
        return None

    def change(self, name: str, value: str) -> None:
        """It has no probe of 20:1, but takes another one, and refuses more than 100."""
        if not name.endswith(":PROB"):
            self.settings[name] = value
        elif float(value) > 100:
            self.errors.append('-222,"Data out of range"')
        else:
            self.settings[name] = f"{float(self.taken if value == '20' else value):e}"

    def release(self) -> None:
        """Send the answers that are late."""
        while self.late:
            file, answer = self.late.pop(0)
            file.write(answer + b"\n")


class Talk(socketserver.StreamRequestHandler):
    server: Scope

    def handle(self) -> None:
        for line in self.rfile:
            command = line.decode().strip()
            self.server.said.append(command)
            if command == self.server.ends_at:
                if self.server.lives == 0:
                    return
                self.server.lives -= 1
            answer = self.server.answer(command)
            if answer is not None and command == self.server.slow:
                self.server.late.append((self.wfile, answer))
            elif answer is not None:
                self.server.release()
                self.wfile.write(answer + b"\n")
