//! MulBuff: each class of flows has its own queue, as long as its flows need.
//!
//! **Decision**     a packet with data joins if both the port and the queue of its class have room. A queue of
//!                  long flows holds `product`. A queue of short flows holds `total − product`
//!                  (`sizes = "static"`), or `per_flow` for each of its flows, up to that limit
//!                  (`"per-flow"`). Else drop. Marks from `mark_at` on, by the queue of its class. A packet
//!                  without data joins if the port has room.
//! **State**        none. The scheduler keeps the queues and counts the flows. Each packet is shown to it
//!                  first, so that the first packet of a flow finds room. A limit that falls below what waits
//!                  drops none of it.
//! **Units**        bytes of buffer; `per_flow` and `mark_at` in packets or bytes that wait, without the
//!                  packet on the wire.
//! **Errors**       refusals are counted as `full`. A product that leaves the short queues no room is refused,
//!                  and so is one above the capacity of the port.
//! **Source**       Mushtaq et al., SIGCOMM 2014 (MulBuff), section 2: 3 packets a flow, at most 250 kB less
//!                  the bandwidth-delay product, and that product for long flows.
//! **Deviations**   *Assumed*: the product (the paper gives no round trip); that packets without data are
//!                  exempt from the limit, since they do not count for a flow that would give them room;
//!                  which classes are long.

use super::detour::Step;
use super::{Buffer, DropReason, Verdict};
use crate::why::{SwitchSnapshot, both, bytes, count, packets};
use crate::{Class, Depth, Nature, Policy, Queues, Want};
use sidestep_types::{About, Bytes, Packet, Refusal, Rng, Settings, Size, Words};

/// Policy with a queue limit per class.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MulBuff {
    /// Room per flow in a queue of short flows; `None` if the queue always has its full limit.
    per_flow: Option<Size>,
    /// Full limit of a queue of short flows, bytes.
    cap: u64,
    /// Limit of a queue of long flows, bytes.
    product: u64,
    /// First class of long flows.
    long: u8,
    step: Step,
}

/// Least limit of a queue: one that cannot hold a full packet would never accept one.
const LEAST: u64 = 1_500;

/// Settings of the class queues.
#[derive(Clone, Settings)]
pub struct Queueing {
    /// size of the queues of short flows: by the number of their flows, or static
    #[setting(default = "per-flow")]
    sizes: Sizes,
    /// room for each flow in a queue of short flows (MulBuff, section 2)
    #[setting(default = "3 pkt", beside(sizes = "per-flow"))]
    per_flow: Size,
    /// a queue of short flows holds at most total less product (MulBuff, section 2)
    #[setting(default = "250 kB")]
    total: Bytes,
    /// limit of a queue of long flows, the bandwidth-delay product; that of 1 Gbps and 200 us; assumed
    #[setting(default = "25 kB")]
    product: Bytes,
    /// lowest class of long flows; the classes below are short; assumed
    #[setting(default = "1", range = 0..=8)]
    long: u8,
}

/// Sizing of the queues of short flows.
#[derive(Clone, Copy, PartialEq, Words)]
enum Sizes {
    #[word("per-flow")]
    PerFlow,
    Static,
}

/// Settings of [`MulBuff`].
#[derive(Clone, Settings)]
pub struct MulBuffSettings {
    #[setting(flatten)]
    pub(super) queues: Queueing,
    #[setting(flatten)]
    pub(super) step: Step,
}

impl Policy for MulBuff {
    type Settings = MulBuffSettings;
    const ABOUT: About = About {
        name: "mulbuff",
        summary: "a queue for each class, sized by its flows; needs sched wps, ps or strict",
        source: "Mushtaq et al., SIGCOMM 2014 (MulBuff)",
    };
    const NATURE: Nature = Nature {
        sched: &["wps", "ps", "strict"],
        classes: true,
        flows: Some(("sizes", "per-flow")),
        holds: Some("product"),
        ..Nature::PLAIN
    };

    fn build(settings: MulBuffSettings, _: u16, _: u64) -> Result<MulBuff, Refusal> {
        let MulBuffSettings { queues, step } = settings;
        let (total, product, per_flow) = (queues.total.0, queues.product.0, queues.per_flow);
        let cap = total.saturating_sub(product);
        if cap < LEAST {
            let wrong = format!(
                "product ({}) must leave a packet ({}) of total ({}) to short flows, but leaves \
                 {}; raise total or lower product",
                Bytes(product),
                Bytes(LEAST),
                Bytes(total),
                Bytes(cap)
            );
            return Err(Refusal::about(&["product", "total"], wrong));
        }
        if product < LEAST {
            let expected = format!("must hold a full packet, {}", Bytes(LEAST));
            return Err(Refusal::of("product", expected).got(Bytes(product)));
        }
        let least = match per_flow {
            Size::Packets(n) => n > 0,
            Size::Bytes(b) => b.0 >= LEAST,
        };
        if !least {
            let expected = format!("must hold a full packet, 1 pkt or {}", Bytes(LEAST));
            return Err(Refusal::of("per_flow", expected).got(per_flow));
        }
        Ok(MulBuff {
            per_flow: (queues.sizes == Sizes::PerFlow).then_some(per_flow),
            cap,
            product,
            long: queues.long,
            step,
        })
    }
}

/// Limit of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Limit {
    /// Packets; `None` if only bytes are limited.
    pub packets: Option<u64>,
    /// Bytes of buffer.
    pub bytes: u64,
}

impl Limit {
    /// Returns the limit of a queue of short flows: `per_flow` for each of `flows`, and at most `cap`.
    #[inline(always)]
    pub fn of(per_flow: Option<Size>, flows: u32, cap: u64) -> Limit {
        let flows = u64::from(flows);
        let (packets, bytes) = match per_flow {
            None => (None, cap),
            Some(Size::Packets(n)) => (Some(n.saturating_mul(flows)), cap),
            Some(Size::Bytes(b)) => (None, b.0.saturating_mul(flows).min(cap)),
        };
        Limit { packets, bytes }
    }

    /// Returns true if a packet of `bytes` fits into a queue of this depth.
    #[inline(always)]
    pub fn fits(self, depth: Depth, bytes: u32) -> bool {
        let room = u64::from(depth.bytes) + u64::from(bytes) <= self.bytes;
        room && self.packets.is_none_or(|n| u64::from(depth.packets) < n)
    }
}

impl MulBuff {
    /// Returns true if the class is one of long flows.
    pub(super) fn is_long(&self, service: u8) -> bool {
        service >= self.long
    }

    /// Returns the full limit of a queue of short flows, for any number of flows.
    pub(super) fn most_of_short(&self) -> Limit {
        Limit::of(None, 0, self.cap)
    }

    /// Returns true if each packet is first shown to the scheduler, which counts flows.
    #[inline(always)]
    pub(crate) fn sees(&self) -> bool {
        self.per_flow.is_some()
    }

    /// Returns true if this queue of the class `service` has room for a data packet of `bytes` bytes of buffer.
    #[inline(always)]
    pub(crate) fn takes(&self, service: u8, bytes: u32, Class { depth, flows }: Class) -> bool {
        self.limit(service, flows).fits(depth, bytes)
    }

    /// Returns true if a packet is marked that joins a class queue of this depth.
    pub(crate) fn marks(&self, depth: Depth) -> bool {
        self.step.marks(depth)
    }

    #[inline(always)]
    fn limit(&self, service: u8, flows: u32) -> Limit {
        match self.is_long(service) {
            true => Limit::of(None, flows, self.product),
            false => Limit::of(self.per_flow, flows, self.cap),
        }
    }

    /// Calls `decide` out of line, to keep it out of the path of acknowledgements.
    #[inline(never)]
    fn decide_apart<Q: Queues>(&self, pkt: &Packet, want: Want, queues: &mut Q) -> Verdict {
        self.decide(pkt, want, queues)
    }

    /// Decides about a packet without data.
    #[inline(always)]
    fn decide_without<Q: Queues + ?Sized>(
        &self,
        pkt: &Packet,
        want: Want,
        queues: &mut Q,
    ) -> Verdict {
        if self.per_flow.is_some() {
            queues.see(want.port, pkt);
        }
        match want.fits {
            true => Verdict::Enqueue { mark: false },
            false => Verdict::Drop(DropReason::Full),
        }
    }

    /// Decides about a packet with data.
    #[inline(always)]
    fn decide<Q: Queues + ?Sized>(&self, pkt: &Packet, want: Want, queues: &mut Q) -> Verdict {
        let service = pkt.service();
        let Class { depth, flows } = match self.per_flow {
            Some(_) => queues.seen(want.port, pkt),
            None => queues.queue(want.port, service),
        };
        if !want.fits {
            return Verdict::Drop(DropReason::Full);
        }
        match self.limit(service, flows).fits(depth, queues.buffered(pkt)) {
            true => Verdict::Enqueue {
                mark: self.marks(depth),
            },
            false => Verdict::Drop(DropReason::Full),
        }
    }
}

impl Buffer for MulBuff {
    fn admit(&mut self, pkt: &Packet, want: Want, queues: &mut dyn Queues, _: &mut Rng) -> Verdict {
        match pkt.carries_data() {
            true => self.decide(pkt, want, queues),
            false => self.decide_without(pkt, want, queues),
        }
    }

    #[inline(never)]
    fn admit_to<Q: Queues>(
        &mut self,
        pkt: &Packet,
        want: Want,
        queues: &mut Q,
        _: &mut Rng,
    ) -> Verdict {
        match pkt.carries_data() {
            true => self.decide_apart(pkt, want, queues),
            false => self.decide_without(pkt, want, queues),
        }
    }

    fn why(&self, snapshot: &mut SwitchSnapshot<'_>, want: Want, verdict: Verdict) -> String {
        let service = snapshot.packet.service();
        if !snapshot.packet.carries_data() || !want.fits {
            return format!(
                "decided by the room of the whole port: {}",
                snapshot.room(want)
            );
        }
        let Class { depth, flows } = snapshot.queues.queue(want.port, service);
        let Limit {
            packets: most,
            bytes: cap,
        } = self.limit(service, flows);
        let most = most
            .map(|n| format!("{} and ", packets(n)))
            .unwrap_or_default();
        let waits = format!(
            "its class {service} holds {}; its limit is {most}{}, with flows: {}",
            both(depth),
            bytes(cap),
            count(flows)
        );
        match verdict {
            Verdict::Enqueue { .. } => {
                format!("{waits}; {}", snapshot.step(depth, self.step.mark_at))
            }
            _ => waits,
        }
    }
}

#[cfg(test)]
mod tests;
