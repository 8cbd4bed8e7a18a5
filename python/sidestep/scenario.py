"""Scenario as an object, with the contents of a TOML file."""

from __future__ import annotations

import json
import os
import posixpath
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from sidestep import _native, _toml
from sidestep.errors import Problem, ScenarioError
from sidestep.kinds import ScenarioKeys

__all__ = ["Scenario", "ScenarioLike"]


class Scenario:
    """Network, traffic, and the schemes to compare.

    Keys, units and defaults are those of a TOML file (`sidestep schema` and docs/reference/scenarios.md list them); a
    value with a unit is a string, as `"50 us"`, `"20 kB"`, `"10 Gbps"`. The constructor refuses errors by
    `ScenarioError`, with the command's messages.

    Scenarios are immutable: `with_` returns another one. Two are equal if they result in the same runs: every value
    with its source, every point of a sweep, every claim.
    """

    __slots__ = ("_figure", "_folder", "_name", "_sets", "_text", "_tree")
    __hash__ = None  # type: ignore[assignment]  # equal is what reads alike, which no number says

    _name: str
    _tree: _toml.Tree
    # The author's text, as long as the tree matches it.
    _text: str | None
    _folder: Path | None
    _figure: str | None
    _sets: tuple[tuple[str, str], ...]

    def __init__(self, *, name: str = "scenario", **keys: Unpack[ScenarioKeys]) -> None:
        """Makes a scenario of these keys, called `name` in messages and results.

        `Scenario(duration="50 ms", schemes=["dctcp", "dibs"], topology=sidestep.topology.fat_tree(k=4),
        workload={"query": sidestep.workload.incast(degree=12, size="20 kB")})`
        """
        tree = {key: _plain(value, key, name) for key, value in keys.items() if value is not None}
        self._fill(name, tree)
        self._read()

    @classmethod
    def load(cls, which: str | os.PathLike[str]) -> Scenario:
        """Returns a shipped scenario by its name (`quickstart`), a figure (`dibs/fig08`), or the TOML file at a path."""
        source = _native.Source.find(os.fspath(which))
        return cls._written(source.name, source.text, source.folder, source.figure)

    @classmethod
    def from_toml(cls, text: str, *, name: str = "scenario.toml", folder: str | os.PathLike[str] | None = None) -> Scenario:
        """Returns the scenario in `text`. Messages call it `name`; files that it names are in `folder`."""
        return cls._written(name, text, Path(folder) if folder is not None else None, None)

    @classmethod
    def _written(cls, name: str, text: str, folder: Path | None, figure: str | None) -> Scenario:
        made = cls.__new__(cls)
        made._fill(name, {}, text=text, folder=folder, figure=figure)
        # Checked before the tree is read, so that syntax errors have the command's messages too.
        made._read()
        made._tree = _text_of_dates(tomllib.loads(text))
        base = made._tree.get("extends")
        if figure is not None and isinstance(base, str) and not base.startswith("experiments/"):
            # A file beside a shipped figure, named so that it is found from anywhere.
            made._tree["extends"] = posixpath.normpath(posixpath.join("experiments", posixpath.dirname(figure), base))
        return made

    def _fill(
        self,
        name: str,
        tree: _toml.Tree,
        *,
        text: str | None = None,
        folder: Path | None = None,
        figure: str | None = None,
        sets: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self._name, self._tree, self._text = name, tree, text
        self._folder, self._figure, self._sets = folder, figure, sets

    @property
    def name(self) -> str:
        """Name in messages and results."""
        return self._name

    @property
    def sets(self) -> tuple[str, ...]:
        """Changes by `with_`, as `key=value` each: the command's `--set`."""
        return tuple(f"{key}={value}" for key, value in self._sets)

    def with_(self, changes: Mapping[str, Any] | None = None, /, **keys: Any) -> Scenario:
        """Returns another scenario with these dotted keys changed for every scheme, as `--set` does.

        `s.with_({"switch.capacity": "50 pkt"}, duration="10 ms")`
        """
        sets = dict(self._sets)
        for key, value in {**(changes or {}), **keys}.items():
            sets.pop(key, None)
            sets[key] = _set_value(_plain(value, key, self._name))
        made = self._copy(tuple(sets.items()))
        made._read()
        return made

    def _copy(self, sets: tuple[tuple[str, str], ...]) -> Scenario:
        made = type(self).__new__(type(self))
        made._fill(self._name, self._tree, text=self._text, folder=self._folder, figure=self._figure, sets=sets)
        return made

    def _over(self, axes: Mapping[str, Sequence[Any]]) -> Scenario:
        """Returns the same scenario with these axes in `[sweep]`."""
        swept = self._tree.get("sweep", {})
        new = {key: _plain(list(values), key, self._name) for key, values in axes.items()}
        sweep: _toml.Tree = {**(swept if isinstance(swept, dict) else {}), **new}
        made = type(self).__new__(type(self))
        made._fill(self._name, {**self._tree, "sweep": sweep}, folder=self._folder, sets=self._sets)
        made._read()
        return made

    def to_toml(self) -> str:
        """Returns the scenario as TOML: `Scenario.from_toml(s.to_toml()) == s`.

        The author's text stays as it is, comments too. After `with_` every value is written out with its source, and
        `[quick]` is left out, because it could refer to values that changed.
        """
        if self._sets:
            return self._source().resolved()
        if self._text is not None and (self._figure is None or "extends" not in self._tree):
            return self._text
        return _toml.write(self._tree)

    def to_dict(self) -> dict[str, Any]:
        """Returns the contents of the file as dictionaries, lists and plain values, without defaults and changes of `with_`."""
        copied: dict[str, Any] = _copied(self._tree)
        return copied

    def _source(self, *, quick: bool = False, sets: Sequence[str] = ()) -> _native.Source:
        """Returns the input of the native half."""
        text = self._text if self._text is not None else _toml.write(self._tree)
        return _native.Source(
            self._name,
            text,
            folder=self._folder,
            figure=self._figure if self._text is not None else None,
            sets=[*self.sets, *sets],
            quick=quick,
            written=self._text is not None,
        )

    def _read(self) -> None:
        """Refuses errors."""
        self._source().axes()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scenario):
            return NotImplemented
        if not (self._sets or other._sets) and _in_order(self._tree) == _in_order(other._tree):
            return True
        return all(self._source(quick=q).resolved() == other._source(quick=q).resolved() for q in (False, True))

    def __repr__(self) -> str:
        changed = f", {', '.join(self.sets)}" if self._sets else ""
        return f"<Scenario {self._name}{changed}>"

    def _repr_html_(self) -> str:
        """Shows the settings and the offered load, for notebooks."""
        from sidestep import _html

        keys = {*_keys(self._tree), *(key for key, _ in self._sets)}
        checked = json.loads(_native.check(self._source(), len(os.sched_getaffinity(0))))
        return _html.scenario(checked["scenarios"][0], keys)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._name, self._tree, self._text, self._folder, self._figure, self._sets)


ScenarioLike = Scenario | str | os.PathLike[str]
"""A scenario, the name of a shipped one, or the path of a file."""


def _again(name: str, tree: _toml.Tree, text: str | None, folder: Path | None, figure: str | None, sets: Any) -> Scenario:
    """Returns a scenario that another process wrote."""
    made = Scenario.__new__(Scenario)
    made._fill(name, tree, text=text, folder=folder, figure=figure, sets=sets)
    return made


def scenario_of(what: ScenarioLike) -> Scenario:
    """Returns the scenario itself, or the one of that name or path."""
    return what if isinstance(what, Scenario) else Scenario.load(what)


def _plain(value: Any, key: str, name: str) -> Any:
    """Returns a copy of the value in TOML's types; refuses values without one."""
    match value:
        case bool() | int() | float() | str():
            return value
        case os.PathLike():
            return os.fspath(value)
        case Mapping():
            return {_name_of(k, key, name): _plain(of, f"{key}.{k}", name) for k, of in value.items() if of is not None}
        case list() | tuple() | range():
            return [_plain(of, key, name) for of in value]
    if hasattr(value, "item"):  # a number of numpy
        return _plain(value.item(), key, name)
    got = type(value).__name__
    expected = "a string, a number, a flag, a list or a table"
    said = f"{key}: expected {expected}, got {got}"
    raise ScenarioError.of([Problem(name, None, None, said, key, expected, got)])


def _name_of(key: object, path: str, name: str) -> str:
    if not isinstance(key, str):
        said = f"{path}: expected a key that is a string, got {key!r}"
        raise ScenarioError.of([Problem(name, None, None, said, path, "a key that is a string", repr(key))])
    return key


def _set_value(value: _toml.Value) -> str:
    """Returns a value as `--set` reads it: the text itself, unless that would be read as another type."""
    if isinstance(value, str) and value.strip() == value and not value.startswith(("[", "{", '"', "'")):
        return value
    return _toml.inline(value)


def _keys(tree: _toml.Tree, of: str = "") -> Iterator[str]:
    """Yields the dotted keys that a file sets."""
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _keys(value, f"{of}{key}.")
        else:
            yield f"{of}{key}"


def _copied(value: Any) -> Any:
    match value:
        case dict():
            return {key: _copied(of) for key, of in value.items()}
        case list():
            return [_copied(of) for of in value]
    return value


def _text_of_dates(value: Any) -> Any:
    """Returns dates as text: no key of a scenario is a date."""
    match value:
        case dict():
            return {key: _text_of_dates(of) for key, of in value.items()}
        case list():
            return [_text_of_dates(of) for of in value]
        case bool() | int() | float() | str():
            return value
    return str(value)


def _in_order(value: _toml.Value) -> object:
    """Returns the tree with its order, which distinguishes workloads and axes."""
    match value:
        case dict():
            return [(key, _in_order(of)) for key, of in value.items()]
        case list():
            return [_in_order(of) for of in value]
    return value, type(value)
