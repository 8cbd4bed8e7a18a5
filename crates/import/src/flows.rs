//! Conversion of flows into a flow list.

use crate::number::micros;
use crate::{Imported, List, Options, OutputKind};
use std::collections::BTreeMap;

/// Largest size in a flow list.
const LARGEST: u64 = (1 << 44) - 1;

/// Latest start: 46 days, as everywhere in Sidestep.
const LATEST: u128 = 4_000_000 * 1_000_000_000_000;

/// Most classes of a list, with one more for the rest: a run has at most 255 in all.
const MOST_CLASSES: usize = 100;

/// Flow read from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Start, picoseconds since the file's own zero.
    pub start: u128,
    pub src: u32,
    pub dst: u32,
    /// Payload bytes; `None` for a flow without an end.
    pub size: Option<u64>,
    pub class: Option<String>,
    pub group: Option<String>,
}

/// Sorts `flows`, moves their start to zero, writes them, and reports what was kept and dropped.
pub fn write(mut flows: Vec<Flow>, options: &Options, out: &mut Imported) -> Result<(), String> {
    let all = flows.len();
    if all == 0 {
        return Err(none_left(out));
    }
    let again = repeated(&flows);
    if again > 0 {
        out.note(format!(
            "{again} flows repeat another one in all columns that are read, and are kept"
        ));
    }
    flows.retain(|flow| flow.src != flow.dst);
    out.drop("flows from a host to itself", (all - flows.len()) as u64);
    let before = flows.len();
    flows.retain(|flow| flow.size != Some(0));
    out.drop("flows without payload", (before - flows.len()) as u64);
    let before = flows.len();
    flows.retain(|flow| flow.size.is_none_or(|size| size <= LARGEST));
    let larger = format!("flows of more than {LARGEST} bytes");
    out.drop(&larger, (before - flows.len()) as u64);
    if flows.is_empty() {
        return Err(none_left(out));
    }
    flows.sort_by_key(|flow| flow.start);
    let first = flows.first().map_or(0, |flow| flow.start);
    let zero = if options.keep_times { 0 } else { first };
    if zero > 0 {
        out.note(format!(
            "Times are relative to the first flow, which starts at {} s in the original",
            seconds(first)
        ));
    }
    if let Some(flow) = flows.last().filter(|flow| flow.start - zero > LATEST) {
        return Err(format!(
            "the last flow starts {} s after time 0: expected at most {} s",
            seconds(flow.start - zero),
            seconds(LATEST)
        ));
    }
    fold_classes(&mut flows, out);
    let hosts = flows.iter().flat_map(|flow| [flow.src, flow.dst]).max();
    out.keep("flows", flows.len() as u64);
    let bytes = flows.iter().filter_map(|flow| flow.size);
    out.keep("payload bytes", bytes.fold(0, u64::saturating_add));
    if let Some(last) = hosts {
        out.note(format!("Hosts are h0 to h{last}"));
    }
    if let Some(flow) = flows.last() {
        out.note(format!(
            "The last flow starts at {} us: set `duration` in the scenario above that",
            micros(u64::try_from(flow.start - zero).unwrap_or(u64::MAX))
        ));
    }
    out.list = Some(List {
        flows: flows.len() as u64,
        hosts: hosts.map_or(0, |last| last + 1),
        last: (flows.last()).map_or(0, |flow| {
            u64::try_from(flow.start - zero).unwrap_or(u64::MAX)
        }),
        classes: flows.iter().filter_map(|flow| flow.class.clone()).collect(),
        groups: flows.iter().any(|flow| flow.group.is_some()),
    });
    out.files.insert(0, (OutputKind::Flows, text(&flows, zero)));
    Ok(())
}

/// Returns an error for a list without flows, with the reasons.
fn none_left(out: &Imported) -> String {
    let why = out
        .dropped
        .iter()
        .map(|(what, many)| format!("{many} {what}"));
    let why: Vec<String> = why.collect();
    match why.is_empty() {
        true => "expected at least one flow, got none".into(),
        false => format!(
            "expected at least one flow, got none; left out: {}",
            why.join(", ")
        ),
    }
}

/// Counts the flows that equal an earlier one.
fn repeated(flows: &[Flow]) -> usize {
    let key = |flow: &Flow| (flow.start, flow.src, flow.dst, flow.size);
    let mut order: Vec<&Flow> = flows.iter().collect();
    let whole = |a: &&Flow, b: &&Flow| {
        let words = (&a.class, &a.group).cmp(&(&b.class, &b.group));
        key(a).cmp(&key(b)).then(words)
    };
    order.sort_unstable_by(whole);
    order.windows(2).filter(|pair| pair[0] == pair[1]).count()
}

/// Keeps the classes with the most flows, if there are more than a run can count.
fn fold_classes(flows: &mut [Flow], out: &mut Imported) {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for class in flows.iter().filter_map(|flow| flow.class.as_deref()) {
        *sizes.entry(class).or_default() += 1;
    }
    if sizes.len() <= MOST_CLASSES {
        return;
    }
    let mut order: Vec<(&str, usize)> = sizes.into_iter().collect();
    order.sort_by_key(|(_, many)| std::cmp::Reverse(*many));
    let folded = order.len() - MOST_CLASSES;
    let kept: Vec<String> = order[..MOST_CLASSES]
        .iter()
        .map(|(class, _)| class.to_string())
        .collect();
    for flow in flows {
        if let Some(class) = &mut flow.class
            && !kept.contains(class)
        {
            *class = "other".to_string();
        }
    }
    out.note(format!(
        "{folded} classes with the fewest flows are merged into \"other\""
    ));
}

fn seconds(ps: u128) -> String {
    let (whole, rest) = (ps / 1_000_000_000_000, ps % 1_000_000_000_000);
    let text = format!("{whole}.{rest:012}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn text(flows: &[Flow], zero: u128) -> String {
    let classes = flows.iter().any(|flow| flow.class.is_some());
    let groups = flows.iter().any(|flow| flow.group.is_some());
    let mut text = String::from("start_us,src,dst,size");
    text.push_str(if classes { ",class" } else { "" });
    text.push_str(if groups { ",group\n" } else { "\n" });
    for flow in flows {
        let start = u64::try_from(flow.start - zero).unwrap_or(u64::MAX);
        let size = flow
            .size
            .map_or("endless".to_string(), |size| format!("{size} B"));
        let (start, src, dst) = (micros(start), flow.src, flow.dst);
        text.push_str(&format!("{start},h{src},h{dst},{size}"));
        for (has, word) in [(classes, &flow.class), (groups, &flow.group)] {
            if has {
                text.push(',');
                text.push_str(word.as_deref().unwrap_or_default());
            }
        }
        text.push('\n');
    }
    text
}
