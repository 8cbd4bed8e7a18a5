//! Tests of how classes share a link, against the fluid ideal.

use super::*;
use crate::Policy;
use crate::sched::ps::Ps;
use crate::testing::data;
use proptest::prelude::*;
use sidestep_types::{FlowId, Value, Values};

/// Creates the class queues of `ps` with this quantum.
fn queues(classes: u64, quantum: u64) -> (Classes, Drr) {
    let mut values = Values::defaults(Ps::ENTRY.params);
    values.set("classes", Value::Count(classes));
    values.set("quantum", Value::Bytes(Bytes(quantum)));
    let Ps { classes, drr } = Ps::from_values(&values, 4, 0).unwrap();
    (classes, drr)
}

fn push(classes: &mut Classes, service: u8, wire: u16) {
    let mut pkt = data();
    (pkt.wire, pkt.flow) = (wire, FlowId(u32::from(service)));
    pkt.set_service(service);
    classes.push(&pkt, u32::from(service) << 16 | u32::from(wire));
}

/// Returns the class and the bytes of the packet that leaves.
fn pop(
    (classes, drr): &mut (Classes, Drr),
    weight: impl Fn(&Classes, usize) -> u64,
) -> Option<(usize, u64)> {
    let handle = drr.pop(classes, weight)?;
    Some(((handle >> 16) as usize, u64::from(handle & 0xffff)))
}

#[test]
fn classes_take_turns_and_what_is_left_of_a_quantum_stays() {
    let mut both = queues(2, 1000);
    for wire in [600, 600, 600] {
        push(&mut both.0, 0, wire);
        push(&mut both.0, 1, wire);
    }
    let mut order = || pop(&mut both, |_, _| 1).map(|left| left.0);
    // Deficits cover 600 of 1000, 1200 of 1400, 1800 of 1800: one packet in the first round, two in the second.
    let all: Vec<Option<usize>> = (0..7).map(|_| order()).collect();
    assert_eq!(
        all,
        [0, 1, 0, 0, 1, 1]
            .map(Some)
            .into_iter()
            .chain([None])
            .collect::<Vec<_>>()
    );
}

#[test]
fn a_class_that_runs_empty_keeps_nothing_and_one_that_comes_waits_for_the_next_round() {
    let mut both = queues(3, 1000);
    push(&mut both.0, 0, 100);
    push(&mut both.0, 1, 900);
    push(&mut both.0, 1, 900);
    assert_eq!(pop(&mut both, |_, _| 1), Some((0, 100)));
    assert_eq!(both.1.deficits[..3], [0, 1000, 0]);
    push(&mut both.0, 2, 100);
    push(&mut both.0, 0, 1100);
    let order: Vec<(usize, u64)> = std::iter::from_fn(|| pop(&mut both, |_, _| 1)).collect();
    assert_eq!(order, [(1, 900), (1, 900), (2, 100), (0, 1100)]);
}

/// Checks that packets of one class may bypass the deficits until another class arrives: all leave as if `pop`
/// had been called for each.
#[test]
fn what_went_past_the_deficits_leaves_them_as_it_would_have() {
    // With 500 bytes, every second packet ends a quantum of 1000 exactly.
    for (wire, before) in [(500, 1), (500, 2), (500, 4), (700, 1), (700, 10), (1500, 3)] {
        let mut each = queues(2, 1000);
        (0..before).for_each(|_| push(&mut each.0, 0, wire));
        push(&mut each.0, 0, 400);
        for _ in 0..before {
            assert_eq!(pop(&mut each, |_, _| 1), Some((0, u64::from(wire))));
        }
        let mut past = queues(2, 1000);
        push(&mut past.0, 0, 400);
        past.1.resume(0, before * u64::from(wire));
        let [each, past] = [each, past].map(|mut both| {
            for wire in [900, 300, 800] {
                push(&mut both.0, 1, wire);
                push(&mut both.0, 0, wire);
            }
            std::iter::from_fn(|| pop(&mut both, |_, _| 1)).collect::<Vec<_>>()
        });
        assert_eq!(past, each, "{before} of {wire} B");
    }
}

#[test]
fn a_class_with_little_weight_sends_in_the_end_and_bad_quanta_are_refused() {
    let mut both = queues(2, 1538);
    push(&mut both.0, 0, 1538);
    for _ in 0..2000 {
        push(&mut both.0, 1, 1538);
    }
    let weight = |_: &Classes, class: usize| [1, 1_000_000][class];
    let before = (0..).find(|_| pop(&mut both, weight).unwrap().0 == 0);
    assert_eq!(before, Some(1537), "a byte a round");
    for quantum in [0, 83, 4_000_001] {
        let mut values = Values::defaults(Quantum::PARAMS);
        values.set("quantum", Value::Bytes(Bytes(quantum)));
        let said = Quantum::read(&values).err().unwrap().to_string();
        assert!(
            said.starts_with("quantum must be from 84 B to 4 MB, got"),
            "{said}"
        );
    }
}

/// Bytes that the fluid ideal has given a class while it waited, and bytes that the class has sent.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    /// Bytes given in completed rounds.
    given: u64,
    /// Bytes given in the current round.
    gives: u64,
    sent: u64,
}

const FULL: u64 = 1538;

proptest! {
    /// Weights change and packets arrive at any time.
    #[test]
    fn whatever_happened_a_class_that_waits_is_within_a_full_packet_and_a_quantum_of_the_fluid_ideal(
        steps in proptest::collection::vec((0u8..4, 0u8..8, 84u16..=1538, 1u64..500), 1..400),
        classes in 1u64..=8,
        quantum in 84u64..5_000,
    ) {
        let mut both = queues(classes, quantum);
        let mut weights = [1u64; MOST];
        let mut accounts = [Account::default(); MOST];
        // A class takes part in a round only if it waits when the round begins.
        for (what, class, wire, weight) in steps {
            let class = usize::from(class) % classes as usize;
            match what {
                0 => weights[class] = weight,
                1 | 2 => push(&mut both.0, class as u8, wire),
                _ => {
                    let waiting: Vec<usize> = both.0.waiting().collect();
                    let asked = std::cell::RefCell::new(Vec::new());
                    let before = both.1.deficits;
                    let left = pop(&mut both, |_, class| {
                        asked.borrow_mut().push(class);
                        weights[class]
                    });
                    // In each round that begins, `weight` is called twice for all classes that wait: for the
                    // largest weight, and for their shares. It is not called for a single waiting class, which
                    // gets the quantum.
                    let rounds = match (&waiting[..], left) {
                        ([only], Some((_, bytes))) => {
                            (both.1.deficits[*only] + bytes).saturating_sub(before[*only]) / quantum
                        }
                        _ => asked.borrow().len() as u64 / (2 * waiting.len() as u64).max(1),
                    };
                    let most = waiting.iter().map(|class| weights[*class]).max().unwrap_or(1);
                    for _ in 0..rounds {
                        for class in &waiting {
                            let account = &mut accounts[*class];
                            account.given += account.gives;
                            account.gives = (quantum * weights[*class] / most).max(1);
                        }
                    }
                    if let Some((class, bytes)) = left {
                        accounts[class].sent += bytes;
                    }
                    prop_assert_eq!(left.is_some(), !waiting.is_empty());
                    for (class, account) in accounts.iter_mut().enumerate() {
                        if both.0.head(class.min(classes as usize - 1)).is_none() {
                            *account = Account::default();
                            continue;
                        }
                        // The ideal is somewhere between the end of the previous round and the end of this one.
                        let Account { given, gives, sent } = *account;
                        prop_assert!(sent <= given + gives && given < sent + FULL + quantum, "{account:?}");
                    }
                }
            }
        }
    }

    /// Compares bytes sent while all classes wait and weights stay constant.
    #[test]
    fn of_all_that_was_sent_a_class_has_its_share_within_a_full_packet_and_a_quantum(
        wires in proptest::collection::vec((0u8..8, 84u16..=1538), 200..800),
        weights in proptest::collection::vec(1u64..40, 8),
        classes in 2u64..=8,
        quantum in 1_538u64..5_000,
    ) {
        let mut both = queues(classes, quantum);
        let n = classes as usize;
        for (class, wire) in wires {
            push(&mut both.0, class % classes as u8, wire);
        }
        let most = weights[..n].iter().max().unwrap();
        let parts: Vec<u64> = weights[..n].iter().map(|w| (quantum * w / most).max(1)).collect();
        let (mut sent, mut all) = (vec![0u64; n], 0u64);
        let whole: u64 = parts.iter().sum();
        while both.0.waiting().count() == n {
            let (class, bytes) = pop(&mut both, |_, class| weights[class]).unwrap();
            (sent[class], all) = (sent[class] + bytes, all + bytes);
            if both.0.waiting().count() < n {
                break;
            }
            for (sent, part) in sent.iter().zip(&parts) {
                let (sent, share) = (u128::from(sent * whole), u128::from(all) * u128::from(*part));
                let near = u128::from((FULL + quantum) * whole);
                prop_assert!(share <= sent + near, "behind");
                prop_assert!(n > 2 || sent <= share + near, "ahead");
            }
        }
    }
}
