//! Agent-droptail: filters duplicate acknowledgements from the sender until there are unusually many.
//!
//! **Decision**     the first `pass` duplicates of a run go on. The following ones are dropped until the run
//!                  reaches the length that `share` of the runs counted before do not exceed; from that
//!                  duplicate on all go on, so that the third one at the sender starts fast retransmit. A run
//!                  ends when the cumulative acknowledgement moves, and is counted then if it has `shortest`
//!                  duplicates or more. All other packets go on: acknowledgements that move, old ones, those
//!                  with SACK blocks, data, handshakes.
//! **State**        for each open flow and each of its subflows, the state of `duplicates.rs` and whether its
//!                  run goes on; the number of runs of each length up to `longest`, for each subflow or for the
//!                  host.
//! **Units**        acknowledgements.
//! **Errors**       `share` of 0 or above 1; `shortest` of 0 or above `longest`; `first` above `longest`;
//!                  `longest` above 65,536. A stack refuses the agent above a sender that reads SACK, or no
//!                  duplicates.
//! **Source**       Dixit et al., Purdue CSD TR 11-011 (PLTS), section III-C2.
//! **Deviations**   none known. The report does not specify the scope of the counters, the first run, runs that
//!                  ended in a retransmission, and recovery: these are settings, all assumed. It counts "3, 4
//!                  or 5 consecutive DUPACKs", so shorter runs, which start no recovery, do not count.
//!
//! The agent drops duplicates, as the report does ("drops the following DUPACKs"), and does not hold
//! them. An acknowledgement is cumulative: the next one carries all of its information, and a late one
//! carries none. The sender lacks only the count. At the threshold a NewReno sender adds as many segments
//! to its window as there were duplicates, and one for each that follows. Under the agent it adds three,
//! and one for each duplicate after the run's usual length, so that its first window of recovery is smaller
//! by the number dropped. A run cannot be longer than the flight: if the flight is shorter than the usual
//! run, the timeout detects a loss.

use sidestep_types::{About, FlowId, Fraction, Packet, Refusal, Settings, Time, Words};

use super::duplicates::{AckKind, Run, Stream, Streams};
use super::registry::Registered;
use super::{Counters, Nature, Shim, Up};

/// Shim that drops the duplicates between the first ones and the usual length of a run.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct AgentDroptail {
    settings: AgentDroptailSettings,
    streams: Streams<SubflowRuns>,
    /// Lengths of all runs of the host; empty when each flow counts separately.
    host: Lengths,
    counters: Counters,
}

/// Settings of [`AgentDroptail`].
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize, Settings)]
#[settings(check)]
pub struct AgentDroptailSettings {
    /// duplicates at the start of a run that always go on (PLTS)
    #[setting(default = "2")]
    pass: u64,
    /// share of the earlier runs that are not longer than the length to which a run is held (PLTS)
    #[setting(default = "0.9")]
    share: Fraction,
    /// a run goes on when it reaches the length to which it is held (PLTS), or only when it exceeds it
    /// (assumed)
    #[setting(default = "reached")]
    until: Until,
    /// runs counted together: those of one flow and subflow, or of the host; assumed
    #[setting(default = "flow")]
    per: Per,
    /// length to which a run is held before any run was counted; 3 holds none; assumed
    #[setting(default = "3")]
    first: u64,
    /// treatment of runs in which data was retransmitted: counted or left out; assumed
    #[setting(default = "counted")]
    repaired: Repaired,
    /// treatment of duplicates until all data sent before a retransmission is acknowledged: filtered or passed;
    /// assumed
    #[setting(default = "filter")]
    recovery: InRecovery,
    /// length of the shortest run that is counted (PLTS, by its example)
    #[setting(default = "3", above = 0)]
    shortest: u64,
    /// largest length counted, and the length as which longer runs count; assumed
    #[setting(default = "256", range = ..=MOST, because = "each length has a counter")]
    longest: u64,
}

/// Length at which a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize, Words)]
enum Until {
    Reached,
    Exceeded,
}

/// Scope of the counters of runs.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize, Words)]
enum Per {
    Flow,
    Host,
}

/// Treatment of runs in which data was retransmitted.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize, Words)]
enum Repaired {
    Counted,
    #[word("left_out")]
    LeftOut,
}

/// Treatment of duplicates in a recovery.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize, Words)]
enum InRecovery {
    Filter,
    Pass,
}

impl AgentDroptailSettings {
    /// Refuses settings that contradict each other.
    fn check(&self) -> Result<(), Refusal> {
        let AgentDroptailSettings {
            share,
            first,
            shortest,
            longest,
            ..
        } = *self;
        if share.0 == 0 || share > Fraction::ONE {
            return Err(Refusal::of("share", "must be above 0 and at most 1").got(share));
        }
        if shortest > longest {
            let expected = format!("shortest ({shortest}) must not be above longest ({longest})");
            return Err(Refusal::about(&["shortest", "longest"], expected));
        }
        // A counted run never holds another to more than `longest`.
        if first > longest {
            let expected = format!("first ({first}) must not be above longest ({longest})");
            return Err(Refusal::about(&["first", "longest"], expected));
        }
        Ok(())
    }
}

/// State of a subflow.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
struct SubflowRuns {
    lengths: Lengths,
    /// Set once its run was long enough to go on.
    through: bool,
}

/// Histogram of the lengths of runs.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
struct Lengths {
    /// Number of runs by length, from the shortest counted length to the longest seen.
    of: Vec<u64>,
    total: u64,
    /// Length that `share` of the runs do not exceed; 0 before any run.
    usual: u64,
}

impl Lengths {
    /// Counts a run.
    fn count(&mut self, length: u64, settings: &AgentDroptailSettings) {
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

    /// Returns the number of lengths below the one at which this share of all runs is reached.
    fn rank(&self, Fraction(part, whole): Fraction) -> u64 {
        let enough = u128::from(self.total) * u128::from(part);
        let mut seen = 0;
        let reached = self.of.iter().position(|runs| {
            seen += u128::from(*runs);
            seen * u128::from(whole) >= enough
        });
        reached.expect("all of them are at most all") as u64
    }
}

impl Registered for AgentDroptail {
    type Settings = AgentDroptailSettings;
    const ABOUT: About = About {
        name: "agent-droptail",
        summary: "drops duplicate acknowledgements until a run is longer than most earlier ones",
        source: "PLTS section III-C2",
    };
    const NATURE: Nature = Nature {
        duplicates: true,
        passes: Some("pass"),
        ..Nature::PLAIN
    };

    fn build(settings: AgentDroptailSettings) -> Result<AgentDroptail, Refusal> {
        Ok(AgentDroptail {
            settings,
            streams: Streams::new(),
            host: Lengths::default(),
            counters: Counters::default(),
        })
    }
}

/// Largest value of `longest`.
const MOST: u64 = 1 << 16;

impl AgentDroptailSettings {
    fn counts(&self, run: Run) -> bool {
        run.length > 0 && (self.repaired == Repaired::Counted || !run.repaired)
    }

    /// Returns true if a run is long enough to go on, given these lengths.
    fn is_long(&self, run: u64, lengths: &Lengths) -> bool {
        match (lengths.total, self.until == Until::Exceeded) {
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
        let SubflowRuns { lengths, through } = &mut stream.own;
        let lengths = match settings.per == Per::Host {
            true => &mut self.host,
            false => lengths,
        };
        if let AckKind::News(run) = heard {
            *through = false;
            if settings.counts(run) {
                lengths.count(run.length, settings);
            }
            return Up::Pass;
        }
        self.counters.duplicates += 1;
        *through |= settings.is_long(stream.run, lengths);
        let spared = settings.recovery == InRecovery::Pass && recovers;
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
            None => "it is a duplicate acknowledgement".into(),
        }
    }

    fn why_passed(&self, packet: &Packet) -> Option<String> {
        let stream = self.streams.duplicate(packet)?;
        let held = self.held(stream);
        let long = (self.settings).is_long(stream.run, self.lengths_of(stream));
        Some(match stream.own.through {
            _ if long || stream.run <= self.settings.pass => held,
            true => format!(
                "{held}; an earlier duplicate of this run had reached that number, so all later \
                 ones go on"
            ),
            false => format!(
                "{held}; but data was retransmitted, and with recovery = \"pass\" all duplicates \
                 go on until the data sent by then is acknowledged"
            ),
        })
    }
}

impl AgentDroptail {
    /// Returns the histogram that applies to the runs of a subflow.
    fn lengths_of<'a>(&'a self, stream: &'a Stream<SubflowRuns>) -> &'a Lengths {
        match self.settings.per {
            Per::Host => &self.host,
            Per::Flow => &stream.own.lengths,
        }
    }

    /// Describes the number of the duplicate in its run, and which duplicates go on.
    fn held(&self, stream: &Stream<SubflowRuns>) -> String {
        let AgentDroptailSettings {
            pass,
            share: Fraction(part, whole),
            first,
            until,
            per,
            ..
        } = self.settings;
        let lengths = self.lengths_of(stream);
        let whose = match per {
            Per::Host => "this host",
            Per::Flow => "this flow",
        };
        let usual = lengths.usual;
        let held = match (lengths.total, until) {
            (0, _) => format!(
                "those from number {first} on (first = {first}: no run of {whose} was counted yet)"
            ),
            (total, Until::Reached) => format!(
                "those from number {usual} on ({part}/{whole} of the {total} earlier runs of \
                 {whose} are no longer than {usual})"
            ),
            (total, Until::Exceeded) => format!(
                "those after number {usual} ({part}/{whole} of the {total} earlier runs of {whose} \
                 are no longer than {usual})"
            ),
        };
        format!(
            "it is duplicate {} of its run; the first {pass} go on, and {held}",
            stream.run
        )
    }
}
