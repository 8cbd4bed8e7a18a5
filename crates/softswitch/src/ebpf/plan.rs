//! Translation of a config for the program; or the settings that the program cannot do, and why.
//!
//! **Decision**     policies whose memory of past packets is a table, before FIFO ports.
//! **State**        none.
//! **Units**        capacity and marks in packets or bytes of buffer, as written.
//! **Errors**       every key that needs more, with the reason, all of them at once.

use crate::setup::{DEFAULT_MTU, Forwarding, Mac, Setup, Storms};
use sidestep_switch::{Capacity, Streams, buffer, route};
use sidestep_types::{PortId, Seed, Size, Time, Values};
use std::fmt::Display;
use std::net::{IpAddr, Ipv4Addr};

/// Most ports: the bits of a mask.
const MOST_PORTS: usize = 64;
/// Ports of the vectors' rows, and thus the least of the program.
const LEAST_PORTS: usize = 8;
/// Bits of the longest ring: its search is a step for each bit, in a program of bounded length.
const MOST_BITS: u32 = 15;
/// Bytes of buffer of the smallest frame.
const LEAST_BUFFER: u64 = 64;
/// Most bytes of a memory, and most of either part of alpha, so that no product is above 62 bits.
const MOST_PARTS: u64 = 1 << 31;
/// Level that no queue reaches.
const NEVER: u64 = 1 << 62;

/// The sizes and kind of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    /// Ports at most, a power of two from 8 to 64.
    pub ports: usize,
    /// A queue has room for 2 to that packets.
    pub ring_bits: u32,
    /// Places at which a route remembers whose turn it is, a power of two.
    pub places: usize,
    /// Policies and capacity that the program is built for; `None` for the program that answers rows of the
    /// vectors, of any policy.
    pub way: Option<Way>,
    /// Time is what the map says: for tests.
    pub still: bool,
}

/// Parts of a rule that choose the program's code, by the numbers of `struct rule`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way {
    pub route: u8,
    pub buffer: u8,
    pub queued: bool,
    pub shared: bool,
}

/// `struct rule`: the policies and their parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    pub salt: u64,
    /// Salt that ecmp mixes in: the switch's, or 0.
    pub hash_salt: u64,
    pub packets: u64,
    pub bytes: u64,
    pub mark_packets: u64,
    pub mark_bytes: u64,
    pub to_switch: u64,
    pub ports: u32,
    pub way: Way,
    pub back: bool,
    pub mark_detours: bool,
    /// Most detours of a packet; 0 means no limit.
    pub max_detours: u8,
    pub acks_by_hash: bool,
    /// Index into [`PER`] for `spray-rr`; the next field is an index into [`TIES`] for `spray-counter`.
    pub per: u8,
    pub ties: u8,
    /// Memory of all queues together, and the share of the free part that one queue may have.
    pub memory: u64,
    pub alpha: (u64, u64),
    pub limit: u32,
    /// Number of places, minus one.
    pub table: u32,
    pub burst: u32,
    pub rounds: u32,
    /// True if a new place of `spray-rr` begins where ECMP would.
    pub drawn: bool,
}

const ROUTES: [&str; 5] = [
    "single",
    "ecmp",
    "spray-random",
    "spray-rr",
    "spray-counter",
];
const PER: [&str; 4] = ["flow", "destination", "prefix", "switch"];
const TIES: [&str; 3] = ["turn", "first", "random"];
const BUFFERS: [&str; 4] = ["droptail", "ecn", "dibs", "dibs-first-open"];

impl Rule {
    /// Returns the rule of these policies on a switch with so many ports and this salt. An error names a policy
    /// that the program does not have.
    pub fn of(
        route: Option<&route::Chosen>,
        buffer: Option<&buffer::Chosen>,
        (ports, to_switch): (u32, u64),
        capacity: Capacity,
        salt: u64,
    ) -> Result<Rule, String> {
        let (none, known) = (Values::default(), "it is listed");
        let single = route::choose("single", &none).expect(known);
        let droptail = buffer::choose("droptail", &none).expect(known);
        let (route, buffer) = (route.unwrap_or(&single), buffer.unwrap_or(&droptail));
        let number = |known: &[&str], seam: &str, got: &str| {
            let found = known.iter().position(|name| *name == got);
            found.map(|at| at as u8).ok_or_else(|| {
                format!(
                    "switch.{seam}: expected {}, got {got:?}, which the program does not have",
                    known.join(", ")
                )
            })
        };
        let (packets, bytes) = match capacity {
            Capacity::PerPort(size) => levels(Some(size)),
            // Only the ring limits a queue.
            _ => ((1 << MOST_BITS) - 1, NEVER),
        };
        let (memory, alpha, shared) = match capacity {
            Capacity::Shared { memory, alpha } => (memory.0, alpha, true),
            _ => (NEVER, (1, 0), false),
        };
        let of = |name: &str| (route.name() == name).then_some(route.values());
        let (turns, counter) = (of("spray-rr"), of("spray-counter"));
        let word = |values: Option<&Values>, name: &str, known: &[&str]| {
            let place = values.and_then(|v| known.iter().position(|is| *is == v.word(name)));
            place.unwrap_or(0) as u8
        };
        let count = |name: &str| turns.map_or(1, |v| v.count(name)) as u32;
        let mark_at = match buffer.name() {
            "ecn" => Some(buffer.values().size("mark_at")),
            "dibs" | "dibs-first-open" => buffer.values().size_or_off("mark_at"),
            _ => None,
        };
        let (mark_packets, mark_bytes) = levels(mark_at);
        let detours = buffer.name().starts_with("dibs");
        let most = detours
            .then(|| buffer.values().count_or_off("max_detours"))
            .flatten();
        let own_salt = route.name() != "ecmp" || route.values().word("salt") == "switch";
        Ok(Rule {
            salt,
            hash_salt: if own_salt { salt } else { 0 },
            packets,
            bytes,
            mark_packets,
            mark_bytes,
            to_switch,
            ports,
            way: Way {
                route: number(&ROUTES, "route", route.name())?,
                buffer: number(&BUFFERS, "buffer", buffer.name())?,
                queued: counter.is_some_and(|v| v.word("by") == "queued"),
                shared,
            },
            back: !detours || buffer.values().flag("ingress"),
            mark_detours: detours && buffer.values().flag("mark_detours"),
            // The policy itself has checked this value: from 1 to 255.
            max_detours: most.map_or(0, |most| most.min(255) as u8),
            acks_by_hash: route.name().starts_with("spray")
                && route.values().word("acks") == "ecmp",
            per: word(turns, "per", &PER),
            ties: word(counter, "ties", &TIES),
            memory,
            alpha,
            limit: counter.map_or(0, |v| v.bytes("limit").0) as u32,
            table: count("table") - 1,
            burst: count("burst"),
            rounds: turns.and_then(|v| v.count_or_off("shuffle")).unwrap_or(0) as u32,
            drawn: turns.is_some_and(|v| v.word("start") == "drawn"),
        })
    }

    /// Returns the places of the table that this rule needs, on a switch whose lists of ports and stations have
    /// numbers below `numbers`.
    pub(super) fn places(&self, numbers: usize) -> usize {
        let turns = self.way.route == number_of("spray-rr");
        let counts = self.way.route == number_of("spray-counter");
        match self.per {
            // Per flow and per destination.
            0 | 1 if turns => self.table as usize + 1,
            _ if turns || counts => numbers.next_power_of_two(),
            _ => 1,
        }
    }
}

/// Returns the number of a route that the program has.
fn number_of(route: &str) -> u8 {
    let place = ROUTES.iter().position(|name| *name == route);
    place.expect("a route of the program") as u8
}

/// Returns a level in packets and in bytes, one of which is out of reach.
fn levels(size: Option<Size>) -> (u64, u64) {
    match size {
        None => (NEVER, NEVER),
        Some(Size::Packets(n)) => (n.min(NEVER), NEVER),
        Some(Size::Bytes(b)) => (NEVER, b.0.min(NEVER)),
    }
}

/// Switch in the form that the program receives.
#[derive(Clone, Debug)]
pub struct ProgramConfig {
    pub(super) sizes: Sizes,
    pub(super) rule: Rule,
    pub(super) streams: Streams,
    /// Ports that lead to switches.
    pub(super) switches: u64,
    /// Ports that flooded frames leave by.
    pub(super) flood: u64,
    /// Rate of each port, bits per second.
    pub(super) rates: Vec<u64>,
    pub(super) stations: Vec<(Mac, Vec<PortId>)>,
    pub(super) answers: Vec<(Ipv4Addr, Mac)>,
}

impl ProgramConfig {
    /// Translates `setup`. An error lists all settings that the program cannot do, a line each.
    pub fn of(setup: &Setup) -> Result<ProgramConfig, String> {
        let name = setup.name.as_str();
        let seed = Seed(setup.seed);
        let streams = Streams::of(|what| seed.stream((what, name)));
        ProgramConfig::drawing(setup, seed.salt(("ecmp", name)), streams)
    }

    /// Translates `setup` as [`ProgramConfig::of`] does, with this salt and these draws.
    pub(super) fn drawing(
        setup: &Setup,
        salt: u64,
        streams: Streams,
    ) -> Result<ProgramConfig, String> {
        let decision = &setup.decision;
        let mut cannot = Unsupported(Vec::new());
        cannot.decision(setup);
        let ring_bits = cannot.ring(decision.capacity);
        cannot.process(setup);
        cannot.tables(setup);
        cannot.ports(setup);
        let mask = |of: &dyn Fn(usize) -> bool| {
            let set = (0..setup.ports.len().min(MOST_PORTS)).filter(|port| of(*port));
            set.fold(0u64, |mask, port| mask | 1 << port)
        };
        let switches = mask(&|port| setup.ports[port].to_switch);
        let rule = Rule::of(
            Some(&decision.route),
            Some(&decision.buffer),
            (setup.ports.len() as u32, switches),
            decision.capacity,
            salt,
        );
        let rule = match rule {
            Ok(rule) if cannot.0.is_empty() => rule,
            Ok(_) => return Err(cannot.0.join("\n")),
            Err(why) => {
                cannot.0.insert(0, why);
                return Err(cannot.0.join("\n"));
            }
        };
        let answers = setup.stations.iter().flat_map(|station| {
            let v4 = station
                .addresses
                .iter()
                .filter_map(|address| match address {
                    IpAddr::V4(v4) => Some(*v4),
                    IpAddr::V6(_) => None,
                });
            v4.map(|address| (address, station.mac))
        });
        Ok(ProgramConfig {
            sizes: Sizes {
                ports: setup.ports.len().max(LEAST_PORTS).next_power_of_two(),
                ring_bits,
                places: rule.places(setup.ports.len() + setup.stations.len()),
                way: Some(rule.way),
                still: false,
            },
            rule,
            streams,
            switches,
            flood: mask(&|port| setup.ports[port].flood),
            rates: setup.ports.iter().map(|port| port.rate.as_bps()).collect(),
            stations: (setup.stations.iter())
                .map(|station| (station.mac, station.ports.clone()))
                .collect(),
            answers: answers.collect(),
        })
    }

    /// Returns a generous upper bound of the bytes queued at a port, for which its token bucket must have room.
    pub(super) fn most_bytes(&self) -> u64 {
        const LONGEST_BUFFER: u64 = 1518;
        let packets = self.rule.packets.saturating_mul(LONGEST_BUFFER);
        2 * packets.min(self.rule.bytes) + 64 * LONGEST_BUFFER
    }
}

/// Settings that the program cannot do.
struct Unsupported(Vec<String>);

impl Unsupported {
    fn say(&mut self, key: &str, expected: impl Display, got: impl Display) {
        let line = format!("{key}: expected {expected}; got {got}");
        self.0.push(line);
    }

    fn unless(&mut self, can: bool, key: &str, expected: impl Display, got: impl Display) {
        if !can {
            self.say(key, expected, got);
        }
    }

    /// Collects settings of the decision that the program has no room or no order for.
    fn decision(&mut self, setup: &Setup) {
        let (decision, ports) = (&setup.decision, setup.ports.len());
        self.unless(
            ports <= MOST_PORTS,
            "port",
            format!("at most {MOST_PORTS}, the bits of a mask"),
            ports,
        );
        self.unless(
            decision.sched.name() == "fifo",
            "switch.sched",
            "\"fifo\": the program must know each departure when a packet arrives, and the \
             kernel's token bucket keeps that order",
            format!("{:?}", decision.sched.name()),
        );
        if let Capacity::Shared { memory, alpha } = decision.capacity {
            let most = memory.0.max(alpha.0).max(alpha.1);
            self.unless(
                most <= MOST_PARTS,
                "switch.memory, switch.alpha",
                format!(
                    "a memory and both parts of alpha of at most {MOST_PARTS} each, so that \
                     products fit into 62 bits"
                ),
                format!("{memory} and {}/{}", alpha.0, alpha.1),
            );
        }
        let (route, values) = (decision.route.name(), decision.route.values());
        let looks = [
            decision.buffer.name().starts_with("dibs"),
            decision.capacity.is_shared(),
            route == "spray-counter" && values.word("by") == "queued",
        ];
        let looks = looks.into_iter().filter(|look| *look).count();
        if looks > 1 {
            // Each look doubles the states that the verifier has to follow.
            let most = MOST_PORTS >> (looks - 1);
            self.unless(
                ports <= most,
                "port",
                format!(
                    "at most {most} with {looks} of dibs, shared memory and by = \"queued\", which \
                     read every queue: the kernel's verifier gives up with more"
                ),
                ports,
            );
        }
    }

    /// Returns the bits of a ring that holds the longest queue.
    fn ring(&mut self, capacity: Capacity) -> u32 {
        const LONGEST: u64 = (1 << MOST_BITS) - 1;
        let longest = match capacity {
            Capacity::PerPort(Size::Packets(n)) => n,
            Capacity::PerPort(Size::Bytes(b)) => b.0 / LEAST_BUFFER,
            Capacity::Unlimited => LONGEST,
            Capacity::Shared { memory, .. } => (memory.0 / LEAST_BUFFER).min(LONGEST),
        };
        // One slot stays free: it separates queued packets from those that have left.
        let bits = (64 - longest.leading_zeros()).max(4);
        self.unless(
            bits <= MOST_BITS,
            "switch.capacity",
            format!("room for less than {} packets", 1 << MOST_BITS),
            format!("{longest} packets"),
        );
        bits
    }

    fn process(&mut self, setup: &Setup) {
        let process = &setup.process;
        self.unless(
            process.capture.is_none(),
            "process.capture",
            "\"none\": frames do not pass this process (use tcpdump on the interfaces)",
            "a file",
        );
        self.unless(
            !process.busy,
            "process.wait",
            "\"sleep\": this process moves no frames",
            "\"busy\"",
        );
    }

    fn tables(&mut self, setup: &Setup) {
        self.unless(
            setup.forwarding == Forwarding::Static,
            "switch.forwarding",
            "\"static\": the program learns no addresses",
            "\"learning\"",
        );
        self.unless(
            setup.tags.is_none(),
            "switch.tags",
            "\"none\": the program reads and writes no tags",
            "tags",
        );
        self.unless(
            setup.router.is_none() && setup.networks.is_empty(),
            "router",
            "none: the program forwards by MACs alone",
            "a router",
        );
        self.unless(
            setup.mtu == DEFAULT_MTU,
            "switch.mtu",
            format!("{DEFAULT_MTU}: the program reads frames of 1514 bytes at most"),
            setup.mtu,
        );
        self.unless(
            setup.probe.is_none(),
            "switch.loop_probe",
            "\"off\": the program sends no probes",
            "probes",
        );
        let six = |address: &&IpAddr| address.is_ipv6();
        let all = setup.stations.iter();
        if let Some(address) = all.flat_map(|s| &s.addresses).find(six) {
            self.say(
                "station.addresses",
                "only IPv4 addresses: the program answers ARP, but floods neighbour solicitations \
                 to the hosts",
                address,
            );
        }
    }

    fn ports(&mut self, setup: &Setup) {
        for port in &setup.ports {
            let name = &port.name;
            self.unless(
                !port.xdp,
                &format!("port {name}: io"),
                "\"packet\": the program uses no sockets",
                "\"xdp\"",
            );
            self.unless(
                port.shims.is_empty(),
                &format!("port {name}: shims"),
                "none: they hold packets back, and a BPF program cannot",
                format!("{} of them", port.shims.len()),
            );
            self.unless(
                port.delay == Time::ZERO,
                &format!("port {name}: delay"),
                "0 s: the kernel's token bucket adds no delay (use tc netem at the other end of \
                 the link)",
                port.delay,
            );
            self.unless(
                port.bridge.storms == Storms::default(),
                &format!("port {name}: storms"),
                "\"off\": the program floods without a limit (tc police at the interface has one)",
                "a limit",
            );
            self.unless(
                port.vlan.is_none(),
                &format!("port {name}: vlan"),
                "none: the program refuses frames with a VLAN's tag",
                "VLANs",
            );
        }
    }
}
