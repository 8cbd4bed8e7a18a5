"""A twin in Python gives exactly the rows of the policy in Rust."""

from pathlib import Path

import pytest
from twins import Dibs, Priority, SprayRandom, Srpt

import sidestep as ss

VECTORS = Path(__file__).resolve().parents[2] / "conformance" / "vectors"

TWINS = [
    (Dibs, "dibs", "buffer-dibs.csv"),
    (SprayRandom, "spray-random", "route-spray-random.csv"),
    (Priority, "priority", "sched-priority.csv"),
    (Srpt, "srpt", "sched-srpt.csv"),
]


@pytest.mark.parametrize(("twin", "like", "file"), TWINS)
def test_a_twin_gives_every_row_of_the_shipped_table(twin: type[ss.Policy], like: str, file: str) -> None:
    assert ss.check_vectors(twin, VECTORS / file, like=like) >= 128
    assert ss.vectors(twin, like=like) == (VECTORS / file).read_text()


def test_a_policy_that_decides_otherwise_is_told_with_line_column_expected_and_got() -> None:
    class Other(Dibs):
        def admit(
            self,
            packet: ss.Packet,
            want: ss.Want,
            queues: ss.Queues,
            rng: ss.RandomStream,
        ) -> ss.Verdict:
            said = super().admit(packet, want, queues, rng)
            return ss.drop("early") if said.name == "detour" else said

    table = VECTORS / "buffer-dibs.csv"
    with pytest.raises(ss.ScenarioError, match=r"buffer-dibs.csv:\d+:\d+: verdict: expected detour, got drop") as caught:
        ss.check_vectors(Other, table, like="dibs")
    (problem,) = caught.value.problems
    assert (problem.file, problem.key, problem.expected, problem.got) == (str(table), "verdict", "detour", "drop")
    assert problem.line is not None and problem.column is not None
    line = table.read_text().splitlines()[problem.line - 1]
    assert line[problem.column - 1 :].startswith("detour,")


class Coin(ss.Route):
    draws = 1

    def pick(self, packet: ss.Packet, hops: ss.Hops, queues: ss.Queues, rng: ss.RandomStream) -> int:
        return hops[rng.scaled(len(hops))]


def test_a_policy_without_a_twin_has_rows_of_its_own_that_come_again() -> None:
    rows = ss.vectors(Coin, count=40)
    assert rows == ss.vectors(Coin, count=40)
    assert rows.startswith(ss.vectors(Coin, count=4))
    assert rows != ss.vectors(Coin, count=40, seed=2)
    assert len(rows.splitlines()) == 41


def test_rows_can_be_written_and_checked_again(tmp_path: Path) -> None:
    table = tmp_path / "coin.csv"
    table.write_text(ss.vectors(Coin, count=10), encoding="utf-8")
    assert ss.check_vectors(Coin, table) == 10


def test_what_cannot_be_asked_says_what_is_known() -> None:
    with pytest.raises(ss.ScenarioError, match="expected a buffer of droptail, .*, got .srpt") as caught:
        ss.vectors(Dibs, like="srpt")
    assert caught.value.problems[0].got == "srpt"
    with pytest.raises(ss.ScenarioError, match="expected a class of Route, Buffer or Sched, or seam=") as caught:
        ss.vectors(lambda switch: Coin(switch))
    assert caught.value.problems[0].key == "policy"
    with pytest.raises(ss.ScenarioError, match="seam: expected route, buffer or sched, got .transport"):
        ss.vectors(Coin, seam="transport")
    with pytest.raises(ss.ScenarioError, match="file: cannot read .*gone.csv") as caught:
        ss.check_vectors(Coin, VECTORS / "gone.csv")
    assert isinstance(caught.value.__cause__, FileNotFoundError)
    assert ss.vectors(lambda switch: Coin(switch), seam="route", count=2).startswith("row,")


def test_a_policy_that_raises_ends_the_table_with_its_exception_as_cause() -> None:
    class Broken(ss.Route):
        def pick(
            self,
            packet: ss.Packet,
            hops: ss.Hops,
            queues: ss.Queues,
            rng: ss.RandomStream,
        ) -> int:
            raise KeyError("nothing")

    with pytest.raises(ss.PolicyError, match="policy python:Broken: KeyError") as caught:
        ss.vectors(Broken, count=3)
    assert caught.value.policy == "python:Broken"
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_policy_without_the_parameters_of_its_twin_is_told_to_declare_them() -> None:
    class Plain(ss.Buffer):
        def admit(self, packet: ss.Packet, want: ss.Want, queues: ss.Queues, rng: ss.RandomStream) -> ss.Verdict:
            return ss.enqueue() if want.fits else ss.drop()

    says = "policy: expected an __init__ that declares each parameter of dibs behind switch, since the rows set them by name"
    with pytest.raises(ss.ScenarioError, match=f"{says}; got .*unexpected keyword argument 'mark_at'"):
        ss.vectors(Plain, like="dibs")
