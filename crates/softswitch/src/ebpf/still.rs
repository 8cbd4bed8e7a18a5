//! The program without a network: frames one by one, at times set by the caller, in the kernel's test run.
//!
//! **Decision**     the program's own, with all its changes of a frame; redirected frames go nowhere.
//! **State**        as of a switch, in the maps of a separate program.
//! **Units**        picoseconds since the start; bytes without FCS.
//! **Errors**       settings that the program cannot do, or tools that the machine lacks.
//! **Deviations**   copies of flooded frames are decided on and counted, but not visible.

use super::layout::{LAST, MACHINE, Read};
use super::plan::ProgramConfig;
use super::program::Loaded;
use crate::frame::Refusal;
use crate::machine::Counters;
use crate::setup::Setup;
use sidestep_switch::{DropReason, Streams};
use sidestep_types::{PortId, Seed, Time};

/// Switch in the kernel whose clock stands still.
#[derive(Debug)]
pub struct Still {
    loaded: Loaded,
    plan: ProgramConfig,
    setup: Setup,
    now: Time,
}

/// Result of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Became {
    /// The frame joined the queue of a port.
    Queued {
        /// Port that the route chose.
        wanted: PortId,
        /// Port whose queue the frame joined.
        port: PortId,
        /// Packets before the frame in that queue.
        ahead: u32,
        /// True if the frame was marked as it joined.
        marked: bool,
        /// Time at which its last bit leaves.
        departs: Time,
    },
    /// The frame was dropped.
    Dropped {
        /// Port that the route chose.
        wanted: PortId,
        /// Reason of the drop.
        reason: DropReason,
    },
    /// Refused before the decision.
    Refused(Refusal),
    /// The frame was flooded: copies were queued at other ports, or dropped.
    Flooded,
}

impl Still {
    /// Returns a switch that draws the same random numbers as the simulator's switch `id` from the same seed;
    /// without an `id`, its draws depend on its name.
    pub fn new(setup: &Setup, id: Option<u64>) -> Result<Still, String> {
        let seed = Seed(setup.seed);
        let mut plan = match id {
            None => ProgramConfig::of(setup)?,
            Some(id) => {
                let streams = Streams::of(|what| seed.stream((what, id)));
                ProgramConfig::drawing(setup, seed.salt(("ecmp", id)), streams)?
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

    /// Receives a frame by `port`; returns its result, and its bytes as they leave. An error is the kernel's:
    /// its test run rejects frames without Ethernet's whole header or, for IP, that of its fixed size, and very
    /// long ones.
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

    /// Returns all counters at `now`.
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
