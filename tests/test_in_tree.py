# SPDX-License-Identifier: GPL-2.0-only
"""make in-tree: ZIO in the source of a kernel. "check" runs this when it is named."""

import os
import re
from collections.abc import Iterator

import pytest

from zio_testing import in_tree, kernel_compiled
from zio_testing.common import Words
from zio_testing.in_tree import Tree

JOBS = f"-j{len(os.sched_getaffinity(0))}"
COMPLAINT = re.compile(r"(?m)^.*(?:warning|error): .*$")


@pytest.fixture(scope="module", params=["6.1", "newest"])
def tree(request: pytest.FixtureRequest) -> Iterator[Tree]:
    with in_tree.prepared(request.param) as found:
        yield found


def test_conversion_is_silent(tree: Tree) -> None:
    assert not tree.said
    assert len(tree.files) > 100


def test_checkpatch(tree: Tree) -> None:
    """The kernel's own script, with no exception"""
    command = ["perl", "scripts/checkpatch.pl", "--strict", "--terse", "--show-types"]
    assert not tree.run("checkpatch", [*command, "--no-summary", "-f", *tree.files])


def test_kernel_doc(tree: Tree) -> None:
    script = "scripts/kernel-doc"
    names = [name for name in tree.files if name.endswith((".c", ".h"))]
    assert not tree.run("kernel-doc", [script, "-none", *names])


def test_references(tree: Tree) -> None:
    """The kernel's script reads the descriptions of interfaces, and no file names
    a document that is not there."""
    found = {path.name: path for path in (tree.source / "scripts").glob("get_abi.pl")}
    found |= {path.name: path for path in (tree.source / "tools/docs").glob("get_abi.py")}
    script = next(iter(found.values()))
    said = tree.run("abi", [script, "--dir", "Documentation/ABI", "validate"])
    assert "zio" not in said
    for name in tree.files:
        text = (tree.source / name).read_text()
        for document in re.findall(r"\bDocumentation/[\w/.-]*\w", text):
            assert (tree.source / document).exists(), f"{name}: {document}"


def test_modules(tree: Tree) -> None:
    """On amd64, with more warnings"""
    config = tree.built / "wanted.config"
    config.write_text(in_tree.options())
    words = ["ARCH=x86", f"KCONFIG_ALLCONFIG={config}", "allnoconfig"]
    tree.run("config", tree.make("x86", *words))
    got = (tree.built / "x86/.config").read_text()
    assert not kernel_compiled.find_missing(got, config.read_text())
    said = tree.run("modules", tree.make("x86", "ARCH=x86", JOBS, "W=1", "drivers/zio/"))
    assert not COMPLAINT.findall(said.partition("drivers/zio/")[2])
    names = re.findall(r"^CONFIG_ZIO\w*=m$", got, re.M)
    assert len([*(tree.built / "x86/drivers/zio").rglob("*.mod")]) == len(names)


def test_selftests_compile(tree: Tree) -> None:
    tree.run("headers", tree.make("x86", "ARCH=x86", "headers"))
    place = "tools/testing/selftests/drivers/zio"
    headers = f"KHDR_INCLUDES=-isystem {tree.built}/x86/usr/include"
    (tree.built / "selftests").mkdir(exist_ok=True)
    output = f"OUTPUT={tree.built}/selftests"
    command = ["make", "-C", place, output, headers, "CC=gcc -Werror"]
    said = tree.run("selftests", command)
    assert not COMPLAINT.findall(said)


def test_kunit(tree: Tree) -> None:
    """All suites are part of the kernel, and run in User Mode Linux."""
    command: Words = [
        "python3",
        "tools/testing/kunit/kunit.py",
        "run",
        "--jobs",
        JOBS[2:],
    ]
    place = ["--kunitconfig", "drivers/zio", "--build_dir", tree.built / "uml"]
    said = tree.run("kunit", [*command, *place])
    makefile = (tree.source / "drivers/zio/core/tests/Makefile").read_text()
    suites = re.findall(r"(\w+)_test\.o", makefile)
    ended = re.findall(r"=+ \[PASSED\] ([\w-]+) =+$", said, re.M)
    assert len(suites) > 20
    assert len(ended) == len(suites)
    total = r"Testing complete\. Ran \d+ tests: passed: \d+(, skipped: \d+)?$"
    assert re.search(total, said, re.M)
