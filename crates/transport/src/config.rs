//! Settings of a TCP connection. Units are in the types.

use sidestep_types::{Bytes, Fraction, Param, Refusal, Setting, Settings, Time, Values, settings};

use crate::congestion;
use crate::nature::Nature;
use crate::{
    AckRule, Congestion, Growth, LossDetection, Ranking, Recovery, Reduction, RtoConfig,
    ThresholdRule,
};

/// Parameters of `[transport]` that all kinds share. Not every kind uses all of them: see [`crate::takes`].
pub const PARAMS: &[Param] = TcpConfig::PARAMS;

/// Largest payload of a segment: that of a jumbo frame. (The length of a packet has 16 bits.)
pub const LONGEST_SEGMENT: u64 = 9_000;

/// Range of the payload of a segment.
pub(crate) const SEGMENTS: std::ops::RangeInclusive<Bytes> = Bytes(1)..=Bytes(LONGEST_SEGMENT);

/// Range of the initial window, in segments.
const INITIAL_WINDOWS: std::ops::RangeInclusive<u64> = 1..=1 << 20;

/// Settings of a TCP connection, the same at both ends.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, Settings)]
pub struct TcpConfig {
    /// Congestion controller.
    #[setting(skip)]
    pub congestion: Congestion,
    /// recovery from losses: NewReno (RFC 6582), Reno (RFC 5681) or SACK (RFC 6675)
    #[setting(default = "newreno")]
    pub recovery: Recovery,
    /// Loss detection by time; `None` detects losses by duplicates.
    #[setting(skip, flatten = RackSettings)]
    pub rack: Option<RackConfig>,
    /// growth in slow start: by a segment for each acknowledgement (RFC 5681), or by all bytes delivered
    /// (Linux)
    #[setting(key = "window_growth", default = "rfc5681")]
    pub growth: Growth,
    /// reduction to a cut window: at once, or by proportional rate reduction as in Linux and ns-3 (RFC 9937)
    #[setting(default = "prr")]
    pub reduction: Reduction,
    /// payload of a full segment; IP MTU 1500 without options (DIBS Table 1)
    #[setting(default = "1460 B", bytes, range = SEGMENTS)]
    pub mss: u32,
    /// initial window in segments (RFC 6928, DIBS Table 1)
    #[setting(default = "10", range = INITIAL_WINDOWS)]
    pub initial_window: u32,
    /// bytes the receiver allows beyond the cumulative acknowledgement; assumed: also the most that a flow
    /// limited only by its own NIC keeps in flight
    #[setting(default = "1 MiB", bytes)]
    pub receive_window: u64,
    /// duplicate acknowledgements that start fast retransmit (RFC 5681)
    #[setting(key = "fast_retransmit", default = "3", off = "off", above = 0)]
    pub dupack_threshold: Option<u32>,
    /// Detection and handling of spurious retransmissions.
    #[setting(flatten)]
    pub reordering: ReorderingConfig,
    /// a new segment on each of the first two duplicate acknowledgements (RFC 3042)
    #[setting(default = "false", beside(loss_detection = "duplicates"))]
    pub limited_transmit: bool,
    /// limited transmit also while the window is being reduced after an ECN echo (RFC 3042 makes no exception
    /// for it)
    #[setting(default = "false", beside(loss_detection = "duplicates"))]
    pub limited_transmit_in_cwr: bool,
    /// duplicates start a recovery also while the window is being reduced after an ECN echo (RFC 8257 section
    /// 3.5, Linux); ns-3: false
    #[setting(default = "true", beside(loss_detection = "duplicates"))]
    pub duplicates_in_cwr: bool,
    /// an ECN echo cuts the window also during recovery from a timeout; ns-3: true, Linux: false
    #[setting(default = "false")]
    pub echoes_in_loss: bool,
    /// least window in segments after a loss or an ECN echo: 1 or 2 (RFC 5681 equation 4 and Linux: 2; INET and
    /// ns-3 after an echo: 1)
    #[setting(default = "2", range = 1..=2)]
    pub window_floor: u32,
    /// return to the initial window after one RTO of silence (RFC 5681 section 4.1)
    #[setting(default = "false")]
    pub idle_restart: bool,
    /// Delay of acknowledgements; `None` acknowledges every segment at once.
    #[setting(flatten = AckDelay)]
    pub delayed_ack: Option<DelayedAck>,
    /// rule of delayed acknowledgements: as in Linux, or every second segment from the first on
    #[setting(key = "delayed_ack_rule", default = "linux")]
    pub ack_rule: AckRule,
    /// Retransmission timer.
    #[setting(flatten)]
    pub rto: RtoConfig,
    /// take a round-trip sample from each acknowledgement of new data, also of retransmitted segments (RFC
    /// 7323)
    #[setting(default = "false")]
    pub timestamps: bool,
    /// the end that opens a connection takes the round trip of its SYN as a sample; Linux and ns-3: true, INET:
    /// false
    #[setting(default = "true")]
    pub syn_sample: bool,
    /// open the connection with SYN, SYN-ACK and ACK; false: the connection is already established
    #[setting(default = "false")]
    pub handshake: bool,
    /// round trip that an established connection has already measured, its first sample; off: no sample before
    /// the first acknowledgement
    #[setting(default = "off", off = "off", above = 0)]
    pub measured_round_trip: Option<Time>,
    /// once all data is acknowledged, close with FIN, its answer and the acknowledgement of that answer; false:
    /// the connection stays open
    #[setting(default = "false")]
    pub fin: bool,
    /// rank that data carries for switches that order by rank: unacknowledged bytes of the flow (pFabric), or
    /// none
    #[setting(key = "rank", default = "unacknowledged")]
    pub ranking: Ranking,
}

impl TcpConfig {
    /// Reads the values of [`crate::PARAMS`], and those of the controller called `kind`. A refusal names the
    /// value that is not possible.
    ///
    /// Panics when no controller has this name.
    pub(crate) fn of(kind: &str, values: &Values) -> Result<TcpConfig, Refusal> {
        let mut tcp = TcpConfig::read(values)?;
        let initial_window = congestion::initial_window(kind);
        settings::within::<u32>(values, initial_window, INITIAL_WINDOWS, "")?;
        tcp.initial_window = Setting::read(initial_window, values.get(initial_window))?;
        tcp.rack = RackSettings::read(values)?.beside(kind, &tcp)?;
        tcp.fits()?;
        let congestion = Congestion::read(kind, values);
        tcp.congestion = congestion.unwrap_or_else(|| panic!("no transport {kind:?}"))?;
        Ok(tcp)
    }

    /// Refuses settings that contradict each other.
    fn fits(&self) -> Result<(), Refusal> {
        holds_segment(self.receive_window, self.mss)?;
        if self.measured_round_trip.is_some() && self.handshake {
            let wrong = "measured_round_trip needs handshake = false: it is the round trip of an \
                         already established connection, and with handshake = true the SYN \
                         measures it";
            return Err(Refusal::about(&["measured_round_trip", "handshake"], wrong));
        }
        if !self.syn_sample && !self.handshake {
            let wrong = "syn_sample = false needs handshake = true: without a handshake no SYN is \
                         sent, so there is no sample to leave out";
            return Err(Refusal::about(&["syn_sample", "handshake"], wrong));
        }
        self.reordering.fits(self.recovery, self.dupack_threshold)
    }

    /// Returns the evidence by which a sender considers a segment lost.
    pub fn loss_detection(&self) -> LossDetection {
        match self.rack {
            Some(_) => LossDetection::Rack,
            None => LossDetection::Duplicates,
        }
    }

    /// Returns the properties that others need beside the parameters.
    pub(crate) fn nature(&self) -> Nature {
        Nature {
            marks: self.congestion.reacts_to_marks(),
            in_proportion: matches!(self.congestion, congestion::Congestion::Dctcp { .. }),
            delays: self.congestion.goes_by_delays(),
            buffer: None,
            ranking: self.ranking,
        }
    }
}

/// Refuses a receive window that no segment fits into.
pub(crate) fn holds_segment(receive_window: u64, mss: u32) -> Result<(), Refusal> {
    if receive_window < u64::from(mss) {
        let expected = format!("receive_window must hold one mss ({mss} B)");
        let refusal = Refusal::about(&["receive_window", "mss"], expected);
        return Err(refusal.got(format!("{receive_window} B")));
    }
    Ok(())
}

/// Delayed acknowledgements: one for every `segments`-th full segment, or after `timeout` (RFC 1122, RFC 5681
/// 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct DelayedAck {
    /// Segments per acknowledgement.
    pub segments: u32,
    /// Longest delay.
    pub timeout: Time,
}

/// Settings of [`DelayedAck`].
#[derive(Settings)]
struct AckDelay {
    /// longest delay of an acknowledgement (RFC 1122); off acknowledges every segment at once
    #[setting(default = "off", off = "off")]
    delayed_ack: Option<Time>,
    /// full segments per acknowledgement, if delayed (RFC 5681 section 4.2)
    #[setting(default = "2", above = 0)]
    delayed_ack_segments: u32,
}

impl From<AckDelay> for Option<DelayedAck> {
    fn from(settings: AckDelay) -> Option<DelayedAck> {
        let segments = settings.delayed_ack_segments;
        (settings.delayed_ack).map(|timeout| DelayedAck { segments, timeout })
    }
}

/// Loss detection by time (RFC 8985, RACK-TLP).
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RackConfig {
    /// Set if the tail is probed (RFC 8985 section 7).
    pub probe: bool,
    /// TLP.max_ack_delay; `None` is the minimum RTO, as in Linux.
    pub ack_delay: Option<Time>,
    /// Margin added to the reordering timer and to the wait for a probe (Linux `TCP_TIMEOUT_MIN_US`).
    pub margin: Time,
    /// Set if new data is sent first after a timeout (RFC 5682, F-RTO).
    pub frto: bool,
    /// RFC 8985's DupThresh: with this many segments SACKed and no reordering seen, there is no reordering
    /// window.
    pub threshold: u32,
}

/// Settings of [`RackConfig`].
#[derive(Settings)]
struct RackSettings {
    /// evidence of a loss: duplicate acknowledgements (RFC 5681, RFC 6675), or delivery of a segment sent later
    /// (RFC 8985, RACK)
    #[setting(default = "duplicates")]
    loss_detection: LossDetection,
    /// send a probe after two round trips without an acknowledgement (RFC 8985 section 7, TLP)
    #[setting(default = "false", beside(loss_detection = "rack"))]
    tail_loss_probe: bool,
    /// longest delay of an acknowledgement, added to the wait for a probe while one segment is in flight: RFC
    /// 8985's TLP.max_ack_delay; Linux adds the minimum RTO
    #[setting(default = "rto_min", off = "rto_min", beside(loss_detection = "rack"))]
    probe_ack_delay: Option<Time>,
    /// margin added to the reordering timer and to the wait for a probe: 2 ms in Linux since 6.6; "auto", two
    /// jiffies, in Linux before 6.6; 0 us in RFC 8985
    #[setting(default = "auto", off = "auto", beside(loss_detection = "rack"))]
    timer_margin: Option<Time>,
    /// after a timeout, send new data first to find out whether anything was lost (RFC 5682, F-RTO)
    #[setting(default = "false", beside(loss_detection = "rack"))]
    frto: bool,
}

impl RackSettings {
    /// Combines these settings with the other settings of a connection with the controller called `kind`.
    fn beside(self, kind: &str, tcp: &TcpConfig) -> Result<Option<RackConfig>, Refusal> {
        let (probe, frto) = (self.tail_loss_probe, self.frto);
        if self.loss_detection != LossDetection::Rack {
            for (name, asked) in [("tail_loss_probe", probe), ("frto", frto)] {
                if asked {
                    let wrong = format!(
                        "{name} = true needs loss_detection = \"rack\" and recovery = \"sack\": it \
                         is a part of RACK"
                    );
                    return Err(
                        Refusal::about(&[name, "loss_detection"], wrong).got("\"duplicates\"")
                    );
                }
            }
            return Ok(None);
        }
        if tcp.recovery != Recovery::Sack {
            let wrong = "loss_detection = \"rack\" needs recovery = \"sack\": it compares the send \
                         times of delivered segments, which only selective acknowledgements report \
                         (RFC 8985 section 3.2)";
            return Err(
                Refusal::about(&["loss_detection", "recovery"], wrong).got(tcp.recovery.name())
            );
        }
        if !congestion::takes_rack(kind) {
            let wrong = format!(
                "kind = {kind:?} needs loss_detection = \"duplicates\": it paces windows below one \
                 segment, so retransmissions wait at the sender, and detection by time (RFC 8985) \
                 would mistake that wait for a loss"
            );
            return Err(Refusal::about(&["loss_detection", "kind"], wrong).got("\"rack\""));
        }
        let Some(threshold) = tcp.dupack_threshold else {
            let wrong = "loss_detection = \"rack\" needs a number for fast_retransmit (3 in RFC \
                         8985): RACK detects losses by time, with or without duplicates, and Linux \
                         cannot turn that off; to repair by the retransmission timer alone, set \
                         loss_detection = \"duplicates\"";
            return Err(
                Refusal::about(&["fast_retransmit", "loss_detection"], wrong).got("\"off\""),
            );
        };
        let rule = tcp.reordering.rule;
        if rule != ThresholdRule::Fixed {
            let wrong = "loss_detection = \"rack\" needs fast_retransmit_rule = \"fixed\": RACK \
                         adapts its reordering window instead (RFC 8985 section 6.2 step 4), and \
                         the number of duplicates does not decide";
            return Err(
                Refusal::about(&["fast_retransmit_rule", "loss_detection"], wrong).got(rule.name()),
            );
        }
        let opens = tcp.handshake && tcp.syn_sample;
        if probe && !opens && tcp.measured_round_trip.is_none() {
            let wrong = "tail_loss_probe = true needs a round-trip sample before the first flight: \
                         set handshake = true and syn_sample = true, or measured_round_trip \
                         (without one, RFC 8985 section 7.2 would wait a second)";
            let got = match tcp.handshake {
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
            ack_delay: self.probe_ack_delay,
            margin: self.timer_margin.unwrap_or_else(|| {
                let jiffy = tcp.rto.jiffy.unwrap_or(Time::ZERO);
                jiffy.saturating_mul(2)
            }),
            frto,
            threshold,
        }))
    }
}

/// Detection of spurious retransmissions, and the sender's reaction to them.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize, Settings)]
pub struct ReorderingConfig {
    /// threshold of duplicates: fixed at `fast_retransmit`, or adapted to the reordering seen, from
    /// `fast_retransmit` upwards
    #[setting(key = "fast_retransmit_rule", default = "fixed")]
    pub rule: ThresholdRule,
    /// share of the reorderings seen for which an adapted threshold retransmits nothing (the FA ratio of Zhang
    /// et al., ICNP 2003; 0.9 is assumed)
    #[setting(
        key = "fast_retransmit_share",
        default = "0.9",
        above = 0,
        range = ..=Fraction::ONE,
        beside(fast_retransmit_rule = "dsack" | "early")
    )]
    pub share: f64,
    /// upper limit of an adapted threshold; assumed: Linux tcp_max_reordering
    #[setting(
        key = "fast_retransmit_most",
        default = "300",
        range = 1..=ReorderingConfig::MOST,
        beside(fast_retransmit_rule = "dsack" | "early")
    )]
    pub most: u32,
    /// share of the smallest round trip; a retransmission acknowledged sooner than that was spurious, since the
    /// original was acknowledged; assumed
    #[setting(
        key = "early_repair",
        default = "0.5",
        above = 0,
        range = ..=Fraction::ONE,
        beside(fast_retransmit_rule = "early")
    )]
    pub early: f64,
    /// acknowledgements report segments that arrive a second time (RFC 2883)
    #[setting(default = "false")]
    pub dsack: bool,
    /// restore the window and ssthresh when a recovery turns out to be spurious, as in Linux
    #[setting(default = "false")]
    pub undo: bool,
}

impl ReorderingConfig {
    /// Upper limit of [`ReorderingConfig::most`]: an adapted threshold keeps a count for each length up to it.
    const MOST: u64 = 65_535;

    /// Refuses settings that contradict each other.
    fn fits(&self, recovery: Recovery, threshold: Option<u32>) -> Result<(), Refusal> {
        if self.dsack && recovery != Recovery::Sack {
            let wrong = "dsack needs recovery = \"sack\": a D-SACK is a block of a selective acknowledgement";
            return Err(Refusal::about(&["dsack", "recovery"], wrong).got(recovery.name()));
        }
        if self.rule == ThresholdRule::Dsack && !self.dsack {
            let wrong = "fast_retransmit_rule = \"dsack\" needs dsack = true: only D-SACKs report \
                         spurious retransmissions to it";
            return Err(Refusal::about(&["fast_retransmit_rule", "dsack"], wrong));
        }
        let knows = self.dsack || self.rule == ThresholdRule::Early;
        if self.undo && !knows {
            let wrong = "undo needs dsack = true or fast_retransmit_rule = \"early\": only these \
                         detect that a recovery was spurious";
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
                "fast_retransmit_rule = {name:?} needs a number for fast_retransmit as its initial \
                 threshold: with \"off\", duplicates start no retransmission that could be spurious"
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BackoffEnds, Estimator};

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
                jiffy: None,
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
