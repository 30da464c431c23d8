# SPDX-License-Identifier: GPL-2.0-only
"""The documents name files that exist"""

import fnmatch
import re
import subprocess
from pathlib import Path

import pytest

from zio_testing import documents
from zio_testing.common import ROOT, Words
from zio_testing.document import LANGUAGES
from zio_testing.documents import FIRST, PARTS, pages, sample

FOLDERS = (
    "bench buffers debian Documentation drivers examples include packaging tests tools "
    "zio-core"
).split()
# A path from the root of the repository; a file in backquotes; the target of a link
PATH = re.compile(rf"(?<![\w./<-])(?P<path>(?:{'|'.join(FOLDERS)})/[\w.*/+-]*[\w*/])")
FILE = re.compile(r"`(?P<file>[\w./-]+\.(?:c|h|sh|py|md|map))`")
LINK = re.compile(r"\]\((?P<link>[\w./-]+)(?:#[\w-]+)?\)")
# Files that the reader makes, and files of others
ABSENT = {
    "in-tree.md": [
        "drivers/zio/*",
        "drivers/Kconfig",
        "drivers/Makefile",
        "tools/testing/*",
    ]
    + ["Documentation/devicetree/*", "drivers/zio"],
    "slink-model.md": ["drivers/comedi/*", "*amcc_s5933.h", "ad*.c", "libSLINK.c"]
    + ["SSPDev.h"],
    "testing.md": ["*NAME*"],
}
DOCUMENTS = [
    *ROOT.glob("*.md"),
    *(ROOT / "Documentation").rglob("*.md"),
    ROOT / "bench/report.md",
]


def tracked() -> list[str]:
    listed = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True)
    return listed.stdout.decode().split()


def is_absent(document: Path, files: list[str], match: re.Match[str]) -> bool:
    if name := match.groupdict().get("link"):
        return not (document.parent / name).exists()
    if name := match.groupdict().get("path"):
        return not any(ROOT.glob(name.rstrip("/")))
    return not any(f"/{file}".endswith(f"/{match['file']}") for file in files)


def missing_in(document: Path, files: list[str]) -> list[str]:
    allowed = ABSENT.get(document.name, [])
    text = document.read_text()
    found = [match for rule in (PATH, FILE, LINK) for match in rule.finditer(text)]
    names = {
        match[match.lastgroup or 0]
        for match in found
        if is_absent(document, files, match)
    }
    return sorted(
        name for name in names if not any(fnmatch.fnmatch(name, own) for own in allowed)
    )


@pytest.fixture(scope="module")
def files() -> list[str]:
    return tracked()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.name))
def test_files_exist(document: Path, files: list[str]) -> None:
    assert missing_in(document, files) == []


def test_file_that_has_gone(tmp_path: Path) -> None:
    text = "| `zio-core/gone.c` | see [it](gone.md#x), `gone.h`, and `zio-core/main.c`."
    document = tmp_path / "a.md"
    document.write_text(text)
    gone = ["gone.h", "gone.md", "zio-core/gone.c"]
    assert missing_in(document, ["zio-core/main.c"]) == gone


FENCED = re.compile(r"^```.*?^```$", re.M | re.S)
# A paragraph of text, and a block of code that is indented below it
INDENTED = re.compile(r"^(?![ >]|[-*] |\d+\. )\S.*\n\n+    (?P<code>\S.*)", re.M)


def indented_in(text: str) -> list[str]:
    return [match["code"] for match in INDENTED.finditer(FENCED.sub("", text))]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.name))
def test_blocks_have_fences(document: Path) -> None:
    """Only a block with a fence has a language, by which "packages documents" runs it."""
    assert indented_in(document.read_text()) == []


FENCE = re.compile(r"^ *(?:```+|~~~+)(?P<words>.*)$", re.M)
SHOWN = "text c cpp make toml rust matlab js java yaml".split()


def languages_in(text: str) -> list[str]:
    """Return what follows the fences that open a block."""
    return FENCE.findall(text)[::2]


@pytest.mark.parametrize("document", pages(), ids=lambda path: str(path.name))
def test_languages_run_or_are_shown(document: Path) -> None:
    """A block of another language, such as bash, would not run, and nobody saw it."""
    assert set(languages_in(document.read_text())) <= {*LANGUAGES, *SHOWN}


def test_language_of_blocks() -> None:
    text = "```sh\nls\n```\n* An item\n\n  ```bash\n  ls\n  ```\n~~~ sh\nls\n~~~\n"
    assert languages_in(text) == ["sh", "bash", " sh"]


def test_indented_block() -> None:
    text = "Type:\n\n    ls\n\n```sh\nif a\n\n    b\n```\n* An item\n\n    more of it\n"
    assert indented_in(text) == ["ls"]


def test_each_page_runs_with_some_seed() -> None:
    every = {path.name for path in pages()}
    samples = [set(sample(seed, [])) for seed in range(PARTS)]
    assert set.union(*samples) == every
    assert set.intersection(*samples) == set(FIRST)
    assert all(len(names) < len(every) / 4 for names in samples)
    changed = [set(sample(seed, ["uart.md"])) for seed in range(PARTS)]
    assert "uart.md" in set.intersection(*changed)


def test_a_page_with_other_blocks_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git: Words = ["git", "-C", tmp_path, "-c", "user.name=n", "-c", "user.email=e"]
    for name in ("README.md", "words.md", "blocks.md"):
        (tmp_path / name).write_text("Text.\n\n```sh\ntrue\n```\n")
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "first"], check=True)
    (tmp_path / "words.md").write_text("Other text.\n\n```sh\ntrue\n```\n")
    (tmp_path / "blocks.md").write_text("Text.\n\n```sh\nfalse\n```\n")
    (tmp_path / "new.md").write_text("```sh\ntrue\n```\n")
    subprocess.run([*git, "add", "."], check=True)
    monkeypatch.setattr(documents, "ROOT", tmp_path)
    monkeypatch.setattr(documents, "pages", lambda: sorted(tmp_path.glob("*.md")))
    assert documents.changed_since("HEAD") == ["blocks.md", "new.md"]
