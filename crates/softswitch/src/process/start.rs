//! Start of a switch: opens everything, drops privileges, starts threads, and moves frames until the end.

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

/// Runs the switch that `setup` describes until SIGTERM, SIGINT or an order to stop; returns its last counters.
/// The end of the clock, after 213 days, is an error. `reread` reads the config file again, on SIGHUP or on
/// request.
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
    let doors = ListeningSockets::open(setup)?;
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
        log.say(format!("port {name} uses {way}"));
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
    // Waits until the capture is written.
    drop(engine);
    match &ended {
        Ok(()) => log.say("stopped"),
        Err(why) => log.say(format!("stopped: {why}")),
    }
    ended?;
    Ok(last)
}

/// Opens the ports, in their order.
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

/// Rejects a link between switches whose MTU is too small for a full frame with its tag.
fn fits(port: &PortSetup, carry: Carry, mtu: u32) -> Result<(), String> {
    let least = carry.mtu();
    if !port.to_switch || mtu >= least {
        return Ok(());
    }
    let (name, interface, word) = (&port.name, &port.interface, carry.word());
    Err(format!(
        "port {name}: interface {interface:?} has an MTU of {mtu}: frames with switch.tags = \
         {word:?} need an MTU of {least}: ip link set {interface} mtu {least}, and the same at the \
         other end"
    ))
}

/// Returns how long the loop polls: on a machine with one core not at all, since the sender of the next frame
/// would wait for it.
fn polled(setup: &Setup, log: &Log) -> Time {
    // SAFETY: no memory is passed.
    let cores = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    if cores == 1 && setup.process.poll > Time::ZERO {
        log.say("machine with one core: the switch sleeps instead of polling");
        return Time::ZERO;
    }
    setup.process.poll
}

/// Makes this process wake up on time, as far as the kernel allows it.
fn steady(setup: &Setup, priority: &mut Priority, log: &Log) {
    no_timer_slack();
    if let Err(e) = lock_memory() {
        log.say(format!(
            "memory is not locked ({e}; see RLIMIT_MEMLOCK): harmless unless the machine swaps"
        ));
    }
    if setup.process.realtime && !setup.process.busy {
        match Priority::realtime() {
            Ok(high) => *priority = high,
            Err(e) => log.say(format!("runs without SCHED_FIFO: {e}")),
        }
    }
}

/// Becomes the user in the config, and logs privileges that could not be given up.
pub(crate) fn drop_privileges(setup: &Setup, log: &Log) -> Result<(), String> {
    let wanted = &setup.process.user;
    let Some(user) = user::choose(wanted, &setup.name)? else {
        return Ok(());
    };
    let kept = privileges::drop_to(&user, matches!(wanted, RunAs::User(_)))?;
    // SAFETY: no memory is passed.
    match unsafe { libc::geteuid() } {
        me if me == user.uid => log.say(format!("runs as {user}")),
        me => log.say(format!("runs as user {me}, as it was started")),
    }
    if kept.bounding_set {
        log.say(
            "keeps its capability bounding set, which it cannot use: emptying it needs CAP_SETPCAP",
        );
    }
    if kept.groups > 0 {
        let groups = kept.groups;
        log.say(format!(
            "keeps its {groups} supplementary groups: leaving them needs CAP_SETGID"
        ));
    }
    Ok(())
}

/// Listening sockets for control and metrics.
pub(crate) struct ListeningSockets {
    control: Option<UnixListener>,
    metrics: Option<TcpListener>,
}

impl ListeningSockets {
    pub(crate) fn open(setup: &Setup) -> Result<ListeningSockets, String> {
        let control = (setup.process.control.as_deref()).map(control::listen);
        let metrics = setup.process.metrics.map(metrics::listen);
        Ok(ListeningSockets {
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
            said.contains("need an MTU of 1507: ip link set e0 mtu 1507"),
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
