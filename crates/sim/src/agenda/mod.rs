//! Agenda: the queue of pending events.
//!
//! Every entity (a link, a host) has one *slot* and at most one pending event in it, its earliest. So an agenda
//! never holds more events than there are entities, however many packets are in flight.
//!
//! Events leave in the order of `(time, tie, slot)`. The tie is a number that the entity derives from its own
//! history and the seed, never from the order of insertion: events of different entities at the same picosecond
//! are ordered fairly, and in the same order however the run is split into parts.

mod heap;
mod part;
mod slots;
mod wheel;

pub use heap::HeapAgenda;
pub(crate) use part::Border;
pub use part::PartAgenda;
pub(crate) use slots::Slots;
pub use wheel::WheelAgenda;

use sidestep_types::Time;

/// Set of pending events, at most one per slot. A run is generic over it, so that the wheel can
/// be compared with the heap:
///
/// ```
/// use sidestep_sim::World;
/// use sidestep_sim::agenda::{Agenda, HeapAgenda, WheelAgenda};
///
/// fn served<A: Agenda>(world: &World<A>) -> u64 {
///     world.packet_hops()
/// }
/// let both = (served::<HeapAgenda>, served::<WheelAgenda>);
/// ```
///
/// Code of other crates may drive a borrowed agenda:
///
/// ```
/// use sidestep_sim::agenda::{Agenda, WheelAgenda};
/// use sidestep_types::Time;
///
/// fn second<A: Agenda>(agenda: &mut A, limit: Time) -> Option<(Time, u32)> {
///     agenda.schedule(0, Time::from_us(1), 0);
///     agenda.schedule(1, Time::from_us(2), 0);
///     agenda.cancel(0);
///     agenda.pop_until(limit)
/// }
/// let of_the_wheel = second::<WheelAgenda>;
/// ```
///
/// The trait is sealed. Release builds use a returned slot as an index without a bounds check,
/// so an agenda may return only slots that it was given. Code of other crates cannot implement
/// the trait:
///
/// ```compile_fail,E0053
/// use sidestep_sim::agenda::Agenda;
/// use sidestep_types::Time;
///
/// struct Liar;
///
/// impl Agenda for Liar {
///     fn new(_: usize) -> Liar {
///         Liar
///     }
///     fn schedule(&mut self, _: u32, _: Time, _: u32) {}
///     fn cancel(&mut self, _: u32) {}
///     fn pop_until(&mut self, limit: Time) -> Option<(Time, u32)> {
///         Some((limit, u32::MAX))
///     }
///     fn pending(&self) -> Vec<(Time, u32, u32)> {
///         Vec::new()
///     }
/// }
/// ```
///
/// Nor can code outside this crate make one of its agendas, and schedule a slot twice:
///
/// ```compile_fail,E0308
/// use sidestep_sim::agenda::{Agenda, WheelAgenda};
/// use sidestep_types::Time;
///
/// let mut agenda = WheelAgenda::new(1);
/// agenda.schedule(0, Time::from_us(1), 0);
/// agenda.schedule(0, Time::from_us(2), 0);
/// ```
pub trait Agenda {
    /// Returns an empty agenda with this many slots. `Slots` is private to this crate, which seals the trait.
    fn new(slots: Slots) -> Self;

    /// Schedules the event of an idle `slot` at `at`.
    ///
    /// Panics if `at` lies in the past, if the slot is out of range, or if it already has an event.
    fn schedule(&mut self, slot: u32, at: Time, tie: u32);

    /// Cancels the event of `slot`, if it has one.
    fn cancel(&mut self, slot: u32);

    /// Removes and returns the next event, unless it is later than `limit`.
    ///
    /// Panics if the event lies before the previous one: a bug of the agenda.
    fn pop_until(&mut self, limit: Time) -> Option<(Time, u32)>;

    /// From now on keeps `wanted` events beyond the next one sorted, if that many are near.
    fn look(&mut self, _wanted: usize) {}

    /// Prefetches a slot that will be scheduled soon.
    fn fetch(&self, _slot: u32) {}

    /// Returns the slots of the `N` events that follow the next `from`, if that many are sorted. Events
    /// scheduled meanwhile may come before them: use them only as guesses.
    fn ahead<const N: usize>(&self, _from: usize) -> Option<[u32; N]> {
        None
    }

    /// Returns all pending events in the order in which they leave: time, tie and slot.
    fn pending(&self) -> Vec<(Time, u32, u32)>;

    /// True for the agenda of one part of a split world, which has a border.
    const PART: bool = false;

    /// Border of the part.
    fn border(&self) -> &Border {
        unreachable!("a world in one piece has no border")
    }

    /// Border of the part, mutable.
    fn border_mut(&mut self) -> &mut Border {
        unreachable!("a world in one piece has no border")
    }
}

/// Panics: an event is scheduled for a slot that does not exist. Parameters are passed by value, as in the
/// other panics: a reference to the slot would force it into memory.
#[cold]
#[inline(never)]
fn no_such(slot: u32, slots: usize) -> ! {
    panic!("slot {slot} of {slots}");
}

/// Panics: a second event is scheduled for a slot.
#[cold]
#[inline(never)]
fn twice(slot: u32) -> ! {
    panic!("slot {slot} already has an event");
}

/// Panics: an event is scheduled, or found, in the past.
#[cold]
#[inline(never)]
fn past(slot: u32, at: u64, now: u64) -> ! {
    panic!("slot {slot} has an event at {at} ps, before the present {now} ps");
}

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_types::Rng;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Runs random schedules, cancellations and pops, near and far; returns the events popped.
    fn replay<A: Agenda>(seed: u64, slots: u32, steps: usize, spread: u64) -> Vec<(Time, u32)> {
        looking::<A>(seed, slots, steps, spread, 0)
    }

    /// Runs `replay` with `wanted` events of look-ahead during most of the steps.
    fn looking<A: Agenda>(
        seed: u64,
        slots: u32,
        steps: usize,
        spread: u64,
        wanted: usize,
    ) -> Vec<(Time, u32)> {
        let mut rng = Rng::from_seed(seed);
        let mut agenda = A::new(Slots::new(slots as usize));
        let mut pending = vec![false; slots as usize];
        let mut now = Time::ZERO;
        let mut out = Vec::new();
        for step in 0..steps {
            agenda.look(if step % 1000 < 900 { wanted } else { 0 });
            let slot = rng.below(u64::from(slots)) as u32;
            match rng.below(8) {
                0..=4 if !pending[slot as usize] => {
                    let far = if rng.below(20) == 0 {
                        spread * 1000
                    } else {
                        spread
                    };
                    // Coarse times, so that ties occur.
                    let at = now + Time::from_ps(rng.below(far) / 16 * 16);
                    agenda.schedule(slot, at, rng.draw() % 4);
                    pending[slot as usize] = true;
                }
                5 => {
                    agenda.cancel(slot);
                    pending[slot as usize] = false;
                }
                _ => {
                    let limit = now + Time::from_ps(rng.below(spread * 4));
                    if let Some((at, slot)) = agenda.pop_until(limit) {
                        assert!(at >= now && at <= limit);
                        now = at;
                        pending[slot as usize] = false;
                        out.push((at, slot));
                    }
                }
            }
        }
        while let Some((at, slot)) = agenda.pop_until(Time::MAX) {
            out.push((at, slot));
        }
        out
    }

    /// Seeds to run; fewer under Miri, which is thousands of times slower.
    const SEEDS: u64 = if cfg!(miri) { 1 } else { 40 };
    const STEPS: usize = if cfg!(miri) { 600 } else { 4_000 };
    const EVENTS: u64 = if cfg!(miri) { 1_500 } else { 1_000_000 };

    #[test]
    fn the_wheel_and_the_heap_agree_on_every_event() {
        for seed in 0..SEEDS {
            for spread in [64, 10_000, 30_000_000] {
                let wheel = replay::<WheelAgenda>(seed, 50, STEPS, spread);
                let heap = replay::<HeapAgenda>(seed, 50, STEPS, spread);
                assert_eq!(wheel, heap, "seed {seed}, spread {spread}");
                assert!(wheel.len() > STEPS / 8);
            }
        }
    }

    /// Schedules, cancels and pops; then schedules the pending events in a new agenda and checks that both go
    /// on alike.
    fn goes_on_from_pending<A: Agenda>(seed: u64, spread: u64) {
        let mut rng = Rng::from_seed(seed);
        let mut agenda = A::new(Slots::new(40));
        for slot in 0..40 {
            let far = if slot % 7 == 0 { spread * 1000 } else { spread };
            agenda.schedule(
                slot,
                Time::from_ps(rng.below(far) / 16 * 16),
                rng.draw() % 4,
            );
        }
        for _ in 0..rng.below(30) {
            let (at, slot) = agenda.pop_until(Time::MAX).expect("there are more");
            if rng.below(2) == 0 {
                agenda.schedule(slot, at + Time::from_ps(rng.below(spread)), rng.draw() % 4);
            }
            agenda.cancel(rng.below(40) as u32);
        }
        let pending = agenda.pending();
        let mut again = A::new(Slots::new(40));
        for (at, tie, slot) in &pending {
            again.schedule(*slot, *at, *tie);
        }
        assert_eq!(again.pending(), pending);
        let order: Vec<_> = pending.iter().map(|(at, _, slot)| (*at, *slot)).collect();
        for agenda in [&mut agenda, &mut again] {
            let left = std::iter::from_fn(|| agenda.pop_until(Time::MAX));
            assert_eq!(
                left.collect::<Vec<_>>(),
                order,
                "seed {seed}, spread {spread}"
            );
        }
    }

    #[test]
    fn what_is_pending_is_all_of_an_agenda_and_in_the_order_in_which_it_leaves() {
        for seed in 0..SEEDS {
            for spread in [64, 10_000, 30_000_000] {
                goes_on_from_pending::<WheelAgenda>(seed, spread);
                goes_on_from_pending::<HeapAgenda>(seed, spread);
            }
        }
    }

    #[test]
    fn who_looks_ahead_meets_the_same_events() {
        for seed in 0..SEEDS {
            for spread in [64, 10_000, 30_000_000] {
                let still = replay::<HeapAgenda>(seed, 200, STEPS, spread);
                for wanted in [1, 7, 40, 300] {
                    let looks = looking::<WheelAgenda>(seed, 200, STEPS, spread, wanted);
                    let same = looks.iter().zip(&still).take_while(|(a, b)| a == b);
                    let same = same.count();
                    assert_eq!(
                        (looks.get(same), looks.len()),
                        (still.get(same), still.len()),
                        "event {same}, seed {seed}, spread {spread}, {wanted} ahead"
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_ahead_comes_in_that_order_while_nothing_is_planned() {
        let mut agenda = WheelAgenda::new(Slots::new(100));
        let mut rng = Rng::from_seed(3);
        for slot in 0..100 {
            agenda.schedule(slot, Time::from_ns(100 + rng.below(2_000)), slot);
        }
        agenda.look(30);
        let mut said = None;
        for popped in 0..100 {
            let (_, slot) = agenda.pop_until(Time::MAX).unwrap();
            if let Some((at, slots)) = said.filter(|(at, _)| popped < at + 8) {
                let expected: [u32; 8] = slots;
                let at: usize = at;
                assert_eq!(slot, expected[popped - at], "event {popped}");
            } else if let Some(slots) = agenda.ahead::<8>(0) {
                said = Some((popped + 1, slots));
            }
            // Near the end fewer than 30 events are left.
            assert_eq!(
                agenda.ahead::<8>(22).is_some(),
                popped < 70,
                "event {popped}"
            );
        }
    }

    #[test]
    fn what_came_within_reach_while_single_events_left_can_be_taken_back() {
        let mut agenda = WheelAgenda::new(Slots::new(61));
        // Each event has its own bucket at the initial width.
        let at = |slot: u32| Time::from_ns(20 * u64::from(slot + 1));
        for slot in 0..60 {
            agenda.schedule(slot, at(slot), slot);
        }
        for slot in 0..2 {
            assert_eq!(agenda.pop_until(Time::MAX), Some((at(slot), slot)));
        }
        // Beyond the last bucket of the ring now, within it thirty events later.
        agenda.schedule(60, Time::from_ns(8_450), 0);
        for slot in 2..32 {
            assert_eq!(agenda.pop_until(Time::MAX), Some((at(slot), slot)));
        }
        agenda.cancel(60);
        for slot in 32..60 {
            assert_eq!(agenda.pop_until(Time::MAX), Some((at(slot), slot)));
        }
        assert_eq!(agenda.pop_until(Time::MAX), None);
    }

    #[test]
    fn the_wheel_adapts_to_a_change_of_pace() {
        let mut agenda = WheelAgenda::new(Slots::new(256));
        let mut rng = Rng::from_seed(5);
        for slot in 0..256 {
            agenda.schedule(slot, Time::from_ps(rng.below(1_000)), slot);
        }
        let mut last = Time::ZERO;
        for step in 0..EVENTS {
            let (at, slot) = agenda.pop_until(Time::MAX).unwrap();
            assert!(at >= last);
            last = at;
            // Faster than the initial width suits; a thousand times slower in the middle third.
            let reach = if step / (EVENTS / 3 + 1) == 1 {
                10_000_000
            } else {
                10_000
            };
            agenda.schedule(slot, at + Time::from_ps(1 + rng.below(reach)), rng.draw());
        }
        assert!(agenda.steps() < 4 * EVENTS, "{} list steps", agenda.steps());
    }

    #[test]
    #[should_panic(expected = "before the present")]
    fn planning_the_past_panics() {
        let mut agenda = WheelAgenda::new(Slots::new(2));
        agenda.schedule(0, Time::from_us(5), 0);
        agenda.pop_until(Time::MAX);
        agenda.schedule(1, Time::from_us(4), 0);
    }

    #[test]
    #[should_panic(expected = "before the present")]
    fn planning_the_past_panics_in_the_reference_too() {
        let mut agenda = HeapAgenda::new(Slots::new(2));
        agenda.schedule(0, Time::from_us(5), 0);
        agenda.pop_until(Time::MAX);
        agenda.schedule(1, Time::from_us(4), 0);
    }

    /// Returns the panic messages of three misuses. A release build must refuse them too: otherwise an index is
    /// out of range later on.
    fn refusals<A: Agenda>() -> [String; 3] {
        let refused = |misuse: fn(&mut A)| {
            let mut agenda = A::new(Slots::new(2));
            agenda.schedule(0, Time::from_us(5), 0);
            let caught = catch_unwind(AssertUnwindSafe(|| misuse(&mut agenda)));
            let said = caught.expect_err("a refusal").downcast::<String>();
            *said.expect("a formatted message")
        };
        [
            refused(|agenda| agenda.schedule(0, Time::from_us(6), 0)),
            refused(|agenda| agenda.schedule(2, Time::from_us(6), 0)),
            refused(|agenda| agenda.cancel(2)),
        ]
    }

    #[test]
    fn a_slot_that_is_taken_or_not_there_is_refused_in_release_builds_too() {
        let [twice, beyond, cancelled] = refusals::<WheelAgenda>();
        assert_eq!(twice, "slot 0 already has an event");
        assert_eq!([beyond, cancelled], ["slot 2 of 2", "slot 2 of 2"]);
        let [twice, beyond, cancelled] = refusals::<HeapAgenda>();
        assert_eq!(twice, "slot 0 already has an event");
        assert!(beyond.contains("out of bounds") && cancelled.contains("out of bounds"));
    }

    #[test]
    fn ties_are_broken_by_the_tie_then_the_slot() {
        fn order<A: Agenda>() -> Vec<u32> {
            let mut agenda = A::new(Slots::new(4));
            for (slot, tie) in [(0, 9), (1, 3), (2, 9), (3, 3)] {
                agenda.schedule(slot, Time::from_us(1), tie);
            }
            std::iter::from_fn(|| agenda.pop_until(Time::MAX).map(|e| e.1)).collect()
        }
        assert_eq!(order::<WheelAgenda>(), [1, 3, 0, 2]);
        assert_eq!(order::<HeapAgenda>(), [1, 3, 0, 2]);
    }
}
