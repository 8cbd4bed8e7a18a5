//! Vertigo's deflection, as plainly as it can be said.
//!
//! **Source**       Abdous et al., CoNEXT 2021, section 3.2.
//! **Deviations**   room is counted in packets, since a queue in hardware has so many places. The
//!                  paper leaves open what becomes of equal ranks and of equal loads: *assumed* that
//!                  only a larger rank is evicted, and that of two equally loaded ports the first drawn is
//!                  taken, which is a fair coin.

use sidestep_types::{PortId, PortSet, scale};

/// What becomes of a packet and of the queues it meets.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deflection {
    /// It joins the queue it wanted.
    pub enqueue: u32,
    /// The largest rank of that queue leaves it.
    pub evict: u32,
    /// The victim, the packet or the one evicted, joins the queue of `target`.
    pub moved: u32,
    /// The port of the victim; 0 where there is none to go to.
    pub target: u32,
    /// The largest rank of that queue is dropped.
    pub squeeze: u32,
    /// The victim is dropped.
    pub lost: u32,
}

/// One queue as the decision sees it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Load {
    /// How much waits.
    pub depth: u32,
    /// Is there room for one more?
    pub fits: u32,
    /// The rank at its tail; matters of a full queue.
    pub tail: u32,
}

/// A packet of `rank` wants to leave by `want`; the victim may go to one of `candidates`.
pub fn deflect(
    rank: u32,
    want: PortId,
    loads: &[Load],
    candidates: PortSet,
    draws: [u32; 2],
) -> Deflection {
    let wanted = loads[want.index()];
    if wanted.fits == 1 {
        return Deflection {
            enqueue: 1,
            ..Deflection::default()
        };
    }
    // The larger rank is the victim; of equal ones, the one that is not in the queue yet.
    let evict = wanted.tail > rank;
    let victim = if evict { wanted.tail } else { rank };
    let mut answer = Deflection {
        enqueue: u32::from(evict),
        evict: u32::from(evict),
        ..Deflection::default()
    };
    let Some(target) = two_choices(loads, candidates, draws) else {
        answer.lost = 1;
        return answer;
    };
    answer.target = u32::from(target.0);
    let there = loads[target.index()];
    if there.fits == 1 {
        answer.moved = 1;
    } else if there.tail > victim {
        (answer.moved, answer.squeeze) = (1, 1);
    } else {
        answer.lost = 1;
    }
    answer
}

/// Of two different ports drawn from `candidates` the less loaded one.
fn two_choices(loads: &[Load], candidates: PortSet, draws: [u32; 2]) -> Option<PortId> {
    let first = candidates.nth(scale(draws[0], candidates.len()))?;
    let mut others = candidates;
    others.remove(first);
    let Some(second) = others.nth(scale(draws[1], others.len())) else {
        return Some(first);
    };
    let less = loads[second.index()].depth < loads[first.index()].depth;
    Some(if less { second } else { first })
}

/// See [`deflect`].
///
/// # Safety
///
/// `loads` points to `n` queues, `draws` to two draws, and `answer` to room for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_deflect(
    rank: u32,
    want: u16,
    loads: *const Load,
    n: u16,
    candidates: u64,
    draws: *const [u32; 2],
    answer: *mut Deflection,
) {
    // SAFETY: the caller's promise.
    let (loads, draws) = unsafe { (std::slice::from_raw_parts(loads, usize::from(n)), *draws) };
    let candidates = crate::pick::ports(candidates);
    // SAFETY: the caller's promise.
    unsafe { *answer = deflect(rank, PortId(want), loads, candidates, draws) };
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

    #[test]
    fn the_larger_rank_is_the_victim_and_goes_to_the_less_loaded_of_two() {
        let loads = [load(64, 500), load(10, 0), load(9, 0), load(64, 700)];
        let all = |mask| crate::pick::ports(mask);
        let ask = |rank, mask, draws| deflect(rank, PortId(0), &loads, all(mask), draws);
        let evicts = Deflection {
            enqueue: 1,
            evict: 1,
            moved: 1,
            target: 2,
            ..Deflection::default()
        };
        assert_eq!(ask(499, 0b0110, [0, 0]), evicts);
        let itself = Deflection {
            moved: 1,
            target: 2,
            ..Deflection::default()
        };
        assert_eq!(
            ask(500, 0b0110, [0, 0]),
            itself,
            "of equal ranks the newcomer"
        );
        assert_eq!(ask(500, 0b0110, [u32::MAX, 0]), itself);
        // Both choices full: port 3 is larger at its tail, the wanted port is not.
        let squeezes = Deflection {
            moved: 1,
            target: 3,
            squeeze: 1,
            ..Deflection::default()
        };
        assert_eq!(ask(600, 0b1001, [u32::MAX, 0]), squeezes);
        let lost = Deflection {
            lost: 1,
            ..Deflection::default()
        };
        assert_eq!(ask(600, 0b1001, [0, 0]), lost);
        assert_eq!(ask(600, 0, [0, 0]), lost);
        let goes = Deflection {
            moved: 1,
            target: 1,
            ..Deflection::default()
        };
        assert_eq!(ask(600, 0b0010, [7, 7]), goes, "one port is choice enough");
        let fits = Deflection {
            enqueue: 1,
            ..Deflection::default()
        };
        assert_eq!(deflect(9, PortId(1), &loads, all(0b1111), [0, 0]), fits);
    }
}
