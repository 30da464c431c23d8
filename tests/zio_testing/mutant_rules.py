# SPDX-License-Identifier: GPL-2.0-only
"""Mutants that rules make from the C source: comparisons, conditions, errors, sums.

A rule sees a line of a function, with spaces in place of comments and literals. It
changes behaviour, and nothing that only a memory checker or a race would show."""

import random
import re
import tomllib
from collections.abc import Iterator

from . import judges, stage
from .common import ROOT, Failure
from .mutant_edit import Edit, blank, functions
from .mutant_patch import ALL, FOLDER, HOST, QUICK, UML, Mutant, Test
from .quick_map import seconds_of
from .selftests import Selftest, find_all

EQUIVALENT = FOLDER / "equivalent.toml"
HOST_TEST = re.compile(r"(?:unit|models/qemu)/(\w+_test(?:\.sh)?)(?:\.c)?")
PRODUCT = re.compile(r"(zio-core/(?!tests)|buffers|triggers|drivers|tools)/.*\.c")
IN_C = re.compile(rf"selftests/|{HOST_TEST.pattern}")
IN_KUNIT = ("zio-core/", "buffers/")
# Seconds that the selftests of a mutant may take
BUDGET = 60.0
# Lines that only report, or that allocations reach only when they fail
NO_BEHAVIOUR = re.compile(r"WARN|BUILD_BUG|lockdep|ENOMEM|alloc|dev_(err|warn|dbg)|pr_")
# Calls that end the use of something
CLEANS_UP = re.compile(
    r"lock|free|put|get|rcu|init|mutex|spin|barrier|smp_|destroy|clean|remove|release|"
    r"list|might|trace|module|device_|flush|cancel|quiesce|shutdown|begin_|end_",
    re.I,
)
SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
SWAPS |= {"&&": "||", "||": "&&"}
OPERATOR = re.compile(r"(?<= )(?:[<>=!]=|[<>]|&&|\|\|)(?= )")
PATTERNS = (
    (re.compile(r"(?<=[\w)\]]) [-+] 1\b"), ""),
    (re.compile(r"(?<=return )true(?=;)"), "false"),
    (re.compile(r"(?<=return )false(?=;)"), "true"),
    (re.compile(r"-EINVAL\b"), "-EIO"),
    (re.compile(r"-E(?!INVAL)[A-Z]+\b"), "-EINVAL"),
)
FIELD = re.compile(r"\t+\*?\w+(?:->|\.|\[)[\w.>\[\]-]* [-+|&]?= [^=;]+;\s*")
CALL = re.compile(r"\t+(\w+)\([^;]*\);\s*")
CONDITION = re.compile(r"\bif (\(.*\))\s*\{?\s*$")
STATEMENT_BEFORE = re.compile(r"(?:[;{}):]|\belse|\bdo)\s*$")
BEGINS_BLOCK = re.compile(r"(?:\)|else|do)\s*$")


def is_closed(text: str) -> bool:
    """Return true if the first parenthesis is closed by the last."""
    depth = 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return at == len(text) - 1
    return False


def replacements(
    line: str, code: str, before: str
) -> Iterator[tuple[int, int, str | None]]:
    """Yield parts of a line, and what each rule puts in their place. Nothing: the line
    goes. @code is the line as the rules see it, @before the one before it: the body of an
    if must stay."""
    for found in OPERATOR.finditer(code):
        yield *found.span(), SWAPS[found[0]]
    for pattern, new in PATTERNS:
        for found in pattern.finditer(code):
            yield *found.span(), new
    condition = CONDITION.search(code)
    # Another rule turns "==" and "!=".
    if condition and is_closed(condition[1]) and "= " not in condition[1]:
        begin, end = condition.span(1)
        yield begin, end, f"(!{line[begin:end]})"
    call = CALL.fullmatch(code)
    is_whole = not before.strip() or STATEMENT_BEFORE.search(before)
    if is_whole and (FIELD.fullmatch(code) or (call and not CLEANS_UP.search(call[1]))):
        gone = ";" if BEGINS_BLOCK.search(before) else None
        yield len(code) - len(code.lstrip()), len(code.rstrip()), gone


def edits_of(file: str) -> Iterator[Edit]:
    """Yield all changes of a file. A line that its function has twice is left out."""
    text = (ROOT / file).read_text()
    code = blank(text)
    for name, (begin, end) in functions(text).items():
        body = text[begin:end].split("\n")
        lines = code[begin:end].split("\n")
        # The first lines are the head of the function.
        first = next((n for n, line in enumerate(lines) if "{" in line), 0) + 1
        for at in range(first, len(lines)):
            old = body[at]
            if text.count(old, begin, end) != 1 or NO_BEHAVIOUR.search(old):
                continue
            for start, stop, new in replacements(old, lines[at], lines[at - 1]):
                gone = new is None
                changed = None if gone else f"{old[:start]}{new}{old[stop:]}"
                yield Edit(file, name, old, changed)


def selftests_of(names: list[str]) -> list[Test]:
    """Return as many selftests as BUDGET allows, at least one. Tests that ask for modules
    which the saved machine lacks need the kernel with sanitizers, and a boot: they run
    if there are no others."""
    known = {f"selftests/{test.path.name}": test for test in find_all()}
    tree = stage.tree_of("distro")
    able = [test for test in known.values() if test.can_run_on("distro")]
    there, spent = set(stage.kernel_modules(tree, able)), 0.0
    saved: list[Selftest] = []
    others: list[Selftest] = []
    for name in names:
        cost = seconds_of(name)
        if spent and spent + cost > BUDGET:
            continue
        spent += cost
        is_saved = known[name].asks_for("kernel-module") <= there
        (saved if is_saved else others).append(known[name])
    # The first one tells most.
    groups = [group for group in (saved[:1], saved[1:]) if group]
    tests = [Test(QUICK, ",".join(test.name for test in g)) for g in groups]
    return tests or [Test("kasan", test.name) for test in others]


def tests_of(file: str) -> tuple[Test, ...]:
    """Return the tests that judge a file."""
    tests = [Test(UML, ALL)] if file.startswith(IN_KUNIT) else []
    names = judges.tests_of(file)
    on_host = [found[1] for name in names if (found := HOST_TEST.fullmatch(name))]
    tests += [Test(HOST, name) for name in on_host]
    return tuple(tests + selftests_of([n for n in names if n.startswith("selftests/")]))


def text_of(edit: Edit) -> str:
    """Return how the list of equivalent mutants names an edit."""
    return f"{edit.function}: {edit.old.strip()} | {(edit.new or '').strip()}"


def covered_files() -> list[str]:
    """Return the C files of modules and tools that such tests judge."""
    files = filter(PRODUCT.fullmatch, judges.list_files())
    return [f for f in files if any(map(IN_C.match, judges.tests_of(f)))]


def numbered(file: str) -> dict[str, Edit]:
    """Return the edits of a file by the names of their mutants: FILE#NUMBER."""
    return {f"{file}#{at}": edit for at, edit in enumerate(edits_of(file))}


def choose(files: list[str], count: int, seed: int) -> list[tuple[str, Edit]]:
    """Return @count edits, which @seed chooses: one of each file, and then another."""
    chance = random.Random(seed)
    known = tomllib.loads(EQUIVALENT.read_text())
    heaps = []
    for file in sorted(files):
        skipped = known.get(file, {})
        edits = numbered(file).items()
        heap = [pair for pair in edits if text_of(pair[1]) not in skipped]
        chance.shuffle(heap)
        heaps.append(heap)
    chance.shuffle(heaps)
    longest = max(map(len, heaps), default=0)
    turns = [heap[at] for at in range(longest) for heap in heaps if at < len(heap)]
    return turns[:count]


def generate(words: list[str], count: int, seed: int) -> list[Mutant]:
    """Return @count mutants of files, or those that @words name."""
    files = [word for word in words if "#" not in word]
    if missing := [file for file in files if not (ROOT / file).is_file()]:
        raise Failure(f"no file {' '.join(missing)}")
    named = [word for word in words if "#" in word]
    chosen = [(name, numbered(name.partition("#")[0])[name]) for name in named]
    if files or not named:
        chosen += choose(files or covered_files(), count, seed)
    tests = {file: tests_of(file) for file in {edit.file for _, edit in chosen}}
    return [
        Mutant(name, text_of(edit), tests=tests[edit.file], edits=(edit,))
        for name, edit in chosen
    ]
