//! What a barrier is made of: here the standard library's, in `crates/study/loom` loom's.

pub use std::hint::spin_loop;
pub use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
pub use std::sync::{Condvar, Mutex};
pub use std::thread::yield_now;
