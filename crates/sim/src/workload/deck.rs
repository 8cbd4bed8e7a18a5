//! Hosts drawn without repetition.

use sidestep_types::Rng;

/// Deck of all hosts, from which some are dealt. A deal leaves it unchanged, so that deals are independent.
pub(super) struct Deck {
    cards: Vec<u32>,
}

impl Deck {
    pub fn new(hosts: u32) -> Deck {
        Deck {
            cards: (0..hosts).collect(),
        }
    }

    /// Deals `n` different hosts, uniformly drawn and in random order; all if `n` is larger.
    ///
    /// With the same stream, a smaller deal is the beginning of a larger one. `first`, if given, is dealt
    /// first.
    pub fn deal(&mut self, rng: &mut Rng, n: u32, first: Option<u32>) -> Vec<u32> {
        let all = self.cards.len();
        let n = (n as usize).min(all);
        let mut swaps = Vec::with_capacity(n);
        for i in 0..n {
            let from = match first {
                Some(host) if i == 0 => host as usize,
                _ => i + rng.below((all - i) as u64) as usize,
            };
            self.cards.swap(i, from);
            swaps.push((i, from));
        }
        let dealt = self.cards[..n].to_vec();
        for (a, b) in swaps.into_iter().rev() {
            self.cards.swap(a, b);
        }
        dealt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deal_is_uniform_without_repetition_and_leaves_no_trace() {
        let mut deck = Deck::new(5);
        let mut rng = Rng::from_seed(1);
        let mut seen = [[0u32; 5]; 3];
        for _ in 0..10_000 {
            let dealt = deck.deal(&mut rng, 3, None);
            for (place, host) in dealt.iter().enumerate() {
                seen[place][*host as usize] += 1;
                assert!(!dealt[..place].contains(host));
            }
        }
        // 2000 expected each, standard deviation 40.
        assert!(
            seen.iter().flatten().all(|n| (1_800..2_200).contains(n)),
            "{seen:?}"
        );
        assert_eq!(deck.cards, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_smaller_deal_is_the_beginning_of_a_larger_one() {
        let deal = |n, first| Deck::new(50).deal(&mut Rng::from_seed(2), n, first);
        assert_eq!(deal(7, None), deal(50, None)[..7]);
        assert_eq!(deal(7, Some(9)), deal(99, Some(9))[..7]);
        assert_eq!(deal(7, Some(9))[0], 9);
        assert_eq!(deal(99, None).len(), 50);
    }
}
