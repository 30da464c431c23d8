# SPDX-License-Identifier: GPL-2.0-only
"""Read the Kbuild files by make itself, and write makefiles of the kernel's style."""

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = Path(__file__).resolve().parent / "files"
# These folders have another name in the kernel's tree.
NAMES = {"zio-core": "core"}

PRINT = """
all: ;
$(info dirs $(filter %/,$(obj-m)))
$(info flags $(ccflags-y))
$(foreach m,$(patsubst %.o,%,$(filter %.o,$(obj-m))),$(info module $(m) $($(m)-y)))
"""


class Refused(Exception):
    """The program cannot do what the user asks for."""


@dataclass
class Module:
    """A module, and its objects. An object of some configurations names their option."""

    name: str
    objects: dict[str, str] = field(default_factory=dict)

    @property
    def sources(self) -> list[str]:
        names = list(self.objects) or [f"{self.name}.o"]
        return [re.sub(r"\.o$", ".c", name) for name in names]


@dataclass
class Folder:
    """What a Kbuild file says. Paths are those of the checkout."""

    path: Path
    includes: list[Path]
    folders: list[str]
    modules: list[Module]

    @property
    def option(self) -> str:
        """The option of all modules of this folder; empty if each has its own."""
        return "ZIO_KUNIT_TEST" if self.path.name == "tests" else ""

    @property
    def sources(self) -> list[Path]:
        names = [name for module in self.modules for name in module.sources]
        return [self.path / name for name in names]

    def option_of(self, module: Module) -> str:
        return self.option or module.name.upper().replace("-", "_")


def evaluate(path: Path, options: set[str]) -> list[list[str]]:
    """Return the words that PRINT prints for a kernel with these @options."""
    lines = [f"src := {path}", *(f"{name} := y" for name in sorted(options))]
    lines.append(f"include {path}/Kbuild")
    env = {key: value for key, value in os.environ.items() if not key.startswith("M")}
    command = ["make", "--no-print-directory", "-rR", "-f", "-"]
    done = subprocess.run(
        command,
        input="\n".join(lines) + PRINT,
        capture_output=True,
        text=True,
        env={**env, "CONFIG_SHELL": "sh"},
    )
    if done.returncode:
        raise Refused(f"{path}/Kbuild: {done.stderr.strip()}")
    return [line.split() for line in done.stdout.splitlines() if line]


def objects_of(words: list[list[str]]) -> dict[str, list[str]]:
    return {line[1]: line[2:] for line in words if line[0] == "module"}


def read(path: Path) -> Folder:
    """Read the Kbuild file in @path with all options on. What is missing when one option
    is off depends on it."""
    options = set(re.findall(r"CONFIG_\w+", (path / "Kbuild").read_text()))
    words = evaluate(path, options)
    modules = [
        Module(name, dict.fromkeys(parts, ""))
        for name, parts in objects_of(words).items()
    ]
    for option in sorted(options):
        others = objects_of(evaluate(path, options - {option}))
        for module in modules:
            for name in module.objects:
                if module.name in others and name not in others[module.name]:
                    module.objects[name] = option.removeprefix("CONFIG_")
    dirs = next(line[1:] for line in words if line[0] == "dirs")
    flags = next(line[1:] for line in words if line[0] == "flags")
    includes = [Path(os.path.normpath(flag[2:])) for flag in flags if flag[:2] == "-I"]
    # The kernel finds the public headers without an option.
    includes = [
        place for place in includes if ROOT / "include" not in (place, place.parent)
    ]
    return Folder(path, includes, [name.rstrip("/") for name in dirs], modules)


def read_all(path: Path) -> list[Folder]:
    folder = read(path)
    found = [read_all(path / name) for name in folder.folders]
    return [folder, *(inner for part in found for inner in part)]


def target_of(path: Path) -> Path:
    """Return the place of a file of the checkout in the kernel's tree."""
    parts = path.relative_to(ROOT).parts
    if parts[:1] == ("include",):
        return Path(*parts)
    return Path("drivers/zio", *(NAMES.get(part, part) for part in parts))


# --- makefiles ------------------------------------------------------------------------


def assign(variable: str, operator: str, words: list[str]) -> str:
    """Return an assignment, one word per line."""
    return f"{variable} {operator} " + " \\\n\t".join(words) + "\n"


def condition(option: str) -> str:
    # What a module of tests needs of the core is there when the tests are.
    option = "ZIO_KUNIT_TEST" if option == "KUNIT" else option
    return f"$(if $(CONFIG_{option}),y)"


def makefile_of(folder: Folder) -> str:
    lines = ["# SPDX-License-Identifier: GPL-2.0-only\n"]
    for path in folder.includes:
        lines.append(f"ccflags-y += -I $(srctree)/{target_of(path)}\n")
    for module in folder.modules:
        gap = "\n" if module.objects else ""
        lines.append(
            f"{gap}obj-$(CONFIG_{folder.option_of(module)}) += {module.name}.o\n"
        )
        always = [name for name, option in module.objects.items() if not option]
        if always:
            lines.append(assign(f"{module.name}-y", ":=", always))
        for name, option in module.objects.items():
            if option:
                lines.append(f"{module.name}-{condition(option)} += {name}\n")
    if folder.folders:
        lines.append("\n")
    for inner in folder.folders:
        lines.append(f"obj-$(CONFIG_ZIO) += {NAMES.get(inner, inner)}/\n")
    return "".join(lines)
