# SPDX-License-Identifier: GPL-2.0-only
"""kafka_test - test zio-kafka with brokers of Apache Kafka

Usage: kafka_test [TEST]...

The program prints TAP. It builds zio-kafka with sanitizers, starts a broker, and runs
all tests, or those with these names, such as round_trip. One test needs three brokers.
"""

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import kafka_faults, kafka_flows, kafka_groups, kafka_spools, kafka_targets
from .broker import Cluster
from .common import Failure, Usage, setup
from .kafka_rig import Rig, Skipped, Wrong, build_program, use_packages
from .kafka_vm import add_guest_listener

Test = Callable[[Rig], None]
TESTS: Sequence[Test] = [
    *kafka_flows.TESTS,
    *kafka_groups.TESTS,
    *kafka_targets.TESTS,
    *kafka_spools.TESTS,
    *kafka_faults.TESTS,
]
CLUSTER_TESTS: Sequence[Test] = kafka_faults.CLUSTER_TESTS


def name_of(test: Test) -> str:
    return test.__name__.removeprefix("test_")


def run_test(number: int, test: Test, rig: Rig) -> bool:
    """Run a test and print its line."""
    what = f"{name_of(test)}: {(test.__doc__ or '').strip()}"
    try:
        test(rig)
    except Skipped as reason:
        print(f"ok {number} - {what} # SKIP {reason}", flush=True)
        return True
    except (Wrong, Failure, OSError, KeyError) as error:
        print(f"not ok {number} - {what}\n# {type(error).__name__}: {error}", flush=True)
        return False
    print(f"ok {number} - {what}", flush=True)
    return True


@contextlib.contextmanager
def started(brokers: int, work: Path) -> Iterator[Rig]:
    """Start brokers for the time of the block."""
    work.mkdir()
    cluster = Cluster(work / "brokers")
    cluster.create(brokers, None, {})
    kafka_faults.add_listeners(cluster, work)
    guest = add_guest_listener(cluster)
    disk = cluster.part(1) / "data"
    try:
        kafka_faults.make_disk(disk)
        cluster.start()
        yield Rig(cluster, work, guest)
    finally:
        cluster.kill()
        kafka_faults.remove_disk(disk)


def choose(words: list[str]) -> list[tuple[int, list[Test]]]:
    """Return the wanted tests, by the number of brokers."""
    known = {name_of(test) for test in (*TESTS, *CLUSTER_TESTS)}
    if unknown := set(words) - known:
        raise Usage(f"no test {min(unknown)}; there are {', '.join(sorted(known))}")
    groups = (1, TESTS), (3, CLUSTER_TESTS)
    return [(n, [t for t in g if not words or name_of(t) in words]) for n, g in groups]


def run_groups(groups: list[tuple[int, list[Test]]], work: Path) -> list[bool]:
    """Run the tests; later brokers start while the tests with the first ones run."""
    results: list[bool] = []
    with contextlib.ExitStack() as stack, ThreadPoolExecutor(1) as pool:

        def start(number: int) -> Rig:
            return stack.enter_context(started(number, work / f"brokers{number}"))

        rigs = [pool.submit(start, number) for number, _ in groups]
        for rig, (_, tests) in zip(rigs, groups, strict=True):
            for test in tests:
                results.append(run_test(len(results) + 1, test, rig.result()))
    return results


def main(words: list[str]) -> int:
    groups = choose(words)
    setup("broker", "kafka")
    use_packages()
    os.environ["ASAN_OPTIONS"] = "detect_leaks=1"
    with tempfile.TemporaryDirectory(prefix="zio-kafka.") as name:
        build_program(Path(name))
        results = run_groups([group for group in groups if group[1]], Path(name))
    print(f"1..{len(results)}")
    return 0 if all(results) else 1
