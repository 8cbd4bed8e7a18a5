//! Warnings about windows and marks that bound a flow below the rate of its own path, were it alone there.

use super::nature;
use super::parts::Part;
use super::signals::silent;
use crate::ideal::{Ideal, Trip};
use crate::scenario::Scenario;
use sidestep_sim::{FlowPlan, SwitchConfig, TrafficPlan};
use sidestep_types::{BitRate, Bytes, Size, Value};

/// Returns the warnings about the windows of one transport.
pub(super) fn of(scenario: &Scenario, part: &Part<'_>, first: Option<&TrafficPlan>) -> Vec<String> {
    let Some(first) = first else {
        return Vec::new();
    };
    let said = [
        receive_window(scenario, part, first),
        initial_window(scenario, part, first),
    ];
    said.into_iter().flatten().collect()
}

/// Flows of a part for a warning: the number of all, of those that a bound holds for, and the worst bound.
struct Bound {
    flows: u64,
    of: u64,
    /// Path and bound of the flow furthest below its path, and the share of its time or rate that is left.
    worst: Option<(f64, Trip, u64)>,
}

impl Bound {
    /// Collects the flows of `part` that `bound` holds for; it returns the share that is left, and a number.
    fn of(
        scenario: &Scenario,
        part: &Part<'_>,
        first: &TrafficPlan,
        bound: impl Fn(&FlowPlan, u32, &mut dyn FnMut() -> Option<Trip>) -> Option<(f64, u64)>,
    ) -> Bound {
        let config = &part.scheme.config;
        let mss = config.transport.mss();
        let mut ideal = Ideal::new(&scenario.network, config.framing, mss);
        let (mut found, has) = (
            Bound {
                flows: 0,
                of: 0,
                worst: None,
            },
            part.has(first),
        );
        for flow in first.flows.iter().filter(|flow| has(flow)) {
            found.of += 1;
            let mut path = None;
            let mut trip = || {
                path = ideal.trip(flow);
                path
            };
            let left = bound(flow, flow.mss_or(mss), &mut trip);
            if let (Some((left, number)), Some(path)) = (left, path) {
                found.flows += 1;
                if found.worst.is_none_or(|(least, ..)| left < least) {
                    found.worst = Some((left, path, number));
                }
            }
        }
        found
    }

    fn percent(&self) -> f64 {
        100.0 * self.flows as f64 / self.of.max(1) as f64
    }
}

/// Returns the bytes that `path` carries in a round trip.
fn product(path: &Trip) -> u64 {
    let bits = u128::from(path.slowest.as_bps()) * u128::from(path.round.ps());
    u64::try_from(bits.div_ceil(8_000_000_000_000)).unwrap_or(u64::MAX)
}

/// Returns the number rounded up to three digits.
fn three_digits(n: u64) -> u64 {
    let step = 10u64.pow(n.max(1).ilog10().saturating_sub(2));
    n.div_ceil(step).saturating_mul(step)
}

/// Describes a path: `a path of 100 Gbps with a round trip of 20.02 us`.
fn path_of(path: &Trip) -> String {
    let round = path.round.as_us_f64();
    format!(
        "a path of {} with a round trip of {round:.3} us",
        path.slowest
    )
}

/// Warns of a receive window below rate times round trip.
fn receive_window(scenario: &Scenario, part: &Part<'_>, first: &TrafficPlan) -> Option<String> {
    let transport = &part.scheme.config.transport;
    transport.each_tcp()?;
    let window = transport.receive_window();
    let framing = part.scheme.config.framing;
    let found = Bound::of(scenario, part, first, |flow, mss, trip| {
        if flow.size <= window {
            return None;
        }
        let path = trip()?;
        let wire = framing.wire(mss + sidestep_types::HEADER_BYTES);
        let needed = u128::from(product(&path)) * u128::from(mss) / u128::from(wire);
        let left = window as f64 / needed as f64;
        (u128::from(window) < needed).then_some((left, 0))
    });
    let (_, path, _) = found.worst?;
    let bound = window as f64 * 8.0 / path.round.as_s_f64();
    let product = product(&path);
    Some(format!(
        "receive_window ({}) bounds {:.2} % of the flows below the rate of their path: to {} on {}, \
         where rate times round trip is {}. Set {}.receive_window = \"{}\" or more",
        Bytes(window),
        found.percent(),
        BitRate::bps(nearest(bound)),
        path_of(&path),
        Bytes(nearest(product as f64)),
        part.section(),
        Bytes(three_digits(product)),
    ))
}

/// Returns the number to the nearest of three digits.
fn nearest(n: f64) -> u64 {
    let n = n as u64;
    let step = 10u64.pow(n.max(1).ilog10().saturating_sub(2));
    (n.saturating_add(step / 2) / step).saturating_mul(step)
}

/// Warns of an initial window so small that flows take more than a quarter longer than at the rate of their path,
/// and four round trips or more to reach it: the window doubles in each.
fn initial_window(scenario: &Scenario, part: &Part<'_>, first: &TrafficPlan) -> Option<String> {
    let transport = &part.scheme.config.transport;
    let window = transport.initial_window()?;
    let found = Bound::of(scenario, part, first, |flow, mss, trip| {
        let begins = window * u64::from(mss);
        if flow.is_endless() || flow.size <= 15 * begins {
            return None;
        }
        let path = trip()?;
        let fills = flow.size.min(product(&path)) as f64;
        let rounds = (fills / begins as f64 + 1.0).log2().ceil() - 1.0;
        let round = path.round.as_s_f64();
        let alone = flow.size as f64 * 8.0 / path.slowest.as_bps() as f64 + round;
        let lost = rounds * round;
        (rounds >= 4.0 && 4.0 * lost > alone).then_some((alone / (alone + lost), rounds as u64))
    });
    let (left, path, rounds) = found.worst?;
    let segments = product(&path).div_ceil(u64::from(transport.mss()));
    Some(format!(
        "initial_window ({window} segments) delays {:.2} % of the flows: on {} a flow grows its \
         window for {rounds} round trips until it sends at the rate of the path, and takes up to \
         {:.1} times as long as a flow that starts at that rate. Set {}.initial_window = {} to \
         start at that rate",
        found.percent(),
        path_of(&path),
        1.0 / left,
        part.section(),
        three_digits(segments),
    ))
}

/// Warns of marks from a queue shorter than a seventh of rate times round trip, where a transport slows down in
/// proportion to marks.
pub(super) fn marks_too_early(
    scenario: &Scenario,
    part: &Part<'_>,
    (about, switch): (Option<&str>, &SwitchConfig),
    first: &TrafficPlan,
) -> Option<String> {
    let config = &part.scheme.config;
    let marks = nature(switch).marks && !silent(&switch.buffer, &switch.sched);
    if !marks || !config.transport.nature().in_proportion || config.transport.has_subflows() {
        return None;
    }
    let Some(Value::Size(mark_at)) = switch.buffer.get("mark_at") else {
        return None;
    };
    let full = config
        .framing
        .wire(config.transport.mss() + sidestep_types::HEADER_BYTES);
    let buffered = u64::from(full - config.framing.unbuffered());
    let held = match mark_at {
        Size::Packets(n) => n.saturating_mul(buffered),
        Size::Bytes(bytes) => bytes.0,
    };
    let found = Bound::of(scenario, part, first, |flow, _, trip| {
        // A shorter flow does not live through a window of marks.
        if flow.size <= held {
            return None;
        }
        let path = trip()?;
        let product = product(&path);
        let needed = product / 7;
        (held < needed && flow.size > 2 * product).then(|| (held as f64 / needed as f64, needed))
    });
    let (_, path, needed) = found.worst?;
    let instead = match mark_at {
        Size::Packets(_) => Size::Packets(needed.div_ceil(buffered)),
        Size::Bytes(_) => Size::Bytes(Bytes(three_digits(needed))),
    };
    let key = match about {
        None => "switch.buffer.mark_at".to_string(),
        Some(about) if about.contains([' ', '.']) => format!("switch.at.{about:?}.buffer.mark_at"),
        Some(about) => format!("switch.at.{about}.buffer.mark_at"),
    };
    Some(format!(
        "mark_at ({mark_at}) is below a seventh of rate times round trip on {}: {} slows down so \
         far after marks that the queue empties and the link is idle for a while ({:.2} % of the \
         flows). Set {key} = \"{instead}\" or more (DCTCP, SIGCOMM 2010, section 3.4)",
        path_of(&path),
        config.transport.name(),
        found.percent(),
    ))
}
