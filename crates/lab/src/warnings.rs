//! What must be read before trusting a number.

use crate::read::source::default;
use crate::scenario::Setting;
use crate::tables::{TRANSPORT, takes};
use crate::{Scenario, Scheme};
use sidestep_sim::Plan;
use sidestep_switch::{Capacity, Nature, buffer};
use sidestep_transport::{Congestion, TransportConfig};
use sidestep_types::{Param, Size, Value};

/// All warnings of a scenario.
pub(crate) fn of(scenario: &Scenario, first: &Plan) -> Vec<String> {
    let mut warnings: Vec<String> = overload(scenario)
        .into_iter()
        .chain(nothing_happens(scenario, first))
        .collect();
    for scheme in &scenario.schemes {
        let own = [
            nothing_marks(scheme),
            marks_too_late(scheme),
            detours_without_signal(scheme),
            detours_look_like_losses(scheme),
            never_detours(scheme),
            never_idle(scheme),
            line_rate_without_priorities(scheme),
            unheard(scenario, scheme),
        ];
        let named = |warning| format!("scheme {}: {warning}", scheme.name);
        warnings.extend(own.into_iter().flatten().map(named));
    }
    warnings
}

fn overload(scenario: &Scenario) -> Option<String> {
    let share = scenario.load().sum.share;
    (share > 1.0).then(|| {
        let percent = 100.0 * share;
        format!("the offered load is {percent:.0} % of what the hosts' links carry: queues and completion times grow with duration")
    })
}

fn nothing_happens(scenario: &Scenario, first: &Plan) -> Option<String> {
    first.flows.is_empty().then(|| {
        let (seed, duration) = (scenario.seeds[0], scenario.duration);
        format!("seed {seed} draws no flow in {duration}: make duration longer")
    })
}

fn nature(scheme: &Scheme) -> Nature {
    buffer::nature(&scheme.config.switch.buffer.0)
}

fn hears_marks(scheme: &Scheme) -> bool {
    let tcp = scheme.config.transport.tcp();
    tcp.is_some_and(|tcp| tcp.congestion != Congestion::NewReno { ecn: false })
}

/// The value of the buffer policy's `mark_at`, if it has one.
fn mark_at(scheme: &Scheme) -> Option<&Value> {
    let (name, values) = &scheme.config.switch.buffer;
    let entry = buffer::ENTRIES.iter().find(|entry| entry.name == name)?;
    let has = entry.params.iter().any(|param| param.name == "mark_at");
    has.then(|| values.get("mark_at"))
}

fn nothing_marks(scheme: &Scheme) -> Option<String> {
    let silent = !nature(scheme).marks || mark_at(scheme) == Some(&Value::Off);
    (silent && hears_marks(scheme)).then(|| {
        let buffer = &scheme.config.switch.buffer.0;
        format!("the transport slows down on marks, but buffer {buffer:?} as set marks nothing on its way")
    })
}

fn marks_too_late(scheme: &Scheme) -> Option<String> {
    let Capacity::PerPort(capacity) = scheme.config.switch.capacity else {
        return None;
    };
    let Some(Value::Size(mark_at)) = mark_at(scheme) else {
        return None;
    };
    let late = match (mark_at, capacity) {
        (Size::Packets(mark), Size::Packets(room)) => *mark >= room,
        (Size::Bytes(mark), Size::Bytes(room)) => *mark >= room,
        _ => false,
    };
    late.then(|| format!("mark_at ({mark_at}) is not below capacity ({capacity}): a queue is full before it marks"))
}

fn detours_without_signal(scheme: &Scheme) -> Option<String> {
    let alone = nature(scheme).detours && !hears_marks(scheme);
    alone.then(|| {
        "DIBS hides losses, and this transport slows down on losses alone: it needs one that \
         hears marks (DIBS section 3)"
            .to_string()
    })
}

fn detours_look_like_losses(scheme: &Scheme) -> Option<String> {
    let threshold = scheme.config.transport.tcp()?.dupack_threshold?;
    // DIBS section 4: above 10 duplicates is usually enough.
    (nature(scheme).detours && threshold <= 10).then(|| {
        format!(
            "detours reorder packets, and fast_retransmit = {threshold} takes that for loss; \
             the paper turns it off, and found more than 10 usually enough (DIBS section 4)"
        )
    })
}

fn never_idle(scheme: &Scheme) -> Option<String> {
    scheme.config.transport.tcp()?.idle_restart.then(|| {
        "idle_restart changes nothing yet: every flow is one message on a connection of its own, \
         which is never idle"
            .to_string()
    })
}

fn line_rate_without_priorities(scheme: &Scheme) -> Option<String> {
    let pfabric = matches!(scheme.config.transport, TransportConfig::Pfabric(_));
    let buffer = &scheme.config.switch.buffer.0;
    (pfabric && buffer != "pfabric").then(|| {
        format!(
            "transport pfabric sends at line rate until a timeout, since its switches drop what \
             has most left to send: buffer {buffer:?} does not (SIGCOMM 2013)"
        )
    })
}

/// What was said to the transport and is none of its business.
fn unheard(scenario: &Scenario, scheme: &Scheme) -> Option<String> {
    let own = |key: &str| {
        let of = |s: &&Setting| s.scheme.as_ref() == Some(&scheme.name) && s.key == key;
        scenario.settings.iter().find(of)
    };
    let kind = &own("transport.kind")?.value;
    let given = |param: &&Param| {
        let setting = own(&format!("transport.{}", param.name));
        !takes(kind, param.name) && setting.is_some_and(|s| s.source != default(param.doc))
    };
    let given: Vec<&str> = TRANSPORT.iter().filter(given).map(|p| p.name).collect();
    (!given.is_empty()).then(|| {
        let given = given.join(", ");
        format!(
            "{given}: no effect on transport {kind}, which has a window, a timeout and a recovery \
             of its own and opens no connection"
        )
    })
}

fn never_detours(scheme: &Scheme) -> Option<String> {
    let never = nature(scheme).detours && scheme.config.switch.capacity == Capacity::Unlimited;
    never.then(|| "an unlimited queue always has room, so DIBS never detours".to_string())
}
