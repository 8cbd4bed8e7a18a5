//! Who may talk to whom: hosts in different racks, or in different pods.
//!
//! **Decision**     a rack is what hangs off one switch; a pod is what the topology calls one. A
//!                  permutation, or a pairing, is drawn uniformly from all. Then, in random order, each
//!                  host whose partner is too near exchanges it with a host drawn uniformly from those
//!                  with which an exchange puts both apart. One exchange always does for one host, and no
//!                  exchange brings anybody near.
//! **State**        none; the draws come from the workload's stream of hosts.
//! **Errors**       hosts that are in no pod; more than half of the hosts in one rack or pod.
//! **Deviations**   all permutations that send as many flows from each group to each other are equally
//!                  likely. How many go from which group to which is not what a uniform draw from the
//!                  permutations allowed would give, but with two groups, where there is no choice.

use super::Site;
use super::deck::Deck;
use sidestep_types::{Refusal, Rng, Settings, Words};
use std::collections::BTreeMap;

/// The setting of workloads that draw who talks to whom.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub(super) struct ApartBy {
    /// the receiver is in another pod, or another rack, than the sender; assumed off
    #[setting(default = "off", off = "off")]
    pub apart: Option<Group>,
}

#[derive(Clone, Copy, Debug, PartialEq, Words)]
pub(super) enum Group {
    Pod,
    Rack,
}

/// Which hosts are near each other: those of one group.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Apart {
    groups: Vec<u32>,
}

impl Apart {
    /// What `apart` says of these hosts. No more than `most` of them may be in one group, or else there is
    /// no `what`.
    pub fn build(
        ApartBy { apart }: ApartBy,
        site: &Site,
        most: u32,
        what: &str,
    ) -> Result<Option<Apart>, Refusal> {
        let groups = match apart {
            None => return Ok(None),
            Some(Group::Pod) => numbered(&site.pods).ok_or_else(|| {
                let wrong = "needs hosts in pods, and this topology has some in none";
                Refusal::of("apart", wrong).got("\"pod\"")
            })?,
            Some(Group::Rack) => site.racks.clone(),
        };
        let mut sizes: BTreeMap<u32, u32> = BTreeMap::new();
        groups
            .iter()
            .for_each(|g| *sizes.entry(*g).or_default() += 1);
        let largest = sizes.into_values().max().unwrap_or(0);
        if largest > most {
            let (hosts, word) = (site.hosts(), apart.map_or("", Words::word));
            let expected =
                format!("needs at most {most} of {hosts} hosts in one {word} for any {what}");
            return Err(Refusal::of("apart", expected).got(largest));
        }
        Ok(Some(Apart { groups }))
    }

    /// Are two hosts, by number, in different groups?
    pub fn are(&self, a: u32, b: u32) -> bool {
        self.groups[a as usize] != self.groups[b as usize]
    }

    /// The receiver of each host: every host is one.
    pub fn permutation(&self, deck: &mut Deck, rng: &mut Rng) -> Vec<u32> {
        let hosts = self.groups.len() as u32;
        let mut to = deck.deal(rng, hosts, None);
        for src in deck.deal(rng, hosts, None) {
            let near = to[src as usize];
            if self.are(src, near) {
                continue;
            }
            let other = loop {
                let other = rng.below(u64::from(hosts)) as u32;
                if self.are(src, to[other as usize]) && self.are(other, near) {
                    break other;
                }
            };
            to.swap(src as usize, other as usize);
        }
        to
    }

    /// All hosts, of an even number, in pairs: the first with the second, the third with the fourth.
    pub fn pairs(&self, deck: &mut Deck, rng: &mut Rng) -> Vec<u32> {
        let hosts = self.groups.len();
        let mut dealt = deck.deal(rng, hosts as u32, None);
        for first in (0..hosts).step_by(2) {
            let host = dealt[first];
            if self.are(host, dealt[first + 1]) {
                continue;
            }
            let place = loop {
                let place = rng.below(hosts as u64) as usize;
                if self.are(host, dealt[place]) && self.are(host, dealt[place ^ 1]) {
                    break place;
                }
            };
            dealt.swap(first + 1, place);
        }
        dealt
    }
}

/// The pods by number, when every host is in one.
fn numbered(pods: &[Option<String>]) -> Option<Vec<u32>> {
    let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
    let mut number = |pod| {
        let next = numbers.len() as u32;
        *numbers.entry(pod).or_insert(next)
    };
    pods.iter()
        .map(|pod| pod.as_deref().map(&mut number))
        .collect()
}
