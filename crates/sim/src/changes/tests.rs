use super::*;
use crate::NoFiles;
use crate::topology::{Topology, testbed::Testbed};
use sidestep_types::Settings;

fn testbed() -> Network {
    Testbed::defaults().build_network(&NoFiles).unwrap()
}

fn us(n: u64) -> Time {
    Time::from_us(n)
}

fn change(at: u64, cable: u32, to: Becomes, reroute: Option<u64>) -> Change {
    Change {
        at: us(at),
        cable,
        to,
        reroute: reroute.map(us),
    }
}

/// Returns the cables between switches of `a` and switches of `b`, by their names.
fn between(network: &Network, a: &str, b: &str) -> Vec<u32> {
    let named = |end: End, name: &str| match end {
        End::Host(_) => false,
        End::Switch(s) => network.switches[s.0 as usize].name.starts_with(name),
    };
    let of = |(i, c): (usize, &crate::Cable)| {
        let joins = (named(c.a, a) && named(c.b, b)) || (named(c.a, b) && named(c.b, a));
        joins.then_some(i as u32)
    };
    network.cables.iter().enumerate().filter_map(of).collect()
}

fn said(network: &Network, changes: &[Change]) -> String {
    match check_changes(network, changes) {
        Ok(cuts) => format!(
            "{:?}",
            cuts.iter().map(|cut| cut.change).collect::<Vec<_>>()
        ),
        Err(wrong) => format!("{}: {}", wrong.change, wrong.why),
    }
}

#[test]
fn what_happens_comes_before_what_gets_known_and_both_in_the_order_of_time() {
    let rate = Becomes::Rate(BitRate::gbps(1));
    let changes = [
        change(9, 0, Becomes::Up, Some(1)),
        change(5, 0, Becomes::Down, Some(5)),
        change(10, 1, Becomes::Down, None),
        change(10, 2, rate, Some(0)),
    ];
    let all = [
        (us(5), Step::Happens(1)),
        (us(9), Step::Happens(0)),
        (us(10), Step::Happens(2)),
        (us(10), Step::Happens(3)),
        (us(10), Step::Known(0)),
        (us(10), Step::Known(1)),
    ];
    assert_eq!(steps(&changes), all);
    let mut standing = CableState::new(3);
    all.iter()
        .for_each(|(_, step)| standing.take(&changes, *step));
    // Next hops follow its failure after its return.
    assert_eq!(standing.down, [false, true, false]);
    assert_eq!(standing.avoided, [false, false, false]);
}

#[test]
fn a_change_of_what_is_so_already_is_refused() {
    let network = testbed();
    let cable = between(&network, "edge", "agg")[0];
    let down = |at| change(at, cable, Becomes::Down, None);
    let up = |at| change(at, cable, Becomes::Up, None);
    let rate = |at, bps| change(at, cable, Becomes::Rate(BitRate::bps(bps)), None);
    assert_eq!(said(&network, &[down(1), up(2), down(3)]), "[]");
    assert_eq!(
        said(&network, &[down(1), down(1)]),
        "1: this cable is already down at that time"
    );
    // The order of time counts, not the order of the list.
    assert_eq!(
        said(&network, &[up(2), down(3)]),
        "0: this cable is already up at that time"
    );
    assert_eq!(said(&network, &[up(3), down(2)]), "[]");
    assert_eq!(
        said(&network, &[rate(1, 0)]),
        "0: a rate of 0: use down instead"
    );
    assert_eq!(said(&network, &[rate(1, 1_000)]), "[]");
    assert_eq!(
        said(&network, &[rate(1, 999)]),
        "0: a rate below 1 kbps: use down instead"
    );
    assert_eq!(
        said(&network, &[down(1), rate(2, 9)]),
        "1: this cable is down at that time, so its rate cannot change"
    );
    let beyond = change(1, 99, Becomes::Down, None);
    let many = network.cables.len();
    assert_eq!(
        said(&network, &[beyond]),
        format!("0: cable 99 does not exist: the network has {many} cables")
    );
}

#[test]
fn a_cut_that_leaves_no_way_is_refused_unless_next_hops_never_follow() {
    let network = testbed();
    let up_links = between(&network, "edge 0", "agg");
    let [one, other] = up_links[..] else {
        panic!("two ways up, {up_links:?}")
    };
    let down = |at, cable, reroute| change(at, cable, Becomes::Down, reroute);
    assert_eq!(said(&network, &[down(1, one, Some(9))]), "[]");
    let both = [down(1, one, Some(9)), down(5, other, Some(9))];
    assert_eq!(
        said(&network, &both),
        "1: this change disconnects host 0 from host 2"
    );
    // The second cut is never followed: it cuts hosts off, as intended.
    let meant = [down(1, one, Some(9)), down(5, other, None)];
    assert_eq!(said(&network, &meant), "[1]");
    // At one instant, both belong to one group.
    let at_once = [down(1, one, None), down(1, other, None)];
    assert_eq!(said(&network, &at_once), "[1]");
    assert_eq!(
        said(&network, &[at_once[0], down(1, other, Some(9))]),
        "1: this change disconnects host 0 from host 2"
    );
    // There is a path at every moment, but at last next hops see none.
    let unknown = [
        down(1, one, Some(1)),
        change(3, one, Becomes::Up, None),
        down(4, other, Some(1)),
    ];
    assert_eq!(
        said(&network, &unknown),
        "2: this change disconnects host 0 from host 2 once next hops follow it"
    );
    // A cable that is already cut off disconnects nobody else.
    let again = [down(1, one, None), down(1, other, None), down(9, 0, None)];
    assert_eq!(said(&network, &again), "[1, 2]");
}

/// A host returns while another goes: as many parts as before, but not the same ones.
#[test]
fn a_cut_at_the_instant_of_a_return_is_a_cut() {
    let network = testbed();
    let nic = |host: u32| {
        let of = |c: &crate::Cable| [c.a, c.b].contains(&End::Host(sidestep_types::HostId(host)));
        network.cables.iter().position(of).unwrap() as u32
    };
    let (down, up) = (Becomes::Down, Becomes::Up);
    let swap = |reroute| {
        [
            change(0, nic(0), down, None),
            change(100, nic(0), up, None),
            change(100, nic(3), down, reroute),
        ]
    };
    assert_eq!(said(&network, &swap(None)), "[0, 2]");
    // Host 0 was alone before: of those that were together, host 1 and host 3 are the first.
    assert_eq!(
        said(&network, &swap(Some(9))),
        "2: this change disconnects host 1 from host 3"
    );
}
