//! What a policy sees: the packet, the next hops, the queues of its switch, its random stream.
//!
//! Packet, hops and the wanted queue are copies. Queues and the stream hold for the call that they were made for, and
//! raise `RuntimeError` afterwards.

use super::loan;
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyTuple};
use sidestep_study::own::Who;
use sidestep_switch::Place;
use sidestep_types::{Bytes, Kind, PortId, Rng, Size};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;

/// The switch that a policy decides for.
#[pyclass(frozen, module = "sidestep")]
pub struct Switch(pub Place, pub Option<u16>);

#[pymethods]
impl Switch {
    /// Its number, from zero.
    #[getter]
    fn number(&self) -> u32 {
        self.0.switch
    }
    /// What it is called: `agg 0.1`.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }
    /// How many ports it has: they are 0 to `ports - 1`.
    #[getter]
    fn ports(&self) -> u16 {
        self.0.ports
    }
    /// 64 bits of the switch's own, to hash with: what Rust's policies get.
    #[getter]
    fn salt(&self) -> u64 {
        self.0.salt
    }
    /// The seed of the run.
    #[getter]
    fn seed(&self) -> u64 {
        self.0.seed
    }
    /// The scheme of the run.
    #[getter]
    fn scheme(&self) -> &str {
        &self.0.scheme
    }
    /// Of a scheduler, the port that it is for; `None` of others.
    #[getter]
    fn port(&self) -> Option<u16> {
        self.1
    }
    fn __repr__(&self) -> String {
        format!("<{}, {} ports>", self.0, self.0.ports)
    }
}

/// A packet, as it was when the policy was asked.
#[pyclass(frozen, module = "sidestep")]
pub struct Packet(pub sidestep_types::Packet);

#[pymethods]
impl Packet {
    /// `data`, `ack`, `syn` or `synack`.
    #[getter]
    fn kind(&self) -> &'static str {
        match self.0.kind() {
            Kind::Data => "data",
            Kind::Ack => "ack",
            Kind::Syn => "syn",
            Kind::SynAck => "synack",
        }
    }
    /// Its flow's number.
    #[getter]
    fn flow(&self) -> u32 {
        self.0.flow.0
    }
    /// The host that it goes to.
    #[getter]
    fn dst(&self) -> u32 {
        self.0.dst.0
    }
    /// 32 bits: the hash of its 5-tuple.
    #[getter]
    fn hash(&self) -> u32 {
        self.0.hash
    }
    /// Of data its first byte, of an acknowledgement the next byte expected.
    #[getter]
    fn seq(&self) -> u64 {
        self.0.seq()
    }
    /// Payload, in bytes; of a trimmed packet what it has lost.
    #[getter]
    fn payload_bytes(&self) -> u16 {
        self.0.len
    }
    /// Bytes of link time.
    #[getter]
    fn wire_bytes(&self) -> u16 {
        self.0.wire
    }
    /// Switches that it may still cross.
    #[getter]
    fn ttl(&self) -> u8 {
        self.0.ttl
    }
    /// How often it was detoured or deflected.
    #[getter]
    fn detours(&self) -> u8 {
        self.0.detours
    }
    /// What switches order by, smallest first.
    #[getter]
    fn rank(&self) -> u32 {
        self.0.rank()
    }
    /// Its class of service, 0 to 63.
    #[getter]
    fn service(&self) -> u8 {
        self.0.service()
    }
    /// Does it carry bytes of a flow?
    #[getter]
    fn carries_data(&self) -> bool {
        self.0.carries_data()
    }
    /// May it be marked?
    #[getter]
    fn ecn_capable(&self) -> bool {
        self.0.ect()
    }
    /// Is it marked?
    #[getter]
    fn marked(&self) -> bool {
        self.0.ce()
    }
    /// Has its host sent the same before?
    #[getter]
    fn sent_again(&self) -> bool {
        self.0.sent_again()
    }
    /// Has a switch cut its payload off?
    #[getter]
    fn trimmed(&self) -> bool {
        self.0.is_trimmed_data()
    }
    /// Does its host say that its flow sends nothing new behind it?
    #[getter]
    fn ends(&self) -> bool {
        self.0.ends()
    }
    fn __repr__(&self) -> String {
        let (kind, flow, seq) = (self.kind(), self.flow(), self.seq());
        format!("<{kind} of flow {flow}, seq {seq}, to host {}>", self.dst())
    }
}

/// The ways on toward where a packet goes: a sequence of ports, never empty.
#[pyclass(frozen, module = "sidestep")]
pub struct Hops {
    pub ports: Vec<u16>,
    pub set: u32,
    pub prefix: u32,
}

#[pymethods]
impl Hops {
    /// The ports on shortest paths, in rising order.
    #[getter]
    fn ports<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.ports)
    }
    /// A small number for this list of ports: in one switch the same for equal lists.
    #[getter]
    fn set(&self) -> u32 {
        self.set
    }
    /// A small number for where the packet goes, as far as the switch's table tells.
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

/// How full a queue is.
#[pyclass(frozen, get_all, eq, module = "sidestep")]
#[derive(Clone, Copy, PartialEq)]
pub struct Depth {
    /// Packets.
    pub packets: u32,
    /// Bytes of buffer.
    pub bytes: u32,
}

#[pymethods]
impl Depth {
    /// So many packets of so many bytes together.
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

/// One class's part of a port.
#[pyclass(frozen, get_all, module = "sidestep")]
pub struct Class {
    /// What of it waits: packets.
    pub packets: u32,
    /// And their bytes of buffer.
    pub bytes: u32,
    /// Its flows, where the scheduler counts them.
    pub flows: u32,
}

/// The port that the route chose, and its queue before the packet.
#[pyclass(frozen, get_all, module = "sidestep")]
pub struct Want {
    /// The port.
    pub port: u16,
    /// Packets in its queue.
    pub packets: u32,
    /// Bytes of buffer in its queue.
    pub bytes: u32,
    /// Is there room for the packet?
    pub fits: bool,
}

/// The stream of random numbers of the switch.
#[pyclass(frozen, module = "sidestep")]
pub struct RandomStream(Mutex<Option<Rng>>);

impl RandomStream {
    pub fn of(rng: &Rng) -> RandomStream {
        RandomStream(Mutex::new(Some(rng.clone())))
    }

    /// The stream where the policy left it. It is over for Python.
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
    /// 32 random bits: one draw of the switch.
    fn draw(&self) -> PyResult<u32> {
        self.with(Rng::draw)
    }
    /// One draw, scaled to `0 <= number < n` as a switch does it: `draw * n >> 32`.
    fn scaled(&self, n: u32) -> PyResult<u32> {
        match n {
            0 => Err(PyValueError::new_err("n: expected at least 1, got 0")),
            n => self.with(|rng| sidestep_types::scale(rng.draw(), n)),
        }
    }
}

fn over() -> PyErr {
    PyRuntimeError::new_err("a view of the switch was used after the call that it was made for")
}

/// The queues of a switch at the instant of one decision.
#[pyclass(frozen, module = "sidestep")]
pub struct Queues {
    pub ticket: u64,
    pub ports: u16,
}

impl Queues {
    fn ask<R>(&self, question: impl FnOnce(&mut dyn sidestep_switch::Queues) -> R) -> PyResult<R> {
        // A scheduler that is asked for it may end the run: as an exception that becomes one of this policy.
        let said = catch_unwind(AssertUnwindSafe(|| loan::ask(self.ticket, question)));
        let said = said.map_err(|payload| match Who::said(payload) {
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
    /// How full `port` is.
    fn depth(&self, port: u16) -> PyResult<Depth> {
        self.of(port, |queues, port| queues.depth(port).into())
    }
    /// The place among `ports` of the one that holds the fewest bytes; of equal ones the first from `start` on.
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
    /// The ports with room for `packet`, in rising order.
    fn open(&self, packet: &Packet) -> PyResult<Vec<u16>> {
        self.ask(|queues| numbers(queues.open(&packet.0)))
    }
    /// Bytes of a buffer that `packet` takes.
    fn buffered(&self, packet: &Packet) -> PyResult<u32> {
        self.ask(|queues| queues.buffered(&packet.0))
    }
    /// Would `packet` find room in a queue that is `depth` deep?
    fn would_fit(&self, packet: &Packet, depth: &Depth) -> PyResult<bool> {
        let Depth { packets, bytes } = *depth;
        self.ask(|queues| queues.would_fit(&packet.0, sidestep_switch::Depth { packets, bytes }))
    }
    /// Packets that one queue may hold; `None` where that is not limited in packets.
    #[getter]
    fn limit_packets(&self) -> PyResult<Option<u64>> {
        self.ask(|queues| match queues.limit() {
            Some(Size::Packets(n)) => Some(n),
            _ => None,
        })
    }
    /// Bytes that one queue may hold at this instant; `None` where that is not limited in bytes.
    #[getter]
    fn limit_bytes(&self) -> PyResult<Option<u64>> {
        self.ask(|queues| match queues.limit() {
            Some(Size::Bytes(Bytes(n))) => Some(n),
            _ => None,
        })
    }
    /// The ports that lead to another switch, in rising order.
    #[getter]
    fn to_switch(&self) -> PyResult<Vec<u16>> {
        self.ask(|queues| numbers(queues.to_switch()))
    }
    /// The port that the packet came in by; `None` of one that waited here.
    #[getter]
    fn ingress(&self) -> PyResult<Option<u16>> {
        self.ask(|queues| queues.ingress().map(|port| port.0))
    }
    /// The rank of the packet that `port` would evict; `None` where nothing waits or nothing ranks.
    fn worst(&self, port: u16) -> PyResult<Option<u32>> {
        self.of(port, |queues, port| queues.worst(port))
    }
    /// Rank and bytes of buffer of every packet that waits at `port`, in the order of eviction.
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
    /// Would `packet` find room at `port` if what ranks strictly worse left?
    fn could_fit(&self, packet: &Packet, port: u16) -> PyResult<bool> {
        self.of(port, |queues, port| queues.could_fit(&packet.0, port))
    }
    /// How many packets wait at `port`, and the sum of their ranks.
    fn ranks(&self, port: u16) -> PyResult<(u32, u64)> {
        self.of(port, |queues, port| {
            let ranks = queues.ranks(port);
            (ranks.packets, ranks.sum)
        })
    }
    /// What waits at `port` in the queue of a class of service.
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
    /// When the last bit of `port`'s queue leaves, or left, in picoseconds.
    fn empty_at_ps(&self, port: u16) -> PyResult<u64> {
        self.of(port, |queues, port| queues.empty_at(port).ps())
    }
    /// How long `port` takes to send `wire_bytes`, in picoseconds.
    fn time_to_send_ps(&self, port: u16, wire_bytes: u64) -> PyResult<u64> {
        self.of(port, |queues, port| {
            queues.time_to_send(port, Bytes(wire_bytes)).ps()
        })
    }
}

fn numbers(ports: sidestep_types::PortSet) -> Vec<u16> {
    ports.iter().map(|port| port.0).collect()
}
