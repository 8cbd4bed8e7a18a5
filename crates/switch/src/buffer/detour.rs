//! Common part of the policies that detour: when a detour is allowed, and to which ports.
//!
//! A variant differs only in which of the open ports it takes. It draws, and exports that choice as a pure
//! function of port sets and small integers.

use super::{DropReason, Verdict};
use crate::queues::reaches;
use crate::why::{self, SwitchSnapshot};
use crate::{Depth, Queues, Want};
use sidestep_types::{Packet, PortId, PortSet, Settings, Size};

/// Marking threshold of a policy that detours; without it, only detours are marked.
#[derive(Clone, Copy, Debug, Settings)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Step {
    /// mark when the queue already holds this much; 20 packets at 1 Gbps (DIBS section 5.3)
    #[setting(default = "20 pkt", off = "off")]
    pub mark_at: Option<Size>,
}

impl Step {
    /// Returns true if a queue of this `depth` marks packets.
    #[inline]
    pub fn marks(&self, depth: Depth) -> bool {
        self.mark_at.is_some_and(|level| reaches(depth, level))
    }
}

/// Settings of every variant.
#[derive(Clone, Copy, Debug, Settings)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Detours {
    #[setting(flatten)]
    pub step: Step,
    /// allow a packet to leave by the port it came in by; true as in Figure 1 of DIBS
    #[setting(default = "true")]
    pub ingress: bool,
    /// mark all detoured packets, as in DIBS section 5.3; if false, the queue that they join decides, as in
    /// Vertigo's simulator
    #[setting(default = "true")]
    pub mark_detours: bool,
    /// number of detours after which a packet is dropped instead (reason "detours"); the paper relies on the
    /// time to live
    #[setting(default = "off", off = "off", range = 1..=255)]
    pub max_detours: Option<u8>,
}

impl Detours {
    /// Returns the verdict on a packet that fits.
    #[inline]
    pub fn keep(&self, want: Want) -> Verdict {
        let mark = self.step.marks(want.depth);
        Verdict::Enqueue { mark }
    }

    /// Returns a detour to `port`, or a drop if there is no port.
    #[inline]
    pub fn to(&self, port: Option<PortId>, queues: &mut dyn Queues) -> Verdict {
        let Some(port) = port else {
            return Verdict::Drop(DropReason::Full);
        };
        let mark = self.mark_detours || self.step.marks(queues.depth(port));
        Verdict::Detour { port, mark }
    }

    /// Returns the ports that a detour may take: those that lead to a switch and have room, without the port
    /// the packet came in by if that is barred. Includes the wanted port if it has room. Errors if the packet
    /// may not be detoured at all.
    #[inline]
    pub fn open(&self, pkt: &Packet, queues: &mut dyn Queues) -> Result<PortSet, DropReason> {
        if self.max_detours.is_some_and(|most| pkt.detours >= most) {
            return Err(DropReason::Detours);
        }
        let ingress = if self.ingress { None } else { queues.ingress() };
        let allowed = without(queues.to_switch(), ingress);
        Ok(queues.open_among(pkt, allowed))
    }

    /// Explains why one of these policies returned `verdict`; `how` explains its choice among the open ports.
    pub fn why(
        &self,
        snapshot: &mut SwitchSnapshot<'_>,
        want: Want,
        verdict: Verdict,
        how: impl FnOnce(&mut SwitchSnapshot<'_>, PortSet) -> String,
    ) -> String {
        match verdict {
            Verdict::Enqueue { .. } => snapshot.step(want.depth, self.step.mark_at),
            Verdict::Detour { port, .. } => {
                let others = snapshot.others(want.port);
                let open = self.candidates(snapshot, want);
                let marked: String = match (self.mark_detours, snapshot.packet.ect()) {
                    (true, true) => "marked, as detours are".into(),
                    (true, false) => "not marked, since it is not ECN-capable".into(),
                    (false, _) => {
                        let joined = snapshot.queues.depth(port);
                        snapshot.step(joined, self.step.mark_at)
                    }
                };
                let names = snapshot.names(open.iter());
                let how = how(snapshot, open);
                format!(
                    "other ports to a switch: {}, of which {} room ({names}): {how}; {marked}",
                    others.len(),
                    have(open.len())
                )
            }
            Verdict::Drop(DropReason::Detours) => format!(
                "it was detoured {} times already, and max_detours is {}",
                snapshot.packet.detours,
                self.max_detours.unwrap_or_default()
            ),
            Verdict::Drop(DropReason::Full) => {
                let others = snapshot.others(want.port);
                let barred = match self.ingress {
                    true => "",
                    false => " but the one it came in by (ingress = false)",
                };
                match others.len() {
                    0 => "no other port leads to a switch".into(),
                    n => format!("no room at any of the {n} other ports to a switch{barred}"),
                }
            }
            other => why::verdict(other),
        }
    }

    /// Returns the ports among which the detour was chosen.
    fn candidates(&self, snapshot: &mut SwitchSnapshot<'_>, want: Want) -> PortSet {
        let open = self.open(snapshot.packet, snapshot.queues);
        without(open.unwrap_or(PortSet::EMPTY), Some(want.port))
    }
}

/// Formats a number with its verb: `1 has`, `3 have`
fn have(n: u32) -> String {
    match n {
        1 => "1 has".into(),
        n => format!("{n} have"),
    }
}

/// Returns `to_switch` without the barred port.
pub fn without(mut to_switch: PortSet, barred: Option<PortId>) -> PortSet {
    if let Some(port) = barred {
        to_switch.remove(port);
    }
    to_switch
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::testing::{StillQueues, data};
    use crate::{Buffer, Policy};
    use sidestep_types::{Refusal, Rng, Value, Values};

    /// Creates a variant with `sets` over its defaults, on a switch of six ports.
    pub fn made<P: Policy>(sets: &[(&str, &str)]) -> Result<P, Refusal> {
        let mut values = Values::defaults(P::ENTRY.params);
        for (name, text) in sets {
            let param = P::ENTRY.params.iter().find(|p| p.name == *name).unwrap();
            values.set(param.name, Value::parse(text, param).unwrap());
        }
        P::from_values(&values, 6, 0x5eed)
    }

    /// Creates six ports: 0 and 1 lead to hosts, 2 to 5 to switches; 0 and 3 are full.
    pub fn six_ports() -> StillQueues {
        StillQueues::of(&[100, 0, 5, 100, 99, 0], 100, &[2, 3, 4, 5])
    }

    /// Checks the rules that hold for every variant, whichever port it picks.
    pub fn obeys_the_common_rules<P: Policy + Buffer>() {
        let mut rng = Rng::from_seed(9);
        let mut admit = |sets: &[(&str, &str)], port: u16, pkt: &Packet, q: &mut StillQueues| {
            let want = q.want(port);
            made::<P>(sets).unwrap().admit(pkt, want, q, &mut rng)
        };
        let mut q = six_ports();
        let marked = [("mark_at", "5 pkt")];
        assert_eq!(
            admit(&marked, 5, &data(), &mut q),
            Verdict::Enqueue { mark: false }
        );
        assert_eq!(
            admit(&marked, 2, &data(), &mut q),
            Verdict::Enqueue { mark: true }
        );
        assert_eq!(
            admit(&[("mark_at", "off")], 2, &data(), &mut q),
            Verdict::Enqueue { mark: false }
        );
        for hash in 0..200 {
            let mut pkt = data();
            pkt.hash = hash;
            q.ingress = Some(PortId(4));
            let Verdict::Detour { port, mark: true } = admit(&[], 0, &pkt, &mut q) else {
                panic!("a full queue detours while a port is open");
            };
            assert!(
                [2, 4, 5].contains(&port.0),
                "{port:?} leads to a host or is full"
            );
            let sets = [("ingress", "false"), ("mark_detours", "false")];
            let Verdict::Detour { port, mark: false } = admit(&sets, 0, &pkt, &mut q) else {
                panic!("two ports are open beside the one it came by");
            };
            assert!([2, 5].contains(&port.0), "{port:?}");
            // Without `mark_detours`, the queue that the packet joins decides: 5 packets wait at port 2.
            let sets = [("mark_detours", "false"), ("mark_at", "5 pkt")];
            let Verdict::Detour { port, mark } = admit(&sets, 0, &pkt, &mut q) else {
                panic!("three ports are open");
            };
            assert_eq!(mark, port.0 != 5, "{port:?}");
        }
        let mut pkt = data();
        pkt.detours = 3;
        assert!(matches!(
            admit(&[("max_detours", "4")], 0, &pkt, &mut q),
            Verdict::Detour { .. }
        ));
        let often = admit(&[("max_detours", "3")], 0, &pkt, &mut q);
        assert_eq!(often, Verdict::Drop(DropReason::Detours));
        // The only open port to a switch is the one the packet came in by.
        let mut q = StillQueues::of(&[100, 0, 5, 100, 100, 100], 100, &[2, 3, 4, 5]);
        q.ingress = Some(PortId(2));
        assert_eq!(
            admit(&[], 0, &data(), &mut q).port(PortId(0)),
            Some(PortId(2))
        );
        let alone = admit(&[("ingress", "false")], 0, &data(), &mut q);
        assert_eq!(alone, Verdict::Drop(DropReason::Full));
        let said = made::<P>(&[("max_detours", "256")])
            .err()
            .unwrap()
            .to_string();
        assert!(
            said.contains("max_detours must be from 1 to 255, got 256"),
            "{said}"
        );
    }

    #[test]
    fn the_barred_port_alone_is_taken_out() {
        let ports = [1, 2, 5].map(PortId);
        let set: PortSet = ports.into_iter().collect();
        assert_eq!(without(set, None), set);
        assert_eq!(
            without(set, Some(PortId(2))),
            [1, 5].map(PortId).into_iter().collect()
        );
        assert_eq!(without(set, Some(PortId(3))), set);
    }
}
