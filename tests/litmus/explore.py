# SPDX-License-Identifier: GPL-2.0-only
"""
Find all executions of a litmus test that a memory model allows.

Each thread runs for all values that its reads may find. A choice is one run of each
thread. For each choice, this module tries all writes that each read can read from. It
also tries all orders of the writes of each place. The model tells which of these
executions it allows.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import permutations, product
from typing import Any

from cat import Context, Model
from program import Test, holds
from relation import Relation, compose, inverse
from thread import FENCES, Domain, Event, Trace, all_traces

TAGS = "Once Release Acquire Noreturn LKR LKW UL RL RU RMW".split()
SETS = (*TAGS, *FENCES.values())
# A run of each thread
Choice = tuple[Trace, ...]


class Result:
    def __init__(self) -> None:
        self.allowed = 0  # executions
        self.bad = 0  # those of them that the condition describes
        self.flags: set[str] = set()  # what the model reports about the test: races

    def word(self) -> str:
        if not self.bad:
            return "Never"
        return "Always" if self.bad == self.allowed else "Sometimes"


def find_traces(test: Test) -> list[list[Trace]]:
    """Return the runs of each thread, which give the values that can be anywhere."""
    domain: Domain = {loc: {value} for loc, value in test.init.items()}
    for _ in range(5):
        before = {loc: set(values) for loc, values in domain.items()}
        traces = [all_traces(*part, domain) for part in test.threads]
        for trace in (trace for part in traces for trace in part):
            for event in trace.events:
                if event.kind == "W":
                    domain.setdefault(event.loc, {0}).add(event.value)
        if domain == before:
            break
    return traces


def combinations(test: Test, traces: list[list[Trace]]) -> Iterator[Choice]:
    """Yield one run of each thread, where each value that a read finds was written."""
    for choice in product(*traces):
        written, wanted = set(), set()
        for trace in choice:
            for event in trace.events:
                if event.kind == "W":
                    written.add((event.loc, event.value))
                elif event.kind == "R":
                    wanted.add((event.loc, event.value))
        if all(
            pair in written or test.init.get(pair[0], 0) == pair[1] for pair in wanted
        ):
            yield choice


class Events:
    """The events of one choice. The writes of the initial state come first."""

    def __init__(self, test: Test, choice: Choice) -> None:
        self.list: list[Event] = []
        self.thread: list[int] = []
        self.offset: list[int] = []
        locs: list[str] = []
        for trace in choice:
            locs += [e.loc for e in trace.events if e.loc is not None]
        locs = sorted(set(locs))
        for loc in locs:
            self.list.append(Event("W", frozenset(), loc, test.init.get(loc, 0)))
            self.thread.append(-1)
        for number, trace in enumerate(choice):
            self.offset.append(len(self.list))
            self.list += trace.events
            self.thread += [number] * len(trace.events)
        self.n_init, self.size, self.locs = len(locs), len(self.list), locs
        self.base = self.make_base(choice)
        self.fixed: dict[str, Any] = {}

    def where(self, test: Callable[[Event], bool]) -> int:
        return sum(1 << i for i, event in enumerate(self.list) if test(event))

    def relation(self, test: Callable[[int, Event, int, Event], bool]) -> Relation:
        events = list(enumerate(self.list))
        return tuple(
            sum(1 << j for j, b in events if test(i, a, j, b)) for i, a in events
        )

    def from_pairs(self, pairs: Iterable[tuple[int, int]]) -> Relation:
        rows = [0] * self.size
        for i, j in pairs:
            rows[i] |= 1 << j
        return tuple(rows)

    def make_base(self, choice: Choice) -> dict[str, Any]:
        base: dict[str, Any] = dict.fromkeys(SETS, 0)
        for i, event in enumerate(self.list):
            for tag in event.tags:
                base[tag] |= 1 << i
        base["IW"] = (1 << self.n_init) - 1
        base["R"] = self.where(lambda e: e.kind == "R")
        base["W"] = self.where(lambda e: e.kind == "W")
        base["F"] = self.where(lambda e: e.kind == "F")
        base["M"] = base["R"] | base["W"]
        base["LF"] = base["RL"]
        base["Release"] |= base["UL"]
        base["Acquire"] |= base["LKR"]
        self.add_relations(base)
        self.add_dependencies(base, choice)
        return base

    def add_relations(self, base: dict[str, Any]) -> None:
        thread = self.thread
        base["emptyset"] = 0
        base["id"] = tuple(1 << i for i in range(self.size))
        base["int"] = self.relation(lambda i, a, j, b: thread[i] == thread[j])
        base["ext"] = self.relation(lambda i, a, j, b: thread[i] != thread[j])
        base["loc"] = self.relation(
            lambda i, a, j, b: a.loc is not None and a.loc == b.loc
        )
        base["po"] = self.relation(
            lambda i, a, j, b: i < j and thread[i] >= 0 and thread[i] == thread[j]
        )
        base["po-loc"] = tuple(a & b for a, b in zip(base["po"], base["loc"]))

    def add_dependencies(self, base: dict[str, Any], choice: Choice) -> None:
        for name in ("addr", "data", "ctrl"):
            base[name] = self.from_pairs(
                (offset + i, offset + j)
                for trace, offset in zip(choice, self.offset)
                for j, event in enumerate(trace.events)
                for i in getattr(event, name)
            )
        base["rmw"] = self.from_pairs(
            (offset + i, offset + j)
            for trace, offset in zip(choice, self.offset)
            for i, j in trace.rmw
        )

    def may_read(self, write: int, read: int) -> bool:
        a, b = self.list[write], self.list[read]
        return (
            a.kind == "W"
            and a.loc == b.loc
            and a.value == b.value
            and not (self.thread[write] == self.thread[read] and write > read)
        )

    def all_rf(self) -> Iterator[Relation]:
        reads = [i for i, event in enumerate(self.list) if event.kind == "R"]
        sources = [[w for w in range(self.size) if self.may_read(w, r)] for r in reads]
        for choice in product(*sources):
            yield self.from_pairs(zip(choice, reads))

    def orders_of(self, loc: str) -> Iterator[tuple[int, ...]]:
        """Yield orders of its writes. The writes of one thread keep their order."""
        writes = [
            i
            for i in range(self.n_init, self.size)
            if self.list[i].kind == "W" and self.list[i].loc == loc
        ]
        for order in permutations(writes):
            if all(
                self.thread[a] != self.thread[b] or a < b
                for n, a in enumerate(order)
                for b in order[n + 1 :]
            ):
                yield (self.locs.index(loc), *order)

    def all_co(self) -> Iterator[tuple[dict[str, Any], Relation]]:
        for orders in product(*(list(self.orders_of(loc)) for loc in self.locs)):
            last = {
                loc: self.list[order[-1]].value for loc, order in zip(self.locs, orders)
            }
            yield (
                last,
                self.from_pairs(
                    (a, b)
                    for order in orders
                    for n, a in enumerate(order)
                    for b in order[n + 1 :]
                ),
            )


def make_execution(model: Model, events: Events, rf: Relation, co: Relation) -> Context:
    base = dict(events.base)
    fr = compose(inverse(rf), co)
    for name, rel in (("rf", rf), ("co", co), ("fr", fr)):
        base[name] = rel
        base[name + "i"] = tuple(a & b for a, b in zip(rel, base["int"]))
        base[name + "e"] = tuple(a & b for a, b in zip(rel, base["ext"]))
    return Context(model, events.size, base, events.fixed)


def final_state(choice: Choice, memory: dict[str, Any]) -> dict[str, Any]:
    state = dict(memory)
    for number, trace in enumerate(choice):
        for name, value in trace.registers.items():
            state[f"{number}:{name}"] = value
    return state


def explore(model: Model, test: Test) -> Result:
    result = Result()
    for choice in combinations(test, find_traces(test)):
        events = Events(test, choice)
        orders = list(events.all_co())
        for rf, (memory, co) in product(events.all_rf(), orders):
            execution = make_execution(model, events, rf, co)
            if not execution.is_allowed():
                continue
            result.allowed += 1
            result.bad += holds(test.condition, final_state(choice, memory))
            result.flags |= execution.flags()
    return result
