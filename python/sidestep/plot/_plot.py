"""What every plot can do: draw for a paper, draw for a notebook, give its numbers."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Protocol, cast

from sidestep.plot import _chart, _paper
from sidestep.plot._data import Data

if TYPE_CHECKING:
    from matplotlib.figure import Figure

P = ParamSpec("P")


class Plot(Protocol, Generic[P]):
    """A plot of results: a function, with the same for notebooks and as numbers."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> "Figure":
        """The plot as a matplotlib Figure."""
        ...

    @property
    def chart(self) -> Callable[P, Any]:
        """The same as an Altair chart, to zoom and to point at."""
        ...

    @property
    def data(self) -> Callable[P, Data]:
        """The numbers behind it."""
        ...


def plot(data: Callable[P, Data]) -> Plot[P]:
    """A plot out of the function that gives its numbers."""

    @functools.wraps(data)
    def figure(*args: P.args, **kwargs: P.kwargs) -> "Figure":
        return _paper.figure(data(*args, **kwargs))

    @functools.wraps(data)
    def chart(*args: P.args, **kwargs: P.kwargs) -> Any:
        return _chart.chart(data(*args, **kwargs))

    for function, gives in ((figure, "A matplotlib Figure"), (chart, "An Altair chart")):
        function.__annotations__["return"] = Any
        function.__doc__ = f"{data.__doc__}\n    Returns: {gives}.\n    "
    figure.chart = chart  # type: ignore[attr-defined]
    figure.data = data  # type: ignore[attr-defined]
    return cast(Plot[P], figure)
