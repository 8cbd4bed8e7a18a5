//! Registries of policies: one line each gives a policy its name, its parameters and its dispatch.

use sidestep_types::{About, Chosen, Entry, Refusal, Settings, Values};
use std::sync::Arc;

/// Properties of a policy beside its parameters, used by schemes, drivers and the conformance vectors of
/// `crates/vectors`, whose tests check a policy against all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nature {
    /// True if the policy sends packets that do not fit by other ports, and so hides losses.
    pub detours: bool,
    /// True if packets of one flow may take different paths, or overtake each other in a queue.
    pub reorders: bool,
    /// True for a route that sends all packets to a host by one next hop, whatever their flow.
    pub one_way: bool,
    /// Flag parameter that must be set before a packet is detoured straight back to where it came from; `None`
    /// if it always may be.
    pub back: Option<&'static str>,
    /// True if the policy can mark packets that it enqueues on their wanted port.
    pub marks: bool,
    /// Schedulers beside which the policy works, the intended one first; empty if any works.
    pub sched: &'static [&'static str],
    /// True if the policy reads ranks ([`sidestep_types::Packet::rank`]), which some drivers must compute
    /// first.
    pub ranks: bool,
    /// True if the policy separates packets without data (acknowledgements, trimmed headers) from the rest of a
    /// queue: a scheduler serves them first, a buffer policy queries [`crate::Queues::queue`].
    pub control: bool,
    /// True if the policy uses classes of service ([`Packet::service`](sidestep_types::Packet::service)): a
    /// scheduler has a queue for each, a buffer policy queries them ([`crate::Queues::queue`]).
    pub classes: bool,
    /// Parameter and its word with which the policy queries the number of flows of a class. The scheduler
    /// beside it must count flows then.
    pub flows: Option<(&'static str, &'static str)>,
    /// Parameter with the number of bytes that every port must be able to hold.
    pub holds: Option<&'static str>,
    /// Most 32-bit draws that one decision takes from its stream.
    pub draws: u32,
    /// True if a decision depends on earlier decisions.
    pub remembers: bool,
    /// True if evicted packets may join another queue: the policy implements [`crate::Buffer::displaced`], and
    /// reads all packets that wait at a full queue ([`crate::Queues::could_fit`]).
    pub displaces: bool,
    /// True if the policy reads the ranks of all packets that wait ([`crate::Queues::ranks`]).
    pub sums: bool,
    /// Possible verdicts of a buffer policy: the words of [`crate::Verdict::name`] and, in place of `drop`, the
    /// reasons of [`crate::DropReason::name`]. Excludes `ttl`, which the switch itself decides.
    pub answers: &'static [&'static str],
}

impl Nature {
    /// Returns true if the policy works beside the scheduler of this name.
    pub fn works_beside(&self, sched: &str) -> bool {
        self.sched.is_empty() || self.sched.contains(&sched)
    }

    /// Policy that marks, keeps or drops, and uses no ranks, draws or memory.
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
    /// Policy that detours, and drops packets that were detoured too often.
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
    /// Settings of the policy; `()` if there are none.
    type Settings: Settings + Clone + Send + Sync;
    /// Name, summary and paper.
    const ABOUT: About;
    /// Properties beside the settings.
    const NATURE: Nature = Nature::PLAIN;

    /// Registry line of the policy.
    const ENTRY: Entry = Self::ABOUT.entry::<Self::Settings>();

    /// Creates the policy for a switch with `ports` ports.
    ///
    /// `salt` is the hash salt of the switch. Errors name settings that do not go together.
    fn build(settings: Self::Settings, ports: u16, salt: u64) -> Result<Self, Refusal>;

    /// Creates the policy from a complete set of values.
    fn from_values(values: &Values, ports: u16, salt: u64) -> Result<Self, Refusal> {
        Self::build(Self::Settings::read(values)?, ports, salt)
    }
}

/// Settings of one policy of a seam, whose policies together are `A`.
pub trait PolicyFactory<A>: Send + Sync {
    /// Makes the policy for a switch with `ports` ports: see [`Policy::build`].
    fn build(&self, ports: u16, salt: u64) -> Result<A, Refusal>;

    /// Returns the policy's properties beside its settings.
    fn nature(&self) -> Nature;
}

/// The settings of `P`.
struct Of<P: Policy>(P::Settings);

impl<P: Policy, A: From<P>> PolicyFactory<A> for Of<P> {
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
) -> Result<Chosen<dyn PolicyFactory<A>>, Refusal> {
    let settings = Of::<P>(P::Settings::read(values)?);
    Ok(Chosen::new(P::ENTRY, values, Arc::new(settings)))
}

/// Generates the enum over the policies of a seam: its entries, construction by name and dispatch.
///
/// The packet path matches on the enum; `Custom` lets a user or a test plug in another policy.
macro_rules! registry {
    (
        $(#[$doc:meta])*
        pub enum $any:ident: $seam:ident { $($module:ident::$policy:ident,)* }
    ) => {
        // `repr(u8)` gives the enum its own tag: a tag hidden in a field takes six instructions per packet to
        // read.
        $(#[$doc])*
        #[repr(u8)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum $any {
            $(
                #[doc = concat!("See [`", stringify!($module), "`].")]
                $policy($module::$policy),
            )*
            /// Policy that is not in the registry.
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
        pub type Chosen = sidestep_types::Chosen<dyn crate::registry::PolicyFactory<$any>>;

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

        /// Registered policies of this seam, in order.
        pub const ENTRIES: &[sidestep_types::Entry] =
            &[$(<$module::$policy as crate::Policy>::ENTRY,)*];

        /// Returns the nature of the policy called `name`; [`crate::Nature::PLAIN`] for a custom policy.
        pub fn nature(name: &str) -> crate::Nature {
            $(
                if name == <$module::$policy as crate::Policy>::ENTRY.name {
                    return <$module::$policy as crate::Policy>::NATURE;
                }
            )*
            crate::Nature::PLAIN
        }

        impl $any {
            /// Returns the name of the policy; `custom` if it is not in the registry.
            pub fn name(&self) -> &'static str {
                match self {
                    $($any::$policy(_) => <$module::$policy as crate::Policy>::ENTRY.name,)*
                    $any::Custom(_) => "custom",
                }
            }

            /// Creates the policy called `name` for a switch with `ports` ports.
            ///
            /// Errors name an unknown policy or values that do not go together.
            pub fn build(
                name: &str,
                values: &sidestep_types::Values,
                ports: u16,
                salt: u64,
            ) -> Result<$any, sidestep_types::Refusal> {
                choose(name, values)?.build(ports, salt)
            }
        }

        /// Evaluates `$call` on the policy, whichever it is.
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
