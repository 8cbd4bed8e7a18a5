//! Scenarios by path or name, and the files that they refer to.

use crate::Error;
use crate::catalog;
use crate::reproduce::library::{self, ExperimentLibrary};
use sidestep_lab::{Experiment, Scenario, shipped};
use sidestep_sim::Files;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

/// Reads files beside a scenario, or from the current folder.
struct Disk {
    /// Folders searched first: the scenario's.
    beside: Vec<PathBuf>,
}

impl Files for Disk {
    fn read(&self, path: &str) -> Result<String, String> {
        let mut near = self.beside.iter().map(|folder| folder.join(path));
        let chosen = near.find(|file| file.exists());
        let read = read_text(&chosen.unwrap_or_else(|| PathBuf::from(path)), LARGEST);
        // A shipped base may be named by its path in a checkout.
        read.or_else(|why| library::shipped(path).map(str::to_string).ok_or(why))
    }
}

/// Size limit of a file that a scenario refers to, bytes. A larger file is a mistake, for instance a disk
/// image.
const LARGEST: u64 = 1 << 30;

/// Size limit of a scenario, bytes. A larger file may be a trace. Parsing TOML needs a multiple of the file's
/// size in memory.
const LARGEST_SCENARIO: u64 = 32 << 20;

/// Reads the text of a file, or of a pipe, of at most `most` bytes.
fn read_text(path: &Path, most: u64) -> Result<String, String> {
    let about = std::fs::metadata(path).map_err(|e| e.to_string())?;
    // A device may never end.
    if !(about.is_file() || about.file_type().is_fifo()) {
        return Err("expected a file or a pipe, got a directory or a device".into());
    }
    if about.len() > most {
        return Err(format!(
            "expected at most {most} bytes, got {}",
            about.len()
        ));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|e| e.to_string())?;
    file.take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| e.to_string())?;
    if bytes.len() as u64 > most {
        return Err(format!("expected at most {most} bytes, got more"));
    }
    String::from_utf8(bytes).map_err(|e| {
        let (read, rest) = e.as_bytes().split_at(e.utf8_error().valid_up_to());
        let line = 1 + read.iter().filter(|b| **b == b'\n').count();
        format!(
            "line {line}: expected text in UTF-8, got byte {:#04x}",
            rest[0]
        )
    })
}

/// Refuses a path for a folder if the path is a file, or lies within one.
pub fn is_no_file(place: &Path) -> Result<(), String> {
    match place.ancestors().find(|place| place.is_file()) {
        Some(file) => Err(format!(
            "expected a directory, got the file {}",
            file.display()
        )),
        None => Ok(()),
    }
}

/// Scenario or experiment before it is read: its text, and the folder of the files that it refers to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Name in messages. The results are named after its last part.
    pub name: String,
    /// Text of the file.
    pub text: String,
    /// Place searched for files before the current folder.
    pub beside: FileLocation,
}

/// Place of the files that a scenario refers to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FileLocation {
    /// The current folder, or the shipped files.
    #[default]
    Nowhere,
    /// Given folder.
    Folder(PathBuf),
    /// The shelf of this figure: `dibs/fig08`.
    Figure(String),
}

impl Source {
    /// Reads the experiment, changed by `sets`, and by its `[quick]` table if `quick`.
    pub fn read(&self, sets: &[String], quick: bool) -> Result<Experiment, Error> {
        let read = |files: &dyn Files| {
            let read = Experiment::read(&self.name, &self.text, sets, quick, files);
            read.map_err(Error::Wrong)
        };
        self.with_files(read)?
    }

    /// Calls `ask` with access to the files that the source may refer to.
    pub(crate) fn with_files<R>(&self, ask: impl FnOnce(&dyn Files) -> R) -> Result<R, Error> {
        match &self.beside {
            FileLocation::Nowhere => Ok(ask(&Disk { beside: Vec::new() })),
            FileLocation::Folder(folder) => Ok(ask(&Disk {
                beside: vec![folder.clone()],
            })),
            FileLocation::Figure(figure) => {
                let shelf = ExperimentLibrary::open(Path::new(""))?;
                match shelf.find(Some(figure)).as_deref() {
                    Ok([book]) => Ok(ask(&shelf.beside(book))),
                    _ => Err(Error::Input(format!("there is no figure {figure:?}"))),
                }
            }
        }
    }
}

/// Finds the experiment or plain scenario `which`: a path, a shipped name, or a figure as `reproduce` names it.
pub fn find(which: &str) -> Result<Source, Error> {
    let path = Path::new(which);
    if which.contains('/') && !path.exists() {
        let shelf = ExperimentLibrary::open(Path::new(""))?;
        if let Ok([book]) = shelf.find(Some(which)).as_deref() {
            return Ok(Source {
                name: format!("{which}.toml"),
                text: book.text.clone(),
                beside: FileLocation::Figure(which.to_string()),
            });
        }
    }
    // A folder of a shipped name does not hide the scenario: it may be a result. `./NAME` is the folder.
    if let Some(text) = shipped::scenario(which).filter(|_| !path.is_file()) {
        return Ok(Source {
            name: which.to_string(),
            text: text.to_string(),
            beside: FileLocation::Nowhere,
        });
    }
    let name = match path.is_dir() {
        true => in_folder(which)?,
        false => which.to_string(),
    };
    let path = Path::new(&name);
    let text = read_text(path, LARGEST_SCENARIO).map_err(|e| unread(&name, &e))?;
    let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
    Ok(Source {
        name,
        text,
        beside: FileLocation::Folder(folder),
    })
}

/// Names of the file that a folder is read as: of `init` and of a run, and of a sweep.
const IN_FOLDER: [&str; 2] = ["scenario.toml", "experiment.toml"];

/// Returns the path of the scenario in a folder.
fn in_folder(folder: &str) -> Result<String, Error> {
    let path = Path::new(folder);
    let there = IN_FOLDER.into_iter().map(|name| path.join(name));
    match there.into_iter().find(|file| file.is_file()) {
        Some(file) => Ok(file.display().to_string()),
        None => Err(Error::Input(format!(
            "cannot read scenario {folder:?}: expected a file, or a folder with {}, got a folder with neither",
            IN_FOLDER.join(" or ")
        ))),
    }
}

/// Reads the source that [`find`] returns, changed by `sets`, and by its `[quick]` table if `quick`.
pub fn experiment(which: &str, sets: &[String], quick: bool) -> Result<Experiment, Error> {
    find(which)?.read(sets, quick)
}

/// Reads the text of a file at `path` in a result directory.
pub fn recorded_text(path: &Path) -> Result<String, Error> {
    let read = read_text(path, LARGEST_SCENARIO);
    read.map_err(|e| Error::Input(format!("cannot read {}: {e}", path.display())))
}

/// Reads a scenario from `text`, which a result directory keeps at `path`, changed by `sets`. Files that it
/// refers to are searched for in each folder of `beside`, then in the current folder.
pub fn recorded(
    path: &Path,
    text: &str,
    sets: &[String],
    beside: &[PathBuf],
) -> Result<Scenario, Error> {
    let name = path.display().to_string();
    let beside = beside.to_vec();
    let read = Scenario::read(&name, text, sets, &Disk { beside });
    read.map_err(|problems| {
        let hint = "its files are searched for there, in the parent folder and in the current \
                    folder; name another folder with --files";
        Error::Input(format!("{}\n{hint}", Error::Wrong(problems)))
    })
}

/// Explains why a scenario was not read. If no scenario has that name, suggests a similar one or lists all.
fn unread(which: &str, why: &str) -> Error {
    if Path::new(which).exists() {
        return Error::Input(format!("cannot read scenario {which:?}: {why}"));
    }
    let names: Vec<&str> = shipped::SCENARIOS.iter().map(|(n, _)| *n).collect();
    let near = (names.iter())
        .map(|n| (strsim::damerau_levenshtein(n, which), n))
        .min()
        .filter(|(distance, _)| *distance <= 3);
    let of_paper = which.split_once('/').map(|(paper, name)| {
        let figures = catalog::figures().into_iter();
        let figures = figures.filter_map(|figure| Some(figure.strip_prefix(paper)?.to_string()));
        let figures = figures.filter_map(|figure| Some(figure.strip_prefix('/')?.to_string()));
        (paper, name, figures.collect::<Vec<_>>())
    });
    if let Some((paper, name, figures)) = of_paper.filter(|(_, _, figures)| !figures.is_empty()) {
        return Error::Input(format!(
            "cannot read scenario {which:?}: {paper} has no figure {name:?}; expected a file, or \
             one of its figures {}",
            figures.join(", ")
        ));
    }
    let is_scheme = shipped::SCHEMES.iter().any(|(name, _)| *name == which);
    let hint = match near {
        _ if is_scheme => format!(
            "{which:?} is a scheme: `sidestep run quickstart --schemes {which}` runs a scenario with it"
        ),
        Some((_, name)) => format!("did you mean {name:?}?"),
        None => format!("expected a file, or one of {}", names.join(", ")),
    };
    Error::Input(format!("cannot read scenario {which:?}: {why}; {hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shipped_figure_is_a_base_wherever_the_file_stands() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mine.toml");
        std::fs::write(&file, "extends = \"experiments/dibs/base.toml\"\n").unwrap();
        let beside = vec![folder.path().to_path_buf()];
        let read = Disk { beside }.read("experiments/dibs/base.toml");
        assert!(read.unwrap().contains("topology"));
        let missing = Disk { beside: Vec::new() }.read("experiments/dibs/bass.toml");
        assert!(missing.is_err());
    }
}
