# SPDX-License-Identifier: GPL-2.0-only
"""Virtual machines for tests: each has booted once, and was saved.

A saved machine continues within seconds, as often as one likes, and each time it is
fresh. It has the modules of the kernel that tests ask for, and nothing of ZIO. Then it
mounts the directory of stage.py. The host writes lines of the shell to one port of the
machine, which answers with their output."""

import hashlib
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from . import kernel, selftests, stage
from .common import CACHE, TESTING, Failure, Process, locked, output_of, read_log, say
from .image import Image, pack
from .machine import MOUNTS, Machine, qemu_command, qemu_sspci
from .progress import shown
from .selftests import Selftest, asked_for, find_place
from .toolchain import toolchain_of

SAVED = CACHE / "saved"
MODULES = ("virtio_pci", "9pnet_virtio", "9p", "overlay", "configfs")
READY, END = "zio-guest: ready", "zio-guest: end"
# Seconds of a processor that nobody else uses
BOOT_LIMIT, RESUME_LIMIT, CLOCK_LIMIT = 600, 300, 20
ATTEMPTS = 5
GUEST = f"""\
exec <"/dev/$1"
echo "{READY}"
while read -r line; do
	(eval "$line") 2>&1
	echo "{END} $?"
done
"""
# What a machine does first when it continues. The tests write beside their files.
ATTACH = """\
mkdir -p /stage /run/up /run/work && \
mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=loose,ro stage /stage && \
for d in /lib/modules /usr/bin /usr/sbin; do \
mkdir -p $d && mount -o bind /stage$d $d || exit; done; \
mkdir -p /selftests && mount -t overlay tests \
-o lowerdir=/stage/selftests,upperdir=/run/up,workdir=/run/work /selftests\
"""
# What it does for a test that suspends the machine: Linux does not resume 9p.
DETACH = """\
umount /selftests && for d in /lib/modules /usr/bin /usr/sbin; do \
umount $d && cp -a /stage$d/. $d || exit; done; \
cp -a /stage/selftests/. /selftests && umount /stage || exit; \
for d in $(awk '$2 ~ "^/host" { print $2 }' /proc/mounts | sort -r); do \
umount -l $d || exit; done; \
! [ -d /host ] || rmdir /host\
"""
SETTINGS = """\
modules='{modules}'
out={out}
err=none
interactive=no
leaks=no
host_modules=
net_modules=
relay=
"""

# The machines that run now, in any thread
_running: set[Process] = set()


def stop_all() -> None:
    """End all machines of this program, for a signal that ends it."""
    for process in list(_running):
        process.kill()


# --- time -------------------------------------------------------------------------------


class Patience:
    """Time of a machine, without the time in which the host had no processor for it."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.begin, self.delay = time.monotonic(), self._read_delay()

    def _read_delay(self) -> float:
        """Return the longest time that a thread has waited for a processor."""
        delays = [0.0]
        for file in Path(f"/proc/{self.process.pid}/task").glob("*/schedstat"):
            try:
                delays.append(int(file.read_text().split()[1]) / 1e9)
            except (OSError, IndexError):
                continue
        return max(delays)

    @property
    def stalled(self) -> float:
        return max(0.0, self._read_delay() - self.delay)

    @property
    def spent(self) -> float:
        return time.monotonic() - self.begin - self.stalled


# --- QEMU -------------------------------------------------------------------------------


def connect(path: Path, process: Process) -> socket.socket:
    """Connect to a socket that QEMU is about to make."""
    while True:
        found = socket.socket(socket.AF_UNIX)
        try:
            found.connect(str(path))
            return found
        except OSError as error:
            found.close()
            if process.poll() is not None:
                said = read_log(path.with_name("qemu"))
                raise Failure(f"QEMU has ended: {said}") from error
            time.sleep(0.02)


class Monitor:
    """QEMU's monitor (QMP)."""

    def __init__(self, path: Path, process: Process) -> None:
        self.socket = connect(path, process)
        self.file = self.socket.makefile("r")
        self.file.readline()
        self.ask("qmp_capabilities")

    def ask(
        self, command: str, files: Sequence[int] = (), **arguments: Any
    ) -> dict[str, Any]:
        words = json.dumps({"execute": command, "arguments": arguments})
        socket.send_fds(self.socket, [f"{words}\n".encode()], files)
        while line := self.file.readline():
            answer = json.loads(line)
            if "error" in answer:
                raise Failure(f"QEMU: {command}: {answer['error']['desc']}")
            if "return" in answer:
                return dict(answer["return"] or {})
        raise Failure(f"QEMU has ended before {command}")

    def wait_until(self, command: str, wanted: str) -> None:
        while (found := self.ask(command)).get("status") != wanted:
            if found.get("status") == "failed":
                raise Failure(f"QEMU: {command}: {found.get('error-desc', 'failed')}")
            time.sleep(0.02)


class Running:
    """A machine that runs. Its files are in the directory @work."""

    def __init__(
        self, command: list[str], words: list[str], work: Path, **options: Any
    ) -> None:
        self.work, self.log, self.left = work, work / "log", b""
        with open(work / "qemu", "wb") as said:
            options = {"stdin": subprocess.DEVNULL, **options}
            # A machine ends with its worker, whatever ends that.
            command = ["setpriv", "--pdeathsig", "KILL", "env", *words, *command]
            self.process = subprocess.Popen(command, stdout=said, stderr=said, **options)
        _running.add(self.process)
        self.port: socket.socket | None = None
        try:
            self.monitor = Monitor(work / "monitor", self.process)
            self.port = connect(work / "port", self.process)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        _running.discard(self.process)
        if self.port:
            self.port.close()

    def read_until(self, words: str, limit: float) -> tuple[str, Patience]:
        """Return the output up to the end of a line that has @words. What a job in the
        background has said after this line is left for the next call. It ends early if
        the machine does, or after @limit seconds."""
        assert self.port
        wanted = re.compile(rb"%s[^\n]*\n" % re.escape(words.encode()))
        patience, text, start = Patience(self.process), self.left, 0
        self.port.settimeout(1)
        while not (found := wanted.search(text, start)):
            start = max(0, len(text) - 4096)
            try:
                part = self.port.recv(1 << 16)
            except TimeoutError:
                if patience.spent > limit or self.process.poll() is not None:
                    break
                continue
            if not part:
                break
            text += part
        end = found.end() if found else len(text)
        text, self.left = text[:end], text[end:]
        return text.decode(errors="replace").replace("\r", ""), patience

    def run(self, line: str, limit: float) -> "Outcome":
        """Run a line of the shell."""
        assert self.port
        before = len(read_log(self.log))
        self.port.sendall(f"{line}\n".encode())
        text, patience = self.read_until(END, limit)
        said, _, rest = text.partition(f"{END} ")
        status = int(rest) if rest else 124 if self.process.poll() is None else 98
        log = read_log(self.log)[before:]
        return Outcome(said, status, log, patience.spent, patience.stalled)

    def card_faults(self) -> list[str]:
        """Return what the emulated cards say of the software that used them."""
        return re.findall(
            r"^(?:sspci|sps|xdma): card.*", read_log(self.work / "qemu"), re.M
        )


class Outcome:
    """What a line of the shell has printed, and its status: 124 if it did not end, 98 if
    the machine has ended. @log is that of the kernel in this time."""

    def __init__(
        self, said: str, status: int, log: str, seconds: float, stalled: float
    ) -> None:
        self.said, self.status, self.log = said, status, log
        self.seconds, self.stalled = seconds, stalled


def knows_its_clock(running: Running) -> bool:
    """Tell if the kernel knows the rate of its processor's clock (TSC). It measures the
    rate twice. On a busy host the first result can be four times too small. A kernel that
    takes this clock for reliable then keeps it, and does not print the second one."""
    patience = Patience(running.process)
    while "Refined TSC" not in (log := read_log(running.log)):
        if "tsc=reliable" not in log or "tsc=unstable" in log:
            return True
        if patience.spent > CLOCK_LIMIT:
            return False
        time.sleep(0.1)
    return True


# --- saved machines ---------------------------------------------------------------------


class SavedMachine:
    """The machine of a place. It has the devices and the modules that any test asks for
    that runs there, and @more tests; or only those."""

    def __init__(
        self, name: str, more: list[Selftest] | None = None, only: bool = False
    ) -> None:
        self.name, self.place = name, find_place(name)
        self.tree = stage.tree_of(name)
        every = [] if only else selftests.find_all()
        tests = [test for test in every if test.can_run_on(name)]
        self.tests = [*tests, *(more or [])]
        self.toolchain = toolchain_of(self.tree)
        self.has_host = any(test.has("host-root") for test in self.tests)
        self.modules = [*MODULES, *kernel.find(self.place.kernel).modules]
        self.modules += stage.kernel_modules(self.tree, self.tests)
        self.saved = SAVED / f"{name}-{self.tree.name}-{self._key()}"
        self.stateless = self.saved / "stateless"

    def _key(self) -> str:
        words = [output_of([self.toolchain.arch.qemu, "--version"]), str(self.place)]
        words += [GUEST, SETTINGS, *self.modules, str(self._machine())]
        digest = hashlib.sha256("\n".join(words).encode())
        for file in (
            "machine/guest/init",
            "zio_testing/guest.py",
            "zio_testing/image.py",
        ):
            digest.update((TESTING / file).read_bytes())
        return digest.hexdigest()[:12]

    def _machine(self) -> Machine:
        found = kernel.find(self.place.kernel)
        words = " ".join([self.place.qemu, *asked_for("qemu", self.tests)]).split()
        leaks = [] if self.place.leaks else ["kmemleak=off"]
        arch = self.toolchain.arch
        return Machine(
            cpus=self.place.cpus,
            memory=1024 if self.has_host else 512,
            icount=self.place.icount,
            devices=asked_for("device", self.tests),
            qemu_words=words,
            arguments=[*found.arguments, *leaks, *self.place.arguments],
            arch=replace(arch, cpu=found.cpu or arch.cpu),
        )

    def prepare(self) -> None:
        """Boot and save the machine, unless that was done."""
        with locked(SAVED / f"{self.name}-{self.tree.name}.lock"):
            if (self.saved / "state").exists():
                return
            for old in SAVED.glob(f"{self.name}-{self.tree.name}-????????????"):
                shutil.rmtree(old, ignore_errors=True)
            self.saved.mkdir(parents=True)
            self._make_image()
            for _ in range(ATTEMPTS):
                with shown(f"booting and saving a machine ({self.name})"):
                    is_saved = self._save()
                if is_saved:
                    return
                say("the kernel has mistaken the rate of its clock: once more")
            raise Failure(f"{self.name}: the kernel does not know the rate of its clock")

    def _make_image(self) -> None:
        root = self.saved / "root"
        port = self.toolchain.arch.ports[0]
        image = Image(root, self.toolchain.programs)
        image.add_base()
        image.add_kernel_modules(self.tree, self.modules)
        image.index_modules(self.tree)
        image.at("/etc/zio-vm/command").write_text(f"set -- {port}\n{GUEST}")
        text = SETTINGS.format(modules=" ".join(self.modules), out=port)
        # zio-links makes the links of ZIO: nothing is there to link.
        image.at("/usr/sbin/zio-links").write_text("#!/bin/sh\n")
        image.at("/usr/sbin/zio-links").chmod(0o755)
        image.at("/etc/zio-vm/settings").write_text(text)
        pack(root, self.saved / "initrd")
        shutil.rmtree(root)

    def _start(self, work: Path, root: Path, *words: str, **options: Any) -> Running:
        """Run QEMU in the directory @work. The machine can mount @root."""
        machine = self._machine()
        command = qemu_command(machine, self.tree, self.saved)
        command = [
            word.replace(f"path={self.saved}/log", f"path={work}/log") for word in command
        ]
        for name in ("port", "monitor"):
            at = f"socket,id={name},path={work}/{name},server=on,wait=off"
            command += ["-chardev", at]
        command += self.toolchain.arch.port.format("port").split()
        command += ["-mon", "chardev=monitor,mode=control"]
        command += MOUNTS.format("stage", root).split()
        if self.has_host:
            command += MOUNTS.format("host", "/").split()
        # Only QEMU has the cards: the programs before it do not start with them.
        preload = [f"LD_PRELOAD={qemu_sspci()}"] if machine.devices else []
        return Running([*command, *words], preload, work, **options)

    def _boot(self, work: Path, root: Path) -> Running:
        running = self._start(work, root)
        if READY in running.read_until(READY, BOOT_LIMIT)[0]:
            return running
        running.stop()
        raise Failure(f"the machine did not boot:\n{read_log(running.log)[-2000:]}")

    def _save(self) -> bool:
        """Boot and save the machine. Return false if its clock is wrong."""
        with tempfile.TemporaryDirectory(prefix="zio-guest.") as name:
            running = self._boot(Path(name), Path(name))
            try:
                if not knows_its_clock(running):
                    return False
                self._write_state(running.monitor)
            finally:
                running.stop()
        return True

    def _write_state(self, monitor: Monitor) -> None:
        new = self.saved / "state.new"
        bandwidth: Any = {"max-bandwidth": 10**10}
        monitor.ask("migrate-set-parameters", **bandwidth)
        monitor.ask("stop")
        with open(new, "wb") as file:
            monitor.ask("getfd", [file.fileno()], fdname="state")
        try:
            monitor.ask("migrate", uri="fd:state")
        except Failure as error:
            # QEMU does not save some devices, such as its sound card for USB.
            self.stateless.write_text(f"{error}\n")
            return
        monitor.wait_until("query-migrate", "completed")
        new.rename(self.saved / "state")

    def _continue(self, work: Path, root: Path) -> Running:
        if self.stateless.exists():
            return self._boot(work, root)
        with open(self.saved / "state", "rb") as state:
            incoming = ("-incoming", f"fd:{state.fileno()}")
            running = self._start(work, root, *incoming, pass_fds=[state.fileno()])
        running.monitor.wait_until("query-status", "paused")
        running.monitor.ask("cont")
        return running

    def resume(self, work: Path) -> Running:
        """Continue the machine, with its files in the directory @work. Boot it if it
        cannot be saved."""
        self.prepare()
        running = self._continue(work, stage.prepare(self.name, self.tests))
        try:
            done = running.run(ATTACH, RESUME_LIMIT)
            if self.has_host and not done.status:
                done = running.run(
                    f"zio-mount-host {shlex.quote(str(TESTING.parent))}", RESUME_LIMIT
                )
            if done.status:
                end = f"{read_log(work / 'qemu')}{read_log(running.log)[-1000:]}"
                raise Failure(f"the machine cannot mount its files: {done.said}\n{end}")
        except BaseException:
            running.stop()
            raise
        return running


# For numpy of this machine, where it has OpenBLAS: that takes the emulated processor for
# one with instructions of AMD's that QEMU does not have.
BLAS = "OPENBLAS_CORETYPE=Prescott"


def environment() -> str:
    """Return the words of the shell with the variables that tests read."""
    names = "STORM_SECONDS FUZZ_SECONDS NTH_SECONDS REMOVAL_TRIALS SEED".split()
    given = [f"ZIO_{name}={os.environ.get(f'ZIO_{name}', '')}" for name in names]
    return " ".join([*given, BLAS, f"ZIO_TREE={TESTING.parent}"])
