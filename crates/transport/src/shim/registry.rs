//! The registry of shims: one line gives one its name, its parameters and its dispatch.

use sidestep_types::{About, Entry, Refusal, Settings, Values};

use super::Shim;

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
pub trait Registered: Shim + Sized {
    /// What can be set about it.
    type Settings: Settings;
    /// Its name and its paper.
    const ABOUT: About;
    /// What others must know about it beside its parameters.
    const NATURE: Nature = Nature::PLAIN;

    /// Its line of the registry.
    const ENTRY: Entry = Self::ABOUT.entry::<Self::Settings>();

    /// Makes the one of a host. Errors say which settings do not go together.
    fn build(settings: Self::Settings) -> Result<Self, Refusal>;

    /// The same from a complete set of values.
    fn from_values(values: &Values) -> Result<Self, Refusal> {
        Self::build(Self::Settings::read(values)?)
    }

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

/// The settings of `S`; none where the values are refused, which [`Registered::build`] says.
pub(super) fn settings<S: Registered>(values: &Values) -> Option<S::Settings> {
    S::Settings::read(values).ok()
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

        /// By how much these shims together make a packet longer at most.
        pub fn adds(shims: &[(String, sidestep_types::Values)]) -> u32 {
            shims.iter().map(|(name, values)| {
                $(
                    if *name == <$module::$shim as registry::Registered>::ENTRY.name {
                        let settings = registry::settings::<$module::$shim>(values);
                        return settings.map_or(0, |settings| {
                            <$module::$shim as registry::Registered>::adds(&settings)
                        });
                    }
                )*
                0
            }).sum()
        }

        /// Bytes of memory that these shims of one host take from the start, if they are many.
        pub fn bytes(shims: &[(String, sidestep_types::Values)]) -> u64 {
            shims.iter().map(|(name, values)| {
                $(
                    if *name == <$module::$shim as registry::Registered>::ENTRY.name {
                        let settings = registry::settings::<$module::$shim>(values);
                        return settings.map_or(0, |settings| {
                            <$module::$shim as registry::Registered>::bytes(&settings)
                        });
                    }
                )*
                0
            }).sum()
        }

        /// Refuses values of the shim called `name` where segments carry up to `mss` bytes.
        pub fn fits_mss(
            name: &str,
            values: &sidestep_types::Values,
            mss: u32,
        ) -> Result<(), sidestep_types::Refusal> {
            $(
                if name == <$module::$shim as registry::Registered>::ENTRY.name {
                    let settings = registry::settings::<$module::$shim>(values);
                    return settings.map_or(Ok(()), |settings| {
                        <$module::$shim as registry::Registered>::fits_mss(&settings, mss)
                    });
                }
            )*
            Ok(())
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
                    let made = <$module::$shim as registry::Registered>::from_values(values);
                    return made.map($any::$shim);
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
