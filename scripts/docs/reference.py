"""Pages of reference, made of what the `sidestep` command says of itself."""

import json
import re
import subprocess
from collections.abc import Iterator
from typing import Any

from markdown import slug

_UNIT = re.compile(r"^(.*) \(((?:an?|one of|a whole|true|false|text|several|the|from|between|numbers?|names?)\b.*)\)$", re.S)


class Command:
    """The `sidestep` command at a path."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.kinds: dict[str, dict[str, Any]] = {}
        for kind in json.loads(self.said("list", "--json"))["kinds"]:
            self.kinds[kind["kind"]] = kind

    def said(self, *args: str) -> str:
        """What it prints; raises CalledProcessError when it fails."""
        done = subprocess.run([self.path, *args], capture_output=True, text=True, check=True)
        return done.stdout


def cell(text: object) -> str:
    """Text in a cell of a table."""
    return str(text).replace("|", "\\|").replace("\n", " ")


def code(value: object) -> str:
    """A value as code in a cell, empty for none."""
    text = json.dumps(value) if isinstance(value, bool | list) else str(value)
    return f"`{cell(text)}`" if text else ""


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table of cells."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def default(param: dict[str, Any]) -> str:
    """The default of a parameter of `sidestep list`."""
    if param["default"] is None:
        return "required"
    return code(param["default"]) or "none"


def kind(command: Command, name: str, folder: str | None) -> str:
    """What there is of one kind, with links to pages in `folder`, and all parameters."""
    items = command.kinds[name]["items"]

    def named(item: dict[str, Any]) -> str:
        return f"[{item['name']}]({folder}/{item['name']}.md)" if folder else code(item["name"])

    rows = [[named(item), cell(item["summary"]), cell(item["source"])] for item in items]
    text = f"Key: `{command.kinds[name]['key']}`.\n\n" + table(["Name", "What it is", "Source"], rows)
    rows = [
        [named(item), code(p["name"]), cell(p["expected"]), default(p), cell(p["doc"])]
        for item in items
        for p in item["params"]
    ]
    if rows:
        text += "\n## Parameters\n\n" + table(["Of", "Parameter", "Value", "Default", "Meaning"], rows)
    return text


def shipped(command: Command) -> str:
    """Schemes, scenarios, experiments and flow sizes that are part of the program."""
    text = (
        "# What is shipped\n\nSchemes, scenarios, experiments and flow sizes that are part of the program, "
        "as `sidestep list` has them.\n"
    )
    for name, title in [
        ("schemes", "Schemes"),
        ("scenarios", "Scenarios"),
        ("experiments", "Experiments"),
        ("cdfs", "Flow sizes"),
    ]:
        head = "Schemes" if name in ("scenarios", "experiments") else "Source"
        rows = [[code(i["name"]), cell(i["summary"]), cell(i["source"])] for i in command.kinds[name]["items"]]
        key = command.kinds[name]["key"]
        text += f"\n## {title}\n\nUsed as `{key}`.\n\n" + table(["Name", "What it is", head], rows)
    return text


def measured(command: Command) -> str:
    """What can be measured: metrics, samples, probes and the reasons of drops."""
    text = (
        "# What is measured\n\nEvery name, as `sidestep list` has it; [metrics](metrics.md) has what a line does not tell.\n"
    )
    for name, title in [("metrics", "Metrics"), ("samples", "Samples"), ("drops", "Reasons of drops")]:
        rows = [
            [code(i["name"]), cell(i["summary"]), i["population"], code(i["probe"]) if i["probe"] else ""]
            for i in command.kinds[name]["items"]
        ]
        key = command.kinds[name]["key"]
        text += f"\n## {title}\n\nUsed as `{key}`.\n\n" + table(["Name", "What it is", "Taken over", "Probe"], rows)
    return text


def help_page(command: Command) -> str:
    """The help of the command and of all commands below it."""
    text = (
        "# The command\n\nThe help of every command, as `sidestep help COMMAND` prints it. [Shells and editors](../how-to/shell.md) "
        "has completions and manual pages.\n"
    )
    for words, said in _helps(command, ()):
        text += f"\n## {' '.join(('sidestep', *words))}\n\n```text\n{said.rstrip()}\n```\n"
    return text


def _helps(command: Command, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    said = command.said(*words, "--help")
    yield words, said
    below = re.search(r"^Commands:\n((?:  .*\n)+)", said, re.M)
    for name in re.findall(r"^  ([a-z-]+)  ", below[1], re.M) if below else []:
        if name != "help":
            yield from _helps(command, (*words, name))


def keys_page(command: Command) -> str:
    """Every key of every kind of file, from the JSON Schemas."""
    text = (
        "# Keys of files\n\nEvery key of a [scenario](scenarios.md), of an [experiment](experiments.md) beside those, "
        "and of a [software switch's config](../how-to/softswitch.md), from the schemas that `sidestep schema` prints: what may "
        "stand there, with its unit, the default and the meaning. Where several topologies, workloads or transports have a key "
        "of the same name, it has a row for each meaning; the parameters of each are on its own page. *required* and *none* "
        "are no defaults. `NAME` is a name of your own.\n"
    )
    seen: set[str] = set()
    for what, words, title in [
        ("scenario", "scenario", "Scenarios and schemes"),
        ("experiment", "experiment", "Experiments"),
        ("switch", "switch config", "Switch configs"),
    ]:
        schema = json.loads(command.said("schema", what))
        groups = Keys(schema).groups()
        text += f"\n## {title}\n"
        for name, rows in groups.items():
            same = name.removeprefix("scheme.NAME.")
            if rows and same != name and groups.get(same) == rows:
                text += f"\n### {name}\n\nThe keys of [{same}](#{slug(same)}), for this scheme alone.\n"
                continue
            new = [row for row in rows if what == "switch" or f"{name}.{row}" not in seen]
            seen.update(f"{name}.{row}" for row in new)
            if new:
                heading = name or f"Above all sections of {'an' if what == 'experiment' else 'a'} {words}"
                text += f"\n### {heading}\n\n" + table(["Key", "Value", "Default", "Meaning"], new)
    return text


class Keys:
    """The keys of one schema by their section."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.schema = schema
        self.found: dict[str, list[list[str]]] = {"": []}

    def groups(self) -> dict[str, list[list[str]]]:
        """The rows of each section by its dotted name; empty for what stands above all."""
        self._section("", self.schema)
        return self.found

    def _resolved(self, node: dict[str, Any]) -> dict[str, Any]:
        if "$ref" in node:
            name = node["$ref"].removeprefix("#/definitions/")
            found: dict[str, Any] = self.schema["definitions"][name]
            return found
        return node

    def _section(self, name: str, node: dict[str, Any]) -> None:
        node = self._resolved(node)
        required = set(node.get("required", []))
        for key, value in node.get("properties", {}).items():
            self._key(name, key, value, key in required)
        for value in node.get("patternProperties", {}).values():
            self._key(name, "NAME", value, False)

    def _key(self, section: str, key: str, node: dict[str, Any], required: bool) -> None:
        below = [n for n in _each(self._resolved(node), self._resolved) if _is_section(n)]
        path = f"{section}.{key}" if section else key
        for one in below:
            if path not in self.found or one.get("description"):
                self.found.setdefault(path, [])
                self._section(path, one)
        if not below:
            for row in _rows(key, node, required):
                rows = self.found.setdefault(section, [])
                if row not in rows:
                    rows.append(row)


def _each(node: dict[str, Any], resolved: Any) -> Iterator[dict[str, Any]]:
    yield node
    if node.get("type") == "array" and isinstance(node.get("items"), dict):
        yield from _each(resolved(node["items"]), resolved)
    if "description" not in node:
        for one in node.get("anyOf", []):
            yield from _each(resolved(one), resolved)


def _is_section(node: dict[str, Any]) -> bool:
    return bool(node.get("properties") or node.get("patternProperties"))


def _rows(key: str, node: dict[str, Any], required: bool) -> Iterator[list[str]]:
    """A row for what a key may be; one for each meaning, where policies share its name."""
    variants = node.get("anyOf", [])
    if "description" not in node and variants and all("description" in v for v in variants):
        if all("const" in v for v in variants):
            words = ", ".join(code(v["const"]) for v in variants)
            yield [code(key), words, _default(node, required), "which one"]
            return
        for variant in variants:
            yield from _rows(key, variant, required)
        return
    described = node.get("description", "")
    unit = _UNIT.match(described)
    meaning, value = (unit[1], unit[2]) if unit else (described, _shape(node))
    if meaning.startswith("which "):
        value = "a name, or a table of its `kind` and parameters"
    yield [code(key), cell(value), _default(node, required), cell(meaning)]


def _default(node: dict[str, Any], required: bool) -> str:
    if "default" in node:
        return code(node["default"]) or "none"
    return "required" if required else "none"


def _shape(node: dict[str, Any]) -> str:
    if "enum" in node:
        return "one of " + ", ".join(str(word) for word in node["enum"])
    if "anyOf" in node:
        return " or ".join(dict.fromkeys(_shape(one) for one in node["anyOf"]))
    kinds = node.get("type", "any")
    if kinds == "array":
        return "a list"
    if kinds == "object":
        return "a table"
    return "text" if kinds == "string" else "text or a number" if isinstance(kinds, list) else str(kinds)
