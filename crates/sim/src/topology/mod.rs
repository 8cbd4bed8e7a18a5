//! Topologies: hosts, switches and cables, by name.
//!
//! One file and one registry line each. Ports are numbered in the order of the cables;
//! each topology says what that order is.

use crate::files::Files;
use crate::network::{Cable, End, Network, SwitchInfo};
use sidestep_types::{BitRate, Entry, HostId, SwitchId, Time, Values};

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

pub use check::{MAX_DELAY, MAX_HOSTS, MAX_PORTS};

/// A topology that can be built from its parameters.
///
/// ```
/// use sidestep_sim::topology::Topology;
/// use sidestep_sim::{Cable, End, Files, Network, NoFiles, SwitchInfo};
/// use sidestep_types::{Entry, HostId, Param, ParamUnit, SwitchId, Values};
///
/// /// Two hosts under one rack switch.
/// struct Pair;
///
/// impl Topology for Pair {
///     const ENTRY: Entry = Entry {
///         name: "pair",
///         summary: "two hosts under one rack switch",
///         source: "none",
///         params: &[
///             Param::with_default("rate", ParamUnit::Rate, "1 Gbps", "of each cable; assumed"),
///             Param::with_default("delay", ParamUnit::Time, "1 us", "of each cable; assumed"),
///         ],
///     };
///
///     fn lay(values: &Values, _: &dyn Files) -> Result<Network, String> {
///         let cable = |host| Cable {
///             a: End::Host(HostId(host)),
///             b: End::Switch(SwitchId(0)),
///             rate: values.rate("rate"),
///             delay: values.time("delay"),
///         };
///         Ok(Network {
///             hosts: 2,
///             switches: vec![SwitchInfo::of_tier("tor", 0)],
///             cables: [0, 1].map(cable).to_vec(),
///         })
///     }
/// }
///
/// let network = Pair::lay(&Values::defaults(Pair::ENTRY.params), &NoFiles)?;
/// network.validate()?;
/// assert_eq!(network.switches[0].name, "tor 0");
/// # Ok::<(), String>(())
/// ```
pub trait Topology {
    /// Its name, source and parameters.
    const ENTRY: Entry;

    /// Lays the cables. Errors say what, expected, got.
    ///
    /// The caller validates the network and puts the topology's name before the error.
    fn lay(values: &Values, files: &dyn Files) -> Result<Network, String>;
}

/// Writes the entries and the construction by name.
macro_rules! topologies {
    ($($module:ident::$topology:ident,)*) => {
        /// The registered topologies, in order.
        pub const ENTRIES: &[Entry] = &[$(<$module::$topology as Topology>::ENTRY,)*];

        /// Builds and validates the network of the topology called `name`.
        ///
        /// Errors say which name is unknown or what is wrong, expected, got.
        pub fn build(name: &str, values: &Values, files: &dyn Files) -> Result<Network, String> {
            let laid = match name {
                $(n if n == <$module::$topology as Topology>::ENTRY.name =>
                    <$module::$topology as Topology>::lay(values, files),)*
                _ => return Err(format!("topology {name:?} is unknown")),
            };
            let valid = laid.and_then(|network| network.validate().map(|()| network));
            valid.map_err(|why| format!("{name}: {why}"))
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
    testbed::Testbed,
    custom::Custom,
}

/// The whole number `name`, which must lie in `least..=most`.
fn count(values: &Values, name: &str, least: u32, most: u32) -> Result<u32, String> {
    let got = values.count(name);
    let found = u32::try_from(got).ok();
    let fits = found.filter(|n| (least..=most).contains(n));
    fits.ok_or_else(|| format!("{name} must be from {least} to {most}, got {got}"))
}

/// Refuses more hosts than fit, before they are laid.
fn at_most_hosts(hosts: u64) -> Result<u32, String> {
    match u32::try_from(hosts) {
        Ok(n) if n <= MAX_HOSTS => Ok(n),
        _ => Err(format!("expected at most {MAX_HOSTS} hosts, got {hosts}")),
    }
}

/// A rate and a delay, of which many cables are made.
#[derive(Clone, Copy)]
struct Link {
    rate: BitRate,
    delay: Time,
}

impl Link {
    /// The parameters `rate` and `delay`.
    fn of(values: &Values, rate: &str, delay: &str) -> Link {
        Link {
            rate: values.rate(rate),
            delay: values.time(delay),
        }
    }

    /// `divisor` times slower, rounded down to whole bits per second.
    fn slower(self, divisor: u32) -> Link {
        Link {
            rate: BitRate::bps(self.rate.as_bps() / u64::from(divisor)),
            ..self
        }
    }
}

/// Lays cables one by one.
#[derive(Default)]
struct Builder(Network);

impl Builder {
    /// A new switch.
    fn switch(&mut self, info: SwitchInfo) -> End {
        self.0.switches.push(info);
        End::Switch(SwitchId(self.0.switches.len() as u32 - 1))
    }

    /// A new host, cabled to `switch`.
    fn host(&mut self, switch: End, link: Link) {
        let host = End::Host(HostId(self.0.hosts));
        self.0.hosts += 1;
        self.cable(host, switch, link);
    }

    /// `n` new hosts, cabled to `switch`.
    fn hosts(&mut self, n: u32, switch: End, link: Link) {
        for _ in 0..n {
            self.host(switch, link);
        }
    }

    /// A new cable.
    fn cable(&mut self, a: End, b: End, link: Link) {
        let Link { rate, delay } = link;
        self.0.cables.push(Cable { a, b, rate, delay });
    }
}

#[cfg(test)]
mod tests;
