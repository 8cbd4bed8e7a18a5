//! Spraying by counters: every packet takes the next hop by which the fewest bytes were sent.
//!
//! **Decision**     the least counter among the next hops, by [`least`] or, with `ties = "random"`, [`least_drawn`];
//!                  then that counter grows by the packet ([`count`]). `by = "queued"` compares queues instead, and
//!                  counts nothing. With one next hop nothing is compared and nothing counted.
//! **State**        a counter for each port, which all sets of next hops share; with `ties = "turn"` a place for each set.
//!                  One draw with `ties = "random"`.
//! **Units**        bytes of link time; with `by = "queued"` bytes of queue, the packet on the wire included.
//! **Errors**       `limit` of 0 or above 1 GiB.
//! **Source**       Dixit, Prakash, Kompella, Purdue technical report 2011 (PLTS), section III-A2: CNT. Section IV-B1
//!                  speaks of "the smallest queue" instead: `by = "queued"`.
//! **Deviations**   the report has no rule for ties, which with equal packets most decisions are, and no word on packets
//!                  with one next hop: all that `ties` knows, and that those are not counted, is *assumed*, as is that
//!                  what goes by `acks = "ecmp"` is not. A packet that is dropped at the port it was sent to is counted.
//!                  Counters are relative to a base that all of the switch share, so that none is ever above `limit`
//!                  (*assumed*): see [`count`].

use super::acks::{Acks, AcksSettings};
use super::{Hops, Route};
use crate::least::least;
use crate::why::{Scene, bytes, listed};
use crate::{Nature, Policy, Queues};
use sidestep_types::{About, Bytes, Packet, PortId, Refusal, Rng, Settings, Words, scale};

/// The next hop with the fewest bytes, per packet.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SprayCounter(Box<State>);

/// One cache line.
#[derive(Debug)]
#[repr(align(64))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct State {
    /// Of each port, the bytes sent since the base by packets that had a choice; nothing where queues are compared.
    sent: Box<[u32]>,
    limit: u32,
    ties: Ties,
    acks: Acks,
}

/// Who is taken of equal ones.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Ties {
    /// Of each set of next hops, the place behind the hop last taken.
    Turn(Vec<u16>),
    First,
    Random,
}

/// Largest `limit`: 1 GiB, so that no sum of 32 bits overflows.
const MOST: u32 = 1 << 30;

/// Of `many` loads the place of the least: of `n` equal ones number `⌊draw·n / 2³²⌋`.
pub fn least_drawn(many: usize, draw: u32, mut load: impl FnMut(usize) -> u32) -> usize {
    let (mut fewest, mut equal) = (u32::MAX, 0);
    for load in (0..many).map(&mut load) {
        equal = if load < fewest { 0 } else { equal };
        fewest = fewest.min(load);
        equal += u32::from(load == fewest);
    }
    let mut before = scale(draw, equal);
    for at in 0..many {
        if load(at) == fewest {
            if before == 0 {
                return at;
            }
            before -= 1;
        }
    }
    unreachable!("as many are least as were counted")
}

/// Counts `bytes` at `port`, which had the least counter of its next hops. No counter is above `limit` before or after.
///
/// Where this one would be, the base of all counters of the switch rises by the count that it had: it is taken from
/// every counter, and those below become 0. The next hops of the packet had at least as much, so their differences
/// stay exact, and so do those between any counters that are not below it. Forgotten is that another next hop
/// was further behind, which matters where sets overlap: no port is ever owed more than `limit`. Ports
/// of other sets that share none with these lose no more than the difference among them, which is below one packet. A
/// packet counts for `limit` at most.
#[inline]
pub fn count(counters: &mut [u32], port: PortId, bytes: u32, limit: u32) {
    let bytes = bytes.min(limit);
    let counter = &mut counters[port.index()];
    if *counter + bytes > limit {
        let least = *counter;
        rebase(counters, least);
        counters[port.index()] = bytes;
    } else {
        *counter += bytes;
    }
}

/// Rare: a packet in `limit` bytes of one port.
#[cold]
fn rebase(counters: &mut [u32], least: u32) {
    for counter in counters {
        *counter = counter.saturating_sub(least);
    }
}

/// Settings of [`SprayCounter`].
#[derive(Clone, Settings)]
pub struct SprayCounterSettings {
    /// what is least: bytes sent so far (section III-A2), or bytes that wait (section IV-B1)
    #[setting(default = "sent")]
    by: By,
    /// of equal next hops the one after the hop last taken, the first, or any; assumed
    #[setting(default = "turn")]
    ties: TiesGo,
    /// most that a counter holds, and so most that a next hop is owed; assumed
    #[setting(default = "1 MB", beside(by = "sent"))]
    limit: Bytes,
    #[setting(flatten)]
    acks: AcksSettings,
}

/// The bytes that are compared.
#[derive(Clone, Copy, Words)]
enum By {
    Sent,
    Queued,
}

/// Which of equal next hops is taken.
#[derive(Clone, Copy, Words)]
enum TiesGo {
    Turn,
    First,
    Random,
}

impl Policy for SprayCounter {
    type Settings = SprayCounterSettings;
    const ABOUT: About = About {
        name: "spray-counter",
        summary: "per packet the next hop by which the fewest bytes were sent",
        source: "PLTS section III-A2: CNT",
    };
    const NATURE: Nature = Nature {
        reorders: true,
        remembers: true,
        draws: 1,
        ..Nature::PLAIN
    };

    fn build(
        settings: SprayCounterSettings,
        ports: u16,
        salt: u64,
    ) -> Result<SprayCounter, Refusal> {
        let Bytes(limit) = settings.limit;
        if limit == 0 || limit > u64::from(MOST) {
            return Err(Refusal::of("limit", "must be from 1 B to 1 GiB").got(settings.limit));
        }
        let counters = match settings.by {
            By::Queued => 0,
            By::Sent => usize::from(ports),
        };
        let ties = match settings.ties {
            TiesGo::First => Ties::First,
            TiesGo::Random => Ties::Random,
            TiesGo::Turn => Ties::Turn(Vec::new()),
        };
        Ok(SprayCounter(Box::new(State {
            sent: vec![0; counters].into(),
            limit: limit as u32,
            ties,
            acks: Acks::new(settings.acks, salt),
        })))
    }
}

impl Route for SprayCounter {
    fn pick(
        &mut self,
        pkt: &Packet,
        hops: Hops<'_>,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> PortId {
        self.choose(pkt, hops, queues, rng)
    }

    // A frame of its own: in one with the others each of them would pay for the registers of all.
    #[inline(never)]
    fn pick_by<Q: Queues>(
        &mut self,
        pkt: &Packet,
        hops: Hops<'_>,
        queues: &mut Q,
        rng: &mut Rng,
    ) -> PortId {
        self.choose(pkt, hops, queues, rng)
    }

    fn why(&self, scene: &mut Scene<'_>, hops: Hops<'_>, taken: PortId) -> String {
        let state = &*self.0;
        if let Some(why) = state.acks.why(scene, hops, taken) {
            return why;
        }
        let equal = match state.ties {
            Ties::Turn(_) => "the one whose turn it was",
            Ties::First => "the first",
            Ties::Random => "one drawn",
        };
        if state.sent.is_empty() {
            let depths = scene.depths(hops.ports.iter().copied());
            return format!("the shortest queue, of equal ones {equal}; {depths}");
        }
        let each = hops.ports.iter().map(|port| {
            let sent = bytes(state.sent[port.index()]);
            format!("{} {sent}", (scene.name)(*port))
        });
        let each = listed(each.collect());
        format!(
            "the fewest bytes sent before it, of equal ones {equal}; with it the counters stand at: {each}"
        )
    }
}

impl SprayCounter {
    #[inline(always)]
    fn choose<Q: Queues + ?Sized>(
        &mut self,
        pkt: &Packet,
        hops: Hops<'_>,
        queues: &mut Q,
        rng: &mut Rng,
    ) -> PortId {
        let ports = hops.ports;
        if let [only] = ports {
            return *only;
        }
        let state = &mut *self.0;
        if let Some(port) = state.acks.hop(pkt, ports) {
            return port;
        }
        let State { sent, ties, .. } = state;
        if sent.is_empty() {
            return match ties {
                Ties::Random => {
                    ports[least_drawn(ports.len(), rng.draw(), |at| queues.depth(ports[at]).bytes)]
                }
                _ => ties.in_turn(hops, |from| queues.shortest(ports, from)),
            };
        }
        let load = |at: usize| sent[ports[at].index()];
        let port = match ties {
            Ties::Random => ports[least_drawn(ports.len(), rng.draw(), load)],
            _ => ties.in_turn(hops, |from| least(ports.len(), from, load)),
        };
        count(sent, port, u32::from(pkt.wire), state.limit);
        port
    }
}

impl Ties {
    /// The hop whose place among them is the least from a place on, which `least` says.
    #[inline]
    fn in_turn(&mut self, hops: Hops<'_>, least: impl FnOnce(usize) -> usize) -> PortId {
        let Ties::Turn(turns) = self else {
            return hops.ports[least(0)];
        };
        let turn = turn_of(turns, hops.set);
        let at = least(usize::from(*turn));
        *turn = at as u16 + 1;
        hops.ports[at]
    }
}

/// The place kept for `set`.
#[inline]
fn turn_of(turns: &mut Vec<u16>, set: u32) -> &mut u16 {
    let set = set as usize;
    if set >= turns.len() {
        make_room(turns, set);
    }
    &mut turns[set]
}

#[cold]
fn make_room(turns: &mut Vec<u16>, set: usize) {
    turns.resize(set + 1, 0);
}

#[cfg(test)]
mod tests;
