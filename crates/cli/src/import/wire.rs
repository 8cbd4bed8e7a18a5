//! Connection of imported files with a scenario: `--into`, or a block to paste.
//!
//! **Decision**     the scenario reads the list in the place of the one that it had, its `duration` ends after
//!                  the last start, and its network is kept if it has enough hosts. Claims and plots of classes
//!                  that the list does not have become comments.
//! **Errors**       a scenario that would not read is refused with its errors, and nothing is changed.

use super::document::Document;
use super::wiring::{RATE, Wiring, block, quoted};
use crate::failure::Failure;
use sidestep_import::{Imported, List, OutputKind};
use sidestep_lab::Problem;
use sidestep_sim::End;
use sidestep_study::Error;
use sidestep_study::files::{self, FileLocation, Source};
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Returns the scenario that is made if `--into` names none: its values are replaced by those of the import.
fn template() -> String {
    format!(
        "\
# `sidestep check` prints every value and where it comes from; docs/reference/scenarios.md lists all keys.
duration = \"1 ms\"
drain = \"1 s\"
seeds = \"1..5\"
schemes = [\"dctcp\", \"dibs\"]

[topology]
kind = \"fat_tree\"
k = 4
rate = \"{RATE}\"

[source]
\"topology.rate\" = \"assumed: the usual rate of a host\"
"
    )
}

/// Scenario to be changed.
pub struct Target {
    path: PathBuf,
    /// Path without links: renaming onto a link would replace the link.
    real: PathBuf,
    /// Text; `None` if the scenario does not exist.
    text: Option<String>,
}

/// Change that was made to a scenario.
pub struct Wired {
    /// Text of the scenario.
    text: String,
    /// Sentences about what was set.
    pub set: Vec<String>,
    /// Network, schemes and seeds of a scenario that did not exist.
    pub made: Option<String>,
}

impl Target {
    /// Reads the scenario at `path`, if there is one; of a folder, its `scenario.toml`.
    pub fn open(path: &Path) -> Result<Target, Failure> {
        let folder = path.is_dir() || path.as_os_str().to_string_lossy().ends_with('/');
        let path = match folder {
            true => path.join("scenario.toml"),
            false => path.to_path_buf(),
        };
        let wrong = |why: String| Failure::input(format!("--into {}: {why}", path.display()));
        let text = match fs::symlink_metadata(&path) {
            Err(why) if why.kind() == ErrorKind::NotFound => None,
            Err(why) => return Err(wrong(why.to_string())),
            Ok(_) => {
                let text = files::recorded_text(&path).map_err(|why| wrong(why.to_string()))?;
                Some(text)
            }
        };
        let real = match text {
            Some(_) => fs::canonicalize(&path).map_err(|why| wrong(why.to_string()))?,
            None => path.clone(),
        };
        Ok(Target { path, real, text })
    }

    /// Returns the path of the scenario.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the folder of the scenario.
    pub fn folder(&self) -> PathBuf {
        let parent = self.path.parent().map(Path::to_path_buf);
        parent.unwrap_or_default()
    }

    /// Returns the scenario as it reads the imported files, which are written already.
    pub fn wire(
        &self,
        name: &str,
        imported: &Imported,
        places: &[PathBuf],
    ) -> Result<Wired, String> {
        let text = self.text.clone().unwrap_or_else(template);
        let shown = self.path.display().to_string();
        let wired = Wiring {
            document: Document::read(&shown, &text)?,
            set: Vec::new(),
            is_new: self.text.is_none(),
        };
        if let Some(base) = wired.document.value(&["extends"]) {
            return Err(format!(
                "{shown}: expected a scenario without `extends`, got extends = {base:?}: paste these \
                 lines into it:\n{}",
                block(imported, places)
            ));
        }
        if self.text.is_none() && imported.list.is_none() {
            return Err(format!(
                "expected a scenario at {shown}, got none: a scenario begins with flows, so \
                 import those first, or run `sidestep init`"
            ));
        }
        // Schemes set the kind of buffer, and take the threshold of marks from [switch].
        let has_switch = imported
            .files
            .iter()
            .any(|(made, _)| *made == OutputKind::Switch);
        if has_switch
            && let Ok(wired) = self.with_files(wired.clone(), name, imported, places, true)
        {
            return Ok(wired);
        }
        self.with_files(wired, name, imported, places, false)
    }

    /// Returns the scenario as it reads the files; with `marks`, only the parameters of an imported buffer are set.
    fn with_files(
        &self,
        mut wired: Wiring,
        name: &str,
        imported: &Imported,
        places: &[PathBuf],
        marks: bool,
    ) -> Result<Wired, String> {
        for ((made, text), place) in imported.files.iter().zip(places) {
            let file = quoted(&self.relative(place));
            match made {
                OutputKind::Flows => wired.flows(name, imported.list.as_ref(), &file)?,
                OutputKind::Topology => wired.topology("custom", &[("file", file)], true)?,
                OutputKind::Switch => wired.switch(text, marks)?,
                OutputKind::Sizes => wired.sizes(name, &file)?,
                OutputKind::Hosts => {}
            }
        }
        self.fitted(wired, imported.list.as_ref())
    }

    /// Returns the scenario with a network that has enough hosts, and without claims of other classes.
    fn fitted(&self, wired: Wiring, list: Option<&List>) -> Result<Wired, String> {
        let first = match self.without_claims(wired.clone()) {
            Ok(wired) => return Ok(wired),
            Err(first) => first,
        };
        let (Some(list), Some((hosts, rate))) = (list, self.network(&wired.document)) else {
            return Err(first);
        };
        if hosts >= list.hosts {
            return Err(first);
        }
        let mut larger = wired;
        let larger = larger
            .network(list, rate)
            .and_then(|()| self.without_claims(larger));
        larger.map_err(|second| {
            let hosts = list.hosts;
            format!("{first}\nwith a network for the {hosts} hosts of the list:\n{second}")
        })
    }

    /// Returns the scenario if it reads; claims and plots of classes that only the old list had become comments.
    fn without_claims(&self, mut wired: Wiring) -> Result<Wired, String> {
        let before = self.without_class();
        // Errors of a part may hide those of another. Each round leaves out a claim or a plot.
        loop {
            let Err(error) = self.source(wired.document.text()).read(&[], false) else {
                return Ok(Wired {
                    text: wired.document.text().to_string(),
                    made: wired.is_new.then(|| wired.summary()),
                    set: wired.set,
                });
            };
            let problems = match error {
                Error::Wrong(problems) => problems,
                error => return Err(error.to_string()),
            };
            let text = wired.document.text();
            let mends = |problem: &Problem| {
                lacks_class(problem) && !before.contains(&line_of(text, problem))
            };
            let (problems, others): (Vec<_>, Vec<_>) = problems.into_iter().partition(mends);
            if !others.is_empty() {
                return Err(Error::Wrong(others).to_string());
            }
            let lines: Vec<usize> = problems
                .iter()
                .map(|problem| problem.line as usize)
                .collect();
            let mut all = 0;
            for part in ["claim", "plot"] {
                let why =
                    "Left out by `sidestep import`: about classes that the list does not have.";
                let many = wired.document.comment_out(part, &lines, why);
                all += many;
                if many > 0 {
                    wired.set.push(format!(
                        "[[{part}]]: {many} of classes that the list does not have became comments"
                    ));
                }
            }
            if all == 0 {
                return Err(Error::Wrong(problems).to_string());
            }
        }
    }

    /// Returns the lines of the unchanged scenario that name a class which it does not have: mistakes of its own.
    fn without_class(&self) -> Vec<String> {
        let Some(text) = &self.text else {
            return Vec::new();
        };
        match self.source(text).read(&[], false) {
            Err(Error::Wrong(problems)) => (problems.iter())
                .filter(|problem| lacks_class(problem))
                .map(|problem| line_of(text, problem))
                .collect(),
            _ => Vec::new(),
        }
    }

    fn source(&self, text: &str) -> Source {
        Source {
            name: self.path.display().to_string(),
            text: text.to_string(),
            beside: FileLocation::Folder(self.folder()),
        }
    }

    /// Returns the number of hosts of `[topology]` and, if all have the same, the rate of their links. `None` if
    /// the section cannot be read. The rest of the scenario does not matter: its old list may be missing.
    fn network(&self, scenario: &Document) -> Option<(u32, Option<String>)> {
        let values: Vec<(String, String)> = (scenario.keys(&["topology"]).into_iter())
            .filter_map(|key| Some((key.clone(), scenario.raw(&["topology", &key])?)))
            .collect();
        let values: Vec<(&str, String)> = (values.iter())
            .map(|(key, raw)| (key.as_str(), raw.clone()))
            .collect();
        let any =
            "duration = \"1 ms\"\nschemes = [\"dctcp\"]\n[workload.any]\nkind = \"background\"\n";
        let mut alone = Document::read("[topology]", any).ok()?;
        alone.set(&["topology"], &values, false).ok()?;
        let experiment = self.source(alone.text()).read(&[], false).ok()?;
        let network = &experiment.points.first()?.scenario.network;
        let host = |end: &End| matches!(end, End::Host(_));
        let cables = network.cables.iter();
        let hosts = cables.filter(|cable| host(&cable.a) || host(&cable.b));
        let mut rates = hosts.map(|cable| cable.rate);
        let first = rates.next();
        let same = first.filter(|first| rates.all(|rate| rate == *first));
        Some((network.hosts, same.map(|rate| rate.to_string())))
    }

    /// Returns the path of a written file as the scenario names it.
    fn relative(&self, place: &Path) -> String {
        let full = |path: &Path| fs::canonicalize(path).ok();
        let folder = self.folder();
        let folder = match folder.as_os_str().is_empty() {
            true => PathBuf::from("."),
            false => folder,
        };
        let (folder, full) = (full(&folder), full(place));
        let path = match (&folder, &full) {
            (Some(folder), Some(full)) => full.strip_prefix(folder).unwrap_or(full),
            _ => place,
        };
        path.display().to_string()
    }

    /// Writes the scenario, whole or not at all.
    pub fn write(&self, wired: &Wired) -> Result<(), Failure> {
        let wrong = |why| Failure::work(format!("cannot write {}: {why}", self.path.display()));
        let name = self.real.file_name().unwrap_or_default();
        let name = format!(".{}.{}.part", name.to_string_lossy(), std::process::id());
        let part = self.real.with_file_name(name);
        let mut file = File::create_new(&part).map_err(wrong)?;
        let written = file.write_all(wired.text.as_bytes()).and_then(|()| {
            if let Ok(about) = fs::metadata(&self.real) {
                fs::set_permissions(&part, about.permissions())?;
            }
            fs::rename(&part, &self.real)
        });
        written.map_err(|why| {
            let _ = fs::remove_file(&part);
            wrong(why)
        })
    }
}

/// Returns true if a claim or a plot names a class that no flow has.
fn lacks_class(problem: &Problem) -> bool {
    problem.message.starts_with("no class is called ")
}

/// Returns the line of `text` with the problem: its number changes with the lines above.
fn line_of(text: &str, problem: &Problem) -> String {
    let line = (problem.line as usize).checked_sub(1);
    let line = line.and_then(|line| text.lines().nth(line));
    line.unwrap_or_default().trim().to_string()
}
