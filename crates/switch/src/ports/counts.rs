//! Counters of a switch's decisions, per port.

use crate::DropReason;
use std::ops::{AddAssign, SubAssign};

/// Generates [`Counts`]. A new counter needs one line in the list below and the code that increments it.
macro_rules! counts {
    ($($name:ident $doc:literal;)*) => {
        /// Counters of the decisions about packets at one port.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct Counts {
            $(#[doc = $doc] pub $name: u64,)*
            /// packets that wanted this port or waited here and were dropped, by [`DropReason`]
            pub drops: [u64; DropReason::COUNT],
        }

        impl Counts {
            /// All counters except the drops: name, description and getter.
            pub const ALL: &[Count] = &[$(Count {
                name: stringify!($name),
                doc: $doc,
                of: |counts| counts.$name,
            },)*];

            /// Reads counters back from a record: each counter by its name, drops by their reason. Stops at the
            /// first error.
            pub fn read<E>(
                mut of: impl FnMut(&'static str) -> Result<u64, E>,
                mut dropped: impl FnMut(DropReason) -> Result<u64, E>,
            ) -> Result<Counts, E> {
                let mut counts = Counts {
                    $($name: of(stringify!($name))?,)*
                    drops: Default::default(),
                };
                for reason in DropReason::ALL {
                    counts.drops[reason as usize] = dropped(reason)?;
                }
                Ok(counts)
            }
        }

        impl AddAssign<&Counts> for Counts {
            fn add_assign(&mut self, other: &Counts) {
                $(self.$name += other.$name;)*
                for (sum, more) in self.drops.iter_mut().zip(other.drops) {
                    *sum += more;
                }
            }
        }

        impl SubAssign<&Counts> for Counts {
            fn sub_assign(&mut self, before: &Counts) {
                $(self.$name -= before.$name;)*
                for (now, before) in self.drops.iter_mut().zip(before.drops) {
                    *now -= before;
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

/// Description of one counter of a port.
#[derive(Clone, Copy, Debug)]
pub struct Count {
    /// Name of the counter: the column in `ports.parquet`.
    pub name: &'static str,
    /// Packets or events that it counts.
    pub doc: &'static str,
    /// Getter of the counter.
    pub of: fn(&Counts) -> u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_read_back_add_up_and_come_apart() {
        let seven = Counts::read::<()>(|_| Ok(7), |reason| Ok(reason as u64)).unwrap();
        assert!(Counts::ALL.iter().all(|count| (count.of)(&seven) == 7));
        assert_eq!(seven.drops[DropReason::Evicted as usize], 3);
        let mut twice = seven;
        twice += &seven;
        assert_eq!((twice.marks, twice.drops[3]), (14, 6));
        twice -= &seven;
        assert_eq!(twice, seven);
        let missing = Counts::read(|name| (name != "trims").then_some(0).ok_or(name), |_| Ok(0));
        assert_eq!(missing, Err("trims"));
    }
}
