//! Scenarios by path or name, and the files they name.

use crate::Error;
use crate::reproduce::shelf::Shelf;
use sidestep_lab::{Experiment, Scenario, shipped};
use sidestep_sim::Files;
use std::path::{Path, PathBuf};

/// Reads files beside a scenario, or from the current folder.
struct Disk {
    /// Folders to look in first: the scenario's.
    beside: Vec<PathBuf>,
}

impl Files for Disk {
    fn read(&self, path: &str) -> Result<String, String> {
        let mut near = self.beside.iter().map(|folder| folder.join(path));
        let chosen = near.find(|file| file.exists());
        read_text(&chosen.unwrap_or_else(|| PathBuf::from(path)))
    }
}

/// Files larger than this are not scenarios or traces but mistakes, like a disk image or `/dev/zero`.
const LARGEST: u64 = 1 << 30;

fn read_text(path: &Path) -> Result<String, String> {
    let about = std::fs::metadata(path).map_err(|e| e.to_string())?;
    if !about.is_file() {
        return Err("expected a file, got a folder or a device".into());
    }
    if about.len() > LARGEST {
        return Err(format!(
            "expected at most {LARGEST} bytes, got {}",
            about.len()
        ));
    }
    std::fs::read_to_string(path).map_err(|e| e.to_string())
}

/// Reads the experiment, or plain scenario, at the path, or of the shipped name, `which`; a figure
/// is named as for `reproduce`.
pub fn experiment(which: &str, sets: &[String], quick: bool) -> Result<Experiment, Error> {
    let path = Path::new(which);
    if which.contains('/') && !path.exists() {
        let shelf = Shelf::open(Path::new(""))?;
        if let Ok([book]) = shelf.find(Some(which)).as_deref() {
            let name = format!("{which}.toml");
            let read = Experiment::read(&name, &book.text, sets, quick, &shelf.beside(book));
            return read.map_err(Error::Wrong);
        }
    }
    let (name, text, beside) = match shipped::scenario(which) {
        Some(text) if !path.exists() => (which.to_string(), text.to_string(), PathBuf::new()),
        _ => {
            let text = read_text(path).map_err(|e| not_found(which, &e))?;
            let beside = path.parent().map(Path::to_path_buf).unwrap_or_default();
            (which.to_string(), text, beside)
        }
    };
    let beside = vec![beside];
    let read = Experiment::read(&name, &text, sets, quick, &Disk { beside });
    read.map_err(Error::Wrong)
}

/// Reads the scenario that a result directory keeps at `path`; files that it names are in one of `beside` or in
/// the current folder.
pub fn recorded(path: &Path, beside: &[PathBuf]) -> Result<Scenario, Error> {
    let name = path.display().to_string();
    let text = read_text(path).map_err(|e| Error::Input(format!("cannot read {name}: {e}")))?;
    let beside = beside.to_vec();
    let read = Scenario::read(&name, &text, &[], &Disk { beside });
    read.map_err(|problems| {
        let hint = "files that it names are looked for there, in the folder around it and in the current one: --files \
                    says where else";
        Error::Input(format!("{}\n{hint}", Error::Wrong(problems)))
    })
}

fn not_found(which: &str, why: &str) -> Error {
    let names: Vec<&str> = shipped::SCENARIOS.iter().map(|(n, _)| *n).collect();
    let near = (names.iter())
        .map(|n| (strsim::damerau_levenshtein(n, which), n))
        .min()
        .filter(|(distance, _)| *distance <= 3);
    let hint = match near {
        Some((_, name)) => format!("did you mean {name:?}?"),
        None => format!("expected a file, or one of {}", names.join(", ")),
    };
    Error::Input(format!("cannot read scenario {which:?}: {why}; {hint}"))
}
