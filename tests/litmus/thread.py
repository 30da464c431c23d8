# SPDX-License-Identifier: GPL-2.0-only
"""
Find the events of a thread of a litmus test, for all values that its reads may find. Find
also the reads that each event depends on.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from program import BINARY, UNARY, Invalid, Tree

# Indices of the reads that a value comes from
Taint = frozenset[int]
# A value or an address, and its taint
Value = tuple[Any, Taint]
NOTHING: Value = (None, frozenset())
# The values that can be in each place
Domain = dict[str, set[Any]]

FENCES = {
    "smp_mb": "Mb",
    "smp_rmb": "Rmb",
    "smp_wmb": "Wmb",
    "barrier": "Barrier",
    "smp_mb__before_atomic": "Before-atomic",
    "smp_mb__after_atomic": "After-atomic",
    "smp_mb__after_spinlock": "After-spinlock",
    "smp_mb__after_unlock_lock": "After-unlock-lock",
    "rcu_read_lock": "Rcu-lock",
    "rcu_read_unlock": "Rcu-unlock",
    "synchronize_rcu": "Sync-rcu",
}
LOADS = {
    "READ_ONCE": "Once",
    "rcu_dereference": "Once",
    "atomic_read": "Once",
    "smp_load_acquire": "Acquire",
    "atomic_read_acquire": "Acquire",
}
STORES = {
    "WRITE_ONCE": "Once",
    "atomic_set": "Once",
    "smp_store_release": "Release",
    "rcu_assign_pointer": "Release",
    "atomic_set_release": "Release",
}
OPS: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "or": lambda a, b: a | b,
    "and": lambda a, b: a & b,
    "andnot": lambda a, b: a & ~b,
}
UPDATE = re.compile(
    r"atomic_(?P<fetch>fetch_)?(?P<op>add|sub|inc|dec|or|andnot|and)"
    r"(?P<end>_return|_and_test)?(?P<order>_relaxed|_acquire|_release)?$"
)
EXCHANGE = re.compile(
    r"(?:atomic_)?(?P<op>xchg|cmpxchg)" r"(?P<order>_relaxed|_acquire|_release)?$"
)


@dataclass
class Event:
    kind: str  # R, W or F
    tags: frozenset[str]
    loc: Any = None
    value: Any = None
    addr: Taint = frozenset()
    data: Taint = frozenset()
    ctrl: Taint = frozenset()


@dataclass
class Trace:
    """The run of one thread whose reads found these values."""

    events: list[Event]
    rmw: list[tuple[int, int]]  # read and write, by index
    registers: dict[str, Any]


class NeedValue(Exception):
    def __init__(self, loc: str) -> None:
        super().__init__(loc)
        self.loc = loc


class Run:
    """One thread. Its reads find the values in @found, in turn."""

    def __init__(
        self, params: list[str], body: list[Tree], found: tuple[Any, ...]
    ) -> None:
        self.params, self.found = set(params), list(found)
        self.events: list[Event] = []
        self.rmw: list[tuple[int, int]] = []
        self.registers: dict[str, Value] = {}
        self.ctrl: list[Taint] = [frozenset()]
        self.walk(body)

    def trace(self) -> Trace:
        values = {name: value for name, (value, taint) in self.registers.items()}
        return Trace(self.events, self.rmw, values)

    def add(
        self, kind: str, *tags: str, loc: Value = NOTHING, value: Value = NOTHING
    ) -> int:
        self.events.append(
            Event(
                kind, frozenset(tags), loc[0], value[0], loc[1], value[1], self.ctrl[-1]
            )
        )
        return len(self.events) - 1

    def read(self, loc: Value, *tags: str, wanted: Any = None) -> Value:
        if not isinstance(loc[0], str):
            raise Invalid(f"{loc[0]!r} is no address")
        if wanted is not None:
            value = wanted
        elif self.found:
            value = self.found.pop(0)
        else:
            raise NeedValue(loc[0])
        index = self.add("R", *tags, loc=loc, value=(value, frozenset()))
        return value, frozenset([index])

    def write(self, loc: Value, value: Value, *tags: str) -> int:
        return self.add("W", *tags, loc=loc, value=value)

    def walk(self, statements: list[Tree]) -> None:
        for statement in statements:
            getattr(self, "do_" + statement[0])(*statement[1:])

    def do_store(self, address: Tree, value: Tree) -> None:
        self.write(self.eval(address), self.eval(value))

    def do_assign(self, name: str, value: Tree) -> None:
        self.registers[name] = self.eval(value)

    def do_call(self, call: Tree) -> None:
        self.eval(call)

    def do_if(self, test: Tree, then: list[Tree], other: list[Tree]) -> None:
        value, taint = self.eval(test)
        self.ctrl.append(self.ctrl[-1] | taint)
        self.walk(then if value else other)
        self.ctrl.pop()

    def eval(self, tree: Tree) -> Value:
        value: Value = getattr(self, "eval_" + tree[0])(*tree[1:])
        return value

    def eval_number(self, value: int) -> Value:
        return value, frozenset()

    def eval_name(self, name: str) -> Value:
        if name in self.registers:
            return self.registers[name]
        if name in self.params:
            return name, frozenset()
        return 0, frozenset()

    def eval_load(self, address: Tree) -> Value:
        return self.read(self.eval(address))

    def eval_unary(self, token: str, inner: Tree) -> Value:
        value, taint = self.eval(inner)
        return UNARY[token](value), taint

    def eval_binary(self, token: str, left: Tree, right: Tree) -> Value:
        a, b = self.eval(left), self.eval(right)
        return BINARY[token][1](a[0], b[0]), a[1] | b[1]

    def eval_call(self, name: str, args: list[Tree]) -> Value:
        if name in FENCES:
            self.add("F", FENCES[name])
            return 0, frozenset()
        if name in LOADS:
            return self.read(self.address(args[0]), LOADS[name])
        if name in STORES:
            self.write(self.address(args[0]), self.eval(args[1]), STORES[name])
            return 0, frozenset()
        if name.startswith("spin_"):
            return self.lock(name, self.eval(args[0]))
        match = EXCHANGE.match(name)
        if match:
            return self.exchange(match, *map(self.eval, args))
        match = UPDATE.match(name)
        if match:
            return self.update(match, args)
        raise Invalid(f"no such primitive: {name}")

    def address(self, tree: Tree) -> Value:
        """Return the address: READ_ONCE(*x) and atomic_read(x) name the same place."""
        return self.eval(tree[1] if tree[0] == "load" else tree)

    def lock(self, name: str, loc: Value) -> Value:
        if name == "spin_lock":
            read = self.read(loc, "LKR", wanted=0)
            self.link(read, self.write(loc, (1, frozenset()), "LKW"))
        elif name == "spin_unlock":
            self.write(loc, (0, frozenset()), "UL")
        elif name == "spin_is_locked":
            read = self.read(loc)
            self.events[-1].tags = frozenset(["RL" if read[0] else "RU"])
            return read
        else:
            raise Invalid(f"no such primitive: {name}")
        return 0, frozenset()

    def link(self, read: Value, index: int) -> None:
        self.rmw.append((min(read[1]), index))

    @staticmethod
    def orders(suffix: str | None) -> tuple[str, str, bool]:
        read = "Acquire" if suffix == "_acquire" else "Once"
        write = "Release" if suffix == "_release" else "Once"
        return read, write, suffix is None

    def exchange(self, match: re.Match[str], loc: Value, *values: Value) -> Value:
        order, end, full = self.orders(match["order"])
        mark = len(self.events)
        old = self.read(loc, order, "RMW")
        if match["op"] == "cmpxchg" and old[0] != values[0][0]:
            self.events[mark].tags -= {"RMW"}  # no order at all
            if order == "Acquire":
                self.events[mark].tags = frozenset(["Once"])
            return old
        if full:
            self.insert_fence(mark)
            old = old[0], frozenset([mark + 1])
        self.link(old, self.write(loc, values[-1], end, "RMW"))
        if full:
            self.add("F", "Mb")
        return old

    def insert_fence(self, at: int) -> None:
        """Insert a fence before the last event, a read."""
        fence = Event("F", frozenset(["Mb"]), ctrl=self.ctrl[-1])
        self.events.insert(at, fence)

    def update(self, match: re.Match[str], args: list[Tree]) -> Value:
        amount: Value = (1, frozenset())
        if match["op"] not in ("inc", "dec") and len(args) == 2:
            amount = self.eval(args[0])
        loc = self.eval(args[-1])
        op = OPS[{"inc": "add", "dec": "sub"}.get(match["op"], match["op"])]
        if not match["fetch"] and not match["end"]:
            old = self.read(loc, "Noreturn", "RMW")
            self.link(
                old, self.write(loc, (op(old[0], amount[0]), amount[1]), "Once", "RMW")
            )
            return 0, frozenset()
        order, end, full = self.orders(match["order"])
        if full:
            self.add("F", "Mb")
        old = self.read(loc, order, "RMW")
        new = op(old[0], amount[0])
        self.link(old, self.write(loc, (new, amount[1]), end, "RMW"))
        if full:
            self.add("F", "Mb")
        value = {None: old[0], "_return": new, "_and_test": int(new == 0)}[match["end"]]
        return value, old[1]


def all_traces(
    params: list[str], body: list[Tree], domain: Domain, limit: int = 20000
) -> list[Trace]:
    """Return all runs of a thread, for values of @domain in each place."""
    todo: list[tuple[Any, ...]] = [()]
    done: list[Trace] = []
    while todo:
        found = todo.pop()
        try:
            done.append(Run(params, body, found).trace())
        except NeedValue as need:
            values = domain.setdefault(need.loc, {0})
            todo += [found + (value,) for value in sorted(values, key=str)]
        if len(done) > limit:
            raise Invalid("too many ways for a thread to go")
    return done
