//! What a run counts: over all of it, and at each port.
//!
//! A new count is one line in a list below. A line of [`run_counts!`](crate::run_counts) becomes a
//! field of [`Totals`], of a record and of a summary; one of `port_counts!` becomes a field of
//! [`PortCounts`] and a column of `ports.parquet`.

use sidestep_switch::DropReason;

/// Calls the macro `$then` with every count of a run: doc comment and name.
///
/// `work` says how much happened, `signals` what congestion did. Packets are data,
/// acknowledgements and handshakes alike.
///
/// ```
/// macro_rules! names {
///     (work { $($(#[$d:meta])* $work:ident;)* } signals { $($(#[$e:meta])* $signal:ident;)* }) => {
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
                packet_hops;
                /// Events taken from the agenda.
                events;
                /// Packets that hosts put on their NICs.
                sent;
                /// Packets that reached their host.
                delivered;
                /// Packets queued or on a wire when the run stopped.
                in_flight;
                /// Detours.
                detours;
                /// Delivered packets that were detoured at least once.
                detoured;
                /// Pauses that switches sent.
                pauses;
            }
            signals {
                /// Packets marked.
                marks;
                /// Packets that lost their payload in a switch.
                trims;
                /// Retransmission timeouts.
                timeouts;
                /// Data segments sent again.
                retransmits;
                /// Of those, the ones of which the network had lost nothing since they were last sent.
                spurious_retransmits;
                /// Timeouts at which the network had not lost the oldest byte waited for.
                spurious_timeouts;
            }
        }
    };
}

/// Writes [`Totals`].
macro_rules! totals {
    (
        work { $($(#[$work_doc:meta])* $work:ident;)* }
        signals { $($(#[$signal_doc:meta])* $signal:ident;)* }
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

/// Writes [`PortCounts`].
macro_rules! port_counts {
    ($($name:ident $doc:literal;)*) => {
        /// What policies did to packets at one port.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct PortCounts {
            $(#[doc = $doc] pub $name: u64,)*
            /// packets that wanted this port and were dropped, by reason
            pub drops: [u64; DropReason::COUNT],
        }

        impl PortCounts {
            /// All of them but the drops: name, what it counts, and how it is read.
            pub const ALL: &[PortCount] = &[$(PortCount {
                name: stringify!($name),
                doc: $doc,
                of: |counts| counts.$name,
            },)*];
        }
    };
}

port_counts! {
    marks "packets marked as they were enqueued here";
    detours_in "packets detoured to this port";
    detours_out "packets that wanted this port and were detoured elsewhere";
    trims "packets that wanted this port and lost their payload here";
}

/// One count of a port.
#[derive(Clone, Copy, Debug)]
pub struct PortCount {
    /// Its name: the column in `ports.parquet`.
    pub name: &'static str,
    /// What it counts.
    pub doc: &'static str,
    /// Reads it.
    pub of: fn(&PortCounts) -> u64,
}
