# SPDX-License-Identifier: GPL-2.0-only
"""The step "build" of check: compilers and checkers must not complain."""

import os
import re
import tempfile
from pathlib import Path

from . import kernel
from .common import ROOT, TESTING, Words, copy_sources, read_log, run_logged, say
from .report import Report

MODULES = ("zio-core", "buffers", "triggers", "drivers", "include")
STYLED = (*MODULES, "tests/machine/provoke", "tests/models")
# The kernel counts the memory of a user (struct user_struct) only with one of these.
ABSENT = "NET IO_URING PERF_EVENTS BPF_SYSCALL SECRETMEM IOMMUFD VFIO_PCI_ZDEV_KVM".split()
SOURCE = re.compile(r".*\.[ch]|Makefile|Kbuild")
CHECKPATCH = (
    "--no-tree --strict --terse --show-types --no-summary --ignore FILE_PATH_CHANGES,"
    "LINUX_VERSION_CODE,CONSTANT_COMPARISON,EXPORT_SYMBOL,MACRO_ARG_REUSE -f"
).split()


def run(report: Report) -> None:
    text = "modules build with W=1, and sparse has nothing to say"
    check_modules(report, text, "distro", "W=1", "C=2")
    check_modules(report, "modules build for the kernel with sanitizers", "kasan", "W=1")
    check_small_kernel(report)
    check_style(report)
    check_program(report, "files use what is below them, without new circles", "layering")
    check_program(report, "rules for comments and documents", "prose")
    check_program(report, "one version everywhere", "versions")
    check_program(report, "packages for RPM build", "recipes")
    check_program(report, "the tests of these programs", "host_test")


def check_modules(report: Report, text: str, name: str, *words: str) -> None:
    """Compile a copy of the sources, without the results of a build in the checkout."""
    with tempfile.TemporaryDirectory(prefix="zio-check.") as directory:
        copy_sources(("Makefile", "Kbuild", *MODULES), SOURCE, Path(directory))
        command = ["make", f"-j{os.cpu_count()}", "-C", directory, *words]
        command += [f"KDIR={kernel.prepare(name)}/build", "modules"]
        judge(report, text, f"build-{name}", command, r"(warning|error): ")


def check_small_kernel(report: Report) -> None:
    """Compile the nodes, and link nothing: the kernel here has these parts."""
    text = "the nodes compile for a kernel without sockets, io_uring, perf and BPF"
    with tempfile.TemporaryDirectory(prefix="zio-check.") as directory:
        copy_sources(("Kbuild", "zio-core", "include"), SOURCE, Path(directory))
        header = Path(directory, "absent.h")
        header.write_text("".join(f"#undef CONFIG_{name}\n" for name in ABSENT))
        nodes = sorted((ROOT / "zio-core/channel").glob("*.c"))
        build = kernel.prepare("distro") / "build"
        command = ["make", f"-j{os.cpu_count()}", "-C", build, f"M={directory}"]
        command += [f"KCFLAGS=-include {header}"]
        command += [f"{path.relative_to(ROOT).with_suffix('.o')}" for path in nodes]
        judge(report, text, "build-small", command, r"(warning|error): ")


def check_style(report: Report) -> None:
    """Give relative paths: checkpatch has other rules for files in include/uapi."""
    paths = [path for part in STYLED for path in sorted((ROOT / part).rglob("*.[ch]"))]
    files = [path.relative_to(ROOT) for path in paths]
    script = kernel.prepare("kasan") / "build/scripts/checkpatch.pl"
    command = ["env", "-C", ROOT, "perl", script, *CHECKPATCH, *files]
    judge(report, "checkpatch.pl --strict", "checkpatch", command, r".")


def check_program(report: Report, text: str, name: str) -> None:
    judge(report, text, name, [TESTING / name], r"^not ok ")


def judge(report: Report, text: str, name: str, command: Words, bad: str) -> None:
    """Fail if @command does, or if its output has a line with @bad."""
    say(text)
    log = report.logs / name
    status = run_logged(command, log)
    if status or re.search(bad, read_log(log), re.M):
        report.fail(text, log)
    else:
        report.ok(text)
