# SPDX-License-Identifier: GPL-2.0-only
import os
import stat
from argparse import Namespace
from pathlib import Path

import pytest
from zio_scope import security
from zio_scope.options import complete, make_parser


def parse(words: list[str]) -> Namespace:
    parser = make_parser()
    return complete(parser, parser.parse_intermixed_args(words))


def test_the_token_is_random_and_for_the_user_alone(tmp_path: Path) -> None:
    os.umask(0)
    try:
        path = tmp_path / "a/token"
        token = security.new_token(path)
    finally:
        os.umask(0o022)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(token) >= 32
    assert path.read_text() == f"{token}\n"


def test_each_run_has_a_token_of_its_own(tmp_path: Path) -> None:
    """A program that takes the port may learn the token of a page that is still open."""
    path = tmp_path / "token"
    assert security.new_token(path) != (token := security.new_token(path))
    assert path.read_text() == f"{token}\n"


def test_a_token_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "token"
    security.new_token(path)
    path.chmod(0o640)
    with pytest.raises(security.Unsafe, match="chmod 600"):
        security.new_token(path)


@pytest.mark.parametrize(
    "text", ["short", "with blanks in the token", "é" * 20, "x" * 65]
)
def test_a_file_with_something_else_stays(tmp_path: Path, text: str) -> None:
    path = tmp_path / "token"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(security.Unsafe, match="name another file"):
        security.new_token(path)
    assert path.read_text() == text


def test_a_token_of_another_user_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "token"
    security.new_token(path)
    monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
    with pytest.raises(security.Unsafe, match="a file of your own"):
        security.new_token(path)


@pytest.mark.parametrize("address", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_loopback_needs_nothing(address: str) -> None:
    assert parse(["--listen", address]).listen == address


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.168.1.2", "example.org"])
def test_another_address_needs_tls(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        parse(["--listen", address])
    assert end.value.code == 2
    assert "--tls-cert" in capsys.readouterr().err
    assert parse(["--listen", address, "--tls-cert", "a", "--tls-key", "b"])


def test_half_of_tls_is_refused() -> None:
    with pytest.raises(SystemExit):
        parse(["--tls-cert", "a"])


@pytest.mark.parametrize(
    ("host", "good"),
    [
        ("127.0.0.1:8642", True),
        ("[::1]:8642", True),
        ("localhost:1", True),
        ("evil.example:8642", False),
        ("127.0.0.1.evil.example", False),
        ("", False),
        ("[", False),
    ],
)
def test_hosts_of_a_loopback_daemon(host: str, good: bool) -> None:
    assert security.is_good_host(host, True) == good
    assert security.is_good_host(host, False)


@pytest.mark.parametrize(
    ("origin", "good"),
    [
        (None, True),
        ("http://127.0.0.1:8642", True),
        ("https://127.0.0.1:8642", False),
        ("http://127.0.0.1:1", False),
        ("http://evil.example", False),
        ("null", False),
    ],
)
def test_origins(origin: str | None, good: bool) -> None:
    assert security.is_same_origin(origin, "http", "127.0.0.1:8642") == good
