//! RED: marks or drops early, with a probability that grows with the average queue.
//!
//! **Decision**     keep below `min`; between `min` and `max` mark or drop with a probability
//!                  rising to `max_p`, spread evenly by the count since the last; from `max` on
//!                  mark or drop every packet (`gentle`: rise from `max_p` to 1 at twice `max`).
//! **State**        per port: the average queue, and the packets since the last mark.
//! **Units**        `min` and `max` both in packets or both in bytes; the average in 2⁻¹⁶ of those.
//! **Errors**       `early` for packets that RED drops, `full` for packets that do not fit; construction
//!                  refuses mixed units, `min` above `max`, probabilities and weights outside (0, 1].
//! **Source**       Floyd and Jacobson, ToN 1993; marking in RFC 3168 section 7; gentle by Floyd, 2000.
//! **Deviations**   fixed point instead of floating point. The average of an idle queue decays
//!                  by whole packet times of 1500 bytes.

use super::{Buffer, DropReason, Verdict};
use crate::why::{self, SwitchSnapshot, count};
use crate::{Depth, Nature, Policy, Queues, Want};
use sidestep_types::{
    About, Bytes, Fraction, Packet, ParamUnit, Refusal, Rng, Setting, Settings, Size, Value, Words,
};

/// Random early detection policy.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Red {
    curve: Curve,
    ports: Vec<PortState>,
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Curve {
    in_bytes: bool,
    /// Thresholds in 2⁻¹⁶ packets or bytes.
    min: u64,
    max: u64,
    /// Weight of the newest queue length, in 2⁻³².
    max_p: u64,
    /// Weight of the newest queue length, in 2⁻³².
    weight: u64,
    gentle: bool,
    ecn: bool,
    mark_above_max: bool,
}

#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct PortState {
    /// Average queue in 2⁻¹⁶ packets or bytes.
    average: u64,
    /// Packets since the last mark or early drop while between the thresholds.
    since: u64,
}

const ONE: u64 = 1 << 32;

/// Settings of [`Red`].
#[derive(Clone, Settings)]
pub struct RedSettings {
    /// average queue length from which packets are marked; assumed: the step of DCTCP at 1 Gbps
    #[setting(default = "20 pkt")]
    min: Size,
    /// average queue length from which all packets are marked, unless gentle; three times min (Floyd, 1997)
    #[setting(default = "60 pkt")]
    max: Size,
    /// marking probability just below max (Floyd, 1997)
    #[setting(default = "0.1")]
    max_p: Share,
    /// weight of the newest queue length in the average (1993); with 1 the average is the queue itself
    #[setting(default = "0.002")]
    weight: Share,
    /// let the probability rise from max_p to 1 between max and twice max (Floyd, 2000)
    #[setting(default = "true")]
    gentle: bool,
    /// mark ECN-capable packets instead of dropping them (RFC 3168)
    #[setting(default = "true")]
    ecn: bool,
    /// past max (gentle: twice max), drop ECN-capable packets too (RFC 3168 section 7), or mark them
    #[setting(default = "drop")]
    above_max: AboveMax,
}

/// Treatment of ECN-capable packets past `max`.
#[derive(Clone, Copy, Words)]
enum AboveMax {
    Drop,
    Mark,
}

/// Setting of a share in (0, 1], stored in 2⁻³².
#[derive(Clone)]
struct Share(u64);

impl Setting for Share {
    const UNIT: ParamUnit = ParamUnit::Fraction;

    fn read(name: &'static str, value: &Value) -> Result<Share, Refusal> {
        let Fraction(above, below) = Fraction::read(name, value)?;
        let scaled = (u128::from(above) << 32) / u128::from(below);
        if above > below || scaled == 0 {
            let refusal = Refusal::of(name, "must be above 0 and at most 1");
            return Err(refusal.got(format!("{above}/{below}")));
        }
        Ok(Share(scaled as u64))
    }
}

impl Policy for Red {
    type Settings = RedSettings;
    const ABOUT: About = About {
        name: "red",
        summary: "marks or drops early, by the average queue",
        source: "Floyd and Jacobson, ToN 1993 (RED)",
    };
    const NATURE: Nature = Nature {
        draws: 1,
        remembers: true,
        answers: &["enqueue", "full", "early"],
        ..Nature::PLAIN
    };

    fn build(settings: RedSettings, ports: u16, _: u64) -> Result<Red, Refusal> {
        let (min, max, in_bytes) = match (settings.min, settings.max) {
            (Size::Packets(min), Size::Packets(max)) => (min, max, false),
            (Size::Bytes(min), Size::Bytes(max)) => (min.0, max.0, true),
            _ => {
                let both = "min and max must both be in packets or both in bytes";
                return Err(Refusal::about(&["min", "max"], both));
            }
        };
        if min > max {
            let wrong = format!("min ({min}) must not be above max ({max})");
            return Err(Refusal::about(&["min", "max"], wrong));
        }
        if max >= 1 << 40 {
            let wrong = format!("max ({max}) is more than a queue can hold");
            return Err(Refusal::about(&["max"], wrong));
        }
        let curve = Curve {
            in_bytes,
            min: min << 16,
            max: max << 16,
            max_p: settings.max_p.0,
            weight: settings.weight.0,
            gentle: settings.gentle,
            ecn: settings.ecn,
            mark_above_max: matches!(settings.above_max, AboveMax::Mark),
        };
        Ok(Red {
            curve,
            ports: vec![PortState::default(); usize::from(ports)],
        })
    }
}

impl Buffer for Red {
    #[inline(never)]
    fn admit(
        &mut self,
        pkt: &Packet,
        want: Want,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Verdict {
        let state = &mut self.ports[want.port.index()];
        let idle = idle_packets(want, queues);
        state.average = self.curve.average(state.average, want.depth, idle);
        if !want.fits {
            return Verdict::Drop(DropReason::Full);
        }
        let (signal, hard) = match self.curve.zone(state.average) {
            Zone::Calm => {
                state.since = 0;
                (false, false)
            }
            Zone::Chance(p) => {
                let hit = hits(p, state.since, rng.draw());
                state.since = if hit { 0 } else { state.since + 1 };
                (hit, false)
            }
            Zone::Certain => {
                state.since = 0;
                (true, !self.curve.mark_above_max)
            }
        };
        if !signal {
            Verdict::Enqueue { mark: false }
        } else if self.curve.ecn && pkt.ect() && !hard {
            Verdict::Enqueue { mark: true }
        } else {
            Verdict::Drop(DropReason::Early)
        }
    }

    fn why(&self, snapshot: &mut SwitchSnapshot<'_>, want: Want, verdict: Verdict) -> String {
        if let Verdict::Drop(DropReason::Full) = verdict {
            return why::verdict(verdict);
        }
        let Curve { min, max, .. } = self.curve;
        // Average with this packet, as computed by the decision.
        let average = self.ports[want.port.index()].average;
        let unit = if self.curve.in_bytes {
            "bytes"
        } else {
            "packets"
        };
        let scaled = |n: u64| format!("{}.{:02}", count(n >> 16), ((n & 0xffff) * 100) >> 16);
        let chance = match self.curve.zone(average) {
            Zone::Calm => format!("< min = {}", count(min >> 16)),
            Zone::Chance(p) => format!(
                "is between min = {} and {}: a draw decides, with probability {}.{:04} before \
                 signals are spaced evenly",
                count(min >> 16),
                if average < max {
                    format!("max = {}", count(max >> 16))
                } else {
                    "twice max".into()
                },
                p >> 32,
                ((p & (ONE - 1)) * 10_000 + ONE / 2) >> 32
            ),
            Zone::Certain => format!("≥ {}: every packet gets a signal", count(max >> 16)),
        };
        let signal = match verdict {
            Verdict::Enqueue { mark: true } => "marked",
            Verdict::Drop(_) if !snapshot.packet.ect() => "dropped, since it is not ECN-capable",
            Verdict::Drop(_) => "dropped",
            _ => "no signal",
        };
        format!(
            "the average of {} {unit} {chance}; {signal}",
            scaled(average)
        )
    }
}

/// Returns how many packets of 1500 bytes could have left since the queue ran empty.
fn idle_packets(want: Want, queues: &mut dyn Queues) -> u64 {
    if want.depth.packets > 0 {
        return 0;
    }
    let idle = queues.now().saturating_sub(queues.empty_at(want.port));
    idle.ps() / queues.time_to_send(want.port, Bytes(1500)).ps().max(1)
}

#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Zone {
    Calm,
    /// Signal with this probability, in 2⁻³².
    Chance(u64),
    Certain,
}

impl Curve {
    /// Returns the average after a packet finds the queue at `depth`, `idle` packet times after it ran empty.
    fn average(&self, before: u64, depth: Depth, idle: u64) -> u64 {
        let now = if self.in_bytes {
            depth.bytes
        } else {
            depth.packets
        };
        let now = u64::from(now) << 16;
        let decayed = decay(before, ONE - self.weight, idle);
        if now >= decayed {
            decayed + times(now - decayed, self.weight)
        } else {
            decayed - times(decayed - now, self.weight)
        }
    }

    fn zone(&self, average: u64) -> Zone {
        if average < self.min {
            Zone::Calm
        } else if average < self.max {
            let part = ratio(average - self.min, self.max - self.min);
            Zone::Chance(times(self.max_p, part))
        } else if self.gentle && average < 2 * self.max {
            let part = ratio(average - self.max, self.max);
            Zone::Chance(self.max_p + times(ONE - self.max_p, part))
        } else {
            Zone::Certain
        }
    }
}

/// Applies Floyd and Jacobson's even spacing: compares `p / (1 - since·p)` with one draw.
fn hits(p: u64, since: u64, draw: u32) -> bool {
    let spent = since.saturating_mul(p);
    if spent >= ONE {
        return true;
    }
    let spaced = (u128::from(p) << 32) / u128::from(ONE - spent);
    u128::from(draw) < spaced
}

/// Computes `value · share`, with `share` in 2⁻³².
fn times(value: u64, share: u64) -> u64 {
    ((u128::from(value) * u128::from(share)) >> 32) as u64
}

/// Computes `part / whole` in 2⁻³².
fn ratio(part: u64, whole: u64) -> u64 {
    ((u128::from(part) << 32) / u128::from(whole)) as u64
}

/// Computes `value · keepⁿ`, with `keep` in 2⁻³².
fn decay(value: u64, keep: u64, n: u64) -> u64 {
    let (mut value, mut keep, mut n) = (value, keep, n);
    while n > 0 && value > 0 {
        if n & 1 == 1 {
            value = times(value, keep);
        }
        keep = times(keep, keep);
        n >>= 1;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{StillQueues, data};
    use sidestep_types::{Time, Values};

    fn red(set: &[(&'static str, &str)]) -> Result<Red, Refusal> {
        let mut values = Values::defaults(Red::ENTRY.params);
        for (name, text) in set {
            let param = Red::ENTRY.params.iter().find(|p| p.name == *name).unwrap();
            values.set(param.name, Value::parse(text, param).unwrap());
        }
        Red::from_values(&values, 4, 0)
    }

    /// Returns how many of `n` packets are marked at a queue of `packets`.
    fn marked(red: &mut Red, packets: u32, n: u32) -> u32 {
        let mut q = StillQueues::of(&[packets], 1000, &[]);
        let mut rng = Rng::from_seed(3);
        let want = q.want(0);
        let verdicts = (0..n).map(|_| red.admit(&data(), want, &mut q, &mut rng));
        verdicts
            .filter(|v| *v == Verdict::Enqueue { mark: true })
            .count() as u32
    }

    #[test]
    fn used_as_a_step_it_marks_from_the_threshold_on() {
        let step = [
            ("min", "20 pkt"),
            ("max", "20 pkt"),
            ("weight", "1"),
            ("gentle", "false"),
            ("above_max", "mark"),
        ];
        let mut red = red(&step).unwrap();
        assert_eq!(marked(&mut red, 19, 100), 0);
        assert_eq!(marked(&mut red, 20, 100), 100);
    }

    #[test]
    fn between_the_thresholds_the_share_is_twice_the_probability_by_even_spacing() {
        // Half-way between min and max the base probability is max_p / 2 = 5 %. The spacing makes gaps uniform
        // on 1..=20, so one in 10.5 packets is marked.
        let mut red = red(&[("weight", "1")]).unwrap();
        let share = f64::from(marked(&mut red, 40, 100_000)) / 1e5;
        assert!((share - 1.0 / 10.5).abs() < 0.002, "{share}");
    }

    #[test]
    fn the_average_forgets_while_the_queue_is_idle() {
        let curve = red(&[]).unwrap().curve;
        let busy = 40 << 16;
        let still = curve.average(
            busy,
            Depth {
                packets: 40,
                bytes: 0,
            },
            0,
        );
        assert_eq!(still, busy);
        // (1 - 0.002)^346 is about one half.
        let rested = curve.average(busy, Depth::default(), 346);
        assert!(
            (rested as f64 / busy as f64 - 0.5).abs() < 0.003,
            "{rested}"
        );
    }

    #[test]
    fn a_packet_that_cannot_be_marked_is_dropped_early() {
        let mut red = red(&[("weight", "1"), ("gentle", "false"), ("above_max", "mark")]).unwrap();
        let mut q = StillQueues::of(&[70], 100, &[]);
        q.now = Time::from_us(1);
        let want = q.want(0);
        let mut plain = data();
        plain.set_ect(false);
        let verdict = red.admit(&plain, want, &mut q, &mut Rng::from_seed(0));
        assert_eq!(verdict, Verdict::Drop(DropReason::Early));
    }

    #[test]
    fn values_that_do_not_go_together_are_refused() {
        let said = |set| red(set).unwrap_err().to_string();
        assert!(said(&[("min", "30 kB")]).contains("both be in packets or both in bytes"));
        assert!(said(&[("min", "61 pkt")]).contains("min (61) must not be above max (60)"));
        assert!(said(&[("max_p", "3/2")]).contains("max_p must be above 0 and at most 1"));
    }
}
