//! Counts of a whole run, and of a class of flows.
//!
//! A new count of a run is one line in the first list below: it becomes a field of [`Totals`], of a
//! record and of a summary. One of a class of flows is a line in the second: it becomes a field of
//! [`ClassOutcome`](crate::ClassOutcome), a field of a class of a summary, and rows of `counts.parquet`.
//! Counts of a port are [`sidestep_switch::ports::Counts`].

use sidestep_switch::DropReason;
use sidestep_switch::ports::Counts;
use sidestep_transport::shim::Counters;

/// Calls the macro `$then` with every count of a run: doc comment, name, and the only source that reports it, if
/// not all do (`by` a source defined by the lab, which the simulator does not use).
///
/// `work` counts activity, `signals` effects of congestion. Packets are data,
/// acknowledgements and handshakes alike.
///
/// ```
/// macro_rules! names {
///     (work { $($(#[$d:meta])* $work:ident $(by $t:ident)?;)* }
///      signals { $($(#[$e:meta])* $signal:ident $(by $u:ident)?;)* }) => {
///         ([$(stringify!($work)),*], [$(stringify!($signal)),*])
///     };
/// }
/// let (work, signals) = sidestep_sim::run_counts!(names);
/// assert!(work.contains(&"delivered") && signals.contains(&"trims"));
/// ```
#[macro_export]
macro_rules! run_counts {
    ($then:ident) => {
        $then! {
            work {
                /// Deliveries of one packet over one link.
                packet_hops by Switches;
                /// Events taken from the agenda.
                events by Simulator;
                /// Packets that hosts put on their NICs.
                sent;
                /// Packets that reached their host.
                delivered;
                /// Packets queued or on a wire when the run stopped.
                in_flight by Simulator;
                /// Detours.
                detours by Switches;
                /// Delivered packets that were detoured at least once.
                detoured by Simulator;
                /// Pauses that switches sent.
                pauses by Simulator;
            }
            signals {
                /// Packets marked.
                marks by Switches;
                /// Marked packets that the NIC of their host marked.
                host_marks by Simulator;
                /// Packets that the NIC of their host dropped, for any reason.
                host_drops by Simulator;
                /// Packets that lost their payload in a switch, or at a NIC.
                trims by Switches;
                /// Retransmission timeouts.
                timeouts by Timeouts;
                /// Data segments sent again.
                retransmits;
                /// Retransmitted segments that the network had not lost since they were last sent.
                spurious_retransmits by Simulator;
                /// Timeouts at which the network had not lost the oldest byte waited for.
                spurious_timeouts by Simulator;
                /// Recoveries begun by duplicate acknowledgements or by SACK.
                fast_retransmits by Simulator;
                /// Segments that arrived twice, as acknowledgements told their senders (RFC 2883).
                dsacks by Simulator;
                /// Windows restored because the recovery that had cut them was needless.
                undone by Simulator;
                /// Data segments that a subflow carried for another one, which had timed out.
                reinjections by Simulator;
                /// Packets that shims kept.
                shim_held by Simulator;
                /// Held packets that went on to the transport when a gap closed.
                shim_released by Simulator;
                /// Held packets that went on because the wait was over, no room was left or a newer message
                /// began.
                shim_expired by Simulator;
                /// Held packets whose flow or run ended before they went on.
                shim_discarded by Simulator;
                /// Packets that came below what a shim had let pass before, and went on at once.
                shim_late by Simulator;
                /// Data that a shim let pass because a table or its buffer was full.
                shim_bypassed by Simulator;
                /// Packets that shims dropped.
                shim_dropped by Simulator;
                /// Acknowledgements that a shim found to be duplicates, whether it let them pass or dropped
                /// them.
                shim_duplicates by Simulator;
                /// Data that shims marked.
                shim_marked by Simulator;
                /// Marked data that shims took for a retransmission.
                shim_repeats by Simulator;
                /// Packets taken for a retransmission that were sent for the first time.
                shim_mistaken by Simulator;
                /// Retransmitted data that shims did not take for a retransmission.
                shim_missed by Simulator;
            }
        }
    };
}

/// Calls the macro `$then` with every count of a class of flows: doc comment, name, and who tells it (a teller of the
/// lab's). Data packets alone are counted.
///
/// A summary has `path` before the histograms of what packets met on their way, and `arrival` behind them.
///
/// ```
/// macro_rules! names {
///     (path { $($(#[$d:meta])* $path:ident by $t:ident;)* }
///      arrival { $($(#[$e:meta])* $arrival:ident by $u:ident;)* }) => {
///         [$(stringify!($path),)* $(stringify!($arrival),)*]
///     };
/// }
/// let names = sidestep_sim::class_counts!(names);
/// assert!(names.contains(&"marked") && names.contains(&"trimmed"));
/// ```
#[macro_export]
macro_rules! class_counts {
    ($then:ident) => {
        $then! {
            path {
                /// Data packets that hosts put on their NICs.
                sent by DataOut;
                /// Data packets that arrived.
                delivered by DataIn;
                /// Delivered packets that were detoured at least once.
                detoured by Simulator;
                /// Detours of all data packets.
                detours by Simulator;
                /// Data packets dropped.
                dropped by Simulator;
                /// Data packets that arrived marked.
                marked by Marks;
            }
            arrival {
                /// Data packets that arrived without their payload, which `delivered` leaves out.
                trimmed by Simulator;
                /// Delivered packets that arrived after a packet sent later (RFC 4737).
                reordered by Simulator;
                /// The ones that reached the transport after one sent later: without shims the same.
                transport_reordered by Simulator;
            }
        }
    };
}

/// Defines [`Totals`].
macro_rules! totals {
    (
        work { $($(#[$work_doc:meta])* $work:ident $(by $work_teller:ident)?;)* }
        signals { $($(#[$signal_doc:meta])* $signal:ident $(by $signal_teller:ident)?;)* }
    ) => {
        /// Sums over the run. Packets are data, acknowledgements and handshakes alike.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Totals {
            $($(#[$work_doc])* pub $work: u64,)*
            $($(#[$signal_doc])* pub $signal: u64,)*
            /// Packets dropped, by reason.
            pub drops: [u64; DropReason::COUNT],
        }
    };
}

run_counts!(totals);

impl Totals {
    /// Adds the counters of the shims of a host.
    pub(crate) fn shimmed(&mut self, counters: &Counters) {
        self.shim_held += counters.held;
        self.shim_released += counters.released;
        self.shim_expired += counters.expired;
        self.shim_discarded += counters.discarded;
        self.shim_late += counters.late;
        self.shim_bypassed += counters.bypassed;
        self.shim_dropped += counters.dropped;
        self.shim_duplicates += counters.duplicates;
        self.shim_marked += counters.marked;
        self.shim_repeats += counters.repeats;
        self.shim_mistaken += counters.mistaken;
        self.shim_missed += counters.missed;
    }

    /// Adds the decisions and losses of the NIC of a host.
    pub fn decided_by_host(&mut self, counts: &Counts) {
        self.host_marks += counts.marks;
        self.host_drops += counts.drops.iter().sum::<u64>();
        self.decided(counts);
    }

    /// Adds the decisions of switches, at one port or at several together.
    pub fn decided(&mut self, counts: &Counts) {
        self.detours += counts.detours_in;
        self.marks += counts.marks;
        self.trims += counts.trims;
        for (sum, more) in self.drops.iter_mut().zip(counts.drops) {
            *sum += more;
        }
    }
}
