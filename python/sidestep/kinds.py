"""What a scenario can say, as typed functions: units and defaults are in their descriptions.

Made by `python -m sidestep._generate` from the tables by which scenarios are read. Do not edit.

A value with a unit is a string, as `"50 us"`, `"20 kB"`, `"10 Gbps"`. What is not given is left to the scheme, or is the
default. Names and values are checked when a `Scenario` is made of them, in the command's words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Never, TypeAlias, TypedDict

from sidestep._kind import Kind

__all__ = [
    "ScenarioKeys",
    "Table",
    "buffer",
    "change",
    "claim",
    "figure",
    "host",
    "plot",
    "probe",
    "route",
    "sched",
    "scheme",
    "shim",
    "switch",
    "topology",
    "transport",
    "workload",
]

Table: TypeAlias = Mapping[str, Any]
"""A table of a scenario: a `Kind`, or a dictionary of one's own."""


class ScenarioKeys(TypedDict, total=False):
    """The keys at the top of a scenario."""

    title: str
    """What the scenario shows, in one line."""
    duration: str
    """Flows and queries arrive in this window (a time like "50 us")."""
    drain: str
    """Then the run goes on until every flow is done, at most this long; assumed (a time like "50 us"); default "1
    s"."""
    framing: Literal["ethernet", "ip", "ppp"]
    """What a packet costs on a wire: its IP bytes + 38 (84 at least), its IP bytes alone, or with the 2 bytes of PPP
    that ns-3 adds (one of ethernet, ip, ppp); default "ethernet"."""
    ttl: int | str
    """Time to live of a new packet, 1 to 255 (DIBS Table 2) (a whole number); default 255."""
    profile: Literal["linux", "none"]
    """Senders below what scenario and schemes set in [transport]: those of Linux 6.18, or the defaults of each key
    (one of linux, none); default "linux"."""
    seeds: int | str | Sequence[int | str]
    """One run each: "1..5" (both ends included) or [1, 2, 3]; default "1"."""
    schemes: str | Sequence[str]
    """What to compare: names of shipped schemes, of [scheme.NAME] sections, or files."""
    topology: Table
    """What `[topology]` says."""
    switch: Table
    """What `[switch]` says."""
    transport: Table
    """What `[transport]` says."""
    host: Table
    """What `[host]` says."""
    workload: Mapping[str, Table]
    """What `[workload]` says."""
    scheme: Mapping[str, Table]
    """What `[scheme]` says."""
    probe: Table
    """What `[probe]` says."""
    change: Sequence[Table] | Mapping[str, Table]
    """What `[change]` says."""
    source: Table
    """Where values come from, by dotted key: a citation, or "assumed"."""
    claim: Sequence[Table]
    """What `[claim]` says."""
    extends: str
    """A file beside this one that is read first."""
    figure: Table
    """What `[figure]` says."""
    plot: Sequence[Table]
    """What `[plot]` says."""
    sweep: Table
    """Axes: a dotted key and its values, or a name and tables with `is`."""
    quick: Table
    """What is changed for a first look: dotted keys, or fewer values of an axis."""


class topology:
    """Topologies: what `topology.kind` can be."""

    @staticmethod
    def fat_tree(
        *,
        k: int | str | None = None,
        rate: str | None = None,
        delay: str | None = None,
        oversubscribe_links: int | str | None = None,
        oversubscribe_core: int | str | None = None,
        cores: int | str | None = None,
        **_more: Never,
    ) -> Kind:
        """K pods of edge and aggregation switches under (k/2)^2 cores; k^3/4 hosts.

        Source: Al-Fares et al., SIGCOMM 2008.

        Args:
            k: Ports of every switch; DIBS section 5.3 (a whole number). Default 8.
            rate: Of every link; DIBS Table 1 (a rate like "1 Gbps"). Default "1 Gbps".
            delay: Of every link; assumed: DIBS is silent (a time like "50 us"). Default "1 us".
            oversubscribe_links: Divides the rate of every link between switches; DIBS Table 2, section 5.5.4 (a whole
                number). Default 1.
            oversubscribe_core: Divides the rate of aggregation-to-core links once more; assumed: DIBS says only links
                between switches (a whole number). Default 1.
            cores: Core switches kept, the first ones of every group; a multiple of k/2; assumed: all (k/2)^2 (a whole
                number). Default "all".
        """
        values: dict[str, Any] = {
            "k": k,
            "rate": rate,
            "delay": delay,
            "oversubscribe_links": oversubscribe_links,
            "oversubscribe_core": oversubscribe_core,
            "cores": cores,
        }
        return Kind("fat_tree", values, _more)

    @staticmethod
    def leaf_spine(
        *,
        leaves: int | str | None = None,
        spines: int | str | None = None,
        hosts_per_leaf: int | str | None = None,
        host_rate: str | None = None,
        fabric_rate: str | None = None,
        host_delay: str | None = None,
        fabric_delay: str | None = None,
        **_more: Never,
    ) -> Kind:
        """Every leaf cabled to every spine, hosts on the leaves.

        Source: Abdous et al., CoNEXT 2021 (Vertigo), its artefact.

        Args:
            leaves: Leaf switches; Vertigo artefact (a whole number). Default 8.
            spines: Spine switches; Vertigo artefact (a whole number). Default 4.
            hosts_per_leaf: Vertigo artefact (a whole number). Default 40.
            host_rate: Host to leaf; Vertigo artefact (a rate like "1 Gbps"). Default "10 Gbps".
            fabric_rate: Leaf to spine; Vertigo artefact (a rate like "1 Gbps"). Default "40 Gbps".
            host_delay: Host to leaf; Vertigo artefact (a time like "50 us"). Default "1 us".
            fabric_delay: Leaf to spine; Vertigo artefact (a time like "50 us"). Default "5 us".
        """
        values: dict[str, Any] = {
            "leaves": leaves,
            "spines": spines,
            "hosts_per_leaf": hosts_per_leaf,
            "host_rate": host_rate,
            "fabric_rate": fabric_rate,
            "host_delay": host_delay,
            "fabric_delay": fabric_delay,
        }
        return Kind("leaf_spine", values, _more)

    @staticmethod
    def single_switch(
        *,
        hosts: int | str | None = None,
        rate: str | None = None,
        delay: str | None = None,
        **_more: Never,
    ) -> Kind:
        """One switch with hosts on its ports.

        Source: the smallest place for an incast.

        Args:
            hosts: Hosts; assumed (a whole number). Default 8.
            rate: Of every link; DIBS Table 1 (a rate like "1 Gbps"). Default "1 Gbps".
            delay: Of every link; assumed (a time like "50 us"). Default "1 us".
        """
        values: dict[str, Any] = {
            "hosts": hosts,
            "rate": rate,
            "delay": delay,
        }
        return Kind("single_switch", values, _more)

    @staticmethod
    def dumbbell(
        *,
        left: int | str | None = None,
        right: int | str | None = None,
        rate: str | None = None,
        delay: str | None = None,
        bottleneck_rate: str | None = None,
        bottleneck_delay: str | None = None,
        **_more: Never,
    ) -> Kind:
        """Two switches with hosts, and one shared cable between them.

        Source: the field's standard test of congestion control.

        Args:
            left: Hosts on the left switch; assumed (a whole number). Default 8.
            right: Hosts on the right switch; assumed (a whole number). Default 8.
            rate: Of host links; DIBS Table 1 (a rate like "1 Gbps"). Default "1 Gbps".
            delay: Of host links; assumed (a time like "50 us"). Default "1 us".
            bottleneck_rate: Of the shared cable; assumed: as one host (a rate like "1 Gbps"). Default "1 Gbps".
            bottleneck_delay: Of the shared cable; assumed (a time like "50 us"). Default "1 us".
        """
        values: dict[str, Any] = {
            "left": left,
            "right": right,
            "rate": rate,
            "delay": delay,
            "bottleneck_rate": bottleneck_rate,
            "bottleneck_delay": bottleneck_delay,
        }
        return Kind("dumbbell", values, _more)

    @staticmethod
    def linear(
        *,
        switches: int | str | None = None,
        hosts_per_switch: int | str | None = None,
        rate: str | None = None,
        delay: str | None = None,
        **_more: Never,
    ) -> Kind:
        """A chain of switches, each with hosts.

        Source: the field's standard parking lot.

        Args:
            switches: Switches in a row; assumed (a whole number). Default 4.
            hosts_per_switch: Hosts on each; assumed (a whole number). Default 2.
            rate: Of every link; DIBS Table 1 (a rate like "1 Gbps"). Default "1 Gbps".
            delay: Of every link; assumed (a time like "50 us"). Default "1 us".
        """
        values: dict[str, Any] = {
            "switches": switches,
            "hosts_per_switch": hosts_per_switch,
            "rate": rate,
            "delay": delay,
        }
        return Kind("linear", values, _more)

    @staticmethod
    def jellyfish(
        *,
        switches: int | str | None = None,
        degree: int | str | None = None,
        hosts_per_switch: int | str | None = None,
        graph: int | str | None = None,
        rate: str | None = None,
        delay: str | None = None,
        **_more: Never,
    ) -> Kind:
        """A random regular graph of switches, each with hosts.

        Source: Singla et al., NSDI 2012.

        Args:
            switches: Assumed: the hosts of a k = 8 fat-tree on four fifths of its switches (a whole number). Default
                64.
            degree: Ports of a switch that lead to switches; assumed (a whole number). Default 6.
            hosts_per_switch: Hosts on each; assumed (a whole number). Default 2.
            graph: Which of the random graphs; a run's seed does not change it (a whole number). Default 1.
            rate: Of every link; DIBS Table 1 (a rate like "1 Gbps"). Default "1 Gbps".
            delay: Of every link; assumed (a time like "50 us"). Default "1 us".
        """
        values: dict[str, Any] = {
            "switches": switches,
            "degree": degree,
            "hosts_per_switch": hosts_per_switch,
            "graph": graph,
            "rate": rate,
            "delay": delay,
        }
        return Kind("jellyfish", values, _more)

    @staticmethod
    def hyperx(
        *,
        shape: str | None = None,
        hosts_per_switch: int | str | None = None,
        host_rate: str | None = None,
        fabric_rate: str | None = None,
        delay: str | None = None,
        **_more: Never,
    ) -> Kind:
        """A grid of switches, every line of it a full mesh.

        Source: Ahn et al., SC 2009.

        Args:
            shape: Switches in each dimension, 1 to 8 of them; assumed. Default "4x4".
            hosts_per_switch: Hosts on each; assumed (a whole number). Default 4.
            host_rate: Host to switch; DIBS Table 1 (a rate like "1 Gbps"). Default "1 Gbps".
            fabric_rate: Switch to switch; DIBS Table 1 (a rate like "1 Gbps"). Default "1 Gbps".
            delay: Of every link; assumed (a time like "50 us"). Default "1 us".
        """
        values: dict[str, Any] = {
            "shape": shape,
            "hosts_per_switch": hosts_per_switch,
            "host_rate": host_rate,
            "fabric_rate": fabric_rate,
            "delay": delay,
        }
        return Kind("hyperx", values, _more)

    @staticmethod
    def tree(
        *,
        levels: int | str | None = None,
        fan_out: int | str | Sequence[int | str] | None = None,
        rate: str | Sequence[str] | None = None,
        delay: str | Sequence[str] | None = None,
        **_more: Never,
    ) -> Kind:
        """One root, the same fan-out below every switch of a level, hosts below the last.

        Source: Mushtaq et al., SIGCOMM 2014 poster (MulBuff), figure 3.

        Args:
            levels: Levels of switches; MulBuff (a whole number). Default 3.
            fan_out: Below each switch of a level, from the root on: switches, and hosts at the last; one for all, or
                one a level; assumed (a whole number, or several with commas). Default "2, 2, 10".
            rate: Of the links below each level, those of hosts last; one for all, or one a level; of hosts MulBuff's,
                above them assumed (a rate like "1 Gbps", or several with commas). Default "10 Gbps, 10 Gbps, 1 Gbps".
            delay: Of the same links; assumed: 96 us across the root and back (a time like "50 us", or several with
                commas). Default "8 us".
        """
        values: dict[str, Any] = {
            "levels": levels,
            "fan_out": fan_out,
            "rate": rate,
            "delay": delay,
        }
        return Kind("tree", values, _more)

    @staticmethod
    def testbed(
        *,
        rate: str | None = None,
        delay: str | None = None,
        **_more: Never,
    ) -> Kind:
        """2 aggregation switches, 3 edge switches, 6 hosts: the testbed of DIBS.

        Source: Zarifis et al., EuroSys 2014 (DIBS), section 5.2.

        Args:
            rate: Of every link; DIBS Table 1 (a rate like "1 Gbps"). Default "1 Gbps".
            delay: Of every link; assumed: DIBS is silent (a time like "50 us"). Default "1 us".
        """
        values: dict[str, Any] = {
            "rate": rate,
            "delay": delay,
        }
        return Kind("testbed", values, _more)

    @staticmethod
    def custom(
        *,
        file: str | None = None,
        **_more: Never,
    ) -> Kind:
        """A file with one cable a line.

        Source: Sidestep's own format.

        Args:
            file: Header a,b,rate,delay; rows like h0,s0,1 Gbps,1 us. Required.
        """
        values: dict[str, Any] = {
            "file": file,
        }
        return Kind("custom", values, _more)


class workload:
    """Workloads: what `workload.NAME.kind` can be."""

    @staticmethod
    def query(
        *,
        rate: str | None = None,
        load: float | str | None = None,
        load_of: Literal["host", "fabric"] | None = None,
        degree: int | str | None = None,
        size: str | None = None,
        connections: int | str | None = None,
        request: str | None = None,
        think: str | None = None,
        think_deviation: str | None = None,
        jitter: str | None = None,
        connection: Literal["own", "shared", "persistent"] | None = None,
        mss: int | str | None = None,
        transport: str | Table | None = None,
        **_more: Never,
    ) -> Kind:
        """Random hosts ask many others at once (partition-aggregate).

        Source: Zarifis et al., EuroSys 2014 (DIBS), section 5.3.

        Args:
            rate: Queries in the whole network; DIBS Table 2 (a frequency like "300 /s"). Default "300 /s".
            load: Instead of rate: payload of the responses, as a share of what load_of says (a fraction like "1/16").
                Default "off".
            load_of: What load is a share of: hosts' own links, or the links above the switches that they hang off (one
                of host, fabric). Default "host".
            degree: Responses to a query; DIBS Table 2 (a whole number). Default 40.
            size: Of a response; DIBS Table 2 (a size like "20 kB"). Default "20 kB".
            connections: Responses one host may send to a query, for degrees above the number of hosts; DIBS section
                5.5.2 (a whole number). Default 1.
            request: Of a request that each answer waits for; assumed off: DIBS is silent (a size like "20 kB"). Default
                "off".
            think: Between a request and its answer; assumed (a time like "50 us"). Default "0 us".
            think_deviation: Standard deviation of that, normal, at least 0; assumed none (a time like "50 us"). Default
                "0 us".
            jitter: Each response starts up to this much later, uniformly; assumed (a time like "50 us"). Default "0
                us".
            connection: A request and its answer have one each, one for both, or one that requests to come use too;
                assumed (one of own, shared, persistent). Default "own".
            mss: Payload of a full segment of each flow, drawn uniformly, both ends included; by default the transport's
                (bytes like "64..1500" or "1460 B"). Default "transport".
            transport: The transport of this workload's flows: its name, or a table of keys that replace those of
                [transport] for it; by default that of the scheme.
        """
        values: dict[str, Any] = {
            "rate": rate,
            "load": load,
            "load_of": load_of,
            "degree": degree,
            "size": size,
            "connections": connections,
            "request": request,
            "think": think,
            "think_deviation": think_deviation,
            "jitter": jitter,
            "connection": connection,
            "mss": mss,
            "transport": transport,
        }
        return Kind("query", values, _more)

    @staticmethod
    def background(
        *,
        cdf: str | None = None,
        interpolation: Literal["linear", "step"] | None = None,
        inter_arrival: str | None = None,
        load: float | str | None = None,
        load_of: Literal["host", "fabric"] | None = None,
        target: int | str | None = None,
        request: str | None = None,
        think: str | None = None,
        think_deviation: str | None = None,
        connection: Literal["own", "shared", "persistent"] | None = None,
        mss: int | str | None = None,
        transport: str | Table | None = None,
        **_more: Never,
    ) -> Kind:
        """Every host sends flows to random others, sizes from a distribution.

        Source: Zarifis et al., EuroSys 2014 (DIBS), section 5.3.

        Args:
            cdf: Flow sizes; assumed: 82 % are below 100 kB, DIBS section 5.3 says 80 %. Default
                "imc10_aditya_packets_ns2".
            interpolation: Where sizes lie between two points; assumed: as ns-2 and HPCC draw them (one of linear,
                step). Default "linear".
            inter_arrival: Mean gap between the flows of a host; DIBS Table 2; per host is assumed (a time like "50
                us"). Default "120 ms".
            load: Instead of inter_arrival: payload offered, as a share of what load_of says (a fraction like "1/16").
                Default "off".
            load_of: What load is a share of: hosts' own links, or the links above the switches that they hang off (one
                of host, fabric). Default "host".
            target: The one host that flows go to, of whose link load is then a share; MulBuff, figure 1; assumed all (a
                whole number). Default "all".
            request: Of a request that each answer waits for; assumed off: DIBS is silent (a size like "20 kB"). Default
                "off".
            think: Between a request and its answer; assumed (a time like "50 us"). Default "0 us".
            think_deviation: Standard deviation of that, normal, at least 0; assumed none (a time like "50 us"). Default
                "0 us".
            connection: A request and its answer have one each, one for both, or one that requests to come use too;
                assumed (one of own, shared, persistent). Default "own".
            mss: Payload of a full segment of each flow, drawn uniformly, both ends included; by default the transport's
                (bytes like "64..1500" or "1460 B"). Default "transport".
            transport: The transport of this workload's flows: its name, or a table of keys that replace those of
                [transport] for it; by default that of the scheme.
        """
        values: dict[str, Any] = {
            "cdf": cdf,
            "interpolation": interpolation,
            "inter_arrival": inter_arrival,
            "load": load,
            "load_of": load_of,
            "target": target,
            "request": request,
            "think": think,
            "think_deviation": think_deviation,
            "connection": connection,
            "mss": mss,
            "transport": transport,
        }
        return Kind("background", values, _more)

    @staticmethod
    def long(
        *,
        between: Literal["random", "pairs", "one_way", "neighbours", "to_host", "to_rack"] | None = None,
        target: int | str | None = None,
        flows: int | str | None = None,
        size: str | None = None,
        start: str | None = None,
        jitter: str | None = None,
        apart: Literal["pod", "rack"] | Literal["off"] | None = None,
        mss: int | str | None = None,
        transport: str | Table | None = None,
        **_more: Never,
    ) -> Kind:
        """Endless or sized flows between random hosts or within disjoint pairs.

        Source: Zarifis et al., EuroSys 2014 (DIBS), section 5.6.

        Args:
            between: Two random hosts a flow, or node-disjoint pairs (DIBS section 5.6), random, or with flows from the
                first to the second alone, or hosts 0 and 1, 2 and 3, …, or to one host, or to the hosts of its rack
                (MulBuff); assumed random (one of random, pairs, one_way, neighbours, to_host, to_rack). Default
                "random".
            target: To_host, to_rack: number of the receiving host, or of the first of its rack to receive; assumed
                random (a whole number). Default "random".
            flows: Random, to_host, to_rack: how many in all; pairs: how many each way within each pair; DIBS section
                5.6: 1 to 16 (a whole number). Default 1.
            size: Of each flow; DIBS section 5.6: long-lived (a size like "20 kB"). Default "endless".
            start: Of all flows; assumed (a time like "50 us"). Default "0 us".
            jitter: Each flow starts up to this much later, uniformly; assumed (a time like "50 us"). Default "0 us".
            apart: The receiver is in another pod, or another rack, than the sender; assumed off (one of pod, rack).
                Default "off".
            mss: Payload of a full segment of each flow, drawn uniformly, both ends included; by default the transport's
                (bytes like "64..1500" or "1460 B"). Default "transport".
            transport: The transport of this workload's flows: its name, or a table of keys that replace those of
                [transport] for it; by default that of the scheme.
        """
        values: dict[str, Any] = {
            "between": between,
            "target": target,
            "flows": flows,
            "size": size,
            "start": start,
            "jitter": jitter,
            "apart": apart,
            "mss": mss,
            "transport": transport,
        }
        return Kind("long", values, _more)

    @staticmethod
    def permutation(
        *,
        size: str | None = None,
        start: str | None = None,
        jitter: str | None = None,
        apart: Literal["pod", "rack"] | Literal["off"] | None = None,
        mss: int | str | None = None,
        transport: str | Table | None = None,
        **_more: Never,
    ) -> Kind:
        """Every host sends one flow and receives one.

        Source: Al-Fares et al., NSDI 2010 (Hedera).

        Args:
            size: Of each flow; assumed endless (a size like "20 kB"). Default "endless".
            start: Of all flows; assumed (a time like "50 us"). Default "0 us".
            jitter: Each flow starts up to this much later, uniformly; assumed (a time like "50 us"). Default "0 us".
            apart: The receiver is in another pod, or another rack, than the sender; assumed off (one of pod, rack).
                Default "off".
            mss: Payload of a full segment of each flow, drawn uniformly, both ends included; by default the transport's
                (bytes like "64..1500" or "1460 B"). Default "transport".
            transport: The transport of this workload's flows: its name, or a table of keys that replace those of
                [transport] for it; by default that of the scheme.
        """
        values: dict[str, Any] = {
            "size": size,
            "start": start,
            "jitter": jitter,
            "apart": apart,
            "mss": mss,
            "transport": transport,
        }
        return Kind("permutation", values, _more)

    @staticmethod
    def incast(
        *,
        degree: int | str | None = None,
        size: str | None = None,
        total: str | None = None,
        flows: int | str | None = None,
        target: int | str | None = None,
        senders: Literal["random", "spread", "first"] | None = None,
        at: str | None = None,
        jitter: str | None = None,
        mss: int | str | None = None,
        transport: str | Table | None = None,
        **_more: Never,
    ) -> Kind:
        """Many hosts send to one at the same instant, once.

        Source: Zarifis et al., EuroSys 2014 (DIBS), section 5.2.

        Args:
            degree: Hosts that send; DIBS Table 2 (a whole number). Default 40.
            size: Of a flow; DIBS Table 2 (a size like "20 kB"). Default "20 kB".
            total: Instead of size: of all flows together, shared equally; MulBuff: 1 MB (a size like "20 kB"). Default
                "off".
            flows: Flows of each sender; assumed (a whole number). Default 1.
            target: Number of the receiving host; assumed random (a whole number). Default "random".
            senders: Which hosts send: drawn, evenly over the numbers, or lowest first; assumed (one of random, spread,
                first). Default "random".
            at: When; assumed (a time like "50 us"). Default "0 us".
            jitter: Each flow starts up to this much later, uniformly; assumed (a time like "50 us"). Default "0 us".
            mss: Payload of a full segment of each flow, drawn uniformly, both ends included; by default the transport's
                (bytes like "64..1500" or "1460 B"). Default "transport".
            transport: The transport of this workload's flows: its name, or a table of keys that replace those of
                [transport] for it; by default that of the scheme.
        """
        values: dict[str, Any] = {
            "degree": degree,
            "size": size,
            "total": total,
            "flows": flows,
            "target": target,
            "senders": senders,
            "at": at,
            "jitter": jitter,
            "mss": mss,
            "transport": transport,
        }
        return Kind("incast", values, _more)

    @staticmethod
    def replace(
        *,
        active: int | str | None = None,
        cdf: str | None = None,
        interpolation: Literal["linear", "step"] | None = None,
        size: str | None = None,
        jitter: str | None = None,
        mss: int | str | None = None,
        transport: str | Table | None = None,
        **_more: Never,
    ) -> Kind:
        """A closed loop: so many active flows, each followed by another at once.

        Source: the usual closed loop.

        Args:
            active: Flows at any instant in the whole network; assumed (a whole number). Default 100.
            cdf: Flow sizes; assumed, as background's. Default "imc10_aditya_packets_ns2".
            interpolation: Where sizes lie between two points; assumed: as ns-2 and HPCC draw them (one of linear,
                step). Default "linear".
            size: Instead of cdf: of every flow (a size like "20 kB"). Default "off".
            jitter: The first flows start up to this much after time zero, uniformly; assumed (a time like "50 us").
                Default "0 us".
            mss: Payload of a full segment of each flow, drawn uniformly, both ends included; by default the transport's
                (bytes like "64..1500" or "1460 B"). Default "transport".
            transport: The transport of this workload's flows: its name, or a table of keys that replace those of
                [transport] for it; by default that of the scheme.
        """
        values: dict[str, Any] = {
            "active": active,
            "cdf": cdf,
            "interpolation": interpolation,
            "size": size,
            "jitter": jitter,
            "mss": mss,
            "transport": transport,
        }
        return Kind("replace", values, _more)

    @staticmethod
    def flow_list(
        *,
        file: str | None = None,
        mss: int | str | None = None,
        transport: str | Table | None = None,
        **_more: Never,
    ) -> Kind:
        """A user's own flows, from a file.

        Source: Sidestep's own format.

        Args:
            file: Header start,src,dst,size (perhaps mss, class, group); rows like 1.5 ms,0,3,20 kB. Required.
            mss: Payload of a full segment of each flow, drawn uniformly, both ends included; by default the transport's
                (bytes like "64..1500" or "1460 B"). Default "transport".
            transport: The transport of this workload's flows: its name, or a table of keys that replace those of
                [transport] for it; by default that of the scheme.
        """
        values: dict[str, Any] = {
            "file": file,
            "mss": mss,
            "transport": transport,
        }
        return Kind("flow_list", values, _more)


class transport:
    """Transports: what `transport.kind` can be."""

    @staticmethod
    def dctcp(
        *,
        dctcp_gain: float | str | None = None,
        dctcp_initial_alpha: float | str | None = None,
        dctcp_alpha_moves: Literal["windows", "echoes"] | None = None,
        dctcp_loss_leaves: float | str | None = None,
        recovery: Literal["newreno", "reno", "sack"] | None = None,
        loss_detection: Literal["duplicates", "rack"] | None = None,
        tail_loss_probe: bool | None = None,
        probe_ack_delay: str | None = None,
        timer_margin: str | None = None,
        frto: bool | None = None,
        window_growth: Literal["rfc5681", "linux"] | None = None,
        reduction: Literal["at_once", "prr"] | None = None,
        mss: str | None = None,
        initial_window: int | str | None = None,
        receive_window: str | None = None,
        fast_retransmit: int | str | None = None,
        fast_retransmit_rule: Literal["fixed", "dsack", "early"] | None = None,
        fast_retransmit_share: float | str | None = None,
        fast_retransmit_most: int | str | None = None,
        early_repair: float | str | None = None,
        dsack: bool | None = None,
        undo: bool | None = None,
        limited_transmit: bool | None = None,
        limited_transmit_in_cwr: bool | None = None,
        duplicates_in_cwr: bool | None = None,
        echoes_in_loss: bool | None = None,
        window_floor: int | str | None = None,
        idle_restart: bool | None = None,
        delayed_ack: str | None = None,
        delayed_ack_segments: int | str | None = None,
        delayed_ack_rule: Literal["linux", "ns3"] | None = None,
        rto_estimator: Literal["rfc6298", "linux", "ns3", "inet"] | None = None,
        rto_min: str | None = None,
        rto_initial: str | None = None,
        rto_max: str | None = None,
        rto_granularity: str | None = None,
        jiffy: str | None = None,
        rto_backoff: bool | None = None,
        rto_backoff_ends: Literal["as_estimator", "sample", "ack"] | None = None,
        timestamps: bool | None = None,
        syn_sample: bool | None = None,
        handshake: bool | None = None,
        measured_round_trip: str | None = None,
        fin: bool | None = None,
        rank: Literal["unacknowledged", "none"] | None = None,
        **_more: Never,
    ) -> Kind:
        """Slows in proportion to the share of marked bytes.

        Source: Alizadeh et al., SIGCOMM 2010; RFC 8257.

        Args:
            dctcp_gain: Gain of the moving average of marked bytes (RFC 8257 section 4.2) (a fraction like "1/16").
                Default "1/16".
            dctcp_initial_alpha: The average before the first window (RFC 8257 section 4.2) (a fraction like "1/16").
                Default "1".
            dctcp_alpha_moves: At the end of every window, or only of those that an acknowledgement with an echo ends
                (Vertigo's simulator) (one of windows, echoes). Default "windows".
            dctcp_loss_leaves: Share of the flight that a loss leaves (RFC 5681; Vertigo's simulator: 0.75) (a fraction
                like "1/16"). Default "0.5".
            recovery: How losses are repaired: RFC 6582, RFC 5681 or RFC 6675 (one of newreno, reno, sack). Default
                "newreno".
            loss_detection: Evidence of a loss: duplicate acknowledgements (RFC 5681, RFC 6675), or what was sent later
                and delivered (RFC 8985, RACK) (one of duplicates, rack). Default "duplicates".
            tail_loss_probe: Send a probe after two round trips without an acknowledgement (RFC 8985 section 7, TLP)
                (true or false). Default false.
            probe_ack_delay: The longest delay of an acknowledgement, added to the wait for a probe while one segment is
                out: RFC 8985's TLP.max_ack_delay; Linux adds the minimum RTO (a time like "50 us"). Default "rto_min".
            timer_margin: Added to the reordering timer and to the wait for a probe: 2 ms in Linux since 6.6; "auto",
                two jiffies, in Linux before 6.6; 0 us in RFC 8985 (a time like "50 us"). Default "auto".
            frto: After a timeout, send new data first to find out whether anything was lost (RFC 5682, F-RTO) (true or
                false). Default false.
            window_growth: Growth in slow start: a segment for each acknowledgement (RFC 5681), or each segment
                delivered (Linux) (one of rfc5681, linux). Default "rfc5681".
            reduction: How a cut window is reached: at once, or by proportional rate reduction as in Linux and ns-3 (RFC
                9937) (one of at_once, prr). Default "prr".
            mss: Payload of a full segment; IP MTU 1500 without options (DIBS Table 1) (a size like "20 kB"). Default
                "1460 B".
            initial_window: Initial window in segments (RFC 6928, DIBS Table 1) (a whole number). Default 10.
            receive_window: Bytes the receiver allows beyond the cumulative acknowledgement; assumed: a flow that only
                its own NIC slows down keeps as much in flight (a size like "20 kB"). Default "1 MiB".
            fast_retransmit: Duplicate acknowledgements that start fast retransmit (RFC 5681) (a whole number). Default
                3.
            fast_retransmit_rule: Whether that number stays, or moves with the reordering seen from `fast_retransmit`
                upwards (one of fixed, dsack, early). Default "fixed".
            fast_retransmit_share: Share of the reorderings seen that a number that moves lets pass (Zhang et al., ICNP
                2003, call it FA ratio; 0.9 is assumed) (a fraction like "1/16"). Default "0.9".
            fast_retransmit_most: A number that moves never exceeds it; assumed: Linux tcp_max_reordering (a whole
                number). Default 300.
            early_repair: An acknowledgement that comes sooner after a repair than this share of the smallest round trip
                is for the original; assumed (a fraction like "1/16"). Default "0.5".
            dsack: Acknowledgements tell of segments that arrive once more (RFC 2883) (true or false). Default false.
            undo: The window and ssthresh come back when a recovery turns out needless, as in Linux (true or false).
                Default false.
            limited_transmit: A new segment on each of the first two duplicate acknowledgements (RFC 3042) (true or
                false). Default false.
            limited_transmit_in_cwr: Limited transmit also while a window comes down after an echo (RFC 3042 does not
                except it) (true or false). Default false.
            duplicates_in_cwr: Duplicates begin a recovery also while a window comes down after an echo (RFC 8257
                section 3.5, Linux); ns-3: false (true or false). Default true.
            echoes_in_loss: An echo cuts the window also while a timeout is repaired; ns-3: true, Linux: false (true or
                false). Default false.
            window_floor: Least window in segments after a loss or an echo: 1 or 2 (RFC 5681 equation 4 and Linux: 2;
                INET and ns-3 after an echo: 1) (a whole number). Default 2.
            idle_restart: Back to the initial window after one RTO of silence (RFC 5681 section 4.1) (true or false).
                Default false.
            delayed_ack: The longest wait before an acknowledgement (RFC 1122); off acknowledges every segment (a time
                like "50 us"). Default "off".
            delayed_ack_segments: Full segments per acknowledgement, when delayed (RFC 5681 section 4.2) (a whole
                number). Default 2.
            delayed_ack_rule: Which acknowledgements are delayed, when they are: as Linux does, or every second segment
                from the first on (one of linux, ns3). Default "linux".
            rto_estimator: How round-trip samples become a timeout; it decides the tail (one of rfc6298, linux, ns3,
                inet). Default "rfc6298".
            rto_min: No timeout is shorter (DIBS Table 1) (a time like "50 us"). Default "10 ms".
            rto_initial: The timeout before the first sample; assumed: a standing connection has measured its path (a
                time like "50 us"). Default "10 ms".
            rto_max: No timeout is longer, back-off included (RFC 6298 section 2.5) (a time like "50 us"). Default "60
                s".
            rto_granularity: Clock granularity G of RFC 6298; assumed (a time like "50 us"). Default "1 us".
            jiffy: Period of the ticks at which the sender's timers run out (Linux: 1/HZ); off runs them out exactly (a
                time like "50 us"). Default "off".
            rto_backoff: Double the timeout each time it runs out (RFC 6298 section 5.5) (true or false). Default true.
            rto_backoff_ends: What makes a doubled timeout the estimator's again: a round trip of a segment that was
                sent once, or any acknowledgement of new data (one of as_estimator, sample, ack). Default
                "as_estimator".
            timestamps: Each acknowledgement of new data is a sample for the estimator, of segments sent twice as well
                (RFC 7323) (true or false). Default false.
            syn_sample: Who opens a connection takes the round trip of its SYN for a sample, as Linux and ns-3 do and
                INET does not (true or false). Default true.
            handshake: Open with SYN, SYN-ACK and ACK; without, the connection stands already (true or false). Default
                false.
            measured_round_trip: Round trip that a connection which stands already has measured, its first sample; off:
                none is known before the first acknowledgement (a time like "50 us"). Default "off".
            fin: Close with FIN, its answer and the acknowledgement of that, when all is acknowledged; without, a
                connection is left as it is (true or false). Default false.
            rank: What data is marked with, for switches that order by it: bytes of the flow that are not acknowledged
                (pFabric), or nothing (one of unacknowledged, none). Default "unacknowledged".
        """
        values: dict[str, Any] = {
            "dctcp_gain": dctcp_gain,
            "dctcp_initial_alpha": dctcp_initial_alpha,
            "dctcp_alpha_moves": dctcp_alpha_moves,
            "dctcp_loss_leaves": dctcp_loss_leaves,
            "recovery": recovery,
            "loss_detection": loss_detection,
            "tail_loss_probe": tail_loss_probe,
            "probe_ack_delay": probe_ack_delay,
            "timer_margin": timer_margin,
            "frto": frto,
            "window_growth": window_growth,
            "reduction": reduction,
            "mss": mss,
            "initial_window": initial_window,
            "receive_window": receive_window,
            "fast_retransmit": fast_retransmit,
            "fast_retransmit_rule": fast_retransmit_rule,
            "fast_retransmit_share": fast_retransmit_share,
            "fast_retransmit_most": fast_retransmit_most,
            "early_repair": early_repair,
            "dsack": dsack,
            "undo": undo,
            "limited_transmit": limited_transmit,
            "limited_transmit_in_cwr": limited_transmit_in_cwr,
            "duplicates_in_cwr": duplicates_in_cwr,
            "echoes_in_loss": echoes_in_loss,
            "window_floor": window_floor,
            "idle_restart": idle_restart,
            "delayed_ack": delayed_ack,
            "delayed_ack_segments": delayed_ack_segments,
            "delayed_ack_rule": delayed_ack_rule,
            "rto_estimator": rto_estimator,
            "rto_min": rto_min,
            "rto_initial": rto_initial,
            "rto_max": rto_max,
            "rto_granularity": rto_granularity,
            "jiffy": jiffy,
            "rto_backoff": rto_backoff,
            "rto_backoff_ends": rto_backoff_ends,
            "timestamps": timestamps,
            "syn_sample": syn_sample,
            "handshake": handshake,
            "measured_round_trip": measured_round_trip,
            "fin": fin,
            "rank": rank,
        }
        return Kind("dctcp", values, _more)

    @staticmethod
    def newreno(
        *,
        ecn: bool | None = None,
        recovery: Literal["newreno", "reno", "sack"] | None = None,
        loss_detection: Literal["duplicates", "rack"] | None = None,
        tail_loss_probe: bool | None = None,
        probe_ack_delay: str | None = None,
        timer_margin: str | None = None,
        frto: bool | None = None,
        window_growth: Literal["rfc5681", "linux"] | None = None,
        reduction: Literal["at_once", "prr"] | None = None,
        mss: str | None = None,
        initial_window: int | str | None = None,
        receive_window: str | None = None,
        fast_retransmit: int | str | None = None,
        fast_retransmit_rule: Literal["fixed", "dsack", "early"] | None = None,
        fast_retransmit_share: float | str | None = None,
        fast_retransmit_most: int | str | None = None,
        early_repair: float | str | None = None,
        dsack: bool | None = None,
        undo: bool | None = None,
        limited_transmit: bool | None = None,
        limited_transmit_in_cwr: bool | None = None,
        duplicates_in_cwr: bool | None = None,
        echoes_in_loss: bool | None = None,
        window_floor: int | str | None = None,
        idle_restart: bool | None = None,
        delayed_ack: str | None = None,
        delayed_ack_segments: int | str | None = None,
        delayed_ack_rule: Literal["linux", "ns3"] | None = None,
        rto_estimator: Literal["rfc6298", "linux", "ns3", "inet"] | None = None,
        rto_min: str | None = None,
        rto_initial: str | None = None,
        rto_max: str | None = None,
        rto_granularity: str | None = None,
        jiffy: str | None = None,
        rto_backoff: bool | None = None,
        rto_backoff_ends: Literal["as_estimator", "sample", "ack"] | None = None,
        timestamps: bool | None = None,
        syn_sample: bool | None = None,
        handshake: bool | None = None,
        measured_round_trip: str | None = None,
        fin: bool | None = None,
        rank: Literal["unacknowledged", "none"] | None = None,
        **_more: Never,
    ) -> Kind:
        """Slow start and congestion avoidance; halves on a loss.

        Source: RFC 5681, RFC 6582.

        Args:
            ecn: A mark counts as a loss once a round trip (RFC 3168) (true or false). Default false.
            recovery: How losses are repaired: RFC 6582, RFC 5681 or RFC 6675 (one of newreno, reno, sack). Default
                "newreno".
            loss_detection: Evidence of a loss: duplicate acknowledgements (RFC 5681, RFC 6675), or what was sent later
                and delivered (RFC 8985, RACK) (one of duplicates, rack). Default "duplicates".
            tail_loss_probe: Send a probe after two round trips without an acknowledgement (RFC 8985 section 7, TLP)
                (true or false). Default false.
            probe_ack_delay: The longest delay of an acknowledgement, added to the wait for a probe while one segment is
                out: RFC 8985's TLP.max_ack_delay; Linux adds the minimum RTO (a time like "50 us"). Default "rto_min".
            timer_margin: Added to the reordering timer and to the wait for a probe: 2 ms in Linux since 6.6; "auto",
                two jiffies, in Linux before 6.6; 0 us in RFC 8985 (a time like "50 us"). Default "auto".
            frto: After a timeout, send new data first to find out whether anything was lost (RFC 5682, F-RTO) (true or
                false). Default false.
            window_growth: Growth in slow start: a segment for each acknowledgement (RFC 5681), or each segment
                delivered (Linux) (one of rfc5681, linux). Default "rfc5681".
            reduction: How a cut window is reached: at once, or by proportional rate reduction as in Linux and ns-3 (RFC
                9937) (one of at_once, prr). Default "prr".
            mss: Payload of a full segment; IP MTU 1500 without options (DIBS Table 1) (a size like "20 kB"). Default
                "1460 B".
            initial_window: Initial window in segments (RFC 6928, DIBS Table 1) (a whole number). Default 10.
            receive_window: Bytes the receiver allows beyond the cumulative acknowledgement; assumed: a flow that only
                its own NIC slows down keeps as much in flight (a size like "20 kB"). Default "1 MiB".
            fast_retransmit: Duplicate acknowledgements that start fast retransmit (RFC 5681) (a whole number). Default
                3.
            fast_retransmit_rule: Whether that number stays, or moves with the reordering seen from `fast_retransmit`
                upwards (one of fixed, dsack, early). Default "fixed".
            fast_retransmit_share: Share of the reorderings seen that a number that moves lets pass (Zhang et al., ICNP
                2003, call it FA ratio; 0.9 is assumed) (a fraction like "1/16"). Default "0.9".
            fast_retransmit_most: A number that moves never exceeds it; assumed: Linux tcp_max_reordering (a whole
                number). Default 300.
            early_repair: An acknowledgement that comes sooner after a repair than this share of the smallest round trip
                is for the original; assumed (a fraction like "1/16"). Default "0.5".
            dsack: Acknowledgements tell of segments that arrive once more (RFC 2883) (true or false). Default false.
            undo: The window and ssthresh come back when a recovery turns out needless, as in Linux (true or false).
                Default false.
            limited_transmit: A new segment on each of the first two duplicate acknowledgements (RFC 3042) (true or
                false). Default false.
            limited_transmit_in_cwr: Limited transmit also while a window comes down after an echo (RFC 3042 does not
                except it) (true or false). Default false.
            duplicates_in_cwr: Duplicates begin a recovery also while a window comes down after an echo (RFC 8257
                section 3.5, Linux); ns-3: false (true or false). Default true.
            echoes_in_loss: An echo cuts the window also while a timeout is repaired; ns-3: true, Linux: false (true or
                false). Default false.
            window_floor: Least window in segments after a loss or an echo: 1 or 2 (RFC 5681 equation 4 and Linux: 2;
                INET and ns-3 after an echo: 1) (a whole number). Default 2.
            idle_restart: Back to the initial window after one RTO of silence (RFC 5681 section 4.1) (true or false).
                Default false.
            delayed_ack: The longest wait before an acknowledgement (RFC 1122); off acknowledges every segment (a time
                like "50 us"). Default "off".
            delayed_ack_segments: Full segments per acknowledgement, when delayed (RFC 5681 section 4.2) (a whole
                number). Default 2.
            delayed_ack_rule: Which acknowledgements are delayed, when they are: as Linux does, or every second segment
                from the first on (one of linux, ns3). Default "linux".
            rto_estimator: How round-trip samples become a timeout; it decides the tail (one of rfc6298, linux, ns3,
                inet). Default "rfc6298".
            rto_min: No timeout is shorter (DIBS Table 1) (a time like "50 us"). Default "10 ms".
            rto_initial: The timeout before the first sample; assumed: a standing connection has measured its path (a
                time like "50 us"). Default "10 ms".
            rto_max: No timeout is longer, back-off included (RFC 6298 section 2.5) (a time like "50 us"). Default "60
                s".
            rto_granularity: Clock granularity G of RFC 6298; assumed (a time like "50 us"). Default "1 us".
            jiffy: Period of the ticks at which the sender's timers run out (Linux: 1/HZ); off runs them out exactly (a
                time like "50 us"). Default "off".
            rto_backoff: Double the timeout each time it runs out (RFC 6298 section 5.5) (true or false). Default true.
            rto_backoff_ends: What makes a doubled timeout the estimator's again: a round trip of a segment that was
                sent once, or any acknowledgement of new data (one of as_estimator, sample, ack). Default
                "as_estimator".
            timestamps: Each acknowledgement of new data is a sample for the estimator, of segments sent twice as well
                (RFC 7323) (true or false). Default false.
            syn_sample: Who opens a connection takes the round trip of its SYN for a sample, as Linux and ns-3 do and
                INET does not (true or false). Default true.
            handshake: Open with SYN, SYN-ACK and ACK; without, the connection stands already (true or false). Default
                false.
            measured_round_trip: Round trip that a connection which stands already has measured, its first sample; off:
                none is known before the first acknowledgement (a time like "50 us"). Default "off".
            fin: Close with FIN, its answer and the acknowledgement of that, when all is acknowledged; without, a
                connection is left as it is (true or false). Default false.
            rank: What data is marked with, for switches that order by it: bytes of the flow that are not acknowledged
                (pFabric), or nothing (one of unacknowledged, none). Default "unacknowledged".
        """
        values: dict[str, Any] = {
            "ecn": ecn,
            "recovery": recovery,
            "loss_detection": loss_detection,
            "tail_loss_probe": tail_loss_probe,
            "probe_ack_delay": probe_ack_delay,
            "timer_margin": timer_margin,
            "frto": frto,
            "window_growth": window_growth,
            "reduction": reduction,
            "mss": mss,
            "initial_window": initial_window,
            "receive_window": receive_window,
            "fast_retransmit": fast_retransmit,
            "fast_retransmit_rule": fast_retransmit_rule,
            "fast_retransmit_share": fast_retransmit_share,
            "fast_retransmit_most": fast_retransmit_most,
            "early_repair": early_repair,
            "dsack": dsack,
            "undo": undo,
            "limited_transmit": limited_transmit,
            "limited_transmit_in_cwr": limited_transmit_in_cwr,
            "duplicates_in_cwr": duplicates_in_cwr,
            "echoes_in_loss": echoes_in_loss,
            "window_floor": window_floor,
            "idle_restart": idle_restart,
            "delayed_ack": delayed_ack,
            "delayed_ack_segments": delayed_ack_segments,
            "delayed_ack_rule": delayed_ack_rule,
            "rto_estimator": rto_estimator,
            "rto_min": rto_min,
            "rto_initial": rto_initial,
            "rto_max": rto_max,
            "rto_granularity": rto_granularity,
            "jiffy": jiffy,
            "rto_backoff": rto_backoff,
            "rto_backoff_ends": rto_backoff_ends,
            "timestamps": timestamps,
            "syn_sample": syn_sample,
            "handshake": handshake,
            "measured_round_trip": measured_round_trip,
            "fin": fin,
            "rank": rank,
        }
        return Kind("newreno", values, _more)

    @staticmethod
    def swift(
        *,
        swift_initial_window: int | str | None = None,
        swift_base_target: str | None = None,
        swift_per_hop: str | None = None,
        swift_fs_range: str | None = None,
        swift_fs_min_cwnd: float | str | None = None,
        swift_fs_max_cwnd: float | str | None = None,
        swift_ai: float | str | None = None,
        swift_beta: float | str | None = None,
        swift_max_mdf: float | str | None = None,
        swift_min_cwnd: float | str | None = None,
        swift_max_cwnd: float | str | None = None,
        swift_retransmit_reset: int | str | None = None,
        recovery: Literal["newreno", "reno", "sack"] | None = None,
        loss_detection: Literal["duplicates", "rack"] | None = None,
        tail_loss_probe: bool | None = None,
        probe_ack_delay: str | None = None,
        timer_margin: str | None = None,
        frto: bool | None = None,
        window_growth: Literal["rfc5681", "linux"] | None = None,
        reduction: Literal["at_once", "prr"] | None = None,
        mss: str | None = None,
        initial_window: int | str | None = None,
        receive_window: str | None = None,
        fast_retransmit: int | str | None = None,
        fast_retransmit_rule: Literal["fixed", "dsack", "early"] | None = None,
        fast_retransmit_share: float | str | None = None,
        fast_retransmit_most: int | str | None = None,
        early_repair: float | str | None = None,
        dsack: bool | None = None,
        undo: bool | None = None,
        limited_transmit: bool | None = None,
        limited_transmit_in_cwr: bool | None = None,
        duplicates_in_cwr: bool | None = None,
        echoes_in_loss: bool | None = None,
        window_floor: int | str | None = None,
        idle_restart: bool | None = None,
        delayed_ack: str | None = None,
        delayed_ack_segments: int | str | None = None,
        delayed_ack_rule: Literal["linux", "ns3"] | None = None,
        rto_estimator: Literal["rfc6298", "linux", "ns3", "inet"] | None = None,
        rto_min: str | None = None,
        rto_initial: str | None = None,
        rto_max: str | None = None,
        rto_granularity: str | None = None,
        jiffy: str | None = None,
        rto_backoff: bool | None = None,
        rto_backoff_ends: Literal["as_estimator", "sample", "ack"] | None = None,
        timestamps: bool | None = None,
        syn_sample: bool | None = None,
        handshake: bool | None = None,
        measured_round_trip: str | None = None,
        fin: bool | None = None,
        rank: Literal["unacknowledged", "none"] | None = None,
        **_more: Never,
    ) -> Kind:
        """Keeps the delay of acknowledgements near a target; windows go below one packet.

        Source: Kumar et al., SIGCOMM 2020.

        Args:
            swift_initial_window: Initial window in segments (the simulator of Vertigo's authors) (a whole number).
                Default 1.
            swift_base_target: Delay to keep where no switch is crossed and the window is large (the simulator of
                Vertigo's authors) (a time like "50 us"). Default "60 us".
            swift_per_hop: The target rises by so much for each switch that the data has crossed (the simulator of
                Vertigo's authors) (a time like "50 us"). Default "30 us".
            swift_fs_range: The most that the target rises by for a small window (the simulator of Vertigo's authors) (a
                time like "50 us"). Default "300 us".
            swift_fs_min_cwnd: Window in packets up to which it rises by all of that (the simulator of Vertigo's
                authors) (a fraction like "1/16"). Default "0.1".
            swift_fs_max_cwnd: Window in packets from which on it does not rise (the simulator of Vertigo's authors) (a
                fraction like "1/16"). Default "100".
            swift_ai: Packets added a round trip while the delay is below the target (the simulator of Vertigo's
                authors) (a fraction like "1/16"). Default "1".
            swift_beta: The cut is this share of the delay's excess over the target (the simulator of Vertigo's authors)
                (a fraction like "1/16"). Default "0.8".
            swift_max_mdf: The largest cut, and that of a loss (the simulator of Vertigo's authors) (a fraction like
                "1/16"). Default "0.5".
            swift_min_cwnd: Least window in packets (the simulator of Vertigo's authors) (a fraction like "1/16").
                Default "0.001".
            swift_max_cwnd: Largest window in packets, about 64 kB (the simulator of Vertigo's authors) (a fraction like
                "1/16"). Default "43".
            swift_retransmit_reset: Timeouts in a row after which the window is the least (the simulator of Vertigo's
                authors) (a whole number). Default 12.
            recovery: How losses are repaired: RFC 6582, RFC 5681 or RFC 6675 (one of newreno, reno, sack). Default
                "newreno".
            loss_detection: Evidence of a loss: duplicate acknowledgements (RFC 5681, RFC 6675), or what was sent later
                and delivered (RFC 8985, RACK) (one of duplicates, rack). Default "duplicates".
            tail_loss_probe: Send a probe after two round trips without an acknowledgement (RFC 8985 section 7, TLP)
                (true or false). Default false.
            probe_ack_delay: The longest delay of an acknowledgement, added to the wait for a probe while one segment is
                out: RFC 8985's TLP.max_ack_delay; Linux adds the minimum RTO (a time like "50 us"). Default "rto_min".
            timer_margin: Added to the reordering timer and to the wait for a probe: 2 ms in Linux since 6.6; "auto",
                two jiffies, in Linux before 6.6; 0 us in RFC 8985 (a time like "50 us"). Default "auto".
            frto: After a timeout, send new data first to find out whether anything was lost (RFC 5682, F-RTO) (true or
                false). Default false.
            window_growth: Growth in slow start: a segment for each acknowledgement (RFC 5681), or each segment
                delivered (Linux) (one of rfc5681, linux). Default "rfc5681".
            reduction: How a cut window is reached: at once, or by proportional rate reduction as in Linux and ns-3 (RFC
                9937) (one of at_once, prr). Default "prr".
            mss: Payload of a full segment; IP MTU 1500 without options (DIBS Table 1) (a size like "20 kB"). Default
                "1460 B".
            initial_window: Initial window in segments (RFC 6928, DIBS Table 1) (a whole number). Default 10.
            receive_window: Bytes the receiver allows beyond the cumulative acknowledgement; assumed: a flow that only
                its own NIC slows down keeps as much in flight (a size like "20 kB"). Default "1 MiB".
            fast_retransmit: Duplicate acknowledgements that start fast retransmit (RFC 5681) (a whole number). Default
                3.
            fast_retransmit_rule: Whether that number stays, or moves with the reordering seen from `fast_retransmit`
                upwards (one of fixed, dsack, early). Default "fixed".
            fast_retransmit_share: Share of the reorderings seen that a number that moves lets pass (Zhang et al., ICNP
                2003, call it FA ratio; 0.9 is assumed) (a fraction like "1/16"). Default "0.9".
            fast_retransmit_most: A number that moves never exceeds it; assumed: Linux tcp_max_reordering (a whole
                number). Default 300.
            early_repair: An acknowledgement that comes sooner after a repair than this share of the smallest round trip
                is for the original; assumed (a fraction like "1/16"). Default "0.5".
            dsack: Acknowledgements tell of segments that arrive once more (RFC 2883) (true or false). Default false.
            undo: The window and ssthresh come back when a recovery turns out needless, as in Linux (true or false).
                Default false.
            limited_transmit: A new segment on each of the first two duplicate acknowledgements (RFC 3042) (true or
                false). Default false.
            limited_transmit_in_cwr: Limited transmit also while a window comes down after an echo (RFC 3042 does not
                except it) (true or false). Default false.
            duplicates_in_cwr: Duplicates begin a recovery also while a window comes down after an echo (RFC 8257
                section 3.5, Linux); ns-3: false (true or false). Default true.
            echoes_in_loss: An echo cuts the window also while a timeout is repaired; ns-3: true, Linux: false (true or
                false). Default false.
            window_floor: Least window in segments after a loss or an echo: 1 or 2 (RFC 5681 equation 4 and Linux: 2;
                INET and ns-3 after an echo: 1) (a whole number). Default 2.
            idle_restart: Back to the initial window after one RTO of silence (RFC 5681 section 4.1) (true or false).
                Default false.
            delayed_ack: The longest wait before an acknowledgement (RFC 1122); off acknowledges every segment (a time
                like "50 us"). Default "off".
            delayed_ack_segments: Full segments per acknowledgement, when delayed (RFC 5681 section 4.2) (a whole
                number). Default 2.
            delayed_ack_rule: Which acknowledgements are delayed, when they are: as Linux does, or every second segment
                from the first on (one of linux, ns3). Default "linux".
            rto_estimator: How round-trip samples become a timeout; it decides the tail (one of rfc6298, linux, ns3,
                inet). Default "rfc6298".
            rto_min: No timeout is shorter (DIBS Table 1) (a time like "50 us"). Default "10 ms".
            rto_initial: The timeout before the first sample; assumed: a standing connection has measured its path (a
                time like "50 us"). Default "10 ms".
            rto_max: No timeout is longer, back-off included (RFC 6298 section 2.5) (a time like "50 us"). Default "60
                s".
            rto_granularity: Clock granularity G of RFC 6298; assumed (a time like "50 us"). Default "1 us".
            jiffy: Period of the ticks at which the sender's timers run out (Linux: 1/HZ); off runs them out exactly (a
                time like "50 us"). Default "off".
            rto_backoff: Double the timeout each time it runs out (RFC 6298 section 5.5) (true or false). Default true.
            rto_backoff_ends: What makes a doubled timeout the estimator's again: a round trip of a segment that was
                sent once, or any acknowledgement of new data (one of as_estimator, sample, ack). Default
                "as_estimator".
            timestamps: Each acknowledgement of new data is a sample for the estimator, of segments sent twice as well
                (RFC 7323) (true or false). Default false.
            syn_sample: Who opens a connection takes the round trip of its SYN for a sample, as Linux and ns-3 do and
                INET does not (true or false). Default true.
            handshake: Open with SYN, SYN-ACK and ACK; without, the connection stands already (true or false). Default
                false.
            measured_round_trip: Round trip that a connection which stands already has measured, its first sample; off:
                none is known before the first acknowledgement (a time like "50 us"). Default "off".
            fin: Close with FIN, its answer and the acknowledgement of that, when all is acknowledged; without, a
                connection is left as it is (true or false). Default false.
            rank: What data is marked with, for switches that order by it: bytes of the flow that are not acknowledged
                (pFabric), or nothing (one of unacknowledged, none). Default "unacknowledged".
        """
        values: dict[str, Any] = {
            "swift_initial_window": swift_initial_window,
            "swift_base_target": swift_base_target,
            "swift_per_hop": swift_per_hop,
            "swift_fs_range": swift_fs_range,
            "swift_fs_min_cwnd": swift_fs_min_cwnd,
            "swift_fs_max_cwnd": swift_fs_max_cwnd,
            "swift_ai": swift_ai,
            "swift_beta": swift_beta,
            "swift_max_mdf": swift_max_mdf,
            "swift_min_cwnd": swift_min_cwnd,
            "swift_max_cwnd": swift_max_cwnd,
            "swift_retransmit_reset": swift_retransmit_reset,
            "recovery": recovery,
            "loss_detection": loss_detection,
            "tail_loss_probe": tail_loss_probe,
            "probe_ack_delay": probe_ack_delay,
            "timer_margin": timer_margin,
            "frto": frto,
            "window_growth": window_growth,
            "reduction": reduction,
            "mss": mss,
            "initial_window": initial_window,
            "receive_window": receive_window,
            "fast_retransmit": fast_retransmit,
            "fast_retransmit_rule": fast_retransmit_rule,
            "fast_retransmit_share": fast_retransmit_share,
            "fast_retransmit_most": fast_retransmit_most,
            "early_repair": early_repair,
            "dsack": dsack,
            "undo": undo,
            "limited_transmit": limited_transmit,
            "limited_transmit_in_cwr": limited_transmit_in_cwr,
            "duplicates_in_cwr": duplicates_in_cwr,
            "echoes_in_loss": echoes_in_loss,
            "window_floor": window_floor,
            "idle_restart": idle_restart,
            "delayed_ack": delayed_ack,
            "delayed_ack_segments": delayed_ack_segments,
            "delayed_ack_rule": delayed_ack_rule,
            "rto_estimator": rto_estimator,
            "rto_min": rto_min,
            "rto_initial": rto_initial,
            "rto_max": rto_max,
            "rto_granularity": rto_granularity,
            "jiffy": jiffy,
            "rto_backoff": rto_backoff,
            "rto_backoff_ends": rto_backoff_ends,
            "timestamps": timestamps,
            "syn_sample": syn_sample,
            "handshake": handshake,
            "measured_round_trip": measured_round_trip,
            "fin": fin,
            "rank": rank,
        }
        return Kind("swift", values, _more)

    @staticmethod
    def pfabric(
        *,
        window: int | str | None = None,
        rto: str | None = None,
        probe_after: int | str | None = None,
        slow_start: bool | None = None,
        recovery: Literal["newreno", "reno", "sack"] | None = None,
        loss_detection: Literal["duplicates", "rack"] | None = None,
        tail_loss_probe: bool | None = None,
        probe_ack_delay: str | None = None,
        timer_margin: str | None = None,
        frto: bool | None = None,
        window_growth: Literal["rfc5681", "linux"] | None = None,
        reduction: Literal["at_once", "prr"] | None = None,
        mss: str | None = None,
        initial_window: int | str | None = None,
        receive_window: str | None = None,
        fast_retransmit: int | str | None = None,
        fast_retransmit_rule: Literal["fixed", "dsack", "early"] | None = None,
        fast_retransmit_share: float | str | None = None,
        fast_retransmit_most: int | str | None = None,
        early_repair: float | str | None = None,
        dsack: bool | None = None,
        undo: bool | None = None,
        limited_transmit: bool | None = None,
        limited_transmit_in_cwr: bool | None = None,
        duplicates_in_cwr: bool | None = None,
        echoes_in_loss: bool | None = None,
        window_floor: int | str | None = None,
        idle_restart: bool | None = None,
        delayed_ack: str | None = None,
        delayed_ack_segments: int | str | None = None,
        delayed_ack_rule: Literal["linux", "ns3"] | None = None,
        rto_estimator: Literal["rfc6298", "linux", "ns3", "inet"] | None = None,
        rto_min: str | None = None,
        rto_initial: str | None = None,
        rto_max: str | None = None,
        rto_granularity: str | None = None,
        jiffy: str | None = None,
        rto_backoff: bool | None = None,
        rto_backoff_ends: Literal["as_estimator", "sample", "ack"] | None = None,
        timestamps: bool | None = None,
        syn_sample: bool | None = None,
        handshake: bool | None = None,
        measured_round_trip: str | None = None,
        fin: bool | None = None,
        rank: Literal["unacknowledged", "none"] | None = None,
        **_more: Never,
    ) -> Kind:
        """Starts at line rate; a short fixed timeout finds losses.

        Source: Alizadeh et al., SIGCOMM 2013; DIBS section 5.8.

        Args:
            window: Segments in the network at first and at most; assumed: one round trip's worth at 1 Gbps over the six
                links of the default fat tree (a whole number). Default 8.
            rto: The retransmission timeout, never longer or shorter (DIBS section 5.8, at 1 Gbps) (a time like "50
                us"). Default "350 us".
            probe_after: Timeouts in a row after which only probes of one byte are sent (SIGCOMM 2013) (a whole number).
                Default 5.
            slow_start: A timeout begins slow start from one segment, up to half the window (SIGCOMM 2013) (true or
                false). Default true.
            recovery: How losses are repaired: RFC 6582, RFC 5681 or RFC 6675 (one of newreno, reno, sack). Default
                "newreno".
            loss_detection: Evidence of a loss: duplicate acknowledgements (RFC 5681, RFC 6675), or what was sent later
                and delivered (RFC 8985, RACK) (one of duplicates, rack). Default "duplicates".
            tail_loss_probe: Send a probe after two round trips without an acknowledgement (RFC 8985 section 7, TLP)
                (true or false). Default false.
            probe_ack_delay: The longest delay of an acknowledgement, added to the wait for a probe while one segment is
                out: RFC 8985's TLP.max_ack_delay; Linux adds the minimum RTO (a time like "50 us"). Default "rto_min".
            timer_margin: Added to the reordering timer and to the wait for a probe: 2 ms in Linux since 6.6; "auto",
                two jiffies, in Linux before 6.6; 0 us in RFC 8985 (a time like "50 us"). Default "auto".
            frto: After a timeout, send new data first to find out whether anything was lost (RFC 5682, F-RTO) (true or
                false). Default false.
            window_growth: Growth in slow start: a segment for each acknowledgement (RFC 5681), or each segment
                delivered (Linux) (one of rfc5681, linux). Default "rfc5681".
            reduction: How a cut window is reached: at once, or by proportional rate reduction as in Linux and ns-3 (RFC
                9937) (one of at_once, prr). Default "prr".
            mss: Payload of a full segment; IP MTU 1500 without options (DIBS Table 1) (a size like "20 kB"). Default
                "1460 B".
            initial_window: Initial window in segments (RFC 6928, DIBS Table 1) (a whole number). Default 10.
            receive_window: Bytes the receiver allows beyond the cumulative acknowledgement; assumed: a flow that only
                its own NIC slows down keeps as much in flight (a size like "20 kB"). Default "1 MiB".
            fast_retransmit: Duplicate acknowledgements that start fast retransmit (RFC 5681) (a whole number). Default
                3.
            fast_retransmit_rule: Whether that number stays, or moves with the reordering seen from `fast_retransmit`
                upwards (one of fixed, dsack, early). Default "fixed".
            fast_retransmit_share: Share of the reorderings seen that a number that moves lets pass (Zhang et al., ICNP
                2003, call it FA ratio; 0.9 is assumed) (a fraction like "1/16"). Default "0.9".
            fast_retransmit_most: A number that moves never exceeds it; assumed: Linux tcp_max_reordering (a whole
                number). Default 300.
            early_repair: An acknowledgement that comes sooner after a repair than this share of the smallest round trip
                is for the original; assumed (a fraction like "1/16"). Default "0.5".
            dsack: Acknowledgements tell of segments that arrive once more (RFC 2883) (true or false). Default false.
            undo: The window and ssthresh come back when a recovery turns out needless, as in Linux (true or false).
                Default false.
            limited_transmit: A new segment on each of the first two duplicate acknowledgements (RFC 3042) (true or
                false). Default false.
            limited_transmit_in_cwr: Limited transmit also while a window comes down after an echo (RFC 3042 does not
                except it) (true or false). Default false.
            duplicates_in_cwr: Duplicates begin a recovery also while a window comes down after an echo (RFC 8257
                section 3.5, Linux); ns-3: false (true or false). Default true.
            echoes_in_loss: An echo cuts the window also while a timeout is repaired; ns-3: true, Linux: false (true or
                false). Default false.
            window_floor: Least window in segments after a loss or an echo: 1 or 2 (RFC 5681 equation 4 and Linux: 2;
                INET and ns-3 after an echo: 1) (a whole number). Default 2.
            idle_restart: Back to the initial window after one RTO of silence (RFC 5681 section 4.1) (true or false).
                Default false.
            delayed_ack: The longest wait before an acknowledgement (RFC 1122); off acknowledges every segment (a time
                like "50 us"). Default "off".
            delayed_ack_segments: Full segments per acknowledgement, when delayed (RFC 5681 section 4.2) (a whole
                number). Default 2.
            delayed_ack_rule: Which acknowledgements are delayed, when they are: as Linux does, or every second segment
                from the first on (one of linux, ns3). Default "linux".
            rto_estimator: How round-trip samples become a timeout; it decides the tail (one of rfc6298, linux, ns3,
                inet). Default "rfc6298".
            rto_min: No timeout is shorter (DIBS Table 1) (a time like "50 us"). Default "10 ms".
            rto_initial: The timeout before the first sample; assumed: a standing connection has measured its path (a
                time like "50 us"). Default "10 ms".
            rto_max: No timeout is longer, back-off included (RFC 6298 section 2.5) (a time like "50 us"). Default "60
                s".
            rto_granularity: Clock granularity G of RFC 6298; assumed (a time like "50 us"). Default "1 us".
            jiffy: Period of the ticks at which the sender's timers run out (Linux: 1/HZ); off runs them out exactly (a
                time like "50 us"). Default "off".
            rto_backoff: Double the timeout each time it runs out (RFC 6298 section 5.5) (true or false). Default true.
            rto_backoff_ends: What makes a doubled timeout the estimator's again: a round trip of a segment that was
                sent once, or any acknowledgement of new data (one of as_estimator, sample, ack). Default
                "as_estimator".
            timestamps: Each acknowledgement of new data is a sample for the estimator, of segments sent twice as well
                (RFC 7323) (true or false). Default false.
            syn_sample: Who opens a connection takes the round trip of its SYN for a sample, as Linux and ns-3 do and
                INET does not (true or false). Default true.
            handshake: Open with SYN, SYN-ACK and ACK; without, the connection stands already (true or false). Default
                false.
            measured_round_trip: Round trip that a connection which stands already has measured, its first sample; off:
                none is known before the first acknowledgement (a time like "50 us"). Default "off".
            fin: Close with FIN, its answer and the acknowledgement of that, when all is acknowledged; without, a
                connection is left as it is (true or false). Default false.
            rank: What data is marked with, for switches that order by it: bytes of the flow that are not acknowledged
                (pFabric), or nothing (one of unacknowledged, none). Default "unacknowledged".
        """
        values: dict[str, Any] = {
            "window": window,
            "rto": rto,
            "probe_after": probe_after,
            "slow_start": slow_start,
            "recovery": recovery,
            "loss_detection": loss_detection,
            "tail_loss_probe": tail_loss_probe,
            "probe_ack_delay": probe_ack_delay,
            "timer_margin": timer_margin,
            "frto": frto,
            "window_growth": window_growth,
            "reduction": reduction,
            "mss": mss,
            "initial_window": initial_window,
            "receive_window": receive_window,
            "fast_retransmit": fast_retransmit,
            "fast_retransmit_rule": fast_retransmit_rule,
            "fast_retransmit_share": fast_retransmit_share,
            "fast_retransmit_most": fast_retransmit_most,
            "early_repair": early_repair,
            "dsack": dsack,
            "undo": undo,
            "limited_transmit": limited_transmit,
            "limited_transmit_in_cwr": limited_transmit_in_cwr,
            "duplicates_in_cwr": duplicates_in_cwr,
            "echoes_in_loss": echoes_in_loss,
            "window_floor": window_floor,
            "idle_restart": idle_restart,
            "delayed_ack": delayed_ack,
            "delayed_ack_segments": delayed_ack_segments,
            "delayed_ack_rule": delayed_ack_rule,
            "rto_estimator": rto_estimator,
            "rto_min": rto_min,
            "rto_initial": rto_initial,
            "rto_max": rto_max,
            "rto_granularity": rto_granularity,
            "jiffy": jiffy,
            "rto_backoff": rto_backoff,
            "rto_backoff_ends": rto_backoff_ends,
            "timestamps": timestamps,
            "syn_sample": syn_sample,
            "handshake": handshake,
            "measured_round_trip": measured_round_trip,
            "fin": fin,
            "rank": rank,
        }
        return Kind("pfabric", values, _more)

    @staticmethod
    def mptcp(
        *,
        subflows: int | str | None = None,
        congestion: Literal["newreno", "dctcp", "swift"] | None = None,
        coupled: Literal["lia", "none"] | None = None,
        reinject: bool | None = None,
        scheduler: Literal["lowest-rtt", "round-robin"] | None = None,
        dctcp_gain: float | str | None = None,
        dctcp_initial_alpha: float | str | None = None,
        dctcp_alpha_moves: Literal["windows", "echoes"] | None = None,
        dctcp_loss_leaves: float | str | None = None,
        ecn: bool | None = None,
        recovery: Literal["newreno", "reno", "sack"] | None = None,
        loss_detection: Literal["duplicates", "rack"] | None = None,
        tail_loss_probe: bool | None = None,
        probe_ack_delay: str | None = None,
        timer_margin: str | None = None,
        frto: bool | None = None,
        window_growth: Literal["rfc5681", "linux"] | None = None,
        reduction: Literal["at_once", "prr"] | None = None,
        mss: str | None = None,
        initial_window: int | str | None = None,
        receive_window: str | None = None,
        fast_retransmit: int | str | None = None,
        fast_retransmit_rule: Literal["fixed", "dsack", "early"] | None = None,
        fast_retransmit_share: float | str | None = None,
        fast_retransmit_most: int | str | None = None,
        early_repair: float | str | None = None,
        dsack: bool | None = None,
        undo: bool | None = None,
        limited_transmit: bool | None = None,
        limited_transmit_in_cwr: bool | None = None,
        duplicates_in_cwr: bool | None = None,
        echoes_in_loss: bool | None = None,
        window_floor: int | str | None = None,
        idle_restart: bool | None = None,
        delayed_ack: str | None = None,
        delayed_ack_segments: int | str | None = None,
        delayed_ack_rule: Literal["linux", "ns3"] | None = None,
        rto_estimator: Literal["rfc6298", "linux", "ns3", "inet"] | None = None,
        rto_min: str | None = None,
        rto_initial: str | None = None,
        rto_max: str | None = None,
        rto_granularity: str | None = None,
        jiffy: str | None = None,
        rto_backoff: bool | None = None,
        rto_backoff_ends: Literal["as_estimator", "sample", "ack"] | None = None,
        timestamps: bool | None = None,
        syn_sample: bool | None = None,
        handshake: bool | None = None,
        measured_round_trip: str | None = None,
        fin: bool | None = None,
        rank: Literal["unacknowledged", "none"] | None = None,
        **_more: Never,
    ) -> Kind:
        """One flow over several TCPs, each by a path of its own.

        Source: RFC 8684, RFC 6356; Raiciu et al., SIGCOMM 2011.

        Args:
            subflows: TCPs that carry the flow, each by the path of its own hash: 1 to 16 (Raiciu et al., SIGCOMM 2011:
                eight fill a fat tree) (a whole number). Default 8.
            congestion: What shrinks the window of a subflow, and how it begins; dctcp as a choice is assumed (one of
                newreno, dctcp, swift). Default "newreno".
            coupled: How windows grow after slow start: together like one TCP, or each by itself (RFC 6356) (one of lia,
                none). Default "lia".
            reinject: What a subflow has in flight when it times out is sent on another one as well (RFC 8684 section
                3.3.6) (true or false). Default true.
            scheduler: Which subflow is asked first for the next segment; assumed: SIGCOMM 2011 names none (one of
                lowest-rtt, round-robin). Default "lowest-rtt".
            dctcp_gain: Gain of the moving average of marked bytes (RFC 8257 section 4.2) (a fraction like "1/16").
                Default "1/16".
            dctcp_initial_alpha: The average before the first window (RFC 8257 section 4.2) (a fraction like "1/16").
                Default "1".
            dctcp_alpha_moves: At the end of every window, or only of those that an acknowledgement with an echo ends
                (Vertigo's simulator) (one of windows, echoes). Default "windows".
            dctcp_loss_leaves: Share of the flight that a loss leaves (RFC 5681; Vertigo's simulator: 0.75) (a fraction
                like "1/16"). Default "0.5".
            ecn: A mark counts as a loss once a round trip (RFC 3168) (true or false). Default false.
            recovery: How losses are repaired: RFC 6582, RFC 5681 or RFC 6675 (one of newreno, reno, sack). Default
                "newreno".
            loss_detection: Evidence of a loss: duplicate acknowledgements (RFC 5681, RFC 6675), or what was sent later
                and delivered (RFC 8985, RACK) (one of duplicates, rack). Default "duplicates".
            tail_loss_probe: Send a probe after two round trips without an acknowledgement (RFC 8985 section 7, TLP)
                (true or false). Default false.
            probe_ack_delay: The longest delay of an acknowledgement, added to the wait for a probe while one segment is
                out: RFC 8985's TLP.max_ack_delay; Linux adds the minimum RTO (a time like "50 us"). Default "rto_min".
            timer_margin: Added to the reordering timer and to the wait for a probe: 2 ms in Linux since 6.6; "auto",
                two jiffies, in Linux before 6.6; 0 us in RFC 8985 (a time like "50 us"). Default "auto".
            frto: After a timeout, send new data first to find out whether anything was lost (RFC 5682, F-RTO) (true or
                false). Default false.
            window_growth: Growth in slow start: a segment for each acknowledgement (RFC 5681), or each segment
                delivered (Linux) (one of rfc5681, linux). Default "rfc5681".
            reduction: How a cut window is reached: at once, or by proportional rate reduction as in Linux and ns-3 (RFC
                9937) (one of at_once, prr). Default "prr".
            mss: Payload of a full segment; IP MTU 1500 without options (DIBS Table 1) (a size like "20 kB"). Default
                "1460 B".
            initial_window: Initial window in segments (RFC 6928, DIBS Table 1) (a whole number). Default 10.
            receive_window: Bytes the receiver allows beyond the cumulative acknowledgement; assumed: a flow that only
                its own NIC slows down keeps as much in flight (a size like "20 kB"). Default "1 MiB".
            fast_retransmit: Duplicate acknowledgements that start fast retransmit (RFC 5681) (a whole number). Default
                3.
            fast_retransmit_rule: Whether that number stays, or moves with the reordering seen from `fast_retransmit`
                upwards (one of fixed, dsack, early). Default "fixed".
            fast_retransmit_share: Share of the reorderings seen that a number that moves lets pass (Zhang et al., ICNP
                2003, call it FA ratio; 0.9 is assumed) (a fraction like "1/16"). Default "0.9".
            fast_retransmit_most: A number that moves never exceeds it; assumed: Linux tcp_max_reordering (a whole
                number). Default 300.
            early_repair: An acknowledgement that comes sooner after a repair than this share of the smallest round trip
                is for the original; assumed (a fraction like "1/16"). Default "0.5".
            dsack: Acknowledgements tell of segments that arrive once more (RFC 2883) (true or false). Default false.
            undo: The window and ssthresh come back when a recovery turns out needless, as in Linux (true or false).
                Default false.
            limited_transmit: A new segment on each of the first two duplicate acknowledgements (RFC 3042) (true or
                false). Default false.
            limited_transmit_in_cwr: Limited transmit also while a window comes down after an echo (RFC 3042 does not
                except it) (true or false). Default false.
            duplicates_in_cwr: Duplicates begin a recovery also while a window comes down after an echo (RFC 8257
                section 3.5, Linux); ns-3: false (true or false). Default true.
            echoes_in_loss: An echo cuts the window also while a timeout is repaired; ns-3: true, Linux: false (true or
                false). Default false.
            window_floor: Least window in segments after a loss or an echo: 1 or 2 (RFC 5681 equation 4 and Linux: 2;
                INET and ns-3 after an echo: 1) (a whole number). Default 2.
            idle_restart: Back to the initial window after one RTO of silence (RFC 5681 section 4.1) (true or false).
                Default false.
            delayed_ack: The longest wait before an acknowledgement (RFC 1122); off acknowledges every segment (a time
                like "50 us"). Default "off".
            delayed_ack_segments: Full segments per acknowledgement, when delayed (RFC 5681 section 4.2) (a whole
                number). Default 2.
            delayed_ack_rule: Which acknowledgements are delayed, when they are: as Linux does, or every second segment
                from the first on (one of linux, ns3). Default "linux".
            rto_estimator: How round-trip samples become a timeout; it decides the tail (one of rfc6298, linux, ns3,
                inet). Default "rfc6298".
            rto_min: No timeout is shorter (DIBS Table 1) (a time like "50 us"). Default "10 ms".
            rto_initial: The timeout before the first sample; assumed: a standing connection has measured its path (a
                time like "50 us"). Default "10 ms".
            rto_max: No timeout is longer, back-off included (RFC 6298 section 2.5) (a time like "50 us"). Default "60
                s".
            rto_granularity: Clock granularity G of RFC 6298; assumed (a time like "50 us"). Default "1 us".
            jiffy: Period of the ticks at which the sender's timers run out (Linux: 1/HZ); off runs them out exactly (a
                time like "50 us"). Default "off".
            rto_backoff: Double the timeout each time it runs out (RFC 6298 section 5.5) (true or false). Default true.
            rto_backoff_ends: What makes a doubled timeout the estimator's again: a round trip of a segment that was
                sent once, or any acknowledgement of new data (one of as_estimator, sample, ack). Default
                "as_estimator".
            timestamps: Each acknowledgement of new data is a sample for the estimator, of segments sent twice as well
                (RFC 7323) (true or false). Default false.
            syn_sample: Who opens a connection takes the round trip of its SYN for a sample, as Linux and ns-3 do and
                INET does not (true or false). Default true.
            handshake: Open with SYN, SYN-ACK and ACK; without, the connection stands already (true or false). Default
                false.
            measured_round_trip: Round trip that a connection which stands already has measured, its first sample; off:
                none is known before the first acknowledgement (a time like "50 us"). Default "off".
            fin: Close with FIN, its answer and the acknowledgement of that, when all is acknowledged; without, a
                connection is left as it is (true or false). Default false.
            rank: What data is marked with, for switches that order by it: bytes of the flow that are not acknowledged
                (pFabric), or nothing (one of unacknowledged, none). Default "unacknowledged".
        """
        values: dict[str, Any] = {
            "subflows": subflows,
            "congestion": congestion,
            "coupled": coupled,
            "reinject": reinject,
            "scheduler": scheduler,
            "dctcp_gain": dctcp_gain,
            "dctcp_initial_alpha": dctcp_initial_alpha,
            "dctcp_alpha_moves": dctcp_alpha_moves,
            "dctcp_loss_leaves": dctcp_loss_leaves,
            "ecn": ecn,
            "recovery": recovery,
            "loss_detection": loss_detection,
            "tail_loss_probe": tail_loss_probe,
            "probe_ack_delay": probe_ack_delay,
            "timer_margin": timer_margin,
            "frto": frto,
            "window_growth": window_growth,
            "reduction": reduction,
            "mss": mss,
            "initial_window": initial_window,
            "receive_window": receive_window,
            "fast_retransmit": fast_retransmit,
            "fast_retransmit_rule": fast_retransmit_rule,
            "fast_retransmit_share": fast_retransmit_share,
            "fast_retransmit_most": fast_retransmit_most,
            "early_repair": early_repair,
            "dsack": dsack,
            "undo": undo,
            "limited_transmit": limited_transmit,
            "limited_transmit_in_cwr": limited_transmit_in_cwr,
            "duplicates_in_cwr": duplicates_in_cwr,
            "echoes_in_loss": echoes_in_loss,
            "window_floor": window_floor,
            "idle_restart": idle_restart,
            "delayed_ack": delayed_ack,
            "delayed_ack_segments": delayed_ack_segments,
            "delayed_ack_rule": delayed_ack_rule,
            "rto_estimator": rto_estimator,
            "rto_min": rto_min,
            "rto_initial": rto_initial,
            "rto_max": rto_max,
            "rto_granularity": rto_granularity,
            "jiffy": jiffy,
            "rto_backoff": rto_backoff,
            "rto_backoff_ends": rto_backoff_ends,
            "timestamps": timestamps,
            "syn_sample": syn_sample,
            "handshake": handshake,
            "measured_round_trip": measured_round_trip,
            "fin": fin,
            "rank": rank,
        }
        return Kind("mptcp", values, _more)


class route:
    """Routes: what `switch.route` can be."""

    @staticmethod
    def ecmp(
        *,
        salt: Literal["switch", "none"] | None = None,
        **_more: Never,
    ) -> Kind:
        """One of the equal-cost next hops per flow, by a hash salted per switch.

        Source: RFC 2992; DIBS section 3.

        Args:
            salt: What the hash is mixed with: a number of the switch's own, or nothing, one hash at all tiers (one of
                switch, none). Default "switch".
        """
        values: dict[str, Any] = {
            "salt": salt,
        }
        return Kind("ecmp", values, _more)

    @staticmethod
    def single(
        **_more: Never,
    ) -> Kind:
        """Always the first shortest path.

        Source: spanning-tree forwarding.
        """
        values: dict[str, Any] = {}
        return Kind("single", values, _more)

    @staticmethod
    def spray_random(
        *,
        acks: Literal["spray", "ecmp"] | None = None,
        **_more: Never,
    ) -> Kind:
        """One of the equal-cost next hops per packet, at random.

        Source: PLTS section III: RND.

        Args:
            acks: What carries no data goes as data does, or by its flow's hash; the default is assumed (one of spray,
                ecmp). Default "spray".
        """
        values: dict[str, Any] = {
            "acks": acks,
        }
        return Kind("spray-random", values, _more)

    @staticmethod
    def power_of_two(
        *,
        choices: int | str | None = None,
        memory: int | str | None = None,
        **_more: Never,
    ) -> Kind:
        """Per packet the shortest of a few random next hops.

        Source: Vertigo section 3.2; DRILL, SIGCOMM 2017.

        Args:
            choices: Next hops drawn for each packet, 1 to 4 (a whole number). Default 2.
            memory: Best ports remembered for each set of next hops, 0 to 4 (a whole number). Default 0.
        """
        values: dict[str, Any] = {
            "choices": choices,
            "memory": memory,
        }
        return Kind("power-of-two", values, _more)

    @staticmethod
    def spray_counter(
        *,
        by: Literal["sent", "queued"] | None = None,
        ties: Literal["turn", "first", "random"] | None = None,
        limit: str | None = None,
        acks: Literal["spray", "ecmp"] | None = None,
        **_more: Never,
    ) -> Kind:
        """Per packet the next hop by which the fewest bytes were sent.

        Source: PLTS section III-A2: CNT.

        Args:
            by: What is least: bytes sent so far (section III-A2), or bytes that wait (section IV-B1) (one of sent,
                queued). Default "sent".
            ties: Of equal next hops the one after the hop last taken, the first, or any; assumed (one of turn, first,
                random). Default "turn".
            limit: Most that a counter holds, and so most that a next hop is owed; assumed (a size like "20 kB").
                Default "1 MB".
            acks: What carries no data goes as data does, or by its flow's hash; the default is assumed (one of spray,
                ecmp). Default "spray".
        """
        values: dict[str, Any] = {
            "by": by,
            "ties": ties,
            "limit": limit,
            "acks": acks,
        }
        return Kind("spray-counter", values, _more)

    @staticmethod
    def spray_rr(
        *,
        per: Literal["flow", "destination", "prefix", "switch"] | None = None,
        table: int | str | None = None,
        start: Literal["drawn", "first"] | None = None,
        shuffle: int | str | None = None,
        burst: int | str | None = None,
        acks: Literal["spray", "ecmp"] | None = None,
        **_more: Never,
    ) -> Kind:
        """The packets of each flow take the next hops in turn.

        Source: PLTS section III-A3: RR.

        Args:
            per: What takes turns of its own: each flow, destination host or prefix, or all packets together (one of
                flow, destination, prefix, switch). Default "flow".
            table: Places, a power of two up to 65536; what has the same place shares it; assumed (a whole number).
                Default 1024.
            start: Where a new place begins: where ECMP would, or all with the first next hop; assumed (one of drawn,
                first). Default "drawn".
            shuffle: Rounds after which the order of the next hops is drawn anew; assumed (a whole number). Default
                "off".
            burst: Packets that a next hop gets in one turn (a whole number). Default 1.
            acks: What carries no data goes as data does, or by its flow's hash; the default is assumed (one of spray,
                ecmp). Default "spray".
        """
        values: dict[str, Any] = {
            "per": per,
            "table": table,
            "start": start,
            "shuffle": shuffle,
            "burst": burst,
            "acks": acks,
        }
        return Kind("spray-rr", values, _more)

    @staticmethod
    def flowlet(
        *,
        gap: str | None = None,
        table: int | str | None = None,
        acks: Literal["spray", "ecmp"] | None = None,
        **_more: Never,
    ) -> Kind:
        """A random next hop per flowlet: what a flow sends without a pause.

        Source: FLARE, HotNets 2004; PLTS section V.

        Args:
            gap: Pause in a flow's packets after which another next hop is drawn; assumed (a time like "50 us"). Default
                "500 us".
            table: Places, a power of two up to 65536; what has the same place shares it; assumed (a whole number).
                Default 1024.
            acks: What carries no data goes as data does, or by its flow's hash; the default is assumed (one of spray,
                ecmp). Default "spray".
        """
        values: dict[str, Any] = {
            "gap": gap,
            "table": table,
            "acks": acks,
        }
        return Kind("flowlet", values, _more)


class buffer:
    """Buffers: what `switch.buffer` can be."""

    @staticmethod
    def droptail(
        **_more: Never,
    ) -> Kind:
        """Keeps what fits, drops the rest, marks nothing.

        Source: the plain router.
        """
        values: dict[str, Any] = {}
        return Kind("droptail", values, _more)

    @staticmethod
    def ecn(
        *,
        mark_at: str | None = None,
        **_more: Never,
    ) -> Kind:
        """Drop-tail that marks from a fixed queue length on.

        Source: Alizadeh et al., SIGCOMM 2010 (DCTCP).

        Args:
            mark_at: Mark when the queue already holds this much; 20 packets at 1 Gbps (DIBS section 5.3) (a queue size
                like "100 pkt" or "150 kB"). Default "20 pkt".
        """
        values: dict[str, Any] = {
            "mark_at": mark_at,
        }
        return Kind("ecn", values, _more)

    @staticmethod
    def red(
        *,
        min: str | None = None,
        max: str | None = None,
        max_p: float | str | None = None,
        weight: float | str | None = None,
        gentle: bool | None = None,
        ecn: bool | None = None,
        above_max: Literal["drop", "mark"] | None = None,
        **_more: Never,
    ) -> Kind:
        """Marks or drops early, by the average queue.

        Source: Floyd and Jacobson, ToN 1993 (RED).

        Args:
            min: Average queue from which it marks; assumed: the step of DCTCP at 1 Gbps (a queue size like "100 pkt" or
                "150 kB"). Default "20 pkt".
            max: Average queue from which it marks all; three times min (Floyd, 1997) (a queue size like "100 pkt" or
                "150 kB"). Default "60 pkt".
            max_p: Probability just below max (Floyd, 1997) (a fraction like "1/16"). Default "0.1".
            weight: Weight of the newest queue length in the average (1993); 1 follows the queue itself (a fraction like
                "1/16"). Default "0.002".
            gentle: Between max and twice max, rise from max_p to 1 (Floyd, 2000) (true or false). Default true.
            ecn: Mark ECN-capable packets instead of dropping them (RFC 3168) (true or false). Default true.
            above_max: Past max (gentle: twice max), drop ECN-capable packets too (RFC 3168 section 7), or mark them
                (one of drop, mark). Default "drop".
        """
        values: dict[str, Any] = {
            "min": min,
            "max": max,
            "max_p": max_p,
            "weight": weight,
            "gentle": gentle,
            "ecn": ecn,
            "above_max": above_max,
        }
        return Kind("red", values, _more)

    @staticmethod
    def dibs(
        *,
        mark_at: str | None = None,
        ingress: bool | None = None,
        mark_detours: bool | None = None,
        max_detours: int | str | None = None,
        **_more: Never,
    ) -> Kind:
        """Detours what does not fit to a random switch-facing port with room.

        Source: Zarifis et al., EuroSys 2014 (DIBS).

        Args:
            mark_at: Mark when the queue already holds this much; 20 packets at 1 Gbps (DIBS section 5.3) (a queue size
                like "100 pkt" or "150 kB"). Default "20 pkt".
            ingress: May a packet leave by the port it came in by? Yes, as in Figure 1 of DIBS (true or false). Default
                true.
            mark_detours: Are all detoured packets marked? Yes in DIBS section 5.3; if not, by the queue that they join,
                as in Vertigo's simulator (true or false). Default true.
            max_detours: A packet that was detoured so often is dropped instead (reason "detours"); the paper leaves it
                to the time to live (a whole number). Default "off".
        """
        values: dict[str, Any] = {
            "mark_at": mark_at,
            "ingress": ingress,
            "mark_detours": mark_detours,
            "max_detours": max_detours,
        }
        return Kind("dibs", values, _more)

    @staticmethod
    def dibs_load_aware(
        *,
        mark_at: str | None = None,
        ingress: bool | None = None,
        mark_detours: bool | None = None,
        max_detours: int | str | None = None,
        **_more: Never,
    ) -> Kind:
        """Detours what does not fit to the switch-facing port with the least in its queue.

        Source: Zarifis et al., EuroSys 2014 (DIBS), section 7.

        Args:
            mark_at: Mark when the queue already holds this much; 20 packets at 1 Gbps (DIBS section 5.3) (a queue size
                like "100 pkt" or "150 kB"). Default "20 pkt".
            ingress: May a packet leave by the port it came in by? Yes, as in Figure 1 of DIBS (true or false). Default
                true.
            mark_detours: Are all detoured packets marked? Yes in DIBS section 5.3; if not, by the queue that they join,
                as in Vertigo's simulator (true or false). Default true.
            max_detours: A packet that was detoured so often is dropped instead (reason "detours"); the paper leaves it
                to the time to live (a whole number). Default "off".
        """
        values: dict[str, Any] = {
            "mark_at": mark_at,
            "ingress": ingress,
            "mark_detours": mark_detours,
            "max_detours": max_detours,
        }
        return Kind("dibs-load-aware", values, _more)

    @staticmethod
    def dibs_flow(
        *,
        mark_at: str | None = None,
        ingress: bool | None = None,
        mark_detours: bool | None = None,
        max_detours: int | str | None = None,
        **_more: Never,
    ) -> Kind:
        """Detours what does not fit to a switch-facing port that the flow's hash chooses.

        Source: Zarifis et al., EuroSys 2014 (DIBS), section 7.

        Args:
            mark_at: Mark when the queue already holds this much; 20 packets at 1 Gbps (DIBS section 5.3) (a queue size
                like "100 pkt" or "150 kB"). Default "20 pkt".
            ingress: May a packet leave by the port it came in by? Yes, as in Figure 1 of DIBS (true or false). Default
                true.
            mark_detours: Are all detoured packets marked? Yes in DIBS section 5.3; if not, by the queue that they join,
                as in Vertigo's simulator (true or false). Default true.
            max_detours: A packet that was detoured so often is dropped instead (reason "detours"); the paper leaves it
                to the time to live (a whole number). Default "off".
        """
        values: dict[str, Any] = {
            "mark_at": mark_at,
            "ingress": ingress,
            "mark_detours": mark_detours,
            "max_detours": max_detours,
        }
        return Kind("dibs-flow", values, _more)

    @staticmethod
    def dibs_probabilistic(
        *,
        mark_at: str | None = None,
        ingress: bool | None = None,
        mark_detours: bool | None = None,
        max_detours: int | str | None = None,
        start: str | None = None,
        full: str | None = None,
        favour: str | None = None,
        **_more: Never,
    ) -> Kind:
        """Detours packets of long flows early, the fuller the queue the likelier.

        Source: Zarifis et al., EuroSys 2014 (DIBS), section 7.

        Args:
            mark_at: Mark when the queue already holds this much; 20 packets at 1 Gbps (DIBS section 5.3) (a queue size
                like "100 pkt" or "150 kB"). Default "20 pkt".
            ingress: May a packet leave by the port it came in by? Yes, as in Figure 1 of DIBS (true or false). Default
                true.
            mark_detours: Are all detoured packets marked? Yes in DIBS section 5.3; if not, by the queue that they join,
                as in Vertigo's simulator (true or false). Default true.
            max_detours: A packet that was detoured so often is dropped instead (reason "detours"); the paper leaves it
                to the time to live (a whole number). Default "off".
            start: Wanted queue from which packets that are not favoured are detoured; assumed: half the default
                capacity (a queue size like "100 pkt" or "150 kB"). Default "50 pkt".
            full: Wanted queue at which all of them are; assumed: the default capacity (a queue size like "100 pkt" or
                "150 kB"). Default "100 pkt".
            favour: Packets are favoured whose flow has at most this left to send, and acknowledgements; assumed: the
                response of DIBS Table 1 (a size like "20 kB"). Default "20 kB".
        """
        values: dict[str, Any] = {
            "mark_at": mark_at,
            "ingress": ingress,
            "mark_detours": mark_detours,
            "max_detours": max_detours,
            "start": start,
            "full": full,
            "favour": favour,
        }
        return Kind("dibs-probabilistic", values, _more)

    @staticmethod
    def dibs_first_open(
        *,
        mark_at: str | None = None,
        ingress: bool | None = None,
        mark_detours: bool | None = None,
        max_detours: int | str | None = None,
        **_more: Never,
    ) -> Kind:
        """Detours what does not fit to the next open switch-facing port from a random one on.

        Source: a cheaper form of Zarifis et al., EuroSys 2014 (DIBS).

        Args:
            mark_at: Mark when the queue already holds this much; 20 packets at 1 Gbps (DIBS section 5.3) (a queue size
                like "100 pkt" or "150 kB"). Default "20 pkt".
            ingress: May a packet leave by the port it came in by? Yes, as in Figure 1 of DIBS (true or false). Default
                true.
            mark_detours: Are all detoured packets marked? Yes in DIBS section 5.3; if not, by the queue that they join,
                as in Vertigo's simulator (true or false). Default true.
            max_detours: A packet that was detoured so often is dropped instead (reason "detours"); the paper leaves it
                to the time to live (a whole number). Default "off".
        """
        values: dict[str, Any] = {
            "mark_at": mark_at,
            "ingress": ingress,
            "mark_detours": mark_detours,
            "max_detours": max_detours,
        }
        return Kind("dibs-first-open", values, _more)

    @staticmethod
    def pfabric(
        **_more: Never,
    ) -> Kind:
        """Drops the packet whose flow has the most left to send; needs sched pfabric or srpt.

        Source: Alizadeh et al., SIGCOMM 2013 (pFabric).
        """
        values: dict[str, Any] = {}
        return Kind("pfabric", values, _more)

    @staticmethod
    def trim(
        *,
        headers: str | None = None,
        mark_at: str | None = None,
        **_more: Never,
    ) -> Kind:
        """Cuts the payload of what does not fit and sends the header first; needs sched priority.

        Source: Cheng et al., NSDI 2014 (Cutting Payload).

        Args:
            headers: Control packets that may wait at a port, beyond its capacity: headers and acknowledgements; assumed
                (a queue size like "100 pkt" or "150 kB"). Default "100 pkt".
            mark_at: Mark when the data that waits already holds this much; the paper's headers are the signal (a queue
                size like "100 pkt" or "150 kB"). Default "off".
        """
        values: dict[str, Any] = {
            "headers": headers,
            "mark_at": mark_at,
        }
        return Kind("trim", values, _more)

    @staticmethod
    def vertigo(
        *,
        mark_at: str | None = None,
        choices: int | str | None = None,
        deflect: bool | None = None,
        **_more: Never,
    ) -> Kind:
        """Sends the packets with the most left to send on to shorter queues; meant for sched srpt.

        Source: Abdous et al., CoNEXT 2021 (Vertigo).

        Args:
            mark_at: Mark when the queue already holds this much; 20 packets at 1 Gbps (DIBS section 5.3) (a queue size
                like "100 pkt" or "150 kB"). Default "20 pkt".
            choices: Ports drawn for each packet that leaves a full queue, 1 to 4 (a whole number). Default 2.
            deflect: Does what leaves a full queue go to another? If not it is dropped: Vertigo's queues alone (true or
                false). Default true.
        """
        values: dict[str, Any] = {
            "mark_at": mark_at,
            "choices": choices,
            "deflect": deflect,
        }
        return Kind("vertigo", values, _more)

    @staticmethod
    def quantile_deflection(
        *,
        mark_at: str | None = None,
        alpha: float | str | None = None,
        choices: int | str | None = None,
        window: int | str | None = None,
        sample: int | str | None = None,
        **_more: Never,
    ) -> Kind:
        """Sends on what ranks worse than most of the last packets before the queue is full; a plain FIFO will do.

        Source: Abdous et al., PACMNET 2023 (Practical Packet Deflection in Datacenters).

        Args:
            mark_at: Mark when the queue already holds this much; 20 packets at 1 Gbps (DIBS section 5.3) (a queue size
                like "100 pkt" or "150 kB"). Default "20 pkt".
            alpha: Share of a queue that the least urgent packets leave free (0.1 in the simulator of PACMNET 2023) (a
                fraction like "1/16"). Default "0.1".
            choices: Ports drawn for each packet that is deflected, 1 to 4 (two in PACMNET 2023) (a whole number).
                Default 2.
            window: Sampled ranks that each queue remembers, 1 to 1000 (20 in the simulator of PACMNET 2023) (a whole
                number). Default 20.
            sample: Packets of which one is sampled, 1 to 1000 (20 in the simulator of PACMNET 2023) (a whole number).
                Default 20.
        """
        values: dict[str, Any] = {
            "mark_at": mark_at,
            "alpha": alpha,
            "choices": choices,
            "window": window,
            "sample": sample,
        }
        return Kind("quantile-deflection", values, _more)

    @staticmethod
    def distribution_deflection(
        *,
        mark_at: str | None = None,
        alpha: float | str | None = None,
        choices: int | str | None = None,
        mean: Literal["queue", "moving"] | None = None,
        **_more: Never,
    ) -> Kind:
        """Sends on what ranks badly for the mean rank before the queue is full; a plain FIFO will do.

        Source: Abdous et al., PACMNET 2023 (Practical Packet Deflection in Datacenters).

        Args:
            mark_at: Mark when the queue already holds this much; 20 packets at 1 Gbps (DIBS section 5.3) (a queue size
                like "100 pkt" or "150 kB"). Default "20 pkt".
            alpha: Share of a queue that the least urgent packets leave free (0.1 in the simulator of PACMNET 2023) (a
                fraction like "1/16"). Default "0.1".
            choices: Ports drawn for each packet that is deflected, 1 to 4 (two in PACMNET 2023) (a whole number).
                Default 2.
            mean: The mean rank: of what waits (the simulator of PACMNET 2023), or moving by 1/50 of each packet (its P4
                program) (one of queue, moving). Default "queue".
        """
        values: dict[str, Any] = {
            "mark_at": mark_at,
            "alpha": alpha,
            "choices": choices,
            "mean": mean,
        }
        return Kind("distribution-deflection", values, _more)

    @staticmethod
    def aifo(
        *,
        mark_at: str | None = None,
        k: float | str | None = None,
        window: int | str | None = None,
        sample: int | str | None = None,
        **_more: Never,
    ) -> Kind:
        """Drops early what ranks worse than most of the last packets; a plain FIFO will do.

        Source: Yu et al., SIGCOMM 2021 (AIFO).

        Args:
            mark_at: Mark when the queue already holds this much; 20 packets at 1 Gbps (DIBS section 5.3) (a queue size
                like "100 pkt" or "150 kB"). Default "20 pkt".
            k: Share of the queue that, while it is free, lets everything in (PACMNET 2023) (a fraction like "1/16").
                Default "0.1".
            window: Sampled ranks that each queue remembers, 1 to 1000 (20 in the simulator of PACMNET 2023) (a whole
                number). Default 20.
            sample: Packets of which one is sampled, 1 to 1000 (15 in the simulator of PACMNET 2023) (a whole number).
                Default 15.
        """
        values: dict[str, Any] = {
            "mark_at": mark_at,
            "k": k,
            "window": window,
            "sample": sample,
        }
        return Kind("aifo", values, _more)

    @staticmethod
    def mulbuff(
        *,
        sizes: Literal["per-flow", "static"] | None = None,
        per_flow: str | None = None,
        total: str | None = None,
        product: str | None = None,
        long: int | str | None = None,
        mark_at: str | None = None,
        **_more: Never,
    ) -> Kind:
        """A queue for each class, sized by its flows; needs sched wps, ps or strict.

        Source: Mushtaq et al., SIGCOMM 2014 (MulBuff).

        Args:
            sizes: Do the queues of short flows grow with their flows, or have all their room at once? (one of per-flow,
                static). Default "per-flow".
            per_flow: Room for each flow in a queue of short flows (MulBuff, section 2) (a queue size like "100 pkt" or
                "150 kB"). Default "3 pkt".
            total: A queue of short flows holds at most this less the product (MulBuff, section 2) (a size like "20
                kB"). Default "250 kB".
            product: A queue of long flows holds this, the bandwidth-delay product; that of 1 Gbps and 200 us; assumed
                (a size like "20 kB"). Default "25 kB".
            long: The lowest class of long flows; those below are short; assumed (a whole number). Default 1.
            mark_at: Mark when the queue already holds this much; 20 packets at 1 Gbps (DIBS section 5.3) (a queue size
                like "100 pkt" or "150 kB"). Default "20 pkt".
        """
        values: dict[str, Any] = {
            "sizes": sizes,
            "per_flow": per_flow,
            "total": total,
            "product": product,
            "long": long,
            "mark_at": mark_at,
        }
        return Kind("mulbuff", values, _more)

    @staticmethod
    def mulbuff_dibs(
        *,
        sizes: Literal["per-flow", "static"] | None = None,
        per_flow: str | None = None,
        total: str | None = None,
        product: str | None = None,
        long: int | str | None = None,
        mark_at: str | None = None,
        ingress: bool | None = None,
        mark_detours: bool | None = None,
        max_detours: int | str | None = None,
        **_more: Never,
    ) -> Kind:
        """A queue for each class, sized by its flows; detours what short flows find no room for.

        Source: Mushtaq et al., SIGCOMM 2014 (MulBuff), before Zarifis et al., EuroSys 2014 (DIBS).

        Args:
            sizes: Do the queues of short flows grow with their flows, or have all their room at once? (one of per-flow,
                static). Default "per-flow".
            per_flow: Room for each flow in a queue of short flows (MulBuff, section 2) (a queue size like "100 pkt" or
                "150 kB"). Default "3 pkt".
            total: A queue of short flows holds at most this less the product (MulBuff, section 2) (a size like "20
                kB"). Default "250 kB".
            product: A queue of long flows holds this, the bandwidth-delay product; that of 1 Gbps and 200 us; assumed
                (a size like "20 kB"). Default "25 kB".
            long: The lowest class of long flows; those below are short; assumed (a whole number). Default 1.
            mark_at: Mark when the queue already holds this much; 20 packets at 1 Gbps (DIBS section 5.3) (a queue size
                like "100 pkt" or "150 kB"). Default "20 pkt".
            ingress: May a packet leave by the port it came in by? Yes, as in Figure 1 of DIBS (true or false). Default
                true.
            mark_detours: Are all detoured packets marked? Yes in DIBS section 5.3; if not, by the queue that they join,
                as in Vertigo's simulator (true or false). Default true.
            max_detours: A packet that was detoured so often is dropped instead (reason "detours"); the paper leaves it
                to the time to live (a whole number). Default "off".
        """
        values: dict[str, Any] = {
            "sizes": sizes,
            "per_flow": per_flow,
            "total": total,
            "product": product,
            "long": long,
            "mark_at": mark_at,
            "ingress": ingress,
            "mark_detours": mark_detours,
            "max_detours": max_detours,
        }
        return Kind("mulbuff-dibs", values, _more)


class sched:
    """Schedulers: what `switch.sched` can be."""

    @staticmethod
    def fifo(
        **_more: Never,
    ) -> Kind:
        """Packets leave in the order they came.

        Source: the plain queue.
        """
        values: dict[str, Any] = {}
        return Kind("fifo", values, _more)

    @staticmethod
    def priority(
        **_more: Never,
    ) -> Kind:
        """Acknowledgements, handshakes and trimmed headers before data.

        Source: Handley et al., SIGCOMM 2017 (NDP).
        """
        values: dict[str, Any] = {}
        return Kind("priority", values, _more)

    @staticmethod
    def pfabric(
        **_more: Never,
    ) -> Kind:
        """The flow with the least left to send first, and of it the earliest packet.

        Source: Alizadeh et al., SIGCOMM 2013 (pFabric).
        """
        values: dict[str, Any] = {}
        return Kind("pfabric", values, _more)

    @staticmethod
    def srpt(
        **_more: Never,
    ) -> Kind:
        """The smallest rank first, whatever its flow; the largest is evicted.

        Source: Abdous et al., CoNEXT 2021 (Vertigo).
        """
        values: dict[str, Any] = {}
        return Kind("srpt", values, _more)

    @staticmethod
    def strict(
        *,
        classes: int | str | None = None,
        count: Literal["exact", "approximate"] | Literal["off"] | None = None,
        places: int | str | None = None,
        silence: str | None = None,
        bits: int | str | None = None,
        window: str | None = None,
        **_more: Never,
    ) -> Kind:
        """Class by class of service, the lowest first.

        Source: IEEE 802.1Q.

        Args:
            classes: Class queues of a port, 1 to 8; a packet of a higher class waits in the last; short and long flows
                in MulBuff (a whole number). Default 2.
            count: How flows are counted, for policies that go by their number; the paper does not say (one of exact,
                approximate). Default "off".
            places: Flows that the table of a class holds, with count = "exact"; 48 B each; assumed (a whole number).
                Default 4096.
            silence: A flow of which nothing came for so long leaves, with count = "exact"; assumed (a time like "50
                us"). Default "10 ms".
            bits: Bits of each of a class's two bitmaps, with count = "approximate"; assumed (a whole number). Default
                1024.
            window: A silent flow leaves after one to two of these, with count = "approximate"; 250 kB at 1 Gbps;
                assumed (a time like "50 us"). Default "2 ms".
        """
        values: dict[str, Any] = {
            "classes": classes,
            "count": count,
            "places": places,
            "silence": silence,
            "bits": bits,
            "window": window,
        }
        return Kind("strict", values, _more)

    @staticmethod
    def ps(
        *,
        classes: int | str | None = None,
        quantum: str | None = None,
        count: Literal["exact", "approximate"] | Literal["off"] | None = None,
        places: int | str | None = None,
        silence: str | None = None,
        bits: int | str | None = None,
        window: str | None = None,
        **_more: Never,
    ) -> Kind:
        """Classes share the link equally, by deficit round robin.

        Source: Mushtaq et al., SIGCOMM 2014 (MulBuff).

        Args:
            classes: Class queues of a port, 1 to 8; a packet of a higher class waits in the last; short and long flows
                in MulBuff (a whole number). Default 2.
            quantum: Link time that a class may use in a round, the one with the most of them; a full packet on
                Ethernet; assumed (a size like "20 kB"). Default "1538 B".
            count: How flows are counted, for policies that go by their number; the paper does not say (one of exact,
                approximate). Default "off".
            places: Flows that the table of a class holds, with count = "exact"; 48 B each; assumed (a whole number).
                Default 4096.
            silence: A flow of which nothing came for so long leaves, with count = "exact"; assumed (a time like "50
                us"). Default "10 ms".
            bits: Bits of each of a class's two bitmaps, with count = "approximate"; assumed (a whole number). Default
                1024.
            window: A silent flow leaves after one to two of these, with count = "approximate"; 250 kB at 1 Gbps;
                assumed (a time like "50 us"). Default "2 ms".
        """
        values: dict[str, Any] = {
            "classes": classes,
            "quantum": quantum,
            "count": count,
            "places": places,
            "silence": silence,
            "bits": bits,
            "window": window,
        }
        return Kind("ps", values, _more)

    @staticmethod
    def wps(
        *,
        classes: int | str | None = None,
        quantum: str | None = None,
        weights: int | str | None = None,
        count: Literal["exact", "approximate"] | Literal["off"] | None = None,
        places: int | str | None = None,
        silence: str | None = None,
        bits: int | str | None = None,
        window: str | None = None,
        **_more: Never,
    ) -> Kind:
        """Classes share the link by how many flows they have and an operator's weights.

        Source: Mushtaq et al., SIGCOMM 2014 (MulBuff).

        Args:
            classes: Class queues of a port, 1 to 8; a packet of a higher class waits in the last; short and long flows
                in MulBuff (a whole number). Default 2.
            quantum: Link time that a class may use in a round, the one with the most of them; a full packet on
                Ethernet; assumed (a size like "20 kB"). Default "1538 B".
            weights: What one flow of each class weighs, from class 0 on, like "4 1"; the last is that of the classes
                behind it; assumed (whole numbers like "4 2 1"). Default "1".
            count: How flows are counted, for policies that go by their number; the paper does not say (one of exact,
                approximate). Default "exact".
            places: Flows that the table of a class holds, with count = "exact"; 48 B each; assumed (a whole number).
                Default 4096.
            silence: A flow of which nothing came for so long leaves, with count = "exact"; assumed (a time like "50
                us"). Default "10 ms".
            bits: Bits of each of a class's two bitmaps, with count = "approximate"; assumed (a whole number). Default
                1024.
            window: A silent flow leaves after one to two of these, with count = "approximate"; 250 kB at 1 Gbps;
                assumed (a time like "50 us"). Default "2 ms".
        """
        values: dict[str, Any] = {
            "classes": classes,
            "quantum": quantum,
            "weights": weights,
            "count": count,
            "places": places,
            "silence": silence,
            "bits": bits,
            "window": window,
        }
        return Kind("wps", values, _more)


class shim:
    """Shims: what `host.shims` can be."""

    @staticmethod
    def order(
        *,
        by: Literal["sequence", "remaining"] | None = None,
        release: Literal["paper", "simulator"] | None = None,
        timeout: str | None = None,
        flows: int | str | None = None,
        capacity: str | None = None,
        **_more: Never,
    ) -> Kind:
        """Holds data that is ahead of a gap until it closes.

        Source: Vertigo section 3.3.

        Args:
            by: What says which data is next: its sequence number, or what its host's tag says is left of the message,
                as in the paper (one of sequence, remaining). Default "sequence".
            release: What goes on when a timer runs out: all up to the next gap, and nothing before that is waited for
                any more, or, as in the authors' simulator, what waited for so long and what is before it, and the gap
                stays (one of paper, simulator). Default "paper".
            timeout: The longest that data is held; assumed: about the wait in one full queue of 100 packets at 1 Gbps
                (a time like "50 us"). Default "1 ms".
            flows: Open flows of a host that get a place, whichever way their data goes; data of others is not held;
                assumed (a whole number). Default "unlimited".
            capacity: Packets, or bytes of payload, that a host holds; assumed (a queue size like "100 pkt" or "150
                kB"). Default "unlimited".
        """
        values: dict[str, Any] = {
            "by": by,
            "release": release,
            "timeout": timeout,
            "flows": flows,
            "capacity": capacity,
        }
        return Kind("order", values, _more)

    @staticmethod
    def agent_ecn(
        *,
        until: Literal["unmarked", "moved", "recovered"] | None = None,
        **_more: Never,
    ) -> Kind:
        """Drops duplicate acknowledgements until one echoes a mark.

        Source: PLTS section III-C2.

        Args:
            until: How long duplicates pass once one echoes a mark: as long as each does (PLTS, as its sentence is read
                here), until the acknowledgement moves (assumed), or until it reaches what had been sent then (assumed)
                (one of unmarked, moved, recovered). Default "unmarked".
        """
        values: dict[str, Any] = {
            "until": until,
        }
        return Kind("agent-ecn", values, _more)

    @staticmethod
    def agent_droptail(
        *,
        pass_: int | str | None = None,
        share: float | str | None = None,
        until: Literal["reached", "exceeded"] | None = None,
        per: Literal["flow", "host"] | None = None,
        first: int | str | None = None,
        repaired: Literal["counted", "left_out"] | None = None,
        recovery: Literal["filter", "pass"] | None = None,
        shortest: int | str | None = None,
        longest: int | str | None = None,
        **_more: Never,
    ) -> Kind:
        """Drops duplicate acknowledgements until there are as many as rarely before.

        Source: PLTS section III-C2.

        Args:
            pass_: The first duplicates of a run, which go on (PLTS) (a whole number). Default 2.
            share: Of the runs before, those that are not longer than what a run is held to (PLTS) (a fraction like
                "1/16"). Default "0.9".
            until: A run goes on when it has reached that length (PLTS), or only when it has exceeded it (assumed) (one
                of reached, exceeded). Default "reached".
            per: Whose runs are counted together: those of one flow and subflow, or of the host; assumed (one of flow,
                host). Default "flow".
            first: The length to which a run is held before any was counted; 3 holds none back; assumed (a whole
                number). Default 3.
            repaired: Runs in which something was sent again; assumed (one of counted, left_out). Default "counted".
            recovery: Duplicates until all is acknowledged that had been sent when something was sent again; assumed
                (one of filter, pass). Default "filter".
            shortest: The shortest run that is counted (PLTS, by its example) (a whole number). Default 3.
            longest: Longer runs count as of this length; assumed (a whole number). Default 256.
        """
        values: dict[str, Any] = {
            "pass": pass_,
            "share": share,
            "until": until,
            "per": per,
            "first": first,
            "repaired": repaired,
            "recovery": recovery,
            "shortest": shortest,
            "longest": longest,
        }
        return Kind("agent-droptail", values, _more)

    @staticmethod
    def mark(
        *,
        by: Literal["remaining", "packets", "bytes"] | None = None,
        gap: str | None = None,
        unknown: Literal["last", "packets", "unmarked"] | None = None,
        carry: Literal["ethertype", "option"] | None = None,
        boost: int | str | None = None,
        boosting: Literal["shift", "rotate"] | None = None,
        repeats: Literal["exact", "cuckoo"] | None = None,
        filter: int | str | None = None,
        announce: float | str | None = None,
        announce_share: float | str | None = None,
        fingerprint: int | str | None = None,
        **_more: Never,
    ) -> Kind:
        """Marks data with what is left of its message, and how often it was sent.

        Source: Vertigo section 3.1.

        Args:
            by: The number: bytes of the message still to be sent, or, where sizes are unknown, packets or bytes sent
                before (Vertigo) (one of remaining, packets, bytes). Default "remaining".
            gap: By packets or bytes: a message ends when nothing has left for longer (Vertigo's simulator) (a time like
                "50 us"). Default "360 us".
            unknown: By remaining, data of a message whose size nobody knows: behind all others, behind all others by
                packets sent before, or without a tag; assumed (one of last, packets, unmarked). Default "last".
            carry: Where the tag is: between Ethernet and IP, 7 B, or an option of IP, 8 B, with segments of at most
                1452 B (Vertigo) (one of ethertype, option). Default "ethertype".
            boost: By how much a number is divided each time its packet is sent again: 1, 2, 4 or 8 (Vertigo) (a whole
                number). Default 2.
            boosting: Number and count travel and each switch shifts (Vertigo's simulator), or the host rotates the
                number (Vertigo), which makes an odd one the largest (one of shift, rotate). Default "shift".
            repeats: How repeats are found: by what is outstanding (as Vertigo's host), or by a cuckoo filter (Vertigo)
                (one of exact, cuckoo). Default "exact".
            filter: Places of the filter of a host, at most 16777216; assumed (a whole number). Default 4096.
            announce: By remaining: what a message announces over what it has; a host that tells the truth has 1 (a
                fraction like "1/16"). Default "1".
            announce_share: Share of the messages that announce so, chosen by their number; the others tell the truth (a
                fraction like "1/16"). Default "1".
            fingerprint: Bits of a place of the filter, 4 to 16; assumed (a whole number). Default 12.
        """
        values: dict[str, Any] = {
            "by": by,
            "gap": gap,
            "unknown": unknown,
            "carry": carry,
            "boost": boost,
            "boosting": boosting,
            "repeats": repeats,
            "filter": filter,
            "announce": announce,
            "announce_share": announce_share,
            "fingerprint": fingerprint,
        }
        return Kind("mark", values, _more)

    @staticmethod
    def by_size(
        *,
        by: Literal["size", "sent"] | None = None,
        thresholds: str | Sequence[str] | None = None,
        acks: Literal["flow", "first"] | None = None,
        dscp: int | str | Sequence[int | str] | None = None,
        announce: float | str | None = None,
        announce_share: float | str | None = None,
        **_more: Never,
    ) -> Kind:
        """Sets the class of service from the flow's size, or from what was sent so far.

        Source: MulBuff section 2.

        Args:
            by: The flow's size, or the bytes sent before a packet, where nobody says the size (MulBuff) (one of size,
                sent). Default "size".
            thresholds: The most bytes of each class but the last, from the smallest on, at most 7; assumed: MulBuff's
                short flows have up to 98 kB (a size like "20 kB", or several with commas). Default "100 kB".
            acks: Acknowledgements go in the class of the data that they answer, or all in the first; assumed (one of
                flow, first). Default "flow".
            dscp: What packets of each class carry, 0 to 63, on real hosts the DSCP: as many as classes, or the number
                of the class; assumed (a whole number, or several with commas). Default "number".
            announce: What a message announces over what it has; a host that tells the truth has 1 (a fraction like
                "1/16"). Default "1".
            announce_share: Share of the messages that announce so, chosen by their number; the others tell the truth (a
                fraction like "1/16"). Default "1".
        """
        values: dict[str, Any] = {
            "by": by,
            "thresholds": thresholds,
            "acks": acks,
            "dscp": dscp,
            "announce": announce,
            "announce_share": announce_share,
        }
        return Kind("by-size", values, _more)


def switch(
    *,
    capacity: str | None = None,
    memory: str | None = None,
    alpha: float | str | None = None,
    rank: Literal["marked", "sent"] | None = None,
    rank_gap: str | None = None,
    pfc: bool | None = None,
    pfc_xoff: str | None = None,
    pfc_xon: str | None = None,
    pfc_headroom: str | None = None,
    fabric: Literal["output", "cioq"] | None = None,
    speedup: float | str | None = None,
    input_capacity: str | None = None,
    route: str | Table | None = None,
    buffer: str | Table | None = None,
    sched: str | Table | None = None,
    at: Table | None = None,
    **_more: Never,
) -> Kind:
    """What `[switch]` says.

    Args:
        capacity: What each port holds, the packet on the wire included (DIBS Table 1), or "shared": one memory for all
            ports (a queue size like "100 pkt" or "150 kB"). Default "100 pkt".
        memory: The shared memory of a switch (DIBS section 5.5.2); used when capacity is "shared" (a size like "20
            kB"). Default "1.7 MB".
        alpha: A queue may take this times the free shared memory (Choudhury and Hahne, 1998); assumed (a fraction like
            "1/16"). Default "1".
        rank: What policies order data by that go by ranks: what its host marked, or bytes of its flow that the switch
            saw before (one of marked, sent). Default "marked".
        rank_gap: With rank "sent": a flow that has sent nothing for longer starts anew; assumed: longer than a timeout,
            whose repeats are of the same message (a time like "50 us"). Default "100 ms".
        pfc: Pause whoever sends by a port that has brought too much (IEEE 802.1Qbb, DIBS section 6) (true or false).
            Default false.
        pfc_xoff: What a port has brought and the switch still holds when it is paused; assumed: with the headroom of 1
            Gbps no more than 100 full packets a port (DIBS Table 1) (a size like "20 kB"). Default "140 kB".
        pfc_xon: It is resumed at this much or less; "auto" is two full packets below pfc_xoff; assumed (a size like "20
            kB"). Default "auto".
        pfc_headroom: Room beyond pfc_xoff for what is on its way; "auto" is what loses nothing: two propagation delays,
            three full packets and the pause (a size like "20 kB"). Default "auto".
        fabric: "output": packets are at their output at once; "cioq": they wait at the input and cross to it (DIBS
            section 4) (one of output, cioq). Default "output".
        speedup: With "cioq": how much faster than the fastest port packets cross, at least 1 (Chuang et al., 1999: 2 is
            enough to match output queueing); assumed (a fraction like "1/16"). Default "2".
        input_capacity: With "cioq": what each input holds, beside the capacity of the outputs; assumed (a queue size
            like "100 pkt" or "150 kB"). Default "100 pkt".
        route: Which route. Default "ecmp".
        buffer: Which buffer. Default "droptail".
        sched: Which sched. Default "fifo".
        at: Switches that differ, by tier or name.
    """
    values: dict[str, Any] = {
        "capacity": capacity,
        "memory": memory,
        "alpha": alpha,
        "rank": rank,
        "rank_gap": rank_gap,
        "pfc": pfc,
        "pfc_xoff": pfc_xoff,
        "pfc_xon": pfc_xon,
        "pfc_headroom": pfc_headroom,
        "fabric": fabric,
        "speedup": speedup,
        "input_capacity": input_capacity,
        "route": route,
        "buffer": buffer,
        "sched": sched,
        "at": at,
    }
    return Kind(None, values, _more)


def host(
    *,
    shims: str | Sequence[str] | None = None,
    capacity: str | None = None,
    kernel: Literal["told", "plain", "stock"] | None = None,
    marker: Literal["host", "port"] | None = None,
    order: str | Table | None = None,
    agent_ecn: str | Table | None = None,
    agent_droptail: str | Table | None = None,
    mark: str | Table | None = None,
    by_size: str | Table | None = None,
    buffer: str | Table | None = None,
    sched: str | Table | None = None,
    **_more: Never,
) -> Kind:
    """What `[host]` says.

    Args:
        shims: What is between the transport and the NIC of every host, the first nearest to the transport: "a, b" or a
            list of names. Default "none".
        capacity: What the queue of every host's NIC holds, the packet on the wire included; assumed (a queue size like
            "100 pkt" or "150 kB"). Default "unlimited".
        kernel: Testbed: how far a host's kernel is told how losses are found and repaired: what [transport] says,
            nothing else that can be switched off ("plain"), or nothing of it ("stock") (one of told, plain, stock).
            Default "told".
        marker: Testbed: what sets the classes of by-size: the host, by its sockets or, by what was sent, by a program
            at its interface, or the port of the switch that leads to it ("port") (one of host, port). Default "host".
        order: Which order. Default "order".
        agent_ecn: Which agent-ecn. Default "agent-ecn".
        agent_droptail: Which agent-droptail. Default "agent-droptail".
        mark: Which mark. Default "mark".
        by_size: Which by-size. Default "by-size".
        buffer: Which buffer. Default "droptail".
        sched: Which sched. Default "fifo".
    """
    values: dict[str, Any] = {
        "shims": shims,
        "capacity": capacity,
        "kernel": kernel,
        "marker": marker,
        "order": order,
        "agent-ecn": agent_ecn,
        "agent-droptail": agent_droptail,
        "mark": mark,
        "by-size": by_size,
        "buffer": buffer,
        "sched": sched,
    }
    return Kind(None, values, _more)


def scheme(
    *,
    summary: str | None = None,
    paper: str | None = None,
    profile: Literal["linux", "none"] | None = None,
    switch: Table | None = None,
    transport: Table | None = None,
    host: Table | None = None,
    workload: Table | None = None,
    **_more: Never,
) -> Kind:
    """What `[scheme]` says.

    Args:
        summary: What it is, in one line.
        paper: The paper and section.
        profile: Senders below what it sets in [transport]; by default the scenario's.
        switch: See docs/scenarios.md.
        transport: See docs/scenarios.md.
        host: See docs/scenarios.md.
        workload: Workloads whose transport is another under this scheme.
    """
    values: dict[str, Any] = {
        "summary": summary,
        "paper": paper,
        "profile": profile,
        "switch": switch,
        "transport": transport,
        "host": host,
        "workload": workload,
    }
    return Kind(None, values, _more)


def probe(
    *,
    links: str | None = None,
    neighbours: str | None = None,
    hot: float | str | None = None,
    goodput: str | None = None,
    drops: str | None = None,
    spread_window: str | None = None,
    latency_every: int | str | None = None,
    flows_from: str | None = None,
    spread_from: str | None = None,
    latency_from: str | None = None,
    fair: int | str | None = None,
    detours: bool | None = None,
    paths: int | str | None = None,
    loops: bool | None = None,
    occupancy: str | Sequence[str] | None = None,
    latency: str | Sequence[str] | None = None,
    spread: str | Sequence[str] | None = None,
    **_more: Never,
) -> Kind:
    """What `[probe]` says.

    Args:
        links: Window over which the use of links is taken (DIBS Figure 4) (a time like "50 us"). Default "off".
        neighbours: How often the buffers around hot links are looked at (DIBS Figure 5) (a time like "50 us"). Default
            "off".
        hot: A link is hot from this use on (DIBS section 3) (a fraction like "1/16"). Default "0.9".
        goodput: Window over which the goodput of each workload is taken (a time like "50 us"). Default "off".
        drops: Window over which packets dropped are counted (a time like "50 us"). Default "off".
        spread_window: Window of the spread: queues at its end, use over it; assumed (a time like "50 us"). Default "10
            ms".
        latency_every: Latency is taken of so-many-th data packets of each host and workload; 1 is every one; assumed (a
            whole number). Default 100.
        flows_from: From when on the goodput of endless flows is taken; assumed: all of the run (a time like "50 us").
            Default "0 us".
        spread_from: Windows of the spread that begin before it do not count; assumed: all do (a time like "50 us").
            Default "0 us".
        latency_from: Data packets sent before it have no latency; assumed: all have (a time like "50 us"). Default "0
            us".
        fair: Draws of hashes over which max-min fair shares are worked out; 0 works out none (a whole number). Default
            0.
        detours: Log the first 100,000 detours (DIBS Figure 2a) (true or false). Default false.
        paths: Keep the paths of so many data packets, those with the most detours (DIBS Figure 1) (a whole number).
            Default 0.
        loops: Count the loops of data packets (DIBS section 4) (true or false). Default false.
        occupancy: Instants at which every queue's length is noted: "1 ms, 3 ms" or a list (DIBS Figure 2b) (a time like
            "50 us"). Default "off".
        latency: Workloads of whose data packets the time from the first switch to the last is taken, and the wait in
            switches. Default "off".
        spread: Links whose fullest and emptiest queues are compared, and their uses: "core > agg 0". Default "off".
    """
    values: dict[str, Any] = {
        "links": links,
        "neighbours": neighbours,
        "hot": hot,
        "goodput": goodput,
        "drops": drops,
        "spread_window": spread_window,
        "latency_every": latency_every,
        "flows_from": flows_from,
        "spread_from": spread_from,
        "latency_from": latency_from,
        "fair": fair,
        "detours": detours,
        "paths": paths,
        "loops": loops,
        "occupancy": occupancy,
        "latency": latency,
        "spread": spread,
    }
    return Kind(None, values, _more)


def change(
    *,
    at: str | None = None,
    link: str | None = None,
    switch: str | None = None,
    rate: str | None = None,
    down: bool | None = None,
    up: bool | None = None,
    reroute: str | None = None,
    **_more: Never,
) -> Kind:
    """What `[change]` says.

    Args:
        at: When it happens, before anything else of that instant (a time like "50 us").
        link: The cable that changes, both directions of it: its two ends, "agg 0.0 - core 1".
        switch: Or the switch that changes, all its cables: "core 1".
        rate: The rate from now on; "off" leaves it as it is (a rate like "1 Gbps"). Default "off".
        down: It carries nothing any more (true or false). Default false.
        up: It carries packets again, at the rate that the topology says (true or false). Default false.
        reroute: After which time next hops follow what goes down or comes up, or "never"; assumed: a dead port is seen
            sooner, a routing protocol takes longer (a time like "50 us"). Default "1 ms".
    """
    values: dict[str, Any] = {
        "at": at,
        "link": link,
        "switch": switch,
        "rate": rate,
        "down": down,
        "up": up,
        "reroute": reroute,
    }
    return Kind(None, values, _more)


def figure(
    *,
    paper: str | None = None,
    number: str | None = None,
    shows: str | None = None,
    **_more: Never,
) -> Kind:
    """What `[figure]` says.

    Args:
        paper: The paper: authors, venue and year.
        number: The figure's number there; a table or section by its name.
        shows: What it shows, in one sentence.
    """
    values: dict[str, Any] = {
        "paper": paper,
        "number": number,
        "shows": shows,
    }
    return Kind(None, values, _more)


def claim(
    *,
    id: str | None = None,
    figure: str | None = None,
    says: str | None = None,
    metric: str | None = None,
    compare: str | None = None,
    paper: str | None = None,
    own: str | None = None,
    accept: str | None = None,
    tolerance: str | None = None,
    gap: str | None = None,
    at: Table | None = None,
    over: Literal["max", "min", "mean", "each"] | None = None,
    less: Table | None = None,
    per: Table | None = None,
    expect: Literal["reproduced", "not reproduced", "can't tell"] | None = None,
    testbed_expect: Literal["reproduced", "not reproduced", "can't tell"] | None = None,
    testbed_gap: str | None = None,
    gap_sweep: str | None = None,
    expect_between: str | None = None,
    not_judged: str | None = None,
    **_more: Never,
) -> Kind:
    """What `[claim]` says.

    Args:
        id: Its name in reports; the metric's when not given.
        figure: The paper's figure, table or section.
        says: The sentence, of the paper or one's own.
        metric: What is measured.
        compare: A scheme, or two: "dctcp - dibs", "dctcp / dibs".
        paper: The paper's number, or "no number" when it gives none.
        own: True: the sentence is no paper's, but what this file expects; not given, so it is where neither figure, a
            number nor [figure] names a paper.
        accept: What counts as reproduced: "10..30", "..2", "0.9.." or one number; ">1", "<2", ">0..<2" without the
            ends.
        tolerance: Why that counts as reproduced.
        gap: Why the paper's number and ours differ. Default "not known".
        at: The points it speaks of, { axis = "value" }; all of them when not given.
        over: What to make of several points: max, min, mean, or each, which must hold at every one.
        less: Its number less the number at these points, { axis = "value" }.
        per: Its number over the number at these points, { axis = "value" }.
        expect: The verdict that this version gives.
        testbed_expect: The verdict that this version gives on the testbed; expect when not given.
        testbed_gap: Why the paper's number and the testbed's differ; gap when not given.
        gap_sweep: The experiment that shows the assumption that decides.
        expect_between: Our number's interval when that verdict was recorded, "58..61": it fails when it leaves it by
            more than its own.
        not_judged: Why the claim has no verdict here; a resolved scenario says so of settings it was not made for.
    """
    values: dict[str, Any] = {
        "id": id,
        "figure": figure,
        "says": says,
        "metric": metric,
        "compare": compare,
        "paper": paper,
        "own": own,
        "accept": accept,
        "tolerance": tolerance,
        "gap": gap,
        "at": at,
        "over": over,
        "less": less,
        "per": per,
        "expect": expect,
        "testbed_expect": testbed_expect,
        "testbed_gap": testbed_gap,
        "gap_sweep": gap_sweep,
        "expect_between": expect_between,
        "not_judged": not_judged,
    }
    return Kind(None, values, _more)


def plot(
    *,
    kind: Literal["lines", "bars", "cdf", "ranked", "over_time", "path", "detours", "occupancy"] | None = None,
    title: str | None = None,
    x: str | None = None,
    y: str | Sequence[str] | None = None,
    of: str | None = None,
    at: Table | None = None,
    schemes: str | Sequence[str] | None = None,
    log: Literal["x", "y", "xy"] | None = None,
    per: Table | None = None,
    points: str | None = None,
    points_of: str | Sequence[str] | None = None,
    **_more: Never,
) -> Kind:
    """What `[plot]` says.

    Args:
        kind: What it draws.
        title: What stands above it.
        x: Lines and bars: the axis to draw against; the only one when not given.
        y: Lines and bars: metrics.
        of: Cdf, ranked and over_time: the sample.
        at: Fixes the other axes, { axis = "value" }.
        schemes: Only these; all of them when not given.
        log: Logarithmic axes: x, y or xy.
        per: Lines and bars: each number over the one here, { axis = "value" }.
        points: Lines and bars: a table of its authors' points, drawn beside ours.
        points_of: The figures of that table that are drawn; all when not given.
    """
    values: dict[str, Any] = {
        "kind": kind,
        "title": title,
        "x": x,
        "y": y,
        "of": of,
        "at": at,
        "schemes": schemes,
        "log": log,
        "per": per,
        "points": points,
        "points_of": points_of,
    }
    return Kind(None, values, _more)
