# SPDX-License-Identifier: GPL-2.0-only
"""kernel - print the directory of a kernel to boot; make the kernel if it is absent

Usage: kernel NAME | DIRECTORY

  distro  the distribution's own, matching the newest installed headers
  rt      the distribution's kernel with PREEMPT_RT, the newest there is
  plain   Linux 6.1 with KUnit and little else
  kasan   plain with KASAN, lockdep, kmemleak, fault injection and more
  kcsan   the same, with KCSAN, which finds data races, in place of KASAN
  rt-debug
          PREEMPT_RT with lockdep, and without KASAN
  gcov    plain, and each module of ZIO counts how often its lines run
  uml     plain as a program of this machine, with lockdep; "quick" runs KUnit there
  6.12    the kernel of Debian 13
  newest  the newest kernel of Debian
  arm64-6.1, arm64-6.12, arm64-newest, armhf-6.12, armhf-newest, s390x-6.12
          the same for other processors; s390x compiles, but does not boot here
  arm64, armhf
          arm64-6.12, armhf-6.12
  arm64-16k
          arm64-newest with pages of 16 kB

The directory holds vmlinuz, release (the version), build (to compile modules
against) and lib/modules/VERSION. The program uses a DIRECTORY of your own with these
as it is (build may be a link). Its name must have a slash. The program keeps its own
kernels in ~/.cache/zio/kernels, by the version of the source, the compiler and the
configuration. You can delete them at any time. The program downloads the kernel rt
with its headers and unpacks it there. It installs nothing of rt. Kernels of other
suites and processors also come with the compilers of their suite, in
~/.cache/zio/suites. To get newer ones, delete that directory. Compiling a kernel takes
5 to 10 minutes of two CPUs, and 2 GB of disk. A tenth of that stays in use.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from . import kernel_compiled, kernel_debian, kernel_suite
from .common import Failure, Parser, Usage
from .kernel_cache import missing_part

COMMON = ("common-test", "x86", "bridges", "dma")
DEBUG = (*COMMON, "debug-common", "debug-x86")


@dataclass(frozen=True)
class Kernel:
    """A kernel: the function that makes it, and what its boot needs."""

    make: Callable[[], Path]
    # Modules that the guest needs: the image does not have them built in
    modules: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    # The processor that QEMU emulates, where that of the architecture cannot run it
    cpu: str = ""
    # Makes what a compilation needs, and leaves out the image
    make_headers: Callable[[], Path] | None = None


def debian(flavour: kernel_debian.Flavour) -> Kernel:
    return Kernel(partial(kernel_debian.make, flavour), modules=("configfs",))


# Kernels of this kind boot without ACPI: its interpreter takes 5 to 20 s with KASAN.
def compiled(name: str, fragments: tuple[str, ...], *arguments: str) -> Kernel:
    return Kernel(
        partial(kernel_compiled.make, name, fragments),
        arguments=("acpi=off", "pmtmr=0x608", *arguments),
    )


def of_suite(flavour: kernel_suite.Flavour) -> Kernel:
    return Kernel(
        partial(kernel_suite.make, flavour),
        modules=("configfs",),
        cpu=flavour.cpu,
        make_headers=partial(kernel_suite.make_headers, flavour),
    )


KERNELS = {
    "distro": debian(kernel_debian.DISTRO),
    "rt": debian(kernel_debian.RT),
    "plain": compiled("plain", COMMON),
    # Its two measurements of the clock (TSC) always differ: the PM timer judges.
    "gcov": compiled("gcov", (*COMMON, "gcov"), "tsc=unstable"),
    "uml": Kernel(partial(kernel_compiled.make, "uml", ("common-test", "uml"), "um")),
    "kasan": compiled("kasan", (*DEBUG, "kasan"), "kasan_multi_shot"),
    "kcsan": compiled("kcsan", (*DEBUG, "kcsan")),
    "rt-debug": compiled("rt-debug", (*DEBUG, "rt-debug")),
    **{flavour.name: of_suite(flavour) for flavour in kernel_suite.FLAVOURS},
}
KERNELS |= {arch: KERNELS[f"{arch}-6.12"] for arch in ("arm64", "armhf")}


def find(name: str) -> Kernel:
    """Return an entry of the table, or one for a directory."""
    if "/" in name:
        return Kernel(partial(check_directory, Path(name)), modules=("configfs",))
    if name not in KERNELS:
        raise Usage(f"no kernel of the name '{name}': {', '.join(KERNELS)}")
    return KERNELS[name]


def prepare(name: str) -> Path:
    """Make the kernel @name unless it is there. Return its directory."""
    return find(name).make()


def prepare_headers(name: str) -> Path:
    """Return the directory of the kernel @name, which may lack the image."""
    found = find(name)
    return (found.make_headers or found.make)()


def check_directory(directory: Path) -> Path:
    if not directory.is_dir():
        raise Failure(f"no such directory: {directory}")
    if missing := missing_part(directory):
        raise Failure(f"{directory} has no {missing}")
    return directory.resolve()


def main(words: list[str]) -> int:
    parser = Parser()
    parser.add_argument("name")
    print(prepare(parser.parse_args(words).name))
    return 0
