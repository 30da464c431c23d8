# SPDX-License-Identifier: GPL-2.0-only
"""docs - build the site of all documents

Usage: docs [DIRECTORY]

Builds pages of HTML in DIRECTORY (results/site) with Sphinx: README, the guides, the
manual pages, the reference of files, and the notes of the tests and of packaging. The
search works in a browser without a web server and without a network: open
results/site/index.html. The order of the pages is that of Documentation/contents.md.

A link that leads nowhere, to a page or to a heading, is a failure: docs prints FILE:LINE
of the page, and the exit status is not 0. Only what git knows becomes a page.
"""

import os
import re
import shutil
import subprocess
import tempfile
import textwrap
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from .common import ROOT, TESTING, Failure, Usage, Words, setup

SETTINGS = TESTING / "site"
REFERENCE = "Documentation/ABI/testing"
CONTENTS = "Documentation/contents.md"
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
LINK = re.compile(r"(?<=\]\()(?P<path>[\w./() -]+?)(?P<at>#[\w-]+)?(?=\))")
ROW = re.compile(r"^\| (?P<task>.*?) \|(?P<pages>.*?)\|$", re.M)
DEFINED = re.compile(r"^\[(?P<name>[\w-]+)\]: (?P<path>[\w./-]+)$", re.M)
ENTRY = re.compile(r"^What:\t+", re.M)
FIELD = re.compile(r"^(\w+):[ \t]*", re.M)
# Bold or italic words of a manual page
EMPHASIS = re.compile(r"(?<!\\)(\*\*?)(?=[^\s*])[^*]*?[^\s*\\]\1")


def known_files() -> list[str]:
    words: Words = ["git", "-C", ROOT, "ls-files", "-z", "-c", "-o", "--exclude-standard"]
    listed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    names = sorted(name for name in listed.split("\0") if (ROOT / name).is_file())
    return [name for name in names if name.endswith(".md") or name.startswith(REFERENCE)]


def page_of(name: str) -> str:
    """Return the name of the page that a file becomes."""
    if name == "README.md":
        return "index.md"
    return name if name.endswith(".md") else f"{name}.md"


# --- the text of a page -----------------------------------------------------------------


def resolve(name: str, path: str) -> str:
    return os.path.normpath(PurePosixPath(name).parent / path)


def with_links(name: str, text: str, pages: set[str]) -> str:
    """Let links to files lead to the pages that these become."""

    def lead(found: re.Match[str]) -> str:
        target = resolve(name, found["path"])
        if target not in pages:
            return found[0]
        page = os.path.relpath(page_of(target), PurePosixPath(name).parent)
        return f"{page}{found['at'] or ''}"

    def define(found: re.Match[str]) -> str:
        return f"[{found['name']}]: {page_of(found['path'])}"

    return LINK.sub(lead, DEFINED.sub(define, text))


def apart(line: str) -> str:
    """Separate bold and italic words that touch, which only pandoc tells apart."""
    return EMPHASIS.sub(r"\g<0><!-- -->", line) if "***" in line else line


def manual_page(text: str) -> str:
    """Turn the head of a manual page into a title, and its titles into headings."""
    text = "\n".join(map(apart, text.split("\n")))
    fields = dict(re.findall(r"^(\w+): (.*)$", text.split("---\n")[1], re.M))
    body = re.sub(r"^#", "##", text.split("---\n", 2)[2], flags=re.M)
    return f"# {fields['title'].lower()}({fields['section']})\n\n{body}"


def paragraph_of(text: str) -> str:
    """Return a paragraph as prose, or as it is if it has columns or a drawing."""
    lines = textwrap.dedent(text.expandtabs(8)).split("\n")
    if any(re.search(r"^ |\S {2,}\S|^[*-] ", line) for line in lines):
        return "```none\n" + "\n".join(lines) + "\n```"
    return plain("\n".join(lines))


def plain(text: str) -> str:
    return re.sub(r"([\\`*_<>\[\]$#|])", r"\\\1", text)


def paragraphs_of(text: str) -> list[str]:
    return [paragraph_of(part) for part in re.split(r"\n\s*\n", text.strip("\n")) if part]


def entry_of(text: str) -> str:
    """Return an entry of the reference: its paths, its fields and its description."""
    fields = FIELD.split("What:\t" + text)[1:]
    found = dict(zip(fields[::2], fields[1::2], strict=True))
    paths = found.pop("What").split("\n")
    first, *others = filter(None, map(str.strip, paths))
    lines = [f"## {plain(first)}", *(f"`{path}`" for path in others)]
    description = found.pop("Description", "")
    lines += [f"{name}: {' '.join(value.split())}" for name, value in found.items()]
    return "\n\n".join(lines + paragraphs_of(description))


def reference_page(name: str, text: str) -> str:
    head, *entries = ENTRY.split(text)
    head = re.sub(r"^\.\. .*\n", "", head)
    title = f"# {PurePosixPath(name).name}"
    return "\n\n".join([title, *paragraphs_of(head), *map(entry_of, entries)]) + "\n"


def text_of(name: str, pages: set[str]) -> str:
    text = (ROOT / name).read_text()
    if name.startswith(REFERENCE):
        return reference_page(name, text)
    if name.startswith("tools/man/"):
        return manual_page(text)
    return with_links(name, text, pages)


# --- the tree ---------------------------------------------------------------------------


def tree_of(contents: str, pages: set[str]) -> str:
    """Return the contents: the groups of the table in CONTENTS, and the rest."""
    groups: dict[str, list[str]] = {"start": []}
    left = pages - {"README.md"}
    for row in ROW.finditer(contents):
        if title := re.fullmatch(r"\*\*(.+)\*\*", row["task"]):
            groups[title[1]] = []
        for found in LINK.finditer(row["pages"]):
            if (page := resolve(CONTENTS, found["path"])) in left:
                groups[list(groups)[-1]].append(page)
                left.remove(page)
    groups["more"] = sorted(left)
    trees = [
        "\n".join(
            ["```{toctree}", ":hidden:", f":caption: {name}", "", *map(page_of, names)]
        )
        for name, names in groups.items()
    ]
    return "".join(f"\n{tree}\n```\n" for tree in trees)


def stage(work: Path) -> None:
    names = set(known_files())
    for name in names:
        text = text_of(name, names)
        if name == "README.md":
            text += tree_of((ROOT / CONTENTS).read_text(), names)
        page = work / page_of(name)
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text)
        for found in LINK.finditer(FENCE.sub("", text)):
            keep_file(work, resolve(name, found["path"]))


def keep_file(work: Path, target: str) -> None:
    """Copy a file that a page links to, such as a figure or a header."""
    if (ROOT / target).is_file() and not target.endswith(".md"):
        (work / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / target, work / target)


def build(to: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="zio-docs.") as directory:
        work = Path(directory)
        stage(work / "pages")
        words: Words = ["/usr/bin/python3", "-m", "sphinx", "-q", "-W", "--keep-going"]
        words = [*words, "-b", "html", "-c", SETTINGS, "-d", work / "trees"]
        done = subprocess.run(
            [*words, work / "pages", work / "html"], capture_output=True, text=True
        )
        if done.returncode:
            faults = done.stderr.replace(f"{work}/pages/", "").strip()
            raise Failure(f"a page is wrong\n{faults}")
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(work / "html", to)


def main(words: list[str]) -> int:
    if len(words) > 1:
        raise Usage("give one directory")
    to = Path(words[0]).resolve() if words else ROOT / "results/site"
    if to.exists() and not (to / "searchindex.js").exists():
        raise Usage(f"{to} exists, and is no site: name another directory")
    setup("site")
    build(to)
    print(f"file://{quote(str(to))}/index.html")
    return 0
