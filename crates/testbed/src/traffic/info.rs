//! Kernel's state of one connection: `TCP_INFO`, by the offsets of linux/tcp.h.
//!
//! **Deviations**   the struct only grows at its end; a field that an older kernel does not fill is `None`.

use super::socket;
use crate::error::{Error, failed};
use std::net::TcpStream;

/// Fields of `struct tcp_info` in use here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpInfo {
    /// State of loss recovery and congestion response.
    pub state: CaState,
    /// Current retransmission timeout.
    pub rto_us: u32,
    /// Smoothed round trip.
    pub rtt_us: u32,
    /// Smoothed deviation of round trips.
    pub rtt_var_us: u32,
    /// Shortest round trip; `None` before the first measurement.
    pub rtt_min_us: Option<u32>,
    /// Payload of a full segment sent.
    pub snd_mss: u32,
    /// Congestion window, in segments.
    pub snd_cwnd: u32,
    /// Slow start threshold, in segments; `None` before the first reduction.
    pub ssthresh: Option<u32>,
    /// Segments sent and not acknowledged.
    pub unacked: u32,
    /// Duplicate acknowledgements that count as a loss.
    pub reordering: u32,
    /// Number of reordering events seen; Linux 4.19 and later.
    pub reordering_seen: Option<u32>,
    /// Segments reported by D-SACK as received twice; Linux 4.19 and later.
    pub dsacks: Option<u32>,
    /// Segments retransmitted.
    pub retransmits: u32,
    /// Data segments sent.
    pub data_segments_out: Option<u32>,
    /// Data segments received.
    pub data_segments_in: Option<u32>,
    /// Segments delivered.
    pub delivered: Option<u32>,
    /// Segments delivered with a mark.
    pub delivered_marked: Option<u32>,
    /// Segments received out of order.
    pub out_of_order: Option<u32>,
    /// Timeouts; Linux 6.7 and later.
    pub total_rto: Option<u32>,
    /// True if ECN was negotiated.
    pub ecn: bool,
}

/// Sender's state of loss recovery and congestion response: `enum tcp_ca_state`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CaState {
    /// No recovery or reduction.
    #[default]
    Open,
    /// Duplicate acknowledgements arrive, too few for a loss.
    Disorder,
    /// Reducing the window after a mark.
    Cwr,
    /// Repairing losses detected by acknowledgements.
    Recovery,
    /// Repairing losses after a timeout.
    Loss,
}

impl CaState {
    /// Returns the name of the state in tables.
    pub fn word(self) -> &'static str {
        match self {
            CaState::Open => "open",
            CaState::Disorder => "disorder",
            CaState::Cwr => "cwr",
            CaState::Recovery => "recovery",
            CaState::Loss => "loss",
        }
    }

    fn read(byte: u8) -> CaState {
        match byte {
            1 => CaState::Disorder,
            2 => CaState::Cwr,
            3 => CaState::Recovery,
            4 => CaState::Loss,
            _ => CaState::Open,
        }
    }
}

/// TCP_INFINITE_SSTHRESH: the window was never reduced.
const NO_THRESHOLD: u32 = 0x7fff_ffff;

/// Shortest round trip before the first measurement.
const NO_ROUND_TRIP: u32 = u32::MAX;

/// Size of the buffer, with room for fields of later kernels.
const MOST: usize = 512;

/// TCPI_OPT_ECN.
const OPTION_ECN: u8 = 8;

/// Queries the kernel.
pub fn of(stream: &TcpStream) -> Result<TcpInfo, Error> {
    let mut bytes = [0u8; MOST];
    let len = socket::get(stream, libc::IPPROTO_TCP, libc::TCP_INFO, &mut bytes)
        .map_err(failed("cannot read TCP_INFO"))?;
    Ok(read(&bytes[..len]))
}

/// Parses the fields of a `struct tcp_info` in use here.
pub(super) fn read(bytes: &[u8]) -> TcpInfo {
    let later = |at: usize| {
        let four = bytes.get(at..at + 4).and_then(|b| b.try_into().ok());
        four.map(u32::from_ne_bytes)
    };
    // Filled by every kernel that supports the testbed's namespaces.
    let u32_at = |at: usize| later(at).expect("the first 104 bytes of tcp_info");
    let total_rto = bytes.get(240..242).and_then(|b| b.try_into().ok());
    TcpInfo {
        state: CaState::read(bytes[1]),
        rto_us: u32_at(8),
        rtt_us: u32_at(68),
        rtt_var_us: u32_at(72),
        rtt_min_us: later(148).filter(|us| *us != NO_ROUND_TRIP),
        snd_mss: u32_at(16),
        snd_cwnd: u32_at(80),
        ssthresh: Some(u32_at(76)).filter(|segments| *segments < NO_THRESHOLD),
        unacked: u32_at(24),
        reordering: u32_at(88),
        reordering_seen: later(220),
        dsacks: later(216),
        retransmits: u32_at(100),
        data_segments_in: later(152),
        data_segments_out: later(156),
        delivered: later(192),
        delivered_marked: later(196),
        out_of_order: later(224),
        total_rto: total_rto.map(|b| u32::from(u16::from_ne_bytes(b))),
        ecn: bytes.get(5).is_some_and(|b| b & OPTION_ECN != 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_kernel_leaves_out_what_it_does_not_know() {
        let mut bytes = [0u8; 248];
        bytes[100] = 7;
        bytes[240] = 2;
        let info = read(&bytes);
        assert_eq!((info.retransmits, info.total_rto), (7, Some(2)));
        assert_eq!(read(&bytes[..232]).total_rto, None);
        let old = read(&bytes[..192]);
        assert_eq!(
            (old.data_segments_out, old.delivered_marked, old.delivered),
            (Some(0), None, None)
        );
    }

    #[test]
    fn what_was_never_cut_or_measured_is_none() {
        let mut bytes = [0u8; 248];
        bytes[76..80].copy_from_slice(&NO_THRESHOLD.to_ne_bytes());
        bytes[148..152].copy_from_slice(&NO_ROUND_TRIP.to_ne_bytes());
        let info = read(&bytes);
        assert_eq!((info.ssthresh, info.rtt_min_us), (None, None));
        bytes[76..80].copy_from_slice(&7u32.to_ne_bytes());
        bytes[148..152].copy_from_slice(&9u32.to_ne_bytes());
        let info = read(&bytes);
        assert_eq!((info.ssthresh, info.rtt_min_us), (Some(7), Some(9)));
        let words: Vec<&str> = (0..5).map(|b| CaState::read(b).word()).collect();
        assert_eq!(words, ["open", "disorder", "cwr", "recovery", "loss"]);
    }

    #[test]
    fn the_kernel_here_fills_the_offsets_as_we_read_them() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let info = of(&stream).unwrap();
        assert!((500..=65_535).contains(&info.snd_mss), "{info:?}");
        assert!((1_000..=4_000_000).contains(&info.rto_us), "{info:?}");
        assert!((1..=300).contains(&info.reordering), "{info:?}");
        assert!(info.snd_cwnd >= 1 && info.rtt_us < 1_000_000, "{info:?}");
        assert!(
            info.rtt_min_us.is_some_and(|us| us <= 1_000_000),
            "{info:?}"
        );
        assert_eq!((info.state, info.unacked), (CaState::Open, 0));
        assert_eq!(info.reordering_seen.unwrap_or(0), 0);
    }
}
