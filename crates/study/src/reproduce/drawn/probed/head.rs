//! Heading of a drawing.

use crate::plot::SeriesStyle;

/// Heading of a drawing, and its look.
pub struct Head {
    /// Title.
    pub title: String,
    /// Subtitle: the run.
    pub subtitle: String,
    /// Look of the scheme.
    pub look: SeriesStyle,
}

#[cfg(test)]
pub mod testing {
    //! Network and heading for tests of drawings.

    use super::*;
    use sidestep_lab::Scenario;
    use sidestep_sim::{Network, NoFiles};

    pub fn network() -> std::sync::Arc<Network> {
        let text = "duration = \"1 ms\"\nschemes = [\"dibs\"]\n[topology]\nkind = \"fat_tree\"\nk = 4\n\
                    [workload.w]\nkind = \"permutation\"\n";
        let read = Scenario::read("t.toml", text, &[], &NoFiles);
        read.unwrap_or_else(|problems| panic!("{problems:?}"))
            .network
    }

    pub fn head() -> Head {
        Head {
            title: "t".into(),
            subtitle: "s".into(),
            look: SeriesStyle::nth(1),
        }
    }
}
