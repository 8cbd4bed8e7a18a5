//! `[host] kernel`: loss-recovery settings that the testbed makes in a host's kernel.

use sidestep_types::Words;

/// Extent to which the testbed sets up loss recovery in a host's kernel. The simulator has no kernel.
///
/// The available settings depend on the kernel's release: the testbed reads it and warns of what it cannot
/// change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Words)]
pub enum Kernel {
    /// Set what `[transport]` says; leave the rest at the kernel's defaults.
    #[default]
    Told,
    /// Like `CountSources`, and switch off everything `[transport]` does not mention: probes, F-RTO, adaptive
    /// thresholds, and RACK where possible (not with SACK since Linux 6.17).
    Plain,
    /// Set nothing.
    Stock,
}
