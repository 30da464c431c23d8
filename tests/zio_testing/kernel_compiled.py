# SPDX-License-Identifier: GPL-2.0-only
"""Kernels compiled from the distribution's source and fragments of configuration."""

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

from . import kernel_rt_patches
from .common import (
    TESTING,
    Failure,
    locked,
    output_of,
    read_log,
    say,
    setup,
)
from .kernel_cache import KERNELS, move_to, new_directory
from .progress import build, shown

SOURCE = "linux-source-6.1"
# The image of an architecture: what make calls it, and its path in the build directory
IMAGES = {"x86": ("bzImage", "arch/x86/boot/bzImage"), "um": ("linux", "linux")}
# Modules are compiled with these files, and with scripts/ and parts of tools/.
FOR_MODULES = re.compile(
    r".*\.(h|lds|symvers|release|pl)|(Makefile|Kbuild|Kconfig|auto\.conf).*|\.config"
)
TOOLS_FOR_MODULES = ("objtool", "scripts", "build", "include")
UNUSED = ("Documentation", "drivers/gpu", "drivers/net", "drivers/media", "sound")

JOBS = len(os.sched_getaffinity(0))


def make(name: str, fragments: tuple[str, ...], arch: str = "x86") -> Path:
    setup("debug-kernel")
    wanted = "".join(
        (TESTING / f"machine/configs/{f}.config").read_text() for f in fragments
    )
    directory = KERNELS / f"{name}-{source_version()}-{key_of(wanted)}"
    if directory.is_dir():
        return directory
    with locked(KERNELS / f"{name}.lock"):
        if not directory.is_dir():
            with new_directory(name) as new:
                if arch != "x86":
                    (new / "arch").write_text(f"{arch}\n")
                compile_in(new, name, wanted)
                move_to(new, directory)
    return directory


def source_version() -> str:
    return output_of(["dpkg-query", "-W", "-f", "${Version}", SOURCE])


def key_of(wanted: str) -> str:
    compiler = output_of(["gcc", "--version"]).split("\n")[0]
    return hashlib.sha256(f"{wanted}{compiler}\n".encode()).hexdigest()[:12]


def compile_in(new: Path, name: str, wanted: str) -> None:
    archive = f"/usr/src/{SOURCE}.tar.xz"
    with shown(f"unpacking {SOURCE}"):
        subprocess.run(["tar", "-xf", archive, "-C", new], check=True)
    (new / SOURCE).rename(new / "build")
    if "CONFIG_PREEMPT_RT=y" in wanted:
        kernel_rt_patches.apply(new, new / "build")
    configure(new, wanted)
    run_compiler(new, name)
    collect_results(new)
    reduce_to_what_modules_need(new / "build")


def arch_of(new: Path) -> str:
    return read_log(new / "arch").strip() or "x86"


def make_in(new: Path, *words: str | Path) -> list[str | Path]:
    return ["make", "-C", new / "build", f"ARCH={arch_of(new)}", *words]


def configure(new: Path, wanted: str) -> None:
    (new / "wanted.config").write_text(wanted)
    command = make_in(new, f"KCONFIG_ALLCONFIG={new}/wanted.config", "allnoconfig")
    build(command, new / "log", "the kernel cannot be configured")
    missing = find_missing((new / "build/.config").read_text(), wanted)
    if missing:
        raise Failure("this source cannot have: " + "\n  ".join(missing))


def find_missing(config: str, wanted: str) -> list[str]:
    """Return the lines that kconfig has dropped: it does so silently. A later line of the
    fragments overrides an earlier one."""
    asked: dict[str, str] = {}
    for line in wanted.split("\n"):
        if found := re.fullmatch(r"# (CONFIG_\w+) is not set", line):
            asked.pop(found[1], None)
        elif line.startswith("CONFIG_"):
            asked[line.partition("=")[0]] = line
    return [line for line in asked.values() if line not in config.split("\n")]


def run_compiler(new: Path, name: str) -> None:
    say(f"compiling the kernel '{name}' ({source_version()}), once: 5 to 10 minutes")
    target = IMAGES[arch_of(new)][0]
    command = make_in(new, f"-j{JOBS}", target, "modules")
    build(command, new / "log", f"the kernel '{name}' does not compile")


def collect_results(new: Path) -> None:
    release = output_of(make_in(new, "-s", "kernelrelease")).strip()
    (new / "release").write_text(f"{release}\n")
    command = make_in(new, "-s", f"INSTALL_MOD_PATH={new}", "modules_install")
    complaint = "the modules of the kernel cannot be installed into the cache"
    build(command, new / "log", complaint)
    for link in ("build", "source"):
        (new / "lib/modules" / release / link).unlink(missing_ok=True)
    (new / "build" / IMAGES[arch_of(new)][1]).rename(new / "vmlinuz")


def reduce_to_what_modules_need(build: Path) -> None:
    for part in UNUSED:
        shutil.rmtree(build / part, ignore_errors=True)
    for tool in (build / "tools").iterdir():
        if tool.is_dir() and tool.name not in TOOLS_FOR_MODULES:
            shutil.rmtree(tool)
    for top, directories, files in os.walk(build):
        if top == str(build):
            directories[:] = [d for d in directories if d not in ("scripts", "tools")]
        for path in (Path(top, file) for file in files):
            if not path.is_symlink() and not FOR_MODULES.fullmatch(path.name):
                path.unlink()
    for top, _, _ in os.walk(build, topdown=False):
        if not os.listdir(top):
            os.rmdir(top)
