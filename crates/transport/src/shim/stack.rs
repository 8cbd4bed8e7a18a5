//! Shims of one host.

use std::collections::VecDeque;

use sidestep_types::{FlowId, Framing, Longest, Packet, Refusal, Tag, Time};

use super::{AnyShim, Chosen, Counters, Message, Shim, Up};
use crate::{Recovery, TransportConfig};

/// The shims of one host, the first listed nearest to the transport: what leaves goes through
/// them from the first to the last, what arrives from the last to the first.
///
/// A driver calls [`Stack::open`] before the first packet of a flow and [`Stack::close`] when the
/// flow is complete, at each of its ends. It hands each packet that leaves to [`Stack::down`] and
/// each that arrives to [`Stack::up`]. If that one does not pass, and after [`Stack::on_timeout`],
/// it takes what goes on to the transport from [`Stack::poll_up`] until `None`, then what was
/// dropped from [`Stack::poll_drop`], and then asks for the [`Stack::deadline`].
///
/// ```
/// use sidestep_transport::shim::{self, Stack, Up};
/// use sidestep_types::{FlowId, HostId, Kind, Packet, Time, Values};
///
/// let order = shim::choose("order", &Values::defaults(shim::ENTRIES[0].params)).unwrap();
/// let mut stack = Stack::build(&[order]).unwrap();
/// stack.open(FlowId(0), None);
///
/// let data = |seq| {
///     let mut packet = Packet::new(Kind::Data, FlowId(0), HostId(1), 7);
///     packet.set_seq(seq);
///     packet.len = 100;
///     packet
/// };
/// // The second overtook the first: it waits for it.
/// assert_eq!(stack.up(Time::ZERO, &mut data(100)), Up::Keep);
/// assert_eq!(stack.poll_up(Time::ZERO).map(|packet| packet.seq()), None);
/// assert_eq!(stack.up(Time::from_us(1), &mut data(0)), Up::Keep);
/// let mut next = || stack.poll_up(Time::from_us(1)).map(|packet| packet.seq());
/// assert_eq!([next(), next(), next()], [Some(0), Some(100), None]);
/// assert_eq!(stack.deadline(), None);
/// ```
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Stack {
    shims: Vec<AnyShim>,
    /// Packets dropped by shims that the driver has not polled yet.
    dropped: VecDeque<Packet>,
    drops: u64,
    /// Index of the shim that dropped last.
    dropper: usize,
}

impl Stack {
    /// Creates a stack of these shims, the first nearest to the transport.
    pub fn of(shims: Vec<AnyShim>) -> Stack {
        Stack {
            shims,
            dropped: VecDeque::new(),
            drops: 0,
            dropper: 0,
        }
    }

    /// Returns true if one of its shims is a custom one.
    pub fn has_custom(&self) -> bool {
        (self.shims.iter()).any(|shim| matches!(shim, AnyShim::Custom(_)))
    }

    /// Returns the names of its shims, in the order of the stack.
    pub fn names(&self) -> Vec<&'static str> {
        self.shims.iter().map(AnyShim::name).collect()
    }

    /// The shims that were chosen. Errors say which value cannot be had.
    pub fn build(shims: &[Chosen]) -> Result<Stack, Refusal> {
        let made = shims.iter().map(|chosen| {
            let mut shim = chosen.build()?;
            shim.configure_for_stack(shims);
            Ok(shim)
        });
        made.collect::<Result<_, Refusal>>().map(Stack::of)
    }

    /// Begins a flow: see [`Shim::open`].
    pub fn open(&mut self, flow: FlowId, size: Option<u64>) {
        (self.shims.iter_mut()).for_each(|shim| shim.open(flow, size));
    }

    /// Begins a flow of this host: see [`Shim::open_message`].
    pub fn open_message(&mut self, flow: FlowId, size: Option<u64>, message: Option<Message>) {
        (self.shims.iter_mut()).for_each(|shim| shim.open_message(flow, size, message));
    }

    /// Sets the framing of the link: see [`Shim::framed`].
    pub fn framed(&mut self, framing: Framing) {
        self.shims.iter_mut().for_each(|shim| shim.framed(framing));
    }

    /// Ends a flow: see [`Shim::close`].
    pub fn close(&mut self, flow: FlowId) {
        self.shims.iter_mut().for_each(|shim| shim.close(flow));
    }

    /// Returns true if [`Stack::down`] does anything; otherwise a driver need not call it.
    pub fn changes_down(&self) -> bool {
        self.shims.iter().any(Shim::changes_down)
    }

    /// Returns true if every arriving packet passes unchanged; then the result of [`Stack::up`] does not
    /// matter.
    pub fn lets_pass(&self) -> bool {
        self.shims.iter().all(Shim::lets_pass)
    }

    /// Handles a packet that leaves the transport.
    #[inline]
    pub fn down(&mut self, now: Time, packet: &mut Packet) {
        for shim in &mut self.shims {
            shim.down(now, packet);
        }
    }

    /// Handles a packet that arrived. If it passes, it alone goes on to the transport: there is nothing to
    /// poll.
    #[inline]
    pub fn up(&mut self, now: Time, packet: &mut Packet) -> Up {
        self.up_from(self.shims.len(), now, packet)
    }

    /// Handles a packet that arrived, where every packet passes unchanged ([`Stack::lets_pass`]).
    #[inline]
    pub fn notice(&mut self, now: Time, packet: &Packet) {
        for shim in self.shims.iter_mut().rev() {
            shim.notice(now, packet);
        }
    }

    /// Returns true if [`Stack::notice`] does anything with acknowledgements; otherwise a driver need not pass
    /// them.
    pub fn notices_acks(&self) -> bool {
        self.shims.iter().any(Shim::notices_acks)
    }

    /// Passes up a packet that has passed shim number `below` and those farther from the transport.
    #[inline]
    fn up_from(&mut self, below: usize, now: Time, packet: &mut Packet) -> Up {
        for (number, shim) in self.shims[..below].iter_mut().enumerate().rev() {
            match shim.up(now, packet) {
                Up::Pass => {}
                Up::Keep => return Up::Keep,
                Up::Drop => {
                    self.drops += 1;
                    self.dropper = number;
                    self.dropped.push_back(*packet);
                    return Up::Drop;
                }
            }
        }
        Up::Pass
    }

    /// Returns the next packet that goes on to the transport; call until `None`. A packet released by one shim
    /// has passed those nearer to the transport.
    pub fn poll_up(&mut self, now: Time) -> Option<Packet> {
        let mut at = 0;
        // The shim nearest to the transport comes first: the packets it releases arrived before all that wait
        // below.
        while at < self.shims.len() {
            let Some(mut packet) = self.shims[at].poll_up(now) else {
                at += 1;
                continue;
            };
            if self.up_from(at, now, &mut packet) == Up::Pass {
                return Some(packet);
            }
            at = 0;
        }
        None
    }

    /// Returns the next packet that a shim has dropped; call until `None`.
    pub fn poll_drop(&mut self) -> Option<Packet> {
        self.dropped.pop_front()
    }

    /// Returns the name of the shim that has just dropped `packet`, and its reason: see [`Shim::why`].
    pub fn why(&self, packet: &Packet) -> (&'static str, String) {
        let shim = &self.shims[self.dropper];
        (shim.name(), shim.why(packet))
    }

    /// Returns the names and reasons of the shims that have just let `packet` go on and drop such packets at
    /// other times, the farthest from the transport first: see [`Shim::why_passed`].
    pub fn why_passed(&self, packet: &Packet) -> Vec<(&'static str, String)> {
        let shims = self.shims.iter().rev();
        let passed = |shim: &AnyShim| Some((shim.name(), shim.why_passed(packet)?));
        shims.filter_map(passed).collect()
    }

    /// Returns the time at which [`Stack::on_timeout`] is due, if any.
    #[inline]
    pub fn deadline(&self) -> Option<Time> {
        self.shims.iter().filter_map(Shim::deadline).min()
    }

    /// Handles the expiry of [`Stack::deadline`].
    pub fn on_timeout(&mut self, now: Time) {
        for shim in self.shims.iter_mut().rev() {
            if shim.deadline().is_some_and(|due| due <= now) {
                shim.on_timeout(now);
            }
        }
    }

    /// Returns the number in the tag of a real frame of `packet`, which has just left: see [`Shim::carried`].
    /// If several shims tag, it comes from the one nearest to the network.
    pub fn carried(&mut self, packet: &Packet) -> Option<u32> {
        (self.shims.iter_mut().rev()).find_map(|shim| shim.carried(packet))
    }

    /// Completes `tag` from the `number` of the frame that it arrived in: see [`Shim::restore`].
    pub fn restore(&self, tag: &mut Tag, number: u32) {
        self.shims.iter().for_each(|shim| shim.restore(tag, number));
    }

    /// Handles the acknowledgement of everything before the byte `upto` of `flow`: see [`Shim::acknowledged`].
    pub fn acknowledged(&mut self, flow: FlowId, upto: u64) {
        (self.shims.iter_mut()).for_each(|shim| shim.acknowledged(flow, upto));
    }

    /// Returns the sum of its shims' counters.
    pub fn counters(&self) -> Counters {
        let mut sum = Counters {
            dropped: self.drops,
            ..Counters::default()
        };
        (self.shims.iter()).for_each(|shim| sum.add(&shim.counters()));
        sum
    }
}

/// Refuses a stack that no host can have, or that this transport does not allow. The error has the name of the
/// shim whose values are refused, or an empty one.
pub fn check(shims: &[Chosen], transport: &TransportConfig) -> Result<(), (&'static str, Refusal)> {
    for (i, shim) in shims.iter().enumerate() {
        let name = shim.name();
        shim.build().map_err(|why| (name, why))?;
        if shims[..i].iter().any(|other| other.name() == name) {
            let expected = "each shim may be listed once in shims";
            let why = Refusal::about(&["shims"], expected).got(format!("{name:?} twice"));
            return Err(("", why));
        }
        fits(shim, transport).map_err(|why| (name, why))?;
    }
    check_mss(shims, transport.mss())?;
    tags_arrive(shims)
}

/// Returns the longest packet of hosts with these shims, for segments of up to `mss` bytes.
pub fn longest(shims: &[Chosen], mss: u32) -> Longest {
    let adds = shims.iter().map(|shim| shim.adds()).sum();
    Longest { mss, adds }
}

/// Refuses shims that do not allow segments of up to `mss` bytes. The error has the name of the shim.
pub fn check_mss(shims: &[Chosen], mss: u32) -> Result<(), (&'static str, Refusal)> {
    for shim in shims {
        shim.fits_mss(mss).map_err(|why| (shim.name(), why))?;
    }
    Ok(())
}

/// Refuses a shim that reads tags unless a shim farther from the transport tags. The error has the name of the
/// shim.
pub fn tags_arrive(shims: &[Chosen]) -> Result<(), (&'static str, Refusal)> {
    for (i, shim) in shims.iter().enumerate() {
        let Some((param, word)) = reads_tags(shim) else {
            continue;
        };
        let mut below = shims[i + 1..].iter();
        if !below.any(|below| below.nature().tags) {
            let name = shim.name();
            let expected = format!(
                "{param} = {word:?} reads tags, but no shim tags data; add \"mark\" after {name:?} \
                 in shims"
            );
            return Err((name, Refusal::about(&[param], expected)));
        }
    }
    Ok(())
}

/// The parameter and the word by which a shim goes by tags, if it does.
pub fn reads_tags(shim: &Chosen) -> Option<(&'static str, &'static str)> {
    let (param, word) = shim.nature().reads_tags?;
    (shim.values().word(param) == word).then_some((param, word))
}

/// The parameter and the word by which a shim goes by the sizes that applications say, if it does.
pub fn reads_sizes(shim: &Chosen) -> Option<(&'static str, &'static str)> {
    let (param, word) = shim.nature().reads_sizes?;
    (shim.values().word(param) == word).then_some((param, word))
}

/// Refuses a shim whose properties no host can have, or that this transport does not allow.
fn fits(shim: &Chosen, transport: &TransportConfig) -> Result<(), Refusal> {
    if shim.nature().duplicates {
        goes_by_duplicates(shim.name(), transport)?;
    }
    if let (Some((param, word)), true) = (reads_tags(shim), transport.has_subflows()) {
        let expected = format!(
            "{param} = {word:?} cannot order the data of {}: each subflow carries only a part of \
             a message, so the remaining sizes on it have gaps; set {param} = \"sequence\"",
            transport.name()
        );
        return Err(Refusal::about(&[param], expected));
    }
    Ok(())
}

/// Refuses a shim that filters duplicate acknowledgements, unless the sender detects losses by their number
/// alone.
fn goes_by_duplicates(name: &str, transport: &TransportConfig) -> Result<(), Refusal> {
    let why = |expected: String| Err(Refusal::about(&["shims"], expected));
    let reads = format!("{name:?} filters duplicate acknowledgements");
    let Some(tcp) = transport.each_tcp() else {
        return why(format!(
            "{reads}, which transport {} ignores; choose a TCP such as dctcp, or remove the shim",
            transport.name()
        ));
    };
    if tcp.recovery == Recovery::Sack {
        return why(format!(
            "{reads}, but with recovery = \"sack\" the sender detects losses by SACK blocks; set \
             recovery = \"newreno\""
        ));
    }
    if tcp.dupack_threshold.is_none() {
        return why(format!(
            "{reads}, but with fast_retransmit = \"off\" these start no retransmission; set \
             fast_retransmit to a number"
        ));
    }
    Ok(())
}
