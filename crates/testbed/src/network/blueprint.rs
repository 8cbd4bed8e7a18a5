//! What to build: hosts, switches and cables, in the units of the emulated network.
//!
//! **Units**        bits per second and nanoseconds as the machine has to keep them, that is
//!                  already slower by `scale` than the network that is emulated.
//! **Errors**       [`Blueprint::check`] says what cannot be built, expected, got.

use serde::{Deserialize, Serialize};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The interface of a host.
pub const INTERFACE: &str = "eth0";

/// Hosts that fit: one machine has to run them all. Assumed.
pub const MOST_HOSTS: usize = 64;

/// Subflows that a connection of the kernel's MPTCP has at most: its first, and MPTCP_PM_ADDR_MAX more.
pub const MOST_SUBFLOWS: u32 = 9;

/// A network to emulate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Blueprint {
    /// Namespaces are called after it: small letters, digits and `-`, at most 24.
    pub name: String,
    /// How many times slower than what it emulates.
    pub scale: f64,
    /// How many hosts; host `i` is the namespace `NAME-h<i>`.
    pub hosts: usize,
    /// A name for each switch; switch `i` is the namespace `NAME-s<i>`.
    pub switches: Vec<Switch>,
    /// A switch's ports are numbered in the order in which these name it.
    pub cables: Vec<Cable>,
    /// The same for every host.
    pub settings: HostSettings,
    /// The lines of a port to a host that say the shims of that.
    #[serde(default)]
    pub shims: String,
    /// Those shims mark by what remains of messages: who sends announces sizes.
    #[serde(default)]
    pub announces: bool,
    /// The longest IP packet between switches, tags included; 0 is as Ethernet has it, 1500.
    #[serde(default)]
    pub fabric_mtu: u32,
    /// How long after the last handshake a run begins at the least, so that switches that count flows by silence
    /// have forgotten handshakes.
    #[serde(default)]
    pub settle_ns: u64,
    /// Of draws and hash salts; switch `i` gets this plus `i`.
    pub seed: u64,
}

/// A switch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Switch {
    /// For people.
    pub name: String,
    /// For each host, the ports toward it: the next hops, one or more.
    pub next_hops: Vec<Vec<u16>>,
    /// The lines of `[switch]` of its config.
    pub decision: String,
}

/// A cable with the same rate and delay both ways.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cable {
    /// One end.
    pub a: End,
    /// The other.
    pub b: End,
    /// Of each direction.
    pub rate_bps: u64,
    /// Of each direction.
    pub delay_ns: u64,
}

/// What a cable ends in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// A host's only interface.
    Host(usize),
    /// The next port of a switch.
    Switch(usize),
}

/// What the kernel of every host is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostSettings {
    /// How windows grow and shrink.
    pub congestion: Congestion,
    /// RFC 3168 marks are asked for.
    pub ecn: bool,
    /// Segments sent at first.
    pub initial_window: u32,
    /// Duplicate acknowledgements that start fast retransmit; `None` turns it off.
    pub fast_retransmit: Option<u32>,
    /// Selective acknowledgements.
    pub sack: bool,
    /// No retransmission timeout is shorter.
    pub rto_min_us: u64,
    /// No retransmission timeout is longer.
    pub rto_max_ms: u64,
    /// Back to the initial window after a silence.
    pub idle_restart: bool,
    /// Acknowledge every segment at once, or let the kernel wait.
    pub delayed_ack: bool,
    /// Bytes that a receiver lets a sender have under way.
    pub receive_window: u64,
    /// Bytes that a sender can hand over at once.
    pub send_buffer: u64,
    /// Payload of a full segment.
    pub mss: u32,
    /// Time to live of a packet.
    pub ttl: u8,
    /// How far the kernel is told how losses are found and repaired.
    #[serde(default)]
    pub kernel: Kernel,
    /// Subflows of every connection, which is MPTCP then.
    #[serde(default)]
    pub subflows: Option<u32>,
    /// What drops duplicate acknowledgements before they reach the kernel's TCP.
    #[serde(default)]
    pub agent: Option<Agent>,
    /// The code points that hosts give to what they send by themselves.
    #[serde(default)]
    pub marks: Option<Marks>,
}

/// How far the kernel is told how losses are found and repaired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kernel {
    /// Told what the settings say; what they do not say is as the kernel has it.
    #[default]
    Told,
    /// Also told to switch off what the settings do not say: thresholds that adapt, probes, F-RTO, and RACK where that can be.
    Plain,
    /// Told nothing of it: SACK, D-SACK, RACK, time stamps and thresholds are its own.
    Stock,
}

/// PLTS's agent for drop-tail queues at every host: the parameters of the shim `agent-droptail`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    /// Duplicates of each run that always pass.
    pub pass: u64,
    /// Of the runs before, those that are not longer than what a run is held to: numerator and denominator.
    pub share: (u64, u64),
    /// A run passes on only when it is longer than that.
    pub exceed: bool,
    /// The runs of all connections of a host are counted together.
    pub per_host: bool,
    /// The length that passes before any run was counted.
    pub first: u64,
    /// Runs in which something was sent again count as well.
    pub repaired: bool,
    /// Duplicates pass as long as a recovery lasts.
    pub recovery: bool,
    /// The shortest run that counts.
    pub shortest: u64,
    /// Longer runs count as of this length.
    pub longest: u64,
}

/// Hosts that say the class of what they send: the parameters of the shim `by-size`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    /// By what a connection has sent so far, by a program at the interface; else by the size of each flow, by its sockets.
    pub by_sent: bool,
    /// The most bytes of each class but the last; they rise.
    pub thresholds: Vec<u64>,
    /// The code point of each class.
    pub services: Vec<u8>,
    /// Acknowledgements have the code point of what they answer, else that of the first class.
    pub mirrors: bool,
}

impl Marks {
    /// The code points that the sockets of a flow that says so many bytes have: of its sender, and of its receiver, which
    /// acknowledges. `None` is a flow without an end; nothing where sockets do not mark.
    pub fn of_sockets(&self, bytes: Option<u64>) -> Option<(u8, u8)> {
        let class = (self.thresholds).partition_point(|most| *most < bytes.unwrap_or(u64::MAX));
        let sends = self.services[class];
        let answers = if self.mirrors {
            sends
        } else {
            self.services[0]
        };
        (!self.by_sent).then_some((sends, answers))
    }
}

/// A congestion control.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Congestion {
    /// RFC 5681: the kernel's `reno`.
    Reno,
    /// RFC 8257: the kernel's `dctcp`, or ours.
    Dctcp {
        /// g, in 1024ths.
        gain: u32,
        /// alpha at first, in 1024ths.
        initial_alpha: u32,
    },
}

/// Refuses a name that could be anything but a testbed's: folders and namespaces are made, and
/// removed, after it.
pub fn check_name(name: &str) -> Result<(), String> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let starts = name.starts_with(|c: char| c.is_ascii_lowercase());
    match starts && name.chars().all(plain) && name.len() <= 24 {
        true => Ok(()),
        false => Err(format!(
            "name of a testbed: expected a small letter, then up to 23 small letters, digits and -, got {name:?}"
        )),
    }
}

impl Blueprint {
    /// Says what cannot be built.
    pub fn check(&self) -> Result<(), String> {
        check_name(&self.name)?;
        if !(1..=MOST_HOSTS).contains(&self.hosts) {
            return Err(format!(
                "hosts: expected 1 to {MOST_HOSTS}, which one machine can run, got {}",
                self.hosts
            ));
        }
        for host in 0..self.hosts {
            let cables = self.cables.iter().filter(|c| c.joins(End::Host(host)));
            let n = cables.count();
            if n != 1 {
                return Err(format!("cables of host {host}: expected 1, got {n}"));
            }
        }
        if let Some(subflows) = self.settings.subflows
            && !(1..=MOST_SUBFLOWS).contains(&subflows)
        {
            return Err(format!(
                "subflows: expected 1 to {MOST_SUBFLOWS}, which the kernel's MPTCP has at most, got {subflows}"
            ));
        }
        if self.settings.mss > 1460 {
            return Err(format!(
                "mss: expected at most 1460 B, which fits an Ethernet frame of 1500 B, got {} B",
                self.settings.mss
            ));
        }
        Ok(())
    }

    /// The namespace of host `i`.
    pub fn host_space(&self, i: usize) -> String {
        format!("{}-h{i}", self.name)
    }

    /// The namespace of switch `i`.
    pub fn switch_space(&self, i: usize) -> String {
        format!("{}-s{i}", self.name)
    }

    /// Every namespace, in the order in which they are made.
    pub fn spaces(&self) -> Vec<String> {
        let hosts = (0..self.hosts).map(|i| self.host_space(i));
        let switches = (0..self.switches.len()).map(|i| self.switch_space(i));
        hosts.chain(switches).collect()
    }

    /// The ports of switch `i`: the cable and what it leads to.
    pub fn ports(&self, i: usize) -> Vec<(Cable, End)> {
        let mut ports = Vec::new();
        for cable in &self.cables {
            for (near, far) in [(cable.a, cable.b), (cable.b, cable.a)] {
                if near == End::Switch(i) {
                    ports.push((*cable, far));
                }
            }
        }
        ports
    }

    /// Where host `h` is: its switch, and the port there.
    pub fn edge(&self, h: usize) -> (usize, usize) {
        let at = |i: usize| {
            Some((
                i,
                (self.ports(i).iter()).position(|(_, far)| *far == End::Host(h))?,
            ))
        };
        let mut found = (0..self.switches.len()).filter_map(at);
        found.next().expect("a checked blueprint")
    }

    /// For each port of each switch, whether it gets what is flooded: those to hosts, and a
    /// spanning tree of the cables between switches, grown from switch 0 breadth first.
    pub fn flooded(&self) -> Vec<Vec<bool>> {
        let ports: Vec<_> = (0..self.switches.len()).map(|i| self.ports(i)).collect();
        let mut flood: Vec<Vec<bool>> = ports
            .iter()
            .map(|p| {
                p.iter()
                    .map(|(_, far)| matches!(far, End::Host(_)))
                    .collect()
            })
            .collect();
        let mut seen = vec![false; ports.len()];
        for root in 0..ports.len() {
            if seen[root] {
                continue;
            }
            seen[root] = true;
            let mut queue = std::collections::VecDeque::from([root]);
            while let Some(s) = queue.pop_front() {
                for (port, (_, far)) in ports[s].iter().enumerate() {
                    let End::Switch(next) = *far else { continue };
                    if seen[next] {
                        continue;
                    }
                    seen[next] = true;
                    flood[s][port] = true;
                    // The same cable from its other end: the nth of those between the two.
                    let nth = count(&ports[s][..port], End::Switch(next));
                    let back = nth_to(&ports[next], End::Switch(s), nth);
                    flood[next][back] = true;
                    queue.push_back(next);
                }
            }
        }
        flood
    }
}

fn count(ports: &[(Cable, End)], to: End) -> usize {
    ports.iter().filter(|(_, far)| *far == to).count()
}

fn nth_to(ports: &[(Cable, End)], to: End, nth: usize) -> usize {
    let mut those = (0..ports.len()).filter(|&p| ports[p].1 == to);
    those.nth(nth).expect("a cable has two ends")
}

impl Cable {
    fn joins(&self, end: End) -> bool {
        self.a == end || self.b == end
    }
}

/// Host `i`'s IPv4 address, in 10.77.0.0/16.
pub fn address(i: usize) -> Ipv4Addr {
    let n = i as u16 + 1;
    Ipv4Addr::new(10, 77, (n >> 8) as u8, n as u8)
}

/// Host `i`'s IPv6 address, in fd77::/64.
pub fn address6(i: usize) -> Ipv6Addr {
    Ipv6Addr::new(0xfd77, 0, 0, 0, 0, 0, 0, i as u16 + 1)
}

/// Host `i`'s addresses.
pub fn addresses(i: usize) -> [IpAddr; 2] {
    [address(i).into(), address6(i).into()]
}

/// Host `i`'s MAC address.
pub fn mac(i: usize) -> String {
    let n = i as u16 + 1;
    format!("02:77:00:00:{:02x}:{:02x}", n >> 8, n as u8)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::order::Order;

    /// The testbed of DIBS, ten times slower: three edge switches with two hosts each, two
    /// aggregation switches.
    pub fn paper() -> Blueprint {
        let order = Order {
            scenario: "dibs-testbed".into(),
            scheme: "droptail".into(),
            sets: Vec::new(),
            quick: false,
            rate: "100 Mbps".into(),
            name: "paper".into(),
        };
        order.read(None).unwrap().blueprint
    }

    #[test]
    fn a_host_is_at_a_port_of_its_edge_switch() {
        let print = paper();
        let edges: Vec<(usize, usize)> = (0..6).map(|h| print.edge(h)).collect();
        assert_eq!(edges, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]);
    }

    #[test]
    fn what_is_flooded_reaches_every_switch_once() {
        let flooded = paper().flooded();
        // Edges: two hosts, then up. Edge 0 is the root and goes up both ways.
        assert_eq!(flooded[0], [true, true, true, true]);
        assert_eq!(flooded[1], [true, true, true, false]);
        assert_eq!(flooded[3], [true, true, true]);
        assert_eq!(flooded[4], [true, false, false]);
    }

    #[test]
    fn each_switch_gets_its_own_config() {
        let order = Order {
            scenario: "dibs-testbed".into(),
            scheme: "droptail".into(),
            sets: vec!["switch.at.\"agg 1\".buffer=dibs".into()],
            quick: false,
            rate: "100 Mbps".into(),
            name: "mixed".into(),
        };
        let print = order.read(None).unwrap().blueprint;
        let buffers = (0..print.switches.len()).map(|i| {
            let config = crate::network::switches::config(&print, i, "switch");
            let setup = sidestep_softswitch::setup::Setup::read("s.toml", &config);
            setup
                .unwrap_or_else(|e| panic!("{e:?}"))
                .decision
                .buffer
                .name()
        });
        let expected = ["droptail", "droptail", "droptail", "droptail", "dibs"];
        assert_eq!(buffers.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_cannot_be_built_is_said() {
        let mut print = paper();
        assert_eq!(print.check(), Ok(()));
        print.cables.push(print.cables[0]);
        assert!(
            print
                .check()
                .unwrap_err()
                .contains("host 0: expected 1, got 2")
        );
        print.name = "A/b".into();
        assert!(print.check().unwrap_err().contains("got \"A/b\""));
        print = paper();
        print.hosts = 65;
        assert!(print.check().unwrap_err().contains("expected 1 to 64"));
        print = paper();
        print.settings.subflows = Some(10);
        let why = print.check().unwrap_err();
        assert!(why.contains("subflows: expected 1 to 9"), "{why}");
    }

    #[test]
    fn addresses_go_on_after_the_last_byte() {
        assert_eq!(address(0).to_string(), "10.77.0.1");
        assert_eq!(address(255).to_string(), "10.77.1.0");
        assert_eq!(address6(9).to_string(), "fd77::a");
        assert_eq!(mac(16), "02:77:00:00:00:11");
    }
}
