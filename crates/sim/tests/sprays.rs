//! Spraying routes in a whole network: what each link carries, to the byte.
//!
//! Figure 2 of the PLTS report (Dixit, Prakash, Kompella, Purdue technical report 2011, section III-A): three flows
//! of equal size in a fat-tree of four pods. A and B leave the first edge switch of a pod, C the second;
//! B stays in the pod. Senders here send at given times and hear nothing, so that A and B are interleaved perfectly.

use crate::common;

use common::*;
use sidestep_sim::*;
use sidestep_transport::{
    Ack, AnyReceiver, AnySender, Arrival, Receiver, Segment, Sender, SenderCounters,
};
use sidestep_types::*;
use std::collections::BTreeMap;

/// Packets of each flow, of 1460 bytes of payload: 1538 bytes of link time.
const PACKETS: u64 = 48;
const BYTES: u64 = PACKETS * 1538;

/// Time between two packets of a flow: a packet of 1460 bytes takes 12.3 us at 1 Gbps.
const EVERY: Time = Time::from_us(40);

/// Bytes by the links between aggregation and core of the first pod, by the link's ends and the flow.
type Loads = BTreeMap<(String, String), BTreeMap<char, u64>>;

/// What A, B and C put on the links to the cores, with this route.
fn figure_2(name: &str, sets: &[(&str, &str)]) -> Loads {
    let network = topology("fat_tree", &[("k", "4"), ("rate", "1 Gbps")]);
    let names = ['A', 'B', 'C'];
    // Hosts 0 and 1 are at the first edge switch, 2 and 3 at the second of their pod.
    let ends = [(0, 8), (1, 3), (2, 12)];
    let starts = [0, 20, 30].map(Time::from_us);
    let mut config = config("droptail", 100, 1);
    config.switch.route = chosen_route(name, sets);
    config.switch.buffer = chosen_buffer("droptail", &[]);
    config.trace = TraceFilter::Flows(vec![0, 1, 2]);
    let flows = ends.map(|(from, to)| flow(from, to, 1 << 40, Time::ZERO));
    let mut world: World = World::new(&network, plan(flows.to_vec()), config).expect("a world");
    world.set_transport(
        move |flow, _| {
            let start = starts[flow.0 as usize];
            AnySender::Custom(Box::new(Scripted { start, sent: 0 }))
        },
        |_, _| AnyReceiver::Custom(Box::new(Deaf)),
    );
    world.run_until(Time::from_ms(10));
    let outcome = world.finish();
    assert_eq!(outcome.totals.in_flight, 0);
    let mut loads = Loads::new();
    for trace in &outcome.traces {
        for step in &trace.steps {
            let Some((switch, joined)) = step.what.queued() else {
                continue;
            };
            let port = outcome
                .ports
                .iter()
                .find(|port| port.from == End::Switch(switch) && port.port == joined.port);
            let End::Switch(to) = port.expect("a port").to else {
                continue;
            };
            let name = |switch: SwitchId| network.switches[switch.0 as usize].name.clone();
            let (from, to) = (name(switch), name(to));
            if from.starts_with("agg 0.") && to.starts_with("core") {
                let of = loads.entry((from, to)).or_default();
                *of.entry(names[trace.flow.0 as usize]).or_default() += 1538;
            }
        }
    }
    // What the traces tell of each link is what it carried.
    for port in &outcome.ports {
        if let (End::Switch(from), End::Switch(to)) = (port.from, port.to) {
            let name = |switch: SwitchId| network.switches[switch.0 as usize].name.clone();
            if let Some(of) = loads.get(&(name(from), name(to))) {
                assert_eq!(of.values().sum::<u64>(), port.wire_bytes);
            }
        }
    }
    loads
}

/// By aggregation switch, what each of its links to the cores carries.
fn by_aggregation(loads: &Loads, agg: &str) -> Vec<BTreeMap<char, u64>> {
    let of = loads.iter().filter(|((from, _), _)| from == agg);
    of.map(|(_, load)| load.clone()).collect()
}

#[test]
fn by_counters_half_of_a_and_a_quarter_of_c_take_two_core_links_and_a_quarter_of_c_the_others() {
    for sets in [&[][..], &[("ties", "first")]] {
        let loads = figure_2("spray-counter", sets);
        assert_eq!(loads.len(), 4, "{loads:?}");
        let most = BTreeMap::from([('A', BYTES / 2), ('C', BYTES / 4)]);
        let least = BTreeMap::from([('C', BYTES / 4)]);
        let of = |agg| by_aggregation(&loads, agg);
        assert_eq!(of("agg 0.0"), [most.clone(), most], "{sets:?}");
        assert_eq!(of("agg 0.1"), [least.clone(), least], "{sets:?}");
    }
}

#[test]
fn in_turn_all_four_core_links_carry_a_quarter_of_a_and_of_c() {
    for sets in [&[][..], &[("start", "first")], &[("shuffle", "2")]] {
        let loads = figure_2("spray-rr", sets);
        assert_eq!(loads.len(), 4, "{loads:?}");
        let quarters = BTreeMap::from([('A', BYTES / 4), ('C', BYTES / 4)]);
        assert!(
            loads.values().all(|of| *of == quarters),
            "{sets:?}: {loads:?}"
        );
    }
}

/// The pointer of a prefix is one for A and B at no switch, as they go to other prefixes; a pointer of the whole
/// switch is the counter of equal packets.
#[test]
fn one_pointer_for_all_packets_of_a_switch_loads_links_as_equal_packets_do_counters() {
    let counter = figure_2("spray-counter", &[]);
    let switch = figure_2("spray-rr", &[("per", "switch"), ("start", "first")]);
    assert_eq!(counter, switch);
    let prefix = figure_2("spray-rr", &[("per", "prefix")]);
    assert_eq!(prefix, figure_2("spray-rr", &[]));
}

/// Sends packet n at `start + n × EVERY`.
struct Scripted {
    start: Time,
    sent: u64,
}

impl Scripted {
    fn next(&self) -> Option<Time> {
        (self.sent < PACKETS).then(|| self.start + EVERY * self.sent)
    }
}

impl Sender for Scripted {
    fn on_ack(&mut self, _: Time, _: Ack) {}
    fn on_timeout(&mut self, _: Time) {}
    fn poll_send(&mut self, now: Time) -> Option<Segment> {
        self.next().filter(|at| *at <= now)?;
        self.sent += 1;
        Some(Segment {
            seq: (self.sent - 1) * 1460,
            len: 1460,
            syn: false,
            ect: false,
            cwr: false,
            retransmit: false,
            rank: None,
        })
    }
    fn deadline(&self) -> Option<Time> {
        self.next()
    }
    fn acknowledged(&self) -> u64 {
        0
    }
    fn is_done(&self) -> bool {
        false
    }
    fn counters(&self) -> SenderCounters {
        SenderCounters::default()
    }
}

/// Says nothing.
struct Deaf;

impl Receiver for Deaf {
    fn on_segment(&mut self, _: Time, _: Arrival) {}
    fn on_timeout(&mut self, _: Time) {}
    fn poll_ack(&mut self, _: Time) -> Option<Ack> {
        None
    }
    fn deadline(&self) -> Option<Time> {
        None
    }
    fn delivered(&self) -> u64 {
        0
    }
}

/// How many paths data and acknowledgements of one flow were delivered by. The last acknowledgement may be under way
/// when the run ends, and has none yet.
fn ways_of(acks: &str) -> [usize; 2] {
    let network = topology("fat_tree", &[("k", "4"), ("rate", "1 Gbps")]);
    let mut config = dibs(100, 1);
    config.switch.route = chosen_route("spray-rr", &[("acks", acks)]);
    config.switch.buffer = chosen_buffer("droptail", &[]);
    config.trace = TraceFilter::Flows(vec![0]);
    let one = plan(vec![flow(0, 15, 300_000, Time::ZERO)]);
    let outcome = run(&network, one, config, Time::from_s(1));
    let paths = |ack: bool| {
        let delivered = |trace: &&PacketTrace| {
            (trace.steps.last()).is_some_and(|step| step.what == TraceEvent::Delivered)
        };
        let of = (outcome.traces.iter()).filter(|trace| trace.ack == ack);
        let of = of.filter(delivered);
        let path = |trace: &PacketTrace| -> Vec<(u32, u16)> {
            let queued = trace.steps.iter().filter_map(|step| step.what.queued());
            queued
                .map(|(switch, joined)| (switch.0, joined.port.0))
                .collect()
        };
        of.map(path)
            .collect::<std::collections::BTreeSet<_>>()
            .len()
    };
    [paths(false), paths(true)]
}

#[test]
fn acknowledgements_take_one_path_where_they_go_by_their_hash_and_all_four_where_they_are_sprayed()
{
    assert_eq!(ways_of("spray"), [4, 4]);
    assert_eq!(ways_of("ecmp"), [4, 1]);
}
