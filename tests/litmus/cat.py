# SPDX-License-Identifier: GPL-2.0-only
"""
Read the language "cat", in which the kernel's memory model is written. This module knows
the part of the language that linux-kernel.bell and linux-kernel.cat use.
"""

import re
from collections.abc import Callable
from typing import Any

from cursor import Cursor
from relation import (
    CHECKS,
    Relation,
    closure,
    compose,
    cross,
    domain,
    inverse,
    merge,
    restrict,
    span,
    with_identity,
)

TOKEN = re.compile(
    r"""\(\*.*?\*\)|//[^\n]*|"[^"]*"|\s+|
    (?P<token>[A-Za-z_][\w.-]*|\^-1|'[\w-]+|\|\||[][~|;\\&*+?(){}=,_<>])|
    (?P<bad>.)""",
    re.X | re.S,
)
KEYWORDS = "let rec and in flag as enum instructions include show".split()
KEYWORDS += CHECKS
# Of a context and the values of parameters: a set, a relation, or a function
Body = Callable[..., Any]


# --- the model, compiled to functions of a context --------------------------------


class Model:
    """Definitions in order; checks that forbid an execution; and flags on it."""

    def __init__(self, texts: list[str]) -> None:
        self.scope: dict[str, str] = {}  # name in the file -> name of its last definition
        self.body: dict[str, Body] = {}  # that -> function of a context
        self.needs: dict[str, set[str]] = {}  # that -> names that it is made of
        # kind, negated, function, name, is a flag
        self.checks: list[tuple[str, bool, Body, str, bool]] = []
        for text in texts:
            Parser(self, text).run()
        self.changing = self.find_changing()

    def find_changing(self) -> set[str]:
        """Return the names whose value differs between executions of the same events."""
        found = {"rf", "co", "fr", "rfe", "rfi", "coe", "coi", "fre", "fri"}
        while True:
            more = {
                name
                for name, needs in self.needs.items()
                if name not in found and needs & found
            }
            if not more:
                return found
            found |= more


class Context:
    """An execution. @base has what is given, @fixed what was computed from that alone."""

    def __init__(
        self, model: Model, size: int, base: dict[str, Any], fixed: dict[str, Any]
    ) -> None:
        self.model, self.size, self.base, self.fixed = model, size, base, fixed
        self.all = (1 << size) - 1
        self.known: dict[str, Any] = {}

    def get(self, name: str) -> Any:
        if name in self.base:
            return self.base[name]
        known = self.known if name in self.model.changing else self.fixed
        if name not in known:
            body = self.model.body.get(name)
            known[name] = body(self, {}) if body else 0
        return known[name]

    def is_allowed(self) -> bool:
        return all(
            CHECKS[kind](body(self, {})) != negated
            for kind, negated, body, name, flag in self.model.checks
            if not flag
        )

    def flags(self) -> set[str]:
        return {
            name
            for kind, negated, body, name, flag in self.model.checks
            if flag and CHECKS[kind](body(self, {})) != negated
        }


def fencerel(ctx: Context, fences: int) -> Relation:
    po = ctx.get("po")
    return compose(compose(po, restrict(fences, ctx.size)), po)


BUILTIN: dict[str, Callable[..., Any]] = {
    "domain": lambda ctx, a: domain(a),
    "range": lambda ctx, a: span(a),
    "fencerel": fencerel,
    "different-values": lambda ctx, a: (0,) * ctx.size,  # of SRCU alone
}


class Parser(Cursor):
    def __init__(self, model: Model, text: str) -> None:
        super().__init__(TOKEN, text)
        self.model = model
        self.locals: list[str] = []
        self.used: set[str] = set()

    def run(self) -> None:
        while self.peek():
            self.statement()

    def statement(self) -> None:
        word = self.next()
        if word == "let":
            self.let()
        elif word in ("flag", *CHECKS):
            self.check(word)
        elif word in ("enum", "instructions", "include", "show"):
            # explore.py knows the tags, and where locks come from.
            while self.peek() and self.peek() not in KEYWORDS:
                self.at += 1
        else:
            raise SyntaxError(f"cat: {word!r}")

    def check(self, word: str) -> None:
        flag = word == "flag"
        negated = flag and self.accept("~")
        kind = self.next() if flag else word
        body = self.union()
        name = self.next() if self.accept("as") else kind
        self.model.checks.append((kind, negated, body, name, flag))

    # --- definitions

    def define(self, name: str, body: Body) -> None:
        unique = f"{name}#{len(self.model.body)}"
        self.model.body[unique] = body
        self.model.needs[unique] = self.used
        self.model.scope[name] = unique

    def let(self) -> None:
        if self.accept("rec"):
            self.recursive()
            return
        name = self.next()
        self.used = set()
        if self.accept("("):
            self.function(name)
            return
        self.next("=")
        if self.accept("let"):  # let x = let rec ... in x
            self.next("rec")
            self.recursive()
            self.next("in")
            self.used = set()
        self.define(name, self.union())

    def function(self, name: str) -> None:
        param = self.next()
        self.next(")")
        self.next("=")
        self.locals.append(param)
        body = self.union()
        self.locals.pop()
        self.define(name, lambda ctx, args: lambda value: body(ctx, {param: value}))
        # Its value depends on the execution: treat it as reads-from.
        self.model.needs[self.model.scope[name]] = self.used | {"rf"}

    def recursive(self) -> None:
        """Define the least fixed point. All relations begin empty."""
        group: list[tuple[str, str]] = []
        used: set[str] = set()
        start = self.at
        self.find_names(group)
        self.at = start
        names = [name for name, unique in group]
        for name, unique in group:
            self.model.scope[name] = unique
        bodies = []
        for i, name in enumerate(names):
            self.next(name)
            self.next("=")
            self.used = set()
            bodies.append(self.union())
            used |= self.used
            if i + 1 < len(names):
                self.next("and")
        self.bind(group, bodies, used)

    def find_names(self, group: list[tuple[str, str]]) -> None:
        """Collect the names of "NAME = ... and NAME = ..."."""
        while True:
            name = self.next()
            group.append((name, f"{name}#{len(self.model.body) + len(group)}"))
            while self.peek() and self.peek() not in KEYWORDS:
                self.at += 1
            if not self.accept("and"):
                return

    def bind(
        self, group: list[tuple[str, str]], bodies: list[Body], used: set[str]
    ) -> None:
        uniques = [unique for name, unique in group]

        def solve(ctx: Context) -> dict[str, Any]:
            now = {unique: (0,) * ctx.size for unique in uniques}
            while True:
                inner = Context(ctx.model, ctx.size, {**ctx.base, **now}, ctx.fixed)
                inner.known = {k: v for k, v in ctx.known.items() if k not in uniques}
                new = {}
                for unique, body in zip(uniques, bodies):
                    new[unique] = body(inner, {})
                    inner.base[unique] = new[unique]
                if new == now:
                    return now
                now = new

        for unique in uniques:
            self.model.body[unique] = lambda ctx, args, u=unique: solve(ctx)[u]
            self.model.needs[unique] = used - set(uniques)

    # --- expressions, by rising precedence

    def binary(
        self, token: str, below: Callable[[], Body], how: Callable[..., Any]
    ) -> Body:
        left = below()
        if self.peek() != token:
            return left
        self.next()
        right = self.binary(token, below, how)
        return lambda ctx, args: how(ctx, left(ctx, args), right(ctx, args))

    def union(self) -> Body:
        return self.binary(
            "|", self.sequence, lambda ctx, a, b: merge(a, b, lambda x, y: x | y)
        )

    def sequence(self) -> Body:
        return self.binary(";", self.difference, lambda ctx, a, b: compose(a, b))

    def difference(self) -> Body:
        left = self.intersection()
        while self.accept("\\"):
            left = self.without(left, self.intersection())
        return left

    @staticmethod
    def without(left: Body, right: Body) -> Body:
        return lambda ctx, args: merge(
            left(ctx, args), right(ctx, args), lambda x, y: x & ~y
        )

    def intersection(self) -> Body:
        return self.binary(
            "&", self.product, lambda ctx, a, b: merge(a, b, lambda x, y: x & y)
        )

    def product(self) -> Body:
        return self.binary("*", self.postfix, lambda ctx, a, b: cross(a, b, ctx.size))

    def postfix(self) -> Body:
        body = self.prefix()
        while True:
            if self.accept("+"):
                body = self.apply(closure, body)
            elif self.accept("?"):
                body = self.apply(with_identity, body)
            elif self.accept("^-1"):
                body = self.apply(inverse, body)
            elif self.peek() == "*" and not self.starts_operand(1):
                self.next()
                body = self.apply(lambda a: with_identity(closure(a)), body)
            else:
                return body

    @staticmethod
    def apply(how: Callable[[Any], Any], body: Body) -> Body:
        return lambda ctx, args: how(body(ctx, args))

    def starts_operand(self, ahead: int) -> bool:
        token = self.peek(ahead)
        is_name = re.match(r"[A-Za-z_]", token) and token not in KEYWORDS
        return token in ("(", "[", "~") or bool(is_name)

    def prefix(self) -> Body:
        if self.accept("~"):
            body = self.prefix()
            return lambda ctx, args: ctx.all & ~body(ctx, args)
        if self.accept("("):
            body = self.union()
            self.next(")")
            return body
        if self.accept("["):
            body = self.union()
            self.next("]")
            return lambda ctx, args: restrict(body(ctx, args), ctx.size)
        return self.word()

    def word(self) -> Body:
        name = self.next()
        if self.peek() == "(":
            return self.call(name)
        if name in self.locals:
            return lambda ctx, args: args[name]
        name = self.model.scope.get(name, name)
        self.used.add(name)
        return lambda ctx, args: ctx.get(name)

    def call(self, name: str) -> Body:
        self.next("(")
        value = self.union()
        self.next(")")
        if name in BUILTIN:
            self.used.add("po")
            return lambda ctx, args: BUILTIN[name](ctx, value(ctx, args))
        unique = self.model.scope[name]
        self.used.add(unique)
        return lambda ctx, args: ctx.get(unique)(value(ctx, args))
