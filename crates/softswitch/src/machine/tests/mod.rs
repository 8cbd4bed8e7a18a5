//! Tests of the switch with single frames, and laws for every policy.

mod bridge;
mod changes;
mod dialogue;
mod icmp;
mod laws;
mod probes;
mod reloads;
mod services;
mod shims;
mod tags;
mod victims;
mod vlans;

use super::{Departure, FrameAction, FrameEvent, Machine};
use crate::frame::sample::Sample;
use crate::setup::{PortVlan, Setup};
use sidestep_types::{PortId, Time};
use std::sync::{Arc, Mutex};

/// Returns a config with hosts 1 to 3 at ports 0 to 2, and switches at ports 3 and 4; host 4 is behind both.
pub(super) fn config(switch: &str, rate: &str) -> Setup {
    let mut text = format!("name = \"s\"\n[switch]\n{switch}\n");
    for port in 0..5 {
        let leads_to = if port < 3 { "host" } else { "switch" };
        text += &format!(
            "[[port]]\ninterface = \"p{port}\"\nrate = \"{rate}\"\nleads_to = \"{leads_to}\"\n"
        );
    }
    for (host, ports) in [
        (1, "\"p0\""),
        (2, "\"p1\""),
        (3, "\"p2\""),
        (4, "\"p3\", \"p4\""),
    ] {
        text += &format!(
            "[[station]]\nmac = \"02:00:00:00:00:0{host}\"\naddresses = [\"10.77.0.{host}\", \"fd77::{host}\"]\nports = [{ports}]\n"
        );
    }
    Setup::read("s.toml", &text).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"))
}

/// Returns [`config`] with VLANs: hosts have VLAN 10, 20 and 10, port 3 is a trunk of 10, 20 and 30, which has
/// no tag, and port 4 one of 10 and 20. There are no stations.
pub(super) fn in_vlans(switch: &str) -> Setup {
    let trunk = |vlans: &[u16], native| PortVlan::Trunk {
        vlans: vlans.to_vec(),
        native,
    };
    let mut setup = config(switch, "1 Gbps");
    setup.stations.clear();
    let vlans = [
        PortVlan::Access(10),
        PortVlan::Access(20),
        PortVlan::Access(10),
        trunk(&[10, 20, 30], Some(30)),
        trunk(&[10, 20], None),
    ];
    for (port, vlan) in setup.ports.iter_mut().zip(vlans) {
        port.vlan = Some(vlan);
    }
    let text = setup.to_toml();
    assert_eq!(Setup::read("s.toml", &text).as_ref(), Ok(&setup), "{text}");
    setup
}

pub(super) fn switch(switch: &str) -> Machine {
    Machine::new(&config(switch, "1 Gbps")).unwrap()
}

/// Recorded events, with their ingress ports.
pub(super) type Log = Arc<Mutex<Vec<(Option<PortId>, FrameAction)>>>;

pub(super) fn watched(machine: &mut Machine) -> Log {
    let log = Log::default();
    let into = log.clone();
    machine.watch(Some(Box::new(move |event: &FrameEvent<'_>| {
        into.lock().unwrap().push((event.from, event.what));
    })));
    log
}

/// Returns all frames that leave by `now`: port, due time, bytes.
pub(super) fn leaving(machine: &mut Machine, now: Time) -> Vec<(u16, Time, Vec<u8>)> {
    let mut all = Vec::new();
    while let Some(Departure { port, due, handle }) = machine.poll_send(now) {
        all.push((port.0, due, machine.frame(handle).to_vec()));
        machine.release(handle);
    }
    all
}

/// Returns the bytes of `sample` after a switch that changes nothing but its TTL.
pub(super) fn older(sample: &Sample) -> Vec<u8> {
    let ttl = sample.ttl - 1;
    Sample {
        ttl,
        ..sample.clone()
    }
    .bytes()
}
