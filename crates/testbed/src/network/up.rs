//! Creation of a testbed, and removal of its parts if a step fails.

use super::blueprint::INTERFACE;
use super::blueprint::{Blueprint, Cable, End};
use super::dctcp::{self, Control};
use super::features::{KernelFeatures, rack};
use super::hosts::{self, port_interface};
use super::lock::Lock;
use super::state::{self, ROOT, State};
use super::switches::{self, Engine};
use super::sysctl::write_sysctl;
use super::{agent, down, marks, multipath, netns, tools};
use crate::error::Error;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Testbed to build.
pub struct TestbedPlan<'a> {
    /// Network to build.
    pub blueprint: &'a Blueprint,
    /// Engine that forwards frames.
    pub engine: &'a Engine,
    /// Data of the caller, stored in the state.
    pub note: serde_json::Value,
}

/// Builds a testbed. If a step fails, or `stop` becomes true, nothing is left.
///
/// Every part is listed in [`State`] before it is created, so that [`down`](down::down) finds it even if this
/// process is killed at any point.
pub fn up(plan: &TestbedPlan<'_>, stop: &AtomicBool) -> Result<State, Error> {
    tools::need()?;
    plan.blueprint.check().map_err(Error::Input)?;
    let control = Control::of(plan.blueprint.settings.congestion, &plan.blueprint.name);
    if matches!(control, Control::Ours(_)) {
        dctcp::need()?;
    }
    if plan.blueprint.settings.agent.is_some() {
        agent::need()?;
    }
    marks::need(plan.blueprint)?;
    if plan.blueprint.settings.subflows.is_some() {
        multipath::need()?;
    }
    let lock = Lock::wait(Path::new(ROOT))?;
    nothing_in_the_way(&plan.blueprint.name)?;
    let mut state = State {
        blueprint: plan.blueprint.clone(),
        spaces: plan.blueprint.spaces(),
        dctcp: match &control {
            Control::Own(_) => None,
            Control::Ours(name) => Some(name.clone()),
        },
        engine: plan.engine.name().into(),
        complete: false,
        note: plan.note.clone(),
        kernel: None,
    };
    state.write()?;
    let built = build(plan, &control, stop).and_then(|features| {
        state.kernel = Some(features);
        state.complete = true;
        state.write()
    });
    match built {
        Ok(()) => Ok(state),
        Err(why) => match down::remove(&plan.blueprint.name, &lock) {
            Ok(()) => Err(why),
            Err(also) => Err(Error::Work(format!(
                "{why}\n\
                 removing the partial testbed failed as well: {also}"
            ))),
        },
    }
}

/// Builds all parts; returns the kernel features of the first host afterwards.
fn build(
    plan: &TestbedPlan<'_>,
    control: &Control,
    stop: &AtomicBool,
) -> Result<KernelFeatures, Error> {
    let print = plan.blueprint;
    let go_on = || match stop.load(Ordering::Relaxed) {
        true => Err(Error::Work(
            "interrupted; the partial testbed is removed".into(),
        )),
        false => Ok(()),
    };
    if let Control::Ours(name) = control {
        dctcp::register(&print.name, name, print.settings.congestion)?;
    }
    agent::build(print)?;
    marks::build(print)?;
    go_on()?;
    let add: Vec<String> = print
        .spaces()
        .iter()
        .map(|s| format!("netns add {s}"))
        .collect();
    tools::ip(None, &add)?;
    go_on()?;
    tools::ip(None, &cables(print))?;
    for i in 0..print.switches.len() {
        go_on()?;
        set_up_switch(print, i)?;
    }
    let rack = rack();
    for i in 0..print.hosts {
        go_on()?;
        hosts::set_up(print, i, control.name(), rack)?;
    }
    go_on()?;
    switches::start(print, plan.engine)?;
    go_on()?;
    KernelFeatures::of_space(&print.host_space(0))
}

/// Returns the lines of `ip` that create the cables, each a veth pair inside its two namespaces.
fn cables(print: &Blueprint) -> Vec<String> {
    let mut next = vec![0; print.switches.len()];
    let mut end = |end: End| match end {
        End::Host(h) => (INTERFACE.to_string(), print.host_space(h)),
        End::Switch(s) => {
            next[s] += 1;
            (port_interface(next[s] - 1), print.switch_space(s))
        }
    };
    let line = |cable: &Cable| {
        let ((a, of_a), (b, of_b)) = (end(cable.a), end(cable.b));
        format!("link add {a} netns {of_a} type veth peer name {b} netns {of_b}")
    };
    print.cables.iter().map(line).collect()
}

/// Sets up a switch's namespace: its ports, and no protocol that would answer by itself.
fn set_up_switch(print: &Blueprint, i: usize) -> Result<(), Error> {
    let space = print.switch_space(i);
    let ports: Vec<String> = (0..print.ports(i).len()).map(port_interface).collect();
    netns::within(&space, || {
        write_sysctl("net/ipv6/conf/all/disable_ipv6", "1")?;
        write_sysctl("net/ipv6/conf/default/disable_ipv6", "1")?;
        ports.iter().try_for_each(|port| hosts::offloads_off(port))
    })?;
    let far = print.ports(i).into_iter().map(|(_, far)| far);
    let line = |(p, far): (&String, End)| format!("link set {p} arp off{} up", mtu(print, far));
    let lines: Vec<String> = ports.iter().zip(far).map(line).collect();
    tools::ip(Some(&space), &lines)
}

/// Returns the MTU option of a port: tags make frames longer, between switches only.
fn mtu(print: &Blueprint, far: End) -> String {
    match far {
        End::Switch(_) if print.fabric_mtu > 0 => format!(" mtu {}", print.fabric_mtu),
        _ => String::new(),
    }
}

/// Refuses a name that an existing testbed, namespace or congestion control has.
fn nothing_in_the_way(name: &str) -> Result<(), Error> {
    let remove = format!("`sidestep testbed down --name {name}` removes it");
    if let Some(state) = State::read(name)? {
        let what = match state.complete {
            true => "is up",
            false => "is incomplete",
        };
        return Err(Error::Input(format!(
            "testbed {name} {what} ({} namespaces, {}); {remove}",
            state.spaces.len(),
            state::folder(name).display()
        )));
    }
    let spaces = netns::of_testbed(name);
    if !spaces.is_empty() {
        return Err(Error::Input(format!(
            "cannot build testbed {name}: namespaces {} already exist; {remove}, or choose another \
             --name",
            spaces.join(", ")
        )));
    }
    let own = dctcp::own_name(name);
    if dctcp::available().contains(&own) {
        return Err(Error::Input(format!(
            "cannot build testbed {name}: the congestion control {own} is already registered; \
             {remove}"
        )));
    }
    Ok(())
}
