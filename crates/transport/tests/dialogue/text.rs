//! Text form of a dialogue.
//!
//! A file has settings that hold for all of its dialogues, then dialogues. A dialogue begins with `==` and its
//! name,
//! continues with its settings, and then has lines with a time in microseconds. Lines that begin with `#` and
//! text after ` #` are comments.

use sidestep_types::Time;

/// Dialogue that was read and is not built yet.
#[derive(Clone, Debug)]
pub struct Dialogue {
    pub name: String,
    pub line: usize,
    pub settings: Vec<Setting>,
    pub steps: Vec<Step>,
}

/// Setting: of `[transport]`, or `flow`, `accepted` or `fails`.
#[derive(Clone, Debug)]
pub struct Setting {
    pub line: usize,
    pub key: String,
    pub text: String,
}

/// Event at the sender, and the expected answer.
#[derive(Clone, Debug)]
pub struct Step {
    pub line: usize,
    pub at: Time,
    /// Latest time, for a timer that is due within a span; [`Step::at`] for everything else.
    pub until: Time,
    pub event: Event,
    pub sends: Vec<Expected>,
    /// Set if further segments are not compared.
    pub anything: bool,
    pub state: Vec<State>,
}

#[derive(Clone, Debug)]
pub enum Event {
    /// No event: the sender may send.
    Poll,
    Hears(Heard),
    /// Expiry of the retransmission timer, which counts as a timeout.
    Timeout,
    /// Expiry of another timer: of reordering, of a tail loss probe, of a pace.
    Timer,
    /// Expiry of any timer.
    Alarm,
    /// More data from the application.
    Writes(Amount),
}

/// Acknowledgement.
#[derive(Clone, Debug)]
pub struct Heard {
    pub ack: Place,
    pub syn: bool,
    pub ece: bool,
    pub sack: Vec<Range>,
    pub dsack: Option<Range>,
    pub cut: Option<Range>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Segment(u64),
    Byte(u64),
    /// Position after the FIN.
    Fin,
}

/// Range of the flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    /// First and last segment, both included.
    Segments(u64, u64),
    /// First byte, and one past the last.
    Bytes(u64, u64),
}

/// Amount of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    Segments(u64),
    Bytes(u64),
}

/// Segment that the sender is expected to send, or a run of them.
#[derive(Clone, Debug)]
pub struct Expected {
    pub line: usize,
    pub what: What,
    pub again: bool,
    pub cwr: bool,
    /// ECN capability, checked if given.
    pub ect: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Data(Range),
    Syn,
    Fin,
    /// Segment without payload, SYN or FIN.
    Ack,
}

/// Expected value of a property of the sender.
#[derive(Clone, Debug)]
pub struct State {
    pub line: usize,
    pub name: String,
    /// Value as written; `none` is a word.
    pub value: String,
}

/// Line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    pub line: usize,
    pub what: String,
}

type Read<T> = Result<T, String>;

/// Reads the dialogues of a file. A dialogue that cannot be read is reported with its name, and the others are
/// still read.
pub fn read(text: &str) -> Vec<Result<Dialogue, (String, Unreadable)>> {
    let mut common = Vec::new();
    let mut all: Vec<Result<Dialogue, (String, Unreadable)>> = Vec::new();
    let mut begun = false;
    for (line, raw) in (1..).zip(text.lines()) {
        let content = uncommented(raw);
        if content.is_empty() {
            continue;
        }
        if let Some(name) = content.strip_prefix("==") {
            begun = true;
            all.push(Ok(Dialogue {
                name: name.trim().into(),
                line,
                settings: common.clone(),
                steps: Vec::new(),
            }));
            continue;
        }
        if !begun {
            match setting(line, content) {
                Some(setting) => common.push(setting),
                None => {
                    let what = format!("expected a setting or `== name`, got {content:?}");
                    return vec![Err((
                        "(before the first)".into(),
                        Unreadable { line, what },
                    ))];
                }
            }
            continue;
        }
        let last = all.last_mut().expect("one has begun");
        if let Ok(dialogue) = last
            && let Err(what) = add(dialogue, line, content)
        {
            let name = dialogue.name.clone();
            *last = Err((name, Unreadable { line, what }));
        }
    }
    all
}

/// Returns a line without its comment and its blanks.
fn uncommented(line: &str) -> &str {
    let line = line.trim();
    if line.starts_with('#') {
        return "";
    }
    line.split(" #").next().unwrap_or("").trim_end()
}

fn setting(line: usize, content: &str) -> Option<Setting> {
    let (key, text) = content.split_once('=')?;
    let (key, text) = (key.trim(), text.trim());
    let name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if key.is_empty() || !key.chars().all(name) || !key.starts_with(char::is_alphabetic) {
        return None;
    }
    Some(Setting {
        line,
        key: key.into(),
        text: text.trim_matches('"').into(),
    })
}

/// Adds a line to a dialogue.
fn add(dialogue: &mut Dialogue, line: usize, content: &str) -> Read<()> {
    if let Some(setting) = setting(line, content) {
        if !dialogue.steps.is_empty() {
            return Err("settings stand before the first line with a time".into());
        }
        dialogue.settings.retain(|old| old.key != setting.key);
        dialogue.settings.push(setting);
        return Ok(());
    }
    let (first, rest) = word(content);
    let (at, (verb, rest)) = match first.starts_with(|c: char| c.is_ascii_digit()) {
        true => (Some(span(first)?), word(rest)),
        false => (None, (first, rest)),
    };
    let event = match verb {
        "hears" => Event::Hears(heard(rest)?),
        "timeout" => Event::Timeout,
        "timer" => Event::Timer,
        "alarm" => Event::Alarm,
        "writes" => Event::Writes(amount(rest)?),
        "sends" => {
            let sends = sends(line, rest)?;
            if let Some(at) = at {
                begin(dialogue, line, at, Event::Poll)?;
            }
            let step = step(dialogue)?;
            step.anything |= rest == "anything";
            step.sends.extend(sends);
            return Ok(());
        }
        "has" => {
            let state = states(line, rest)?;
            if let Some(at) = at {
                begin(dialogue, line, at, Event::Poll)?;
            }
            step(dialogue)?.state.extend(state);
            return Ok(());
        }
        other => {
            return Err(format!(
                "expected hears, sends, timeout, timer, alarm, writes or has, got {other:?}"
            ));
        }
    };
    let alarm = matches!(event, Event::Timeout | Event::Timer | Event::Alarm);
    if alarm && !rest.is_empty() {
        return Err(format!("expected nothing behind {verb}, got {rest:?}"));
    }
    let at = at.ok_or_else(|| format!("{verb} needs a time in microseconds before it"))?;
    if at.0 < at.1 && !alarm {
        return Err(format!(
            "{verb} happens at one time, a timer alone may be due within a span"
        ));
    }
    begin(dialogue, line, at, event)
}

fn begin(dialogue: &mut Dialogue, line: usize, span: (Time, Time), event: Event) -> Read<()> {
    let (at, until) = span;
    match dialogue.steps.last() {
        Some(before) if before.at > at => {
            return Err("expected a time not before that of the line above".into());
        }
        None if !matches!(event, Event::Poll) => {
            return Err("expected `sends` first: what leaves when the flow begins".into());
        }
        _ => {}
    }
    dialogue.steps.push(Step {
        line,
        at,
        until,
        event,
        sends: Vec::new(),
        anything: false,
        state: Vec::new(),
    });
    Ok(())
}

fn step(dialogue: &mut Dialogue) -> Read<&mut Step> {
    let none = "the first line of a dialogue needs a time";
    dialogue.steps.last_mut().ok_or_else(|| none.into())
}

/// Splits off the first word; returns it and the rest.
fn word(text: &str) -> (&str, &str) {
    let text = text.trim();
    match text.split_once(char::is_whitespace) {
        Some((first, rest)) => (first, rest.trim()),
        None => (text, ""),
    }
}

/// Parses a time, or two with `..` between.
fn span(text: &str) -> Read<(Time, Time)> {
    let Some((from, to)) = text.split_once("..") else {
        let at = time(text)?;
        return Ok((at, at));
    };
    let (from, to) = (time(from)?, time(to)?);
    let backwards = || format!("expected the earlier time first, got {text:?}");
    (from <= to).then_some((from, to)).ok_or_else(backwards)
}

/// Parses microseconds with up to six decimals.
pub fn time(text: &str) -> Read<Time> {
    let wrong = || format!("expected a time in microseconds, got {text:?}");
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let number = |digits: &str| digits.parse::<u64>().map_err(|_| wrong());
    if part.len() > 6 {
        return Err(wrong());
    }
    let picoseconds = number(&format!("{part:0<6}"))?;
    let whole = number(whole)?.checked_mul(1_000_000).ok_or_else(wrong)?;
    Ok(Time::from_ps(whole + picoseconds))
}

/// Formats a time as it is written in a dialogue.
pub fn micros(at: Time) -> String {
    let (whole, part) = (at.ps() / 1_000_000, at.ps() % 1_000_000);
    match part {
        0 => whole.to_string(),
        _ => format!("{whole}.{part:06}").trim_end_matches('0').into(),
    }
}

fn heard(text: &str) -> Read<Heard> {
    let (first, mut rest) = word(text);
    let mut heard = Heard {
        ack: Place::Segment(0),
        syn: first == "syn",
        ece: false,
        sack: Vec::new(),
        dsack: None,
        cut: None,
    };
    if !heard.syn {
        heard.ack = place(first)?;
    }
    while !rest.is_empty() {
        let (next, behind) = word(rest);
        rest = behind;
        match next {
            "ece" => heard.ece = true,
            "sack" => {
                while rest.starts_with(|c: char| c.is_ascii_digit()) {
                    let (block, behind) = word(rest);
                    heard.sack.push(range(block)?);
                    rest = behind;
                }
                if heard.sack.is_empty() {
                    return Err("expected blocks behind sack, like 2-3".into());
                }
            }
            "dsack" | "cut" => {
                let (block, behind) = word(rest);
                let block = Some(range(block)?);
                rest = behind;
                match next {
                    "dsack" => heard.dsack = block,
                    _ => heard.cut = block,
                }
            }
            other => return Err(format!("expected ece, sack, dsack or cut, got {other:?}")),
        }
    }
    let blocks = heard.sack.len();
    let first = usize::from(heard.dsack.is_some()) + usize::from(heard.cut.is_some());
    if first > 1 || blocks + first > 3 {
        return Err("an acknowledgement has three blocks at most, and one of dsack and cut".into());
    }
    Ok(heard)
}

fn place(text: &str) -> Read<Place> {
    if text == "fin" {
        return Ok(Place::Fin);
    }
    let wrong = || format!("expected a segment like 7, bytes like 7000B or fin, got {text:?}");
    match text.strip_suffix('B') {
        Some(bytes) => bytes.parse().map(Place::Byte).map_err(|_| wrong()),
        None => text.parse().map(Place::Segment).map_err(|_| wrong()),
    }
}

fn range(text: &str) -> Read<Range> {
    let wrong =
        || format!("expected segments like 7 or 2-5, or bytes like 500..1000B, got {text:?}");
    let number = |digits: &str| digits.parse::<u64>().map_err(|_| wrong());
    if let Some(bytes) = text.strip_suffix('B') {
        let (from, to) = bytes.split_once("..").ok_or_else(wrong)?;
        let (from, to) = (number(from)?, number(to)?);
        return (from < to)
            .then_some(Range::Bytes(from, to))
            .ok_or_else(wrong);
    }
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (number(first)?, number(last)?);
    (first <= last)
        .then_some(Range::Segments(first, last))
        .ok_or_else(wrong)
}

/// Parses a number of segments, or of bytes with `B` behind it.
pub fn amount(text: &str) -> Read<Amount> {
    let wrong = || format!("expected segments like 20, or bytes like 20500B, got {text:?}");
    match text.strip_suffix('B') {
        Some(bytes) => bytes.trim().parse().map(Amount::Bytes).map_err(|_| wrong()),
        None => text.parse().map(Amount::Segments).map_err(|_| wrong()),
    }
}

fn sends(line: usize, text: &str) -> Read<Vec<Expected>> {
    if text == "nothing" || text == "anything" {
        return Ok(Vec::new());
    }
    text.split(',')
        .map(|item| expected(line, item.trim()))
        .collect()
}

fn expected(line: usize, text: &str) -> Read<Expected> {
    let (first, mut rest) = word(text);
    let what = match first {
        "syn" => What::Syn,
        "fin" => What::Fin,
        "ack" => What::Ack,
        _ => What::Data(range(first)?),
    };
    let mut expected = Expected {
        line,
        what,
        again: false,
        cwr: false,
        ect: None,
    };
    while !rest.is_empty() {
        let (next, behind) = word(rest);
        rest = behind;
        match next {
            "again" => expected.again = true,
            "cwr" => expected.cwr = true,
            "ect" => expected.ect = Some(true),
            "not-ect" => expected.ect = Some(false),
            other => {
                return Err(format!(
                    "expected again, cwr, ect or not-ect, got {other:?}"
                ));
            }
        }
    }
    Ok(expected)
}

fn states(line: usize, text: &str) -> Read<Vec<State>> {
    let one = |item: &str| {
        let (name, value) = word(item);
        if !crate::play::LOOKS.contains(&name) {
            let known = crate::play::LOOKS.join(", ");
            return Err(format!("expected one of {known}, got {name:?}"));
        }
        if value.is_empty() {
            return Err(format!("expected a value behind {name}"));
        }
        Ok(State {
            line,
            name: name.into(),
            value: value.into(),
        })
    };
    text.split(',').map(one).collect()
}
