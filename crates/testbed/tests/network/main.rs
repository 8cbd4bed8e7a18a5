//! The testbed in real namespaces. Skips, with the reason, where the kernel forbids them.

mod agent;
mod common;
mod ended;
mod hosts;
mod kernel;
mod lifetime;
mod marks;
mod multipath;
mod traffic;
