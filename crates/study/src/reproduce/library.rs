//! Shelf of experiments: those of the program, and those in `experiments/<paper>/` of the working directory.
//! A folder there replaces all experiments that the program has of that paper.

use crate::Error;
use sidestep_sim::Files;
use std::path::{Path, PathBuf};

/// Paper, name and text of every shipped file, bases included.
const SHIPPED: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/experiments.rs"));

/// Returns the text of a shipped file by its path in a checkout: `experiments/dibs/base.toml`.
pub fn shipped(path: &str) -> Option<&'static str> {
    let (paper, file) = path.strip_prefix("experiments/")?.split_once('/')?;
    let name = file.strip_suffix(".toml")?;
    let found = SHIPPED
        .iter()
        .find(|(of, own, _)| (*of, *own) == (paper, name));
    found.map(|(_, _, text)| *text)
}

/// Experiment that is not read yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExperimentEntry {
    /// Folder: `dibs`.
    pub paper: String,
    /// File name without extension: `fig08`.
    pub name: String,
    /// Text of the file.
    pub text: String,
    /// Path of the file; `None` for a shipped one.
    pub file: Option<PathBuf>,
}

/// All experiments.
#[derive(Clone, Debug, Default)]
pub struct ExperimentLibrary {
    /// Experiments by paper, then by name in natural order: `fig2` before `fig10`.
    pub books: Vec<ExperimentEntry>,
    bases: Vec<ExperimentEntry>,
}

impl ExperimentLibrary {
    /// Opens the shipped experiments and those of the folder `root/experiments`.
    pub fn open(root: &Path) -> Result<ExperimentLibrary, Error> {
        let folder = root.join("experiments");
        let mut all = Vec::new();
        for path in listed(&folder).into_iter().filter(|path| path.is_dir()) {
            for file in listed(&path) {
                if file.extension().is_some_and(|end| end == "toml") {
                    all.push(ExperimentEntry {
                        paper: stem(&path),
                        name: stem(&file),
                        text: std::fs::read_to_string(&file)
                            .map_err(|e| Error::io("cannot read", &file, e))?,
                        file: Some(file),
                    });
                }
            }
        }
        let own: Vec<String> = all.iter().map(|book| book.paper.clone()).collect();
        let shipped = SHIPPED
            .iter()
            .filter(|(paper, ..)| !own.iter().any(|p| p == paper));
        all.extend(shipped.map(|(paper, name, text)| ExperimentEntry {
            paper: paper.to_string(),
            name: name.to_string(),
            text: text.to_string(),
            file: None,
        }));
        all.sort_by_key(|book| (book.paper.clone(), place(&book.name)));
        let (bases, books) = all.into_iter().partition(|book| is_base(&book.name));
        Ok(ExperimentLibrary { books, bases })
    }

    /// Finds the experiments of a request, `dibs` or `dibs/fig08`; without a request, all.
    pub fn find(&self, asked: Option<&str>) -> Result<Vec<&ExperimentEntry>, Error> {
        let Some(asked) = asked else {
            return match self.books.is_empty() {
                true => Err(Error::Input("there are no experiments".into())),
                false => Ok(self.books.iter().collect()),
            };
        };
        let asked = asked.trim_end_matches('/');
        let (paper, name) = match asked.split_once('/') {
            Some((paper, name)) => (paper, Some(name.trim_end_matches(".toml"))),
            None => (asked, None),
        };
        let of_paper: Vec<&ExperimentEntry> =
            self.books.iter().filter(|b| b.paper == paper).collect();
        if of_paper.is_empty() {
            let figures = self.books.iter().filter(|book| begins(&book.name, asked));
            let figures: Vec<String> = figures.map(|b| format!("{}/{}", b.paper, b.name)).collect();
            if !figures.is_empty() {
                let hint = any_of(&figures);
                return Err(Error::Input(format!("paper {paper:?} is unknown; {hint}")));
            }
            let mut papers: Vec<&str> = self.books.iter().map(|b| b.paper.as_str()).collect();
            papers.dedup();
            return Err(unknown(
                &format!("paper {paper:?} is unknown"),
                paper,
                &papers,
            ));
        }
        let Some(name) = name else {
            return Ok(of_paper);
        };
        match of_paper.iter().find(|book| book.name == name) {
            Some(book) => Ok(vec![book]),
            None => {
                let names: Vec<&str> = of_paper.iter().map(|b| b.name.as_str()).collect();
                Err(unknown(
                    &format!("{paper} has no figure {name:?}"),
                    name,
                    &names,
                ))
            }
        }
    }

    /// Describes each paper of these books that is read from the working directory: which of its files differ
    /// from the shipped ones.
    pub fn instead_of_shipped(&self, books: &[&ExperimentEntry]) -> Vec<String> {
        let mut papers: Vec<&str> = Vec::new();
        for book in books.iter().filter(|book| book.file.is_some()) {
            let shipped = SHIPPED.iter().any(|(paper, ..)| *paper == book.paper);
            if shipped && !papers.contains(&&*book.paper) {
                papers.push(&book.paper);
            }
        }
        let line = |paper: &str| {
            let all = self.bases.iter().chain(&self.books);
            let own: Vec<&ExperimentEntry> = all.filter(|book| book.paper == paper).collect();
            let is_shipped =
                |book: &ExperimentEntry| SHIPPED.contains(&(paper, &book.name, &book.text));
            let other: Vec<&str> = (own.iter().filter(|book| !is_shipped(book)))
                .map(|book| book.name.as_str())
                .collect();
            let lacks = (SHIPPED.iter())
                .filter(|(of, name, _)| *of == paper && own.iter().all(|b| b.name != *name))
                .count();
            let says = match (other.len(), lacks) {
                (0, 0) => "equal to the shipped files".to_string(),
                (0, n) => format!("equal to the shipped files, but {n} of those are missing"),
                (..4, _) => format!("different from the shipped files: {}", other.join(", ")),
                (n, _) => format!("{n} files differ from the shipped ones"),
            };
            format!("{paper} is read from ./experiments/{paper}: {says}")
        };
        papers.into_iter().map(line).collect()
    }

    /// Returns the files an experiment may refer to: those beside it, then any of the working directory.
    pub fn beside<'a>(&'a self, book: &'a ExperimentEntry) -> ExperimentFiles<'a> {
        ExperimentFiles { shelf: self, book }
    }
}

/// Reads files for one experiment.
pub struct ExperimentFiles<'a> {
    shelf: &'a ExperimentLibrary,
    book: &'a ExperimentEntry,
}

impl Files for ExperimentFiles<'_> {
    fn read(&self, path: &str) -> Result<String, String> {
        let file = Path::new(path);
        if let Some(own) = &self.book.file {
            let near = own.with_file_name(path);
            let chosen = if near.exists() {
                near
            } else {
                file.to_path_buf()
            };
            return std::fs::read_to_string(chosen).map_err(|e| e.to_string());
        }
        // A shipped experiment names its base relative to its folder: `base.toml`, `../dibs/base.toml`.
        let parts: Vec<&str> = path.split('/').filter(|part| *part != ".").collect();
        let found = match parts.as_slice() {
            [name] => Some((self.book.paper.as_str(), *name)),
            ["..", paper, name] => Some((*paper, *name)),
            _ => None,
        };
        let books = self.shelf.bases.iter().chain(&self.shelf.books);
        let shipped = found.and_then(|(paper, name)| {
            let name = name.strip_suffix(".toml")?;
            books
                .into_iter()
                .find(|b| b.paper == paper && b.name == name)
        });
        match shipped {
            Some(book) => Ok(book.text.clone()),
            None => std::fs::read_to_string(file).map_err(|e| e.to_string()),
        }
    }
}

fn is_base(name: &str) -> bool {
    name == "base" || name.starts_with("base-")
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Sorts numbered figures first, then the others. An explanation (`why-…`) follows its figure.
fn place(name: &str) -> (bool, Vec<(String, u64)>, bool) {
    let figure = name.strip_prefix("why-").unwrap_or(name);
    let numbered = figure.starts_with("fig");
    (!numbered, natural(figure), figure != name)
}

/// Splits a name into texts and numbers, so that `fig9` comes before `fig10`.
fn natural(name: &str) -> Vec<(String, u64)> {
    let mut key: Vec<(String, u64)> = vec![(String::new(), 0)];
    let mut digits = false;
    for c in name.chars() {
        let last = key.last_mut().expect("there is always one");
        match c.to_digit(10) {
            Some(d) => {
                last.1 = last.1.saturating_mul(10).saturating_add(u64::from(d));
                digits = true;
            }
            None if digits => {
                key.push((c.to_string(), 0));
                digits = false;
            }
            None => last.0.push(c),
        }
    }
    key
}

/// Returns true if `name` is the requested one, or one of its parts, as `fig03a` is of `fig03`.
fn begins(name: &str, asked: &str) -> bool {
    let stem = asked.trim_end_matches(".toml");
    let rest = name.strip_prefix(stem);
    rest.is_some_and(|rest| !stem.is_empty() && !rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Formats a suggestion: `did you mean "a", "b" or "c"?`
fn any_of(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    match quoted.as_slice() {
        [.., last] if quoted.len() > 1 => {
            let before = quoted[..quoted.len() - 1].join(", ");
            format!("did you mean {before} or {last}?")
        }
        all => format!("did you mean {}?", all.concat()),
    }
}

/// Returns the error `wrong` with the names in `known` that `got` may stand for.
fn unknown(wrong: &str, got: &str, known: &[&str]) -> Error {
    let parts = known.iter().filter(|name| begins(name, got));
    let parts: Vec<String> = parts.map(|name| name.to_string()).collect();
    if !parts.is_empty() {
        return Error::Input(format!("{wrong}; {}", any_of(&parts)));
    }
    let near = known
        .iter()
        .map(|name| (strsim::damerau_levenshtein(name, got), name))
        .min()
        .filter(|(distance, _)| *distance <= 3);
    let hint = match near {
        Some((_, name)) => format!("did you mean {name:?}?"),
        None => format!("expected one of {}", known.join(", ")),
    };
    Error::Input(format!("{wrong}; {hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shelf() -> (tempfile::TempDir, ExperimentLibrary) {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("experiments/mine");
        std::fs::create_dir_all(&folder).unwrap();
        for name in ["fig10", "fig2", "base"] {
            std::fs::write(folder.join(format!("{name}.toml")), format!("# {name}")).unwrap();
        }
        let shelf = ExperimentLibrary::open(dir.path()).unwrap();
        (dir, shelf)
    }

    #[test]
    fn figures_are_in_the_order_people_count_and_a_base_is_none() {
        let (_dir, shelf) = shelf();
        let names: Vec<&str> = shelf
            .find(Some("mine"))
            .unwrap()
            .iter()
            .map(|b| &*b.name)
            .collect();
        assert_eq!(names, ["fig2", "fig10"]);
        assert_eq!(shelf.find(Some("mine/fig10")).unwrap()[0].text, "# fig10");
    }

    #[test]
    fn unknown_names_get_a_suggestion() {
        let (_dir, shelf) = shelf();
        let say = |asked| shelf.find(Some(asked)).unwrap_err().to_string();
        assert_eq!(
            say("mien"),
            "paper \"mien\" is unknown; did you mean \"mine\"?"
        );
        assert_eq!(
            say("mine/fig3"),
            "mine has no figure \"fig3\"; did you mean \"fig2\"?"
        );
        assert!(say("mine/throughput").contains("expected one of fig2, fig10"));
    }

    #[test]
    fn a_figure_without_its_paper_or_its_letter_is_found() {
        let shelf = ExperimentLibrary::open(Path::new("no such folder")).unwrap();
        let say = |asked| shelf.find(Some(asked)).unwrap_err().to_string();
        assert_eq!(
            say("fig03"),
            "paper \"fig03\" is unknown; did you mean \"mulbuff/fig03a\", \"mulbuff/fig03b\", \"plts/fig03a\", \"plts/fig03a-testbed\" or \"plts/fig03bc\"?"
        );
        assert_eq!(
            say("plts/fig05"),
            "plts has no figure \"fig05\"; did you mean \"fig05a\", \"fig05b\" or \"fig05c\"?"
        );
        for paper in ["dibs/fig02", "mulbuff/fig02a", "plts/fig02"] {
            assert!(say("fig02").contains(&format!("{paper:?}")), "{paper}");
        }
        assert!(say("plts/fig3").contains("did you mean"));
    }

    #[test]
    fn a_folder_that_stands_for_shipped_files_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("experiments/plts");
        std::fs::create_dir_all(&folder).unwrap();
        let lines = || {
            let shelf = ExperimentLibrary::open(dir.path()).unwrap();
            let books = shelf.find(Some("plts")).unwrap();
            shelf.instead_of_shipped(&books)
        };
        assert_eq!(lines(), [""; 0], "an empty folder stands for nothing");
        for (_, name, text) in SHIPPED.iter().filter(|(paper, ..)| *paper == "plts") {
            std::fs::write(folder.join(format!("{name}.toml")), text).unwrap();
        }
        let said = "plts is read from ./experiments/plts: ";
        assert_eq!(lines(), [format!("{said}equal to the shipped files")]);
        std::fs::write(folder.join("fig02.toml"), "# mine").unwrap();
        assert_eq!(
            lines(),
            [format!("{said}different from the shipped files: fig02")]
        );
        let (_own, own) = shelf();
        assert_eq!(
            own.instead_of_shipped(&own.find(Some("mine")).unwrap()),
            [""; 0]
        );
    }

    #[test]
    fn an_experiment_reads_its_base() {
        let (_dir, shelf) = shelf();
        let book = shelf.find(Some("mine/fig2")).unwrap()[0];
        assert_eq!(shelf.beside(book).read("base.toml").unwrap(), "# base");
        let shipped = ExperimentEntry {
            file: None,
            paper: "other".into(),
            ..book.clone()
        };
        assert_eq!(
            shelf.beside(&shipped).read("../mine/base.toml").unwrap(),
            "# base"
        );
        assert!(shelf.beside(&shipped).read("base.toml").is_err());
    }
}
