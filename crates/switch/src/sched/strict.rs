//! Strict priority by class: the lowest class that waits goes first.
//!
//! **Decision**     the oldest packet of the lowest class of service that waits.
//! **State**        a queue for each class; a count of flows where one is asked for ([`super::flows`]).
//! **Units**        bytes of link time of what waits.
//! **Errors**       none.
//! **Source**       IEEE 802.1Q, strict priority.
//! **Deviations**   class 0 goes first, as short flows have the lowest class here; in 802.1Q 7 does.

use super::Sched;
use super::classes::{ClassCount, Classes, NATURE, of_classes};
use super::flows::Counting;
use crate::why::count;
use crate::{Class, Nature, Policy};
use sidestep_types::{About, Packet, Refusal, Settings, Time};

/// The lowest class first.
#[derive(Debug)]
#[repr(C)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Strict {
    pub(super) classes: Classes,
}

/// Settings of [`Strict`].
#[derive(Clone, Settings)]
pub struct StrictSettings {
    #[setting(flatten)]
    classes: ClassCount,
    #[setting(flatten)]
    flows: Counting,
}

impl Policy for Strict {
    type Settings = StrictSettings;
    const ABOUT: About = About {
        name: "strict",
        summary: "class by class of service, the lowest first",
        source: "IEEE 802.1Q",
    };
    const NATURE: Nature = NATURE;

    fn build(settings: StrictSettings, ports: u16, _: u64) -> Result<Strict, Refusal> {
        let classes = Classes::build(settings.classes, settings.flows, ports)?;
        Ok(Strict { classes })
    }
}

impl Sched for Strict {
    of_classes!();

    #[inline]
    fn pop(&mut self) -> Option<u32> {
        let lowest = self.classes.waiting().next()?;
        Some(self.classes.pop(lowest)?.handle)
    }

    fn why(&self, pkt: &Packet) -> String {
        let class = self.classes.of(pkt.service());
        let waits = |class: usize| u64::from(self.classes.queue(class as u8).depth.packets);
        let before: u64 = (0..=class).map(waits).sum();
        format!(
            "it is of class {class}: {} that wait in it and in lower classes leave first, and of lower ones what is still to come",
            count(before)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::data;

    #[test]
    fn the_lowest_class_goes_first_and_each_keeps_its_order() {
        let mut sched = Strict::build(StrictSettings::defaults(), 4, 0).unwrap();
        for (handle, service) in [1, 0, 5, 1, 0].into_iter().enumerate() {
            let mut pkt = data();
            pkt.set_service(service);
            sched.push(&pkt, handle as u32);
        }
        let waits = |sched: &Strict| [0, 1, 5].map(|class| sched.queue(class).depth.packets);
        assert_eq!(waits(&sched), [2, 3, 3], "5 waits in the last");
        let order: Vec<u32> = std::iter::from_fn(|| sched.pop()).collect();
        assert_eq!(order, [1, 4, 0, 2, 3]);
        assert_eq!(waits(&sched), [0; 3]);
        assert!(sched.passes() && !sched.counts());
    }
}
