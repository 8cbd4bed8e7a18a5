//! Sizes of messages that an application says before it writes them.
//!
//! **Decision**     a message is all that one end of a TCP connection will send, from its first byte on. A shim
//!                  that marks by what remains counts down from its size. What is announced for a connection
//!                  that nothing was heard of gives it a place.
//! **State**        with the [`Connection`](super::connections), and as long as that: a SYN with another
//!                  number, an end or a long silence forgets it.
//! **Units**        bytes of payload.
//! **Errors**       all or none: what has begun, was announced or has ended before, a port whose shims ask for no
//!                  sizes, a size of 0, ends of two families, no place.
//! **Source**       none: the paper's hosts ask the socket (Abdous et al., CoNEXT 2021, section 3.1). A switch has
//!                  no sockets, and a frame says no size.

use super::connections::Connections;
use super::{Edge, Shims};
use crate::frame::End;
use crate::machine::Machine;
use sidestep_transport::shim;
use sidestep_types::{PortId, Time};

/// How much one end of a connection will send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Announced {
    /// Who sends it: the host behind the port.
    pub from: End,
    /// Who gets it.
    pub to: End,
    /// How much.
    pub bytes: u64,
}

impl Machine {
    /// Says what the host behind `port` will send. An error says what is in the way, and leaves all as it was.
    pub fn announce(&mut self, now: Time, port: PortId, all: &[Announced]) -> Result<(), String> {
        self.core.outputs.advance(now);
        let setup = &self.setup.ports[port.index()];
        let name = &setup.name;
        let shims = match &mut self.shims {
            Some(shims) if setup.shims.iter().any(asks_for_sizes) => shims,
            _ => {
                return Err(format!(
                    "announce: port {name:?} has no use for sizes: expected \"mark\" with by = \"remaining\" in its shims"
                ));
            }
        };
        shims
            .announce(self.core.outputs.now, port, all)
            .map_err(|why| format!("announce: port {name:?}: {why}"))
    }
}

/// Does a shim mark by what remains of messages?
fn asks_for_sizes(shim: &shim::Chosen) -> bool {
    shim.nature().tags && shim.values().word("by") == "remaining"
}

impl Shims {
    fn announce(&mut self, now: Time, port: PortId, all: &[Announced]) -> Result<(), String> {
        let edge = self.ports[port.index()].as_mut();
        let Edge {
            connections, stack, ..
        } = edge.expect("a port with shims");
        for (n, one) in all.iter().enumerate() {
            let said = |why: String| {
                format!(
                    "{}:{} to {}:{}: {why}",
                    one.from.0, one.from.1, one.to.0, one.to.1
                )
            };
            if all[..n]
                .iter()
                .any(|other| (other.from, other.to) == (one.from, one.to))
            {
                return Err(said("is there twice".into()));
            }
            may(connections, one).map_err(said)?;
        }
        let new = all
            .iter()
            .filter(|one| !connections.knows(one.from, one.to));
        connections.has_room(now, new.count(), stack)?;
        for one in all {
            connections.announce(now, (one.from, one.to), one.bytes, stack);
        }
        Ok(())
    }
}

/// Says what is wrong with an announcement.
fn may(connections: &Connections, one: &Announced) -> Result<(), String> {
    if one.from.0.is_ipv4() != one.to.0.is_ipv4() {
        return Err("expected two addresses of one family".into());
    }
    if one.bytes == 0 {
        return Err("expected at least 1 byte, got 0".into());
    }
    connections.may_announce(one.from, one.to)
}
