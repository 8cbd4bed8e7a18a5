//! `sidestep why`: repeats a recorded run to explain the path of one packet.
//!
//! No packet needs to be recorded for it: the result directory stores the scenario, the scheme and the seed,
//! and equal inputs give equal runs. At the end the trajectory hash shows whether they did.

mod again;
mod list;
mod missing;
mod packet_text;
mod recorded_policies;
mod step;
#[cfg(test)]
mod tests;

pub use again::{Recorded, RunSelector};
pub use list::{Listed, Wanted, list, list_text};
pub use missing::{missing, not_run};

use crate::format::wrap;
use crate::trace::packet_id;
use crate::{Error, trace};
use serde_json::{Value, json};
use sidestep_lab::{Run, Scenario};
use sidestep_sim::network::End;
use sidestep_sim::{PacketTrace, TraceEvent, TraceFilter};
use sidestep_types::{Packet, Time};
use step::AccountContext;

/// Account of one packet, and whether the run was the recorded one.
#[derive(Debug)]
pub struct Account {
    /// Output of `--json`.
    pub json: Value,
    /// True if the repeated run was the recorded one.
    pub same: bool,
}

/// Explains the events of packet `id` in a recorded run, with their reasons.
///
/// Errors explain why there is no such packet.
pub fn why(recorded: &Recorded, which: &RunSelector, id: &str) -> Result<Account, Error> {
    let number = trace::parse_packet_id(id).ok_or_else(|| {
        Error::Input(format!(
            "cannot explain packet {id:?}: expected its source host and its number there, like \
             100:3; {}",
            recorded.how_to_find()
        ))
    })?;
    let chosen = recorded.choose(which)?;
    let scenario = &chosen.scenario;
    let hosts = scenario.network.hosts;
    let host = (number >> 32) as u32;
    if host >= hosts {
        return Err(Error::Input(format!(
            "packet {} does not exist: the hosts of this run are 0 to {}; {}",
            packet_id(number),
            hosts - 1,
            recorded.how_to_find()
        )));
    }
    let mut session = chosen.session(TraceFilter::Ids(vec![number]))?;
    session.explain(number);
    chosen.run(&mut session, Time::MAX)?;
    let explained = session.explained().expect("an account was asked for");
    let run = session.finish();
    let check = chosen.check(&run);
    if explained.steps.is_empty() {
        let sent = explained.sent_by_host;
        let range = match sent {
            0 => "none, since it sends no data and no acknowledgements".to_string(),
            n => format!(
                "{} to {}",
                packet_id(u64::from(host) << 32),
                packet_id((u64::from(host) << 32) + n - 1)
            ),
        };
        return Err(Error::Input(format!(
            "packet {} was never sent under {}: the packets of host {host} are {range}; {}",
            packet_id(number),
            chosen.name(),
            recorded.how_to_find()
        )));
    }
    let earlier = earlier_copy(&chosen, &explained.steps)?;
    let story = AccountContext::of(scenario, chosen.scheme, &run);
    let mut json = story.tell(number, &explained.steps, earlier.as_deref());
    json["scheme"] = json!(run.scheme);
    json["seed"] = json!(run.seed);
    json["run"] = check.json.clone();
    Ok(Account {
        json,
        same: check.same,
    })
}

/// Describes, for a retransmission, the outcome of the last packet with the same bytes.
fn earlier_copy(
    chosen: &again::Chosen,
    steps: &[sidestep_sim::why::AccountStep],
) -> Result<Option<String>, Error> {
    let Some(sidestep_sim::why::AccountEvent::Sent(sent)) = steps.first().map(|step| &step.what)
    else {
        return Ok(None);
    };
    let packet: &Packet = &sent.packet;
    if !packet.sent_again() {
        return Ok(None);
    }
    let at = steps[0].at;
    let mut session = chosen.session(TraceFilter::Flows(vec![packet.flow.0]))?;
    chosen.run(&mut session, at)?;
    let scenario = &chosen.scenario;
    let run: Run = session.finish();
    let began = |trace: &PacketTrace| trace.steps.first().map(|step| step.at);
    let same =
        |trace: &&PacketTrace| !trace.ack && trace.seq == packet.seq() && began(trace) < Some(at);
    let earlier = run
        .outcome
        .traces
        .iter()
        .filter(same)
        .max_by_key(|trace| began(trace));
    Ok(earlier.map(|trace| {
        let fate = fate(scenario, trace, "was still on its way");
        let sent = began(trace).unwrap_or_default();
        format!(
            "These bytes were sent before in packet {} (at {}), which {fate}.",
            packet_id(trace.id),
            packet_text::instant(sent)
        )
    }))
}

/// Describes the end of a traced packet, as `was dropped at edge 0.1 (full) at 12.5 us`.
fn fate(scenario: &Scenario, trace: &PacketTrace, otherwise: &str) -> String {
    let Some(last) = trace.steps.last() else {
        return otherwise.into();
    };
    let at = packet_text::instant(last.at);
    match last.what {
        TraceEvent::Delivered => format!("was delivered at {at}"),
        TraceEvent::Sent => otherwise.into(),
        TraceEvent::At(here, event) => {
            let Some(reason) = event.dropped() else {
                return otherwise.into();
            };
            let place = match here {
                End::Host(_) => "by its host".to_string(),
                End::Switch(s) => format!("at {}", scenario.network.switches[s.0 as usize]),
            };
            format!("was dropped {place} ({}) at {at}", reason.name())
        }
    }
}

/// Formats an account as text.
pub fn text(json: &Value) -> String {
    let word = |value: &Value| value.as_str().unwrap_or("").to_string();
    let mut out = format!("{}\n{}\n", word(&json["headline"]), word(&json["fate"]));
    for step in json["steps"].as_array().into_iter().flatten() {
        out.push_str(&format!(
            "\n{}  {}\n",
            word(&step["time"]),
            word(&step["at"])
        ));
        for sentence in step["says"].as_array().into_iter().flatten() {
            for (i, line) in wrap(&word(sentence), 96).into_iter().enumerate() {
                out.push_str(if i == 0 { "    " } else { "      " });
                out.push_str(&line);
                out.push('\n');
            }
        }
    }
    out.push('\n');
    for line in wrap(&word(&json["run"]["says"]), 100) {
        out.push_str(&line);
        out.push('\n');
    }
    out
}
