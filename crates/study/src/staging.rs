//! Staging of a result directory, which appears complete or not at all.
//!
//! Files are written to a hidden sibling, `.NAME.partial-PID`, which is renamed when all of them are there. Any
//! earlier failure removes the sibling. A rename takes a free name or fails, atomically: if two runs end with
//! one name, the second gets `NAME-2`. If the directory contains an interrupted result of the same call, the
//! new result replaces it.

use crate::{Error, files};
use serde::Serialize;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Result directory in the making.
#[derive(Debug)]
pub struct Staging {
    target: PathBuf,
    hidden: PathBuf,
    /// Parent folders created, outermost first; removed again if they stay empty.
    parents: Vec<PathBuf>,
    committed: bool,
}

impl Staging {
    /// Prepares a directory called `target`.
    ///
    /// Refuses one that is not empty, and a place that cannot be written to.
    pub fn begin(target: &Path) -> Result<Staging, Error> {
        refuse_occupied(target)?;
        let hidden = hidden_sibling(target).ok_or_else(|| {
            Error::Input(format!(
                "cannot write results to {}: expected a directory name, got a path that ends in `..` or `/`",
                target.display()
            ))
        })?;
        let parent = match target.parent() {
            Some(p) if !p.as_os_str().is_empty() => p.to_path_buf(),
            _ => PathBuf::from("."),
        };
        files::is_no_file(&parent).map_err(|why| {
            Error::Input(format!(
                "cannot write results to {}: {why}",
                target.display()
            ))
        })?;
        let missing = parent
            .ancestors()
            .take_while(|p| !p.as_os_str().is_empty() && !p.exists());
        let mut parents: Vec<PathBuf> = missing.map(Path::to_path_buf).collect();
        parents.reverse();
        let staging = Staging {
            target: target.to_path_buf(),
            hidden,
            parents,
            committed: false,
        };
        fs::create_dir_all(&parent)
            .map_err(|e| Error::io("cannot make the directory", &parent, e))?;
        fs::create_dir(&staging.hidden)
            .map_err(|e| Error::io("cannot write results into", &parent, e))?;
        Ok(staging)
    }

    /// Returns the final path of the directory.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Returns the path at which the file `name` is written, and creates its folders.
    pub fn path(&self, name: &str) -> Result<PathBuf, Error> {
        let path = self.hidden.join(name);
        let dir = path
            .parent()
            .expect("a file in the hidden directory has a parent");
        fs::create_dir_all(dir).map_err(|e| Error::io("cannot make", dir, e))?;
        Ok(path)
    }

    /// Lists the files written so far, in all folders.
    pub fn names(&self) -> Result<Vec<String>, Error> {
        let (mut names, mut folders) = (Vec::new(), vec![self.hidden.clone()]);
        while let Some(folder) = folders.pop() {
            let entries =
                fs::read_dir(&folder).map_err(|e| Error::io("cannot read", &folder, e))?;
            for path in entries.flatten().map(|entry| entry.path()) {
                match path.strip_prefix(&self.hidden) {
                    _ if path.is_dir() => folders.push(path),
                    Ok(name) => names.push(name.to_string_lossy().into_owned()),
                    Err(_) => {}
                }
            }
        }
        Ok(names)
    }

    /// Creates a new file called `name`.
    pub fn create(&self, name: &str) -> Result<(File, PathBuf), Error> {
        let path = self.path(name)?;
        let file = File::create(&path).map_err(|e| Error::io("cannot write", &path, e))?;
        Ok((file, path))
    }

    /// Writes a whole file called `name`.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let (mut file, path) = self.create(name)?;
        // A file system may report an error, such as a full disk, only when the data are flushed.
        let written = file.write_all(bytes).and_then(|()| file.sync_all());
        written.map_err(|e| Error::io("cannot write", &path, e))
    }

    /// Writes `value` as a whole file called `name`, without building its text in memory.
    pub fn write_json(&self, name: &str, value: &impl Serialize) -> Result<(), Error> {
        let (file, path) = self.create(name)?;
        let mut file = BufWriter::new(file);
        let written = serde_json::to_writer_pretty(&mut file, value).map_err(io::Error::from);
        let written = written
            .and_then(|()| file.write_all(b"\n"))
            .and_then(|()| file.flush())
            .and_then(|()| file.get_ref().sync_all());
        written.map_err(|e| Error::io("cannot write", &path, e))
    }

    /// Gives the directory its name, or the first free one of `NAME-2`, `NAME-3` … if another process has taken
    /// it. Returns the name.
    pub fn commit(mut self) -> Result<PathBuf, Error> {
        if is_rest(&self.target) && is_same_call(&self.target, &self.hidden) {
            self.replace_rest()?;
            return Ok(self.target.clone());
        }
        for name in names(&self.target) {
            match fs::rename(&self.hidden, &name) {
                Ok(()) => {
                    self.committed = true;
                    return Ok(name);
                }
                Err(e) if name.exists() && is_taken(&e) => {}
                Err(e) => {
                    // The results are complete: keep them.
                    self.committed = true;
                    return Err(Error::Unwritten(format!(
                        "cannot rename the results to {}: {e}; they are complete in {}",
                        name.display(),
                        self.hidden.display()
                    )));
                }
            }
        }
        unreachable!("there is always another number")
    }
}

impl Staging {
    /// Replaces an interrupted result of the same call.
    fn replace_rest(&mut self) -> Result<(), Error> {
        let mut rest = self.hidden.clone().into_os_string();
        rest.push(".rest");
        let rest = PathBuf::from(rest);
        let moved = fs::rename(&self.target, &rest);
        let moved = moved.and_then(|()| {
            fs::rename(&self.hidden, &self.target).inspect_err(|_| {
                let _ = fs::rename(&rest, &self.target);
            })
        });
        self.committed = true;
        moved.map_err(|e| {
            Error::Unwritten(format!(
                "cannot rename the results to {}: {e}; they are complete in {}",
                self.target.display(),
                self.hidden.display()
            ))
        })?;
        let _ = fs::remove_dir_all(rest);
        Ok(())
    }
}

/// Returns true if `dir` contains the result of an interrupted run or sweep.
fn is_rest(dir: &Path) -> bool {
    let manifest = fs::read(dir.join("manifest.json")).unwrap_or_default();
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap_or_default();
    manifest["status"] == "partial" && SETTINGS.iter().any(|name| dir.join(name).exists())
}

/// Files that record all settings of a call.
const SETTINGS: [&str; 2] = ["scenario.toml", "experiment.toml"];

/// Returns true if both contain results of the same scenario or experiment, with the same settings.
fn is_same_call(one: &Path, other: &Path) -> bool {
    SETTINGS.iter().all(|name| {
        let [one, other] = [one, other].map(|dir| fs::read(dir.join(name)).ok());
        one == other
    })
}

/// Iterates over `NAME`, `NAME-2`, `NAME-3` and so on.
pub fn names(target: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let target = target.to_path_buf();
    let numbered = target.clone();
    let numbered = (2..).map(move |n| {
        let mut name = numbered.clone().into_os_string();
        name.push(format!("-{n}"));
        PathBuf::from(name)
    });
    std::iter::once(target).chain(numbered)
}

/// Returns true if the error means that a rename found the name taken.
fn is_taken(error: &io::Error) -> bool {
    use io::ErrorKind::{AlreadyExists, DirectoryNotEmpty, NotADirectory};
    matches!(
        error.kind(),
        AlreadyExists | DirectoryNotEmpty | NotADirectory
    )
}

impl Drop for Staging {
    fn drop(&mut self) {
        if self.committed {
            return;
        }
        let _ = fs::remove_dir_all(&self.hidden);
        for parent in self.parents.iter().rev() {
            let _ = fs::remove_dir(parent);
        }
    }
}

fn hidden_sibling(target: &Path) -> Option<PathBuf> {
    let mut hidden = OsString::from(".");
    hidden.push(target.file_name()?);
    hidden.push(format!(".partial-{}", std::process::id()));
    Some(target.with_file_name(hidden))
}

/// Removes the files that a run of this process has written for `target`. For a process that ends without
/// unwinding.
pub fn discard(target: &Path) {
    if let Some(hidden) = hidden_sibling(target) {
        let _ = fs::remove_dir_all(hidden);
    }
}

/// Refuses a `target` that is a file or not empty.
pub fn refuse_occupied(target: &Path) -> Result<(), Error> {
    let refuse = |what: &str| {
        Err(Error::Input(format!(
            "cannot write results to {}: expected a directory that is new or empty, got {what}; choose another with --out",
            target.display()
        )))
    };
    if !target.exists() {
        return Ok(());
    }
    if !target.is_dir() {
        return refuse("a file");
    }
    if is_rest(target) {
        return Ok(());
    }
    if target.join("manifest.json").exists() {
        return refuse("a directory with results");
    }
    let mut entries = fs::read_dir(target).map_err(|e| Error::io("cannot read", target, e))?;
    match entries.next() {
        Some(_) => refuse("a directory with other files"),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_appears_only_when_it_is_complete() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("deep/er/run");
        let staging = Staging::begin(&target).unwrap();
        staging.write("plots/a.svg", b"<svg/>").unwrap();
        assert!(!target.exists());
        assert_eq!(staging.commit().unwrap(), target);
        assert_eq!(fs::read(target.join("plots/a.svg")).unwrap(), b"<svg/>");
        assert_eq!(fs::read_dir(dir.path().join("deep/er")).unwrap().count(), 1);
    }

    /// Checks two directories that are both begun before either exists, as by two calls within one second.
    #[test]
    fn two_that_end_with_one_name_do_not_meet() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("run");
        let hidden = |n: u32| dir.path().join(format!(".run.partial-{n}"));
        let staged = |n: u32| {
            fs::create_dir(hidden(n)).unwrap();
            Staging {
                target: target.clone(),
                hidden: hidden(n),
                parents: Vec::new(),
                committed: false,
            }
        };
        let all = [1, 2, 3].map(staged);
        for (n, staging) in all.iter().enumerate() {
            staging.write("number", &[n as u8]).unwrap();
        }
        let ends = all.map(|staging| staging.commit().unwrap());
        assert_eq!(ends, ["run", "run-2", "run-3"].map(|n| dir.path().join(n)));
        for (n, dir) in ends.iter().enumerate() {
            assert_eq!(fs::read(dir.join("number")).unwrap(), [n as u8]);
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3);
    }

    #[test]
    fn what_is_given_up_leaves_no_trace() {
        let dir = tempfile::tempdir().unwrap();
        let staging = Staging::begin(&dir.path().join("deep/run")).unwrap();
        staging.write("summary.json", b"{}").unwrap();
        drop(staging);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_was_left_of_the_same_call_is_replaced_and_of_another_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("run");
        let made = |settings: &str, status: &str| {
            let staging = Staging::begin(&target)?;
            staging.write("scenario.toml", settings.as_bytes())?;
            let manifest = format!("{{\"status\": \"{status}\"}}");
            staging.write("manifest.json", manifest.as_bytes())?;
            staging.commit()
        };
        assert_eq!(made("a", "partial").unwrap(), target);
        assert_eq!(made("b", "complete").unwrap(), dir.path().join("run-2"));
        assert_eq!(fs::read(target.join("scenario.toml")).unwrap(), b"a");
        assert_eq!(made("a", "complete").unwrap(), target);
        let manifest = fs::read_to_string(target.join("manifest.json")).unwrap();
        assert!(manifest.contains("complete"), "{manifest}");
        assert!(made("a", "complete").is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }

    #[test]
    fn an_occupied_directory_is_refused_and_an_empty_one_taken() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("run");
        fs::create_dir(&target).unwrap();
        Staging::begin(&target).unwrap().commit().unwrap();
        fs::write(target.join("notes.txt"), "mine").unwrap();
        let message = Staging::begin(&target).unwrap_err().to_string();
        assert!(
            message.contains("a directory with other files"),
            "{message}"
        );
        fs::write(target.join("manifest.json"), "{}").unwrap();
        let message = Staging::begin(&target).unwrap_err().to_string();
        assert!(message.contains("a directory with results"), "{message}");
        let message = Staging::begin(&target.join("notes.txt"))
            .unwrap_err()
            .to_string();
        assert!(message.contains("got a file"), "{message}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
