//! All that was written about one point of an experiment, in the order of its layers.

use super::words::descend;
use sidestep_config::document::Table;
use sidestep_config::problem::{At, Problems};
use sidestep_config::source::Origin;
use sidestep_config::spec::Layer;
use sidestep_sim::Files;

/// All that was written about one point, not yet understood.
pub(super) struct Reader<'a> {
    pub at: At,
    /// The files, later ones win: the base, if there is one, and the scenario.
    pub written: &'a [(Table, Origin)],
    /// What is laid over them, in this order: `[quick]`, the point, each `--set`.
    pub over: Vec<(&'a Table, &'a Origin)>,
    /// What decides the numbers: topologies, distributions, flow lists.
    pub files: &'a dyn Files,
    /// Where schemes are found.
    pub scheme_files: &'a dyn Files,
    /// The classes that claims and plots may ask for; `None` where the workloads were not understood.
    pub classes: Option<Vec<String>>,
}

impl Reader<'_> {
    /// The files' own trees and then what is laid over them, each with its origin.
    pub fn roots(&self) -> impl Iterator<Item = (&Table, &Origin)> {
        let written = self.written.iter().map(|(root, origin)| (root, origin));
        written.chain(self.over.iter().copied())
    }

    /// The layers of the section `name`, which stands at `path`, and its place.
    pub fn layers<'a>(
        &'a self,
        name: &'a str,
        path: &[&str],
        problems: &mut Problems,
    ) -> (Vec<Layer<'a>>, At) {
        let mut at = self.at.clone();
        let mut layers = Vec::new();
        for (root, origin) in self.roots() {
            let Some((table, place)) = descend(root, path, problems) else {
                continue;
            };
            if layers.is_empty() {
                at = place.clone();
            }
            layers.push(Layer {
                table,
                origin,
                name,
                prefix: "",
                shared: false,
            });
        }
        (layers, at)
    }
}
