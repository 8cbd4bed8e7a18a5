//! `[host] marker`: on the testbed, what sets the class of service that `by-size` says.

use sidestep_types::Words;

/// What sets the class of service on the testbed. In the simulator it is the shim, whatever this says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Words)]
pub enum Marker {
    /// The host: its sockets where sizes are known, a program at its interface where they are not.
    #[default]
    Host,
    /// The shim, at the port of the software switch that leads to the host.
    Port,
}
