//! Topologies: hosts, switches and cables, by name.
//!
//! Each has one file and one registry line. Ports are numbered in the order of the cables, which each topology
//! documents.

use crate::files::Files;
use crate::network::{Cable, End, Network, SwitchInfo};
use sidestep_types::{About, BitRate, Entry, HostId, Refusal, Settings, SwitchId, Time, Values};

mod check;
pub mod custom;
pub mod dumbbell;
pub mod fat_tree;
pub mod hyperx;
pub mod jellyfish;
pub mod leaf_spine;
pub mod linear;
pub mod single_switch;
pub mod testbed;
pub mod tree;

pub use check::{MAX_DELAY, MAX_HOSTS, MAX_PORTS};

/// A topology with its settings, whose cables can be laid.
///
/// ```
/// use sidestep_sim::topology::Topology;
/// use sidestep_sim::{Cable, End, Files, Network, NoFiles, SwitchInfo};
/// use sidestep_types::{About, BitRate, HostId, Refusal, Settings, SwitchId, Time};
///
/// /// Two hosts under one rack switch.
/// #[derive(Settings)]
/// struct Pair {
///     /// of each cable; assumed
///     #[setting(default = "1 Gbps")]
///     rate: BitRate,
///     /// of each cable; assumed
///     #[setting(default = "1 us")]
///     delay: Time,
/// }
///
/// impl Topology for Pair {
///     const ABOUT: About = About {
///         name: "pair",
///         summary: "two hosts under one rack switch",
///         source: "none",
///     };
///
///     fn build_network(self, _: &dyn Files) -> Result<Network, Refusal> {
///         let cable = |host| Cable {
///             a: End::Host(HostId(host)),
///             b: End::Switch(SwitchId(0)),
///             rate: self.rate,
///             delay: self.delay,
///         };
///         Ok(Network {
///             hosts: 2,
///             switches: vec![SwitchInfo::of_tier("tor", 0)],
///             cables: [0, 1].map(cable).to_vec(),
///         })
///     }
/// }
///
/// let network = Pair::defaults().build_network(&NoFiles)?;
/// assert_eq!(network.validate(), Ok(()));
/// assert_eq!(network.switches[0].name, "tor 0");
/// # Ok::<(), Refusal>(())
/// ```
pub trait Topology: Settings {
    /// Name and source.
    const ABOUT: About;

    /// Line of the registry.
    const ENTRY: Entry = Self::ABOUT.entry::<Self>();

    /// Lays the cables of a network that can be run. Errors name the parameters to blame.
    fn build_network(self, files: &dyn Files) -> Result<Network, Refusal>;
}

/// Defines the list of entries and the construction by name.
macro_rules! topologies {
    ($($module:ident::$topology:ident,)*) => {
        /// The registered topologies, in order.
        pub const ENTRIES: &[Entry] = &[$(<$module::$topology as Topology>::ENTRY,)*];

        /// Builds the network of the topology called `name`; it can be run.
        ///
        /// Errors say which name is unknown, or what is wrong and which parameters are to blame.
        pub fn build(name: &str, values: &Values, files: &dyn Files) -> Result<Network, Refusal> {
            match name {
                $(n if n == <$module::$topology as Topology>::ENTRY.name =>
                    <$module::$topology as Settings>::read(values)?.build_network(files),)*
                _ => Err(Refusal::of_none(format!("topology {name:?} is unknown"))),
            }
        }
    };
}

topologies! {
    fat_tree::FatTree,
    leaf_spine::LeafSpine,
    single_switch::SingleSwitch,
    dumbbell::Dumbbell,
    linear::Linear,
    jellyfish::Jellyfish,
    hyperx::HyperX,
    tree::Tree,
    testbed::Testbed,
    custom::Custom,
}

/// [`MAX_PORTS`] as a bound of settings.
const PORTS: u64 = MAX_PORTS as u64;

/// Rate and delay of every link of a topology.
#[derive(Settings)]
struct EveryLink {
    /// rate of every link; DIBS Table 1
    #[setting(default = "1 Gbps")]
    rate: BitRate,
    /// delay of every link; assumed
    #[setting(default = "1 us")]
    delay: Time,
}

impl From<EveryLink> for Link {
    fn from(link: EveryLink) -> Link {
        Link::of(link.rate, link.delay)
    }
}

/// Refuses more hosts than fit, before they are laid; `params` are to blame for their number.
fn at_most_hosts(hosts: u64, params: &[&'static str]) -> Result<u32, Refusal> {
    match u32::try_from(hosts) {
        Ok(n) if n <= MAX_HOSTS => Ok(n),
        _ => Err(Refusal::about(params, format!("expected at most {MAX_HOSTS} hosts")).got(hosts)),
    }
}

/// Rate and delay of a kind of cables, and the parameters that set them.
#[derive(Clone, Copy)]
struct Link {
    rate: BitRate,
    delay: Time,
    rate_param: &'static str,
    /// Parameters to blame first for a rate of 0: those that divided it.
    divisors: &'static [&'static str],
    /// Parameter to blame for a delay that is too long.
    delay_param: &'static str,
}

impl Link {
    /// Returns the link with the parameters `rate` and `delay`.
    fn of(rate: BitRate, delay: Time) -> Link {
        Link {
            rate,
            delay,
            rate_param: "rate",
            divisors: &[],
            delay_param: "delay",
        }
    }

    /// Names the parameters that the link comes from, where they have other names.
    fn called(self, rate_param: &'static str, delay_param: &'static str) -> Link {
        Link {
            rate_param,
            delay_param,
            ..self
        }
    }

    /// Returns a link `divisor` times slower, rounded down to whole bits per second; `params` are all
    /// parameters that divided it.
    fn slower(self, divisor: u32, params: &'static [&'static str]) -> Link {
        Link {
            rate: BitRate::bps(self.rate.as_bps() / u64::from(divisor)),
            divisors: params,
            ..self
        }
    }
}

/// Lays cables one by one.
#[derive(Default)]
struct Builder {
    network: Network,
    /// Parameters of the first impossible cable.
    wrong: Option<Vec<&'static str>>,
}

impl Builder {
    /// Adds a switch.
    fn switch(&mut self, info: SwitchInfo) -> End {
        self.network.switches.push(info);
        End::Switch(SwitchId(self.network.switches.len() as u32 - 1))
    }

    /// Adds a host, cabled to `switch`.
    fn host(&mut self, switch: End, link: Link) {
        let host = End::Host(HostId(self.network.hosts));
        self.network.hosts += 1;
        self.cable(host, switch, link);
    }

    /// Adds `n` hosts, cabled to `switch`.
    fn hosts(&mut self, n: u32, switch: End, link: Link) {
        for _ in 0..n {
            self.host(switch, link);
        }
    }

    /// Adds a cable.
    fn cable(&mut self, a: End, b: End, link: Link) {
        let Link { rate, delay, .. } = link;
        let wrong = if rate.as_bps() == 0 {
            Some([link.divisors, &[link.rate_param]].concat())
        } else if delay > MAX_DELAY {
            Some(vec![link.delay_param])
        } else {
            None
        };
        self.wrong = self.wrong.take().or(wrong);
        self.network.cables.push(Cable { a, b, rate, delay });
    }

    /// Returns the network, if it can be run; `ports` are the parameters that set the number of ports of a
    /// switch.
    fn done(self, ports: &[&'static str]) -> Result<Network, Refusal> {
        let params = self.wrong.as_deref().unwrap_or(ports);
        match self.network.validate() {
            Ok(()) => Ok(self.network),
            Err(why) => Err(Refusal::about(params, why)),
        }
    }
}

#[cfg(test)]
mod tests;
