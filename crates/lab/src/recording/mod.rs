//! What of a run is recorded for a page to play, and what the recording says of the run.
//!
//! **Decision**     the window: the one that is given, or from just before the first query until the recording is as
//!                  large as it may be.
//! **State**        where the run stands to its window.
//! **Units**        picoseconds; bytes of the recording.
//! **Errors**       none; a window that begins after the end of the run is told in a warning.

mod about;

pub use about::{network_of, recording_head, recording_tail};

use crate::scenario::Scenario;
use sidestep_recording::{Head, Tail};
use sidestep_sim::record::{Packets, Recorded, Recording, Sampled};
use sidestep_sim::{Outcome, Plan, Start};
use sidestep_types::Time;

/// A recording whose window nobody gave ends when its chunks take so many bytes. With what stands around them a
/// recording of a fat tree of k = 8 stays below 20 MB.
pub const MOST_BYTES: usize = 18_000_000;

/// A recording whose window nobody gave begins so long before its query.
const LEAD: Time = Time::from_us(50);

/// What to record of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordSpec {
    /// From the first instant to before the second; `None` is around the first query.
    pub window: Option<(Time, Time)>,
    /// How senders stand is recorded of these flows.
    pub flows: Sampled,
    /// What packets do is recorded of these.
    pub packets: Packets,
    /// A recording whose window nobody gave ends when its chunks take so many bytes; `None` is [`MOST_BYTES`].
    pub most_bytes: Option<usize>,
}

impl RecordSpec {
    /// When the recording ends by its size, in bytes of its chunks.
    pub(crate) fn most(&self) -> usize {
        self.most_bytes.unwrap_or(MOST_BYTES)
    }
}

/// A recording in the hands of a session.
pub(crate) struct Tape {
    /// Until it begins.
    waits: Option<Recording>,
    pub from: Time,
    pub to: Time,
    /// It ends when its chunks take so many bytes, if its window was chosen.
    most: usize,
    /// It was told to end.
    pub ended: bool,
}

impl Tape {
    /// Of scheme number `scheme` with `seed`.
    pub fn new(
        scenario: &Scenario,
        scheme: usize,
        seed: u64,
        plan: &Plan,
        spec: &RecordSpec,
    ) -> Tape {
        let (from, to, window) = window(plan, spec);
        let head = Head {
            from: from.ps(),
            window,
            flows: of_flows(&spec.flows),
            packets: match &spec.packets {
                Packets::All => String::new(),
                Packets::Every(0) => "no packet".into(),
                Packets::Every(every) => format!("one packet in {every}, by chance"),
                Packets::Flows(flows) => format!("packets of {}", of_flows(flows)),
            },
            measured: spec.packets != Packets::All,
            ..recording_head(scenario, scheme, seed)
        };
        let recording = Recording {
            head,
            flows: spec.flows.clone(),
            packets: spec.packets.clone(),
            most_bytes: spec.window.is_none().then_some(spec.most()),
        };
        Tape {
            waits: Some(recording),
            from,
            to,
            most: spec.most(),
            ended: false,
        }
    }

    /// When the session must stop for it next: with everything before its beginning or its end.
    pub fn due(&self) -> Option<Time> {
        let at = match (&self.waits, self.ended) {
            (Some(_), _) => self.from,
            (None, false) => self.to,
            (None, true) => return None,
        };
        Some(at.saturating_sub(Time::from_ps(1)))
    }

    /// What to begin with, if it has not begun.
    pub fn begin(&mut self) -> Option<Recording> {
        self.waits.take()
    }

    /// Has it begun?
    pub fn has_begun(&self) -> bool {
        self.waits.is_none()
    }
}

/// Of which flows, in words.
fn of_flows(sampled: &Sampled) -> String {
    match sampled {
        Sampled::All => "all flows".into(),
        Sampled::Every(0) => "no flow".into(),
        Sampled::Every(every) => format!("every flow whose number {every} divides"),
        Sampled::These(flows) => {
            let all: Vec<String> = flows.iter().map(u32::to_string).collect();
            format!("flows {}", all.join(", "))
        }
    }
}

/// `18 MB`, or what else a recording may take.
fn size(bytes: usize) -> String {
    match bytes.is_multiple_of(1_000_000) {
        true => format!("{} MB", bytes / 1_000_000),
        false => format!("{bytes} B"),
    }
}

/// From when to when, and why, in words.
fn window(plan: &Plan, spec: &RecordSpec) -> (Time, Time, String) {
    if let Some((from, to)) = spec.window {
        return (from, to, format!("given: {from}..{to}"));
    }
    let first = |starts: &mut dyn Iterator<Item = Time>| starts.min();
    let query = first(&mut plan.queries.iter().map(|query| query.start));
    let group = first(&mut plan.groups.iter().map(|group| group.start));
    let flow = first(&mut plan.flows.iter().filter_map(|flow| match flow.start {
        Start::At(at) => Some(at),
        Start::After { .. } | Start::Replace { .. } => None,
    }));
    let (at, what) = match (query, group, flow) {
        (Some(at), ..) => (at, "query, which is asked"),
        (None, Some(at), _) => (at, "group of flows, which starts"),
        (None, None, at) => (at.unwrap_or_default(), "flow, which starts"),
    };
    let from = at.saturating_sub(LEAD);
    let words = format!(
        "chosen: from {from}, {} before the first {what} at {at}, until {} are full or the run ends",
        at - from,
        size(spec.most())
    );
    (from, Time::MAX, words)
}

/// The bytes of a recording, with what became of the flows and queries that were under way in it.
pub(crate) fn finish(recorded: Recorded, tape: &Tape, plan: &Plan, outcome: &Outcome) -> Vec<u8> {
    let to = recorded.to;
    let ended = match (recorded.full, to > outcome.end) {
        (true, _) => format!("{} are full", size(tape.most)),
        (false, true) => "the run ends".into(),
        (false, false) => "the window ends".into(),
    };
    recorded.finish(Tail {
        ended,
        ..recording_tail(plan, outcome, tape.from, to)
    })
}
