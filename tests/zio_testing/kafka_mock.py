# SPDX-License-Identifier: GPL-2.0-only
"""Brokers of librdkafka: a stand-in for Apache Kafka that needs no Java

`python3 kafka_mock.py N` runs N brokers, prints their addresses, and calls the functions
that standard input names. Their topics are in memory. The newest 5 MB of a topic stay.
"""

import ctypes
import json
import signal
import subprocess
import sys

UNKNOWN_TOPIC, MSG_TOO_LARGE = 3, 10  # errors of Kafka's protocol
ALL = -1


class Mock:
    """A process with brokers, which a test can stop as it does with one of Java."""

    def __init__(self, brokers: int = 1) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-B", __file__, str(brokers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.address = self.read()
        # librdkafka makes any other topic for whoever asks.
        self.call("topic_set_error", "nowhere", UNKNOWN_TOPIC)

    def read(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def call(self, name: str, *words: str | int) -> None:
        """Call a function of rdkafka_mock.h."""
        assert self.process.stdin
        print(json.dumps([name, *words]), file=self.process.stdin, flush=True)
        assert self.read() == "done", f"{name}{words}"

    def reject(self, count: int, error: int = MSG_TOO_LARGE) -> None:
        """Answer the next requests of producers by an error."""
        self.call("push_request_errors", 0, count, *[error] * count)

    def pid(self, broker: int) -> int:
        return self.process.pid

    def kill(self) -> None:
        """Close all connections, and take no new ones."""
        self.call("broker_set_down", ALL)

    def start(self) -> None:
        self.call("broker_set_up", ALL)

    def end(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()


def serve(brokers: int) -> None:
    """Run brokers until the end of standard input."""
    library = ctypes.CDLL("librdkafka.so.1")
    library.rd_kafka_conf_new.restype = ctypes.c_void_p
    library.rd_kafka_new.restype = ctypes.c_void_p
    library.rd_kafka_mock_cluster_new.restype = ctypes.c_void_p
    library.rd_kafka_mock_cluster_bootstraps.restype = ctypes.c_char_p
    conf = ctypes.c_void_p(library.rd_kafka_conf_new())
    library.rd_kafka_conf_set(conf, b"log_level", b"0", None, 0)
    client = ctypes.c_void_p(library.rd_kafka_new(0, conf, None, 0))
    mock = ctypes.c_void_p(library.rd_kafka_mock_cluster_new(client, brokers))
    print(library.rd_kafka_mock_cluster_bootstraps(mock).decode(), flush=True)
    for line in sys.stdin:
        name, *words = json.loads(line)
        given = [word.encode() if isinstance(word, str) else word for word in words]
        error = getattr(library, f"rd_kafka_mock_{name}")(mock, *given)
        # push_request_errors() returns nothing.
        print("done" if not error or name.startswith("push") else error, flush=True)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
