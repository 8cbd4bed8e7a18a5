//! Distances over the network of a recording.
//!
//! **Decision**     breadth first; hosts do not forward.

use sidestep_recording::Network;
use std::collections::VecDeque;

/// Returns the distance of each node to `to`, in links; `None` if there is no path.
pub(crate) fn distances(network: &Network, to: u32) -> Vec<Option<u32>> {
    let mut into: Vec<Vec<u32>> = vec![Vec::new(); network.nodes.len()];
    for link in &network.links {
        if let Some(from) = into.get_mut(link.to as usize) {
            from.push(link.from);
        }
    }
    let mut far = vec![None; network.nodes.len()];
    if let Some(target) = far.get_mut(to as usize) {
        *target = Some(0);
    }
    let mut queue = VecDeque::from([to]);
    while let Some(at) = queue.pop_front() {
        let Some(here) = far.get(at as usize).copied().flatten() else {
            continue;
        };
        if at != to && network.nodes[at as usize].host {
            continue;
        }
        for next in &into[at as usize] {
            let known = &mut far[*next as usize];
            if known.is_none() {
                *known = Some(here + 1);
                queue.push_back(*next);
            }
        }
    }
    far
}
