//! Switches that differ: each follows its own settings, and nothing else changes.

#![allow(missing_docs)]

use crate::common;

use common::any::{any_config, any_plan, any_switches};
use common::*;
use proptest::prelude::*;
use sidestep_sim::*;
use sidestep_switch::Capacity;
use sidestep_types::*;

/// Gives every second switch the settings `kind`; the others keep those of `config`.
fn mixed(mut config: WorldConfig, kind: SwitchConfig, switches: usize) -> WorldConfig {
    let kind = SwitchConfig {
        pfc: config.switch.pfc,
        sent: config.switch.sent,
        cioq: config.switch.cioq,
        ..kind
    };
    config.others = SwitchOverrides {
        kinds: vec![kind],
        of: (0..switches).map(|s| (s % 2 == 1).then_some(0)).collect(),
    };
    config
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn packets_are_conserved_between_switches_that_differ(
        one in any_switches(),
        other in any_config(),
        plan in any_plan(16),
    ) {
        prop_assume!(one.switch.pfc.is_none() || !other.switch.buffer.nature().detours);
        let network = topology("fat_tree", &[("k", "4")]);
        let config = mixed(one, other.switch, network.switches.len());
        let until = Time::from_ms(40);
        assert_conserved(&run_on_both(&network, &plan, &config, until));
    }

    #[test]
    fn a_kind_that_says_the_same_changes_nothing(config in any_switches(), plan in any_plan(16)) {
        let network = topology("fat_tree", &[("k", "4")]);
        let same = mixed(config.clone(), config.switch.clone(), network.switches.len());
        let until = Time::from_ms(40);
        let (plain, same) = (run(&network, plan.clone(), config, until), run(&network, plan, same, until));
        prop_assert_eq!(plain, same);
    }
}

#[test]
fn each_switch_holds_and_orders_what_is_its_own() {
    let network = topology("fat_tree", &[("k", "4")]);
    let of_tier = |tier: &str| {
        let is = move |s: &SwitchInfo| (s.tier.as_deref() == Some(tier)).then_some(0);
        network.switches.iter().map(is).collect::<Vec<_>>()
    };
    let until = Time::from_ms(100);
    let mut config = config("droptail", 20, 1);
    let mut kind = config.switch.clone();
    kind.capacity = Capacity::PerPort(Size::Packets(3));
    config.others = SwitchOverrides {
        kinds: vec![kind.clone()],
        of: of_tier("edge"),
    };
    let outcome = run(&network, incast(1..16, 40_000), config.clone(), until);
    let peak = |tier: &str| {
        let of = of_tier(tier);
        let own = |p: &&PortOutcome| matches!(p.from, End::Switch(s) if of[s.0 as usize].is_some());
        outcome
            .ports
            .iter()
            .filter(own)
            .map(|p| p.peak_packets)
            .max()
    };
    assert_eq!(peak("edge"), Some(3));
    assert!(
        peak("agg") > Some(3) && peak("agg") <= Some(20),
        "{:?}",
        peak("agg")
    );
    // Only a ranked port needs a second event a hop.
    let mut events = |of: Vec<Option<u16>>| {
        let mut config = config.clone();
        kind.capacity = config.switch.capacity;
        let ranks = SwitchConfig {
            sched: chosen_sched("priority", &[]),
            ..kind.clone()
        };
        config.others = SwitchOverrides {
            kinds: vec![ranks],
            of,
        };
        run(&network, incast(1..16, 40_000), config, until)
            .totals
            .events
    };
    let (none, cores) = (events(Vec::new()), events(of_tier("core")));
    let mut all = of_tier("core");
    all.fill(Some(0));
    assert!(none < cores && cores < events(all), "{none} {cores}");
}

#[test]
fn kinds_that_cannot_be_are_refused() {
    let network = topology("dumbbell", &[]);
    let config = config("droptail", 20, 1);
    let refused = |kinds: Vec<SwitchConfig>, of: Vec<Option<u16>>| {
        let config = WorldConfig {
            others: SwitchOverrides { kinds, of },
            ..config.clone()
        };
        let made: Result<World, String> = World::new(&network, incast(1..2, 1000), config);
        made.err().unwrap_or_default()
    };
    let kind = || config.switch.clone();
    assert_eq!(refused(vec![kind()], vec![None, Some(0)]), "");
    let said = refused(vec![kind()], vec![None]);
    assert_eq!(
        said,
        "others must have one entry for each of the 2 switches, got 1"
    );
    let said = refused(vec![kind()], vec![None, Some(1)]);
    assert_eq!(
        said,
        "a kind of switch must be a number below 1, got number 1"
    );
    let cioq = CioqConfig {
        speedup: (2, 1),
        input_capacity: None,
    };
    let crossing = SwitchConfig {
        cioq: Some(cioq),
        ..kind()
    };
    let said = refused(vec![crossing], vec![None, Some(0)]);
    assert_eq!(said, "pfc and fabric must be the same for every switch");
    let mut wrong = kind();
    wrong.buffer = chosen_buffer("red", &[("min", "70 pkt")]);
    let said = refused(vec![wrong], vec![None, Some(0)]);
    assert!(
        said.starts_with("switch \"right\": buffer red: min (70) must not be above max (60)"),
        "{said}"
    );
}
