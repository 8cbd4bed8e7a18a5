//! Topologies of the HPCC family of ns-3 simulators.
//!
//! ```text
//! 5 1 4                               nodes switches links
//! 4                                   numbers of the switches
//! 0 4 100Gbps 0.001ms 0               src dst rate delay share of packets that the link loses
//! ```
//!
//! **Decision**     the first line tells the dialects apart: three numbers (HPCC), four with the switches of racks
//!                  third (PowerTCP), six with two rates at the end (Reverie). A topology of SimAI, whose last
//!                  word is a GPU, is refused: its hosts have two links.

use crate::counts::counted;
use crate::limits::MOST_HOSTS;
use crate::lines::{Text, shown};
use crate::number::{micros, scaled};
use crate::{Imported, OutputKind};
use std::collections::{BTreeMap, BTreeSet};

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

    /// Returns the number of hosts.
    pub(crate) fn len(&self) -> usize {
        self.hosts.len()
    }

    /// Returns the host of a node.
    pub(crate) fn host(&self, node: u64) -> Option<u32> {
        self.hosts.get(&node).copied()
    }
}

/// Imports a topology.
pub fn import(name: &str, bytes: &[u8]) -> Result<Imported, String> {
    let read = read(&Text::read(name, bytes)?)?;
    let mut out = Imported::default();
    out.read("nodes", (read.hosts.len() + read.switches.len()) as u64);
    out.read("links", read.links.len() as u64);
    out.keep("hosts", read.hosts.len() as u64);
    out.keep("switches", read.switches.len() as u64);
    out.keep("cables", read.links.len() as u64);
    out.drop(
        "error rates of links: Sidestep's links have none",
        read.lossy,
    );
    out.drop(
        "lines after the number of links in the first line",
        read.left,
    );
    read.describe(&mut out);
    let mut text = String::from("a,b,rate,delay\n");
    for (ends, rate, delay) in &read.links {
        let [a, b] = ends.map(|node| match read.hosts.host(node) {
            Some(host) => format!("h{host}"),
            None => format!("s{node}"),
        });
        text.push_str(&format!("{a},{b},{rate} bps,{} us\n", micros(*delay)));
    }
    out.files.push((OutputKind::Topology, text));
    Ok(out)
}

/// First line of a topology.
struct Head {
    nodes: u64,
    switches: u64,
    links: u64,
    /// Meaning of its numbers.
    form: Form,
}

/// Dialect of a topology.
#[derive(Clone, Copy)]
enum Form {
    /// Nodes, switches, links.
    Hpcc,
    /// Nodes, switches, switches of racks, links.
    PowerTcp,
    /// Fields of `PowerTcp`, then the rates of a host's link and of a link between switches.
    Reverie(u64, u64),
}

impl Form {
    fn words(self) -> &'static str {
        match self {
            Form::Hpcc => "nodes, switches, links",
            Form::PowerTcp => {
                "nodes, switches, switches of racks (not used, as in PowerTCP's simulator), links"
            }
            Form::Reverie(..) => {
                "nodes, switches, switches of racks, links, rate of a host's link, rate of a link \
                 between switches, as Reverie writes it; the last two and the racks are not used, since each \
                 link names its rate"
            }
        }
    }
}

/// Forms of the first line that are read.
const FORMS: &str = "three numbers (nodes, switches, links), four (with switches of racks third) or six (with \
                     two rates last)";

impl Head {
    fn read(text: &Text<'_>, line: usize, row: &str) -> Result<Head, String> {
        let wrong = |expected: &str| text.error(line, expected, &shown(row));
        let words: Vec<&str> = row.split_whitespace().collect();
        let is_number = |word: &&str| word.bytes().all(|b| b.is_ascii_digit());
        let numbers = words.iter().take_while(|word| is_number(word)).count();
        if numbers >= 5 && numbers < words.len() {
            let expected = "a topology whose hosts have one link";
            let got = "a SimAI topology: hosts have an NVLink and a NIC";
            return Err(text.error(line, expected, got));
        }
        let all: Option<Vec<u64>> = words.iter().map(|word| word.parse().ok()).collect();
        let (nodes, switches, racks, links, form) = match all.as_deref().unwrap_or_default() {
            [nodes, switches, links] => (*nodes, *switches, 0, *links, Form::Hpcc),
            [nodes, switches, racks, links] => (*nodes, *switches, *racks, *links, Form::PowerTcp),
            [nodes, switches, racks, links, host, fabric] => (
                *nodes,
                *switches,
                *racks,
                *links,
                Form::Reverie(*host, *fabric),
            ),
            _ => return Err(wrong(FORMS)),
        };
        if nodes > u64::from(MOST_HOSTS) || switches > nodes {
            let expected = format!("at most {MOST_HOSTS} nodes, and no more switches than nodes");
            return Err(wrong(&expected));
        }
        if racks > switches {
            return Err(wrong(
                "no more switches of racks (third number) than switches (second)",
            ));
        }
        if let Form::Reverie(host, fabric) = form
            && host.min(fabric) < 1_000_000
        {
            return Err(wrong(
                "two rates in bits per second as the fifth and the sixth number",
            ));
        }
        Ok(Head {
            nodes,
            switches,
            links,
            form,
        })
    }
}

/// Topology as read.
struct Read {
    form: Form,
    hosts: Nodes,
    switches: BTreeSet<u64>,
    /// Links: two nodes, bits per second, delay in picoseconds.
    links: Vec<([u64; 2], u64, u64)>,
    /// Number of fields of each link: without an error rate, four.
    fields: Option<usize>,
    lossy: u64,
    rounded: u64,
    left: u64,
    /// True if some rates, or some delays, have no unit.
    bare: [bool; 2],
}

fn read(text: &Text<'_>) -> Result<Read, String> {
    let mut lines = text.lines().peekable();
    let (line, first) = lines.next().unwrap_or((1, ""));
    let head = Head::read(text, line, first)?;
    let mut switches = BTreeSet::new();
    let mut last = line;
    // The numbers of the switches may be on several lines.
    while (switches.len() as u64) < head.switches {
        let Some((line, row)) = lines.next() else {
            let expected = format!("the numbers of {}", counted(head.switches, "switches"));
            return Err(text.error(last, &expected, &format!("{}", switches.len())));
        };
        last = line;
        for word in row.split_whitespace() {
            let number = word.parse().ok().filter(|n| *n < head.nodes);
            let new = number.filter(|n| switches.insert(*n)).is_some();
            if !new || switches.len() as u64 > head.switches {
                let expected = format!(
                    "{} switches, each once, from 0 to {}",
                    head.switches,
                    head.nodes - 1
                );
                return Err(text.error(line, &expected, &shown(word)));
            }
        }
    }
    let ids = (0..head.nodes).filter(|node| !switches.contains(node));
    let mut read = Read {
        form: head.form,
        hosts: Nodes {
            hosts: ids.zip(0..).collect(),
        },
        switches,
        links: Vec::new(),
        fields: None,
        lossy: 0,
        rounded: 0,
        left: 0,
        bare: [false; 2],
    };
    let mut cabled = BTreeMap::new();
    while (read.links.len() as u64) < head.links {
        let Some((line, row)) = lines.next() else {
            let expected = counted(head.links, "links, as the first line says");
            return Err(text.error(last, &expected, &format!("{}", read.links.len())));
        };
        last = line;
        read.link(text, line, row, head.nodes, &mut cabled)?;
    }
    read.left = lines.count() as u64;
    let mut nodes = read.hosts.hosts.keys();
    if let Some(alone) = nodes.find(|node| !cabled.contains_key(*node)) {
        let got = format!("none for node {alone}");
        return Err(text.error(last, "a link for every host", &got));
    }
    if read.hosts.len() == 0 {
        return Err(text.error(last, "at least one host (a node that is no switch)", "none"));
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
        let (a, b, rate, delay, errors) = match fields[..] {
            [a, b, rate, delay, errors] => (a, b, rate, delay, errors),
            [a, b, rate, delay] => (a, b, rate, delay, "0"),
            _ => return Err(text.error(line, "src dst rate delay error_rate", &shown(row))),
        };
        if *self.fields.get_or_insert(fields.len()) != fields.len() {
            let expected =
                "as many fields as the first link has (an error rate in all lines or in none)";
            return Err(text.error(line, expected, &shown(row)));
        }
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
        self.bare[0] |= apart(rate).1.is_empty();
        self.bare[1] |= apart(delay).1.is_empty();
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

    /// Notes how the numbers of the file were read.
    fn describe(&self, out: &mut Imported) {
        out.note(format!("The first line is read as {}", self.form.words()));
        if let Form::Reverie(host, fabric) = self.form {
            let is_host = |node: &u64| self.hosts.hosts.contains_key(node);
            let other = self.links.iter().filter(|(ends, rate, _)| {
                *rate
                    != if ends.iter().any(is_host) {
                        host
                    } else {
                        fabric
                    }
            });
            let other = other.count();
            if other > 0 {
                out.note(counted(
                    other as u64,
                    "links have another rate than the first line gives",
                ));
            }
        }
        if self.fields == Some(4) {
            out.note("Links have four fields, without an error rate, as in the older ns-3 RDMA simulator");
        }
        if self.bare[0] {
            out.note("Rates without a unit are read as bits per second, as ns-3 does");
        }
        if self.bare[1] {
            out.note("Delays without a unit are read as seconds, as ns-3 does");
        }
        out.rounded(self.rounded, "delays");
        let mut hosts = self.hosts.hosts.iter();
        if hosts.any(|(node, host)| *node != u64::from(*host)) {
            out.note(
                "Hosts are renumbered in the order of their nodes: pass this topology with \
                 --topology when importing the flow list",
            );
        }
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
