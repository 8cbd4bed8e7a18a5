//! Random runs: networks, settings and plans drawn at random.

use super::*;
use proptest::prelude::*;
use sidestep_transport::MptcpConfig;
use sidestep_transport::mptcp::Coupling;
use std::num::NonZeroU16;

/// Draws a network with 16 hosts on which shortest paths go up and then down: pauses on it cannot deadlock.
pub fn any_tree() -> impl Strategy<Value = Network> {
    any_kind(0..6)
}

/// Draws a network as [`any_tree`] does, or one with other shortest paths. No switch has fewer than four ports.
pub fn any_network() -> impl Strategy<Value = Network> {
    any_kind(0..8)
}

fn any_kind(kinds: std::ops::Range<u8>) -> impl Strategy<Value = Network> {
    let delays = prop_oneof![Just("0 us"), Just("1 us"), Just("20 us")];
    (kinds, delays).prop_map(|(kind, delay)| network(kind, delay))
}

/// Returns a network of this kind; every cable has the same delay.
pub fn network(kind: u8, delay: &str) -> Network {
    let of = |name: &str, sets: &[(&str, &str)]| {
        let mut sets = sets.to_vec();
        sets.extend(
            ["delay", "host_delay", "fabric_delay", "bottleneck_delay"].map(|d| (d, delay)),
        );
        topology(name, &sets)
    };
    match kind {
        0 => of("fat_tree", &[("k", "4")]),
        1 => of("single_switch", &[("hosts", "16")]),
        2 => of(
            "leaf_spine",
            &[("leaves", "4"), ("spines", "2"), ("hosts_per_leaf", "4")],
        ),
        3 | 4 => {
            let middle = if kind == 3 { "10 Gbps" } else { "100 Mbps" };
            of(
                "dumbbell",
                &[("left", "10"), ("right", "6"), ("bottleneck_rate", middle)],
            )
        }
        5 => of("linear", &[("switches", "4"), ("hosts_per_switch", "4")]),
        // Policies with four choices need four ports.
        6 => of(
            "tree",
            &[("levels", "2"), ("fan_out", "4"), ("rate", "1 Gbps")],
        ),
        _ => of(
            "jellyfish",
            &[
                ("switches", "8"),
                ("degree", "4"),
                ("hosts_per_switch", "2"),
            ],
        ),
    }
}

pub fn any_config() -> impl Strategy<Value = WorldConfig> {
    let routes =
        proptest::sample::select(route::ENTRIES.iter().map(|e| e.name).collect::<Vec<_>>());
    // Every policy, with the scheduler that it needs, or else with any.
    let buffers =
        proptest::sample::select(buffer::ENTRIES.iter().map(|e| e.name).collect::<Vec<_>>());
    let capacities = prop_oneof![
        (1u64..60).prop_map(|n| Capacity::PerPort(Size::Packets(n))),
        (1600u64..60_000).prop_map(|b| Capacity::PerPort(Size::Bytes(Bytes(b)))),
        (20_000u64..200_000, 1u64..4).prop_map(|(m, a)| Capacity::Shared {
            memory: Bytes(m),
            alpha: (a, 2)
        }),
        Just(Capacity::Unlimited),
    ];
    // Half of the switches that may have any scheduler have FIFO.
    let scheds = prop_oneof![
        Just("fifo"),
        proptest::sample::select(sched::ENTRIES.iter().map(|e| e.name).collect::<Vec<_>>()),
    ];
    (
        (routes, buffers, scheds),
        // Choices of a route or of Vertigo.
        (1u8..5, 0u8..5, any::<bool>()),
        capacities,
        any::<[bool; 5]>(),
        any::<u64>(),
        4u8..40,
    )
        .prop_map(
            |(named, (choices, memory, deflect), capacity, yes, seed, ttl)| {
                let [ip, fabric, handshake, idle_restart, delayed] = yes;
                let (route, name, sched) = named;
                let nature = buffer::nature(name);
                let table = (1u32 << choices).to_string();
                let (choices, memory) = (choices.to_string(), memory.to_string());
                let deflect = deflect.to_string();
                fn one_of<'a>(words: &[&'a str], n: u64) -> &'a str {
                    words[n as usize % words.len()]
                }
                let sets = [
                    ("choices", &choices[..]),
                    ("memory", &memory),
                    ("deflect", &deflect),
                    ("mark_detours", &deflect),
                    ("alpha", one_of(&["0.1", "0.6", "1"], seed >> 6)),
                    ("k", one_of(&["0.1", "0.6", "0"], seed >> 6)),
                    ("window", one_of(&["20", &choices], seed >> 7)),
                    ("sample", &choices),
                    ("mean", one_of(&["queue", "moving"], seed >> 8)),
                ];
                let mut config = config(name, 1, seed);
                let ways = [
                    ("choices", &choices[..]),
                    ("memory", &memory),
                    ("by", one_of(&["sent", "queued"], seed)),
                    ("ties", one_of(&["turn", "first", "random"], seed >> 1)),
                    ("limit", one_of(&["1 MB", "1 B", "2 kB"], seed >> 3)),
                    (
                        "per",
                        one_of(&["flow", "destination", "prefix", "switch"], seed),
                    ),
                    ("table", one_of(&["1024", &table], seed >> 2)),
                    ("start", one_of(&["drawn", "first"], seed >> 3)),
                    ("shuffle", one_of(&["off", "1", "3"], seed >> 4)),
                    ("burst", &choices),
                    ("gap", one_of(&["500 us", "1 us"], seed)),
                    ("acks", one_of(&["spray", "ecmp"], seed >> 5)),
                    ("salt", one_of(&["switch", "none"], seed >> 5)),
                ];
                config.switch.route = chosen_route(route, &ways);
                config.switch.buffer = chosen_buffer(name, &sets);
                if nature.detours {
                    config.transport = dibs(1, seed).transport;
                }
                let tcp = config.transport.tcp().expect("it is TCP").clone();
                config.transport = TransportConfig::from(TcpConfig {
                    congestion: match seed % 4 {
                        3 => swift().congestion,
                        _ => tcp.congestion,
                    },
                    handshake,
                    fin: seed % 3 == 0,
                    idle_restart,
                    delayed_ack: delayed.then_some(DelayedAck {
                        segments: 2,
                        timeout: Time::from_us(500),
                    }),
                    ack_rule: match seed % 2 {
                        0 => AckRule::Linux,
                        _ => AckRule::Ns3,
                    },
                    reordering: match seed % 5 {
                        0 => ReorderingConfig {
                            dsack: true,
                            rule: ThresholdRule::Dsack,
                            undo: true,
                            ..tcp.reordering
                        },
                        1 => ReorderingConfig {
                            rule: ThresholdRule::Early,
                            undo: true,
                            ..tcp.reordering
                        },
                        _ => tcp.reordering,
                    },
                    ..tcp
                });
                let sched = match nature.works_beside(sched) {
                    true => sched,
                    false => nature.sched[0],
                };
                config.switch.sched = any_sched(sched, seed);
                config.switch.capacity = capacity;
                config.framing = if ip { Framing::Ip } else { Framing::Ethernet };
                config.ttl = ttl;
                if fabric {
                    config.transport = pfabric().into();
                }
                config
            },
        )
}

/// Returns a scheduler by name; one with classes counts flows in one way or the other, with little room and
/// time.
fn any_sched(name: &str, seed: u64) -> sched::Chosen {
    let sets: &[(&str, &str)] = match (sched::nature(name).classes, seed % 3) {
        (false, _) => &[],
        (true, 0) => &[("count", "exact"), ("places", "2"), ("quantum", "300 B")],
        (true, 1) => &[("count", "exact"), ("silence", "20 us"), ("classes", "1")],
        (true, 2..) => &[("count", "approximate"), ("bits", "3"), ("window", "9 us")],
    };
    chosen_sched(name, sets)
}

/// Draws no shim, or `order` with any wait below its transport's timeouts and any room, going by `by`.
fn any_order(by: &'static str) -> impl Strategy<Value = Vec<shim::Chosen>> {
    let rooms = prop_oneof![
        (1u64..20).prop_map(|n| format!("{n} pkt")),
        (1u64..40_000).prop_map(|n| format!("{n} B")),
        Just("unlimited".to_string()),
    ];
    let flows = prop_oneof![
        (1u64..4).prop_map(|n| n.to_string()),
        Just("unlimited".into())
    ];
    let order =
        (1u64..340, flows, rooms, any::<bool>()).prop_map(move |(us, flows, room, stays)| {
            let timeout = format!("{us} us");
            let sets = [
                ("by", by),
                ("release", if stays { "simulator" } else { "paper" }),
                ("timeout", &timeout[..]),
                ("flows", &flows),
                ("capacity", &room),
            ];
            vec![chosen_shim("order", &sets)]
        });
    prop_oneof![Just(Vec::new()), order]
}

/// Draws any order and any marks, one of them, or neither: with marks, half of the orders go by tags.
pub fn any_shims() -> impl Strategy<Value = Vec<shim::Chosen>> {
    let orders = (any_order("sequence"), any_order("remaining"), any::<bool>());
    (orders, any_mark()).prop_map(|((by_number, by_tags, tags), mark)| {
        let order = match tags && !mark.is_empty() {
            true => by_tags,
            false => by_number,
        };
        [order, mark].concat()
    })
}

/// Makes segments smaller if a shim needs room in an IP packet.
pub fn leave_room(config: &mut WorldConfig) {
    if shim::check_mss(&config.shims, config.transport.mss()).is_ok() {
        return;
    }
    let mss = 1452;
    config.transport = match config.transport.tcp() {
        Some(tcp) => TcpConfig { mss, ..tcp.clone() }.into(),
        None => PfabricConfig { mss, ..pfabric() }.into(),
    };
}

/// Draws an agent with any settings.
pub fn any_agent() -> impl Strategy<Value = Vec<shim::Chosen>> {
    let words = (any::<[bool; 4]>(), 0u8..3);
    let numbers = (0u64..4, 1u64..=10, 0u64..12, 1u64..4, 4u64..20);
    (any::<bool>(), words, numbers).prop_map(|(ecn, (yes, until), numbers)| {
        if ecn {
            let until = ["unmarked", "moved", "recovered"][usize::from(until)];
            return vec![chosen_shim("agent-ecn", &[("until", until)])];
        }
        let word = |n: usize, [no, yes_word]: [&'static str; 2]| if yes[n] { yes_word } else { no };
        let (pass, tenths, first, shortest, longest) = numbers;
        let share = format!("{tenths}/10");
        let counts = [pass, first.min(longest), shortest, longest].map(|n| n.to_string());
        let sets = [
            ("share", &share[..]),
            ("pass", &counts[0]),
            ("first", &counts[1]),
            ("shortest", &counts[2]),
            ("longest", &counts[3]),
            ("until", word(0, ["reached", "exceeded"])),
            ("per", word(1, ["flow", "host"])),
            ("repaired", word(2, ["counted", "left_out"])),
            ("recovery", word(3, ["filter", "pass"])),
        ];
        vec![chosen_shim("agent-droptail", &sets)]
    })
}

/// Draws no marks, or marks with any settings; if they need room, see [`leave_room`].
pub fn any_mark() -> impl Strategy<Value = Vec<shim::Chosen>> {
    let words = (0usize..3, any::<[bool; 3]>(), 0usize..4);
    let numbers = (1u64..1_000, 1u64..300, 4u64..17);
    // Most announce true sizes.
    let announces = prop_oneof![Just((4u64, 4u64)), (1u64..20, 0u64..=4)];
    let mark = (words, numbers, announces).prop_map(|((by, yes, boost), numbers, announces)| {
        let (gap, places, bits) = numbers;
        let gap = format!("{gap} us");
        let (places, bits) = (places.to_string(), bits.to_string());
        let (announce, share) = (format!("{}/4", announces.0), format!("{}/4", announces.1));
        let sets = [
            ("by", ["remaining", "packets", "bytes"][by]),
            ("gap", &gap),
            ("boost", ["1", "2", "4", "8"][boost]),
            ("boosting", if yes[0] { "shift" } else { "rotate" }),
            ("repeats", if yes[1] { "exact" } else { "cuckoo" }),
            ("carry", if yes[2] { "ethertype" } else { "option" }),
            ("filter", &places),
            ("fingerprint", &bits),
            ("announce", &announce),
            ("announce_share", &share),
        ];
        vec![chosen_shim("mark", &sets)]
    });
    prop_oneof![Just(Vec::new()), mark]
}

/// Draws no classes of service, or classes by size with any settings.
pub fn any_classes() -> impl Strategy<Value = Vec<shim::Chosen>> {
    let steps = proptest::collection::vec(1u64..20_000, 1..8);
    let classes = (any::<[bool; 3]>(), steps).prop_map(|([sent, first, low], steps)| {
        let mut most = 0;
        let rise = steps.iter().map(|step| {
            most += step;
            format!("{most} B")
        });
        let thresholds = rise.collect::<Vec<_>>().join(", ");
        let dscp: Vec<String> = (0..=steps.len())
            .map(|n| (63 - 8 * n).to_string())
            .collect();
        let dscp = dscp.join(", ");
        let sets = [
            ("by", if sent { "sent" } else { "size" }),
            ("acks", if first { "first" } else { "flow" }),
            ("thresholds", &thresholds[..]),
            ("dscp", if low { "number" } else { &dscp }),
        ];
        vec![chosen_shim("by-size", &sets)]
    });
    prop_oneof![Just(Vec::new()), classes]
}

/// Draws an unlimited FIFO, or any queue that a NIC can have.
pub fn any_nic() -> impl Strategy<Value = Option<NicConfig>> {
    let alone = buffer::ENTRIES
        .iter()
        .filter(|e| !buffer::nature(e.name).detours);
    let buffers = proptest::sample::select(alone.map(|e| e.name).collect::<Vec<_>>());
    let scheds =
        proptest::sample::select(sched::ENTRIES.iter().map(|e| e.name).collect::<Vec<_>>());
    let capacities = prop_oneof![
        (1u64..30).prop_map(|n| Capacity::PerPort(Size::Packets(n))),
        (1600u64..30_000).prop_map(|b| Capacity::PerPort(Size::Bytes(Bytes(b)))),
        Just(Capacity::Unlimited),
    ];
    let nic =
        (buffers, scheds, capacities, 1u64..20).prop_map(|(name, sched, capacity, mark_at)| {
            let nature = buffer::nature(name);
            let sched = match nature.works_beside(sched) {
                true => sched,
                false => nature.sched[0],
            };
            let mark_at = format!("{mark_at} pkt");
            NicConfig {
                buffer: chosen_buffer(name, &[("mark_at", &mark_at)]),
                sched: any_sched(sched, u64::from(mark_at.len() as u32)),
                capacity,
            }
        });
    proptest::option::of(nic)
}

/// Draws [`any_config`], perhaps with pauses, or with a fabric between inputs and outputs; perhaps with shims,
/// and with any queue at NICs.
pub fn any_switches() -> impl Strategy<Value = WorldConfig> {
    let pfc = (1u64..40_000, proptest::option::of(1_538u64..10_000));
    let pfc = pfc.prop_map(|(xoff, headroom)| PfcConfig {
        xoff: Bytes(xoff),
        xon: None,
        headroom: headroom.map(Bytes),
    });
    let sizes = prop_oneof![
        (1u64..20).prop_map(Size::Packets),
        (1600u64..20_000).prop_map(|b| Size::Bytes(Bytes(b))),
    ];
    let cioq = ((1u64..5, 1u64..3), proptest::option::of(sizes));
    let cioq = cioq.prop_map(|((times, over), input_capacity)| CioqConfig {
        speedup: (times * over, over),
        input_capacity,
    });
    let shims = (any_shims(), any_agent(), any::<bool>(), any_classes());
    let all = (any_config(), shims, any_nic(), 0..3, pfc, cioq);
    all.prop_map(|(mut config, shims, nic, kind, pfc, cioq)| {
        let (shims, agent, takes, classes) = shims;
        config.shims = shims;
        config.shims.extend(classes);
        leave_room(&mut config);
        // Agents go above all other shims, if the sender uses only duplicate acknowledgements.
        if let (true, Some(tcp)) = (takes, config.transport.tcp()) {
            let recovery = Recovery::NewReno;
            let with = TransportConfig::from(TcpConfig {
                recovery,
                ..tcp.clone()
            });
            if shim::check(&agent, &with).is_ok() {
                config.transport = with;
                config.shims.splice(0..0, agent);
            }
        }
        config.nic = nic;
        config.switch.pfc = (kind == 1 && !config.switch.buffer.nature().detours).then_some(pfc);
        config.switch.cioq = (kind == 2).then_some(cioq);
        config
    })
}

pub fn any_plan(hosts: u32) -> impl Strategy<Value = Arc<TrafficPlan>> {
    // Nearly half of the entries are requests with their answers, up to three of them over one connection.
    let one = (0..hosts, 1..hosts, 1u64..60_000, 0u64..3_000, 0u64..7);
    // Any buffer and threshold above holds that many bytes, and any shim fits beside them.
    let mss = proptest::option::of(100u16..=1452);
    proptest::collection::vec((one, mss), 1..40).prop_map(move |list| {
        let mut made = TrafficPlan::clone(&plan(vec![]));
        for ((src, step, size, us, rounds), mss) in list {
            let (dst, at) = ((src + step) % hosts, |n| Time::from_us(us + n * us / 3));
            let before = made.flows.len();
            match rounds.saturating_sub(3) {
                0 => made.flows.push(flow(src, dst, size, at(0))),
                rounds => {
                    let asked: Vec<_> = (0..rounds).map(|n| (at(n), size / 9 + 1, size)).collect();
                    asks(&mut made, src, dst, &asked, Time::from_us(us % 7));
                }
            }
            for flow in &mut made.flows[before..] {
                flow.mss = mss.and_then(NonZeroU16::new);
            }
        }
        made.into()
    })
}

/// Number of subflows, whether they are coupled, and whether one retransmits what another lost.
pub type Subflows = (u8, bool, bool);

/// Draws one path a flow, or several subflows.
pub fn any_subflows() -> impl Strategy<Value = Option<Subflows>> {
    proptest::option::of((1u8..=16, any::<bool>(), any::<bool>()))
}

/// Splits the flows of `config` into `subflows`, if its transport can: subflows do not work with delays, and a
/// message over several is not ordered by its tags.
pub fn over(subflows: Option<Subflows>, config: &mut WorldConfig) {
    let tcp = config.transport.tcp();
    let tcp = tcp.filter(|_| !config.transport.nature().delays).cloned();
    let (Some((subflows, lia, reinject)), Some(tcp)) = (subflows, tcp) else {
        return;
    };
    config.shims.retain(|shim| shim::reads_tags(shim).is_none());
    config.transport = MptcpConfig {
        subflows,
        coupling: if lia {
            Coupling::Lia
        } else {
            Coupling::Uncoupled
        },
        reinject,
        ..MptcpConfig::from(tcp)
    }
    .into();
}
