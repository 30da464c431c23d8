# SPDX-License-Identifier: GPL-2.0-only
"""TLS with a certificate of openssl, and a client that checks it."""

from __future__ import annotations

import ssl
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

SCOPE = Path(__file__).resolve().parents[3] / "tools/programs/scope"
MAKE = (
    "openssl req -new -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=lab "
    "-addext subjectAltName=IP:127.0.0.1"
)


def make_certificate(work: Path, name: str) -> tuple[Path, Path]:
    cert, key = work / f"{name}.pem", work / f"{name}.key"
    command = [*MAKE.split(), "-out", str(cert), "-keyout", str(key)]
    subprocess.run(command, check=True, capture_output=True)
    return cert, key


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    return make_certificate(tmp_path, "lab")


@pytest.fixture
def url(tmp_path: Path, certificate: tuple[Path, Path]) -> Iterator[str]:
    """Start the daemon with TLS. Return the address of the page."""
    words = ["--port", "0", "--token-file", str(tmp_path / "token")]
    words += ["--tls-cert", str(certificate[0]), "--tls-key", str(certificate[1])]
    command = [str(SCOPE / "zio-scope"), *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as daemon:
        assert daemon.stdout
        yield daemon.stdout.readline().split()[0]
        daemon.terminate()
    assert daemon.returncode == 143


def get(url: str, trusted: Path, newest: ssl.TLSVersion | None = None) -> str:
    context = ssl.create_default_context(cafile=str(trusted))
    if newest:
        context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
        context.maximum_version = newest
        context.set_ciphers("ALL:@SECLEVEL=0")
    with urllib.request.urlopen(url, timeout=480, context=context) as reply:
        return str(reply.read().decode())


def test_a_client_that_trusts_the_certificate(
    url: str, certificate: tuple[Path, Path]
) -> None:
    assert url.startswith("https://127.0.0.1:")
    assert "zio-scope" in get(url, certificate[0])


def test_a_client_that_trusts_another_one(url: str, tmp_path: Path) -> None:
    """The daemon shows its certificate, and no other."""
    with pytest.raises(urllib.error.URLError, match="certificate verify failed"):
        get(url, make_certificate(tmp_path, "other")[0])


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")
def test_old_tls_is_refused(url: str, certificate: tuple[Path, Path]) -> None:
    with pytest.raises((urllib.error.URLError, ConnectionError)):
        get(url, certificate[0], ssl.TLSVersion.TLSv1_1)


def test_a_client_without_tls(url: str, certificate: tuple[Path, Path]) -> None:
    """The page is not sent in the clear."""
    place = urlsplit(url)
    with pytest.raises(OSError):
        get(f"http://{place.netloc}/", certificate[0])
