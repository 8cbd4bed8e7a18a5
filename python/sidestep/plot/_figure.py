"""Matplotlib Figure that a notebook shows as vectors, in the colours of its page."""

from collections.abc import Callable

from matplotlib.figure import Figure

from sidestep.plot._data import Data


class PaperFigure(Figure):
    """Figure with its numbers (`data`), and the function that writes it as HTML."""

    data: Data | None = None
    as_html: Callable[[Figure], str]

    def _repr_html_(self) -> str:
        return self.as_html(self)
