//! Shims: machines between the transport and the NIC of a host, which handle packets and not segments.
//!
//! Shims do no I/O, as senders and receivers do none. [`Stack`] describes how a driver calls them.

pub mod agent_droptail;
pub mod agent_ecn;
mod announced;
pub mod by_size;
mod cuckoo;
mod duplicates;
pub mod mark;
mod open;
pub mod order;
mod registry;
mod stack;
#[cfg(test)]
mod tests;

pub use registry::{Chosen, Nature, ShimFactory};
pub use stack::{Stack, check, check_mss, longest, reads_sizes, reads_tags, tags_arrive};

use registry::shims;
use sidestep_types::{FlowId, Framing, Packet, Refusal, Tag, Time, Values};

/// Decision on a packet on its way up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Up {
    /// The packet goes on, as the shim left it, and no other packet with it: there is nothing to poll, and
    /// [`Shim::deadline`] has not changed.
    Pass,
    /// The shim holds a copy, which [`Shim::poll_up`] returns, now or later.
    Keep,
    /// The packet is dropped.
    Drop,
}

/// Position of a flow among the messages of a connection that carries several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Message {
    /// Flow that opened the connection; its id identifies the connection.
    pub connection: FlowId,
    /// Number of messages sent in the same direction before it.
    pub number: u32,
}

/// Shim of one host, for all of its flows.
///
/// A driver calls [`Shim::open`] before the first packet of a flow and [`Shim::close`] after the
/// last. The shim lets packets of every other flow pass.
///
/// ```
/// use sidestep_transport::shim::{AnyShim, Shim, Stack, Up};
/// use sidestep_types::{FlowId, HostId, Kind, Packet, Time};
///
/// /// Adds a tag of four bytes to packets that leave and removes it from those that arrive.
/// struct Tags;
///
/// impl Shim for Tags {
///     fn down(&mut self, _now: Time, packet: &mut Packet) {
///         packet.wire += 4;
///     }
///     fn up(&mut self, _now: Time, packet: &mut Packet) -> Up {
///         packet.wire -= 4;
///         Up::Pass
///     }
/// }
///
/// let mut stack = Stack::of(vec![AnyShim::Custom(Box::new(Tags))]);
/// let mut packet = Packet::new(Kind::Data, FlowId(0), HostId(1), 7);
/// packet.wire = 1538;
/// stack.down(Time::ZERO, &mut packet);
/// assert_eq!(packet.wire, 1542);
/// assert_eq!(stack.up(Time::ZERO, &mut packet), Up::Pass);
/// assert_eq!((packet.wire, stack.deadline()), (1538, None));
/// ```
pub trait Shim {
    /// The stack that it stands in: told once, before anything else, where the stack is built from what was chosen.
    fn configure_for_stack(&mut self, _stack: &[Chosen]) {}
    /// Begins a flow at this host: `size` bytes that it will send, if the application states the size. `None`
    /// for an endless flow, and for an incoming one.
    fn open(&mut self, _flow: FlowId, _size: Option<u64>) {}
    /// Begins a flow that this host will send, on a separate connection or as one of several messages.
    fn open_message(&mut self, flow: FlowId, size: Option<u64>, _message: Option<Message>) {
        self.open(flow, size);
    }
    /// Receives the framing of the host's link, which determines the cost of its packets: called once, before
    /// all else; Ethernet's otherwise.
    fn framed(&mut self, _framing: Framing) {}
    /// Ends a flow, which is complete or no longer wanted by its host: packets held of it are dropped.
    fn close(&mut self, _flow: FlowId) {}
    /// Returns true if [`Shim::down`] does anything; otherwise a driver need not call it.
    fn changes_down(&self) -> bool {
        true
    }
    /// Returns true if every arriving packet passes [`Shim::up`] unchanged; then a driver need not check the
    /// result, nor the deadline.
    fn lets_pass(&self) -> bool {
        false
    }
    /// Handles a packet that leaves. May change it, and make it longer on the wire by at most [`Nature::adds`].
    fn down(&mut self, _now: Time, _packet: &mut Packet) {}
    /// Handles a packet that arrived, and may change it. Unless it passes, call [`Shim::poll_up`] until `None`
    /// afterwards.
    fn up(&mut self, _now: Time, _packet: &mut Packet) -> Up {
        Up::Pass
    }
    /// Handles a packet that arrived, without changing it: replaces [`Shim::up`] where all packets pass.
    fn notice(&mut self, now: Time, packet: &Packet) {
        self.up(now, &mut { *packet });
    }
    /// Returns true if [`Shim::notice`] does anything with acknowledgements; otherwise a driver need not pass
    /// them.
    fn notices_acks(&self) -> bool {
        true
    }
    /// Returns the next of the held packets that may go on; call until `None`.
    fn poll_up(&mut self, _now: Time) -> Option<Packet> {
        None
    }
    /// Returns the time at which [`Shim::on_timeout`] is due, if any.
    fn deadline(&self) -> Option<Time> {
        None
    }
    /// Handles the expiry of [`Shim::deadline`]. Call [`Shim::poll_up`] until `None` afterwards.
    fn on_timeout(&mut self, _now: Time) {}
    /// Returns the number that travels in the tag of a real frame of `packet`, which has just gone
    /// [`Shim::down`]; the other fields are those of its [`Tag`]. `None` from a shim that does not tag it.
    fn carried(&mut self, _packet: &Packet) -> Option<u32> {
        None
    }
    /// Completes the `tag` of a real frame that arrived with `number` in it: sets the fields that follow from
    /// the number. A driver without real frames does not call it.
    fn restore(&self, _tag: &mut Tag, _number: u32) {}
    /// Handles the acknowledgement of everything before the byte `upto` of `flow` that arrived other than as an
    /// acknowledgement passed to the shim: for instance on data.
    fn acknowledged(&mut self, _flow: FlowId, _upto: u64) {}
    /// Returns the shim's counters.
    fn counters(&self) -> Counters {
        Counters::default()
    }
    /// Explains in a clause, with the numbers that decided, why the shim has just dropped `packet`. Called for
    /// packets to be explained (`sidestep why`), and never in an ordinary run.
    fn why(&self, _packet: &Packet) -> String {
        "it filters such packets".into()
    }
    /// Explains why the shim has just let `packet` go on, if it drops such packets at other times.
    fn why_passed(&self, _packet: &Packet) -> Option<String> {
        None
    }
}

/// Writes [`Counters`].
macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        /// Counters of shims over their lifetime.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub struct Counters {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Counters {
            /// Adds the counters of another shim.
            pub fn add(&mut self, other: &Counters) {
                $(self.$name += other.$name;)*
            }
        }
    };
}

counters! {
    /// Packets held.
    held;
    /// Held packets that went on because a gap closed.
    released;
    /// Held packets that went on because their timer expired, no room was left or a newer message began.
    expired;
    /// Held packets whose flow was closed before they went on.
    discarded;
    /// Packets that arrived below the packets gone on before, and went on at once.
    late;
    /// Data packets that went on at once because a table or the buffer was full.
    bypassed;
    /// Packets dropped.
    dropped;
    /// Duplicate acknowledgements found, whether they went on or were dropped.
    duplicates;
    /// Data packets tagged.
    marked;
    /// Tagged packets classified as sent before.
    repeats;
    /// Packets classified as sent before that were sent for the first time.
    mistaken;
    /// Packets sent before and not classified so.
    missed;
    /// Tagged packets that were not remembered for want of room.
    unremembered;
}

shims! {
    /// Shim: one of the registry, or a custom one.
    pub enum AnyShim {
        order::Order,
        agent_ecn::AgentEcn,
        agent_droptail::AgentDroptail,
        mark::Mark,
        by_size::BySize,
    }
}

/// Makes the shim called `name` for one host, from a complete set of values.
///
/// Errors say that the name is unknown or which value cannot be had.
pub fn build(name: &str, values: &Values) -> Result<AnyShim, Refusal> {
    choose(name, values)?.build()
}

impl Shim for AnyShim {
    fn configure_for_stack(&mut self, stack: &[Chosen]) {
        of_shim!(self, shim => shim.configure_for_stack(stack))
    }
    fn open(&mut self, flow: FlowId, size: Option<u64>) {
        of_shim!(self, shim => shim.open(flow, size))
    }
    fn open_message(&mut self, flow: FlowId, size: Option<u64>, message: Option<Message>) {
        of_shim!(self, shim => shim.open_message(flow, size, message))
    }
    fn framed(&mut self, framing: Framing) {
        of_shim!(self, shim => shim.framed(framing))
    }
    fn close(&mut self, flow: FlowId) {
        of_shim!(self, shim => shim.close(flow))
    }
    fn changes_down(&self) -> bool {
        of_shim!(self, shim => shim.changes_down())
    }
    fn lets_pass(&self) -> bool {
        of_shim!(self, shim => shim.lets_pass())
    }
    #[inline]
    fn down(&mut self, now: Time, packet: &mut Packet) {
        of_shim!(self, shim => shim.down(now, packet))
    }
    #[inline]
    fn up(&mut self, now: Time, packet: &mut Packet) -> Up {
        of_shim!(self, shim => shim.up(now, packet))
    }
    #[inline]
    fn notice(&mut self, now: Time, packet: &Packet) {
        of_shim!(self, shim => shim.notice(now, packet))
    }
    fn notices_acks(&self) -> bool {
        of_shim!(self, shim => shim.notices_acks())
    }
    #[inline]
    fn poll_up(&mut self, now: Time) -> Option<Packet> {
        of_shim!(self, shim => shim.poll_up(now))
    }
    #[inline]
    fn deadline(&self) -> Option<Time> {
        of_shim!(self, shim => shim.deadline())
    }
    fn on_timeout(&mut self, now: Time) {
        of_shim!(self, shim => shim.on_timeout(now))
    }
    fn carried(&mut self, packet: &Packet) -> Option<u32> {
        of_shim!(self, shim => shim.carried(packet))
    }
    fn restore(&self, tag: &mut Tag, number: u32) {
        of_shim!(self, shim => shim.restore(tag, number))
    }
    fn acknowledged(&mut self, flow: FlowId, upto: u64) {
        of_shim!(self, shim => shim.acknowledged(flow, upto))
    }
    fn counters(&self) -> Counters {
        of_shim!(self, shim => shim.counters())
    }
    fn why(&self, packet: &Packet) -> String {
        of_shim!(self, shim => shim.why(packet))
    }
    fn why_passed(&self, packet: &Packet) -> Option<String> {
        of_shim!(self, shim => shim.why_passed(packet))
    }
}
