//! Makes the schemes, the scenarios and the tables that they read part of the program: every file of `schemes/`,
//! `scenarios/` and `data/`, found here so that a new one is one file and no line anywhere.
//!
//! They are listed by rank, which a file says in a comment of its own, `# listed: 25`; those of the
//! same rank, and those without one, which come last, by name. The text goes into the program whole,
//! so nothing is opened when it runs.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    // Asked when it runs: a build folder may be shared by several copies of the sources.
    let own = env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where");
    let root = Path::new(&own).join("../..");
    for folder in ["schemes", "profiles", "scenarios"] {
        ship(&root, folder, "toml", |stem| stem.to_string());
    }
    // Known as scenarios name them.
    ship(&root, "data", "csv", |stem| format!("data/{stem}.csv"));
}

/// Writes the list of the files of `folder` with this ending, as pairs of a name and a text. The name is made of
/// that of the file without its ending.
fn ship(root: &Path, folder: &str, ending: &str, name: fn(&str) -> String) {
    let place = root.join(folder);
    println!("cargo::rerun-if-changed={}", place.display());
    let entries = fs::read_dir(&place).expect("the folder is in the workspace");
    let paths = entries.map(|entry| entry.expect("a folder can be listed").path());
    let files = paths.filter(|path| path.extension().is_some_and(|end| end == ending));
    let mut files: Vec<(u32, String, PathBuf)> = files.map(ranked).collect();
    files.sort();
    assert!(!files.is_empty(), "{} has no files", place.display());
    let mut list = String::from("&[\n");
    for (_, stem, path) in files {
        let name = name(&stem);
        writeln!(list, "    ({name:?}, include_str!({path:?})),").expect("a string takes it all");
    }
    list.push(']');
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo says where"));
    fs::write(out.join(format!("{folder}.rs")), list).expect("the build folder can be written to");
}

/// A file's rank, its name without the ending, and its path.
fn ranked(path: PathBuf) -> (u32, String, PathBuf) {
    let text = fs::read_to_string(&path).expect("a shipped file can be read");
    let said = text
        .lines()
        .find_map(|line| line.strip_prefix("# listed: "));
    let rank = said.map_or(u32::MAX, |rank| {
        let whole = rank.trim().parse();
        whole.unwrap_or_else(|_| {
            panic!("{}: a rank is a whole number, got {rank:?}", path.display())
        })
    });
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let name = stem
        .expect("a shipped file has a name in UTF-8")
        .to_string();
    let path = path.canonicalize().expect("a listed file is there");
    (rank, name, path)
}
