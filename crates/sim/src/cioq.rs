//! Combined input and output queueing: packets cross a fabric of limited speed to their output.
//!
//! **Decision**     an output that falls idle takes from the next input, in turn, that has a
//!                  packet for it and is idle; then the input that fell idle serves the next
//!                  output, in turn, that is. So no input and output both idle while one has a
//!                  packet for the other.
//! **State**        per switch a queue for each input and output, and whose turn it is.
//! **Units**        a crossing takes the packet's link time at `speedup` times the rate of the
//!                  switch's fastest port.
//! **Errors**       none; a packet that finds its input full is dropped as `Full`.
//! **Source**       DIBS section 4: the forwarding engine decides as the packet arrives at its
//!                  input; the speed-up as in Chuang et al., JSAC 1999.
//! **Deviations**   crossings are asynchronous, not in slots. A packet has its place at the
//!                  output from the decision on, so that none is lost or held up inside.

use crate::agenda::Agenda;
use crate::fabric::{Fabric, HOST_BIT};
use crate::layout::{LinkEnds, backs, port_ranges};
use sidestep_switch::Depth;
use sidestep_types::{BitRate, Bytes, Size, Time};
use std::collections::VecDeque;

/// A switch fabric between inputs and outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CioqConfig {
    /// How much faster than the fastest port it is, as numerator and denominator; at least 1.
    pub speedup: (u64, u64),
    /// What each input holds, the packet that crosses included; `None` is everything.
    pub input_capacity: Option<Size>,
}

/// The fabrics of all switches.
pub(crate) struct Cioq {
    config: CioqConfig,
    crossbars: Vec<Crossbar>,
}

/// One switch's fabric.
struct Crossbar {
    first_out: u32,
    rate: BitRate,
    inputs: Vec<Input>,
    /// Does something cross to this output?
    busy: Vec<bool>,
}

struct Input {
    /// The link that ends here.
    link: u32,
    /// By output.
    queues: Vec<VecDeque<u32>>,
    held: Depth,
    peak_bytes: u32,
    /// What crosses from here: the output and the parcel.
    crossing: Option<(usize, u32)>,
    crossings: u64,
}

impl Cioq {
    /// Fabrics for the network of `fabric`.
    pub fn new<A: Agenda>(config: CioqConfig, fabric: &Fabric<A>, ends: &[LinkEnds]) -> Cioq {
        let backs = backs(ends);
        let crossbar = |outs: &std::ops::Range<u32>| {
            let ports = outs.len();
            let rates = outs.clone().map(|link| fabric.wire(link).rate);
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

    /// Is there room for `bytes` more at this port of this switch?
    pub fn has_room(&self, (switch, port): (usize, usize), bytes: u32) -> bool {
        let held = self.crossbars[switch].inputs[port].held;
        match self.config.input_capacity {
            None => true,
            Some(Size::Packets(n)) => u64::from(held.packets) < n,
            Some(Size::Bytes(b)) => u64::from(held.bytes) + u64::from(bytes) <= b.0,
        }
    }

    /// The most that the input at this port of this switch has held.
    pub fn peak(&self, (switch, port): (usize, usize)) -> u64 {
        u64::from(self.crossbars[switch].inputs[port].peak_bytes)
    }

    /// How long `bytes` of link time take to cross.
    fn span(&self, crossbar: &Crossbar, bytes: u32) -> Time {
        let (times, over) = self.config.speedup;
        let whole = crossbar.rate.time_to_send(Bytes(u64::from(bytes)));
        let span = u128::from(whole.ps()) * u128::from(over);
        Time::from_ps(span.div_ceil(u128::from(times)) as u64)
    }
}

impl Crossbar {
    /// The input whose turn it is at `output`, after `last`.
    fn next_input(&self, output: usize, last: usize) -> Option<usize> {
        let n = self.inputs.len();
        let ready = |i: &usize| {
            let input = &self.inputs[*i];
            input.crossing.is_none() && !input.queues[output].is_empty()
        };
        (last + 1..=last + n).map(|i| i % n).find(ready)
    }

    /// The output whose turn it is at `input`, after `last`.
    fn next_output(&self, input: usize, last: usize) -> Option<usize> {
        let n = self.busy.len();
        let queues = &self.inputs[input].queues;
        let ready = |o: &usize| !self.busy[*o] && !queues[*o].is_empty();
        (last + 1..=last + n).map(|o| o % n).find(ready)
    }
}

impl<A: Agenda> Fabric<A> {
    /// Puts a parcel that came in by `ingress` and will leave by `out` into its input's queue, and
    /// keeps its place at the output.
    pub fn enter(&mut self, ingress: u32, out: u32, parcel: u32) {
        let bytes = u32::from(self.pool.get(parcel).packet.wire) - self.unbuffered;
        self.links[out].grow(bytes);
        let (switch, port) = self.input(ingress);
        let Some(cioq) = &mut self.cioq else { return };
        let crossbar = &mut cioq.crossbars[switch];
        let output = (out - crossbar.first_out) as usize;
        let input = &mut crossbar.inputs[port];
        input.queues[output].push_back(parcel);
        input.held.packets += 1;
        input.held.bytes += bytes;
        input.peak_bytes = input.peak_bytes.max(input.held.bytes);
        if input.crossing.is_none() && !crossbar.busy[output] {
            self.cross(ingress, output);
        }
    }

    /// Begins to move the first packet for `output` of the input where `ingress` ends.
    fn cross(&mut self, ingress: u32, output: usize) {
        let (switch, port) = self.input(ingress);
        let Some(cioq) = &mut self.cioq else { return };
        let crossbar = &mut cioq.crossbars[switch];
        let input = &mut crossbar.inputs[port];
        let parcel = input.queues[output]
            .pop_front()
            .expect("a packet that waits");
        input.crossing = Some((output, parcel));
        input.crossings += 1;
        let count = input.crossings;
        crossbar.busy[output] = true;
        let bytes = u32::from(self.pool.get(parcel).packet.wire);
        let span = cioq.span(&cioq.crossbars[switch], bytes);
        let slot = self.inner_slot(ingress);
        // Like the end of a transmission, it makes room before anything arrives.
        let tie = self.tie(slot, count) & !HOST_BIT;
        self.agenda.schedule(slot, self.now + span, tie);
    }

    /// The packet that crosses from the input where `ingress` ends has reached its output.
    pub fn crossed(&mut self, ingress: u32) {
        let (switch, port) = self.input(ingress);
        let cioq = self.cioq.as_mut().expect("a network of such switches");
        let crossbar = &mut cioq.crossbars[switch];
        let first_out = crossbar.first_out;
        let input = &mut crossbar.inputs[port];
        let (output, parcel) = input.crossing.take().expect("a packet that crosses");
        let bytes = u32::from(self.pool.get(parcel).packet.wire) - self.unbuffered;
        input.held.packets -= 1;
        input.held.bytes -= bytes;
        crossbar.busy[output] = false;
        let out = first_out + output as u32;
        // From its kept place into the queue itself.
        self.links[out].shrink(bytes);
        self.depth(out);
        self.enqueue(out, parcel);
        let next = |cioq: &Cioq| {
            let crossbar = &cioq.crossbars[switch];
            let input = crossbar.next_input(output, port)?;
            Some(crossbar.inputs[input].link)
        };
        if let Some(input) = self.cioq.as_deref().and_then(next) {
            self.cross(input, output);
        }
        let crossbar = |cioq: &Cioq| {
            let crossbar = &cioq.crossbars[switch];
            let idle = crossbar.inputs[port].crossing.is_none();
            idle.then(|| crossbar.next_output(port, output)).flatten()
        };
        if let Some(output) = self.cioq.as_deref().and_then(crossbar) {
            self.cross(ingress, output);
        }
    }
}
