//! Frames that the machine hands to its driver.

use sidestep_types::{PortId, Time};

/// Frame in the machine's memory, from its departure until it is released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle(pub u32);

/// Frame whose last bit has left, and whose port's delay has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// Port by which the frame leaves.
    pub port: PortId,
    /// Time at which the frame was due; the lateness is the present time minus this.
    pub due: Time,
    /// Handle for [`super::Machine::frame`]; must be released.
    pub handle: Handle,
}
