# SPDX-License-Identifier: GPL-2.0-only
"""The readers that Kaitai Struct makes from zio.ksy"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
import zio

from .conftest import EXAMPLES, LANGUAGES, header_numbers, run

HERE = Path(__file__).parent
# Languages for whose readers no registry that the tests reach has the package
ABSENT = {
    "cpp_stl": "kaitai_struct_cpp_stl_runtime",
    "csharp": "KaitaiStruct.Runtime.CSharp of NuGet",
    "go": "github.com/kaitai-io/kaitai_struct_go_runtime",
    "ruby": "the gem kaitai-struct",
    "rust": "the official crate kaitai",
}
# An instance of a control, and the attribute of the header that it reads
ATTRIBUTES = {
    "max_rate": "ZIO_ATTR_MAXRATE",
    "unit": "ZIO_ATTR_UNIT",
    "is_signed": "ZIO_ATTR_SIGNED",
    "clock": "ZIO_ATTR_TRIG_CLOCK",
}
DOUBLES = {"scale": "ZIO_ATTR_SCALE_LOW", "offset": "ZIO_ATTR_OFFSET_LOW"}
BITS = {
    "is_msb_aligned": "ZIO_CONTROL_MSB_ALIGN",
    "is_interleaved": "ZIO_CONTROL_INTERLEAVE_DATA",
    "lost_block": "ZIO_ALARM_LOST_BLOCK",
    "lost_trigger": "ZIO_ALARM_LOST_TRIGGER",
}


def fetch(part: str) -> Path:
    """Return where a part of Kaitai Struct is; skip the test if it cannot be had."""
    command = [HERE / "fetch-kaitai", part]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 1:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make all readers. Return the directory, which has a folder for each language."""
    work = tmp_path_factory.mktemp("readers")
    description = json.dumps(yaml.safe_load((LANGUAGES / "zio.ksy").read_text()))
    languages = ["python", "javascript", "java", *ABSENT]
    script = [HERE / "compile.js", fetch("compiler"), work, *languages]
    run("node", *script, input=description)
    return work


def test_python(readers: Path, recording: Path, expected: str) -> None:
    shutil.copy(EXAMPLES / "peaks.py", readers / "python")
    env = {**os.environ, "PYTHONPATH": str(fetch("python"))}
    program = readers / "python/peaks.py"
    assert run("/usr/bin/python3", program, recording, env=env) == expected


def test_javascript(readers: Path, recording: Path, expected: str) -> None:
    work = readers / "javascript"
    shutil.copy(EXAMPLES / "peaks.js", work)
    (work / "node_modules").mkdir()
    (work / "node_modules/kaitai-struct").symlink_to(fetch("javascript"))
    assert run("node", work / "peaks.js", recording) == expected


def test_java(readers: Path, recording: Path, expected: str) -> None:
    work = readers / "java"
    shutil.copy(EXAMPLES / "Peaks.java", work)
    path = f"{fetch('java')}:{work}"
    run("javac", "-cp", path, "-d", work, *work.glob("*.java"))
    assert run("java", "-cp", path, "Peaks", recording) == expected


@pytest.mark.parametrize("language", ABSENT)
def test_reader_without_its_runtime(readers: Path, language: str) -> None:
    assert any((readers / language).iterdir())
    pytest.skip(f"the reader is made, but does not run: {ABSENT[language]} is missing")


# --- the numbers ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reader(readers: Path) -> Any:
    """The module of the reader in Python"""
    sys.path[:0] = [str(fetch("python")), str(readers / "python")]
    yield importlib.import_module("zio_file")
    del sys.path[:2]


def make_controls(number: int) -> Any:
    """Controls whose fields all differ"""
    random = np.random.default_rng(1)
    size = number * zio.control_dtype.itemsize
    controls = np.frombuffer(random.bytes(size), zio.control_dtype).copy()
    controls["major_version"], controls["nsamples"] = 1, 0
    controls["flags"] = np.uint32(0x01000001) | controls["flags"] & 0xFCFFFFFC
    # Texts are ASCII, and TLVs known or not.
    for text in (controls["addr"]["devname"], controls["triggername"]):
        text[:] = b"name"
    controls["tlv"]["type"] = np.arange(number) % 6
    return controls


def read(reader: Any, controls: Any) -> Any:
    return [
        block.control for block in reader.ZioFile.from_bytes(controls.tobytes()).blocks
    ]


def check_fields(read: Any, control: Any) -> None:
    """Compare all fields of the structure, and of those inside it."""
    for name in control.dtype.names:
        wanted = control[name]
        field = getattr(read, "mem_offset_high" if name == "reserved" else name)
        if wanted.dtype.names and name != "tlv":
            check_fields(field, wanted)
        elif wanted.dtype.kind == "S":
            assert field == wanted.decode()
        elif name == "tlv":
            assert (int(field.type), field.length) == (wanted["type"], wanted["length"])
        else:
            assert np.all(
                np.asarray(list(field) if wanted.ndim else field) == wanted
            ), name


def test_fields(reader: Any) -> None:
    controls = make_controls(12)
    found = read(reader, controls)
    for one, control in zip(found, controls, strict=True):
        check_fields(one, control)
    payloads = controls["tlv"]["payload"]
    halves = payloads.view("<u4")
    assert found[1].tlv.payload.mask == payloads[1].view("<u8")[0]
    assert found[2].tlv.payload == payloads[2].tobytes()
    share, shots = found[3].tlv.payload, found[4].tlv.payload
    assert [share.how, share.error, shots.n] == [*halves[3], halves[4][0]]


def test_instances(reader: Any, tmp_path: Path) -> None:
    """Each reads the attribute or bit that the header has, if the control has it."""
    words = [*ATTRIBUTES.values(), *DOUBLES.values(), *BITS.values()]
    number = header_numbers(words, tmp_path)
    controls = make_controls(200)
    controls["attr_channel"]["std_val"][:, number["ZIO_ATTR_SIGNED"]] %= 2
    for one, control in zip(read(reader, controls), controls, strict=True):
        for name, word in ATTRIBUTES.items():
            owner = control["attr_trigger" if name == "clock" else "attr_channel"]
            has_it = owner["std_mask"] >> number[word] & 1
            value = owner["std_val"][number[word]] if has_it else None
            assert getattr(one, name) == (value == 1 if name == "is_signed" else value)
        for name, word in DOUBLES.items():
            attributes, low = control["attr_channel"], number[word]
            has_it = attributes["std_mask"] >> low & 3 == 3
            wanted = attributes["std_val"][low : low + 2].tobytes() if has_it else None
            found = getattr(one, name)
            assert (None if found is None else np.float64(found).tobytes()) == wanted
        for name, word in BITS.items():
            field = control["flags" if name.startswith("is") else "zio_alarms"]
            assert getattr(one, name) == bool(field & number[word])


def test_enumerations(reader: Any, tmp_path: Path) -> None:
    kinds = {"ZIO_TLV": reader.ZioFile.TlvType, "ZIO_UNIT": reader.ZioFile.Unit}
    names = {
        f"{prefix}_{each.name.upper()}": each.value
        for prefix, kind in kinds.items()
        for each in kind
    }
    assert names.pop("ZIO_TLV_NONE") == 0
    assert header_numbers(names, tmp_path) == names
    assert len(reader.ZioFile.Unit) == len(zio._make.unit_numbers()) - 1


@pytest.mark.parametrize(
    ("field", "value"), [("major_version", 2), ("flags", 0x02000002)]
)
def test_what_readers_refuse(reader: Any, field: str, value: int) -> None:
    controls = make_controls(1)
    controls[field] = value
    with pytest.raises(Exception, match="control"):
        read(reader, controls)
