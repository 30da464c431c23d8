# SPDX-License-Identifier: GPL-2.0-only
"""No program has a number of the ABI: <linux/zio-user.h> and the library have them.

Programs in C use the names of the header. Those in Python use the package zio, which gets
the numbers from the compiler: see zio.controls.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from zio_testing.common import ROOT

FOLDERS = ("tools/programs", "tools/libzio", "tools/python", "bench", "examples")
# The layout of a control, and what reads it, in the package zio
PACKAGE = Path("tools/python/src/zio")
LAYOUT = PACKAGE / "_control.py"
# Sizes of blocks there are no sizes of controls.
SIZES = Path("bench/suite")
# Fields of a control whose values are numbers of the ABI
FIELDS = (
    "attr_channel attr_trigger ext_mask ext_val flags major_version minor_version "
    "std_mask std_val tlv zio_alarms"
).split()
MARKS = (0x01000001, 0x02000002, 0x03000003)
C_RULES = {
    r"(std|ext)_val\s*\[\s*\d": "an attribute by its number",
    r"(std|ext)_mask\s*(&|>>)\s*\(?\s*(\d+u?l*\s*<<\s*)?(\d|0x)(?!u?l*\s*<<)":
        "an attribute by its number",
    r"\bflags\s*[&|^]=?\s*~?\(?\s*0x": "a flag by its number",
    r"_alarms\s*[&|]\s*(\d|0x|\(\s*1\s*<<)": "an alarm by its number",
    r"tlv\b.*\btype\s*[=!]=\s*\d": "an extension by its number",
    r"\b0x0[123]00000[123]\b": "the byte order by its number",
    r"(?i)(control|ctrl).*[^\[\w]512\b": "the size of a control by its number",
    r"_version\s*([=!]=|[<>]=?)\s*\d": "a version by its number",
}  # fmt: skip


def faults_of_c(text: str) -> Iterator[str]:
    code = re.sub(
        r"/\*.*?\*/|//[^\n]*", lambda m: "\n" * m[0].count("\n"), text, flags=re.S
    )
    for number, line in enumerate(code.splitlines(), 1):
        for rule, what in C_RULES.items():
            if re.search(rule, line):
                yield f"{number}: {what}: {line.strip()}"


def faults_of_python(text: str, is_package: bool = False) -> Iterator[str]:
    """Yield the faults. The package may read fields, but by names of the library."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and node.value in (*MARKS, 512):
            if type(node.value) is int:
                yield f"{node.lineno}: {node.value:#x}: size or flags of a control"
        elif isinstance(node, ast.Subscript):
            yield from faults_of_subscript(node, is_package)


def faults_of_subscript(node: ast.Subscript, is_package: bool) -> Iterator[str]:
    index = node.slice
    if isinstance(index, ast.Constant) and index.value in FIELDS and not is_package:
        yield f"{node.lineno}: the field {index.value} of a control: use zio.controls"
    inner = ast.unparse(node.value)
    parts = (part for part in ast.walk(index) if isinstance(part, ast.Constant))
    has_number = any(isinstance(part.value, int) for part in parts)
    if inner.endswith(("_val", "_val']")) and has_number:
        if not isinstance(index, ast.Tuple) or not isinstance(
            index.elts[-1], ast.Attribute
        ):
            yield f"{node.lineno}: an attribute by its number"


def is_python(path: Path) -> bool:
    if path.suffix == ".py":
        return True
    with open(path, "rb") as file:
        return not path.suffix and re.match(rb"#!.*python", file.readline()) is not None


def faults_of_tree(root: Path) -> Iterator[str]:
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root)
            if "build" in name.parts or not path.is_file():
                continue
            if name == LAYOUT or name.parent == SIZES:
                continue
            if path.suffix in (".c", ".h", ".cpp"):
                faults = faults_of_c(path.read_text())
            elif is_python(path):
                faults = faults_of_python(path.read_text(), name.parent == PACKAGE)
            else:
                continue
            yield from (f"{name}:{fault}" for fault in faults)


def test_no_program_has_a_number_of_the_abi() -> None:
    assert not list(faults_of_tree(ROOT))


@pytest.mark.parametrize(
    "line",
    [
        "x = control->attr_channel.std_val[3];",
        "if (attr->std_mask & 0x8)",
        "if (attr->std_mask & (1u << 3))",
        "if (attr->ext_mask >> 31 & 1)",
        "msb = control->flags & 0x04;",
        "if (control->zio_alarms & 1)",
        "if (control->tlv[0].type == 4)",
        "mark = 0x01000001;",
        "read(fd, control, 512);",
        "if (control->major_version != 1)",
    ],
)
def test_a_number_in_c(line: str) -> None:
    assert list(faults_of_c(f"/* 512 */\nvoid f(void)\n{{\n\t{line}\n}}\n"))


def test_names_in_c() -> None:
    assert not list(
        faults_of_c(
            "if (attr->std_mask & (1u << ZIO_ATTR_UNIT))\n"
            "x = attr->std_val[ZIO_ATTR_UNIT];\n"
            "char text[512];\n"
            "flags = control->flags & ZIO_CONTROL_MSB_ALIGN;\n"
        )
    )


@pytest.mark.parametrize(
    "line",
    [
        "rate = control['attr_channel']['std_val'][3]",
        "msb = control['flags'] & 4",
        "shots = control['tlv']['type'] == 4",
        "lost = block.control['zio_alarms'] & 1",
        "NATIVE = 0x01000001",
        "head = os.read(fd, 512)",
    ],
)
def test_a_number_in_python(line: str) -> None:
    assert list(faults_of_python(line))


@pytest.mark.parametrize(
    "line", ["x = attributes.std_val[3]", "x = attributes['std_val'][:, 3]"]
)
def test_a_number_in_the_package(line: str) -> None:
    assert list(faults_of_python(line, is_package=True))
