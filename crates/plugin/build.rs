//! Names the sources of the shared crates and the compiler: a plug-in and its program must agree on both to
//! call each other.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Sources that both sides are built from, relative to this crate.
const SHARED: [&str; 9] = [
    "../derive/Cargo.toml",
    "../derive/src",
    "../types/Cargo.toml",
    "../types/src",
    "../switch/Cargo.toml",
    "../switch/src",
    "Cargo.toml",
    "build.rs",
    "src",
];

fn main() {
    let own = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where"));
    let mut digest = Digest(0xcbf2_9ce4_8422_2325_cbf2_9ce4_8422_2325);
    for place in SHARED {
        let path = own.join(place);
        println!("cargo::rerun-if-changed={}", path.display());
        let mut files = Vec::new();
        list(&path, place, &mut files);
        assert!(!files.is_empty(), "{} is missing", path.display());
        files.sort();
        for (name, path) in files {
            digest.add(name.as_bytes());
            digest.add(&fs::read(&path).expect("a source can be read"));
        }
    }
    println!("cargo::rustc-env=SIDESTEP_PLUGIN_SOURCES={:032x}", digest.0);
    let compiler = env::var_os("RUSTC").expect("cargo says which compiler");
    let said = Command::new(compiler)
        .arg("-vV")
        .output()
        .expect("the compiler runs");
    let said = String::from_utf8(said.stdout).expect("the compiler speaks UTF-8");
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    let (first, host) = (said.lines().next().unwrap_or("?"), host.unwrap_or("?"));
    println!("cargo::rustc-env=SIDESTEP_PLUGIN_COMPILER={first} {host}");
}

/// FNV-1a of 128 bits: tells versions apart; it is no protection against forgery.
struct Digest(u128);

impl Digest {
    fn add(&mut self, bytes: &[u8]) {
        for byte in (bytes.len() as u64).to_le_bytes().iter().chain(bytes) {
            self.0 = (self.0 ^ u128::from(*byte))
                .wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }
}

fn list(path: &Path, name: &str, files: &mut Vec<(String, PathBuf)>) {
    if path.is_file() {
        files.push((name.to_string(), path.to_path_buf()));
    }
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        let file = entry.file_name();
        let file = file.to_str().expect("sources have names in UTF-8");
        list(&entry.path(), &format!("{name}/{file}"), files);
    }
}
