//! Steps of an account, as sentences with their numbers.

mod account;
mod arrived;
mod decided;
mod passage;
mod sent;

use super::packet_text::{Cables, Numbers, carries};
use crate::trace::packet_id;
use account::Account;
use serde_json::Value;
use sidestep_lab::caller::CallerPolicies;
use sidestep_lab::{Run, Scenario};
use sidestep_sim::network::End;
use sidestep_sim::why::{AccountEvent, AccountStep};
use sidestep_switch::DropReason;
use sidestep_types::{Packet, PortId, Time};

/// Name in the registry for a policy that is not in it.
const CUSTOM: &str = "custom";

/// Context of an account.
pub(super) struct AccountContext<'a> {
    scenario: &'a Scenario,
    run: &'a Run,
    cables: Cables<'a>,
    shims: Vec<&'a str>,
    /// Sequence numbers of each class of the plan.
    numbers: Vec<Numbers>,
    /// Policies of the caller's code in the switches: kind and name.
    own: Vec<(&'static str, &'a str)>,
}

/// Port at which a packet is queued.
#[derive(Clone, Copy)]
struct Leaves {
    at: Time,
    from: End,
    port: PortId,
    wire: u16,
    paused: Time,
}

impl<'a> AccountContext<'a> {
    /// Creates the context for a run of scheme number `scheme`.
    pub fn of(scenario: &'a Scenario, scheme: usize, run: &'a Run) -> AccountContext<'a> {
        let scheme = &scenario.schemes[scheme];
        let config = &scheme.config;
        AccountContext {
            scenario,
            run,
            cables: Cables::new(&scenario.network, &config.changes),
            shims: config.shims.iter().map(|shim| shim.name()).collect(),
            numbers: Numbers::of_classes(config, &run.plan),
            own: scheme.own.iter().flat_map(CallerPolicies::names).collect(),
        }
    }

    /// Returns the name of the policy of kind `seam`; one of the caller's code has no name in the registry.
    fn called<'b>(&'b self, seam: &str, name: &'b str) -> &'b str {
        let own = self.own.iter().find(|own| own.0 == seam);
        own.filter(|_| name == CUSTOM).map_or(name, |own| own.1)
    }

    /// Builds the whole account of packet `number`. `earlier` describes the last packet with the same bytes.
    pub fn tell(&self, number: u64, steps: &[AccountStep], earlier: Option<&str>) -> Value {
        Account::new(self, number, steps).tell(earlier)
    }

    fn name(&self, end: End) -> String {
        end.name(&self.scenario.network)
    }

    fn port(&self, here: End, port: PortId) -> String {
        match here {
            End::Host(_) => "its NIC".into(),
            End::Switch(_) => format!("port {} to {}", port.0, self.cables.leads_to(here, port)),
        }
    }

    fn headline(&self, number: u64, packet: &Packet) -> String {
        let flow = &self.run.plan.flows[packet.flow.0 as usize];
        let class = &self.run.plan.classes[usize::from(flow.class)];
        format!(
            "packet {} of flow {} ({class}): host {} to host {}, {}",
            packet_id(number),
            packet.flow.0,
            number >> 32,
            packet.dst.0,
            self.carries(packet)
        )
    }

    /// Returns the interpretation of sequence numbers in the packet's flow.
    fn numbers(&self, packet: &Packet) -> Numbers {
        self.numbers[usize::from(packet.class)]
    }

    fn carries(&self, packet: &Packet) -> String {
        carries(packet, self.size(packet), self.numbers(packet))
    }

    /// Returns the size of the packet's flow.
    fn size(&self, packet: &Packet) -> u64 {
        self.run.plan.flows[packet.flow.0 as usize].size
    }

    /// Describes the end of the packet, and the time until then.
    fn fate(&self, steps: &[AccountStep]) -> String {
        let t0 = steps[0].at;
        let last = steps.last().expect("it was sent");
        let span = last.at.saturating_sub(t0);
        let dropped = |reason: DropReason| format!("dropped ({}) after {span}", reason.name());
        let otherwise = || "still on its way when the run ended".to_string();
        match &last.what {
            AccountEvent::Arrived { .. }
            | AccountEvent::Handed { .. }
            | AccountEvent::Withheld { .. } => {
                let arrived = steps
                    .iter()
                    .find(|step| matches!(step.what, AccountEvent::Arrived { .. }));
                let span = arrived.map_or(span, |step| step.at.saturating_sub(t0));
                match &last.what {
                    AccountEvent::Withheld { shim, .. } => {
                        format!("at its host after {span}, where its shim {shim} dropped it")
                    }
                    _ => format!("delivered after {span}"),
                }
            }
            AccountEvent::Lost { .. } => dropped(DropReason::LinkDown),
            AccountEvent::Nic(judged) => judged.event.dropped().map_or_else(otherwise, dropped),
            AccountEvent::Decided(decided) => decided
                .judged
                .event
                .dropped()
                .map_or_else(otherwise, dropped),
            AccountEvent::Evicted(gone) => gone.event.dropped().map_or_else(otherwise, dropped),
            AccountEvent::Sent(_) => otherwise(),
        }
    }
}
