"""Registry of executors by name: the only list of them.

Messages, `python3 -m sidestep run --help` and errors about missing packages use this list; a test compares the
command's help, `pyproject.toml` and docs/how-to/scaling.md with it.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from sidestep.executor_errors import MissingExtra


@dataclass(frozen=True)
class Kind:
    """One executor."""

    name: str
    """Name, before the colon."""
    forms: tuple[str, ...]
    """Forms in which it is written, with the user's parts in capitals."""
    module: str
    """Module of `sidestep.executors` whose `of_words` makes it from the text behind the colon."""
    needs: str | None = None
    """Required package."""
    extra: str | None = None
    """Extra that installs the package."""
    objects: bool = False
    """True if an object of that package is accepted too: a client that is open already."""


KINDS = (
    Kind("local", ("local", "local:processes"), "local"),
    Kind("dask", ("dask", "dask:ADDRESS"), "dask", "distributed", "dask", objects=True),
    Kind("ray", ("ray", "ray:ADDRESS"), "ray", "ray", "ray"),
    Kind("slurm", ("slurm", "slurm:OPTION=VALUE,…"), "slurm", "submitit", "slurm"),
)

FORMS = tuple(form for kind in KINDS for form in kind.forms)
"""Forms in which executors are written."""


def kind_of(name: str) -> Kind | None:
    """Returns the executor of this name."""
    return next((kind for kind in KINDS if kind.name == name), None)


def package_of(name: str) -> Any:
    """Returns the package that the executor `name` needs. Errors: `MissingExtra`."""
    kind = kind_of(name)
    assert kind is not None and kind.needs is not None and kind.extra is not None, f"{name} needs a package"
    try:
        return import_module(kind.needs)
    except ImportError as why:
        raise MissingExtra(f"the executor {name}", kind.extra, why) from why
