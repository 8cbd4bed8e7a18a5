//! What stands above a drawing.

use crate::plot::Look;

/// What stands above a drawing, and how it looks.
pub struct Head {
    /// The title.
    pub title: String,
    /// Of what run it is.
    pub subtitle: String,
    /// The scheme's look.
    pub look: Look,
}

#[cfg(test)]
pub mod testing {
    //! A network to draw, and a head for the drawing.

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
            look: Look::nth(1),
        }
    }
}
