# SPDX-License-Identifier: GPL-2.0-only
"""A virtual machine that has booted once, and was saved.

It continues within seconds, as often as one likes, and each time it is fresh. The machine
has the modules of the kernel, and nothing of ZIO. What is to be tested comes as a tar
archive on its disk. One port has the output; the host writes the command to it."""

import hashlib
import json
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from . import kernel
from .common import (
    CACHE,
    TESTING,
    Failure,
    Process,
    locked,
    output_of,
    read_log,
    say,
)
from .image import Image, pack
from .machine import Machine, qemu_command
from .toolchain import AMD64, toolchain_of

SAVED = CACHE / "saved"
DISK_BYTES = 96 << 20
MODULES = ("virtio_pci", "virtio_blk", "configfs")
READY, END = "zio-saved: ready", "zio-saved: end"
# Seconds: an emulated machine on a busy host
BOOT_LIMIT, RESUME_LIMIT = 900, 300
# The host writes one line: how many MiB the archive has, and the command.
GUEST = f"""\
exec </dev/ttyS1
echo "{READY}"
read -r size line
dd if=/dev/vda bs=1M count=$size iflag=direct 2>/dev/null | tar -x -C / -f -
depmod
eval "$line"
echo "{END} $?"
"""
SETTINGS = """\
modules='{modules}'
out=ttyS1
err=none
interactive=no
leaks=no
host_modules=
net_modules=
"""


# The machines that run now, in any thread
_running: set[Process] = set()


def stop_all() -> None:
    """End all machines of this program, for a signal that ends it."""
    for process in list(_running):
        process.kill()


def connect(path: Path, limit: float) -> socket.socket:
    """Connect to a socket that QEMU is about to make."""
    end = time.monotonic() + limit
    while True:
        found = socket.socket(socket.AF_UNIX)
        try:
            found.connect(str(path))
            return found
        except OSError as error:
            found.close()
            if time.monotonic() > end:
                raise Failure(f"QEMU made no {path.name}: {error}") from error
            time.sleep(0.02)


def read_until(port: socket.socket, words: str, limit: float) -> str:
    """Return the output up to a line that begins with @words, and the rest of that line.
    The output ends early if the machine does, or after @limit seconds."""
    end = time.monotonic() + limit
    text = b""
    while True:
        at = text.find(words.encode())
        if at >= 0 and b"\n" in text[at:]:
            break
        port.settimeout(max(0.01, end - time.monotonic()))
        try:
            part = port.recv(1 << 16)
        except TimeoutError:
            break
        if not part:
            break
        text += part
    return text.decode(errors="replace").replace("\r", "")


class Monitor:
    """QEMU's monitor (QMP)."""

    def __init__(self, path: Path) -> None:
        self.file = connect(path, BOOT_LIMIT).makefile("rw")
        self.file.readline()
        self.ask("qmp_capabilities")

    def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        print(json.dumps({"execute": command, "arguments": arguments}), file=self.file)
        self.file.flush()
        while line := self.file.readline():
            answer = json.loads(line)
            if "error" in answer:
                raise Failure(f"QEMU: {command}: {answer['error']['desc']}")
            if "return" in answer:
                return dict(answer["return"] or {})
        raise Failure(f"QEMU has ended before {command}")

    def wait_until(self, command: str, key: str, wanted: str, limit: float) -> None:
        end = time.monotonic() + limit
        while (found := self.ask(command).get(key)) != wanted:
            if found == "failed" or time.monotonic() > end:
                raise Failure(f"QEMU: {command} says {found}, not {wanted}")
            time.sleep(0.05)


class SavedMachine:
    """A saved machine with the kernel @name, and with @modules of the kernel loaded."""

    def __init__(self, name: str, modules: list[str]) -> None:
        self.name = name
        self.tree = kernel.prepare(name)
        self.modules = [*MODULES, *modules]
        self.place = SAVED / f"{self.tree.name}-{self._key()}"

    def _key(self) -> str:
        digest = hashlib.sha256(output_of([AMD64.qemu, "--version"]).encode())
        for part in (GUEST, SETTINGS, " ".join(self.modules), str(self.tree)):
            digest.update(part.encode())
        for file in ("machine/guest/init", "zio_testing/saved.py", "zio_testing/image.py"):
            digest.update((TESTING / file).read_bytes())
        return digest.hexdigest()[:12]

    def prepare(self) -> None:
        """Boot and save the machine, unless that was done."""
        with locked(SAVED / f"{self.tree.name}.lock"):
            if (self.place / "state").exists():
                return
            say(f"booting and saving a machine ({self.tree.name}), once: 1 to 2 minutes")
            for old in SAVED.glob(f"{self.tree.name}-*"):
                shutil.rmtree(old)
            self.place.mkdir(parents=True)
            self._make_image()
            self._save()

    def _make_image(self) -> None:
        root = self.place / "root"
        image = Image(root, toolchain_of(self.tree).programs)
        image.add_base()
        image.add_kernel_modules(self.tree, self.modules)
        image.index_modules(self.tree)
        image.at("/etc/zio-vm/command").write_text(GUEST)
        text = SETTINGS.format(modules=" ".join(self.modules))
        # zio-links makes the links of ZIO: nothing is there to link.
        image.at("/usr/sbin/zio-links").write_text("#!/bin/sh\n")
        image.at("/usr/sbin/zio-links").chmod(0o755)
        image.at("/etc/zio-vm/settings").write_text(text)
        pack(root, self.place / "initrd")
        shutil.rmtree(root)

    def _command(self, work: Path, disk: Path) -> list[str]:
        found = kernel.find(self.name)
        arch = replace(AMD64, cpu=found.cpu or AMD64.cpu)
        machine = Machine(arguments=[*found.arguments, "kmemleak=off"], arch=arch)
        command = qemu_command(machine, self.tree, self.place)
        command = [
            word.replace(f"path={self.place}/log", f"path={work}/log") for word in command
        ]
        for name in ("port", "monitor"):
            at = f"socket,id={name},path={work}/{name},server=on,wait=off"
            command += ["-chardev", at]
        command += ["-serial", "chardev:port", "-mon", "chardev=monitor,mode=control"]
        drive = f"file={disk},format=raw,if=none,id=disk,cache=unsafe"
        return [*command, "-drive", drive, "-device", "virtio-blk-pci,drive=disk"]

    @contextmanager
    def _machine(
        self, work: Path, *words: str
    ) -> Iterator[tuple[socket.socket, Monitor]]:
        """Run QEMU in the directory @work, which has the disk."""
        command = [*self._command(work, work / "disk"), *words]
        with open(work / "qemu", "wb") as said:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=said, stderr=said
            )
        _running.add(process)
        try:
            monitor = Monitor(work / "monitor")
            with connect(work / "port", RESUME_LIMIT) as port:
                yield port, monitor
        finally:
            process.kill()
            process.wait()
            _running.discard(process)

    def _save(self) -> None:
        with tempfile.TemporaryDirectory(prefix="zio-saved.") as name:
            work, new = Path(name), self.place / "state.new"
            with open(work / "disk", "wb") as disk:
                disk.truncate(DISK_BYTES)
            with self._machine(work) as (port, monitor):
                if READY not in read_until(port, READY, BOOT_LIMIT):
                    raise Failure(
                        f"the machine did not boot:\n{read_log(work / 'log')[-2000:]}"
                    )
                monitor.ask("migrate-set-parameters", **{"max-bandwidth": 10**10})
                monitor.ask("stop")
                monitor.ask("migrate", uri=f"exec:cat >{new}")
                monitor.wait_until("query-migrate", "status", "completed", BOOT_LIMIT)
            new.rename(self.place / "state")

    def run(
        self,
        archive: Path,
        command: str,
        limit: float,
        log: Path,
        back: Path | None = None,
    ) -> tuple[str, int]:
        """Continue the machine, unpack @archive in it, and run a line of its shell. The
        log of the kernel goes to @log, and the disk to @back. Return the output, and the
        status: 124 if the command did not end within @limit seconds, 98 if the machine
        ended."""
        with tempfile.TemporaryDirectory(prefix="zio-saved.") as name:
            work = Path(name)
            shutil.copy(archive, work / "disk")
            size = (archive.stat().st_size + (1 << 20) - 1) >> 20
            if size << 20 > DISK_BYTES:
                raise Failure(f"{archive} has more than {DISK_BYTES >> 20} MiB")
            with open(work / "disk", "r+b") as disk:
                disk.truncate(DISK_BYTES)
            begin = time.monotonic()
            incoming = f"exec:cat {self.place}/state"
            with self._machine(work, "-incoming", incoming) as (port, monitor):
                monitor.wait_until("query-status", "status", "paused", RESUME_LIMIT)
                monitor.ask("cont")
                port.sendall(f"{size} {command}\n".encode())
                text = read_until(port, END, limit)
            is_late = time.monotonic() - begin > limit
            shutil.copy(work / "log", log)
            if back:
                shutil.copy(work / "disk", back)
        said, _, rest = text.partition(f"{END} ")
        return said, int(rest) if rest else (124 if is_late else 98)
