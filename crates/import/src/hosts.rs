//! Map from addresses and names to hosts.

use crate::flows::Flow;
use crate::limits::MOST_HOSTS;
use crate::lines::{Text, Wrong, shown};
use crate::{Imported, OutputKind, natural};
use core::net::IpAddr;
use std::collections::BTreeMap;

/// Addresses, names and prefixes with their hosts, from a file with the header `address,host`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts {
    one: BTreeMap<IpAddr, u32>,
    named: BTreeMap<String, u32>,
    /// Prefixes, the longest first.
    prefixes: Vec<(u128, u32, u32)>,
    assigns: bool,
    /// True if names are Sidestep's own: `h3` is number 3.
    own: bool,
    /// Addresses and names, by their numbers so far: the order of appearance.
    order: Vec<String>,
}

/// Returns true for a word that can be the name of a host and was not meant as an address. Simulators and
/// schedulers name hosts by plain numbers.
fn is_name(word: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    let named = word.starts_with(|c: char| c.is_ascii_alphabetic()) && word.bytes().all(fits);
    let numbered = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    word.len() < 256 && (named || numbered)
}

impl Hosts {
    /// Creates an empty map: each new address gets the next host, until [`Hosts::settle`] sorts them.
    pub fn assigned() -> Hosts {
        Hosts {
            assigns: true,
            ..Hosts::default()
        }
    }

    /// Creates a map for hosts with Sidestep's own names, which keep their numbers.
    pub(crate) fn own() -> Hosts {
        Hosts {
            own: true,
            ..Hosts::default()
        }
    }

    /// Reads a map: `10.0.0.1,h0`, `10.1.0.0/16,h1`.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Hosts, String> {
        let text = Text::read(name, bytes)?;
        let mut lines = text.lines();
        let mut hosts = Hosts::default();
        match lines.next() {
            Some((_, "address,host")) => {}
            Some((line, got)) => {
                return Err(text.error(line, "the header \"address,host\"", &shown(got)));
            }
            None => return Err(text.error(1, "the header \"address,host\"", "nothing")),
        }
        let mut wrong = Wrong::default();
        for (line, row) in lines {
            wrong.keep(line, hosts.add(&text, line, row));
        }
        wrong.end(name)?;
        hosts
            .prefixes
            .sort_by_key(|(_, bits, _)| std::cmp::Reverse(*bits));
        Ok(hosts)
    }

    /// Adds a row of a map.
    fn add(&mut self, text: &Text<'_>, line: usize, row: &str) -> Result<(), String> {
        let wrong = |expected: &str| text.error(line, expected, &shown(row));
        let (address, host) = row
            .split_once(',')
            .ok_or_else(|| wrong("an address and a host like \"10.0.0.1,h0\""))?;
        let host = host.trim();
        let digits = host.strip_prefix('h').unwrap_or(host);
        let plain = digits.bytes().all(|b| b.is_ascii_digit());
        let host = digits.parse().ok().filter(|h| plain && *h < MOST_HOSTS);
        let host = host.ok_or_else(|| wrong("a host like h0"))?;
        if is_name(address.trim()) {
            let name = address.trim().to_string();
            return match self.named.insert(name, host) {
                Some(_) => Err(wrong("each name once")),
                None => Ok(()),
            };
        }
        let (address, length) = match address.split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (address, None),
        };
        let ip: IpAddr = (address.trim().parse()).map_err(|_| {
            wrong("an address like 10.0.0.1, a prefix like 10.1.0.0/16 or a name like db-3")
        })?;
        let ip = ip.to_canonical();
        match length {
            None => match self.one.insert(ip, host) {
                Some(_) => Err(wrong("each address once")),
                None => Ok(()),
            },
            Some(length) => {
                let widest = if ip.is_ipv4() { 32 } else { 128 };
                let length: Option<u32> = length.trim().parse().ok().filter(|l| *l <= widest);
                let length = length.ok_or_else(|| wrong("a prefix like 10.1.0.0/16"))?;
                let bits = 128 - widest + length;
                let prefix = masked(number(ip), bits);
                let same = |(known, long, _): &(u128, u32, u32)| (*known, *long) == (prefix, bits);
                if self.prefixes.iter().any(same) {
                    return Err(wrong("each prefix once"));
                }
                self.prefixes.push((prefix, bits, host));
                Ok(())
            }
        }
    }

    /// Returns the host with this address.
    pub fn of(&mut self, ip: IpAddr) -> Option<u32> {
        let ip = ip.to_canonical();
        if let Some(host) = self.one.get(&ip) {
            return Some(*host);
        }
        if self.assigns {
            let next = self.next(ip.to_string())?;
            self.one.insert(ip, next);
            return Some(next);
        }
        let within = |(prefix, bits, _): &&(u128, u32, u32)| masked(number(ip), *bits) == *prefix;
        let found = self.prefixes.iter().find(within);
        found.map(|(_, _, host)| *host)
    }

    /// Returns the host with this address or name. Errors if the word can be neither.
    pub(crate) fn called(&mut self, word: &str) -> Result<Option<u32>, ()> {
        if let Ok(ip) = word.parse() {
            return Ok(self.of(ip));
        }
        if !is_name(word) {
            return Err(());
        }
        if self.own {
            let number = word[1..].parse().ok().filter(|number| *number < MOST_HOSTS);
            return number.map(Some).ok_or(());
        }
        if let Some(host) = self.named.get(word) {
            return Ok(Some(*host));
        }
        if !self.assigns {
            return Ok(None);
        }
        let next = self.next(word.to_string());
        if let Some(next) = next {
            self.named.insert(word.to_string(), next);
        }
        Ok(next)
    }

    fn next(&mut self, called: String) -> Option<u32> {
        let next = self.order.len() as u32;
        (next < MOST_HOSTS).then(|| {
            self.order.push(called);
            next
        })
    }

    /// Numbers the hosts of a map that was made during this import in the natural order of their addresses and
    /// names, in `flows` too, and adds the map to `out`.
    pub(crate) fn settle<'f>(
        self,
        flows: impl IntoIterator<Item = &'f mut Flow>,
        out: &mut Imported,
    ) {
        if !self.assigns {
            return;
        }
        let address: Vec<Option<IpAddr>> =
            self.order.iter().map(|name| name.parse().ok()).collect();
        let mut sorted: Vec<usize> = (0..self.order.len()).collect();
        sorted.sort_by(|one, two| match (address[*one], address[*two]) {
            (Some(one), Some(two)) => one.cmp(&two),
            (None, None) => natural::order(&self.order[*one], &self.order[*two]),
            (one, two) => two.is_some().cmp(&one.is_some()),
        });
        let mut numbers = vec![0; sorted.len()];
        let mut text = String::from("address,host\n");
        for (host, at) in (0..).zip(&sorted) {
            numbers[*at] = host;
            text.push_str(&format!("{},h{host}\n", self.order[*at]));
        }
        for flow in flows {
            flow.src = numbers[flow.src as usize];
            flow.dst = numbers[flow.dst as usize];
        }
        let called =
            |(host, at): (usize, &usize)| format!("{} is h{host}", shown_name(&self.order[*at]));
        let all: Vec<String> = match sorted.len() {
            0 => return out.files.push((OutputKind::Hosts, text)),
            many @ ..=FEW => sorted.iter().enumerate().take(many).map(called).collect(),
            many => {
                let first = sorted.iter().enumerate().take(FEW - 1).map(called);
                let last = format!("…, {}", called((many - 1, &sorted[many - 1])));
                first.chain(std::iter::once(last)).collect()
            }
        };
        out.note(format!(
            "Hosts are numbered in the natural order of their addresses and names, all of which {} \
             lists: {}",
            OutputKind::Hosts.ending(),
            all.join(", ")
        ));
        out.files.push((OutputKind::Hosts, text));
    }
}

/// Most hosts that the report names.
const FEW: usize = 4;

/// Cuts a long name for the report.
fn shown_name(name: &str) -> String {
    match name.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_string(),
    }
}

/// Converts an address to its IPv6 form.
fn number(ip: IpAddr) -> u128 {
    match ip {
        IpAddr::V4(ip) => u128::from(ip.to_ipv6_mapped()),
        IpAddr::V6(ip) => u128::from(ip),
    }
}

fn masked(number: u128, bits: u32) -> u128 {
    match bits {
        0 => 0,
        bits => number >> (128 - bits) << (128 - bits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_found_before_a_prefix_and_a_long_prefix_before_a_short_one() {
        let map =
            b"# ours\naddress,host\n10.0.0.0/8,h1\n10.1.0.0/16,2\n10.1.0.9,h3\nfd00::/64,h4\n";
        let mut hosts = Hosts::read("m.csv", map).unwrap();
        let mut of = |ip: &str| hosts.of(ip.parse().unwrap());
        assert_eq!(of("10.9.0.1"), Some(1));
        assert_eq!(of("10.1.0.1"), Some(2));
        assert_eq!(of("10.1.0.9"), Some(3));
        assert_eq!(of("::ffff:10.1.0.9"), Some(3));
        assert_eq!(of("fd00::7"), Some(4));
        assert_eq!(of("192.0.2.1"), None);
        assert_eq!(of("::1"), None);
    }

    #[test]
    fn a_wrong_map_is_refused_at_its_line() {
        let said = |text: &str| Hosts::read("m.csv", text.as_bytes()).unwrap_err();
        assert_eq!(
            said("ip,h\n"),
            "m.csv:1: expected the header \"address,host\", got \"ip,h\""
        );
        let row = |row: &str| said(&format!("address,host\n{row}\n"));
        assert_eq!(
            row("10.0.0.1,host"),
            "m.csv:2: expected a host like h0, got \"10.0.0.1,host\""
        );
        assert!(row("10.0.0,h1").starts_with("m.csv:2: expected an address like"));
        assert!(row("10.0.0.0/33,h1").starts_with("m.csv:2: expected a prefix like"));
        assert!(row("10.0.0.1,h1\n10.0.0.1,h2").starts_with("m.csv:3: expected each address once"));
    }
}
