//! One value: read from text with a message that helps, and written so that it reads back.

use crate::document::{Item, Node};
use crate::problem::{Problems, suggest};
use sidestep_types::{Chosen, Param, ParamUnit, Time, Value};

/// No span may be longer: 46 days, under a quarter of all time, so that sums stay inside it.
pub const LONGEST: Time = Time::from_s(4_000_000);

/// Reads the value of `param`, which stands at `path`.
pub fn read(path: &str, node: &Node, param: &Param, problems: &mut Problems) -> Option<Value> {
    let joined = joined(path, node, param, problems)?;
    let text = joined.as_str();
    let message = match (Value::parse(text, param), param.unit) {
        (Ok(value), _) => match out_of_range(&value, text) {
            None => return Some(value),
            Some(why) => format!("{path}: {why}"),
        },
        (Err(_), ParamUnit::Word(words)) => {
            format!(
                "{path}: {text:?} is unknown{}",
                suggest(text, words.iter().copied())
            )
        }
        (Err(error), _) => {
            let words = param.off.into_iter().chain(param.word);
            let or: String = words.map(|word| format!(" or {word:?}")).collect();
            format!("{path}: expected {}{or}, got {}", error.expected, error.got)
        }
    };
    problems.add(&node.at, message);
    None
}

/// The text of a value; of a list that of its items, with commas between.
fn joined(path: &str, node: &Node, param: &Param, problems: &mut Problems) -> Option<String> {
    let expected = param.unit.example();
    match (&node.item, param.unit) {
        (Item::List(items), ParamUnit::List(_)) if !items.is_empty() => {
            let texts = items
                .iter()
                .map(|item| item.text(path, &expected, problems));
            Some(texts.collect::<Option<Vec<_>>>()?.join(", "))
        }
        _ => node.text(path, &expected, problems).map(str::to_string),
    }
}

/// What is wrong with a value that reads as its unit.
fn out_of_range(value: &Value, text: &str) -> Option<String> {
    match value {
        Value::Time(t) if *t > LONGEST => Some(format!("{t} is too long: at most {LONGEST}")),
        Value::Rate(r) if r.as_bps() == 0 => Some(format!("a rate must be above 0, got {text:?}")),
        Value::List(all) => all.iter().find_map(|value| out_of_range(value, text)),
        _ => None,
    }
}

/// What was set about a policy or a shim, key by key as a user would write it.
pub fn shown<M: ?Sized>(chosen: &Chosen<M>) -> Vec<(&'static str, String)> {
    let each = chosen.params().iter();
    each.map(|p| (p.name, show(chosen.values().get(p.name), p)))
        .collect()
}

/// The value as a user would write it; reads back as the same value.
pub fn show(value: &Value, param: &Param) -> String {
    match value {
        Value::List(all) => {
            let each: Vec<String> = all.iter().map(|value| show(value, param)).collect();
            each.join(", ")
        }
        Value::Off => param.off.unwrap_or("off").to_string(),
        Value::Time(t) => t.to_string(),
        Value::Bytes(b) => b.to_string(),
        Value::ByteRange(least, most) if least == most => format!("{least} B"),
        Value::ByteRange(least, most) => format!("{least}..{most}"),
        Value::Rate(r) => r.to_string(),
        Value::Size(s) => s.to_string(),
        Value::PerMegasecond(n) => per_second(*n),
        Value::Fraction(above, below) => match below {
            1 => above.to_string(),
            _ => format!("{above}/{below}"),
        },
        Value::Count(n) => n.to_string(),
        Value::Counts(all) => {
            let words: Vec<String> = all.iter().map(u64::to_string).collect();
            words.join(" ")
        }
        Value::Flag(f) => f.to_string(),
        Value::Word(w) => w.clone(),
    }
}

/// `n` events in a million seconds as `"0.5 /s"`.
pub fn per_second(n: u64) -> String {
    let (whole, rest) = (n / 1_000_000, n % 1_000_000);
    if rest == 0 {
        return format!("{whole} /s");
    }
    let fraction = format!("{rest:06}");
    format!("{whole}.{} /s", fraction.trim_end_matches('0'))
}

/// A basic string of TOML.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_reads_back() {
        let cases = [
            (ParamUnit::Time, "1.5 ms"),
            (ParamUnit::Bytes, "1460 B"),
            (ParamUnit::Rate, "2.5 Gbps"),
            (ParamUnit::ByteRange, "64..1500"),
            (ParamUnit::ByteRange, "64 B .. 1.5 kB"),
            (ParamUnit::ByteRange, "1460"),
            (ParamUnit::Size, "100 pkt"),
            (ParamUnit::Size, "1.7 MB"),
            (ParamUnit::PerSecond, "0.5 /s"),
            (ParamUnit::PerSecond, "300 /s"),
            (ParamUnit::Fraction, "1/16"),
            (ParamUnit::Fraction, "1"),
            (ParamUnit::Count, "40"),
            (ParamUnit::Counts, "4 2  1"),
            (ParamUnit::Flag, "true"),
            (ParamUnit::Time, "off"),
            (ParamUnit::List(&ParamUnit::Count), "4, 0,12"),
            (ParamUnit::List(&ParamUnit::Rate), "2.5 Gbps"),
            (ParamUnit::List(&ParamUnit::Bytes), "100 kB, 1 MB"),
        ];
        for (unit, text) in cases {
            let param = Param::required("x", unit, "").or_off("off");
            let value = Value::parse(text, &param).unwrap();
            let shown = show(&value, &param);
            assert_eq!(Value::parse(&shown, &param).unwrap(), value, "{shown}");
        }
        assert_eq!(per_second(500_000), "0.5 /s");
    }
}
