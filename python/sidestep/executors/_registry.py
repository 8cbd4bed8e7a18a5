"""Every executor by its name: the only list of them.

What messages, `python3 -m sidestep run --help` and missing packages say comes from here; a test holds the command's help,
`pyproject.toml` and docs/how-to/scaling.md against it.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from sidestep.executor_errors import MissingExtra


@dataclass(frozen=True)
class Kind:
    """One executor."""

    name: str
    """What stands before the colon."""
    forms: tuple[str, ...]
    """How it is written, with what a user fills in in capitals."""
    module: str
    """The module of `sidestep.executors` whose `of_words` makes it of what stands behind the colon."""
    needs: str | None = None
    """The package that it needs."""
    extra: str | None = None
    """The extra that installs that."""
    objects: bool = False
    """It is made of an object of that package, too: a client that is open already."""


KINDS = (
    Kind("local", ("local", "local:processes"), "local"),
    Kind("dask", ("dask", "dask:ADDRESS"), "dask", "distributed", "dask", objects=True),
    Kind("ray", ("ray", "ray:ADDRESS"), "ray", "ray", "ray"),
    Kind("slurm", ("slurm", "slurm:OPTION=VALUE,…"), "slurm", "submitit", "slurm"),
)

FORMS = tuple(form for kind in KINDS for form in kind.forms)
"""How executors are written."""


def kind_of(name: str) -> Kind | None:
    """The one that is called so."""
    return next((kind for kind in KINDS if kind.name == name), None)


def package_of(name: str) -> Any:
    """The package that the executor called `name` needs. Errors: `MissingExtra`."""
    kind = kind_of(name)
    assert kind is not None and kind.needs is not None and kind.extra is not None, f"{name} needs a package"
    try:
        return import_module(kind.needs)
    except ImportError as why:
        raise MissingExtra(f"the executor {name}", kind.extra, why) from why
