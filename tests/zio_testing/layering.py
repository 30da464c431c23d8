# SPDX-License-Identifier: GPL-2.0-only
"""layering - a file uses only what is below it, and no files form a circle

Usage: layering [--json] [tools]

Reads the objects of modules and programs (nm), all includes (gcc -MM), and the imports
of the Python packages. Builds the objects first, which takes a minute the first time.
With "tools" it judges the programs and the library alone, and builds no module.
The order of the folders, from bottom to top, is FLOORS in zio_testing/layering.py.
Folders on one floor may not use each other.

  upward      a file uses another one that is not below it
  private     a file of another folder includes a header, or imports a module, that its
              folder keeps for itself. Public are the header with the name of the folder,
              those that it includes, and modules without "_"
  unused      such a header of zio-core declares a function that no other folder uses
  circle      files that use each other, also by way of others
  absent      a source has no object, or its folder stands on no floor

Prints FILE, the rule, the other file, and the names. The exit status is 1 if there is
anything. Tests do not count. --json prints all uses instead:
{FILE: {FILE: [NAME, ...]}}.
"""

import argparse
import ast
import contextlib
import json
import os
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath

from . import kernel
from .common import ROOT, Failure, Parser, setup
from .modules import build_tools, built_modules
from .toolchain import NATIVE

# Programs that "make all" does not build
EXTRA = ("comedi", "kafka", "sigrok")

# Each line is a floor.
FLOORS = """
include
zio-core
zio-core/engine
zio-core/buffer
zio-core/channel zio-core/trigger
zio-core/share
zio-core/config
zio-core/device
zio-core/lib zio-core/configfs zio-core/dmabuf zio-core/main.c
buffers triggers drivers/s5933 drivers/uzio drivers/zero
drivers drivers/alsa drivers/dmaengine drivers/iio drivers/slink drivers/uart drivers/xdma
tools/libzio
tools/libzio/base
tools/libzio/control
tools/libzio/object
tools/libzio/user
tools/libzio/channel
tools/libzio/group
tools/programs/common
tools/programs/copy tools/programs/dump
tools/programs/comedi tools/programs/kafka tools/programs/sigrok tools/programs/zio
tools/python/src/zio
tools/programs/migrate/zio_migrate
tools/programs/nexus/zio_nexus tools/programs/pva/zio_pva tools/programs/scope/zio_scope
tools/programs/zio/zio_commands
tools/programs/devices/zio_devices
tools/programs/visa/zio_visa
tests/zio_testing
"""
RANK = {name: at for at, line in enumerate(FLOORS.splitlines()) for name in line.split()}
FACES = {"tools/libzio": "zio.h"}
# Its own folders are private to it.
LIBRARY = "tools/libzio/"

SOURCES = (
    *(f"{tree}/**/*.[ch]" for tree in ("zio-core", "buffers", "triggers", "drivers")),
    "include/**/*.h",
    *(f"tools/programs/*/*.{suffix}" for suffix in ("c", "cpp", "h")),
    "tools/libzio/*/*.[ch]",
    "tools/programs/*/zio_*/*.py",
    "tools/python/src/zio/*.py",
)
NOT_JUDGED = re.compile(r"zio-core/tests/|.*\.mod\.c")
# -MG: headers of the kernel and of libraries need not be there.
INCLUDES = (
    *("gcc", "-MM", "-MG", "-nostdinc"),
    *("-Iinclude", "-Iinclude/uapi", "-Izio-core", "-Itools/programs", "-Itools"),
    *("-DIS_ENABLED(x)=1", "-DIS_REACHABLE(x)=1", "-DKERNEL_VERSION(a,b,c)=0"),
)

DECLARED = re.compile(r"^(?!static|typedef)[a-z][\w *]*?\b(?!__)(\w+)\(", re.M)

# The file that uses, the file that is used, and the names
Graph = dict[str, dict[str, set[str]]]


def folder_of(file: str) -> str:
    if file in RANK:
        return file
    return "include" if file.startswith("include/") else str(PurePath(file).parent)


def rank_of(file: str) -> int:
    return RANK[folder_of(file)]


def find_sources(root: Path) -> list[str]:
    paths = [path for pattern in SOURCES for path in sorted(root.glob(pattern))]
    files = [str(path.relative_to(root)) for path in paths]
    return [file for file in files if not NOT_JUDGED.match(file)]


# --- what uses what ---------------------------------------------------------------------


def read_symbols(objects: dict[str, Path], graph: Graph) -> None:
    """Add the names that each object takes from another. Programs may have functions of
    the same name: the own folder counts first, then the lowest one."""
    files = {str(path): file for file, path in objects.items()}
    command = ["nm", "-A", "-P", "-g", *files]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    homes = defaultdict(list)
    wanted = []
    for line in lines.splitlines():
        path, name, kind = line.split()[:3]
        file = files[path.rstrip(":")]
        if kind == "U":
            wanted.append((file, name))
        else:
            homes[name].append(file)
    for file, name in wanted:
        if found := homes.get(name):
            own = [home for home in found if folder_of(home) == folder_of(file)]
            graph[file][(own or sorted(found, key=rank_of))[0]].add(name)


def read_includes(root: Path, files: list[str], graph: Graph) -> None:
    """Add the headers that each file includes, also by way of others."""
    command = [*INCLUDES, *files]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    # Some headers want to be included by another one.
    if errors := re.findall("^.* error: (?!#error).*", done.stderr, re.M):
        raise Failure("\n".join(errors))
    for rule in done.stdout.replace("\\\n", "").splitlines():
        file, *headers = rule.partition(":")[2].split()
        for header in {os.path.normpath(header) for header in headers} & set(files):
            graph[file][header].add("#include")


def imports_of(package: str, tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield each import in a module of @package: a module, and a name there."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = [package if node.level else "", node.module or ""]
            base = ".".join(filter(None, parts))
            yield from ((base, alias.name) for alias in node.names)


def read_imports(root: Path, files: list[str], graph: Graph) -> None:
    modules = {}
    for file in files:
        name = f"{PurePath(file).parent.name}.{PurePath(file).stem}"
        modules[name.removesuffix(".__init__")] = file
    for name, file in modules.items():
        tree = ast.parse((root / file).read_text())
        for base, part in imports_of(name.partition(".")[0], tree):
            used = modules.get(f"{base}.{part}") or modules.get(base)
            if used and used != file:
                graph[file][used].add("import")


def read_all(root: Path, objects: dict[str, Path], sources: list[str]) -> Graph:
    graph: Graph = {file: defaultdict(set) for file in sources}
    python = [file for file in sources if file.endswith(".py")]
    read_symbols(objects, graph)
    read_includes(root, sorted(set(sources) - set(python)), graph)
    read_imports(root, python, graph)
    for file, used in graph.items():
        used.pop(file, None)
    return graph


# --- the rules --------------------------------------------------------------------------


def tell(names: Iterable[str]) -> str:
    return " ".join(sorted(names))


def face_of(folder: str, graph: Graph) -> set[str]:
    """Return the headers of a folder that others may include; none if it has no face."""
    face = f"{folder}/{FACES.get(folder, f'{PurePath(folder).name}.h')}"
    return {face, *(file for file in graph.get(face, ()) if folder_of(file) == folder)}


def is_private(file: str, used: str, graph: Graph) -> bool:
    """Tell if @file, of another folder, may not see the header or module @used."""
    folder = folder_of(used)
    if used.endswith(".py"):
        return PurePath(used).name.startswith("_") and "__init__" not in used
    if not used.endswith(".h") or folder == "include":
        return False
    if used.split("/")[0] != file.split("/")[0]:
        return True
    if folder.startswith(LIBRARY) and not file.startswith(LIBRARY):
        return True
    face = face_of(folder, graph)
    return bool(face & graph.keys()) and used not in face


def check_uses(graph: Graph) -> Iterator[str]:
    """Check each use of a file of another folder. The linker and the headers of include/
    guard the way from modules to the core."""
    for file, others in graph.items():
        for used, names in others.items():
            if folder_of(file) == folder_of(used):
                continue
            if rank_of(file) <= rank_of(used):
                yield f"{file}: upward: to {used}: {tell(names)}"
            elif is_private(file, used, graph):
                yield f"{file}: private: {used} of {folder_of(used)}: {tell(names)}"


def check_unused(root: Path, graph: Graph) -> Iterator[str]:
    """Find the functions that a folder of the core offers, and no other folder uses."""
    shared = {
        name
        for file, others in graph.items()
        for used, names in others.items()
        for name in names
        if folder_of(file) != folder_of(used)
    }
    for folder in filter(re.compile("zio-core/").match, RANK):
        for header in sorted(face_of(folder, graph) & graph.keys()):
            text = (root / header).read_text()
            for name in DECLARED.findall(text):
                # A second one is in an inline function, which may be empty here.
                if name not in shared and text.count(f"{name}(") == 1:
                    yield f"{header}: unused: no other folder uses {name}()"


def reach(graph: dict[str, set[str]], start: str) -> set[str]:
    """Return the files that @start uses, also by way of others."""
    found: set[str] = set()
    new = [start]
    while new:
        more = graph[new.pop()] - found
        found |= more
        new += more
    return found


def find_circles(graph: Graph) -> list[list[str]]:
    """Find those inside of a folder: any other one has a use that goes up."""
    inner = {
        file: {used for used in others if folder_of(used) == folder_of(file)}
        for file, others in graph.items()
    }
    reached = {file: reach(inner, file) for file in inner}
    circles = {
        frozenset(other for other in found if file in reached[other])
        for file, found in reached.items()
        if file in found
    }
    return sorted(sorted(circle) for circle in circles)


def check_circles(graph: Graph) -> Iterator[str]:
    """Show each circle by its uses."""
    for circle in find_circles(graph):
        stems = [file.removesuffix(".c").removesuffix(".py") for file in circle]
        names = [PurePath(stem).name for stem in stems]
        yield f"{folder_of(circle[0])}: {' '.join(names)}: circle"
        for file in circle:
            for used in sorted(graph[file].keys() & circle):
                yield f"  {file} -> {used}: {tell(graph[file][used])}"


def check_places(sources: list[str], objects: dict[str, Path]) -> Iterator[str]:
    for file in sources:
        if folder_of(file) not in RANK:
            yield f"{file}: absent: no floor has {folder_of(file)}"
        elif file in objects and not objects[file].exists():
            yield f"{file}: absent: no object {objects[file]}"


# ----------------------------------------------------------------------------------------


def find_objects(sources: list[str], modules: Path, tools: Path) -> dict[str, Path]:
    """Return the object that the build makes of each source."""
    compiled = [file for file in sources if file.endswith((".c", ".cpp"))]
    return {
        file: (tools.parent if file.startswith("tools/") else modules)
        / PurePath(file).with_suffix(".o")
        for file in compiled
    }


def judge(
    root: Path, sources: list[str], objects: dict[str, Path]
) -> tuple[Graph, list[str]]:
    """Return what uses what, and the faults."""
    if faults := list(check_places(sources, objects)):
        return {}, faults
    there = {file: path for file, path in objects.items() if path.exists()}
    graph = read_all(root, there, sources)
    faults = [*check_uses(graph), *check_unused(root, graph)]
    return graph, [*faults, *check_circles(graph)]


@contextlib.contextmanager
def chosen_modules(part: str) -> Iterator[Path]:
    """Yield the folder of the built modules; one without modules for @part "tools"."""
    if part:
        yield Path()
        return
    with built_modules(kernel.prepare("distro")) as modules:
        yield modules


def parse(words: list[str]) -> argparse.Namespace:
    parser = Parser()
    parser.add_argument("--json", action="store_true")
    parser.add_argument("part", nargs="?", choices=["", "tools"], default="")
    return parser.parse_args(words)


def main(words: list[str]) -> int:
    options = parse(words)
    setup("build", *EXTRA)
    sources = [file for file in find_sources(ROOT) if file.startswith(options.part)]
    extra = [
        file.removeprefix("tools/")
        for file in sources
        if file.startswith(tuple(f"tools/programs/{name}/" for name in EXTRA))
    ]
    wanted = find_objects(extra, Path(), Path()).values()
    tools = build_tools(NATIVE, "all", *wanted)
    with chosen_modules(options.part) as modules:
        objects = find_objects(sources, modules, tools)
        graph, faults = judge(ROOT, sources, objects)
    if options.json:
        faults = [json.dumps(graph, indent=1, sort_keys=True, default=sorted)]
    print(*faults, sep="\n", end="\n" if faults else "")
    return 1 if faults and not options.json else 0
