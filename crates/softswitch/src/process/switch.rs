//! What the loop drives: the machine, or a plainer one in a test of the loop.

use crate::machine::{Departure, Handle, Machine};
use crate::setup::Setup;
use sidestep_types::{PortId, Time};

/// A switch without I/O. The calls are those of [`Machine`].
pub trait Switch {
    /// A frame came in by `port`.
    fn receive(&mut self, now: Time, port: PortId, frame: &[u8]);
    /// The next frame that is due by `now`.
    fn poll_send(&mut self, now: Time) -> Option<Departure>;
    /// When the next frame is due.
    fn next_departure(&self) -> Option<Time>;
    /// The bytes of a departed frame.
    fn frame(&self, handle: Handle) -> &[u8];
    /// Gives the room of a departed frame back.
    fn release(&mut self, handle: Handle);
    /// Takes a new config over.
    fn reload(&mut self, now: Time, setup: &Setup) -> Result<(), String>;
}

impl Switch for Machine {
    #[inline]
    fn receive(&mut self, now: Time, port: PortId, frame: &[u8]) {
        Machine::receive(self, now, port, frame);
    }
    #[inline]
    fn poll_send(&mut self, now: Time) -> Option<Departure> {
        Machine::poll_send(self, now)
    }
    #[inline]
    fn next_departure(&self) -> Option<Time> {
        Machine::next_departure(self)
    }
    #[inline]
    fn frame(&self, handle: Handle) -> &[u8] {
        Machine::frame(self, handle)
    }
    #[inline]
    fn release(&mut self, handle: Handle) {
        Machine::release(self, handle);
    }
    fn reload(&mut self, now: Time, setup: &Setup) -> Result<(), String> {
        Machine::reload(self, now, setup)
    }
}
