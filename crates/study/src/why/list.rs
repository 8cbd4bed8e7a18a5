//! Lists of packets to choose from: those of a flow, dropped ones, detoured ones.

use super::again::{Recorded, RunSelector};
use super::fate;
use super::packet_text::{Numbers, instant};
use crate::Error;
use crate::format::{Grid, count};
use crate::trace::packet_id;
use serde_json::{Value, json};
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
}

/// List of packets.
#[derive(Debug)]
pub struct Listed {
    /// Output of `--json`: all packets.
    pub json: Value,
    /// True if the repeated run was the recorded one.
    pub same: bool,
}

/// Lists packets of a recorded run in the order in which they were sent. Errors explain why there are none.
pub fn list(recorded: &Recorded, which: &RunSelector, wanted: Wanted) -> Result<Listed, Error> {
    let chosen = recorded.choose(which)?;
    let filter = match wanted {
        Wanted::Flow(flow) => TraceFilter::Flows(vec![flow]),
        Wanted::Dropped => TraceFilter::Dropped,
        Wanted::Detoured => TraceFilter::Detoured(1),
    };
    let run = chosen.run_to_end(chosen.session(filter)?)?;
    let check = chosen.check(&run);
    let mut traces: Vec<&PacketTrace> = run.outcome.traces.iter().collect();
    traces.sort_by_key(|trace| (trace.steps.first().map(|step| step.at), trace.id));
    if traces.is_empty() {
        let why = match wanted {
            Wanted::Flow(flow) => no_flow(flow, &run.plan, &run.outcome),
            Wanted::Dropped => "no packet was dropped".into(),
            Wanted::Detoured => "no packet was detoured".into(),
        };
        return Err(Error::Input(format!("{}: {why}", chosen.name())));
    }
    let scheme = &chosen.scenario.schemes[chosen.scheme];
    let of_classes = Numbers::of_classes(&scheme.config, &run.plan);
    let packets = traces.iter().map(|trace| {
        let class = run.plan.flows[trace.flow.0 as usize].class;
        let numbers = of_classes[usize::from(class)];
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
    Ok(Listed {
        json: json!({
            "scheme": run.scheme,
            "seed": run.seed,
            "packets": packets.collect::<Vec<_>>(),
            "run": check.json,
        }),
        same: check.same,
    })
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
    let mut out = grid.render(&[2, 6 + usize::from(subflows)]);
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
