# SPDX-License-Identifier: GPL-2.0-only
"""zio-pva with the channels of a virtual machine; the client is on this machine"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import zio
from p4p.client.thread import Context, RemoteError

from unit.live.guest import Guest
from unit.pva import PACKAGES
from unit.pva.rig import PROGRAM, SECONDS, attributes_of, wait_for

SAWTOOTH = "zzero-0000-0-2"
STATISTICS = "/sys/bus/zio/devices/zzero-0000/cset0/chan2/statistics"
DRIVER = "/sys/bus/platform/drivers/zio-zero"
NSAMPLES = "zzero-0000:0:trigger:nsamples"
Start = Callable[..., "Served"]


class Served:
    """zio-pva in the machine."""

    def __init__(self, guest: Guest, words: str) -> None:
        self.guest = guest
        options = f"--json --port={guest.ports[1]} {words}"
        self.pid = guest.start_python(Path(PROGRAM), options, "/tmp/pva", PACKAGES)
        guest.wait(self._has_begun, 300)
        self.start = json.loads(guest.run("cat /tmp/pva"))
        self.client = self.connect()

    def _has_begun(self) -> bool:
        if self.guest.run("cat /tmp/pva").endswith("}\n"):
            return True
        # A program that has ended gives its reason.
        assert self.guest.has_process(self.pid), self.guest.run("cat /tmp/pva.err")
        return False

    def connect(self) -> Context:
        server = f"127.0.0.1:{self.guest.ports[1]}"
        settings = {"EPICS_PVA_AUTO_ADDR_LIST": "NO", "EPICS_PVA_NAME_SERVERS": server}
        return Context("pva", nt=False, conf=settings, useenv=False)

    def get(self, name: str) -> Any:
        return self.client.get(name, timeout=SECONDS)

    def wait(self, name: str, condition: Callable[[Any], Any]) -> Any:
        """Return the value of a variable as soon as it meets the condition."""
        found: list[Any] = []

        def look() -> bool:
            found.append(self.get(name))
            return bool(condition(found[-1]))

        wait_for(look)
        return found[-1]

    def stop(self) -> None:
        self.client.close()
        self.guest.run(f"kill {self.pid}")
        self.guest.wait(lambda: not self.guest.has_process(self.pid))


@pytest.fixture
def start(guest: Guest) -> Iterator[Start]:
    """Return a function that starts zio-pva with these words."""
    served: list[Served] = []

    def run(words: str) -> Served:
        served.append(Served(guest, words))
        return served[-1]

    yield run
    for one in served:
        one.stop()


@pytest.fixture
def recorder(guest: Guest) -> Iterator[str]:
    """Record the sawtooth in /tmp/run.zio, with 50 blocks a second."""
    yield from record(guest)


def record(guest: Guest) -> Iterator[str]:
    guest.run(
        "zio set zzero/0 current_trigger=user chan0/enable=0 chan1/enable=0;"
        "zio set zzero-0-2 buffer/max-buffer-len=1024; zio flush zzero-0-2;"
        "zio set zzero/0 current_trigger=timer trigger/nsamples=64 trigger/period-ms=20"
    )
    pid = guest.start("zio-copy if=zzero-0-2 of=/tmp/run.zio", "/tmp/copy")
    yield pid
    guest.run(
        f"kill {pid}; rm -f /tmp/run.zio; zio set zzero/0 chan0/enable=1 chan1/enable=1"
    )


def recorded(guest: Guest, path: Path) -> dict[int, zio.Block]:
    """Return the blocks of the recorder, by their numbers."""
    path.write_bytes(base64.b64decode(guest.run("base64 /tmp/run.zio")))
    found = {}
    with zio.open(str(path)) as channel:
        try:
            for block in channel:
                found[block.seq] = block.copy()
        except zio.Error:  # The recorder is writing the last block.
            pass
    return found


def lost_blocks(guest: Guest) -> int:
    return int(guest.run(f"cat {STATISTICS}/lost_blocks"))


def test_blocks_are_exact(
    guest: Guest, start: Start, recorder: str, tmp_path: Path
) -> None:
    """A client has the samples, times and numbers of the recorder, which loses none."""
    served = start(f"--listen=10.0.2.15 --interval=0 --prefix=lab: {SAWTOOTH}")
    assert served.start["local"] is False
    seen: list[Any] = []
    with served.client.monitor(f"lab:{SAWTOOTH}", seen.append):
        wait_for(lambda: len(seen) > 60)
    values = served.get(f"lab:{SAWTOOTH}:values")
    blocks = recorded(guest, tmp_path / "run.zio")
    wait_for(lambda: recorded(guest, tmp_path / "run.zio").get(values.timeStamp.userTag))
    blocks = recorded(guest, tmp_path / "run.zio")
    shown = [value for value in seen if value.alarm.severity != 3]
    assert len(shown) > 50
    for value in shown:
        block = blocks[value.uniqueId]
        assert value.value.tolist() == block.data.tolist()
        stamp = value.dataTimeStamp
        assert stamp.secondsPastEpoch * 10**9 + stamp.nanoseconds == block.time_ns
        assert value.alarm.severity == bool(block.alarms), value.alarm
    block = blocks[values.timeStamp.userTag]
    assert values.value.tolist() == block.values().tolist()
    numbers = sorted(blocks)
    assert numbers == list(range(numbers[0], numbers[-1] + 1))


def test_slow_client(guest: Guest, start: Start, recorder: str) -> None:
    """A client that is busy sees by uniqueId what it missed. The channel loses none."""
    lost = lost_blocks(guest)
    served = start(f"--listen=10.0.2.15 --interval=0 {SAWTOOTH}")
    other = served.connect()
    seen: list[Any] = []
    go_on: list[bool] = []

    def follow(value: Any) -> None:
        seen.append(value)
        wait_for(lambda: go_on)

    with served.client.monitor(SAWTOOTH, follow):
        wait_for(lambda: seen)
        begin = other.get(SAWTOOTH, timeout=SECONDS).uniqueId
        wait_for(lambda: other.get(SAWTOOTH, timeout=SECONDS).uniqueId > begin + 100)
        go_on.append(True)
        wait_for(lambda: seen[-1].uniqueId > begin + 100)
    other.close()
    numbers = [value.uniqueId for value in seen]
    steps = [b - a for a, b in zip(numbers[1:], numbers[2:])]
    assert max(steps) > 50
    assert lost_blocks(guest) == lost
    assert attributes_of(seen[-1])["lostTotal"] == lost


def test_loss(guest: Guest, start: Start, recorder: str) -> None:
    """A loss of the channel is an alarm, and the count is that of the kernel. The queue
    is full, so that no block comes which could tell."""
    served = start(f"--listen=10.0.2.15 {SAWTOOTH}")
    served.wait(SAWTOOTH, lambda value: value.alarm.severity == 0)
    before = served.get(f"{SAWTOOTH}:lost").value
    guest.run("zio set zzero-0-2 buffer/max-buffer-len=16")
    guest.run(f"kill -STOP {recorder}")
    served.wait(f"{SAWTOOTH}:lost", lambda value: value.value > before + 100)
    for name in SAWTOOTH, f"{SAWTOOTH}:values":
        alarm = served.get(name).alarm
        assert (alarm.severity, "lost" in alarm.message) == (1, True)
    guest.run(f"kill -CONT {recorder}")
    served.wait(SAWTOOTH, lambda value: value.alarm.severity == 0)
    found = served.get(f"{SAWTOOTH}:lost").value
    assert found == lost_blocks(guest) > before


def test_board_goes_and_comes(guest: Guest, start: Start, recorder: str) -> None:
    """The variables say that the board is gone, and go on when it is back."""
    served = start(f"--listen=10.0.2.15 {SAWTOOTH}")
    value = served.wait(SAWTOOTH, lambda value: value.alarm.severity == 0)
    events: list[Any] = []
    with served.client.monitor(SAWTOOTH, events.append, notify_disconnect=True):
        guest.run(f"echo zio-zero.0 >{DRIVER}/unbind")
        for end in "", ":values", ":lost":
            gone = served.wait(f"{SAWTOOTH}{end}", lambda v: v.alarm.severity == 3)
            assert "waiting until it is back" in gone.alarm.message
        # The last samples stay. The call does not wait for the board.
        assert served.get(SAWTOOTH).value.tolist() != []
        guest.run(f"echo zio-zero.0 >{DRIVER}/bind; zio-links")
        again = record(guest)
        next(again)
        value = served.wait(SAWTOOTH, lambda value: value.alarm.severity == 0)
        assert len(value.value) == 64
        next(again, None)
    # No client was disconnected after its first connection.
    assert [e for e in events[1:] if isinstance(e, Exception)] == []


@pytest.fixture
def rack(guest: Guest) -> Iterator[str]:
    """Two boards with one clock, and a recorder of both"""
    guest.run(
        "zio create device zzero rack1 id=1 channels=1 ssize=2 pattern=sawtooth;"
        "zio create device zzero rack2 id=2 channels=1 ssize=4 pattern=sawtooth;"
        "zio create trigger timer clock0 period-ms=50 enable=0; zio-links;"
        "zio set zzero-0001/0 current_trigger=clock0 zzero-0002/0 current_trigger=clock0"
        " trigger:clock0 enable=1"
    )
    reader = "zio-dump -c -n 0 zzero-0001-0-0 zzero-0002-0-0"
    pid = guest.start(reader, "/dev/null")
    yield pid
    guest.run(
        f"kill {pid}; zio set trigger:clock0 enable=0;"
        "zio destroy device rack1; zio destroy device rack2; zio destroy trigger clock0"
    )


def test_group(guest: Guest, start: Start, rack: str) -> None:
    """The blocks of an event have one time. A board that is gone is stated."""
    one, two = "zzero-0001-0-0", "zzero-0002-0-0"
    served = start(f"--listen=10.0.2.15 --group=rack={one},{two} --limit=1000")
    seen: list[Any] = []
    with served.client.monitor("rack", seen.append):
        wait_for(lambda: len([v for v in seen if v.alarm.severity == 0]) > 10)
    for value in (v for v in seen if v.alarm.severity == 0):
        times = zip(value.secondsPastEpoch, value.nanoseconds)
        stamp = value.timeStamp.secondsPastEpoch, value.timeStamp.nanoseconds
        assert set(times) == {stamp}
        assert [samples.dtype.str for samples in value.value] == ["<u2", "<u4"]
        assert list(value.isConnected) == [True, True]
        for samples in value.value:
            assert set((samples[1:] - samples[:-1]).tolist()) == {1}
    image = served.get(f"rack:{two}")
    assert image.timeStamp.nanoseconds == image.dataTimeStamp.nanoseconds
    guest.run("zio destroy device rack2")
    gone = served.wait("rack", lambda value: not all(value.isConnected))
    assert list(gone.isConnected) == [True, False]
    assert (gone.alarm.severity, list(gone.severity)[1]) == (3, 3)
    assert two in gone.alarm.message
    assert served.get(f"rack:{two}").alarm.severity == 3
    assert served.wait(f"rack:{one}", lambda v: v.alarm.severity < 3).value.size


def test_set_points(guest: Guest, start: Start, recorder: str) -> None:
    """A client writes what it may. It gets the errors of the kernel, and sees others."""
    words = (
        "--allow-write=*:trigger:nsamples --allow-write=*:0:direction --insecure-write"
    )
    served = start(f"--listen=10.0.2.15 {words}")
    served.client.put(NSAMPLES, {"value": 128})
    path = "/sys/bus/zio/devices/zzero-0000/cset0/trigger/nsamples"
    assert guest.run(f"cat {path}").strip() == "128"
    assert served.get(NSAMPLES).value == 128
    with pytest.raises(RemoteError, match="Invalid argument"):
        served.client.put(NSAMPLES, {"value": 0})
    assert served.get(NSAMPLES).value == 128
    guest.run("zio set zzero/0 trigger/nsamples=32")
    served.wait(NSAMPLES, lambda value: value.value == 32)
    with pytest.raises(RemoteError, match="ermission|read-only|not permitted"):
        served.client.put("zzero-0000:0:direction", {"value": "output"})
    with pytest.raises(RemoteError, match="--allow-write"):
        served.client.put("zzero-0000:0:enable", {"value": 0})
    said = guest.run("cat /tmp/pva.err")
    assert "set zzero-0000/cset0/trigger/nsamples to 128" in said


def test_other_machines_do_not_connect(guest: Guest, start: Start, recorder: str) -> None:
    """By default only programs of the machine itself reach the variables."""
    served = start(SAWTOOTH)
    assert served.start["local"] is True
    script = (
        "from p4p.client.thread import Context\n"
        f"conf = dict(EPICS_PVA_NAME_SERVERS='127.0.0.1:{guest.ports[1]}')\n"
        "with Context('pva', nt=False, conf=conf, useenv=False) as client:\n"
        f"    print(client.get('{SAWTOOTH}', timeout={SECONDS}).getID())\n"
    )
    encoded = base64.b64encode(script.encode()).decode()
    guest.run(f"echo {encoded} | base64 -d >/host/tmp/client.py")
    seen: list[Any] = []
    with served.client.monitor(SAWTOOTH, seen.append):
        # Meanwhile a client on the machine starts, connects, and has its value.
        pid = guest.start_python(Path("/tmp/client.py"), "", "/tmp/client", PACKAGES)
        guest.wait(lambda: not guest.has_process(pid))
    assert guest.run("cat /tmp/client").strip() == "epics:nt/NTNDArray:1.0"
    assert seen == []
