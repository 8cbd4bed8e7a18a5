//! Conversion of flows into a flow list.

use crate::counts::counted;
use crate::grain;
use crate::limits::LARGEST_FLOW;
use crate::number::micros;
use crate::{Imported, List, Options, OutputKind};
use std::collections::BTreeMap;

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
pub fn write(flows: Vec<Flow>, options: &Options, out: &mut Imported) -> Result<(), String> {
    write_placed(flows.into_iter().enumerate().collect(), "", options, out)
}

/// Writes flows as [`write`] does. Each has its place in the file: the number of its line or packet, as `kind`
/// says; with an empty `kind` the places are unknown.
pub fn write_placed(
    mut flows: Vec<(usize, Flow)>,
    kind: &str,
    options: &Options,
    out: &mut Imported,
) -> Result<(), String> {
    if flows.is_empty() {
        return Err(nothing(out));
    }
    let again = repeated(&flows);
    if again > 0 {
        out.note(format!(
            "{} in all columns that are read: kept",
            counted(again as u64, "flows repeat another one")
        ));
    }
    let mut keep = |why: &str, keep: &dyn Fn(&Flow) -> bool| {
        let before = flows.len();
        flows.retain(|(_, flow)| keep(flow));
        out.drop(why, (before - flows.len()) as u64);
    };
    keep("flows from a host to itself", &|flow| flow.src != flow.dst);
    keep("flows without payload", &|flow| flow.size != Some(0));
    let larger = format!("flows of more than {LARGEST_FLOW} bytes");
    keep(&larger, &|flow| {
        flow.size.is_none_or(|size| size <= LARGEST_FLOW)
    });
    flows.sort_by_key(|(_, flow)| flow.start);
    part(&mut flows, options, out);
    if flows.is_empty() {
        return Err(nothing(out));
    }
    let original = flows.first().map_or(0, |(_, flow)| flow.start);
    spread(&mut flows, options, out)?;
    let first = flows.first().map_or(0, |(_, flow)| flow.start);
    let zero = if options.keep_times { 0 } else { first };
    if zero > 0 {
        out.note(format!(
            "Times are relative to the first flow, which starts at {} s in the original",
            seconds(original)
        ));
    }
    if let Some((_, last)) = flows.last()
        && last.start - zero > LATEST
    {
        return Err(too_late(&flows, kind, zero));
    }
    let mut flows: Vec<Flow> = flows.into_iter().map(|(_, flow)| flow).collect();
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
            "The last flow starts at {} us: the `duration` of the scenario must be longer",
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

/// Counts the flows that equal an earlier one.
fn repeated(flows: &[(usize, Flow)]) -> usize {
    let key = |flow: &Flow| (flow.start, flow.src, flow.dst, flow.size);
    let mut order: Vec<&Flow> = flows.iter().map(|(_, flow)| flow).collect();
    let whole = |a: &&Flow, b: &&Flow| {
        let words = (&a.class, &a.group).cmp(&(&b.class, &b.group));
        key(a).cmp(&key(b)).then(words)
    };
    order.sort_unstable_by(whole);
    order.windows(2).filter(|pair| pair[0] == pair[1]).count()
}

/// Reports the grain of the starts, and moves them within it if asked.
fn spread(
    flows: &mut [(usize, Flow)],
    options: &Options,
    out: &mut Imported,
) -> Result<(), String> {
    let start = |(place, flow): &(usize, Flow)| (flow.start, *place, flow.group.clone());
    let starts: Vec<_> = flows.iter().map(start).collect();
    let starts = starts.iter().map(|(at, record, group)| grain::Start {
        at: *at,
        record: *record,
        group: group.as_deref(),
    });
    let moves = grain::look(&starts.collect::<Vec<_>>(), options, out)?;
    for ((_, flow), by) in flows.iter_mut().zip(moves) {
        flow.start += u128::from(by);
    }
    flows.sort_by_key(|(_, flow)| flow.start);
    Ok(())
}

/// Leaves out the flows, sorted by start, that `--from-time` and `--for` exclude.
fn part(flows: &mut Vec<(usize, Flow)>, options: &Options, out: &mut Imported) {
    if let Some(from) = options.from_time {
        let before = flows.len();
        flows.retain(|(_, flow)| flow.start >= from);
        out.drop(
            "flows that start before --from-time",
            (before - flows.len()) as u64,
        );
    }
    if let (Some(length), Some((_, first))) = (options.length, flows.first()) {
        let end = first.start + u128::from(length);
        let before = flows.len();
        flows.retain(|(_, flow)| flow.start < end);
        out.drop(
            "flows that start after the time of --for",
            (before - flows.len()) as u64,
        );
    }
}

/// Formats the error about a list without flows.
fn nothing(out: &Imported) -> String {
    const MOST: usize = 3;
    let left = out.dropped.iter().take(MOST);
    let left: Vec<String> = left.map(|(why, many)| counted(*many, why)).collect();
    if left.is_empty() {
        return "expected flows with payload, got none".to_string();
    }
    format!(
        "expected flows with payload, got none; left out: {}",
        left.join(", ")
    )
}

/// Formats the error about flows, sorted by start, that start too far apart: the largest jump, and what to do.
fn too_late(flows: &[(usize, Flow)], kind: &str, zero: u128) -> String {
    let place = |(place, flow): &(usize, Flow)| match kind {
        "" => format!("the flow from h{} to h{}", flow.src, flow.dst),
        kind => format!("the flow of {kind} {place}"),
    };
    let jumps = flows.windows(2).map(|two| two[1].1.start - two[0].1.start);
    let largest = jumps.enumerate().max_by_key(|(_, jump)| *jump);
    let (Some((at, jump)), Some((_, first))) = (largest, flows.first()) else {
        let last = flows.last().map(place).unwrap_or_default();
        return format!(
            "{last}: expected a start at most {} s after time 0: leave out --keep-times",
            seconds(LATEST)
        );
    };
    if zero == 0 && first.start > LATEST {
        return format!(
            "{}: expected a start at most {} s after time 0, got {} s: leave out --keep-times",
            place(&flows[0]),
            seconds(LATEST),
            seconds(first.start)
        );
    }
    let (before, after) = (at + 1, flows.len() - at - 1);
    format!(
        "{}: expected all flows to start within {} s, got one {} s after that of {} (a wrong clock, \
         or captures of different days in one file): cut the file, or keep the {before} before with \
         `--for \"{} s\"`, or the {after} after with `--from-time {}`",
        place(&flows[at + 1]),
        seconds(LATEST),
        seconds(jump),
        place(&flows[at]).trim_start_matches("the flow of "),
        (flows[at].1.start - first.start) / 1_000_000_000_000 + 1,
        flows[at + 1].1.start / 1_000_000_000_000
    )
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
    let mut merged = "other".to_string();
    while kept.contains(&merged) {
        merged.push('_');
    }
    for flow in flows {
        if let Some(class) = &mut flow.class
            && !kept.contains(class)
        {
            class.clone_from(&merged);
        }
    }
    out.note(format!(
        "{} into {merged:?}",
        counted(folded as u64, "classes with the fewest flows are merged")
    ));
}

/// Formats picoseconds as seconds, without trailing zeros.
pub(crate) fn seconds(ps: u128) -> String {
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
