//! Runs one scenario for `bench/instructions/run.py`, which counts the instructions of [`measured`].
//!
//! `steps SCENARIO WARM_UP_US LENGTH_US [KEY=VALUE]...` uses the first scheme and seed, and
//! prints the packet-hops of the measured part, and events per packet-hop of the whole run.

use sidestep_lab::Scenario;
use sidestep_sim::agenda::WheelAgenda;
use sidestep_sim::{NoFiles, TraceFilter, World};
use sidestep_types::{Seed, Time};
use std::sync::Arc;

fn main() -> Result<(), String> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, warm_up, length, sets @ ..] = &args[..] else {
        return Err("expected SCENARIO WARM_UP_US LENGTH_US [KEY=VALUE]...".into());
    };
    let micros = |text: &String| match text.parse() {
        Ok(us) => Ok(Time::from_us(us)),
        Err(why) => Err(format!("{text:?}: {why}")),
    };
    let (warm_up, length) = (micros(warm_up)?, micros(length)?);
    let text = std::fs::read_to_string(file).map_err(|why| format!("{file}: {why}"))?;
    let mut world = world(file, &text, sets)?;
    world.run_until(warm_up);
    let before = world.packet_hops();
    measured(&mut world, warm_up.saturating_add(length));
    let hops = world.packet_hops() - before;
    let totals = world.finish().totals;
    let events_per_hop = totals.events as f64 / totals.packet_hops as f64;
    println!("{hops} {events_per_hop:.4}");
    Ok(())
}

fn world(file: &str, text: &str, sets: &[String]) -> Result<World<WheelAgenda>, String> {
    let scenario = Scenario::read(file, text, sets, &NoFiles).map_err(|problems| {
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        lines.join("\n")
    })?;
    let seed = scenario.seeds[0];
    let plan = Arc::new(scenario.plan_of(0, seed)?);
    let config = &scenario.schemes[0].config;
    let config = config.world(&plan, Seed(seed), TraceFilter::None);
    World::new(&scenario.network, plan, config)
}

/// Runs the measured part. Valgrind counts from its entry to its exit: it keeps its name and is not inlined.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn measured(world: &mut World<WheelAgenda>, until: Time) {
    world.run_until(until);
}
