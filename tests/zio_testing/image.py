# SPDX-License-Identifier: GPL-2.0-only
"""The file system of a virtual machine, which each boot makes anew."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from . import kunit_module
from .common import TESTING, Failure, Words, output_of
from .kernel_cache import release_of
from .modules import build_tools, built_modules, copy_modules
from .toolchain import Toolchain


def is_executable(path: Path) -> bool:
    return path.is_file() and bool(path.stat().st_mode & 0o100)


class Image:
    """A directory that becomes the file system of a machine."""

    def __init__(self, root: Path, toolchain: Toolchain) -> None:
        self.root, self.toolchain = root, toolchain
        for part in ("bin", "usr/bin", "usr/sbin", "root", "etc/zio-vm"):
            (root / part).mkdir(parents=True)

    def at(self, path: str | Path) -> Path:
        """Return where a path of the machine is on this one."""
        return self.root / str(path).lstrip("/")

    def add_base(self) -> None:
        """Add the programs and scripts that every boot has."""
        shutil.copy(self.toolchain.program("busybox"), self.at("/bin/busybox"))
        shutil.copy(TESTING / "machine/guest/init", self.at("/init"))
        # The shell of busybox ignores PATH for dd: it runs its own, which tells no time.
        for name in ("dash", "dd"):
            self.copy(self.toolchain.program(name), f"/bin/{name}")
        self.at("/bin/sh").symlink_to("dash")
        self.at("/etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
        self.at("/etc/group").write_text("root:x:0:\n")

    def add_tools(self) -> None:
        """Add the programs of ZIO, and the scripts that use them."""
        for script in (TESTING / "machine/guest").glob("zio-*"):
            shutil.copy(script, self.at("/usr/sbin"))
        # In PATH it stands before that of busybox.
        self.at("/usr/local/bin").mkdir(parents=True)
        shutil.copy(TESTING / "machine/guest/modprobe", self.at("/usr/local/bin"))
        tools = build_tools(self.toolchain) / "bin"
        for tool in filter(is_executable, tools.iterdir()):
            shutil.copy(tool, self.at("/usr/bin"))

    def add_shell(self) -> None:
        """Add what only a reader at a terminal uses, for a machine that has the programs
        of the host."""
        guest = TESTING / "machine/guest"
        for name in ("apt-get", "udevadm"):
            shutil.copy(guest / name, self.at("/usr/local/bin"))
        shutil.copy(guest / "bashrc", self.at("/etc/zio-vm"))

    def add(self, words: str) -> None:
        """Add FILE[:GUESTPATH]. A file with no path goes to /root."""
        file, to = split_addition(words)
        self.copy(Path(file), to + Path(file).name if to.endswith("/") else to)

    def copy(self, file: Path, to: str) -> None:
        """Copy a file or directory, and the shared libraries of programs in it."""
        target = self.at(to)
        target.parent.mkdir(parents=True, exist_ok=True)
        if file.is_dir():
            shutil.copytree(file, target, dirs_exist_ok=True)
            programs = [path for path in target.rglob("*") if is_executable(path)]
        else:
            shutil.copy2(file, target)
            programs = [target] if is_executable(target) else []
        if programs:
            self.add_libraries(programs)

    def add_libraries(self, programs: list[Path]) -> None:
        """Add the shared libraries and the loader that the programs ask for. ldd does not
        know those of another processor: take the C library."""
        if guest := self.toolchain.guest:
            found = [*guest.rglob("libc.so.6"), *guest.rglob("ld-linux*")]
            base = guest if (guest / "lib").is_dir() else guest / "usr"
            libraries = {str(path.relative_to(base)) for path in found}
        else:
            done = subprocess.run(["ldd", *programs], capture_output=True, text=True)
            base = Path("/")
            libraries = set(re.findall(r"(/\S+) \(0x", done.stdout))
        if libraries:
            command: Words = ["cp", "-L", "--parents", *libraries, self.root]
            subprocess.run(command, cwd=base, check=True)

    def add_modules(self, tree: Path, ours: Path | None, names: list[str]) -> None:
        """Add the named modules of the kernel in @tree, with those that they need. A name
        that ends in ".ko" is a file. Add the modules of ZIO, from the directory @ours or
        built."""
        self.add_kernel_modules(tree, names)
        target = self.at(f"/lib/modules/{release_of(tree)}")
        if ours:
            copy_modules(ours, target / "zio")
        else:
            with built_modules(tree) as directory:
                copy_modules(directory, target / "zio")
            if suites := kunit_module.found(tree):
                shutil.copy(suites / "kunit.ko", target / "zio")
        for name in names:
            if name.endswith(".ko"):
                shutil.copy(name, target)
        self.index_modules(tree)

    def add_kernel_modules(self, tree: Path, names: list[str]) -> None:
        release = release_of(tree)
        modules = tree / "lib/modules" / release
        target = self.at(f"/lib/modules/{release}")
        target.mkdir(parents=True)
        for file in (*modules.glob("modules.builtin*"), modules / "modules.order"):
            shutil.copy(file, target)
        if paths := find_modules(tree, names):
            subprocess.run(["cp", "--parents", *paths, self.root], cwd=tree, check=True)
        # modprobe of busybox may not know the compression.
        if packed := [self.at(path) for path in paths if path.endswith(".xz")]:
            subprocess.run(["xz", "-d", *packed], check=True)

    def index_modules(self, tree: Path) -> None:
        subprocess.run(["/sbin/depmod", "-b", self.root, release_of(tree)], check=True)


def split_addition(words: str) -> tuple[str, str]:
    """Return the file of "FILE[:GUESTPATH]", and its path in the machine."""
    file, colon, to = words.rpartition(":")
    if os.path.exists(words) or not colon:
        return words, "/root/"
    return file, to


def find_module(tree: Path, name: str) -> list[str]:
    """Return the paths, below @tree, of a module and of those that it needs."""
    release = release_of(tree)
    command = ["/sbin/modprobe", "-d", tree, "-S", release, "--show-depends", name]
    shown = output_of(command)
    if not shown:
        raise Failure(f"--module: the kernel {release} has no module {name}")
    return re.findall(rf"^insmod {re.escape(str(tree))}/(\S+)", shown, re.M)


def find_modules(tree: Path, names: list[str]) -> set[str]:
    """Return the paths, below @tree, of the modules and of those that they need. A name
    that ends in ".ko" is no module of this kernel."""
    own = [name for name in names if not name.endswith(".ko")]
    return {path for name in own for path in find_module(tree, name)}


def pack(root: Path, to: Path) -> None:
    """Write the archive @to, not compressed: an emulated processor takes longer to
    unpack than to load."""
    command = "find . | cpio -o -H newc -R +0:+0 --quiet"
    with open(to, "wb") as file:
        subprocess.run(["sh", "-c", command], cwd=root, stdout=file, check=True)
