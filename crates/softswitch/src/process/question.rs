//! Requests on the control socket: a line of JSON, with `do` and its arguments.

use crate::machine::Announced;
use crate::setup::{Mac, check_rate};
use serde_json::{Map, Value, json};
use sidestep_config::problem::suggest;
use sidestep_types::{BitRate, Quantity, Unit, parse_quantity};
use std::net::SocketAddr;

/// Valid requests, for messages.
const KNOWN: &str = "counters, reset, reload, stop, capture, note, change or announce";

/// Request.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// Return all counters.
    Counters,
    /// Restart lateness and peak queue lengths.
    Reset,
    /// Read the config file again.
    Reload,
    /// End the switch.
    Stop,
    /// Write frames and their events to a file that does not exist; without a file, stop.
    Capture {
        /// File to write.
        file: Option<String>,
        /// True for drops, detours and trims only.
        drops_only: bool,
    },
    /// Note the events of TCP segments; with a file, which must not exist, write the notes and stop.
    Note {
        /// File to write.
        file: Option<String>,
    },
    /// Change something of the network.
    Change(NetworkChange),
    /// Announce messages of the host behind a port.
    Announce {
        /// Name of the port.
        port: String,
        /// Size of the message of each connection.
        all: Vec<Announced>,
    },
}

/// Change of the network, with port names.
///
/// ```
/// use sidestep_softswitch::process::question::{NetworkChange, Question};
///
/// let line = r#"{"do": "change", "port": "up0", "rate": "10 Mbps"}"#;
/// let read = Question::read(line).unwrap();
/// assert!(matches!(&read, Question::Change(NetworkChange::Rate { ports, .. }) if ports == &["up0"]));
/// assert_eq!(Question::read(&read.to_json().to_string()), Ok(read));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum NetworkChange {
    /// New rate of these ports.
    Rate {
        /// Names of the ports.
        ports: Vec<String>,
        /// New rate.
        rate: BitRate,
    },
    /// New state of the links at these ports.
    Link {
        /// Names of the ports.
        ports: Vec<String>,
        /// True if the links are to work, false if they are to fail.
        up: bool,
    },
    /// New next hops of stations.
    Ways {
        /// Ports of each station, in the order of their MACs.
        stations: Vec<(Mac, Vec<String>)>,
        /// Ports that take detours; `None` keeps those of before.
        detours: Option<Vec<String>>,
    },
}

impl Question {
    /// Reads a line. An error says what was expected and what was found.
    pub fn read(line: &str) -> Result<Question, String> {
        let asked: Value = serde_json::from_str(line)
            .map_err(|e| format!("expected {{\"do\": …}} with {KNOWN}: {e}"))?;
        let unknown = || format!("expected \"do\" to be {KNOWN}, got {}", asked["do"]);
        let (word, keys) = match (asked["do"].as_str(), asked.as_object()) {
            (Some(word), Some(keys)) => (word, keys),
            _ => return Err(unknown()),
        };
        let takes = |known: &[&str]| only(word, keys, known);
        match word {
            "counters" => takes(&[]).map(|()| Question::Counters),
            "reset" => takes(&[]).map(|()| Question::Reset),
            "reload" => takes(&[]).map(|()| Question::Reload),
            "stop" => takes(&[]).map(|()| Question::Stop),
            "capture" => {
                takes(&["file", "only"])?;
                capture(&asked)
            }
            "note" => {
                takes(&["file"])?;
                let file = file("note", &asked)?;
                Ok(Question::Note { file })
            }
            "change" => {
                takes(&["port", "rate", "link", "ways", "detours"])?;
                change(keys).map(Question::Change)
            }
            "announce" => {
                takes(&["port", "flows"])?;
                announce(&asked)
            }
            _ => Err(unknown()),
        }
    }

    /// Returns the line of this request.
    pub fn to_json(&self) -> Value {
        match self {
            Question::Counters => json!({"do": "counters"}),
            Question::Reset => json!({"do": "reset"}),
            Question::Reload => json!({"do": "reload"}),
            Question::Stop => json!({"do": "stop"}),
            Question::Capture { file, drops_only } => {
                let only = if *drops_only { "drops" } else { "all" };
                json!({"do": "capture", "file": file, "only": only})
            }
            Question::Note { file } => json!({"do": "note", "file": file}),
            Question::Change(NetworkChange::Rate { ports, rate }) => {
                json!({"do": "change", "port": ports, "rate": rate.to_string()})
            }
            Question::Change(NetworkChange::Link { ports, up }) => {
                json!({"do": "change", "port": ports, "link": link(*up)})
            }
            Question::Change(NetworkChange::Ways { stations, detours }) => {
                let ways = stations
                    .iter()
                    .map(|(mac, ports)| (mac.to_string(), json!(ports)));
                let ways = Value::Object(ways.collect());
                json!({"do": "change", "ways": ways, "detours": detours})
            }
            Question::Announce { port, all } => {
                let flow = |one: &Announced| {
                    let (from, to) = (SocketAddr::from(one.from), SocketAddr::from(one.to));
                    json!({"from": from.to_string(), "to": to.to_string(), "bytes": one.bytes})
                };
                let flows: Vec<Value> = all.iter().map(flow).collect();
                json!({"do": "announce", "port": port, "flows": flows})
            }
        }
    }
}

/// Returns the word for a link's state.
pub(super) fn link(up: bool) -> &'static str {
    if up { "up" } else { "down" }
}

/// Rejects keys other than `do` and those in `known`.
fn only(word: &str, keys: &Map<String, Value>, known: &[&str]) -> Result<(), String> {
    let odd = |key: &&String| key.as_str() != "do" && !known.contains(&key.as_str());
    match keys.keys().find(odd) {
        None => Ok(()),
        Some(key) => {
            let hint = suggest(key, known.iter().copied());
            Err(format!("{word}: unknown key {key:?}{hint}"))
        }
    }
}

fn capture(asked: &Value) -> Result<Question, String> {
    let drops_only = match &asked["only"] {
        Value::Null => false,
        Value::String(word) if word == "drops" => true,
        Value::String(word) if word == "all" => false,
        other => {
            return Err(format!(
                "capture: expected \"only\" to be \"drops\" or \"all\", got {other}"
            ));
        }
    };
    let file = file("capture", asked)?;
    Ok(Question::Capture { file, drops_only })
}

/// Returns the file of a request that may have one.
fn file(word: &str, asked: &Value) -> Result<Option<String>, String> {
    match &asked["file"] {
        Value::Null => Ok(None),
        Value::String(path) => Ok(Some(path.clone())),
        other => Err(format!(
            "{word}: expected \"file\" to be a path, got {other}"
        )),
    }
}

fn change(keys: &Map<String, Value>) -> Result<NetworkChange, String> {
    let there = |key: &str| keys.get(key).filter(|value| !value.is_null());
    let how = (there("rate"), there("link"));
    match (there("port"), how, (there("ways"), there("detours"))) {
        (Some(port), (Some(rate), None), (None, None)) => {
            let ports = names("change: port", port)?;
            let rate = self::rate(rate)?;
            Ok(NetworkChange::Rate { ports, rate })
        }
        (Some(port), (None, Some(link)), (None, None)) => {
            let ports = names("change: port", port)?;
            let up = match link.as_str() {
                Some("up") => true,
                Some("down") => false,
                _ => {
                    return Err(format!(
                        "change: expected \"link\" to be \"down\" or \"up\", got {link}"
                    ));
                }
            };
            Ok(NetworkChange::Link { ports, up })
        }
        (None, (None, None), (Some(ways), detours)) => {
            let detours = match detours {
                None => None,
                Some(Value::Array(none)) if none.is_empty() => Some(Vec::new()),
                Some(list) => Some(names("change: detours", list)?),
            };
            let stations = self::ways(ways)?;
            Ok(NetworkChange::Ways { stations, detours })
        }
        _ => Err(
            "change: expected \"port\" and either \"rate\" or \"link\"; or \"ways\", with or \
             without \"detours\""
                .into(),
        ),
    }
}

fn announce(asked: &Value) -> Result<Question, String> {
    let Some(port) = asked["port"].as_str() else {
        return Err(format!(
            "announce: port: expected a port's name, got {}",
            asked["port"]
        ));
    };
    let flows = asked["flows"].as_array().filter(|list| !list.is_empty());
    let flows = flows.ok_or_else(|| {
        format!(
            "announce: flows: expected a list of {{\"from\", \"to\", \"bytes\"}}, got {}",
            asked["flows"]
        )
    })?;
    let all = flows.iter().map(announced).collect::<Result<_, String>>()?;
    let port = port.to_string();
    Ok(Question::Announce { port, all })
}

fn announced(value: &Value) -> Result<Announced, String> {
    let keys = value.as_object().ok_or_else(|| {
        format!("announce: flows: expected {{\"from\", \"to\", \"bytes\"}}, got {value}")
    })?;
    let known = ["from", "to", "bytes"];
    if let Some(key) = keys.keys().find(|key| !known.contains(&key.as_str())) {
        let hint = suggest(key, known);
        return Err(format!("announce: flows: unknown key {key:?}{hint}"));
    }
    let end = |key: &str| {
        let read = value[key].as_str().and_then(|text| text.parse().ok());
        let read: Option<SocketAddr> = read;
        read.map(|end| (end.ip(), end.port())).ok_or_else(|| {
            let got = &value[key];
            format!("announce: flows: {key}: expected an address and a port like \"10.77.0.1:4711\", got {got}")
        })
    };
    let bytes = value["bytes"].as_u64().ok_or_else(|| {
        let got = &value["bytes"];
        format!("announce: flows: bytes: expected a whole number, got {got}")
    })?;
    Ok(Announced {
        from: end("from")?,
        to: end("to")?,
        bytes,
    })
}

fn rate(value: &Value) -> Result<BitRate, String> {
    let say = |why: String| format!("change: rate: {why}");
    let Some(text) = value.as_str() else {
        return Err(say(format!("expected text like \"10 Mbps\", got {value}")));
    };
    let rate = match parse_quantity(text, Unit::Rate) {
        Ok(Quantity::Rate(rate)) => rate,
        Ok(other) => unreachable!("a rate was asked for, got {other:?}"),
        Err(e) => return Err(say(e.to_string())),
    };
    match rate.as_bps() {
        0 => Err(say(
            "expected more than 0; use \"link\": \"down\" to stop the port".into(),
        )),
        _ => check_rate(rate).map_err(say).map(|()| rate),
    }
}

/// Reads a name, or a list of distinct names.
fn names(what: &str, value: &Value) -> Result<Vec<String>, String> {
    let wrong = || format!("{what}: expected a port's name or a list of names, got {value}");
    let words = match value {
        Value::String(word) => vec![word.clone()],
        Value::Array(list) => (list.iter())
            .map(|word| word.as_str().map(String::from))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(wrong)?,
        _ => return Err(wrong()),
    };
    if words.is_empty() {
        return Err(wrong());
    }
    // Sorted, since a wrong list may have as many names as fit into a line, not only a switch's 256.
    let mut sorted: Vec<&String> = words.iter().collect();
    sorted.sort();
    match sorted.windows(2).find(|two| two[0] == two[1]) {
        Some(two) => Err(format!("{what}: {:?} is listed twice", two[0])),
        None => Ok(words),
    }
}

fn ways(value: &Value) -> Result<Vec<(Mac, Vec<String>)>, String> {
    let map = (value.as_object().filter(|map| !map.is_empty()))
        .ok_or_else(|| format!("change: ways: expected {{MAC: ports, …}}, got {value}"))?;
    let mut ways: Vec<(Mac, Vec<String>)> = Vec::new();
    for (text, ports) in map {
        let mac: Mac = text.parse().map_err(|e| format!("change: ways: {e}"))?;
        if ways.iter().any(|(before, _)| *before == mac) {
            return Err(format!("change: ways: {mac} is listed twice"));
        }
        ways.push((mac, names(&format!("change: ways: {mac}"), ports)?));
    }
    ways.sort_by_key(|(mac, _)| mac.bits());
    Ok(ways)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Question, String> {
        let read = Question::read(line);
        if let Ok(question) = &read {
            assert_eq!(Question::read(&question.to_json().to_string()), read);
        }
        read
    }

    #[test]
    fn questions_are_read_and_written_back() {
        assert_eq!(read(r#"{"do": "stop"}"#), Ok(Question::Stop));
        let capture = read(r#"{"do": "capture", "file": "/tmp/x", "only": "drops"}"#);
        let (file, drops_only) = (Some("/tmp/x".into()), true);
        assert_eq!(capture, Ok(Question::Capture { file, drops_only }));
        let note = read(r#"{"do": "note", "file": "/tmp/x"}"#);
        let file = Some("/tmp/x".into());
        assert_eq!(note, Ok(Question::Note { file }));
        let down = read(r#"{"do": "change", "port": ["a", "b"], "link": "down"}"#);
        let (ports, up) = (vec!["a".into(), "b".into()], false);
        assert_eq!(
            down,
            Ok(Question::Change(NetworkChange::Link { ports, up }))
        );
        let up = read(r#"{"do": "change", "port": "a", "link": "up"}"#);
        assert!(matches!(
            up,
            Ok(Question::Change(NetworkChange::Link { up: true, .. }))
        ));
        let rate = read(r#"{"do": "change", "port": "a", "rate": "1.5 Mbps"}"#);
        let (ports, rate_is) = (vec!["a".into()], BitRate::bps(1_500_000));
        assert_eq!(
            rate,
            Ok(Question::Change(NetworkChange::Rate {
                ports,
                rate: rate_is
            }))
        );
        let ways = read(r#"{"do": "change", "ways": {"02:00:00:00:00:01": ["a", "b"]}}"#);
        let two = |w: &[(Mac, Vec<String>)]| w[0].1.len() == 2;
        assert!(
            matches!(&ways, Ok(Question::Change(NetworkChange::Ways { stations, detours: None })) if two(stations))
        );
        let flows = r#"[{"from": "10.77.0.1:4711", "to": "10.77.0.6:7001", "bytes": 32000},
            {"from": "[fd77::1]:4711", "to": "[fd77::6]:7001", "bytes": 1}]"#;
        let announce = read(&format!(
            r#"{{"do": "announce", "port": "p0", "flows": {flows}}}"#
        ));
        let Ok(Question::Announce { port, all }) = announce else {
            panic!("{announce:?}");
        };
        assert_eq!((port.as_str(), all.len(), all[0].bytes), ("p0", 2, 32_000));
        assert!(all[0].from.0.is_ipv4() && all[1].to.0.is_ipv6());
        let none = read(
            r#"{"do": "change", "ways": {"02:00:00:00:00:0B": "a", "02:00:00:00:00:0a": "b"}, "detours": []}"#,
        );
        assert!(
            matches!(none, Ok(Question::Change(NetworkChange::Ways { detours: Some(d), .. })) if d.is_empty())
        );
    }

    #[test]
    fn what_cannot_be_asked_is_said_with_what_was_expected() {
        for (line, said) in [
            ("counters", "expected {\"do\": …} with counters, reset,"),
            ("[]", "expected \"do\" to be counters, reset,"),
            (r#"{"do": "chnage"}"#, "or announce, got \"chnage\""),
            (
                r#"{"do": "capture", "onyl": "drops"}"#,
                "capture: unknown key \"onyl\"; did you mean \"only\"?",
            ),
            (
                r#"{"do": "note", "file": 7}"#,
                "note: expected \"file\" to be a path, got 7",
            ),
            (r#"{"do": "change"}"#, "either \"rate\" or \"link\""),
            (
                r#"{"do": "change", "port": "a", "rate": "1 Mbps", "link": "up"}"#,
                "either \"rate\" or \"link\"",
            ),
            (
                r#"{"do": "change", "port": [], "link": "up"}"#,
                "expected a port's name or a list of names, got []",
            ),
            (
                r#"{"do": "change", "port": ["a", "b", "a"], "link": "up"}"#,
                "\"a\" is listed twice",
            ),
            (
                r#"{"do": "change", "port": "a", "link": "off"}"#,
                "expected \"link\" to be \"down\" or \"up\", got \"off\"",
            ),
            (
                r#"{"do": "change", "port": "a", "rate": "0 bps"}"#,
                "expected more than 0; use \"link\": \"down\" to stop the port",
            ),
            (
                r#"{"do": "change", "port": "a", "rate": "7 bps"}"#,
                "rate: expected at least 1 kbps, got 7 bps",
            ),
            (
                r#"{"do": "change", "port": "a", "rate": "7 ms"}"#,
                "change: rate: expected",
            ),
            (
                r#"{"do": "change", "port": "a", "rate": 7}"#,
                "expected text like \"10 Mbps\", got 7",
            ),
            (r#"{"do": "change", "ways": {}}"#, "expected {MAC: ports"),
            (
                r#"{"do": "announce"}"#,
                "announce: port: expected a port's name, got null",
            ),
            (
                r#"{"do": "announce", "port": "h0", "flow": []}"#,
                "announce: unknown key \"flow\"; did you mean \"flows\"?",
            ),
            (
                r#"{"do": "announce", "port": "h0", "flows": []}"#,
                "announce: flows: expected a list of {\"from\", \"to\", \"bytes\"}, got []",
            ),
            (
                r#"{"do": "announce", "port": "h0", "flows": [7]}"#,
                "expected {\"from\", \"to\", \"bytes\"}, got 7",
            ),
            (
                r#"{"do": "announce", "port": "h0", "flows": [{"from": "10.0.0.1", "to": "10.0.0.2:80", "bytes": 1}]}"#,
                "from: expected an address and a port like \"10.77.0.1:4711\", got \"10.0.0.1\"",
            ),
            (
                r#"{"do": "announce", "port": "h0", "flows": [{"from": "10.0.0.1:9", "to": "10.0.0.2:80", "bytes": "1"}]}"#,
                "bytes: expected a whole number, got \"1\"",
            ),
            (
                r#"{"do": "announce", "port": "h0", "flows": [{"from": "10.0.0.1:9", "to": "10.0.0.2:80", "byte": 1}]}"#,
                "announce: flows: unknown key \"byte\"; did you mean \"bytes\"?",
            ),
            (
                r#"{"do": "change", "ways": {"x": "a"}}"#,
                "change: ways: expected",
            ),
        ] {
            let error = read(line).unwrap_err();
            assert!(error.contains(said), "{line}: {error}");
        }
    }
}
