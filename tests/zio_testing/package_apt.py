# SPDX-License-Identifier: GPL-2.0-only
"""The apt repository of the packages: a system takes it if the signature is right."""

import contextlib
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .common import ROOT, Words, running
from .debian_root import Root
from .trial import Trial, run

PROGRAM = ROOT / "packaging/apt/repository"
REPOSITORY = "srv/zio"
# Debian's own lists stay as they are, also without a network.
UPDATE = "-o Dir::Etc::SourceList=/dev/null -o APT::Get::List-Cleanup=0".split()
SOURCE = "/etc/apt/sources.list.d/zio.sources"


def add_packages(trial: Trial, root: Root, packages: list[Path], work: Path) -> str:
    """Put packages into the repository. Return what the program says to users."""
    place = root.directory / REPOSITORY
    found = run("env", f"XDG_DATA_HOME={work}/data", PROGRAM, place, *packages)
    trial.command(f"the repository takes {packages[0].name} and the others", found)
    return found[1]


def add_source(root: Root, said: str) -> tuple[int, str]:
    """Type what the program says for users of this machine."""
    lines = said.partition("as root:\n")[2].partition("\nTo use it elsewhere")[0]
    script = re.sub("^    ", "", lines.replace(f"{root.directory}/", "/"), flags=re.M)
    update = shlex.join(["apt-get", "update", *UPDATE])
    script = script.replace("apt-get update", update)
    return root.run("sh", "-ec", f"umask 077\n{script}")


@contextlib.contextmanager
def shown(root: Root) -> Iterator[str]:
    """Let a web server show the repository to apt. Yield the URL."""
    direct = 'Acquire::http::Proxy::127.0.0.1 "DIRECT";\n'
    (root.directory / "etc/apt/apt.conf.d/direct").write_text(direct)
    command: Words = [sys.executable, "-u", "-m", "http.server", "-b", "127.0.0.1", "0"]
    place, quiet = root.directory / REPOSITORY, subprocess.DEVNULL
    server = subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, stderr=quiet)
    with running(server):
        assert server.stdout
        # Serving HTTP on 127.0.0.1 port 8000 (http://127.0.0.1:8000/) ...
        yield server.stdout.readline().decode().partition("(")[2].partition("/)")[0]


def test_signature(trial: Trial, root: Root, said: str) -> None:
    """First with a change in the list that the signature covers, then without."""
    signed = root.directory / REPOSITORY / "dists/zio/InRelease"
    good = signed.read_text()
    signed.write_text(good.replace("Label: ZIO", "Label: OIZ"))
    status, refused = add_source(root, said)
    signed.write_text(good)
    why = "The following signatures were invalid"
    trial.result("apt refuses a list whose signature does not match", why in refused)
    trial.result("its packages cannot be had", status != 0, refused)
    trial.command("apt takes the list as it was", add_source(root, said))


def remove_source(root: Root) -> None:
    """The next root must not know the repository."""
    shutil.rmtree(root.directory / REPOSITORY)
    lists = root.directory.glob("var/lib/apt/lists/_srv_zio*")
    for path in (root.directory / SOURCE[1:], *lists):
        path.unlink()


PINENTRY = """#!/bin/sh
echo OK
while read -r command; do
	case $command in
	"OPTION ttyname="*) password=secret ;;
	GETPIN) echo "D $password" ;;
	esac
	echo OK
done
"""
KIND = ("ed25519", "sign", "1d")


# --- mistakes and accidents -------------------------------------------------------------


def test_first_runs(trial: Trial, package: Path, work: Path) -> None:
    """Two at once make one key. Both use it, also later."""
    command: Words = ["env", f"XDG_DATA_HOME={work}/first", PROGRAM]
    with ThreadPoolExecutor() as pool:
        found = pool.map(lambda n: run(*command, work / n, package), ("left", "right"))
        for status, said in found:
            trial.result("one of two first runs at once ends well", status == 0, said)


def test_killed(trial: Trial, package: Path, work: Path) -> None:
    """A run that was killed leaves the lock of reprepro."""
    (work / "left/db/lockfile").touch()
    home = f"XDG_DATA_HOME={work}/first"
    found = run("env", home, PROGRAM, work / "left", package)
    trial.command("a run after one that was killed ends well", found)


def make_key(home: Path, password: str, *words: str) -> Words:
    """Make the key "lab" in the directory of gpg. Return the start of a command that uses
    this directory."""
    home.mkdir(mode=0o700)
    gpg: Words = ["env", f"GNUPGHOME={home}"]
    made: Words = [*gpg, "gpg", "--batch", "--pinentry-mode=loopback", *words]
    run(*made, "--passphrase", password, "--quick-generate-key", "lab", *KIND)
    run(*gpg, "gpgconf", "--kill", "gpg-agent")
    return gpg


def test_password(trial: Trial, package: Path, work: Path) -> None:
    """PINENTRY is what gpg asks. It answers where gpg has told it a terminal."""
    gpg = make_key(work / "locked", "secret")
    pinentry = work / "pinentry"
    pinentry.write_text(PINENTRY)
    pinentry.chmod(0o755)
    agent = work / "locked/gpg-agent.conf"
    agent.write_text(f"pinentry-program {pinentry}\n")
    command = shlex.join(map(str, [PROGRAM, "--key", "lab", work / "password", package]))
    words = ("env", "-u", "GPG_TTY", "script", "-qec", command, "/dev/null")
    trial.command("a key with a password signs", run(*gpg, *words))
    run(*gpg, "gpgconf", "--kill", "gpg-agent")


def test_mistakes(trial: Trial, package: Path, work: Path) -> None:
    place = work / "mistake"
    gpg = make_key(work / "expired", "", "--faked-system-time=20200101T000000")
    cases: list[tuple[Words, str]] = [
        (("--key", "nobody", place, package), "'nobody'"),
        (("--key", "lab", place, package), "does not sign"),
        ((f"{place} two", package), "apt does not take the name"),
        ((place, work / "none.deb"), f"no package {work}/none.deb"),
    ]
    for words, reason in cases:
        status, said = run(*gpg, PROGRAM, *words)
        trial.result(f"refused: {reason}", status == 125 and reason in said, said)
    run(*gpg, "gpgconf", "--kill", "gpg-agent")


def test_all(trial: Trial, root: Root, packages: list[Path], work: Path) -> None:
    test_signature(trial, root, add_packages(trial, root, packages, work))
    remove_source(root)
    test_first_runs(trial, packages[0], work)
    test_killed(trial, packages[0], work)
    test_password(trial, packages[0], work)
    test_mistakes(trial, packages[0], work)
