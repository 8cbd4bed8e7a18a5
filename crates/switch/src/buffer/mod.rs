//! Buffer policies: keep, mark, detour or drop a packet at the queue that its route chose.

pub mod aifo;
mod detour;
pub mod dibs;
pub mod dibs_first_open;
pub mod dibs_flow;
pub mod dibs_load_aware;
pub mod dibs_probabilistic;
pub mod distribution_deflection;
pub mod droptail;
pub mod ecn;
mod exponential;
pub mod mulbuff;
pub mod mulbuff_dibs;
pub mod pfabric;
mod preemptive;
mod quantile;
pub mod quantile_deflection;
mod reason;
pub mod red;
mod relative_rank;
mod threshold;
pub mod trim;
mod verdict;
pub mod vertigo;

pub use reason::DropReason;
pub use verdict::Verdict;

use crate::registry::registry;
use crate::why::{self, SwitchSnapshot};
use crate::{Queues, Want};
use sidestep_types::{Packet, PortId, Rng, Size};

/// Policy that keeps, marks, detours or drops a packet at the queue it wants.
///
/// ```
/// use sidestep_switch::testing::{StillQueues, data};
/// use sidestep_switch::{Buffer, Depth, DropReason, Queues, Verdict, Want};
/// use sidestep_types::{FlowId, HostId, Kind, Packet, Rng};
///
/// /// Reserves room of ten full packets for acknowledgements.
/// struct Reserve;
///
/// impl Buffer for Reserve {
///     fn admit(&mut self, pkt: &Packet, want: Want, queues: &mut dyn Queues, _: &mut Rng) -> Verdict {
///         let reserved = Depth {
///             packets: want.depth.packets + 10,
///             bytes: want.depth.bytes + 10 * 1500,
///         };
///         match want.fits && (!pkt.carries_data() || queues.would_fit(pkt, reserved)) {
///             true => Verdict::Enqueue { mark: false },
///             false => Verdict::Drop(DropReason::Full),
///         }
///     }
/// }
///
/// // Each port holds at most 100 packets; 89 wait at port 0 and 90 at port 1.
/// let mut queues = StillQueues::of(&[89, 90], 100, &[]);
/// let mut rng = Rng::from_seed(1);
/// let mut said = |pkt: &Packet, port: u16| {
///     let want = queues.want(port);
///     Reserve.admit(pkt, want, &mut queues, &mut rng)
/// };
/// let ack = Packet::new(Kind::Ack, FlowId(0), HostId(0), 0);
/// assert_eq!(said(&data(), 0), Verdict::Enqueue { mark: false });
/// assert_eq!(said(&data(), 1), Verdict::Drop(DropReason::Full));
/// assert_eq!(said(&ack, 1), Verdict::Enqueue { mark: false });
/// ```
pub trait Buffer {
    /// Decides about the packet `pkt`, which wants to leave by `want.port`. Draws from `rng` only when the
    /// decision is random.
    fn admit(
        &mut self,
        pkt: &Packet,
        want: Want,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Verdict;

    /// Decides like [`Buffer::admit`], for queues of a type known at compile time: a policy may query them
    /// without a dynamic call. Drivers call this method.
    #[inline(always)]
    fn admit_to<Q: Queues>(
        &mut self,
        pkt: &Packet,
        want: Want,
        queues: &mut Q,
        rng: &mut Rng,
    ) -> Verdict
    where
        Self: Sized,
    {
        self.admit(pkt, want, queues, rng)
    }

    /// Returns the queue length from which a packet that fits is marked, if every packet that fits joins its
    /// wanted queue and [`Buffer::admit`] does nothing else for it; [`NEVER`](crate::NEVER) if none is marked.
    /// Drivers read this when the policy is set, and then decide about packets that fit by themselves.
    fn marks_at(&self) -> Option<Size> {
        None
    }

    /// Decides about the packet `pkt`, which waited at `from` and was evicted. Called for each evicted packet
    /// in order of eviction, after the packet that it made room for has joined. Returns [`Verdict::Detour`],
    /// [`Verdict::Squeeze`] or, by default, a drop (`evicted`), as in pFabric.
    fn displaced(
        &mut self,
        _pkt: &Packet,
        _from: PortId,
        _queues: &mut dyn Queues,
        _rng: &mut Rng,
    ) -> Verdict {
        Verdict::Drop(DropReason::Evicted)
    }

    /// Explains why [`Buffer::admit`] returned `verdict`: a clause with the numbers that it used.
    fn why(&self, _scene: &mut SwitchSnapshot<'_>, _want: Want, verdict: Verdict) -> String {
        why::verdict(verdict)
    }
}

registry! {
    /// Buffer policy from the registry, or a custom one.
    pub enum AnyBuffer: Buffer {
        droptail::DropTail,
        ecn::Ecn,
        red::Red,
        dibs::Dibs,
        dibs_load_aware::DibsLoadAware,
        dibs_flow::DibsFlow,
        dibs_probabilistic::DibsProbabilistic,
        dibs_first_open::DibsFirstOpen,
        pfabric::PFabric,
        trim::Trim,
        vertigo::Vertigo,
        quantile_deflection::QuantileDeflection,
        distribution_deflection::DistributionDeflection,
        aifo::Aifo,
        mulbuff::MulBuff,
        mulbuff_dibs::MulBuffDibs,
    }
}

/// Lets a custom policy be called like the others.
impl Buffer for Box<dyn Buffer + Send> {
    #[inline(always)]
    fn admit(
        &mut self,
        pkt: &Packet,
        want: Want,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Verdict {
        (**self).admit(pkt, want, queues, rng)
    }

    fn marks_at(&self) -> Option<Size> {
        (**self).marks_at()
    }

    fn displaced(
        &mut self,
        pkt: &Packet,
        from: PortId,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Verdict {
        (**self).displaced(pkt, from, queues, rng)
    }

    fn why(&self, snapshot: &mut SwitchSnapshot<'_>, want: Want, verdict: Verdict) -> String {
        (**self).why(snapshot, want, verdict)
    }
}

impl Buffer for AnyBuffer {
    #[inline(always)]
    fn admit(
        &mut self,
        pkt: &Packet,
        want: Want,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Verdict {
        dispatch!(self, policy => policy.admit(pkt, want, queues, rng))
    }

    #[inline(always)]
    fn admit_to<Q: Queues>(
        &mut self,
        pkt: &Packet,
        want: Want,
        queues: &mut Q,
        rng: &mut Rng,
    ) -> Verdict {
        dispatch!(self, policy => policy.admit_to(pkt, want, queues, rng))
    }

    fn marks_at(&self) -> Option<Size> {
        dispatch!(self, policy => policy.marks_at())
    }

    fn displaced(
        &mut self,
        pkt: &Packet,
        from: PortId,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Verdict {
        dispatch!(self, policy => policy.displaced(pkt, from, queues, rng))
    }

    #[cold]
    fn why(&self, snapshot: &mut SwitchSnapshot<'_>, want: Want, verdict: Verdict) -> String {
        dispatch!(self, policy => policy.why(snapshot, want, verdict))
    }
}
