//! The network at one instant, as arrays to draw from.
//!
//! **Units**        packets, bytes of buffer, picoseconds; use and progress from 0 to 1.

use crate::chunks::Chunks;
use crate::cursor::Cursor;
use crate::refused::Refused;
use crate::window::Window;
use sidestep_recording::Head;

/// The network at one instant: `Frame` of `web/src/engine/api.ts`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// The instant.
    pub at: u64,
    /// Of each port: packets that wait.
    pub packets: Vec<u32>,
    /// Of each port: bytes of buffer that wait.
    pub bytes: Vec<f64>,
    /// Of each port: the part of the span in which its link was sending.
    pub used: Vec<f32>,
    /// Of each port: detours and deflections into it within the span.
    pub detours: Vec<u32>,
    /// Of each port: drops at it within the span.
    pub drops: Vec<u32>,
    /// Of each packet on a link: its number.
    pub packet: Vec<u32>,
    /// The port that feeds its link.
    pub port: Vec<u32>,
    /// Where on its link it is: 0 where it leaves, 1 where it arrives.
    pub progress: Vec<f32>,
    /// Bits: [`crate::ACK`] and the others.
    pub flags: Vec<u8>,
    /// Its flow.
    pub flow: Vec<u32>,
}

impl Frame {
    /// Writes the network at the instant `at`, where `cursor` stands.
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
        self.moving(chunks.head(), cursor, at);
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

    fn moving(&mut self, head: &Head, cursor: &Cursor, at: u64) {
        self.packet.clear();
        self.port.clear();
        self.progress.clear();
        self.flags.clear();
        self.flow.clear();
        for (port, link) in (0..).zip(&head.network.links) {
            for packet in cursor.state.link(port) {
                self.packet.push(packet.id);
                self.port.push(port);
                self.progress
                    .push(progress(at.saturating_sub(packet.since), link.delay_ps));
                self.flags.push(cursor.flags.of(packet));
                self.flow.push(packet.flow);
            }
        }
    }

    pub(crate) fn memory(&self) -> usize {
        self.packets.capacity() * 24 + self.packet.capacity() * 17
    }
}

/// How far a packet is that has been on its link for so long.
fn progress(on_it: u64, delay: u64) -> f32 {
    if on_it >= delay {
        return 1.0;
    }
    (on_it as f64 / delay as f64) as f32
}
