# SPDX-License-Identifier: GPL-2.0-only
"""The brokers of the tests: a mock for each test, or Apache Kafka for those of `real`"""

import contextlib
import os
import signal
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from zio_testing.broker import Cluster
from zio_testing.common import ROOT, Failure, setup
from zio_testing.progress import build

pytest.register_assert_rewrite("zio_testing.kafka_rig")
from zio_testing.kafka_mock import Mock  # noqa: E402
from zio_testing.kafka_rig import PROGRAM, Rig, use_packages  # noqa: E402

setup("build", "docs", "kafka", "nexus", "python-lib", "vm")
use_packages()  # before pytest imports the tests
from .brokers import started  # noqa: E402

HANGS = 600  # seconds, which are enough on a busy machine
Brokers = dict[int, Future[Cluster]]


def brokers_of(item: pytest.Item) -> int:
    """Return the number of real brokers that a test wants."""
    mark = item.get_closest_marker("real")
    count: int = (mark.args or (1,))[0] if mark else 0
    return count


@pytest.fixture(scope="package", autouse=True)
def program(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Build zio-kafka with sanitizers, and without for a virtual machine."""
    target = f"../{PROGRAM.relative_to(ROOT)}"
    make = ["make", "-s", "-C", ROOT / "tools", target, "kafka", "python"]
    build(make, tmp_path_factory.mktemp("build") / "make", "no zio-kafka")
    os.environ["ASAN_OPTIONS"] = "detect_leaks=1"


@pytest.fixture(scope="package", autouse=True)
def brokers(request: pytest.FixtureRequest, program: None) -> Iterator[Brokers]:
    """Start the brokers of Apache Kafka, while the first tests run with the mock."""
    wanted = sorted({brokers_of(item) for item in request.session.items} - {0})
    with contextlib.ExitStack() as stack, ThreadPoolExecutor(1) as pool:

        def start(count: int) -> Cluster:
            return stack.enter_context(started(count))

        yield {count: pool.submit(start, count) for count in wanted}


def tell_hang(number: int, frame: object) -> None:
    raise Failure(f"the test hangs: it has run for {HANGS} s")


@pytest.fixture
def rig(
    request: pytest.FixtureRequest, brokers: Brokers, tmp_path: Path
) -> Iterator[Rig]:
    """Return the brokers of the test, and a directory. End all programs of the test."""
    count = brokers_of(request.node)
    rig = Rig(brokers[count].result() if count else Mock(), tmp_path)
    signal.signal(signal.SIGALRM, tell_hang)
    signal.alarm(HANGS)
    yield rig
    signal.alarm(0)
    rig.end()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that need no Java, and end with those that need most."""
    items.sort(key=brokers_of)
