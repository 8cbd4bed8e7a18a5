//! One program of all tests of this room that need none of their own and are not in `policies.rs`: each program is linked
//! with the whole room.

mod ablations;
mod changes;
mod checkpoints;
mod coexistence;
mod common;
mod coverage;
mod cut;
mod deadlock;
mod declared;
mod differing;
mod experiments;
mod layers;
mod messages;
mod nics;
mod ns3_reference;
mod numbers;
mod probes;
mod profiles;
mod pure;
mod recording;
mod rooms;
mod silent;
