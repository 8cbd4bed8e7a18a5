//! Each drop reason is declared once: no source file but its entry contains its words.

use sidestep_switch::DropReason;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders of sources: of programs, of the package, of the page, of scripts, and of programs in the kernel.
const FOLDERS: [&str; 5] = [
    "crates",
    "python/sidestep",
    "python/src",
    "scripts",
    "web/src",
];

/// File with the entries of all reasons.
const ENTRY: &str = "crates/switch/src/buffer/reason.rs";

/// Collects the sources below `folder`, without tests, benchmarks and examples.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.expect("names are text");
        if path.is_dir() {
            if !["tests", "benches", "examples", "target", "node_modules"].contains(&name) {
                sources(&path, found);
            }
            continue;
        }
        let ending = path.extension().and_then(|ending| ending.to_str());
        let is_source = ending.is_some_and(|e| ["rs", "py", "pyi", "ts", "c", "h"].contains(&e));
        if is_source && name != "tests.rs" && !name.starts_with("test_") && !path.ends_with(ENTRY) {
            found.push(path);
        }
    }
}

/// Returns the words that belong in an entry alone: the name of its counter, its sentences as strings, its
/// number in C.
fn declared(reason: DropReason) -> Vec<String> {
    let sentences = [
        reason.row(),
        reason.metric_doc(),
        reason.column_doc(),
        reason.clause(),
        reason.legend(),
    ];
    let several = sentences.into_iter().filter(|words| words.contains(' '));
    let quoted = several.flat_map(|words| [format!("\"{words}\""), format!("'{words}'")]);
    let number = format!("#define DROP_{} ", reason.name().to_uppercase());
    quoted.chain([reason.counted_as().into(), number]).collect()
}

/// Returns the words of entries in a source, before its tests.
fn said(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\n").next().unwrap_or(text);
    let all = DropReason::ALL.into_iter().flat_map(declared);
    all.filter(|words| code.contains(words)).collect()
}

#[test]
fn no_other_source_says_the_words_of_a_drop_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    FOLDERS
        .iter()
        .for_each(|folder| sources(&root.join(folder), &mut found));
    assert!(found.len() > 700, "{} files", found.len());
    let told: Vec<String> = (found.iter())
        .flat_map(|path| {
            let words = said(&fs::read_to_string(path).expect("a source"));
            words
                .into_iter()
                .map(|words| format!("{}: {words}", path.display()))
        })
        .collect();
    assert!(
        told.is_empty(),
        "{told:#?}\nask DropReason, or `sidestep list drops`"
    );
}

#[test]
fn a_source_that_repeats_an_entry_is_found() {
    let code = format!(
        "match {{ \"x\" => {:?} }} // drops_ttl",
        DropReason::Full.clause()
    );
    assert_eq!(
        said(&code),
        [
            format!("{:?}", DropReason::Full.clause()),
            "drops_ttl".into()
        ]
    );
    assert_eq!(said("#[cfg(test)]\nmod tests { \"drops_ttl\" }"), [""; 0]);
}
