//! Registries: one line per policy gives it its name, its parameters and its dispatch.

use sidestep_types::{Entry, Refusal, Values};
use std::fmt;

/// What a scheme must know about a policy beside its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nature {
    /// It sends packets that do not fit by other ports, and so reorders them and hides losses.
    pub detours: bool,
    /// It can mark packets that it queues where they want to go.
    pub marks: bool,
    /// It works only beside this scheduler.
    pub sched: Option<&'static str>,
    /// It looks at ranks ([`sidestep_types::Packet::rank`]), which not every driver has for nothing.
    pub ranks: bool,
}

impl Nature {
    /// Marks, and needs nothing.
    pub const PLAIN: Nature = Nature {
        detours: false,
        marks: true,
        sched: None,
        ranks: false,
    };
    /// Detours.
    pub const DETOURS: Nature = Nature {
        detours: true,
        ..Nature::PLAIN
    };
}

/// A policy that can be made from its name and parameters.
pub trait Policy: Sized {
    /// Its name, paper and parameters.
    const ENTRY: Entry;
    /// What goes with it.
    const NATURE: Nature = Nature::PLAIN;

    /// Makes one for a switch with `ports` ports, from a complete set of values.
    ///
    /// `salt` is a number of the switch's own. Errors say what does not go together.
    fn build(values: &Values, ports: u16, salt: u64) -> Result<Self, Refusal>;
}

/// No policy of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPolicy(pub String);

impl fmt::Display for UnknownPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is unknown", self.0)
    }
}

/// Writes the enum over a seam's policies: its entries, construction by name and dispatch.
///
/// The packet path matches on the enum; `Custom` lets a user or a test plug in their own.
macro_rules! registry {
    (
        $(#[$doc:meta])*
        pub enum $any:ident: $seam:ident { $($module:ident::$policy:ident,)* }
    ) => {
        // With a tag of its own: one hidden in a field takes six instructions a packet to read.
        $(#[$doc])*
        #[repr(u8)]
        pub enum $any {
            $(
                #[doc = concat!("See [`", stringify!($module), "`].")]
                $policy($module::$policy),
            )*
            /// One that is not in the registry.
            Custom(Box<dyn $seam + Send>),
        }

        /// The registered policies of this seam, in order.
        pub const ENTRIES: &[sidestep_types::Entry] =
            &[$(<$module::$policy as crate::Policy>::ENTRY,)*];

        /// The nature of the policy called `name`; that of a custom one is [`crate::Nature::PLAIN`].
        pub fn nature(name: &str) -> crate::Nature {
            $(
                if name == <$module::$policy as crate::Policy>::ENTRY.name {
                    return <$module::$policy as crate::Policy>::NATURE;
                }
            )*
            crate::Nature::PLAIN
        }

        impl $any {
            /// Makes the policy called `name` for a switch with `ports` ports.
            ///
            /// Errors say which name is unknown or which values do not go together.
            pub fn build(
                name: &str,
                values: &sidestep_types::Values,
                ports: u16,
                salt: u64,
            ) -> Result<$any, sidestep_types::Refusal> {
                $(
                    if name == <$module::$policy as crate::Policy>::ENTRY.name {
                        let made = <$module::$policy as crate::Policy>::build(values, ports, salt)?;
                        return Ok($any::$policy(made));
                    }
                )*
                let unknown = crate::UnknownPolicy(name.to_string());
                Err(sidestep_types::Refusal::of_none(unknown.to_string()))
            }
        }

        /// Calls `$call` on whichever policy it is.
        macro_rules! dispatch {
            ($self:expr, $p:ident => $call:expr) => {
                match $self {
                    $($any::$policy($p) => $call,)*
                    $any::Custom($p) => $call,
                }
            };
        }
    };
}

pub(crate) use registry;
