# SPDX-License-Identifier: GPL-2.0-only
"""Lines in files of the kernel that others own: each is put in once."""

import re
from collections.abc import Callable

VENDOR = '  "^zio,.*":\n    description: ZIO, a framework for data acquisition\n'
TARGET = "TARGETS += drivers/zio\n"
# What each of the files has then
MARK = r"drivers/zio\b|CONFIG_ZIO\b|\^zio,"


def add_kconfig(text: str) -> str:
    line = 'source "drivers/zio/Kconfig"\n\n'
    return text if line in text else re.sub(r"(?m)^endmenu\n\Z", f"{line}endmenu\n", text)


def add_makefile(text: str) -> str:
    line = "obj-$(CONFIG_ZIO)\t\t+= zio/\n"
    return text if line in text else text + line


def insert_sorted(text: str, new: str, entry: str, key: str) -> str:
    """Insert @new before the first entry with a greater key. The expression @entry
    matches the first line of an entry, whose key is its group 1."""
    for found in re.finditer(entry, text, re.M):
        if found[1] > key:
            return text[: found.start()] + new + text[found.start() :]
    return text


def add_vendor(text: str) -> str:
    if VENDOR in text:
        return text
    return insert_sorted(text, VENDOR, r'^  "\^([a-z0-9]+),\.\*":$', "zio")


def add_target(text: str) -> str:
    if TARGET in text:
        return text
    return insert_sorted(text, TARGET, r"^TARGETS \+= (\S+)$", "drivers/zio")


def replace_entry(text: str, entry: str) -> str:
    """Replace the entry of MAINTAINERS with the title of @entry, or add it."""
    title = entry.partition("\n")[0]
    old = rf"^{re.escape(title)}\n(?:.+\n)+\n"
    text = re.sub(old, "", text, flags=re.M)
    head, start, rest = text.partition("\n3C59X NETWORK DRIVER\n")
    return head + insert_sorted(
        start + rest, f"{entry}\n", r"(?<=\n\n)(^[A-Z0-9].*)$(?=\n[A-Z]:\t)", title
    )


HOOKS: dict[str, Callable[[str], str]] = {
    "drivers/Kconfig": add_kconfig,
    "drivers/Makefile": add_makefile,
    "Documentation/devicetree/bindings/vendor-prefixes.yaml": add_vendor,
    "tools/testing/selftests/Makefile": add_target,
}
