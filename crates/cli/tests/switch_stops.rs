//! Tests of a switch whose process is stopped in the middle of traffic: its decisions are those it would have
//! made in time. Skipped, with the reason, if the kernel forbids namespaces.
//!
//! The tests do not depend on the machine's speed. The sender's own clock leaves enough time between frames for
//! its link to become free, and the switch continues after a number of frames was sent.

mod common;

use common::switching::{PATIENCE, Running, state_of, until, wiring};
use serde_json::Value;
use sidestep_softswitch::trial::flood::{Source, udp_frame};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A full frame takes 6.2 ms at 2 Mbps: one each 15.8 ms is a load of 39 %.
const RATE: &str = "2 Mbps";
const APART: Duration = Duration::from_micros(15_800);
/// Capacity of a queue; `MEANWHILE` frames, several times as many, are sent while the switch is stopped.
const ROOM: u64 = 10;
const MEANWHILE: u64 = 30;

/// Sends from these hosts in turn to host 2, one frame at a time, until `over`; counts the frames.
fn send_in_turn(sources: &mut [Source], sent: &AtomicU64, over: &AtomicBool) {
    let frames: Vec<Vec<u8>> = (0..sources.len())
        .map(|from| udp_frame(1514, from as u8, 2))
        .collect();
    let began = Instant::now();
    while !over.load(Ordering::Relaxed) {
        assert!(began.elapsed() < PATIENCE, "never over");
        let turn = sent.load(Ordering::Relaxed) as usize % sources.len();
        sources[turn].send(std::iter::once(&frames[turn][..]));
        sent.fetch_add(1, Ordering::Relaxed);
        // Between the end of this one and the beginning of the next: never less, however late either is.
        std::thread::sleep(APART);
    }
}

/// Stops a switch of three ports five times during traffic from the first two to the third; returns its
/// counters and the number of frames sent.
fn stopped() -> Option<(Value, u64)> {
    let wiring = wiring(3)?;
    let capacity = format!("capacity = \"{ROOM} pkt\"");
    let running = Running::start(wiring, RATE, &capacity, "");
    let open = |host: usize| running.wiring.hosts[host].within(|| Source::open("eth0").unwrap());
    let mut sources = [open(0), open(1)];
    let (sent, over) = (AtomicU64::new(0), AtomicBool::new(false));
    running.ask("reset").unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| send_in_turn(&mut sources, &sent, &over));
        for _ in 0..5 {
            let so_far = |more: u64| {
                let goal = sent.load(Ordering::Relaxed) + more;
                until("frames are sent", || sent.load(Ordering::Relaxed) >= goal);
            };
            so_far(3);
            running.signal(libc::SIGSTOP);
            until("the switch is stopped", || {
                state_of(running.child.id()) == 'T'
            });
            so_far(MEANWHILE);
            running.signal(libc::SIGCONT);
        }
        over.store(true, Ordering::Relaxed);
    });
    let sent = sent.into_inner();
    let arrived = |counters: &Value| {
        let of = |port: &str| counters["ports"][port]["io"]["received"].as_u64().unwrap();
        of("h0") + of("h1")
    };
    until("all was read, and has left", || {
        let counters = running.counters();
        arrived(&counters) >= sent && counters["held"] == 0
    });
    Some((running.end(), sent))
}

#[test]
fn a_switch_that_was_stopped_drops_nothing_for_want_of_room() {
    let Some((last, sent)) = stopped() else {
        return;
    };
    assert!(sent >= 5 * MEANWHILE, "{sent}");
    let h2 = &last["ports"]["h2"];
    assert_eq!(h2["drops"]["full"], 0, "of {sent}: {last}");
    assert!(h2["tx_frames"].as_u64() >= Some(sent), "of {sent}: {last}");
    for port in ["h0", "h1"] {
        assert_eq!(last["ports"][port]["io"]["kernel_drops"], 0, "{last}");
    }
    // Late departures are reported: five stops, each longer than a frame's time.
    let late = &last["lateness"];
    assert!(late["stalls"].as_u64() >= Some(5), "{last}");
    let least_ms = 5.0 * (MEANWHILE - 2) as f64 * APART.as_secs_f64() * 1e3;
    assert!(late["stalled_ms"].as_f64() >= Some(least_ms), "{last}");
    assert!(late["late"].as_u64() >= Some(5 * (MEANWHILE - 2)), "{last}");
}
