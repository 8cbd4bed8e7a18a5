//! Weighted processor sharing between classes: a class has as much of the link as it has flows, by an operator's weight.
//!
//! **Decision**     deficit round robin ([`super::drr`]). Of the classes that wait when a round begins, the one with the
//!                  largest product of live flows and weight has the quantum, the others their part of it.
//! **State**        a queue, a deficit and a count of flows ([`super::flows`]) for each class.
//! **Units**        bytes of link time; a quantum is rounded down, and has a byte at the least.
//! **Errors**       a count that is off, a weight of 0, and more weights than classes are refused.
//! **Source**       Mushtaq et al., SIGCOMM 2014 (MulBuff), section 2: capacity in proportion to ongoing flows and
//!                  operator's weights; Shreedhar and Varghese, SIGCOMM 1995, for how.
//! **Deviations**   the paper does not say how shares come about; deficit round robin is *assumed*. A class without a
//!                  flow in the count (acknowledgements alone, or a count that lags) weighs as one flow, or it would starve.

use super::Sched;
use super::classes::{ClassCount, Classes, MOST, NATURE, of_classes};
use super::drr::{Drr, Quantum};
use super::flows::{Count, CountBy, Counting};
use crate::{Class, Nature, Policy};
use sidestep_types::{About, Counts, Packet, Refusal, Settings, Time};

/// Parts by flows and weights.
#[derive(Debug)]
#[repr(C)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Wps {
    pub(super) classes: Classes,
    pub(super) drr: Drr,
    weights: [u16; MOST],
}

/// The largest weight: times the flows and the quantum there can be it stays inside 64 bits.
const LARGEST: u16 = 10_000;

/// Settings of [`Wps`].
#[derive(Clone, Settings)]
pub struct WpsSettings {
    #[setting(flatten)]
    classes: ClassCount,
    #[setting(flatten)]
    quantum: Quantum,
    /// what one flow of each class weighs, from class 0 on, like "4 1"; the last is that of the classes behind it;
    /// assumed
    #[setting(default = "1")]
    weights: Counts,
    /// how flows are counted, for policies that go by their number; the paper does not say
    #[setting(default = "exact", off = "off")]
    count: Option<Count>,
    #[setting(flatten)]
    by: CountBy,
}

impl Policy for Wps {
    type Settings = WpsSettings;
    const ABOUT: About = About {
        name: "wps",
        summary: "classes share the link by how many flows they have and an operator's weights",
        source: "Mushtaq et al., SIGCOMM 2014 (MulBuff)",
    };
    const NATURE: Nature = NATURE;

    fn build(settings: WpsSettings, ports: u16, _: u64) -> Result<Wps, Refusal> {
        let WpsSettings { count, by, .. } = settings;
        let classes = Classes::build(settings.classes, Counting { count, by }, ports)?;
        if !classes.counts() {
            let expected =
                "weights follow the number of flows: count must be \"exact\" or \"approximate\"";
            return Err(Refusal::about(&["count"], expected).got("\"off\""));
        }
        Ok(Wps {
            weights: weights(&settings.weights.0, classes.len())?,
            classes,
            drr: Drr::new(settings.quantum),
        })
    }
}

/// The weight of each class.
fn weights(given: &[u64], classes: usize) -> Result<[u16; MOST], Refusal> {
    if given.len() > classes {
        let (given, expected) = (
            given.len(),
            format!("at most {classes} weights, one a class"),
        );
        return Err(Refusal::about(
            &["weights", "classes"],
            format!("expected {expected}, got {given}"),
        ));
    }
    let mut weights = [1; MOST];
    for (class, weight) in weights.iter_mut().enumerate() {
        // The last stands for all classes behind it.
        let given = given[class.min(given.len() - 1)];
        *weight = match u16::try_from(given) {
            Ok(one @ 1..=LARGEST) => one,
            _ => {
                let expected = format!("must be from 1 to {LARGEST}");
                return Err(Refusal::of("weights", expected).got(given));
            }
        };
    }
    Ok(weights)
}

/// What a class weighs now.
fn weight(weights: &[u16; MOST], classes: &Classes, class: usize) -> u64 {
    u64::from(classes.flows(class).max(1)) * u64::from(weights[class])
}

impl Sched for Wps {
    of_classes!();

    #[inline]
    fn pop(&mut self) -> Option<u32> {
        let weights = &self.weights;
        let weight = |classes: &Classes, class| weight(weights, classes, class);
        self.drr.pop(&mut self.classes, weight)
    }

    fn why(&self, pkt: &Packet) -> String {
        let weight = |classes: &Classes, class| weight(&self.weights, classes, class);
        self.drr.why(&self.classes, pkt, weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::data;
    use sidestep_types::{FlowId, Value, Values};

    /// How many of 240 packets are of class 0, with so many flows there, two in class 1, and all waiting.
    fn of_class_0(short: u32, weights: &[u64]) -> usize {
        let mut values = Values::defaults(Wps::ENTRY.params);
        values.set("weights", Value::Counts(weights.to_vec()));
        let mut sched = Wps::from_values(&values, 4, 0).unwrap();
        for n in 0..600 {
            for (service, flows) in [(0, short), (1, 2)] {
                let mut pkt = data();
                (pkt.wire, pkt.flow) = (1538, FlowId(u32::from(service) * 100 + n % flows));
                pkt.set_service(service);
                sched.see(&pkt, Time::ZERO);
                sched.push(&pkt, u32::from(service));
            }
        }
        (0..240).filter(|_| sched.pop() == Some(0)).count()
    }

    /// MulBuff's crossing: a short flow beside two long ones has a third, where `ps` gives it a half.
    #[test]
    fn a_class_has_as_much_as_it_has_flows_by_its_weight() {
        for (short, weights, expected) in [
            (1, &[1][..], 80),
            (2, &[1], 120),
            (4, &[1], 160),
            (10, &[7, 7], 200),
            (1, &[2, 1], 120),
            (4, &[1, 2], 120),
        ] {
            let got = of_class_0(short, weights);
            assert!(got.abs_diff(expected) <= 1, "{short} {weights:?}: {got}");
        }
    }

    #[test]
    fn a_flow_that_leaves_takes_its_part_along() {
        let mut sched = Wps::build(WpsSettings::defaults(), 4, 0).unwrap();
        let mut push = |flow: u32, service: u8, ends| {
            let mut pkt = data();
            (pkt.wire, pkt.flow) = (1538, FlowId(flow));
            pkt.set_service(service);
            pkt.set_ends(ends);
            sched.see(&pkt, Time::ZERO);
            sched.push(&pkt, u32::from(service));
        };
        for flow in 0..3 {
            push(flow, 0, true);
        }
        (0..9).for_each(|_| push(9, 1, false));
        (0..9).for_each(|_| push(3, 0, false));
        let order: Vec<u32> = std::iter::from_fn(|| sched.pop()).take(14).collect();
        // Of a packet, class 1 earns a quarter, a third and a half, and then all of one.
        assert_eq!(order, [0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
    }
}
