# SPDX-License-Identifier: GPL-2.0-only
"""convert: change what follows a rule in a driver for ZIO 1.x."""

import difflib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from . import attributes
from .source import Failure, find_sources, read, without_comments

PATCH = Path(__file__).with_name("migrate.cocci")
SPATCH = ("spatch", "--no-includes", "--include-headers", "--very-quiet")
RAW_IO = re.compile(r"\.\s*raw_io\s*=\s*&?(\w+)")


@dataclass(frozen=True)
class Change:
    """A source, and its text before and after the change."""

    path: Path
    before: str
    after: str

    def diff(self) -> str:
        lines = difflib.unified_diff(
            self.before.splitlines(keepends=True),
            self.after.splitlines(keepends=True),
            f"a/{self.path}",
            f"b/{self.path}",
        )
        return "".join(lines)


def patch_for(texts: list[str]) -> str:
    """Return the semantic patch, with the names of the raw_io() functions filled in."""
    found = {name for text in texts for name in RAW_IO.findall(without_comments(text))}
    return PATCH.read_text().replace(
        "RAW_IO }", f"{', '.join(sorted(found or {'no_raw_io'}))} }}"
    )


def run_spatch(patch: Path, folder: Path) -> None:
    command = [*SPATCH, "--in-place", "--sp-file", str(patch), "--dir", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure(f"spatch failed:\n{done.stderr.strip()}")


def write(path: Path, text: str) -> None:
    path.write_text(text, errors="surrogateescape")


def convert_texts(texts: dict[Path, str]) -> Iterator[Change]:
    """Yield the sources that change. spatch works on copies named by numbers."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        patch = folder / "patch.cocci"
        patch.write_text(patch_for(list(texts.values())))
        copies = folder / "sources"
        copies.mkdir()
        places = {path: copies / f"{n}{path.suffix}" for n, path in enumerate(texts)}
        for path, text in texts.items():
            write(places[path], attributes.convert(text))
        run_spatch(patch, copies)
        for path, text in texts.items():
            after = read(places[path])
            if after != text:
                yield Change(path, text, after)


def require_clean(paths: list[Path]) -> None:
    """Refuse sources whose text git does not have."""
    for path in paths:
        folder = path if path.is_dir() else path.parent
        place = str(path.resolve())
        command = ["git", "-C", str(folder), "status", "--porcelain", "--", place]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode or done.stdout:
            what = "has changes" if done.stdout else "is not in a git tree"
            raise Failure(f"{path}: {what}: commit it first, or use --force")


def convert_paths(paths: list[Path], in_place: bool, force: bool) -> int:
    """Print the changes, or make them. Return the number of files."""
    if not shutil.which("spatch"):
        raise Failure("spatch is missing: install it with `apt-get install coccinelle`")
    texts = {path: read(path) for path in find_sources(paths)}
    if in_place and not force:
        require_clean(paths)
    n = 0
    for change in convert_texts(texts):
        n += 1
        if in_place:
            write(change.path, change.after)
        else:
            sys.stdout.write(change.diff())
    return n
