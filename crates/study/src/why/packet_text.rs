//! Texts of instants, spans and packets for `why`.

use crate::format::count;
use sidestep_lab::SchemeConfig;
use sidestep_sim::network::{End, Network};
use sidestep_sim::{Becomes, Change, TrafficPlan};
use sidestep_switch::Depth;
use sidestep_switch::why::both;
use sidestep_transport::TransportConfig;
use sidestep_types::{BitRate, Bytes, Kind, Packet, PortId, Time};

/// Formats an instant to a nanosecond: `1,234.567 us`.
pub fn instant(at: Time) -> String {
    let ns = at.as_ns();
    format!("{}.{:03} us", count(ns / 1000), ns % 1000)
}

/// Formats the depth of a queue: `31 packets (47,058 bytes) are ahead of it`.
pub fn ahead(depth: Depth) -> String {
    match depth.packets {
        0 => "nothing is ahead of it".into(),
        1 => format!("{} is ahead of it", both(depth)),
        _ => format!("{} are ahead of it", both(depth)),
    }
}

/// Interpretation of sequence numbers for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// True if flows have several subflows, each with separate bytes: the upper bits of a number are the
    /// subflow.
    pub subflows: bool,
}

impl Numbers {
    /// Returns the interpretation for flows of this transport.
    fn of(transport: &TransportConfig) -> Numbers {
        Numbers {
            subflows: matches!(transport, TransportConfig::Mptcp(mptcp) if mptcp.subflows > 1),
        }
    }

    /// Returns the interpretation for each class of `plan` under a scheme.
    pub fn of_classes(config: &SchemeConfig, plan: &TrafficPlan) -> Vec<Numbers> {
        let own = config.class_transports(plan);
        let classes = (0..=u8::MAX).zip(&plan.classes);
        classes
            .map(|(class, _)| Numbers::of(own.of(&config.transport, class)))
            .collect()
    }

    /// Returns the subflow of a number, if there are several.
    pub fn subflow(self, seq: u64) -> Option<u8> {
        self.subflows.then(|| Packet::subflow_of(seq))
    }

    /// Returns the byte within its subflow, or within its flow.
    pub fn in_subflow(self, seq: u64) -> u64 {
        seq - Packet::first_of(self.subflow(seq).unwrap_or(0))
    }

    /// Returns the position of a packet's first byte in its flow, if there are several subflows.
    pub fn in_message(self, packet: &Packet) -> Option<u64> {
        let data = self.subflows && packet.carries_data();
        data.then(|| packet.tag().mapped()).flatten()
    }

    /// Formats a byte: `1,460`, or `1,460 of subflow 3`.
    pub fn byte(self, seq: u64) -> String {
        let byte = count(self.in_subflow(seq));
        match self.subflow(seq) {
            None => byte,
            Some(subflow) => format!("{byte} of subflow {subflow}"),
        }
    }
}

/// Role of a packet without data at the end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closes {
    /// FIN: no data follows.
    Fin,
    /// Acknowledgement of a FIN, which may be a FIN itself.
    Answer,
    /// Acknowledgement of that answer, which was a FIN as well.
    Last,
}

impl Closes {
    /// Returns the role of a packet in a flow of `size` bytes; `None` if it is none of the three. A FIN has the
    /// number after the last byte. With subflows the number of bytes of each is unknown, so only the FIN is
    /// recognised.
    pub fn of(packet: &Packet, size: u64, numbers: Numbers) -> Option<Closes> {
        let behind = !numbers.subflows && packet.seq() > size;
        match packet.kind() {
            Kind::Data if packet.len > 0 || numbers.in_subflow(packet.seq()) == 0 => None,
            Kind::Data if behind => Some(Closes::Last),
            Kind::Data => Some(Closes::Fin),
            Kind::Ack if behind => Some(Closes::Answer),
            _ => None,
        }
    }
}

/// Describes the contents of a packet in a flow of `size` bytes: `data, bytes 2,920 to 4,379`.
pub fn carries(packet: &Packet, size: u64, numbers: Numbers) -> String {
    match Closes::of(packet, size, numbers) {
        Some(Closes::Fin) => return "the FIN that closes its connection".into(),
        Some(Closes::Answer) => return "the answer to a FIN".into(),
        Some(Closes::Last) => return "the acknowledgement of the answer to a FIN".into(),
        None => {}
    }
    match packet.kind() {
        Kind::Data if packet.len == 0 => "the last packet of a handshake".into(),
        Kind::Data => {
            let first = numbers.in_subflow(packet.seq());
            let behind = u64::from(packet.len) - 1;
            let last = numbers.byte(packet.seq() + behind);
            let message = numbers.in_message(packet).map(|at| {
                let (first, last) = (count(at), count(at + behind));
                format!(", which are bytes {first} to {last} of its flow")
            });
            let message = message.unwrap_or_default();
            format!("data, bytes {} to {last}{message}", count(first))
        }
        Kind::Ack => {
            let before = numbers.byte(packet.seq());
            format!("an acknowledgement of all bytes before {before}")
        }
        Kind::Syn => "the SYN that opens its connection".into(),
        Kind::SynAck => "the answer to a SYN".into(),
    }
}

/// Returns the word for a packet's kind.
pub fn kind(packet: &Packet) -> &'static str {
    match packet.kind() {
        Kind::Data => "data",
        Kind::Ack => "ack",
        Kind::Syn => "syn",
        Kind::SynAck => "syn-ack",
    }
}

/// Cables at every port, and their changes.
pub struct Cables<'a> {
    network: &'a Network,
    changes: &'a [Change],
    of_host: Vec<usize>,
    of_switch: Vec<Vec<usize>>,
}

impl<'a> Cables<'a> {
    /// Collects the cables of a network with these `changes`.
    pub fn new(network: &'a Network, changes: &'a [Change]) -> Cables<'a> {
        let mut of_host = vec![0; network.hosts as usize];
        let mut of_switch = vec![Vec::new(); network.switches.len()];
        for (i, cable) in network.cables.iter().enumerate() {
            for end in [cable.a, cable.b] {
                match end {
                    End::Host(h) => of_host[h.0 as usize] = i,
                    End::Switch(s) => of_switch[s.0 as usize].push(i),
                }
            }
        }
        Cables {
            network,
            changes,
            of_host,
            of_switch,
        }
    }

    /// Returns the cable at a port of a switch, or at the NIC of a host.
    pub fn at(&self, end: End, port: PortId) -> usize {
        match end {
            End::Host(h) => self.of_host[h.0 as usize],
            End::Switch(s) => self.of_switch[s.0 as usize][port.index()],
        }
    }

    /// Returns the name of the node behind a port.
    pub fn leads_to(&self, end: End, port: PortId) -> String {
        let cable = &self.network.cables[self.at(end, port)];
        let there = if cable.a == end { cable.b } else { cable.a };
        there.name(self.network)
    }

    /// Returns the delay of a cable.
    pub fn delay(&self, cable: usize) -> Time {
        self.network.cables[cable].delay
    }

    /// Returns the transmission time of a packet of `wire` bytes of link time at `at`, and the rate.
    pub fn sending(&self, cable: usize, wire: u16, at: Time) -> (Time, BitRate) {
        let mut rate = self.network.cables[cable].rate;
        for change in self
            .changes
            .iter()
            .filter(|c| c.cable as usize == cable && c.at <= at)
        {
            match change.to {
                Becomes::Rate(new) => rate = new,
                Becomes::Up => rate = self.network.cables[cable].rate,
                Becomes::Down => {}
            }
        }
        (rate.time_to_send(Bytes(u64::from(wire))), rate)
    }

    /// Describes the changes of the cables at these ends until `until`, in order.
    pub fn changes(&self, ends: &[End], until: Time) -> Vec<(Time, String)> {
        let near = |change: &&Change| {
            let cable = &self.network.cables[change.cable as usize];
            change.at <= until && ends.iter().any(|end| [cable.a, cable.b].contains(end))
        };
        let mut told: Vec<(Time, String)> = (self.changes.iter().filter(near))
            .map(|change| {
                let cable = &self.network.cables[change.cable as usize];
                let names = (cable.a.name(self.network), cable.b.name(self.network));
                let became = match change.to {
                    Becomes::Rate(rate) => format!("has {rate} from now on"),
                    Becomes::Down => "goes down".into(),
                    Becomes::Up => "is up again".into(),
                };
                let known = match (change.to, change.reroute) {
                    (Becomes::Rate(_), _) => String::new(),
                    (_, None) => "; routes do not change".into(),
                    (_, Some(after)) => format!("; routes change {after} later"),
                };
                (
                    change.at,
                    format!("The cable from {} to {} {became}{known}.", names.0, names.1),
                )
            })
            .collect();
        told.sort_by_key(|told| told.0);
        told
    }
}
