//! Blueprint of a testbed: hosts, switches and cables to build.
//!
//! **Units**        bits per second and nanoseconds of this machine, which are already slower by `scale` than
//!                  those of the emulated network.
//! **Errors**       [`Blueprint::check`] states what cannot be built: what was expected, and what was found.

use serde::{Deserialize, Serialize};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Interface name of a host.
pub const INTERFACE: &str = "eth0";

/// Largest number of hosts that one machine can run. Assumed.
pub const MOST_HOSTS: usize = 64;

/// Largest number of subflows of a connection in the kernel's MPTCP: the first, and MPTCP_PM_ADDR_MAX more.
pub const MOST_SUBFLOWS: u32 = 9;

/// Network to emulate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Blueprint {
    /// Name of the testbed and prefix of its namespaces: small letters, digits and `-`, at most 24.
    pub name: String,
    /// Slow-down relative to the emulated network.
    pub scale: f64,
    /// Number of hosts; host `i` is the namespace `NAME-h<i>`.
    pub hosts: usize,
    /// Switches; switch `i` is the namespace `NAME-s<i>`.
    pub switches: Vec<Switch>,
    /// Cables. Ports of a switch are numbered in the order of its cables in this list.
    pub cables: Vec<Cable>,
    /// Settings of every host.
    pub settings: HostSettings,
    /// Configuration lines of a port to a host that set its shims.
    #[serde(default)]
    pub shims: String,
    /// True if those shims mark by the remaining size of messages: senders announce sizes.
    #[serde(default)]
    pub announces: bool,
    /// Longest IP packet between switches, tags included; 0 stands for Ethernet's 1500.
    #[serde(default)]
    pub fabric_mtu: u32,
    /// Least time between the last handshake and the start of a run, so that switches that count flows by
    /// silence have forgotten the handshakes.
    #[serde(default)]
    pub settle_ns: u64,
    /// Seed of random draws and hash salts; switch `i` uses this plus `i`.
    pub seed: u64,
}

/// Switch of a testbed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Switch {
    /// Name in messages.
    pub name: String,
    /// Next hops toward each host, as ports: one or more.
    pub next_hops: Vec<Vec<u16>>,
    /// Lines of `[switch]` in its configuration.
    pub decision: String,
}

/// Cable with the same rate and delay in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cable {
    /// First end.
    pub a: End,
    /// Second end.
    pub b: End,
    /// Rate of each direction.
    pub rate_bps: u64,
    /// Delay of each direction.
    pub delay_ns: u64,
}

/// End of a cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// The only interface of a host.
    Host(usize),
    /// The next free port of a switch.
    Switch(usize),
}

/// Settings of the kernel of every host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostSettings {
    /// Congestion control.
    pub congestion: Congestion,
    /// True to negotiate ECN (RFC 3168).
    pub ecn: bool,
    /// Initial window, in segments.
    pub initial_window: u32,
    /// Duplicate acknowledgements that start fast retransmit; `None` turns it off.
    pub fast_retransmit: Option<u32>,
    /// True to use selective acknowledgements.
    pub sack: bool,
    /// Shortest retransmission timeout.
    pub rto_min_us: u64,
    /// Longest retransmission timeout.
    pub rto_max_ms: u64,
    /// True to return to the initial window after an idle period.
    pub idle_restart: bool,
    /// True if the kernel may delay acknowledgements; else it acknowledges every segment at once.
    pub delayed_ack: bool,
    /// Largest number of bytes that a receiver lets a sender have in flight.
    pub receive_window: u64,
    /// Largest number of bytes that a sender can hand over at once.
    pub send_buffer: u64,
    /// Payload of a full segment.
    pub mss: u32,
    /// Time to live of a packet.
    pub ttl: u8,
    /// Extent to which the kernel's loss detection and repair are configured.
    #[serde(default)]
    pub kernel: Kernel,
    /// Subflows of every connection, which then is MPTCP.
    #[serde(default)]
    pub subflows: Option<u32>,
    /// Agent that drops duplicate acknowledgements before they reach the kernel's TCP.
    #[serde(default)]
    pub agent: Option<Agent>,
    /// Code points that hosts set on the packets they send.
    #[serde(default)]
    pub marks: Option<Marks>,
}

/// Extent to which the kernel's loss detection and repair are configured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kernel {
    /// Configured by the settings; the rest keeps the kernel's defaults.
    #[default]
    Told,
    /// Configured by the settings, and mechanisms that they do not name are off: adaptive thresholds, tail-loss
    /// probes, F-RTO, and RACK where possible.
    Plain,
    /// Not configured: SACK, D-SACK, RACK, time stamps and thresholds are the kernel's defaults.
    Stock,
}

/// PLTS's agent for drop-tail queues at every host: the parameters of the shim `agent-droptail`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    /// Duplicates of each run that always pass.
    pub pass: u64,
    /// Quantile of earlier runs' lengths that a run must reach to pass: numerator and denominator.
    pub share: (u64, u64),
    /// True if a run must exceed that length to pass.
    pub exceed: bool,
    /// True to count the runs of all connections of a host together.
    pub per_host: bool,
    /// Length that passes before any run was counted.
    pub first: u64,
    /// True to count runs in which a segment was retransmitted.
    pub repaired: bool,
    /// True if duplicates pass during a recovery.
    pub recovery: bool,
    /// Shortest run that counts.
    pub shortest: u64,
    /// Longest length counted; longer runs count as this length.
    pub longest: u64,
}

/// Marks of a packet's class set by its sender: the parameters of the shim `by-size`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    /// True to mark by the bytes a connection has sent, in a program at the interface; else sockets mark by the
    /// size of each flow.
    pub by_sent: bool,
    /// Largest number of bytes of each class but the last, in rising order.
    pub thresholds: Vec<u64>,
    /// Code point of each class.
    pub services: Vec<u8>,
    /// True if acknowledgements have the code point of the data they acknowledge; else that of the first class.
    pub mirrors: bool,
}

impl Marks {
    /// Returns the code points for the sockets of a flow that announces `bytes`: the sender's, and the
    /// receiver's, which acknowledges. A flow without an end announces `None`. Returns `None` if sockets do not
    /// mark.
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

/// Congestion control.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Congestion {
    /// RFC 5681: the kernel's `reno`.
    Reno,
    /// RFC 8257: the kernel's `dctcp`, or ours.
    Dctcp {
        /// Gain g, in 1024ths.
        gain: u32,
        /// Initial alpha, in 1024ths.
        initial_alpha: u32,
    },
}

/// Checks the name of a testbed. Folders and namespaces are created and removed by this name, so it must not
/// match anything else.
pub fn check_name(name: &str) -> Result<(), String> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let starts = name.starts_with(|c: char| c.is_ascii_lowercase());
    match starts && name.chars().all(plain) && name.len() <= 24 {
        true => Ok(()),
        false => Err(format!(
            "name of a testbed: expected a lower-case letter, then at most 23 lower-case letters, \
             digits and -, got {name:?}"
        )),
    }
}

impl Blueprint {
    /// Refuses a network that cannot be built.
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
                "subflows: expected 1 to {MOST_SUBFLOWS}, the limit of the kernel's MPTCP, got \
                 {subflows}"
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

    /// Returns the namespace of host `i`.
    pub fn host_space(&self, i: usize) -> String {
        format!("{}-h{i}", self.name)
    }

    /// Returns the namespace of switch `i`.
    pub fn switch_space(&self, i: usize) -> String {
        format!("{}-s{i}", self.name)
    }

    /// Returns every namespace, in the order of creation.
    pub fn spaces(&self) -> Vec<String> {
        let hosts = (0..self.hosts).map(|i| self.host_space(i));
        let switches = (0..self.switches.len()).map(|i| self.switch_space(i));
        hosts.chain(switches).collect()
    }

    /// Returns the ports of switch `i`: each cable, and its far end.
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

    /// Returns the switch of host `h`, and the port there.
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

    /// Returns for each port of each switch whether it floods: ports to hosts, and those of a spanning tree of
    /// the cables between switches, grown breadth first from switch 0.
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
                    // The other end of the same cable: the nth cable between the two switches.
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

/// Returns host `i`'s IPv4 address, in 10.77.0.0/16.
pub fn address(i: usize) -> Ipv4Addr {
    let n = i as u16 + 1;
    Ipv4Addr::new(10, 77, (n >> 8) as u8, n as u8)
}

/// Returns host `i`'s IPv6 address, in fd77::/64.
pub fn address6(i: usize) -> Ipv6Addr {
    Ipv6Addr::new(0xfd77, 0, 0, 0, 0, 0, 0, i as u16 + 1)
}

/// Returns host `i`'s addresses.
pub fn addresses(i: usize) -> [IpAddr; 2] {
    [address(i).into(), address6(i).into()]
}

/// Returns host `i`'s MAC address.
pub fn mac(i: usize) -> String {
    let n = i as u16 + 1;
    format!("02:77:00:00:{:02x}:{:02x}", n >> 8, n as u8)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::order::Order;

    /// Returns the testbed of DIBS, ten times slower: three edge switches with two hosts each, and two
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
        // Edge switches: two ports to hosts, then the uplinks. Edge 0 is the root and floods both uplinks.
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
