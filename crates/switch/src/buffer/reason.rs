//! Why a packet was dropped, and what results say of each reason.
//!
//! A new reason is one entry below: its column, its metric, its row in reports and its counter in
//! the software switch follow.

/// Writes [`DropReason`].
macro_rules! reasons {
    ($(
        $(#[$doc:meta])*
        $reason:ident = $name:literal {
            row: $row:literal,
            metric: $metric:literal,
            column: $column:literal,
        }
    )*) => {
        /// Why a packet was dropped.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum DropReason {
            $($(#[$doc])* $reason,)*
        }

        impl DropReason {
            /// How many reasons there are.
            pub const COUNT: usize = DropReason::ALL.len();
            /// All of them, in the order of their numbers.
            pub const ALL: [DropReason; [$($name),*].len()] = [$(DropReason::$reason),*];

            /// The word for it in results.
            pub const fn name(self) -> &'static str {
                match self { $(DropReason::$reason => $name,)* }
            }

            /// Its column and its metric: `drops_` and the word.
            pub const fn counted_as(self) -> &'static str {
                match self { $(DropReason::$reason => concat!("drops_", $name),)* }
            }

            /// Its row in the report of a run.
            pub const fn row(self) -> &'static str {
                match self { $(DropReason::$reason => $row,)* }
            }

            /// What its count over a run is of.
            pub const fn metric_doc(self) -> &'static str {
                match self { $(DropReason::$reason => $metric,)* }
            }

            /// What its count at a port is of.
            pub const fn column_doc(self) -> &'static str {
                match self { $(DropReason::$reason => $column,)* }
            }
        }
    };
}

reasons! {
    /// No queue would take it.
    Full = "full" {
        row: "dropped, no room",
        metric: "packets dropped because no queue would take them",
        column: "packets that wanted this port and found no room",
    }
    /// Its time to live ran out.
    Ttl = "ttl" {
        row: "dropped, TTL expired",
        metric: "packets dropped because their time to live ran out",
        column: "packets that wanted this port and had no time to live left",
    }
    /// An active queue manager dropped it early.
    Early = "early" {
        row: "dropped early",
        metric: "packets dropped early by an active queue manager",
        column: "packets that wanted this port and were dropped early",
    }
    /// A packet that ranked better took its place.
    Evicted = "evicted" {
        row: "dropped for a better one",
        metric: "packets dropped from a queue to make room for better ones",
        column: "packets that waited for this port and made room for better ones",
    }
    /// It had been detoured as often as the policy allows.
    Detours = "detours" {
        row: "dropped, detoured too often",
        metric: "packets dropped because they had been detoured as often as is allowed",
        column: "packets that wanted this port and had been detoured as often as is allowed",
    }
    /// It was on a link that went down, waited for it, or was sent to it later.
    LinkDown = "link_down" {
        row: "dropped, link down",
        metric: "packets lost on links that were down, in the queues before them as they went down, or sent to them later",
        column: "packets on this link or waiting for it when it went down, or sent to it while it was",
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
