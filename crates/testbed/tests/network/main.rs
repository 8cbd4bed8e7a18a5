//! Tests of the testbed in real namespaces. Skipped, with the reason, if the kernel forbids namespaces.

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
