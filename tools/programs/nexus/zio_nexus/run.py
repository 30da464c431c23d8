# SPDX-License-Identifier: GPL-2.0-only
"""The command "record": read the sources, and write HDF5 or another format."""

import argparse
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from .convert import FORMATS, find_converter, format_of
from .failure import (
    BY_SIGNAL,
    LOST,
    NOT_STORED,
    OK,
    BrokenFile,
    Failure,
    SourceFailure,
    StoreFailure,
    UsageFailure,
    explain,
    say,
    tell,
)
from .placing import Placer
from .session import Clock, Progress, Stop, Tally
from .source import GroupSource, Source, Step
from .superblock import is_hdf
from .survey import survey
from .target import Target


class Sink(Protocol):
    """What takes the blocks. @stored is the number of blocks on the disk."""

    @property
    def stored(self) -> int: ...

    def add(self, step: Step) -> None: ...

    def flush(self) -> None: ...

    def finish(self) -> None: ...

    def give_up(self) -> None: ...

    def notes(self) -> dict[str, Any]: ...


def run_record(values: argparse.Namespace) -> int:
    if not values.output:
        raise UsageFailure(
            f"where to? use --output=FILE, in {', '.join(FORMATS)} or HDF5"
        )
    target = _make_target(values)
    # Imports take a while, during which an open channel would lose blocks.
    make_sink, needs_streams = _find_sink(values.to), _needs_streams(values.to)
    source = _open(values)
    try:
        placer = Placer(values.rate)
        known = survey(source, placer, needs_streams)
        sink = make_sink(values, source, target, placer, known)
        return Session(values, source, target, sink, placer).run()
    finally:
        source.close()


def _make_target(values: argparse.Namespace) -> Target:
    values.to = values.to or format_of(values.output)
    rotates = bool(values.rotate_size or values.rotate_time)
    if rotates and values.to != "hdf5":
        raise UsageFailure(f"--rotate-size and --rotate-time need HDF5, not {values.to}")
    if values.output == "-":
        raise UsageFailure("the output is a file, not a pipe")
    return Target(values.output, rotates, values.force)


def _open(values: argparse.Namespace) -> Source:
    if values.group:
        return GroupSource(values.names, values.window, values.limit, values.queued)
    if len(values.names) == 1 and _is_hdf(values.names[0]):
        from .hdf import FileSource  # noqa: PLC0415

        return FileSource(values.names[0])
    method = None if values.method == "auto" else values.method
    return Source(values.names, method, values.queued)


def _is_hdf(name: str) -> bool:
    """Return whether a file has the signature. The package zio explains errors."""
    try:
        return os.path.isfile(name) and is_hdf(name)
    except OSError:
        return False


def _find_sink(to: str) -> Callable[..., Sink]:
    """Import what a format needs, and return a function that makes a sink. Importing HDF5
    is half of the start-up time, which other formats avoid.
    """
    if to == "hdf5":
        from .record import make_recorder  # noqa: PLC0415

        return make_recorder
    return find_converter(to)


def _needs_streams(to: str) -> bool:
    """Return whether a format fills holes, but only in streams."""
    return to != "hdf5" and find_converter(to).paced


class Session:
    """One recording, from the first block to the totals."""

    def __init__(
        self,
        values: argparse.Namespace,
        source: Source,
        target: Target,
        sink: Sink,
        placer: Placer,
    ) -> None:
        self.values = values
        self.source = source
        self.target = target
        self.sink = sink
        self.placer = placer
        self.tally = Tally(placer)
        self.stop = Stop()
        self.end = "end of file"
        self.steps = iter(source)

    def run(self) -> int:
        self.stop.catch()
        wanted = False if self.values.quiet else self.values.progress or None
        progress = Progress(self.tally, wanted)
        try:
            source_failure = self._copy_all(progress)
            self.sink.finish()
        except Failure as failure:
            return self._fail(failure, progress)
        except OSError as error:
            return self._fail(StoreFailure(explain(error)), progress)
        except BaseException:
            self._keep_what_came()
            raise
        progress.end()
        if source_failure:
            say(self.end)
        self._report()
        return source_failure.status if source_failure else self._status()

    def _copy_all(self, progress: Progress) -> SourceFailure | None:
        """Copy to the end; return the error of the source if it ended the copy."""
        try:
            self._copy(progress)
        except SourceFailure as failure:
            self.end = str(failure)
            return failure
        return None

    def _copy(self, progress: Progress) -> None:
        clock = Clock(self.values.flush, self.sink.flush)
        for step in self.steps:
            step = self._limit(step)
            failure = self._count(step)
            if failure and step.events:
                counts = [self.tally.blocks[name] for name in self.source.group]
                step = Step(step.runs, step.events.of_blocks(counts))
            self.sink.add(step)
            if failure:
                raise failure
            clock.look()
            progress.show()
            if self._has_count():
                return
            if self._is_over():
                self.source.stop()

    def _count(self, step: Step) -> SourceFailure | None:
        """Place and count the blocks of @step. If a control contradicts itself, cut @step
        there and return the failure.
        """
        for number, run in enumerate(step.runs):
            try:
                self.placer.place(run)
            except SourceFailure as failure:
                del step.runs[number + bool(len(run)) :]
                self.tally.add(run)
                return failure
            self.tally.add(run)
        return None

    def _count_rest(self) -> None:
        """Count the blocks that the source has read but nothing takes any more."""
        self.source.stop()
        try:
            for step in self.steps:
                if self._has_count():
                    return
                self._count(self._limit(step))
        except SourceFailure:
            return

    def _limit(self, step: Step) -> Step:
        """Return the part of @step up to the last wanted block."""
        if not self.values.count:
            return step
        left = self.values.count - self.tally.total()
        events = step.events
        if events is not None:
            # Do not split an event, which may have a few blocks more.
            events = events.up_to(left)
            left = events.blocks()
        return Step(list(_first(step, left)), events)

    def _has_count(self) -> bool:
        if not self.values.count or self.tally.total() < self.values.count:
            return False
        self.end = "count"
        return True

    def _is_over(self) -> bool:
        if self.stop.signal:
            self.end = f"signal {self.stop.signal}"
        elif self.values.duration and self.tally.seconds() >= self.values.duration:
            self.end = "duration"
        else:
            return False
        return True

    def _fail(self, failure: Failure, progress: Progress) -> int:
        """Keep what there is, and report what is missing."""
        progress.end()
        self.end = str(failure)
        say(self.end)
        if not isinstance(failure, BrokenFile):
            try:
                self.sink.give_up()
            except BrokenFile as broken:
                failure = broken
                say(str(broken))
        self._count_rest()
        self._report()
        if isinstance(failure, BrokenFile):
            _leave_at_once(failure.status)
        return failure.status

    def _keep_what_came(self) -> None:
        """Keep what there is after a bug in the program itself, and print the error."""
        try:
            self.sink.give_up()
        except BrokenFile as broken:
            traceback.print_exc()
            _leave_at_once(broken.status)
        except Failure as failure:
            say(str(failure))

    def _status(self) -> int:
        if self.stop.signal:
            return BY_SIGNAL + self.stop.signal
        if self._not_stored():
            return NOT_STORED
        return OK if self.tally.account().is_clean else LOST

    def _report(self) -> None:
        if missing := self._not_stored():
            blocks = self.tally.total()
            say(f"{missing} of the {blocks} blocks read are not stored")
        elif not self.values.quiet:
            say(self.tally.text())
        if not self.values.quiet:
            self.tally.say_faults()
        if self.values.json:
            tell(json.dumps(self._summary(), indent=2))

    def _not_stored(self) -> int:
        """Return how many blocks of the account are not in the files."""
        return self.tally.account().blocks - self.sink.stored

    def _summary(self) -> dict[str, Any]:
        return {
            "files": self.target.files,
            "format": self.values.to,
            "end": self.end,
            "stored": self.sink.stored,
            "not_stored": self._not_stored(),
            **self.tally.report(),
            "filled": self.sink.notes(),
        }


def _first(step: Step, count: int) -> Iterator[Any]:
    """Yield the runs of @step with the first @count blocks in the order of the source."""
    total = sum(len(run) for run in step.runs)
    if total <= count:
        yield from step.runs
        return
    order = sorted(number for run in step.runs for number in run.order)
    for run in step.runs:
        end = int((run.order < order[count]).sum())
        if end:
            yield run.part(0, end)


def _leave_at_once(status: int) -> None:
    """Exit without the cleanup of HDF5, which would try to write again and crash."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
