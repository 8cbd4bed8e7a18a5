//! What a switch counts of its decisions, port by port.

use crate::DropReason;
use std::ops::AddAssign;

/// Writes [`Counts`]. A new count is one line of the list below, and the place that counts it.
macro_rules! counts {
    ($($name:ident $doc:literal;)*) => {
        /// What was decided about packets at one port.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Counts {
            $(#[doc = $doc] pub $name: u64,)*
            /// packets that wanted this port, or waited here, and were dropped, by [`DropReason`]
            pub drops: [u64; DropReason::COUNT],
        }

        impl Counts {
            /// All of them but the drops: name, what it counts, and how it is read.
            pub const ALL: &[Count] = &[$(Count {
                name: stringify!($name),
                doc: $doc,
                of: |counts| counts.$name,
            },)*];
        }

        impl AddAssign<&Counts> for Counts {
            fn add_assign(&mut self, other: &Counts) {
                $(self.$name += other.$name;)*
                for (sum, more) in self.drops.iter_mut().zip(other.drops) {
                    *sum += more;
                }
            }
        }
    };
}

counts! {
    marks "packets marked as they were enqueued here";
    detours_in "packets detoured to this port";
    detours_out "packets that wanted this port and were detoured elsewhere";
    trims "packets that wanted this port and lost their payload here";
}

/// One count of a port.
#[derive(Clone, Copy, Debug)]
pub struct Count {
    /// Its name: the column in `ports.parquet`.
    pub name: &'static str,
    /// What it counts.
    pub doc: &'static str,
    /// Reads it.
    pub of: fn(&Counts) -> u64,
}
