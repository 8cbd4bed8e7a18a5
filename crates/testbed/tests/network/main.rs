//! The testbed in real namespaces. Skips, with the reason, where the kernel forbids them.

mod agent;
mod asked;
mod common;
mod dctcp;
mod detection;
mod ended;
mod hosts;
mod kernel;
mod lifetime;
mod marks;
mod multipath;
mod session;
mod traffic;
mod wire;
