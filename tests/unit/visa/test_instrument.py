# SPDX-License-Identifier: GPL-2.0-only
"""Instruments: simulated ones, and one behind a socket"""

import argparse
import dataclasses
import errno
import re
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from zio_visa.cli import list_resources, model_of
from zio_visa.instrument import Instrument, Lost, ScpiError, open_manager
from zio_visa.knobs import read_knobs

from .oscilloscope import Scope
from .rig import HERE, SIMULATED, run


def opened(scope: Scope) -> tuple[Any, Any]:
    """Return the open instrument, and its model."""
    instrument = Instrument(open_manager("@py"), scope.resource)
    model = model_of(instrument, None)
    instrument.use(model)
    return instrument, model


def test_list(tmp_path: Path) -> None:
    """A model of the user counts as those of the package; a wrong one harms no other."""
    models = tmp_path / "zio/visa"
    models.mkdir(parents=True)
    shutil.copy(HERE / "digitiser.yaml", models)
    (models / "wrong.yaml").write_text("device: x\n")
    done = run(SIMULATED, "list", home=tmp_path)
    assert done.returncode == 0
    assert done.stderr == f"zio-visa: {models}/wrong.yaml:1: match is missing\n"
    assert sorted(done.stdout.splitlines()) == [
        "GPIB0::7::0::INSTR\tscpi-dmm\tHEWLETT-PACKARD,34401A,0,11-5-2",
        "GPIB0::9::0::INSTR\t-\tNOBODY,X,0,0",
        "TCPIP0::digitiser::inst0::INSTR\tdigitiser\tACME,D1,7,1.0",
    ]


def test_list_what_others_wrote(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """No name or answer reaches the terminal as it is, and each instrument is closed."""
    closed = []

    class Handle(SimpleNamespace):
        def query(self, _: str) -> str:
            if self.name == "B":
                raise OSError(errno.EIO, "\33[2J")
            return "EVIL\t\33[31m,X\n"

        def close(self) -> None:
            closed.append(self.name)

    manager = SimpleNamespace(
        list_resources=lambda _: ("A\33", "B"),
        open_resource=lambda name, **_: Handle(name=name),
    )
    monkeypatch.setattr("zio_visa.cli.open_manager", lambda _: manager)
    assert list_resources(argparse.Namespace(backend="@py")) == 0
    assert capfd.readouterr().out == (
        "A?\t-\tEVIL??[31m,X\nB\t-\tB: the connection has ended: ?[2J\n"
    )
    assert closed == ["A\33", "B"]


def test_multimeter() -> None:
    """9.9E37 is the overload of SCPI."""
    done = run(SIMULATED, "--try", "GPIB0::7::INSTR")
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        "range: 10000\n"
        "nplc: 10000\n"
        "volts: rate unknown\n"
        "  dc: 4 samples, -0.25 to 2147.48 V, some out of range\n"
    )


def test_binary_samples() -> None:
    model = f"--model={HERE}/digitiser.yaml"
    done = run(SIMULATED, "--try", model, "TCPIP0::digitiser::inst0::INSTR")
    assert done.returncode == 0, done.stderr
    low, high = (0.25 * ord(letter) + 1 for letter in "AE")
    assert done.stdout == (
        f"counts: 1000 samples per second\n  a: 5 samples, {low:g} to {high:g} V\n"
    )


def test_refusals() -> None:
    done = run(SIMULATED, "GPIB0::9::INSTR")
    assert done.returncode == 1
    assert "GPIB0::9::INSTR: no model matches 'NOBODY,X,0,0': name one" in done.stderr
    done = run(SIMULATED, "--try", "--model=scpi-dmm", "TCPIP0::digitiser::inst0::INSTR")
    assert done.returncode == 1
    assert "inst0::INSTR: -113: Undefined header" in done.stderr
    done = run("TCPIP::127.0.0.1::1::SOCKET")
    assert done.returncode == 3 and "127.0.0.1::1::SOCKET: the conn" in done.stderr
    done = run("NONSENSE")
    assert done.returncode == 3 and "NONSENSE: " in done.stderr
    done = run("--model=nothing", SIMULATED, "GPIB0::9::INSTR")
    assert done.returncode == 1 and "nothing: no such model in /" in done.stderr
    done = run("--channels=CHAN9", SIMULATED, "GPIB0::7::INSTR")
    assert done.returncode == 1 and "CHAN9: " in done.stderr and " has dc" in done.stderr
    done = run(f"--backend={HERE}/none.yaml@sim", "list")
    assert done.returncode == 3 and "none.yaml" in done.stderr
    assert run().returncode == run("check").returncode == run("a", "b").returncode == 2


def test_scope(scope: Scope) -> None:
    """value = (sample - yorigin - yreference) * yincrement; each preamble counts."""
    instrument, model = opened(scope)
    (cset,) = model.sets
    assert instrument.rate(cset) == pytest.approx(1e6)
    assert instrument.arm(cset, 1200, lambda: True)
    assert scope.questions == 3
    found, _ = instrument.read(cset, "CHAN2", 1200)
    wanted = [round((n % 256 - 117) * 40_000) for n in range(1200)]
    assert found.samples.tolist() == wanted and not found.is_clipped
    assert scope.said[-4:-1] == [":WAV:SOUR CHAN2", ":WAV:PRE?", ":WAV:DATA?"]
    scope.volts_per_step = 1e-5
    found, _ = instrument.read(cset, "CHAN2", 3)
    assert found.samples.tolist() == [-1170, -1160, -1150]


def knobs_of(instrument: Any, model: Any) -> dict[str, Any]:
    return {knob.setting.name: knob for knob in read_knobs(instrument, model)}


def test_settings_of_a_multimeter() -> None:
    instrument = Instrument(open_manager(SIMULATED.partition("=")[2]), "GPIB0::7::INSTR")
    model = model_of(instrument, "scpi-dmm")
    instrument.use(model)
    knobs = knobs_of(instrument, model)
    span, nplc = knobs["range"], knobs["nplc"]
    assert (span.set, span.values) == (None, (10000,))
    assert instrument.set(span.setting, 1500) == 1500
    assert instrument.ask("VOLT:DC:RANG?") == "+1.50000000E+00"
    assert instrument.set(nplc.setting, 20) == 20
    assert nplc.describe().choices == (20, 200, 1000, 10000, 100000)
    with pytest.raises(ScpiError, match="-113: Undefined header") as caught:
        instrument.set(span.setting, 600_000)
    assert caught.value.errno == errno.EINVAL
    assert instrument.get(span.setting) == 1500


def test_settings_of_channels(scope: Scope) -> None:
    """The value is that which the instrument has taken."""
    scope.settings[":CHAN2:COUP"] = "AC"
    instrument, model = opened(scope)
    knobs = knobs_of(instrument, model)
    coupling, probe = knobs["coupling"], knobs["probe"]
    assert knobs["timebase"].values == (1000,)
    assert coupling.values == (0, 1, 0, 0) and coupling.set == 0
    assert instrument.set(coupling.setting, 2, "CHAN3") == 2
    assert scope.settings[":CHAN3:COUP"] == "GND"
    assert instrument.set(probe.setting, 20, "CHAN1") == 10
    with pytest.raises(ScpiError, match="-222: Data out of range") as caught:
        instrument.set(probe.setting, 1000, "CHAN1")
    assert caught.value.errno == errno.ERANGE
    assert instrument.get(probe.setting, "CHAN1") == 10


def test_values_that_are_no_choices(scope: Scope) -> None:
    """A knob at the instrument knows no choices. A word that is none is an error."""
    scope.settings[":TIM:MAIN:SCAL"] = "1.3e-6"
    instrument, model = opened(scope)
    timebase = knobs_of(instrument, model)["timebase"]
    assert timebase.values == (1300,)
    described = timebase.describe()
    assert described.value == 1300 and 1300 in described.choices
    assert set(timebase.setting.choices) < set(described.choices)
    coupling = model.sets[0].settings[0]
    scope.settings[":CHAN1:COUP"] = "EARTH"
    with pytest.raises(ScpiError, match=":CHAN1:COUP.: EARTH is none of DC, AC, GND"):
        instrument.get(coupling, "CHAN1")
    for answer in ("nonsense", "nan", "9.9E37"):
        scope.settings[":TIM:MAIN:SCAL"] = answer
        with pytest.raises(ScpiError, match=f"{re.escape(answer)}.* is not"):
            instrument.get(timebase.setting)


def test_setting_that_the_instrument_lacks(
    scope: Scope, capfd: pytest.CaptureFixture[str]
) -> None:
    """It is left out, and the others are there. Its error harms nobody."""
    del scope.settings[":CHAN3:PROB"]
    instrument, model = opened(scope)
    instrument.handle.timeout = 200
    assert set(knobs_of(instrument, model)) == {"timebase", "coupling"}
    said = f"zio-visa: {scope.resource}: no setting probe: :CHAN3:PROB?: no answer"
    assert said in capfd.readouterr().err
    instrument.check()


def test_abort(scope: Scope) -> None:
    instrument, model = opened(scope)
    scope.triggers_at = 10**9
    asked = iter([True, True, False])
    assert not instrument.arm(model.sets[0], 10, lambda: next(asked))
    instrument.check()
    assert scope.said[-2:] == [":STOP", "SYST:ERR?"] and scope.questions == 3


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ('-222,"Data out of range"', errno.ERANGE),
        ('-113,"Undefined header"', errno.EINVAL),
        ('-350,"Queue overflow"', errno.EOVERFLOW),
        ('-200,"Execution error"', errno.EIO),
        ("+101", errno.EIO),
        ("nonsense", errno.EIO),
    ],
)
def test_errors(scope: Scope, said: str, number: int) -> None:
    """The first entry of the queue counts. All are taken."""
    instrument, model = opened(scope)
    scope.errors = [said, '-1,"another one"']
    with pytest.raises(OSError) as caught:
        instrument.arm(model.sets[0], 10, lambda: True)
    assert caught.value.errno == number
    assert scope.errors == []
    instrument.check()


def test_silence(scope: Scope) -> None:
    """A question without an answer is an error of this question only."""
    instrument, model = opened(scope)
    instrument.handle.timeout = 200
    with pytest.raises(OSError) as caught:
        instrument.ask("NOTHING?")
    assert caught.value.errno == errno.ETIMEDOUT
    assert caught.value.strerror == "NOTHING?: no answer within 0.2 s"
    instrument.probe()


def ask_in_vain(scope: Scope, instrument: Any) -> None:
    """Ask a question whose answer comes late."""
    instrument.handle.timeout = 200
    scope.slow = ":CHAN1:COUP?"
    with pytest.raises(ScpiError, match="no answer within 0.2 s"):
        instrument.ask(scope.slow)
    assert len(scope.late) == 1


def test_late_answer(scope: Scope) -> None:
    """It is not that to a later question."""
    instrument, _ = opened(scope)
    ask_in_vain(scope, instrument)
    scope.release()
    assert instrument.ask(":CHAN1:PROB?") == "1.000000e+00"
    instrument.check()


def test_answer_behind_the_next_question(scope: Scope) -> None:
    """It is not that to *IDN?, either."""
    instrument, _ = opened(scope)
    ask_in_vain(scope, instrument)
    instrument.probe()
    assert scope.late == []
    assert instrument.ask(":CHAN1:PROB?") == "1.000000e+00"


def test_strange_answer(scope: Scope) -> None:
    """What follows it is not the answer to a later question."""
    instrument, model = opened(scope)
    scope.settings[":CHAN1:COUP"] = "EARTH\nAC"
    with pytest.raises(ScpiError, match="EARTH is none of DC"):
        instrument.get(model.sets[0].settings[0], "CHAN1")
    assert instrument.ask(":CHAN1:PROB?") == "1.000000e+00"


def test_another_instrument(scope: Scope) -> None:
    """It is not the one from the start, which --model has not asked."""
    instrument = Instrument(open_manager("@py"), scope.resource)
    instrument.use(model_of(instrument, "rigol-scope"))
    instrument.probe()
    scope.identity = "ACME,D1,7,1.0"
    with pytest.raises(
        Lost, match="answers 'ACME,D1,7,1.0' to .IDN., and no longer 'RIGOL"
    ):
        instrument.probe()


def test_instrument_without_identity(scope: Scope) -> None:
    """With --model, it need not have one. Its error harms nobody."""
    scope.identity = ""
    instrument = Instrument(open_manager("@py"), scope.resource)
    model = dataclasses.replace(model_of(instrument, "rigol-scope"), timeout_s=0.2)
    instrument.use(model)
    assert instrument.ask(":CHAN1:PROB?") == "1.000000e+00"
    with pytest.raises(Lost, match="the instrument is silent"):
        instrument.probe()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENODEV, "No such device"), "has ended: No such device"),
        (OSError("unplugged"), "has ended: unplugged"),
        (RuntimeError("RPC failed"), "has ended: RPC failed"),
        (AttributeError(), "has ended: AttributeError"),
    ],
)
def test_unplugged(scope: Scope, error: Exception, said: str) -> None:
    """pyvisa-py raises errors of other libraries, and plain ones. So does close()."""
    instrument, _ = opened(scope)

    def fail(*_: Any) -> None:
        raise error

    handle = instrument.handle
    instrument.handle = SimpleNamespace(query=fail, write=fail, close=fail, timeout=200)
    for call in (instrument.ask, instrument.write):
        with pytest.raises(Lost, match=said):
            call("*CLS")
    instrument.close()
    handle.close()


def test_time_out_of_another_library(scope: Scope) -> None:
    instrument, _ = opened(scope)

    class UsbError(OSError):
        """As in PyUSB"""

    for error in (TimeoutError("timed out"), UsbError(errno.ETIMEDOUT, "timed out")):
        with pytest.raises(ScpiError, match="X: no answer within 5 s") as caught:
            with instrument._talking("X"):
                raise error
        assert caught.value.errno == errno.ETIMEDOUT


@pytest.mark.parametrize("command", [":SING", ":WAV:DATA?", "SYST:ERR?"])
def test_lost(scope: Scope, command: str) -> None:
    instrument, model = opened(scope)
    scope.ends_at = command
    instrument.handle.timeout = 200
    with pytest.raises(Lost) as caught:
        for _ in range(3):
            try:
                instrument.arm(model.sets[0], 10, lambda: True)
                instrument.read(model.sets[0], "CHAN1", 10)
            except OSError:
                instrument.probe()
    assert scope.resource in str(caught.value)
