//! Names that users can choose from, as `sidestep list` prints them: the lab's catalog, and the figures of
//! papers, which are files.

use crate::reproduce::library::{ExperimentEntry, ExperimentLibrary};
use sidestep_lab::Experiment;
use sidestep_lab::catalog::{self, singular};
use std::path::Path;
use std::sync::LazyLock;

pub use sidestep_lab::catalog::{Item, Kind};

/// Word for figures of papers.
const EXPERIMENTS: &str = "experiments";

/// Words for the kinds, in the order of the list.
pub static KINDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let mut all = catalog::KINDS.clone();
    all.insert(1, EXPERIMENTS);
    all
});

/// Returns the kind called `name`, in the plural or the singular, with all its items.
pub fn kind(name: &str) -> Option<Kind> {
    if name != EXPERIMENTS && name != singular(EXPERIMENTS) {
        return catalog::kind(name);
    }
    Some(Kind {
        name: EXPERIMENTS,
        key: "sidestep reproduce NAME",
        items: experiments(),
    })
}

/// Names the figures of papers, without reading their files.
pub fn figures() -> Vec<String> {
    let shelf = ExperimentLibrary::open(Path::new("")).unwrap_or_default();
    (shelf.books.iter())
        .map(|book| format!("{}/{}", book.paper, book.name))
        .collect()
}

/// Lists the figures of papers: those of the working directory, or else the shipped ones.
fn experiments() -> Vec<Item> {
    let shelf = ExperimentLibrary::open(Path::new("")).unwrap_or_default();
    let about = |e: &Experiment| match (&e.title, &e.figure) {
        (title, Some(figure)) if title.is_empty() => figure.shows.clone(),
        (title, _) if title.is_empty() => "has no title".into(),
        (title, _) => title.clone(),
    };
    let item = |book: &ExperimentEntry| {
        let read = Experiment::read(&book.name, &book.text, &[], false, &shelf.beside(book));
        let paper = |e: &Experiment| {
            let figure = e.figure.as_ref();
            figure.map_or(String::new(), |f| match f.heading() {
                Some(heading) => format!("{}: {heading}", f.paper),
                None => f.paper.clone(),
            })
        };
        Item {
            name: format!("{}/{}", book.paper, book.name),
            summary: read.as_ref().map_or("does not read".into(), about),
            source: read.as_ref().map(paper).unwrap_or_default(),
            params: Vec::new(),
            measured: None,
        }
    };
    shelf.books.iter().map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn figures_are_listed_after_scenarios_by_both_their_words() {
        assert_eq!(KINDS[..3], ["scenarios", "experiments", "schemes"]);
        for word in ["experiments", "experiment"] {
            assert_eq!(kind(word).unwrap().name, "experiments");
        }
        assert!(KINDS.iter().all(|name| kind(name).is_some()));
        let told = json!(kind("routes"));
        let keys: Vec<&String> = told.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["kind", "key", "items"]);
    }
}
