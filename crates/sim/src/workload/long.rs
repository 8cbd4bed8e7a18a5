//! Long flows: endless or sized, between random hosts or within node-disjoint pairs.
//!
//! **Decision**     `random`: `flows` flows, each between two different hosts drawn uniformly.
//!                  `pairs`: the hosts are split into pairs at random; within each pair `flows`
//!                  flows run in each direction. `neighbours`: as `pairs`, but with consecutive
//!                  hosts, which share no link with other pairs if they are attached to one
//!                  switch. `one_way`: the hosts are split into pairs at random, and
//!                  `flows` flows run from the first of each to the second. With `apart` both ends of a flow
//!                  are in different pods or racks: random hosts are drawn until they are, pairs
//!                  as [`super::apart`] says. `to_host`: `flows` flows to the host `target`, from others in
//!                  random order, each of them once before any twice. `to_rack`: in the same way from hosts of
//!                  other racks to those of the target's rack, the target first and the others in
//!                  random order.
//! **State**        two streams: hosts, jitter.
//! **Units**        sizes in payload bytes.
//! **Errors**       pairs of an odd number of hosts; a start past the run; hosts that cannot be apart;
//!                  `to_rack` without another rack; a target that is not there.
//! **Source**       `pairs`: Zarifis et al., EuroSys 2014, section 5.6, N from 1 to 16. `to_host`, `to_rack`: Mushtaq
//!                  et al., SIGCOMM 2014 poster (MulBuff), which keeps two long flows beside short ones.
//! **Deviations**   the paper does not say how the pairs are chosen: random is assumed. The poster does not say
//!                  where its two run.

use super::apart::HostGroups;
use super::starts::Starts;
use super::{Cost, Draft, FlowSize, Load, Site, Workload, deck::Deck, endless, target};
use crate::files::Files;
use sidestep_types::{About, Refusal, Settings, Time, Words};

/// Hosts that send to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
enum Between {
    Random,
    Pairs,
    #[word("one_way")]
    OneWay,
    Neighbours,
    #[word("to_host")]
    ToHost,
    #[word("to_rack")]
    ToRack,
}

impl Between {
    /// Returns true if hosts are split into pairs.
    fn pairs(self) -> bool {
        matches!(self, Between::Pairs | Between::OneWay | Between::Neighbours)
    }
}

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub struct Long {
    hosts: u32,
    flows: u32,
    between: Between,
    apart: Option<HostGroups>,
    target: Option<u32>,
    /// Rack of each host.
    racks: Vec<u32>,
    size: u64,
    starts: Starts,
}

/// Settings of [`Long`].
#[derive(Settings)]
pub struct LongSettings {
    /// random: two random hosts for each flow; pairs: random disjoint pairs, both ways (DIBS section 5.6);
    /// one_way: such pairs, one way; neighbours: hosts 0 and 1, 2 and 3, …, both ways; to_host, to_rack: to one
    /// host, or to the hosts of its rack (MulBuff); assumed random
    #[setting(default = "random")]
    between: Between,
    /// to_host, to_rack: number of the receiving host, or of the first of its rack to receive; assumed random
    #[setting(default = "random", off = "random", beside(between = "to_host" | "to_rack"))]
    target: Option<u64>,
    /// number of flows: in all (random, to_host, to_rack), or each way within each pair; DIBS section 5.6: 1 to
    /// 16
    #[setting(default = "1", range = 1..=u64::from(u32::MAX))]
    flows: u32,
    /// size of each flow; DIBS section 5.6: long-lived
    #[setting(default = "endless", off = "endless")]
    size: Option<FlowSize>,
    #[setting(flatten)]
    starts: Starts,
}

impl Workload for Long {
    type Settings = LongSettings;
    const ABOUT: About = About {
        name: "long",
        summary: "endless or sized flows between random hosts or within disjoint pairs",
        source: "Zarifis et al., EuroSys 2014 (DIBS), section 5.6",
    };

    fn build(set: LongSettings, _: &dyn Files, site: &Site) -> Result<Long, Refusal> {
        let hosts = site.pairs_of_hosts()?;
        let between = set.between;
        if between.pairs() && hosts % 2 == 1 {
            let expected = "pairs need an even number of hosts";
            return Err(Refusal::about(&["between"], expected).got(hosts));
        }
        let (most, what) = match between.pairs() {
            false => (hosts - 1, "flow"),
            true => (hosts / 2, "pairing"),
        };
        let apart = HostGroups::build(set.starts.apart, site, most, what)?;
        if apart.is_some() && between == Between::Neighbours {
            let expected = "apart cannot be combined with between = \"neighbours\", whose pairs \
                            are fixed";
            return Err(Refusal::about(&["apart", "between"], expected));
        }
        if between == Between::ToRack && site.racks.iter().all(|rack| *rack == site.racks[0]) {
            let expected = "between = \"to_rack\" needs hosts in other racks: expected \"to_host\"";
            return Err(Refusal::about(&["between"], expected).got("one rack"));
        }
        let target = target(set.target, hosts)?;
        if target.is_some() && !matches!(between, Between::ToHost | Between::ToRack) {
            let expected = "target needs between = \"to_host\" or \"to_rack\"";
            let got = format!("between = {:?}", between.word());
            return Err(Refusal::about(&["target", "between"], expected).got(got));
        }
        Ok(Long {
            hosts,
            target,
            racks: site.racks.clone(),
            flows: set.flows,
            between,
            apart,
            size: endless(set.size),
            starts: set.starts,
        })
    }

    fn draw(&self, into: &mut Draft<'_>) -> Result<(), Refusal> {
        self.starts.check(into.duration)?;
        let mut rng = into.seed.stream("hosts");
        let mut delays = into.seed.stream("jitter");
        let mut deck = Deck::new(self.hosts);
        let mut flow = |src, dst| {
            let start = self.starts.draw(&mut delays)?;
            into.flow(src, dst, self.size, start).map(|_| ())
        };
        if self.between == Between::Random {
            for _ in 0..self.flows {
                let ends = loop {
                    let ends = deck.deal(&mut rng, 2, None);
                    if (self.apart.as_ref()).is_none_or(|apart| apart.are(ends[0], ends[1])) {
                        break ends;
                    }
                };
                flow(ends[0], ends[1])?;
            }
            return Ok(());
        }
        if !self.between.pairs() {
            let dealt = deck.deal(&mut rng, self.hosts, self.target);
            let (senders, receivers) = self.toward(&dealt);
            for n in 0..self.flows as usize {
                flow(senders[n % senders.len()], receivers[n % receivers.len()])?;
            }
            return Ok(());
        }
        let dealt = match (self.between, &self.apart) {
            (Between::Neighbours, _) => (0..self.hosts).collect(),
            (_, Some(apart)) => apart.pairs(&mut deck, &mut rng),
            (_, None) => deck.deal(&mut rng, self.hosts, None),
        };
        for pair in dealt.chunks_exact(2) {
            for _ in 0..self.flows {
                flow(pair[0], pair[1])?;
                if self.between != Between::OneWay {
                    flow(pair[1], pair[0])?;
                }
            }
        }
        Ok(())
    }

    fn load(&self, cost: Cost, duration: Time) -> Load {
        let each = match self.between {
            Between::Random | Between::ToHost | Between::ToRack => 1,
            Between::OneWay => u64::from(self.hosts / 2),
            Between::Pairs | Between::Neighbours => u64::from(self.hosts),
        };
        let mut load = Load::default();
        load.add_some(each * u64::from(self.flows), self.size, cost, duration);
        load
    }
}

impl Long {
    /// Returns the senders and the receivers among all hosts in the order in which they were dealt, the target
    /// first.
    fn toward(&self, dealt: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let target = dealt[0];
        let same_rack = |host: u32| self.racks[host as usize] == self.racks[target as usize];
        let far = |host: u32| (self.apart.as_ref()).is_none_or(|apart| apart.are(host, target));
        let to_rack = self.between == Between::ToRack;
        let sends = |host: &u32| *host != target && far(*host) && !(to_rack && same_rack(*host));
        let receives = |host: &u32| *host == target || to_rack && same_rack(*host);
        let all = dealt.iter().copied();
        (
            all.clone().filter(sends).collect(),
            all.filter(receives).collect(),
        )
    }
}
