//! Advice about a table whose columns are not known: which field each column may be.

use crate::collectors::{Column, FLOWS};
use crate::lines::shown;
use crate::names::{self, NO_HEADER, between, plain};
use crate::number::scaled;

/// Field of a flow, with its word of `--columns`.
struct Field {
    word: &'static str,
    /// Parts of names that look like it, and parts that no such name has.
    like: &'static [&'static str],
    unlike: &'static [&'static str],
}

const NO_END: &[&str] = &[
    "port", "mac", "byte", "octet", "pkt", "packet", "time", "load", "ttl", "loss", "mean", "jit",
    "win", "tcp", "int", "dur", "size", "len",
];

const FIELDS: [Field; 4] = [
    Field {
        word: "start",
        like: &["start", "stime", "time", "first", "date", "epoch"],
        unlike: &["timeout", "port", "byte"],
    },
    Field {
        word: "src",
        like: &[
            "src", "source", "addressa", "client", "orig", "sender", "from",
        ],
        unlike: NO_END,
    },
    Field {
        word: "dst",
        like: &["dst", "dest", "addressb", "server", "resp", "receiver"],
        unlike: NO_END,
    },
    Field {
        word: "size",
        like: &["byte", "octet", "size"],
        unlike: &["persec", "bps", "rate", "mean", "avg", "min", "max", "win"],
    },
];

/// Returns the word of the field that a column is known as.
fn known(name: &str) -> Option<&'static str> {
    let own = names::field(name);
    own.or_else(|| match FLOWS.column(name)?.0 {
        Column::Start(_) => Some("start"),
        Column::Src => Some("src"),
        Column::Dst => Some("dst"),
        Column::Bytes => Some("size"),
        _ => None,
    })
}

/// Returns the advice about a table's first line.
pub fn advice(line: &str) -> String {
    let cells = line.split(char::from(between(line)));
    let cells: Vec<&str> = cells
        .map(|cell| cell.trim().trim_matches('"').trim())
        .collect();
    if cells.iter().any(|cell| scaled(cell, 0).is_some())
        && cells.iter().all(|c| known(c).is_none())
    {
        return format!("; {NO_HEADER}");
    }
    let quoted = |all: &[&str]| {
        let all: Vec<String> = all.iter().take(3).map(|name| shown(name)).collect();
        all.join(" or ")
    };
    let (mut found, mut lacking, mut maybe) = (Vec::new(), Vec::new(), Vec::new());
    for field in &FIELDS {
        if let Some(name) = cells.iter().find(|name| known(name) == Some(field.word)) {
            found.push(format!("{} is {}", field.word, shown(name)));
            continue;
        }
        let like = |name: &&&str| {
            let plain = plain(name);
            let has = |of: &[&str]| of.iter().any(|word| plain.contains(word));
            has(field.like) && !has(field.unlike) && known(name).is_none()
        };
        let some: Vec<&str> = cells.iter().filter(like).copied().collect();
        lacking.push(format!("{}=NAME", field.word));
        if !some.is_empty() {
            maybe.push(format!("{} {}", field.word, quoted(&some)));
        }
    }
    if found.len() + maybe.len() < 2 || lacking.is_empty() {
        return "; a CSV of flows begins with names like time,src_ip,dst_ip,bytes (--columns \
                start=NAME,src=NAME,dst=NAME,size=NAME names others)"
            .to_string();
    }
    let mut text = String::from("; it looks like a CSV of flows");
    if !found.is_empty() {
        text.push_str(&format!(", in which {}", found.join(", ")));
    }
    text.push_str(&format!(
        ": name the other columns with --columns {}",
        lacking.join(",")
    ));
    if !maybe.is_empty() {
        text.push_str(&format!(" (perhaps {})", maybe.join(", ")));
    }
    text
}
