# SPDX-License-Identifier: GPL-2.0-only
"""The emulated machine: QEMU, the processor, and the arguments of the kernel."""

import functools
import os
import platform
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from .common import CACHE, TESTING, Failure, Words, output_of, say, tag_of
from .image import pack
from .progress import build, shown
from .toolchain import AMD64, Arch

ARGUMENTS = (
    "rdinit=/init panic=-1 oops=panic loglevel=7 "
    "printk.devkmsg=on random.trust_bootloader=on 8250.nr_uarts=4 "
    # A suspend that hangs tells where.
    "no_console_suspend "
    # An emulated machine on a busy host can stand still for a minute.
    "rcupdate.rcu_cpu_stall_timeout=120 watchdog_thresh=60 "
    "workqueue.watchdog_thresh=120 sysctl.kernel.hung_task_timeout_secs=240"
).split()

# A directory of this machine that a machine can mount, read-only
MOUNTS = "-fsdev local,id={0},path={1},security_model=none,readonly=on,multidevs=remap "
MOUNTS += "-device virtio-9p-pci,fsdev={0},mount_tag={0}"

# A sound card that nobody hears
SOUND = "-audiodev none,id=sound -device intel-hda -device hda-duplex,audiodev=sound"


@dataclass
class Machine:
    """The properties of a machine that a user can choose."""

    cpus: int = 2
    memory: int = 512
    icount: bool = False
    devices: list[str] = field(default_factory=list)
    qemu_words: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    arch: Arch = AMD64


def choose_accelerator(machine: Machine, tree: Path, work: Path) -> list[str]:
    """Return options of QEMU. Add the arguments that an emulated kernel needs."""
    if not machine.icount and machine.arch == AMD64 and can_use_kvm(tree, work):
        return ["-accel", "kvm", "-cpu", "host"]
    machine.arguments[:0] = machine.arch.arguments
    cpu = machine.arch.cpu
    if machine.icount:
        return ["-accel", "tcg", "-icount", "shift=0,sleep=off", "-cpu", cpu]
    threads = ",thread=multi" if machine.cpus > 1 else ""
    # On a busy host Linux would measure its clock wrongly by a PIT: nine times too fast.
    # Now it measures by the PM timer.
    pit = ["-machine", "pit=off"] if machine.arch.name == AMD64.name else []
    if pit and platform.machine() == "x86_64":
        # Threads of one machine have the same clock. Any other one asks QEMU each time.
        # Retpolines protect nothing here.
        clock = f"tsc_early_khz={clock_rate()}"
        machine.arguments += ["tsc=reliable", clock, "mitigations=off"]
    return ["-accel", f"tcg{threads}", "-cpu", cpu, *pit]


@functools.cache
def clock_rate() -> str:
    """Return the rate of the processor's clock (TSC) in kHz, which emulated processors
    have, too. Linux would measure it while the host is busy."""
    source = TESTING / "machine/tsc.c"
    program = CACHE / "qemu" / f"tsc-{tag_of(source.read_text())}"
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        new = program.with_suffix(f".{os.getpid()}")
        build(["gcc", "-O2", "-o", new, source], program.with_suffix(".log"), "no tsc")
        new.rename(program)
    return output_of([program]).strip()


def qemu_command(machine: Machine, tree: Path, work: Path) -> list[str]:
    """Return the command that boots the kernel in @tree, with @work/initrd. The log of
    the kernel goes to @work/log."""
    accelerator = choose_accelerator(machine, tree, work)
    arch = machine.arch
    command = [arch.qemu, *arch.machine, "-nodefaults", "-no-user-config"]
    command += ["-display", "none", "-no-reboot"]
    command += [*accelerator, "-smp", f"{machine.cpus},sockets={machine.cpus}"]
    command += ["-m", str(machine.memory)]
    command += ["-kernel", f"{tree}/vmlinuz", "-initrd", f"{work}/initrd"]
    arguments = [f"console={arch.console}", *ARGUMENTS, *machine.arguments]
    command += ["-append", " ".join(arguments)]
    command += ["-chardev", f"file,id=log,path={work}/log", "-serial", "chardev:log"]
    command += machine.qemu_words
    bench = ["sspci-bench"] if has_sspci(machine) else []
    for device in (*machine.devices, *bench):
        command += ["-device", device]
    return command


# --- the cards that QEMU does not have ------------------------------------------------


def has_sspci(machine: Machine) -> bool:
    return any(device.partition(",")[0] in ("sspci", "sps") for device in machine.devices)


def qemu_sspci(*words: str) -> str:
    command: Words = [TESTING / "machine/qemu-sspci", *words]
    with shown("making the models of cards for QEMU"):
        done = subprocess.run(command, stdout=subprocess.PIPE)
    if done.returncode:
        raise Failure("the card model cannot be had")
    return done.stdout.decode().strip()


def qemu_environment(machine: Machine) -> dict[str, str]:
    """A preloaded object brings the card into QEMU."""
    if not machine.devices:
        return dict(os.environ)
    return dict(os.environ, LD_PRELOAD=qemu_sspci())


# --- KVM --------------------------------------------------------------------------------


def can_use_kvm(tree: Path, work: Path) -> bool:
    """Boot a kernel under KVM, once per kernel and boot of this machine. In some clouds
    /dev/kvm opens, but a kernel hangs with KVM."""
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return False
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    known = CACHE / "kvm" / f"{boot}-{tree.name}"
    if not known.exists():
        known.parent.mkdir(parents=True, exist_ok=True)
        say("trying KVM")
        works = boots_under_kvm(tree, work / "probe")
        if not works:
            say("KVM does not work here: software emulation from now on")
        known.write_text("yes\n" if works else "no\n")
    return known.read_text() == "yes\n"


PROBE = """#!/bin/busybox sh
echo kvm-works
/bin/busybox reboot -f
"""


def boots_under_kvm(tree: Path, probe: Path) -> bool:
    (probe / "bin").mkdir(parents=True, exist_ok=True)
    shutil.copy(shutil.which("busybox") or "busybox", probe / "bin/busybox")
    (probe / "init").write_text(PROBE)
    (probe / "init").chmod(0o755)
    pack(probe, Path(f"{probe}.cpio"))
    command = [AMD64.qemu, "-accel", "kvm", "-cpu", "host", "-m", "256", "-nodefaults"]
    command += ["-display", "none", "-no-reboot", "-serial", "stdio"]
    command += ["-kernel", f"{tree}/vmlinuz", "-initrd", f"{probe}.cpio"]
    command += ["-append", f"console={AMD64.console} panic=-1"]
    command = ["timeout", "-s", "KILL", "10", *command]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    return b"kvm-works" in done.stdout
