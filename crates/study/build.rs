//! Defines `SIDESTEP_CODE`, which identifies the code that decides a run: a digest of the sources of the
//! simulator and of the data it ships, and of the versions of its dependencies. Cached results of other code
//! are not reused.
//!
//! Defines `COMMIT`, the commit of the sources. The ranges that claims accept are those of this commit.
//!
//! Embeds the experiments: every file of `experiments/<paper>/` is found here, so that a new figure is one file
//! and needs no line elsewhere.

use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Crates that decide a run.
const DECIDE: [&str; 7] = [
    "derive",
    "types",
    "config",
    "switch",
    "transport",
    "sim",
    "lab",
];

fn main() {
    // Read at run time: several copies of the sources may share a build folder.
    let own = env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where");
    let root = Path::new(&own).join("../..");
    name_code(&root);
    name_commit(&root);
    ship(&root.join("experiments"));
    ship_shared(&root);
}

/// Embeds the sources that a plug-in shares with the program, and the versions of their dependencies.
fn ship_shared(root: &Path) {
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo says where"));
    let mut files = Vec::new();
    for name in ["derive", "types", "switch", "plugin"] {
        let place = root.join("crates").join(name);
        println!("cargo::rerun-if-changed={}", place.display());
        ["Cargo.toml", "build.rs", "src"]
            .iter()
            .for_each(|part| list(&place.join(part), &mut files));
    }
    files.sort();
    // The crates inherit settings from the workspace; its list of members is replaced by the crates that are
    // present.
    let workspace = fs::read_to_string(root.join("Cargo.toml")).expect("the workspace is there");
    let members = workspace
        .lines()
        .find(|line| line.starts_with("members = "))
        .expect("it has members");
    let workspace = workspace.replace(members, "members = [\"crates/*\"]");
    println!(
        "cargo::rerun-if-changed={}",
        root.join("Cargo.toml").display()
    );
    let mut list = format!("&[\n    (\"Cargo.toml\", {workspace:?}),\n");
    for file in files {
        let name = file.strip_prefix(root).expect("it is in the workspace");
        let name = name.to_str().expect("sources have names in UTF-8");
        let path = file.canonicalize().expect("a listed file is there");
        writeln!(list, "    ({name:?}, include_str!({path:?})),").expect("a string takes it all");
    }
    list.push(']');
    fs::write(out.join("plugin_sources.rs"), list).expect("the build folder can be written to");
    let lock = fs::read_to_string(root.join("Cargo.lock")).expect("the lock is there");
    // A plug-in has one version of each package, so that its lock file names none with a version.
    let derive = locked(&lock, "sidestep-derive", None);
    let syn = derive.lines().find_map(|line| line.strip_prefix(" \"syn "));
    let syn = syn.map(|version| version.trim_end_matches("\","));
    let others = ["libm", "proc-macro2", "quote", "unicode-ident"].map(|name| (name, None));
    let locked: Vec<&str> = (others.into_iter().chain([("syn", syn)]))
        .map(|(name, version)| locked(&lock, name, version).trim_end())
        .collect();
    fs::write(out.join("plugin_lock.txt"), locked.join("\n\n"))
        .expect("the build folder can be written to");
}

/// Returns the entry in the lock file for the package of this name, and of this version if there are several.
fn locked<'a>(lock: &'a str, name: &str, version: Option<&str>) -> &'a str {
    let head = format!("[[package]]\nname = \"{name}\"\n");
    let version = version.map(|version| format!("version = \"{version}\"\n"));
    let is = |package: &&str| {
        let rest = package.strip_prefix(&head);
        rest.is_some_and(|rest| version.as_ref().is_none_or(|v| rest.starts_with(v)))
    };
    let found = lock.split("\n\n").find(is);
    found.unwrap_or_else(|| panic!("Cargo.lock has no {name}"))
}

/// Returns name, version and checksum of each direct dependency of the crates that decide. The whole lock is
/// not used: that of a source distribution has fewer packages, and indirect dependencies vary with the features
/// that other packages request.
fn needed(lock: &str) -> BTreeSet<String> {
    let mut needed = BTreeSet::new();
    for own in DECIDE {
        let own = locked(lock, &format!("sidestep-{own}"), None);
        for line in own.lines().filter_map(|line| line.strip_prefix(" \"")) {
            let mut words = line.trim_end_matches("\",").split(' ');
            let name = words.next().expect("a line has a word");
            let package = locked(lock, name, words.next());
            let says = package.split("dependencies = [").next();
            needed.insert(says.expect("there is a first part").trim_end().to_string());
        }
    }
    assert!(needed.iter().any(|package| package.contains("\"libm\"")));
    needed
}

fn name_code(root: &Path) {
    let mut digest = Sha256::new();
    let sources = DECIDE.map(|name| format!("crates/{name}/src"));
    for place in sources.iter().map(String::as_str).chain(["data"]) {
        let path = root.join(place);
        println!("cargo::rerun-if-changed={}", path.display());
        let mut files = Vec::new();
        list(&path, &mut files);
        // With an empty digest all versions would share their results.
        assert!(!files.is_empty(), "{} is missing", path.display());
        files.sort();
        for file in files {
            let name = file.strip_prefix(root).expect("it is in the workspace");
            let text = fs::read(&file).expect("a source can be read");
            digest.update(name.as_os_str().as_encoded_bytes());
            digest.update((text.len() as u64).to_le_bytes());
            digest.update(text);
        }
    }
    println!(
        "cargo::rerun-if-changed={}",
        root.join("Cargo.lock").display()
    );
    let lock = fs::read_to_string(root.join("Cargo.lock")).expect("the lock is there");
    for package in needed(&lock) {
        digest.update(package);
    }
    let digits: String = digest
        .finalize()
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    println!("cargo::rustc-env=SIDESTEP_CODE={}", &digits[..16]);
}

/// Defines `COMMIT`: the commit's digits, `+modified` if the deciding sources or the experiments differ from
/// it, or `unknown` outside a checkout of this very workspace.
fn name_commit(root: &Path) {
    let git = |words: &[&str]| -> Option<String> {
        let run = Command::new("git").args(words).current_dir(root).output();
        let run = run.ok().filter(|run| run.status.success())?;
        let said = String::from_utf8(run.stdout).ok()?;
        Some(said.trim().to_string())
    };
    // Sources unpacked inside another checkout do not belong to its commit.
    let top = git(&["rev-parse", "--show-toplevel"]).map(PathBuf::from);
    let own = top.filter(|top| top.canonicalize().ok() == root.canonicalize().ok());
    let commit = own.and_then(|_| git(&["rev-parse", "--short=12", "HEAD"]));
    let Some(mut commit) = commit else {
        println!("cargo::rustc-env=COMMIT=unknown");
        return;
    };
    let branch = git(&["rev-parse", "--symbolic-full-name", "HEAD"]).unwrap_or_default();
    for name in ["HEAD", "logs/HEAD", "packed-refs", &branch] {
        let place = git(&["rev-parse", "--git-path", name]).map(|path| root.join(path));
        // Cargo treats a missing file as changed.
        if let Some(place) = place.filter(|place| place.is_file()) {
            println!("cargo::rerun-if-changed={}", place.display());
        }
    }
    let mut same = vec!["diff-index", "--quiet", "HEAD", "--", "experiments"];
    same.extend(DECIDE);
    if git(&same).is_none() {
        commit.push_str("+modified");
    }
    println!("cargo::rustc-env=COMMIT={commit}");
}

fn list(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_file() {
        files.push(path.to_path_buf());
    }
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        list(&entry.path(), files);
    }
}

fn ship(experiments: &Path) {
    println!("cargo::rerun-if-changed={}", experiments.display());
    let mut list = String::from("&[\n");
    for folder in sorted(experiments).into_iter().filter(|path| path.is_dir()) {
        println!("cargo::rerun-if-changed={}", folder.display());
        for file in sorted(&folder) {
            if file.extension().is_some_and(|end| end == "toml") {
                let path = file.canonicalize().expect("a listed file is there");
                let (paper, name) = (stem(&folder), stem(&file));
                writeln!(list, "    ({paper:?}, {name:?}, include_str!({path:?})),")
                    .expect("a string takes it all");
            }
        }
    }
    assert!(
        list.contains("include_str"),
        "no experiments in {}",
        experiments.display()
    );
    list.push(']');
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo says where"));
    fs::write(out.join("experiments.rs"), list).expect("the build folder can be written to");
}

/// Lists the contents of a folder, by name; empty if there is no such folder.
fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn stem(path: &Path) -> String {
    let stem = path.file_stem().expect("a listed path has a name");
    stem.to_str()
        .expect("experiments have names in UTF-8")
        .into()
}
