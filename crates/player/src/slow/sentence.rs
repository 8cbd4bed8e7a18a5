//! Sentence that explains a query's completion time.

use super::chain::Timeout;
use super::log::Log;
use super::{HopSum, Sum};
use crate::sentences;
use sidestep_recording::{Flow, Head, Query};

/// Inputs of the sentence.
pub(super) struct SentenceFacts<'a> {
    pub query: &'a Query,
    pub flow: &'a Flow,
    /// Completion time of the query, ps.
    pub all: u64,
    pub sums: &'a [Sum],
    pub hops: &'a [HopSum],
    pub log: &'a Log,
    pub timeout_after: Option<&'a Timeout>,
    /// Fullest queue that a packet of the chain joined.
    pub deepest: Option<(u32, (u32, u64))>,
}

/// Returns the sentence about a query without a complete response.
pub(super) fn of_none(query: &Query, all: u64) -> String {
    format!(
        "No response to query {} has completed within {}.",
        query.id,
        sentences::time(all)
    )
}

pub(super) fn of(head: &Head, told: &SentenceFacts<'_>) -> String {
    let SentenceFacts {
        query, flow, all, ..
    } = told;
    let took = match query.end {
        Some(_) => format!("Query {} took {}", query.id, sentences::time(*all)),
        None => format!(
            "Query {} is not complete after {}",
            query.id,
            sentences::time(*all)
        ),
    };
    let last = match query.end {
        Some(_) => "the last response to complete",
        None => "the last response that has completed",
    };
    let (id, src) = (flow.id, sentences::node(head, flow.src));
    let longest = told.sums.iter().max_by_key(|sum| sum.ps);
    let Some(longest) = longest else {
        return format!("{took}.");
    };
    let ps = sentences::time(longest.ps);
    let why = match longest.kind {
        "timeout" => format!(
            "flow {id} from {src}, {last}, waited {ps} for its retransmission timer{}",
            lost(head, told)
        ),
        "queue" => format!(
            "packets of flow {id} from {src}, {last}, and their acknowledgements waited {ps} in queues{}",
            queue(head, told)
        ),
        "detour" => format!("packets of flow {id} from {src}, {last}, spent {ps} on detours"),
        "host" => format!("flow {id}, {last}, waited {ps} at {src}, for its window or for the NIC"),
        "before" => format!("flow {id} from {src}, {last}, started only after {ps}"),
        "link" => format!(
            "flow {id} from {src}, {last}, hardly waited: transmission and propagation took {ps}"
        ),
        _ => {
            format!("flow {id} from {src}, {last}, waited {ps} for something that is not recorded")
        }
    };
    format!("{took}: {why}{}.", also(told, longest.kind))
}

/// Describes the drop before the longest timeout.
fn lost(head: &Head, told: &SentenceFacts<'_>) -> String {
    let Some(Timeout { to, seq, .. }) = told.timeout_after else {
        return String::new();
    };
    let drops = told.log.drops.iter();
    let mut before = drops.filter(|drop| drop.at <= *to).rev();
    let data = before.clone().find(|drop| !drop.ack && drop.seq == *seq);
    let Some(drop) = data.or_else(|| before.next()) else {
        return String::new();
    };
    let what = match drop.ack {
        true => "one of its acknowledgements",
        false => "one of its packets",
    };
    let word = head.reasons.get(usize::from(drop.reason));
    let why = match word.map(String::as_str) {
        Some("full") | None => String::new(),
        Some(word) => format!(" ({})", word.replace('_', " ")),
    };
    format!(
        " because {} dropped {what}{why} when the queue to {} held {}",
        sentences::owner(head, drop.port),
        sentences::far(head, drop.port),
        sentences::holds(head, drop.port, drop.held)
    )
}

/// Describes the queue in which packets waited longest.
fn queue(head: &Head, told: &SentenceFacts<'_>) -> String {
    let Some(hop) = told.hops.first() else {
        return String::new();
    };
    let deepest = match told.deepest {
        Some((port, held)) if port == hop.port => {
            format!(", which held up to {}", sentences::holds(head, port, held))
        }
        _ => String::new(),
    };
    format!(
        ", {} of that in the queue from {} to {}{deepest}",
        sentences::time(hop.ps),
        sentences::owner(head, hop.port),
        sentences::far(head, hop.port)
    )
}

/// Describes secondary causes.
fn also(told: &SentenceFacts<'_>, longest: &str) -> String {
    let mut more = Vec::new();
    let sum = |kind: &str| told.sums.iter().find(|sum| sum.kind == kind);
    if longest != "timeout"
        && let Some(timeout) = sum("timeout")
    {
        more.push(format!(
            "timeouts took another {}",
            sentences::time(timeout.ps)
        ));
    }
    match (told.log.detours, sum("detour")) {
        (0, _) => {}
        (1, Some(detour)) if longest != "detour" => {
            more.push(format!(
                "its only detour added at most {}",
                sentences::time(detour.ps)
            ));
        }
        (count, Some(detour)) if longest != "detour" => more.push(format!(
            "{count} detours of its packets added {}",
            sentences::time(detour.ps)
        )),
        (1, _) => more.push("one of its packets was detoured once".into()),
        (count, _) => more.push(format!("its packets were detoured {count} times")),
    }
    // The sentence about a timeout already describes one drop.
    match (told.log.drops.len(), longest) {
        (0, _) => more.push("none of its packets was dropped".into()),
        (1, "timeout") => {}
        (1, _) => more.push("one of its packets was dropped".into()),
        (count, _) => more.push(format!("{count} of its packets were dropped in all")),
    }
    match more.is_empty() {
        true => String::new(),
        false => format!("; {}", more.join(", ")),
    }
}
