//! Player of dialogues: hands the sender the events of a file and compares its answers.

use std::fmt;
use std::path::Path;

use sidestep_transport::{Ack, Segment, Sender, TcpSender};
use sidestep_types::{SackBlocks, Time};

use crate::settings::{Built, built, find};
use crate::text::{
    self, Amount, Dialogue, Event, Expected, Heard, Place, Range, State, Step, Unreadable, What,
    micros,
};

/// Names that a line `has` may check.
pub const LOOKS: &[&str] = &[
    "cwnd",
    "ssthresh",
    "rto",
    "deadline",
    "segments",
    "retransmits",
    "timeouts",
    "fast_retransmits",
    "echoes",
    "cuts",
    "dsacks",
    "undone",
    "probes",
    "done",
];

/// Segments at one instant beyond which a sender counts as out of control.
const MOST: usize = 10_000;

/// Dialogue that was played.
pub struct Played {
    pub file: String,
    pub name: String,
    pub failure: Option<Failure>,
}

/// First line of a dialogue that does not hold.
#[derive(Debug)]
pub struct Failure {
    pub file: String,
    pub name: String,
    pub line: usize,
    /// Text with the expected and the found value.
    pub what: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure {
            file,
            line,
            name,
            what,
        } = self;
        write!(f, "{file}:{line}: {what} ({name})")
    }
}

/// Converts a reading error, without its file and name, which [`played`] adds.
impl From<Unreadable> for Failure {
    fn from(wrong: Unreadable) -> Failure {
        Failure {
            file: String::new(),
            name: String::new(),
            line: wrong.line,
            what: wrong.what,
        }
    }
}

/// Plays all files of a folder that end in `.txt`, by name.
pub fn folder(folder: &Path) -> Vec<Played> {
    let listed = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", folder.display()));
    let mut files: Vec<_> = listed
        .map(|file| file.expect("it is listed").path())
        .collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "txt"));
    files.sort();
    let each = files.iter().flat_map(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(path).expect("it is text");
        file(&name, &text)
    });
    each.collect()
}

/// Plays the dialogues of one file.
pub fn file(file: &str, text: &str) -> Vec<Played> {
    let all = text::read(text);
    if all.is_empty() {
        let failure = failure(0, "a dialogue, which begins with `== name`", "none");
        return vec![played(file, "(none)".into(), Err(failure))];
    }
    let each = all.into_iter().map(|read| match read {
        Err((name, wrong)) => played(file, name, Err(wrong.into())),
        Ok(dialogue) => {
            let result = judged(&dialogue, guarded(&dialogue));
            played(file, dialogue.name, result)
        }
    });
    each.collect()
}

fn played(file: &str, name: String, result: Result<(), Failure>) -> Played {
    let failure = result.err().map(|failure| Failure {
        file: file.into(),
        name: name.clone(),
        ..failure
    });
    Played {
        file: file.into(),
        name,
        failure,
    }
}

fn failure(line: usize, expected: impl fmt::Display, got: impl fmt::Display) -> Failure {
    let what = format!("expected {expected}, got {got}");
    Unreadable { line, what }.into()
}

/// Inverts the result of a dialogue with the setting `fails`: once it holds, the setting is to be removed.
fn judged(dialogue: &Dialogue, result: Result<(), Failure>) -> Result<(), Failure> {
    match (find(dialogue, "fails"), result) {
        (None, result) => result,
        (Some(_), Err(_)) => Ok(()),
        (Some(known), Ok(())) => {
            let expected = "a line that does not hold, as the setting `fails` says";
            Err(failure(known.line, expected, "a dialogue that holds"))
        }
    }
}

/// Plays a dialogue; a sender that panics fails it and no other.
fn guarded(dialogue: &Dialogue) -> Result<(), Failure> {
    let played = std::panic::catch_unwind(|| play(dialogue));
    played.unwrap_or_else(|_| Err(failure(dialogue.line, "an answer", "a panic of the sender")))
}

fn play(dialogue: &Dialogue) -> Result<(), Failure> {
    let mut talk = Talk::new(built(dialogue)?);
    for (i, step) in dialogue.steps.iter().enumerate() {
        talk.happens(step)?;
        talk.sends(step, &dialogue.steps[i + 1..])?;
        for state in &step.state {
            talk.has(state)?;
        }
    }
    Ok(())
}

/// Dialogue in progress, with its sender.
struct Talk {
    sender: TcpSender,
    mss: u64,
    compares_cwr: bool,
    silent_timers: bool,
    /// Time by which a segment may leave early.
    early: Time,
    /// Segments of later steps that have left already.
    ahead: usize,
    now: Time,
    /// End of the data that the application has handed over; `None` for an endless flow.
    size: Option<u64>,
    /// Start of the message, from which the sender counts.
    base: u64,
}

impl Talk {
    fn new(built: Built) -> Talk {
        Talk {
            sender: built.sender,
            mss: built.mss,
            compares_cwr: built.compares_cwr,
            silent_timers: built.silent_timers,
            early: built.early,
            ahead: 0,
            now: Time::ZERO,
            size: built.size,
            base: 0,
        }
    }

    /// Hands the event of a step to the sender, if no timer was due before.
    fn happens(&mut self, step: &Step) -> Result<(), Failure> {
        if self.silent_timers {
            self.run_out_silently(step)?;
        }
        let due = self.sender.deadline();
        let name = match step.event {
            Event::Timeout => Some("timeout"),
            Event::Timer => Some("timer"),
            Event::Alarm => Some("alarm"),
            _ => None,
        };
        if let Some(name) = name {
            return self.runs_out(step, name, due);
        }
        self.now = self.now.max(step.at);
        let at = micros(step.at);
        if due.is_some_and(|due| due < step.at) {
            let expected = format!("no timer before {at} us");
            return Err(failure(step.line, expected, told(due)));
        }
        match &step.event {
            Event::Hears(heard) => {
                let ack = self.ack(step.line, heard)?;
                self.sender.on_ack(self.now, ack);
            }
            Event::Writes(amount) => self.writes(step.line, *amount)?,
            Event::Poll | Event::Timeout | Event::Timer | Event::Alarm => {}
        }
        Ok(())
    }

    /// Lets timers expire that are due before this step; they must send nothing.
    fn run_out_silently(&mut self, step: &Step) -> Result<(), Failure> {
        while let Some(due) = self.sender.deadline().filter(|due| *due < step.at) {
            self.now = self.now.max(due);
            self.sender.on_timeout(self.now);
            if let Some(segment) = self.sender.poll_send(self.now) {
                let got = format!("it to send {} at {} us", self.named(&segment), micros(due));
                let expected = format!("nothing sent before {} us", micros(step.at));
                return Err(failure(step.line, expected, got));
            }
        }
        Ok(())
    }

    /// Lets the timer of this step expire, if it is the one that is due.
    fn runs_out(&mut self, step: &Step, name: &str, due: Option<Time>) -> Result<(), Failure> {
        let expected = match step.at == step.until {
            true => format!("{name} at {} us", micros(step.at)),
            false => format!("{name} at {} to {} us", micros(step.at), micros(step.until)),
        };
        let Some(due) = due.filter(|due| (step.at..=step.until).contains(due)) else {
            return Err(failure(step.line, expected, told(due)));
        };
        self.now = self.now.max(due);
        let before = self.sender.counters().timeouts;
        self.sender.on_timeout(self.now);
        let got = match (&step.event, self.sender.counters().timeouts - before) {
            (Event::Timeout, 0) => "a timer that counts as no timeout",
            (Event::Timer, 1..) => "a timeout",
            _ => return Ok(()),
        };
        Err(failure(step.line, expected, got))
    }

    /// Hands over more data of the application: another message once all is acknowledged, or more of this one.
    fn writes(&mut self, line: usize, amount: Amount) -> Result<(), Failure> {
        let bytes = match amount {
            Amount::Segments(segments) => segments * self.mss,
            Amount::Bytes(bytes) => bytes,
        };
        let Some(size) = self.size else {
            return Err(failure(line, "a flow that ends", "more of an endless one"));
        };
        self.size = Some(size + bytes);
        if self.sender.is_done() {
            self.base = size;
            self.sender.push(bytes);
        } else {
            let fits = self.sender.extend(bytes);
            if !fits {
                let expected = "nothing behind a short segment that is outstanding";
                return Err(failure(line, expected, "more that the application writes"));
            }
        }
        Ok(())
    }

    fn ack(&self, line: usize, heard: &Heard) -> Result<Ack, Failure> {
        let ack = match heard.ack {
            Place::Segment(segment) => segment * self.mss,
            Place::Byte(byte) => byte,
            Place::Fin => match self.size {
                Some(size) => size + 1,
                None => return Err(failure(line, "a flow that ends", "the answer to its FIN")),
            },
        };
        let twice = heard.dsack.map(|twice| self.bytes(twice));
        let below = twice.is_some_and(|(_, to)| to <= ack);
        let mut sack = SackBlocks::NONE;
        if let Some((from, to)) = twice.filter(|_| below) {
            // The block counts downwards from the acknowledgement.
            sack.push((ack - to) as u32, (ack - from) as u32);
        }
        let above = heard.cut.map(|cut| self.bytes(cut));
        let above = above.or(twice.filter(|_| !below)).into_iter();
        for (from, to) in above.chain(heard.sack.iter().map(|block| self.bytes(*block))) {
            if from < ack {
                let got = format!("{from}..{to}B");
                return Err(failure(line, "blocks above the acknowledgement", got));
            }
            sack.push((from - ack) as u32, (to - ack) as u32);
        }
        Ok(Ack {
            ack: ack.saturating_sub(self.base),
            ece: heard.ece,
            syn: heard.syn,
            sack,
            cut: heard.cut.is_some(),
            below,
            hops: 0,
        })
    }

    fn bytes(&self, range: Range) -> (u64, u64) {
        match range {
            Range::Segments(first, last) => {
                let to = (last + 1) * self.mss;
                (first * self.mss, to.min(self.size.unwrap_or(u64::MAX)))
            }
            Range::Bytes(from, to) => (from, to),
        }
    }

    /// Polls the sender and compares its segments. Segments of `later` steps may leave as early as the dialogue
    /// allows.
    fn sends(&mut self, step: &Step, later: &[Step]) -> Result<(), Failure> {
        let mut due = self.each(&step.sends);
        let sent = self.ahead.min(due.len());
        self.ahead -= sent;
        let mut left = due.split_off(sent).into_iter();
        for _ in 0..MOST {
            match (self.sender.poll_send(self.now), left.next()) {
                (None, None) => return Ok(()),
                (Some(_), None) if step.anything => {}
                (Some(segment), None) if self.is_early(&segment, later) => self.ahead += 1,
                (Some(segment), None) => {
                    let got = format!("it to send {}", self.named(&segment));
                    let line = step.sends.last().map_or(step.line, |last| last.line);
                    return Err(failure(line, "nothing more to be sent", got));
                }
                (None, Some((expected, name))) => {
                    let name = format!("it to send {name}");
                    return Err(failure(expected.line, name, "nothing sent"));
                }
                (Some(segment), Some((expected, name))) => {
                    self.compare(&segment, &expected, &name)?;
                }
            }
        }
        let got = format!("{MOST} segments");
        Err(failure(step.line, "an end of what is sent", got))
    }

    /// Returns true if this is the next segment of the later steps, and due soon enough.
    fn is_early(&self, segment: &Segment, later: &[Step]) -> bool {
        let soon = later.iter();
        let soon = soon.take_while(|step| step.at <= self.now.saturating_add(self.early));
        let mut each = soon.flat_map(|step| self.each(&step.sends));
        let next = each.nth(self.ahead);
        next.is_some_and(|(_, name)| name == self.named(segment))
    }

    fn compare(&self, segment: &Segment, expected: &Expected, name: &str) -> Result<(), Failure> {
        let got = self.named(segment);
        let ect = |ect: bool| if ect { " ect" } else { " not-ect" };
        let (wanted, seen) = match expected.ect {
            Some(wanted) => (ect(wanted), ect(segment.ect)),
            None => ("", ""),
        };
        if got == name && wanted == seen {
            return Ok(());
        }
        let expected_text = format!("it to send {name}{wanted}");
        Err(failure(
            expected.line,
            expected_text,
            format!("it to send {got}{seen}"),
        ))
    }

    /// Returns each expected segment, with its text form.
    fn each(&self, sends: &[Expected]) -> Vec<(Expected, String)> {
        let mut each = Vec::new();
        for expected in sends {
            let mut add = |what: String| {
                let mut name = what;
                name += if expected.again { " again" } else { "" };
                name += if expected.cwr { " cwr" } else { "" };
                each.push((expected.clone(), name));
            };
            match expected.what {
                What::Syn => add("syn".into()),
                What::Fin => add("fin".into()),
                What::Ack => add("ack".into()),
                What::Data(Range::Segments(first, last)) => {
                    (first..=last).for_each(|segment| add(segment.to_string()));
                }
                What::Data(Range::Bytes(from, to)) => add(self.data(from, to)),
            }
        }
        each
    }

    /// Returns the text form of a segment.
    fn named(&self, segment: &Segment) -> String {
        let from = segment.seq + self.base;
        let mut name = match (segment.syn, segment.len) {
            (true, _) => "syn".into(),
            (false, 0) if from > 0 && Some(from) == self.size => "fin".into(),
            (false, 0) => "ack".into(),
            (false, len) => self.data(from, from + u64::from(len)),
        };
        name += if segment.retransmit { " again" } else { "" };
        let cwr = segment.cwr && self.compares_cwr;
        name += if cwr { " cwr" } else { "" };
        name
    }

    /// Returns the segment's number if it is a whole segment or the last one, otherwise its bytes.
    fn data(&self, from: u64, to: u64) -> String {
        let number = from / self.mss;
        match self.bytes(Range::Segments(number, number)) == (from, to) {
            true => number.to_string(),
            false => format!("{from}..{to}B"),
        }
    }

    fn has(&self, state: &State) -> Result<(), Failure> {
        let segments = |bytes: u64| match bytes {
            u64::MAX => "none".into(),
            bytes => thousandths(bytes, self.mss),
        };
        let counters = self.sender.counters();
        let got = match state.name.as_str() {
            "cwnd" => segments(self.sender.cwnd()),
            "ssthresh" => segments(self.sender.ssthresh()),
            "rto" => micros(self.sender.rto()),
            "deadline" => self.sender.deadline().map_or("none".into(), micros),
            "segments" => counters.segments.to_string(),
            "retransmits" => counters.retransmits.to_string(),
            "timeouts" => counters.timeouts.to_string(),
            "fast_retransmits" => counters.fast_retransmits.to_string(),
            "echoes" => counters.echoes.to_string(),
            "cuts" => counters.cuts.to_string(),
            "dsacks" => counters.dsacks.to_string(),
            "undone" => counters.undone.to_string(),
            "probes" => counters.probes.to_string(),
            "done" => if self.sender.is_done() { "yes" } else { "no" }.into(),
            other => unreachable!("{other} is one of LOOKS"),
        };
        if got == state.value {
            return Ok(());
        }
        let named = |value: &str| format!("{} {value}", state.name);
        Err(failure(state.line, named(&state.value), named(&got)))
    }
}

/// Returns bytes in segments, with up to three decimals.
fn thousandths(bytes: u64, mss: u64) -> String {
    let whole = bytes / mss;
    match bytes % mss * 1000 / mss {
        0 => whole.to_string(),
        part => format!("{whole}.{part:03}").trim_end_matches('0').into(),
    }
}

fn told(due: Option<Time>) -> String {
    match due {
        None => "no timer at all".into(),
        Some(due) => format!("a timer that is due at {} us", micros(due)),
    }
}
