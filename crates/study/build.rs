//! Makes the experiments part of the program: every file of `experiments/<paper>/`, found here so
//! that a new figure is one file and no line anywhere.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo says where"))
        .join("../../experiments");
    println!("cargo::rerun-if-changed={}", root.display());
    println!("cargo::rerun-if-changed=build.rs");
    let mut list = String::from("&[\n");
    for folder in sorted(&root).into_iter().filter(|path| path.is_dir()) {
        println!("cargo::rerun-if-changed={}", folder.display());
        for file in sorted(&folder) {
            if file.extension().is_some_and(|end| end == "toml") {
                let path = file.canonicalize().expect("a listed file is there");
                writeln!(
                    list,
                    "    ({:?}, {:?}, include_str!({path:?})),",
                    name(&folder),
                    name(&file)
                )
                .expect("a string takes it all");
            }
        }
    }
    list.push(']');
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo says where"));
    fs::write(out.join("experiments.rs"), list).expect("the build folder can be written to");
}

/// What a folder holds, by name; nothing when there is no such folder.
fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    let stem = path.file_stem().expect("a listed path has a name");
    stem.to_str()
        .expect("experiments have names in UTF-8")
        .into()
}
