//! `ports.parquet`: one row a directed link with the queue before it.

use super::{Point, end_name};
use crate::columns::{Col, Get, columns};
use sidestep_lab::{CountSource, CountSources};
use sidestep_sim::network::{End, Network};
use sidestep_sim::{PortCounts, PortOutcome};
use sidestep_switch::DropReason;
use sidestep_types::{Bytes, Time};

/// Directed link of a run.
pub struct PortRow<'a> {
    link: u64,
    scheme: &'a str,
    seed: u64,
    disturbed: bool,
    from: String,
    to: String,
    end: Time,
    port: &'a PortOutcome,
    told: &'a CountSources,
}

impl PortRow<'_> {
    fn utilisation(&self) -> Option<f64> {
        self.carried(0u64)?;
        if self.end == Time::ZERO || self.port.rate.as_bps() == 0 {
            return Some(0.0);
        }
        let busy = self.port.rate.time_to_send(Bytes(self.port.wire_bytes));
        Some(busy.as_us_f64() / self.end.as_us_f64())
    }
    /// Returns a count of packets on the link, measured by the host that sent them, or by a switch that counts.
    fn carried(&self, count: impl Into<u64>) -> Option<u64> {
        match self.port.from {
            End::Host(_) => Some(count.into()),
            End::Switch(_) => self.told.by(CountSource::Switches, count.into()),
        }
    }
    /// Returns a count of the queue. No real host reports that of its NIC.
    fn queued(&self, count: impl Into<u64>) -> Option<u64> {
        let teller = match self.port.from {
            End::Host(_) => CountSource::Simulator,
            End::Switch(_) => CountSource::Switches,
        };
        self.told.by(teller, count.into())
    }
    /// Returns a count that only the simulator can measure.
    fn simulated(&self, count: u64) -> Option<u64> {
        self.told.by(CountSource::Simulator, count)
    }
}

/// Lists the ports of `point`, in the order of the network's cables.
pub fn port_rows<'a>(point: Point<'a>, network: &Network) -> Vec<PortRow<'a>> {
    let rows = point
        .outcome
        .ports
        .iter()
        .enumerate()
        .map(|(i, port)| PortRow {
            link: i as u64,
            scheme: point.scheme,
            seed: point.seed,
            disturbed: point.disturbed,
            from: end_name(network, port.from),
            to: end_name(network, port.to),
            end: point.outcome.end,
            port,
            told: point.told,
        });
    rows.collect()
}

/// Returns the columns of `ports.parquet`. Counts are null if they were not measured.
pub fn port_columns<'a>() -> Vec<Col<PortRow<'a>>> {
    let mut all = columns! { r: PortRow<'a>;
        /// number of the directed link
        link: Int = r.link;
        /// name of the scheme
        scheme: Text = r.scheme;
        /// seed of the run
        seed: Int = r.seed;
        /// true if the machine disturbed the run (testbed only); such runs are in `marked` of `summary.json`
        disturbed: Flag = r.disturbed;
        /// node that the port belongs to
        from: Text = &r.from;
        /// number of the port at that node; 0 at a host
        port: Int = u64::from(r.port.port.0);
        /// node at the other end of the link
        to: Text = &r.to;
        /// true if the link leads to a host
        to_host: Flag = matches!(r.port.to, End::Host(_));
        /// rate of the link
        rate_bps: Int = r.port.rate.as_bps();
        /// packets delivered over the link
        packets: OptInt = r.carried(r.port.packets);
        /// bytes of link time that they took
        wire_bytes: OptInt = r.carried(r.port.wire_bytes);
        /// share of the run in which the link was busy
        utilisation: OptFloat = r.utilisation();
    };
    all.extend((0..PortCounts::ALL.len()).map(counted));
    all.extend(DropReason::ALL.map(dropped));
    all.extend(columns! { r: PortRow<'a>;
        /// longest queue, the packet on the wire included
        peak_packets: OptInt = r.queued(r.port.peak_packets);
        /// longest queue in bytes
        peak_bytes: OptInt = r.queued(r.port.peak_bytes);
        /// pauses that reached it
        pauses: OptInt = r.simulated(r.port.pauses);
        /// time for which it was paused, rounded down
        paused_ns: OptInt = r.simulated(r.port.paused.as_ns());
        /// with pfc or cioq: most bytes from this link that the switch at its end held
        input_peak_bytes: OptInt = r.simulated(r.port.input_peak_bytes);
    });
    all
}

/// Returns the column of count number `nth` of a port.
fn counted<'a>(nth: usize) -> Col<PortRow<'a>> {
    let count = &PortCounts::ALL[nth];
    Col {
        name: count.name.into(),
        doc: count.doc,
        get: Get::NthOptInt(nth, |r, nth| {
            r.queued((PortCounts::ALL[nth].of)(&r.port.counts))
        }),
    }
}

/// Returns the column of a drop reason.
fn dropped<'a>(reason: DropReason) -> Col<PortRow<'a>> {
    Col {
        name: reason.counted_as().into(),
        doc: reason.column_doc(),
        get: Get::NthOptInt(reason as usize, |r, nth| r.queued(r.port.counts.drops[nth])),
    }
}
