# SPDX-License-Identifier: GPL-2.0-only
"""Talk to an instrument: commands, answers, errors, and one acquisition."""

from __future__ import annotations

import errno
import math
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyvisa
from pyvisa.constants import StatusCode
from pyvisa.resources import SerialInstrument, TCPIPSocket
from zio.cli import CANNOT_OPEN, Failure

from .fields import expand
from .model import FORMATS, Model, Preamble, SetModel, Wait
from .settings import Setting

LIMITS = np.iinfo(np.int32)
# Read so many entries of the queue of errors at most: some instruments never empty it.
MOST_ERRORS = 20
# Seconds without a byte after which a stream of bytes is empty
QUIET = 0.1


class Lost(Failure):
    """The instrument does not answer any more."""


class ScpiError(OSError):
    """The instrument has refused a command, or not done it."""


@dataclass
class Waveform:
    """Samples of a channel, as they go into a block."""

    samples: np.ndarray[Any, np.dtype[Any]]
    is_clipped: bool = False


@dataclass(frozen=True)
class Scaling:
    """What a preamble tells. The period is in seconds, or None."""

    scale: float = 1.0
    offset: float = 0.0
    reference: float = 0.0
    origin: float = 0.0
    period: float | None = None


def errno_of(code: int) -> int:
    """Return the errno for a number of the queue of errors, as SCPI-99 orders them."""
    special = {-222: errno.ERANGE, -224: errno.EINVAL, -241: errno.ENXIO}
    special |= {-350: errno.EOVERFLOW, -365: errno.ETIMEDOUT}
    if code in special:
        return special[code]
    return errno.EINVAL if -199 <= code <= -100 else errno.EIO


def split_error(text: str) -> tuple[int, str]:
    """Split an entry of the queue of errors: -222,"Data out of range"."""
    found = re.match(r'\s*([+-]?\d+)\s*,?\s*"?(.*?)"?\s*$', text, re.S)
    return (int(found[1]), found[2]) if found else (1, text.strip())


class Instrument:
    """An open instrument. A call raises Lost if the connection has ended, and OSError if
    the instrument has not done what it should."""

    def __init__(self, manager: Any, resource: str) -> None:
        self.resource = resource
        self.errors = self.identity = ""
        # The last exchange had no end: its answer may still come.
        self.is_late = False
        try:
            self.handle = manager.open_resource(resource, open_timeout=5000)
        except Exception as error:  # noqa: BLE001: pyvisa-py raises plain ones
            remedy = "see zio-visa list, and whether another program has it open"
            raise Failure(
                f"{resource}: {reason(error)}: {remedy}", CANNOT_OPEN
            ) from error
        self._set_end("\n")
        self.handle.timeout = 5000

    def _set_end(self, text: str) -> None:
        self.handle.read_termination = self.handle.write_termination = text

    def use(self, model: Model) -> None:
        """Speak as the model says, and send its first commands."""
        self._set_end(model.end)
        self.handle.timeout = model.timeout_s * 1000
        self.errors = model.errors
        if not self.identity:
            self._learn_identity()
        for command in model.init:
            self.write(command)
        self.check()

    def _learn_identity(self) -> None:
        """Ask an instrument that --model need not know."""
        try:
            self.identity = self.ask("*IDN?")
        except ScpiError:
            self.forget_errors()

    def close(self) -> None:
        # pyvisa-py raises plain exceptions, and those of other libraries.
        with suppress(Exception):
            self.handle.close()

    # --- commands ---------------------------------------------------------------------

    @contextmanager
    def _talking(self, command: str) -> Iterator[None]:
        if self.is_late:
            self._clear()
        self.is_late = True
        try:
            yield
        except ValueError as error:
            raise ScpiError(
                errno.EPROTO, f"{command}: strange answer: {error}"
            ) from error
        except Exception as error:  # As in close()
            if not is_time_out(error):
                text = f"{self.resource}: the connection has ended: {reason(error)}"
                raise Lost(text) from error
            text = f"{command}: no answer within {self.handle.timeout / 1000:g} s"
            raise ScpiError(errno.ETIMEDOUT, text) from error
        self.is_late = False

    def _clear(self) -> None:
        """Drop what is left of an earlier exchange, such as its answer. An error comes
        again with the next command.
        """
        with suppress(Exception):
            if isinstance(self.handle, (SerialInstrument, TCPIPSocket)):
                self._drain()
            else:
                self.handle.clear()

    def _drain(self) -> None:
        """Read what has come. In pyvisa-py, clear() of a socket never ends if the peer has
        hung up, and serial lines have none.
        """
        timeout, self.handle.timeout = self.handle.timeout, QUIET * 1000
        end = time.monotonic() + timeout / 1000
        try:
            while time.monotonic() < end:
                self.handle.read_raw()
        finally:
            self.handle.timeout = timeout

    def _strange(self, text: str) -> ScpiError:
        """Return the error for an answer that makes no sense, say because it is that to
        another question.
        """
        self.is_late = True
        return ScpiError(errno.EPROTO, text)

    def write(self, command: str) -> None:
        with self._talking(command):
            self.handle.write(command)

    def ask(self, command: str) -> str:
        with self._talking(command):
            return str(self.handle.query(command)).strip()

    def ask_samples(self, command: str, cset: SetModel) -> np.ndarray[Any, np.dtype[Any]]:
        letter = FORMATS[cset.format][0]
        with self._talking(command):
            if not letter:
                values = self.handle.query_ascii_values(command, container=list)
                return np.array(values, "f8")
            found: np.ndarray[Any, np.dtype[Any]] = self.handle.query_binary_values(
                command, letter, cset.is_big_endian, container=np.array
            )
            return found

    def identify(self) -> str:
        try:
            self.identity = self.ask("*IDN?")
        except ScpiError as error:
            remedy = "name the model with --model"
            raise Failure(f"{self.resource}: {error.strerror}: {remedy}") from error
        except Lost as error:
            raise Lost(str(error), CANNOT_OPEN) from error
        return self.identity

    def probe(self) -> None:
        """Find out whether the instrument is still there, and answers what it is asked.
        Raise Lost.
        """
        # In front of the first answer there may be one to an earlier question.
        for _ in range(2):
            try:
                answer = self.ask("*IDN?")
            except ScpiError as error:
                raise Lost(
                    f"{self.resource}: the instrument is silent: {error.strerror}"
                ) from error
            if answer == (self.identity or answer):
                return
            self.is_late = True
        raise Lost(
            f"{self.resource}: the instrument answers {answer!r} to *IDN?, and no longer"
            f" {self.identity!r}"
        )

    def check(self) -> None:
        """Empty the queue of errors. Raise ScpiError for the first one."""
        first: ScpiError | None = None
        for _ in range(MOST_ERRORS if self.errors else 0):
            code, text = split_error(self.ask(self.errors))
            if code == 0:
                break
            first = first or ScpiError(errno_of(code), f"{code}: {text}")
        if first:
            raise first

    def forget_errors(self) -> None:
        with suppress(ScpiError):
            self.check()

    # --- settings ---------------------------------------------------------------------

    def get(self, setting: Setting, channel: str = "") -> int:
        """Return the value that a setting has."""
        query = expand(setting.query, channel=channel)
        try:
            return setting.number(self.ask(query))
        except ValueError as error:
            raise self._strange(f"{query}: {error}") from None

    def set(self, setting: Setting, value: int, channel: str = "") -> int:
        """Change a setting, and return the value that it has then."""
        word = setting.word(value)
        for command in setting.commands:
            self.write(expand(command, value=word, channel=channel))
        self.check()
        return self.get(setting, channel)

    # --- acquire ----------------------------------------------------------------------

    def scaling(self, preamble: Preamble, channel: str) -> Scaling:
        """Return what the preamble of a channel tells."""
        query = expand(preamble.query, channel=channel)
        answer = self.ask(query).split(",") if query else []
        found = {}
        for name, place in preamble.places.items():
            if isinstance(place, int) and place >= len(answer):
                text = f"{query}: {len(answer)} fields, {name} should be number {place}"
                raise self._strange(text)
            text = (
                answer[place]
                if isinstance(place, int)
                else self.ask(expand(place, channel=channel))
            )
            try:
                found[name] = float(text)
            except ValueError:
                what = f"{query or place}: {name} is {text!r}, which is not a number"
                raise self._strange(what) from None
        return Scaling(**found)

    def rate(self, cset: SetModel) -> float | None:
        """Return samples per second, if the model or the instrument knows them."""
        if not cset.preamble or "period" not in cset.preamble.places:
            return cset.rate
        self._select(cset, cset.channels[0], cset.nsamples)
        period = self.scaling(cset.preamble, cset.channels[0]).period
        return 1 / period if period and period > 0 else None

    def arm(self, cset: SetModel, nsamples: int, is_wanted: Callable[[], bool]) -> bool:
        """Start an acquisition, and wait for its end. Return false if nobody wants it any
        more.
        """
        for command in cset.arm:
            self.write(expand(command, nsamples=nsamples))
        self.check()
        try:
            is_over = not cset.wait or self._wait(cset.wait, is_wanted)
        except Lost:
            raise
        except BaseException:  # A signal, too
            with suppress(ScpiError, Lost):
                self._abort(cset)
            raise
        if not is_over:
            self._abort(cset)
        return is_over

    def _abort(self, cset: SetModel) -> None:
        for command in cset.abort:
            self.write(command)

    def _wait(self, wait: Wait, is_wanted: Callable[[], bool]) -> bool:
        begin = time.monotonic()
        while not self._is_over(wait):
            if wait.limit_s and time.monotonic() - begin > wait.limit_s:
                text = f"no acquisition within {wait.limit_s:g} s: is there a trigger?"
                raise ScpiError(errno.ETIMEDOUT, text)
            if not is_wanted():
                return False
            time.sleep(wait.poll_s)
        return True

    def _is_over(self, wait: Wait) -> bool:
        answer = self.ask(wait.query)
        try:
            return wait.is_over(answer)
        except ValueError:
            text = f"{wait.query}: {answer!r} is not a number"
            raise self._strange(text) from None

    def _select(self, cset: SetModel, channel: str, nsamples: int) -> None:
        for command in cset.select:
            self.write(expand(command, channel=channel, nsamples=nsamples))

    def read(
        self, cset: SetModel, channel: str, nsamples: int
    ) -> tuple[Waveform, Scaling]:
        """Return the samples of a channel of the last acquisition."""
        self._select(cset, channel, nsamples)
        scaling = Scaling()
        if cset.preamble:
            scaling = self.scaling(cset.preamble, channel)
        query = expand(cset.query, channel=channel, nsamples=nsamples)
        raw = self.ask_samples(query, cset)[:nsamples]
        self.check()
        if not len(raw):
            raise ScpiError(errno.ENODATA, f"{query}: no samples")
        if cset.scale is not None:
            return Waveform(raw), scaling
        return to_steps(raw, cset, scaling), scaling


def to_steps(
    raw: np.ndarray[Any, np.dtype[Any]], cset: SetModel, scaling: Scaling
) -> Waveform:
    """Return values as multiples of the resolution. What is too large, or no number, such
    as the 9.9E37 of an overload, becomes the largest number that fits.
    """
    values = (raw.astype("f8") - scaling.origin - scaling.reference) * scaling.scale
    steps = np.rint((values + scaling.offset) / cset.resolution)
    steps = np.where(np.isnan(steps), math.inf, steps)
    inside = np.clip(steps, LIMITS.min, LIMITS.max)
    return Waveform(inside.astype("i4"), bool((inside != steps).any()))


def is_time_out(error: Exception) -> bool:
    if isinstance(error, pyvisa.VisaIOError):
        return bool(error.error_code == StatusCode.error_timeout)
    number = error.errno if isinstance(error, OSError) else 0
    return isinstance(error, TimeoutError) or number == errno.ETIMEDOUT


def reason(error: Exception) -> str:
    """Return the words of an error of the library, on one line."""
    text = getattr(error, "description", None) or getattr(error, "strerror", None)
    return " ".join(str(text or error).split()) or type(error).__name__


def open_manager(backend: str) -> Any:
    try:
        return pyvisa.ResourceManager(backend)
    except (OSError, ValueError) as error:
        remedy = "use --backend=@py, or install that backend"
        raise Failure(f"{backend}: {reason(error)}: {remedy}", CANNOT_OPEN) from error
    except Exception as error:  # noqa: BLE001: pyvisa-sim says so of a wrong file
        raise Failure(f"{backend}: {reason(error)}", CANNOT_OPEN) from error
