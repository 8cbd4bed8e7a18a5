//! Receivers: the enum inside, `dyn` at the edge. Senders have theirs from the registry.

use sidestep_types::Time;

use crate::{Ack, Arrival, Opened, Receiver, TcpReceiver};

/// A receiver of this crate or one brought along.
// With a tag of its own, as `AnySender`.
#[repr(u8)]
pub enum AnyReceiver {
    /// This crate's TCP.
    Tcp(TcpReceiver),
    /// Somebody's own.
    Custom(Box<dyn Receiver + Send>),
}

impl AnyReceiver {
    /// What it saw of the handshake; nothing, if it is somebody's own.
    pub fn opened(&self) -> Opened {
        match self {
            AnyReceiver::Tcp(tcp) => tcp.opened(),
            AnyReceiver::Custom(_) => Opened::Unseen,
        }
    }
}

impl Receiver for AnyReceiver {
    #[inline(always)]
    fn on_segment(&mut self, now: Time, arrival: Arrival) {
        match self {
            AnyReceiver::Tcp(tcp) => tcp.on_segment(now, arrival),
            AnyReceiver::Custom(own) => own.on_segment(now, arrival),
        }
    }
    fn on_timeout(&mut self, now: Time) {
        match self {
            AnyReceiver::Tcp(tcp) => tcp.on_timeout(now),
            AnyReceiver::Custom(own) => own.on_timeout(now),
        }
    }
    #[inline]
    fn poll_ack(&mut self, now: Time) -> Option<Ack> {
        match self {
            AnyReceiver::Tcp(tcp) => tcp.poll_ack(now),
            AnyReceiver::Custom(own) => own.poll_ack(now),
        }
    }
    #[inline]
    fn deadline(&self) -> Option<Time> {
        match self {
            AnyReceiver::Tcp(tcp) => tcp.deadline(),
            AnyReceiver::Custom(own) => own.deadline(),
        }
    }
    #[inline]
    fn delivered(&self) -> u64 {
        match self {
            AnyReceiver::Tcp(tcp) => tcp.delivered(),
            AnyReceiver::Custom(own) => own.delivered(),
        }
    }
    #[inline]
    fn expected(&self, subflow: u8) -> u64 {
        match self {
            AnyReceiver::Tcp(tcp) => tcp.expected(subflow),
            AnyReceiver::Custom(own) => own.expected(subflow),
        }
    }
}
