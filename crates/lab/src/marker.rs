//! `[host] marker`: on the testbed, the component that sets the class of service that `by-size` chooses.

/// Component that sets the class of service on the testbed. In the simulator it is always the shim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Marker {
    /// The host: its sockets where sizes are known, a program at its interface where they are not.
    #[default]
    Host,
    /// The shim, at the port of the software switch that leads to the host.
    Port,
}

impl Marker {
    /// Words in `[host]`.
    pub const WORDS: &[&str] = &["host", "port"];

    /// Returns the marker of this name.
    pub fn from_name(name: &str) -> Option<Marker> {
        let all = [Marker::Host, Marker::Port];
        let place = Marker::WORDS.iter().position(|word| *word == name)?;
        Some(all[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_names_one() {
        let named = Marker::WORDS.iter().map(|word| Marker::from_name(word));
        assert!(named.eq([Marker::Host, Marker::Port].map(Some)));
        assert_eq!(Marker::from_name("mine"), None);
    }
}
