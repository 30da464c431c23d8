# SPDX-License-Identifier: GPL-2.0-only
"""The site of `make docs`: each page, its links, and its search, opened as files"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from unit.scope.browser.conftest import Page, driver, page
from zio_testing import docs
from zio_testing.common import ROOT, Failure

__all__ = ["page"]
# What a browser loads by itself. The address of a link to another site is none of it.
LOADED = re.compile(r"<(?:script|img|link)\b[^>]*?\b(?:src|href)=\"(?P<address>[^\"]*)\"")
RESULTS = "[...document.querySelectorAll('#search-results li a')].map(a => a.innerText)"
# Words to look for, and the first page
FOUND = {
    "seq_num": "dev-zio",
    "microphone": "Sound cards",
    "zio_next_batch": "libzio(3)",
    "available_triggers": "sysfs-bus-zio",
    "LaHaise": "The experiments",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    to = tmp_path_factory.mktemp("docs") / "site"
    subprocess.run([ROOT / "tests/docs", to], check=True, stdout=subprocess.PIPE)
    return to


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with driver() as one:
        yield one


def test_each_document_is_a_page(site: Path) -> None:
    for name in docs.known_files():
        assert (site / docs.page_of(name)).with_suffix(".html").exists(), name


def test_nothing_comes_from_the_network(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    loaded = {
        match["address"] for page in pages for match in LOADED.finditer(page.read_text())
    }
    assert loaded and not {address for address in loaded if "//" in address}


def test_order_is_that_of_the_contents(site: Path, page: Page) -> None:
    page.open(f"{site.as_uri()}/index.html")
    captions = page.value(
        "[...document.querySelectorAll('.caption-text')].map(e => e.innerText)"
    )
    assert [text.lower() for text in captions[:3]] == ["start", "acquire", "hardware"]


# The search makes this element anew; one that was found before may be gone.
SUMMARY = "document.querySelector('.search-summary')"


@pytest.mark.parametrize("words", FOUND)
def test_search(site: Path, page: Page, words: str, tmp_path: Path) -> None:
    page.open(f"{site.as_uri()}/index.html")
    field = page.driver.find_element("css selector", "#rtd-search-form input[name=q]")
    field.send_keys(words)
    field.submit()
    page.wait(f"{SUMMARY}?.innerText.includes('finished')")
    page.until(lambda: FOUND[words] in page.value(RESULTS), "the page is found")
    page.driver.find_element("link text", FOUND[words]).click()
    page.until(
        lambda: words.lower() in page.value("document.body.innerText").lower(), words
    )
    assert page.complaints() == []


def test_figures_are_drawn(site: Path, page: Page) -> None:
    page.open(f"{site.as_uri()}/Documentation/performance.html")
    widths = page.value("[...document.images].map(image => image.naturalWidth)")
    assert len(widths) > 2 and min(widths) > 100


def test_reference_has_columns_and_prose() -> None:
    text = ".. SPDX\n\nA page.\n\nWhat:\t\t/sys/a_b\n\t\t/sys/c\nDate:\tMay 2026\n"
    text += "Description:\n\t\tIts *text*.\n\n\t\tEIO    a fault\n"
    assert docs.reference_page("Documentation/ABI/testing/x", text) == (
        "# x\n\nA page.\n\n## /sys/a\\_b\n\n`/sys/c`\n\nDate: May 2026\n\n"
        "Its \\*text\\*.\n\n```none\nEIO    a fault\n```\n"
    )


def test_words_that_touch_are_apart() -> None:
    assert docs.apart("*A***=***B*") == "*A*<!-- -->**=**<!-- -->*B*<!-- -->"
    assert docs.apart("**a** *b*") == "**a** *b*"


@pytest.mark.parametrize(
    "link",
    ["[a](gone.md)", "[a](glossary.md#gone)", "[a](#gone)", "![a](gone.png)"],
)
def test_link_that_leads_nowhere(
    link: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two pages are enough for this."""
    (tmp_path / "README.md").write_text("# A\n\n| a | [b](glossary.md) |\n")
    (tmp_path / "glossary.md").write_text("# B\n\n[A](README.md#a)\n")
    monkeypatch.setattr(docs, "ROOT", tmp_path)
    monkeypatch.setattr(docs, "CONTENTS", "README.md")
    monkeypatch.setattr(docs, "known_files", lambda: ["README.md", "glossary.md"])
    docs.build(tmp_path / "site")
    (tmp_path / "glossary.md").write_text(f"# B\n\n{link}\n")
    with pytest.raises(Failure, match="glossary.md:3: .*gone"):
        docs.build(tmp_path / "new")
    assert not (tmp_path / "new").exists()
