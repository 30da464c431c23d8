# SPDX-License-Identifier: GPL-2.0-only
"""vm - run ZIO in a virtual machine; the kernel of this machine stays as it is

Usage: vm [OPTION]... [-- COMMAND [ARGUMENT]...]

vm boots a kernel under QEMU with the modules and tools of this checkout inside. It
loads the core, zio-configfs, the kmalloc buffer and zio-zero, and runs COMMAND in
/root. It prints only the output of COMMAND, and exits with its status. A single word
is a line for the shell. With no command, vm runs a shell on this terminal. Its machine
has the programs of this one, such as gnuplot and python3, the Python package, a sound
card, and the page of zio-scope: a browser here shows http://127.0.0.1:8642.

  --kernel NAME           distro (default), rt, rt-debug, 6.12, newest, plain, kasan,
                          kcsan, or a directory (with a slash in its name): see kernel
  --arch NAME             arm64 or armhf, with --kernel 6.12 (default) or newest; arm64
                          also has 6.1
  --cpus N                processors (default 2)
  --mem MB                memory (default 512, with a shell 1024)
  --icount                time counts instructions, 1 ns each: repeatable.
                          One processor of the model qemu64
  --add FILE[:GUESTPATH]  put a file or directory inside, by default as /root/FILE;
                          programs bring their shared libraries
  --module NAME           put this module of the kernel inside, and load it
  --module FILE.ko        the same for a module that was built elsewhere, such as a
                          driver in a directory of its own
  --no-load               load no module of ZIO (the machine still has them)
  --modules DIR           take the modules of ZIO from DIR, build none
  --host-root             mount the files of this machine in the guest, read-only. Its
                          programs run there by their names; `zio-host COMMAND` runs
                          one that finds all files in their places
  --forward PORT          connections to PORT of 127.0.0.1 reach PORT of the guest, which
                          has the address 10.0.2.15, and reaches no other machine
  --leaks                 look for lost memory at the end (kasan, kcsan)
  --timeout S             limit in seconds (default 300; a shell has none)
  --silence S             the same for the time in which the log of the kernel does not
                          grow (default: none)
  --device sspci[,PROPERTY=VALUE]..., --device sps[,PROPERTY=VALUE]...
                          an emulated S-LINK card, destination or source, with its
                          test bench and the program slink-bench: see
                          Documentation/slink/slink-model.md
  --device xdma[,engines=N][,wide=on][,memory=on]
                          an emulated FPGA card: see Documentation/xdma.md
  --append ARG            one more argument for the kernel
  --qemu ARG              one more argument for QEMU (is split at spaces). One that
                          begins with a dash and has no space: --qemu=ARG
  --log FILE              keep the log of the kernel in FILE

Inside: modprobe MODULE, which also makes the links that udev makes elsewhere, udevadm
settle, zio-load MODULE [PARAMETER=VALUE]..., zio-unload MODULE, zio-links, zio-leak-scan,
zio-host (with --host-root), busybox, dash as sh, the tools of ZIO.

Exit status: that of COMMAND; 99 after an oops, a warning, or a report of a sanitizer
anywhere in the boot; 99 also after a fault of the software that the card saw (shown
on standard error); 98 if the machine ended before the command did; 124 after the
timeout; 125 if vm itself failed, 2 on wrong usage.

QEMU's emulator sometimes stands still while a kernel boots: its first process has not
begun, and its log does not grow for ZIO_VM_BOOT_SECONDS (90). vm then starts the machine
once more. If the second machine stands still, too, the exit status is 98.
"""

import argparse
import os
import shlex
import shutil
import signal
import socket
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from . import kernel
from .boot import Boot
from .common import ROOT, Failure, Parser, Usage, handle_signals, number, say, setup
from .image import Image, find_modules, pack, split_addition
from .machine import MOUNTS, SOUND, Machine, qemu_command, qemu_environment, qemu_sspci
from .modules import install_python
from .toolchain import Toolchain, toolchain_of

ZIO = ["zio", "zio-configfs", "zio-buf-kmalloc", "zio-zero"]
# The file system of this machine in the guest
HOST_MODULES = ["virtio_pci", "9pnet_virtio", "9p", "overlay"]
NET_MODULES = ["virtio_pci", "virtio_net"]
# What a shell has beside these
SOUND_MODULES = ["snd-hda-intel", "snd-hda-codec-generic"]
# The port of zio-scope, which listens on 127.0.0.1 alone, and one that leads to it
SCOPE, RELAY = 8642, 18642


def parse_options(words: list[str]) -> argparse.Namespace:
    at = words.index("--") if "--" in words else len(words)
    parser = Parser()
    parser.add_argument("--kernel")
    parser.add_argument("--arch", choices=["amd64", "arm64", "armhf"], default="amd64")
    parser.add_argument("--cpus", type=number, default=2)
    parser.add_argument("--mem", type=number)
    parser.add_argument("--timeout", type=number)
    parser.add_argument("--silence", type=number)
    parser.add_argument("--modules", type=Path)
    parser.add_argument("--log", type=Path)
    for name in ("icount", "no-load", "leaks", "host-root"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--forward", action="append", default=[], type=number)
    for name in ("add", "module", "device", "append", "qemu"):
        parser.add_argument(f"--{name}", action="append", default=[])
    options, rest = parser.parse_known_args(words[:at])
    if rest:
        raise Usage(f"what is '{rest[0]}'? A command comes after --")
    options.command = words[at + 1 :]
    if options.arch == "amd64":
        options.kernel = options.kernel or "distro"
    else:
        options.kernel = f"{options.arch}-{options.kernel or '6.12'}"
    check_options(options)
    # Programs of this machine run on its own processor.
    options.is_shell = not options.command and options.arch == "amd64"
    options.mem = options.mem or (1024 if options.is_shell else 512)
    return options


def is_free(port: int) -> bool:
    """Tell if QEMU can have this port of 127.0.0.1."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            say(f"another program has port {port}: no browser here reaches zio-scope")
            return False
    return True


def has_modules(tree: Path, names: list[str]) -> bool:
    try:
        find_modules(tree, names)
    except Failure as error:
        say(str(error).removeprefix("--module: "))
        return False
    return True


def choose_shell(options: argparse.Namespace, tree: Path) -> None:
    """Choose what the machine of a shell has. That of a command has nothing of it."""
    if options.is_shell and not has_modules(tree, [*HOST_MODULES, *NET_MODULES]):
        say("the machine has no programs but those of ZIO")
        options.is_shell = False
    options.host_root |= options.is_shell
    options.has_sound = options.is_shell and has_modules(tree, SOUND_MODULES)
    is_ours = options.is_shell and SCOPE not in options.forward
    options.has_scope = is_ours and is_free(SCOPE)


def check_options(options: argparse.Namespace) -> None:
    kernel.find(options.kernel)
    if options.kernel.startswith("s390x"):
        raise Usage(f"--kernel: {options.kernel} does not boot here")
    for device in options.device:
        if device.partition(",")[0] not in ("sspci", "sps", "xdma"):
            raise Usage(f"--device: no such device: {device}")
    for name in options.module:
        if name.endswith(".ko") and not os.path.isfile(name):
            raise Usage(f"--module: no file {name}")
    for words in options.add:
        if not os.path.exists(split_addition(words)[0]):
            raise Usage(f"--add: no file {split_addition(words)[0]}")
    if options.host_root and options.arch != "amd64":
        raise Usage(f"--host-root: no {options.arch} programs are on this machine")
    if options.modules and not options.modules.is_dir():
        raise Usage(f"--modules: no directory {options.modules}")
    if not options.command and not sys.stdin.isatty():
        raise Usage("a shell wants a terminal; or give a command after --")


def network_words(options: argparse.Namespace) -> list[str]:
    """Return the words of QEMU for a network that only connections to these ports use."""
    forwards = [f"hostfwd=tcp:127.0.0.1:{port}-:{port}" for port in options.forward]
    forwards += [f"hostfwd=tcp:127.0.0.1:{SCOPE}-:{RELAY}"] if options.has_scope else []
    if not forwards:
        return []
    network = ",".join(["user,id=net,restrict=on", *forwards])
    return ["-netdev", network, "-device", "virtio-net-pci,netdev=net"]


def machine_of(options: argparse.Namespace, toolchain: Toolchain) -> Machine:
    found = kernel.find(options.kernel)
    arguments = list(found.arguments)
    if not options.leaks:
        # kmemleak notes the origin of all memory. This more than doubles the time.
        arguments.append("kmemleak=off")
    words = " ".join(options.qemu).split() + (
        MOUNTS.format("host", "/").split() if options.host_root else []
    )
    words += network_words(options)
    words += SOUND.split() if options.has_sound else []
    # Programs such as Debian's matplotlib want more than the oldest processor has.
    is_new = options.is_shell and not options.icount
    cpu = found.cpu or ("max" if is_new else toolchain.arch.cpu)
    return Machine(
        cpus=1 if options.icount else options.cpus,
        memory=options.mem,
        icount=options.icount,
        devices=options.device,
        qemu_words=words,
        arguments=arguments + options.append,
        arch=replace(toolchain.arch, cpu=cpu),
    )


def guest_command(command: list[str]) -> str:
    """Return the line for the shell of the guest."""
    if len(command) == 1:
        return f"{command[0]}\n"
    return f"exec {shlex.join(command)}\n" if command else ""


def guest_settings(options: argparse.Namespace, toolchain: Toolchain) -> str:
    size = shutil.get_terminal_size()
    modules = [Path(name).name.removesuffix(".ko") for name in options.module]
    modules += SOUND_MODULES if options.has_sound else []
    modules += [] if options.no_load else ZIO
    settings = {
        "modules": " ".join(modules),
        "out": toolchain.arch.ports[0],
        "err": toolchain.arch.ports[1],
        "interactive": "no" if options.command else "yes",
        "tree": str(ROOT),
        "leaks": "yes" if options.leaks else "no",
        "host_modules": " ".join(HOST_MODULES) if options.host_root else "",
        "net_modules": " ".join(NET_MODULES) if network_words(options) else "",
        "relay": f"{RELAY}:{SCOPE}" if options.has_scope else "",
        "rows": str(size.lines),
        "columns": str(size.columns),
        "term": os.environ.get("TERM") or "linux",
    }
    return "".join(f"{name}={shlex.quote(value)}\n" for name, value in settings.items())


def make_image(options: argparse.Namespace, tree: Path, work: Path) -> None:
    toolchain = toolchain_of(tree)
    names = [*options.module, *kernel.find(options.kernel).modules]
    names += HOST_MODULES if options.host_root else []
    names += NET_MODULES if network_words(options) else []
    names += SOUND_MODULES if options.has_sound else []
    # Refuse a wrong name before the compilers run: they take minutes.
    find_modules(tree, names)
    image = Image(work / "root", toolchain.programs)
    image.add_base()
    image.add_tools()
    image.add_modules(tree, options.modules, names)
    if options.is_shell:
        add_shell(image)
    for words in options.add:
        image.add(words)
    if options.device:
        image.copy(Path(qemu_sspci("--tool")), "/usr/bin/slink-bench")
    image.at("/etc/zio-vm/command").write_text(guest_command(options.command))
    image.at("/etc/zio-vm/settings").write_text(guest_settings(options, toolchain))
    pack(image.root, work / "initrd")
    shutil.rmtree(image.root)


def add_shell(image: Image) -> None:
    """Add what a reader of the documents uses. Where this machine cannot have it, tell
    that, and go on: the rest works."""
    image.add_shell()
    try:
        setup("vm-shell")
    except Failure as error:
        say(f"{error}: what needs these packages does not work")
    try:
        install_python(image.root)
    except Failure as error:
        say(f"{error}: the machine has none of its programs")


def run(options: argparse.Namespace, work: Path) -> int:
    tree = kernel.prepare(options.kernel)
    if toolchain_of(tree).guest:
        setup("vm-arm")
    choose_shell(options, tree)
    make_image(options, tree, work)
    machine = machine_of(options, toolchain_of(tree))
    command, env = qemu_command(machine, tree, work), qemu_environment(machine)
    boot = Boot(command, env, work, machine.arch.port)
    try:
        if options.command:
            seconds = os.environ.get("ZIO_VM_BOOT_SECONDS") or 90
            boot.silence = options.silence
            boot.run_command(options.timeout or 300, float(seconds))
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
