//! Processor sharing between classes: each class that waits has an equal part of the link.
//!
//! **Decision**     deficit round robin ([`super::drr`]) with one quantum for all classes.
//! **State**        a queue and a deficit for each class; a count of flows where one is asked for ([`super::flows`]).
//! **Units**        bytes of link time.
//! **Errors**       none.
//! **Source**       Mushtaq et al., SIGCOMM 2014 (MulBuff), figure 1 (b), for processor sharing between two queues;
//!                  Shreedhar and Varghese, SIGCOMM 1995, for how.
//! **Deviations**   the paper does not say how its queues share; deficit round robin is *assumed*.

use super::Sched;
use super::classes::{ClassCount, Classes, NATURE, of_classes};
use super::drr::{Drr, Quantum};
use super::flows::Counting;
use crate::{Class, Nature, Policy};
use sidestep_types::{About, Packet, Refusal, Settings, Time};

/// Equal parts.
#[derive(Debug)]
#[repr(C)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ps {
    pub(super) classes: Classes,
    pub(super) drr: Drr,
}

/// Settings of [`Ps`].
#[derive(Clone, Settings)]
pub struct PsSettings {
    #[setting(flatten)]
    classes: ClassCount,
    #[setting(flatten)]
    quantum: Quantum,
    #[setting(flatten)]
    flows: Counting,
}

impl Policy for Ps {
    type Settings = PsSettings;
    const ABOUT: About = About {
        name: "ps",
        summary: "classes share the link equally, by deficit round robin",
        source: "Mushtaq et al., SIGCOMM 2014 (MulBuff)",
    };
    const NATURE: Nature = NATURE;

    fn build(settings: PsSettings, ports: u16, _: u64) -> Result<Ps, Refusal> {
        Ok(Ps {
            classes: Classes::build(settings.classes, settings.flows, ports)?,
            drr: Drr::new(settings.quantum),
        })
    }
}

impl Sched for Ps {
    of_classes!();

    #[inline]
    fn pop(&mut self) -> Option<u32> {
        self.drr.pop(&mut self.classes, |_, _| 1)
    }

    fn why(&self, pkt: &Packet) -> String {
        self.drr.why(&self.classes, pkt, |_, _| 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::data;

    #[test]
    fn classes_alternate_however_much_waits_in_each() {
        let mut sched = Ps::build(PsSettings::defaults(), 4, 0).unwrap();
        for (handle, service) in [0, 0, 0, 1, 1, 0].into_iter().enumerate() {
            let mut pkt = data();
            pkt.wire = 1538;
            pkt.set_service(service);
            sched.push(&pkt, handle as u32);
        }
        let order: Vec<u32> = std::iter::from_fn(|| sched.pop()).collect();
        assert_eq!(order, [0, 3, 1, 4, 2, 5]);
        assert!(sched.passes() && !sched.counts());
    }
}
