# SPDX-License-Identifier: GPL-2.0-only
"""prose, on small files"""

from pathlib import Path

import pytest

from zio_testing import prose

LONG = "Word " * 19 + "word."
# The name of a file, its text, and the findings. Each file has good lines, too.
PROSE = {
    "kernel-doc.c": (
        "/**\n * f() - do\n * @x: it\n *\n * Context: Any.\n */\n"
        "static inline void f(int x)\n{\n}\n"
        "/**\n * g() - get\n *\n * Context: Any.\n */\nint g(void);\n"
        "/**\n * h() - get\n *\n * Return: 0.\n */\nvoid *h(void);\n"
        "/**\n * i() - get\n *\n * Context: Any.\n *\n * Return: 0.\n */\nint i(void);\n",
        ["11 kernel-doc", "17 kernel-doc"],
    ),
    "Documentation/ABI/name": (
        f"What:\t\tX\nDescription:\n\t\t{LONG}\n\t\tword.\n",
        ["3 long line"],
    ),
    "d.md": (
        f"Words.\n\n    {LONG}\n```\n{LONG}\n```\n{'x' * 91}\n| a | {LONG}\n",
        ["7 long line"],
    ),
}


@pytest.mark.parametrize("name", PROSE)
def test_prose(name: str, tmp_path: Path) -> None:
    text, wanted = PROSE[name]
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    found = [f"{line} {rule}" for line, rule, _ in prose.findings_in(path)]
    assert found == wanted
