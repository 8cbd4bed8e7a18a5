//! Layers of one point of an experiment, in order.

use super::names::descend;
use sidestep_config::document::Table;
use sidestep_config::problem::{At, Problems};
use sidestep_config::source::Origin;
use sidestep_config::spec::Layer;
use sidestep_sim::Files;

/// Layers of one point, not yet resolved.
pub(super) struct Reader<'a> {
    pub at: At,
    /// Files, later ones win: the base, if there is one, and the scenario.
    pub written: &'a [(Table, Origin)],
    /// Layers over the files, in this order: `[quick]`, the point, each `--set`.
    pub over: Vec<(&'a Table, &'a Origin)>,
    /// Files that decide the numbers: topologies, distributions, flow lists.
    pub files: &'a dyn Files,
    /// Files of schemes.
    pub scheme_files: &'a dyn Files,
    /// Classes that claims and plots may name; `None` if the workloads could not be read.
    pub classes: Option<Vec<String>>,
}

impl Reader<'_> {
    /// Iterates over the trees of the files and then those over them, each with its origin.
    pub fn roots(&self) -> impl Iterator<Item = (&Table, &Origin)> {
        let written = self.written.iter().map(|(root, origin)| (root, origin));
        written.chain(self.over.iter().copied())
    }

    /// Returns the layers of the section `name`, found at `path`, and its place.
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
