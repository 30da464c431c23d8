# SPDX-License-Identifier: GPL-2.0-only
"""Install the Debian packages in a root, and look at what DKMS has built there."""

import re
import shutil
from pathlib import Path

from .common import ROOT, output_of
from .debian_root import Root
from .package_build import VERSION
from .trial import Trial


def install(root: Root, packages: list[Path], *more: str) -> tuple[int, str]:
    """Run apt-get install for these files, and for @more packages of the archive."""
    (root.directory / "debs").mkdir()
    for package in packages:
        shutil.copy(package, root.directory / "debs")
    files = [f"/debs/{package.name}" for package in packages]
    found = root.apt("install", *more, *files)
    shutil.rmtree(root.directory / "debs")
    return found


def modules_of(root: Root, release: str) -> dict[str, Path]:
    """Return the modules that DKMS has installed for a kernel, by their names."""
    directory = root.directory / "lib/modules" / release / "updates/dkms"
    return {path.name.split(".")[0]: path for path in directory.glob("*.ko*")}


def expected_modules() -> set[str]:
    """Return the modules that the Makefile installs."""
    shown = output_of(["make", "-s", "-C", ROOT, "print-modules"])
    return {Path(word).name for word in shown.split()}


def test_modules(trial: Trial, root: Root, release: str) -> None:
    modules = modules_of(root, release)
    missing = expected_modules() - modules.keys()
    trial.result(
        f"DKMS has built all modules for {release}", not missing, f"{sorted(missing)}"
    )
    fields = {
        name: output_of(["/sbin/modinfo", "-F", "version", path]).strip()
        for name, path in modules.items()
    }
    others = {name: field for name, field in fields.items() if field != VERSION}
    trial.result(f"their version is {VERSION}", bool(fields) and not others, f"{others}")


def releases_of(root: Root, arch: str) -> list[str]:
    """Return the kernels whose headers the archive has, the newest last."""
    pattern = f"^linux-headers-[0-9].*-{arch}$"
    said = root.run("apt-cache", "search", "--names-only", pattern)[1]
    # Packages with two numbers depend on the newest one with three.
    found = re.findall(r"^linux-headers-(\d+\.\d+\.\d+\S*) ", said, re.M)
    plain = [name for name in found if not re.search("-(rt|cloud)-", name)]
    return sorted(plain, key=lambda name: [int(n) for n in re.findall(r"\d+", name)])
