//! Runs one scheduler at a steady depth for `bench/scheds/run.py`, which counts the instructions of
//! [`measured`].
//!
//! `sched_steps CANDIDATE DEPTH random|flows` prints how many packets arrived and left in the measured part,
//! and a hash of the order in which they left. A candidate is a shipped scheduler or an alternative to `srpt`
//! from [`candidates`].

mod candidates;

use candidates::{Heap, Ring, Tree};
use sidestep_switch::sched::{pfabric::PFabric, srpt::Srpt};
use sidestep_switch::{Sched, testing::data};
use sidestep_types::{FlowId, Packet, Rng, Seed};
use std::hint::black_box;

/// Packets that arrive and leave while instructions are counted.
const MEASURED: usize = 4_000;

fn main() -> Result<(), String> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [candidate, depth, ranks] = &args[..] else {
        return Err("expected CANDIDATE DEPTH random|flows".into());
    };
    let mut sched: Box<dyn Sched> = match candidate.as_str() {
        "srpt" => Box::new(Srpt::default()),
        "pfabric" => Box::new(PFabric::default()),
        "ring" => Box::new(Ring::default()),
        "heap" => Box::new(Heap::default()),
        "tree" => Box::new(Tree::default()),
        other => return Err(format!("no candidate {other:?}")),
    };
    let depth: usize = depth.parse().map_err(|why| format!("{depth:?}: {why}"))?;
    let packets = match ranks.as_str() {
        "random" => random(2 * depth + MEASURED),
        "flows" => flows(2 * depth + MEASURED),
        other => return Err(format!("no ranks {other:?}")),
    };
    let (fill, packets) = packets.split_at(depth);
    let (warm_up, packets) = packets.split_at(depth);
    for (handle, packet) in (0..).zip(fill) {
        sched.push(packet, handle);
    }
    come_and_leave(&mut *sched, warm_up);
    let order = measured(&mut Run { sched, packets });
    println!("{} {order:08x}", packets.len());
    Ok(())
}

struct Run<'a> {
    sched: Box<dyn Sched>,
    packets: &'a [Packet],
}

/// Entry point that Valgrind counts from and to: it keeps its name and is not inlined.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn measured(run: &mut Run) -> u32 {
    come_and_leave(&mut *run.sched, run.packets)
}

/// Adds each packet and removes another: three are sent, the fourth is evicted after a look at its rank.
fn come_and_leave(sched: &mut dyn Sched, packets: &[Packet]) -> u32 {
    let mut order: u32 = 0;
    for (handle, packet) in (1_000_000..).zip(packets) {
        sched.push(packet, handle);
        let gone = if handle % 4 == 3 {
            black_box(sched.worst());
            sched.evict()
        } else {
            sched.pop()
        };
        order = order.wrapping_mul(31).wrapping_add(gone.unwrap_or(0));
    }
    order
}

fn packet(flow: u32, rank: u32) -> Packet {
    let mut packet = data();
    packet.flow = FlowId(flow);
    packet.set_rank(rank);
    packet
}

/// Creates packets of 40 flows with random ranks below 1 MB.
fn random(packets: usize) -> Vec<Packet> {
    let mut rng = Seed(1).stream("random ranks");
    let one = |_| packet(rng.below(40) as u32, rng.below(1 << 20) as u32);
    (0..packets).map(one).collect()
}

/// Creates packets of 40 flows that begin together and send 40 packets each, one per round, in a random order
/// of the flows. When they end, 40 others begin. Ranks fall slowly, many are equal, and then they start again.
fn flows(packets: usize) -> Vec<Packet> {
    let mut rng = Seed(1).stream("ranks of flows");
    let mut order: Vec<u32> = (0..40).collect();
    let mut all = Vec::new();
    while all.len() < packets {
        let round = (all.len() / order.len()) as u32;
        shuffle(&mut order, &mut rng);
        let (wave, left) = (round / 40, 40 - round % 40);
        all.extend(
            order
                .iter()
                .map(|flow| packet(wave * 40 + flow, left * 1460)),
        );
    }
    all.truncate(packets);
    all
}

fn shuffle(list: &mut [u32], rng: &mut Rng) {
    for last in (1..list.len()).rev() {
        list.swap(last, rng.below(last as u64 + 1) as usize);
    }
}
