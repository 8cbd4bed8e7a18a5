//! Transports: TCP with each of its congestion controllers, and those with a separate sender. A transport with
//! a separate sender needs a line here and its own file, nothing else.

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
    /// pFabric.
    pfabric::PfabricSender as Pfabric from PfabricConfig,
    /// MPTCP.
    mptcp::MptcpSender as Mptcp from MptcpConfig,
}

/// Entries of all transports, each with the parameters that only it has, in the order of lists: TCP by its
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

/// Returns the defaults of all parameters of `[transport]` that `entry` has.
fn defaults(entry: &Entry) -> Values {
    let mut values = Values::defaults(PARAMS);
    let own = Values::defaults(entry.params);
    for param in entry.params {
        values.set(param.name, own.get(param.name).clone());
    }
    values
}

/// Builds TCP with the congestion controller called `kind`.
fn tcp(kind: &str, values: &Values) -> Result<TransportConfig, Refusal> {
    Ok(TcpConfig::of(kind, values)?.into())
}

impl Default for TcpConfig {
    /// Returns the transport of a scenario without a `[transport]` table: the one called [`DEFAULT`], with the
    /// defaults of [`PARAMS`].
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
    /// Returns the transport of this name with its default settings.
    pub fn from_name(name: &str) -> Option<TransportConfig> {
        let entry = ENTRIES.iter().find(|entry| entry.name == name)?;
        Some(build(name, &defaults(entry)).expect("the defaults go together"))
    }

    /// Returns the settings, if the transport is TCP.
    pub fn tcp(&self) -> Option<&TcpConfig> {
        match self {
            TransportConfig::Tcp(tcp) => Some(tcp),
            _ => None,
        }
    }

    /// Returns the segments that a flow may send before anything is acknowledged; `None` if the transport has
    /// its own rule.
    pub fn initial_window(&self) -> Option<u64> {
        let subflows = match self {
            TransportConfig::Mptcp(mptcp) => u64::from(mptcp.subflows),
            _ => 1,
        };
        Some(u64::from(self.each_tcp()?.initial_window) * subflows)
    }

    /// Returns true if a message is spread over several subflows.
    pub fn has_subflows(&self) -> bool {
        matches!(self, TransportConfig::Mptcp(mptcp) if mptcp.subflows > 1)
    }

    /// Returns the settings of the TCP, or of each TCP that is a subflow.
    pub fn each_tcp(&self) -> Option<&TcpConfig> {
        match self {
            TransportConfig::Mptcp(mptcp) => Some(&mptcp.tcp),
            other => other.tcp(),
        }
    }
}

impl AnySender {
    /// Returns this fresh sender for the end that did not open the connection: see [`TcpSender::answering`]. A
    /// sender without connections is returned unchanged.
    pub fn answering(self, opened: Opened) -> AnySender {
        match self {
            AnySender::Tcp(tcp) => AnySender::Tcp(tcp.answering(opened)),
            AnySender::Mptcp(all) => AnySender::Mptcp(Box::new(all.answering(opened))),
            other => other,
        }
    }

    /// Sets the end that closes the connection of this sender, which is fresh or between two messages: see
    /// [`TcpSender::closing`].
    pub fn closing(self, closing: Closing) -> AnySender {
        match self {
            AnySender::Tcp(tcp) => AnySender::Tcp(tcp.closing(closing)),
            AnySender::Mptcp(all) => AnySender::Mptcp(Box::new(all.closing(closing))),
            other => other,
        }
    }

    /// Returns the sender of the next `size` bytes of the connection: see [`TcpSender::push`]. Returns `None`
    /// for a sender without connections.
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
    /// Returns the data sequence number, across all subflows, of the segment polled last if it carries data;
    /// `None` for every sender without subflows.
    #[inline(always)]
    pub fn data_seq(&self) -> Option<u64> {
        match self {
            AnySender::Mptcp(all) => all.data_seq(),
            _ => None,
        }
    }

    /// Returns the oldest byte not acknowledged on this subflow; for a sender without subflows, of the flow.
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
                in_proportion: false,
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
