# SPDX-License-Identifier: GPL-2.0-only
"""The full-screen terminal of zio top, with escape sequences that all terminals know."""

from __future__ import annotations

import os
import signal
import sys
import termios
from types import TracebackType

ENTER = "\033[?1049h\033[?25l"  # the alternate screen, no cursor
LEAVE = "\033[?25h\033[?1049l"


class Terminal:
    """A separate screen, and keys that need no Enter."""

    def __enter__(self) -> Terminal:
        self._saved = termios.tcgetattr(0)
        self._enter()
        return self

    def _enter(self) -> None:
        raw = [*self._saved[:6], [*self._saved[6]]]
        raw[3] &= ~(termios.ICANON | termios.ECHO)
        raw[6][termios.VMIN] = raw[6][termios.VTIME] = 0
        termios.tcsetattr(0, termios.TCSANOW, raw)
        print(ENTER, end="", flush=True)

    def _leave(self) -> None:
        print(LEAVE, end="", flush=True)
        termios.tcsetattr(0, termios.TCSANOW, self._saved)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._leave()

    def suspend(self) -> None:
        """On Ctrl-Z, give the screen back to the shell until the program continues."""
        self._leave()
        os.kill(os.getpid(), signal.SIGSTOP)
        self._enter()

    @staticmethod
    def read_key() -> str:
        """Return the key that was pressed; "" at the end of the input."""
        return os.read(0, 1).decode("latin-1")

    @staticmethod
    def size() -> os.terminal_size:
        """Return columns and lines."""
        try:
            size = os.get_terminal_size(1)
        except OSError:
            size = os.terminal_size((0, 0))
        return os.terminal_size((size.columns or 80, size.lines or 24))


def has_terminal() -> bool:
    """Tell whether input and output are a terminal."""
    return os.isatty(0) and sys.stdout.isatty()
