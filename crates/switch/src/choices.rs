//! Random draws of a few different ports, for policies that compare their queues.

use crate::{Depth, Queues};
use sidestep_types::{PortId, PortSet, Refusal, Rng, scale};
use std::ops::RangeInclusive;

/// Most ports that can be drawn at once.
pub(crate) const MOST: usize = 4;

/// Allowed numbers of ports to draw.
pub(crate) const CHOICES: RangeInclusive<u64> = 1..=MOST as u64;

/// Returns `choices`, or refuses it if the switch has fewer `ports`.
pub(crate) fn of_ports(choices: u8, ports: u16) -> Result<u8, Refusal> {
    if u16::from(choices) > ports {
        let expected = format!("must be at most {ports}, the number of ports of the switch");
        return Err(Refusal::of("choices", expected).got(choices));
    }
    Ok(choices)
}

/// Calls `with` with `many` different numbers below `below`, in random order.
pub(crate) fn draw_different(
    rng: &mut Rng,
    many: usize,
    below: usize,
    mut with: impl FnMut(usize),
) {
    // Numbers drawn so far, in rising order. Each new draw is an index into the numbers not drawn yet.
    let mut drawn = [0; MOST];
    for n in 0..many.min(below) {
        let left = below - n;
        let mut number = match left {
            1 => 0,
            _ => scale(rng.draw(), left as u32) as usize,
        };
        let mut at = 0;
        while at < n && drawn[at] <= number {
            number += 1;
            at += 1;
        }
        drawn.copy_within(at..n, at + 1);
        drawn[at] = number;
        with(number);
    }
}

/// Returns the two numbers that [`draw_different`] would draw below `below`, which is at least 2.
#[inline]
pub(crate) fn draw_two(rng: &mut Rng, below: usize) -> [usize; 2] {
    let first = scale(rng.draw(), below as u32) as usize;
    let second = match below - 1 {
        1 => 0,
        left => scale(rng.draw(), left as u32) as usize,
    };
    [first, second + usize::from(first <= second)]
}

/// Draws `choices` different ports from `ports` and returns the one whose queue has the fewest bytes, with its
/// depth. Among equal queues the first drawn wins. Returns `None` if there is no port.
pub(crate) fn shortest_drawn(
    rng: &mut Rng,
    choices: u8,
    ports: PortSet,
    queues: &mut dyn Queues,
) -> Option<(PortId, Depth)> {
    let mut shortest: Option<(PortId, Depth)> = None;
    draw_different(rng, usize::from(choices), ports.len() as usize, |number| {
        let port = ports.nth(number as u32).expect("so many ports");
        let depth = queues.depth(port);
        if shortest.is_none_or(|(_, least)| depth.bytes < least.bytes) {
            shortest = Some((port, depth));
        }
    });
    shortest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_are_drawn_as_several_are() {
        for below in 2..20 {
            let (mut rng, mut other) = (Rng::from_seed(below), Rng::from_seed(below));
            for _ in 0..200 {
                let mut numbers = Vec::new();
                draw_different(&mut other, 2, below as usize, |number| numbers.push(number));
                assert_eq!(draw_two(&mut rng, below as usize)[..], numbers, "{below}");
            }
            assert_eq!(rng.draw(), other.draw(), "{below}");
        }
    }

    #[test]
    fn what_is_left_alone_takes_no_draw() {
        let (mut rng, mut other) = (Rng::from_seed(9), Rng::from_seed(9));
        let mut numbers = Vec::new();
        draw_different(&mut rng, 4, 3, |number| numbers.push(number));
        numbers.sort_unstable();
        assert_eq!(numbers, [0, 1, 2]);
        let drawn = [(); 3].map(|()| other.draw());
        assert_eq!(rng.draw(), drawn[2]);
    }

    #[test]
    fn different_numbers_are_drawn_in_every_order() {
        let mut rng = Rng::from_seed(9);
        let mut seen = std::collections::BTreeMap::new();
        for _ in 0..24_000 {
            let mut numbers = Vec::new();
            draw_different(&mut rng, 3, 4, |number| numbers.push(number));
            let [a, b, c] = numbers[..] else {
                panic!("{numbers:?}");
            };
            assert!(a != b && a != c && b != c, "{numbers:?}");
            *seen.entry(numbers).or_insert(0) += 1;
        }
        // All 24 ordered draws of three out of four occur: 1,000 times each, with a standard deviation of 31.
        assert_eq!(seen.len(), 24);
        assert!(
            seen.values().all(|count| (850..1150).contains(count)),
            "{seen:?}"
        );
    }
}
