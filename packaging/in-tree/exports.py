# SPDX-License-Identifier: GPL-2.0-only
"""Exports for the KUnit suites stand behind their functions, as the kernel wants it. In
the project they are in a file of their own."""

import re

from kbuild import Refused
from sources import number

EXPORT = re.compile(r"^EXPORT_SYMBOL_NS_GPL\((\w+), ZIO_TEST\);$", re.M)
IMPORT = "MODULE_IMPORT_NS(ZIO_TEST);"


# The kernel's macros define the variable of a tracepoint where this stands.
TRACEPOINT = "__tracepoint_"
TRACEPOINTS = r"^#define CREATE_TRACE_POINTS\n#include .*\n"


def ends_of(text: str, name: str) -> list[int]:
    """Return where the definition of a function or a variable ends."""
    if name.startswith(TRACEPOINT):
        return [m.end() for m in re.finditer(TRACEPOINTS, text, re.M)]
    function = rf"^(?!static )[\w*][\w* ]*[\s*]{name}\([^;{{]*\)\n{{\n(?:(?!}}).*\n)*}}\n"
    variable = rf"^(?!static |extern )[\w*][\w* ]*[ *]{name}(?: = .*)?;\n"
    return [m.end() for m in re.finditer(f"{function}|{variable}", text, re.M)]


def move(files: dict[str, str], file: str, code: int) -> None:
    """Move the exports of @file. From Linux 6.2 on, the kernel has a macro for them."""
    has_macro = code >= number((6, 2, 0))
    for name in EXPORT.findall(files.pop(file)):
        line = f"EXPORT_SYMBOL_NS_GPL({name}, ZIO_TEST);\n"
        if has_macro:
            line = f"EXPORT_SYMBOL_IF_KUNIT({name});\n"
        if name.startswith(TRACEPOINT):
            line = f"#ifdef CONFIG_TRACEPOINTS\n{line}#endif\n"
        add_behind(files, name, line, has_macro)
    if has_macro:
        space = "EXPORTED_FOR_KUNIT_TESTING"
        space = f'"{space}"' if code >= number((6, 13, 0)) else space
        for path, text in files.items():
            files[path] = text.replace(IMPORT, f"MODULE_IMPORT_NS({space});")


def add_behind(files: dict[str, str], name: str, line: str, has_macro: bool) -> None:
    places = [
        (path, end)
        for path, text in files.items()
        if path.endswith(".c") and "/tests/" not in path
        for end in ends_of(text, name)
    ]
    if len(places) != 1:
        raise Refused(f"{name} is exported for tests, and has {len(places)} definitions")
    path, end = places[0]
    text = files[path][:end] + line + files[path][end:]
    header = "kunit/visibility.h" if has_macro else "linux/export.h"
    if f"<{header}>" not in text:
        text = text.replace("#include ", f"#include <{header}>\n#include ", 1)
    files[path] = text
