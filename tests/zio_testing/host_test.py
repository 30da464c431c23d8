# SPDX-License-Identifier: GPL-2.0-only
"""host_test - test the modules of this package that need no machine

Usage: host_test

The program prints TAP. It tests the reader of test results, layering and versions on
small trees, prose and delays. It also tests the directories of packages, the
choice of compilers, and the percentiles of the benchmark "jitter". It proves what
zio-core/config/double.c says of fractions.
"""

import contextlib
import io
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from . import (
    check_boots,
    debian_root,
    delays,
    emulation,
    layering,
    matrix,
    package_build,
    prose,
    selftests,
    tap,
    versions,
)
from .common import ROOT, Failure
from .mutant_edit import Edit, Stale
from .mutant_patch import read_mutants
from .toolchain import NATIVE, toolchain_of


class Tap:
    """Prints a line for each result."""

    def __init__(self) -> None:
        self.count = self.failed = 0

    def is_equal(self, what: str, found: object, wanted: object) -> None:
        self.count += 1
        good = found == wanted
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {what}")
        if not good:
            print(f"#   found  {found!r}\n#   wanted {wanted!r}")


# --- the reader of results --------------------------------------------------------------


def selftest(text: str, status: int = 0) -> str:
    return f"=== begin a.sh\n{text}=== end a.sh {status} 1 1\n"


def failures_of(text: str) -> tuple[int, str]:
    results = tap.sum_selftests(tap.read_selftests(text, "k"), ["a.sh"], "k")
    failures = [line for line in results.text if line.startswith("not ok")]
    return results.passed, "; ".join(failures)


SELFTESTS = {
    "a test that passes": (selftest("ok 1 - x\n1..1\n"), 1, ""),
    "skipped is not passed": (selftest("ok 1 - x # SKIP y\n1..1\n"), 0, ""),
    "a failure": (selftest("not ok 1 - x\n1..1\n", 1), 0, "not ok 1 - x"),
    "no plan": (selftest("ok 1 - x\n"), 1, "ended without a plan (status 0)"),
    "too few": (selftest("ok 1 - x\n1..2\n"), 1, "planned 2, ran 1"),
    "a status": (selftest("ok 1 - x\n1..1\n", 9), 1, "exit status 9"),
    "nothing": (selftest("1..0\n"), 0, "tested nothing"),
    "no end": (
        "=== begin a.sh\nok 1 - x\n",
        1,
        "ended without a plan (status of a machine that stopped)",
    ),
    "not run": ("", 0, "did not run: the machine stopped before"),
}


def test_selftests(out: Tap) -> None:
    for what, (text, passed, failure) in SELFTESTS.items():
        wanted = f"not ok - k: a.sh: {failure}" if failure else ""
        out.is_equal(f"selftest: {what}", failures_of(text), (passed, wanted))


KUNIT = """[    1.0] 1..2
[    1.0]     # Subtest: one
[    1.0]     1..2
[    1.0]     ok 1 a
[    1.0][   T9]     ok 2 b # SKIP no
[    1.0] ok 1 one
[    1.0]     # Subtest: two
[    1.0]     1..1
[    1.0]     # c: EXPECTATION FAILED
[    1.0]     not ok 1 c
[    1.0] not ok 2 two
"""


def kunit_summary(log: str) -> tuple[int, int, int, list[str]]:
    results = tap.add_up(tap.read_kunit(log))
    return results.passed, results.failed, results.skipped, results.text


def test_kunit(out: Tap) -> None:
    shown = ["not ok - KUnit: two: not ok 1 c", "  1..1"]
    shown += ["  # c: EXPECTATION FAILED", "  not ok 1 c"]
    out.is_equal("KUnit: each case once", kunit_summary(KUNIT), (1, 1, 1, shown))
    short = KUNIT.replace("[    1.0]     ok 1 a\n", "")
    out.is_equal("KUnit: a case is missing", kunit_summary(short)[1], 2)
    suite = KUNIT.replace("not ok 1 c", "ok 1 c")
    whole = ["not ok - KUnit: two: the suite itself"]
    out.is_equal("KUnit: the suite fails", kunit_summary(suite)[3][:1], whole)


# --- layering ---------------------------------------------------------------------------

# A tree with a use of each kind that is allowed
GOOD = {
    "zio-core/engine/engine.h": "int fire(int x);\n",
    "zio-core/engine/internal.h": '#include "engine.h"\nint inner(void);\n',
    "zio-core/engine/a.c": '#include "internal.h"\nint inner(void) { return fire(1); }\n',
    "zio-core/engine/b.c": "int fire(int x) { return x; }\n",
    "zio-core/buffer/buffer.h": "int buf(void);\n",
    "zio-core/buffer/a.c": '#include "engine/engine.h"\n'
    "int buf(void) { return fire(0); }\n",
    "zio-core/channel/a.c": '#include "buffer/buffer.h"\n'
    "int chan(void) { return buf(); }\n",
    "zio-core/trigger/a.c": '#include "buffer/buffer.h"\n'
    "int trig(void) { return buf(); }\n",
    "tools/nexus/zio_nexus/a.py": "from . import b\nfrom zio import c\n",
    "tools/nexus/zio_nexus/b.py": "import zio.c\n",
    "tools/python/src/zio/c.py": "",
    "tools/python/src/zio/_d.py": "",
    "tools/pva/zio_pva/a.py": "",
}
# The file that gets a line, the line, and a fault
BAD = {
    "a call goes up": (
        "zio-core/engine/a.c",
        "int e(void) { extern int buf(void); return buf(); }",
        "zio-core/engine/a.c: upward: to zio-core/buffer/a.c: buf",
    ),
    "a pointer goes to the same floor": (
        "zio-core/trigger/a.c",
        "int chan(void); int (*f)(void) = chan;",
        "zio-core/trigger/a.c: upward: to zio-core/channel/a.c: chan",
    ),
    "an include goes up": (
        "zio-core/engine/internal.h",
        '#include "../buffer/buffer.h"',
        "zio-core/engine/a.c: upward: to zio-core/buffer/buffer.h: #include",
    ),
    "a private header": (
        "zio-core/buffer/a.c",
        '#include "engine/internal.h"',
        "zio-core/buffer/a.c: private: zio-core/engine/internal.h of zio-core/engine: "
        "#include",
    ),
    "a function for nobody": (
        "zio-core/engine/engine.h",
        "int inner(void);",
        "zio-core/engine/engine.h: unused: no other folder uses inner()",
    ),
    "a circle": (
        "zio-core/engine/b.c",
        "int inner(void); int c(void) { return inner(); }",
        "  zio-core/engine/b.c -> zio-core/engine/a.c: inner",
    ),
    "a circle of headers": (
        "zio-core/engine/engine.h",
        '#pragma once\n#include "internal.h"',
        "zio-core/engine: engine.h internal.h: circle",
    ),
    "a circle of modules": (
        "tools/nexus/zio_nexus/b.py",
        "def f():\n    from .a import g",
        "tools/nexus/zio_nexus: a b: circle",
    ),
    "a private module": (
        "tools/nexus/zio_nexus/b.py",
        "import zio._d",
        "tools/nexus/zio_nexus/b.py: private: tools/python/src/zio/_d.py of "
        "tools/python/src/zio: import",
    ),
    "a module of another program": (
        "tools/pva/zio_pva/a.py",
        "import zio_nexus.b",
        "tools/pva/zio_pva/a.py: upward: to tools/nexus/zio_nexus/b.py: import",
    ),
}


def faults_with(files: dict[str, str], known: set[str]) -> list[str]:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        sources = layering.find_sources(root)
        objects = layering.find_objects(sources, root, root / "tools")
        for name, to in objects.items():
            command = ["gcc", "-w", "-Izio-core", "-c", name, "-o", to]
            subprocess.run(command, cwd=root, check=True)
        return layering.judge(root, sources, objects, known)[1]


def test_layering(out: Tap) -> None:
    out.is_equal("layering: a good tree", faults_with(GOOD, set()), [])
    for what, (name, text, fault) in BAD.items():
        found = faults_with({**GOOD, name: f"{GOOD[name]}{text}\n"}, set())
        out.is_equal(f"layering: {what}", fault in found, True)
    name, text, _ = BAD["a circle"]
    known = {"zio-core/engine: a b"}
    found = faults_with({**GOOD, name: f"{GOOD[name]}{text}\n"}, known)
    out.is_equal("layering: a circle that is known", found, [])
    found = [line.split(": ")[2] for line in faults_with(GOOD, known)]
    out.is_equal("layering: a circle that is gone", found, ["gone"])
    found = [line.split(": ")[1] for line in faults_with({"zio-core/x/a.c": ""}, set())]
    out.is_equal("layering: a folder without a floor", found, ["absent"])


# --- prose ------------------------------------------------------------------------------

TWENTY = "Word " * 19 + "word."
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
    "long.c": (
        f"/*\n * {TWENTY}\n * - {TWENTY} One more. {TWENTY[:-1]}\n"
        f" *   (these do not count): {TWENTY}\n * {TWENTY[:-1]}\n * word.\n */\n"
        f"int x; /* {TWENTY[:-1]} */\n"
        f"int y; /* {TWENTY[:-1]} */\n/*\n * name   {TWENTY[:-1]}\n * name   of a row\n"
        f" *        {TWENTY}\n */\n",
        ["5 long sentence", "12 long sentence"],
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
    "long.py": (
        f'"""{TWENTY[:-1]}"""\nx = 1  # {TWENTY}\n# {TWENTY[:-1]}\n# word\n',
        ["3 long sentence"],
    ),
    "Documentation/ABI/name": (
        f"What:\t\tX\nDescription:\n\t\t{TWENTY[:-1]}\n\t\tword.\n",
        ["3 long sentence", "3 long line"],
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


def test_prose(out: Tap) -> None:
    with tempfile.TemporaryDirectory() as directory:
        for name, (text, wanted) in PROSE.items():
            path = Path(directory) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            found = [f"{line} {rule}" for line, rule, _ in prose.findings_in(path)]
            out.is_equal(f"prose: {name}", found, wanted)


# --- versions ---------------------------------------------------------------------------

# A tree whose files agree. The last is a module.
SAME = {
    "Kbuild": "zio-version := 2.1\n",
    "tools/libzio/zio.h": '#define LIBZIO_VERSION "2.1"\n',
    "tools/libzio/libzio.map": "LIBZIO_2 {\n};\nLIBZIO_2.1 {\n} LIBZIO_2;\n",
    "tools/Makefile": "soname = libzio.so.2\n",
    "debian/changelog": "zio (2.1) unstable\n\nzio (1.0) unstable\n",
    "CHANGELOG.md": "# Changes\n## 2.1\n## 1.0\n",
    "packaging/rpm/zio.spec": "Version:        2.1\n",
    "drivers/a.c": '\nMODULE_VERSION(ZIO_MODULE_VERSION);\nMODULE_LICENSE("GPL");\n',
}


def version_faults(files: dict[str, str], number: str = "") -> list[str]:
    """Return the faults, after --set @number."""
    with tempfile.TemporaryDirectory() as directory:
        for name, text in files.items():
            path = Path(directory) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        if number:
            versions.set_version(Path(directory), number)
        return versions.check_tree(Path(directory))


def test_versions(out: Tap) -> None:
    out.is_equal("versions: all agree", version_faults(SAME), [])
    files = [fault.split(":")[0] for fault in version_faults(SAME, "2.2")]
    out.is_equal("versions: --set leaves the map", files, ["tools/libzio/libzio.map"])
    for name, text in list(SAME.items())[1:]:
        other = text.replace("2.1", "2.2").replace("so.2", "so.1")
        other = other.replace("MODULE_VERSION", "MODULE_OTHER")
        files = [fault.split(":")[0] for fault in version_faults({**SAME, name: other})]
        out.is_equal(f"versions: {name} has another one", files, [name])


# --- the places of the selftests --------------------------------------------------------


def chosen(place: str, *names: str, forced: bool = False) -> set[str]:
    return {test.path.stem for test in selftests.choose(place, list(names), forced)}


def test_places(out: Tap) -> None:
    """route_test needs no special kernel. nth_calls_test cannot run on distro."""
    places = {place: chosen(place) for place in check_boots.KERNELS}
    every = {test.path.stem for test in selftests.find_all()}
    out.is_equal("places: each test runs", set.union(*places.values()), every)
    both = places["distro"] & (places["kasan"] | places["leaks"])
    asking = {test.path.stem for test in selftests.find_all() if test.has("distro")}
    out.is_equal("places: both when the test asks for it", both, asking)
    out.is_equal("places: leaks or kasan", places["leaks"] & places["kasan"], set())
    out.is_equal("places: a test by name", chosen("distro", "route_test"), set())
    found = chosen("distro", "route_test", forced=True)
    out.is_equal("places: a test and a place by name", found, {"route_test"})
    found = chosen("distro", forced=True) & {"route_test", "nth_calls_test"}
    out.is_equal("places: a place by name", found, {"route_test"})


# --- compilers --------------------------------------------------------------------------


def test_table(out: Tap) -> None:
    """A target that was skipped is no failure, also if there is an old log."""
    with tempfile.TemporaryDirectory() as place:
        report = matrix.Boots(Path(place))
        target = matrix.Target("s390x-6.12", words=("C=1",))
        with contextlib.redirect_stdout(io.StringIO()):
            report.skip(f"{target.name}: the archive has no headers: x")
        columns = matrix.columns_of(report, target, [])
        out.is_equal("table: a target that was skipped", columns[4], "skipped")
    programs = matrix.Target("distro", has_tools=True, is_32=True)
    out.is_equal("table: programs", matrix.checks_of(programs), "tools (32 bits)")
    out.is_equal("table: they have a place of their own", programs.place, "i386")
    out.is_equal("table: modules", matrix.checks_of(target), "modules, sparse")


def test_sample(out: Tap) -> None:
    samples = [{target.name for target in matrix.sample(seed)} for seed in range(99)]
    always, found = set.intersection(*samples), set.union(*samples)
    out.is_equal("sample: each seed", always, {"newest", "armhf-newest"})
    wanted = {target.name for target in matrix.TARGETS} - {"distro", "rt"}
    out.is_equal("sample: all targets come", found, wanted)


def test_magic(out: Tap) -> None:
    magic = emulation.magic_of(0xB7)
    wanted = r"\x7f\x45\x4c\x46\x02\x01\x01" + r"\x00" * 9 + r"\x02\x00\xb7\x00:"
    out.is_equal("the first bytes of a program", magic[: len(wanted)], wanted)


def test_handler(out: Tap) -> None:
    flags = emulation.handler_of("/usr/bin/qemu", 0xB7).rpartition(":")[2]
    out.is_equal("emulation: no setuid program keeps its rights", flags, "POF")


def refusal_of(directory: Path) -> str:
    try:
        package_build.build(directory)
    except Failure as failure:
        return str(failure)
    return ""


def test_package_directories(out: Tap) -> None:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        (directory / "a.deb").touch()
        (directory / "letter").touch()
        refused = f"{directory} has other files, such as letter: name an empty directory"
        out.is_equal("packages: other files are refused", refusal_of(directory), refused)
        left = sorted(path.name for path in directory.iterdir())
        out.is_equal("packages: they are not removed", left, ["a.deb", "letter"])
        (directory / "letter").unlink()
        package_build.clear(directory)
        out.is_equal("packages: an old one is removed", list(directory.iterdir()), [])
        directory.chmod(0o755)
        debian_root.make_private(directory)
        mode = directory.stat().st_mode & 0o777
        out.is_equal("packages: no other user enters a root", mode, 0o700)


def test_toolchains(out: Tap) -> None:
    with tempfile.TemporaryDirectory() as place:
        tree = Path(place)
        out.is_equal("no processor: this one", toolchain_of(tree), NATIVE)
        out.is_equal("this one needs no words", NATIVE.kernel_words, [])
        out.is_equal("this one runs as it is", NATIVE.run("make"), ["make"])
        (tree / "arch").write_text("armhf\n")
        (tree / "root").symlink_to(tree)
        other = toolchain_of(tree)
        wanted = ["ARCH=arm", "CROSS_COMPILE=arm-linux-gnueabihf-"]
        out.is_equal("another processor", other.kernel_words, wanted)
        entered = f"chroot {tree.resolve()} " in " ".join(map(str, other.run("make")))
        out.is_equal("its compiler is in the root", entered, True)


# --- modules with delays ----------------------------------------------------------------

DELAYED = {
    "behind a statement": ("\ta();\t/* A */\n\tb();", "\ta();\t/* A */\nC\n\tb();"),
    "before a return": (
        "{\n\treturn a();\t/* A, B */",
        "{\nC\n\treturn a();\t/* A, B */",
    ),
    "before a condition": (
        "\tx();\n\tif (a &&\n\t    b)\t/* A */\n\t\tc();",
        "\tx();\nC\n\tif (a &&\n\t    b)\t/* A */\n\t\tc();",
    ),
    "not between if and else": (
        "{\n\tif (a)\n\t\tb();\t/* A */\n\telse",
        "{\nC\n\tif (a)\n\t\tb();\t/* A */\n\telse",
    ),
    "behind the end of a phase": ("\tmake_idle(cset);", "\tmake_idle(cset);\nC"),
    "none beside words": (" * A barrier /* A */ in a text, (A)", None),
}


def test_delays(out: Tap) -> None:
    for what, (text, wanted) in DELAYED.items():
        found = delays.add_delays(text).replace(delays.CALL, "C")
        out.is_equal(f"delays: {what}", found, wanted or text)
    letters = calls = 0
    for path in delays.source_files():
        text = (ROOT / path).read_text()
        letters += sum(
            delays.LETTERS.match(line) is not None for line in text.split("\n")
        )
        calls += delays.add_delays(text).count(delays.CALL)
    out.is_equal("delays: each letter of the source has one", 0 < letters <= calls, True)


# --- numbers that the kernel rounds -----------------------------------------------------
#
# double.c makes the integer digits * 2**bits // 10**exp. The dropped fraction decides when
# the upper 54 bits are a middle between two doubles, and all others are 0. A number is
# 1e-280 at least, so these are bits - 984 at least. If they are more than 65, Legendre's
# theorem holds: the middle / digits is a convergent of 2**bits / 10**exp / 2**zeros.


def convergents(a: int, b: int) -> Iterator[tuple[int, int]]:
    """Return the continued fractions of a / b with a denominator below 2**64."""
    p, q, last_p, last_q = 1, 0, 0, 1
    while b and q < 2**64:
        whole, rest = divmod(a, b)
        p, q, last_p, last_q = whole * p + last_p, whole * q + last_q, p, q
        a, b = b, rest
        if 0 < q < 2**64 and p:
            yield p, q


def digits_that_need_the_fraction(bits: int, exp: int) -> list[int]:
    """Return the digits of one of them for each number of bits."""
    found = []
    size = (2**bits // 10**exp).bit_length()
    for zeros in range(max(bits - 984, size - 54), size + 64 - 54 + 1):
        a, b = 2**bits, 10**exp << zeros
        for p, q in convergents(a, b):
            times = -(-(2**53) // p)
            is_middle = times * p < 2**54 and times * q < 2**64
            if is_middle and 0 < times * (q * a - p * b) < 10**exp:
                found.append(times * q)
    return found


def test_double(out: Tap) -> None:
    text = (ROOT / "zio-core/config/double.c").read_text()
    limbs = re.search(r"^#define SHIFT_DOWN\s+(\d+)$", text, re.M)
    assert limbs
    bits = 32 * int(limbs[1])
    found = [digits_that_need_the_fraction(bits, exp) for exp in range(1, 300)]
    out.is_equal("double.c: no number needs its fraction", sum(found, []), [])


# --- mutants ----------------------------------------------------------------------------

# Two functions with the same line, which a comment and a string have as well
TWO = """\
/* int other(void)
{ */
static int one(int x)
{
\tlog("f(x);");
\tf(x);
}

struct a b = {
\t.c = one,
};

int two(int x)
{
\tif (x)
\t\tf(x);	/* why */
\treturn 0;
}
"""
GO = "\tif (x)\n\t\tf(x);\t/* why */\n"
# The function, the old and the new text, and what becomes of it, or the complaint
EDITS: dict[str, tuple[str, str, str | None, str]] = {
    "in a function": ("two", "f(x);", "g(x);", TWO.replace("\t\tf(x)", "\t\tg(x)")),
    "lines that go": ("two", "if (x)\n\t\tf(x);", None, TWO.replace(GO, "")),
    "in no function": ("", ".c = one", ".c = two", TWO.replace("= one", "= two")),
    "a text that is not there": ("two", "h(x);", None, "two has 0 times h(x);"),
    "a text that is there twice": ("one", "f(x);", None, "one has 2 times f(x);"),
    "a function in a comment": ("other", "int", None, "no function other in a.c"),
}


def edited(text: str, function: str, old: str, new: str | None) -> str:
    try:
        return Edit("a.c", function, old, new).apply(text)
    except Stale as error:
        return str(error)


def test_mutants(out: Tap) -> None:
    for what, (function, old, new, wanted) in EDITS.items():
        out.is_equal(f"mutants: {what}", edited(TWO, function, old, new), wanted)
    stale = {}
    for mutant in read_mutants():
        texts = {file: (ROOT / file).read_text() for file in mutant.files}
        try:
            for edit in mutant.edits:
                texts[edit.file] = edit.apply(texts[edit.file])
        except Stale as error:
            stale[mutant.name] = str(error)
    out.is_equal("mutants: each edit fits", stale, {})


# --- the benchmark "jitter" -------------------------------------------------------------


def jitter_suite() -> ModuleType:
    sys.path.append(str(ROOT / "tools/bench"))
    from suite import jitter

    return jitter


# A histogram, and its p50, p99, p99.99 and maximum
HUNDRED = [(ns, 1) for ns in range(100, 0, -1)]
MANY = [(5, 9_998), (70, 1), (900, 1)]
PERCENTILES = {
    "one event": ([(7, 1)], [7, 7, 7, 7]),
    "each event differs, not in order": (HUNDRED, [50, 99, 100, 100]),
    "a rank that is whole": (MANY, [5, 5, 70, 900]),
    "a rank between two events": ([*MANY, (901, 1)], [5, 5, 900, 901]),
    "events that come early": ([(-3, 2), (4, 1)], [-3, 4, 4, 4]),
}
BEFORE, AFTER = "cpu  1 1 1 100 5 1 1 1 0 0", "cpu  21 11 11 130 5 6 6 21 9 9"


def test_jitter(out: Tap) -> None:
    jitter = jitter_suite()
    for what, (histogram, wanted) in PERCENTILES.items():
        found = [jitter.percentile(histogram, parts) for _, parts in jitter.SHOWN]
        out.is_equal(f"jitter: {what}", found, wanted)
    points = jitter.survivors([(3000, 1), (1000, 3)])
    out.is_equal("jitter: events at least so late", points, [(1.0, 1.0), (3.0, 0.25)])
    out.is_equal("jitter: the idle share", jitter.idle_share(BEFORE, AFTER), 30.0)
    texts = [jitter.microseconds(ns) for ns in (64, 9_990, 12_300, 1_230_000)]
    out.is_equal("jitter: microseconds", texts, ["0.06", "9.99", "12.3", "1230"])


def main(words: list[str]) -> int:
    out = Tap()
    test_selftests(out)
    test_kunit(out)
    test_layering(out)
    test_prose(out)
    test_versions(out)
    test_places(out)
    test_table(out)
    test_sample(out)
    test_magic(out)
    test_handler(out)
    test_package_directories(out)
    test_toolchains(out)
    test_delays(out)
    test_double(out)
    test_mutants(out)
    test_jitter(out)
    print(f"1..{out.count}")
    return 1 if out.failed else 0
