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

use sidestep_types::{About, FlowId, Fraction, Packet, Refusal, Settings, Time, Words};

use super::duplicates::{Heard, Run, Stream, Streams};
use super::registry::Registered;
use super::{Counters, Nature, Shim, Up};

/// Drops duplicates between the first ones and the usual length of a run.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct AgentDroptail {
    settings: AgentDroptailSettings,
    streams: Streams<Own>,
    /// The lengths of all runs of the host; empty when each flow has its own.
    host: Lengths,
    counters: Counters,
}

/// Settings of [`AgentDroptail`].
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize, Settings)]
#[settings(check)]
pub struct AgentDroptailSettings {
    /// the first duplicates of a run, which go on (PLTS)
    #[setting(default = "2")]
    pass: u64,
    /// of the runs before, those that are not longer than what a run is held to (PLTS)
    #[setting(default = "0.9")]
    share: Fraction,
    /// a run goes on when it has reached that length (PLTS), or only when it has exceeded it (assumed)
    #[setting(default = "reached")]
    until: Until,
    /// whose runs are counted together: those of one flow and subflow, or of the host; assumed
    #[setting(default = "flow")]
    per: Per,
    /// the length to which a run is held before any was counted; 3 holds none back; assumed
    #[setting(default = "3")]
    first: u64,
    /// runs in which something was sent again; assumed
    #[setting(default = "counted")]
    repaired: Repaired,
    /// duplicates until all is acknowledged that had been sent when something was sent again; assumed
    #[setting(default = "filter")]
    recovery: InRecovery,
    /// the shortest run that is counted (PLTS, by its example)
    #[setting(default = "3", above = 0)]
    shortest: u64,
    /// longer runs count as of this length; assumed
    #[setting(default = "256", range = ..=MOST, because = "each length has a counter")]
    longest: u64,
}

/// The length at which a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize, Words)]
enum Until {
    Reached,
    Exceeded,
}

/// Whose runs are counted together.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize, Words)]
enum Per {
    Flow,
    Host,
}

/// What becomes of runs in which something was sent again.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize, Words)]
enum Repaired {
    Counted,
    #[word("left_out")]
    LeftOut,
}

/// What becomes of duplicates in a recovery.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize, Words)]
enum InRecovery {
    Filter,
    Pass,
}

impl AgentDroptailSettings {
    /// What does not go together.
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
        // No run that was counted holds another to more than `longest`.
        if first > longest {
            let expected = format!("first ({first}) must not be above longest ({longest})");
            return Err(Refusal::about(&["first", "longest"], expected));
        }
        Ok(())
    }
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

    /// How many lengths are below the one at which this share of all is reached.
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
        summary: "drops duplicate acknowledgements until there are as many as rarely before",
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

/// The most that `longest` may be.
const MOST: u64 = 1 << 16;

impl AgentDroptailSettings {
    fn counts(&self, run: Run) -> bool {
        run.length > 0 && (self.repaired == Repaired::Counted || !run.repaired)
    }

    /// Is a run long enough to go on, beside these?
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
        let Own { lengths, through } = &mut stream.own;
        let lengths = match settings.per == Per::Host {
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
        match self.settings.per {
            Per::Host => &self.host,
            Per::Flow => &stream.own.lengths,
        }
    }

    /// Which duplicate of its run came, and which of them go on.
    fn held(&self, stream: &Stream<Own>) -> String {
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
                "those from number {first} on, since no run of {whose} was counted yet (first = {first})"
            ),
            (total, Until::Reached) => format!(
                "those from number {usual} on, the length that {part}/{whole} of the {total} runs of {whose} before it do not exceed"
            ),
            (total, Until::Exceeded) => format!(
                "those behind number {usual}, the length that {part}/{whole} of the {total} runs of {whose} before it do not exceed"
            ),
        };
        format!(
            "it is duplicate {} of its run, of which the first {pass} go on and {held}",
            stream.run
        )
    }
}
