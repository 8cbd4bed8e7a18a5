//! Any receiver: an enum for those of this crate, `dyn` for custom ones. The registry writes the enum of
//! senders.

use sidestep_types::Time;

use crate::{Ack, Arrival, MptcpReceiver, Opened, Receiver, TcpReceiver};

/// Receiver of this crate, or a custom one.
// With an explicit tag, as `AnySender`.
#[repr(u8)]
#[derive(serde::Serialize, serde::Deserialize)]
pub enum AnyReceiver {
    /// TCP receiver.
    Tcp(TcpReceiver),
    /// MPTCP receiver.
    Mptcp(Box<MptcpReceiver>),
    /// Custom receiver.
    #[serde(skip)]
    Custom(Box<dyn Receiver + Send>),
}

impl AnyReceiver {
    /// Returns the receiver's view of the handshake; [`Opened::Unseen`] for a custom receiver.
    pub fn opened(&self) -> Opened {
        match self {
            AnyReceiver::Tcp(tcp) => tcp.opened(),
            AnyReceiver::Mptcp(all) => all.opened(),
            AnyReceiver::Custom(_) => Opened::Unseen,
        }
    }

    /// Handles a segment like [`Receiver::on_segment`], together with its data sequence number across all
    /// subflows. Only a receiver with subflows calls `data_seq`.
    #[inline(always)]
    pub fn on_mapped_segment(
        &mut self,
        now: Time,
        arrival: Arrival,
        data_seq: impl FnOnce() -> u64,
    ) {
        match self {
            AnyReceiver::Tcp(tcp) => tcp.on_segment(now, arrival),
            AnyReceiver::Mptcp(all) => all.on_mapped_segment(now, arrival, data_seq()),
            AnyReceiver::Custom(own) => own.on_segment(now, arrival),
        }
    }
}

impl Receiver for AnyReceiver {
    #[inline(always)]
    fn on_segment(&mut self, now: Time, arrival: Arrival) {
        match self {
            AnyReceiver::Tcp(tcp) => tcp.on_segment(now, arrival),
            AnyReceiver::Mptcp(all) => all.on_segment(now, arrival),
            AnyReceiver::Custom(own) => own.on_segment(now, arrival),
        }
    }
    fn on_timeout(&mut self, now: Time) {
        match self {
            AnyReceiver::Tcp(tcp) => tcp.on_timeout(now),
            AnyReceiver::Mptcp(all) => all.on_timeout(now),
            AnyReceiver::Custom(own) => own.on_timeout(now),
        }
    }
    #[inline]
    fn poll_ack(&mut self, now: Time) -> Option<Ack> {
        match self {
            AnyReceiver::Tcp(tcp) => tcp.poll_ack(now),
            AnyReceiver::Mptcp(all) => all.poll_ack(now),
            AnyReceiver::Custom(own) => own.poll_ack(now),
        }
    }
    #[inline]
    fn deadline(&self) -> Option<Time> {
        match self {
            AnyReceiver::Tcp(tcp) => tcp.deadline(),
            AnyReceiver::Mptcp(all) => all.deadline(),
            AnyReceiver::Custom(own) => own.deadline(),
        }
    }
    #[inline]
    fn delivered(&self) -> u64 {
        match self {
            AnyReceiver::Tcp(tcp) => tcp.delivered(),
            AnyReceiver::Mptcp(all) => all.delivered(),
            AnyReceiver::Custom(own) => own.delivered(),
        }
    }
    #[inline]
    fn expected(&self, subflow: u8) -> u64 {
        match self {
            AnyReceiver::Tcp(tcp) => tcp.expected(subflow),
            AnyReceiver::Mptcp(all) => all.expected(subflow),
            AnyReceiver::Custom(own) => own.expected(subflow),
        }
    }
}
