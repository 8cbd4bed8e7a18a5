//! The program without a network: frames one by one, at times that the caller says, by the kernel's test run.
//!
//! **Decision**     the program's own, with all that it does to a frame; what it redirects goes nowhere.
//! **State**        as of a switch, in the maps of a program of its own.
//! **Units**        picoseconds since the start; bytes without FCS.
//! **Errors**       what the program cannot do of a config, or the machine lacks.
//! **Deviations**   copies of what is flooded are decided about and counted, and not seen.

use super::layout::{LAST, MACHINE, Read};
use super::plan::Plan;
use super::program::Loaded;
use crate::frame::Refusal;
use crate::machine::Counters;
use crate::setup::Setup;
use sidestep_switch::{DropReason, Streams};
use sidestep_types::{PortId, Seed, Time};

/// A switch in the kernel whose clock stands still.
#[derive(Debug)]
pub struct Still {
    loaded: Loaded,
    plan: Plan,
    setup: Setup,
    now: Time,
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Became {
    /// It joined the queue of a port.
    Queued {
        /// The port it wanted.
        wanted: PortId,
        /// The port whose queue it joined.
        port: PortId,
        /// Packets before it there.
        ahead: u32,
        /// It was marked as it joined.
        marked: bool,
        /// When its last bit leaves.
        departs: Time,
    },
    /// It was dropped.
    Dropped {
        /// The port it wanted.
        wanted: PortId,
        /// The reason of the drop.
        reason: DropReason,
    },
    /// The decision was not asked.
    Refused(Refusal),
    /// Copies went, or did not go, to other ports.
    Flooded,
}

impl Still {
    /// A switch that draws what the simulator's switch `id` draws from the same seed; named after itself without one.
    pub fn new(setup: &Setup, id: Option<u64>) -> Result<Still, String> {
        let seed = Seed(setup.seed);
        let mut plan = match id {
            None => Plan::of(setup)?,
            Some(id) => {
                let streams = Streams::of(|what| seed.stream((what, id)));
                Plan::drawing(setup, seed.salt(("ecmp", id)), streams)?
            }
        };
        super::need()?;
        plan.sizes.still = true;
        let loaded = Loaded::new(plan.sizes)?;
        // No interface has this number.
        loaded.tell(&plan, 0, &vec![0; setup.ports.len()])?;
        Ok(Still {
            loaded,
            plan,
            setup: setup.clone(),
            now: Time::ZERO,
        })
    }

    /// A frame came in by `port`: what became of it, and its bytes as they leave. An error is the kernel's: it takes no
    /// frames without Ethernet's whole header or, of IP, that of its fixed size, nor very long ones.
    pub fn receive(
        &mut self,
        now: Time,
        port: PortId,
        bytes: &[u8],
    ) -> std::io::Result<(Became, Vec<u8>)> {
        self.now = self.now.max(now);
        self.loaded.set_now(self.now.ps())?;
        let mut frame = bytes.to_vec();
        self.loaded.program.test(&mut frame, u32::from(port.0))?;
        let machine = self.loaded.machine()?;
        let last = Read(&machine[LAST..MACHINE]);
        let port = |at| PortId(last.u32(at) as u16);
        let became = match last.u32(0) {
            0 | 1 => Became::Queued {
                wanted: port(8),
                port: port(4),
                ahead: last.u32(20),
                marked: last.u32(12) != 0,
                departs: Time::from_ps(last.u64(24)),
            },
            2 => Became::Dropped {
                wanted: port(8),
                reason: DropReason::ALL[last.u32(16) as usize],
            },
            3 => Became::Refused(Refusal::ALL[last.u32(16) as usize]),
            _ => Became::Flooded,
        };
        Ok((became, frame))
    }

    /// All counts at `now`.
    pub fn counters(&mut self, now: Time) -> std::io::Result<Counters> {
        self.now = self.now.max(now);
        let machine = self.loaded.machine()?;
        let queues = self.loaded.queues()?;
        let copied = super::counts::Copied {
            plan: &self.plan,
            machine: &machine,
            queues: &queues,
            forget: 0,
        };
        Ok(copied.counters(&self.setup, self.now.ps()))
    }
}
