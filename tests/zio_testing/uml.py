# SPDX-License-Identifier: GPL-2.0-only
"""Run the KUnit suites in User Mode Linux: a kernel that is a program of this machine.

It is up after a tenth of a second. It has one processor and no preemption, so it judges
no race. Lockdep is there."""

import os
import re
import subprocess
from pathlib import Path

from .common import CACHE, TESTING, Failure, read_log, tag_of
from .progress import build
from .tap import Results, faults_in, read_kunit

# Seconds. The suites take two.
LIMIT = 600
ARGUMENTS = (
    "mem=320M root=none rootfstype=hostfs rootflags=/ ro con=null con0=null,fd:1 "
    "loglevel=7 log_buf_len=4M panic=-1 console=tty0 "
    # Arguments that the kernel does not know are the environment of its first process.
    "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW"
).split()
# Before the first module comes, lockdep reports UML's own maps (lib/maple_tree.c).
BEGIN = "zio: loading out-of-tree module"


def preload() -> Path:
    """Compile the library that UML needs on new processors. Return it."""
    source = TESTING / "machine/uml/xstate.c"
    library = CACHE / "uml" / f"xstate-{tag_of(source.read_text())}.so"
    if not library.exists():
        library.parent.mkdir(parents=True, exist_ok=True)
        new = library.with_suffix(".new")
        command = ["gcc", "-O2", "-shared", "-fPIC", "-o", new, source]
        build(command, CACHE / "uml/log", "the library for UML does not build")
        new.rename(library)
    return library


class NoEnd(Failure):
    """The suites did not end in time: one hangs, or the host is too slow."""


def run_kunit(tree: Path, modules: Path, log: Path, limit: int = LIMIT) -> Results:
    """Run all suites of the modules in @modules, for at most @limit seconds. A fault of
    the kernel is a failure."""
    env = {**os.environ, "LD_PRELOAD": str(preload())}
    command: list[str | Path] = ["timeout", str(limit), tree / "vmlinuz", *ARGUMENTS]
    command += [f"init={TESTING / 'machine/uml/init'}", f"ZIO_MODULES={modules}"]
    with open(log, "wb") as out:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env=env,
        )
    if done.returncode == 124:
        raise NoEnd(f"KUnit in UML did not end within {limit} s, see {log}")
    text = read_log(log)
    results = read_kunit(text)
    if not results.parts:
        raise Failure(f"no KUnit suite ran in UML, see {log}")
    if faults := faults_in(text.partition(BEGIN)[2])[0]:
        results.fail("the kernel reported a fault", faults)
    for complaint in re.findall("zio-uml: cannot load .*", text):
        results.fail(complaint)
    if "zio-uml: the end" not in text:
        results.fail(f"UML did not end, see {log}")
    return results
