# SPDX-License-Identifier: GPL-2.0-only
"""Help, manual, completion, and what the options read."""

import contextlib
import csv
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import h5py
import pytest
from zio.controls import name_text
from zio_nexus.cli import main
from zio_nexus.commands import COMMANDS
from zio_nexus.options import seconds, size

from .conftest import PROGRAM, TOOLS
from .makeblocks import Kind, make_file

MANUAL = TOOLS / "man/zio-nexus.1.md"
COMPLETION = TOOLS / "completion/zio"


@pytest.mark.parametrize("name", COMMANDS)
def test_manual_has_all_options(name: str, nexus: Any) -> None:
    text = MANUAL.read_text().replace("\\", "")
    said = nexus(name, "--help").stdout
    options = re.findall(r"^ +(?:-.,|   ) (--[a-z-]+)", said, re.M)
    # The operands are an action, too; --help, --usage and --version are no actions yet.
    assert len(options) == len(COMMANDS[name][0]()._actions) - 1 + 3
    for option in options:
        assert f"**{option}**" in text, option


def test_help(nexus: Any) -> None:
    assert nexus("--help").stdout == nexus("help").stdout == nexus("-h").stdout
    assert "Usage" in nexus("--usage").stdout
    assert re.fullmatch(r"zio-nexus \d+\.\d+\n", nexus("--version").stdout)
    assert nexus(status=2).stderr


def test_statuses(nexus: Any, tmp_path: Path) -> None:
    """Each command ends with the statuses that its help has, for the same reasons."""
    make_file(tmp_path / "a.zio", Kind(), range(20))
    make_file(tmp_path / "lost.zio", Kind(), [*range(5), *range(7, 20)])
    nexus("a.zio", "-o", "a.nxs")
    nexus("lost.zio", "-o", "lost.nxs", status=4)
    nexus("a.zio", "-o", "bad.nxs")
    with h5py.File(tmp_path / "bad.nxs", "r+") as file:
        rows = file["entry/statistics"][()]
        rows["blocks"] = 19
        file["entry/statistics"][...] = rows
    (tmp_path / "head.nxs").write_bytes((tmp_path / "a.nxs").read_bytes()[:20])
    for words, number, reason in (
        (("record", "a.zio", "-o", "b.nxs"), 0, "success"),
        (("record", "a.zio", "-o", "b.wav", "--rate=x"), 2, "usage"),
        (("record", "none", "-o", "c.nxs"), 3, "cannot be opened"),
        (("record", "a.zio", "-o", "a.nxs"), 3, "exists"),
        (("record", "lost.zio", "-o", "c.nxs"), 4, "blocks are missing"),
        (("verify", "a.nxs"), 0, "no block is missing"),
        (("verify", "bad.nxs"), 1, "a fault"),
        (("verify", "--live", "a.nxs"), 1, "counts other blocks"),
        (("verify", "a.zio"), 3, "cannot be opened"),
        (("verify", "lost.nxs"), 4, "blocks are missing"),
        (("cat", "a.nxs", "-o", "c.zio"), 0, "success"),
        (("cat", "a.nxs", "-o", "a.zio"), 3, "exists"),
        (("repair", "a.nxs"), 0, "success"),
        (("repair", "head.nxs"), 1, "is damaged"),
        (("repair", "none"), 3, "cannot be opened"),
    ):
        nexus(*words, status=number)
        text = " ".join(nexus(words[0], "--help").stdout.split())
        _, _, statuses = text.partition("Exit status: ")
        reasons = dict(part.split(" ", 1) for part in statuses.split("; "))
        assert reason in reasons[str(number)], (words, reasons)


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["verify", "a.nxs"]])
def test_full_output(nexus: Any, tmp_path: Path, words: list[str]) -> None:
    make_file(tmp_path / "a.zio", Kind(), range(20))
    nexus("a.zio", "-o", "a.nxs")
    command = ["sh", "-c", '"$@" >/dev/full', "sh", *PROGRAM, *words]
    done = subprocess.run(
        command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, check=False
    )
    assert done.returncode == 1
    assert (
        done.stderr == "zio-nexus: standard output: No space left on device: make room\n"
    )


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_cat_to_a_reader_that_goes(nexus: Any, tmp_path: Path, unbuffered: str) -> None:
    """The program does not succeed with a part of the blocks."""
    make_file(tmp_path / "a.zio", Kind(), range(2000))
    nexus("a.zio", "-o", "a.nxs")
    env = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    command = [*PROGRAM, "cat", "a.nxs"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=-1, stderr=-1, env=env) as child:
        assert child.stdout and len(child.stdout.read(100)) == 100
        child.stdout.close()
        assert child.wait() == 141


def test_cat_to_a_full_output(nexus: Any, tmp_path: Path) -> None:
    make_file(tmp_path / "a.zio", Kind(), range(20))
    nexus("a.zio", "-o", "a.nxs")
    command = ["sh", "-c", '"$@" >/dev/full', "sh", *PROGRAM, "cat", "a.nxs"]
    done = subprocess.run(
        command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, check=False
    )
    assert done.returncode == 5 and "standard output: cannot write" in done.stderr


def test_names_of_strangers(nexus: Any, tmp_path: Path) -> None:
    """A name has no control characters, in the file and on the terminal; one that is
    missing stays empty, as in zio-dump."""
    for device, shown in ((b"", ""), (b"\x1b[31m\n\xff x", "??31m???x")):
        make_file(tmp_path / "a.zio", Kind(device=device), [0, 1, 3])
        result = nexus("a.zio", "-o", "a.nxs", "--force", status=4)
        name = f"{shown}-0007-0-1"
        assert f"zio-nexus: {name}: 1 block lost in 1 gap" in result.stderr
        with h5py.File(tmp_path / "a.nxs", "r") as file:
            assert file["entry"][name].attrs["device"] == shown
        assert f"a.nxs: {name}: 3 blocks" in nexus("verify", "a.nxs", status=4).stdout
    said = nexus("no\x1b]0;such\nfile\u202e", "-o", "b.nxs", status=3).stderr
    assert "no?]0;such?file?" in said and "\x1b" not in said


def test_completion(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cset = tmp_path / "bus/zio/devices/zzero-0000/cset0"
    (cset / "chan1").mkdir(parents=True)
    (cset / "direction").write_text("input\n")
    (tmp_path / "run7.zio").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ZIO_SYSFS", str(tmp_path))

    def complete(words: list[str]) -> list[str]:
        assert main(["--complete", *words]) == 0
        return capsys.readouterr().out.split()

    assert complete(["ver"]) == ["verify"]
    assert complete(["zz"]) == ["zzero-0000-0-1"]
    assert complete(["ru"]) == ["run7.zio"]
    assert complete(["verify", "zz"]) == []
    assert complete(["a", "--comp"]) == ["--compress="]
    assert complete(["--compress="]) == [
        "--compress=none",
        "--compress=lzf",
        "--compress=gzip",
    ]
    assert complete(["a", "--output=run"]) == ["--output=run7.zio"]
    assert "--live" in complete(["verify", "-"])
    words = COMPLETION.read_text().replace("\\\n", "")
    assert re.search(r"^complete .*\bzio-nexus\b", words, re.M)


def test_sizes_and_times() -> None:
    assert (size("500"), size("1.5k"), size("2G")) == (500, 1500, 2 * 10**9)
    assert (seconds("90"), seconds("15m"), seconds("1.5h")) == (90, 900, 5400)
    for text in ("x", "5x", ""):
        with pytest.raises(ValueError):
            size(text)
        with pytest.raises(ValueError):
            seconds(text)


def test_letters_of_names() -> None:
    """The rule is that of zio_name_text() in libzio, which zio-dump prints."""
    kept = b"abcxyzABCXYZ0189_-.:+"
    for byte in range(1, 256):
        is_kept = byte in kept or (byte < 128 and chr(byte).isalnum())
        shown = chr(byte) if is_kept else "?"
        assert name_text(bytes([byte])) == shown
    assert name_text(b"ab\0cd") == "ab" and name_text(b"\0ab") == ""


def test_name_in_a_table(nexus: Any, tmp_path: Path) -> None:
    make_file(tmp_path / "a.zio", Kind(device=b'a,"b"/;\0c'), range(2))
    nexus("a.zio", "-o", "a.csv")
    with open(tmp_path / "a.csv") as file:
        rows = list(csv.DictReader(file))
    assert {row["channel"] for row in rows} == {"a??b???-0007-0-1"}
    nexus("a.zio", "-o", "a.nxs")
    assert "a??b???-0007-0-1: 2 blocks" in nexus("verify", "a.nxs").stdout


def test_texts_that_are_no_utf8(nexus: Any, tmp_path: Path) -> None:
    """A name or a title of other letters does not end the recording."""
    name = os.fsdecode(b"a\xff.zio")
    make_file(tmp_path / name, Kind(), range(3))
    title = os.fsdecode(b"M\xfcller \x1b")
    nexus(name, "-o", os.fsdecode(b"a\xfe.nxs"), "--title", title)
    with h5py.File(tmp_path / os.fsdecode(b"a\xfe.nxs"), "r") as file:
        assert file["entry/title"].asstr()[()] == "M?ller ?"
        assert file["entry/recording/sources"].asstr()[()] == "a?.zio"
    nexus("verify", os.fsdecode(b"a\xfe.nxs"))


@pytest.mark.parametrize(
    "word",
    [
        "--level=99",
        "--level=-1",
        "--chunk=99999999999",
        "--count=99999999999999999999",
        "--window=99999999999999999999",
        "--limit=99999999999999999999",
        "--rate=1e-300",
        "--rotate-size=1e400",
        "--rotate-size=-5",
        "--rotate-size=nan",
        "--duration=nan",
        "--flush=1e400",
    ],
)
def test_ranges(nexus: Any, tmp_path: Path, word: str) -> None:
    """A number that cannot be is an error of the command line, with its range."""
    make_file(tmp_path / "a.zio", Kind(), range(3))
    option, _, value = word.partition("=")
    said = nexus("a.zio", "-o", "a.nxs", "--compress=gzip", word, status=2).stderr
    assert f"{option}: {value} is not from " in said and "Traceback" not in said


def test_chunk_of_many_bytes(nexus: Any, tmp_path: Path) -> None:
    """HDF5 has chunks of less than 4 GiB."""
    make_file(tmp_path / "a.zio", Kind(nsamples=1 << 15), range(2))
    said = nexus("a.zio", "-o", "a.nxs", "--chunk=65536", status=2).stderr
    assert f"{Kind().name}: a chunk of 65536 blocks has more than 4 GiB" in said
    assert "make room" not in said and not (tmp_path / "a.nxs").exists()


@pytest.mark.parametrize("suffix", ["npy", "wav"])
def test_no_blocks(nexus: Any, tmp_path: Path, suffix: str) -> None:
    (tmp_path / "a.zio").touch()
    said = nexus("a.zio", "-o", f"a.{suffix}").stderr
    assert f"a.{suffix}: there were no samples, so there is no file" in said


def test_files_of_other_kinds(nexus: Any, tmp_path: Path) -> None:
    make_file(tmp_path / "a.zio", Kind(), range(3))
    (tmp_path / "folder").mkdir()
    for words in ("verify",), ("cat", "-o", "b.zio"):
        said = nexus(*words, "a.zio", status=3).stderr
        assert (
            "a.zio: is not a recording of zio-nexus" in said and "signature" not in said
        )
        said = nexus(*words, "folder", status=3).stderr
        assert "folder: Is a directory" in said
    for words in ("-o", "b.nxs"), ("-o", "b.csv"):
        said = nexus("folder", *words, status=3).stderr
        assert "folder: is a directory: name a channel or a file" in said
    said = nexus("repair", "folder", status=3).stderr
    assert "folder: Is a directory" in said


def activity(pid: int) -> list[str]:
    """Return the state, and the times that it ran, of the process or of its child."""
    with contextlib.suppress(FileNotFoundError):
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        text = Path(f"/proc/{(children or [pid])[-1]}/stat").read_text()
        fields = text.rpartition(")")[2].split()
        return [fields[0], *fields[11:13]]
    return []


def wait_until_asleep(process: Any) -> None:
    """Return when the process sleeps at two looks and did not run between them."""
    last: list[str] = []
    while process.poll() is None:
        now = activity(process.pid)
        if now == last and now[:1] == ["S"]:
            return
        last = now
        time.sleep(0.05)


@pytest.mark.parametrize(
    "words",
    [
        ("record", "pipe", "-o", "b.nxs"),
        ("verify", "pipe"),
        ("cat", "a.nxs", "-o", "pipe.zio", "--force"),
    ],
)
@pytest.mark.parametrize("is_early", [True, False])
def test_interrupt(nexus: Any, tmp_path: Path, words: Any, is_early: bool) -> None:
    """Ctrl-C ends each command, at its begin or while it waits, with no traceback."""
    os.mkfifo(tmp_path / "pipe")
    make_file(tmp_path / "a.zio", Kind(), range(3))
    nexus("a.zio", "-o", "a.nxs")
    process = subprocess.Popen(
        [*PROGRAM, *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    if not is_early:
        wait_until_asleep(process)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=600)[1]
    ended_before = words[0] == "cat" and process.returncode == 0
    # Python itself may start at this moment, and its own tracebacks name no program.
    in_python = process.returncode == -signal.SIGINT and "zio-nexus" not in said
    assert ended_before or in_python or process.returncode == 130, said
    assert in_python or "Traceback" not in said
    assert not list(tmp_path.glob("*.part"))
