//! Registry of shims: one line gives a shim its name, its parameters and its dispatch.

use std::sync::Arc;

use sidestep_types::{About, Entry, Refusal, Settings, Values};

use super::{AnyShim, Shim};

/// Properties of a shim that others need beside its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nature {
    /// Parameter for the longest time that it may hold data, if it holds any: a transport must wait longer than
    /// that for an acknowledgement.
    pub holds: Option<&'static str>,
    /// True if it hands data to the transport in the order of sending, within its timeout.
    pub orders: bool,
    /// Parameter, and the word of it, with which it reads tags, if it can.
    pub reads_tags: Option<(&'static str, &'static str)>,
    /// Most bytes that it adds to a packet: see [`Registered::adds`]. Above 0, the software switch accepts only
    /// a shim that tags: it can write the format of a tag and no other.
    pub adds: u32,
    /// True if it gives data tags with ranks, in place of the transport's ranks. Its parameter `by` is the
    /// quantity that they count.
    pub tags: bool,
    /// True if it filters duplicate acknowledgements from a sender that detects losses by them.
    pub duplicates: bool,
    /// True if it reads echoes of marks.
    pub echoes: bool,
    /// Parameter for the number of duplicates that always go on, if there is one.
    pub passes: Option<&'static str>,
    /// True if it sets the class of service of packets that leave.
    pub serves: bool,
    /// Parameter, and the word of it, with which it uses the sizes that applications state, if it can.
    pub reads_sizes: Option<(&'static str, &'static str)>,
}

impl Nature {
    /// Properties of a shim that only observes or drops: it holds nothing and adds nothing.
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

/// Shim that can be built from its name and parameters. Each has a separate file and a line in the registry.
pub trait Registered: Shim + Sized + 'static {
    /// Settings of the shim.
    type Settings: Settings + Clone + Send + Sync;
    /// Name, summary and source.
    const ABOUT: About;
    /// Properties that others need beside the parameters.
    const NATURE: Nature = Nature::PLAIN;

    /// Registry entry.
    const ENTRY: Entry = Self::ABOUT.entry::<Self::Settings>();

    /// Builds the shim of a host. Errors name the settings that contradict each other.
    fn build(settings: Self::Settings) -> Result<Self, Refusal>;

    /// Returns the most bytes that it adds to a packet.
    fn adds(_settings: &Self::Settings) -> u32 {
        Self::NATURE.adds
    }

    /// Returns the bytes of memory that one shim takes from the start, if they are many.
    fn bytes(_settings: &Self::Settings) -> u64 {
        0
    }

    /// Refuses these settings where segments carry up to `mss` bytes.
    fn fits_mss(_settings: &Self::Settings, _mss: u32) -> Result<(), Refusal> {
        Ok(())
    }
}

/// Settings of one shim.
pub trait ShimFactory: Send + Sync {
    /// Makes the one of a host: see [`Registered::build`].
    fn build(&self) -> Result<AnyShim, Refusal>;

    /// Returns the shim's properties beside its settings.
    fn nature(&self) -> Nature;

    /// Returns the most bytes that it adds to a packet.
    fn adds(&self) -> u32;

    /// Returns the bytes of memory that one shim takes from the start, if they are many.
    fn bytes(&self) -> u64;

    /// Refuses it where segments carry up to `mss` bytes.
    fn fits_mss(&self, mss: u32) -> Result<(), Refusal>;
}

/// A shim as it was chosen.
pub type Chosen = sidestep_types::Chosen<dyn ShimFactory>;

/// The settings of `S`.
struct Of<S: Registered>(S::Settings);

impl<S: Registered> ShimFactory for Of<S>
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

/// Writes `AnyShim` from lines of `module::Type`, and the functions that look shims up by name.
macro_rules! shims {
    (
        $(#[$doc:meta])*
        pub enum $any:ident { $($module:ident::$shim:ident,)* }
    ) => {
        // With an explicit tag: reading one hidden in a field takes six instructions a packet.
        $(#[$doc])*
        #[repr(u8)]
        #[derive(serde::Serialize, serde::Deserialize)]
        pub enum $any {
            $(
                #[doc = concat!("See [`", stringify!($module), "`].")]
                $shim($module::$shim),
            )*
            /// Shim that is not in the registry.
            #[serde(skip)]
            Custom(Box<dyn Shim + Send>),
        }

        /// Entries of the registered shims, in the order of lists.
        pub const ENTRIES: &[sidestep_types::Entry] =
            &[$(<$module::$shim as registry::Registered>::ENTRY,)*];

        /// Returns the properties of the shim called `name`; [`Nature::PLAIN`] for a custom one.
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
            /// Returns the name in the registry.
            pub fn name(&self) -> &'static str {
                match self {
                    $($any::$shim(_) => <$module::$shim as registry::Registered>::ENTRY.name,)*
                    $any::Custom(_) => "custom",
                }
            }
        }

        /// Evaluates `$call` on the shim inside.
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
