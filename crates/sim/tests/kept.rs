//! Saved runs: a run that stops, is saved as bytes, and continues from them equals the uninterrupted run.

use crate::common;

use common::any::*;
use common::changes::{any_changes, of};
use common::*;
use proptest::prelude::*;
use sidestep_sim::agenda::{Agenda, HeapAgenda, WheelAgenda};
use sidestep_sim::*;
use sidestep_types::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// End of every run here.
const UNTIL: Time = Time::from_ms(40);

/// Returns a run before its start, watched or not.
fn begin<A: Agenda>(
    network: &Network,
    plan: &Arc<TrafficPlan>,
    config: &WorldConfig,
    watching: Option<&Watching>,
) -> World<A> {
    let world = World::new(network, Arc::clone(plan), config.clone());
    let mut world: World<A> = world.expect("a world");
    if let Some(watching) = watching {
        world.watch(*watching);
    }
    world
}

fn bytes<A: Agenda>(world: &World<A>) -> Vec<u8> {
    let state = world.state().expect("it can be kept");
    postcard::to_stdvec(&state).expect("bytes take it all")
}

/// Continues in `fresh` from the state in `bytes`.
fn go_on<A: Agenda>(fresh: World<A>, bytes: &[u8]) -> Result<World<A>, String> {
    let saved = postcard::from_bytes::<Saved<A>>(bytes).map_err(|e| e.to_string())?;
    fresh.go_on(saved)
}

/// Stops at each of `stops`, continues in a new world, and compares with the uninterrupted run.
fn compare<A: Agenda>(
    network: &Network,
    plan: &Arc<TrafficPlan>,
    config: &WorldConfig,
    watching: Option<&Watching>,
    stops: &[Time],
) -> Result<(), TestCaseError> {
    let fresh = || begin::<A>(network, plan, config, watching);
    let mut whole = fresh();
    whole.run_until(UNTIL);
    let whole = whole.finish_watched();
    let mut parts = fresh();
    for stop in stops {
        parts.run_until(*stop);
        let kept = bytes(&parts);
        parts = go_on(fresh(), &kept).map_err(TestCaseError::fail)?;
        prop_assert!(bytes(&parts) == kept, "what was read is what was written");
    }
    parts.run_until(UNTIL);
    let parts = parts.finish_watched();
    prop_assert_eq!(parts.0.trajectory_hash, whole.0.trajectory_hash);
    prop_assert_eq!(parts, whole);
    Ok(())
}

/// Draws no watching, or everything that can be watched.
fn any_watching() -> impl Strategy<Value = Option<Watching>> {
    let all = (1u64..5, 0u64..2_000).prop_map(|(every, from)| Watching {
        detours: 5,
        paths: 2,
        loops: true,
        latency: Some(Latency::every(every).of(0).since(Time::from_us(from))),
        crossings: true,
    });
    proptest::option::of(all)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_run_that_is_kept_and_goes_on_is_the_run_in_one_piece(
        network in any_network(), mut config in any_switches(), plan in any_plan(16),
        drawn in proptest::option::of(any_changes()),
        subflows in any_subflows(),
        watching in any_watching(),
        filter in prop_oneof![
            Just(TraceFilter::None), Just(TraceFilter::Dropped), Just(TraceFilter::Detoured(1)),
            Just(TraceFilter::Flows(vec![0, 3])),
        ],
        stops in proptest::collection::vec(0u64..9_000_000, 1..3),
    ) {
        over(subflows, &mut config);
        config.trace = filter;
        config.changes = drawn.map_or_else(Vec::new, |drawn| of(&network, drawn));
        let mut stops: Vec<Time> = stops.into_iter().map(Time::from_ns).collect();
        stops.sort();
        compare::<WheelAgenda>(&network, &plan, &config, watching.as_ref(), &stops)?;
        compare::<HeapAgenda>(&network, &plan, &config, watching.as_ref(), &stops[..1])?;
    }

    /// Changes one byte of the state. The state is then refused, or describes another possible run: no other
    /// outcome is allowed.
    #[test]
    fn a_state_with_a_wrong_byte_is_refused_or_of_a_network_that_is_there(
        config in any_switches(), plan in any_plan(16), at in any::<prop::sample::Index>(),
        byte in 1u8..=255,
    ) {
        let network = network(0, "1 us");
        let mut world = begin::<WheelAgenda>(&network, &plan, &config, None);
        world.run_until(Time::from_us(700));
        let mut kept = bytes(&world);
        let at = at.index(kept.len());
        kept[at] ^= byte;
        let fresh = begin::<WheelAgenda>(&network, &plan, &config, None);
        if let Ok(mut read) = go_on(fresh, &kept) {
            prop_assert_eq!(read.link_bytes().len(), network.cables.len() * 2);
            if let Some(said) = unchecked(&mut read, 1_500) {
                prop_assert!(false, "byte {at} of {}: {said}", kept.len());
            }
        }
    }
}

/// Continues a run up to `us` microseconds. Its state may be impossible and cause a panic, but not by a number
/// that release builds use as an index without a check: returns that number's message, if there is one.
fn unchecked(world: &mut World, us: u64) -> Option<String> {
    let ran = catch_unwind(AssertUnwindSafe(|| world.run_until(Time::from_us(us))));
    let why = ran.err()?;
    let said = why.downcast_ref::<String>()?;
    let number = said.strip_prefix("index ")?.split(' ').next()?;
    number.parse::<u32>().is_ok().then(|| said.clone())
}

/// Packets are queued in schedulers, at hosts and at the switch.
#[test]
fn no_wrong_byte_of_what_waits_is_an_index_without_a_check() {
    let star = network(1, "1 us");
    let plan = plan((0..3).map(|h| flow(h, 3, 20_000, Time::ZERO)).collect());
    for name in ["srpt", "pfabric", "priority", "strict"] {
        let mut config = config("droptail", 30, 1);
        config.switch.sched = common::chosen_sched(name, &[]);
        let mut world = begin::<WheelAgenda>(&star, &plan, &config, None);
        world.run_until(Time::from_us(100));
        assert!(world.queue_lengths().iter().sum::<u32>() > 5, "{name}");
        let kept = bytes(&world);
        let mut taken = 0;
        for (at, byte) in (0..kept.len()).flat_map(|at| [(at, 1), (at, 0x41)]) {
            let mut wrong = kept.clone();
            wrong[at] ^= byte;
            let fresh = begin::<WheelAgenda>(&star, &plan, &config, None);
            if let Ok(mut read) = go_on(fresh, &wrong) {
                taken += 1;
                let said = unchecked(&mut read, 300);
                assert_eq!(said, None, "{name}: byte {at} of {}", kept.len());
            }
        }
        assert!(taken > 100, "{name}: {taken} were taken");
    }
}

#[test]
fn what_cannot_be_kept_says_why() {
    let network = network(0, "1 us");
    let plan = plan(vec![flow(0, 9, 200_000, Time::ZERO)]);
    let mut own = begin::<WheelAgenda>(&network, &plan, &dibs(10, 1), None);
    own.set_buffers(|_| {
        sidestep_switch::AnyBuffer::Custom(Box::new(sidestep_switch::buffer::droptail::DropTail))
    });
    let said = own.state().err().expect("a refusal");
    assert_eq!(said, "the buffer policy of switch 0 is a custom one");
}

#[test]
fn the_state_of_another_run_is_refused() {
    let plan = plan(vec![flow(0, 9, 200_000, Time::ZERO)]);
    let (tree, star) = (network(0, "1 us"), network(1, "1 us"));
    let config = dibs(10, 1);
    let mut world = begin::<WheelAgenda>(&tree, &plan, &config, None);
    world.run_until(Time::from_us(100));
    let kept = bytes(&world);
    let refused = |network: &Network, plan: &Arc<TrafficPlan>, config: &WorldConfig| {
        let fresh = begin::<WheelAgenda>(network, plan, config, None);
        go_on(fresh, &kept).err().expect("a refusal")
    };
    assert_eq!(
        refused(&star, &plan, &config),
        "switches: expected 1, got 20"
    );
    let more = common::plan(vec![
        flow(0, 9, 200_000, Time::ZERO),
        flow(1, 9, 1, Time::ZERO),
    ]);
    assert_eq!(refused(&tree, &more, &config), "flows: expected 2, got 1");
    let mut other = config.clone();
    other.switch.buffer = common::config("droptail", 10, 1).switch.buffer;
    let said = refused(&tree, &plan, &other);
    assert_eq!(said, "switch 0: buffer: expected droptail, got dibs");
    let mut other = config.clone();
    other.switch.sched = common::chosen_sched("srpt", &[]);
    let said = refused(&tree, &plan, &other);
    assert_eq!(said, "queues: expected 96, got 0");
    let mut ranked = begin::<WheelAgenda>(&tree, &plan, &other, None);
    ranked.run_until(Time::from_us(100));
    other.switch.sched = common::chosen_sched("pfabric", &[]);
    let fresh = begin::<WheelAgenda>(&tree, &plan, &other, None);
    let said = go_on(fresh, &bytes(&ranked)).err().expect("a refusal");
    assert_eq!(said, "expected pfabric at port 16, got srpt at port 16");
}
