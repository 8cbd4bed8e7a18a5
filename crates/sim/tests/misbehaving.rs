//! Custom policies that break their promises must be stopped with a message, before a number they return is
//! used as an index. In a debug build an index that is out of range panics with "index … of …": that message is
//! the bug these tests look for. In a release build there is no such check, so scripts/test-all.sh runs them
//! optimised, under a sanitizer.

mod common;

use common::*;
use proptest::prelude::*;
use sidestep_sim::*;
use sidestep_switch::testing::data;
use sidestep_switch::{
    AnyBuffer, AnyRoute, AnySched, Buffer, Capacity, Class, DropReason, Hops, Queues, Route, Sched,
    Verdict, Want,
};
use sidestep_types::Rng;
use sidestep_types::*;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

/// Returns a world in which eight hosts send to one, over a leaf-spine network whose ports hold four packets.
fn world() -> World {
    let network = topology(
        "leaf_spine",
        &[("leaves", "3"), ("spines", "2"), ("hosts_per_leaf", "3")],
    );
    let mut settings = config("ecn", 4, 1);
    settings.switch.capacity = Capacity::PerPort(Size::Packets(4));
    World::new(&network, incast(1..9, 14_600), settings).expect("a world")
}

/// Returns the message of the panic that stops `run`; `None` without one.
fn stopped<T>(run: impl FnOnce() -> T) -> Option<String> {
    let caught = catch_unwind(AssertUnwindSafe(run)).err()?;
    let said = match caught.downcast::<String>() {
        Ok(text) => *text,
        Err(other) => other.downcast::<&str>().map_or_else(
            |_| panic!("a panic without a message"),
            |text| text.to_string(),
        ),
    };
    let unchecked = said.starts_with("index ") && !said.contains("out of bounds");
    assert!(!unchecked, "an unchecked index: {said}");
    Some(said)
}

fn stopped_with(mut world: World) -> String {
    stopped(|| world.run_until(Time::from_ms(50))).expect("a run that is stopped")
}

#[test]
fn queues_are_not_told_of_an_instant_that_has_passed_or_is_not_served_yet() {
    let mut world = world();
    let served = Time::from_us(100);
    world.run_until(served);
    assert_eq!(world.now(), served);
    world.queue_depths(served);
    for at in [Time::from_us(1), served + Time::from_ps(1)] {
        let said = stopped(|| world.queue_depths(at)).expect("a look that is refused");
        assert!(
            said.starts_with("queue depths were requested at "),
            "{said}"
        );
    }
}

#[test]
fn queues_are_not_told_of_an_instant_after_the_end_of_the_run() {
    let mut world = world();
    assert!(world.run_until(Time::from_s(10)), "all is delivered");
    let end = world.now();
    for limit in [Time::from_s(10), Time::from_s(20)] {
        world.run_until(limit);
        world.queue_depths(end);
        for at in [end + Time::from_ps(1), limit] {
            let said = stopped(|| world.queue_depths(at)).expect("a look that is refused");
            assert!(
                said.ends_with(&format!(" known only from {end} to {end}")),
                "{said}"
            );
        }
    }
}

fn with_sched<S: Sched + Send + 'static>(make: impl Fn() -> S) -> World {
    let mut world = world();
    world.set_scheds(|_, _| AnySched::Custom(Box::new(make())));
    world
}

fn with_buffer<B: Buffer + Send + 'static>(make: impl Fn() -> B) -> World {
    let mut world = with_sched(Lifo::default);
    world.set_buffers(|_| AnyBuffer::Custom(Box::new(make())));
    world
}

/// Scheduler whose `pop` and `evict` are given by the caller.
struct ScriptedSched<F> {
    waiting: Vec<u32>,
    names: F,
}

impl<F: FnMut(&mut Vec<u32>) -> Option<u32>> Sched for ScriptedSched<F> {
    fn push(&mut self, _: &Packet, handle: u32) {
        self.waiting.push(handle);
    }
    fn pop(&mut self) -> Option<u32> {
        (self.names)(&mut self.waiting)
    }
    fn worst(&self) -> Option<u32> {
        Some(0)
    }
    fn evict(&mut self) -> Option<u32> {
        (self.names)(&mut self.waiting)
    }
}

fn own<F: FnMut(&mut Vec<u32>) -> Option<u32>>(names: F) -> ScriptedSched<F> {
    let waiting = Vec::new();
    ScriptedSched { waiting, names }
}

#[test]
fn a_scheduler_that_names_a_packet_there_never_was_is_stopped() {
    for packet in [1 << 20, u32::MAX - 1, u32::MAX] {
        let said = stopped_with(with_sched(|| own(move |_| Some(packet))));
        assert_eq!(
            said,
            format!("a scheduler named packet {packet}, which does not wait there")
        );
    }
}

#[test]
fn a_scheduler_that_names_a_packet_twice_is_stopped() {
    let said = stopped_with(with_sched(|| own(|waiting| waiting.last().copied())));
    assert!(said.contains("which does not wait there"), "{said}");
}

#[test]
fn a_scheduler_that_names_the_packet_of_another_port_is_stopped() {
    let shared = Arc::new(Mutex::new(Vec::new()));
    let said = stopped_with(with_sched(|| {
        let shared = Arc::clone(&shared);
        own(move |waiting| {
            let mut all = shared.lock().unwrap();
            all.append(waiting);
            // The oldest packet of any port.
            (!all.is_empty()).then(|| all.remove(0))
        })
    }));
    assert!(said.contains("which does not wait there"), "{said}");
}

/// Buffer policy that calls the given function when the queue is full.
struct WhenFull<F>(F);

impl<F: FnMut(&Packet, Want, &mut dyn Queues) -> Verdict> Buffer for WhenFull<F> {
    fn admit(&mut self, pkt: &Packet, want: Want, q: &mut dyn Queues, _: &mut Rng) -> Verdict {
        if want.fits {
            return Verdict::Enqueue { mark: false };
        }
        (self.0)(pkt, want, q)
    }
}

#[test]
fn a_buffer_that_evicts_where_nothing_can_be_evicted_is_stopped() {
    // A scheduler that does not evict.
    let evict = || WhenFull(|_: &Packet, _, _: &mut dyn Queues| Verdict::Evict { mark: false });
    assert!(stopped_with(with_buffer(evict)).contains("nothing to evict"));
    // No explicit queue at all.
    let mut fifo = world();
    fifo.set_buffers(|_| AnyBuffer::Custom(Box::new(evict())));
    assert!(stopped_with(fifo).contains("nothing to evict"));
    // An empty queue.
    struct Always;
    impl Buffer for Always {
        fn admit(&mut self, _: &Packet, _: Want, _: &mut dyn Queues, _: &mut Rng) -> Verdict {
            Verdict::Evict { mark: false }
        }
    }
    assert!(stopped_with(with_buffer(|| Always)).contains("nothing to evict"));
}

#[test]
fn a_scheduler_that_evicts_the_packet_on_the_wire_is_stopped() {
    let evict = || WhenFull(|_: &Packet, _, _: &mut dyn Queues| Verdict::Evict { mark: false });
    let mut world = with_sched(|| {
        let sent = RefCell::new(None);
        own(move |waiting| {
            // The first call is the one that sends; every later one names the same packet.
            let first = sent.borrow().or_else(|| waiting.first().copied());
            *sent.borrow_mut() = first;
            first
        })
    });
    world.set_buffers(|_| AnyBuffer::Custom(Box::new(evict())));
    let said = stopped_with(world);
    assert!(said.contains("which does not wait there"), "{said}");
}

#[test]
fn a_buffer_that_detours_to_a_port_that_is_not_there_or_to_a_host_is_stopped() {
    let to = |port: u16| {
        let detour = move |_: &Packet, _: Want, _: &mut dyn Queues| Verdict::Detour {
            port: PortId(port),
            mark: true,
        };
        stopped_with(with_buffer(|| WhenFull(detour)))
    };
    assert!(
        to(60_000).starts_with("port 60000 of a switch with"),
        "{}",
        to(60_000)
    );
    // Ports to hosts come before those to spines.
    assert!(to(2).contains("a packet reached a host that is not its destination"));
}

#[test]
fn a_buffer_that_detours_after_it_evicted_is_stopped() {
    let mut evicted = false;
    let both = move |_: &Packet, want: Want, _: &mut dyn Queues| {
        evicted = !evicted;
        match evicted {
            true => Verdict::Evict { mark: false },
            // The queue grows beyond its limit, so that one eviction is not enough.
            false => Verdict::Detour {
                port: want.port,
                mark: true,
            },
        }
    };
    let mut world = with_sched(|| own(|waiting| waiting.pop()));
    world.set_buffers(|_| AnyBuffer::Custom(Box::new(WhenFull(both))));
    let said = stopped_with(world);
    assert!(said.starts_with("a buffer policy said Detour {"), "{said}");
}

#[test]
fn a_buffer_that_asks_about_a_port_that_is_not_there_is_stopped() {
    const NOWHERE: PortId = PortId(60_000);
    // A set of ports has no higher number.
    const FAR: PortId = PortId(255);
    let asked: [fn(&mut dyn Queues) -> bool; 8] = [
        |q| q.depth(NOWHERE).packets > 0,
        |q| q.worst(NOWHERE).is_some(),
        |q| {
            let mut named = false;
            q.each_worst(NOWHERE, &mut |_, _| !std::mem::replace(&mut named, true));
            named
        },
        |q| q.queue(NOWHERE, 0).flows > 0,
        |q| {
            q.see(NOWHERE, &data());
            true
        },
        |q| q.could_fit(&data(), NOWHERE),
        |q| q.empty_at(NOWHERE) > Time::ZERO,
        |q| q.time_to_send(NOWHERE, Bytes(1)) > Time::ZERO,
    ];
    let stops = |ask: fn(&mut dyn Queues) -> bool| {
        stopped_with(with_buffer(|| {
            WhenFull(move |_: &Packet, _, q: &mut dyn Queues| {
                ask(q);
                Verdict::Drop(DropReason::Full)
            })
        }))
    };
    for ask in asked {
        let said = stops(ask);
        assert!(said.starts_with("port 60000 of a switch with "), "{said}");
    }
    let said = stops(|q| {
        let some = [PortId(0), FAR].into_iter().collect();
        !q.open_among(&data(), some).is_empty()
    });
    assert!(said.starts_with("port 255 of a switch with "), "{said}");
}

/// Policy that behaves, and sometimes misbehaves at random.
struct Mad(Rng, Vec<u32>);

impl Mad {
    fn new(seed: u64) -> Mad {
        Mad(Rng::from_seed(seed), Vec::new())
    }

    fn now(&mut self) -> bool {
        self.0.below(40) == 0
    }

    /// Draws a small number, a large one, or one of the largest.
    fn number(&mut self) -> u32 {
        match self.0.below(4) {
            0 => u32::MAX - self.0.below(3) as u32,
            1 => self.0.draw(),
            _ => self.0.below(64) as u32,
        }
    }
}

impl Sched for Mad {
    fn push(&mut self, _: &Packet, handle: u32) {
        self.1.push(handle);
        if self.now() {
            self.1.push(handle);
        }
    }
    fn pop(&mut self) -> Option<u32> {
        match self.now() {
            true => Some(self.number()),
            false => self.1.pop(),
        }
    }
    fn worst(&self) -> Option<u32> {
        self.1.last().copied()
    }
    fn evict(&mut self) -> Option<u32> {
        self.pop()
    }
    fn queue(&self, _: u8) -> Class {
        let depth = sidestep_switch::Depth {
            packets: 0,
            bytes: self.1.len() as u32,
        };
        Class { depth, flows: 0 }
    }
    fn see(&mut self, _: &Packet, _: Time) {
        if self.now() {
            self.1.pop();
        }
    }
}

impl Buffer for Mad {
    fn admit(&mut self, pkt: &Packet, want: Want, queues: &mut dyn Queues, _: &mut Rng) -> Verdict {
        let port = match self.now() {
            true => PortId(self.number() as u16),
            false => want.port,
        };
        queues.queue(port, 0);
        queues.see(port, pkt);
        let mark = self.0.below(2) == 0;
        match self.0.below(12) {
            0 => Verdict::Detour { port, mark: true },
            1 => Verdict::Evict { mark },
            2 => Verdict::Trim,
            3 => Verdict::Drop(DropReason::Early),
            _ => Verdict::Enqueue { mark },
        }
    }
}

impl Route for Mad {
    fn pick(&mut self, _: &Packet, hops: Hops<'_>, _: &mut dyn Queues, _: &mut Rng) -> PortId {
        match self.now() && self.now() {
            true => PortId(self.number() as u16),
            false => hops.ports[self.0.below(hops.ports.len() as u64) as usize],
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 2 } else { 300 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Checks this even if the driver of the run catches the panic and continues.
    #[test]
    fn whatever_policies_do_no_number_of_theirs_is_an_index_unchecked(
        seed: u64, which in 1u8..8, cioq: bool,
    ) {
        let network = topology("fat_tree", &[("k", "4")]);
        let mut settings = config("ecn", 4, seed);
        settings.switch.route = chosen_route("ecmp", &[]);
        settings.switch.cioq = cioq.then_some(CioqConfig {
            speedup: (1, 1),
            input_capacity: None,
        });
        let mut world: World = World::new(&network, incast(1..16, 14_600), settings).unwrap();
        if which & 1 != 0 {
            world.set_scheds(|s, p| {
                let own = seed ^ u64::from(s.0) << 16 ^ u64::from(p.0);
                AnySched::Custom(Box::new(Mad::new(own)))
            });
        }
        if which & 2 != 0 {
            world.set_buffers(|s| AnyBuffer::Custom(Box::new(Mad::new(seed ^ u64::from(s.0)))));
        }
        if which & 4 != 0 {
            world.set_routes(|s| AnyRoute::Custom(Box::new(Mad::new(!seed ^ u64::from(s.0)))));
        }
        for _ in 0..8 {
            if stopped(|| world.run_until(Time::from_ms(30))).is_none() {
                break;
            }
        }
        stopped(|| world.queue_lengths());
        stopped(|| world.finish());
    }
}
