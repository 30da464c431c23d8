# SPDX-License-Identifier: GPL-2.0-only
"""The page with the channels of a virtual machine, read through taps."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from unit.live.guest import Guest
from unit.scope.browser.conftest import SCOPE, Page
from unit.scope.test_tls import MAKE

SAWTOOTH = "zzero-0000-0-2"
SETTINGS = (
    "zio set zzero/0 current_trigger=timer trigger/nsamples=256 trigger/period-ms=20"
)
READER = "zio-dump -c -n 0 zzero-0-2 >/dev/null 2>&1 & echo $! >/tmp/reader.pid"


@pytest.fixture(scope="module")
def url(guest: Guest) -> Iterator[str]:
    """Start the daemon, and a reader of the sawtooth. Return the address of the page."""
    port = guest.ports[0]
    guest.run(f"{SETTINGS}; {READER}")
    guest.run(f"zio-host {MAKE} -out /tmp/cert.pem -keyout /tmp/key.pem")
    words = f"--listen 10.0.2.15 --port {port} --token-file /tmp/token "
    words += "--tls-cert /tmp/cert.pem --tls-key /tmp/key.pem"
    daemon = guest.start_python(SCOPE / "zio-scope", words, "/tmp/scope")
    guest.wait(lambda: "token=" in guest.run("cat /tmp/scope /tmp/scope.err"), 120)
    found = re.search(r"https://10\.0\.2\.15(:\d+/)", guest.run("cat /tmp/scope"))
    assert found
    token = guest.run("zio-host cat /tmp/token").strip()
    yield f"https://127.0.0.1{found[1]}#token={token}"
    guest.run(f"kill {daemon} $(cat /tmp/reader.pid)")


def show_sawtooth(page: Page, url: str) -> None:
    page.open(url)
    page.wait("s && s.channels.length > 2")
    chosen = f"JSON.stringify(s.view.channels) === '[\"{SAWTOOTH}\"]'"
    index = page.value(f"s.channels.findIndex((c) => c.name === '{SAWTOOTH}')")
    for name in page.value("s.view.channels"):
        if name != SAWTOOTH:
            at = page.value(f"s.channels.findIndex((c) => c.name === '{name}')")
            page.press(str(at + 1))
    if SAWTOOTH not in page.value("s.view.channels"):
        page.press(str(index + 1))
    page.wait(chosen)
    page.wait("s.frame && s.data.length === 2")


def setting(page: Page, name: str, value: str) -> None:
    field = page.driver.find_element(By.CSS_SELECTOR, f"[data-name='{name}']")
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(value, Keys.ENTER)
    page.run("document.activeElement.blur()")


def test_a_live_sawtooth_without_a_loss(page: Page, guest: Guest, url: str) -> None:
    show_sawtooth(page, url)
    # Until then, the page may show what it had of the channel that was shown before.
    page.wait("s.data[1].length === 256 && s.data[1][0] !== s.data[1][1]")
    first = page.value("s.frame.lines[0].seq")
    page.wait(f"s.frame.lines[0].seq > {first} + 20")
    values = page.value("Array.from(s.data[1])")
    assert [(b - a) % 256 for a, b in zip(values, values[1:])] == [1] * 255
    # The tap takes nothing from the reader of the channel.
    kept = "/sys/bus/zio/devices/zzero-0000/cset0/chan2/statistics/lost_blocks"
    lost = guest.run(f"cat {kept}")
    seq = page.value("s.frame.lines[0].seq")
    page.wait(f"s.frame.lines[0].seq > {seq} + 50")
    assert guest.run(f"cat {kept}") == lost
    assert page.value(f"s.channels.find((c) => c.name === '{SAWTOOTH}').state") == "live"


def test_settings_go_to_the_kernel(page: Page, guest: Guest, url: str) -> None:
    show_sawtooth(page, url)
    page.wait("document.querySelector(\"[data-name$='trigger/nsamples']\")")
    setting(page, "zzero-0000/cset0/trigger/nsamples", "64")
    page.wait("s.data[1].length === 64")
    assert guest.run("zio get zzero/0/trigger/nsamples").strip() == "64"
    setting(page, "zzero-0000/cset0/trigger/nsamples", "many")
    text = page.wait("document.getElementById('message').innerText")
    assert "zzero-0000/cset0/trigger/nsamples: cannot set 'many'" in text
    assert guest.run("zio get zzero/0/trigger/nsamples").strip() == "64"
    setting(page, "zzero-0000/cset0/trigger/nsamples", "256")
    page.wait("s.data[1].length === 256")


def test_a_fast_channel_is_skipped_and_not_slowed(
    page: Page, guest: Guest, url: str
) -> None:
    show_sawtooth(page, url)
    setting(page, "zzero-0000/cset0/trigger/period-ms", "1")
    found = f"s.channels.find((c) => c.name === '{SAWTOOTH}')"
    page.wait(f"s.sets.length && {found}.blocks > 50")
    first, begin = page.value("[s.frame.number, performance.now()]")
    page.wait(f"performance.now() > {begin} + 3000")
    last, end = page.value("[s.frame.number, performance.now()]")
    assert 0 < (last - first) * 1000 / (end - begin) <= 61
    setting(page, "zzero-0000/cset0/trigger/period-ms", "20")


def test_survives_the_board(page: Page, guest: Guest, url: str) -> None:
    show_sawtooth(page, url)
    driver = "/sys/bus/platform/drivers/zio-zero"
    guest.run(f"kill $(cat /tmp/reader.pid); echo zio-zero.0 >{driver}/unbind")
    state = f"s.channels.find((c) => c.name === '{SAWTOOTH}').state"
    page.wait(f"{state} === 'gone'")
    page.wait("document.body.innerText.includes('waiting until it is back')")
    guest.run(
        f"echo zio-zero.0 >{driver}/bind; zio-links; "
        "zio set zzero/0 current_trigger=timer trigger/nsamples=32 "
        "trigger/period-ms=20; (zio-dump -c zzero-0-2 >/dev/null 2>&1 & "
        "echo $! >/tmp/reader.pid)"
    )
    page.wait(f"{state} === 'live'")
    page.wait("s.data[1].length === 32")
