# SPDX-License-Identifier: LGPL-2.1-or-later
"""Build the Python package. `make wheels`, `make -C tools python` and pip call this file.

The package has the module zio, with libzio inside, and a sample recording; the programs
zio-scope, zio-nexus, zio-pva, zio-replay and zio-generate, and commands of zio; and
uPlot, which draws the curves of zio-scope.

$ZIO_VERSION is the version of the package; without it, that of libzio. $ZIO_STATIC=0
links the module with the shared libzio. $ZIO_PROGRAMS=0 builds the module zio alone, for
systems that have packages of their own for the programs. $ZIO_SAMPLE is the sample
recording, where this machine cannot run the module.
"""

import os
import re
import shutil
import sys
import sysconfig
from pathlib import Path

from setuptools import Command, Extension, setup
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

ROOT = Path(__file__).resolve().parent
TOOLS = ROOT / "tools"
UPLOT = "zio_scope/page/uplot"
IS_STATIC = os.environ.get("ZIO_STATIC", "1") == "1"
HAS_PROGRAMS = os.environ.get("ZIO_PROGRAMS", "1") == "1"
# One build is for all later interpreters. Those without a global lock need their own.
IS_LIMITED = sys.version_info >= (3, 11) and not sysconfig.get_config_var(
    "Py_GIL_DISABLED"
)
LIMIT = [("Py_LIMITED_API", "0x030b0000")]
PACKAGES = {"zio": "tools/python/src/zio"}
DATA = {"zio": ["py.typed", "*.pyi"]}
COMMANDS = ("export", "plot", "restore", "save", "top")
DEVICES = ("generate", "replay")
if HAS_PROGRAMS:
    PACKAGES["zio_commands"] = "tools/programs/zio/zio_commands"
    for name in ("scope", "nexus", "pva", "devices"):
        PACKAGES[f"zio_{name}"] = f"tools/programs/{name}/zio_{name}"
    DATA["zio_scope"] = ["page/*.*", "page/uplot/*"]
PROGRAMS = [f"zio-{name} = zio._programs:{name}" for name in ("scope", "nexus", "pva")]
PROGRAMS += [f"zio-{name} = zio_commands.{name}:main" for name in COMMANDS]
PROGRAMS += [f"zio-{name} = zio_devices.{name}:main" for name in DEVICES]
EXTRAS = {
    "scope": ["aiohttp >= 3.8"],
    "nexus": ["h5py >= 3.7", "soundfile >= 0.11"],
    "parquet": ["h5py >= 3.7", "pyarrow >= 12"],
    "load": ["xarray >= 2022.12"],
    "pva": ["p4p >= 4.1"],
    "kafka": ["confluent-kafka >= 2.3"],
    "notebook": ["jupyterlab", "matplotlib"],
}


def version() -> str:
    """Return the version of libzio."""
    found = re.search(r'LIBZIO_VERSION "(.*)"', (TOOLS / "libzio/zio.h").read_text())
    return found[1] if found else "0"


def fetch_uplot(command: Command, parent: Path) -> None:
    """Put uPlot into a tree, if it is not there: a source distribution has it."""
    if not (parent / UPLOT).is_dir():
        program = TOOLS / "programs/scope/fetch-uplot"
        command.spawn([str(program), str(parent / UPLOT)])


class Extensions(build_ext):
    """Builds libzio first."""

    def run(self) -> None:
        """Build."""
        if IS_STATIC:
            self.spawn(["make", "-s", "-C", str(TOOLS), "lib"])
        super().run()


class Build(build):
    """Adds what is no source: the sample recording and uPlot."""

    def run(self) -> None:
        """Build."""
        super().run()
        library = Path(self.build_lib).resolve()
        self.make_sample(library / "zio/sample.zio")
        if HAS_PROGRAMS:
            fetch_uplot(self, library)

    def make_sample(self, file: Path) -> None:
        """Make the sample recording by the package that was built, or copy it."""
        if given := os.environ.get("ZIO_SAMPLE"):
            shutil.copy(given, file)
            return
        paths = filter(None, (str(file.parents[1]), os.environ.get("PYTHONPATH")))
        words = ["env", f"PYTHONPATH={os.pathsep.join(paths)}"]
        words += [f"LD_LIBRARY_PATH={TOOLS / 'libzio'}", sys.executable, "-B", "-c"]
        self.spawn([*words, f"from zio._sample import make; make({str(file)!r})"])


class Sources(sdist):
    """Adds uPlot, so that a build from this archive needs no npm."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        """Make the tree of the archive."""
        super().make_release_tree(base_dir, files)
        fetch_uplot(self, Path(base_dir) / "tools/programs/scope")


setup(
    name="zio-daq",  # PyPI has another project with the name zio.
    version=os.environ.get("ZIO_VERSION") or version(),
    description="Data acquisition: read, record and show the blocks of ZIO channels",
    long_description=(ROOT / "packaging/wheels/README.md").read_text(),
    long_description_content_type="text/markdown",
    license="LGPL-2.1-or-later AND GPL-2.0-only AND MIT",
    license_files=["COPYING", "LICENSES/*"],
    platforms=["Linux"],
    python_requires=">=3.9",
    package_dir=PACKAGES,
    packages=list(PACKAGES),
    package_data=DATA,
    cffi_modules=["tools/python/binding.py:builder"],
    ext_modules=[
        Extension(
            "zio._buffer",
            ["tools/python/buffer.c"],
            define_macros=LIMIT if IS_LIMITED else [],
            py_limited_api=IS_LIMITED,
        )
    ],
    install_requires=["cffi >= 1.15", "numpy >= 1.20"],
    extras_require=EXTRAS if HAS_PROGRAMS else {},
    entry_points={"console_scripts": PROGRAMS} if HAS_PROGRAMS else {},
    cmdclass={"build": Build, "build_ext": Extensions, "sdist": Sources},
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if IS_LIMITED else {},
)
