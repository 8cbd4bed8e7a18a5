//! Round robin: the packets of a flow take the next hops in turn.
//!
//! **Decision**     the hop at the pointer of the packet's flow, destination, prefix or switch. After `burst`
//!                  packets the pointer moves to the [`next`]. With one next hop the pointer does not move.
//! **State**        a pointer per place of a table, indexed by a hash of the flow or the destination, or a
//!                  pointer per prefix, or a single one. With `burst` or `shuffle` 10 bytes more for each. One
//!                  draw per shuffle.
//! **Units**        packets; indices in the list of next hops.
//! **Errors**       refuses a `table` that is not a power of two up to 65,536, and a `burst` or `shuffle` of 0
//!                  or above 65,535.
//! **Source**       Dixit, Prakash, Kompella, Purdue technical report 2011 (PLTS), section III-A3: RR. It
//!                  describes `per = "destination"` for commercial switches, and proposes `per = "prefix"`
//!                  without measuring it. `burst` stands for the FLARE variants of its section V.
//! **Deviations**   the report keeps a pointer for each flow. Here flows whose hashes select the same place
//!                  share it, and a place is never freed: `table` is *assumed*. The report does not say where a
//!                  flow begins: with `start = "drawn"` (*assumed*) a flow in a new place begins where ECMP
//!                  would send it. Against flows in lockstep the report asks for "a little bit of randomness"
//!                  without details: `shuffle` is *assumed*, and draws one of the orders with a constant stride
//!                  ([`order`]).

use super::acks::{Acks, AcksSettings};
use super::table::Places;
use super::{Hops, Route};
use crate::why::{SwitchSnapshot, packets};
use crate::{Nature, Policy, Queues};
use sidestep_types::{About, Packet, PortId, Refusal, Rng, Settings, Words, mix64, scale};

/// Route that takes the next hops in turn.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SprayRr(Box<State>);

/// State in one cache line, for every path of a packet through the route.
#[derive(Debug)]
#[repr(align(64))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct State {
    /// Hop of the next packet in each place, or [`NEW`].
    next: Vec<u16>,
    per: Per,
    salt: u64,
    acks: Acks,
    /// Initial hop of a place: the first one, or [`NEW`].
    begin: u16,
    /// Further state of each place, if there are bursts or shuffles.
    turns: Option<Box<Turns>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Per {
    Flow,
    Destination,
    Prefix,
    Switch,
}

/// Hop of a place that has seen no packet and begins at a drawn hop.
const NEW: u16 = u16::MAX;

/// Returns the index after `at` among `many` next hops, cyclically. Hardware needs a comparison and no
/// division.
#[inline]
pub fn next(at: u16, many: u16) -> u16 {
    step(at, 1, many)
}

/// Returns the index `stride` after `at`, cyclically; both are below `many`.
#[inline]
pub fn step(at: u16, stride: u16, many: u16) -> u16 {
    let to = u32::from(at) + u32::from(stride);
    let many = u32::from(many);
    (if to < many { to } else { to - many }) as u16
}

/// Returns an order of `many` next hops from one draw: the first hop, from all of the draw, and the stride to
/// each next one, from its low 16 bits. The stride has no divisor in common with `many`, so that a round visits
/// each hop once.
pub fn order(draw: u32, many: u16) -> (u16, u16) {
    let which = scale(draw << 16, strides(many).count() as u32);
    let stride = strides(many).nth(which as usize).unwrap_or(1);
    (scale(draw, u32::from(many)) as u16, stride)
}

/// Returns the strides by which a round visits each of `many` next hops once, in rising order.
pub fn strides(many: u16) -> impl Iterator<Item = u16> {
    (1..many.max(2)).filter(move |stride| gcd(*stride, many) == 1)
}

fn gcd(a: u16, b: u16) -> u16 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// State of bursts and shuffles.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Turns {
    /// Packets that a hop gets in one turn.
    burst: u16,
    /// Rounds in one order; 0 if the order never changes.
    rounds: u16,
    of: Vec<Turn>,
}

/// State of a place with bursts or shuffles; all 0 for a new place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Turn {
    /// Packets that the current hop has had in this turn.
    packets: u16,
    stride: u16,
    /// Number of next hops in the order.
    many: u16,
    /// Turns left in the round.
    turns: u16,
    /// Rounds left in the order.
    rounds: u16,
}

/// Most packets in a turn, and most rounds in an order.
const MOST: u64 = u16::MAX as u64;

/// Settings of [`SprayRr`].
#[derive(Clone, Settings)]
pub struct SprayRrSettings {
    /// scope of the turns: each flow, destination host or prefix, or all packets of the switch together
    #[setting(default = "flow")]
    per: Per,
    /// places in the table, a power of two up to 65536; flows or destinations with the same place share it;
    /// assumed
    #[setting(default = "1024", beside(per = "flow" | "destination"))]
    table: Places,
    /// first next hop of a new place: the one that ECMP would take, or the first for all; assumed
    #[setting(default = "drawn")]
    start: Start,
    /// rounds after which the order of the next hops is drawn anew; assumed
    #[setting(default = "off", off = "off", range = 1..=MOST)]
    shuffle: Option<u16>,
    /// packets that a next hop gets in one turn
    #[setting(default = "1", range = 1..=MOST)]
    burst: u16,
    #[setting(flatten)]
    acks: AcksSettings,
}

/// First hop of a new place.
#[derive(Clone, Copy, Words)]
enum Start {
    Drawn,
    First,
}

impl Policy for SprayRr {
    type Settings = SprayRrSettings;
    const ABOUT: About = About {
        name: "spray-rr",
        summary: "the packets of each flow take the next hops in turn",
        source: "PLTS section III-A3: RR",
    };
    const NATURE: Nature = Nature {
        reorders: true,
        remembers: true,
        draws: 1,
        ..Nature::PLAIN
    };

    fn build(settings: SprayRrSettings, _: u16, salt: u64) -> Result<SprayRr, Refusal> {
        let places = match settings.per {
            Per::Flow | Per::Destination => settings.table.0,
            Per::Prefix | Per::Switch => 1,
        };
        let begin = match settings.start {
            Start::First => 0,
            Start::Drawn => NEW,
        };
        let turns = (settings.burst > 1 || settings.shuffle.is_some()).then(|| {
            Box::new(Turns {
                burst: settings.burst,
                rounds: settings.shuffle.unwrap_or(0),
                of: vec![Turn::default(); places],
            })
        });
        Ok(SprayRr(Box::new(State {
            next: vec![begin; places],
            per: settings.per,
            salt,
            acks: Acks::new(settings.acks, salt),
            begin,
            turns,
        })))
    }
}

impl Route for SprayRr {
    // Not inlined: in one frame with the others, each route would save the registers of all.
    #[inline(never)]
    fn pick(&mut self, pkt: &Packet, hops: Hops<'_>, _: &mut dyn Queues, rng: &mut Rng) -> PortId {
        let ports = hops.ports;
        if let [only] = ports {
            return *only;
        }
        let state = &mut *self.0;
        if let Some(port) = state.acks.hop(pkt, ports) {
            return port;
        }
        let place = state.place(pkt, hops);
        if place >= state.next.len() {
            state.make_room(place);
        }
        let many = ports.len() as u16;
        let mut at = state.next[place];
        if at >= many {
            at = state.begin(at, pkt, hops);
        }
        state.next[place] = match &mut state.turns {
            None => next(at, many),
            Some(turns) => turns.advance(place, at, many, rng),
        };
        ports[usize::from(at)]
    }

    fn why(&self, snapshot: &mut SwitchSnapshot<'_>, hops: Hops<'_>, taken: PortId) -> String {
        let state = &*self.0;
        if let Some(why) = state.acks.why(snapshot, hops, taken) {
            return why;
        }
        let place = state.place(snapshot.packet, hops);
        let of = state.next.len();
        let whose = match state.per {
            Per::Flow => format!("its flow (table entry {place} of {of})"),
            Per::Destination => format!("its destination (table entry {place} of {of})"),
            Per::Prefix => format!("its prefix (table entry {place})"),
            Per::Switch => "this switch".into(),
        };
        let at = hops.ports.iter().position(|port| *port == taken);
        let burst = state.turns.as_ref().map_or(1, |turns| turns.burst);
        format!(
            "next hop {} of {} is next in the round robin of {whose}; each gets {} per turn",
            at.map_or(0, |at| at + 1),
            hops.ports.len(),
            packets(burst)
        )
    }
}

impl State {
    /// Returns the key of the packet's pointer.
    #[inline]
    fn key(&self, pkt: &Packet, hops: Hops<'_>) -> u32 {
        match self.per {
            Per::Flow => pkt.hash,
            Per::Destination => pkt.dst.0,
            Per::Prefix => hops.prefix,
            Per::Switch => 0,
        }
    }

    /// Mixes the key and the salt; for a flow, the result is that of ECMP.
    #[inline]
    fn mixed(&self, key: u32) -> u64 {
        mix64(self.salt ^ u64::from(key))
    }

    #[inline]
    fn place(&self, pkt: &Packet, hops: Hops<'_>) -> usize {
        let key = self.key(pkt, hops);
        match self.per {
            Per::Flow | Per::Destination => self.mixed(key) as usize & (self.next.len() - 1),
            Per::Prefix | Per::Switch => key as usize,
        }
    }

    /// Returns the first hop of a packet whose place stores `at`, which is none of its hops: the place is new,
    /// or belongs to a flow with more next hops.
    #[cold]
    fn begin(&self, at: u16, pkt: &Packet, hops: Hops<'_>) -> u16 {
        if at != NEW {
            return 0;
        }
        let mixed = self.mixed(self.key(pkt, hops));
        scale((mixed >> 32) as u32, hops.ports.len() as u32) as u16
    }

    #[cold]
    fn make_room(&mut self, place: usize) {
        self.next.resize(place + 1, self.begin);
        if let Some(turns) = &mut self.turns {
            turns.of.resize(place + 1, Turn::default());
        }
    }
}

impl Turns {
    /// Returns the hop of the next packet of `place`, after one that took hop `at` of `many`.
    #[inline(never)]
    fn advance(&mut self, place: usize, at: u16, many: u16, rng: &mut Rng) -> u16 {
        let turn = &mut self.of[place];
        if turn.many != many {
            turn.meet(many, self.rounds);
        }
        turn.packets += 1;
        if turn.packets < self.burst {
            return at;
        }
        turn.packets = 0;
        turn.turns -= 1;
        let round_over = turn.turns == 0;
        if round_over {
            turn.turns = many;
            turn.rounds = turn.rounds.saturating_sub(1);
        }
        if !round_over || self.rounds == 0 || turn.rounds > 0 {
            return step(at, turn.stride, many);
        }
        turn.rounds = self.rounds;
        let (at, stride) = order(rng.draw(), many);
        turn.stride = stride;
        at
    }
}

impl Turn {
    /// Adapts the place to a packet with `many` next hops, if it is new or had another number of them. Hops are
    /// in the order of the ports until the next shuffle, which is not delayed.
    fn meet(&mut self, many: u16, rounds: u16) {
        let new = self.many == 0;
        *self = Turn {
            packets: self.packets,
            stride: 1,
            many,
            turns: if new { many } else { self.turns.min(many) },
            rounds: if new { rounds } else { self.rounds },
        };
    }
}

#[cfg(test)]
mod tests;
