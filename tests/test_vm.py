# SPDX-License-Identifier: GPL-2.0-only
"""vm: a command in a virtual machine, the emulated card, and bad ends"""

from __future__ import annotations

import contextlib
import os
import re
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import Any

import pytest

from zio_testing import kernel
from zio_testing.common import TESTING, Words, running

SAMPLE = bytes(range(256)) * 3
ODD_WORDS = ["it's", '"a  b"', r"$HOME \n *", ""]


@dataclass
class Ran:
    """How vm has ended, and what it has printed"""

    status: int
    out: bytes
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.decode().splitlines()

    @property
    def complaints(self) -> list[str]:
        """What vm has printed on standard error, but not that it waited for a test beside
        this one, nor how far it was"""
        lines = [line for line in self.err.splitlines() if not line.startswith("# ")]
        return [line for line in lines if "waiting for another run" not in line]


def vm(*words: str | Path, **environ: str) -> Ran:
    """Run vm. The limit is long because a busy machine takes many times as long to boot
    as an idle one."""
    command: Words = [TESTING / "vm", "--timeout", "3600", *words]
    env = {**os.environ, **environ}
    with running(
        subprocess.Popen(command, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, env=env)
    ) as process:
        out, err = process.communicate()
    return Ran(process.returncode, out, err.decode(errors="replace"))


def write_program(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(0o755)
    return path.parent


# --- command and status -----------------------------------------------------------------


def test_status_and_output_pass(tmp_path: Path) -> None:
    (tmp_path / "sample").write_bytes(SAMPLE)
    ran = vm(
        *("--no-load", "--add", tmp_path / "sample"),
        *("--", "cat sample; echo oh >&2; exit 7"),
    )
    assert (ran.status, ran.out) == (7, SAMPLE), ran.err
    assert "oh" in ran.err.splitlines()


def test_words_arrive_as_they_were_given() -> None:
    ran = vm("--no-load", "--cpus", "1", "--", "printf", r"%s\n", *ODD_WORDS)
    assert (ran.status, ran.lines, ran.complaints) == (0, ODD_WORDS, [])


def test_additions(tmp_path: Path) -> None:
    (tmp_path / "sample").write_bytes(SAMPLE)
    (tmp_path / "dir").mkdir()
    (tmp_path / "dir/file").write_text("inside\n")
    sort = shutil.which("sort")
    ran = vm(
        *("--no-load", "--icount", "--mem", "256", "--module", "industrialio"),
        *("--add", f"{sort}:/opt/tools/", "--add", f"{tmp_path}/dir:/data/it"),
        *("--add", f"{tmp_path}/sample:/data/other", "--append", "zio.word=one", "--"),
        r"""printf "b\na\n" | /opt/tools/sort; cat /data/it/file
        wc -c </data/other; grep -o zio.word=one /proc/cmdline; nproc
        grep -ow no_timer_check /proc/cmdline
        grep -c ^industrialio /proc/modules; ls -d /sys/bus/zio""",
    )
    wanted = ["a", "b", "inside", "768", "zio.word=one", "1", "no_timer_check", "1"]
    # --no-load loads nothing: ls fails.
    assert (ran.lines, ran.status) == (wanted, 1), ran.err


def test_zio_is_loaded() -> None:
    """Short names are there, and dd tells the time."""
    ran = vm(
        "--",
        r"""echo /sys/bus/zio/devices/*; ls -L /dev/zzero-0-1-data
        dd if=/dev/zzero-0-1-data of=/dev/null bs=16 count=2 2>&1 |
        sed -n "s/^\(32 bytes copied\), [0-9].*s, .*B\/s$/\1/p" """,
    )
    wanted = ["/sys/bus/zio/devices/zzero-0000", "/dev/zzero-0-1-data"]
    assert ran.lines == [*wanted, "32 bytes copied"], ran.err


def test_missing_modules(tmp_path: Path) -> None:
    assert vm("--modules", tmp_path, "--", "true").status == 125


@pytest.mark.parametrize(
    "words",
    [
        "--cpus",
        "--cpus two",
        "--nonsense",
        "ls",
        "--kernel zork -- true",
        "--add /nonexistent -- true",
        "--device e1000 -- true",
        "--modules /nonexistent -- true",
        "--module /nonexistent.ko -- true",
    ],
)
def test_refused(words: str) -> None:
    assert vm("--no-load", *words.split()).status in (2, 125)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("--module zork", "--module: the kernel .* has no module zork"),
        ("--add /nonexistent", "--add: no file /nonexistent"),
        ("", "the tools do not build"),
    ],
)
def test_refused_before_the_compilers_run(
    words: str, complaint: str, tmp_path: Path
) -> None:
    """Here they cannot run."""
    folder = write_program(tmp_path / "bin/make", "exit 1\n")
    ran = vm(*words.split(), "--", "true", PATH=f"{folder}:{os.environ['PATH']}")
    assert re.search(complaint, ran.err), ran.err


# --- the emulated card ------------------------------------------------------------------

# What models/qemu/guest.sh prints: an event of 1030 words, 1024 of them by DMA
CARD = """\
idle: 000000e6
lines: 07000000
link: up
begin: b0f00000
waiting: 07000000
status: 00875f00
count: 00000000
first: 0x00000000
last: 0x000003FF
over: 00000400
over: 00000401
over: 00000402
over: 00000403
over: 00000404
over: 00000405
end: e0f00000
empty: 000004e6
counted: 1 8 1024 1 0 
"""


@pytest.mark.parametrize("access", ["", ",io=on"], ids=["memory", "io"])
def test_card(access: str) -> None:
    """Registers, DMA, mailbox. The kernel leaves 64 KiB at 128 MiB to the card."""
    device = f"sspci,bus-time=free,grant-ns=0,card-ns=0{access}"
    ran = vm(
        *("--no-load", "--device", device, "--append", "memmap=64K$0x8000000"),
        *("--add", TESTING / "models/qemu/guest.sh", "--", "sh", "guest.sh", "0x8000000"),
    )
    assert (ran.out.decode(), ran.status) == (CARD, 0), ran.err


def test_two_cards_back_to_back() -> None:
    """They have properties. What the bench refuses is an error."""
    ran = vm(
        *("--no-load", "--device", "sps,id=a,size=7"),
        *("--device", "sspci,peer=a,mode=test", "--"),
        """slink-bench size has-peer mode; slink-bench -c 1 size has-peer mode
        slink-bench -c 2; slink-bench size=x; slink-bench events=1""",
    )
    assert (ran.out.split(), ran.status) == (b"7 1 stop 256 1 test".split(), 1), ran.err


def test_fault_of_the_card() -> None:
    """An empty FIFO reads as all ones, which is a fault of the software."""
    ran = vm(
        *("--no-load", "--device", "sspci", "--"),
        """cd /sys/bus/pci/devices
        card=$(dirname "$(grep -l 0x10dc */vendor)")
        echo 1 >"$card/enable"
        read -r base _ <"$card/resource"
        devmem $((base + 0x20)) 32; slink-bench faults""",
    )
    assert (ran.out, ran.status) == (b"0xFFFFFFFF\n1\n", 99), ran.err
    assert re.search("card 0 saw 1 faults.*empty-reads 1", ran.err)


# --- faults of the kernel ---------------------------------------------------------------

Provoke = Callable[..., Ran]


@pytest.fixture(scope="module")
def provoke(tmp_path_factory: pytest.TempPathFactory) -> Provoke:
    """A function that makes each of some faults, in one machine"""
    built: dict[str, Path] = {}

    def run(name: str, faults: str, *options: str) -> Ran:
        if name not in built:
            built[name] = tmp_path_factory.mktemp(name)
            for file in (TESTING / "machine/provoke").iterdir():
                shutil.copy(file, built[name])
            make: list[Any] = ["make", "-s", "-C", kernel.prepare(name) / "build"]
            subprocess.run([*make, f"M={built[name]}", "modules"], check=True)
        words = ["--kernel", name, "--no-load", "--modules", str(built[name])]
        return vm(
            *(*words, *options, "--"),
            f"""for fault in {faults}; do
            rmmod provoke 2>/dev/null; modprobe provoke fault=$fault
            done""",
        )

    return run


@pytest.mark.parametrize(
    ("fault", "reports"),
    [
        ("warn", ["WARNING: .*do_warn"]),
        # On this kernel an oops is a panic.
        ("oops", ["BUG: kernel NULL pointer.*", "Kernel panic"]),
    ],
)
def test_fault(fault: str, reports: list[str], provoke: Provoke) -> None:
    ran = provoke("distro", fault)
    assert ran.status == 99
    for report in reports:
        assert re.search(report, ran.err)


def test_faults_that_kasan_sees(provoke: Provoke) -> None:
    """log-faults knows each of these lines. Lockdep ends when KASAN reports, so the order
    of locks comes first."""
    faults = "lock-order use-after-free atomic-sleep dma-direction leak"
    ran = provoke("kasan", faults, "--leaks")
    assert ran.status == 99
    for report in (
        "BUG: KASAN: use-after-free in do_use_after_free",
        "WARNING: possible circular locking dependency",
        "BUG: .*atomic",
        "DMA-API: .*different direction",
        "do_leak",
    ):
        assert re.search(report, ran.err), report


def test_no_fault_on_kasan(provoke: Provoke) -> None:
    ran = provoke("kasan", "nothing", "--leaks")
    assert (ran.status, ran.complaints) == (0, [])


# --- other ends -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "complaint"),
    [("--timeout", "no end after"), ("--silence", "no word in the log for")],
)
def test_limit_of_time(option: str, complaint: str) -> None:
    """The machine must begin its command before the time is up. A busy machine needs more
    time for that."""
    seconds, ran = 12, Ran(124, b"", "")
    while not ran.out and ran.status == 124 and seconds < 2000:
        ran = vm("--no-load", option, f"{seconds}", "--", "echo before; sleep 10000")
        seconds *= 2
    assert (ran.status, ran.out) == (124, b"before\n"), ran.err
    assert complaint in ran.err


def test_machine_ends_by_itself() -> None:
    assert vm("--no-load", "--", "reboot -f").status == 98


def run_sluggish(place: Path, times: int, seconds: int) -> Ran:
    """Run an emulator that stands still the first @times, for so many @seconds."""
    begun, path = place / "begun", os.environ["PATH"]
    begun.unlink(missing_ok=True)
    text = f"""PATH={path}
    [ -e {begun} ] || set -- "$@" -S
    [ {times} -gt 1 ] || : >{begun}
    exec qemu-system-x86_64 "$@"
    """
    folder = write_program(place / "bin/qemu-system-x86_64", text)
    words = {"PATH": f"{folder}:{path}", "ZIO_VM_BOOT_SECONDS": str(seconds)}
    return vm("--no-load", "--", "echo begun", **words)


def test_boot_that_stands_still_is_begun_again(tmp_path: Path) -> None:
    """vm must not end a machine that runs. A busy machine needs more time to boot."""
    seconds, ran = 10, Ran(98, b"", "")
    while ran.status == 98 and seconds < 1000:
        ran = run_sluggish(tmp_path, 1, seconds)
        seconds *= 3
    assert (ran.status, ran.out) == (0, b"begun\n"), ran.err
    assert "once more" in ran.err


def test_boot_that_stands_still_twice(tmp_path: Path) -> None:
    ran = run_sluggish(tmp_path, 2, 2)
    assert ran.status == 98
    assert "twice" in ran.err


def find_machine(parent: int) -> int | None:
    """Return a descriptor of the emulator among the children of a process."""
    for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
        with contextlib.suppress(OSError):
            machine = os.pidfd_open(int(pid))
            if "qemu-system" in os.readlink(f"/proc/{pid}/exe"):
                return machine
            os.close(machine)
    return None


def has_ended(machine: int) -> bool:
    return bool(select.select([machine], [], [], 0)[0])


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
)
def test_signal_leaves_nothing(number: int, status: int, tmp_path: Path) -> None:
    # A worker may ignore SIGINT.
    command: Words = ["env", "--default-signal=INT", f"TMPDIR={tmp_path}"]
    command = [*command, TESTING / "vm", "--no-load", "--", "sleep 1000"]
    with running(subprocess.Popen(command, stdin=DEVNULL, stdout=DEVNULL)) as process:
        while (machine := find_machine(process.pid)) is None:
            assert process.poll() is None
            time.sleep(0.1)
        process.send_signal(number)
        process.wait()
    assert process.returncode == status
    assert has_ended(machine)
    os.close(machine)
    assert not list(tmp_path.iterdir())
