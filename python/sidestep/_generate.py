"""Generator of `kinds.py`: typed functions for the contents of a scenario, from the tables that the reader uses.

`python -P _generate.py` loads the native module beside it and writes `kinds.py` there. The generator imports nothing of
the package, which needs `kinds.py` itself. `make generate` and the build of a wheel run it.
"""

from __future__ import annotations

import importlib.util
import json
import keyword
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["FILE", "kinds"]

FILE = Path(__file__).with_name("kinds.py")

_HEAD = '''"""What a scenario can say, as typed functions: units and defaults are in their descriptions.

Made by `_generate.py` from the tables by which scenarios are read. Do not edit.

A value with a unit is a string, as `"50 us"`, `"20 kB"`, `"10 Gbps"`. What is not given is left to the scheme, or is the
default. Names and values are checked when a `Scenario` is made of them, in the command's words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Never, TypeAlias, TypedDict

from sidestep._kind import Kind

'''

# Sections where a kind is chosen, each with the word for all of its kinds in `sidestep.list`.
_SPACES = {
    "topology": "topologies",
    "workload": "workloads",
    "transport": "transports",
    "route": "routes",
    "buffer": "buffers",
    "sched": "schedulers",
    "shim": "shims",
}
_SECTIONS = ("switch", "host", "scheme", "probe", "change", "figure", "claim", "plot")
_WIDTH = 120


def kinds(native: Any) -> str:
    """Returns the text of `kinds.py`, from the tables of the module `native`."""
    schema = json.loads(native.schema(True))
    parts = [f"{_HEAD}{_exports()}", _keys(schema)]
    for name, listed in _SPACES.items():
        parts.append(_space(name, json.loads(native.list(listed)), _chosen(schema, name)))
    parts += [_section(name, _table(schema, name)) for name in _SECTIONS]
    return "\n\n\n".join(part.strip("\n") for part in parts) + "\n"


def _exports() -> str:
    names = sorted(["ScenarioKeys", "Table", *_SPACES, *_SECTIONS])
    lines = "".join(f'    "{name}",\n' for name in names)
    about = '"""A table of a scenario: a `Kind`, or a dictionary of one\'s own."""'
    return f"__all__ = [\n{lines}]\n\nTable: TypeAlias = Mapping[str, Any]\n{about}"


def _table(schema: dict[str, Any], name: str) -> dict[str, Any]:
    """Returns the section itself, if the schema is a list or table of sections."""
    of: dict[str, Any] = schema["definitions"].get(name) or schema["properties"][name]
    if "anyOf" in of:
        of = of["anyOf"][0]
    if "items" in of:
        of = of["items"]
    if "patternProperties" in of:
        (of,) = of["patternProperties"].values()
    return of


def _chosen(schema: dict[str, Any], name: str) -> dict[str, dict[str, Any]]:
    """Returns each kind by name: the schemas of its parameters."""
    if name == "shim":
        host = _table(schema, "host")["properties"]
        found: dict[str, dict[str, Any]] = {}
        for shim in host["shims"]["examples"]:
            found |= _ways(host[shim]["anyOf"][1])
        return found
    if name in ("route", "buffer", "sched"):
        return _ways(_table(schema, "switch")["properties"][name]["anyOf"][1])
    return _ways(_table(schema, name))


def _ways(table: dict[str, Any]) -> dict[str, dict[str, Any]]:
    ways = {}
    for rule in table["allOf"]:
        name, then = rule["if"]["properties"]["kind"]["const"], rule["then"]
        params = [param for param in then["propertyNames"]["enum"] if param != "kind"]
        ways[name] = {param: then["properties"].get(param, table["properties"][param]) for param in params}
    return ways


def _space(name: str, catalog: dict[str, Any], chosen: dict[str, dict[str, Any]]) -> str:
    items = {item["name"]: item for item in catalog["items"]}
    lines = [f"class {name}:", f'    """{_SPACES[name].capitalize()}: what `{catalog["key"]}` can be."""']
    for kind, params in chosen.items():
        item = items[kind]
        about = [_sentence(item["summary"]), *([f"Source: {item['source']}."] if item["source"] else [])]
        needed = [param["name"] for param in item["params"] if param["default"] is None]
        lines += ["", "    @staticmethod", *_function(kind, kind, about, params, indent=4, needed=needed)]
    return "\n".join(lines)


def _section(name: str, table: dict[str, Any]) -> str:
    about = [_sentence(table.get("description") or f"What `[{name}]` says")]
    return "\n".join(_function(name, None, about, table["properties"], indent=0))


def _function(
    name: str, kind: str | None, about: list[str], params: dict[str, Any], *, indent: int, needed: Sequence[str] = ()
) -> list[str]:
    lines = [f"def {_identifier(name)}("]
    if params:
        lines += ["    *,"]
    for param, schema in params.items():
        lines.append(f"    {_identifier(param)}: {_type(schema)} | None = None,")
    lines += ["    **_more: Never,", ") -> Kind:"]
    lines += [f"    {line}".rstrip() for line in _docstring(about, params, indent + 4, needed)]
    lines.append("    values: dict[str, Any] = {" + ("" if params else "}"))
    if params:
        lines += [f'        "{param}": {_identifier(param)},' for param in params]
        lines.append("    }")
    lines.append(f"    return Kind({json.dumps(kind) if kind is not None else None}, values, _more)")
    return [f"{' ' * indent}{line}".rstrip() for line in lines]


def _docstring(about: list[str], params: dict[str, Any], indent: int, needed: Sequence[str]) -> list[str]:
    width = _WIDTH - indent
    lines: list[str] = []
    for sentence in about:
        lines += [*textwrap.wrap(sentence, width - 3), ""]
    if params:
        lines.append("Args:")
    for param, schema in params.items():
        words = f"{_identifier(param)}: {_sentence(schema.get('description') or 'see docs/reference/scenarios.md')}"
        if "default" in schema:
            words += f" Default {_shown(schema['default'])}."
        elif param in needed:
            words += " Required."
        lines += textwrap.wrap(words, width, initial_indent="    ", subsequent_indent="        ")
    while lines and not lines[-1]:
        lines.pop()
    return [f'"""{lines[0]}"""'] if len(lines) == 1 else [f'"""{lines[0]}', *lines[1:], '"""']


def _shown(default: object) -> str:
    return json.dumps(default, ensure_ascii=False)


def _sentence(words: str) -> str:
    assert "\\" not in words, words
    end = "" if words.endswith((".", "!", "?")) else "."
    return f"{words[:1].upper()}{words[1:]}{end}"


def _identifier(name: str) -> str:
    name = name.replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def _type(schema: dict[str, Any]) -> str:
    """Returns the Python type of a schema."""
    types: list[str] = []
    _types(schema, types)
    # A string may be any of the words.
    if "str" in types:
        types = [kind for kind in types if not kind.startswith("Literal")]
    return " | ".join(dict.fromkeys(types))


_NAMED = {"integer": "int", "number": "float", "boolean": "bool", "string": "str", "object": "Table"}


def _types(schema: dict[str, Any], types: list[str]) -> None:
    if "$ref" in schema:
        types.append("Table")
    for way in schema.get("anyOf", ()):
        _types(way, types)
    if "const" in schema:
        types.append("str")
    if "enum" in schema and "bool" not in types:
        types.append(f"Literal[{', '.join(map(json.dumps, schema['enum']))}]")
    named = schema.get("type", ())
    if isinstance(named, list):
        # Any value that is read as text.
        types.append("str")
    elif named == "array":
        types.append(f"Sequence[{_type(schema['items'])}]")
    elif named:
        types.append(_NAMED[named])


def _keys(schema: dict[str, Any]) -> str:
    """Returns the keys of a scenario, for type checkers."""
    lines = ["class ScenarioKeys(TypedDict, total=False):", '    """The keys at the top of a scenario."""', ""]
    for name, of in schema["properties"].items():
        if "patternProperties" in of:
            kind = "Mapping[str, Table]"
        elif "anyOf" in of and "patternProperties" in of["anyOf"][-1]:
            kind = "Sequence[Table] | Mapping[str, Table]"
        elif name == "seeds":
            kind = "int | str | Sequence[int | str]"
        else:
            kind = _type(of)
        words = of.get("description") or f"what `[{name}]` says"
        if "default" in of:
            words += f"; default {_shown(of['default'])}"
        lines.append(f"    {name}: {kind}")
        first, *more = textwrap.wrap(_sentence(words), _WIDTH - 10)
        lines += [f'    """{first}', *(f"    {line}" for line in more)]
        lines[-1] += '"""'
    return "\n".join(lines)


def _native_module() -> Any:
    """Returns the native module beside this file."""
    (place,) = Path(__file__).parent.glob("_native*.so")
    spec = importlib.util.spec_from_file_location("_native", place)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    _text = kinds(_native_module())
    # Written only if it differs: tools look again at a newer file.
    if not FILE.exists() or FILE.read_text() != _text:
        FILE.write_text(_text)
