//! What can be said about every transport, and how values are read.

use sidestep_types::{Param, ParamUnit, Refusal, Values};

use crate::{
    AckRule, BackoffEnds, Estimator, Growth, LossDetection, Ranking, Recovery, Reduction,
    ThresholdRule,
};

/// The parameters of `[transport]` whatever its kind. Not every kind listens to all of them:
/// see [`crate::takes`].
pub const PARAMS: &[Param] = &[
    Param::with_default(
        "recovery",
        ParamUnit::Word(Recovery::WORDS),
        "newreno",
        "how losses are repaired: RFC 6582, RFC 5681 or RFC 6675",
    ),
    Param::with_default(
        "loss_detection",
        ParamUnit::Word(LossDetection::WORDS),
        "duplicates",
        "evidence of a loss: duplicate acknowledgements (RFC 5681, RFC 6675), or what was sent later and delivered \
         (RFC 8985, RACK)",
    ),
    Param::with_default(
        "tail_loss_probe",
        ParamUnit::Flag,
        "false",
        "send a probe after two round trips without an acknowledgement (RFC 8985 section 7, TLP)",
    )
    .beside("loss_detection", &["rack"]),
    Param::with_default(
        "probe_ack_delay",
        ParamUnit::Time,
        "rto_min",
        "the longest delay of an acknowledgement, added to the wait for a probe while one segment is out: RFC 8985's \
         TLP.max_ack_delay; Linux adds the minimum RTO",
    )
    .or_off("rto_min")
    .beside("loss_detection", &["rack"]),
    Param::with_default(
        "timer_margin",
        ParamUnit::Time,
        "auto",
        "added to the reordering timer and to the wait for a probe: 2 ms in Linux since 6.6; \"auto\", two jiffies, in \
         Linux before 6.6; 0 us in RFC 8985",
    )
    .or_off("auto")
    .beside("loss_detection", &["rack"]),
    Param::with_default(
        "frto",
        ParamUnit::Flag,
        "false",
        "after a timeout, send new data first to find out whether anything was lost (RFC 5682, F-RTO)",
    )
    .beside("loss_detection", &["rack"]),
    Param::with_default(
        "window_growth",
        ParamUnit::Word(Growth::WORDS),
        "rfc5681",
        "growth in slow start: a segment for each acknowledgement (RFC 5681), or each segment delivered (Linux)",
    ),
    Param::with_default(
        "reduction",
        ParamUnit::Word(Reduction::WORDS),
        "prr",
        "how a cut window is reached: at once, or by proportional rate reduction as in Linux \
         and ns-3 (RFC 9937)",
    ),
    Param::with_default(
        "mss",
        ParamUnit::Bytes,
        "1460 B",
        "payload of a full segment; IP MTU 1500 without options (DIBS Table 1)",
    ),
    Param::with_default(
        "initial_window",
        ParamUnit::Count,
        "10",
        "initial window in segments (RFC 6928, DIBS Table 1)",
    ),
    Param::with_default(
        "receive_window",
        ParamUnit::Bytes,
        "1 MiB",
        "bytes the receiver allows beyond the cumulative acknowledgement; assumed: a flow that only its own NIC slows down keeps as much in flight",
    ),
    Param::with_default(
        "fast_retransmit",
        ParamUnit::Count,
        "3",
        "duplicate acknowledgements that start fast retransmit (RFC 5681)",
    )
    .or_off("off"),
    Param::with_default(
        "fast_retransmit_rule",
        ParamUnit::Word(ThresholdRule::WORDS),
        "fixed",
        "whether that number stays, or moves with the reordering seen from `fast_retransmit` upwards",
    ),
    Param::with_default(
        "fast_retransmit_share",
        ParamUnit::Fraction,
        "0.9",
        "share of the reorderings seen that a number that moves lets pass (Zhang et al., ICNP 2003, call it FA ratio; \
         0.9 is assumed)",
    )
    .beside("fast_retransmit_rule", &["dsack", "early"]),
    Param::with_default(
        "fast_retransmit_most",
        ParamUnit::Count,
        "300",
        "a number that moves never exceeds it; assumed: Linux tcp_max_reordering",
    )
    .beside("fast_retransmit_rule", &["dsack", "early"]),
    Param::with_default(
        "early_repair",
        ParamUnit::Fraction,
        "0.5",
        "an acknowledgement that comes sooner after a repair than this share of the smallest round trip is for the \
         original; assumed",
    )
    .beside("fast_retransmit_rule", &["early"]),
    Param::with_default(
        "dsack",
        ParamUnit::Flag,
        "false",
        "acknowledgements tell of segments that arrive once more (RFC 2883)",
    ),
    Param::with_default(
        "undo",
        ParamUnit::Flag,
        "false",
        "the window and ssthresh come back when a recovery turns out needless, as in Linux",
    ),
    Param::with_default(
        "limited_transmit",
        ParamUnit::Flag,
        "false",
        "a new segment on each of the first two duplicate acknowledgements (RFC 3042)",
    )
    .beside("loss_detection", &["duplicates"]),
    Param::with_default(
        "limited_transmit_in_cwr",
        ParamUnit::Flag,
        "false",
        "limited transmit also while a window comes down after an echo (RFC 3042 does not except it)",
    )
    .beside("loss_detection", &["duplicates"]),
    Param::with_default(
        "duplicates_in_cwr",
        ParamUnit::Flag,
        "true",
        "duplicates begin a recovery also while a window comes down after an echo (RFC 8257 section 3.5, Linux); ns-3: false",
    )
    .beside("loss_detection", &["duplicates"]),
    Param::with_default(
        "echoes_in_loss",
        ParamUnit::Flag,
        "false",
        "an echo cuts the window also while a timeout is repaired; ns-3: true, Linux: false",
    ),
    Param::with_default(
        "window_floor",
        ParamUnit::Count,
        "2",
        "least window in segments after a loss or an echo: 1 or 2 (RFC 5681 equation 4 and Linux: 2; INET and ns-3 after an echo: 1)",
    ),
    Param::with_default(
        "idle_restart",
        ParamUnit::Flag,
        "false",
        "back to the initial window after one RTO of silence (RFC 5681 section 4.1)",
    ),
    Param::with_default(
        "delayed_ack",
        ParamUnit::Time,
        "off",
        "the longest wait before an acknowledgement (RFC 1122); off acknowledges every segment",
    )
    .or_off("off"),
    Param::with_default(
        "delayed_ack_segments",
        ParamUnit::Count,
        "2",
        "full segments per acknowledgement, when delayed (RFC 5681 section 4.2)",
    ),
    Param::with_default(
        "delayed_ack_rule",
        ParamUnit::Word(AckRule::WORDS),
        "linux",
        "which acknowledgements are delayed, when they are: as Linux does, or every second segment from the first on",
    ),
    Param::with_default(
        "rto_estimator",
        ParamUnit::Word(Estimator::WORDS),
        "rfc6298",
        "how round-trip samples become a timeout; it decides the tail",
    ),
    Param::with_default(
        "rto_min",
        ParamUnit::Time,
        "10 ms",
        "no timeout is shorter (DIBS Table 1)",
    ),
    Param::with_default(
        "rto_initial",
        ParamUnit::Time,
        "10 ms",
        "the timeout before the first sample; assumed: a standing connection has measured its path",
    ),
    Param::with_default(
        "rto_max",
        ParamUnit::Time,
        "60 s",
        "no timeout is longer, back-off included (RFC 6298 section 2.5)",
    ),
    Param::with_default(
        "rto_granularity",
        ParamUnit::Time,
        "1 us",
        "clock granularity G of RFC 6298; assumed",
    ),
    Param::with_default(
        "jiffy",
        ParamUnit::Time,
        "off",
        "period of the ticks at which the sender's timers run out (Linux: 1/HZ); off runs them out exactly",
    )
    .or_off("off"),
    Param::with_default(
        "rto_backoff",
        ParamUnit::Flag,
        "true",
        "double the timeout each time it runs out (RFC 6298 section 5.5)",
    ),
    Param::with_default(
        "rto_backoff_ends",
        ParamUnit::Word(BackoffEnds::WORDS),
        "as_estimator",
        "what makes a doubled timeout the estimator's again: a round trip of a segment that was sent once, or any \
         acknowledgement of new data",
    ),
    Param::with_default(
        "timestamps",
        ParamUnit::Flag,
        "false",
        "each acknowledgement of new data is a sample for the estimator, of segments sent twice as well (RFC 7323)",
    ),
    Param::with_default(
        "syn_sample",
        ParamUnit::Flag,
        "true",
        "who opens a connection takes the round trip of its SYN for a sample, as Linux and ns-3 do and INET does not",
    ),
    Param::with_default(
        "handshake",
        ParamUnit::Flag,
        "false",
        "open with SYN, SYN-ACK and ACK; without, the connection stands already",
    ),
    Param::with_default(
        "measured_round_trip",
        ParamUnit::Time,
        "off",
        "round trip that a connection which stands already has measured, its first sample; off: none is known before \
         the first acknowledgement",
    )
    .or_off("off"),
    Param::with_default(
        "fin",
        ParamUnit::Flag,
        "false",
        "close with FIN, its answer and the acknowledgement of that, when all is acknowledged; without, a connection \
         is left as it is",
    ),
    Param::with_default(
        "rank",
        ParamUnit::Word(Ranking::WORDS),
        "unacknowledged",
        "what data is marked with, for switches that order by it: bytes of the flow that are not \
         acknowledged (pFabric), or nothing",
    ),
];

/// The count called `name`, within bounds.
pub(crate) fn count(
    values: &Values,
    name: &'static str,
    least: u32,
    most: u32,
) -> Result<u32, Refusal> {
    let got = values.count(name);
    match u32::try_from(got) {
        Ok(n) if (least..=most).contains(&n) => Ok(n),
        _ => Err(Refusal::of(name, format!("must be between {least} and {most}")).got(got)),
    }
}

/// The same, or `None` when it is off.
pub(crate) fn count_or_off(
    values: &Values,
    name: &'static str,
    least: u32,
    most: u32,
) -> Result<Option<u32>, Refusal> {
    match values.count_or_off(name) {
        None => Ok(None),
        Some(_) => count(values, name, least, most).map(Some),
    }
}

/// The fraction called `name`, at most 1.
pub(crate) fn share(values: &Values, name: &'static str) -> Result<f64, Refusal> {
    let (above, below) = values.fraction(name);
    if above > below {
        let refusal = Refusal::of(name, "must be at most 1");
        return Err(refusal.got(format!("{above}/{below}")));
    }
    Ok(above as f64 / below as f64)
}

/// What is called by the word of parameter `name`. [`PARAMS`] allows only words that are known,
/// so another one is a mistake of this crate and panics.
pub(crate) fn word<T>(values: &Values, name: &str, from_name: fn(&str) -> Option<T>) -> T {
    let word = values.word(name);
    from_name(&word).unwrap_or_else(|| panic!("{name} {word:?} is listed but not known"))
}

/// The largest payload of a segment: a jumbo frame's worth; a packet's length has 16 bits.
pub const LONGEST_SEGMENT: u64 = 9_000;

/// `mss` and `receive_window`, which go together.
pub(crate) fn sizes(values: &Values) -> Result<(u32, u64), Refusal> {
    let mss = values.bytes("mss").0;
    if !(1..=LONGEST_SEGMENT).contains(&mss) {
        let expected = format!("must be between 1 B and {LONGEST_SEGMENT} B");
        return Err(Refusal::of("mss", expected).got(format!("{mss} B")));
    }
    let receive_window = values.bytes("receive_window").0;
    if receive_window < mss {
        let expected = format!("receive_window must hold one mss ({mss} B)");
        let refusal = Refusal::about(&["receive_window", "mss"], expected);
        return Err(refusal.got(format!("{receive_window} B")));
    }
    Ok((mss as u32, receive_window))
}
