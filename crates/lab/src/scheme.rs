//! A scheme: what a paper proposes, as data that names a route, a buffer policy, a scheduler and a transport.

use crate::fabric;
use crate::tables::{SWITCH, TRANSPORT, TRANSPORTS};
use sidestep_config::decision::{POLICIES, decision};
use sidestep_config::section::Resolved;
use sidestep_config::spec::{Choice, Spec};
use sidestep_sim::{SwitchConfig, TraceFilter, WorldConfig};
use sidestep_transport::{
    Congestion, DelayedAck, Estimator, PfabricConfig, Recovery, Reduction, RtoConfig, TcpConfig,
    TransportConfig,
};
use sidestep_types::{Framing, Refusal, Seed, Time, Values};

/// One thing to compare.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// Its name in results.
    pub name: String,
    /// What it is, in one line.
    pub summary: String,
    /// The paper and section.
    pub source: String,
    /// Its settings.
    pub config: SchemeConfig,
}

/// Everything a run needs to know but its network, plan, seed and trace.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemeConfig {
    /// What a packet costs on a wire.
    pub framing: Framing,
    /// Time to live of a new packet.
    pub ttl: u8,
    /// The same for every switch.
    pub switch: SwitchConfig,
    /// The same for every connection.
    pub transport: TransportConfig,
}

impl SchemeConfig {
    /// The settings of one run.
    pub fn world(&self, seed: Seed, trace: TraceFilter) -> WorldConfig {
        WorldConfig {
            framing: self.framing,
            ttl: self.ttl,
            switch: self.switch.clone(),
            transport: self.transport.clone(),
            seed,
            trace,
        }
    }
}

/// `[switch]`.
pub(crate) const SWITCH_SPEC: Spec<'static> = Spec {
    name: "switch",
    params: SWITCH,
    kind: None,
    policies: POLICIES,
};

/// `[transport]`.
pub(crate) const TRANSPORT_SPEC: Spec<'static> = Spec {
    name: "transport",
    params: TRANSPORT,
    kind: Some(Choice {
        what: "transport",
        entries: TRANSPORTS,
        default: Some("newreno"),
    }),
    policies: &[],
};

/// Reads `[switch]`. Errors have the section of what is refused, as those of [`decision`].
pub(crate) fn switch(resolved: &Resolved) -> Result<SwitchConfig, (&'static str, Refusal)> {
    let decision = decision(resolved)?;
    let config = SwitchConfig {
        route: decision.route,
        buffer: decision.buffer,
        sched: decision.sched,
        capacity: decision.capacity,
        pfc: fabric::pfc(&resolved.values).map_err(|e| ("switch", e))?,
        cioq: fabric::cioq(&resolved.values).map_err(|e| ("switch", e))?,
    };
    fabric::go_together(&config).map_err(|e| ("switch", e))?;
    Ok(config)
}

/// Reads `[transport]`.
pub(crate) fn transport(resolved: &Resolved) -> Result<TransportConfig, Refusal> {
    let values = &resolved.values;
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
    let mss = mss as u32;
    if resolved.kind == "pfabric" {
        return Ok(pfabric(values, mss, receive_window)?.into());
    }
    Ok(tcp(resolved, mss, receive_window)?.into())
}

fn tcp(resolved: &Resolved, mss: u32, receive_window: u64) -> Result<TcpConfig, Refusal> {
    let values = &resolved.values;
    let recovery = named(values, "recovery", Recovery::from_name);
    let reduction = named(values, "reduction", Reduction::from_name);
    let delayed_ack = match values.time_or_off("delayed_ack") {
        None => None,
        Some(timeout) => Some(DelayedAck {
            segments: count(values, "delayed_ack_segments", 1, u32::MAX)?,
            timeout,
        }),
    };
    let dupack_threshold = match values.count_or_off("fast_retransmit") {
        None => None,
        Some(_) => Some(count(values, "fast_retransmit", 1, u32::MAX)?),
    };
    Ok(TcpConfig {
        congestion: congestion(resolved)?,
        recovery,
        reduction,
        mss,
        initial_window: count(values, "initial_window", 1, 1 << 20)?,
        receive_window,
        dupack_threshold,
        limited_transmit: values.flag("limited_transmit"),
        idle_restart: values.flag("idle_restart"),
        delayed_ack,
        rto: rto(values)?,
        handshake: values.flag("handshake"),
    })
}

fn pfabric(values: &Values, mss: u32, receive_window: u64) -> Result<PfabricConfig, Refusal> {
    let rto = values.time("rto");
    if rto == Time::ZERO {
        return Err(Refusal::of("rto", "must be above 0"));
    }
    Ok(PfabricConfig {
        mss,
        window: count(values, "window", 1, 1 << 20)?,
        rto,
        probe_after: count(values, "probe_after", 1, u32::MAX)?,
        slow_start: values.flag("slow_start"),
        receive_window,
    })
}

/// A jumbo frame's worth; a packet's length has 16 bits.
const LONGEST_SEGMENT: u64 = 9_000;

fn congestion(resolved: &Resolved) -> Result<Congestion, Refusal> {
    let values = &resolved.values;
    if resolved.kind == "newreno" {
        let ecn = values.flag("ecn");
        return Ok(Congestion::NewReno { ecn });
    }
    let gain = share(values, "dctcp_gain")?;
    if gain == 0.0 {
        return Err(Refusal::of("dctcp_gain", "must be above 0"));
    }
    Ok(Congestion::Dctcp {
        gain,
        initial_alpha: share(values, "dctcp_initial_alpha")?,
    })
}

/// What the transport calls by the word of parameter `key`. The table of `[transport]` allows
/// only words that it knows, so another one is a mistake of this crate and panics.
fn named<T>(values: &Values, key: &str, from_name: fn(&str) -> Option<T>) -> T {
    let word = values.word(key);
    from_name(&word).unwrap_or_else(|| panic!("{key} {word:?} is listed but not known"))
}

fn rto(values: &Values) -> Result<RtoConfig, Refusal> {
    let rto = RtoConfig {
        estimator: named(values, "rto_estimator", Estimator::from_name),
        min: values.time("rto_min"),
        initial: values.time("rto_initial"),
        max: values.time("rto_max"),
        granularity: values.time("rto_granularity"),
        backoff: values.flag("rto_backoff"),
    };
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

fn count(values: &Values, name: &'static str, least: u32, most: u32) -> Result<u32, Refusal> {
    let got = values.count(name);
    match u32::try_from(got) {
        Ok(n) if (least..=most).contains(&n) => Ok(n),
        _ => Err(Refusal::of(name, format!("must be between {least} and {most}")).got(got)),
    }
}

fn share(values: &Values, name: &'static str) -> Result<f64, Refusal> {
    let (above, below) = values.fraction(name);
    if above > below {
        let refusal = Refusal::of(name, "must be at most 1");
        return Err(refusal.got(format!("{above}/{below}")));
    }
    Ok(above as f64 / below as f64)
}
