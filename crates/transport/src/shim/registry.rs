//! The registry of shims: one line gives one its name, its parameters and its dispatch.

use std::sync::Arc;

use sidestep_types::{About, Entry, Refusal, Settings, Values};

use super::{AnyShim, Shim};

/// What others must know about a shim beside its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nature {
    /// The parameter that says for how long it may hold data, if it does: a transport must wait
    /// longer than that for an acknowledgement.
    pub holds: Option<&'static str>,
    /// It hands data to the transport in the order in which it was sent, as far as it can wait.
    pub orders: bool,
    /// The parameter and its word with which it goes by tags, if it can.
    pub reads_tags: Option<(&'static str, &'static str)>,
    /// The most bytes by which it makes a packet longer: see [`Registered::adds`]. Above 0 the software
    /// switch takes one that tags alone: it knows how a tag is written.
    pub adds: u32,
    /// It gives data tags with ranks, whatever the transport says. Its parameter `by` says what they count.
    pub tags: bool,
    /// It keeps duplicate acknowledgements from a sender that goes by them.
    pub duplicates: bool,
    /// It goes by echoes of marks.
    pub echoes: bool,
    /// The parameter that says how many of the duplicates go on in any case, if there is one.
    pub passes: Option<&'static str>,
    /// It sets the class of service of what leaves.
    pub serves: bool,
    /// The parameter and its word with which it goes by the sizes that applications say, if it can.
    pub reads_sizes: Option<(&'static str, &'static str)>,
}

impl Nature {
    /// Looks on, or drops: holds nothing and adds nothing.
    pub const PLAIN: Nature = Nature {
        holds: None,
        orders: false,
        reads_tags: None,
        adds: 0,
        tags: false,
        duplicates: false,
        echoes: false,
        passes: None,
        serves: false,
        reads_sizes: None,
    };
}

/// A shim that can be made from its name and parameters. It stands in a file of its own, with a
/// line in the registry.
pub trait Registered: Shim + Sized + 'static {
    /// What can be set about it.
    type Settings: Settings + Clone + Send + Sync;
    /// Its name and its paper.
    const ABOUT: About;
    /// What others must know about it beside its parameters.
    const NATURE: Nature = Nature::PLAIN;

    /// Its line of the registry.
    const ENTRY: Entry = Self::ABOUT.entry::<Self::Settings>();

    /// Makes the one of a host. Errors say which settings do not go together.
    fn build(settings: Self::Settings) -> Result<Self, Refusal>;

    /// By how much it makes a packet longer at most.
    fn adds(_settings: &Self::Settings) -> u32 {
        Self::NATURE.adds
    }

    /// Bytes of memory that one takes from the start, if they are many.
    fn bytes(_settings: &Self::Settings) -> u64 {
        0
    }

    /// Refuses these settings where segments carry up to `mss` bytes.
    fn fits_mss(_settings: &Self::Settings, _mss: u32) -> Result<(), Refusal> {
        Ok(())
    }
}

/// Settings of one shim.
pub trait Make: Send + Sync {
    /// Makes the one of a host: see [`Registered::build`].
    fn build(&self) -> Result<AnyShim, Refusal>;

    /// What others must know about it.
    fn nature(&self) -> Nature;

    /// By how much it makes a packet longer at most.
    fn adds(&self) -> u32;

    /// Bytes of memory that one takes from the start, if they are many.
    fn bytes(&self) -> u64;

    /// Refuses it where segments carry up to `mss` bytes.
    fn fits_mss(&self, mss: u32) -> Result<(), Refusal>;
}

/// A shim as it was chosen.
pub type Chosen = sidestep_types::Chosen<dyn Make>;

/// The settings of `S`.
struct Of<S: Registered>(S::Settings);

impl<S: Registered> Make for Of<S>
where
    AnyShim: From<S>,
{
    fn build(&self) -> Result<AnyShim, Refusal> {
        S::build(self.0.clone()).map(AnyShim::from)
    }

    fn nature(&self) -> Nature {
        S::NATURE
    }

    fn adds(&self) -> u32 {
        S::adds(&self.0)
    }

    fn bytes(&self) -> u64 {
        S::bytes(&self.0)
    }

    fn fits_mss(&self, mss: u32) -> Result<(), Refusal> {
        S::fits_mss(&self.0, mss)
    }
}

/// Reads the settings of `S`.
pub(super) fn choose<S: Registered>(values: &Values) -> Result<Chosen, Refusal>
where
    AnyShim: From<S>,
{
    let settings = Of::<S>(S::Settings::read(values)?);
    Ok(Chosen::new(S::ENTRY, values, Arc::new(settings)))
}

/// Writes `AnyShim` from lines of `module::Type`, and what its names lead to.
macro_rules! shims {
    (
        $(#[$doc:meta])*
        pub enum $any:ident { $($module:ident::$shim:ident,)* }
    ) => {
        // With a tag of its own: one hidden in a field takes six instructions a packet to read.
        $(#[$doc])*
        #[repr(u8)]
        #[derive(serde::Serialize, serde::Deserialize)]
        pub enum $any {
            $(
                #[doc = concat!("See [`", stringify!($module), "`].")]
                $shim($module::$shim),
            )*
            /// One that is not in the registry.
            #[serde(skip)]
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

        $(
            impl From<$module::$shim> for $any {
                fn from(shim: $module::$shim) -> $any {
                    $any::$shim(shim)
                }
            }
        )*

        /// Reads the settings of the shim called `name`.
        ///
        /// Errors say that the name is unknown or which value is out of bounds.
        pub fn choose(
            name: &str,
            values: &sidestep_types::Values,
        ) -> Result<Chosen, sidestep_types::Refusal> {
            $(
                if name == <$module::$shim as registry::Registered>::ENTRY.name {
                    return registry::choose::<$module::$shim>(values);
                }
            )*
            Err(sidestep_types::Refusal::of_none(format!("{name:?} is unknown")))
        }

        impl $any {
            /// Its name in the registry.
            pub fn name(&self) -> &'static str {
                match self {
                    $($any::$shim(_) => <$module::$shim as registry::Registered>::ENTRY.name,)*
                    $any::Custom(_) => "custom",
                }
            }
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
