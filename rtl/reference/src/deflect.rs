//! Buffer policy `vertigo`, for a cell that decides about one arrival and its victim at once: the policy for a
//! bench's own queues, and its rows of `sidestep vectors`.

use crate::driver::Driver;
pub use crate::driver::{Deflection, Load};
use crate::pick::ports;
use crate::vectors::{PORTS, number, rank, values};
use sidestep_switch::buffer::vertigo::Vertigo;
use sidestep_switch::{AnyBuffer, Buffer, DropReason, Policy as _, Queues, Verdict, Want};
use sidestep_types::{Packet, PortId, PortSet, Rng, Seed, Values};
use sidestep_vectors::{Row, Table, named};

/// Returns the effects of `vertigo` on a packet of `rank` that wants `want`, if all packets have one size. Also
/// returns the first two draws of `rng`, which the policy may use.
pub fn deflect(
    rank: u32,
    want: PortId,
    loads: &[Load],
    to_switch: PortSet,
    rng: Rng,
) -> (Deflection, [u32; 2]) {
    let values = Values::defaults(Vertigo::ENTRY.params);
    let policy = AnyBuffer::build("vertigo", &values, loads.len() as u16, 0);
    let policy = policy.expect("its defaults are for two ports or more");
    let mut ahead = rng.clone();
    let draws = [ahead.draw(), ahead.draw()];
    let driver = Driver::new(loads, to_switch);
    (driver.arrive(policy, rank, want, rng), draws)
}

/// The cell can be queried.
pub const ASKED: u32 = 0;
/// The cell cannot be queried: room is counted in bytes.
pub const IN_BYTES: u32 = 1;
/// The cell cannot be queried: more than two ports are drawn.
pub const MORE_CHOICES: u32 = 2;
/// The cell cannot be queried: the packet was evicted from a queue that is not full, although one eviction for
/// one arrival leaves a queue full.
pub const NOT_FULL: u32 = 3;

/// Row of `sidestep vectors buffer/vertigo` as a query of the cell; see `docs/reference/vectors.md`.
///
/// The query for an evicted packet includes a packet for which it made room. That packet ranks just better, and
/// the tail of the wanted queue is the evicted packet. If nothing may be deflected, no port leads to a switch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deflected {
    /// [`ASKED`], or the reason for which the cell is not queried.
    pub apart: u32,
    /// Rank of the packet.
    pub rank: u32,
    /// Port that the packet wants.
    pub want: u32,
    /// Mask of ports that lead to a switch.
    pub to_switch: u32,
    /// Queue of each port; queues of ports beyond the switch's are full.
    pub loads: [Load; PORTS],
    /// Next two draws.
    pub draws: [u32; 2],
    /// 1 if the row shows the fate of the victim; 0 if the arrival evicts it.
    pub whole: u32,
    /// Effects of the row's verdict on these queues.
    pub answer: Deflection,
}

/// Returns the endless rows.
pub fn deflections(seed: Seed) -> impl Iterator<Item = Deflected> {
    let policy = named("buffer/vertigo").pop().expect("it is registered");
    policy.rows(seed).map(|row| read(&row))
}

fn read(row: &Row) -> Deflected {
    let cell = |name: &str| row.cell(name).expect("the table has it");
    let hex = |name: &str| u64::from_str_radix(cell(name), 16).expect(name);
    let settings = values(&Vertigo::ENTRY, cell("settings"));
    let to_switch = match settings.flag("deflect") {
        true => hex("to_switch_mask_hex") as u32,
        false => 0,
    };
    let (want, verdict) = (number(row, "want_port"), verdict(row));
    let mut deflected = Deflected {
        rank: rank(row),
        want,
        to_switch,
        loads: loads(row),
        draws: [hex("draw_1_hex") as u32, hex("draw_2_hex") as u32],
        whole: u32::from(!matches!(verdict, Verdict::Evict { .. })),
        ..Deflected::default()
    };
    let drawn = settings
        .count("choices")
        .min(u64::from(to_switch.count_ones()));
    let goes_on = matches!(verdict, Verdict::Detour { .. } | Verdict::Squeeze { .. });
    let wanted = &mut deflected.loads[want as usize];
    let mut says = Says {
        arrives: verdict,
        displaced: Verdict::Drop(DropReason::Evicted),
    };
    let mut full = true;
    if cell("question") == "displaced" {
        full = wanted.fits == 0;
        wanted.tail = deflected.rank;
        deflected.rank -= 1;
        says = Says {
            arrives: Verdict::Evict { mark: false },
            displaced: verdict,
        };
    }
    deflected.apart = match () {
        () if !cell("capacity_bytes").is_empty() => IN_BYTES,
        () if goes_on && drawn > 2 => MORE_CHOICES,
        () if !full => NOT_FULL,
        () => ASKED,
    };
    if deflected.apart == ASKED {
        let driver = Driver::new(&deflected.loads, ports(to_switch.into()));
        let (policy, rng) = (AnyBuffer::Custom(Box::new(says)), Rng::from_seed(0));
        deflected.answer = driver.arrive(policy, deflected.rank, PortId(want as u16), rng);
    }
    deflected
}

fn loads(row: &Row) -> [Load; PORTS] {
    let words = |name: &str| row.cell(name).expect("the table has it").split(' ');
    let fits = words("fits_mask_hex")
        .next()
        .and_then(|mask| u64::from_str_radix(mask, 16).ok());
    let fits = fits.expect("a mask");
    let mut loads = [Load::default(); PORTS];
    let cells = words("depth_bytes").zip(words("worst_ranks_bytes"));
    for ((p, load), (depth, tail)) in loads.iter_mut().enumerate().zip(cells) {
        *load = Load {
            depth: depth.parse().expect("bytes"),
            fits: (fits >> p & 1) as u32,
            // 0 if no ranked packet waits there.
            tail: tail.parse().unwrap_or(0),
        };
    }
    loads
}

fn verdict(row: &Row) -> Verdict {
    let (port, mark) = (PortId(number(row, "port") as u16), false);
    match row.cell("verdict").expect("the table has it") {
        "enqueue" => Verdict::Enqueue { mark },
        "evict" => Verdict::Evict { mark },
        "detour" => Verdict::Detour { port, mark },
        "squeeze" => Verdict::Squeeze { port, mark },
        "drop" => Verdict::Drop(DropReason::Full),
        other => unreachable!("vertigo does not say {other}"),
    }
}

/// Policy that returns the verdict of a row.
struct Says {
    arrives: Verdict,
    displaced: Verdict,
}

impl Buffer for Says {
    fn admit(&mut self, _: &Packet, _: Want, _: &mut dyn Queues, _: &mut Rng) -> Verdict {
        self.arrives
    }

    fn displaced(&mut self, _: &Packet, _: PortId, _: &mut dyn Queues, _: &mut Rng) -> Verdict {
        self.displaced
    }
}

/// Table being read.
pub struct Deflections(Box<dyn Iterator<Item = Deflected>>);

/// Calls [`deflect`] with the random stream that starts from `seed`. Writes the effects, and the two draws.
///
/// # Safety
///
/// `loads` points to `n` queues; `answer` points to room for one, `draws` to room for two.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_deflect(
    rank: u32,
    want: u16,
    loads: *const Load,
    n: u16,
    to_switch: u64,
    seed: u64,
    answer: *mut Deflection,
    draws: *mut [u32; 2],
) {
    // SAFETY: guaranteed by the caller.
    let loads = unsafe { std::slice::from_raw_parts(loads, usize::from(n)) };
    let rng = Rng::from_seed(seed);
    let said = deflect(rank, PortId(want), loads, ports(to_switch), rng);
    // SAFETY: guaranteed by the caller.
    unsafe { (*answer, *draws) = said };
}

/// Begins to read the rows of `vertigo`.
#[unsafe(no_mangle)]
pub extern "C" fn sidestep_deflections_open(seed: u64) -> *mut Deflections {
    let rows = deflections(Seed(seed));
    Box::into_raw(Box::new(Deflections(Box::new(rows))))
}

/// Reads the next row.
///
/// # Safety
///
/// `deflections` is open, and `deflected` points to room for one row.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_deflections_next(
    deflections: *mut Deflections,
    deflected: *mut Deflected,
) {
    // SAFETY: guaranteed by the caller.
    let (deflections, deflected) = unsafe { (&mut *deflections, &mut *deflected) };
    *deflected = deflections.0.next().expect("rows have no end");
}

/// Ends the reading.
///
/// # Safety
///
/// `deflections` is open, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_deflections_close(deflections: *mut Deflections) {
    // SAFETY: guaranteed by the caller.
    drop(unsafe { Box::from_raw(deflections) });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(depth: u32, tail: u32) -> Load {
        Load {
            depth,
            fits: u32::from(depth < 64),
            tail,
        }
    }

    /// Returns queues that are full at ports 0 and 3, and shortest at port 2.
    fn four_loads() -> [Load; 4] {
        [load(64, 500), load(10, 0), load(9, 0), load(64, 700)]
    }

    /// Returns a stream whose first draw is in the upper half of its range, or in the lower.
    fn rng(upper: bool) -> Rng {
        let mut streams = (0..).map(Rng::from_seed);
        let found = streams.find(|rng| (rng.clone().draw() >= 1 << 31) == upper);
        found.expect("one in two is so")
    }

    fn ask(rank: u32, want: u16, mask: u64, upper: bool) -> Deflection {
        deflect(rank, PortId(want), &four_loads(), ports(mask), rng(upper)).0
    }

    #[test]
    fn the_larger_rank_is_the_victim_and_goes_to_the_less_loaded_of_two() {
        let itself = Deflection {
            moved: 1,
            target: 2,
            ..Deflection::default()
        };
        let evicts = Deflection {
            enqueue: 1,
            evict: 1,
            ..itself
        };
        for upper in [false, true] {
            assert_eq!(ask(499, 0, 0b0110, upper), evicts);
            assert_eq!(
                ask(500, 0, 0b0110, upper),
                itself,
                "of equal ranks the newcomer"
            );
        }
        let alone = Deflection {
            target: 1,
            ..itself
        };
        assert_eq!(
            ask(600, 0, 0b0010, false),
            alone,
            "one port is choice enough"
        );
        let fits = Deflection {
            enqueue: 1,
            ..Deflection::default()
        };
        assert_eq!(ask(9, 1, 0b1111, false), fits);
    }

    #[test]
    fn where_both_are_full_a_larger_tail_is_dropped_or_else_the_victim() {
        let squeezes = Deflection {
            moved: 1,
            target: 3,
            squeeze: 1,
            ..Deflection::default()
        };
        assert_eq!(
            ask(600, 0, 0b1001, true),
            squeezes,
            "port 3 has a larger tail"
        );
        let lost = Deflection {
            lost: 1,
            ..Deflection::default()
        };
        assert_eq!(ask(600, 0, 0b1001, false), lost, "port 0 has not");
        assert_eq!(ask(700, 0, 0b1001, true), lost, "an equal one stays");
        assert_eq!(ask(600, 0, 0, false), lost, "no port to a switch");
        let evicted = Deflection {
            enqueue: 1,
            evict: 1,
            ..lost
        };
        assert_eq!(
            ask(499, 0, 0b0001, false),
            evicted,
            "back to where it was the worst"
        );
    }

    #[test]
    fn rows_that_a_cell_can_be_asked_are_most_and_do_all_that_can_happen() {
        let rows: Vec<Deflected> = deflections(Seed(3)).take(4_000).collect();
        let asked: Vec<&Deflected> = rows.iter().filter(|row| row.apart == ASKED).collect();
        assert!(asked.len() > 2_000, "{}", asked.len());
        for apart in [IN_BYTES, MORE_CHOICES, NOT_FULL] {
            assert!(rows.iter().any(|row| row.apart == apart), "{apart}");
        }
        let bits = |row: &Deflected| {
            let Deflection {
                enqueue,
                evict,
                moved,
                squeeze,
                lost,
                ..
            } = row.answer;
            (row.whole, [enqueue, evict, moved, squeeze, lost])
        };
        for happens in [
            (1, [1, 0, 0, 0, 0]),
            (1, [0, 0, 1, 0, 0]),
            (1, [0, 0, 1, 1, 0]),
            (1, [0, 0, 0, 0, 1]),
            (1, [1, 1, 1, 0, 0]),
            (1, [1, 1, 1, 1, 0]),
            (1, [1, 1, 0, 0, 1]),
            (0, [1, 1, 0, 0, 1]),
        ] {
            assert!(asked.iter().any(|row| bits(row) == happens), "{happens:?}");
        }
    }
}
