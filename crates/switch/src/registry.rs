//! Registries: one line per policy gives it its name, its parameters and its dispatch.

use sidestep_types::{About, Chosen, Entry, Refusal, Settings, Values};
use std::sync::Arc;

/// What others must know about a policy beside its parameters: schemes, drivers, and the
/// conformance vectors of `crates/vectors`, whose tests hold a policy to all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nature {
    /// It sends packets that do not fit by other ports, and so hides losses.
    pub detours: bool,
    /// It lets packets of one flow take different ways, or overtake each other in a queue.
    pub reorders: bool,
    /// A route that sends all packets to a host by one next hop, whatever their flow.
    pub one_way: bool,
    /// The flag among its parameters without which no detour goes straight back to where the packet
    /// came from; `None` where one always may.
    pub back: Option<&'static str>,
    /// It can mark packets that it queues where they want to go.
    pub marks: bool,
    /// The schedulers beside which it works, the one that it is meant for first; empty where any will do.
    pub sched: &'static [&'static str],
    /// It looks at ranks ([`sidestep_types::Packet::rank`]), which some drivers must first work out.
    pub ranks: bool,
    /// It treats packets without data (acknowledgements, trimmed headers) apart from the rest of
    /// a queue: a scheduler serves them first, a buffer policy asks [`crate::Queues::queue`].
    pub control: bool,
    /// It goes by classes of service ([`Packet::service`](sidestep_types::Packet::service)): a scheduler has a queue
    /// for each, a buffer policy asks about them ([`crate::Queues::queue`]).
    pub classes: bool,
    /// The parameter and the word of it with which it asks how many flows a class has: the scheduler beside it
    /// must count them then.
    pub flows: Option<(&'static str, &'static str)>,
    /// The parameter that says how many bytes every port must hold.
    pub holds: Option<&'static str>,
    /// Most draws of 32 bits that one decision takes from its stream.
    pub draws: u32,
    /// A decision depends on the decisions before it.
    pub remembers: bool,
    /// Evicted packets may go on: it has a say in [`crate::Buffer::displaced`], and looks at all that waits at
    /// a full queue ([`crate::Queues::could_fit`]).
    pub displaces: bool,
    /// It looks at the ranks of all that waits ([`crate::Queues::ranks`]).
    pub sums: bool,
    /// What a buffer policy answers: the words of [`crate::Verdict::name`] and, in place of
    /// `drop`, the reasons of [`crate::DropReason::name`]. `ttl` is the switch's own and not among them.
    pub answers: &'static [&'static str],
}

impl Nature {
    /// Does it work beside the scheduler of this name?
    pub fn works_beside(&self, sched: &str) -> bool {
        self.sched.is_empty() || self.sched.contains(&sched)
    }

    /// Marks, keeps or drops, and needs nothing: no ranks, no draws, no memory.
    pub const PLAIN: Nature = Nature {
        detours: false,
        reorders: false,
        one_way: false,
        back: None,
        marks: true,
        sched: &[],
        ranks: false,
        control: false,
        classes: false,
        flows: None,
        holds: None,
        draws: 0,
        remembers: false,
        displaces: false,
        sums: false,
        answers: &["enqueue", "full"],
    };
    /// Detours, and drops what was detoured too often.
    pub const DETOURS: Nature = Nature {
        detours: true,
        reorders: true,
        back: Some("ingress"),
        answers: &["enqueue", "detour", "full", "detours"],
        ..Nature::PLAIN
    };
}

/// A policy that can be made from its name and parameters.
///
/// It stands in a file of its own, with a line in the registry of its seam, and decides as a
/// [`crate::Buffer`], a [`crate::Route`] or a [`crate::Sched`]:
///
/// ```
/// use sidestep_switch::{Nature, Policy};
/// use sidestep_types::{About, Refusal, Settings, Value, Values};
///
/// /// Drops packets at random, as a damaged cable does.
/// #[derive(Clone, Settings)]
/// struct Lossy {
///     /// packets of which one is dropped; assumed
///     #[setting(default = "1000", range = 1..=1_000_000)]
///     one_in: u32,
/// }
///
/// impl Policy for Lossy {
///     type Settings = Lossy;
///     const ABOUT: About = About {
///         name: "lossy",
///         summary: "drops one packet in so many, at random",
///         source: "an example",
///     };
///     const NATURE: Nature = Nature {
///         marks: false,
///         draws: 1,
///         answers: &["enqueue", "full", "early"],
///         ..Nature::PLAIN
///     };
///
///     fn build(settings: Lossy, _ports: u16, _salt: u64) -> Result<Lossy, Refusal> {
///         Ok(settings)
///     }
/// }
///
/// let mut values = Values::defaults(Lossy::ENTRY.params);
/// assert_eq!(Lossy::from_values(&values, 8, 0).unwrap().one_in, 1000);
/// values.set("one_in", Value::Count(0));
/// let refusal = Lossy::from_values(&values, 8, 0).err().unwrap();
/// assert_eq!(refusal.to_string(), "one_in must be from 1 to 1000000, got 0");
/// ```
pub trait Policy: Sized + 'static {
    /// What can be set about it; `()` when nothing can.
    type Settings: Settings + Clone + Send + Sync;
    /// Its name and paper.
    const ABOUT: About;
    /// What others must know about it beside its parameters.
    const NATURE: Nature = Nature::PLAIN;

    /// Its line of the registry.
    const ENTRY: Entry = Self::ABOUT.entry::<Self::Settings>();

    /// Makes one for a switch with `ports` ports.
    ///
    /// `salt` is a number of the switch's own. Errors say what does not go together.
    fn build(settings: Self::Settings, ports: u16, salt: u64) -> Result<Self, Refusal>;

    /// The same from a complete set of values.
    fn from_values(values: &Values, ports: u16, salt: u64) -> Result<Self, Refusal> {
        Self::build(Self::Settings::read(values)?, ports, salt)
    }
}

/// Settings of one policy of a seam, whose policies together are `A`.
pub trait Make<A>: Send + Sync {
    /// Makes the policy for a switch with `ports` ports: see [`Policy::build`].
    fn build(&self, ports: u16, salt: u64) -> Result<A, Refusal>;

    /// What others must know about it.
    fn nature(&self) -> Nature;
}

/// The settings of `P`.
struct Of<P: Policy>(P::Settings);

impl<P: Policy, A: From<P>> Make<A> for Of<P> {
    fn build(&self, ports: u16, salt: u64) -> Result<A, Refusal> {
        P::build(self.0.clone(), ports, salt).map(A::from)
    }

    fn nature(&self) -> Nature {
        P::NATURE
    }
}

/// Reads the settings of `P`.
pub(crate) fn choose<P: Policy, A: From<P>>(
    values: &Values,
) -> Result<Chosen<dyn Make<A>>, Refusal> {
    let settings = Of::<P>(P::Settings::read(values)?);
    Ok(Chosen::new(P::ENTRY, values, Arc::new(settings)))
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
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum $any {
            $(
                #[doc = concat!("See [`", stringify!($module), "`].")]
                $policy($module::$policy),
            )*
            /// One that is not in the registry.
            #[cfg_attr(feature = "serde", serde(skip))]
            Custom(Box<dyn $seam + Send>),
        }

        $(
            impl From<$module::$policy> for $any {
                fn from(policy: $module::$policy) -> $any {
                    $any::$policy(policy)
                }
            }
        )*

        /// A policy of this seam as it was chosen.
        pub type Chosen = sidestep_types::Chosen<dyn crate::registry::Make<$any>>;

        /// Reads the settings of the policy called `name`.
        ///
        /// Errors say that the name is unknown or which value is out of bounds.
        pub fn choose(
            name: &str,
            values: &sidestep_types::Values,
        ) -> Result<Chosen, sidestep_types::Refusal> {
            $(
                if name == <$module::$policy as crate::Policy>::ENTRY.name {
                    return crate::registry::choose::<$module::$policy, $any>(values);
                }
            )*
            Err(sidestep_types::Refusal::of_none(format!("{name:?} is unknown")))
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
            /// What it is called; `custom` of one that is not in the registry.
            pub fn name(&self) -> &'static str {
                match self {
                    $($any::$policy(_) => <$module::$policy as crate::Policy>::ENTRY.name,)*
                    $any::Custom(_) => "custom",
                }
            }

            /// Makes the policy called `name` for a switch with `ports` ports.
            ///
            /// Errors say which name is unknown or which values do not go together.
            pub fn build(
                name: &str,
                values: &sidestep_types::Values,
                ports: u16,
                salt: u64,
            ) -> Result<$any, sidestep_types::Refusal> {
                choose(name, values)?.build(ports, salt)
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
