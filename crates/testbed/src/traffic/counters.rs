//! Counters of a host's kernel, over all its connections, and of its interface.

use crate::error::{Error, failed};
use crate::network::blueprint::Blueprint;
use crate::network::blueprint::INTERFACE;
use crate::network::netns;
use crate::network::{agent, marks};
use std::collections::BTreeMap;
use std::fs;

/// Counters of one host: at a moment, or between two.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostCounters {
    /// Frames sent.
    pub sent: u64,
    /// Bytes of the frames sent, without preamble, gap and FCS.
    pub sent_bytes: u64,
    /// Frames received.
    pub received: u64,
    /// Counters of [`KEPT`] that this kernel has, and those of the [agent](crate::network::agent::COUNTED), if
    /// there is one.
    pub tcp: BTreeMap<String, u64>,
}

/// Counters of /proc/net/netstat and /proc/net/snmp that show how losses were detected, and which repairs were
/// needless.
pub const KEPT: [&str; 24] = [
    "RetransSegs",
    "TCPTimeouts",
    "TCPFastRetrans",
    "TCPSlowStartRetrans",
    "TCPLossProbes",
    "TCPLossProbeRecovery",
    "TCPSpuriousRTOs",
    "TCPRenoRecovery",
    "TCPSackRecovery",
    "TCPRenoReorder",
    "TCPSACKReorder",
    "TCPTSReorder",
    "TCPFullUndo",
    "TCPPartialUndo",
    "TCPDSACKUndo",
    "TCPLossUndo",
    "TCPDSACKRecv",
    "TCPDSACKOfoRecv",
    "TCPDSACKOldSent",
    "TCPDSACKOfoSent",
    "TCPLostRetransmit",
    "TCPDeliveredCE",
    "TCPOFOQueue",
    "MPTCPRetrans",
];

impl HostCounters {
    /// Returns the counts since `before`.
    pub fn since(&self, before: &HostCounters) -> HostCounters {
        let less = |(key, n): (&String, &u64)| {
            let had = before.tcp.get(key)?;
            Some((key.clone(), n.saturating_sub(*had)))
        };
        HostCounters {
            sent: self.sent - before.sent,
            sent_bytes: self.sent_bytes - before.sent_bytes,
            received: self.received - before.received,
            tcp: self.tcp.iter().filter_map(less).collect(),
        }
    }
}

/// Reads the counters of every host.
pub fn all(print: &Blueprint) -> Result<Vec<HostCounters>, Error> {
    let one = |h| {
        let mut counters = netns::within(&print.host_space(h), read)?;
        counters.tcp.extend(agent::counted(print, h)?);
        counters.tcp.extend(marks::counted(print, h)?);
        Ok(counters)
    };
    (0..print.hosts).map(one).collect()
}

/// Reads the counters of this thread's namespace; `/proc/net` would give those of the process.
fn read() -> Result<HostCounters, Error> {
    let text = |name: &str| {
        let path = format!("/proc/thread-self/net/{name}");
        fs::read_to_string(&path).map_err(failed(format!("cannot read {path}")))
    };
    let mut counters = HostCounters::default();
    for table in ["netstat", "snmp"] {
        counters.tcp.extend(pairs(&text(table)?));
    }
    let dev = text("dev")?;
    let found = of_interface(&dev).ok_or_else(|| {
        Error::Work(format!(
            "/proc/net/dev: expected a line of {INTERFACE} with 16 numbers, got {dev:?}"
        ))
    })?;
    (counters.received, counters.sent_bytes, counters.sent) = found;
    Ok(counters)
}

/// Parses frames received, bytes sent and frames sent from /proc/net/dev.
fn of_interface(dev: &str) -> Option<(u64, u64, u64)> {
    let line = dev
        .lines()
        .find_map(|l| l.trim().strip_prefix(INTERFACE)?.strip_prefix(':'))?;
    let numbers: Option<Vec<u64>> = line.split_whitespace().map(|n| n.parse().ok()).collect();
    match numbers?[..] {
        [_, received, _, _, _, _, _, _, sent_bytes, sent, ..] => Some((received, sent_bytes, sent)),
        _ => None,
    }
}

/// Parses pairs of lines: names, then numbers.
fn pairs(text: &str) -> BTreeMap<String, u64> {
    let lines: Vec<&str> = text.lines().collect();
    let both = lines.chunks_exact(2).flat_map(|two| {
        let words = |line: &str| {
            line.split_whitespace()
                .map(String::from)
                .collect::<Vec<_>>()
        };
        words(two[0]).into_iter().zip(words(two[1]))
    });
    both.filter(|(name, _)| KEPT.contains(&name.as_str()))
        .filter_map(|(name, n)| Some((name, n.parse().ok()?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_that_is_not_listed_has_not_sent_nothing() {
        let dev = "Inter-|\n face |\n    lo: 1 2 0 0 0 0 0 0 1 2 0 0 0 0 0 0\n";
        assert_eq!(of_interface(dev), None);
        let dev = format!("{dev}  eth0: 10 2 0 0 0 0 0 0 30 4 0 0 0 0 0 0\n");
        assert_eq!(of_interface(&dev), Some((2, 30, 4)));
        assert_eq!(of_interface("eth0: 10 2"), None);
    }

    #[test]
    fn names_and_numbers_stand_in_two_lines() {
        let text = "Tcp: RtoMin RetransSegs\nTcp: 200 7\nTcpExt: A TCPTimeouts\nTcpExt: 1 3\n";
        let found = pairs(text);
        assert_eq!(found.get("RetransSegs"), Some(&7));
        assert_eq!(found.get("TCPTimeouts"), Some(&3));
        assert_eq!(found.len(), 2);
    }
}
