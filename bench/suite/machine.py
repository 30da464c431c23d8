# SPDX-License-Identifier: GPL-2.0-only
"""The virtual machine: what goes into it, and how it runs a plan."""

import pathlib
import shutil
import subprocess
import sys
from collections.abc import Sequence
from types import ModuleType

from .benchmark import Benchmark
from .plan import BENCH, Plan

HERE = pathlib.Path(__file__).resolve().parent.parent  # bench
ROOT = HERE.parent
TESTING = HERE.parent / "tests"
VM, SETUP, KERNEL = TESTING / "vm", TESTING / "setup", TESTING / "kernel"
TIMEOUT = 1800  # seconds that a boot may take
IIO_SOURCES = [
    "industrialio-configfs.c",
    "industrialio-sw-*.c",
    "trigger/iio-trig-hrtimer.c",
    "dummy/iio_simple_dummy*",
]


class Failure(Exception):
    """A benchmark cannot go on; the text says why."""


def say(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)


def output_of(*command: object) -> str:
    return subprocess.run(
        [str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()


def set_up(*jobs: str) -> None:
    """Installs the Debian packages that these jobs need."""
    subprocess.run([SETUP, *jobs], check=True)


def run_make(*words: object) -> None:
    run(["make", "--no-print-directory", *words])


def run(words: Sequence[object]) -> None:
    """Runs a command, whose output is shown only if it fails."""
    command = [str(word) for word in words]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.stderr.buffer.write(done.stdout)
        raise Failure(f"{' '.join(command)} fails")


def source_version() -> str:
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip() or "not known"


def toolchain() -> ModuleType:
    """The module of the testing programs that knows the compilers of each kernel."""
    if str(TESTING) not in sys.path:
        sys.path.append(str(TESTING))
    from zio_testing import toolchain

    return toolchain


class Machine:
    """Builds the programs and modules once, and boots machines with them."""

    def __init__(self, kernel: str, work: pathlib.Path) -> None:
        self.kernel_name = kernel
        self.kernel = pathlib.Path(output_of(KERNEL, kernel))
        self.release = (self.kernel / "release").read_text().strip()
        self.work = work
        self.inside = work / "inside"
        self.program = work / "programs/zio-bench"

    def build(self) -> None:
        say("building the modules and the programs")
        programs = self.work / "programs"
        run_make("-C", HERE, f"BUILD={programs}", self.program)
        compilers = toolchain().toolchain_of(self.kernel)
        words = [f"KDIR={compilers.headers_of(self.kernel)}", f"BUILD={programs}"]
        run(compilers.run("make", "--no-print-directory", "-C", HERE, *words, "modules"))
        self.modules = pathlib.Path(output_of(TESTING / "modules", self.kernel))
        self.inside.mkdir(parents=True)
        for file in [*programs.glob("*.ko"), *self.modules.rglob("zio*.ko")]:
            shutil.copy(file, self.inside)
        shutil.copy(self.program, self.inside)

    def has_module(self, name: str) -> bool:
        command = ["/sbin/modprobe", "-d", self.kernel, "-S", self.release]
        done = subprocess.run([*command, "--show-depends", name], capture_output=True)
        return done.returncode == 0

    def build_iio(self) -> None:
        """The hrtimer trigger and the dummy device of IIO, for a kernel without them.

        They are compiled from the source package of the kernel, if that is installed.
        """
        version = ".".join(self.release.split(".")[:2])
        source = pathlib.Path(f"/usr/src/linux-source-{version}.tar.xz")
        missing = not self.has_module("iio-trig-hrtimer")
        if not (missing and self.has_module("industrialio") and source.exists()):
            return
        say("building the hrtimer trigger of IIO, and its dummy device")
        work = self.work / "iio"
        work.mkdir(parents=True)
        patterns = [f"*/drivers/iio/{pattern}" for pattern in IIO_SOURCES]
        unpack = ["tar", "-xf", source, "-C", work, "--transform", "s,.*/,,"]
        subprocess.run([*unpack, "--wildcards", *patterns], check=True)
        shutil.copy(HERE / "iio.Kbuild", work / "Kbuild")
        try:
            run_make("-C", self.kernel / "build", f"M={work}", "modules")
        except Failure as failure:
            say(f"{failure}: left out")
            return
        for file in work.glob("*.ko"):
            shutil.copy(file, self.inside)

    def arguments(self, mode: str, benchmark: Benchmark) -> list[str]:
        words = ["--kernel", self.kernel_name, "--no-load", "--mem", "512"]
        words += ["--cpus", "1", "--timeout", str(TIMEOUT)]
        words += ["--icount"] if mode == "icount" else []
        for name in benchmark.kernel_modules:
            words += ["--module", name] if self.has_module(name) else []
        for device in benchmark.devices:
            words += ["--device", device]
        words += ["--modules", str(self.modules)]
        for name in benchmark.programs:
            words += ["--add", f"{shutil.which(name)}:/usr/local/bin/{name}"]
        return [*words, "--add", f"{self.inside}:{BENCH}"]

    def show(self, arguments: list[str]) -> str:
        """The arguments without the paths of this host."""
        text = " ".join(arguments).replace(str(self.work), "WORK")
        return text.replace(str(self.modules), "MODULES")

    def boot(self, name: str, plan: Plan, arguments: list[str]) -> str:
        """Runs the plan, shows the progress that it tells, returns what it prints."""
        script = self.inside / "plan"
        script.write_text(plan.script())
        command = [str(VM), *arguments, "--", "sh", f"{BENCH}/plan"]
        output = self.work / "output"
        with output.open("w") as stdout:
            process = subprocess.Popen(
                command, stdout=stdout, stderr=subprocess.PIPE, text=True
            )
        errors: list[str] = []
        try:
            for line in process.stderr:
                errors.append(line)
                if line.startswith("guest: "):
                    say(f"{name}: {line[7:].rstrip()}")
            status = process.wait()
        finally:
            process.terminate()
            process.wait()
        if status:
            sys.stderr.writelines(errors)
            raise Failure(f"{name}: the machine ends with status {status}")
        return output.read_text()
