# SPDX-License-Identifier: GPL-2.0-only
"""The step "build" of check: compilers and checkers must not complain."""

import os
import re
import shutil
import tempfile
from pathlib import Path

from zio_testing import kernel
from zio_testing.common import ROOT, TESTING, Command, Words, say
from zio_testing.report import Report

MODULES = ("zio-core", "buffers", "triggers", "drivers", "include")
STYLED = (*MODULES, "tools/testing/provoke", "tools/testing/models")
SOURCE = re.compile(r".*\.[ch]|Makefile|Kbuild")
CHECKPATCH = "--no-tree --strict --terse --show-types --no-summary --ignore".split()
IGNORED = [
    "FILE_PATH_CHANGES",
    "LINUX_VERSION_CODE",
    "CONSTANT_COMPARISON",
    "EXPORT_SYMBOL",
    "MACRO_ARG_REUSE",
]


def run(report: Report) -> None:
    distro, kasan = kernel.prepare("distro"), kernel.prepare("kasan")
    text = "modules build with W=1, and sparse has nothing to say"
    check_modules(report, text, "build-w1", distro, "W=1", "C=2")
    text = "modules build for the kernel with sanitizers"
    check_modules(report, text, "build-kasan", kasan, "W=1")
    check_style(report, kasan)
    check_program(report, "calls between the folders of zio-core go down", "layering")
    check_program(report, "rules for comments and documents", "prose")
    check_program(report, "the tests of these programs", "host_test")


def check_modules(report: Report, text: str, name: str, tree: Path, *words: str) -> None:
    """Compile a copy of the sources, without the results of a build in the checkout."""
    with tempfile.TemporaryDirectory(prefix="zio-check.") as directory:
        copy_sources(Path(directory))
        command = ["make", f"-j{os.cpu_count()}", "-C", directory, *words]
        command += [f"KDIR={tree}/build", "modules"]
        judge(report, text, name, command, r"(warning|error): ")


def copy_sources(to: Path) -> None:
    paths = [ROOT / "Makefile", ROOT / "Kbuild"]
    paths += [path for part in MODULES for path in (ROOT / part).rglob("*")]
    for path in paths:
        if SOURCE.fullmatch(path.name):
            target = to / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)


def check_style(report: Report, tree: Path) -> None:
    """Give relative paths: checkpatch has other rules for files in include/uapi."""
    paths = [path for part in STYLED for path in sorted((ROOT / part).rglob("*.[ch]"))]
    files = [path.relative_to(ROOT) for path in paths]
    script = tree / "build/scripts/checkpatch.pl"
    command: Command = [
        "env",
        "-C",
        ROOT,
        "perl",
        script,
        *CHECKPATCH,
        ",".join(IGNORED),
        "-f",
        *files,
    ]
    judge(report, "checkpatch.pl --strict", "checkpatch", command, r".")


def check_program(report: Report, text: str, name: str) -> None:
    judge(report, text, name, [TESTING / name], r"^not ok ")


def judge(report: Report, text: str, name: str, command: Words, bad: str) -> None:
    """Fail if @command does, or if its output has a line with @bad."""
    say(text)
    log, status = report.run(name, command)
    said = log.read_text(errors="replace")
    errors = Path(f"{log}.err").read_text(errors="replace")
    log.write_text(said + errors)
    if status or re.search(bad, said + errors, re.M):
        report.fail(text, log)
    else:
        report.ok(text)
