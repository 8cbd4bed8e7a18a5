//! Checks that every topology shares: can the network be run?
//!
//! **Decision**     every host has one cable, to a switch; no switch is cabled to itself or has
//!                  more ports than [`MAX_PORTS`]; every cable has a rate above 0; everything is
//!                  connected.
//! **Errors**       what, expected, got; the first one found.

use crate::network::{Cable, End, Network};
use sidestep_types::{PortSet, Time};

/// Most ports of a switch: the capacity of a set of ports.
pub const MAX_PORTS: u32 = PortSet::CAPACITY as u32;

/// Most hosts of a network. Assumed: enough for any fabric in use, and it fits in memory. A fuzzer makes
/// thousands of networks a second.
pub const MAX_HOSTS: u32 = if cfg!(fuzzing) { 1 << 6 } else { 1 << 20 };

/// Longest delay of a cable. Assumed: far beyond any real one, and far from the end of time.
pub const MAX_DELAY: Time = Time::from_s(1000);

impl Network {
    /// Checks that the network can be run. Errors say what, expected, got.
    pub fn validate(&self) -> Result<(), String> {
        if self.hosts == 0 {
            return Err("expected at least one host, got none".into());
        }
        if self.hosts > MAX_HOSTS {
            return Err(format!(
                "expected at most {MAX_HOSTS} hosts, got {}",
                self.hosts
            ));
        }
        let mut ports = vec![0u32; self.nodes()];
        for cable in &self.cables {
            self.check_cable(cable)?;
            ports[self.node(cable.a)] += 1;
            ports[self.node(cable.b)] += 1;
        }
        let (hosts, switches) = ports.split_at(self.hosts as usize);
        if let Some(host) = hosts.iter().position(|n| *n != 1) {
            let got = hosts[host];
            return Err(format!(
                "host {host}: expected exactly one cable, got {got}"
            ));
        }
        if let Some(switch) = switches.iter().position(|n| *n > MAX_PORTS) {
            let (name, got) = (&self.switches[switch].name, switches[switch]);
            return Err(format!(
                "switch {name:?}: expected at most {MAX_PORTS} ports, got {got}"
            ));
        }
        self.check_connected()
    }

    fn check_cable(&self, cable: &Cable) -> Result<(), String> {
        let Cable { a, b, rate, delay } = *cable;
        let fail = |expected: &str, got: String| {
            let (a, b) = (self.name(a), self.name(b));
            Err(format!("cable {a} to {b}: expected {expected}, got {got}"))
        };
        if let Some(end) = [a, b].into_iter().find(|end| !self.has(*end)) {
            return fail("hosts and switches of this network", self.name(end));
        }
        match (a, b) {
            (End::Host(_), End::Host(_)) => return fail("a switch at one end", "two hosts".into()),
            (End::Switch(s), End::Switch(t)) if s == t => {
                return fail("two different ends", "the same switch twice".into());
            }
            _ => {}
        }
        if rate.as_bps() == 0 {
            return fail("a rate above 0", rate.to_string());
        }
        if delay > MAX_DELAY {
            return fail(
                &format!("a delay of at most {MAX_DELAY}"),
                delay.to_string(),
            );
        }
        Ok(())
    }

    fn check_connected(&self) -> Result<(), String> {
        // Union-find over hosts and switches.
        let mut parent: Vec<usize> = (0..self.nodes()).collect();
        for cable in &self.cables {
            let a = root(&mut parent, self.node(cable.a));
            let b = root(&mut parent, self.node(cable.b));
            parent[a] = b;
        }
        let first = root(&mut parent, 0);
        for node in 0..self.nodes() {
            if root(&mut parent, node) != first {
                let lost = match node.checked_sub(self.hosts as usize) {
                    Some(switch) => format!("switch {:?}", self.switches[switch].name),
                    None => format!("host {node}"),
                };
                return Err(format!(
                    "expected a connected network, got no path from host 0 to {lost}"
                ));
            }
        }
        Ok(())
    }

    /// Returns the number of hosts and switches.
    fn nodes(&self) -> usize {
        self.hosts as usize + self.switches.len()
    }

    /// Numbers hosts, then switches.
    fn node(&self, end: End) -> usize {
        match end {
            End::Host(h) => h.0 as usize,
            End::Switch(s) => self.hosts as usize + s.0 as usize,
        }
    }

    fn has(&self, end: End) -> bool {
        match end {
            End::Host(h) => h.0 < self.hosts,
            End::Switch(s) => (s.0 as usize) < self.switches.len(),
        }
    }

    fn name(&self, end: End) -> String {
        match end {
            End::Host(h) => format!("host {}", h.0),
            End::Switch(s) => match self.switches.get(s.0 as usize) {
                Some(switch) => format!("switch {:?}", switch.name),
                None => format!("switch {}", s.0),
            },
        }
    }
}

/// Returns the representative of `node`, and halves its path.
fn root(parent: &mut [usize], mut node: usize) -> usize {
    while parent[node] != node {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    node
}
