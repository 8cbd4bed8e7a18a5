"""Common interface of plots: draw for a paper, draw for a notebook, return the numbers."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Protocol, cast

from sidestep.plot import _chart, _paper
from sidestep.plot._data import Data

if TYPE_CHECKING:
    from matplotlib.figure import Figure

P = ParamSpec("P")


class Plot(Protocol, Generic[P]):
    """Plot of results: a function, with the same for notebooks and as numbers."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> "Figure":
        """Returns the plot as a matplotlib Figure."""
        ...

    @property
    def chart(self) -> Callable[P, Any]:
        """Function that returns the plot as an Altair chart, to zoom and to point at."""
        ...

    @property
    def data(self) -> Callable[P, Data]:
        """Function that returns the numbers of the plot."""
        ...


def plot(data: Callable[P, Data]) -> Plot[P]:
    """Makes a plot from the function that returns its numbers."""

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
