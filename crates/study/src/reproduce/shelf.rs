//! Where experiments are: part of the program, or files of `experiments/<paper>/` in the working
//! directory, which then stand for the whole paper.

use crate::Error;
use sidestep_sim::Files;
use std::path::{Path, PathBuf};

/// Paper, name and text of every shipped file, bases included.
const SHIPPED: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/experiments.rs"));

/// An experiment, not yet read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Book {
    /// Its folder: `dibs`.
    pub paper: String,
    /// Its file without ending: `fig08`.
    pub name: String,
    /// What stands in it.
    pub text: String,
    /// The file, when it is one.
    pub file: Option<PathBuf>,
}

/// All experiments.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    /// By paper, then by name as people count: `fig2` before `fig10`.
    pub books: Vec<Book>,
    bases: Vec<Book>,
}

impl Shelf {
    /// The shipped experiments, and those of the folder `root/experiments`.
    pub fn open(root: &Path) -> Result<Shelf, Error> {
        let folder = root.join("experiments");
        let mut all = Vec::new();
        for path in listed(&folder).into_iter().filter(|path| path.is_dir()) {
            for file in listed(&path) {
                if file.extension().is_some_and(|end| end == "toml") {
                    all.push(Book {
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
        all.extend(shipped.map(|(paper, name, text)| Book {
            paper: paper.to_string(),
            name: name.to_string(),
            text: text.to_string(),
            file: None,
        }));
        all.sort_by_key(|book| (book.paper.clone(), place(&book.name)));
        let (bases, books) = all.into_iter().partition(|book| is_base(&book.name));
        Ok(Shelf { books, bases })
    }

    /// The experiments that `asked` names: none for all, `dibs`, or `dibs/fig08`.
    pub fn find(&self, asked: Option<&str>) -> Result<Vec<&Book>, Error> {
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
        let of_paper: Vec<&Book> = self.books.iter().filter(|b| b.paper == paper).collect();
        if of_paper.is_empty() {
            let mut papers: Vec<&str> = self.books.iter().map(|b| b.paper.as_str()).collect();
            papers.dedup();
            return Err(unknown("paper", paper, &papers));
        }
        let Some(name) = name else {
            return Ok(of_paper);
        };
        match of_paper.iter().find(|book| book.name == name) {
            Some(book) => Ok(vec![book]),
            None => {
                let names: Vec<&str> = of_paper.iter().map(|b| b.name.as_str()).collect();
                Err(unknown(&format!("figure of {paper}"), name, &names))
            }
        }
    }

    /// What an experiment may read: files beside it, then any of the working directory.
    pub fn beside<'a>(&'a self, book: &'a Book) -> Beside<'a> {
        Beside { shelf: self, book }
    }
}

/// Reads files for one experiment.
pub struct Beside<'a> {
    shelf: &'a Shelf,
    book: &'a Book,
}

impl Files for Beside<'_> {
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
        // A shipped one names its base as it stands in the folder: `base.toml`, `../dibs/base.toml`.
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

/// Numbered figures first, then the others; what explains one right behind it.
fn place(name: &str) -> (bool, Vec<(String, u64)>, bool) {
    let figure = name.strip_prefix("why-").unwrap_or(name);
    let numbered = figure.starts_with("fig");
    (!numbered, natural(figure), figure != name)
}

/// Texts and numbers in turn, so that `fig9` comes before `fig10`.
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

fn unknown(kind: &str, got: &str, known: &[&str]) -> Error {
    let near = known
        .iter()
        .map(|name| (strsim::damerau_levenshtein(name, got), name))
        .min()
        .filter(|(distance, _)| *distance <= 3);
    let hint = match near {
        Some((_, name)) => format!("did you mean {name:?}?"),
        None => format!("expected one of {}", known.join(", ")),
    };
    Error::Input(format!("{kind} {got:?} is unknown; {hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shelf() -> (tempfile::TempDir, Shelf) {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("experiments/mine");
        std::fs::create_dir_all(&folder).unwrap();
        for name in ["fig10", "fig2", "base"] {
            std::fs::write(folder.join(format!("{name}.toml")), format!("# {name}")).unwrap();
        }
        let shelf = Shelf::open(dir.path()).unwrap();
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
            "figure of mine \"fig3\" is unknown; did you mean \"fig2\"?"
        );
        assert!(say("mine/throughput").contains("expected one of fig2, fig10"));
    }

    #[test]
    fn an_experiment_reads_its_base() {
        let (_dir, shelf) = shelf();
        let book = shelf.find(Some("mine/fig2")).unwrap()[0];
        assert_eq!(shelf.beside(book).read("base.toml").unwrap(), "# base");
        let shipped = Book {
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
