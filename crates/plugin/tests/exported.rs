//! Output of `export!`, tested in this program: policies are made, called and dropped through function
//! pointers, as a program that loads a library does, and no panic escapes.

use sidestep_plugin::switch::testing::{StillQueues, data};
use sidestep_plugin::switch::{Buffer, DropReason, Place, Queues, Verdict, Want};
use sidestep_plugin::types::{Packet, Rng, Seed};
use sidestep_plugin::{ForSwitch, PolicyConstructor, PolicyFactory, Report, STAMP};
use std::panic::panic_any;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

/// Policies alive.
static ALIVE: AtomicU32 = AtomicU32::new(0);

/// Policy that panics in the call its switch's name selects.
struct Touchy {
    at: String,
    held: Vec<u32>,
}

impl ForSwitch for Touchy {
    fn for_switch(place: &Place) -> Touchy {
        assert_ne!(place.name, "made", "it cannot be made");
        ALIVE.fetch_add(1, Ordering::Relaxed);
        Touchy {
            at: place.name.clone(),
            held: vec![7; 100],
        }
    }
}

/// Payload of a panic that panics again when it is dropped.
struct Worse;

impl Drop for Worse {
    fn drop(&mut self) {
        panic!("and again");
    }
}

impl Buffer for Touchy {
    fn admit(&mut self, _: &Packet, want: Want, queues: &mut dyn Queues, _: &mut Rng) -> Verdict {
        self.held.push(queues.depth(want.port).packets);
        match &*self.at {
            "asked" => panic!("it cannot answer"),
            "worse" => panic_any(Worse),
            _ => Verdict::Enqueue {
                mark: self.held.len() > 101,
            },
        }
    }
}

impl Drop for Touchy {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Ordering::Relaxed);
        assert_ne!(self.at, "dropped", "it cannot go");
    }
}

sidestep_plugin::export!(buffer: Touchy, extends: "dctcp");

fn maker() -> &'static PolicyConstructor<dyn Buffer + Send> {
    match &SIDESTEP_PLUGIN.make {
        PolicyFactory::Buffer(maker) => maker,
        _ => panic!("it is a buffer policy"),
    }
}

/// Makes a policy, calls it twice, drops it; returns its verdicts and the report.
fn live(name: &str) -> (Vec<Verdict>, String) {
    let said = Arc::new(Mutex::new(String::new()));
    let report = Arc::new(Report::new(Box::new({
        let said = Arc::clone(&said);
        move |why| said.lock().unwrap().push_str(why)
    })));
    let place = Place {
        name: name.into(),
        ..Place::of_vectors(2, 1)
    };
    let mut verdicts = Vec::new();
    if let Some(mut policy) = (maker().make)(&place, &report) {
        let mut queues = StillQueues::of(&[3, 9], 100, &[]);
        let mut rng = Seed(1).stream("test");
        for port in [0, 1] {
            let want = queues.want(port);
            verdicts.push(policy.admit(&data(), want, &mut queues, &mut rng));
        }
        (maker().drop)(policy);
    }
    let said = said.lock().unwrap().clone();
    (verdicts, said)
}

#[test]
fn a_policy_is_made_asked_and_dropped_and_no_panic_comes_out() {
    let [no, yes] = [false, true].map(|mark| Verdict::Enqueue { mark });
    let out = Verdict::Drop(DropReason::Full);
    assert_eq!(live("plain"), (vec![no, yes], String::new()));
    let (answers, said) = live("made");
    assert_eq!(answers, []);
    assert!(
        said.starts_with("it panicked: ") && said.contains("it cannot be made"),
        "{said}"
    );
    // Only the first report is passed on.
    let cannot = "it panicked: it cannot answer";
    assert_eq!(live("asked"), (vec![out, out], cannot.into()));
    let without = "it panicked: without a message";
    assert_eq!(live("worse"), (vec![out, out], without.into()));
    assert_eq!(live("dropped"), (vec![no, yes], String::new()));
    assert_eq!(ALIVE.load(Ordering::Relaxed), 0, "each was dropped");
}

#[test]
fn the_stamp_stands_in_the_file_as_it_is() {
    assert_eq!(&SIDESTEP_STAMP[..], STAMP.as_bytes());
    assert_eq!(SIDESTEP_PLUGIN.name, env!("CARGO_PKG_NAME"));
    assert_eq!(SIDESTEP_PLUGIN.extends, "dctcp");
}
