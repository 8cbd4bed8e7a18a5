//! Everything up to `lab`, `import`, `player` and `wasm` opens no file, starts no thread and reads no clock. It would still build
//! for WebAssembly if it did, and fail there when it is run.

use std::fs;
use std::path::{Path, PathBuf};

const CRATES: [&str; 10] = [
    "types",
    "recording",
    "player",
    "wasm",
    "switch",
    "transport",
    "config",
    "sim",
    "lab",
    "import",
];

const OUTSIDE: [&str; 7] = [
    "std::env",
    "std::fs",
    "std::net",
    "std::os",
    "std::process",
    "std::thread",
    "std::time",
];

/// The sources below `folder`, tests left out.
pub fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

/// The lines of a source that stand before its tests and name something outside.
fn outside(text: &str) -> Vec<&str> {
    let before_tests = text.split("#[cfg(test)]\nmod ").next().unwrap_or(text);
    let code = before_tests.lines().map(str::trim);
    let code = code.filter(|line| !line.starts_with("//"));
    code.filter(|line| OUTSIDE.iter().any(|name| line.contains(name)))
        .collect()
}

#[test]
fn everything_up_to_lab_keeps_to_itself() {
    let mut found = Vec::new();
    for name in CRATES {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        sources(&root.join(name).join("src"), &mut found);
    }
    assert!(found.len() > 100, "{} files", found.len());
    let told: Vec<String> = (found.iter())
        .flat_map(|path| {
            let text = fs::read_to_string(path).expect("a source");
            let tell = |line: &&str| format!("{}: {line}", path.display());
            outside(&text).iter().map(tell).collect::<Vec<_>>()
        })
        .collect();
    assert!(told.is_empty(), "{told:#?}");
}

#[test]
fn a_line_that_opens_a_file_is_found() {
    let code = "// std::fs in a comment\nlet text = std::fs::read(path);\n";
    assert_eq!(outside(code), ["let text = std::fs::read(path);"]);
    let tested = format!("fn f() {{}}\n#[cfg(test)]\nmod tests {{ {code} }}");
    assert_eq!(outside(&tested), Vec::<&str>::new());
}

/// A room that lists its programs of tests has every file of `tests` in one of them: else nobody would notice that a file is
/// not run.
#[test]
fn every_file_of_tests_is_run() {
    let rooms = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut seen = 0;
    for name in ["cli", "lab", "sim"] {
        let room = rooms.join(name);
        let read = |file: &str| fs::read_to_string(room.join(file)).expect("a file of the room");
        let list = read("Cargo.toml");
        let programs = list.split("path = \"").skip(1);
        let programs: String = programs
            .filter_map(|rest| rest.split('"').next())
            .filter(|path| path.starts_with("tests/"))
            .map(read)
            .collect();
        assert!(list.contains("autotests = false"), "{name}");
        for entry in fs::read_dir(room.join("tests")).expect("a folder of tests") {
            let path = entry.expect("an entry").path();
            let file = path.file_name().unwrap().to_str().unwrap();
            let Some(stem) = file.strip_suffix(".rs").filter(|stem| *stem != "main") else {
                continue;
            };
            let alone = list.contains(&format!("path = \"tests/{file}\""));
            let line = format!("mod {stem};");
            let beside = programs.lines().filter(|own| *own == line).count();
            assert!(
                usize::from(alone) + beside == 1,
                "crates/{name}/tests/{file}: expected once, got {beside} in programs of tests, in Cargo.toml {alone}"
            );
            seen += 1;
        }
    }
    assert!(seen > 60, "{seen} files");
}
