//! Shorthands of a run, for tests.

#![allow(dead_code, missing_docs)]

pub mod any;
pub mod changes;

use sidestep_sim::agenda::{Agenda, HeapAgenda, WheelAgenda};
use sidestep_sim::*;
use sidestep_switch::{Capacity, Sched, buffer, route, sched};
use sidestep_transport::{
    AckRule, Congestion, DelayedAck, PfabricConfig, Ranking, Recovery, ReorderingConfig, TcpConfig,
    ThresholdRule, TransportConfig, shim,
};
use sidestep_types::*;
use std::sync::Arc;

/// Returns the values of the entry called `name`, with `sets` over its defaults.
pub fn values(entries: &'static [Entry], name: &str, sets: &[(&str, &str)]) -> Values {
    let entry = entries
        .iter()
        .find(|e| e.name == name)
        .expect("a registered name");
    let mut values = Values::default();
    for param in entry.params {
        let set = sets.iter().find(|(n, _)| *n == param.name);
        let text = set.map(|s| s.1).or(param.default).expect("a value");
        values.set(param.name, Value::parse(text, param).expect("a good value"));
    }
    values
}

/// The policies and shims of these names, with `sets` over their defaults.
macro_rules! chosen {
    ($($of:ident: $seam:ident;)*) => { $(
        pub fn $of(name: &str, sets: &[(&str, &str)]) -> $seam::Chosen {
            $seam::choose(name, &values($seam::ENTRIES, name, sets)).expect("good values")
        }
    )* };
}

chosen! {
    chosen_route: route;
    chosen_buffer: buffer;
    chosen_sched: sched;
    chosen_shim: shim;
}

pub fn topology(name: &str, sets: &[(&str, &str)]) -> Network {
    let values = values(topology::ENTRIES, name, sets);
    topology::build(name, &values, &NoFiles).expect("a good network")
}

/// Returns DCTCP with the settings of DIBS section 5.3: window 10, minimum RTO 10 ms, no delayed ACKs.
pub fn dctcp() -> TcpConfig {
    TcpConfig {
        congestion: Congestion::DCTCP,
        recovery: Recovery::Sack,
        ..TcpConfig::default()
    }
}

/// Returns Swift with its defaults.
pub fn swift() -> TcpConfig {
    let swift = TransportConfig::from_name("swift").expect("it is listed");
    swift.tcp().expect("it is TCP").clone()
}

/// Returns pFabric with the settings of DIBS section 5.8.
pub fn pfabric() -> PfabricConfig {
    PfabricConfig {
        mss: 1460,
        window: 8,
        rto: Time::from_us(350),
        probe_after: 5,
        slow_start: true,
        receive_window: 1 << 20,
        ranking: Ranking::Unacknowledged,
    }
}

pub fn config(buffer_name: &str, packets: u64, seed: u64) -> WorldConfig {
    WorldConfig {
        framing: Framing::Ethernet,
        ttl: 255,
        switch: SwitchConfig {
            route: chosen_route("ecmp", &[]),
            buffer: chosen_buffer(buffer_name, &[]),
            sched: chosen_sched("fifo", &[]),
            capacity: Capacity::PerPort(Size::Packets(packets)),
            pfc: None,
            sent: None,
            cioq: None,
        },
        others: SwitchOverrides::default(),
        transport: dctcp().into(),
        transports: ClassTransports::default(),
        shims: Vec::new(),
        nic: None,
        seed: Seed(seed),
        changes: Vec::new(),
        trace: TraceFilter::None,
    }
}

/// Returns DIBS with fast retransmit off.
pub fn dibs(packets: u64, seed: u64) -> WorldConfig {
    let mut config = config("dibs", packets, seed);
    config.transport = TransportConfig::from(TcpConfig {
        dupack_threshold: None,
        ..dctcp()
    });
    config
}

pub fn flow(src: u32, dst: u32, size: u64, start: Time) -> FlowPlan {
    FlowPlan {
        src: HostId(src),
        dst: HostId(dst),
        size,
        start: Start::At(start),
        class: 0,
        query: None,
        request: false,
        mss: None,
    }
}

pub fn plan(flows: Vec<FlowPlan>) -> Arc<TrafficPlan> {
    Arc::new(TrafficPlan {
        classes: vec!["flows".into()],
        flows,
        ..TrafficPlan::default()
    })
}

/// Adds requests of `src` to `dst` over one connection: time, size, and size of the answer, which starts
/// `think` after its request.
pub fn asks(plan: &mut TrafficPlan, src: u32, dst: u32, rounds: &[(Time, u64, u64)], think: Time) {
    let opener = FlowId(plan.flows.len() as u32);
    for &(at, request, answer) in rounds {
        let asked = FlowId(plan.flows.len() as u32);
        plan.flows.push(flow(src, dst, request, at));
        let start = Start::After {
            flow: asked,
            wait: think,
        };
        plan.flows.push(FlowPlan {
            start,
            ..flow(dst, src, answer, Time::ZERO)
        });
        for flow in [asked, FlowId(asked.0 + 1)] {
            plan.joint.push(Joint { flow, opener });
        }
    }
}

/// Returns a plan in which `senders` hosts send `size` bytes to host 0 at once.
pub fn incast(senders: impl Iterator<Item = u32>, size: u64) -> Arc<TrafficPlan> {
    plan(senders.map(|s| flow(s, 0, size, Time::ZERO)).collect())
}

pub fn run_with<A: Agenda>(
    network: &Network,
    plan: Arc<TrafficPlan>,
    config: WorldConfig,
    until: Time,
) -> Outcome {
    let mut world: World<A> = World::new(network, plan, config).expect("a world");
    world.run_until(until);
    world.finish()
}

pub fn run(network: &Network, plan: Arc<TrafficPlan>, config: WorldConfig, until: Time) -> Outcome {
    run_with::<WheelAgenda>(network, plan, config, until)
}

/// Runs on the wheel, and checks that the heap makes the same run, event for event.
pub fn run_on_both(
    network: &Network,
    plan: &Arc<TrafficPlan>,
    config: &WorldConfig,
    until: Time,
) -> Outcome {
    let wheel = run_with::<WheelAgenda>(network, plan.clone(), config.clone(), until);
    let heap = run_with::<HeapAgenda>(network, plan.clone(), config.clone(), until);
    assert_eq!(wheel, heap, "the same on both agendas");
    wheel
}

/// Returns the completion times in microseconds of the flows that finished, in order of the flows.
pub fn fct_us(outcome: &Outcome) -> Vec<f64> {
    let spans = outcome
        .flows
        .iter()
        .filter_map(|f| Some(f.finished? - f.started?));
    spans.map(Time::as_us_f64).collect()
}

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    (values[(values.len() - 1) / 2] + values[values.len() / 2]) / 2.0
}

/// Returns the packets queued and in flight long after every flow of `plan` was delivered; `None` if one was
/// not.
pub fn left_when_quiet(
    network: &Network,
    plan: &TrafficPlan,
    config: WorldConfig,
) -> Option<(u32, u64)> {
    // A run ends with its last flow, so a last one is added long after all others.
    let mut plan = plan.clone();
    plan.flows.push(flow(0, 1, 1, Time::from_s(6)));
    let mut world: World = World::new(network, plan.into(), config).unwrap();
    world.run_until(Time::from_s(5));
    let waiting = world.queue_lengths().iter().sum();
    (world.unfinished() == 1).then(|| (waiting, world.finish().totals.in_flight))
}

/// Checks that every packet is somewhere: sent = delivered + dropped + in flight.
pub fn assert_conserved(outcome: &Outcome) {
    let t = &outcome.totals;
    let dropped: u64 = t.drops.iter().sum();
    assert_eq!(t.sent, t.delivered + dropped + t.in_flight, "{t:?}");
    let by_port: u64 = outcome.ports.iter().flat_map(|p| p.counts.drops).sum();
    assert_eq!(by_port, dropped);
    let hops: u64 = outcome.ports.iter().map(|p| p.packets).sum();
    assert_eq!(hops, t.packet_hops);
    let by_flow: u64 = outcome.flows.iter().map(|f| u64::from(f.drops)).sum();
    let by_class: u64 = outcome.classes.iter().map(|c| c.dropped).sum();
    assert_eq!(by_flow, by_class);
    let out: u64 = outcome.ports.iter().map(|p| p.counts.detours_out).sum();
    let into: u64 = outcome.ports.iter().map(|p| p.counts.detours_in).sum();
    assert_eq!((out, into), (t.detours, t.detours));
    assert!(t.spurious_retransmits <= t.retransmits && t.spurious_timeouts <= t.timeouts);
    assert_eq!(
        t.shim_held,
        t.shim_released + t.shim_expired + t.shim_discarded,
        "{t:?}"
    );
    let handed: u64 = (outcome.flows.iter())
        .map(|f| u64::from(f.transport_reordered))
        .sum();
    let by_class: u64 = outcome.classes.iter().map(|c| c.transport_reordered).sum();
    assert!(handed >= by_class, "a flow that has ended is seen no more");
    for (class, seen) in outcome.classes.iter().enumerate() {
        let late: u64 = seen.n_reordering.counts.iter().sum();
        assert!(late <= seen.reordered, "class {class}: {seen:?}");
        assert!(seen.reordered <= seen.delivered, "class {class}: {seen:?}");
    }
}

/// Last in, first out: a scheduler that is not in the registry.
#[derive(Default)]
pub struct Lifo(Vec<u32>);

impl Sched for Lifo {
    fn push(&mut self, _: &Packet, handle: u32) {
        self.0.push(handle);
    }
    fn pop(&mut self) -> Option<u32> {
        self.0.pop()
    }
}
