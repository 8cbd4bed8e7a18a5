//! Hosts around a switch, each in its own namespace, joined by veth pairs.

use super::namespace::Namespace;
use crate::io::offloads;

/// Namespace of a switch with interfaces `p0`, `p1`, …; host `i` has the other end of `p(i)`, as `eth0` with
/// address 10.9.0.(i+1), fd09::(i+1) and MAC 02:09:00:00:00:(i+1).
#[derive(Debug)]
pub struct Wiring {
    /// Namespace of the switch.
    pub switch: Namespace,
    /// Namespaces of the hosts.
    pub hosts: Vec<Namespace>,
}

impl Wiring {
    /// Creates namespaces and cables for `hosts` hosts, up to 200. An error says what is not allowed here.
    pub fn new(hosts: usize) -> Result<Wiring, String> {
        let switch = Namespace::new()?;
        quiet(&switch)?;
        let mut wiring = Wiring {
            switch,
            hosts: Vec::new(),
        };
        for number in 0..hosts {
            wiring.hosts.push(Namespace::new()?);
            wiring.plug(number)?;
        }
        Ok(wiring)
    }

    /// Joins host `number` to `p(number)` by a new cable.
    pub fn plug(&self, number: usize) -> Result<(), String> {
        let (switch, host) = (&self.switch, &self.hosts[number]);
        quiet(host)?;
        let (mac, there) = (mac(number), host.path());
        switch.ip(&format!(
            "link add p{number} type veth peer name eth0 address {mac} netns {there}"
        ))?;
        let last = number + 1;
        let off = |what: &Namespace, name: &str| {
            (what.within(|| offloads::off(name))).map_err(|e| format!("offloads of {name}: {e}"))
        };
        off(switch, &format!("p{number}"))?;
        off(host, "eth0")?;
        host.ip("link set eth0 up")?;
        host.ip(&format!("addr add 10.9.0.{last}/24 dev eth0"))?;
        host.ip(&format!("addr add fd09::{last:x}/64 dev eth0 nodad"))?;
        switch.ip(&format!("link set p{number} up"))
    }

    /// Returns the frames that host `number` has received at its interface.
    pub fn received(&self, number: usize) -> Result<u64, String> {
        let count = self.hosts[number].within(|| count_of("eth0"));
        count.ok_or_else(|| format!("cannot read /proc/net/dev of host {number}"))
    }

    /// Returns the frames that came in by interface `p(number)` of the switch, whoever read them.
    pub fn arrived(&self, number: usize) -> Result<u64, String> {
        let count = self.switch.within(|| count_of(&format!("p{number}")));
        count.ok_or_else(|| format!("cannot read /proc/net/dev for p{number}"))
    }
}

/// Returns the MAC of host `number`.
pub fn mac(number: usize) -> String {
    format!("02:09:00:00:00:{:02x}", number + 1)
}

/// Milliseconds between two reports of the groups that a host is in: eleven days.
const NEVER_MS: &str = "1000000000";

/// Keeps the kernel from sending IPv6 on its own on interfaces created later, except for one report of its
/// groups when the link comes up, which it would otherwise repeat within a second: hardly any unsolicited
/// frames remain.
fn quiet(space: &Namespace) -> Result<(), String> {
    let write = |key: &str, value: &str| {
        let path = format!("/proc/sys/net/ipv6/conf/default/{key}");
        std::fs::write(&path, value).map_err(|e| format!("cannot write {path}: {e}"))
    };
    space.within(|| {
        write("router_solicitations", "0")?;
        write("mldv1_unsolicited_report_interval", NEVER_MS)?;
        write("mldv2_unsolicited_report_interval", NEVER_MS)?;
        write("addr_gen_mode", "1")
    })
}

/// Returns the frames received by an interface of this thread's namespace: `/proc/net/dev`, third column.
fn count_of(interface: &str) -> Option<u64> {
    let table = std::fs::read_to_string("/proc/thread-self/net/dev").ok()?;
    let line = table.lines().find_map(|l| {
        let (name, numbers) = l.split_once(':')?;
        (name.trim() == interface).then_some(numbers)
    })?;
    line.split_whitespace().nth(1)?.parse().ok()
}
