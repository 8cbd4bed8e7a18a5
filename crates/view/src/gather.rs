//! Recordings of result directories and files, in the order in which a page shows them.
//!
//! **Decision**     which files: `recordings/*.srec` of a result directory, `*.srec` of any other, or a named
//!                  file. Sorted by seed, then in the result's order of schemes, so that two schemes with the
//!                  same seed come first.
//! **State**        each file stays open, so that a later change of its path shows no other file.
//! **Errors**       a missing file, a file that is no recording, or one that leads out of the directory through
//!                  a symbolic link.

use crate::Error;
use serde_json::{Value, json};
use sidestep_recording::Reader;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Largest file to read: a recording has 20 MB, or as much as the user chose.
const MOST_BYTES: u64 = 1 << 30;

/// Selection of recordings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Schemes to show; all if empty.
    pub schemes: Vec<String>,
    /// Seeds to show; all if empty.
    pub seeds: Vec<u64>,
}

/// Contents of a page.
#[derive(Debug)]
pub struct PageContents {
    /// Title: the scenarios' names.
    pub title: String,
    /// Recordings in display order; not empty.
    pub recordings: Vec<Recording>,
    /// `summary.json`, if one result directory is shown.
    pub summary: Option<Value>,
}

/// Recording to show.
#[derive(Debug)]
pub struct Recording {
    /// Name on the page, unique.
    pub name: String,
    /// Scheme of the run.
    pub scheme: String,
    /// Seed of the run, in decimal digits.
    pub seed: String,
    /// `simulator` or `testbed`.
    pub source: String,
    /// Name of the scenario.
    scenario: String,
    /// Size of the file when it was opened.
    pub bytes: u64,
    file: Mutex<File>,
}

impl PageContents {
    /// Opens the recordings of these result directories and files.
    pub fn gather(places: &[PathBuf], choice: &Choice) -> Result<PageContents, Error> {
        let mut recordings = Vec::new();
        for place in places {
            let mut found = of_place(place)?;
            if places.len() > 1 && place.is_dir() {
                let folder = last_name(place);
                found
                    .iter_mut()
                    .for_each(|r| r.name = format!("{folder}/{}", r.name));
            }
            recordings.extend(found);
        }
        let all: Vec<String> = recordings.iter().map(Recording::words).collect();
        recordings.retain(|recording| choice.has(recording));
        if recordings.is_empty() {
            return Err(Error::Input(format!(
                "--scheme, --seed: expected a recorded scheme and seed, got {choice}; the \
                 recordings are {}",
                all.join(", ")
            )));
        }
        tell_apart(&mut recordings);
        let summary = match places {
            [only] if only.is_dir() => summary_of(only)?,
            _ => None,
        };
        let mut scenarios: Vec<&str> = recordings.iter().map(|r| r.scenario.as_str()).collect();
        scenarios.dedup();
        Ok(PageContents {
            title: scenarios.join(", "),
            recordings,
            summary,
        })
    }
}

impl Choice {
    fn has(&self, recording: &Recording) -> bool {
        let seed = |seed: &u64| seed.to_string() == recording.seed;
        (self.schemes.is_empty() || self.schemes.contains(&recording.scheme))
            && (self.seeds.is_empty() || self.seeds.iter().any(seed))
    }
}

impl std::fmt::Display for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let schemes = self.schemes.join(" or ");
        let seeds: Vec<String> = self.seeds.iter().map(u64::to_string).collect();
        match (schemes.as_str(), seeds.join(" or ")) {
            (schemes, seeds) if seeds.is_empty() => write!(f, "scheme {schemes}"),
            ("", seeds) => write!(f, "seed {seeds}"),
            (schemes, seeds) => write!(f, "scheme {schemes}, seed {seeds}"),
        }
    }
}

impl Recording {
    /// Opens a file and reads its head. The file's format is checked but for the events, which the page reads.
    fn open(path: &Path) -> Result<Recording, Error> {
        let shown = path.display();
        let cannot = |why: io::Error| Error::Work(format!("cannot read {shown}: {why}"));
        check_file(path)?;
        let mut file = File::open(path).map_err(cannot)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(cannot)?;
        let refused = |why| Error::Input(format!("cannot view {shown}: {why}"));
        let reader = Reader::open(&bytes).map_err(refused)?;
        let head = reader.head();
        let stem = path.file_stem().unwrap_or(path.as_os_str());
        Ok(Recording {
            name: stem.to_string_lossy().into_owned(),
            scheme: head.scheme.clone(),
            seed: head.seed.clone(),
            source: head.source.clone(),
            scenario: head.scenario.clone(),
            bytes: bytes.len() as u64,
            file: Mutex::new(file),
        })
    }

    /// Returns the description of the recording, without its bytes.
    pub fn about(&self) -> Value {
        json!({
            "name": self.name,
            "scheme": self.scheme,
            "seed": self.seed,
            "source": self.source,
            "bytes": self.bytes,
        })
    }

    /// Reads at most `room` bytes at `offset`; returns the number read.
    pub(crate) fn read_at(&self, offset: u64, room: &mut [u8]) -> io::Result<usize> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        file.read(room)
    }

    fn words(&self) -> String {
        format!("{} with seed {}", self.scheme, self.seed)
    }
}

/// Opens the recordings of one place that the user named.
fn of_place(place: &Path) -> Result<Vec<Recording>, Error> {
    let shown = place.display();
    let refuse = |got: &str| {
        Error::Input(format!(
            "cannot view {shown}: expected a result directory or a recording (.srec), got {got}"
        ))
    };
    if place.is_file() {
        return Ok(vec![Recording::open(place)?]);
    }
    if !place.is_dir() {
        return Err(refuse("a path that does not exist"));
    }
    let of_result = place.join("recordings");
    let folder = match of_result.is_dir() {
        true => &of_result,
        false => place,
    };
    let paths = recordings_in(folder, place)?;
    if paths.is_empty() {
        return Err(match place.join("manifest.json").exists() {
            true => Error::Input(format!(
                "cannot view {shown}: expected recordings/*.srec, got a result without recordings; \
                 record with `sidestep run SCENARIO --record`"
            )),
            false => refuse("a directory without manifest.json and recordings"),
        });
    }
    let opened = paths.iter().map(|path| Recording::open(path));
    let mut recordings = opened.collect::<Result<Vec<_>, _>>()?;
    let schemes = schemes_of(summary_of(place)?.as_ref());
    recordings.sort_by_cached_key(|r| {
        let rank = schemes.iter().position(|scheme| *scheme == r.scheme);
        let seed = r.seed.parse::<u64>().unwrap_or(u64::MAX);
        (seed, rank.unwrap_or(usize::MAX), r.name.clone())
    });
    Ok(recordings)
}

/// Returns the files of `folder` that end in `.srec`, sorted by name. Files outside of `root` are refused.
fn recordings_in(folder: &Path, root: &Path) -> Result<Vec<PathBuf>, Error> {
    let cannot = |why: io::Error| Error::Work(format!("cannot read {}: {why}", folder.display()));
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        if path.extension().is_some_and(|ends| ends == "srec") {
            paths.push(inside(root, &path)?);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Returns `path` with links resolved; refuses a path outside of `root`.
fn inside(root: &Path, path: &Path) -> Result<PathBuf, Error> {
    let cannot = |why: io::Error| Error::Work(format!("cannot read {}: {why}", path.display()));
    let root_is = root.canonicalize().map_err(cannot)?;
    let path_is = path.canonicalize().map_err(cannot)?;
    if path_is.starts_with(&root_is) {
        return Ok(path_is);
    }
    Err(Error::Input(format!(
        "cannot view {}: expected a file in {}, got a link to {}; name the recording itself to \
         show it",
        path.display(),
        root.display(),
        path_is.display()
    )))
}

/// Refuses anything but a file before it is opened, as a pipe would block; also refuses a file that is too
/// large.
fn check_file(path: &Path) -> Result<(), Error> {
    let shown = path.display();
    let about = fs::metadata(path);
    let about = about.map_err(|why| Error::Work(format!("cannot read {shown}: {why}")))?;
    if about.is_file() && about.len() <= MOST_BYTES {
        return Ok(());
    }
    let got = match about.is_file() {
        true => format!("{} bytes", about.len()),
        false => "a path that is not a file".to_string(),
    };
    Err(Error::Input(format!(
        "cannot view {shown}: expected a file of at most {MOST_BYTES} bytes, got {got}"
    )))
}

/// Reads `summary.json` of a directory, if there is one.
fn summary_of(dir: &Path) -> Result<Option<Value>, Error> {
    let path = dir.join("summary.json");
    if !path.exists() {
        return Ok(None);
    }
    let path = inside(dir, &path)?;
    check_file(&path)?;
    let text = fs::read_to_string(&path);
    let text = text.map_err(|why| Error::Work(format!("cannot read {}: {why}", path.display())))?;
    serde_json::from_str(&text).map(Some).map_err(|why| {
        Error::Input(format!(
            "cannot read {}: expected JSON, got {why}",
            path.display()
        ))
    })
}

/// Returns the schemes of a summary, in its order.
fn schemes_of(summary: Option<&Value>) -> Vec<String> {
    let schemes = summary.and_then(|summary| summary.get("schemes")?.as_object());
    let names = schemes.into_iter().flat_map(|schemes| schemes.keys());
    names.cloned().collect()
}

/// Numbers recordings whose name occurs before.
fn tell_apart(recordings: &mut [Recording]) {
    for i in 1..recordings.len() {
        let (before, rest) = recordings.split_at_mut(i);
        let taken = |name: &str| before.iter().any(|r| r.name == name);
        if taken(&rest[0].name) {
            let numbered = (2..).map(|n| format!("{} ({n})", rest[0].name));
            let free = numbered.into_iter().find(|name| !taken(name));
            rest[0].name = free.unwrap_or_default();
        }
    }
}

/// Returns the name of a folder, also for `.` and `..`.
fn last_name(place: &Path) -> String {
    let place = place.canonicalize().unwrap_or_else(|_| place.to_path_buf());
    let name = place.file_name().unwrap_or(place.as_os_str());
    name.to_string_lossy().into_owned()
}
