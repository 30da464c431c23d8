# SPDX-License-Identifier: GPL-2.0-only
"""prose, on small files"""

from pathlib import Path

import pytest

from zio_testing import prose

LONG = "Word " * 19 + "word."
# The name of a file, its text, and the findings. Each file has good lines, too.
PROSE = {
    "a.c": (
        "/*\n * The reader who waits is woken.\n * It goes on: who comes late\n * waits."
        " He does. Without\n * (A), it sleeps. Without it, X.\n */\n"
        'char s[] = "he who";\n',
        ["3 actor", "4 pronoun", "4 without"],
    ),
    "b.sh": (
        "#!/bin/sh\n# Who\nhe=1 # Without a comment\n#define he\n"
        "# CONFIG_HE is not set\n",
        ["2 actor"],
    ),
    "c.py": (
        '"""Nobody goes but one."""\nx = "who"\n# His way\n',
        ["1 nobody but", "3 pronoun"],
    ),
    "A.litmus": (
        "C A\n\n(*\n * He.\n * at: he.c he: he\n *)\n{}\nP0() { he(); }\n",
        ["4 pronoun"],
    ),
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
        "Without it, nothing. Without doubt.\n\n    who in code\n"
        + "x" * 91
        + "\n| who | "
        + "x" * 99
        + "\n",
        ["1 without", "4 long line"],
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
