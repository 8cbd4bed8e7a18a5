//! Properties of writing and reading, from any point of a recording.

use crate::common::{drawn, written};
use proptest::prelude::*;
use sidestep_recording::{KINDS, MOST_EVENTS, Reader, State};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read(seed: u64, n in 0usize..3000) {
        let events = drawn(n, seed);
        let bytes = written(&events);
        let reader = Reader::open(&bytes).unwrap();
        reader.verify().unwrap();
        prop_assert_eq!(reader.head(), &crate::common::head());
        let read = reader.events((0, u64::MAX), usize::MAX, |_| true).unwrap();
        prop_assert_eq!(&read, &events);
        for (kind, crowd) in KINDS.iter().zip(&reader.tail().counts) {
            let of_kind = events.iter().filter(|event| event.what.kind() == *kind).count();
            prop_assert_eq!((kind.word(), of_kind as u64), (crowd.kind.as_str(), crowd.events));
        }
    }

    #[test]
    fn a_part_is_what_the_whole_has_there(seed: u64, from in 0u64..3_000_000_000, length in 0u64..1_000_000_000) {
        let events = drawn(2000, seed);
        let bytes = written(&events);
        let reader = Reader::open(&bytes).unwrap();
        let to = from + length;
        let part = reader.events((from, to), usize::MAX, |_| true).unwrap();
        let same: Vec<_> = events.iter().filter(|e| (from..=to).contains(&e.at)).copied().collect();
        prop_assert_eq!(part, same);
    }
}

/// Checks that each of several chunks continues the one before, and can be read alone.
#[test]
fn whoever_jumps_finds_what_whoever_plays_finds() {
    let n = 2 * MOST_EVENTS + 777;
    let events = drawn(n, 5);
    let bytes = written(&events);
    let reader = Reader::open(&bytes).unwrap();
    reader.verify().unwrap();
    assert_eq!(reader.chunks().len(), 3);
    let depths = |state: &State| -> Vec<(u32, u64)> {
        (0..crate::common::PORTS)
            .map(|port| state.depth(port))
            .collect()
    };
    let mut state = State::new(crate::common::PORTS as usize);
    let mut next = 0;
    let last = events.last().unwrap().at;
    for at in (0..=last).step_by((last / 50) as usize) {
        while next < n && events[next].at <= at {
            state.apply(&events[next]).unwrap();
            next += 1;
        }
        let jumped = reader.state_at(at).unwrap();
        assert_eq!(depths(&jumped), depths(&state), "at {at}");
        for port in 0..crate::common::PORTS {
            let ids = |state: &State| -> Vec<u32> {
                let all = state.queue(port).chain(state.link(port));
                all.map(|packet| packet.id).collect()
            };
            assert_eq!(ids(&jumped), ids(&state), "at {at}, port {port}");
        }
    }
    assert!(next > MOST_EVENTS);
}

#[test]
fn a_recording_without_events_is_one() {
    let bytes = written(&[]);
    let reader = Reader::open(&bytes).unwrap();
    reader.verify().unwrap();
    assert_eq!(reader.chunks().len(), 1);
    assert_eq!(reader.state_at(7).unwrap().depth(0), (0, 0));
}
