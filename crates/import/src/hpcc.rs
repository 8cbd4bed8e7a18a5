//! Flow lists and topologies of the HPCC family of ns-3 simulators.
//!
//! ```text
//! 2                                   number of flows
//! 2 1 3 100 200000000 2.000000001     src dst priority dport bytes start in seconds
//! 3 1 3 100 5000 2.1
//!
//! 5 1 4                               nodes switches links
//! 4                                   numbers of the switches
//! 0 4 100Gbps 0.001ms 0               src dst rate delay share of packets that the link loses
//! ```

use crate::flows::{self, Flow};
use crate::lines::{Text, shown};
use crate::number::{micros, scaled};
use crate::{Imported, Options, OutputKind};
use std::collections::{BTreeMap, BTreeSet};

/// Number of nodes that no network of Sidestep's exceeds.
const MOST_NODES: u64 = 1 << 20;

/// Nodes of a topology that are hosts, numbered from zero in the order of their node numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nodes {
    hosts: BTreeMap<u64, u32>,
}

impl Nodes {
    /// Reads only the numbers of the hosts from a topology.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Nodes, String> {
        Ok(read(&Text::read(name, bytes)?)?.hosts)
    }
}

/// Imports a flow list.
pub fn flows(name: &str, bytes: &[u8], options: &Options) -> Result<Imported, String> {
    let text = Text::read(name, bytes)?;
    let mut lines = text.lines();
    let (line, first) = lines.next().unwrap_or((1, ""));
    let wrong = || text.error(line, "the number of flows", &shown(first));
    let many: u64 = first.parse().map_err(|_| wrong())?;
    let mut out = Imported::default();
    let mut all = Vec::new();
    let (mut rounded, mut short, mut read) = (0, false, 0);
    for (line, row) in lines
        .by_ref()
        .take(usize::try_from(many).unwrap_or(usize::MAX))
    {
        read += 1;
        let fields: Vec<&str> = row.split_whitespace().collect();
        let (src, dst, priority, size, start) = match fields[..] {
            [src, dst, priority, _, size, start] => (src, dst, priority, size, start),
            [src, dst, priority, size, start] => {
                short = true;
                (src, dst, priority, size, start)
            }
            _ => {
                let expected = "src dst priority dport bytes start";
                return Err(text.error(line, expected, &shown(row)));
            }
        };
        let (src, dst) = (
            node(&text, line, src, options)?,
            node(&text, line, dst, options)?,
        );
        let bytes = scaled(size, 0).and_then(|(size, cut)| Some((u64::try_from(size).ok()?, cut)));
        let (size, cut) =
            bytes.ok_or_else(|| text.error(line, "a number of bytes", &shown(size)))?;
        let time = scaled(start, 12);
        let (start, fine) =
            time.ok_or_else(|| text.error(line, "a start in seconds", &shown(start)))?;
        rounded += u64::from(fine || cut);
        let priority: u8 = (priority.parse())
            .map_err(|_| text.error(line, "a priority group", &shown(priority)))?;
        all.push(Flow {
            start,
            src,
            dst,
            size: Some(size),
            class: Some(format!("pg{priority}")),
            group: None,
        });
    }
    if read < many {
        let expected = format!("{many} flows, as line {line} says");
        return Err(text.error(
            text.all().lines().count().max(1),
            &expected,
            &format!("{read}"),
        ));
    }
    out.read("flows", read);
    out.drop(
        "lines after the number of flows in the first line, which the simulator ignores too",
        lines.count() as u64,
    );
    if short {
        out.note("Lines with five fields were read as having no destination port");
    }
    if rounded > 0 {
        out.note(format!(
            "{rounded} starts or sizes were rounded to a picosecond or a byte"
        ));
    }
    match &options.nodes {
        Some(nodes) => out.note(format!(
            "Node numbers are mapped to the {} hosts of the topology",
            nodes.hosts.len()
        )),
        None => out.note(
            "Node n is read as host n; if the topology numbers switches before hosts, pass it with \
             --topology",
        ),
    }
    let classes: BTreeSet<&Option<String>> = all.iter().map(|flow| &flow.class).collect();
    if classes.len() > 1 {
        out.note("The class is the priority group; in Sidestep all groups share one queue");
    } else {
        all.iter_mut().for_each(|flow| flow.class = None);
    }
    flows::write(all, options, &mut out)?;
    Ok(out)
}

fn node(text: &Text<'_>, line: usize, word: &str, options: &Options) -> Result<u32, String> {
    let number: Option<u64> = word.parse().ok().filter(|n| *n < MOST_NODES);
    let number = number.ok_or_else(|| text.error(line, "the number of a node", &shown(word)))?;
    match &options.nodes {
        None => Ok(number as u32),
        Some(nodes) => {
            let host = nodes.hosts.get(&number).copied();
            host.ok_or_else(|| text.error(line, "a host of the topology", &shown(word)))
        }
    }
}

/// Imports a topology.
pub fn topology(name: &str, bytes: &[u8]) -> Result<Imported, String> {
    let Read {
        hosts,
        switches,
        links,
        lossy,
        rounded,
        left,
    } = read(&Text::read(name, bytes)?)?;
    let mut out = Imported::default();
    out.read("nodes", (hosts.hosts.len() + switches.len()) as u64);
    out.read("links", links.len() as u64);
    out.keep("hosts", hosts.hosts.len() as u64);
    out.keep("switches", switches.len() as u64);
    out.keep("cables", links.len() as u64);
    out.drop("error rates of links: Sidestep's links have none", lossy);
    out.drop("lines after the number of links in the first line", left);
    if rounded > 0 {
        out.note(format!("{rounded} delays were rounded to a picosecond"));
    }
    let moved = hosts
        .hosts
        .iter()
        .any(|(node, host)| *node != u64::from(*host));
    if moved {
        out.note(
            "Hosts are renumbered in the order of their nodes: pass this topology with --topology \
             when importing the flow list",
        );
    }
    let mut text = String::from("a,b,rate,delay\n");
    for (ends, rate, delay) in links {
        let [a, b] = ends.map(|node| match hosts.hosts.get(&node) {
            Some(host) => format!("h{host}"),
            None => format!("s{node}"),
        });
        text.push_str(&format!("{a},{b},{rate} bps,{} us\n", micros(delay)));
    }
    out.files.push((OutputKind::Topology, text));
    Ok(out)
}

/// Topology as read.
struct Read {
    hosts: Nodes,
    switches: BTreeSet<u64>,
    /// Links: two nodes, bits per second, delay in picoseconds.
    links: Vec<([u64; 2], u64, u64)>,
    lossy: u64,
    rounded: u64,
    left: u64,
}

fn read(text: &Text<'_>) -> Result<Read, String> {
    let mut lines = text.lines().peekable();
    let (line, first) = lines.next().unwrap_or((1, ""));
    let numbers: Option<Vec<u64>> = first.split_whitespace().map(|n| n.parse().ok()).collect();
    let [nodes, many, links] = numbers.as_deref().unwrap_or_default() else {
        let expected = "three numbers: nodes, switches and links";
        return Err(text.error(line, expected, &shown(first)));
    };
    if *nodes > MOST_NODES || many > nodes {
        let expected = format!("at most {MOST_NODES} nodes, and no more switches than nodes");
        return Err(text.error(line, &expected, &shown(first)));
    }
    let mut switches = BTreeSet::new();
    let mut last = line;
    // The numbers of the switches may be on several lines.
    while (switches.len() as u64) < *many {
        let Some((line, row)) = lines.next() else {
            let expected = format!("the numbers of {many} switches");
            return Err(text.error(last, &expected, &format!("{}", switches.len())));
        };
        last = line;
        for word in row.split_whitespace() {
            let number = word.parse().ok().filter(|n| n < nodes);
            let new = number.filter(|n| switches.insert(*n)).is_some();
            if !new || switches.len() as u64 > *many {
                let expected = format!("{many} switches, each once, from 0 to {}", nodes - 1);
                return Err(text.error(line, &expected, &shown(word)));
            }
        }
    }
    let ids = (0..*nodes).filter(|node| !switches.contains(node));
    let hosts = Nodes {
        hosts: ids.zip(0..).collect(),
    };
    let mut read = Read {
        hosts,
        switches,
        links: Vec::new(),
        lossy: 0,
        rounded: 0,
        left: 0,
    };
    let mut cabled = BTreeMap::new();
    while (read.links.len() as u64) < *links {
        let Some((line, row)) = lines.next() else {
            let expected = format!("{links} links, as the first line says");
            return Err(text.error(last, &expected, &format!("{}", read.links.len())));
        };
        last = line;
        read.link(text, line, row, *nodes, &mut cabled)?;
    }
    read.left = lines.count() as u64;
    if let Some(alone) = read
        .hosts
        .hosts
        .keys()
        .find(|node| !cabled.contains_key(*node))
    {
        return Err(text.error(
            last,
            "a link for every host",
            &format!("none for node {alone}"),
        ));
    }
    Ok(read)
}

impl Read {
    fn link(
        &mut self,
        text: &Text<'_>,
        line: usize,
        row: &str,
        nodes: u64,
        cabled: &mut BTreeMap<u64, usize>,
    ) -> Result<(), String> {
        let fields: Vec<&str> = row.split_whitespace().collect();
        let [a, b, rate, delay, errors] = fields[..] else {
            return Err(text.error(line, "src dst rate delay error_rate", &shown(row)));
        };
        let end = |word: &str| {
            let number: Option<u64> = word.parse().ok().filter(|n| *n < nodes);
            number.ok_or_else(|| {
                let expected = format!("a node from 0 to {}", nodes.saturating_sub(1));
                text.error(line, &expected, &shown(word))
            })
        };
        let ends = [end(a)?, end(b)?];
        let is_host = |node: &u64| self.hosts.hosts.contains_key(node);
        if ends[0] == ends[1] || ends.iter().all(is_host) {
            let expected = "a link between two switches, or a host and a switch";
            return Err(text.error(line, expected, &shown(row)));
        }
        if let Some(host) = ends.into_iter().find(is_host)
            && let Some(before) = cabled.insert(host, line)
        {
            let expected =
                format!("one link of node {host}, a host (Sidestep's hosts have one NIC)");
            let got = format!("a second one (the first is on line {before})");
            return Err(text.error(line, &expected, &got));
        }
        let rate = bits(rate).filter(|bps| *bps > 0);
        let rate =
            rate.ok_or_else(|| text.error(line, "a rate like 100Gbps", &shown(fields[2])))?;
        let span = time(delay).and_then(|(ps, cut)| Some((u64::try_from(ps).ok()?, cut)));
        let (delay, cut) =
            span.ok_or_else(|| text.error(line, "a delay like 0.001ms", &shown(delay)))?;
        let (loss, fine) =
            scaled(errors, 12).ok_or_else(|| text.error(line, "an error rate", &shown(errors)))?;
        self.lossy += u64::from(loss > 0 || fine);
        self.rounded += u64::from(cut);
        self.links.push((ends, rate, delay));
        Ok(())
    }
}

/// Splits a word into number and unit.
fn apart(word: &str) -> (&str, &str) {
    let end = word.find(|c: char| c.is_ascii_alphabetic() && !"eE".contains(c));
    word.split_at(end.unwrap_or(word.len()))
}

/// Reads a rate in ns-3's format, in bits per second.
fn bits(word: &str) -> Option<u64> {
    let (number, unit) = apart(word);
    let (prefix, per_byte) = match unit {
        "" => ("", 1),
        unit => match unit.strip_suffix("bps").or(unit.strip_suffix("b/s")) {
            Some(prefix) => (prefix, 1),
            None => (unit.strip_suffix("Bps").or(unit.strip_suffix("B/s"))?, 8),
        },
    };
    let times: u128 = match prefix {
        "" => 1,
        "k" | "K" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        "T" => 1_000_000_000_000,
        "Ki" => 1 << 10,
        "Mi" => 1 << 20,
        "Gi" => 1 << 30,
        _ => return None,
    };
    // Nine digits after the point are read; a rate that is not whole bits is refused.
    let (scaled, cut) = scaled(number, 9)?;
    let nano = scaled.checked_mul(times * per_byte)?;
    let whole = nano.is_multiple_of(1_000_000_000) && !cut;
    whole.then(|| u64::try_from(nano / 1_000_000_000).ok())?
}

/// Reads a time in ns-3's format, in picoseconds. A number without a unit is in seconds.
fn time(word: &str) -> Option<(u128, bool)> {
    let (number, unit) = apart(word);
    let digits = match unit {
        "s" | "" => 12,
        "ms" => 9,
        "us" => 6,
        "ns" => 3,
        "ps" => 0,
        "fs" => return scaled(&format!("{number}e-3"), 0),
        _ => return None,
    };
    scaled(number, digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_delays_are_those_of_ns3() {
        assert_eq!(bits("100Gbps"), Some(100_000_000_000));
        assert_eq!(bits("2.5Gb/s"), Some(2_500_000_000));
        assert_eq!(bits("10MBps"), Some(80_000_000));
        assert_eq!(bits("100"), Some(100));
        for wrong in ["", "Gbps", "1Xbps", "0.1bps", "-1Gbps", "1e40Gbps"] {
            assert_eq!(bits(wrong), None, "{wrong}");
        }
        assert_eq!(time("0.001ms"), Some((1_000_000, false)));
        assert_eq!(time("1us"), Some((1_000_000, false)));
        assert_eq!(time("0.0005ns"), Some((1, true)));
        assert_eq!(time("1h"), None);
    }
}
