//! `sidestep testbed up` and `down`

use super::args::{DownArgs, UpArgs};
use crate::failure::{Failure, Outcome};
use crate::out;
use crate::values::Datapath;
use sidestep_testbed::network::down::down as remove;
use sidestep_testbed::network::state::{State, names};
use sidestep_testbed::network::switches::Engine;
use sidestep_testbed::order::{Order, absolute, choose};
use sidestep_testbed::overview::about_kernel;
use sidestep_testbed::setup::TestbedSetup;
use sidestep_testbed::standing::which;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Builds a testbed and prints its description.
pub fn up(args: &UpArgs) -> Outcome {
    let order = Order {
        scenario: absolute(&args.scenario),
        scheme: choose(&args.scenario, &args.sets, &args.scheme)?,
        sets: args.sets.clone(),
        quick: false,
        rate: args.rate.clone(),
        name: args.name.clone(),
    };
    let stop = interrupted();
    let (state, setup) = order.build(&engine(args.bridge, args.datapath)?, &stop)?;
    say(&state, &setup, &order);
    Ok(0)
}

/// Returns the engine that forwards frames: this program as switches, its programs in the kernel, or Linux
/// bridges.
pub fn engine(bridge: bool, datapath: Datapath) -> Result<Engine, Failure> {
    if bridge {
        return Ok(Engine::Bridge);
    }
    let program = std::env::current_exe()
        .map_err(|e| Failure::work(format!("cannot find the path of this program: {e}")))?;
    let words = |words: &[&str]| words.iter().map(|word| word.to_string()).collect();
    Ok(match datapath {
        Datapath::Packet => Engine::Switch(program, words(&["switch"])),
        Datapath::Ebpf => Engine::Ebpf(program, words(&["switch", "--datapath", "ebpf"])),
    })
}

fn say(state: &State, setup: &TestbedSetup, order: &Order) {
    let print = &state.blueprint;
    out::say(&format!(
        "testbed {}: {} hosts, {} {}, {} cables; scheme {}; links of {} emulate {}, {} times \
         slower\n",
        print.name,
        print.hosts,
        print.switches.len(),
        match state.engine.as_str() {
            "bridge" => "Linux bridges",
            "ebpf" => "switches in the kernel",
            _ => "software switches",
        },
        print.cables.len(),
        order.scheme,
        setup.scale.bed,
        setup.scale.model,
        setup.scale.factor(),
    ));
    if let Some(name) = &state.dctcp {
        out::say(&format!(
            "this kernel has no dctcp with these parameters: registered Sidestep's as {name}\n"
        ));
    }
    out::say(&about_kernel(state));
    out::say(&format!(
        "next: sidestep testbed run --name {0}; sidestep testbed down --name {0}\n",
        print.name
    ));
}

/// Removes a testbed.
pub fn down(args: &DownArgs) -> Outcome {
    let name = match which(&args.name) {
        Ok(name) => name,
        // Without a testbed there is nothing to remove, which is no error.
        Err(_) if args.name.is_none() && names().is_empty() => {
            out::say("no testbed is up\n");
            return Ok(0);
        }
        Err(error) => return Err(error.into()),
    };
    match remove(&name, args.force)? {
        true => out::say(&format!("removed testbed {name}\n")),
        false => out::say(&format!("no testbed {name} is up\n")),
    }
    Ok(0)
}

/// Returns a flag that becomes true at Ctrl-C; the parts already built are then removed.
pub fn interrupted() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stop);
    // Without a handler the default applies, and `down` removes the parts that were built.
    let _ = ctrlc::set_handler(move || seen.store(true, Ordering::Relaxed));
    stop
}
