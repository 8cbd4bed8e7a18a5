//! What flows that begin together for one host make of a run.
//!
//! **Decision**     their first windows come to the port of that host; what arrives beyond what it holds, and beyond
//!                  what leaves while they begin, has no room. Dropped, it is sent again; detoured, it goes around
//!                  until there is: as often as a port's worth of packets is ahead of it, which takes a hop there,
//!                  a hop back, and every second time one more, since the ports around it are full as well.
//! **Units**        packet-hops for each data packet of the workload.
//! **Source**       measured on `legacy-core`, 20 to 127 answers of 10 to 160 kB, ports of 40 to 200 packets: detours a
//!                  packet are 0.3 to 1.3 times the ports' worth, hops a detour 2.2 to 2.9, and of packets 0.1
//!                  to 0.37 were sent again.
//! **Deviations**   one burst at a time; a mean of short flows; schemes in which some switches detour count as if
//!                  all did.

use crate::scheme::SchemeConfig;
use sidestep_sim::SwitchConfig;
use sidestep_sim::workload::Load;
use sidestep_switch::Capacity;
use sidestep_types::{HEADER_BYTES, Size};

/// A detour and the way back, where neighbours detour as well.
const HOPS_A_DETOUR: f64 = 2.5;

/// At most so many of the packets of a burst without end are sent again.
const AGAIN: f64 = 0.4;

/// Hops beyond the shortest way there and back, of `ways` links, for each data packet of workload number `class`, with this load. A host's
/// link carries `drained` packets a second.
pub(super) fn beyond(
    load: &Load,
    config: &SchemeConfig,
    class: u8,
    drained: f64,
    ways: f64,
) -> f64 {
    if load.together == 0 || load.flows_per_s == 0.0 {
        return 0.0;
    }
    let each = load.packets_per_s / load.flows_per_s;
    let window = (config.transport_of(class).initial_window())
        .map_or(f64::INFINITY, |segments| segments as f64);
    let come = load.together as f64 * each.min(window);
    let held = held(&config.switch, config);
    let over = come - held - load.apart.as_s_f64() * drained;
    if over <= 0.0 || config.switch.pfc.is_some() {
        return 0.0;
    }
    let detours = |switch: &SwitchConfig| switch.buffer.nature().detours;
    match detours(&config.switch) || config.others.kinds.iter().any(detours) {
        true => (HOPS_A_DETOUR * over / held).min(f64::from(config.ttl)),
        false => ways * AGAIN * over / (over + held),
    }
}

/// Full packets that a port holds, one at least.
fn held(switch: &SwitchConfig, config: &SchemeConfig) -> f64 {
    let framing = config.framing;
    let full = framing.wire(config.transport.mss() + HEADER_BYTES) - framing.unbuffered();
    let packets = match switch.capacity {
        Capacity::Unlimited => f64::INFINITY,
        Capacity::PerPort(Size::Packets(n)) => n as f64,
        Capacity::PerPort(Size::Bytes(bytes)) => bytes.0 as f64 / f64::from(full),
        Capacity::Shared { memory, alpha } => {
            let alpha = alpha.0 as f64 / alpha.1 as f64;
            memory.0 as f64 * alpha / (1.0 + alpha) / f64::from(full)
        }
    };
    packets.max(1.0)
}
