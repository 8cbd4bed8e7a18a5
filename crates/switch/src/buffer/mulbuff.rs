//! MulBuff: each class of flows has a queue of its own, as long as its flows need.
//!
//! **Decision**     a packet with data joins if the port has room and the queue of its class does. That of long flows
//!                  holds `product`. Those of short flows hold `total − product` (`sizes = "static"`), or `per_flow` for
//!                  each flow that is in them and at most that (`"per-flow"`). Else drop. A mark from `mark_at` on, by
//!                  the queue of its class. What carries no data joins where the port has room.
//! **State**        none. The scheduler keeps the queues and counts the flows; each packet is shown to it first, so that
//!                  the first of a flow finds room. A limit that falls below what waits drops nothing of that.
//! **Units**        bytes of buffer; `per_flow` and `mark_at` in packets or bytes of what waits, the packet on the wire
//!                  not counted.
//! **Errors**       refusals are counted as `full`. A product that leaves the short queues no room is refused, and so is
//!                  one above what the port holds.
//! **Source**       Mushtaq et al., SIGCOMM 2014 (MulBuff), section 2: 3 packets a flow, at most 250 kB less the
//!                  bandwidth-delay product, and that product for long flows.
//! **Deviations**   *Assumed*: the product (the paper gives no round trip); that packets without data are not held to the
//!                  limit, since they bring no flow into the count that would give them room; which classes are long.

use super::detour::Step;
use super::{Buffer, DropReason, Verdict};
use crate::why::{Scene, both, bytes, count, packets};
use crate::{Class, Depth, Nature, Policy, Queues, Want};
use sidestep_types::{About, Bytes, Packet, Refusal, Rng, Settings, Size, Words};

/// Queues by class.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MulBuff {
    /// What a queue of short flows may hold for each flow; `None`: all that it may hold at all.
    per_flow: Option<Size>,
    /// What a queue of short flows may hold at all.
    cap: u64,
    /// What a queue of long flows may hold.
    product: u64,
    /// The first class of long flows.
    long: u8,
    step: Step,
}

/// A queue that cannot hold a full packet would never take one.
const LEAST: u64 = 1_500;

/// Settings of the queues of classes.
#[derive(Clone, Settings)]
pub struct Queueing {
    /// do the queues of short flows grow with their flows, or have all their room at once?
    #[setting(default = "per-flow")]
    sizes: Sizes,
    /// room for each flow in a queue of short flows (MulBuff, section 2)
    #[setting(default = "3 pkt", beside(sizes = "per-flow"))]
    per_flow: Size,
    /// a queue of short flows holds at most this less the product (MulBuff, section 2)
    #[setting(default = "250 kB")]
    total: Bytes,
    /// a queue of long flows holds this, the bandwidth-delay product; that of 1 Gbps and 200 us; assumed
    #[setting(default = "25 kB")]
    product: Bytes,
    /// the lowest class of long flows; those below are short; assumed
    #[setting(default = "1", range = 0..=8)]
    long: u8,
}

/// How the queues of short flows are sized.
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
                "product ({}) leaves {} of total ({}) to short flows: too little for a packet of {}",
                Bytes(product),
                Bytes(cap),
                Bytes(total),
                Bytes(LEAST)
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

/// What a queue may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Limit {
    /// Packets; `None` where bytes alone count.
    pub packets: Option<u64>,
    /// Bytes of buffer.
    pub bytes: u64,
}

impl Limit {
    /// Of a queue of short flows: `per_flow` for each of so many, and at most `cap`.
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

    /// Does a packet of so many bytes join a queue this deep?
    #[inline(always)]
    pub fn fits(self, depth: Depth, bytes: u32) -> bool {
        let room = u64::from(depth.bytes) + u64::from(bytes) <= self.bytes;
        room && self.packets.is_none_or(|n| u64::from(depth.packets) < n)
    }
}

impl MulBuff {
    /// Is that the class of long flows?
    pub(super) fn is_long(&self, service: u8) -> bool {
        service >= self.long
    }

    /// What short flows may have of a queue at most, however many they are.
    pub(super) fn most_of_short(&self) -> Limit {
        Limit::of(None, 0, self.cap)
    }

    /// Is each packet shown to the scheduler first, which counts flows?
    #[inline(always)]
    pub(crate) fn sees(&self) -> bool {
        self.per_flow.is_some()
    }

    /// Has this queue, of the class `service`, room for a packet with data of so many bytes of buffer?
    #[inline(always)]
    pub(crate) fn takes(&self, service: u8, bytes: u32, Class { depth, flows }: Class) -> bool {
        self.limit(service, flows).fits(depth, bytes)
    }

    /// Is a packet marked that joins a queue of its class this deep?
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

    /// Out of the path of acknowledgements.
    #[inline(never)]
    fn decide_apart<Q: Queues>(&self, pkt: &Packet, want: Want, queues: &mut Q) -> Verdict {
        self.decide(pkt, want, queues)
    }

    /// Of a packet without data.
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

    /// Of a packet with data.
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

    fn why(&self, scene: &mut Scene<'_>, want: Want, verdict: Verdict) -> String {
        let service = scene.packet.service();
        if !scene.packet.carries_data() || !want.fits {
            return format!("by the room of the whole port: {}", scene.room(want));
        }
        let Class { depth, flows } = scene.queues.queue(want.port, service);
        let Limit {
            packets: most,
            bytes: cap,
        } = self.limit(service, flows);
        let most = most
            .map(|n| format!("{} and ", packets(n)))
            .unwrap_or_default();
        let waits = format!(
            "of its class {service} wait {}, of at most {most}{} with {} flows",
            both(depth),
            bytes(cap),
            count(flows)
        );
        match verdict {
            Verdict::Enqueue { .. } => format!("{waits}; {}", scene.step(depth, self.step.mark_at)),
            _ => waits,
        }
    }
}

#[cfg(test)]
mod tests;
