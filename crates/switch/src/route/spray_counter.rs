//! Spraying by counters: every packet takes the next hop by which the fewest bytes were sent.
//!
//! **Decision**     the smallest counter among the next hops, by [`least`] or, with `ties = "random"`,
//!                  [`least_drawn`]; then that counter grows by the packet ([`count`]). `by = "queued"`
//!                  compares queues instead, and counts nothing. With one next hop nothing is compared or
//!                  counted.
//! **State**        a counter per port, shared by all sets of next hops; with `ties = "turn"` an index per set.
//!                  One draw with `ties = "random"`.
//! **Units**        bytes of link time; with `by = "queued"` bytes of queue, the packet on the wire included.
//! **Errors**       refuses a `limit` of 0 or above 1 GiB.
//! **Source**       Dixit, Prakash, Kompella, Purdue technical report 2011 (PLTS), section III-A2: CNT. Section
//!                  IV-B1 speaks of "the smallest queue" instead: `by = "queued"`.
//! **Deviations**   the report has no rule for ties, which with equal packets most decisions are, and does not
//!                  mention packets with one next hop. *Assumed*: all values of `ties`; that packets with one
//!                  next hop are not counted; that packets routed by `acks = "ecmp"` are not counted. A packet
//!                  that is dropped at the port it was sent to is counted. Counters are relative to a base
//!                  shared by all ports of the switch, so that none ever exceeds `limit` (*assumed*): see
//!                  [`count`].

use super::acks::{Acks, AcksSettings};
use super::{Hops, Route};
use crate::least::least;
use crate::why::{SwitchSnapshot, bytes, listed};
use crate::{Nature, Policy, Queues};
use sidestep_types::{About, Bytes, Packet, PortId, Refusal, Rng, Settings, Words, scale};

/// Route that takes, per packet, the next hop with the fewest bytes.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SprayCounter(Box<State>);

/// State in one cache line.
#[derive(Debug)]
#[repr(align(64))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct State {
    /// Bytes sent by each port since the base, by packets that had a choice; empty if queues are compared.
    sent: Box<[u32]>,
    limit: u32,
    ties: Ties,
    acks: Acks,
}

/// Tie-break among equal next hops.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Ties {
    /// Index after the hop last taken, for each set of next hops.
    Turn(Vec<u16>),
    First,
    Random,
}

/// Largest `limit`: 1 GiB, so that no sum overflows 32 bits.
const MOST: u32 = 1 << 30;

/// Returns the index of the smallest of `many` loads; among `n` equal ones, number `⌊draw·n / 2³²⌋`.
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

/// Counts `bytes` at `port`, which had the smallest counter of its next hops. No counter exceeds `limit` before
/// or after.
///
/// If this counter would exceed it, the base of all counters of the switch rises to its old value: that value
/// is subtracted from every counter, and smaller counters become 0. The other next hops of the packet had at
/// least as much, so their differences stay exact, and so do the differences between any counters that are not
/// smaller. Lost is how far smaller counters were behind, which matters if sets overlap: no port is ever owed
/// more than `limit`. Ports of sets without a port in common with this one lose only the differences among
/// them, which are below one packet. A packet counts for at most `limit`.
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

/// Raises the base of all counters by `least`. Rare: once per `limit` bytes of a port.
#[cold]
fn rebase(counters: &mut [u32], least: u32) {
    for counter in counters {
        *counter = counter.saturating_sub(least);
    }
}

/// Settings of [`SprayCounter`].
#[derive(Clone, Settings)]
pub struct SprayCounterSettings {
    /// bytes to compare: those sent so far (section III-A2), or those that wait (section IV-B1)
    #[setting(default = "sent")]
    by: By,
    /// tie-break among equal next hops: the one after the hop last taken, the first, or a random one; assumed
    #[setting(default = "turn")]
    ties: TiesGo,
    /// largest value of a counter, and so the most bytes that a next hop is owed; assumed
    #[setting(default = "1 MB", beside(by = "sent"))]
    limit: Bytes,
    #[setting(flatten)]
    acks: AcksSettings,
}

/// Bytes to compare.
#[derive(Clone, Copy, Words)]
enum By {
    Sent,
    Queued,
}

/// Tie-break among equal next hops.
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

    // Not inlined: in one frame with the others, each route would save the registers of all.
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

    fn why(&self, snapshot: &mut SwitchSnapshot<'_>, hops: Hops<'_>, taken: PortId) -> String {
        let state = &*self.0;
        if let Some(why) = state.acks.why(snapshot, hops, taken) {
            return why;
        }
        let equal = match state.ties {
            Ties::Turn(_) => "taking turns",
            Ties::First => "the first",
            Ties::Random => "a draw",
        };
        if state.sent.is_empty() {
            let depths = snapshot.depths(hops.ports.iter().copied());
            return format!("the shortest queue, ties broken by {equal}; {depths}");
        }
        let each = hops.ports.iter().map(|port| {
            let sent = bytes(state.sent[port.index()]);
            format!("{} {sent}", (snapshot.name)(*port))
        });
        let each = listed(each.collect());
        format!(
            "the fewest bytes sent so far, ties broken by {equal}; counters including this packet: \
             {each}"
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
    /// Returns the hop whose index `least` returns; `least` receives the index at which the search begins.
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

/// Returns the stored index of `set`.
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
