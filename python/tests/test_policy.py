"""Policies in Python in the simulator: the run of their twins, and what ends a run."""

import inspect
import json
import textwrap
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from own import run_text
from twins import Dibs, Priority, SprayRandom

import sidestep as ss

INCAST = """
duration = "1 ms"
drain = "1 s"
seeds = "1..2"
schemes = [{schemes}]
topology = {{ kind = "fat_tree", k = 4 }}
[workload.query]
kind = "incast"
degree = 15
size = "40 kB"
[workload.others]
kind = "incast"
degree = 15
size = "40 kB"
[scheme.twin]
transport = {{ kind = "dctcp" }}
switch = {{ {switch} }}
"""

Decide = Callable[[ss.Packet, ss.Want, ss.Queues, ss.RandomStream], Any]


def scenario(switch: str, schemes: str = '"dctcp", "twin"') -> str:
    return INCAST.format(switch=switch, schemes=schemes)


def hashes(path: Path) -> dict[tuple[str, int], str]:
    runs = json.loads((path / "manifest.json").read_text())["runs"]
    return {(run["scheme"], run["seed"]): run["trajectory_hash"] for run in runs}


def buffer_of(decide: Decide) -> type[ss.Buffer]:
    """A buffer policy that decides so from its hundredth packet on."""

    class Mine(ss.Buffer):
        asked = 0

        def admit(
            self,
            packet: ss.Packet,
            want: ss.Want,
            queues: ss.Queues,
            rng: ss.RandomStream,
        ) -> ss.Verdict:
            self.asked += 1
            if self.asked < 100:
                return ss.enqueue()
            said: ss.Verdict = decide(packet, want, queues, rng)
            return said

    return Mine


def error_of(tmp_path: Path, **parts: Any) -> ss.PolicyError:
    mine = ss.Scheme("mine", extends="dctcp", **parts)
    out = tmp_path / "out"
    with pytest.raises(ss.PolicyError) as caught:
        run_text(scenario("", '"dctcp"').split("[scheme")[0], [mine], out=out)
    assert not out.exists(), "nothing is half-written"
    return caught.value


@pytest.mark.parametrize(
    ("switch", "parts"),
    [
        ('buffer = "dibs"', {"buffer": Dibs}),
        ('route = "spray-random", buffer = "ecn"', {"route": SprayRandom}),
        ('sched = "priority", buffer = "ecn"', {"sched": Priority}),
        (
            'route = "spray-random", buffer = "dibs", sched = "priority"',
            {"route": SprayRandom, "buffer": Dibs, "sched": Priority},
        ),
    ],
)
def test_a_twin_makes_the_run_of_the_policy_in_rust_with_any_number_of_jobs(
    tmp_path: Path, switch: str, parts: dict[str, Any]
) -> None:
    mine = ss.Scheme("mine", extends="twin" if len(parts) == 3 else "dctcp", **parts)
    found = []
    for jobs in (1, 3):
        run = run_text(scenario(switch), [mine], out=tmp_path / str(jobs), jobs=jobs)
        assert run.status == "complete"
        assert "mine" in run.text
        found.append(hashes(run.path))
    assert found[0] == found[1]
    for seed in (1, 2):
        assert found[0]["mine", seed] == found[0]["twin", seed] != found[0]["dctcp", seed]


def first_block(text: str) -> str:
    """The first Python block of a page or a docstring."""
    return textwrap.dedent(text.split("```python\n")[1].split("```")[0])


PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "policies.md"


@pytest.mark.parametrize("text", [PAGE.read_text(), inspect.getdoc(ss.Buffer) or ""], ids=["page", "docstring"])
def test_the_copy_of_dibs_that_is_shown_makes_the_run_of_the_shipped_scheme(tmp_path: Path, text: str) -> None:
    shown: dict[str, Any] = {}
    exec(first_block(text), shown)
    quickstart = ss.Scenario.load("quickstart")
    found = hashes(ss.run(quickstart, policies=[shown["mine"]], seeds="1..2", out=tmp_path / "out").path)
    for seed in (1, 2):
        assert found["mine", seed] == found["dibs", seed] != found["dctcp", seed]


def test_a_parameter_that_a_policy_does_not_declare_is_told_when_the_scheme_is_made() -> None:
    with pytest.raises(ss.ScenarioError) as caught:
        ss.Scheme("mine", extends="dibs", buffer=partial(Dibs, max_detour=8))  # type: ignore[call-arg]
    says = (
        "scheme 'mine': buffer: Dibs has no parameter 'max_detour': expected one that its __init__ declares "
        "(mark_at, ingress, mark_detours, max_detours); did you mean 'max_detours'?"
    )
    (problem,) = caught.value.problems
    assert str(caught.value) == says
    assert (problem.key, problem.got) == ("max_detour", "max_detour")
    # A parameter of the policy is none of the scheme.
    with pytest.raises(ss.ScenarioError, match="max_detours is no argument of a Scheme: .* functools.partial") as caught:
        ss.Scheme("mine", extends="dibs", buffer=Dibs, max_detours=8)  # type: ignore[arg-type]

    class Forgets(Dibs):
        def __init__(self) -> None:
            pass

    class Needs(Dibs):
        def __init__(self, switch: ss.Switch, most: int) -> None:
            super().__init__(switch, max_detours=most)

    class Takes(Dibs):
        def __init__(self, switch: ss.Switch, **more: Any) -> None:
            super().__init__(switch, **more)

    for wrong, says in ((Forgets, "too many positional arguments"), (Needs, "missing a required argument: 'most'")):
        with pytest.raises(ss.ScenarioError, match=f"cannot be made with a switch alone .{says}"):
            ss.Scheme("mine", extends="dibs", buffer=wrong)  # type: ignore[arg-type]
    for right in (Dibs, partial(Needs, most=3), partial(Takes, max_detours=3), lambda switch: Dibs(switch, max_detours=3)):
        ss.Scheme("mine", extends="dibs", buffer=right)


def test_a_policy_knows_its_switch_even_if_its_init_does_not_call_the_base(tmp_path: Path) -> None:
    class Forgets(Dibs):
        def __init__(self, switch: ss.Switch) -> None:
            self.mark_at, self.ingress, self.mark_detours, self.max_detours = (20, "pkt"), True, True, None

        def admit(self, packet: ss.Packet, want: ss.Want, queues: ss.Queues, rng: ss.RandomStream) -> ss.Verdict:
            assert self.switch.name
            return super().admit(packet, want, queues, rng)

    mine = ss.Scheme("mine", extends="dibs", buffer=Forgets)
    found = ss.run("quickstart", policies=mine, seeds=1, out=tmp_path / "out").hashes
    assert found["mine", 1] == found["dibs", 1]


def test_a_setting_that_only_the_replaced_policy_reads_is_a_warning(tmp_path: Path) -> None:
    mine = ss.Scheme("mine", extends="dibs", buffer=Dibs)
    changed = ss.Scenario.load("quickstart").with_({"scheme.dibs.switch.buffer.mark_at": "65 pkt"})
    run = ss.run(changed, policies=mine, seeds=1, out=tmp_path / "out")
    says = 'scheme mine: python:Dibs does not receive mark_at = "65 pkt"'
    assert any(warning.startswith(says) for warning in run.warnings), run.warnings


def test_a_scheme_may_extend_one_that_the_scenario_does_not_list(
    tmp_path: Path,
) -> None:
    mine = ss.Scheme("mine", extends="dibs", buffer=Dibs)
    text = scenario("", '"dctcp"').split("[scheme")[0]
    run = run_text(text, [mine], out=tmp_path / "out", seeds="1")
    assert set(hashes(run.path)) == {("dctcp", 1), ("mine", 1)}
    listed = run_text(text, [], out=tmp_path / "two", seeds="1", sets=["schemes=dibs"])
    assert hashes(listed.path)["dibs", 1] == hashes(run.path)["mine", 1]


def test_a_port_that_is_not_there_names_policy_switch_packet_and_time(
    tmp_path: Path,
) -> None:
    error = error_of(tmp_path, buffer=buffer_of(lambda *_: ss.detour(99)))
    assert str(error).endswith("ValueError: admit: expected a port from 0 to 3, got 99")
    assert error.policy == "python:Mine"
    assert error.scheme == "mine"
    assert error.seed == 1
    assert error.switch
    assert error.time_us > 0
    assert error.packet is not None
    host, count = error.packet.split(":")
    assert int(host) in range(16)
    assert int(count) >= 0
    assert f"packet {error.packet} of flow {error.flow}" in str(error)
    assert isinstance(error.__cause__, ValueError)


@pytest.mark.parametrize(
    ("port", "says"),
    [
        (99, "pick: expected a port from 0 to 3, got 99"),
        (-1, "pick: expected a port from 0 to 3, got -1"),
        ("up", "pick: expected a port (int), got 'up' (str)"),
        (True, "pick: expected a port (int), got True (bool)"),
        (None, "pick: expected a port (int), got None (NoneType)"),
    ],
)
def test_a_route_must_name_a_port(tmp_path: Path, port: Any, says: str) -> None:
    class Away(ss.Route):
        def pick(
            self,
            packet: ss.Packet,
            hops: ss.Hops,
            queues: ss.Queues,
            rng: ss.RandomStream,
        ) -> int:
            answer: int = port
            return answer

    assert says in str(error_of(tmp_path, route=Away))


@pytest.mark.parametrize(
    ("said", "says"),
    [
        (None, "admit: expected a Verdict, such as sidestep.enqueue(), got None"),
        (3, "got 3 (int)"),
        (
            ss.evict(),
            "the verdict evict needs a queued packet and a scheduler that ranks",
        ),
        (ss.squeeze(4), "expected a port from 0 to 3, got 4"),
    ],
)
def test_a_verdict_that_cannot_be_is_told(tmp_path: Path, said: Any, says: str) -> None:
    assert says in str(error_of(tmp_path, buffer=buffer_of(lambda *_: said)))


def test_what_a_policy_raises_is_the_cause_and_its_line_is_named(
    tmp_path: Path,
) -> None:
    error = error_of(tmp_path, buffer=buffer_of(lambda packet, *_: 1 // (packet.ttl * 0)))
    assert isinstance(error.__cause__, ZeroDivisionError)
    assert "ZeroDivisionError: " in str(error)
    assert "test_policy.py, line " in str(error)


def test_a_policy_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    class Picky(ss.Buffer):
        def __init__(self, switch: ss.Switch) -> None:
            raise LookupError(f"no table for {switch.name}")

        def admit(
            self,
            packet: ss.Packet,
            want: ss.Want,
            queues: ss.Queues,
            rng: ss.RandomStream,
        ) -> ss.Verdict:
            return ss.enqueue()

    for make, says in (
        (Picky, "no table for"),
        (lambda _: 3, "expected a Buffer with a method admit"),
    ):
        mine = ss.Scheme("mine", extends="dctcp", buffer=make)  # type: ignore[arg-type]
        with pytest.raises(ss.RunError, match=says):
            run_text(scenario(""), [mine], out=tmp_path / "out", sets=["schemes=dctcp"])


@pytest.mark.parametrize("handle", [None, 4_000_000_000, "one"])
def test_a_scheduler_must_name_what_waits(tmp_path: Path, handle: Any) -> None:
    class Lost(ss.Sched):
        def push(self, packet: ss.Packet, handle: int) -> None:
            pass

        def pop(self) -> int | None:
            named: int | None = handle
            return named

    text = str(error_of(tmp_path, sched=Lost))
    assert "popped" in text or "pop: expected the handle" in text


def test_a_scheduler_that_fails_when_a_buffer_policy_asks_about_it_is_named(
    tmp_path: Path,
) -> None:
    class Lies(Priority):
        def each_held(self) -> list[int]:
            return [1_000_000]

    buffer = buffer_of(lambda packet, want, queues, rng: queues.ranks(want.port))
    text = str(error_of(tmp_path, buffer=buffer, sched=Lies))
    assert "policy python:Lies: the scheduler of port " in text
    assert "named packet 1000000, which is not queued" in text


def test_views_are_over_with_the_call(tmp_path: Path) -> None:
    kept: list[Any] = []

    def decide(packet: ss.Packet, want: ss.Want, queues: ss.Queues, rng: ss.RandomStream) -> ss.Verdict:
        if kept:
            assert kept[0].flow >= 0, "a packet is a copy"
            for use in (
                lambda: kept[1].depth(0),
                lambda: kept[1].now_ps,
                lambda: kept[2].draw(),
            ):
                with pytest.raises(RuntimeError, match="only during the policy's call"):
                    use()  # type: ignore[no-untyped-call]
            raise StopIteration
        with pytest.raises(IndexError, match="expected a port from 0 to 3, got 4"):
            queues.depth(4)
        kept.extend((packet, queues, rng))
        return ss.enqueue()

    error = error_of(tmp_path, buffer=buffer_of(decide))
    assert isinstance(error.__cause__, StopIteration)
    with pytest.raises(RuntimeError, match="only during the policy's call"):
        kept[1].depth(0)


def test_what_a_policy_sees_is_what_there_is(tmp_path: Path) -> None:
    seen: list[tuple[Any, ...]] = []

    def decide(packet: ss.Packet, want: ss.Want, queues: ss.Queues, rng: ss.RandomStream) -> ss.Verdict:
        depth = queues.depth(want.port)
        assert (depth.packets, depth.bytes) == (want.packets, want.bytes)
        assert queues.open(packet) == [port for port in range(4) if queues.would_fit(packet, queues.depth(port))]
        assert want.fits == (want.port in queues.open(packet))
        assert queues.limit_packets == 100 and queues.limit_bytes is None
        assert queues.ingress in range(4)
        assert queues.shortest([want.port]) == 0
        assert queues.worst(want.port) is None and queues.each_worst(want.port) == []
        assert queues.ranks(want.port)[0] <= want.packets
        assert queues.time_to_send_ps(want.port, 1500) == 12_000_000
        assert queues.empty_at_ps(want.port) >= queues.now_ps or want.packets == 0
        assert 0 <= rng.scaled(3) < 3 and 0 <= rng.draw() < 1 << 32
        assert queues.buffered(packet) == packet.wire_bytes - 20
        seen.append((packet.kind, queues.now_ps, packet.ttl))
        return ss.enqueue(mark=want.packets >= 20) if want.fits else ss.drop()

    mine = ss.Scheme("mine", extends="dctcp", buffer=buffer_of(decide))
    text = scenario("", '"dctcp"').split("[scheme")[0]
    run_text(text, [mine], out=tmp_path / "out", seeds="1", jobs=1)
    assert {kind for kind, _, _ in seen} == {"data", "ack"}
    assert [at for _, at, _ in seen] == sorted(at for _, at, _ in seen)


def test_runs_are_kept_under_a_version_alone(tmp_path: Path) -> None:
    asked = []

    class Counts(Dibs):
        def __init__(self, switch: ss.Switch) -> None:
            super().__init__(switch)
            asked.append(switch.number)

    def made(version: str | None, name: str) -> int:
        asked.clear()
        mine = ss.Scheme("mine", extends="dctcp", buffer=Counts, version=version)
        text = scenario("", '"dctcp"').split("[scheme")[0]
        run = run_text(text, [mine], out=tmp_path / name, seeds="1", cache=tmp_path / "cache")
        assert set(hashes(run.path)) == {("dctcp", 1), ("mine", 1)}
        return len(asked)

    assert [made(None, "a"), made(None, "b")] == [20, 20]
    assert [made("1", "c"), made("1", "d"), made("2", "e")] == [20, 0, 20]


def test_parameters_are_those_of_a_partial(tmp_path: Path) -> None:
    never = ss.Scheme("never", extends="dctcp", buffer=partial(Dibs, max_detours=1))
    text = scenario("", '"dctcp"').split("[scheme")[0]
    run = run_text(text, [never], out=tmp_path / "out", seeds="1")
    written = (run.path / "scenario.toml").read_text()
    assert 'buffer = "python:Dibs"' in written


def test_a_result_names_the_policy_and_no_file_can(tmp_path: Path) -> None:
    mine = ss.Scheme("mine", extends="dctcp", buffer=Dibs)
    text = scenario("", '"dctcp"').split("[scheme")[0]
    run = run_text(text, [mine], out=tmp_path / "out", seeds="1")
    again = (run.path / "scenario.toml").read_text()
    with pytest.raises(ValueError, match="such a policy comes from the calling program"):
        run_text(again, [], out=tmp_path / "again")


def test_a_scheme_says_what_is_wrong_with_it(tmp_path: Path) -> None:
    with pytest.raises(ss.ScenarioError, match="expected a route, a buffer or a sched, got none"):
        ss.Scheme("mine", extends="dctcp")
    with pytest.raises(ss.ScenarioError, match="buffer: expected a class or a function, got int") as caught:
        ss.Scheme("mine", extends="dctcp", buffer=3)  # type: ignore[arg-type]
    (problem,) = caught.value.problems
    assert (problem.key, problem.expected, problem.got) == ("buffer", "a class or a function", "int")
    text = scenario("", '"dctcp"').split("[scheme")[0]
    taken = ss.Scheme("dctcp", extends="dctcp", buffer=Dibs)
    with pytest.raises(ss.ScenarioError, match="is already a scheme of the scenario"):
        run_text(text, [taken], out=tmp_path / "out")
    with pytest.raises(ss.ScenarioError, match="expected a name of at most 64 letters"):
        run_text(text, [ss.Scheme("../mine", extends="dctcp", buffer=Dibs)], out=tmp_path / "out")
    with pytest.raises(ss.ScenarioError, match="policies: expected Schemes and Plugins, got 3"):
        run_text(text, [3], out=tmp_path / "out")  # type: ignore[list-item]
    unknown = ss.Scheme("mine", extends="dips", buffer=Dibs)
    with pytest.raises(ss.ScenarioError, match='scheme "mine" extends "dips": scheme "dips" is unknown; did you mean "dibs"'):
        run_text(text, [unknown], out=tmp_path / "out")
    with pytest.raises(ss.ScenarioError, match="reason: expected one of full, .* got .bored") as caught:
        ss.drop("bored")
    assert caught.value.problems[0].got == "bored"
