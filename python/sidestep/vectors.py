"""Vectors: decisions of a policy, row by row, for others to replay (docs/reference/vectors.md)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from sidestep._native import Switch, policy_vectors
from sidestep.errors import Problem, ScenarioError
from sidestep.policy import Buffer, Policy, PolicyError, Route, Sched, name_of


def vectors(
    policy: Callable[[Switch], Policy],
    *,
    seam: str | None = None,
    like: str | None = None,
    count: int | None = None,
    seed: int = 1,
) -> str:
    """Returns the first `count` rows of `policy` as CSV, below a row of names.

    `like` is a policy of `sidestep list`: the cases are then those of its table. `policy` is made with the parameters
    of each row by name: times in picoseconds, sizes of queues as `(20, "pkt")`, fractions as `(1, 16)`, `None` for one
    that is off. A twin in Python gives exactly the rows that `sidestep vectors` prints. Without `like` the cases are
    drawn under the policy's name.

    `seam` is `route`, `buffer` or `sched`; a class implies it. The default of `count` is that of the shipped tables.

    Raises `PolicyError` when the policy fails, with its exception as cause; `ScenarioError` for an unknown name, and for a
    parameter of `like` that the policy's `__init__` does not declare.
    """
    kind = policy if isinstance(policy, type) else getattr(policy, "func", None)
    if seam is None:
        seam = seam_of(kind)
    try:
        return policy_vectors(
            seam,
            name_of(policy),
            policy,
            like=like,
            count=count,
            seed=seed,
            draws=getattr(kind, "draws", Policy.draws),
            remembers=getattr(kind, "remembers", Policy.remembers),
            ranks=getattr(kind, "ranks", Policy.ranks),
        )
    except PolicyError as error:
        why = str(error.__cause__)
        if like is None or not isinstance(error.__cause__, TypeError) or "unexpected keyword argument" not in why:
            raise
        expected = f"an __init__ that declares each parameter of {like} behind switch"
        said = f"policy: expected {expected}, since the rows set them by name; got {why}"
        raise ScenarioError.of_call(said, "policy", expected=expected, got=why) from error


def check_vectors(
    policy: Callable[[Switch], Policy],
    file: str | os.PathLike[str],
    *,
    seam: str | None = None,
    like: str | None = None,
    seed: int = 1,
) -> int:
    """Compares `policy` with the rows of `file`, written by `vectors` or `sidestep vectors` with this seed.

    Returns the number of rows. Raises `ScenarioError` at the first difference, whose problem has file, line, column,
    the name of the cell as key, expected and got; also if the file cannot be read.
    """
    path = Path(file)
    try:
        wanted = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as why:
        raise ScenarioError.of_call(f"file: cannot read {path}: {why}", "file", expected="a table of vectors") from why
    got = vectors(policy, seam=seam, like=like, count=max(len(wanted) - 1, 0), seed=seed)
    names = wanted[0].split(",") if wanted else []
    for number, (want, have) in enumerate(zip(wanted, got.splitlines(), strict=False), start=1):
        if want == have:
            continue
        raise ScenarioError.of([_difference(path, number, names, want, have)])
    return max(len(wanted) - 1, 0)


def _difference(path: Path, line: int, names: Sequence[str], want: str, have: str) -> Problem:
    """Returns the first cell of a row that differs."""
    column = 1
    for name, expected, got in zip(names, want.split(","), have.split(","), strict=False):
        if expected != got:
            said = f"{name}: expected {expected or 'nothing'}, got {got or 'nothing'}"
            return Problem(str(path), line, column, said, name, expected, got)
        column += len(expected) + 1
    return Problem(str(path), line, 1, f"expected the columns {want!r}, got {have!r}", None, want, have)


def seam_of(kind: object) -> str:
    """Returns the seam of a class of policies. Raises `ScenarioError` for other classes."""
    for base, seam in ((Route, "route"), (Buffer, "buffer"), (Sched, "sched")):
        if isinstance(kind, type) and issubclass(kind, base):
            return seam
    expected = "a class of Route, Buffer or Sched, or seam="
    raise ScenarioError.of_call(f"policy: expected {expected}, got {kind!r}", "policy", expected=expected, got=repr(kind))
