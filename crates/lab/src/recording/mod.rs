//! Recording of a run for a page to play: the window and the description of the run.
//!
//! **Decision**     the window: the one that is given, or from just before the first query until the recording
//!                  has reached its size limit.
//! **State**        progress of the run relative to the window.
//! **Units**        picoseconds; bytes of the recording.
//! **Errors**       none; a window that begins after the end of the run is reported in a warning.

mod about;

pub use about::{network_of, recording_head, recording_tail};

use crate::scenario::Scenario;
use sidestep_recording::{Head, Tail};
use sidestep_sim::record::{Packets, Recorded, Recording, Sampled};
use sidestep_sim::{Outcome, Start, TrafficPlan};
use sidestep_types::Time;

/// Size of the chunks at which a recording without a given window ends, bytes. With head and tail, a
/// recording of a fat tree of k = 8 stays below 20 MB.
pub const MOST_BYTES: usize = 18_000_000;

/// Time before its query at which a recording without a given window begins.
const LEAD: Time = Time::from_us(50);

/// Specification of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordSpec {
    /// Window, from the first instant to before the second; `None` is around the first query.
    pub window: Option<(Time, Time)>,
    /// Flows whose sender state is recorded.
    pub flows: Sampled,
    /// Packets whose events are recorded.
    pub packets: Packets,
    /// Size of the chunks at which a recording without a given window ends, bytes; `None` is [`MOST_BYTES`].
    pub most_bytes: Option<usize>,
}

impl RecordSpec {
    /// Returns the size of the chunks at which the recording ends, bytes.
    pub(crate) fn most(&self) -> usize {
        self.most_bytes.unwrap_or(MOST_BYTES)
    }
}

/// Recording that a session makes.
pub(crate) struct RecordingInProgress {
    /// Recording until it begins.
    waits: Option<Recording>,
    pub from: Time,
    pub to: Time,
    /// Size of the chunks at which it ends if its window was chosen, bytes.
    most: usize,
    /// True once it was ended.
    pub ended: bool,
}

impl RecordingInProgress {
    /// Prepares a recording of scheme number `scheme` with `seed`.
    pub fn new(
        scenario: &Scenario,
        scheme: usize,
        seed: u64,
        plan: &TrafficPlan,
        spec: &RecordSpec,
    ) -> RecordingInProgress {
        let (from, to, window) = window(plan, spec);
        let head = Head {
            from: from.ps(),
            window,
            flows: of_flows(&spec.flows),
            packets: match &spec.packets {
                Packets::All => String::new(),
                Packets::Every(0) => "no packet".into(),
                Packets::Every(every) => format!("one packet in {every}, chosen at random"),
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
        RecordingInProgress {
            waits: Some(recording),
            from,
            to,
            most: spec.most(),
            ended: false,
        }
    }

    /// Returns the time at which the session must stop next: just before the recording begins or ends.
    pub fn due(&self) -> Option<Time> {
        let at = match (&self.waits, self.ended) {
            (Some(_), _) => self.from,
            (None, false) => self.to,
            (None, true) => return None,
        };
        Some(at.saturating_sub(Time::from_ps(1)))
    }

    /// Takes the recording to begin with, if it has not begun.
    pub fn begin(&mut self) -> Option<Recording> {
        self.waits.take()
    }

    /// True if it has begun.
    pub fn has_begun(&self) -> bool {
        self.waits.is_none()
    }
}

/// Describes the sampled flows in words.
fn of_flows(sampled: &Sampled) -> String {
    match sampled {
        Sampled::All => "all flows".into(),
        Sampled::Every(0) => "no flow".into(),
        Sampled::Every(every) => format!("every flow whose number is a multiple of {every}"),
        Sampled::These(flows) => {
            let all: Vec<String> = flows.iter().map(u32::to_string).collect();
            format!("flows {}", all.join(", "))
        }
    }
}

/// Formats a size as `18 MB`, or in bytes if it is not a multiple of 1 MB.
fn size(bytes: usize) -> String {
    match bytes.is_multiple_of(1_000_000) {
        true => format!("{} MB", bytes / 1_000_000),
        false => format!("{bytes} B"),
    }
}

/// Returns the window, from and to, and its reason in words.
fn window(plan: &TrafficPlan, spec: &RecordSpec) -> (Time, Time, String) {
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
        (Some(at), ..) => (at, "query"),
        (None, Some(at), _) => (at, "group of flows, which starts"),
        (None, None, at) => (at.unwrap_or_default(), "flow, which starts"),
    };
    let from = at.saturating_sub(LEAD);
    let words = format!(
        "chosen: from {from}, {} before the first {what} at {at}, until the recording reaches {} \
         or the run ends",
        at - from,
        size(spec.most())
    );
    (from, Time::MAX, words)
}

/// Returns the bytes of a recording, with the outcome of the flows and queries in progress in it.
pub(crate) fn finish(
    recorded: Recorded,
    tape: &RecordingInProgress,
    plan: &TrafficPlan,
    outcome: &Outcome,
) -> Vec<u8> {
    let to = recorded.to;
    let ended = match (recorded.full, to > outcome.end) {
        (true, _) => format!("the recording reaches {}", size(tape.most)),
        (false, true) => "the run ends".into(),
        (false, false) => "the window ends".into(),
    };
    recorded.finish(Tail {
        ended,
        ..recording_tail(plan, outcome, tape.from, to)
    })
}
