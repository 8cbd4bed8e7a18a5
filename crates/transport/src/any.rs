//! Enum inside, `dyn` at the edge: the simulator's own machines without a virtual call,
//! anybody else's with one.

use sidestep_types::Time;

use crate::{
    Ack, Arrival, PfabricSender, Receiver, Segment, Sender, SenderCounters, TcpReceiver, TcpSender,
};

/// A sender of this crate or one brought along.
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all are Tcp, and a box would cost a cache miss per acknowledgement"
)]
pub enum AnySender {
    /// This crate's TCP.
    Tcp(TcpSender),
    /// pFabric's.
    Pfabric(Box<PfabricSender>),
    /// Somebody's own.
    Custom(Box<dyn Sender + Send>),
}

/// A receiver of this crate or one brought along.
pub enum AnyReceiver {
    /// This crate's TCP.
    Tcp(TcpReceiver),
    /// Somebody's own.
    Custom(Box<dyn Receiver + Send>),
}

impl Sender for AnySender {
    #[inline]
    fn on_ack(&mut self, now: Time, ack: Ack) {
        match self {
            AnySender::Tcp(tcp) => tcp.on_ack(now, ack),
            AnySender::Pfabric(pfabric) => pfabric.on_ack(now, ack),
            AnySender::Custom(own) => own.on_ack(now, ack),
        }
    }
    fn on_timeout(&mut self, now: Time) {
        match self {
            AnySender::Tcp(tcp) => tcp.on_timeout(now),
            AnySender::Pfabric(pfabric) => pfabric.on_timeout(now),
            AnySender::Custom(own) => own.on_timeout(now),
        }
    }
    #[inline]
    fn poll_send(&mut self, now: Time) -> Option<Segment> {
        match self {
            AnySender::Tcp(tcp) => tcp.poll_send(now),
            AnySender::Pfabric(pfabric) => pfabric.poll_send(now),
            AnySender::Custom(own) => own.poll_send(now),
        }
    }
    #[inline]
    fn deadline(&self) -> Option<Time> {
        match self {
            AnySender::Tcp(tcp) => tcp.deadline(),
            AnySender::Pfabric(pfabric) => pfabric.deadline(),
            AnySender::Custom(own) => own.deadline(),
        }
    }
    fn acknowledged(&self) -> u64 {
        match self {
            AnySender::Tcp(tcp) => tcp.acknowledged(),
            AnySender::Pfabric(pfabric) => pfabric.acknowledged(),
            AnySender::Custom(own) => own.acknowledged(),
        }
    }
    #[inline]
    fn is_done(&self) -> bool {
        match self {
            AnySender::Tcp(tcp) => tcp.is_done(),
            AnySender::Pfabric(pfabric) => pfabric.is_done(),
            AnySender::Custom(own) => own.is_done(),
        }
    }
    fn counters(&self) -> SenderCounters {
        match self {
            AnySender::Tcp(tcp) => tcp.counters(),
            AnySender::Pfabric(pfabric) => pfabric.counters(),
            AnySender::Custom(own) => own.counters(),
        }
    }
}

impl Receiver for AnyReceiver {
    #[inline]
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
}
