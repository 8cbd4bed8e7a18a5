//! Lists of packets to choose from: those of a flow, dropped ones, detoured ones.

use super::again::{Chosen, Recorded, RunSelector};
use super::fate;
use super::packet_text::{Numbers, instant};
use crate::Error;
use crate::format::{Grid, count};
use crate::trace::packet_id;
use serde_json::{Value, json};
use sidestep_lab::stats::place;
use sidestep_sim::{Outcome, PacketTrace, Start, TraceFilter, TrafficPlan};
use sidestep_types::{FlowId, Time};

/// Packets to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Packets of this flow, in both directions.
    Flow(u32),
    /// Dropped packets.
    Dropped,
    /// Detoured packets.
    Detoured,
    /// Packets of the slowest flow.
    Slowest,
}

impl Wanted {
    /// Returns the packets that these options select; `None` if they select none.
    pub fn asked(
        flow: Option<u32>,
        dropped: bool,
        detoured: bool,
        class: Option<&str>,
    ) -> Option<Wanted> {
        match (flow, dropped, detoured, class) {
            (Some(flow), ..) => Some(Wanted::Flow(flow)),
            (None, true, ..) => Some(Wanted::Dropped),
            (None, false, true, _) => Some(Wanted::Detoured),
            (None, false, false, Some(_)) => Some(Wanted::Slowest),
            (None, false, false, None) => None,
        }
    }
}

/// List of packets.
#[derive(Debug)]
pub struct Listed {
    /// Output of `--json`: all packets.
    pub json: Value,
    /// True if the repeated run was the recorded one.
    pub same: bool,
}

/// Lists packets of a recorded run in the order in which they were sent; with a `class` only those of its flows. Errors
/// explain why there are none.
pub fn list(
    recorded: &Recorded,
    which: &RunSelector,
    wanted: Wanted,
    class: Option<&str>,
) -> Result<Listed, Error> {
    let chosen = recorded.choose(which)?;
    let slowest = match wanted {
        Wanted::Slowest => Some(slowest(&chosen, class)?),
        _ => None,
    };
    let wanted = slowest
        .as_ref()
        .map_or(wanted, |slow| Wanted::Flow(slow.flow));
    let filter = match wanted {
        Wanted::Flow(flow) => TraceFilter::Flows(vec![flow]),
        Wanted::Dropped => TraceFilter::Dropped,
        Wanted::Detoured => TraceFilter::Detoured(1),
        Wanted::Slowest => unreachable!("the slowest flow was found above"),
    };
    let run = chosen.run_to_end(chosen.session(filter)?)?;
    let check = chosen.check(&run);
    let of_class = class
        .map(|name| class_of(name, &run.plan, &chosen))
        .transpose()?;
    let flow_of = |trace: &PacketTrace| &run.plan.flows[trace.flow.0 as usize];
    let in_class = |trace: &&PacketTrace| of_class.is_none_or(|of| flow_of(trace).class == of);
    let mut traces: Vec<&PacketTrace> = run.outcome.traces.iter().filter(in_class).collect();
    traces.sort_by_key(|trace| (trace.steps.first().map(|step| step.at), trace.id));
    if traces.is_empty() {
        let of = class.map_or(String::new(), |class| format!(" of class {class}"));
        let why = match wanted {
            Wanted::Flow(flow) => no_flow(flow, &run.plan, &run.outcome),
            Wanted::Dropped => format!("no packet{of} was dropped"),
            Wanted::Detoured | Wanted::Slowest => format!("no packet{of} was detoured"),
        };
        return Err(Error::Input(format!("{}: {why}", chosen.name())));
    }
    let scheme = &chosen.scenario.schemes[chosen.scheme];
    let of_classes = Numbers::of_classes(&scheme.config, &run.plan);
    let packets = traces.iter().map(|trace| {
        let numbers = of_classes[usize::from(flow_of(trace).class)];
        json!({
            "id": packet_id(trace.id),
            "flow": trace.flow.0,
            "kind": if trace.ack { "ack" } else { "data" },
            "seq": trace.seq,
            "subflow": numbers.subflow(trace.seq),
            "byte": numbers.in_subflow(trace.seq),
            "sent_ps": trace.steps.first().map(|step| step.at.ps()),
            "detours": trace.detours(),
            "fate": fate(&chosen.scenario, trace, "was on its way when the run ended"),
        })
    });
    let mut json = json!({
        "scheme": run.scheme,
        "seed": run.seed,
        "packets": packets.collect::<Vec<_>>(),
        "run": check.json,
    });
    if let Some(slow) = slowest {
        json["slowest"] = json!({"flow": slow.flow, "class": class, "took_ps": slow.took.ps(), "says": slow.says});
    }
    Ok(Listed {
        json,
        same: check.same,
    })
}

/// Slowest flow of a class.
struct Slow {
    flow: u32,
    /// Completion time; of an unfinished flow the time to the end of the run.
    took: Time,
    says: String,
}

/// Finds the slowest flow of a class that began, in a run of its own. Unfinished flows come first; endless flows do not count.
fn slowest(chosen: &Chosen, class: Option<&str>) -> Result<Slow, Error> {
    let run = chosen.run_to_end(chosen.session(TraceFilter::None)?)?;
    let of_class = class
        .map(|name| class_of(name, &run.plan, chosen))
        .transpose()?;
    let mut all = Vec::new();
    for (id, (plan, outcome)) in run.plan.flows.iter().zip(&run.outcome.flows).enumerate() {
        let in_class = of_class.is_none_or(|of| plan.class == of);
        if let (true, false, Some(started)) = (in_class, plan.is_endless(), outcome.started) {
            let took = outcome
                .finished
                .unwrap_or(run.outcome.end)
                .saturating_sub(started);
            all.push((outcome.finished.is_none(), took, std::cmp::Reverse(id)));
        }
    }
    let of = class.map_or(String::new(), |class| format!(" of class {class}"));
    let Some((open, took, std::cmp::Reverse(id))) = all.into_iter().max() else {
        let name = chosen.name();
        return Err(Error::Input(format!(
            "{name}: no flow{of} that ends began in this run"
        )));
    };
    let ended = match open {
        true => format!(
            "it was not complete after {}, when the run ended",
            instant(took)
        ),
        false => format!("it took {}", instant(took)),
    };
    Ok(Slow {
        flow: id as u32,
        took,
        says: format!("The slowest flow{of} is flow {id}: {ended}."),
    })
}

/// Finds the class called `name` in a plan; for a class of a flow list its word is enough.
fn class_of(name: &str, plan: &TrafficPlan, chosen: &Chosen) -> Result<u8, Error> {
    let names = plan.classes.iter().map(String::as_str);
    match place(names, name) {
        Ok(place) => Ok(place as u8),
        Err(several) => {
            let expected = match several.is_empty() {
                true => plan.classes.join(", "),
                false => several.join(", "),
            };
            Err(Error::Input(format!(
                "{}: class {name:?}: expected one of {expected}",
                chosen.name()
            )))
        }
    }
}

/// Explains why no packet of `flow` was sent.
fn no_flow(flow: u32, plan: &TrafficPlan, outcome: &Outcome) -> String {
    let Some(planned) = plan.flows.get(flow as usize) else {
        return match plan.flows.len() {
            0 => format!("there is no flow {flow}: the run has no flows"),
            n => format!("there is no flow {flow}: this run has flows 0 to {}", n - 1),
        };
    };
    let end = instant(outcome.end);
    let ended = |other: FlowId| outcome.flows[other.0 as usize].finished.map(instant);
    match planned.start {
        Start::At(at) => format!(
            "flow {flow} sent nothing: it begins at {}, and the run ended at {end}",
            instant(at)
        ),
        Start::After { flow: other, wait } => match ended(other) {
            None => format!(
                "flow {flow} never began: it follows flow {}, which was not complete when the run \
                 ended at {end}",
                other.0
            ),
            Some(at) => format!(
                "flow {flow} never began: it follows flow {} by {wait}; that one was complete at \
                 {at}, and the run ended at {end}",
                other.0
            ),
        },
        Start::Replace { flow: other, until } => match ended(other) {
            None => format!(
                "flow {flow} never began: it replaces flow {}, which was not complete when the run \
                 ended at {end}",
                other.0
            ),
            Some(at) => format!(
                "flow {flow} never began: it replaces flow {}, which was complete at {at}, but the \
                 loop ends at {}",
                other.0,
                instant(until)
            ),
        },
    }
}

/// Formats a list as text, with at most `most` packets.
pub fn list_text(json: &Value, most: usize) -> String {
    let packets = json["packets"].as_array().map_or(&[][..], Vec::as_slice);
    let mut grid = Grid::default();
    let subflows = packets.iter().any(|packet| !packet["subflow"].is_null());
    // Each subflow numbers its own bytes.
    let subflow = |said: &dyn Fn() -> String| subflows.then(said);
    let row = |[id, flow, kind]: [String; 3], subflow: Option<String>, rest: [String; 4]| {
        let all = [id, flow, kind].into_iter().chain(subflow).chain(rest);
        all.collect::<Vec<_>>()
    };
    grid.row(row(
        ["packet", "flow", "kind"].map(String::from),
        subflow(&|| "subflow".into()),
        ["byte", "sent", "detours", "outcome"].map(String::from),
    ));
    grid.rule();
    for packet in packets.iter().take(most) {
        let number = |key: &str| count(packet[key].as_u64().unwrap_or(0));
        let word = |key: &str| packet[key].as_str().unwrap_or("?").to_string();
        let sent = Time::from_ps(packet["sent_ps"].as_u64().unwrap_or(0));
        grid.row(row(
            [word("id"), packet["flow"].to_string(), word("kind")],
            subflow(&|| packet["subflow"].to_string()),
            [
                number("byte"),
                instant(sent),
                packet["detours"].to_string(),
                word("fate"),
            ],
        ));
    }
    let slow = json["slowest"]["says"].as_str();
    let slow = slow.map_or(String::new(), |says| format!("{says}\n\n"));
    let mut out = slow + &grid.render(&[2, 6 + usize::from(subflows)]);
    if packets.len() > most {
        out.push_str(&format!(
            "and {} more; --json prints all\n",
            packets.len() - most
        ));
    }
    let says = json["run"]["says"].as_str().unwrap_or("");
    out.push_str(&format!("\n{says}\n"));
    out
}
