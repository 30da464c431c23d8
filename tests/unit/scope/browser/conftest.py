# SPDX-License-Identifier: GPL-2.0-only
"""A browser without a window, and a daemon for each test."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

HERE = Path(__file__).resolve().parent
SCOPE = HERE.parents[3] / "tools/programs/scope"
# Seconds, which only a hang reaches: a minute, on a machine that is eight times slower
SECONDS = 480
CHROMIUM, CHROMEDRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"
ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--force-device-scale-factor=1",
    "--hide-scrollbars",
    # That of a virtual machine is new in each run.
    "--ignore-certificate-errors",
)


class Daemon:
    """zio-scope, which can be started again on the same port."""

    def __init__(self, work: Path, *words: str | Path) -> None:
        self.work, self.words, self.port = work, words, "0"
        self.url = ""
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        command = [SCOPE / "zio-scope", "--port", self.port, "--token-file"]
        words = [str(word) for word in (*command, self.work / "token", *self.words)]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        lines: queue.Queue[str] = queue.Queue()
        read = self.process.stdout.readline if self.process.stdout else str
        threading.Thread(target=lambda: lines.put(read()), daemon=True).start()
        words = lines.get(timeout=SECONDS).split()
        assert words, "the daemon has ended"
        self.port = words[0].split(":")[2].split("/")[0]
        self.url = f"{words[0]}#token={(self.work / 'token').read_text().strip()}"

    def stop(self, number: int = signal.SIGTERM) -> int:
        assert self.process
        self.process.send_signal(number)
        status = self.process.wait(SECONDS)
        if self.process.stdout:
            self.process.stdout.close()
        self.process = None
        return status


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Callable[..., Daemon]]:
    """Return a function that starts a daemon with these words."""
    started: list[Daemon] = []

    def start(*words: str | Path) -> Daemon:
        started.append(Daemon(tmp_path, *words))
        started[-1].start()
        return started[-1]

    yield start
    for one in started:
        if one.process:
            one.stop()


class Page:
    """The page in the browser. Functions of JavaScript see the state as `s`."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, url: str) -> Page:
        self.driver.get(url)
        return self

    def run(self, code: str) -> Any:
        return self.driver.execute_script(f"const s = window.zioScope; {code}")

    def value(self, code: str) -> Any:
        return self.run(f"return {code}")

    def wait(self, code: str) -> Any:
        """Wait until the expression @code is true. Return its value."""
        return self.until(lambda: self.value(code), code)

    def until(self, condition: Callable[[], Any], what: str) -> Any:
        """Wait until the condition is true. Return its value."""
        end = time.monotonic() + SECONDS
        while True:
            if found := condition():
                return found
            if time.monotonic() > end:
                text = self.value("document.body.innerText")
                raise AssertionError(f"never true: {what}\n{text}")
            time.sleep(0.05)

    def text(self, selector: str) -> str:
        return str(self.driver.find_element(By.CSS_SELECTOR, selector).text)

    def press(self, *keys: str) -> None:
        """Press keys where the focus is."""
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def fill(self, name: str, text: str) -> None:
        """Type @text into the field with the id @name, instead of what it has."""
        field = self.driver.find_element(By.ID, name)
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(text, Keys.ENTER)
        self.run("document.activeElement.blur()")

    def resize(self, width: int, height: int = 900) -> None:
        """Set the size of the page itself. A window has a smallest width."""
        metrics: dict[str, Any] = {"width": width, "height": height, "mobile": False}
        metrics["deviceScaleFactor"] = 1
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        self.wait(f"innerWidth === {width}")

    def scheme(self, name: str) -> None:
        features = [{"name": "prefers-color-scheme", "value": name}]
        command = "Emulation.setEmulatedMedia"
        self.driver.execute_cdp_cmd(command, {"features": features})

    def complaints(self) -> list[str]:
        """Return what the browser itself has complained of since the last call."""
        log = self.driver.get_log("browser")
        return [entry["message"] for entry in log if entry["level"] == "SEVERE"]


@contextlib.contextmanager
def driver() -> Iterator[Any]:
    """Start a browser. End it with the block."""
    for name in (CHROMIUM, CHROMEDRIVER):
        if not os.path.exists(name):
            pytest.skip(f"there is no {name}: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    for argument in ARGUMENTS:
        options.add_argument(argument)
    options.binary_location = CHROMIUM
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = Service(CHROMEDRIVER, env={**os.environ, "TZ": "UTC"})
    browser = webdriver.Chrome(service=service, options=options)
    try:
        yield browser
    finally:
        browser.quit()


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    with driver() as one:
        yield one


@pytest.fixture
def page(browser: Any) -> Page:
    """Return a page without a memory of other tests."""
    browser.get("about:blank")
    command = "Storage.clearDataForOrigin"
    for origin in ("*",):
        browser.execute_cdp_cmd(command, {"origin": origin, "storageTypes": "all"})
    browser.delete_all_cookies()
    found = Page(browser)
    found.resize(1600)
    found.scheme("light")
    found.complaints()
    return found
