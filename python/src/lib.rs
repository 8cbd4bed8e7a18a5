//! Native half of the Python package: functions and classes that `sidestep` in Python calls.
//!
//! The module converts Python values to those of `study` and back, and has no knowledge beyond the command's. The part
//! that users see is in `sidestep/`: typed, and without a second list of anything.

// Only `policy/loan`, which lends a switch's queues to Python for one call, has unsafe code.
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

/// Module on which the package `sidestep` is built; users import the package.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::ask::{check, list, metric, schema, show, why};
    #[pymodule_export]
    use crate::build::build_info;
    #[pymodule_export]
    use crate::points::{Stop, SweepPlan, Worker, is_record};
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
