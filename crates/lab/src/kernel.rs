//! `[host] kernel`: loss-recovery settings that the testbed makes in a host's kernel.

/// Extent to which the testbed sets up loss recovery in a host's kernel. The simulator has no kernel.
///
/// The available settings depend on the kernel's release: the testbed reads it and warns of what it cannot
/// change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kernel {
    /// Set what `[transport]` says; leave the rest at the kernel's defaults.
    #[default]
    Told,
    /// Like `Told`, and switch off everything `[transport]` does not mention: probes, F-RTO, adaptive
    /// thresholds, and RACK where possible (not with SACK since Linux 6.17).
    Plain,
    /// Set nothing.
    Stock,
}

impl Kernel {
    /// Words in `[host]`.
    pub const WORDS: &[&str] = &["told", "plain", "stock"];

    /// Returns the variant of this name.
    pub fn from_name(name: &str) -> Option<Kernel> {
        let all = [Kernel::Told, Kernel::Plain, Kernel::Stock];
        let place = Kernel::WORDS.iter().position(|word| *word == name)?;
        Some(all[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_names_one() {
        let named = Kernel::WORDS.iter().map(|word| Kernel::from_name(word));
        let all = [Kernel::Told, Kernel::Plain, Kernel::Stock].map(Some);
        assert!(named.eq(all));
        assert_eq!(Kernel::from_name("mine"), None);
    }
}
