//! Where a packet stands among others by its rank, for policies that admit by it.

use crate::Queues;
use sidestep_types::{Fraction, Packet, ParamUnit, PortId, Refusal, Setting, Value};

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

/// A setting that is a share, at most 1: two numbers of 32 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    pub above: u32,
    pub below: u32,
}

impl Setting for Share {
    const UNIT: ParamUnit = ParamUnit::Fraction;

    fn read(name: &'static str, value: &Value) -> Result<Share, Refusal> {
        let Fraction(above, below) = Fraction::read(name, value)?;
        let refuse = |expected| Err(Refusal::of(name, expected).got(format!("{above}/{below}")));
        if above > below {
            return refuse("must be at most 1");
        }
        match (u32::try_from(above), u32::try_from(below)) {
            (Ok(above), Ok(below)) => Ok(Share { above, below }),
            _ => refuse("must have at most 9 digits, or be a fraction of numbers of 32 bits"),
        }
    }
}
