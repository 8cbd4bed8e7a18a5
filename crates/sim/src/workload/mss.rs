//! Segment size of flows: the transport's, or a flow's own.
//!
//! **Decision**     every flow of a workload has the payload of a full segment drawn uniformly from
//!                  `mss`, both ends included; one number applies to all. A flow of a list with its
//!                  own size keeps it.
//! **State**        one stream, `mss`, read once a flow in their order: no other draw moves.
//! **Units**        payload bytes.
//! **Errors**       less than a byte, or more than a transport's own `mss` may have. The limits of the switches
//!                  and of
//!                  the receive window of a run are checked where those are known.

use crate::plan::FlowPlan;
use sidestep_transport::LONGEST_SEGMENT;
use sidestep_types::{ByteRange, ParamUnit, Refusal, Rng, Setting, Settings, Value};
use std::num::NonZeroU16;

/// The setting of every workload, beside its own.
#[derive(Settings)]
pub(super) struct OfEvery {
    /// payload of a full segment of each flow, drawn uniformly, both ends included; by default the transport's
    #[setting(default = "transport", off = "transport")]
    pub mss: Option<Mss>,
}

/// Least and most bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mss {
    least: u16,
    most: u16,
}

impl Setting for Mss {
    const UNIT: ParamUnit = ByteRange::UNIT;

    fn read(name: &'static str, value: &Value) -> Result<Mss, Refusal> {
        let ByteRange(least, most) = ByteRange::read(name, value)?;
        let mut ends = [least, most].into_iter();
        if let Some(wrong) = ends.find(|n| !(1..=LONGEST_SEGMENT).contains(n)) {
            let expected = format!("must be between 1 B and {LONGEST_SEGMENT} B");
            return Err(Refusal::of(name, expected).got(format!("{wrong} B")));
        }
        let (least, most) = (least as u16, most as u16);
        Ok(Mss { least, most })
    }
}

impl Mss {
    pub fn most(self) -> u16 {
        self.most
    }

    /// Draws a size for each of `flows` that has none.
    pub fn draw(self, flows: &mut [FlowPlan], rng: &mut Rng) {
        let wide = u64::from(self.most - self.least) + 1;
        for flow in flows {
            let drawn = self.least + rng.below(wide) as u16;
            flow.mss = flow.mss.or(NonZeroU16::new(drawn));
        }
    }

    /// Returns representative sizes: each one, or the middles of equal parts of a wide range.
    pub fn samples(self) -> impl Iterator<Item = u32> {
        const PARTS: u64 = 256;
        let wide = u64::from(self.most - self.least) + 1;
        let parts = wide.min(PARTS);
        let middle = move |part: u64| (2 * part + 1) * wide / (2 * parts);
        (0..parts).map(move |part| u32::from(self.least) + middle(part) as u32)
    }
}
