//! A [`Setup`] as the text of a config, which reads back as the same.

use super::process::NONE;
use super::{Forwarding, NO_VLAN, PortSetup, Setup, bridge, shims};
use sidestep_config::value::quoted;
use sidestep_types::{PortId, Words};
use std::fmt::{Display, Write};

impl Setup {
    /// The config that says this, with every value written out.
    pub fn to_toml(&self) -> String {
        let mut out = Text(String::new());
        out.pair("name", &self.name);
        out.plain("seed", self.seed);
        self.write_switch(&mut out);
        self.write_process(&mut out);
        for port in &self.ports {
            write_port(port, self.forwarding == Forwarding::Learning, &mut out);
        }
        for station in &self.stations {
            out.head("[[station]]");
            out.pair("mac", station.mac);
            out.list("addresses", &station.addresses);
            out.list("ports", self.names(&station.ports));
            write_vlan(station.vlan, &mut out);
        }
        if let Some(router) = &self.router {
            out.head("[router]");
            out.pair("mac", router.mac);
            out.list("addresses", &router.addresses);
            if let Some(icmp) = &router.icmp {
                out.pair("icmp", icmp.word());
                out.pair("icmp_rate", icmp.rate_word());
            }
        }
        for network in &self.networks {
            out.head("[[network]]");
            let prefix = format!("{}/{}", network.prefix, network.length);
            out.pair("prefix", prefix);
            out.list("ports", self.names(&network.ports));
            out.pair("next_hop", network.next_hop);
            write_vlan(network.vlan, &mut out);
        }
        out.0
    }

    fn names<'a>(&'a self, ports: &'a [PortId]) -> impl Iterator<Item = &'a String> {
        ports.iter().map(|port| &self.ports[port.index()].name)
    }

    fn write_switch(&self, out: &mut Text) {
        out.head("[switch]");
        out.0.push_str(&self.decision.to_toml());
        out.pair("rank", self.rank.word());
        out.pair("rank_gap", self.rank_gap);
        if let Some(services) = &self.services {
            out.pair("dscp", services.word());
        }
        if let Some(tags) = &self.tags {
            let [carry, boost, boosting] = tags.words();
            out.pair(carry.0, carry.1);
            out.plain(boost.0, boost.1);
            out.pair(boosting.0, boosting.1);
        }
        out.pair("forwarding", self.forwarding.word());
        out.plain("mtu", self.mtu);
        if let Some(probe) = &self.probe {
            out.pair("loop_probe", probe.every);
            out.pair("loop_action", if probe.blocks { "block" } else { "report" });
        }
    }

    fn write_process(&self, out: &mut Text) {
        let process = &self.process;
        let path = |path: &Option<std::path::PathBuf>| match path {
            Some(path) => path.display().to_string(),
            None => NONE.to_string(),
        };
        out.head("[process]");
        out.pair("control", path(&process.control));
        let metrics = process.metrics.map_or(NONE.into(), |m| m.to_string());
        out.pair("metrics", metrics);
        out.pair("user", process.user.word());
        out.plain("seccomp", process.seccomp);
        out.plain("realtime", process.realtime);
        match process.busy {
            true => out.pair("wait", "busy"),
            false => {
                out.pair("wait", "sleep");
                out.pair("poll", process.poll);
            }
        }
        out.pair("capture", path(&process.capture));
        let only = if process.capture_drops_only {
            "drops"
        } else {
            "all"
        };
        out.pair("capture_only", only);
    }
}

fn write_port(port: &PortSetup, learning: bool, out: &mut Text) {
    out.head("[[port]]");
    out.pair("name", &port.name);
    out.pair("interface", &port.interface);
    out.pair("rate", port.rate);
    out.pair("delay", port.delay);
    let leads_to = if port.to_switch { "switch" } else { "host" };
    out.pair("leads_to", leads_to);
    out.plain("flood", port.flood);
    out.pair("io", if port.xdp { "xdp" } else { "packet" });
    let vlans = port.vlan.as_ref().map(|vlan| vlan.words());
    let bridge = bridge::words(port, learning);
    for (key, value) in bridge.into_iter().chain(vlans.into_iter().flatten()) {
        out.pair(key, value);
    }
    if !port.shims.is_empty() {
        out.0.push_str(&shims::to_toml(&port.shims));
    }
}

fn write_vlan(vlan: u16, out: &mut Text) {
    if vlan != NO_VLAN {
        out.plain("vlan", vlan);
    }
}

/// TOML in the making.
struct Text(String);

impl Text {
    fn head(&mut self, head: &str) {
        let _ = writeln!(self.0, "\n{head}");
    }

    fn plain(&mut self, key: &str, value: impl Display) {
        let _ = writeln!(self.0, "{key} = {value}");
    }

    fn pair(&mut self, key: &str, value: impl Display) {
        self.plain(key, quoted(&value.to_string()));
    }

    fn list<T: Display>(&mut self, key: &str, items: impl IntoIterator<Item = T>) {
        let items: Vec<String> = items.into_iter().map(|i| quoted(&i.to_string())).collect();
        self.plain(key, format_args!("[{}]", items.join(", ")));
    }
}
