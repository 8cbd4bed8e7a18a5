//! What a TCP connection can be told by a word, apart from its estimator.

use crate::registry::words;

words! {
    /// How losses are found and repaired.
    pub enum Recovery {
        /// RFC 6582: one hole a round trip, by partial acknowledgements.
        NewReno = "newreno",
            "repairs one hole a round trip, by partial acknowledgements",
            "RFC 6582";
        /// RFC 6675: a scoreboard of selective acknowledgements.
        Sack = "sack",
            "repairs every hole that selective acknowledgements show",
            "RFC 6675, RFC 2018";
    }
}

words! {
    /// How fast a window that a loss or an echo has cut is reached.
    pub enum Reduction {
        /// RFC 5681, 6675, 8257: the window is the smaller one at once, and nothing new leaves
        /// before the flight has fallen below it.
        AtOnce = "at_once",
            "sends nothing new until the flight has fallen below the cut window",
            "RFC 5681, RFC 6675, RFC 8257";
        /// RFC 9937: what leaves is a share of what arrives, from the first acknowledgement on.
        Prr = "prr",
            "sends a share of what is delivered while the window comes down",
            "RFC 9937; Linux tcp_cwnd_reduction";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_recovery_reads_back() {
        for entry in Recovery::ENTRIES {
            let found = Recovery::from_name(entry.name).expect("a listed name is known");
            assert_eq!(found.name(), entry.name);
        }
        assert_eq!(Recovery::from_name("rack"), None);
    }

    #[test]
    fn every_listed_reduction_reads_back() {
        for entry in Reduction::ENTRIES {
            let found = Reduction::from_name(entry.name).expect("a listed name is known");
            assert_eq!(found.name(), entry.name);
        }
        assert_eq!(Reduction::from_name("halving"), None);
    }
}
