# SPDX-License-Identifier: GPL-2.0-only
"""The page in a real browser, with block files and FIFOs."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zio
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from .. import blocks
from .conftest import Daemon, Page

Start = Callable[..., Daemon]
CONNECTION = "document.getElementById('connection').innerText"


@pytest.fixture
def recording(tmp_path: Path) -> Callable[..., Path]:
    def write(*words: Any, **options: Any) -> Path:
        path = tmp_path / "run7.zio"
        path.write_bytes(blocks.recording(*words, **options))
        return path

    return write


def shown(page: Page, line: int = 1) -> list[float | None]:
    found: list[float | None] = page.value(f"Array.from(s.data[{line}])")
    return found


def newest(count: int, channel: int = 0, samples: int = 256) -> list[int]:
    values = (np.arange(samples) + (count - 1) * samples) % 256
    return [int(255 - v if channel else v) for v in values]


def at_end(page: Page, seq: int) -> None:
    page.wait(f"s.frame && s.frame.lines[0].seq === {seq}")


def pixels(page: Page) -> list[list[float]]:
    """Return where the curve of channel 0 is, as parts of width and height."""
    code = """
        const { ctx, bbox } = s.plot;
        const { data } = ctx.getImageData(bbox.left, bbox.top, bbox.width, bbox.height);
        const found = [];
        for (let x = 0; x < bbox.width; x += 10)
            for (let y = 0; y < bbox.height; y++) {
                const at = 4 * (y * bbox.width + x);
                if (data[at] < 90 && data[at + 1] > 70 && data[at + 1] < 160 &&
                    data[at + 2] > 150) {
                    found.push([x / bbox.width, y / bbox.height]);
                    break;
                }
            }
        return found"""
    found: list[list[float]] = page.run(code)
    return found


def test_a_sawtooth_exactly(daemon: Start, page: Page, recording: Any) -> None:
    page.open(daemon(recording(20, channels=2), "--speed", "0").url)
    at_end(page, 19)
    assert shown(page, 0) == list(range(256))
    assert shown(page, 1) == newest(20)
    assert shown(page, 2) == newest(20, channel=1)
    assert page.complaints() == []


def test_the_canvas_has_the_line(daemon: Start, page: Page, recording: Any) -> None:
    page.open(daemon(recording(1), "--speed", "0").url)
    at_end(page, 0)
    page.until(lambda: len(pixels(page)) > 80, "the curve is drawn")
    found = pixels(page)
    # From 5 % above the lower edge to 5 % below the upper one: the margins of the axis
    for x, y in found:
        assert y == pytest.approx(1 - (0.05 + x) / 1.1, abs=0.03)


def test_many_samples_show_minimum_and_maximum(
    daemon: Start, page: Page, tmp_path: Path
) -> None:
    samples = np.zeros(1_000_000, dtype="i2")
    samples[123_456], samples[700_000] = 300, -300
    path = tmp_path / "a.zio"
    path.write_bytes(blocks.block(samples.astype("u2")))
    page.open(daemon(path).url)
    at_end(page, 0)
    width = page.value("document.getElementById('waveform').clientWidth")
    page.wait(f"s.data[1].length === 2 * {width}")
    assert page.value("Math.max(...s.data[1])") == 65536 - 300
    assert page.value("s.data[1].filter((v) => v === 300).length") == 1
    # Zoomed in, the samples are exact again.
    page.run("document.getElementById('zoom-in').click()")
    page.wait("s.frame.view === 0 || s.view.range")
    for _ in range(9):
        page.run("document.getElementById('zoom-in').click()")
    page.wait("s.frame.lines[0].step === 1")


def test_a_loss_is_a_gap_and_is_told(daemon: Start, page: Page, recording: Any) -> None:
    page.open(daemon(recording(10, 64, without=(7, 8)), "--speed", "0").url)
    at_end(page, 9)
    page.wait("document.body.innerText.includes('lost 2 blocks')")
    page.fill("blocks", "3")
    page.wait("s.data[1].length === 256")
    values = shown(page)
    assert values[128:192] == [None] * 64
    assert values[64:128] == [(6 * 64 + i) % 256 for i in range(64)]
    assert values[192:] == [(9 * 64 + i) % 256 for i in range(64)]
    page.wait(
        "document.getElementById('picture').innerText.includes('2 blocks are missing')"
    )
    assert page.complaints() == []


def test_the_history_has_rate_and_loss(daemon: Start, page: Page, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    page.open(daemon(fifo).url)
    with open(fifo, "wb", buffering=0) as file:
        samples = np.arange(16, dtype="u1")
        file.write(blocks.block(samples, 0))
        page.wait("s.history.some((p) => 'zzero-0000-0-0' in p.rates)")
        file.write(blocks.block(samples, 5, alarms=1))
        found = page.wait(
            "s.history.map((p) => p.rates['zzero-0000-0-0']).find((r) => r && r[2])"
        )
    assert found[0] == pytest.approx(1, abs=0.5)
    assert found[2] == pytest.approx(4, abs=2)
    page.wait("document.body.innerText.includes('end of file')")


def test_survives_a_restart(daemon: Start, page: Page, tmp_path: Path) -> None:
    path = tmp_path / "a.zio"
    path.write_bytes(blocks.recording(5))
    one = daemon(path, "--speed", "0")
    page.open(one.url)
    at_end(page, 4)
    assert one.stop() == 143
    page.wait(
        "document.getElementById('connection').innerText.includes('does not answer')"
    )
    path.write_bytes(blocks.recording(9))
    one.start()
    page.wait(f"{CONNECTION}.includes('the token is wrong')")
    page.open(one.url)
    page.wait(f"{CONNECTION} === 'connected'")
    at_end(page, 8)
    assert shown(page) == newest(9)


# It runs before the scripts of a page, and notes how each web socket ends.
NOTE_ENDS = """
    window.ends = [];
    window.WebSocket = class extends WebSocket {
        constructor(...words) {
            super(...words);
            this.addEventListener("close", (end) => ends.push(end.code));
        }
    };
"""


@pytest.fixture
def noting(page: Page) -> Iterator[Page]:
    command = "Page.%sScriptToEvaluateOnNewDocument"
    added = page.driver.execute_cdp_cmd(command % "add", {"source": NOTE_ENDS})
    yield page
    page.driver.execute_cdp_cmd(command % "remove", added)


def test_ctrl_c_ends_it_while_a_page_is_open(
    daemon: Start, noting: Page, recording: Any
) -> None:
    """It does not wait until the page leaves: it ends the connection."""
    one = daemon(recording(2000))
    noting.open(one.url)
    noting.wait("s.frame")
    assert one.stop(signal.SIGINT) == 130
    noting.wait("ends.length")


@pytest.mark.parametrize("token", ["", "?token=TOKEN", "#token=", "#token=wrong"])
def test_a_wrong_token_gets_nothing(
    daemon: Start, page: Page, recording: Any, token: str
) -> None:
    one = daemon(recording(5))
    base, _, good = one.url.partition("#token=")
    page.open(base + token.replace("TOKEN", good))
    page.wait(f"{CONNECTION}.includes('token')")
    assert page.value("[s.channels.length, s.frame]") == [0, None]


def test_the_token_leaves_the_address_bar(
    daemon: Start, page: Page, recording: Any
) -> None:
    """The browser keeps it for this page alone, which can be loaded again."""
    one = daemon(recording(5))
    page.open(one.url)
    page.wait("s && s.frame")
    token = one.url.partition("=")[2]
    kept = "[location.href, document.cookie, JSON.stringify(localStorage)]"
    assert token not in "".join(page.value(kept))
    assert page.driver.get_cookies() == []
    page.driver.refresh()
    page.wait("s && s.frame")
    one.stop()
    one.start()
    page.driver.refresh()
    page.wait(f"{CONNECTION}.includes('open the URL')")


def test_a_time_that_is_out_of_range(daemon: Start, page: Page, tmp_path: Path) -> None:
    path = tmp_path / "a.zio"
    path.write_bytes(blocks.block(np.arange(8, dtype="u1"), time_ns=2**93))
    page.open(daemon(path).url)
    at_end(page, 0)
    page.wait("document.getElementById('picture').innerText.includes('out of range')")


def test_names_that_do_harm(daemon: Start, page: Page, tmp_path: Path) -> None:
    """A page of a file with many channels, whose names have control characters"""
    data = bytearray(blocks.block(np.arange(8, dtype="u1")))
    at = data.index(b"zzero")
    data[at : at + 12] = b"\x1b]<b>\xe2\x80\xae\n".ljust(12, b"\0")
    path = tmp_path / "a.zio"
    path.write_bytes(bytes(data))
    page.open(daemon(path).url)
    page.wait("s.channels.length")
    assert page.value("s.channels[0].name") == "?]<b>??-0000-0-0"


@pytest.mark.parametrize("width", [360, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_widths_and_colours(
    daemon: Start, page: Page, recording: Any, width: int, scheme: str
) -> None:
    page.resize(width, 800)
    page.scheme(scheme)
    page.open(daemon(recording(5, channels=3), "--speed", "0").url)
    at_end(page, 4)
    page.press("f", "a", "b")
    page.wait("s.spectrum[1].length")
    page.wait("!document.getElementById('cursors').hidden")
    assert page.value("document.documentElement.scrollWidth") <= width
    out = """Array.from(document.querySelectorAll('body *')).filter((e) => {
        const r = e.getBoundingClientRect();
        return r.width && r.right > innerWidth + 1 && !e.closest('table, .plot');
    }).map((e) => e.id || e.tagName)"""
    assert page.value(out) == []
    back = page.value("getComputedStyle(document.body).backgroundColor")
    assert back == {"light": "rgb(255, 255, 255)", "dark": "rgb(22, 24, 27)"}[scheme]


def test_keyboard_only(daemon: Start, page: Page, recording: Any) -> None:
    page.open(daemon(recording(5, channels=2), "--speed", "0").url)
    at_end(page, 4)
    page.press(Keys.SPACE)
    page.wait("s.view.paused && document.getElementById('pause').innerText === 'Paused'")
    page.press(Keys.SPACE)
    page.wait("!s.view.paused")
    page.press("+")
    page.wait("s.view.range && s.frame.lines[0].points < 140")
    page.press("0")
    page.wait("s.frame.lines[0].points === 256")
    page.press("2")
    page.wait("s.data.length === 2")
    page.press("2")
    page.wait("s.data.length === 3")
    page.press("a", Keys.ARROW_LEFT, "b", Keys.ARROW_RIGHT)
    assert page.value("[s.cursors.a, s.cursors.b]") == [63, 192]
    rows = page.value(
        "Array.from(document.querySelectorAll('#cursors tbody tr'), (r) => r.innerText)"
    )
    assert rows[0].split("\t") == ["x", "63 samples", "192 samples", "129 samples"]
    assert rows[1].split("\t") == ["zzero-0000-0-0", "63", "192", "129"]
    assert rows[2].split("\t") == ["zzero-0000-0-1", "192", "63", "-129"]
    assert rows[3].endswith("0.00775194 per sample")
    page.press(Keys.ESCAPE)
    page.wait("document.getElementById('cursors').hidden")
    page.press("?")
    page.wait("document.getElementById('help').open")
    assert "pause" in page.text("#help")
    page.press(Keys.ENTER)
    page.wait("!document.getElementById('help').open")


def test_tab_reaches_everything_and_shows_it(
    daemon: Start, page: Page, recording: Any
) -> None:
    page.open(daemon(recording(5), "--speed", "0").url)
    at_end(page, 4)
    seen = set()
    for _ in range(40):
        page.press(Keys.TAB)
        seen.add(page.value("document.activeElement.id || document.activeElement.type"))
        style = page.value("getComputedStyle(document.activeElement).outlineStyle")
        assert style == "solid" or page.value("document.activeElement === document.body")
    wanted = {"pause", "zoom-in", "help-open", "waveform", "checkbox", "blocks", "rate"}
    wanted |= {"trigger-mode", "trigger-level", "trigger-slope", "spectrum-window"}
    assert wanted <= seen


def test_the_display_trigger(daemon: Start, page: Page, recording: Any) -> None:
    page.open(daemon(recording(5, 1000), "--speed", "0").url)
    at_end(page, 4)
    page.press("t")
    assert page.value("document.activeElement.id") == "trigger-mode"
    page.press(*"auto")
    page.fill("trigger-level", "99.5")
    page.wait("s.frame.flags & 1")
    xs, ys = shown(page, 0), shown(page)
    # The crossing from 99 to 100 is at x = 0.
    assert ys[xs.index(-0.5)] == 99
    assert ys[xs.index(0.5)] == 100
    page.run("document.activeElement.blur()")
    page.press(Keys.ARROW_UP)
    page.wait("s.view.trigger.level > 99.5")


def test_single_pauses(daemon: Start, page: Page, recording: Any) -> None:
    page.open(daemon(recording(5, 1000), "--loop").url)
    page.wait("s.frame")
    page.fill("trigger-level", "99.5")
    page.press("t", *"single")
    page.wait("s.view.paused && s.frame.flags & 1")


def test_the_spectrum_of_a_sine(daemon: Start, page: Page, tmp_path: Path) -> None:
    sine = 1000 + 100 * np.sin(2 * np.pi * 100 * np.arange(1000) / 1000)
    path = tmp_path / "a.zio"
    path.write_bytes(blocks.block(np.round(sine).astype("u2")))
    page.open(daemon(path).url)
    at_end(page, 0)
    page.fill("rate", "50000")
    page.run("document.activeElement.blur()")
    page.press("f")
    page.wait("document.getElementById('peak').innerText.includes('5 kHz')")
    assert "40.0 dB" in page.text("#peak")


def test_seconds(daemon: Start, page: Page, tmp_path: Path) -> None:
    """The control tells the rate: nothing is typed."""
    path = tmp_path / "a.zio"
    control = zio.make_control("zzero-0-0", rate=50000)
    with zio.open(str(path), create=True) as out:
        out.write(np.arange(1000, dtype="u2"), control)
    page.open(daemon(path).url)
    at_end(page, 0)
    wanted = [0, 999 / 50000]
    assert page.value("[s.data[0][0], s.data[0].at(-1)]") == pytest.approx(wanted)
    assert page.value("s.plot.axes[0].label") == "s"
    assert "50 kHz; " in page.text("#channels")
    page.press("a", "b")
    rows = page.value(
        "Array.from(document.querySelectorAll('#cursors tbody tr'), (r) => r.innerText)"
    )
    assert rows[0].split("\t") == ["x", "5 ms", "14.98 ms", "9.98 ms"]
    assert rows[-1].endswith("100.2 Hz")


def test_two_rates(daemon: Start, page: Page, tmp_path: Path) -> None:
    """Each sample is at its time: a value is the time in milliseconds."""
    path = tmp_path / "a.zio"
    with zio.open(str(path), create=True) as out:
        for chan, rate, late_ms in (0, 1000, 0), (1, 250, 3):
            control = zio.make_control(f"zzero-0-{chan}", 1_700_000_000, rate=rate)
            control["tstamp"]["ticks"] = late_ms * 1_000_000
            times = late_ms + np.arange(100) * 1000 // rate
            out.write(times.astype("u2"), control)
    page.open(daemon(path, "--speed", "0").url)
    page.wait("s.frame && s.frame.lines.length === 2")
    xs = shown(page, 0)
    for line in 1, 2:
        found = [(x, y) for x, y in zip(xs, shown(page, line)) if y is not None]
        assert len(found) == 100
        assert [1000 * x for x, _ in found] == pytest.approx([y for _, y in found])
    # uPlot joins the values of the slow channel, and shows no gap.
    assert page.value("s.data[2].some((v) => v === undefined)")
    assert page.value("s.data[2].every((v) => v !== null)")
    assert page.value("s.plot.axes[0].label") == "s"
    assert page.complaints() == []


def test_the_mouse(daemon: Start, page: Page, recording: Any) -> None:
    page.open(daemon(recording(5), "--speed", "0").url)
    at_end(page, 4)
    over = page.driver.find_element(By.CSS_SELECTOR, "#waveform .u-over")
    width = over.size["width"]
    ActionChains(page.driver).move_to_element_with_offset(
        over, -width // 4, 0
    ).click().perform()
    assert page.wait("s.cursors.a") == pytest.approx(255 / 4, abs=2)
    ActionChains(page.driver).move_to_element_with_offset(
        over, 0, 0
    ).click_and_hold().move_by_offset(width // 4, 0).release().perform()
    low, high = page.wait("s.view.range")
    assert (low, high) == (pytest.approx(127.5, abs=2), pytest.approx(191, abs=2))
    page.wait("s.frame.lines[0].points < 70")
    assert page.value("s.cursors.a") < 70
    ActionChains(page.driver).double_click(over).perform()
    page.wait("s.view.range === null && s.frame.lines[0].points === 256")


def test_the_demo(daemon: Start, page: Page) -> None:
    """Three channels in volts, and the losses of the second one"""
    page.open(daemon("--demo", "--speed", "8").url)
    page.wait("s.channels.length === 3 && s.channels.every((c) => c.unit === 'V')")
    page.wait("s.frame?.lines[0].points && s.channels[1].lost >= 2")
    assert page.value("s.channels[0].lost + s.channels[2].lost") == 0


def test_sixty_frames_a_second_at_most(daemon: Start, page: Page, recording: Any) -> None:
    path = recording(20_000, 32, step_ns=1_000_000)
    page.open(daemon(path, "--loop").url)
    page.wait("s.frame")
    first, begin = page.value("[s.frame.number, performance.now()]")
    page.wait(f"performance.now() > {begin} + 3000 && s.frame.number > {first} + 15")
    last, end = page.value("[s.frame.number, performance.now()]")
    assert (last - first) * 1000 / (end - begin) <= 61
