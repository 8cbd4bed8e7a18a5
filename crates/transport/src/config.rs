//! What can be chosen about a TCP connection. Units are in the types.

use sidestep_types::{Refusal, Time, Values};

use crate::congestion;
use crate::nature::Nature;
use crate::params::{count, count_or_off, share, sizes, word};
use crate::{
    AckRule, BackoffEnds, Congestion, Estimator, Growth, LossDetection, Ranking, Recovery,
    Reduction, RtoConfig, ThresholdRule,
};

/// A TCP connection's settings, the same at both ends.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TcpConfig {
    /// How the window grows and shrinks.
    pub congestion: Congestion,
    /// How losses are found and repaired.
    pub recovery: Recovery,
    /// Evidence of a loss: `None` goes by duplicates.
    pub rack: Option<RackConfig>,
    /// Growth of the window in slow start.
    pub growth: Growth,
    /// How fast a window that was cut is reached.
    pub reduction: Reduction,
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// Initial window in segments.
    pub initial_window: u32,
    /// Bytes the receiver allows beyond the cumulative acknowledgement.
    pub receive_window: u64,
    /// Duplicate acknowledgements that start fast retransmit; `None` turns it off.
    pub dupack_threshold: Option<u32>,
    /// What is made of repairs that were needless.
    pub reordering: ReorderingConfig,
    /// RFC 3042: a new segment on each of the first two duplicate acknowledgements.
    pub limited_transmit: bool,
    /// A new segment on each of the first two duplicates while a window comes down.
    pub limited_transmit_in_cwr: bool,
    /// Duplicates begin a recovery while a window comes down after an echo.
    pub duplicates_in_cwr: bool,
    /// An echo cuts the window while a timeout is repaired.
    pub echoes_in_loss: bool,
    /// Least window after a cut, in segments.
    pub window_floor: u32,
    /// RFC 5681 4.1: back to the initial window after one RTO of silence.
    pub idle_restart: bool,
    /// `None` acknowledges every segment at once.
    pub delayed_ack: Option<DelayedAck>,
    /// Which acknowledgements are delayed, if any.
    pub ack_rule: AckRule,
    /// The retransmission timer.
    pub rto: RtoConfig,
    /// RFC 7323: each acknowledgement of new data is a sample, of segments sent twice as well.
    pub timestamps: bool,
    /// Who opens a connection takes the round trip of its SYN for a sample.
    pub syn_sample: bool,
    /// Open with SYN, SYN-ACK and ACK; without, the connection stands already.
    pub handshake: bool,
    /// Round trip that a connection which stands already has measured.
    pub measured_round_trip: Option<Time>,
    /// Close with FIN, its answer and the acknowledgement of that.
    pub fin: bool,
    /// What data is marked with.
    pub ranking: Ranking,
}

impl TcpConfig {
    /// What the values of [`crate::PARAMS`] say, and those of the controller called `kind`. A
    /// refusal says which one cannot be had.
    ///
    /// Panics when no controller is called so.
    pub(crate) fn read(kind: &str, values: &Values) -> Result<TcpConfig, Refusal> {
        let (mss, receive_window) = sizes(values)?;
        let recovery = word(values, "recovery", Recovery::from_name);
        let dupack_threshold = count_or_off(values, "fast_retransmit", 1, u32::MAX)?;
        let (handshake, syn_sample) = (values.flag("handshake"), values.flag("syn_sample"));
        let measured_round_trip = values.time_or_off("measured_round_trip");
        if measured_round_trip == Some(Time::ZERO) {
            let wrong = "must be above 0, or \"off\"";
            return Err(Refusal::of("measured_round_trip", wrong).got("0 s"));
        }
        if measured_round_trip.is_some() && handshake {
            let wrong = "measured_round_trip needs handshake = false: it is what a standing connection has measured, and here \
                         the SYN measures it";
            return Err(Refusal::about(&["measured_round_trip", "handshake"], wrong));
        }
        let rack = RackConfig::read(kind, values, recovery, dupack_threshold)?;
        if !syn_sample && !handshake {
            let wrong = "syn_sample = false needs handshake = true: without, nobody sends a SYN";
            return Err(Refusal::about(&["syn_sample", "handshake"], wrong));
        }
        Ok(TcpConfig {
            recovery,
            rack,
            growth: word(values, "window_growth", Growth::from_name),
            reduction: word(values, "reduction", Reduction::from_name),
            mss,
            receive_window,
            delayed_ack: DelayedAck::read(values)?,
            ack_rule: word(values, "delayed_ack_rule", AckRule::from_name),
            dupack_threshold,
            reordering: ReorderingConfig::read(values, recovery, dupack_threshold)?,
            initial_window: count(values, congestion::initial_window(kind), 1, 1 << 20)?,
            limited_transmit: values.flag("limited_transmit"),
            limited_transmit_in_cwr: values.flag("limited_transmit_in_cwr"),
            duplicates_in_cwr: values.flag("duplicates_in_cwr"),
            echoes_in_loss: values.flag("echoes_in_loss"),
            window_floor: count(values, "window_floor", 1, 2)?,
            idle_restart: values.flag("idle_restart"),
            rto: RtoConfig::read(values)?,
            timestamps: values.flag("timestamps"),
            syn_sample,
            handshake,
            measured_round_trip,
            fin: values.flag("fin"),
            ranking: word(values, "rank", Ranking::from_name),
            congestion: Congestion::read(kind, values)
                .unwrap_or_else(|| panic!("no transport {kind:?}"))?,
        })
    }

    /// Evidence by which a sender takes a segment for lost.
    pub fn loss_detection(&self) -> LossDetection {
        match self.rack {
            Some(_) => LossDetection::Rack,
            None => LossDetection::Duplicates,
        }
    }

    /// What must be known about it beside its parameters.
    pub(crate) fn nature(&self) -> Nature {
        Nature {
            marks: self.congestion.reacts_to_marks(),
            delays: self.congestion.goes_by_delays(),
            buffer: None,
            ranking: self.ranking,
        }
    }
}

/// Acknowledge every `segments`-th full segment, or after `timeout` (RFC 1122, RFC 5681 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct DelayedAck {
    /// Segments per acknowledgement.
    pub segments: u32,
    /// The longest wait.
    pub timeout: Time,
}

impl DelayedAck {
    fn read(values: &Values) -> Result<Option<DelayedAck>, Refusal> {
        let Some(timeout) = values.time_or_off("delayed_ack") else {
            return Ok(None);
        };
        let segments = count(values, "delayed_ack_segments", 1, u32::MAX)?;
        Ok(Some(DelayedAck { segments, timeout }))
    }
}

/// Loss detection by time (RFC 8985, RACK-TLP).
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RackConfig {
    /// RFC 8985 section 7: a probe of the tail.
    pub probe: bool,
    /// TLP.max_ack_delay; `None` is the minimum RTO, as in Linux.
    pub ack_delay: Option<Time>,
    /// Added to the reordering timer and to the wait for a probe (Linux `TCP_TIMEOUT_MIN_US`).
    pub margin: Time,
    /// RFC 5682: new data first after a timeout.
    pub frto: bool,
    /// RFC 8985's DupThresh: with so many segments SACKed and no reordering seen, there is no reordering window.
    pub threshold: u32,
}

impl RackConfig {
    fn read(
        kind: &str,
        values: &Values,
        recovery: Recovery,
        threshold: Option<u32>,
    ) -> Result<Option<RackConfig>, Refusal> {
        let on = word(values, "loss_detection", LossDetection::from_name) == LossDetection::Rack;
        let (probe, frto) = (values.flag("tail_loss_probe"), values.flag("frto"));
        if !on {
            for (name, asked) in [("tail_loss_probe", probe), ("frto", frto)] {
                if asked {
                    let wrong = format!(
                        "{name} = true needs loss_detection = \"rack\" and recovery = \"sack\": no other detection has it"
                    );
                    return Err(
                        Refusal::about(&[name, "loss_detection"], wrong).got("\"duplicates\"")
                    );
                }
            }
            return Ok(None);
        }
        if recovery != Recovery::Sack {
            let wrong = "loss_detection = \"rack\" needs recovery = \"sack\": it goes by when each delivered segment was \
                         sent, which selective acknowledgements alone tell (RFC 8985 section 3.2)";
            return Err(Refusal::about(&["loss_detection", "recovery"], wrong).got(recovery.name()));
        }
        if !congestion::takes_rack(kind) {
            let wrong = format!(
                "kind = {kind:?} needs loss_detection = \"duplicates\": it paces windows of less than a segment, so a \
                 repair waits at the sender, and detection by time (RFC 8985) would take that wait for a loss"
            );
            return Err(Refusal::about(&["loss_detection", "kind"], wrong).got("\"rack\""));
        }
        let Some(threshold) = threshold else {
            let wrong = "loss_detection = \"rack\" needs a number for fast_retransmit (3 in RFC 8985): it takes segments \
                         for lost by time, with duplicates or without, and Linux cannot turn that off; for repairs by \
                         the timer alone set loss_detection = \"duplicates\"";
            return Err(
                Refusal::about(&["fast_retransmit", "loss_detection"], wrong).got("\"off\""),
            );
        };
        let rule = word(values, "fast_retransmit_rule", ThresholdRule::from_name);
        if rule != ThresholdRule::Fixed {
            let wrong = "loss_detection = \"rack\" needs fast_retransmit_rule = \"fixed\": its reordering window adapts by \
                         itself (RFC 8985 section 6.2 step 4), and no number of duplicates decides";
            return Err(
                Refusal::about(&["fast_retransmit_rule", "loss_detection"], wrong).got(rule.name()),
            );
        }
        let opens = values.flag("handshake") && values.flag("syn_sample");
        if probe && !opens && values.time_or_off("measured_round_trip").is_none() {
            let wrong = "tail_loss_probe = true needs a round trip before the first flight: set handshake = true and \
                         syn_sample = true, or measured_round_trip (RFC 8985 section 7.2 would wait a second without one)";
            let got = match values.flag("handshake") {
                true => "syn_sample = false",
                false => "handshake = false",
            };
            let names = [
                "tail_loss_probe",
                "handshake",
                "syn_sample",
                "measured_round_trip",
            ];
            return Err(
                Refusal::about(&names, wrong).got(format!("{got}, measured_round_trip = \"off\""))
            );
        }
        Ok(Some(RackConfig {
            probe,
            ack_delay: values.time_or_off("probe_ack_delay"),
            margin: values.time_or_off("timer_margin").unwrap_or_else(|| {
                let jiffy = values.time_or_off("jiffy").unwrap_or(Time::ZERO);
                jiffy.saturating_mul(2)
            }),
            frto,
            threshold,
        }))
    }
}

/// How a sender finds out that a repair was needless, and what it does then.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ReorderingConfig {
    /// RFC 2883: acknowledgements tell of segments that arrive once more.
    pub dsack: bool,
    /// What moves [`TcpConfig::dupack_threshold`], from there upwards.
    pub rule: ThresholdRule,
    /// The share of the reorderings seen that a threshold that moves lets pass.
    pub share: f64,
    /// The most that it moves to.
    pub most: u32,
    /// Of the smallest round trip: what is acknowledged sooner after its repair was no loss.
    pub early: f64,
    /// A needless recovery gives the window back.
    pub undo: bool,
}

impl ReorderingConfig {
    /// A threshold that moves keeps a count for each length up to it.
    const MOST: u32 = 65_535;

    fn read(
        values: &Values,
        recovery: Recovery,
        threshold: Option<u32>,
    ) -> Result<ReorderingConfig, Refusal> {
        let config = ReorderingConfig {
            dsack: values.flag("dsack"),
            rule: word(values, "fast_retransmit_rule", ThresholdRule::from_name),
            share: share(values, "fast_retransmit_share")?,
            most: count(values, "fast_retransmit_most", 1, ReorderingConfig::MOST)?,
            early: share(values, "early_repair")?,
            undo: values.flag("undo"),
        };
        for (name, share) in [
            ("fast_retransmit_share", config.share),
            ("early_repair", config.early),
        ] {
            if share == 0.0 {
                return Err(Refusal::of(name, "must be above 0").got(0));
            }
        }
        config.fits(recovery, threshold)?;
        Ok(config)
    }

    /// What does not go together.
    fn fits(&self, recovery: Recovery, threshold: Option<u32>) -> Result<(), Refusal> {
        if self.dsack && recovery != Recovery::Sack {
            let wrong = "dsack needs recovery = \"sack\": a D-SACK is a block of a selective acknowledgement";
            return Err(Refusal::about(&["dsack", "recovery"], wrong).got(recovery.name()));
        }
        if self.rule == ThresholdRule::Dsack && !self.dsack {
            let wrong = "fast_retransmit_rule = \"dsack\" needs dsack = true: it hears of needless repairs by nothing else";
            return Err(Refusal::about(&["fast_retransmit_rule", "dsack"], wrong));
        }
        let knows = self.dsack || self.rule == ThresholdRule::Early;
        if self.undo && !knows {
            let wrong = "undo needs dsack = true or fast_retransmit_rule = \"early\": nothing else says that a recovery \
                         was needless";
            return Err(Refusal::about(
                &["undo", "dsack", "fast_retransmit_rule"],
                wrong,
            ));
        }
        if self.rule == ThresholdRule::Fixed {
            return Ok(());
        }
        let name = self.rule.name();
        let Some(threshold) = threshold else {
            let wrong = format!(
                "fast_retransmit_rule = {name:?} needs a fast_retransmit to start from: duplicates begin no repair, so \
                 none can be needless"
            );
            let about = ["fast_retransmit_rule", "fast_retransmit"];
            return Err(Refusal::about(&about, wrong).got("\"off\""));
        };
        if threshold > self.most {
            let wrong = format!(
                "fast_retransmit ({threshold}) must not be above fast_retransmit_most ({})",
                self.most
            );
            let about = ["fast_retransmit", "fast_retransmit_most"];
            return Err(Refusal::about(&about, wrong));
        }
        Ok(())
    }
}

impl RtoConfig {
    fn read(values: &Values) -> Result<RtoConfig, Refusal> {
        let rto = RtoConfig {
            estimator: word(values, "rto_estimator", Estimator::from_name),
            min: values.time("rto_min"),
            initial: values.time("rto_initial"),
            max: values.time("rto_max"),
            granularity: values.time("rto_granularity"),
            backoff: values.flag("rto_backoff"),
            backoff_ends: word(values, "rto_backoff_ends", BackoffEnds::from_name),
            jiffy: values.time_or_off("jiffy").unwrap_or(Time::ZERO),
        };
        if values.time_or_off("jiffy") == Some(Time::ZERO) {
            return Err(Refusal::of("jiffy", "must be above 0, or \"off\""));
        }
        if rto.jiffy > rto.min {
            let wrong = format!(
                "jiffy ({}) must not be above rto_min ({}), for no timeout is shorter than a tick: set a jiffy of at most \
                 rto_min, or \"off\"",
                rto.jiffy, rto.min
            );
            return Err(Refusal::about(&["jiffy", "rto_min"], wrong));
        }
        for (name, span) in [("rto_min", rto.min), ("rto_initial", rto.initial)] {
            if span == Time::ZERO {
                return Err(Refusal::of(name, "must be above 0"));
            }
            if span > rto.max {
                let wrong = format!("{name} ({span}) must not be above rto_max ({})", rto.max);
                return Err(Refusal::about(&[name, "rto_max"], wrong));
            }
        }
        Ok(rto)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_scenario_that_says_nothing_gets() {
        let by_hand = TcpConfig {
            congestion: TcpConfig::default().congestion, // that of `crate::DEFAULT`
            recovery: Recovery::NewReno,
            rack: None,
            growth: Growth::Rfc5681,
            reduction: Reduction::Prr,
            mss: 1460,
            initial_window: 10,
            receive_window: 1 << 20,
            dupack_threshold: Some(3),
            reordering: ReorderingConfig {
                dsack: false,
                rule: ThresholdRule::Fixed,
                share: 0.9,
                most: 300,
                early: 0.5,
                undo: false,
            },
            limited_transmit: false,
            limited_transmit_in_cwr: false,
            duplicates_in_cwr: true,
            echoes_in_loss: false,
            window_floor: 2,
            idle_restart: false,
            delayed_ack: None,
            ack_rule: AckRule::Linux,
            rto: RtoConfig {
                estimator: Estimator::Rfc6298,
                min: Time::from_ms(10),
                initial: Time::from_ms(10),
                max: Time::from_s(60),
                granularity: Time::from_us(1),
                backoff: true,
                backoff_ends: BackoffEnds::AsEstimator,
                jiffy: Time::ZERO,
            },
            timestamps: false,
            syn_sample: true,
            handshake: false,
            measured_round_trip: None,
            fin: false,
            ranking: Ranking::Unacknowledged,
        };
        assert_eq!(TcpConfig::default(), by_hand);
    }
}
