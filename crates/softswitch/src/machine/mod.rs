//! The switch without I/O.

use crate::setup::Setup;
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
    /// See [`Machine::frame`]; to be released.
    pub handle: Handle,
}

/// A switch: frames and the time go in, frames come out when their last bit would have left.
pub struct Machine {}

impl Machine {
    /// A switch. An error says what does not go together.
    pub fn new(_setup: &Setup) -> Result<Machine, String> {
        Ok(Machine {})
    }

    /// A frame came in by `port`, from its destination address to before its FCS.
    pub fn receive(&mut self, _now: Time, _port: PortId, _frame: &[u8]) {}

    /// The next frame that is due by `now`, in the order in which they are due.
    pub fn poll_send(&mut self, _now: Time) -> Option<Departure> {
        None
    }

    /// When [`Machine::poll_send`] has something next.
    pub fn next_departure(&self) -> Option<Time> {
        None
    }

    /// The bytes of a departed frame.
    pub fn frame(&self, _handle: Handle) -> &[u8] {
        &[]
    }

    /// Gives the room of a departed frame back.
    pub fn release(&mut self, _handle: Handle) {}

    /// Takes a new config over: frames that are queued stay. An error leaves all as it was.
    pub fn reload(&mut self, _now: Time, _setup: &Setup) -> Result<(), String> {
        Ok(())
    }
}
