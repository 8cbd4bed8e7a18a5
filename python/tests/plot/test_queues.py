import json

import pytest

import sidestep as ss
from sidestep import plot
from sidestep.plot._queues import _place, edges


def test_each_cell_is_what_the_probe_noted(probed: ss.Result) -> None:
    data = plot.queues.data(probed, seed=2, most=1000)
    ports = probed.ports.to_dict(["link", "from", "to"])
    link = {f"{a} → {b}": n for n, a, b in zip(ports["link"], ports["from"], ports["to"], strict=True)}
    run = next(
        r for r in json.loads((probed.path / "probes.json").read_text())["runs"] if (r["scheme"], r["seed"]) == ("dibs", 2)
    )
    heat = next(h for h in data.heat if h.panel == "dibs")
    assert list(heat.columns) == [noted["at_ps"] / 1e9 for noted in run["occupancy"]]
    for name, row in zip(heat.rows, heat.values, strict=True):
        assert list(row) == [noted["packets"][link[name]] for noted in run["occupancy"]]
    assert max(max(row) for row in heat.values) > 50


def test_a_switch_is_the_sum_of_its_ports(probed: ss.Result) -> None:
    ports, switches = plot.queues.data(probed, most=1000).heat[0], plot.queues.data(probed, by="switch", most=1000).heat[0]
    for name, row in zip(switches.rows, switches.values, strict=True):
        own = [values for port, values in zip(ports.rows, ports.values, strict=True) if port.startswith(f"{name} →")]
        assert list(row) == [sum(cell) for cell in zip(*own, strict=True)]


def test_the_longest_queues_are_kept_and_the_rest_is_said(probed: ss.Result) -> None:
    every, few = plot.queues.data(probed, most=1000), plot.queues.data(probed, most=2)
    peak = {
        name: max(max(heat.values[i]) for heat in every.heat if name in heat.rows) for i, name in enumerate(every.heat[0].rows)
    }
    assert sorted(few.heat[0].rows) == sorted(sorted(peak, key=lambda name: -peak[name])[:2])
    assert f"{len(peak) - 2} more ports with shorter queues" in few.caption


def test_without_a_probe_the_key_to_set_is_named(busy: ss.Result) -> None:
    with pytest.raises(
        ss.ScenarioError, match=r"no queue lengths in .*: set `occupancy` of `\[probe\]` .*probe.occupancy.*instants"
    ):
        plot.queues.data(busy)


def test_instants_are_what_the_key_takes() -> None:
    assert plot.instants(1, 4) == "250000 ns, 500000 ns, 750000 ns, 1000000 ns"
    with pytest.raises(ss.ScenarioError, match=r"at least one instant after 0 ms, got 3 until 0 ms"):
        plot.instants(0, 3)


def test_cells_end_in_the_middle_between_two_instants() -> None:
    assert edges([1.0, 2.0, 4.0]) == [0.5, 1.5, 3.0, 5.0]
    assert edges([2.0]) == [0.0, 4.0]


def test_switches_are_sorted_by_their_numbers() -> None:
    assert sorted(["edge 0.10", "edge 0.9", "agg 1.0"], key=_place) == ["agg 1.0", "edge 0.9", "edge 0.10"]


def test_a_seed_that_is_not_there_is_refused(probed: ss.Result) -> None:
    with pytest.raises(ss.ScenarioError, match=r"no seed 9 in the result; expected one of 1, 2"):
        plot.queues.data(probed, seed=9)
