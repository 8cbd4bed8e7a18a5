//! Weighted processor sharing between classes: the share of a class is its number of flows times an operator's
//! weight.
//!
//! **Decision**     deficit round robin ([`super::drr`]). Among the classes that wait when a round begins, the
//!                  one with the largest product of live flows and weight gets the quantum, each other class
//!                  its proportion of it.
//! **State**        a queue, a deficit and a count of flows ([`super::flows`]) per class.
//! **Units**        bytes of link time; a quantum is rounded down and is at least a byte.
//! **Errors**       refuses a count that is off, a weight of 0, and more weights than classes.
//! **Source**       Mushtaq et al., SIGCOMM 2014 (MulBuff), section 2: capacity in proportion to ongoing flows
//!                  and operator's weights; Shreedhar and Varghese, SIGCOMM 1995, for the algorithm.
//! **Deviations**   the paper does not define how shares are made; deficit round robin is *assumed*. A class
//!                  without a counted flow (acknowledgements alone, or a count that lags) weighs as one flow,
//!                  or it would starve.

use super::Sched;
use super::classes::{ClassCount, Classes, MOST, NATURE, of_classes};
use super::drr::{Drr, Quantum};
use super::flows::{Count, CountBy, Counting};
use crate::{Class, Nature, Policy};
use sidestep_types::{About, Counts, Packet, Refusal, Settings, Time};

/// Class queues that share the link by flows and weights.
#[derive(Debug)]
#[repr(C)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Wps {
    pub(super) classes: Classes,
    pub(super) drr: Drr,
    weights: [u16; MOST],
}

/// Largest weight. Its product with the largest number of flows and the largest quantum fits in 64 bits.
const LARGEST: u16 = 10_000;

/// Settings of [`Wps`].
#[derive(Clone, Settings)]
pub struct WpsSettings {
    #[setting(flatten)]
    classes: ClassCount,
    #[setting(flatten)]
    quantum: Quantum,
    /// weight of one flow in each class, from class 0 on, like "4 1"; the last one holds for all further
    /// classes; assumed
    #[setting(default = "1")]
    weights: Counts,
    /// method of counting flows, for policies that use their number; the paper does not say
    #[setting(default = "exact", off = "off")]
    count: Option<Count>,
    #[setting(flatten)]
    by: CountBy,
}

impl Policy for Wps {
    type Settings = WpsSettings;
    const ABOUT: About = About {
        name: "wps",
        summary: "classes share the link by their number of flows times an operator's weight",
        source: "Mushtaq et al., SIGCOMM 2014 (MulBuff)",
    };
    const NATURE: Nature = NATURE;

    fn build(settings: WpsSettings, ports: u16, _: u64) -> Result<Wps, Refusal> {
        let WpsSettings { count, by, .. } = settings;
        let classes = Classes::build(settings.classes, Counting { count, by }, ports)?;
        if !classes.counts() {
            let expected = "count must be \"exact\" or \"approximate\": wps weighs classes by \
                            their number of flows";
            return Err(Refusal::about(&["count"], expected).got("\"off\""));
        }
        Ok(Wps {
            weights: weights(&settings.weights.0, classes.len())?,
            classes,
            drr: Drr::new(settings.quantum),
        })
    }
}

/// Returns the weight of one flow in each class.
fn weights(given: &[u64], classes: usize) -> Result<[u16; MOST], Refusal> {
    if given.len() > classes {
        let (given, expected) = (
            given.len(),
            format!("at most {classes} weights, one per class"),
        );
        return Err(Refusal::about(
            &["weights", "classes"],
            format!("expected {expected}, got {given}"),
        ));
    }
    let mut weights = [1; MOST];
    for (class, weight) in weights.iter_mut().enumerate() {
        // The last weight given holds for all further classes.
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

/// Returns the current weight of a class.
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

    /// Returns how many of 240 packets are of class 0, which has `short` flows. Class 1 has two; all flows
    /// always wait.
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

    /// Checks MulBuff's example: a short flow beside two long ones gets a third, where `ps` gives it a half.
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
        // In each round, class 1 earns a quarter of a packet, then a third, a half, and finally a whole one.
        assert_eq!(order, [0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
    }
}
