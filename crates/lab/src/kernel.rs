//! `[host] kernel`: what the testbed tells a host's kernel of how losses are found and repaired.

use sidestep_types::Words;

/// How far the testbed tells a kernel how losses are found and repaired. The simulator has no kernel to tell.
///
/// What a kernel can be told depends on its release: the testbed reads it and warns of what stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Words)]
pub enum Kernel {
    /// What `[transport]` says; the rest is as the kernel has it.
    #[default]
    Told,
    /// The same, and to switch off what it says nothing of: probes, F-RTO, thresholds that adapt, and RACK where that can be
    /// (not with SACK since Linux 6.17).
    Plain,
    /// Nothing of it.
    Stock,
}
