"""Policies of your own: which way, into which queue or not, who is next.

A policy is a class with one method that decides. Every switch of a run has an object of its own (a
scheduler: every port), so what an object remembers is that switch's. It is shown what a Rust policy is
shown; times are picoseconds (`_ps`), sizes bytes or packets, as the names say. It draws from the
stream that it is given and from nothing else: then a run repeats, with any number of jobs. Packets,
hops and the wanted queue are copies. Queues and the stream hold for one call, and raise
`RuntimeError` afterwards.

An exception, a port that is not there or an answer of another type ends the run with `PolicyError`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from sidestep._native import Hops, Packet, Queues, RandomStream, Switch, Verdict, Want
from sidestep.errors import RunError, ScenarioError

__all__ = ["Buffer", "Policy", "PolicyError", "Route", "Sched", "Scheme"]


class PolicyError(RunError):
    """A policy ended its run. What the policy raised, if anything, is the exception's `__cause__`.

    The message says policy, switch, packet, time, and expected and got. Which of them there are:

    - `policy`: `python:Mine` or `plugin:mine`
    - `scheme`, `seed`: of the run
    - `switch`: its name, `agg 0.1`
    - `packet`: as `sidestep why` names it, the host and how many that one had sent before: `100:3`;
      `None` at the end of a transmission, when no packet is at hand
    - `flow`: that packet's; `None` as well
    - `time_us`: simulated time in microseconds
    """

    def __init__(
        self,
        message: str,
        *,
        policy: str = "",
        scheme: str = "",
        seed: int = 0,
        switch: str = "",
        packet: str | None = None,
        flow: int | None = None,
        time_us: float = 0.0,
    ) -> None:
        super().__init__(message)
        self.policy = policy
        self.scheme = scheme
        self.seed = seed
        self.switch = switch
        self.packet = packet
        self.flow = flow
        self.time_us = time_us


class Policy(ABC):  # noqa: B024, what decides is in its three kinds
    """What all policies have in common.

    `switch` is the switch that the object decides for: `number`, `name`, `ports`, `salt` (64 bits to
    hash with), `seed`, `scheme` and, of a scheduler, `port`.

    The class attributes say what `sidestep.vectors` must draw for a policy without a twin in Rust:
    at most so many draws a decision, whether it remembers decisions, whether it looks at ranks.
    """

    draws: ClassVar[int] = 2
    remembers: ClassVar[bool] = False
    ranks: ClassVar[bool] = False

    def __init__(self, switch: Switch) -> None:
        self.switch = switch


class Route(Policy):
    """Which of the next hops a packet takes. Asked at every switch but the one that its host hangs off.

    Two random next hops, of which the shorter queue is taken (power of two choices):

    ```python
    import sidestep as ss


    class Shorter(ss.Route):
        def pick(self, packet, hops, queues, rng):
            if len(hops) == 1:
                return hops[0]
            one = hops[rng.scaled(len(hops))]
            two = hops[rng.scaled(len(hops))]
            if queues.depth(two).bytes < queues.depth(one).bytes:
                return two
            return one
    ```
    """

    @abstractmethod
    def pick(self, packet: Packet, hops: Hops, queues: Queues, rng: RandomStream) -> int:
        """The port that the packet wants; usually one of `hops`, which is never empty."""


class Buffer(Policy):
    """What becomes of a packet at the queue that its route chose.

    DIBS in a few lines: what does not fit leaves by another port that leads to a switch and has room.

    ```python
    import sidestep as ss


    class Mine(ss.Buffer):
        def admit(self, packet, want, queues, rng):
            if want.fits:
                return ss.enqueue(mark=want.packets >= 20)
            to_switch = set(queues.to_switch)
            open_ports = [port for port in queues.open(packet) if port in to_switch]
            if not open_ports:
                return ss.drop()
            return ss.detour(open_ports[rng.scaled(len(open_ports))], mark=True)
    ```
    """

    @abstractmethod
    def admit(self, packet: Packet, want: Want, queues: Queues, rng: RandomStream) -> Verdict:
        """The verdict: `enqueue`, `detour`, `evict`, `squeeze`, `trim` or `drop` of this package.

        `want` has the port that the route chose, its queue before the packet (`packets`, `bytes`), and
        whether there is room (`fits`). `evict` needs a scheduler that ranks and something that waits.
        """

    def displaced(self, packet: Packet, port: int, queues: Queues, rng: RandomStream) -> Verdict:
        """What becomes of a packet that waited at `port` and was evicted: `detour`, `squeeze` or `drop`.

        Without a method of your own it is dropped, as in pFabric.
        """
        raise NotImplementedError


class Sched(Policy):
    """The order of one port's queue. Packets are known by handles, which are numbers.

    Last in, first out:

    ```python
    import sidestep as ss


    class Lifo(ss.Sched):
        def __init__(self, switch):
            super().__init__(switch)
            self.waiting = []

        def push(self, packet, handle):
            self.waiting.append(handle)

        def pop(self):
            return self.waiting.pop() if self.waiting else None

        def each_held(self):
            return list(self.waiting)
    ```

    `push` and `pop` are needed. The other methods are asked where a class has them. `passes`: an
    empty queue is left as it was by a packet that joins and leaves again, so that a packet which finds
    its port idle need not be shown. `counts`: it counts flows, and is shown each packet that joins
    (`see`; in place of a packet that joins and leaves an idle port, `skip` follows).
    """

    passes: ClassVar[bool] = False
    counts: ClassVar[bool] = False

    @abstractmethod
    def push(self, packet: Packet, handle: int) -> None:
        """A packet joins, under this handle."""

    @abstractmethod
    def pop(self) -> int | None:
        """The handle of the next packet to leave; `None` when nothing waits."""

    def worst(self) -> int | None:
        """The rank of the packet that `evict` would take out; `None` without one."""
        raise NotImplementedError

    def evict(self) -> int | None:
        """Takes the worst packet out."""
        raise NotImplementedError

    def each_worst(self) -> Iterable[tuple[int, int]]:
        """Rank and bytes of link time of all that waits, in the order of eviction."""
        raise NotImplementedError

    def each_held(self) -> Iterable[int]:
        """The handles of all that waits, in any order: for buffer policies that sum ranks."""
        raise NotImplementedError

    def queue(self, service: int) -> tuple[int, int, int] | None:
        """Packets, bytes of link time and flows in the queue of a class of service."""
        raise NotImplementedError

    def class_of(self, service: int) -> int | None:
        """The class queue where packets of a class of service wait."""
        raise NotImplementedError

    def see(self, packet: Packet, now_ps: int) -> None:
        """A packet about which a buffer policy is about to decide: whether it joins is open."""
        raise NotImplementedError

    def skip(self, packet: Packet) -> None:
        """In place of `push` and `pop` of a packet that found its port idle, where flows are counted."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Scheme:
    """A scheme with policies of your own, compared with others in one table.

    ```python
    mine = ss.Scheme("mine", extends="dctcp", buffer=Mine)
    ss.run(scenario, policies=[mine])
    ```

    - `name`: what results call it
    - `extends`: the scheme that it is but for its policies: transport, hosts, capacity and the other
      policies are that one's. One of the scenario, a shipped one, or a file.
    - `route`, `buffer`, `sched`: a class, or anything that takes a `Switch` and makes a policy:
      `functools.partial(Mine, threshold=20)`
    - `version`: without it every run is made anew. With it finished runs are kept, by this word among
      others: change it whenever the policy's code does, or you are shown what the old one did.

    Raises `ScenarioError` without any policy, and for one that cannot be called.
    """

    name: str
    extends: str
    route: Callable[[Switch], Route] | None = None
    buffer: Callable[[Switch], Buffer] | None = None
    sched: Callable[[Switch], Sched] | None = None
    version: str | None = None

    def __init__(
        self,
        name: str,
        *,
        extends: str,
        route: Callable[[Switch], Route] | None = None,
        buffer: Callable[[Switch], Buffer] | None = None,
        sched: Callable[[Switch], Sched] | None = None,
        version: str | None = None,
    ) -> None:
        if route is None and buffer is None and sched is None:
            expected = "a route, a buffer or a sched"
            raise ScenarioError.of_call(
                f"scheme {name!r}: expected {expected}, got none", "policy", expected=expected, got="none"
            )
        for field, value in (("route", route), ("buffer", buffer), ("sched", sched)):
            if value is not None and not callable(value):
                kind = type(value).__name__
                said = f"scheme {name!r}: {field}: expected a class or a function, got {kind}"
                raise ScenarioError.of_call(said, field, expected="a class or a function", got=kind)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "extends", extends)
        object.__setattr__(self, "route", route)
        object.__setattr__(self, "buffer", buffer)
        object.__setattr__(self, "sched", sched)
        object.__setattr__(self, "version", version)

    def policy_name(self, seam: str) -> str:
        """What results call the policy at `seam`: `python:Mine`."""
        return f"python:{name_of(getattr(self, seam))}"


def name_of(factory: object) -> str:
    """What a class or a function that makes policies is called."""
    while isinstance(factory, partial):
        factory = factory.func
    return getattr(factory, "__name__", type(factory).__name__)
