//! Scheduler `srpt`, for a hardware queue: its rows of `sidestep vectors`, and the scheduler itself for a
//! bench's own operations, in a queue of limited places.

use crate::vectors::{number, rank};
use sidestep_switch::{AnySched, Sched};
use sidestep_types::{FlowId, HostId, Kind, Packet, Seed, Values};
use sidestep_vectors::{Row, Table, named};

/// A packet joins.
pub const PUSH: u32 = 0;
/// The best packet leaves.
pub const POP: u32 = 1;
/// The worst packet leaves.
pub const EVICT: u32 = 2;
/// No operation, or no packet left the queue.
pub const NONE: u32 = u32::MAX;

/// Row of the table; see `docs/reference/vectors.md`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operation {
    /// Step of the queue, which is new at 0; identifies the packet pushed.
    pub step: u32,
    /// Operation: [`PUSH`], [`POP`] or [`EVICT`].
    pub operation: u32,
    /// Rank of the packet pushed.
    pub rank: u32,
    /// Step that pushed the packet which left; [`NONE`] if none left.
    pub answer: u32,
    /// Packets waiting after the operation.
    pub waiting: u32,
    /// Rank of the packet that would be evicted next; 0 if none waits.
    pub worst: u32,
}

/// Table being read.
pub struct Operations(Box<dyn Iterator<Item = Operation>>);

/// Returns the endless rows of `sidestep vectors sched/srpt`.
pub fn operations(seed: Seed) -> impl Iterator<Item = Operation> {
    let policy = named("sched/srpt").pop().expect("it is registered");
    policy.rows(seed).map(|row| read(&row))
}

fn read(row: &Row) -> Operation {
    let cell = |name: &str| row.cell(name).expect("the table has it");
    Operation {
        step: number(row, "step"),
        operation: match cell("operation") {
            "push" => PUSH,
            "pop" => POP,
            "evict" => EVICT,
            other => unreachable!("{other} is no operation"),
        },
        rank: rank(row),
        answer: cell("answer_step").parse().unwrap_or(NONE),
        waiting: number(row, "waiting_packets"),
        worst: number(row, "worst_rank_bytes"),
    }
}

/// Queue of limited places in the order of `srpt`.
pub struct RankQueue {
    sched: AnySched,
    places: u32,
    waiting: u32,
}

impl RankQueue {
    /// Creates an empty queue.
    pub fn new(places: u32) -> RankQueue {
        let sched = AnySched::build("srpt", &Values::default(), 2, 0);
        RankQueue {
            sched: sched.expect("it has no settings"),
            places,
            waiting: 0,
        }
    }

    /// Performs one cycle: removes a packet, then adds one if there is a place. Returns the packet removed.
    pub fn step(&mut self, leaves: u32, push: Option<(u32, u32)>) -> Option<u32> {
        let out = match leaves {
            POP => self.sched.pop(),
            EVICT => self.sched.evict(),
            _ => None,
        };
        self.waiting -= u32::from(out.is_some());
        if let Some((rank, data)) = push.filter(|_| self.waiting < self.places) {
            let mut packet = Packet::new(Kind::Data, FlowId(0), HostId(0), 0);
            packet.set_rank(rank);
            self.sched.push(&packet, data);
            self.waiting += 1;
        }
        out
    }
}

/// Output of a cycle, and the state of the queue after it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Data of the packet that left; [`NONE`] if none left.
    pub out: u32,
    /// Packets waiting.
    pub waiting: u32,
    /// Rank that would be evicted; 0 if no packet waits.
    pub worst: u32,
}

/// Begins to read the rows of `srpt`.
#[unsafe(no_mangle)]
pub extern "C" fn sidestep_operations_open(seed: u64) -> *mut Operations {
    let rows = operations(Seed(seed));
    Box::into_raw(Box::new(Operations(Box::new(rows))))
}

/// Reads the next row.
///
/// # Safety
///
/// `operations` is open, and `operation` points to room for one row.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_operations_next(
    operations: *mut Operations,
    operation: *mut Operation,
) {
    // SAFETY: guaranteed by the caller.
    let (operations, operation) = unsafe { (&mut *operations, &mut *operation) };
    *operation = operations.0.next().expect("rows have no end");
}

/// Ends the reading.
///
/// # Safety
///
/// `operations` is open, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_operations_close(operations: *mut Operations) {
    // SAFETY: guaranteed by the caller.
    drop(unsafe { Box::from_raw(operations) });
}

/// Creates a queue of `places` places.
#[unsafe(no_mangle)]
pub extern "C" fn sidestep_queue_open(places: u32) -> *mut RankQueue {
    Box::into_raw(Box::new(RankQueue::new(places)))
}

/// Performs one cycle: `leaves` is [`POP`], [`EVICT`] or [`NONE`]; `push` is 0 or 1. Writes the result to
/// `view`.
///
/// # Safety
///
/// `queue` is open, and `view` points to room for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_queue_step(
    queue: *mut RankQueue,
    leaves: u32,
    push: u32,
    rank: u32,
    data: u32,
    view: *mut View,
) {
    // SAFETY: guaranteed by the caller.
    let (queue, view) = unsafe { (&mut *queue, &mut *view) };
    let out = queue.step(leaves, (push == 1).then_some((rank, data)));
    *view = View {
        out: out.unwrap_or(NONE),
        waiting: queue.waiting,
        worst: queue.sched.worst().unwrap_or(0),
    };
}

/// Ends a queue.
///
/// # Safety
///
/// `queue` is open, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_queue_close(queue: *mut RankQueue) {
    // SAFETY: guaranteed by the caller.
    drop(unsafe { Box::from_raw(queue) });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_begin_with_a_new_queue_and_hold_every_operation_with_and_without_an_answer() {
        let rows: Vec<Operation> = operations(Seed(3)).take(1600).collect();
        for row in &rows {
            assert!(row.step > 0 || row.waiting <= 1, "{row:?}");
        }
        for operation in [POP, EVICT] {
            for nothing in [true, false] {
                let is = |row: &&Operation| {
                    row.operation == operation && (row.answer == NONE) == nothing
                };
                assert!(rows.iter().any(|row| is(&row)), "{operation}, {nothing}");
            }
        }
        let pushes = rows.iter().filter(|row| row.operation == PUSH);
        assert!(pushes.clone().any(|row| row.rank > 20_000) && pushes.count() > 800);
    }

    #[test]
    fn a_full_queue_takes_one_only_in_the_place_of_another() {
        let mut queue = RankQueue::new(2);
        assert_eq!(queue.step(EVICT, Some((5, 1))), None);
        queue.step(NONE, Some((5, 2)));
        queue.step(NONE, Some((1, 3)));
        assert_eq!(queue.waiting, 2);
        assert_eq!(queue.step(EVICT, Some((1, 3))), Some(2));
        assert_eq!(queue.step(POP, None), Some(3));
        assert_eq!(queue.step(POP, None), Some(1));
        assert_eq!((queue.step(POP, None), queue.waiting), (None, 0));
    }
}
