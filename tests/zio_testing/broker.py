# SPDX-License-Identifier: GPL-2.0-only
"""broker - run Apache Kafka on this machine, for tests and demonstrations

Usage: broker start [--brokers N] [--port PORT] [--set NAME=VALUE]... DIRECTORY
       broker topic DIRECTORY NAME [SETTING=VALUE]...
       broker stop DIRECTORY

  start  start N brokers (1), and print their addresses: HOST:PORT,HOST:PORT. The data
         are in DIRECTORY, which a later start uses again. --port is the port of the
         first broker; the ports of the others follow, then those of the controllers.
         By default the ports are free ones
  topic  create a topic with one partition, or with partitions=N
  stop   end the brokers

--set gives a setting of the server, such as message.max.bytes=1000000.

The brokers listen on 127.0.0.1 only, without a password. A broker takes about 20 s of
one CPU to start, and 300 MB of memory. The program fetches Kafka's jars by Maven, once
(54 MB), and keeps them in ~/.cache/zio/broker.
"""

import argparse
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .common import (
    CACHE,
    TESTING,
    Failure,
    Parser,
    Process,
    Words,
    locked,
    read_end,
    say,
    setup,
)

POM = TESTING / "machine/kafka/pom.xml"
# Seconds. A broker reaches a limit only when it hangs, also on a busy machine.
START_LIMIT, STOP_LIMIT = 180, 60
HOST = "127.0.0.1"
CLUSTER_ID = "emlvLXRlc3QtY2x1c3Rlcg"
STARTED = "Kafka Server started"
JAVA = "-Xms64m -Xmx384m -XX:+UseSerialGC -XX:TieredStopAtLevel=1".split()
# One machine has all replicas, and no test waits for a group that fills slowly.
DEFAULTS = {
    "auto.create.topics.enable": "false",
    "controller.listener.names": "CONTROLLER",
    "delete.topic.enable": "true",
    "group.initial.rebalance.delay.ms": "0",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "log.segment.delete.delay.ms": "1000",
    "message.max.bytes": "16777216",
    "num.partitions": "1",
    "offsets.topic.num.partitions": "1",
    "process.roles": "broker,controller",
    "replica.fetch.max.bytes": "16777216",
    "transaction.state.log.num.partitions": "1",
}


def fetch_jars() -> Path:
    """Return the directory of the jars."""
    directory = CACHE / "broker" / f"jars-{Path(POM).stat().st_size}"
    with locked(CACHE / "broker.lock"):
        if not (directory / ".complete").exists():
            setup("broker")
            say("fetching the jars of Kafka by Maven, once (54 MB)")
            copy_jars(directory)
    return directory


def copy_jars(directory: Path) -> None:
    shutil.rmtree(directory, ignore_errors=True)
    command: Words = ["mvn", "-q", "-B", "-f", POM, "dependency:copy-dependencies"]
    command = [*command, f"-DoutputDirectory={directory}"]
    command = [*command, f"-DbuildDirectory={directory}/build"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode:
        raise Failure(f"mvn cannot fetch Kafka:\n{done.stdout.decode()[-2000:]}")
    (directory / ".complete").touch()


def free_ports(number: int) -> list[int]:
    """Return ports that no program uses now."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for each in sockets:
            each.bind((HOST, 0))
        ports = [int(each.getsockname()[1]) for each in sockets]
    return ports


@dataclass
class Cluster:
    """Brokers whose data, settings and process numbers are in one directory."""

    directory: Path

    @property
    def ports(self) -> list[int]:
        """Those of the brokers, then those of the controllers."""
        file = self.directory / "ports.json"
        if not file.exists():
            raise Failure(f"{self.directory}: no broker was started here")
        return list(json.loads(file.read_text()))

    @property
    def ids(self) -> range:
        return range(1, len(self.ports) // 2 + 1)

    @property
    def address(self) -> str:
        return ",".join(f"{HOST}:{self.ports[n - 1]}" for n in self.ids)

    def part(self, broker: int) -> Path:
        return self.directory / f"broker{broker}"

    def create(self, brokers: int, port: int | None, settings: dict[str, str]) -> None:
        """Write the settings, unless an earlier start did."""
        if (self.directory / "ports.json").exists():
            return
        self.directory.mkdir(parents=True, exist_ok=True)
        count = 2 * brokers
        ports = list(range(port, port + count)) if port else free_ports(count)
        (self.directory / "ports.json").write_text(json.dumps(ports))
        copies = str(min(brokers, 3))
        voters = [f"{n}@{HOST}:{ports[brokers + n - 1]}" for n in self.ids]
        for n in self.ids:
            self.part(n).mkdir()
            values = {
                "node.id": str(n),
                "controller.quorum.voters": ",".join(voters),
                "listeners": f"PLAINTEXT://{HOST}:{ports[n - 1]},"
                f"CONTROLLER://{HOST}:{ports[brokers + n - 1]}",
                "advertised.listeners": f"PLAINTEXT://{HOST}:{ports[n - 1]}",
                "log.dirs": str(self.part(n) / "data"),
                "default.replication.factor": copies,
                "offsets.topic.replication.factor": copies,
                "transaction.state.log.replication.factor": copies,
                "min.insync.replicas": "2" if brokers > 2 else "1",
            }
            self.write(n, DEFAULTS | values | settings)

    def write(self, broker: int, settings: dict[str, str]) -> None:
        lines = [f"{name}={value}\n" for name, value in settings.items()]
        (self.part(broker) / "server.properties").write_text("".join(lines))

    def settings(self, broker: int) -> dict[str, str]:
        text = (self.part(broker) / "server.properties").read_text()
        return dict(line.split("=", 1) for line in text.splitlines())

    def listen(self, name: str, protocol: str = "PLAINTEXT", host: str = HOST) -> str:
        """Let the first broker, which does not run, listen at one port more. Return the
        address for those that reach this machine as host."""
        port = free_ports(1)[0]
        values = self.settings(1)
        values["listeners"] += f",{name}://{HOST}:{port}"
        values["advertised.listeners"] += f",{name}://{host}:{port}"
        values["listener.security.protocol.map"] += f",{name}:{protocol}"
        self.write(1, values)
        return f"{host}:{port}"

    def java(self, program: str, *words: str) -> list[str]:
        return ["java", *JAVA, "-cp", f"{fetch_jars()}/*", program, *words]

    def pid(self, broker: int) -> int | None:
        """Return the process of a broker that runs."""
        file = self.part(broker) / "pid"
        if not file.exists():
            return None
        pid = int(file.read_text())
        command = Path(f"/proc/{pid}/cmdline")
        if command.exists() and str(self.part(broker)).encode() in command.read_bytes():
            return pid
        return None

    def start(self, *brokers: int) -> None:
        """Start these brokers, or all; return when they serve."""
        wanted = [n for n in brokers or self.ids if not self.pid(n)]
        processes = [self.launch(broker) for broker in wanted]
        for broker, process in zip(wanted, processes, strict=True):
            self.wait_until_started(broker, process)

    def launch(self, broker: int) -> Process:
        part = self.part(broker)
        settings = str(part / "server.properties")
        if not (part / "data/meta.properties").exists():
            words = ["format", "-t", CLUSTER_ID, "-c", settings]
            command = self.java("kafka.tools.StorageTool", *words)
            subprocess.run(command, check=True, capture_output=True)
        with open(part / "log", "wb") as log:
            process = subprocess.Popen(
                self.java("kafka.Kafka", settings),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env={**os.environ, "LOG_DIR": str(part)},
            )
        (part / "pid").write_text(str(process.pid))
        return process

    def wait_until_started(self, broker: int, process: Process) -> None:
        log, limit = self.part(broker) / "log", time.monotonic() + START_LIMIT
        while STARTED not in log.read_text(errors="replace"):
            if process.poll() is not None or time.monotonic() > limit:
                text = "\n".join(read_end(log, 20))
                raise Failure(f"broker {broker} did not start; {log} ends with\n{text}")
            time.sleep(0.1)

    def end(self, how: signal.Signals, *brokers: int) -> None:
        """Send a signal to these brokers, or to all; return when they are gone."""
        running = {n: pid for n in brokers or self.ids if (pid := self.pid(n))}
        for pid in running.values():
            os.kill(pid, how)
        limit = time.monotonic() + STOP_LIMIT
        while any(self.has_process(n) for n in running):
            if time.monotonic() > limit:
                raise Failure(f"{self.directory}: a broker does not end")
            time.sleep(0.1)

    def has_process(self, broker: int) -> bool:
        """A child that ended stays until its parent asks."""
        pid = self.pid(broker)
        if pid:
            with contextlib.suppress(ChildProcessError):
                return os.waitpid(pid, os.WNOHANG)[0] == 0
        return pid is not None

    def create_topic(self, name: str, settings: dict[str, str]) -> None:
        """Create a topic by Kafka's own program."""
        words = ["--bootstrap-server", self.address, "--create", "--topic", name]
        words += ["--partitions", settings.pop("partitions", "1")]
        for key, value in settings.items():
            words += ["--config", f"{key}={value}"]
        command = self.java("org.apache.kafka.tools.TopicCommand", *words)
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise Failure(f"topic: {done.stdout}")

    def kill(self, *brokers: int) -> None:
        self.end(signal.SIGKILL, *brokers)


@contextlib.contextmanager
def running(brokers: int = 1) -> Iterator[Cluster]:
    """Make brokers with new data. They end at the end of the block."""
    with tempfile.TemporaryDirectory(prefix="zio-broker.") as directory:
        cluster = Cluster(Path(directory))
        cluster.create(brokers, None, {})
        try:
            yield cluster
        finally:
            cluster.kill()


# --- the program ----------------------------------------------------------------------


def parse_setting(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not name or not separator:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def parse_options(words: list[str]) -> argparse.Namespace:
    parser = Parser()
    parser.add_argument("verb", choices=("start", "topic", "stop"))
    parser.add_argument("directory", type=Path)
    if words[:1] == ["start"]:
        parser.add_argument("--brokers", type=int, choices=range(1, 10), default=1)
        parser.add_argument("--port", type=int)
        parser.add_argument("--set", type=parse_setting, action="append", default=[])
    if words[:1] == ["topic"]:
        parser.add_argument("name")
        parser.add_argument("set", type=parse_setting, nargs="*")
    return parser.parse_args(words)


def main(words: list[str]) -> int:
    options = parse_options(words)
    cluster = Cluster(options.directory.absolute())
    if options.verb == "start":
        cluster.create(options.brokers, options.port, dict(options.set))
        cluster.start()
        print(cluster.address)
    elif options.verb == "topic":
        cluster.create_topic(options.name, dict(options.set))
    else:
        cluster.end(signal.SIGTERM)
    return 0
