//! Saved state of a run, and a run that continues from it.
//!
//! **Decision**     state that changes during a run is saved; state given by its network, plan and settings is
//!                  built again, and joined with the saved state.
//! **State**        the list below, used for both writing and reading.
//! **Units**        those of each type, which derives how it is saved.
//! **Errors**       state that cannot be saved, before anything is written; a mismatch with the run built, when
//!                  it is read.

use super::World;
use crate::agenda::Agenda;
use crate::fabric::{Fabric, Pending};
use crate::host::{Host, ReceivingEnd, SendingEnd};
use crate::indexed::Table;
use crate::observers::Observers;
use crate::outcome::FlowOutcome;
use crate::switching::Switch;
use crate::tally::Tally;
use serde::{Deserialize, Serialize};
use sidestep_types::{FlowId, HostId, Time};

/// Defines both views of the state of a [`World`]: one to write, one that was read.
macro_rules! state {
    ($($field:ident: $type:ty,)*) => {
        #[derive(Serialize)]
        #[serde(bound = "")]
        struct View<'a, A: Agenda> {
            $($field: &'a $type,)*
            changed: Option<super::changes::Saved>,
            pending: Vec<Pending>,
        }

        /// Saved state of a run: [`World::go_on`] makes a run of it.
        #[derive(Deserialize)]
        #[serde(bound(deserialize = "A: Agenda"))]
        pub struct Saved<A: Agenda> {
            $($field: $type,)*
            changed: Option<super::changes::Saved>,
            pending: Vec<Pending>,
        }

        impl<A: Agenda> World<A> {
            fn view(&self) -> View<'_, A> {
                View {
                    $($field: &self.$field,)*
                    changed: self.changes.as_ref().map(|changes| changes.saved()),
                    pending: self.fabric.pending(),
                }
            }

            /// Swaps the saved state into the world; `saved` then holds the state that was built.
            fn swap(&mut self, saved: &mut Saved<A>) {
                $(std::mem::swap(&mut self.$field, &mut saved.$field);)*
            }
        }
    };
}

state! {
    fabric: Fabric<A>,
    switches: Table<Switch>,
    hosts: Table<Host>,
    senders: Vec<Option<Box<SendingEnd>>>,
    receivers: Vec<Option<Box<ReceivingEnd>>>,
    followers: Vec<(FlowId, FlowId, Time)>,
    connections: super::Connections,
    multipath: super::Multipath,
    flows: Vec<FlowOutcome>,
    tally: Tally,
    unfinished: u64,
    end: Time,
    served: Time,
    observers: Observers,
}

impl<A: Agenda> World<A> {
    /// Returns the state of the run between two calls of [`World::run_until`], to be written.
    ///
    /// Returns an error that names what cannot be saved: the caller's policies, transports and shims, a
    /// recording, an account of a packet.
    pub fn state(&self) -> Result<impl Serialize, String> {
        match self.cannot_be_kept() {
            None => Ok(self.view()),
            Some(why) => Err(why),
        }
    }

    /// Returns the reason why the state of this run cannot be saved, if it cannot.
    pub fn cannot_be_kept(&self) -> Option<String> {
        let custom = (self.switches.iter().enumerate()).find_map(|(s, switch)| {
            let what = switch.custom()?;
            Some(format!("the {what} policy of switch {s} is a custom one"))
        });
        let sched = self.fabric.custom_sched();
        let sched = sched.map(|link| format!("the scheduler of link {link} is a custom one"));
        let shims = self.hosts.iter().any(Host::has_custom_shim);
        let shims = shims.then(|| "a shim of its hosts is a custom one".to_string());
        let machines = self.custom_ends.is_some();
        let machines = machines.then(|| "its transport is a custom one".to_string());
        let looked = self.observers.cannot_be_kept().map(str::to_string);
        custom.or(sched).or(shims).or(machines).or(looked)
    }

    /// Continues this run, which has not begun, from `saved`, a state of the same run. Returns an error that
    /// names a mismatch.
    pub fn go_on(mut self, mut saved: Saved<A>) -> Result<World<A>, String> {
        assert!(self.tally.is_fresh(), "a run goes on from its start");
        let differs = |what: &str, expected: usize, got: usize| match expected == got {
            true => Ok(()),
            false => Err(format!("{what}: expected {expected}, got {got}")),
        };
        let flows = self.plan.flows.len();
        differs("switches", self.switches.len(), saved.switches.len())?;
        differs("hosts", self.hosts.len(), saved.hosts.len())?;
        differs("flows", flows, saved.flows.len())?;
        differs("senders", flows, saved.senders.len())?;
        differs("receivers", flows, saved.receivers.len())?;
        self.swap(&mut saved);
        let built = saved;
        let pending = &built.pending;
        self.fabric
            .restore_constants(built.fabric, pending, flows)?;
        self.observers
            .tracer
            .restore_constants(built.observers.tracer)?;
        for (kept, built) in self.switches.iter_mut().zip(built.switches.into_items()) {
            kept.restore_constants(built)?;
        }
        let hosts = self.hosts.iter_mut().zip(built.hosts.into_items());
        for (number, (kept, built)) in hosts.enumerate() {
            kept.restore_constants(built)
                .map_err(|why| format!("host {number}: {why}"))?;
        }
        self.check_ends()?;
        match (&self.changes, built.changed) {
            (None, None) => {}
            (Some(_), Some(changed)) => self.follow_again(changed)?,
            _ => return Err("saved changes do not match the scenario".into()),
        }
        Ok(self)
    }

    /// Checks that the hosts of all ends of flows exist.
    fn check_ends(&self) -> Result<(), String> {
        let there = |host: HostId| (host.0 as usize) < self.hosts.len();
        let sending = self
            .senders
            .iter()
            .flatten()
            .all(|end| there(end.src) && there(end.dst));
        let receiving = self
            .receivers
            .iter()
            .flatten()
            .all(|end| there(end.src) && there(end.dst));
        match sending && receiving && self.connections.are_at(there) {
            true => Ok(()),
            false => Err("a flow ends at a host that does not exist".into()),
        }
    }
}
