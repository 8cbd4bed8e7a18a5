//! Network of a testbed: namespaces, veth links, hosts and switches, with their creation, inspection and
//! removal.
//!
//! A [`Blueprint`](blueprint::Blueprint) describes the network in this machine's units; [`up`](up::up) builds
//! it, and [`down`](down::down) removes all of it. `docs/how-to/testbed.md` describes the sequence of a run. This
//! module does not depend on scenarios.

pub(crate) mod agent;
pub mod blueprint;
mod bpf;
pub mod changes;
pub(crate) mod dctcp;
pub mod down;
pub mod ended;
pub mod features;
pub mod hosts;
pub mod lock;
pub(crate) mod marks;
pub(crate) mod multipath;
pub(crate) mod netns;
pub mod state;
pub mod status;
pub mod switches;
mod sysctl;
pub mod tools;
pub mod up;
