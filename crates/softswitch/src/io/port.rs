//! One interface of the switch: its sockets, its state, what happened at it.

use super::interface::{Inquiry, Interface};
use super::packet::PacketIo;
use super::sys::{IoError, Tried};
use super::xdp::XdpIo;
use super::{IoCounters, offloads};
use std::os::fd::{AsFd, BorrowedFd};

/// Longest payload that a port makes room for; the loopback's MTU is larger.
const LONGEST: u32 = crate::setup::MOST_MTU;

/// An interface that frames come in and leave by.
pub struct Port {
    name: String,
    state: Option<Interface>,
    io: PacketIo,
    /// In place of `io`, until the interface goes: opening it anew needs privileges.
    xdp: Option<XdpIo>,
    xdp_drops: u64,
    counters: IoCounters,
    /// Has its owner been told what its frames lack?
    pub hinted: bool,
}

/// What has become of an interface since it was asked last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It runs.
    Up,
    /// It is there and does not run.
    Down,
    /// There is none of its name.
    Gone,
    /// Another one of its name, and the port uses that now; with what could not be done about it.
    New(Option<String>),
}

impl Port {
    /// Opens the interface called `name`, which must be there; its offloads are off afterwards.
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

    /// Opens the interface with AF_XDP. Without it later, as when the interface was made anew, the
    /// port goes on with AF_PACKET.
    pub fn open_xdp(inquiry: &Inquiry, name: &str) -> Result<Port, IoError> {
        let mut port = Port::open(inquiry, name)?;
        let state = inquiry
            .interface(name)
            .tried(|| format!("find interface {name:?}"))?;
        port.xdp = Some(XdpIo::open(name, &state)?);
        Ok(port)
    }

    /// How frames are moved, in words.
    pub fn way(&self) -> String {
        match &self.xdp {
            Some(xdp) => format!("AF_XDP ({})", xdp.mode),
            None => "AF_PACKET".into(),
        }
    }

    /// The interface's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Do frames that are sent now leave?
    pub fn running(&self) -> bool {
        self.state.is_some_and(|s| s.running)
    }

    /// What the interface was when it was asked last.
    pub fn interface(&self) -> Option<Interface> {
        self.state
    }

    /// When the frame came that has waited longest, in nanoseconds since 1970; `None` when none waits that has a
    /// stamp. With AF_XDP those are of other queues than the first, and from before the program was attached.
    #[inline]
    pub fn stamp(&self) -> Option<u64> {
        self.io.stamp()
    }

    /// Hands up to `limit` frames that have stamps to `take`; how many there were. Never waits.
    #[inline]
    pub fn receive(&mut self, limit: usize, take: &mut impl FnMut(&[u8])) -> usize {
        self.io.receive(limit, &mut self.counters, take)
    }

    /// The same of those that have none: AF_XDP's.
    #[inline]
    pub fn receive_unstamped(&mut self, limit: usize, take: &mut impl FnMut(&[u8])) -> usize {
        match &mut self.xdp {
            None => 0,
            Some(xdp) => xdp.receive(limit, &mut self.counters, take),
        }
    }

    /// Gives frames to the interface. Never waits: what it does not take is counted.
    pub fn send<'a>(&mut self, mut frames: impl Iterator<Item = &'a [u8]>) {
        if !self.running() {
            self.counters.interface_down += frames.count() as u64;
        } else if let Some(xdp) = &mut self.xdp {
            xdp.send(&mut frames, &mut self.counters);
        } else {
            self.io.send(&mut frames, &mut self.counters);
        }
    }

    /// What becomes readable when frames come. With AF_XDP both of its ways: frames of other queues
    /// than the first come by AF_PACKET.
    pub fn descriptors(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        [
            Some(self.io.as_fd()),
            self.xdp.as_ref().map(|xdp| xdp.as_fd()),
        ]
        .into_iter()
        .flatten()
    }

    /// What happened so far.
    pub fn counters(&mut self) -> IoCounters {
        self.counters.kernel_drops += self.io.kernel_drops();
        if let Some(xdp) = &self.xdp {
            let drops = xdp.kernel_drops();
            self.counters.kernel_drops += drops.saturating_sub(self.xdp_drops);
            self.xdp_drops = drops;
        }
        self.counters
    }

    /// Asks what the interface is now, and uses it when it is another one of the same name.
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

/// Turns the offloads of `interface` off, or says why that cannot be.
fn prepare(inquiry: &Inquiry, interface: &str) -> Result<(), IoError> {
    offloads::off_by(inquiry, interface)
        .tried(|| format!("turn off the offloads of interface {interface:?}"))
}
