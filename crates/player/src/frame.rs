//! Network at one instant, as arrays to draw from.
//!
//! **Decision**     packets that move are those on links, and those whose transmission has begun. The latter
//!                  still count in their queue, as in the model.
//! **Units**        packets, bytes of buffer, picoseconds; use and progress from 0 to 1.
//! **Deviations**   a packet dropped during its transmission, as when a link goes down, has no dequeue: it does
//!                  not move.

use crate::chunks::Chunks;
use crate::cursor::Cursor;
use crate::refused::Refused;
use crate::window::{Sending, Window};
use sidestep_recording::idle::time_to_send;
use sidestep_recording::{Packet, Place};

/// Network at one instant: `Frame` of `web/src/engine/api.ts`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Instant of the frame, ps.
    pub at: u64,
    /// Packets waiting at each port, the one in transmission included.
    pub packets: Vec<u32>,
    /// Bytes of buffer waiting at each port.
    pub bytes: Vec<f64>,
    /// Share of the span in which each port's link was sending.
    pub used: Vec<f32>,
    /// Detours and deflections into each port within the span.
    pub detours: Vec<u32>,
    /// Drops at each port within the span.
    pub drops: Vec<u32>,
    /// Numbers of packets that move, in transmission or on a link.
    pub packet: Vec<u32>,
    /// Port that feeds each such packet's link.
    pub port: Vec<u32>,
    /// Progress of each such packet through transmission and link delay: 0 when its first bit leaves, 1 when
    /// its last bit arrives.
    pub progress: Vec<f32>,
    /// Flags of each such packet: [`crate::ACK`] and the others.
    pub flags: Vec<u8>,
    /// Flow of each such packet.
    pub flow: Vec<u32>,
}

impl Frame {
    /// Fills in the network at the instant `at`, at which `cursor` stands.
    pub(crate) fn fill(
        &mut self,
        chunks: &mut Chunks<'_>,
        cursor: &Cursor,
        window: &mut Window,
        (at, span): (u64, u64),
    ) -> Result<(), Refused> {
        self.at = at;
        let since = at.saturating_sub(span).max(chunks.head().from);
        if since < at {
            window.go(chunks, since, at)?;
        } else {
            window.go(chunks, at, at)?;
        }
        let all = at.saturating_sub(since).max(1) as f64;
        self.used.clear();
        self.used.extend(
            window
                .busy
                .iter()
                .map(|busy| (*busy as f64 / all).min(1.0) as f32),
        );
        self.detours.clone_from(&window.detours);
        self.drops.clone_from(&window.drops);
        self.queues(cursor);
        self.moving(chunks, cursor, &window.sending);
        Ok(())
    }

    fn queues(&mut self, cursor: &Cursor) {
        self.packets.clear();
        self.bytes.clear();
        for port in 0..cursor.state.ports() as u32 {
            let (packets, bytes) = cursor.state.depth(port);
            self.packets.push(packets);
            self.bytes.push(bytes as f64);
        }
        for (port, (packets, bytes)) in &cursor.depths {
            self.packets[*port as usize] = *packets;
            self.bytes[*port as usize] = *bytes as f64;
        }
    }

    fn moving(&mut self, chunks: &Chunks<'_>, cursor: &Cursor, sending: &[Sending]) {
        self.packet.clear();
        self.port.clear();
        self.progress.clear();
        self.flags.clear();
        self.flow.clear();
        let unbuffered = u64::from(chunks.sizes.unbuffered);
        let mut sending = sending.iter().peekable();
        for (port, link) in (0..).zip(&chunks.head().network.links) {
            let mut sent = cursor.sent.of(port, &cursor.state).peekable();
            for packet in cursor.state.link(port) {
                // A packet that left before the recording: assume that its link's rate has not changed.
                let sent_for = sent.next_if(|known| known.0 == packet.id).map_or_else(
                    || time_to_send(u64::from(packet.buffer) + unbuffered, link.rate_bps),
                    |known| known.1,
                );
                let on_it = self.at.saturating_sub(packet.since);
                let passed = sent_for.saturating_add(on_it);
                self.moves(cursor, port, packet, share(passed, sent_for, link.delay_ps));
            }
            while let Some(one) = sending.next_if(|one| one.port <= port) {
                let packet = cursor.state.packet(one.packet);
                // A packet that has not yet joined the queue has not begun transmission, whatever its bytes
                // suggest.
                if let Some(packet) = packet.filter(|p| p.place == Place::Queue(one.port)) {
                    let progress = share(one.passed, one.sent_for, link.delay_ps);
                    self.moves(cursor, port, packet, progress);
                }
            }
        }
    }

    fn moves(&mut self, cursor: &Cursor, port: u32, packet: &Packet, progress: f32) {
        self.packet.push(packet.id);
        self.port.push(port);
        self.progress.push(progress);
        self.flags.push(cursor.flags.of(packet));
        self.flow.push(packet.flow);
    }

    pub(crate) fn memory(&self) -> usize {
        self.packets.capacity() * 24 + self.packet.capacity() * 17
    }
}

/// Returns the share of a transmission and a delay that has passed.
fn share(passed: u64, sent_for: u64, delay: u64) -> f32 {
    let all = sent_for.saturating_add(delay);
    if passed >= all {
        return 1.0;
    }
    (passed as f64 / all as f64) as f32
}
