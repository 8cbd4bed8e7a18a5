//! Instants, spans and packets as `why` writes them.

use crate::words::count;
use sidestep_lab::SchemeConfig;
use sidestep_sim::network::{End, Network};
use sidestep_sim::{Becomes, Change, Plan};
use sidestep_switch::Depth;
use sidestep_switch::why::both;
use sidestep_transport::TransportConfig;
use sidestep_types::{BitRate, Bytes, Kind, Packet, PortId, Time};

/// `1,234.567 us`: to a nanosecond.
pub fn instant(at: Time) -> String {
    let ns = at.as_ns();
    format!("{}.{:03} us", count(ns / 1000), ns % 1000)
}

/// What is ahead in a queue: `31 packets (47,058 bytes) are ahead of it`.
pub fn ahead(depth: Depth) -> String {
    match depth.packets {
        0 => "nothing is ahead of it".into(),
        1 => format!("{} is ahead of it", both(depth)),
        _ => format!("{} are ahead of it", both(depth)),
    }
}

/// Sequence numbers as people read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Flows have several subflows, each with bytes of its own: a number's upper bits say which.
    pub subflows: bool,
}

impl Numbers {
    /// Of flows of this transport.
    fn of(transport: &TransportConfig) -> Numbers {
        Numbers {
            subflows: matches!(transport, TransportConfig::Mptcp(mptcp) if mptcp.subflows > 1),
        }
    }

    /// Of each class of `plan` under a scheme.
    pub fn of_classes(config: &SchemeConfig, plan: &Plan) -> Vec<Numbers> {
        let own = config.class_transports(plan);
        let classes = (0..=u8::MAX).zip(&plan.classes);
        classes
            .map(|(class, _)| Numbers::of(own.of(&config.transport, class)))
            .collect()
    }

    /// Which subflow a number is of, where there are several.
    pub fn subflow(self, seq: u64) -> Option<u8> {
        self.subflows.then(|| Packet::subflow_of(seq))
    }

    /// The byte of its subflow, or of its flow.
    pub fn in_subflow(self, seq: u64) -> u64 {
        seq - Packet::first_of(self.subflow(seq).unwrap_or(0))
    }

    /// Where the data of a packet stands in its flow, where there are several subflows: its first byte.
    pub fn in_message(self, packet: &Packet) -> Option<u64> {
        let data = self.subflows && packet.carries_data();
        data.then(|| packet.tag().mapped()).flatten()
    }

    /// `1,460`, or `1,460 of subflow 3`.
    pub fn byte(self, seq: u64) -> String {
        let byte = count(self.in_subflow(seq));
        match self.subflow(seq) {
            None => byte,
            Some(subflow) => format!("{byte} of subflow {subflow}"),
        }
    }
}

/// What a packet without data is to the end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closes {
    /// Nothing follows.
    Fin,
    /// It acknowledges one.
    Answer,
    /// It acknowledges that, which was a FIN as well.
    Last,
}

impl Closes {
    /// Of a packet of a flow of `size` bytes; `None` of all but the three. A FIN has the number behind the last byte.
    /// Of a subflow nobody knows how many bytes it will carry: its FIN alone is told apart.
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

/// What a packet of a flow of `size` bytes carries: `data, bytes 2,920 to 4,379`.
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
            format!("an acknowledgement of all before byte {before}")
        }
        Kind::Syn => "the SYN that opens its connection".into(),
        Kind::SynAck => "the answer to a SYN".into(),
    }
}

/// The word for a packet's kind.
pub fn kind(packet: &Packet) -> &'static str {
    match packet.kind() {
        Kind::Data => "data",
        Kind::Ack => "ack",
        Kind::Syn => "syn",
        Kind::SynAck => "syn-ack",
    }
}

/// The cables at every port, and what becomes of them.
pub struct Cables<'a> {
    network: &'a Network,
    changes: &'a [Change],
    of_host: Vec<usize>,
    of_switch: Vec<Vec<usize>>,
}

impl<'a> Cables<'a> {
    /// Of a network to which `changes` happen.
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

    /// The cable at a port; of a host, at its NIC.
    pub fn at(&self, end: End, port: PortId) -> usize {
        match end {
            End::Host(h) => self.of_host[h.0 as usize],
            End::Switch(s) => self.of_switch[s.0 as usize][port.index()],
        }
    }

    /// What a port leads to.
    pub fn leads_to(&self, end: End, port: PortId) -> String {
        let cable = &self.network.cables[self.at(end, port)];
        let there = if cable.a == end { cable.b } else { cable.a };
        there.name(self.network)
    }

    /// How long the cable's delay is.
    pub fn delay(&self, cable: usize) -> Time {
        self.network.cables[cable].delay
    }

    /// How long a packet of so many bytes of link time takes to be sent at `at`, and the rate.
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

    /// What happens to the cables of these ends until `until`, in order, in words.
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
                    (_, None) => "; next hops never follow".into(),
                    (_, Some(after)) => format!("; next hops follow {after} later"),
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
