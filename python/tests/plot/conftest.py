"""Results that the tests of plots share; each takes milliseconds, and is made once."""

import pytest

import sidestep as ss

_NETWORK = """
[topology]
kind = "fat_tree"
k = 4
"""

_BUSY = f"""
title = "queries among flows"
duration = "8 ms"
drain = "4 ms"
seeds = "1..3"
schemes = ["dctcp", "dibs"]
{_NETWORK}
[workload.background]
kind = "background"
cdf = "imc10_aditya_packets_ns2"
inter_arrival = "500 us"

[workload.query]
kind = "query"
rate = "1000 /s"
degree = 15
size = "30 kB"
"""

_INCAST = f"""
title = "one query"
duration = "1 ms"
drain = "100 ms"
seeds = "1..3"
schemes = ["dctcp", "dibs"]
{_NETWORK}
[workload.query]
kind = "incast"
degree = 15
size = "40 kB"

[probe]
loops = true
links = "200 us"
drops = "200 us"
"""

_ENDLESS = f"""
title = "flows without an end"
duration = "3 ms"
seeds = "1..2"
schemes = ["dctcp"]
{_NETWORK}
[workload.pairs]
kind = "permutation"
"""


@pytest.fixture(scope="session")
def busy() -> ss.Result:
    """Two classes, three seeds; some flows do not finish."""
    return ss.run(ss.Scenario.from_toml(_BUSY, name="busy.toml"))


@pytest.fixture(scope="session")
def incast() -> ss.Scenario:
    return ss.Scenario.from_toml(_INCAST, name="incast.toml")


@pytest.fixture(scope="session")
def swept(incast: ss.Scenario) -> ss.SweepResult:
    """One axis with four values, three seeds."""
    return ss.sweep(incast, over={"switch.capacity": ["25 pkt", "50 pkt", "100 pkt", "400 pkt"]})


@pytest.fixture(scope="session")
def probed(incast: ss.Scenario) -> ss.Result:
    """Queue lengths at 20 instants within 4 ms."""
    return ss.run(incast.with_({"probe.occupancy": ss.plot.instants(4, 20)}), seeds="1..2")


@pytest.fixture(scope="session")
def endless() -> ss.Result:
    return ss.run(ss.Scenario.from_toml(_ENDLESS, name="endless.toml"))
