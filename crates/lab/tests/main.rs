//! Single program of the tests of this room that need no separate program: each program links the whole room.

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
mod docs;
mod experiments;
mod hashes;
mod layers;
mod messages;
mod natures;
mod nics;
mod ns3_reference;
mod numbers;
mod probes;
mod profiles;
mod pure;
mod recording;
mod rooms;
mod shipped;
mod silent;
