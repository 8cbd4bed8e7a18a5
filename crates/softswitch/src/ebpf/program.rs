//! Loaded program in the kernel with its maps, and the config written into them.
//!
//! **Decision**     none.
//! **State**        descriptors: the program and its maps vanish when they are closed.
//! **Errors**       what could not be loaded or written, and why.

use super::compile::{Pinned, SOURCES, load};
use super::kernel::{Map, Program};
use super::layout::{self, Bytes, MACHINE, PORT};
use super::plan::{ProgramConfig, Rule, Sizes};
use crate::table::ways::Numbering;
use std::path::Path;

/// Key of a map with one value.
const ONLY: [u8; 4] = [0; 4];

/// Loaded program and its maps.
#[derive(Debug)]
pub(super) struct Loaded {
    /// Program at the ports; or, built for no policies, the one that answers rows.
    pub program: Program,
    pub sizes: Sizes,
    machines: Map,
    queues: Map,
    stations: Map,
    answers: Map,
    interfaces: Map,
    orders: Map,
    memories: Map,
}

impl Loaded {
    /// Compiles the program in these sizes and loads it.
    pub fn new(sizes: Sizes) -> Result<Loaded, String> {
        let sources = SOURCES.map(|(name, text)| (name, text.to_string()));
        Loaded::from(&sources, sizes)
    }

    /// Compiles other sources and loads the program.
    pub fn from(sources: &[(&str, String)], sizes: Sizes) -> Result<Loaded, String> {
        let pinned = load(sources, sizes)?;
        Loaded::open(&pinned, sizes).map_err(|e| {
            format!(
                "cannot open what was loaded, pinned at {}: {e}",
                pinned.path.display()
            )
        })
    }

    fn open(Pinned { path }: &Pinned, sizes: Sizes) -> std::io::Result<Loaded> {
        let map = |name: &str, key: usize, value: usize| Map::open(&path.join(name), key, value);
        let program = |name: &str| Program::open(Path::new(&path.join(name)));
        Ok(Loaded {
            program: program(match sizes.way {
                Some(_) => "sidestep_forward",
                None => "sidestep_row",
            })?,
            sizes,
            machines: map("machines", 4, MACHINE + PORT * sizes.ports)?,
            queues: map("queues", 4, layout::queue(sizes.ring_bits) * sizes.ports)?,
            stations: map("stations", 8, way_bytes(sizes))?,
            answers: map("answers", 4, 8)?,
            interfaces: map("interfaces", 4, 4)?,
            orders: map("orders", 4, 8)?,
            memories: map("memories", 4, layout::memory_bytes(sizes.places))?,
        })
    }

    /// Writes the config of a switch, started at that nanosecond of the clock, into the maps. No frame may
    /// arrive yet.
    pub fn tell(
        &self,
        plan: &ProgramConfig,
        started_ns: u64,
        interfaces: &[i32],
    ) -> Result<(), String> {
        let failed = |e: std::io::Error| format!("cannot tell the program of the switch: {e}");
        let machine = layout::machine(plan, started_ns, interfaces);
        self.machines.put(&ONLY, &machine).map_err(failed)?;
        self.begin_memory(&plan.rule).map_err(failed)?;
        let mut numbering = Numbering::new(plan.rates.len() as u16);
        for (mac, ports) in &plan.stations {
            let mut way = Bytes::default();
            let entry = numbering.entry(ports);
            way.u32(ports.len() as u32);
            way.u32(entry.hops().set).u32(entry.hops().prefix);
            for port in ports {
                way.u8(port.0 as u8);
            }
            way.to(way_bytes(self.sizes));
            let key = mac.bits().to_ne_bytes();
            self.stations.put(&key, &way.0).map_err(failed)?;
        }
        for (address, mac) in &plan.answers {
            let value = mac.bits().to_ne_bytes();
            self.answers
                .put(&address.octets(), &value)
                .map_err(failed)?;
        }
        for (port, interface) in (0u32..).zip(interfaces) {
            let key = (*interface as u32).to_ne_bytes();
            self.interfaces
                .put(&key, &port.to_ne_bytes())
                .map_err(failed)?;
        }
        Ok(())
    }

    /// Clears the route's state about packets.
    pub fn begin_memory(&self, rule: &Rule) -> std::io::Result<()> {
        (self.memories).put(&ONLY, &layout::memory(rule, self.sizes.places))
    }

    /// Returns `struct machine`, copied at one moment.
    pub fn machine(&self) -> std::io::Result<Vec<u8>> {
        self.machines.get(&ONLY, true)
    }

    /// Returns `struct queues`: the slots of packets that had joined when the machine was copied stay valid for
    /// a whole ring more.
    pub fn queues(&self) -> std::io::Result<Vec<u8>> {
        self.queues.get(&ONLY, false)
    }

    /// Makes the program forget peaks: `number` must be new for each order.
    pub fn forget(&self, number: u64) -> std::io::Result<()> {
        self.orders.put(&ONLY, &number.to_ne_bytes())
    }

    /// Advances the clock of a still program.
    pub fn set_now(&self, now_ps: u64) -> std::io::Result<()> {
        let mut machine = self.machine()?;
        machine[16..24].copy_from_slice(&now_ps.to_ne_bytes());
        // The lock itself is not copied.
        self.machines.put(&ONLY, &machine)
    }
}

/// Returns the bytes of a `struct way`.
fn way_bytes(sizes: Sizes) -> usize {
    (12 + sizes.ports).next_multiple_of(4)
}
