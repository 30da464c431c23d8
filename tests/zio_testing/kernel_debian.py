# SPDX-License-Identifier: GPL-2.0-only
"""The distribution's kernels: downloaded when absent, never installed."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .common import Failure, locked, output_of, read_log, say, setup
from .kernel_cache import KERNELS, missing_part, move_to, new_directory
from .progress import shown


@dataclass(frozen=True)
class Flavour:
    """A kernel of the distribution."""

    name: str
    # Returns the version to take; empty if the package lists have none
    newest: Callable[[], str]
    # Asks the archive for newer versions
    refresh: Callable[[], None]
    # Returns the packages of a version
    packages: Callable[[str], list[str]]
    # Fills in the directory "build", with what was unpacked
    add_headers: Callable[[Path, str], None]
    # The headers are installed, and the image may be
    is_installed: bool = False


def make(flavour: Flavour) -> Path:
    """Return the directory. Take a newer version if the archive has no longer that of
    the package lists."""
    setup("vm")
    with locked(KERNELS / f"{flavour.name}.lock"), new_directory(flavour.name) as new:
        for _ in range(2):
            if release := flavour.newest():
                directory = KERNELS / f"{flavour.name}-{release}"
                if not missing_part(directory):
                    return directory
                if fill(flavour, new, release):
                    return move_to(new, directory)
            say(f"no package has the kernel '{flavour.name}': updating the lists")
            flavour.refresh()
        sys.stderr.write(read_log(new / "log"))
    raise Failure(f"cannot download the kernel '{flavour.name}'")


def fill(flavour: Flavour, new: Path, release: str) -> bool:
    """Fill @new. Return whether the archive has the packages."""
    if not (flavour.is_installed and link_installed(new, release)):
        say(f"downloading linux-image-{release} (unpacked in the cache, not installed)")
        if not download(new, flavour.packages(release)):
            return False
        unpack(new)
        take_image(new, release)
    flavour.add_headers(new, release)
    (new / "release").write_text(f"{release}\n")
    shutil.rmtree(new / "root", ignore_errors=True)
    return True


def link_installed(new: Path, release: str) -> bool:
    image, modules = Path(f"/boot/vmlinuz-{release}"), Path(f"/lib/modules/{release}")
    if not (os.access(image, os.R_OK) and (modules / "kernel").is_dir()):
        return False
    shutil.copy(image, new / "vmlinuz")
    (new / "lib/modules").mkdir(parents=True)
    (new / "lib/modules" / release).symlink_to(modules)
    return True


def download(new: Path, packages: list[str]) -> bool:
    command = ["apt-get", "-qq", "-o", "Acquire::Retries=3", "download", *packages]
    with open(new / "log", "wb") as log, shown(f"downloading {packages[0]}"):
        return subprocess.run(command, cwd=new, stdout=log, stderr=log).returncode == 0


def unpack(new: Path) -> None:
    for package in new.glob("*.deb"):
        with shown(f"unpacking {package.name.partition('_')[0]}"):
            subprocess.run(["dpkg", "-x", package, new / "root"], check=True)
        package.unlink()


def take_image(new: Path, release: str) -> None:
    (new / f"root/boot/vmlinuz-{release}").rename(new / "vmlinuz")
    (new / "root/lib").rename(new / "lib")
    for link in ("build", "source"):
        (new / "lib/modules" / release / link).unlink(missing_ok=True)
    subprocess.run(["/sbin/depmod", "-b", new, release], check=True)


# --- distro: the image beside the installed headers ---------------------------------


def numbers_of(version: str) -> list[tuple[int, str]]:
    """Sort versions as `sort -V` does."""
    return [(int(n or -1), text) for n, text in re.findall(r"(\d+)|(\D+)", version)]


def newest_headers() -> str:
    query = ["dpkg-query", "-W", "-f", "${db:Status-Status} ${Package}\n"]
    lines = output_of([*query, "linux-headers-[0-9]*-amd64"])
    found = re.findall(r"^installed linux-headers-(.*)$", lines, re.M)
    return max((v for v in found if "-rt-" not in v), key=numbers_of, default="")


def link_installed_headers(new: Path, release: str) -> None:
    (new / "build").symlink_to(f"/usr/src/linux-headers-{release}")


DISTRO = Flavour(
    "distro",
    newest_headers,
    lambda: setup("--newest", "linux-headers-amd64"),
    lambda release: [f"linux-image-{release}"],
    link_installed_headers,
    is_installed=True,
)


# --- rt: image and headers, both unpacked -------------------------------------------


def dependencies_of(package: str, pattern: str) -> list[str]:
    lines = output_of(["apt-cache", "depends", package])
    return re.findall(rf"^  Depends: ({pattern})$", lines, re.M)


def newest_rt() -> str:
    found = dependencies_of("linux-image-rt-amd64", "linux-image-.*")
    return found[0].removeprefix("linux-image-") if found else ""


def packages_of_rt(release: str) -> list[str]:
    headers = f"linux-headers-{release}"
    parts = dependencies_of(headers, "linux-(?:headers|kbuild)-.*")
    return [f"linux-image-{release}", headers, *parts]


def take_rt_headers(new: Path, release: str) -> None:
    """Take the headers of three packages. They link to each other by relative names, but
    one makefile names /usr/src."""
    (new / "root/usr").rename(new / "usr")
    shutil.rmtree(new / "usr/share", ignore_errors=True)
    makefile = new / f"usr/src/linux-headers-{release}/Makefile"
    here = "include $(dir $(lastword $(MAKEFILE_LIST)))../"
    text = makefile.read_text()
    makefile.write_text(re.sub("^include /usr/src/", lambda _: here, text, flags=re.M))
    (new / "build").symlink_to(f"usr/src/linux-headers-{release}")


RT = Flavour("rt", newest_rt, lambda: setup("--update"), packages_of_rt, take_rt_headers)
