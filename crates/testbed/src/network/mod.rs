//! The network of a testbed: namespaces, veth links, hosts and switches, built, looked at, taken away.
//!
//! A [`Blueprint`](blueprint::Blueprint) says what to build, in the emulated network's own units;
//! [`up`](up::up) builds it, [`down`](down::down) takes all of it away. What happens when is in
//! `docs/testbed.md`. This room knows no scenario.

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
