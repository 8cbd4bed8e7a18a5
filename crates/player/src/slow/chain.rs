//! Chain of causes from the arrival that completed a flow back to its start: each packet, and the event it
//! waited for.

use super::Part;
use super::log::{Instant, Log, PacketHistory, last_before};
use crate::chunks::Chunks;
use crate::paths;
use crate::sentences;
use sidestep_recording::{Flow, Head};
use std::collections::BTreeMap;

/// Waits of the flow, the last first.
#[derive(Default)]
pub(super) struct Chain {
    pub parts: Vec<Part>,
    /// Waiting time and number of waiting packets at each port of a switch.
    pub waits: BTreeMap<u32, (u64, u32)>,
    /// Longest wait for a timer, and the first byte of the packet sent after it.
    pub timeout_after: Option<Timeout>,
    /// Port of a switch whose queue held most packets when one of the chain joined it, and its depth.
    pub deepest: Option<(u32, (u32, u64))>,
}

/// Wait for a timer.
pub(super) struct Timeout {
    pub from: u64,
    pub to: u64,
    pub seq: u64,
}

struct Walk<'a> {
    head: &'a Head,
    log: &'a Log,
    flow: &'a Flow,
    /// Distances of each node to the flow's destination, and to its source.
    to_dst: Vec<Option<u32>>,
    to_src: Vec<Option<u32>>,
    chain: Chain,
}

impl Chain {
    /// Follows the causes of the last arrival of data until `end`.
    pub fn follow(chunks: &Chunks<'_>, log: &Log, flow: &Flow, end: u64) -> Chain {
        let head = chunks.head();
        let mut walk = Walk {
            head,
            log,
            flow,
            to_dst: paths::distances(&head.network, flow.dst),
            to_src: paths::distances(&head.network, flow.src),
            chain: Chain::default(),
        };
        walk.all(end);
        walk.chain
    }
}

impl Walk<'_> {
    fn all(&mut self, end: u64) {
        let Some((mut arrived, mut id)) = last_before(&self.log.data, (end, usize::MAX)) else {
            return;
        };
        self.part("host", arrived.0, end, || "all data has arrived".into());
        // Each round moves to an earlier event of the flow.
        while let Some(story) = self.log.packets.get(&id) {
            self.journey(story, arrived.0);
            let Some(sent) = story.sent else { return };
            let cause = match story.ack {
                true => self.before_ack(sent),
                false => self.before_data(story, sent),
            };
            let Some(cause) = cause else { return };
            (arrived, id) = cause;
        }
    }

    /// Returns the cause of an acknowledgement: the last data that arrived before it.
    fn before_ack(&mut self, sent: Instant) -> Option<(Instant, u32)> {
        let (arrived, id) = last_before(&self.log.data, sent)?;
        let dst = self.flow.dst;
        let says = |walk: &Self| {
            format!(
                "{} delays its acknowledgement",
                sentences::node(walk.head, dst)
            )
        };
        let says = says(self);
        self.part("host", arrived.0, sent.0, || says);
        Some((arrived, id))
    }

    /// Returns the cause of data: the end of the sender's timer, the last acknowledgement, or the start of the
    /// flow.
    fn before_data(&mut self, story: &PacketHistory, sent: Instant) -> Option<(Instant, u32)> {
        let (mut story, mut sent) = (story, sent);
        loop {
            let ack = last_before(&self.log.acks, sent);
            if !self.is_timeout(story, sent, ack) {
                let from = ack.map_or(self.flow.start, |(at, _)| at.0);
                let src = sentences::node(self.head, self.flow.src).to_string();
                self.part("host", from, sent.0, || {
                    format!("{src} waits for its window")
                });
                return ack;
            }
            // The timer began with the sender's previous packet or acknowledgement.
            let before = self.log.sent.partition_point(|(at, _)| at.0 < sent.0);
            let sent_before = self.log.sent[..before].last().copied();
            let since_ack = ack.filter(|(at, _)| sent_before.is_none_or(|(sent, _)| sent < *at));
            let from = match (since_ack, sent_before) {
                (Some((at, _)), _) | (None, Some((at, _))) => at.0,
                (None, None) => self.flow.start,
            };
            self.timeout(story.seq, from, sent.0);
            match (since_ack, sent_before) {
                (Some(ack), _) => return Some(ack),
                (None, Some((at, id))) => (story, sent) = (self.log.packets.get(&id)?, at),
                (None, None) => return None,
            }
        }
    }

    fn is_timeout(
        &self,
        story: &PacketHistory,
        sent: Instant,
        ack: Option<(Instant, u32)>,
    ) -> bool {
        if self.log.timeouts.contains(&sent.0) {
            return true;
        }
        !self.log.has_windows && story.again && ack.is_none_or(|(at, _)| at.0 < sent.0)
    }

    fn timeout(&mut self, seq: u64, from: u64, to: u64) {
        let src = sentences::node(self.head, self.flow.src).to_string();
        self.part("timeout", from, to, || {
            format!("{src} waits for its retransmission timer, then retransmits byte {seq}")
        });
        let longest = self.chain.timeout_after.as_ref();
        if longest
            .is_none_or(|longest| longest.to.saturating_sub(longest.from) < to.saturating_sub(from))
        {
            self.chain.timeout_after = Some(Timeout { from, to, seq });
        }
    }

    /// Adds the hops of a packet that arrived, the last first.
    fn journey(&mut self, story: &PacketHistory, arrived: u64) {
        let added = self.added(story);
        let mut until = arrived;
        for (hop, added) in story.hops.iter().zip(added).rev() {
            let what = match story.ack {
                true => format!("the acknowledgement up to byte {}", story.seq),
                false => format!("byte {}", story.seq),
            };
            let (owner, far) = (
                sentences::owner(self.head, hop.port),
                sentences::far(self.head, hop.port),
            );
            let (owner, far) = (owner.to_string(), far.to_string());
            if added {
                self.part("detour", hop.joined, until, || {
                    format!("{what} takes a detour from {owner} to {far}")
                });
                until = hop.joined;
                continue;
            }
            let left = hop
                .left
                .unwrap_or(until)
                .clamp(hop.joined, until.max(hop.joined));
            let begins = left.saturating_sub(hop.sent_for).max(hop.joined);
            self.part("link", begins, until, || {
                format!("{what} crosses the link from {owner} to {far}")
            });
            let (before, _) = hop.before;
            let ahead = sentences::packets(before.into());
            let link = self.head.network.links.get(hop.port as usize);
            let at_host = link.and_then(|link| self.head.network.nodes.get(link.from as usize));
            let at_host = at_host.is_some_and(|node| node.host);
            let kind = if at_host { "host" } else { "queue" };
            self.part(kind, hop.joined, begins, || {
                format!("{what} waits in the queue from {owner} to {far}, behind {ahead}")
            });
            if !at_host {
                let wait = self.chain.waits.entry(hop.port).or_default();
                wait.0 += begins - hop.joined;
                wait.1 += u32::from(begins > hop.joined);
                if self.chain.deepest.is_none_or(|(_, most)| most.0 < before) {
                    self.chain.deepest = Some((hop.port, hop.before));
                }
            }
            until = hop.joined;
        }
        if let Some((sent, _)) = story.sent {
            self.part("host", sent, until, || {
                "the packet waits for its host's NIC".into()
            });
        }
    }

    /// Returns which hops a detour added: from the hop that leads away until the packet is nearer to its
    /// destination than where it was detoured.
    fn added(&self, story: &PacketHistory) -> Vec<bool> {
        let far = if story.ack {
            &self.to_src
        } else {
            &self.to_dst
        };
        let far = |node: u32| {
            far.get(node as usize)
                .copied()
                .flatten()
                .unwrap_or(u32::MAX)
        };
        let mut from = None;
        let hops = story.hops.iter().map(|hop| {
            let Some(link) = self.head.network.links.get(hop.port as usize) else {
                return false;
            };
            if hop.detoured {
                let here = far(link.from);
                from = Some(from.map_or(here, |from: u32| from.min(here)));
            }
            let added = from.is_some_and(|from| far(link.to) >= from);
            if !added {
                from = None;
            }
            added
        });
        hops.collect()
    }

    fn part(&mut self, kind: &'static str, from: u64, to: u64, says: impl FnOnce() -> String) {
        if from < to {
            let says = says();
            self.chain.parts.push(Part {
                kind,
                from,
                to,
                says,
            });
        }
    }
}
