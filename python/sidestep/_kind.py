"""Tables of a scenario, as returned by the functions of `sidestep.kinds`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["Kind"]


class Kind(dict[str, Any]):
    """Table with a `kind`, or a section without one: a dictionary whose repr is the call that makes it."""

    def __init__(self, kind: str | None, values: Mapping[str, Any], more: Mapping[str, Any]) -> None:
        """Keeps the given `values`. `more` holds unknown parameters, which the reader refuses with its message."""
        given = {key: value for key, value in values.items() if value is not None}
        super().__init__({"kind": kind} if kind is not None else {}, **given, **more)

    def __repr__(self) -> str:
        values = ", ".join(f"{key}={value!r}" for key, value in self.items() if key != "kind")
        return f"{self.get('kind', 'Kind')}({values})"

    def __reduce__(self) -> tuple[Any, ...]:
        values = {key: value for key, value in self.items() if key != "kind"}
        return Kind, (self.get("kind"), values, {})
