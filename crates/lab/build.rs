//! Embeds the schemes, the profiles, the scenarios and the tables that they read in the program: every file of
//! `schemes/`, `profiles/`, `scenarios/` and `data/`, found here so that adding one means adding a file and no
//! line anywhere.
//!
//! Shipped files are listed by rank, which a file states in a comment, `# listed: 25`; files of the same rank, and files
//! without one, which come last, are listed by name. The text goes into the program whole, so nothing is opened
//! when it runs.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    // Read when the build script runs: several copies of the sources may share a build folder.
    let own = env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where");
    let root = Path::new(&own).join("../..");
    for folder in ["schemes", "profiles", "scenarios"] {
        ship(&root, folder, "toml", |stem| stem.to_string());
    }
    // Tables have the names that scenarios use.
    ship(&root, "data", "csv", |stem| format!("data/{stem}.csv"));
}

/// Writes the list of the files of `folder` with this ending, as pairs of a name and a text. `name` makes the
/// name from the file's name without its ending.
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

/// Returns a file's rank, its name without the ending, and its path.
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
