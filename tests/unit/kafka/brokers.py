# SPDX-License-Identifier: GPL-2.0-only
"""Brokers of Apache Kafka with a small disk, and listeners for passwords, TLS, guests"""

import contextlib
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from zio_testing.broker import Cluster, running
from zio_testing.kafka_vm import HOST_IN_GUEST

DISK = "400m"  # of the first broker
# The test runs with Apache Kafka, or by turns with the mock and with it.
real = pytest.mark.real
both = pytest.mark.parametrize(
    "rig", ["mock", pytest.param("real", marks=real)], indirect=True
)


def certificate(cluster: Cluster) -> Path:
    return cluster.directory / "cert.pem"


def listener(cluster: Cluster, name: str) -> str:
    """Return the address of a listener of the first broker, such as TLS."""
    listeners = cluster.settings(1)["advertised.listeners"]
    found = re.search(f"{name}://([^,]*)", listeners)
    return found[1] if found else ""


def add_listeners(cluster: Cluster) -> None:
    cert, key = certificate(cluster), cluster.directory / "key.pem"
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1"
    command += f" -addext subjectAltName=IP:127.0.0.1 -keyout {key} -out {cert}"
    subprocess.run(command.split(), check=True, capture_output=True)
    store = cluster.directory / "both.pem"
    store.write_bytes(key.read_bytes() + cert.read_bytes())
    cluster.listen("SASL", "SASL_PLAINTEXT")
    cluster.listen("TLS", "SSL")
    cluster.listen("GUEST", host=HOST_IN_GUEST)
    values = {
        "sasl.enabled.mechanisms": "PLAIN",
        "listener.name.sasl.plain.sasl.jaas.config": "org.apache.kafka.common.security."
        'plain.PlainLoginModule required user_zio="right";',
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(store),
    }
    cluster.write(1, cluster.settings(1) | values)


@contextlib.contextmanager
def started(count: int) -> Iterator[Cluster]:
    """Start brokers for the time of the block. The first one has a disk of its own."""
    with contextlib.ExitStack() as stack:
        cluster = stack.enter_context(running(count))
        add_listeners(cluster)
        if not os.geteuid():
            disk = cluster.part(1) / "data"
            disk.mkdir()
            mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "zio", str(disk)]
            subprocess.run(mount, check=True)
            stack.callback(subprocess.call, ["umount", "--lazy", str(disk)])
        cluster.start()
        yield cluster
