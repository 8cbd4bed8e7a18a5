//! The state of a run, to be kept, and a run that goes on from it.
//!
//! **Decision**     what changes while a run goes on is kept; what its network, plan and settings say is built again,
//!                  and given to what was kept.
//! **State**        the list below, once for writing and for reading.
//! **Units**        whatever a type's own are: each says by derive how it is kept.
//! **Errors**       what cannot be kept, before anything is; what does not fit the run that is built, when it is read.

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

/// Writes both views of the state of a [`World`]: the one that is written, and the one that was read.
macro_rules! state {
    ($($field:ident: $type:ty,)*) => {
        #[derive(Serialize)]
        #[serde(bound = "")]
        struct View<'a, A: Agenda> {
            $($field: &'a $type,)*
            changed: Option<super::changes::Saved>,
            pending: Vec<Pending>,
        }

        /// The state of a run, as it was kept: [`World::go_on`] makes a run of it.
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

            /// What was kept takes the place of what was built, which is in `saved` then.
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
    /// The state of the run between two calls of [`World::run_until`], to be written.
    ///
    /// Says what of it cannot be kept: policies, transports and shims of the caller's, a recording, an account of a
    /// packet.
    pub fn state(&self) -> Result<impl Serialize, String> {
        match self.cannot_be_kept() {
            None => Ok(self.view()),
            Some(why) => Err(why),
        }
    }

    /// Why the state of this run cannot be kept, if it cannot.
    pub fn cannot_be_kept(&self) -> Option<String> {
        let custom = (self.switches.iter().enumerate()).find_map(|(s, switch)| {
            let what = switch.custom()?;
            Some(format!("the {what} policy of switch {s} is a custom one"))
        });
        let sched = self.fabric.custom_sched();
        let sched = sched.map(|link| format!("the scheduler of link {link} is a custom one"));
        let shims = self.hosts.iter().any(Host::has_custom_shim);
        let shims = shims.then(|| "a shim of its hosts is a custom one".to_string());
        let machines = self.machines.is_some();
        let machines = machines.then(|| "its transport is a custom one".to_string());
        let looked = self.observers.cannot_be_kept().map(str::to_string);
        custom.or(sched).or(shims).or(machines).or(looked)
    }

    /// This run, which has not begun, goes on from `saved`, the state of the same run. Says what does not fit it.
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
        self.fabric.go_on_as(built.fabric, pending, flows)?;
        self.observers.tracer.go_on_as(built.observers.tracer)?;
        for (kept, built) in self.switches.iter_mut().zip(built.switches.into_items()) {
            kept.stand_as(built)?;
        }
        let hosts = self.hosts.iter_mut().zip(built.hosts.into_items());
        for (number, (kept, built)) in hosts.enumerate() {
            kept.stand_as(built)
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

    /// The ends of flows are at hosts that there are.
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
