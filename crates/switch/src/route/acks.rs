//! What routes that spray do with packets that carry no data.
//!
//! **Decision**     with `acks = "ecmp"`, what carries no data (acknowledgements, packets of a handshake, trimmed
//!                  headers) takes the hop of [`super::ecmp`], with the same salt; with `"spray"` it is as data is.
//! **State**        the salt.
//! **Units**        none.
//! **Errors**       none.
//! **Source**       Dixit, Prakash, Kompella, Purdue technical report 2011 (PLTS), section III-B, tells reordering on
//!                  the way back from that on the way out; that the one can be had without the other is *assumed*.
//! **Deviations**   of real frames, TCP without payload is an acknowledgement; all of UDP is data.

use super::{Hops, ecmp};
use crate::why::Scene;
use sidestep_types::{Packet, PortId, Settings, Words};

/// How packets without data go.
#[derive(Clone, Copy, Settings)]
pub struct AcksSettings {
    /// what carries no data goes as data does, or by its flow's hash; the default is assumed
    #[setting(default = "spray")]
    acks: By,
}

/// The ways they can go.
#[derive(Clone, Copy, PartialEq, Words)]
enum By {
    Spray,
    Ecmp,
}

/// How they go.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Acks {
    /// The salt of ECMP, where they go by it.
    ecmp: Option<u64>,
}

impl Acks {
    /// On a switch of this salt.
    pub fn new(settings: AcksSettings, salt: u64) -> Acks {
        let ecmp = settings.acks == By::Ecmp;
        Acks {
            ecmp: ecmp.then_some(salt),
        }
    }

    /// The hop of ECMP, if this packet takes that one.
    #[inline]
    pub fn hop(self, packet: &Packet, ports: &[PortId]) -> Option<PortId> {
        let salt = self.ecmp?;
        (!packet.carries_data()).then(|| ecmp::hop_of(ports, packet.hash, salt))
    }

    /// Why it took it, if it did.
    pub fn why(self, scene: &Scene<'_>, hops: Hops<'_>, taken: PortId) -> Option<String> {
        self.hop(scene.packet, hops.ports)?;
        let named = ecmp::named(scene, hops, taken, "with the salt of this switch");
        Some(format!("it carries no data (acks = ecmp): {named}"))
    }
}
