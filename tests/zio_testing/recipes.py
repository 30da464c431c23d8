# SPDX-License-Identifier: GPL-2.0-only
"""recipes - build the packages for RPM

Usage: recipes

Prints TAP. rpmbuild of this machine builds the files of this checkout. Each file that
make installs must be in a package. The packages are not installed.
"""

import subprocess
import tempfile
from pathlib import Path

from .common import ROOT, Words, output_of, run_logged, setup
from .versions import SOURCE, find

SPEC = ROOT / "packaging/rpm/zio.spec"
PACKAGES = {"zio", "zio-dkms", "libzio", "libzio-devel"}
# systemd-rpm-macros and the macros of a distribution have these.
MACROS = {
    "_udevrulesdir": "/usr/lib/udev/rules.d",
    "_sysusersdir": "/usr/lib/sysusers.d",
    "_unitdir": "/usr/lib/systemd/system",
    "build_cflags": "-O2",
    "build_ldflags": "%{nil}",
}


def pack_sources(to: Path) -> None:
    name = f"zio-{find(ROOT, *SOURCE)}"
    files = output_of(["git", "-C", ROOT, "ls-files", "--deduplicate"]).splitlines()
    there = [file for file in files if (ROOT / file).exists()]
    command: Words = ["tar", "-C", ROOT, "-czf", to / f"{name}.tar.gz", "-T", "-"]
    transform = f"--transform=s,^,{name}/,"
    subprocess.run([*command, transform], input="\n".join(there), text=True, check=True)


def main(words: list[str]) -> int:
    setup("packages", "docs")
    with tempfile.TemporaryDirectory(prefix="zio-rpm.") as place:
        top, log = Path(place), Path(place, "log")
        pack_sources(top)
        macros = {"_topdir": place, "_sourcedir": place, **MACROS}
        defines = [f"--define={name} {text}" for name, text in macros.items()]
        command = ["rpmbuild", "-bb", "--nodeps", "--nocheck", *defines, SPEC]
        status = run_logged(command, log)
        made = {path.name.rsplit("-", 2)[0] for path in top.glob("RPMS/*/*.rpm")}
        good = not status and made >= PACKAGES
        print(f"{'ok' if good else 'not ok'} 1 - packages for RPM")
        if not good:
            print(*log.read_text().splitlines()[-40:], sep="\n# ")
    print("1..1")
    return 0 if good else 1
