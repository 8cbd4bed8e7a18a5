"""Plots of results: for papers by matplotlib, for notebooks by Altair, and the numbers behind them.

    import sidestep as ss
    from sidestep import plot

    result = ss.run("quickstart")
    figure = plot.cdf(result, of="qct")            # a matplotlib Figure, one column (3.3 in) wide
    plot.save(figure, "qct.pdf")                   # or .svg, .png
    plot.cdf.chart(result, of="qct")               # the same as an Altair chart
    plot.cdf.data(result, of="qct").rows()         # the numbers, one dictionary a point

Both libraries are extras: `pip install './python[plot]'`, `pip install './python[notebook]'`. docs/how-to/plots.md
shows each plot.
"""

from sidestep.plot._against import against as _against
from sidestep.plot._cdf import cdf as _cdf
from sidestep.plot._chart import offline
from sidestep.plot._chart import save as save_chart
from sidestep.plot._data import Data, Series
from sidestep.plot._detours import detours as _detours
from sidestep.plot._drops import drops as _drops
from sidestep.plot._paper import save, style
from sidestep.plot._plot import plot as _plot
from sidestep.plot._queues import instants
from sidestep.plot._queues import queues as _queues
from sidestep.plot._slowdown import slowdown as _slowdown
from sidestep.plot._throughput import throughput as _throughput

against = _plot(_against)
cdf = _plot(_cdf)
detours = _plot(_detours)
drops = _plot(_drops)
queues = _plot(_queues)
slowdown = _plot(_slowdown)
throughput = _plot(_throughput)

__all__ = [
    "Data",
    "Series",
    "against",
    "cdf",
    "detours",
    "drops",
    "instants",
    "offline",
    "queues",
    "save",
    "save_chart",
    "slowdown",
    "style",
    "throughput",
]
