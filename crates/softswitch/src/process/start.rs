//! Everything opened, privileges dropped, threads started, frames moved until the end.

use super::capture::Prepared;
use super::control::ControlHandler;
use super::engine::Engine;
use super::log::Log;
use super::number::number_of_its_own;
use super::orders::{Order, orders};
use super::polling::Polling;
use super::priority::{Priority, lock_memory, no_timer_slack};
use super::signals::{Signal, Signals};
use super::snapshot::Snapshot;
use super::{control, metrics, privileges, syscalls, user};
use crate::frame::Carry;
use crate::io::Port;
use crate::io::interface::Inquiry;
use crate::io::links::LinkNews;
use crate::machine::Machine;
use crate::setup::{PortSetup, RunAs, Setup, interface_fits};
use sidestep_types::{Time, Words};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::sync::Arc;

/// Runs the switch that `setup` describes until SIGTERM, SIGINT or an order to stop; its last
/// counters. The end of the clock, after 213 days, is an error. `reread` reads the config's file again, on SIGHUP or when asked to.
pub fn run(
    setup: &Setup,
    reread: impl Fn() -> Result<Setup, String> + Send + Sync + 'static,
) -> Result<Snapshot, String> {
    let signals = Signals::block();
    let log = Log::new(&setup.name);
    let names: Vec<String> = setup.ports.iter().map(|p| p.name.clone()).collect();
    let (sender, orders) = orders().map_err(|e| e.to_string())?;
    let ports = open(setup)?;
    let inquiry = Inquiry::new().map_err(|e| e.to_string())?;
    let news = LinkNews::listen().map_err(|e| e.to_string())?;
    let mut machine = Machine::new(setup)?;
    machine.set_number(number_of_its_own());
    let mut engine = Engine::new(machine, ports, orders, news, inquiry, log.clone());
    engine.names = names;
    engine.busy = setup.process.busy;
    engine.polling = Polling::new(polled(setup, &log));
    let doors = Doors::open(setup)?;
    steady(setup, &mut engine.priority, &log);
    drop_privileges(setup, &log)?;
    if let Some(path) = setup.process.capture.as_deref() {
        // SAFETY: no memory is passed.
        let me = unsafe { libc::geteuid() };
        let capture = Prepared::open(path, false, &setup.ports)
            .map_err(|e| format!("{e} (it is opened as user {me})"))?;
        engine.watch(capture.start(setup.process.capture_drops_only, log.clone())?);
    }
    let handler = ControlHandler {
        setup: Arc::new(setup.clone()),
        log: log.clone(),
        sender,
        reread: Arc::new(reread),
        refuses: |_| None,
    };
    doors.serve(&handler)?;
    thread("signals", move || heed(&signals, &handler))?;
    for port in engine.ports.iter().zip(&setup.ports).filter(|(_, s)| s.xdp) {
        let (name, way) = (&port.1.name, port.0.way());
        log.say(format!("port {name} moves frames by {way}"));
    }
    for port in engine.ports.iter().filter(|port| !port.running()) {
        let name = port.name();
        log.say(format!(
            "interface {name} is down: frames to it are dropped"
        ));
    }
    if setup.process.seccomp && setup.process.user != RunAs::Keep {
        syscalls::confine()?;
    }
    let (count, idle) = (setup.ports.len(), engine.idle());
    log.say(format!("switches {count} ports, {idle}"));
    let ended = engine.run();
    let last = engine.snapshot();
    // Waits for a capture to be written.
    drop(engine);
    match &ended {
        Ok(()) => log.say("stopped"),
        Err(why) => log.say(format!("stopped: {why}")),
    }
    ended?;
    Ok(last)
}

/// The ports, in their order.
fn open(setup: &Setup) -> Result<Vec<Port>, String> {
    let inquiry = Inquiry::new().map_err(|e| e.to_string())?;
    (setup.ports.iter())
        .map(|port| {
            let open = if port.xdp { Port::open_xdp } else { Port::open };
            let opened = open(&inquiry, &port.interface);
            let opened = opened.map_err(|e| format!("port {}: {e}", port.name))?;
            if let Ok(state) = inquiry.interface(&port.interface) {
                interface_fits(setup.mtu, port, state.mtu)?;
                if let Some(tags) = setup.tags {
                    fits(port, tags.carry, state.mtu)?;
                }
            }
            Ok(opened)
        })
        .collect()
}

/// Refuses a link between switches on which a full frame with its tag would be lost.
fn fits(port: &PortSetup, carry: Carry, mtu: u32) -> Result<(), String> {
    let least = carry.mtu();
    if !port.to_switch || mtu >= least {
        return Ok(());
    }
    let (name, interface, word) = (&port.name, &port.interface, carry.word());
    Err(format!(
        "port {name}: interface {interface:?} has an MTU of {mtu}: frames with switch.tags = {word:?} need \
         {least} (ip link set {interface} mtu {least}), at the other end too"
    ))
}

/// How long the loop polls. On a machine of one core whoever sends the next frame would wait for it.
fn polled(setup: &Setup, log: &Log) -> Time {
    // SAFETY: no memory is passed.
    let cores = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    if cores == 1 && setup.process.poll > Time::ZERO {
        log.say("this machine has one core: it sleeps and does not poll");
        return Time::ZERO;
    }
    setup.process.poll
}

/// Makes this process wake up when it should, as far as the kernel allows it.
fn steady(setup: &Setup, priority: &mut Priority, log: &Log) {
    no_timer_slack();
    if let Err(e) = lock_memory() {
        log.say(format!(
            "memory is not locked ({e}; RLIMIT_MEMLOCK): no harm unless the machine swaps"
        ));
    }
    if setup.process.realtime && !setup.process.busy {
        match Priority::realtime() {
            Ok(high) => *priority = high,
            Err(e) => log.say(format!("runs without SCHED_FIFO: {e}")),
        }
    }
}

/// Becomes who the config says, and tells of what could not be given up.
pub(crate) fn drop_privileges(setup: &Setup, log: &Log) -> Result<(), String> {
    let wanted = &setup.process.user;
    let Some(user) = user::choose(wanted, &setup.name)? else {
        return Ok(());
    };
    let kept = privileges::drop_to(&user, matches!(wanted, RunAs::User(_)))?;
    // SAFETY: no memory is passed.
    match unsafe { libc::geteuid() } {
        me if me == user.uid => log.say(format!("runs as {user}")),
        me => log.say(format!("runs as user {me}, who started it")),
    }
    if kept.bounding_set {
        log.say("keeps its bounding set, without use: emptying it takes CAP_SETPCAP");
    }
    if kept.groups > 0 {
        let groups = kept.groups;
        log.say(format!(
            "keeps the {groups} groups that it was started with: leaving them takes CAP_SETGID"
        ));
    }
    Ok(())
}

/// Where others ask.
pub(crate) struct Doors {
    control: Option<UnixListener>,
    metrics: Option<TcpListener>,
}

impl Doors {
    pub(crate) fn open(setup: &Setup) -> Result<Doors, String> {
        let control = (setup.process.control.as_deref()).map(control::listen);
        let metrics = setup.process.metrics.map(metrics::listen);
        Ok(Doors {
            control: control.transpose()?,
            metrics: metrics.transpose()?,
        })
    }

    pub(crate) fn serve(self, handler: &ControlHandler) -> Result<(), String> {
        if let Some(listener) = self.control {
            let handler = handler.clone();
            thread("control", move || control::serve(&listener, &handler))?;
        }
        if let Some(listener) = self.metrics {
            let handler = handler.clone();
            thread("metrics", move || {
                metrics::serve(&listener, &handler.setup.name, &handler.sender)
            })?;
        }
        Ok(())
    }
}

pub(crate) fn heed(signals: &Signals, handler: &ControlHandler) {
    loop {
        match signals.wait() {
            Signal::Stop => {
                handler.sender.give(Order::Stop);
            }
            Signal::Reload => match handler.reload() {
                Ok(()) => handler.log.say("read its config again"),
                Err(e) => handler.log.say(format!("keeps its config: {e}")),
            },
        }
    }
}

pub(crate) fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), String> {
    (std::thread::Builder::new().name(name.into()))
        .spawn(work)
        .map(|_| ())
        .map_err(|e| format!("cannot start thread {name}: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_between_switches_has_room_for_tags() {
        let text =
            "[switch]\n[[port]]\ninterface = \"e0\"\nrate = \"1 Gbps\"\nleads_to = \"switch\"\n";
        let mut port = Setup::read("s", text).unwrap().ports.remove(0);
        assert_eq!(fits(&port, Carry::Ethertype, 1507), Ok(()));
        assert_eq!(fits(&port, Carry::Option, 1500), Ok(()));
        let said = fits(&port, Carry::Ethertype, 1506).unwrap_err();
        assert!(said.contains("\"e0\" has an MTU of 1506"), "{said}");
        assert!(
            said.contains("need 1507 (ip link set e0 mtu 1507)"),
            "{said}"
        );
        port.to_switch = false;
        assert_eq!(
            fits(&port, Carry::Ethertype, 1500),
            Ok(()),
            "hosts see none"
        );
    }
}
