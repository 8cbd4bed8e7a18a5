//! Custom network: a user's own, from a file with one cable a line.
//!
//! ```text
//! # two hosts, two switches
//! a,b,rate,delay
//! h0,s0,1 Gbps,1 us
//! h1,s1,1 Gbps,1 us
//! s0,s1,10 Gbps,5 us
//! ```
//!
//! **Decision**     `h` and a number is a host; any other name is a switch. Hosts have the numbers in
//!                  their names, without gaps; switches are numbered in the order of appearance. A switch
//!                  called `edge 3.1` is of the tier `edge` and the pod `3`, one called `core 2`
//!                  of the tier `core`; other names have neither.
//! **State**        ports: in the order of the lines that name the switch.
//! **Units**        rates and delays carry theirs, and hold for each direction.
//! **Errors**       `file:line: expected …, got …`; empty lines and `#` comments are skipped.

use super::{Builder, Link, MAX_HOSTS, Topology};
use crate::files::Files;
use crate::network::{End, Network, SwitchInfo};
use crate::table::{Row, RowErrors, Table};
use sidestep_types::{About, FileName, HostId, Param, Refusal, Setting, Settings, Value};
use std::collections::BTreeMap;

/// See the module.
#[derive(Settings)]
pub struct Custom {
    /// header a,b,rate,delay; rows like h0,s0,1 Gbps,1 us
    file: FileName,
}

const HEADER: &str = "a,b,rate,delay";

impl Topology for Custom {
    const ABOUT: About = About {
        name: "custom",
        summary: "a file with one cable per line",
        source: "Sidestep's own format",
    };

    fn build_network(self, files: &dyn Files) -> Result<Network, Refusal> {
        let FileName(path) = self.file;
        let text = files.read(&path).map_err(|why| format!("{path:?}: {why}"));
        let network = text.and_then(|text| parse(&path, &text));
        network.map_err(|why| Refusal::about(&["file"], why))
    }
}

/// Reads `text`; errors call it `name`.
fn parse(name: &str, text: &str) -> Result<Network, String> {
    let table = Table::read(name, text, HEADER)?;
    table.require_header(HEADER)?;
    let mut net = Builder::default();
    let mut switches = BTreeMap::new();
    // Each host's line; the builder's own numbering is not used here.
    let mut hosts = BTreeMap::new();
    table.each(|row| {
        let mut end = |column| -> Result<End, String> {
            let word = row.cell(column);
            if word.is_empty() {
                return Err(table.error(row.line, "a host like h0 or a switch", "nothing"));
            }
            if let Some(host) = host_number(word) {
                let few = host.filter(|h| *h < MAX_HOSTS).ok_or_else(|| {
                    let expected = format!("hosts from h0 to h{}", MAX_HOSTS - 1);
                    table.error(row.line, &expected, &format!("{word:?}"))
                })?;
                if let Some(before) = hosts.insert(few, row.line) {
                    let got = format!("a second one (the first is on line {before})");
                    return Err(table.error(row.line, &format!("one cable for {word}"), &got));
                }
                return Ok(End::Host(HostId(few)));
            }
            let named = switches
                .entry(word)
                .or_insert_with(|| net.switch(info(word)));
            Ok(*named)
        };
        let mut wrong = RowErrors::default();
        let (a, b) = (wrong.keep(end(0)), wrong.keep(end(1)));
        let rate = wrong.keep(cell(&table, row, 2));
        let delay = wrong.keep(cell(&table, row, 3));
        let cable = || Some((a?, b?, Link::of(rate?, delay?)));
        let (a, b, link) = wrong.or(cable())?;
        net.cable(a, b, link);
        Ok(())
    })?;
    let gap = hosts.keys().zip(0..).find(|(host, n)| *host != n);
    if let Some((host, missing)) = gap {
        let expected = format!("hosts without gaps, so h{missing} too");
        return Err(table.error(hosts[host], &expected, &format!("h{host}")));
    }
    net.network.hosts = hosts.len() as u32;
    net.network.validate()?;
    Ok(net.network)
}

/// Returns the tier and pod in the name of a switch: `tier number` or `tier pod.number`. The word `switch` is
/// no tier.
fn info(name: &str) -> SwitchInfo {
    let (tier, number) = match name.split_once(' ') {
        Some((word, number)) => ((word != "switch").then_some(word), Some(number)),
        None => (None, None),
    };
    let pod = number.and_then(|number| number.split_once('.'));
    SwitchInfo {
        name: name.to_string(),
        tier: tier.map(String::from),
        pod: pod.map(|(pod, _)| pod.to_string()),
    }
}

/// Returns `Some` if `word` is `h` and digits; inside, the number if it fits.
fn host_number(word: &str) -> Option<Option<u32>> {
    let digits = word.strip_prefix('h')?;
    let all = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    all.then(|| digits.parse().ok())
}

/// The value in a cell, with its unit.
fn cell<T: Setting>(table: &Table<'_>, row: &Row, column: usize) -> Result<T, String> {
    let value = Value::parse(row.cell(column), &Param::required("", T::UNIT, ""));
    let value = value.map_err(|why| table.error(row.line, why.expected, &why.got))?;
    T::read("", &value).map_err(String::from)
}
