# SPDX-License-Identifier: GPL-2.0-only
"""kunit - run the KUnit suites in User Mode Linux

Usage: kunit [--seconds S] [SUITE]...

All suites run, which takes two seconds. If some are named, only these are judged, and
the kernel. kunit judges no race, and has no sanitizer: "check --only kunit" has.

The last line is "N passed, N failed". The exit status is 0 if nothing failed, else 1. It
is 124 if the suites did not end within S seconds.
"""

from . import kernel, uml
from .common import Parser, number, say, setup
from .modules import built_modules
from .stage import PLACE
from .tap import FAILED, Part, Results


def run(names: list[str], limit: int = uml.LIMIT) -> Results:
    """Build the modules, and run all suites. Return the results of those in @names, and
    the faults of the kernel."""
    tree = kernel.prepare("uml")
    PLACE.mkdir(parents=True, exist_ok=True)
    with built_modules(tree) as directory:
        results = uml.run_kunit(tree, directory, PLACE / "kunit.log", limit)
    for name in names:
        if not any(part.name.startswith(f"{name}: ") for part in results.parts):
            results.fail(f"{name} did not run")
    return Results([part for part in results.parts if is_wanted(part, names)])


def is_wanted(part: Part, names: list[str]) -> bool:
    """Only a result of a suite has the name of another one."""
    suite, colon, _ = part.name.partition(": ")
    return not names or not colon or suite in names


def main(words: list[str]) -> int:
    parser = Parser()
    parser.add_argument("suites", nargs="*")
    parser.add_argument("--seconds", type=number, default=uml.LIMIT)
    options = parser.parse_args(words)
    setup("build", "debug-kernel")
    try:
        results = run(options.suites, options.seconds)
    except uml.NoEnd as error:
        say(str(error))
        return 124
    for part in results.failures:
        print(f"{part.said}\nnot ok - {part.name}")
    print(results)
    return 1 if results.count(FAILED) else 0
