//! Scratch.
use sidestep_softswitch::io::{Port, interface::Inquiry, links::LinkNews};
use sidestep_softswitch::machine::{Departure, Handle};
use sidestep_softswitch::process::{
    engine::Engine,
    log::Log,
    orders::{Order, orders},
    switch::Switch,
};
use sidestep_softswitch::setup::Setup;
use sidestep_softswitch::trial::{flood::*, wiring::*};
use sidestep_types::{PortId, Time};
use std::collections::VecDeque;
use std::time::Duration;

#[derive(Default)]
struct Cross {
    pool: Vec<Vec<u8>>,
    free: Vec<u32>,
    queue: VecDeque<Departure>,
}
impl Switch for Cross {
    fn receive(&mut self, now: Time, port: PortId, frame: &[u8]) {
        let h = self.free.pop().unwrap_or_else(|| {
            self.pool.push(Vec::with_capacity(2048));
            self.pool.len() as u32 - 1
        });
        let b = &mut self.pool[h as usize];
        b.clear();
        b.extend_from_slice(frame);
        self.queue.push_back(Departure {
            port: PortId(1 - port.0),
            due: now,
            handle: Handle(h),
        });
    }
    fn poll_send(&mut self, _: Time) -> Option<Departure> {
        self.queue.pop_front()
    }
    fn next_departure(&self) -> Option<Time> {
        self.queue.front().map(|d| d.due)
    }
    fn frame(&self, h: Handle) -> &[u8] {
        &self.pool[h.0 as usize]
    }
    fn release(&mut self, h: Handle) {
        self.free.push(h.0)
    }
    fn reload(&mut self, _: Time, _: &Setup) -> Result<(), String> {
        Ok(())
    }
}

fn cpu() -> f64 {
    unsafe {
        let mut t: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut t);
        t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
    }
}

fn main() {
    let busy = std::env::args().nth(1).as_deref() == Some("busy");
    for length in [60usize, 1514] {
        let w = Wiring::new(2).unwrap();
        let (desk, orders) = orders().unwrap();
        let (w2, d2) = (&w, desk.clone());
        std::thread::scope(|s| {
            let t = s.spawn(move || {
                w2.switch.within(|| {
                    pin(0);
                    let q = Inquiry::new().unwrap();
                    let ports = vec![Port::open(&q, "p0").unwrap(), Port::open(&q, "p1").unwrap()];
                    let news = LinkNews::listen().unwrap();
                    let mut e =
                        Engine::new(Cross::default(), ports, orders, news, q, Log::new("x"));
                    e.busy = busy;
                    let c = cpu();
                    e.run();
                    (cpu() - c, e.snapshot())
                })
            });
            std::thread::sleep(Duration::from_millis(200));
            let before = w.received(1).unwrap();
            let f = w.hosts[0].within(|| {
                pin(1);
                flood("eth0", &udp_frame(length, 0, 1), Duration::from_secs(3)).unwrap()
            });
            let got = w.received(1).unwrap() - before;
            d2.give(Order::Stop);
            let (c, snap) = t.join().unwrap();
            println!(
                "{length}: sent {:.0}/s got {:.0}/s cpu {:.0} ns/frame io {:?} late p50 {} p99 {}",
                f.frames as f64 / f.seconds,
                got as f64 / f.seconds,
                c * 1e9 / got as f64,
                snap.ports[0].io,
                snap.lateness.quantile_ns(0.5),
                snap.lateness.quantile_ns(0.99)
            );
        });
    }
}
