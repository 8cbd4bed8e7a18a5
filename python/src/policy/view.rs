//! Inputs of a policy: the packet, the next hops, the queues of its switch, its random stream.
//!
//! Packet, hops and the wanted queue are copies. Queues and the stream are valid during the call for which they
//! were made, and raise `RuntimeError` afterwards.

use super::loan;
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyTuple};
use sidestep_study::caller::PolicySite;
use sidestep_switch::Place;
use sidestep_types::{Bytes, Kind, PortId, Rng, Size};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;

/// Switch for which a policy decides.
#[pyclass(frozen, module = "sidestep")]
pub struct Switch(pub Place, pub Option<u16>);

#[pymethods]
impl Switch {
    /// Number of the switch, from zero.
    #[getter]
    fn number(&self) -> u32 {
        self.0.switch
    }
    /// Name of the switch: `agg 0.1`.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }
    /// Number of ports: they are 0 to `ports - 1`.
    #[getter]
    fn ports(&self) -> u16 {
        self.0.ports
    }
    /// Salt of the switch, 64 bits, for hashing; policies in Rust get the same salt.
    #[getter]
    fn salt(&self) -> u64 {
        self.0.salt
    }
    /// Seed of the run.
    #[getter]
    fn seed(&self) -> u64 {
        self.0.seed
    }
    /// Scheme of the run.
    #[getter]
    fn scheme(&self) -> &str {
        &self.0.scheme
    }
    /// Port of a scheduler; `None` for other policies.
    #[getter]
    fn port(&self) -> Option<u16> {
        self.1
    }
    fn __repr__(&self) -> String {
        format!("<{}, {} ports>", self.0, self.0.ports)
    }
}

/// Packet, as it was at the call of the policy.
#[pyclass(frozen, module = "sidestep")]
pub struct Packet(pub sidestep_types::Packet);

#[pymethods]
impl Packet {
    /// Kind of the packet: `data`, `ack`, `syn` or `synack`.
    #[getter]
    fn kind(&self) -> &'static str {
        match self.0.kind() {
            Kind::Data => "data",
            Kind::Ack => "ack",
            Kind::Syn => "syn",
            Kind::SynAck => "synack",
        }
    }
    /// Number of the packet's flow.
    #[getter]
    fn flow(&self) -> u32 {
        self.0.flow.0
    }
    /// Destination host.
    #[getter]
    fn dst(&self) -> u32 {
        self.0.dst.0
    }
    /// Hash of the packet's 5-tuple, 32 bits.
    #[getter]
    fn hash(&self) -> u32 {
        self.0.hash
    }
    /// First byte of data; for an acknowledgement, the next byte expected.
    #[getter]
    fn seq(&self) -> u64 {
        self.0.seq()
    }
    /// Payload, in bytes; for a trimmed packet, the payload it has lost.
    #[getter]
    fn payload_bytes(&self) -> u16 {
        self.0.len
    }
    /// Size on the link, in bytes.
    #[getter]
    fn wire_bytes(&self) -> u16 {
        self.0.wire
    }
    /// Number of switches that the packet may still cross.
    #[getter]
    fn ttl(&self) -> u8 {
        self.0.ttl
    }
    /// Number of times the packet was detoured or deflected.
    #[getter]
    fn detours(&self) -> u8 {
        self.0.detours
    }
    /// Rank by which switches order packets, smallest first.
    #[getter]
    fn rank(&self) -> u32 {
        self.0.rank()
    }
    /// Class of service, 0 to 63.
    #[getter]
    fn service(&self) -> u8 {
        self.0.service()
    }
    /// True if the packet carries bytes of a flow.
    #[getter]
    fn carries_data(&self) -> bool {
        self.0.carries_data()
    }
    /// True if the packet may be marked.
    #[getter]
    fn ecn_capable(&self) -> bool {
        self.0.ect()
    }
    /// True if the packet is marked.
    #[getter]
    fn marked(&self) -> bool {
        self.0.ce()
    }
    /// True if the packet is a retransmission.
    #[getter]
    fn sent_again(&self) -> bool {
        self.0.sent_again()
    }
    /// True if a switch has cut off the payload.
    #[getter]
    fn trimmed(&self) -> bool {
        self.0.is_trimmed_data()
    }
    /// True if the host declares that its flow sends nothing new after this packet.
    #[getter]
    fn ends(&self) -> bool {
        self.0.ends()
    }
    fn __repr__(&self) -> String {
        let (kind, flow, seq) = (self.kind(), self.flow(), self.seq());
        format!("<{kind} of flow {flow}, seq {seq}, to host {}>", self.dst())
    }
}

/// Next hops toward the packet's destination: a sequence of ports, never empty.
#[pyclass(frozen, module = "sidestep")]
pub struct Hops {
    pub ports: Vec<u16>,
    pub set: u32,
    pub prefix: u32,
}

#[pymethods]
impl Hops {
    /// Ports on shortest paths, in rising order.
    #[getter]
    fn ports<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.ports)
    }
    /// Small number for this list of ports; equal lists of one switch have equal numbers.
    #[getter]
    fn set(&self) -> u32 {
        self.set
    }
    /// Small number for the packet's destination, as far as the switch's table distinguishes destinations.
    #[getter]
    fn prefix(&self) -> u32 {
        self.prefix
    }
    fn __len__(&self) -> usize {
        self.ports.len()
    }
    fn __getitem__(&self, index: isize) -> PyResult<u16> {
        let len = self.ports.len();
        let at = if index < 0 {
            index + len as isize
        } else {
            index
        };
        let found = usize::try_from(at).ok().and_then(|at| self.ports.get(at));
        let wrong = || PyIndexError::new_err(format!("hop {index} of {len}"));
        found.copied().ok_or_else(wrong)
    }
    fn __contains__(&self, port: u16) -> bool {
        self.ports.contains(&port)
    }
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.ports(py)?.try_iter()
    }
    fn __repr__(&self) -> String {
        format!("<hops {:?}>", self.ports)
    }
}

/// Depth of a queue.
#[pyclass(frozen, get_all, eq, module = "sidestep")]
#[derive(Clone, Copy, PartialEq)]
pub struct Depth {
    /// Number of packets.
    pub packets: u32,
    /// Bytes of buffer.
    pub bytes: u32,
}

#[pymethods]
impl Depth {
    /// Creates a depth of `packets` packets with `bytes` bytes together.
    #[new]
    fn new(packets: u32, bytes: u32) -> Depth {
        Depth { packets, bytes }
    }
    fn __repr__(&self) -> String {
        format!("<{} packets, {} bytes>", self.packets, self.bytes)
    }
}

impl From<sidestep_switch::Depth> for Depth {
    fn from(depth: sidestep_switch::Depth) -> Depth {
        let sidestep_switch::Depth { packets, bytes } = depth;
        Depth { packets, bytes }
    }
}

/// Queue of one class at a port.
#[pyclass(frozen, get_all, module = "sidestep")]
pub struct Class {
    /// Number of packets waiting.
    pub packets: u32,
    /// Bytes of buffer of these packets.
    pub bytes: u32,
    /// Number of flows, if the scheduler counts them.
    pub flows: u32,
}

/// Port that the route chose, and its queue before the packet.
#[pyclass(frozen, get_all, module = "sidestep")]
pub struct Want {
    /// Number of the port.
    pub port: u16,
    /// Packets in the queue.
    pub packets: u32,
    /// Bytes of buffer in the queue.
    pub bytes: u32,
    /// True if there is room for the packet.
    pub fits: bool,
}

/// Random numbers of the switch.
#[pyclass(frozen, module = "sidestep")]
pub struct RandomStream(Mutex<Option<Rng>>);

impl RandomStream {
    pub fn of(rng: &Rng) -> RandomStream {
        RandomStream(Mutex::new(Some(rng.clone())))
    }

    /// Takes the stream as the policy left it. Python cannot use it afterwards.
    pub fn take(&self) -> Option<Rng> {
        self.0.lock().ok()?.take()
    }

    fn with<R>(&self, call: impl FnOnce(&mut Rng) -> R) -> PyResult<R> {
        let mut held = self.0.lock().map_err(|_| over())?;
        held.as_mut().map(call).ok_or_else(over)
    }
}

#[pymethods]
impl RandomStream {
    /// Returns 32 random bits: one draw of the switch.
    fn draw(&self) -> PyResult<u32> {
        self.with(Rng::draw)
    }
    /// Returns one draw, scaled to `0 <= number < n` as a switch does it: `draw * n >> 32`.
    fn scaled(&self, n: u32) -> PyResult<u32> {
        match n {
            0 => Err(PyValueError::new_err("n: expected at least 1, got 0")),
            n => self.with(|rng| sidestep_types::scale(rng.draw(), n)),
        }
    }
}

fn over() -> PyErr {
    PyRuntimeError::new_err(
        "this view of the switch is valid only during the policy's call; copy the values you need",
    )
}

/// Queues of a switch at the instant of one decision.
#[pyclass(frozen, module = "sidestep")]
pub struct Queues {
    pub ticket: u64,
    pub ports: u16,
}

impl Queues {
    fn ask<R>(&self, question: impl FnOnce(&mut dyn sidestep_switch::Queues) -> R) -> PyResult<R> {
        // The query may reach a Python scheduler that ends the run: its exception becomes one of this policy.
        let said = catch_unwind(AssertUnwindSafe(|| loan::ask(self.ticket, question)));
        let said = said.map_err(|payload| match PolicySite::said(payload) {
            Ok(words) => PyRuntimeError::new_err(words),
            Err(panic) => resume_unwind(panic),
        })?;
        said.ok_or_else(over)
    }

    fn of<R>(
        &self,
        port: u16,
        question: impl FnOnce(&mut dyn sidestep_switch::Queues, PortId) -> R,
    ) -> PyResult<R> {
        if port >= self.ports {
            let last = self.ports.saturating_sub(1);
            let text = format!("expected a port from 0 to {last}, got {port}");
            return Err(PyIndexError::new_err(text));
        }
        self.ask(|queues| question(queues, PortId(port)))
    }
}

#[pymethods]
impl Queues {
    /// Current simulated time, in picoseconds.
    #[getter]
    fn now_ps(&self) -> PyResult<u64> {
        self.ask(|queues| queues.now().ps())
    }
    /// Returns the depth of the queue of `port`.
    fn depth(&self, port: u16) -> PyResult<Depth> {
        self.of(port, |queues, port| queues.depth(port).into())
    }
    /// Returns the index in `ports` of the port with the fewest bytes; of equal ports, the first from index
    /// `start` on.
    #[pyo3(signature = (ports, start = 0))]
    fn shortest(&self, ports: Vec<u16>, start: usize) -> PyResult<usize> {
        if ports.is_empty() {
            return Err(PyValueError::new_err(
                "ports: expected at least one, got none",
            ));
        }
        if let Some(&wrong) = ports.iter().find(|port| **port >= self.ports) {
            self.of(wrong, |_, _| ())?;
        }
        let start = start % ports.len();
        let ports: Vec<PortId> = ports.into_iter().map(PortId).collect();
        self.ask(|queues| queues.shortest(&ports, start))
    }
    /// Returns the ports with room for `packet`, in rising order.
    fn open(&self, packet: &Packet) -> PyResult<Vec<u16>> {
        self.ask(|queues| numbers(queues.open(&packet.0)))
    }
    /// Returns the bytes of buffer that `packet` uses.
    fn buffered(&self, packet: &Packet) -> PyResult<u32> {
        self.ask(|queues| queues.buffered(&packet.0))
    }
    /// Returns true if `packet` would find room in a queue of this `depth`.
    fn would_fit(&self, packet: &Packet, depth: &Depth) -> PyResult<bool> {
        let Depth { packets, bytes } = *depth;
        self.ask(|queues| queues.would_fit(&packet.0, sidestep_switch::Depth { packets, bytes }))
    }
    /// Capacity of one queue, in packets; `None` if there is no limit in packets.
    #[getter]
    fn limit_packets(&self) -> PyResult<Option<u64>> {
        self.ask(|queues| match queues.limit() {
            Some(Size::Packets(n)) => Some(n),
            _ => None,
        })
    }
    /// Capacity of one queue at this instant, in bytes; `None` if there is no limit in bytes.
    #[getter]
    fn limit_bytes(&self) -> PyResult<Option<u64>> {
        self.ask(|queues| match queues.limit() {
            Some(Size::Bytes(Bytes(n))) => Some(n),
            _ => None,
        })
    }
    /// Ports that lead to another switch, in rising order.
    #[getter]
    fn to_switch(&self) -> PyResult<Vec<u16>> {
        self.ask(|queues| numbers(queues.to_switch()))
    }
    /// Ingress port of the packet; `None` if the packet waited here.
    #[getter]
    fn ingress(&self) -> PyResult<Option<u16>> {
        self.ask(|queues| queues.ingress().map(|port| port.0))
    }
    /// Returns the rank of the packet that `port` would evict; `None` if nothing waits or packets have no rank.
    fn worst(&self, port: u16) -> PyResult<Option<u32>> {
        self.of(port, |queues, port| queues.worst(port))
    }
    /// Returns rank and bytes of buffer of every packet waiting at `port`, in order of eviction.
    fn each_worst(&self, port: u16) -> PyResult<Vec<(u32, u32)>> {
        self.of(port, |queues, port| {
            let mut all = Vec::new();
            queues.each_worst(port, &mut |rank, bytes| {
                all.push((rank, bytes));
                true
            });
            all
        })
    }
    /// Returns true if `packet` would find room at `port` once all packets of strictly worse rank had left.
    fn could_fit(&self, packet: &Packet, port: u16) -> PyResult<bool> {
        self.of(port, |queues, port| queues.could_fit(&packet.0, port))
    }
    /// Returns the number of packets waiting at `port`, and the sum of their ranks.
    fn ranks(&self, port: u16) -> PyResult<(u32, u64)> {
        self.of(port, |queues, port| {
            let ranks = queues.ranks(port);
            (ranks.packets, ranks.sum)
        })
    }
    /// Returns the queue of a class of service at `port`.
    fn queue(&self, port: u16, service: u8) -> PyResult<Class> {
        self.of(port, |queues, port| {
            let class = queues.queue(port, service);
            let sidestep_switch::Depth { packets, bytes } = class.depth;
            Class {
                packets,
                bytes,
                flows: class.flows,
            }
        })
    }
    /// Shows `packet` to the scheduler of `port`, which may count its flow.
    fn see(&self, port: u16, packet: &Packet) -> PyResult<()> {
        self.of(port, |queues, port| queues.see(port, &packet.0))
    }
    /// Returns the time when the last bit of `port`'s queue leaves, or left, in picoseconds.
    fn empty_at_ps(&self, port: u16) -> PyResult<u64> {
        self.of(port, |queues, port| queues.empty_at(port).ps())
    }
    /// Returns the time that `port` needs to send `wire_bytes`, in picoseconds.
    fn time_to_send_ps(&self, port: u16, wire_bytes: u64) -> PyResult<u64> {
        self.of(port, |queues, port| {
            queues.time_to_send(port, Bytes(wire_bytes)).ps()
        })
    }
}

fn numbers(ports: sidestep_types::PortSet) -> Vec<u16> {
    ports.iter().map(|port| port.0).collect()
}
