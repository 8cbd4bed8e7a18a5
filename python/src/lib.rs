//! The native half of the Python package: what `sidestep` in Python calls.
//!
//! It turns Python's values into those of `study` and back, and knows nothing that the command does not know. What
//! users see is in `sidestep/`: typed, and without a second list of anything.

// Unsafe code is in `policy/loan` alone, which lends a switch's queues to Python for one call.
#![deny(unsafe_code)]

mod ask;
mod build;
mod error;
mod lists;
mod points;
mod policy;
mod run;
mod source;
mod table;
mod work;

use pyo3::prelude::*;

/// What the package `sidestep` is built on; users import that.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::ask::{check, list, metric, schema, show, why};
    #[pymodule_export]
    use crate::build::build_info;
    #[pymodule_export]
    use crate::points::{Plan, Stop, Worker, is_record};
    #[pymodule_export]
    use crate::policy::{
        Class, Depth, Hops, Packet, Plugin, Queues, RandomStream, Switch, Verdict, Want, detour,
        drop, enqueue, evict, load_plugin, new_policy, policy_vectors, squeeze, trim,
    };
    #[pymodule_export]
    use crate::run::{reproduce, run, sweep};
    #[pymodule_export]
    use crate::source::Source;
    #[pymodule_export]
    use crate::table::Table;
}
