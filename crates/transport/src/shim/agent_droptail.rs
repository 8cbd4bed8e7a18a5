//! Agent-droptail: keeps duplicate acknowledgements from the sender until there are unusually many.
//!
//! **Decision**     the first `pass` duplicates of a run go on. The others are dropped until the run is as
//!                  long as `share` of those counted before it; from that duplicate on all go on, so
//!                  that the sender's third starts fast retransmit. A run ends as the cumulative
//!                  acknowledgement moves, and is counted then, if it was of `shortest` duplicates or
//!                  more. All else goes on: acknowledgements that move, old ones, those with SACK
//!                  blocks, data, handshakes.
//! **State**        of each open flow and each of its subflows what `duplicates.rs` says, and whether its
//!                  run goes on; how many runs there were of each length up to `longest`, for each of
//!                  them or for the host.
//! **Units**        acknowledgements.
//! **Errors**       `share` of 0 or above 1; `shortest` of 0 or above `longest`; `first` above `longest`; `longest`
//!                  above 65,536. A stack refuses it above a sender that reads SACK, or no duplicates.
//! **Source**       Dixit et al., Purdue CSD TR 11-011 (PLTS), section III-C2.
//! **Deviations**   none known. The report is silent on whose counters they are, on the first run, on runs
//!                  that ended in a repair and on recovery: settings, all assumed. It counts "3, 4 or 5
//!                  consecutive DUPACKs", so that shorter runs, which start nothing, do not count.
//!
//! "Holds back" is the word; the report "drops the following DUPACKs", and so does this. An
//! acknowledgement is cumulative: the next one says all that it said, and a late one says nothing.
//! What its sender misses is the count. At the threshold a NewReno sender adds as many segments to
//! its window as there were duplicates, and one for each that follows: under the agent that is three
//! and one for each behind the run's length, so that its first window of recovery is smaller by what
//! was dropped. A run cannot be longer than what is outstanding: where that is less than the usual
//! run, a loss is found by the timeout.

use sidestep_types::{Entry, FlowId, Packet, Param, ParamUnit, Refusal, Time, Values};

use super::duplicates::{Heard, Run, Stream, Streams};
use super::registry::Registered;
use super::{Counters, Nature, Shim, Up};

/// Drops duplicates between the first ones and the usual length of a run.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct AgentDroptail {
    settings: Settings,
    streams: Streams<Own>,
    /// The lengths of all runs of the host; empty when each flow has its own.
    host: Lengths,
    counters: Counters,
}

#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Settings {
    pass: u64,
    /// Numerator and denominator.
    share: (u64, u64),
    /// A run that is as long as `share` of the others is held still.
    exceed: bool,
    per_host: bool,
    first: u64,
    shortest: u64,
    longest: u64,
    count_repaired: bool,
    pass_in_recovery: bool,
}

/// What is kept of a subflow.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
struct Own {
    lengths: Lengths,
    /// Its run was long enough, and goes on.
    through: bool,
}

/// How many runs there were of each length.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
struct Lengths {
    /// From the shortest counted on, as far as there were any.
    of: Vec<u64>,
    total: u64,
    /// The length that `share` of them do not exceed; 0 before any.
    usual: u64,
}

impl Lengths {
    /// One more run.
    fn count(&mut self, length: u64, settings: &Settings) {
        if length < settings.shortest {
            return;
        }
        let at = (length.min(settings.longest) - settings.shortest) as usize;
        if self.of.len() <= at {
            self.of.resize(at + 1, 0);
        }
        self.of[at] += 1;
        self.total += 1;
        self.usual = settings.shortest + self.rank(settings.share);
    }

    /// How many lengths are below the one at which this share of all is reached.
    fn rank(&self, (part, whole): (u64, u64)) -> u64 {
        let enough = u128::from(self.total) * u128::from(part);
        let mut seen = 0;
        let reached = self.of.iter().position(|runs| {
            seen += u128::from(*runs);
            seen * u128::from(whole) >= enough
        });
        reached.expect("all of them are at most all") as u64
    }
}

const PER: &[&str] = &["flow", "host"];
const UNTIL: &[&str] = &["reached", "exceeded"];
const REPAIRED: &[&str] = &["counted", "left_out"];
const RECOVERY: &[&str] = &["filter", "pass"];

impl Registered for AgentDroptail {
    const ENTRY: Entry = Entry {
        name: "agent-droptail",
        summary: "drops duplicate acknowledgements until there are as many as rarely before",
        source: "PLTS section III-C2",
        params: &[
            Param::with_default(
                "pass",
                ParamUnit::Count,
                "2",
                "the first duplicates of a run, which go on (PLTS)",
            ),
            Param::with_default(
                "share",
                ParamUnit::Fraction,
                "0.9",
                "of the runs before, those that are not longer than what a run is held to (PLTS)",
            ),
            Param::with_default(
                "until",
                ParamUnit::Word(UNTIL),
                "reached",
                "a run goes on when it has reached that length (PLTS), or only when it has exceeded it (assumed)",
            ),
            Param::with_default(
                "per",
                ParamUnit::Word(PER),
                "flow",
                "whose runs are counted together: those of one flow and subflow, or of the host; assumed",
            ),
            Param::with_default(
                "first",
                ParamUnit::Count,
                "3",
                "the length to which a run is held before any was counted; 3 holds none back; assumed",
            ),
            Param::with_default(
                "repaired",
                ParamUnit::Word(REPAIRED),
                "counted",
                "runs in which something was sent again; assumed",
            ),
            Param::with_default(
                "recovery",
                ParamUnit::Word(RECOVERY),
                "filter",
                "duplicates until all is acknowledged that had been sent when something was sent again; assumed",
            ),
            Param::with_default(
                "shortest",
                ParamUnit::Count,
                "3",
                "the shortest run that is counted (PLTS, by its example)",
            ),
            Param::with_default(
                "longest",
                ParamUnit::Count,
                "256",
                "longer runs count as of this length; assumed",
            ),
        ],
    };
    const NATURE: Nature = Nature {
        duplicates: true,
        passes: Some("pass"),
        ..Nature::PLAIN
    };

    fn build(values: &Values) -> Result<AgentDroptail, Refusal> {
        let settings = Settings {
            pass: values.count("pass"),
            share: values.fraction("share"),
            exceed: values.word("until") == "exceeded",
            per_host: values.word("per") == "host",
            first: values.count("first"),
            shortest: values.count("shortest"),
            longest: values.count("longest"),
            count_repaired: values.word("repaired") == "counted",
            pass_in_recovery: values.word("recovery") == "pass",
        };
        let Settings {
            first,
            shortest,
            longest,
            ..
        } = settings;
        let (part, whole) = settings.share;
        if part == 0 || part > whole {
            let expected = "must be above 0 and at most 1";
            return Err(Refusal::of("share", expected).got(format!("{part}/{whole}")));
        }
        if shortest == 0 {
            return Err(Refusal::of("shortest", "must be above 0").got(0));
        }
        if longest > MOST {
            let expected = format!("must be at most {MOST}: each length has a counter");
            return Err(Refusal::of("longest", expected).got(longest));
        }
        if shortest > longest {
            let expected = format!("shortest ({shortest}) must not be above longest ({longest})");
            return Err(Refusal::about(&["shortest", "longest"], expected));
        }
        // No run that was counted holds another to more than `longest`.
        if first > longest {
            let expected = format!("first ({first}) must not be above longest ({longest})");
            return Err(Refusal::about(&["first", "longest"], expected));
        }
        Ok(AgentDroptail {
            settings,
            streams: Streams::new(),
            host: Lengths::default(),
            counters: Counters::default(),
        })
    }
}

/// The most that `longest` may be.
const MOST: u64 = 1 << 16;

impl Settings {
    fn counts(&self, run: Run) -> bool {
        run.length > 0 && (self.count_repaired || !run.repaired)
    }

    /// Is a run long enough to go on, beside these?
    fn is_long(&self, run: u64, lengths: &Lengths) -> bool {
        match (lengths.total, self.exceed) {
            (0, _) => run >= self.first,
            (_, true) => run > lengths.usual,
            (_, false) => run >= lengths.usual,
        }
    }
}

impl Shim for AgentDroptail {
    fn open(&mut self, flow: FlowId, _size: Option<u64>) {
        self.streams.open(flow);
    }

    fn close(&mut self, flow: FlowId) {
        self.streams.close(flow);
    }

    fn down(&mut self, _now: Time, packet: &mut Packet) {
        self.streams.down(packet);
    }

    fn up(&mut self, _now: Time, packet: &mut Packet) -> Up {
        let Some((heard, stream)) = self.streams.up(packet) else {
            return Up::Pass;
        };
        let (settings, recovers) = (&self.settings, stream.recovers());
        let Own { lengths, through } = &mut stream.own;
        let lengths = match settings.per_host {
            true => &mut self.host,
            false => lengths,
        };
        if let Heard::News(run) = heard {
            *through = false;
            if settings.counts(run) {
                lengths.count(run.length, settings);
            }
            return Up::Pass;
        }
        self.counters.duplicates += 1;
        *through |= settings.is_long(stream.run, lengths);
        let spared = settings.pass_in_recovery && recovers;
        match *through || spared || stream.run <= settings.pass {
            true => Up::Pass,
            false => Up::Drop,
        }
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn why(&self, packet: &Packet) -> String {
        match self.streams.duplicate(packet) {
            Some(stream) => self.held(stream),
            None => "it is a duplicate".into(),
        }
    }

    fn why_passed(&self, packet: &Packet) -> Option<String> {
        let stream = self.streams.duplicate(packet)?;
        let held = self.held(stream);
        let long = (self.settings).is_long(stream.run, self.lengths_of(stream));
        Some(match stream.own.through {
            _ if long || stream.run <= self.settings.pass => held,
            true => format!("{held}; an earlier one of the run was, when it came"),
            false => format!(
                "{held}; but something was sent again, and all go on until what had been sent by then is acknowledged \
                 (recovery = \"pass\")"
            ),
        })
    }
}

impl AgentDroptail {
    /// The runs beside which those of a subflow are long or short.
    fn lengths_of<'a>(&'a self, stream: &'a Stream<Own>) -> &'a Lengths {
        match self.settings.per_host {
            true => &self.host,
            false => &stream.own.lengths,
        }
    }

    /// Which duplicate of its run came, and which of them go on.
    fn held(&self, stream: &Stream<Own>) -> String {
        let Settings {
            pass,
            share: (part, whole),
            first,
            exceed,
            per_host,
            ..
        } = self.settings;
        let lengths = self.lengths_of(stream);
        let whose = if per_host { "this host" } else { "this flow" };
        let usual = lengths.usual;
        let held = match (lengths.total, exceed) {
            (0, _) => format!(
                "those from number {first} on, since no run of {whose} was counted yet (first = {first})"
            ),
            (total, false) => format!(
                "those from number {usual} on, the length that {part}/{whole} of the {total} runs of {whose} before it do not exceed"
            ),
            (total, true) => format!(
                "those behind number {usual}, the length that {part}/{whole} of the {total} runs of {whose} before it do not exceed"
            ),
        };
        format!(
            "it is duplicate {} of its run, of which the first {pass} go on and {held}",
            stream.run
        )
    }
}
