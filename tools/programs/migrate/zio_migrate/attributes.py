# SPDX-License-Identifier: GPL-2.0-only
"""Convert attribute tables of ZIO 1.x to tables of struct zio_attr_desc.

The text between the macros is kept: comments, indices, conditions.
"""

import re
from dataclasses import dataclass

# The files that 1.x created for standard attributes
STD_NAMES = {
    "ZIO_ATTR_NBITS": "resolution-bits",
    "ZIO_ATTR_GAIN": "gain_factor",
    "ZIO_ATTR_OFFSET": "offset",
    "ZIO_ATTR_MAXRATE": "max-sample-rate",
    "ZIO_ATTR_VREFTYPE": "vref-src",
    "ZIO_ATTR_VERSION": "version",
    "ZIO_ATTR_DEV_VERSION": "version",
}
MODES = {
    **{"ZIO_RO_PERM": 0o444, "ZIO_RW_PERM": 0o644, "ZIO_WO_PERM": 0o200},
    **{"S_IRUGO": 0o444, "S_IRUSR": 0o400, "S_IRGRP": 0o040, "S_IROTH": 0o004},
    **{"S_IWUGO": 0o222, "S_IWUSR": 0o200, "S_IWGRP": 0o020, "S_IWOTH": 0o002},
}
TABLE = re.compile(
    r"(?P<static>static\s+)?(?:const\s+)?(?:struct\s+zio_attribute\s+(?P<ext>\w+)\s*\[[^\]]*\]"
    r"|ZIO_ATTR_DEFINE_STD\s*\(\s*ZIO_DEV\s*,\s*(?P<std>\w+)\s*\))\s*=\s*\{"
)
MACRO = re.compile(
    r"\b(ZIO_(?:ATTR|ATTR_RNG|ATTR_EXT|ATTR_EXT_RNG|PARAM_EXT|PARAM_RNG|SET_ATTR_VERSION))\s*\("
)
# Text that a search must skip
SKIPPED = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S
)
OBJECT = re.compile(
    r"struct\s+zio_(device|cset|channel|trigger_type|buffer_type)\s+\w+[^;={]*="
    r"|^[ \t]*#[ \t]*define\b",
    re.M,
)
USES = re.compile(r"\.\s*(std|ext)_zattr\s*=\s*(\w+)")
# The designated index of a line in a table
PLACE = re.compile(r"\[\s*([^][]+?)\s*\]\s*=\s*$")
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([^\n]*)", re.M)


@dataclass
class Table:
    """A table of attributes: the positions of its text and of its lines."""

    name: str
    is_std: bool
    is_static: bool
    start: int
    body: int
    end: int


def closing(text: str, at: int) -> int:
    """Return the position of the bracket that closes the one before @at."""
    depth, place = 1, at
    while depth and place < len(text):
        if skipped := SKIPPED.match(text, place):
            place = skipped.end()
            continue
        depth += (text[place] in "({[") - (text[place] in ")}]")
        place += 1
    return place - 1


def arguments(text: str) -> list[str]:
    """Split the arguments of a macro."""
    found, at, place = [], 0, 0
    while place < len(text):
        if skipped := SKIPPED.match(text, place):
            place = skipped.end()
        elif text[place] in "({[":
            place = closing(text, place + 1) + 1
        elif text[place] == ",":
            found.append(text[at:place])
            at = place = place + 1
        else:
            place += 1
    return [" ".join(word.split()) for word in (*found, text[at:])]


def mode_of(text: str, defines: dict[str, str]) -> str:
    """Return a mode as an octal number, or the text if it has an unknown word."""
    if re.fullmatch(r"0[0-7]+", text):
        return text
    words = re.findall(r"\w+", SKIPPED.sub("", defines.get(text, text)))
    if not words or not all(word in MODES for word in words):
        return text
    value = 0
    for word in words:
        value |= MODES[word]
    # sysfs refuses files that everybody can write.
    return f"0{value & ~0o022:o}"


def wide(name: str, mode: str, place: str, index: str, rest: list[str]) -> str:
    """Return the fields of a descriptor with limits."""
    number, value, least, most = rest
    lines = [f".name = {name}", f".mode = {mode}"]
    lines += [f".place = {place}", f".index = {index}"] if index else []
    lines += [f".value = {value}", f".min = {least}", f".max = {most}", f".id = {number}"]
    return "{\n" + "".join(f"\t\t{line},\n" for line in lines) + "\t}"


def std_name(index: str) -> str:
    return f'"{STD_NAMES[index]}"' if index in STD_NAMES else f'"{index.lower()}"'


class Converter:
    """Converts the lines of one table. @position is the position of the next extended
    attribute. With @is_place it is the index in the table, as in 1.x for triggers."""

    def __init__(self, defines: dict[str, str], position: int, is_place: bool) -> None:
        self.defines = defines
        self.position = position
        self.is_place = is_place

    def std(self, name: str, words: list[str]) -> str:
        if name == "ZIO_SET_ATTR_VERSION":
            return f'ZIO_ATTR_STD("version", 0444, ZIO_ATTR_DEV_VERSION, {words[0]}, 0)'
        _, index, mode, *rest = words
        mode = mode_of(mode, self.defines)
        if name == "ZIO_ATTR_RNG":
            return wide(std_name(index), mode, "ZIO_ATTR_PLACE_STD", index, rest)
        number, value = rest
        return f"ZIO_ATTR_STD({std_name(index)}, {mode}, {index}, {value}, {number})"

    def ext(self, macro: str, words: list[str], place: str) -> str:
        name, mode, *rest = words
        mode = mode_of(mode, self.defines)
        index = "" if "PARAM" in macro else place or str(self.position)
        if index or self.is_place:
            self.position += 1
        if macro.endswith("_RNG"):
            return wide(name, mode, "ZIO_ATTR_PLACE_EXT", index, rest)
        number, value = rest
        if index:
            return f"ZIO_ATTR_EXT({name}, {mode}, {index}, {value}, {number})"
        return f"ZIO_ATTR_PARAM({name}, {mode}, {value}, {number})"

    def body(self, text: str) -> str:
        parts, at = [], 0
        while found := next_outside(MACRO, text, at):
            end = closing(text, found.end())
            words = arguments(text[found.end() : end])
            is_std = found[1] in ("ZIO_ATTR", "ZIO_ATTR_RNG", "ZIO_SET_ATTR_VERSION")
            named = PLACE.search(text, at, found.start()) if self.is_place else None
            place = named[1] if named else ""
            try:
                line = (
                    self.std(found[1], words)
                    if is_std
                    else self.ext(found[1], words, place)
                )
            except ValueError:
                line = text[found.start() : end + 1]
            parts += [text[at : found.start()], line]
            at = end + 1
        return "".join([*parts, text[at:]])


def next_outside(wanted: re.Pattern[str], text: str, at: int) -> re.Match[str] | None:
    """Return the next match outside comments and strings."""
    while found := wanted.search(text, at):
        skipped = SKIPPED.search(text, at)
        if not skipped or skipped.start() >= found.start():
            return found
        at = max(skipped.end(), at + 1)
    return None


def find_tables(text: str) -> list[Table]:
    tables, at = [], 0
    while found := next_outside(TABLE, text, at):
        at = closing(text, found.end())
        name = found["ext"] or found["std"]
        is_static = bool(found["static"])
        tables.append(
            Table(name, not found["ext"], is_static, found.start(), found.end(), at)
        )
    return tables


def find_uses(text: str) -> list[tuple[str, list[str], list[str]]]:
    """Return the kind of each object, and its tables of both kinds of attributes."""
    starts = [(found.start(), found[1] or "cset") for found in OBJECT.finditer(text)]
    groups: list[tuple[str, list[str], list[str]]] = []
    for found in re.finditer(r"\.\s*zattr_set\s*=\s*\{", text):
        inside = text[found.end() : closing(text, found.end())]
        used = USES.findall(SKIPPED.sub("", inside))
        kinds = [kind for at, kind in starts if at < found.start()]
        std = [name for which, name in used if which == "std"]
        ext = [name for which, name in used if which == "ext"]
        groups.append((kinds[-1] if kinds else "cset", std, ext))
    return groups


def positions(text: str, tables: list[Table]) -> dict[str, int]:
    """Return the first position of each table: 1.x counted the attributes of the device,
    then of the set, then of the channel."""
    bodies = {table.name: text[table.body : table.end] for table in tables}
    counts = {
        name: len(re.findall(r"\bZIO_ATTR_EXT(?:_RNG)?\s*\(", SKIPPED.sub("", body)))
        for name, body in bodies.items()
    }
    result, start = dict.fromkeys(bodies, 0), 0
    for level in ("device", "cset", "channel"):
        names = {n for kind, _, ext in find_uses(text) if kind == level for n in ext}
        result |= {name: start for name in names & set(result)}
        start += max((counts.get(name, 0) for name in names), default=0)
    return result


def append(body: str, more: str) -> str:
    """Append lines to a table."""
    text = body.rstrip()
    code = SKIPPED.sub("", text).rstrip()
    comma = "," if code and not code.endswith(",") else ""
    return f"{text}{comma}\n{more.strip(chr(10)).rstrip()}\n"


def convert(text: str) -> str:
    """Return a source with its tables converted."""
    tables = find_tables(text)
    defines = dict(DEFINE.findall(text))
    starts = positions(text, tables)
    triggers = {
        n for kind, _, ext in find_uses(text) if kind == "trigger_type" for n in ext
    }
    bodies = {}
    for table in tables:
        converter = Converter(defines, starts[table.name], table.name in triggers)
        bodies[table.name] = converter.body(text[table.body : table.end])
    merged = set()
    for _, std, ext in find_uses(text):
        if std and ext and std[0] in bodies and ext[0] in bodies and std[0] not in merged:
            bodies[ext[0]] = append(bodies[ext[0]], bodies[std[0]])
            merged.add(std[0])
    for table in reversed(tables):
        end = re.compile(r"\}\s*;[ \t]*\n*").match(text, table.end)
        stop = end.end() if end and table.name in merged else table.end
        static = "static " if table.is_static else ""
        head = f"{static}const struct zio_attr_desc {table.name}[] = {{"
        new = "" if table.name in merged else head + bodies[table.name]
        text = text[: table.start] + new + text[stop:]
    return text
