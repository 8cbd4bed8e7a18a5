//! Names the code that decides what a run does: a digest of the sources of the simulator and of
//! the data it ships, and of the versions of its dependencies. Kept results of other code are not reused.

use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// Where what decides is, from the workspace.
const DECIDE: [&str; 7] = [
    "crates/types/src",
    "crates/switch/src",
    "crates/transport/src",
    "crates/sim/src",
    "crates/lab/src",
    "data",
    "Cargo.lock",
];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut digest = Sha256::new();
    for place in DECIDE {
        let path = root.join(place);
        println!("cargo::rerun-if-changed={}", path.display());
        let mut files = Vec::new();
        list(&path, &mut files);
        files.sort();
        for file in files {
            let name = file.strip_prefix(&root).expect("it is in the workspace");
            let text = fs::read(&file).expect("a source can be read");
            digest.update(name.as_os_str().as_encoded_bytes());
            digest.update((text.len() as u64).to_le_bytes());
            digest.update(text);
        }
    }
    let digits: String = digest
        .finalize()
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    println!("cargo::rustc-env=SIDESTEP_CODE={}", &digits[..16]);
}

fn list(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_file() {
        files.push(path.to_path_buf());
    }
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        list(&entry.path(), files);
    }
}
