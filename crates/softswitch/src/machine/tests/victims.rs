//! Tests of evicted frames.

use super::{leaving, older, switch, watched};
use crate::frame::sample::Sample;
use crate::machine::{FrameAction, FrameEvent, Machine};
use crate::setup::Mac;
use sidestep_switch::{AnyBuffer, Buffer, Changes, DropReason, Event, Queues, Verdict, Want};
use sidestep_types::{Packet, PortId, Rng, Time};
use std::sync::{Arc, Mutex};

const VERTIGO: &str = "capacity = \"4 pkt\"\nsched = \"srpt\"\nrank = \"dscp\"\n\
    buffer = { kind = \"vertigo\", mark_at = \"2 pkt\" }";

/// Returns a full frame of this rank, which can be marked.
fn ranked(from: u8, to: u8, rank: u8) -> Sample {
    Sample {
        tos: rank << 2 | 2,
        ..Sample::tcp(from, to, 1460)
    }
}

fn arrives(machine: &mut Machine, from: u16, sample: &Sample) {
    machine.receive(Time::ZERO, PortId(from), &sample.bytes());
}

/// Fills host 2's port with one frame of rank 0 on the wire and three queued, the worst of rank 40.
fn full_port(machine: &mut Machine) {
    for rank in [0, 40, 30, 20] {
        arrives(machine, 0, &ranked(1, 2, rank));
    }
}

/// Fills host 2's port, and both ports to switches with frames of a worse rank.
fn full_switch(machine: &mut Machine) {
    for flow in 0..20 {
        let mut sample = ranked(1, 4, 60);
        sample.ports.0 = flow;
        arrives(machine, 0, &sample);
    }
    full_port(machine);
}

#[test]
fn a_frame_that_is_sent_on_is_marked_in_its_bytes_and_squeezes_others_out() {
    let mut machine = switch(VERTIGO);
    full_switch(&mut machine);
    let before = machine.counters(Time::ZERO);
    let log = watched(&mut machine);
    arrives(&mut machine, 0, &ranked(1, 2, 7));
    let log = log.lock().unwrap().clone();
    let [squeezed_out, moved, joined] = log[..] else {
        panic!("{log:?}");
    };
    let FrameAction::Switched(Event::Evict { port, reason }) = squeezed_out.1 else {
        panic!("{squeezed_out:?}");
    };
    assert!(port.0 >= 3 && reason == DropReason::Evicted);
    let FrameAction::Switched(Event::Move(to)) = moved.1 else {
        panic!("{moved:?}");
    };
    assert_eq!((to.wanted, to.port), (PortId(1), port));
    assert_eq!((to.ahead.packets, to.changes), (3, Changes::MARKED));
    assert_eq!((squeezed_out.0, moved.0), (None, None));
    assert!(matches!(joined.1, FrameAction::Switched(Event::Enqueue(j)) if j.port == PortId(1)));
    let out = leaving(&mut machine, Time::from_ms(1));
    let marked = Sample {
        tos: 40 << 2 | 3,
        ..ranked(1, 2, 40)
    };
    let left: Vec<u16> = (out.iter().filter(|f| f.2 == older(&marked)))
        .map(|f| f.0)
        .collect();
    assert_eq!(left, [port.0], "with its checksum, and once");
    let counters = machine.counters(Time::from_ms(1));
    let (from, to) = (&counters.ports[1], &counters.ports[port.index()]);
    // The frames that filled the ports to switches were detoured from one to the other.
    let came = to.decided.detours_in - before.ports[port.index()].decided.detours_in;
    assert_eq!((from.decided.detours_out, came), (1, 1));
    assert_eq!(from.drops["evicted"], 0);
    assert_eq!(machine.held(), 0);
}

#[test]
fn a_frame_that_is_marked_already_stays_as_it_is() {
    let mut machine = switch(&VERTIGO.replace("2 pkt", "0 pkt"));
    let came = Sample {
        tos: 40 << 2 | 3,
        ..ranked(1, 2, 40)
    };
    arrives(&mut machine, 0, &ranked(1, 2, 0));
    arrives(&mut machine, 0, &came);
    for rank in [30, 20, 7] {
        arrives(&mut machine, 0, &ranked(1, 2, rank));
    }
    let out = leaving(&mut machine, Time::from_ms(1));
    let moved: Vec<u16> = (out.iter().filter(|f| f.2 == older(&came)))
        .map(|f| f.0)
        .collect();
    assert!(moved.len() == 1 && moved[0] >= 3, "{moved:?}");
}

#[test]
fn a_groups_frame_that_has_to_go_is_dropped_and_never_sent_on() {
    let mut machine = switch(VERTIGO);
    arrives(&mut machine, 0, &ranked(1, 2, 0));
    let mut group = ranked(1, 9, 60);
    group.macs.0 = Mac([1, 0, 0x5e, 0, 0, 1]);
    arrives(&mut machine, 0, &group);
    for rank in [30, 20] {
        arrives(&mut machine, 0, &ranked(1, 2, rank));
    }
    let log = watched(&mut machine);
    arrives(&mut machine, 0, &ranked(1, 2, 7));
    let gone = FrameAction::Switched(Event::Evict {
        port: PortId(1),
        reason: DropReason::Evicted,
    });
    assert_eq!(log.lock().unwrap()[0], (None, gone));
    let counters = machine.counters(Time::ZERO);
    assert_eq!(counters.ports[1].drops["evicted"], 1);
    assert_eq!(counters.ports[1].decided.detours_out, 0);
}

#[test]
fn who_watches_sees_a_frame_that_is_sent_on_as_it_will_leave() {
    let mut machine = switch(VERTIGO);
    full_switch(&mut machine);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let into = seen.clone();
    machine.watch(Some(Box::new(move |event: &FrameEvent<'_>| {
        if let FrameAction::Switched(Event::Move(joined)) = event.what
            && joined.detoured()
        {
            into.lock().unwrap().push(event.frame.to_vec());
        }
    })));
    arrives(&mut machine, 0, &ranked(1, 2, 7));
    let [sent_on] = &seen.lock().unwrap()[..] else {
        panic!("more than one, or none");
    };
    let out = leaving(&mut machine, Time::from_ms(1));
    assert!(out.iter().any(|f| f.0 >= 3 && f.2 == *sent_on));
}

/// Checks that the ingress port of a queued frame is not stored.
#[test]
fn a_frame_that_waited_came_in_by_no_port() {
    struct Asks;
    impl Buffer for Asks {
        fn admit(&mut self, _: &Packet, want: Want, q: &mut dyn Queues, _: &mut Rng) -> Verdict {
            assert_eq!(q.ingress(), Some(PortId(0)));
            match want.fits {
                true => Verdict::Enqueue { mark: false },
                false => Verdict::Evict { mark: false },
            }
        }
        fn displaced(&mut self, _: &Packet, _: PortId, q: &mut dyn Queues, _: &mut Rng) -> Verdict {
            assert_eq!(q.ingress(), None);
            Verdict::Drop(DropReason::Evicted)
        }
    }
    let mut machine = switch(VERTIGO);
    machine.set_buffer(AnyBuffer::Custom(Box::new(Asks)));
    full_port(&mut machine);
    arrives(&mut machine, 0, &ranked(1, 2, 7));
    let counters = machine.counters(Time::ZERO);
    assert_eq!(counters.ports[1].drops["evicted"], 1);
}
