//! `sidestep testbed up` and `down`

use super::args::{DownArgs, UpArgs};
use super::scene::{Order, Scene, choose};
use super::which;
use crate::{Failure, Outcome, out};
use sidestep_softswitch::testbed::{self, Engine, Plan, State};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Builds a testbed and says what stands.
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
    let (state, scene) = build(&order, args.bridge, &stop)?;
    say(&state, &scene, &order);
    Ok(0)
}

/// Builds what was ordered; nothing is left when that fails, or `stop` becomes true.
pub fn build(order: &Order, bridge: bool, stop: &AtomicBool) -> Result<(State, Scene), Failure> {
    let scene = order.read(None)?;
    let engine = match bridge {
        true => Engine::Bridge,
        false => {
            let program = std::env::current_exe()
                .map_err(|e| Failure::work(format!("cannot find this very program: {e}")))?;
            Engine::Switch(program, vec!["switch".into()])
        }
    };
    let plan = Plan {
        blueprint: &scene.blueprint,
        engine: &engine,
        note: order.to_json(),
    };
    let state = testbed::up(&plan, stop)?;
    Ok((state, scene))
}

fn say(state: &State, scene: &Scene, order: &Order) {
    let print = &state.blueprint;
    out::say(&format!(
        "testbed {}: {} hosts, {} of {}, {} cables; scheme {}, {} for {}, everything {} times slower\n",
        print.name,
        print.hosts,
        print.switches.len(),
        match state.engine.as_str() {
            "bridge" => "Linux's bridges",
            _ => "our switches",
        },
        print.cables.len(),
        order.scheme,
        scene.scale.bed,
        scene.scale.model,
        scene.scale.factor(),
    ));
    if let Some(name) = &state.dctcp {
        out::say(&format!(
            "this kernel has no dctcp of these parameters: registered ours as {name}\n"
        ));
    }
    out::say(&format!(
        "next: sidestep testbed run --name {0}; sidestep testbed down --name {0}\n",
        print.name
    ));
}

/// Takes a testbed away.
pub fn down(args: &DownArgs) -> Outcome {
    let name = match which(&args.name) {
        Ok(name) => name,
        // Nothing to remove is what was wanted.
        Err(_) if args.name.is_none() && testbed::names().is_empty() => {
            out::say("no testbed is up\n");
            return Ok(0);
        }
        Err(failure) => return Err(failure),
    };
    match testbed::down(&name, args.force)? {
        true => out::say(&format!("testbed {name} is removed\n")),
        false => out::say(&format!("no testbed called {name} is up\n")),
    }
    Ok(0)
}

/// A file is found again from another folder; a shipped name stays.
fn absolute(which: &str) -> String {
    match Path::new(which).canonicalize() {
        Ok(path) => path.display().to_string(),
        Err(_) => which.to_string(),
    }
}

/// Becomes true with Ctrl-C; what was built is then removed.
pub fn interrupted() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stop);
    // Without a handler the default applies, and `down` removes what was built.
    let _ = ctrlc::set_handler(move || seen.store(true, Ordering::Relaxed));
    stop
}
