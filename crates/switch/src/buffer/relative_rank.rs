//! Standing of a packet among others by its rank, for policies that admit by it.

use crate::Queues;
use sidestep_types::{Fraction, Packet, ParamUnit, PortId, Refusal, Setting, Value};

/// Standing as a fraction, `part` of `whole`: 0 is more urgent than all others, 1 less urgent than all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct RelativeRank {
    pub part: u32,
    /// Denominator, above 0.
    pub whole: u32,
}

impl RelativeRank {
    /// Standing of a packet that is more urgent than all others.
    pub const FIRST: RelativeRank = RelativeRank { part: 0, whole: 1 };
    /// Standing of a packet that is less urgent than all others.
    pub const LAST: RelativeRank = RelativeRank { part: 1, whole: 1 };

    /// Formats the standing with three decimal places, rounded down.
    pub fn words(self) -> String {
        let thousandths = u64::from(self.part) * 1000 / u64::from(self.whole);
        format!("{}.{:03}", thousandths / 1000, thousandths % 1000)
    }
}

/// Estimator of the standing of packets at each queue.
pub(super) trait RankEstimator {
    /// Returns the standing of `pkt` among the packets of `port`.
    fn of(&self, pkt: &Packet, port: PortId, queues: &mut dyn Queues) -> RelativeRank;
    /// Records that the queue of `port` was considered for `pkt`, which it may accept or not.
    fn see(&mut self, pkt: &Packet, port: PortId);
    /// Explains in a clause how a standing was computed.
    fn why(&self, standing: RelativeRank) -> String;
}

/// Setting of a share, at most 1, as two numbers of 32 bits.
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
            _ => {
                refuse("must be a fraction of two 32-bit numbers, or a decimal of at most 9 digits")
            }
        }
    }
}
