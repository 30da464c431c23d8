# SPDX-License-Identifier: GPL-2.0-only
"""
The language "cat", in which the kernel's memory model is written: what of it
linux-kernel.bell and linux-kernel.cat use.
"""
import re

from cursor import Cursor
from relation import (CHECKS, closure, compose, cross, domain, inverse, merge, restrict,
                      span, with_identity)

TOKEN = re.compile(r"""\(\*.*?\*\)|//[^\n]*|"[^"]*"|\s+|
    (?P<token>[A-Za-z_][\w.-]*|\^-1|'[\w-]+|\|\||[][~|;\\&*+?(){}=,_<>])|
    (?P<bad>.)""", re.X | re.S)
KEYWORDS = {'let', 'rec', 'and', 'in', 'flag', 'as', 'acyclic', 'irreflexive',
            'empty', 'enum', 'instructions', 'include', 'show'}


# --- the model, compiled to functions of a context --------------------------------

class Model:
    """Definitions in order; checks that forbid an execution; and flags on it."""

    def __init__(self, texts):
        self.scope = {}       # name in the file -> name of its last definition
        self.body = {}        # that -> function of a context
        self.needs = {}       # that -> names that it is made of
        self.checks = []      # (kind, negated, function, name, is a flag)
        for text in texts:
            Parser(self, text).run()
        self.changing = self.find_changing()

    def find_changing(self):
        """What is not the same for all executions of the same events."""
        found = {'rf', 'co', 'fr', 'rfe', 'rfi', 'coe', 'coi', 'fre', 'fri'}
        while True:
            more = {name for name, needs in self.needs.items()
                    if name not in found and needs & found}
            if not more:
                return found
            found |= more


class Context:
    """An execution: @base has what is given, @fixed what was computed of that."""

    def __init__(self, model, size, base, fixed):
        self.model, self.size, self.base, self.fixed = model, size, base, fixed
        self.all = (1 << size) - 1
        self.known = {}

    def get(self, name):
        if name in self.base:
            return self.base[name]
        known = self.known if name in self.model.changing else self.fixed
        if name not in known:
            body = self.model.body.get(name)
            known[name] = body(self, {}) if body else 0
        return known[name]

    def is_allowed(self):
        return all(CHECKS[kind](body(self, {})) != negated
                   for kind, negated, body, name, flag in self.model.checks
                   if not flag)

    def flags(self):
        return {name for kind, negated, body, name, flag in self.model.checks
                if flag and CHECKS[kind](body(self, {})) != negated}


def fencerel(ctx, fences):
    po = ctx.get('po')
    return compose(compose(po, restrict(fences, ctx.size)), po)


BUILTIN = {
    'domain': lambda ctx, a: domain(a),
    'range': lambda ctx, a: span(a),
    'fencerel': fencerel,
    'different-values': lambda ctx, a: (0,) * ctx.size,   # of SRCU alone
}


class Parser(Cursor):
    def __init__(self, model, text):
        super().__init__(TOKEN, text)
        self.model = model
        self.locals = []
        self.used = set()

    def run(self):
        while self.peek():
            self.statement()

    def statement(self):
        word = self.next()
        if word == 'let':
            self.let()
        elif word in ('flag', *CHECKS):
            self.check(word)
        elif word in ('enum', 'instructions', 'include', 'show'):
            # Which tags there are, and where locks come from, is known here.
            while self.peek() and self.peek() not in KEYWORDS:
                self.at += 1
        else:
            raise SyntaxError(f'cat: {word!r}')

    def check(self, word):
        flag = word == 'flag'
        negated = flag and self.accept('~')
        kind = self.next() if flag else word
        body = self.union()
        name = self.next() if self.accept('as') else kind
        self.model.checks.append((kind, negated, body, name, flag))

    # --- definitions

    def define(self, name, body):
        unique = f'{name}#{len(self.model.body)}'
        self.model.body[unique] = body
        self.model.needs[unique] = self.used
        self.model.scope[name] = unique

    def let(self):
        if self.accept('rec'):
            self.recursive()
            return
        name = self.next()
        self.used = set()
        if self.accept('('):
            self.function(name)
            return
        self.next('=')
        if self.accept('let'):          # let x = let rec ... in x
            self.next('rec')
            self.recursive()
            self.next('in')
            self.used = set()
        self.define(name, self.union())

    def function(self, name):
        param = self.next()
        self.next(')')
        self.next('=')
        self.locals.append(param)
        body = self.union()
        self.locals.pop()
        self.define(name, lambda ctx, args: lambda value: body(ctx, {param: value}))
        # It is looked up for each execution, with what is in force then.
        self.model.needs[self.model.scope[name]] = self.used | {'rf'}

    def recursive(self):
        """The least fixed point: all begin as empty relations."""
        group, used = [], set()
        start = self.at
        self.find_names(group)
        self.at = start
        names = [name for name, unique in group]
        for name, unique in group:
            self.model.scope[name] = unique
        bodies = []
        for i, name in enumerate(names):
            self.next(name)
            self.next('=')
            self.used = set()
            bodies.append(self.union())
            used |= self.used
            if i + 1 < len(names):
                self.next('and')
        self.bind(group, bodies, used)

    def find_names(self, group):
        """NAME = ... and NAME = ..., up to the end of all."""
        while True:
            name = self.next()
            group.append((name, f'{name}#{len(self.model.body) + len(group)}'))
            while self.peek() and self.peek() not in KEYWORDS:
                self.at += 1
            if not self.accept('and'):
                return

    def bind(self, group, bodies, used):
        uniques = [unique for name, unique in group]

        def solve(ctx):
            now = {unique: (0,) * ctx.size for unique in uniques}
            while True:
                inner = Context(ctx.model, ctx.size, {**ctx.base, **now}, ctx.fixed)
                inner.known = {k: v for k, v in ctx.known.items()
                               if k not in uniques}
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

    def binary(self, token, below, how):
        left = below()
        if self.peek() != token:
            return left
        self.next()
        right = self.binary(token, below, how)
        return lambda ctx, args: how(ctx, left(ctx, args), right(ctx, args))

    def union(self):
        return self.binary('|', self.sequence, lambda ctx, a, b:
                           merge(a, b, lambda x, y: x | y))

    def sequence(self):
        return self.binary(';', self.difference, lambda ctx, a, b: compose(a, b))

    def difference(self):
        left = self.intersection()
        while self.accept('\\'):
            left = self.without(left, self.intersection())
        return left

    @staticmethod
    def without(left, right):
        return lambda ctx, args: merge(left(ctx, args), right(ctx, args),
                                       lambda x, y: x & ~y)

    def intersection(self):
        return self.binary('&', self.product, lambda ctx, a, b:
                           merge(a, b, lambda x, y: x & y))

    def product(self):
        return self.binary('*', self.postfix, lambda ctx, a, b:
                           cross(a, b, ctx.size))

    def postfix(self):
        body = self.prefix()
        while True:
            if self.accept('+'):
                body = self.apply(closure, body)
            elif self.accept('?'):
                body = self.apply(with_identity, body)
            elif self.accept('^-1'):
                body = self.apply(inverse, body)
            elif self.peek() == '*' and not self.starts_operand(1):
                self.next()
                body = self.apply(lambda a: with_identity(closure(a)), body)
            else:
                return body

    @staticmethod
    def apply(how, body):
        return lambda ctx, args: how(body(ctx, args))

    def starts_operand(self, ahead):
        token = self.peek(ahead)
        return token in ('(', '[', '~') or \
            (re.match(r'[A-Za-z_]', token) and token not in KEYWORDS)

    def prefix(self):
        if self.accept('~'):
            body = self.prefix()
            return lambda ctx, args: ctx.all & ~body(ctx, args)
        if self.accept('('):
            body = self.union()
            self.next(')')
            return body
        if self.accept('['):
            body = self.union()
            self.next(']')
            return lambda ctx, args: restrict(body(ctx, args), ctx.size)
        return self.word()

    def word(self):
        name = self.next()
        if self.peek() == '(':
            return self.call(name)
        if name in self.locals:
            return lambda ctx, args: args[name]
        name = self.model.scope.get(name, name)
        self.used.add(name)
        return lambda ctx, args: ctx.get(name)

    def call(self, name):
        self.next('(')
        value = self.union()
        self.next(')')
        if name in BUILTIN:
            self.used.add('po')
            return lambda ctx, args: BUILTIN[name](ctx, value(ctx, args))
        unique = self.model.scope[name]
        self.used.add(unique)
        return lambda ctx, args: ctx.get(unique)(value(ctx, args))
