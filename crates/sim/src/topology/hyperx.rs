//! HyperX: switches at the points of a grid; every line of the grid is a full mesh.
//!
//! **Decision**     a switch is cabled to every other that differs from it in one coordinate.
//!                  Switches are numbered with the last coordinate varying fastest, hosts switch
//!                  by switch.
//! **State**        ports: each switch's hosts, then its neighbours, by number.
//! **Units**        rates per direction.
//! **Errors**       an invalid shape, or switches with more ports than there are.
//! **Source**       Ahn, Binkert, Davis, McLaren and Schreiber, SC 2009: HyperX(L, S, K, T).
//! **Deviations**   K, the cables side by side in a dimension, is 1: give a higher `fabric_rate`.

use super::{Builder, Link, MAX_PORTS, Topology, at_most_hosts, count};
use crate::files::Files;
use crate::network::{Network, SwitchInfo};
use sidestep_types::{Entry, Param, ParamUnit, Refusal, Values};

/// See the module.
pub struct HyperX;

impl Topology for HyperX {
    const ENTRY: Entry = Entry {
        name: "hyperx",
        summary: "a grid of switches in which every line is a full mesh",
        source: "Ahn et al., SC 2009",
        params: &[
            Param::with_default(
                "shape",
                ParamUnit::File,
                "4x4",
                "switches in each of 1 to 8 dimensions; assumed",
            ),
            Param::with_default(
                "hosts_per_switch",
                ParamUnit::Count,
                "4",
                "hosts on each switch; assumed",
            ),
            Param::with_default(
                "host_rate",
                ParamUnit::Rate,
                "1 Gbps",
                "rate of links from host to switch; DIBS Table 1",
            ),
            Param::with_default(
                "fabric_rate",
                ParamUnit::Rate,
                "1 Gbps",
                "rate of links from switch to switch; DIBS Table 1",
            ),
            Param::with_default(
                "delay",
                ParamUnit::Time,
                "1 us",
                "delay of every link; assumed",
            ),
        ],
    };

    fn lay(values: &Values, _: &dyn Files) -> Result<Network, Refusal> {
        let shape = shape(&values.word("shape"))?;
        let hosts = count(values, "hosts_per_switch", 1, MAX_PORTS)?;
        let ports = hosts + shape.iter().map(|n| n - 1).sum::<u32>();
        if ports > MAX_PORTS {
            let expected = format!(
                "hosts_per_switch and shape: expected at most {MAX_PORTS} ports per switch"
            );
            return Err(Refusal::about(&["hosts_per_switch", "shape"], expected).got(ports));
        }
        // With so few ports the product cannot overflow.
        let switches = shape.iter().map(|n| u64::from(*n)).product::<u64>();
        at_most_hosts(switches * u64::from(hosts), &["shape", "hosts_per_switch"])?;
        let access = Link::of(values, "host_rate", "delay");
        let fabric = Link::of(values, "fabric_rate", "delay");
        let mut net = Builder::default();
        let points: Vec<Vec<u32>> = (0..switches as u32).map(|s| point(s, &shape)).collect();
        let all: Vec<_> = points.iter().map(|at| net.switch(info(at))).collect();
        for switch in &all {
            net.hosts(hosts, *switch, access);
        }
        for (a, at) in points.iter().enumerate() {
            for b in later_neighbours(a, at, &shape) {
                net.cable(all[a], all[b], fabric);
            }
        }
        net.done(&["hosts_per_switch", "shape"])
    }
}

/// Parses the numbers of `4x4`.
fn shape(text: &str) -> Result<Vec<u32>, Refusal> {
    let sizes: Option<Vec<u32>> = (text.split('x'))
        .map(|n| {
            n.trim()
                .parse()
                .ok()
                .filter(|n| (1..=MAX_PORTS).contains(n))
        })
        .collect();
    sizes.filter(|sizes| sizes.len() <= 8).ok_or_else(|| {
        let expected = format!("shape: expected 1 to 8 numbers from 1 to {MAX_PORTS} like \"4x4\"");
        Refusal::about(&["shape"], expected).got(format!("{text:?}"))
    })
}

/// Returns the description of the switch at these coordinates. Switches with the same first coordinate are
/// shown together like a pod, unless it is the only coordinate.
fn info(at: &[u32]) -> SwitchInfo {
    let words: Vec<_> = at.iter().map(u32::to_string).collect();
    SwitchInfo {
        name: format!("switch {}", words.join(".")),
        tier: None,
        pod: (words.len() > 1).then(|| words[0].clone()),
    }
}

/// The coordinates of switch number `s`.
fn point(s: u32, shape: &[u32]) -> Vec<u32> {
    let mut rest = s;
    let mut at: Vec<u32> = (shape.iter().rev())
        .map(|size| {
            let here = rest % size;
            rest /= size;
            here
        })
        .collect();
    at.reverse();
    at
}

/// The neighbours of switch `a` with a higher number, in order.
fn later_neighbours(a: usize, at: &[u32], shape: &[u32]) -> Vec<usize> {
    let mut found = Vec::new();
    // Difference of switch numbers for one step of this coordinate.
    let mut stride = 1;
    for (here, size) in at.iter().zip(shape).rev() {
        let further = *here + 1..*size;
        found.extend(further.map(|there| a + (there - here) as usize * stride));
        stride *= *size as usize;
    }
    found.sort_unstable();
    found
}
