//! The transports there are, TCP with each of its congestion controllers and those with a sender
//! of their own: a line here for each of these, which is all that one needs beside its file.

use std::sync::Arc;

use sidestep_types::{Entry, Refusal, Settings, Time, Values};

use crate::congestion::{self, DEFAULT};
use crate::mptcp::{self, MptcpConfig};
use crate::nature::Nature;
use crate::pfabric::{self, PfabricConfig};
use crate::registry::{Transport, transports};
use crate::{
    Ack, AnyReceiver, Closing, Opened, PARAMS, Segment, Sender, SenderCounters, TcpConfig,
    TcpReceiver, TcpSender,
};

transports! {
    /// pFabric's.
    pfabric::PfabricSender as Pfabric from PfabricConfig,
    /// MPTCP's.
    mptcp::MptcpSender as Mptcp from MptcpConfig,
}

/// The kinds of transport, each with what only it has, in the order of lists: TCP by its
/// congestion controllers, then the others.
pub const ENTRIES: &[Entry] = &{
    const TCP: &[Entry] = congestion::ENTRIES;
    let mut all = [TCP[0]; TCP.len() + OTHERS.len()];
    let mut i = 0;
    while i < all.len() {
        all[i] = if i < TCP.len() {
            TCP[i]
        } else {
            OTHERS[i - TCP.len()]
        };
        i += 1;
    }
    all
};

/// The defaults of everything that `[transport]` may say to `entry`.
fn defaults(entry: &Entry) -> Values {
    let mut values = Values::defaults(PARAMS);
    let own = Values::defaults(entry.params);
    for param in entry.params {
        values.set(param.name, own.get(param.name).clone());
    }
    values
}

/// TCP with the congestion controller called `kind`.
fn tcp(kind: &str, values: &Values) -> Result<TransportConfig, Refusal> {
    Ok(TcpConfig::of(kind, values)?.into())
}

impl Default for TcpConfig {
    /// What a scenario that says nothing gets: the transport called [`DEFAULT`] and the defaults
    /// of [`PARAMS`].
    fn default() -> TcpConfig {
        let config = TransportConfig::from_name(DEFAULT).expect("it is listed");
        config.tcp().expect("it is TCP").clone()
    }
}

impl From<TcpConfig> for TransportConfig {
    fn from(tcp: TcpConfig) -> TransportConfig {
        TransportConfig::Tcp(Arc::new(tcp))
    }
}

impl TransportConfig {
    /// The transport of this name with its default settings.
    pub fn from_name(name: &str) -> Option<TransportConfig> {
        let entry = ENTRIES.iter().find(|entry| entry.name == name)?;
        Some(build(name, &defaults(entry)).expect("the defaults go together"))
    }

    /// The settings, when it is TCP.
    pub fn tcp(&self) -> Option<&TcpConfig> {
        match self {
            TransportConfig::Tcp(tcp) => Some(tcp),
            _ => None,
        }
    }

    /// Segments that a flow may send before anything is acknowledged; `None` where its own rule says.
    pub fn initial_window(&self) -> Option<u64> {
        let subflows = match self {
            TransportConfig::Mptcp(mptcp) => u64::from(mptcp.subflows),
            _ => 1,
        };
        Some(u64::from(self.each_tcp()?.initial_window) * subflows)
    }

    /// Does a message go over several subflows?
    pub fn has_subflows(&self) -> bool {
        matches!(self, TransportConfig::Mptcp(mptcp) if mptcp.subflows > 1)
    }

    /// The settings of each TCP in it: it is one, or has several as subflows.
    pub fn each_tcp(&self) -> Option<&TcpConfig> {
        match self {
            TransportConfig::Mptcp(mptcp) => Some(&mptcp.tcp),
            other => other.tcp(),
        }
    }
}

impl AnySender {
    /// This fresh sender at the end that did not open the connection: see [`TcpSender::answering`].
    /// Who knows no connections stays as it is.
    pub fn answering(self, opened: Opened) -> AnySender {
        match self {
            AnySender::Tcp(tcp) => AnySender::Tcp(tcp.answering(opened)),
            AnySender::Mptcp(all) => AnySender::Mptcp(Box::new(all.answering(opened))),
            other => other,
        }
    }

    /// This sender, fresh or between two messages, with who closes its connection: see
    /// [`TcpSender::closing`].
    pub fn closing(self, closing: Closing) -> AnySender {
        match self {
            AnySender::Tcp(tcp) => AnySender::Tcp(tcp.closing(closing)),
            AnySender::Mptcp(all) => AnySender::Mptcp(Box::new(all.closing(closing))),
            other => other,
        }
    }

    /// The sender of the next `size` bytes of the connection: see [`TcpSender::push`]. None, if it
    /// knows no connections.
    pub fn next(self, size: u64) -> Option<AnySender> {
        match self {
            AnySender::Tcp(mut tcp) => {
                tcp.push(size);
                Some(AnySender::Tcp(tcp))
            }
            AnySender::Mptcp(mut all) => {
                all.push(size);
                Some(AnySender::Mptcp(all))
            }
            _ => None,
        }
    }
}

impl AnySender {
    /// Where the segment that was polled last stands in what several subflows carry together, if it
    /// carries any of it; `None` of every sender without subflows.
    #[inline(always)]
    pub fn data_seq(&self) -> Option<u64> {
        match self {
            AnySender::Mptcp(all) => all.data_seq(),
            _ => None,
        }
    }

    /// The oldest byte that it waits for on this subflow; of a sender without subflows, of all.
    pub fn acknowledged_of(&self, subflow: u8) -> u64 {
        match self {
            AnySender::Mptcp(all) => all.acknowledged_of(subflow),
            other => other.acknowledged(),
        }
    }
}

impl Sender for AnySender {
    #[inline]
    fn on_ack(&mut self, now: Time, ack: Ack) {
        of_sender!(self, sender => sender.on_ack(now, ack))
    }
    fn on_timeout(&mut self, now: Time) {
        of_sender!(self, sender => sender.on_timeout(now))
    }
    #[inline]
    fn poll_send(&mut self, now: Time) -> Option<Segment> {
        of_sender!(self, sender => sender.poll_send(now))
    }
    #[inline]
    fn deadline(&self) -> Option<Time> {
        of_sender!(self, sender => sender.deadline())
    }
    fn acknowledged(&self) -> u64 {
        of_sender!(self, sender => sender.acknowledged())
    }
    #[inline]
    fn is_done(&self) -> bool {
        of_sender!(self, sender => sender.is_done())
    }
    fn counters(&self) -> SenderCounters {
        of_sender!(self, sender => sender.counters())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ranking;
    use sidestep_types::Value;

    #[test]
    fn every_transport_is_built_from_its_defaults_and_knows_its_name() {
        for entry in ENTRIES {
            let built = TransportConfig::from_name(entry.name).expect("a listed name is known");
            assert_eq!(built.name(), entry.name);
            assert!(!entry.summary.is_empty() && !entry.source.is_empty());
        }
        assert_eq!(TransportConfig::from_name("dips"), None);
    }

    #[test]
    fn who_reacts_to_marks_and_who_needs_other_switches_says_so() {
        let marks = |name| {
            TransportConfig::from_name(name)
                .expect("listed")
                .nature()
                .marks
        };
        assert_eq!(
            ["newreno", "dctcp", "pfabric"].map(marks),
            [false, true, false]
        );
        let newreno = ENTRIES
            .iter()
            .find(|e| e.name == "newreno")
            .expect("listed");
        let mut values = defaults(newreno);
        values.set("ecn", Value::Flag(true));
        let with_ecn = build("newreno", &values).expect("a good value");
        assert_eq!(
            with_ecn.nature(),
            Nature {
                marks: true,
                delays: false,
                buffer: None,
                ranking: Ranking::Unacknowledged,
            }
        );
        let pfabric = TransportConfig::from_name("pfabric").expect("listed");
        assert_eq!(pfabric.nature().buffer, Some("pfabric"));
    }

    #[test]
    fn no_parameter_of_a_transport_is_called_like_a_common_one() {
        for entry in ENTRIES {
            for param in entry.params {
                let common = PARAMS.iter().any(|common| common.name == param.name);
                assert!(!common, "{} of {}", param.name, entry.name);
            }
        }
    }

    #[test]
    fn every_kind_listens_to_a_segment_size_and_to_no_parameter_that_is_not_there() {
        for kind in ENTRIES {
            assert!(takes(kind.name, "mss"), "{}", kind.name);
        }
        for name in ["mss", "receive_window"] {
            assert!(PARAMS.iter().any(|param| param.name == name), "{name}");
        }
        assert!(takes("newreno", "rto_min") && !takes("pfabric", "rto_min"));
    }

    #[test]
    fn what_is_refused_names_its_parameter() {
        let newreno = &ENTRIES
            .iter()
            .find(|e| e.name == "newreno")
            .expect("listed");
        for (name, text, says) in [
            ("mss", "0 B", "mss must be from 1 B to 9 kB, got 0 B"),
            (
                "receive_window",
                "1 B",
                "receive_window must hold one mss (1460 B), got 1 B",
            ),
            (
                "initial_window",
                "0",
                "initial_window must be from 1 to 1048576, got 0",
            ),
            ("rto_min", "0 s", "rto_min must be above 0, got 0 ps"),
            (
                "rto_max",
                "1 ms",
                "rto_min (10 ms) must not be above rto_max (1 ms)",
            ),
        ] {
            let mut values = defaults(newreno);
            let param = PARAMS
                .iter()
                .find(|param| param.name == name)
                .expect("a parameter");
            values.set(param.name, Value::parse(text, param).expect("a good value"));
            let refusal = build("newreno", &values).expect_err(name);
            assert_eq!(refusal.to_string(), says);
            assert!(refusal.params.contains(&name));
        }
    }
}
