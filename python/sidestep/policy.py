"""Your own policies: route, buffer policy and scheduler.

A policy is a class with one method that decides. Every switch of a run has its own object (of a scheduler: every port),
so the state of an object is that of one switch. The arguments are those of a Rust policy; times are picoseconds
(`_ps`), sizes bytes or packets, as the names say. A policy must draw random numbers only from the stream that it
receives: then a run gives the same result again, with any number of jobs. Packets, hops and the wanted queue are
copies. Queues and the stream are valid for one call, and raise `RuntimeError` afterwards.

An exception, a port that the switch does not have, or an answer of another type ends the run with `PolicyError`.
"""

from __future__ import annotations

import difflib
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Never

from sidestep._native import Hops, Packet, Plugin, Queues, RandomStream, Switch, Verdict, Want
from sidestep.errors import RunError, ScenarioError

__all__ = ["Buffer", "Policy", "PolicyError", "Route", "Sched", "Scheme"]


class PolicyError(RunError):
    """A policy ended its run. The policy's exception, if any, is the `__cause__`.

    The message names the policy, switch, packet and time, and what was expected and got. Attributes:

    - `policy`: `python:Mine` or `plugin:mine`
    - `scheme`, `seed`: of the run
    - `switch`: its name, `agg 0.1`
    - `packet`: as in `sidestep why`, the host and the number of packets that it had sent before: `100:3`; `None` at the
      end of a transmission, when no packet is at hand
    - `flow`: flow of that packet, or `None`
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


class Policy(ABC):  # noqa: B024, its three subclasses have the methods that decide
    """Common base of all policies.

    `switch` is the switch that the object decides for: `number`, `name`, `ports`, `salt` (64 bits to hash with),
    `seed`, `scheme` and, for a scheduler, `port`.

    The class attributes tell `sidestep.vectors` how to test a policy that has no counterpart in Rust: `draws` is the
    maximum number of random draws for one decision, `remembers` is True if a decision depends on earlier ones, `ranks`
    is True if the policy reads ranks.
    """

    draws: ClassVar[int] = 2
    remembers: ClassVar[bool] = False
    ranks: ClassVar[bool] = False

    def __init__(self, switch: Switch) -> None:
        """Receives the switch; called once for each switch of each run (of a scheduler: for each port).

        Declare parameters of your own behind `switch`, each with a default, and call `super().__init__(switch)`.
        `functools.partial` sets them for a scheme, `sidestep.vectors` by name. One that is not declared is refused when
        the scheme is made.

        ```python
        import sidestep as ss
        from functools import partial


        class Mine(ss.Buffer):
            def __init__(self, switch, mark_at=20):
                super().__init__(switch)
                self.mark_at = mark_at

            def admit(self, packet, want, queues, rng):
                return ss.enqueue(mark=want.packets >= self.mark_at) if want.fits else ss.drop()


        late = ss.Scheme("late", extends="dctcp", buffer=partial(Mine, mark_at=60))
        ```
        """
        self.switch = switch


class Route(Policy):
    """Selects the next hop of a packet. Called at every switch except the one of the destination host.

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
        """Returns the port that the packet wants; usually one of `hops`, which is never empty."""


class Buffer(Policy):
    """Decides about a packet at the queue that its route selected.

    DIBS in a few lines: a packet that does not fit leaves by another port that leads to a switch and has room. The scheme
    extends `dibs`, whose senders have fast retransmit off: it would take packets that a detour reorders for lost. In `dctcp`
    it is on, and the same policy looks worse than it is.

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


    mine = ss.Scheme("mine", extends="dibs", buffer=Mine)
    ```
    """

    @abstractmethod
    def admit(self, packet: Packet, want: Want, queues: Queues, rng: RandomStream) -> Verdict:
        """Returns the verdict: `enqueue`, `detour`, `evict`, `squeeze`, `trim` or `drop` of this package.

        `want` has the port that the route selected, its queue before the packet (`packets`, `bytes`), and whether there
        is room (`fits`). `evict` needs a scheduler that ranks and a queued packet.
        """

    def displaced(self, packet: Packet, port: int, queues: Queues, rng: RandomStream) -> Verdict:
        """Decides about a packet that was queued at `port` and evicted: `detour`, `squeeze` or `drop`.

        The default drops it, as in pFabric.
        """
        raise NotImplementedError


class Sched(Policy):
    """Orders the queue of one port. Packets are represented by handles, which are numbers.

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

    `push` and `pop` are required. The other methods are called if the class has them. Set `passes` if a packet that
    joins an empty queue and leaves again does not change the scheduler: packets that find their port idle are then not
    passed to it. Set `counts` if the scheduler counts flows: it then receives each packet that joins (`see`); for a
    packet that finds its port idle, `skip` follows instead of `push` and `pop`.
    """

    passes: ClassVar[bool] = False
    counts: ClassVar[bool] = False

    @abstractmethod
    def push(self, packet: Packet, handle: int) -> None:
        """Adds a packet under this handle."""

    @abstractmethod
    def pop(self) -> int | None:
        """Returns the handle of the next packet to leave; `None` if the queue is empty."""

    def worst(self) -> int | None:
        """Returns the rank of the packet that `evict` would remove; `None` if there is none."""
        raise NotImplementedError

    def evict(self) -> int | None:
        """Removes the worst packet and returns its handle."""
        raise NotImplementedError

    def each_worst(self) -> Iterable[tuple[int, int]]:
        """Returns rank and bytes of link time of all queued packets, in the order of eviction."""
        raise NotImplementedError

    def each_held(self) -> Iterable[int]:
        """Returns the handles of all queued packets, in any order: for buffer policies that sum ranks."""
        raise NotImplementedError

    def queue(self, service: int) -> tuple[int, int, int] | None:
        """Returns packets, bytes of link time and flows in the queue of a class of service."""
        raise NotImplementedError

    def class_of(self, service: int) -> int | None:
        """Returns the class queue of a class of service."""
        raise NotImplementedError

    def see(self, packet: Packet, now_ps: int) -> None:
        """Receives a packet before a buffer policy decides about it: the packet may or may not join."""
        raise NotImplementedError

    def skip(self, packet: Packet) -> None:
        """Receives a packet that found its port idle, instead of `push` and `pop`, if the scheduler has `counts`."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Scheme:
    """Scheme with your own policies, compared with others in one table.

    ```python
    mine = ss.Scheme("mine", extends="dibs", buffer=Mine)
    ss.run(scenario, policies=[mine])
    ```

    - `name`: name in the results
    - `extends`: scheme that supplies the transport, hosts, capacity and the other policies: one of the scenario, a
      shipped one, or a file. For a policy that detours take `dibs`: fast retransmit is off there
    - `route`, `buffer`, `sched`: a class, or any callable that receives a `Switch` and returns a policy:
      `functools.partial(Mine, threshold=20)`
    - `version`: without it every run is repeated. With it finished runs are cached under this word: change it whenever
      the code of the policy changes, or you get results of the old code.

    Raises `ScenarioError` without any policy, for a policy that cannot be called, and for a parameter that its `__init__`
    does not declare.
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
        **unknown: Never,
    ) -> None:
        for word in unknown:
            fields = "extends, route, buffer, sched, version"
            said = (
                f"scheme {name!r}: {word} is no argument of a Scheme: expected {fields}; "
                f"a parameter of a policy is set by functools.partial(Mine, {word}=…)"
            )
            raise ScenarioError.of_call(said, word, expected=fields, got=word)
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
            if value is not None:
                _check_parameters(name, field, value)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "extends", extends)
        object.__setattr__(self, "route", route)
        object.__setattr__(self, "buffer", buffer)
        object.__setattr__(self, "sched", sched)
        object.__setattr__(self, "version", version)

    def policy_name(self, seam: str) -> str:
        """Returns the name of the policy at `seam` in results: `python:Mine`."""
        return f"python:{name_of(getattr(self, seam))}"


def several(policies: Sequence[Scheme | Plugin] | Scheme | Plugin) -> Sequence[Scheme | Plugin]:
    """Returns a list of schemes; one scheme alone is a list of one."""
    return [policies] if isinstance(policies, Scheme | Plugin) else policies


def _check_parameters(scheme: str, seam: str, factory: Callable[[Switch], object]) -> None:
    """Refuses parameters that the policy's `__init__`, or a function that makes policies, does not declare."""
    try:
        signature = inspect.signature(innermost(factory))
    except (TypeError, ValueError):
        return  # A callable without a signature: the interpreter checks its call.
    given, policy = partial(factory), name_of(factory)
    try:
        signature.bind(*given.args, None, **given.keywords)
    except TypeError as error:
        why = str(error)
    else:
        return
    declared = signature.parameters.values()
    own = [one.name for one in declared if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)][1:]
    expected = ", ".join(own) if own else "none"
    got = next((word for word in given.keywords if word not in own), None)
    if got is None:
        said = f"{policy} cannot be made with a switch alone ({why}): expected __init__(self, switch, …) with a default for"
        said += " each further parameter, or its value by functools.partial"
    else:
        near = difflib.get_close_matches(got, own, n=1)
        said = f"{policy} has no parameter {got!r}: expected one that its __init__ declares ({expected})"
        said += f"; did you mean {near[0]!r}?" if near else ""
    raise ScenarioError.of_call(f"scheme {scheme!r}: {seam}: {said}", got or seam, expected=expected, got=got or why)


def innermost(factory: object) -> Callable[..., object]:
    """Returns the class or function within partial applications."""
    while isinstance(factory, partial):
        factory = factory.func
    assert callable(factory)
    return factory


def name_of(factory: object) -> str:
    """Returns the name of a class or function that makes policies."""
    factory = innermost(factory)
    return getattr(factory, "__name__", type(factory).__name__)
