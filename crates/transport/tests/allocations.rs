//! Ordering takes no memory for a packet once its lists have grown to what they need.

use sidestep_transport::shim::{self, Stack};
use sidestep_types::{FlowId, HostId, Kind, Packet, Time, Value, Values};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, counting what this thread asks it for.
struct Counts;

thread_local! {
    static ASKED: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call goes on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counts {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.with(|asked| asked.set(asked.get() + 1));
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block came from `alloc` above, with this layout.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counts = Counts;

const FLOWS: u32 = 40;
/// Packets of a round of one flow.
const ROUND: u64 = 8;

/// Packet `number` of a flow, of 100 B, and as its tag says of four billion bytes.
fn data(flow: u32, number: u64) -> Packet {
    let mut packet = Packet::new(Kind::Data, FlowId(flow), HostId(0), 7);
    packet.set_seq(number * 100);
    packet.len = 100;
    let mut tag = packet.tag();
    tag.set_rank(0);
    tag.set_remaining(4_000_000_000 - 100 * number as u32);
    tag.set_first(number == 0);
    packet.set_tag(tag);
    packet
}

/// In turn over all flows: some in order, some late, one copied, and one gap that the timer gives up.
fn round(stack: &mut Stack, now: &mut Time, round: u64) {
    for number in [0, 3, 2, 2, 1, 1, 6, 7, 5] {
        for flow in 0..FLOWS {
            *now += Time::from_ns(10);
            stack.up(*now, &mut data(flow, round * ROUND + number));
            take(stack, *now);
        }
    }
    *now += Time::from_us(200);
    while let Some(due) = stack.deadline().filter(|due| *due <= *now) {
        stack.on_timeout(due);
        take(stack, due);
    }
    for flow in 0..FLOWS {
        stack.up(*now, &mut data(flow, round * ROUND + 4));
        take(stack, *now);
    }
}

fn take(stack: &mut Stack, now: Time) {
    while stack.poll_up(now).is_some() {}
    while stack.poll_drop().is_some() {}
}

#[test]
fn in_the_steady_state_no_packet_takes_memory() {
    for by in ["sequence", "remaining"] {
        for release in ["paper", "simulator"] {
            let mut values = Values::defaults(shim::ENTRIES[0].params);
            values.set("timeout", Value::Time(Time::from_us(100)));
            values.set("by", Value::Word(by.into()));
            values.set("release", Value::Word(release.into()));
            let mut stack = Stack::build(&[shim::choose("order", &values).unwrap()]).unwrap();
            (0..FLOWS).for_each(|flow| stack.open(FlowId(flow), None));
            let mut now = Time::ZERO;
            (0..4).for_each(|number| round(&mut stack, &mut now, number));
            let (asked, before) = (ASKED.get(), stack.counters());
            (4..100).for_each(|number| round(&mut stack, &mut now, number));
            let taken = ASKED.get() - asked;
            let counted = stack.counters();
            assert!(counted.released > before.released && counted.expired > before.expired);
            assert!(counted.late > before.late);
            assert_eq!(taken, 0, "{by} {release}");
        }
    }
}
