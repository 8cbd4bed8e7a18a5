//! Reasons of drops, and the words for each.
//!
//! A new reason is one entry below. Its column, its metric, its row in reports, its words in figures and on the
//! page, its counter in the software switch and its number in the kernel's program all follow from it. A test
//! (`crates/lab/tests/declared.rs`) checks that no other source file contains its words.

/// Generates [`DropReason`].
macro_rules! reasons {
    ($(
        $(#[$doc:meta])*
        $reason:ident = $name:literal {
            row: $row:literal,
            legend: $legend:literal,
            metric: $metric:literal,
            column: $column:literal,
            clause: $clause:literal,
        }
    )*) => {
        /// Reason why a packet was dropped.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum DropReason {
            $($(#[$doc])* $reason,)*
        }

        impl DropReason {
            /// Number of reasons.
            pub const COUNT: usize = DropReason::ALL.len();
            /// All reasons, in the order of their numbers.
            pub const ALL: [DropReason; [$($name),*].len()] = [$(DropReason::$reason),*];

            /// Returns the word for the reason in results.
            pub const fn name(self) -> &'static str {
                match self { $(DropReason::$reason => $name,)* }
            }

            /// Returns the name of its column and metric: `drops_` and the word.
            pub const fn counted_as(self) -> &'static str {
                match self { $(DropReason::$reason => concat!("drops_", $name),)* }
            }

            /// Returns the label of its row in the report of a run.
            pub const fn row(self) -> &'static str {
                match self { $(DropReason::$reason => $row,)* }
            }

            /// Returns its name in the legend of a figure.
            pub const fn legend(self) -> &'static str {
                match self { $(DropReason::$reason => $legend,)* }
            }

            /// Returns the description of its count over a run.
            pub const fn metric_doc(self) -> &'static str {
                match self { $(DropReason::$reason => $metric,)* }
            }

            /// Returns the description of its count at a port.
            pub const fn column_doc(self) -> &'static str {
                match self { $(DropReason::$reason => $column,)* }
            }

            /// Returns the reason as a clause, for sentences like "s1 drops it: there is no room for it".
            pub const fn clause(self) -> &'static str {
                match self { $(DropReason::$reason => $clause,)* }
            }
        }
    };
}

reasons! {
    /// No queue had room.
    Full = "full" {
        row: "dropped, no room",
        legend: "queue full",
        metric: "packets dropped because no queue had room",
        column: "packets that wanted this port and found no room",
        clause: "there is no room for it",
    }
    /// The time to live ran out.
    Ttl = "ttl" {
        row: "dropped, TTL expired",
        legend: "time to live",
        metric: "packets dropped because their time to live ran out",
        column: "packets that wanted this port and had no time to live left",
        clause: "its time to live ran out",
    }
    /// Active queue management dropped the packet early.
    Early = "early" {
        row: "dropped early",
        legend: "early (AQM)",
        metric: "packets dropped early by an active queue manager",
        column: "packets that wanted this port and were dropped early",
        clause: "active queue management drops it early",
    }
    /// A packet that ranked better took its place.
    Evicted = "evicted" {
        row: "evicted for a better-ranked packet",
        legend: "evicted",
        metric: "packets evicted from a queue to make room for better-ranked ones",
        column: "packets evicted from the queue of this port to make room for better-ranked ones",
        clause: "a packet that ranks better takes its place",
    }
    /// The packet had been detoured as often as the policy allows.
    Detours = "detours" {
        row: "dropped, detoured too often",
        legend: "too many detours",
        metric: "packets dropped because they had reached the limit of detours",
        column: "packets that wanted this port and had reached the limit of detours",
        clause: "it reached the limit of detours",
    }
    /// The link was down: the packet was on it or waited for it as it went down, or was sent to it later.
    LinkDown = "link_down" {
        row: "dropped, link down",
        legend: "link down",
        metric: "packets lost because a link was down: on it or queued for it when it went down, \
                 or sent to it later",
        column: "packets on this link or queued for it when it went down, or sent to it while it \
                 was down",
        clause: "the link is down",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_numbered_in_their_order() {
        for (number, reason) in DropReason::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, number);
            assert_eq!(reason.counted_as(), format!("drops_{}", reason.name()));
        }
    }
}
