# SPDX-License-Identifier: GPL-2.0-only
"""Read a litmus test in C, in the format of herd7: the part of C that the tests use."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from cursor import Cursor

TOKEN = re.compile(
    r"\s+|(?P<token>\d+|\w+|==|!=|<=|>=|&&|\|\||->|[-+&|^~!<>=*(){};,])|" r"(?P<bad>.)",
    re.S,
)
COMMENT = re.compile(r"\(\*\s.*?\*\)|/\*.*?\*/|//[^\n]*", re.S)
THREAD = re.compile(r"P(\d+)\s*\(([^)]*)\)\s*\{", re.S)
TYPES = {"int", "unsigned", "u32", "atomic_t", "spinlock_t", "bool"}

# A node of a tree: what it is, and its parts
Tree = tuple[Any, ...]
# The parameters and the statements of a thread
Thread = tuple[list[str], list[Tree]]

BINARY: dict[str, tuple[int, Callable[[Any, Any], int]]] = {
    "||": (1, lambda a, b: int(bool(a or b))),
    "&&": (2, lambda a, b: int(bool(a and b))),
    "|": (3, lambda a, b: a | b),
    "&": (4, lambda a, b: a & b),
    "==": (5, lambda a, b: int(a == b)),
    "!=": (5, lambda a, b: int(a != b)),
    "<": (6, lambda a, b: int(a < b)),
    ">": (6, lambda a, b: int(a > b)),
    "+": (7, lambda a, b: a + b),
    "-": (7, lambda a, b: a - b),
}
UNARY: dict[str, Callable[[Any], int]] = {
    "!": lambda a: int(not a),
    "~": lambda a: ~a,
    "-": lambda a: -a,
}


class Invalid(SyntaxError):
    """The test has a statement that this reader does not know."""


@dataclass
class Test:
    name: str
    header: str
    init: dict[str, Any]
    threads: list[Thread] = field(default_factory=list)
    condition: Tree = ()


class Parser(Cursor):
    def block(self) -> list[Tree]:
        self.next("{")
        out: list[Tree] = []
        while not self.accept("}"):
            out += self.statement()
        return out

    def body(self) -> list[Tree]:
        return self.block() if self.peek() == "{" else self.statement()

    def statement(self) -> list[Tree]:
        if self.accept(";"):
            return []
        if self.accept("if"):
            return [self.condition()]
        if self.peek() in TYPES:
            return self.declaration()
        if self.accept("*"):
            address = self.unary()
            self.next("=")
            return [self.end(("store", address, self.expression()))]
        if self.peek(1) == "=":
            name = self.next()
            self.next()
            return [self.end(("assign", name, self.expression()))]
        return [self.end(("call", self.expression()))]

    def end(self, statement: Tree) -> Tree:
        self.next(";")
        return statement

    def condition(self) -> Tree:
        self.next("(")
        test = self.expression()
        self.next(")")
        then = self.body()
        return "if", test, then, self.body() if self.accept("else") else []

    def declaration(self) -> list[Tree]:
        self.next()
        self.accept("*")
        name = self.next()
        if self.accept(";"):
            return []
        self.next("=")
        return [self.end(("assign", name, self.expression()))]

    def expression(self, least: int = 1) -> Tree:
        left = self.unary()
        while self.peek() in BINARY and BINARY[self.peek()][0] >= least:
            token = self.next()
            left = ("binary", token, left, self.expression(BINARY[token][0] + 1))
        return left

    def unary(self) -> Tree:
        if self.peek() in UNARY:
            return "unary", self.next(), self.unary()
        if self.accept("*"):
            return "load", self.unary()
        if self.accept("&"):
            return self.unary()
        if self.accept("("):
            inner = self.expression()
            self.next(")")
            return inner
        return self.primary()

    def primary(self) -> Tree:
        token = self.next()
        if token.isdigit():
            return "number", int(token)
        if not re.match(r"[A-Za-z_]", token):
            raise Invalid(f"strange {token!r}")
        if not self.accept("("):
            return "name", token
        args = []
        while not self.accept(")"):
            args.append(self.expression())
            self.accept(",")
        return "call", token, args


def parse_init(text: str) -> dict[str, Any]:
    init = {}
    for part in COMMENT.sub("", text).split(";"):
        match = re.match(r"\s*(?:\w+\s+)*\*?\s*(\w+)\s*=\s*&?\s*(\w+)\s*$", part)
        if match:
            value = match[2]
            init[match[1]] = int(value) if value.isdigit() else value
    return init


def parse_threads(text: str) -> list[Thread]:
    threads = []
    for match in THREAD.finditer(text):
        params = re.findall(r"(\w+)\s*(?:,|$)", match[2])
        parser = Parser(TOKEN, body_at(text, match.end() - 1))
        threads.append((params, parser.block()))
    return threads


def body_at(text: str, start: int) -> str:
    depth = 0
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if not depth:
            return text[start : at + 1]
    raise Invalid("no end of a thread")


class Condition(Cursor):
    """Reads 1:r0=1 /\\ (x=2 \\/ ~y=0) into nested tuples."""

    TOKEN = re.compile(r"\s+|(?P<token>/\\|\\/|[~()]|(?:\d+:)?\w+\s*=\s*\w+)|(?P<bad>.)")

    def chain(self, token: str, kind: str, below: Callable[[], Tree]) -> Tree:
        left = below()
        while self.accept(token):
            left = (kind, left, below())
        return left

    def either(self) -> Tree:
        return self.chain("\\/", "or", self.both)

    def both(self) -> Tree:
        return self.chain("/\\", "and", self.one)

    def one(self) -> Tree:
        token = self.next()
        if token == "~":
            return "not", self.one()
        if token == "(":
            inner = self.either()
            self.next(")")
            return inner
        name, value = (part.strip() for part in token.split("="))
        return "is", name, int(value) if value.isdigit() else value


def holds(condition: Tree, state: dict[str, Any]) -> bool:
    kind = condition[0]
    if kind == "is":
        return bool(state.get(condition[1], 0) == condition[2])
    if kind == "not":
        return not holds(condition[1], state)
    both = (holds(part, state) for part in condition[1:])
    return all(both) if kind == "and" else any(both)


def parse(text: str) -> Test:
    head, _, rest = text.partition("\n")
    if not head.startswith("C "):
        raise Invalid('the first line is not "C NAME"')
    match = re.search(r"^\{(.*?)\}", COMMENT.sub("", rest), re.S | re.M)
    if not match:
        raise Invalid("no initial state")
    header = rest[: rest.find("\n{")]
    code = COMMENT.sub("", rest)
    where = re.search(r"^(exists|~exists|forall)\b", code, re.M)
    if not where or where[1] != "exists":
        raise Invalid('no "exists"')
    test = Test(head[2:].strip(), header, parse_init(match[1]))
    test.threads = parse_threads(code[match.end() : where.start()])
    test.condition = Condition(Condition.TOKEN, code[where.end() :]).either()
    return test
