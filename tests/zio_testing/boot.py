# SPDX-License-Identifier: GPL-2.0-only
"""Run a machine to its end, and return its status."""

import contextlib
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from .common import Failure, Process, read_end, read_log, running, say, wait
from .progress import shown
from .tap import faults_in

TIMED_OUT, NO_END, FAULT = 124, 98, 99
BEGUN, SHELL = "zio-vm: begin", "zio-vm: shell"


def is_over(seconds: float, limit: float | None) -> bool:
    return limit is not None and seconds > limit


class Boot:
    """One machine; its files are in @work."""

    def __init__(
        self, command: list[str], env: dict[str, str], work: Path, port: str
    ) -> None:
        self.command, self.env, self.work, self.port = command, env, work, port
        self.log = work / "log"
        self.timeout: float | None = None
        self.silence: float | None = None
        self.stood_still = self.timed_out = self.fell_silent = False
        self.status = 0

    def start(self, ports: list[str], **options: Any) -> Process:
        with open(self.work / "qemu", "wb") as said:
            options = {"env": self.env, "stdout": said, "stderr": said, **options}
            return subprocess.Popen([*self.command, *ports], **options)

    def run_command(self, timeout: float, boot_seconds: float) -> None:
        """Run a machine without a terminal: the kernel log, standard output and error
        are three ports. Start it once more if it stands still while it boots."""
        self.timeout = timeout
        # QEMU takes no descriptor that was opened for reading, as terminals are.
        options: Any = {"stdin": subprocess.PIPE, "start_new_session": True}
        outputs = [subprocess.Popen(["cat"], stdout=fd, **options) for fd in (1, 2)]
        pipes = [output.stdin.fileno() for output in outputs if output.stdin]
        try:
            self.run_once(pipes, boot_seconds)
            if self.stood_still:
                self.fail(NO_END, "the machine stood still while it booted: once more")
                self.run_once(pipes, boot_seconds)
        finally:
            for output in outputs:
                output.communicate()

    def run_once(self, pipes: list[int], boot_seconds: float) -> None:
        self.log.unlink(missing_ok=True)
        self.stood_still = False
        ports = []
        for number, pipe in enumerate(pipes, 1):
            ports += ["-add-fd", f"fd={pipe},set={number}"]
            # A pipe cannot be truncated: append.
            port = f"file,id=port{number},path=/dev/fdset/{number},append=on"
            ports += ["-chardev", port, *self.port.format(f"port{number}").split()]
        process = self.start(ports, stdin=subprocess.DEVNULL, pass_fds=pipes)
        with running(process), contextlib.ExitStack() as booting:
            booting.enter_context(shown("booting"))
            self.watch(process, boot_seconds, booting)
        self.status = process.returncode

    def watch(
        self, process: Process, boot_seconds: float, booting: contextlib.ExitStack
    ) -> None:
        """Wait for the end, or the timeout. Before the first process the log grows within
        @boot_seconds, and then within self.silence. Close @booting in between."""
        begin = changed = time.monotonic()
        size, begun = 0, False
        while wait(process, 1.0 if begun else 0.2) is None:
            now, before = time.monotonic(), size
            size = self.log.stat().st_size if self.log.exists() else 0
            changed = now if size != before else changed
            if not begun and BEGUN in read_log(self.log):
                begun = True
                booting.close()
            self.timed_out = is_over(now - begin, self.timeout)
            self.stood_still = not begun and now - changed > boot_seconds
            self.fell_silent = is_over(now - changed, self.silence)
            if self.timed_out or self.stood_still or self.fell_silent:
                return

    def run_shell(self, timeout: float | None) -> None:
        """Run a machine whose second port is this terminal."""
        self.timeout = timeout
        port = ["-chardev", "stdio,id=out,signal=off", *self.port.format("out").split()]
        begin, has_shell = time.monotonic(), False
        with (
            running(self.start(port, stdout=None)) as process,
            contextlib.ExitStack() as booting,
        ):
            booting.enter_context(shown("booting"))
            while wait(process, 1.0 if has_shell else 0.1) is None:
                if not has_shell and SHELL in read_log(self.log):
                    has_shell = True
                    booting.close()
                self.timed_out = is_over(time.monotonic() - begin, timeout)
                if self.timed_out:
                    break
        self.status = process.returncode

    # --- the end ------------------------------------------------------------------

    def fail(self, status: int, text: str) -> int:
        """Show the end of the log, and @text."""
        print(*read_end(self.log, 15), sep="\n", end="", file=sys.stderr)
        say(text)
        return status

    def judge(self) -> int:
        """Report a failure on standard error, and return the exit status."""
        if self.shows_faults():
            say("the kernel reported a fault, see above")
            return FAULT
        if self.stood_still:
            return self.fail(NO_END, "the machine stood still while it booted, twice")
        if self.timed_out:
            text = f"no end after {self.timeout:.0f} seconds, machine stopped"
            return self.fail(TIMED_OUT, text)
        if self.fell_silent:
            text = f"no word in the log for {self.silence:.0f} seconds, machine stopped"
            return self.fail(TIMED_OUT, text)
        said = (self.work / "qemu").read_text(errors="replace")
        if self.status:
            sys.stderr.write(said)
            raise Failure(f"QEMU failed (status {self.status})")
        if faults := re.findall(r"^(?:sspci|sps|xdma): card.*\n", said, re.M):
            sys.stderr.writelines(faults)
            say("the software used the card wrongly, see above")
            return FAULT
        return self.status_of_command()

    def shows_faults(self) -> bool:
        self.log.touch()
        faults, _ = faults_in(read_log(self.log))
        sys.stderr.write(faults)
        return bool(faults)

    def status_of_command(self) -> int:
        text = read_log(self.log)
        found = re.findall(r"zio-vm: status (\d+)", text)
        if not found:
            return self.fail(NO_END, "the machine ended before the command did")
        for complaint in re.findall(r"zio-vm: (cannot load .*)", text):
            say(complaint)
        return int(found[-1])
