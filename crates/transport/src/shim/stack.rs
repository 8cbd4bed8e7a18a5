//! The shims of one host.

use std::collections::VecDeque;

use sidestep_types::{FlowId, Packet, Refusal, Time, Values};

use super::{AnyShim, Counters, Nature, Shim, Up, build, nature};
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
/// let order = ("order".to_string(), Values::defaults(shim::ENTRIES[0].params));
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
pub struct Stack {
    shims: Vec<AnyShim>,
    /// What shims have dropped since the driver asked.
    dropped: VecDeque<Packet>,
    drops: u64,
}

impl Stack {
    /// These shims, the first nearest to the transport.
    pub fn of(shims: Vec<AnyShim>) -> Stack {
        Stack {
            shims,
            dropped: VecDeque::new(),
            drops: 0,
        }
    }

    /// The shims of these names, with complete sets of values.
    ///
    /// Errors say which name is unknown or which value cannot be had.
    pub fn build(shims: &[(String, Values)]) -> Result<Stack, Refusal> {
        let made: Result<_, Refusal> = shims.iter().map(|(name, of)| build(name, of)).collect();
        made.map(Stack::of)
    }

    /// A flow begins: see [`Shim::open`].
    pub fn open(&mut self, flow: FlowId, size: Option<u64>) {
        (self.shims.iter_mut()).for_each(|shim| shim.open(flow, size));
    }

    /// A flow ends here: see [`Shim::close`].
    pub fn close(&mut self, flow: FlowId) {
        self.shims.iter_mut().for_each(|shim| shim.close(flow));
    }

    /// Does [`Stack::down`] do anything? Else a driver need not call it.
    pub fn changes_down(&self) -> bool {
        self.shims.iter().any(Shim::changes_down)
    }

    /// A packet leaves the transport.
    #[inline]
    pub fn down(&mut self, now: Time, packet: &mut Packet) {
        for shim in &mut self.shims {
            shim.down(now, packet);
        }
    }

    /// A packet arrived. If it passes it goes on to the transport alone: there is nothing to poll.
    #[inline]
    pub fn up(&mut self, now: Time, packet: &mut Packet) -> Up {
        self.up_from(self.shims.len(), now, packet)
    }

    /// The packet has passed shim number `below` and those farther from the transport.
    fn up_from(&mut self, below: usize, now: Time, packet: &mut Packet) -> Up {
        for shim in self.shims[..below].iter_mut().rev() {
            match shim.up(now, packet) {
                Up::Pass => {}
                Up::Keep => return Up::Keep,
                Up::Drop => {
                    self.drops += 1;
                    self.dropped.push_back(*packet);
                    return Up::Drop;
                }
            }
        }
        Up::Pass
    }

    /// The next packet that goes on to the transport; call until `None`. What one shim releases
    /// has gone through those nearer to the transport.
    pub fn poll_up(&mut self, now: Time) -> Option<Packet> {
        let mut at = 0;
        // The shim nearest to the transport first: what it releases came before all that waits below.
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

    /// The next packet that a shim has dropped; call until `None`.
    pub fn poll_drop(&mut self) -> Option<Packet> {
        self.dropped.pop_front()
    }

    /// When [`Stack::on_timeout`] is due, if ever.
    #[inline]
    pub fn deadline(&self) -> Option<Time> {
        self.shims.iter().filter_map(Shim::deadline).min()
    }

    /// [`Stack::deadline`] has come.
    pub fn on_timeout(&mut self, now: Time) {
        for shim in self.shims.iter_mut().rev() {
            if shim.deadline().is_some_and(|due| due <= now) {
                shim.on_timeout(now);
            }
        }
    }

    /// What its shims counted together.
    pub fn counters(&self) -> Counters {
        let mut sum = Counters {
            dropped: self.drops,
            ..Counters::default()
        };
        (self.shims.iter()).for_each(|shim| sum.add(&shim.counters()));
        sum
    }
}

/// Refuses a stack that no host can have, or none with this transport; with the name of the shim
/// whose values are refused, or an empty one.
pub fn check<'a>(
    shims: &'a [(String, Values)],
    transport: &TransportConfig,
) -> Result<(), (&'a str, Refusal)> {
    for (i, (name, values)) in shims.iter().enumerate() {
        build(name, values).map_err(|why| (name.as_str(), why))?;
        if shims[..i].iter().any(|(other, _)| other == name) {
            let expected = "a shim stands once in a stack";
            let why = Refusal::about(&["shims"], expected).got(format!("{name:?} twice"));
            return Err(("", why));
        }
        fits(name, nature(name), values, transport).map_err(|why| (name.as_str(), why))?;
    }
    Ok(())
}

/// Refuses a shim whose nature no host can have, or none with this transport.
pub(super) fn fits(
    name: &str,
    nature: Nature,
    values: &Values,
    transport: &TransportConfig,
) -> Result<(), Refusal> {
    if nature.adds > 0 {
        let expected = format!(
            "{name:?} makes packets longer, by up to {} B: what queues and pauses need is not \
             counted with that yet",
            nature.adds
        );
        return Err(Refusal::about(&["shims"], expected));
    }
    if nature.duplicates {
        goes_by_duplicates(name, transport)?;
    }
    let Some(param) = nature.holds else {
        return Ok(());
    };
    let (holds, waits) = (values.time(param), transport.shortest_timeout());
    if holds >= waits {
        let expected = format!(
            "{param} must be below the shortest timeout of {}, {waits}: what is held would be \
             sent again",
            transport.name()
        );
        return Err(Refusal::about(&[param], expected).got(holds));
    }
    Ok(())
}

/// Refuses a shim that reads duplicate acknowledgements below a sender that does not go by them alone.
fn goes_by_duplicates(name: &str, transport: &TransportConfig) -> Result<(), Refusal> {
    let why = |expected: String| Err(Refusal::about(&["shims"], expected));
    let reads = format!("{name:?} keeps duplicate acknowledgements from the sender");
    let Some(tcp) = transport.each_tcp() else {
        return why(format!(
            "{reads}, and transport {} does not go by them: expected a TCP",
            transport.name()
        ));
    };
    if tcp.recovery == Recovery::Sack {
        return why(format!(
            "{reads}, and with recovery = \"sack\" each says by its SACK blocks what arrived: expected \
             recovery = \"newreno\""
        ));
    }
    if tcp.dupack_threshold.is_none() {
        return why(format!(
            "{reads}, and with fast_retransmit = \"off\" none of them starts a repair: expected a \
             number of duplicates"
        ));
    }
    Ok(())
}
