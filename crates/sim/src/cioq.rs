//! Combined input and output queueing: packets cross a fabric of limited speed to their output.
//!
//! **Decision**     an idle output takes from the next input, in turn, that is idle and has a
//!                  packet for it; then the input that has become idle serves the next idle
//!                  output, in turn. So no input and output are both idle while one has a
//!                  packet for the other.
//! **State**        per switch a queue for each input and output, and the turns.
//! **Units**        a crossing takes the packet's link time at `speedup` times the rate of the
//!                  switch's fastest port.
//! **Errors**       none; a packet that finds its input full is dropped as `Full`.
//! **Source**       DIBS section 4: the forwarding engine decides as the packet arrives at its
//!                  input; the speed-up as in Chuang et al., JSAC 1999.
//! **Deviations**   crossings are asynchronous, not in slots. A packet has its place at the
//!                  output from the decision on, so that none is lost or held up inside.

use crate::config::CioqConfig;
use crate::layout::{LinkEnds, backs, port_ranges};
use sidestep_switch::Depth;
use sidestep_switch::ports::Wire;
use sidestep_types::{BitRate, Bytes, Size, Time};
use std::collections::VecDeque;

/// Fabrics of all switches.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct Cioq {
    config: CioqConfig,
    crossbars: Vec<Crossbar>,
}

/// Fabric of one switch.
#[derive(serde::Serialize, serde::Deserialize)]
struct Crossbar {
    first_out: u32,
    rate: BitRate,
    inputs: Vec<Input>,
    /// Per output: true while a packet crosses to it.
    busy: Vec<bool>,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Input {
    /// Link that ends here.
    link: u32,
    /// Queues by output.
    queues: Vec<VecDeque<u32>>,
    held: Depth,
    peak_bytes: u32,
    /// Crossing from here: its output and parcel.
    crossing: Option<(usize, u32)>,
    crossings: u64,
}

/// Switch, and the port where a link ends.
pub(crate) type At = (usize, usize);

/// Crossing that has begun: its parcel, and its number among those from this input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Crossing {
    pub parcel: u32,
    pub count: u64,
}

impl Cioq {
    /// Returns the fabrics of a network whose links have these `wires` and `ends`.
    pub fn new(config: CioqConfig, wires: &[Wire], ends: &[LinkEnds]) -> Cioq {
        let backs = backs(ends);
        let crossbar = |outs: &std::ops::Range<u32>| {
            let ports = outs.len();
            let rates = outs.clone().map(|link| wires[link as usize].rate);
            let input = |out: u32| Input {
                link: backs[out as usize],
                queues: vec![VecDeque::new(); ports],
                held: Depth::default(),
                peak_bytes: 0,
                crossing: None,
                crossings: 0,
            };
            Crossbar {
                first_out: outs.start,
                rate: rates.max_by_key(|r| r.as_bps()).unwrap_or(BitRate::bps(1)),
                inputs: outs.clone().map(input).collect(),
                busy: vec![false; ports],
            }
        };
        Cioq {
            config,
            crossbars: port_ranges(ends).iter().map(crossbar).collect(),
        }
    }

    /// Copies everything that does not change from `built`, the same fabrics before the run.
    pub fn restore_constants(&mut self, built: Cioq) -> Result<(), String> {
        self.config = built.config;
        let same = self.crossbars.len() == built.crossbars.len();
        let same = same
            && (self.crossbars.iter_mut().zip(built.crossbars)).all(|(kept, built)| {
                (kept.first_out, kept.rate) = (built.first_out, built.rate);
                let ports = built.inputs.len();
                let inputs = kept.inputs.iter_mut().zip(built.inputs);
                for (kept, built) in inputs {
                    kept.link = built.link;
                }
                let fits = |input: &Input| {
                    input.queues.len() == ports && input.crossing.is_none_or(|(out, _)| out < ports)
                };
                kept.inputs.len() == ports
                    && kept.busy.len() == ports
                    && kept.inputs.iter().all(fits)
            });
        match same {
            true => Ok(()),
            false => Err("saved switch fabrics do not match the scenario".into()),
        }
    }

    /// Returns true if a packet crosses from this port of this switch.
    pub fn crosses(&self, (switch, port): At) -> bool {
        self.crossbars[switch].inputs[port].crossing.is_some()
    }

    /// Returns true if this port of this switch has room for `bytes` more.
    pub fn has_room(&self, (switch, port): At, bytes: u32) -> bool {
        let held = self.crossbars[switch].inputs[port].held;
        match self.config.input_capacity {
            None => true,
            Some(Size::Packets(n)) => u64::from(held.packets) < n,
            Some(Size::Bytes(b)) => u64::from(held.bytes) + u64::from(bytes) <= b.0,
        }
    }

    /// Returns the most bytes that the input at this port of this switch has held.
    pub fn peak(&self, (switch, port): At) -> u64 {
        u64::from(self.crossbars[switch].inputs[port].peak_bytes)
    }

    /// Returns the time that `bytes` of link time take to cross this switch.
    pub fn span(&self, switch: usize, bytes: u32) -> Time {
        let (times, over) = self.config.speedup;
        let rate = self.crossbars[switch].rate;
        let whole = rate.time_to_send(Bytes(u64::from(bytes)));
        let span = u128::from(whole.ps()) * u128::from(over);
        Time::from_ps(span.div_ceil(u128::from(times)) as u64)
    }

    /// Enqueues a parcel, which will leave by `out`, at its input. Returns the output that the input must begin
    /// to serve, if any.
    pub fn enter(&mut self, at: At, out: u32, parcel: u32, bytes: u32) -> Option<usize> {
        let crossbar = &mut self.crossbars[at.0];
        let output = (out - crossbar.first_out) as usize;
        let input = &mut crossbar.inputs[at.1];
        input.queues[output].push_back(parcel);
        input.held.packets += 1;
        input.held.bytes += bytes;
        input.peak_bytes = input.peak_bytes.max(input.held.bytes);
        let begins = input.crossing.is_none() && !crossbar.busy[output];
        begins.then_some(output)
    }

    /// Begins to move the first packet for `output`.
    pub fn cross(&mut self, at: At, output: usize) -> Crossing {
        let crossbar = &mut self.crossbars[at.0];
        let input = &mut crossbar.inputs[at.1];
        let waits = input.queues[output].pop_front();
        let parcel = waits.expect("a packet that waits");
        input.crossing = Some((output, parcel));
        input.crossings += 1;
        crossbar.busy[output] = true;
        Crossing {
            parcel,
            count: input.crossings,
        }
    }

    /// Returns the parcel that crosses from this input, and the link it will leave by.
    pub fn crossing(&self, at: At) -> (u32, u32) {
        let crossbar = &self.crossbars[at.0];
        let crossing = crossbar.inputs[at.1].crossing;
        let (output, parcel) = crossing.expect("a packet that crosses");
        (parcel, crossbar.first_out + output as u32)
    }

    /// Ends the crossing of `bytes` from this input: input and output are idle. Returns the output.
    pub fn crossed(&mut self, at: At, bytes: u32) -> usize {
        let crossbar = &mut self.crossbars[at.0];
        let input = &mut crossbar.inputs[at.1];
        let (output, _) = input.crossing.take().expect("a packet that crosses");
        input.held.packets -= 1;
        input.held.bytes -= bytes;
        crossbar.busy[output] = false;
        output
    }

    /// Returns the parcels between inputs and outputs, and the links they will leave by.
    pub fn parcels(&self) -> impl Iterator<Item = (u32, u32)> {
        self.crossbars.iter().flat_map(|crossbar| {
            crossbar.inputs.iter().flat_map(|input| {
                let queued = (0..).zip(&input.queues);
                let queued = queued.flat_map(|(out, queue)| queue.iter().map(move |p| (*p, out)));
                let crosses = input.crossing.map(|(out, parcel)| (parcel, out as u32));
                let all = crosses.into_iter().chain(queued);
                all.map(|(parcel, out)| (parcel, crossbar.first_out + out))
            })
        })
    }

    /// Returns the link that ends at the input whose turn it is at the idle `output`, after `last`.
    pub fn next_input(&self, switch: usize, output: usize, last: usize) -> Option<u32> {
        let inputs = &self.crossbars[switch].inputs;
        let n = inputs.len();
        let ready = |i: &usize| {
            let input = &inputs[*i];
            input.crossing.is_none() && !input.queues[output].is_empty()
        };
        let next = (last + 1..=last + n).map(|i| i % n).find(ready)?;
        Some(inputs[next].link)
    }

    /// Returns the output whose turn it is at this input, after `last`; `None` if the input is busy.
    pub fn next_output(&self, at: At, last: usize) -> Option<usize> {
        let crossbar = &self.crossbars[at.0];
        let input = &crossbar.inputs[at.1];
        if input.crossing.is_some() {
            return None;
        }
        let n = crossbar.busy.len();
        let ready = |o: &usize| !crossbar.busy[*o] && !input.queues[*o].is_empty();
        (last + 1..=last + n).map(|o| o % n).find(ready)
    }
}
