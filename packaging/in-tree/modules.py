# SPDX-License-Identifier: GPL-2.0-only
"""Which modules the kernel gets: those that have an option in Kconfig"""

import re
from pathlib import Path

import sources
from kbuild import FILES, ROOT, Folder, Refused


def configured() -> set[str]:
    """Return the options of Kconfig: they decide which modules the kernel gets."""
    text = (FILES / "Kconfig").read_text()
    return set(re.findall(r"^(?:menu)?config (\w+)$", text, re.M))


def choose(folders: list[Folder]) -> list[Folder]:
    """Drop the drivers that have no option. Each module elsewhere must have one."""
    options = configured()
    kept = []
    for folder in folders:
        is_driver = folder.path.relative_to(ROOT).parts[:1] == ("drivers",)
        for module in list(folder.modules):
            option = folder.option_of(module)
            if option in options:
                continue
            if not is_driver:
                raise Refused(f"{FILES}/Kconfig has no {option} for {module.name}")
            folder.modules.remove(module)
        if folder.modules or not is_driver:
            kept.append(folder)
    for folder in kept:
        folder.folders = [
            name
            for name in folder.folders
            if any(other.path == folder.path / name for other in kept)
        ]
    return kept


def drop_foreign_tests(folders: list[Folder], includes: list[Path]) -> None:
    """A suite can include files of a driver: it goes where the driver goes."""
    drivers = [f for f in folders if ROOT / "drivers" in (f.path, *f.path.parents)]
    known = {path for f in drivers for path in f.sources}
    known = sources.with_headers(known, includes)
    for folder in folders:
        for module in folder.modules if folder.option else []:
            for name in list(module.objects):
                source = folder.path / Path(name).with_suffix(".c")
                needed = sources.with_headers([source], includes)
                foreign = {path for path in needed if ROOT / "drivers" in path.parents}
                if foreign - known:
                    del module.objects[name]
