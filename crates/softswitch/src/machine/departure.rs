//! What the machine hands out.

use sidestep_types::{PortId, Time};

/// A frame of the machine's, from its departure until it is released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle(pub u32);

/// A frame whose last bit has left, and whose port's delay has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// By this port.
    pub port: PortId,
    /// When it was due: now less this is how late it is.
    pub due: Time,
    /// See [`super::Machine::frame`]; to be released.
    pub handle: Handle,
}
