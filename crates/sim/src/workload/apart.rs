//! Apart: partners in different racks, or in different pods.
//!
//! **Decision**     a rack is all hosts of one switch; a pod is what the topology calls one. A
//!                  permutation, or a pairing, is drawn uniformly from all. Then, in random order, each
//!                  host whose partner is too near exchanges it with a host drawn uniformly from those
//!                  with which an exchange puts both apart. One exchange is always enough for one host, and no
//!                  exchange brings any pair near.
//! **State**        none; the draws come from the workload's stream of hosts.
//! **Errors**       hosts that are in no pod; more than half of the hosts in one rack or pod.
//! **Deviations**   all permutations that send as many flows from each group to each other are equally
//!                  likely. The number of flows between groups is not distributed as in a uniform draw from the
//!                  allowed permutations, except with two groups, where there is no choice.

use super::Site;
use super::deck::Deck;
use sidestep_types::{Refusal, Rng, Settings, Words};
use std::collections::BTreeMap;

/// The setting of workloads that draw who talks to whom.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub(super) struct ApartBy {
    /// pod, rack: sender and receiver are in different pods, or racks; assumed off
    #[setting(default = "off", off = "off")]
    pub apart: Option<Group>,
}

#[derive(Clone, Copy, Debug, PartialEq, Words)]
pub(super) enum Group {
    Pod,
    Rack,
}

/// Groups of hosts: those of one group are near each other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct HostGroups {
    groups: Vec<u32>,
}

impl HostGroups {
    /// Returns the groups of these hosts for the parameter `apart`. Refuses a group of more than `most` hosts,
    /// which leaves no `what`.
    pub fn build(
        ApartBy { apart }: ApartBy,
        site: &Site,
        most: u32,
        what: &str,
    ) -> Result<Option<HostGroups>, Refusal> {
        let groups = match apart {
            None => return Ok(None),
            Some(Group::Pod) => numbered(&site.pods).ok_or_else(|| {
                let wrong =
                    "needs every host in a pod, but some hosts of this topology are in none";
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
                format!("needs at most {most} of the {hosts} hosts in one {word} for a {what}");
            return Err(Refusal::of("apart", expected).got(largest));
        }
        Ok(Some(HostGroups { groups }))
    }

    /// Returns true if two hosts, by number, are in different groups.
    pub fn are(&self, a: u32, b: u32) -> bool {
        self.groups[a as usize] != self.groups[b as usize]
    }

    /// Draws the receiver of each host: every host is one.
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

    /// Draws pairs of all hosts, of an even number: the first with the second, the third with the fourth.
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

/// Returns the pods by number, if every host is in one.
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
