//! Port of the switch on one interface: its sockets, state and counters.

use super::interface::{Inquiry, Interface};
use super::packet::PacketIo;
use super::sys::{IoError, Tried};
use super::xdp::XdpIo;
use super::{IoCounters, offloads};
use std::os::fd::{AsFd, BorrowedFd};

/// Longest payload that a port makes room for; the loopback's MTU is larger.
const LONGEST: u32 = crate::setup::MOST_MTU;

/// Interface by which frames come in and leave.
pub struct Port {
    name: String,
    state: Option<Interface>,
    io: PacketIo,
    /// In place of `io`, until the interface disappears: opening it again needs privileges.
    xdp: Option<XdpIo>,
    xdp_drops: u64,
    counters: IoCounters,
    /// True once the log has explained unfinished checksums.
    pub hinted: bool,
}

/// Change of an interface since the last query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The interface is running.
    Up,
    /// The interface exists and is not running.
    Down,
    /// No interface has its name.
    Gone,
    /// Name taken by another interface, which the port uses now; with the error, if something about it failed.
    New(Option<String>),
}

impl Port {
    /// Opens the interface called `name`, which must exist, and switches off its offloads.
    pub fn open(inquiry: &Inquiry, name: &str) -> Result<Port, IoError> {
        let state = inquiry
            .interface(name)
            .tried(|| format!("find interface {name:?}"))?;
        prepare(inquiry, name)?;
        let mut io = PacketIo::open(name, state.mtu.min(LONGEST))?;
        io.bind(name, state.index)?;
        Ok(Port {
            name: name.to_string(),
            state: Some(state),
            io,
            xdp: None,
            hinted: false,
            xdp_drops: 0,
            counters: IoCounters::default(),
        })
    }

    /// Opens the interface with AF_XDP. If that is lost later, for example because the interface was recreated,
    /// the port goes on with AF_PACKET.
    pub fn open_xdp(inquiry: &Inquiry, name: &str) -> Result<Port, IoError> {
        let mut port = Port::open(inquiry, name)?;
        let state = inquiry
            .interface(name)
            .tried(|| format!("find interface {name:?}"))?;
        port.xdp = Some(XdpIo::open(name, &state)?);
        Ok(port)
    }

    /// Describes how frames are moved.
    pub fn way(&self) -> String {
        match &self.xdp {
            Some(xdp) => format!("AF_XDP ({})", xdp.mode),
            None => "AF_PACKET".into(),
        }
    }

    /// Returns the interface's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns true if frames sent now leave.
    pub fn running(&self) -> bool {
        self.state.is_some_and(|s| s.running)
    }

    /// Returns the state of the interface at the last query.
    pub fn interface(&self) -> Option<Interface> {
        self.state
    }

    /// Returns the arrival time of the oldest waiting frame with a stamp, in nanoseconds since 1970; `None` if
    /// there is none. With AF_XDP, these are frames of other queues than the first, and from before the program
    /// was attached.
    #[inline]
    pub fn stamp(&self) -> Option<u64> {
        self.io.stamp()
    }

    /// Passes up to `limit` frames with stamps to `take`; returns their number. Never waits.
    #[inline]
    pub fn receive(&mut self, limit: usize, take: &mut impl FnMut(&[u8])) -> usize {
        self.io.receive(limit, &mut self.counters, take)
    }

    /// Passes up to `limit` frames without stamps, AF_XDP's, to `take`; returns their number. Never waits.
    #[inline]
    pub fn receive_unstamped(&mut self, limit: usize, take: &mut impl FnMut(&[u8])) -> usize {
        match &mut self.xdp {
            None => 0,
            Some(xdp) => xdp.receive(limit, &mut self.counters, take),
        }
    }

    /// Sends frames by the interface. Never waits: frames that it refuses are counted.
    pub fn send<'a>(&mut self, mut frames: impl Iterator<Item = &'a [u8]>) {
        if !self.running() {
            self.counters.interface_down += frames.count() as u64;
        } else if let Some(xdp) = &mut self.xdp {
            xdp.send(&mut frames, &mut self.counters);
        } else {
            self.io.send(&mut frames, &mut self.counters);
        }
    }

    /// Returns the descriptors that become readable when frames arrive. With AF_XDP there are two: frames of
    /// other queues than the first arrive by AF_PACKET.
    pub fn descriptors(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        [
            Some(self.io.as_fd()),
            self.xdp.as_ref().map(|xdp| xdp.as_fd()),
        ]
        .into_iter()
        .flatten()
    }

    /// Returns the counters so far.
    pub fn counters(&mut self) -> IoCounters {
        self.counters.kernel_drops += self.io.kernel_drops();
        if let Some(xdp) = &self.xdp {
            let drops = xdp.kernel_drops();
            self.counters.kernel_drops += drops.saturating_sub(self.xdp_drops);
            self.xdp_drops = drops;
        }
        self.counters
    }

    /// Queries the interface, and uses it if it is another one of the same name.
    pub fn look(&mut self, inquiry: &Inquiry) -> Option<Change> {
        let now = inquiry.interface(&self.name).ok();
        let before = std::mem::replace(&mut self.state, now);
        self.io.forget_errors();
        match (before, now) {
            (Some(_), None) => Some(Change::Gone),
            (None, None) => None,
            (before, Some(now)) if before.map(|b| b.index) != Some(now.index) => {
                self.xdp = None;
                let trouble = prepare(inquiry, &self.name).err();
                let bound = self.io.bind(&self.name, now.index).err();
                if bound.is_some() {
                    self.state = None;
                }
                Some(Change::New(bound.or(trouble).map(|e| e.to_string())))
            }
            (Some(before), Some(now)) => match (before.running, now.running) {
                (false, true) => Some(Change::Up),
                (true, false) => Some(Change::Down),
                _ => None,
            },
            (None, Some(_)) => None,
        }
    }
}

/// Switches off the offloads of `interface`; an error names the one that stays on.
fn prepare(inquiry: &Inquiry, interface: &str) -> Result<(), IoError> {
    offloads::off_by(inquiry, interface)
        .tried(|| format!("turn off the offloads of interface {interface:?}"))
}
