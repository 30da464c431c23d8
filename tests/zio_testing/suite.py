# SPDX-License-Identifier: GPL-2.0-only
"""Another suite of the distribution: its compilers, headers and libraries, unpacked in
the cache. Nothing of it is installed on this machine.

apt resolves the packages against an empty list of installed ones and downloads them;
dpkg unpacks them into a root, where a command runs after chroot. This needs no right
that an ordinary user does not have: such a user gets a user namespace.
"""

import functools
import hashlib
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from .common import CACHE, ROOT, Failure, Words, locked, output_of, say

SUITES = CACHE / "suites"
NATIVE = "amd64"
FOREIGN = ("arm64", "armhf", "s390x", "i386")

# The programs that a compilation of modules calls, beside the compilers
BASE = (
    "base-files bash coreutils dash diffutils dpkg findutils grep gzip kmod libc-bin "
    "make mawk perl-base sed tar"
).split()
# What the tools and the selftests link with
LIBRARIES = "libc6-dev libjansson-dev liburing-dev libaio-dev".split()
# What a machine runs
GUEST = ("busybox-static", "dash", "coreutils", "libc6")


@dataclass(frozen=True)
class Processor:
    """What a suite has for another processor. It comes when a kernel of it is wanted."""

    arch: str
    compilers: tuple[str, ...]
    # Programs are compiled for it, too.
    has_programs: bool = True

    @property
    def packages(self) -> list[str]:
        """Packages to take with all that they depend on."""
        libraries = LIBRARIES if self.has_programs else []
        return [*self.compilers, *(f"{name}:{self.arch}" for name in libraries)]


@dataclass(frozen=True)
class Suite:
    """A suite, and the packages to take from it."""

    name: str
    packages: tuple[str, ...]
    processors: tuple[Processor, ...] = ()

    @property
    def wanted(self) -> list[str]:
        """Packages for each processor, to take with all that they depend on."""
        return [*BASE, *self.packages]

    @property
    def place(self) -> Path:
        words = repr((self.wanted, self.processors))
        return SUITES / f"{self.name}-{hashlib.sha256(words.encode()).hexdigest()[:8]}"

    @property
    def root(self) -> Path:
        return self.place / "root"


def prepare(suite: Suite, arch: str = NATIVE, headers: str = "") -> Path:
    """Unpack what the suite has for a processor, unless it is there. Return its root.
    @headers names the flavour to take, such as "arm64-16k". A suite always has those of
    this machine's processor."""
    with locked(SUITES / f"{suite.name}.lock"):
        if not suite.root.is_dir():
            say(f"unpacking compilers and headers of {suite.name}, once")
            update_lists(suite)
            fill(suite)
        if arch != NATIVE:
            prepare_processor(suite, arch, headers)
    return suite.root


def prepare_processor(suite: Suite, arch: str, headers: str) -> None:
    processor = next(p for p in suite.processors if p.arch == arch)
    once(suite, arch, partial(add_processor, suite, processor))
    if headers:
        flavour = f"{headers}:{arch}"
        once(suite, f"headers-{flavour}", partial(add_headers, suite, flavour))


def once(suite: Suite, part: str, add: Callable[[], None]) -> None:
    """Add a part to the root. A file tells that it is there."""
    stamp = suite.place / "parts" / part
    if not stamp.exists():
        say(f"unpacking {part} of {suite.name}, once")
        add()
        stamp.parent.mkdir(exist_ok=True)
        stamp.touch()


# --- apt ------------------------------------------------------------------------------


def apt(suite: Suite) -> list[str]:
    """Return the start of an apt-get or apt-cache command for @suite."""
    return ["env", f"APT_CONFIG={suite.place}/apt.conf"]


def archives() -> list[str]:
    """Return the addresses that the machine has for Debian's archive."""
    wanted = ["Created-By: Packages", "Origin: Debian", "Label: Debian"]
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI)", *wanted]
    if found := sorted(set(output_of(command).split())):
        return found
    raise Failure("no address of Debian's archive here: apt-get update")


def write_settings(suite: Suite) -> None:
    """Settings of the machine, as those of a proxy, stay in force."""
    place = suite.place
    for part in ("lists/partial", "cache/archives/partial", "sources"):
        (place / part).mkdir(parents=True, exist_ok=True)
    (place / "status").touch()
    lines = [f"deb {address} {suite.name} main\n" for address in archives()]
    (place / "sources/suite.list").write_text("".join(lines))
    foreign = " ".join(f'"{name}";' for name in (NATIVE, *FOREIGN))
    (place / "apt.conf").write_text(f"""\
Dir::Etc::SourceList "/dev/null";
Dir::Etc::SourceParts "{place}/sources";
Dir::State::Lists "{place}/lists";
Dir::State::Status "{place}/status";
Dir::Cache "{place}/cache";
APT::Architecture "{NATIVE}";
APT::Architectures {{ {foreign} }};
APT::Install-Recommends "no";
APT::Sandbox::User "{output_of(["id", "-un"]).strip()}";
Acquire::Languages "none";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "no";
Acquire::Retries "3";
Debug::NoLocking "yes";
""")


def update_lists(suite: Suite) -> None:
    write_settings(suite)
    run_apt(suite, "apt-get", "-qq", "update")


def run_apt(suite: Suite, *words: str, cwd: Path | None = None) -> None:
    log = suite.place / "log"
    with open(log, "ab") as out:
        command = [*apt(suite), *words]
        if subprocess.run(command, cwd=cwd, stdout=out, stderr=out).returncode:
            raise Failure(f"{shlex.join(words)} failed for {suite.name}, see {log}")


def download(suite: Suite, packages: Words, to: Path) -> None:
    """Download packages without what they depend on."""
    to.mkdir(parents=True, exist_ok=True)
    run_apt(suite, "apt-get", "-qq", "download", *map(str, packages), cwd=to)


def install(suite: Suite, packages: list[str], root: Path) -> None:
    """Unpack packages with all that they depend on and @root has not. For apt they count
    as installed."""
    words = ["--download-only", "-y", "-qq", "install", *packages]
    run_apt(suite, "apt-get", *words)
    found = list((suite.place / "cache/archives").glob("*.deb"))
    texts = [output_of(["dpkg-deb", "--field", path]) for path in found]
    unpack(found, root)
    for part in ("doc", "man", "locale"):
        shutil.rmtree(root / "usr/share" / part, ignore_errors=True)
    with open(suite.place / "status", "a") as status:
        status.writelines(f"Status: install ok installed\n{text}\n" for text in texts)


def newest(suite: Suite, part: str, flavour: str) -> str:
    """Return the name of the package "linux-PART-RELEASE-FLAVOUR"."""
    name, colon, machine = flavour.partition(":")
    lines = output_of([*apt(suite), "apt-cache", "depends", f"linux-{part}-{flavour}"])
    found = re.findall(rf"^  Depends: (linux-{part}-[0-9][^:\s]*)", lines, re.M)
    if not found:
        raise Failure(f"{suite.name} has no linux-{part}-{flavour}")
    return f"{found[0]}{colon}{machine}"


def parts_of_image(suite: Suite, release: str, arch: str) -> list[str]:
    """Return the packages of a kernel. Newer suites have three for one."""
    image = f"linux-image-{release}:{arch}"
    command = [*apt(suite), "apt-cache", "depends", image]
    parts = rf"^  Depends: (linux-(?:base|binary|modules)-{re.escape(release)})"
    found = re.findall(parts, output_of(command), re.M)
    return [f"{name}:{arch}" for name in found] or [image]


def unpack(packages: list[Path], to: Path) -> None:
    """base-files has the links from /bin to /usr/bin: it comes first."""
    packages.sort(key=lambda path: (not path.name.startswith("base-files_"), path.name))
    for package in packages:
        subprocess.run(["dpkg", "-x", package, to], check=True)
        package.unlink()


# --- the root -------------------------------------------------------------------------


def fill(suite: Suite) -> None:
    new = suite.place / "new"
    shutil.rmtree(new, ignore_errors=True)
    for directory in ("bin", "sbin", "lib", "lib64"):
        (new / "usr" / directory).mkdir(parents=True)
        (new / directory).symlink_to(f"usr/{directory}")
    (suite.place / "status").write_text("")
    shutil.rmtree(suite.place / "parts", ignore_errors=True)
    install(suite, suite.wanted, new)
    finish_root(new)
    new.rename(suite.root)


def add_processor(suite: Suite, processor: Processor) -> None:
    install(suite, processor.packages, suite.root)
    if processor.has_programs:
        add_guest(suite, processor.arch)


def add_headers(suite: Suite, flavour: str) -> None:
    """A dependency of them is a compiler that runs on the other processor: leave it."""
    store = suite.place / "headers"
    download(suite, [newest(suite, "headers", flavour)], store)
    unpack(list(store.glob("*.deb")), suite.root)
    if flavour.endswith(":armhf"):
        add_modpost_32(suite, suite.root)


def finish_root(root: Path) -> None:
    """Do what the packages' own scripts would do: name an awk and a shell."""
    for name, program in (("awk", "mawk"), ("sh", "dash")):
        # In Debian 12, /bin is no link to /usr/bin.
        folder = "bin" if (root / "bin" / program).exists() else "usr/bin"
        if not (root / folder / name).exists():
            (root / folder / name).symlink_to(program)


def add_modpost_32(suite: Suite, root: Path) -> None:
    """Take modpost for 32 bits from a machine of 32 bits. That of amd64 expects device
    tables with pointers of 64 bits."""
    kbuild = next((root / "usr/lib").glob("linux-kbuild-*"))
    store = suite.place / "kbuild-i386"
    download(suite, [f"{kbuild.name}:i386"], store)
    unpack(list(store.glob("*.deb")), store)
    modpost = "scripts/mod/modpost.real-lsb-32"
    shutil.copy2(store / "usr/lib" / kbuild.name / modpost, kbuild / modpost)
    shutil.rmtree(store)


def add_guest(suite: Suite, arch: str) -> None:
    """Unpack the programs that a machine with this processor runs."""
    guest = suite.place / "guest" / arch
    shutil.rmtree(guest, ignore_errors=True)
    download(suite, [f"{name}:{arch}" for name in GUEST], guest)
    unpack(list(guest.glob("*.deb")), guest)


def open_paths() -> list[Path]:
    """Return directories of this machine that a command in a root sees, too. Parts of
    the cache may be links."""
    links = [path.resolve() for path in CACHE.iterdir() if path.is_symlink()]
    return [ROOT, CACHE, *links, *map(Path, ("/dev", "/proc", "/tmp"))]


def namespace() -> list[str | Path]:
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    return ["unshare", "--mount", *user]


NO_MOUNTS = (
    "no mounts here: unshare --mount fails: be root, or allow user namespaces (sysctl "
    "kernel.unprivileged_userns_clone=1); a container needs CAP_SYS_ADMIN (docker run "
    "--cap-add SYS_ADMIN --security-opt apparmor=unconfined)"
)


@functools.cache
def can_enter() -> bool:
    """Tell if this machine lets a command run in a root. Some containers do not, and no
    chroot does: a mount there could appear outside, too."""
    command: Words = [*namespace(), "mount", "--bind", "/tmp", "/tmp"]
    return subprocess.run(command, capture_output=True).returncode == 0


def inside(root: Path, command: Words) -> list[str | Path]:
    """Return @command such that it runs in @root."""
    binds = "".join(
        f"mkdir -p {shlex.quote(f'{root}{path}')} && "
        f"mount --rbind {shlex.quote(str(path))} {shlex.quote(f'{root}{path}')} && "
        for path in open_paths()
    )
    script = f'{binds} exec chroot {shlex.quote(str(root))} "$@"'
    return [*namespace(), "sh", "-c", script, "sh", *command]
