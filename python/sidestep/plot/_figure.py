"""A matplotlib Figure that a notebook shows as vectors, in the colours of its page."""

from matplotlib.figure import Figure

from sidestep.plot._data import Data


class PaperFigure(Figure):
    """A Figure, and the numbers that it shows: `data`."""

    data: Data | None = None

    def _repr_html_(self) -> str:
        from sidestep.plot._paper import html

        return html(self)
