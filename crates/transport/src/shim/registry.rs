//! The registry of shims: one line gives one its name, its parameters and its dispatch.

use sidestep_types::{Entry, Refusal, Values};

use super::Shim;

/// What others must know about a shim beside its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nature {
    /// The parameter that says for how long it may hold data, if it does: a transport must wait
    /// longer than that for an acknowledgement.
    pub holds: Option<&'static str>,
    /// It hands data to the transport in the order in which it was sent, as far as it can wait.
    pub orders: bool,
    /// The most bytes by which it makes a packet longer. Above 0 it is refused, in the simulator and in
    /// the software switch: neither counts it in what queues and pauses need.
    pub adds: u32,
    /// It keeps duplicate acknowledgements from a sender that goes by them.
    pub duplicates: bool,
    /// It goes by echoes of marks.
    pub echoes: bool,
    /// The parameter that says how many of the duplicates go on in any case, if there is one.
    pub passes: Option<&'static str>,
}

impl Nature {
    /// Looks on, or drops: holds nothing and adds nothing.
    pub const PLAIN: Nature = Nature {
        holds: None,
        orders: false,
        adds: 0,
        duplicates: false,
        echoes: false,
        passes: None,
    };
}

/// A shim that can be made from its name and parameters. It stands in a file of its own, with a
/// line in the registry.
pub trait Registered: Shim + Sized {
    /// Its name, its paper and its parameters.
    const ENTRY: Entry;
    /// What others must know about it beside its parameters.
    const NATURE: Nature = Nature::PLAIN;

    /// Makes the one of a host from a complete set of values. Errors say which cannot be had.
    fn build(values: &Values) -> Result<Self, Refusal>;
}

/// Writes `AnyShim` from lines of `module::Type`, and what its names lead to.
macro_rules! shims {
    (
        $(#[$doc:meta])*
        pub enum $any:ident { $($module:ident::$shim:ident,)* }
    ) => {
        $(#[$doc])*
        pub enum $any {
            $(
                #[doc = concat!("See [`", stringify!($module), "`].")]
                $shim($module::$shim),
            )*
            /// One that is not in the registry.
            Custom(Box<dyn Shim + Send>),
        }

        /// The registered shims, in the order of lists.
        pub const ENTRIES: &[sidestep_types::Entry] =
            &[$(<$module::$shim as registry::Registered>::ENTRY,)*];

        /// The nature of the shim called `name`; that of a custom one is [`Nature::PLAIN`].
        pub fn nature(name: &str) -> Nature {
            $(
                if name == <$module::$shim as registry::Registered>::ENTRY.name {
                    return <$module::$shim as registry::Registered>::NATURE;
                }
            )*
            Nature::PLAIN
        }

        /// Makes the shim called `name` for one host, from a complete set of values.
        ///
        /// Errors say that the name is unknown or which value cannot be had.
        pub fn build(
            name: &str,
            values: &sidestep_types::Values,
        ) -> Result<$any, sidestep_types::Refusal> {
            $(
                if name == <$module::$shim as registry::Registered>::ENTRY.name {
                    let made = <$module::$shim as registry::Registered>::build(values)?;
                    return Ok($any::$shim(made));
                }
            )*
            Err(sidestep_types::Refusal::of_none(format!("{name:?} is unknown")))
        }

        /// Calls `$call` on whichever shim it is.
        macro_rules! of_shim {
            ($self:expr, $s:ident => $call:expr) => {
                match $self {
                    $($any::$shim($s) => $call,)*
                    $any::Custom($s) => $call,
                }
            };
        }
    };
}

pub(super) use shims;
