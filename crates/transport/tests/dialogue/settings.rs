//! Sender of a dialogue's settings, which are read as `[transport]` is: by the names and units of the registry.

use std::sync::Arc;

use sidestep_transport::{ENTRIES, Opened, PARAMS, TcpConfig, TcpSender, build};
use sidestep_types::{Param, ParamUnit, Time, Value, Values};

use crate::text::{self, Amount, Dialogue, Setting, Unreadable};

/// Fresh sender, with the properties that the dialogue needs.
pub struct Built {
    pub sender: TcpSender,
    pub mss: u64,
    /// Bytes of the flow; `None` if it is endless.
    pub size: Option<u64>,
    /// True if the CWR bit of segments is compared.
    pub compares_cwr: bool,
    /// True if timers that send nothing need no line.
    pub silent_timers: bool,
    /// Time by which a segment may leave early.
    pub early: Time,
}

/// Builds the sender of `dialogue`. The setting `flow` is the amount of data, or `endless`; `accepted` is the
/// round trip that its host saw when it answered a SYN; `fails` is the reason why the dialogue does not hold
/// yet; `cwr` may be `ignored`, and `timers` that send nothing may be `silent`; every other one is a key of
/// `[transport]`.
pub fn built(dialogue: &Dialogue) -> Result<Built, Unreadable> {
    let config = Arc::new(config(dialogue)?);
    let mss = u64::from(config.mss);
    let size = size(dialogue, mss)?;
    let mut sender = TcpSender::new(config, size);
    if let Some(round_trip) = span(dialogue, "accepted")? {
        sender = sender.answering(match round_trip {
            Time::ZERO => Opened::Unseen,
            seen => Opened::Took(seen),
        });
    }
    let compares_cwr = !says(dialogue, "cwr", "ignored")?;
    let silent_timers = says(dialogue, "timers", "silent")?;
    Ok(Built {
        sender,
        mss,
        size,
        compares_cwr,
        silent_timers,
        early: span(dialogue, "early")?.unwrap_or(Time::ZERO),
    })
}

pub fn find<'a>(dialogue: &'a Dialogue, key: &str) -> Option<&'a Setting> {
    dialogue.settings.iter().find(|setting| setting.key == key)
}

/// Returns the time in the setting `key`, if there is one.
fn span(dialogue: &Dialogue, key: &str) -> Result<Option<Time>, Unreadable> {
    const SPAN: Param = Param::required("time", ParamUnit::Time, "");
    let Some(setting) = find(dialogue, key) else {
        return Ok(None);
    };
    match parsed(setting, &SPAN)? {
        Value::Time(time) => Ok(Some(time)),
        other => unreachable!("{other:?} is no time"),
    }
}

/// Returns true if there is a setting `key`, whose only possible value is `word`.
fn says(dialogue: &Dialogue, key: &str, word: &str) -> Result<bool, Unreadable> {
    match find(dialogue, key) {
        Some(setting) if setting.text != word => {
            let what = format!("{key}: expected {word:?}, got {:?}", setting.text);
            Err(unreadable(setting.line, what))
        }
        found => Ok(found.is_some()),
    }
}

fn size(dialogue: &Dialogue, mss: u64) -> Result<Option<u64>, Unreadable> {
    let Some(setting) = find(dialogue, "flow") else {
        let what =
            "the setting `flow` is missing: segments, bytes like \"20500 B\", or \"endless\"";
        return Err(unreadable(dialogue.line, what));
    };
    if setting.text == "endless" {
        return Ok(None);
    }
    match text::amount(&setting.text) {
        Ok(Amount::Segments(segments)) => Ok(Some(segments * mss)),
        Ok(Amount::Bytes(bytes)) => Ok(Some(bytes)),
        Err(what) => Err(unreadable(setting.line, what)),
    }
}

fn config(dialogue: &Dialogue) -> Result<TcpConfig, Unreadable> {
    let kind = find(dialogue, "kind").map_or(sidestep_transport::DEFAULT, |kind| &kind.text);
    let entry = ENTRIES.iter().find(|entry| entry.name == kind);
    let Some(entry) = entry else {
        let line = find(dialogue, "kind").map_or(dialogue.line, |kind| kind.line);
        let known: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
        let what = format!(
            "transport {kind:?} is unknown; there are {}",
            known.join(", ")
        );
        return Err(unreadable(line, what));
    };
    let mut values = Values::defaults(PARAMS);
    for param in entry.params {
        let text = param
            .default
            .expect("each parameter of a transport has one");
        let default = Value::parse(text, param).expect("a default reads as its own unit");
        values.set(param.name, default);
    }
    for setting in &dialogue.settings {
        if [
            "kind", "flow", "accepted", "fails", "cwr", "timers", "early",
        ]
        .contains(&setting.key.as_str())
        {
            continue;
        }
        let named = |param: &&Param| param.name == setting.key;
        let Some(param) = entry.params.iter().chain(PARAMS).find(named) else {
            let what = format!("{:?} is no setting of transport {kind:?}", setting.key);
            return Err(unreadable(setting.line, what));
        };
        values.set(param.name, parsed(setting, param)?);
    }
    let config = build(kind, &values).map_err(|refusal| {
        let about = |setting: &&Setting| refusal.params.contains(&setting.key.as_str());
        let setting = dialogue.settings.iter().find(about);
        let line = setting.map_or(dialogue.line, |setting| setting.line);
        unreadable(line, refusal.to_string())
    })?;
    match config.tcp() {
        Some(tcp) => Ok(tcp.clone()),
        None => Err(unreadable(
            dialogue.line,
            format!("expected a transport that is one TCP sender, got {kind:?}"),
        )),
    }
}

fn parsed(setting: &Setting, param: &Param) -> Result<Value, Unreadable> {
    Value::parse(&setting.text, param).map_err(|_| {
        let (key, text) = (&setting.key, &setting.text);
        let what = format!("{key}: expected {}, got {text:?}", param.unit.example());
        unreadable(setting.line, what)
    })
}

fn unreadable(line: usize, what: impl Into<String>) -> Unreadable {
    Unreadable {
        line,
        what: what.into(),
    }
}
