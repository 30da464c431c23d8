# SPDX-License-Identifier: GPL-2.0-only
"""vm - run ZIO in a virtual machine; the kernel of this machine stays as it is

Usage: vm [OPTION]... [-- COMMAND [ARGUMENT]...]

vm boots a kernel under QEMU with the modules and tools of this checkout inside. It
loads the core, the kmalloc buffer and zio-zero, and runs COMMAND in the directory
/root. It prints only the output of COMMAND, and exits with its status. A single word
is a line for the shell. With no command, vm runs a shell on this terminal.

  --kernel NAME           distro (default), rt, plain, kasan, kcsan, or a directory
                          (with a slash in its name): see kernel
  --cpus N                processors (default 2)
  --mem MB                memory (default 512)
  --icount                time counts instructions, 1 ns each: repeatable.
                          One processor of the model qemu64
  --add FILE[:GUESTPATH]  put a file or directory inside, by default as /root/FILE;
                          programs bring their shared libraries
  --module NAME           put this module of the kernel inside, and load it
  --no-load               load no module of ZIO (the machine still has them)
  --modules DIR           take the modules of ZIO from DIR, build none
  --leaks                 look for lost memory at the end (kasan, kcsan)
  --timeout S             limit in seconds (default 300; a shell has none)
  --device sspci[,PROPERTY=VALUE]...
                          an emulated S-LINK card, with its test bench and the
                          program slink-bench: see Documentation/slink-model.md
  --append ARG            one more argument for the kernel
  --qemu ARG              one more argument for QEMU (is split at spaces)
  --log FILE              keep the log of the kernel in FILE

Inside: zio-load MODULE [PARAMETER=VALUE]..., zio-unload MODULE, zio-links (makes the
links that udev makes elsewhere), zio-leak-scan, busybox, dash as sh, the tools of ZIO.

Exit status: that of COMMAND; 99 after an oops, a warning, or a report of a sanitizer
anywhere in the boot; 99 also after a fault of the software that the card saw (shown
on standard error); 98 if the machine ended before the command did; 124 after the
timeout; 125 if vm itself failed, 2 on wrong usage.

QEMU's emulator sometimes stands still while a kernel boots: its first process has not
begun, and its log does not grow for ZIO_VM_BOOT_SECONDS (90). vm then starts the machine
once more. If the second machine stands still, too, the exit status is 98.
"""

import getopt
import os
import shlex
import shutil
import signal
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from zio_testing import kernel
from zio_testing.boot import Boot
from zio_testing.common import Failure, Usage, handle_signals, number, say, setup
from zio_testing.image import Image
from zio_testing.machine import Machine, qemu_command, qemu_environment, qemu_sspci

FLAGS = ["icount", "no-load", "leaks"]
VALUES = ["kernel=", "cpus=", "mem=", "add=", "module=", "modules=", "timeout="]
VALUES += ["device=", "append=", "qemu=", "log="]
BOOT_SECONDS = "ZIO_VM_BOOT_SECONDS"
ZIO = ["zio", "zio-buf-kmalloc", "zio-zero"]


@dataclass
class Options:
    """The command line."""

    machine: Machine
    kernel: str
    load: bool
    leaks: bool
    timeout: int | None
    boot_seconds: int
    modules: Path | None
    log: Path | None
    adds: list[str]
    kernel_modules: list[str]
    command: list[str]


def parse_options(words: list[str]) -> Options:
    at = words.index("--") if "--" in words else len(words)
    found, rest = getopt.getopt(words[:at], "", FLAGS + VALUES)
    if rest:
        raise Usage(f"what is '{rest[0]}'? A command comes after --")
    given: dict[str, list[str]] = {}
    for name, value in found:
        given.setdefault(name, []).append(value)
    last = {name: values[-1] for name, values in given.items()}
    options = Options(
        machine=parse_machine(given, last),
        kernel=last.get("--kernel", "distro"),
        load="--no-load" not in given,
        leaks="--leaks" in given,
        timeout=number(last["--timeout"], "--timeout") if "--timeout" in last else None,
        boot_seconds=number(os.environ.get(BOOT_SECONDS, "90"), BOOT_SECONDS),
        modules=Path(last["--modules"]) if "--modules" in last else None,
        log=Path(last["--log"]) if "--log" in last else None,
        adds=given.get("--add", []),
        kernel_modules=given.get("--module", []),
        command=words[at + 1 :],
    )
    check_options(options)
    return options


def parse_machine(given: dict[str, list[str]], last: dict[str, str]) -> Machine:
    icount = "--icount" in given
    return Machine(
        cpus=1 if icount else number(last.get("--cpus", "2"), "--cpus"),
        memory=number(last.get("--mem", "512"), "--mem"),
        icount=icount,
        devices=given.get("--device", []),
        qemu_words=" ".join(given.get("--qemu", [])).split(),
        arguments=given.get("--append", []),
    )


def check_options(options: Options) -> None:
    kernel.find(options.kernel)
    for device in options.machine.devices:
        if device.partition(",")[0] != "sspci":
            raise Usage(f"--device: no such device: {device}")
    if options.modules and not options.modules.is_dir():
        raise Usage(f"--modules: no directory {options.modules}")
    if not options.command and not sys.stdin.isatty():
        raise Usage("a shell wants a terminal; or give a command after --")


def guest_command(command: list[str]) -> str:
    """Return the line for the shell of the guest."""
    if len(command) == 1:
        return f"{command[0]}\n"
    return f"exec {shlex.join(command)}\n" if command else ""


def guest_settings(options: Options) -> str:
    try:
        columns, rows = os.get_terminal_size(sys.stdin.fileno())
    except OSError:
        columns, rows = 80, 24
    modules = options.kernel_modules + (ZIO if options.load else [])
    settings = {
        "modules": " ".join(modules),
        "interactive": "no" if options.command else "yes",
        "leaks": "yes" if options.leaks else "no",
        "rows": str(rows),
        "columns": str(columns),
        "term": os.environ.get("TERM") or "linux",
    }
    return "".join(f"{name}={shlex.quote(value)}\n" for name, value in settings.items())


def make_image(options: Options, tree: Path, work: Path) -> None:
    image = Image(work / "root")
    image.add_base()
    names = [*options.kernel_modules, *kernel.find(options.kernel).modules]
    image.add_modules(tree, options.modules, names)
    for words in options.adds:
        image.add(words)
    if options.machine.devices:
        image.copy(Path(qemu_sspci("--tool")), "/usr/bin/slink-bench")
    image.at("/etc/zio-vm/command").write_text(guest_command(options.command))
    image.at("/etc/zio-vm/settings").write_text(guest_settings(options))
    image.pack(work / "initrd")
    shutil.rmtree(image.root)


def run(options: Options, work: Path) -> int:
    tree = kernel.prepare(options.kernel)
    make_image(options, tree, work)
    arguments = list(kernel.find(options.kernel).arguments)
    if not options.leaks:
        # kmemleak notes the origin of all memory. This more than doubles the time.
        arguments.append("kmemleak=off")
    options.machine.arguments[:0] = arguments
    env = qemu_environment(options.machine)
    boot = Boot(qemu_command(options.machine, tree, work), env, work)
    try:
        if options.command:
            boot.run_command(options.timeout or 300, options.boot_seconds)
        else:
            say("booting, 'exit' leaves")
            boot.run_shell(options.timeout)
    finally:
        if options.log and boot.log.exists():
            shutil.copy(boot.log, options.log)
    return boot.judge()


def main(words: list[str]) -> int:
    options = parse_options(words)
    setup("vm")
    work = Path(tempfile.mkdtemp(prefix="zio-vm."))
    try:
        return run(options, work)
    except FileNotFoundError as error:
        raise Failure(str(error)) from error
    finally:
        # A second signal must not leave the files behind.
        handle_signals(signal.SIG_IGN)
        shutil.rmtree(work, ignore_errors=True)
