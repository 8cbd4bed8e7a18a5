//! Primitives of the barrier: the standard library's here, loom's in `crates/study/loom`.

pub use std::hint::spin_loop;
pub use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
pub use std::sync::{Condvar, Mutex};
pub use std::thread::yield_now;
