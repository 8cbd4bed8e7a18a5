//! End of a run: joins the counts of every link, switch, host and end of a flow.

use super::World;
use super::connections::Connections;
use crate::agenda::Agenda;
use crate::counts::Totals;
use crate::layout::LinkEnds;
use crate::network::End;
use crate::outcome::{FlowOutcome, Outcome, PortOutcome};
use crate::pfc::Deadlock;
use crate::plan::TrafficPlan;
use crate::watch::Watched;
use sidestep_types::{BitRate, Time};

impl<A: Agenda> World<A> {
    /// Ends the run at the present and returns its outcome.
    pub fn finish(self) -> Outcome {
        self.finish_watched().0
    }

    /// Ends the run as [`World::finish`] does, and also returns what was watched.
    pub fn finish_watched(mut self) -> (Outcome, Watched) {
        for f in 0..self.plan.flows.len() {
            self.close_sender(f);
            self.close_receiver(f);
        }
        // They are no longer needed, and the outcome below needs memory for every flow.
        self.senders = Vec::new();
        self.receivers = Vec::new();
        self.connections = Connections::new(&TrafficPlan::default());
        let end = self.now();
        let ports = self.port_outcomes(end);
        let deadlocks = self.deadlocks();
        let shims = self.shim_counters();
        let packet_hops = self.packet_hops();
        if !self.shimmed {
            self.tally.nothing_between();
        }
        let nics: Vec<_> = (0..self.hosts.len() as u32)
            .map(|host| self.nic_counts(host))
            .collect();
        let tallied = self.tally.finish();
        let mut flows = self.flows;
        for (flow, losses) in &tallied.losses {
            flows[flow.0 as usize].lost(*losses);
        }
        let sum = |count: fn(&FlowOutcome) -> u32| -> u64 {
            flows.iter().map(|f| u64::from(count(f))).sum()
        };
        let mut totals = Totals {
            packet_hops,
            events: tallied.events,
            sent: self.hosts.iter().map(|h| h.sent).sum(),
            delivered: tallied.delivered,
            in_flight: u64::from(self.fabric.pool.live()),
            detoured: tallied.detoured,
            timeouts: sum(|f| f.timeouts),
            retransmits: sum(|f| f.retransmits),
            spurious_retransmits: sum(|f| f.spurious_retransmits),
            spurious_timeouts: sum(|f| f.spurious_timeouts),
            fast_retransmits: sum(|f| f.fast_retransmits),
            dsacks: sum(|f| f.dsacks),
            undone: sum(|f| f.undone),
            pauses: self.fabric.pauses(),
            ..Totals::default()
        };
        nics.iter().for_each(|nic| totals.decided_by_host(nic));
        let subflows = self.multipath.finish();
        totals.reinjections = subflows.iter().map(|s| u64::from(s.reinjections)).sum();
        (self.switches.iter()).for_each(|switch| totals.decided(&switch.total()));
        totals.shimmed(&shims);
        let (traces, watched) = self.observers.tracer.finish();
        let outcome = Outcome {
            ports,
            flows,
            classes: tallied.classes,
            subflows,
            totals,
            deadlocks,
            end,
            trajectory_hash: self.fabric.hash,
            traces,
        };
        (outcome, watched)
    }

    fn port_outcomes(&self, end: Time) -> Vec<PortOutcome> {
        let mut ports: Vec<(usize, PortOutcome)> = (self.ends.iter().enumerate())
            .map(|(link, ends)| (ends.place, self.port_outcome(link as u32, ends, end)))
            .collect();
        ports.sort_unstable_by_key(|p| p.0);
        ports.into_iter().map(|p| p.1).collect()
    }

    fn port_outcome(&self, link: u32, ends: &LinkEnds, end: Time) -> PortOutcome {
        let l = &self.fabric.links[link];
        let counts = match ends.from {
            End::Switch(s) => *self.switches[s.0].counts(ends.port),
            End::Host(h) => self.nic_counts(h.0),
        };
        let (pauses, paused) = self.fabric.paused(link, end);
        let peak = l.line.peak();
        PortOutcome {
            from: ends.from,
            port: ends.port,
            to: ends.to,
            rate: self.rate_as_laid(link, ends.place),
            packets: l.packets,
            wire_bytes: l.wire_bytes,
            counts,
            peak_packets: peak.packets,
            peak_bytes: peak.bytes,
            pauses,
            paused,
            input_peak_bytes: self.fabric.input_peak(link),
        }
    }

    /// Returns the rate of `link` in the network, before any change.
    fn rate_as_laid(&self, link: u32, place: usize) -> BitRate {
        let changes = self.changes.as_ref();
        changes.map_or_else(
            || self.fabric.wire(link).rate,
            |changes| changes.rate(place / 2),
        )
    }

    fn deadlocks(&self) -> Vec<Deadlock> {
        let place = |link: &u32| self.ends[*link as usize].place as u32;
        let found = self.fabric.deadlocks().into_iter();
        let told = |(at, cycle): (Time, Vec<u32>)| Deadlock {
            at,
            ports: cycle.iter().map(place).collect(),
        };
        found.map(told).collect()
    }
}
