//! `[host] kernel`: what the testbed tells a host's kernel of how losses are found and repaired.

/// How far the testbed tells a kernel how losses are found and repaired. The simulator has no kernel to tell.
///
/// What a kernel can be told depends on its release: the testbed reads it and warns of what stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

impl Kernel {
    /// As it is called in `[host]`.
    pub const WORDS: &[&str] = &["told", "plain", "stock"];

    /// The one called so.
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
