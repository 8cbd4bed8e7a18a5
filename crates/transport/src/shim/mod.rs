//! Shims: what stands between the transport and the NIC of a host, on packets and not on segments.
//!
//! They are machines without I/O, as senders and receivers are: [`Stack`] says how a driver asks
//! them, and what it owes them.

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

pub use registry::{Chosen, Make, Nature};
pub use stack::{Stack, check, check_mss, longest, reads_sizes, reads_tags, tags_arrive};

use registry::shims;
use sidestep_types::{FlowId, Framing, Packet, Refusal, Tag, Time, Values};

/// What becomes of a packet on its way up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Up {
    /// It goes on, as the shim left it, and nothing else with it: there is nothing to poll, and
    /// [`Shim::deadline`] is as it was.
    Pass,
    /// The shim has a copy, which [`Shim::poll_up`] returns, now or later.
    Keep,
    /// It is dropped.
    Drop,
}

/// Which message of a connection that carries several a flow is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Message {
    /// The flow that opened the connection, and names it.
    pub connection: FlowId,
    /// How many messages went the same way before it.
    pub number: u32,
}

/// One shim of one host, for all of its flows.
///
/// Of each flow it hears [`Shim::open`] before the first packet and [`Shim::close`] after the
/// last, and it lets packets of every other flow pass.
///
/// ```
/// use sidestep_transport::shim::{AnyShim, Shim, Stack, Up};
/// use sidestep_types::{FlowId, HostId, Kind, Packet, Time};
///
/// /// Puts a tag of four bytes on what leaves and takes it off what arrives; holds nothing.
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
    fn beside(&mut self, _stack: &[Chosen]) {}
    /// A flow begins at this host: `size` bytes that it will send, where its application knows.
    /// `None` of an endless one, and of one that comes from elsewhere.
    fn open(&mut self, _flow: FlowId, _size: Option<u64>) {}
    /// The same of a flow that this host will send, on a connection of its own or as one of several
    /// messages.
    fn open_message(&mut self, flow: FlowId, size: Option<u64>, _message: Option<Message>) {
        self.open(flow, size);
    }
    /// What the packets of this host cost on its link: told once, before all else; Ethernet's otherwise.
    fn framed(&mut self, _framing: Framing) {}
    /// The flow is complete, or its host wants no more of it: what is held of it is dropped.
    fn close(&mut self, _flow: FlowId) {}
    /// Does [`Shim::down`] do anything? Else a driver need not call it.
    fn changes_down(&self) -> bool {
        true
    }
    /// Does all that arrives pass [`Shim::up`], and as it came? Then a driver need not ask what became of it, nor for a deadline.
    fn lets_pass(&self) -> bool {
        false
    }
    /// A packet leaves: may change it, and make it longer on the wire by at most
    /// [`Nature::adds`].
    fn down(&mut self, _now: Time, _packet: &mut Packet) {}
    /// A packet arrived, and may be changed. Unless it passes, call [`Shim::poll_up`] until `None`
    /// after it.
    fn up(&mut self, _now: Time, _packet: &mut Packet) -> Up {
        Up::Pass
    }
    /// The same of one that lets all pass: a packet arrived, and is not changed.
    fn notice(&mut self, now: Time, packet: &Packet) {
        self.up(now, &mut { *packet });
    }
    /// Does [`Shim::notice`] do anything with packets that acknowledge? Else a driver need not show it any.
    fn notices_acks(&self) -> bool {
        true
    }
    /// The next of the packets kept whose turn has come; call until `None`.
    fn poll_up(&mut self, _now: Time) -> Option<Packet> {
        None
    }
    /// When [`Shim::on_timeout`] is due, if ever.
    fn deadline(&self) -> Option<Time> {
        None
    }
    /// [`Shim::deadline`] has come. Call [`Shim::poll_up`] until `None` after it.
    fn on_timeout(&mut self, _now: Time) {}
    /// The number that travels in the tag of a real frame of `packet`, which has just gone [`Shim::down`]; the
    /// other fields are those of its [`Tag`]. `None` of what gives it no tag.
    fn carried(&mut self, _packet: &Packet) -> Option<u32> {
        None
    }
    /// A real frame came whose tag says `number`, and otherwise `tag`: sets of `tag` what follows from that.
    /// A driver of packets that are no frames does not call it.
    fn restore(&self, _tag: &mut Tag, _number: u32) {}
    /// All before the byte `upto` of `flow` is acknowledged, as an arrival said that the driver does not show
    /// as an acknowledgement: data, for instance, says it in passing.
    fn acknowledged(&mut self, _flow: FlowId, _upto: u64) {}
    /// What it counted.
    fn counters(&self) -> Counters {
        Counters::default()
    }
    /// Why it has just dropped `packet`, in a clause with the numbers that decided: asked of packets that somebody wants
    /// explained (`sidestep why`), and of none in an ordinary run.
    fn why(&self, _packet: &Packet) -> String {
        "it keeps such packets from the transport".into()
    }
    /// The same of a packet that it has just let go on, if that is one of those that it drops at other times.
    fn why_passed(&self, _packet: &Packet) -> Option<String> {
        None
    }
}

/// Writes [`Counters`].
macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        /// What shims counted over their life.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub struct Counters {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Counters {
            /// Adds what another counted.
            pub fn add(&mut self, other: &Counters) {
                $(self.$name += other.$name;)*
            }
        }
    };
}

counters! {
    /// Packets kept.
    held;
    /// Of those, packets that went on as a gap closed.
    released;
    /// Of those held, packets that went on since the wait was over, no room was left or a newer message
    /// began.
    expired;
    /// Of those held, packets whose flow was closed before they went on.
    discarded;
    /// Packets that came below what had gone on before, and went on at once.
    late;
    /// Data that went on at once for want of a place in a table or of room to hold it.
    bypassed;
    /// Packets dropped.
    dropped;
    /// Acknowledgements found to be duplicates, whether they went on or were dropped.
    duplicates;
    /// Data marked.
    marked;
    /// Of that, what was taken for sent before.
    repeats;
    /// Of those, packets that were sent for the first time.
    mistaken;
    /// Data that was sent before and not taken for it.
    missed;
    /// Of the data marked, what found no room to be remembered.
    unremembered;
}

shims! {
    /// A shim: one of the registry, or somebody's own.
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
    fn beside(&mut self, stack: &[Chosen]) {
        of_shim!(self, shim => shim.beside(stack))
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
