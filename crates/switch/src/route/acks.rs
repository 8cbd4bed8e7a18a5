//! Treatment of packets without data by routes that spray.
//!
//! **Decision**     with `acks = "ecmp"`, packets without data (acknowledgements, handshakes, trimmed headers)
//!                  take the hop of [`super::ecmp`], with the same salt; with `"spray"` they are sprayed like
//!                  data.
//! **State**        the salt.
//! **Units**        none.
//! **Errors**       none.
//! **Source**       Dixit, Prakash, Kompella, Purdue technical report 2011 (PLTS), section III-B, separates
//!                  reordering on the way back from reordering on the way out; that each can be had without the
//!                  other is *assumed*.
//! **Deviations**   for real frames, TCP without payload is an acknowledgement; all UDP is data.

use super::{Hops, ecmp};
use crate::why::SwitchSnapshot;
use sidestep_types::{Packet, PortId, Settings, Words};

/// Setting of the path of packets without data.
#[derive(Clone, Copy, Settings)]
pub struct AcksSettings {
    /// path of packets without data: sprayed like data, or by the hash of their flow; assumed
    #[setting(default = "spray")]
    acks: By,
}

/// Path of packets without data.
#[derive(Clone, Copy, PartialEq, Words)]
enum By {
    Spray,
    Ecmp,
}

/// Rule for packets without data.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Acks {
    /// Salt of ECMP, if these packets use it.
    ecmp: Option<u64>,
}

impl Acks {
    /// Creates the rule for a switch with this salt.
    pub fn new(settings: AcksSettings, salt: u64) -> Acks {
        let ecmp = settings.acks == By::Ecmp;
        Acks {
            ecmp: ecmp.then_some(salt),
        }
    }

    /// Returns the hop of ECMP, if this packet takes it.
    #[inline]
    pub fn hop(self, packet: &Packet, ports: &[PortId]) -> Option<PortId> {
        let salt = self.ecmp?;
        (!packet.carries_data()).then(|| ecmp::hop_of(ports, packet.hash, salt))
    }

    /// Explains why the packet took the hop of ECMP, if it did.
    pub fn why(
        self,
        snapshot: &SwitchSnapshot<'_>,
        hops: Hops<'_>,
        taken: PortId,
    ) -> Option<String> {
        self.hop(snapshot.packet, hops.ports)?;
        let named = ecmp::named(snapshot, hops, taken, "with the salt of this switch");
        Some(format!(
            "it carries no data, so acks = \"ecmp\" applies: {named}"
        ))
    }
}
