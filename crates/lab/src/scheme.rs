//! A scheme: what a paper proposes, as data that names a route, a buffer policy, a scheduler and a transport.

use crate::fabric;
use crate::read::section::{Choice, Resolved, Spec};
use crate::tables::{SHARED, SWITCH, TRANSPORT, TRANSPORTS};
use sidestep_sim::{SwitchConfig, TraceFilter, WorldConfig};
use sidestep_switch::{AnyBuffer, AnyRoute, AnySched, Capacity, buffer, route, sched};
use sidestep_transport::{
    Congestion, DelayedAck, Estimator, PfabricConfig, Recovery, Reduction, RtoConfig, TcpConfig,
    TransportConfig,
};
use sidestep_types::{Framing, HEADER_BYTES, Seed, Size, Time, Value, Values};

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

/// The policies of `[switch]`.
pub(crate) const POLICIES: &[Choice] = &[
    Choice {
        what: "route",
        entries: route::ENTRIES,
        default: Some("ecmp"),
    },
    Choice {
        what: "buffer",
        entries: buffer::ENTRIES,
        default: Some("droptail"),
    },
    Choice {
        what: "sched",
        entries: sched::ENTRIES,
        default: Some("fifo"),
    },
];

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

/// Reads `[switch]`. An error names the policy and says what does not go together.
pub(crate) fn switch(resolved: &Resolved) -> Result<SwitchConfig, (&'static str, String)> {
    let [route, buffer, sched] = &resolved.policies[..] else {
        panic!("a resolved switch has a route, a buffer and a sched");
    };
    // How many ports a switch has decides nothing here.
    let (ports, salt) = (4, 0);
    AnyRoute::build(route.0, &route.1, ports, salt).map_err(|e| ("switch.route", e))?;
    AnyBuffer::build(buffer.0, &buffer.1, ports, salt).map_err(|e| ("switch.buffer", e))?;
    AnySched::build(sched.0, &sched.1, ports, salt).map_err(|e| ("switch.sched", e))?;
    if let Some(needs) = buffer::nature(buffer.0).sched
        && needs != sched.0
    {
        let e = format!("{:?} needs sched {needs:?}, got {:?}", buffer.0, sched.0);
        return Err(("switch.buffer", e));
    }
    let named = |(name, values): &(&str, Values)| (name.to_string(), values.clone());
    let config = SwitchConfig {
        route: named(route),
        buffer: named(buffer),
        sched: named(sched),
        capacity: capacity(&resolved.values).map_err(|e| ("switch", e))?,
        pfc: fabric::pfc(&resolved.values).map_err(|e| ("switch", e))?,
        cioq: fabric::cioq(&resolved.values).map_err(|e| ("switch", e))?,
    };
    fabric::go_together(&config).map_err(|e| ("switch", e))?;
    Ok(config)
}

fn capacity(values: &Values) -> Result<Capacity, String> {
    match values.get("capacity") {
        Value::Word(word) if word == SHARED => {
            let (memory, alpha) = (values.bytes("memory"), values.fraction("alpha"));
            if alpha.0 == 0 {
                return Err("alpha must be above 0".into());
            }
            Ok(Capacity::Shared { memory, alpha })
        }
        _ => Ok(match values.size_or_off("capacity") {
            None => Capacity::Unlimited,
            Some(size) => Capacity::PerPort(size),
        }),
    }
}

/// Errors when a queue could never take a full packet, with Ethernet's header and FCS: nothing
/// would ever be delivered.
pub(crate) fn holds_a_packet(capacity: &Capacity, mss: u32) -> Result<(), String> {
    let framing = Framing::Ethernet;
    let full = u64::from(framing.wire(HEADER_BYTES + mss) - framing.unbuffered());
    let (name, got) = match capacity {
        Capacity::Unlimited => return Ok(()),
        Capacity::PerPort(Size::Packets(0)) => {
            return Err("capacity must be at least 1 pkt, got 0 pkt".into());
        }
        Capacity::PerPort(Size::Packets(_)) => return Ok(()),
        Capacity::PerPort(Size::Bytes(bytes)) => ("capacity", bytes),
        Capacity::Shared { memory, .. } => ("memory", memory),
    };
    if got.0 < full {
        return Err(format!(
            "{name} must hold a full packet, {full} B with mss {mss} B, got {got}"
        ));
    }
    Ok(())
}

/// Reads `[transport]`. An error names the parameter first.
pub(crate) fn transport(resolved: &Resolved) -> Result<TransportConfig, String> {
    let values = &resolved.values;
    let mss = values.bytes("mss").0;
    if !(1..=LONGEST_SEGMENT).contains(&mss) {
        return Err(format!(
            "mss must be between 1 B and {LONGEST_SEGMENT} B, got {mss} B"
        ));
    }
    let receive_window = values.bytes("receive_window").0;
    if receive_window < mss {
        return Err(format!(
            "receive_window must hold one mss ({mss} B), got {receive_window} B"
        ));
    }
    let mss = mss as u32;
    if resolved.kind == "pfabric" {
        return Ok(pfabric(values, mss, receive_window)?.into());
    }
    Ok(tcp(resolved, mss, receive_window)?.into())
}

fn tcp(resolved: &Resolved, mss: u32, receive_window: u64) -> Result<TcpConfig, String> {
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

fn pfabric(values: &Values, mss: u32, receive_window: u64) -> Result<PfabricConfig, String> {
    let rto = values.time("rto");
    if rto == Time::ZERO {
        return Err("rto must be above 0".into());
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

fn congestion(resolved: &Resolved) -> Result<Congestion, String> {
    let values = &resolved.values;
    if resolved.kind == "newreno" {
        let ecn = values.flag("ecn");
        return Ok(Congestion::NewReno { ecn });
    }
    let gain = share(values, "dctcp_gain")?;
    if gain == 0.0 {
        return Err("dctcp_gain must be above 0".into());
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

fn rto(values: &Values) -> Result<RtoConfig, String> {
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
            return Err(format!("{name} must be above 0"));
        }
        if span > rto.max {
            return Err(format!(
                "{name} ({span}) must not be above rto_max ({})",
                rto.max
            ));
        }
    }
    Ok(rto)
}

fn count(values: &Values, name: &str, least: u32, most: u32) -> Result<u32, String> {
    let got = values.count(name);
    match u32::try_from(got) {
        Ok(n) if (least..=most).contains(&n) => Ok(n),
        _ => Err(format!(
            "{name} must be between {least} and {most}, got {got}"
        )),
    }
}

fn share(values: &Values, name: &str) -> Result<f64, String> {
    let (above, below) = values.fraction(name);
    if above > below {
        return Err(format!("{name} must be at most 1, got {above}/{below}"));
    }
    Ok(above as f64 / below as f64)
}
