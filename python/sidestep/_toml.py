"""Writer of trees as TOML text that reads back as the same tree."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

__all__ = ["Tree", "Value", "inline", "write"]

Value: TypeAlias = "str | int | float | bool | list[Value] | Tree"
Tree: TypeAlias = "dict[str, Value]"

_BARE = re.compile(r"[A-Za-z0-9_-]+")
# Characters that a basic string of TOML must escape.
_ESCAPED = re.compile(r'[\x00-\x1f"\\\x7f]')
_SHORT = {"\b": r"\b", "\t": r"\t", "\n": r"\n", "\f": r"\f", "\r": r"\r", '"': r"\"", "\\": r"\\"}
# Tables whose order has a meaning: no entry moves behind its neighbours.
_IN_ORDER = ("sweep", "quick")


def write(tree: Mapping[str, Value]) -> str:
    """Returns the whole tree: a line a value and a head a table."""
    lines: list[str] = []
    _table((), tree, lines)
    return "\n".join(lines) + "\n"


def inline(value: Value) -> str:
    """Returns a value on one line."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _string(value)
        case list():
            return f"[{', '.join(map(inline, value))}]"
        case dict():
            pairs = (f"{_key(key)} = {inline(of)}" for key, of in value.items())
            return f"{{ {', '.join(pairs)} }}" if value else "{}"
        case _:
            return repr(value)


def _table(path: tuple[str, ...], tree: Mapping[str, Value], lines: list[str]) -> None:
    in_place = path[:1] and path[0] in _IN_ORDER
    for key, value in tree.items():
        if in_place or not (isinstance(value, dict) or _is_rows(value)):
            lines.append(f"{_key(key)} = {inline(value)}")
    if in_place:
        return
    for key, value in tree.items():
        inner = (*path, key)
        name = ".".join(map(_key, inner))
        if isinstance(value, dict):
            # A table of tables only needs no head.
            if not value or not all(isinstance(of, dict) and of for of in value.values()):
                lines.extend(["", f"[{name}]"])
            _table(inner, value, lines)
        elif isinstance(value, list) and _is_rows(value):
            for row in value:
                assert isinstance(row, dict)
                lines.extend(["", f"[[{name}]]"])
                lines.extend(f"{_key(of)} = {inline(cell)}" for of, cell in row.items())


def _is_rows(value: Value) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _string(key)


def _string(text: str) -> str:
    def escaped(found: re.Match[str]) -> str:
        char = found.group()
        return _SHORT.get(char, f"\\u{ord(char):04x}")

    return f'"{_ESCAPED.sub(escaped, text)}"'
