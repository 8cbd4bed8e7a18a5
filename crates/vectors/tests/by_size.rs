//! Rows of classes by size against a second implementation of `docs/reference/shims/by-size.md`, which keeps the whole
//! history of a flow and searches it for each packet.

use crate::common::{announced, cell, number, setting, shipped};
use sidestep_vectors::Row;
use std::collections::{BTreeMap, BTreeSet};

/// History of an open flow.
#[derive(Default)]
struct Flow {
    size: Option<u64>,
    /// Bytes of the message before each packet that left with payload.
    before: Vec<u64>,
    /// Service of each packet that arrived with data, or to begin a connection.
    came: Vec<u64>,
}

/// Parses the numbers of a setting, without their unit.
fn numbers(text: &str) -> Vec<u64> {
    let words = text.split(" / ").map(|word| word.trim_end_matches(" B"));
    words.map(|word| word.parse().unwrap()).collect()
}

/// Returns the class of a flow of `size` bytes.
fn class(row: &Row, size: Option<u64>) -> usize {
    let thresholds = numbers(setting(row, "thresholds", "100000 B"));
    let fits = |most: &u64| size.is_some_and(|size| size <= *most);
    let first = thresholds.iter().position(fits);
    first.unwrap_or(thresholds.len())
}

/// Returns the code point of a packet of that class.
fn code_point(row: &Row, class: usize) -> u64 {
    match setting(row, "dscp", "number") {
        "number" => class as u64,
        listed => numbers(listed)[class],
    }
}

/// Returns the service with which a packet leaves.
fn leaves(row: &Row, flows: &mut BTreeMap<u64, Flow>) -> u64 {
    let Some(flow) = flows.get_mut(&number(row, "flow")) else {
        return number(row, "service_before");
    };
    let kind = cell(row, "kind");
    if kind == "ack" || kind == "syn-ack" {
        let last = flow.came.last().copied();
        let answered = last.filter(|_| setting(row, "acks", "flow") == "flow");
        return answered.unwrap_or(code_point(row, 0));
    }
    if kind == "data" && number(row, "payload_bytes") > 0 {
        let mapped = cell(row, "data_seq_bytes");
        let own = || number(row, "seq_bytes");
        flow.before.push(mapped.parse().unwrap_or_else(|_| own()));
    }
    let size = match setting(row, "by", "size") {
        "size" => (flow.size).map(|size| announced(row, number(row, "flow"), size)),
        // The class of a flow that ends with the next byte after those sent.
        _ => Some(flow.before.iter().max().map_or(1, |most| most + 1)),
    };
    code_point(row, class(row, size))
}

/// Returns true if a packet leaves as the last one of its flow: it arrived so, or it has the flow's last byte
/// and sizes are known.
fn ends(row: &Row, flow: Option<&Flow>) -> bool {
    let came = number(row, "ends_before") == 1;
    if cell(row, "kind") != "data" || setting(row, "by", "size") != "size" {
        return came;
    }
    let payload = number(row, "payload_bytes");
    let begins = match cell(row, "data_seq_bytes") {
        "" => number(row, "seq_bytes"),
        mapped => mapped.parse().unwrap(),
    };
    let size = flow.and_then(|flow| flow.size);
    came || payload > 0 && size == Some(begins + payload)
}

#[test]
fn services_are_what_the_page_says() {
    let (mut flows, mut seen) = (BTreeMap::<u64, Flow>::new(), BTreeSet::new());
    for row in shipped("shim/by-size") {
        if number(&row, "step") == 0 {
            flows.clear();
        }
        let flow = number(&row, "flow");
        note(&mut seen, &row, flows.get(&flow));
        let ends = match cell(&row, "operation") {
            "down" => ["0", "1"][usize::from(ends(&row, flows.get(&flow)))],
            _ => cell(&row, "ends_before"),
        };
        assert_eq!(cell(&row, "ends_after"), ends, "{row:?}");
        let after = match cell(&row, "operation") {
            "open" => {
                let size = cell(&row, "size_bytes").parse().ok();
                let new = Flow {
                    size,
                    ..Flow::default()
                };
                assert!(flows.insert(flow, new).is_none(), "{row:?}");
                None
            }
            "close" => {
                assert!(flows.remove(&flow).is_some(), "{row:?}");
                None
            }
            "down" => Some(leaves(&row, &mut flows)),
            _ => {
                let service = number(&row, "service_before");
                let counts = ["data", "syn"].contains(&cell(&row, "kind"));
                if let (Some(flow), true) = (flows.get_mut(&flow), counts) {
                    flow.came.push(service);
                }
                Some(service)
            }
        };
        let after = after.map_or(String::new(), |service| service.to_string());
        assert_eq!(cell(&row, "service_after"), after, "{row:?}");
    }
    for shows in [
        "lie below a threshold",
        "lie above a threshold",
        "truth among lies",
    ] {
        assert!(
            seen.contains(&format!("size: {shows}")),
            "no row shows {shows}: {seen:?}"
        );
    }
    for by in ["size", "sent"] {
        for shows in [
            "not open",
            "again",
            "end",
            "syn after data",
            "answer to nothing",
            "answer to another",
            "mapped below its own",
            "at a threshold",
            "beyond a threshold",
            "class 7",
        ] {
            let what = format!("{by}: {shows}");
            assert!(seen.contains(&what), "no row shows {what}: {seen:?}");
        }
    }
    for what in [
        "size: last byte",
        "size: last byte again",
        "size: last byte of two subflows",
        "sent: last byte",
    ] {
        assert!(seen.contains(what), "no row shows {what}: {seen:?}");
    }
}

/// Notes the cases that a row shows: a table without a case would not test it.
fn note(seen: &mut BTreeSet<String>, row: &Row, flow: Option<&Flow>) {
    if cell(row, "operation") != "down" {
        return;
    }
    let by = setting(row, "by", "size");
    let mut shows = |is: bool, what: &str| {
        if is {
            seen.insert(format!("{by}: {what}"));
        }
    };
    let Some(flow) = flow else {
        return shows(true, "not open");
    };
    let kind = cell(row, "kind");
    if kind == "ack" || kind == "syn-ack" {
        shows(flow.came.is_empty(), "answer to nothing");
        let own = code_point(row, 0);
        return shows(
            flow.came.last().is_some_and(|s| *s != own),
            "answer to another",
        );
    }
    let payload = cell(row, "payload_bytes").parse::<u64>().unwrap_or(0);
    let own = number(row, "seq_bytes");
    let mapped = cell(row, "data_seq_bytes").parse::<u64>().ok();
    let begins = mapped.unwrap_or(own);
    let most = flow.before.iter().max().copied();
    shows(kind == "syn" && most > Some(0), "syn after data");
    shows(kind == "data" && payload == 0 && most > Some(0), "end");
    shows(payload > 0 && most > Some(begins), "again");
    let last = payload > 0 && flow.size == Some(begins + payload);
    shows(last, "last byte");
    shows(last && most >= Some(begins), "last byte again");
    shows(last && mapped.is_some(), "last byte of two subflows");
    shows(
        mapped.is_some_and(|mapped| mapped < own),
        "mapped below its own",
    );
    if let (Some(size), "size") = (flow.size, by) {
        let says = announced(row, number(row, "flow"), size);
        let [truth, lie] = [size, says].map(|size| class(row, Some(size)));
        shows(lie < truth, "lie below a threshold");
        shows(lie > truth, "lie above a threshold");
        let some = setting(row, "announce_share", "1") != "1";
        shows(some && says == size, "truth among lies");
    }
    let size = if by == "size" {
        flow.size
    } else {
        Some(begins + 1)
    };
    let thresholds = numbers(setting(row, "thresholds", "100000 B"));
    let near = |more: u64| thresholds.iter().any(|most| size == Some(most + more));
    shows(payload > 0 && near(0), "at a threshold");
    shows(payload > 0 && near(1), "beyond a threshold");
    shows(thresholds.len() == 7 && class(row, size) == 7, "class 7");
}
