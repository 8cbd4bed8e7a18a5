//! Tests of this room in one program, but those that need a program of their own and those of `policies.rs`:
//! each program links the whole room.

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
mod horizon;
mod idle;
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
mod windows;
