//! The testbed in real namespaces. Skips, with the reason, where the kernel forbids them.

mod common;
mod hosts;
mod lifetime;
mod traffic;
