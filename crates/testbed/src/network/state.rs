//! State of a testbed on disk, written before anything is built: `/run/sidestep/NAME/state.json`.

use super::blueprint::{Blueprint, check_name};
use super::features::KernelFeatures;
use crate::error::{Error, failed};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Folder of all testbeds; lost at a reboot, as namespaces are.
pub const ROOT: &str = "/run/sidestep";

/// State of a testbed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Blueprint of the network.
    pub blueprint: Blueprint,
    /// Namespaces, with everything in them.
    pub spaces: Vec<String>,
    /// Congestion control registered for the testbed, if the kernel's is not used.
    pub dctcp: Option<String>,
    /// Name of the engine that forwards frames: `switch`, `ebpf` or `bridge`.
    pub engine: String,
    /// True once everything is built.
    pub complete: bool,
    /// Data of the caller that ordered the testbed.
    pub note: serde_json::Value,
    /// Kernel features of the first host; `None` until everything is built.
    pub kernel: Option<KernelFeatures>,
}

/// Returns the folder of the testbed called `name`.
pub fn folder(name: &str) -> PathBuf {
    Path::new(ROOT).join(name)
}

/// Returns the names of all testbeds with a folder, sorted.
pub fn names() -> Vec<String> {
    let entries = fs::read_dir(ROOT).into_iter().flatten().flatten();
    let dirs = entries.filter(|e| e.path().is_dir());
    let mut names: Vec<String> = dirs
        .filter_map(|e| e.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}

impl State {
    /// Writes the state atomically.
    pub fn write(&self) -> Result<(), Error> {
        let dir = folder(&self.blueprint.name);
        let path = dir.join("state.json");
        let doing = || format!("cannot write {}", path.display());
        fs::create_dir_all(&dir).map_err(failed(doing()))?;
        let half = dir.join("state.json.new");
        let text = serde_json::to_vec_pretty(self).expect("a state is always JSON");
        let written = fs::File::create(&half)
            .and_then(|mut f| f.write_all(&text).and_then(|()| f.sync_all()));
        written
            .and_then(|()| fs::rename(&half, &path))
            .map_err(failed(doing()))
    }

    /// Reads the state of the testbed called `name`; `None` if there is none.
    pub fn read(name: &str) -> Result<Option<State>, Error> {
        check_name(name).map_err(Error::Input)?;
        let path = folder(name).join("state.json");
        let text = match fs::read(&path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            other => other.map_err(failed(format!("cannot read {}", path.display())))?,
        };
        let state = serde_json::from_slice(&text);
        state.map(Some).map_err(|e| {
            Error::Work(format!(
                "cannot read {}: {e}; `sidestep testbed down --name {name}` removes the rest of \
                 the testbed",
                path.display()
            ))
        })
    }
}
