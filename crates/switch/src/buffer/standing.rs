//! Where a packet stands among others by its rank, for policies that admit by it.

use crate::Queues;
use sidestep_types::{Packet, PortId, Refusal, Values};

/// A share from 0, more urgent than all, to 1: `part` of `whole`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Standing {
    pub part: u32,
    /// Above 0.
    pub whole: u32,
}

impl Standing {
    /// More urgent than all.
    pub const FIRST: Standing = Standing { part: 0, whole: 1 };
    /// Less urgent than all.
    pub const LAST: Standing = Standing { part: 1, whole: 1 };

    /// As a number with three places, rounded down.
    pub fn words(self) -> String {
        let thousandths = u64::from(self.part) * 1000 / u64::from(self.whole);
        format!("{}.{:03}", thousandths / 1000, thousandths % 1000)
    }
}

/// How the standing of a packet at a queue is told.
pub(super) trait Standings {
    /// Where `pkt` stands among the packets of `port`.
    fn of(&self, pkt: &Packet, port: PortId, queues: &mut dyn Queues) -> Standing;
    /// The queue of `port` has been asked about `pkt`, which it may take or not.
    fn see(&mut self, pkt: &Packet, port: PortId);
    /// How a standing came about, in a clause.
    fn why(&self, standing: Standing) -> String;
}

/// The fraction called `name`, at most 1, as two numbers of 32 bits.
pub(super) fn fraction(values: &Values, name: &'static str) -> Result<(u32, u32), Refusal> {
    let (above, below) = values.fraction(name);
    let got = |refusal: Refusal| refusal.got(format!("{above}/{below}"));
    if above > below {
        return Err(got(Refusal::of(name, "must be at most 1")));
    }
    match (u32::try_from(above), u32::try_from(below)) {
        (Ok(above), Ok(below)) => Ok((above, below)),
        _ => Err(got(Refusal::of(
            name,
            "must have at most 9 digits, or be a fraction of numbers of 32 bits",
        ))),
    }
}
