//! Tools that build and load BPF programs: clang, bpftool and libbpf's header. The switch in the kernel and the
//! testbed's programs find them here.
//!
//! **Decision**     clang 14 or newer: 16, with which everything was tested, before others.
//! **State**        none.
//! **Errors**       name the missing tool, and its Debian package.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Path of libbpf's header.
const HEADER: &str = "/usr/include/bpf/bpf_helpers.h";
/// Versions of clang that are looked for by their numbers, and the one that is tried first.
const CLANGS: std::ops::RangeInclusive<u32> = 14..=22;
const FIRST: u32 = 16;

/// Finds the program of this name, in PATH or where root's programs are.
pub fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let usual = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"].map(PathBuf::from);
    let places = std::env::split_paths(&path).chain(usual);
    places.map(|dir| dir.join(name)).find(|p| p.is_file())
}

/// Finds the compiler.
pub fn clang() -> Option<PathBuf> {
    let others = CLANGS.rev().filter(|n| *n != FIRST);
    let numbered = std::iter::once(FIRST).chain(others);
    let mut names = numbered
        .map(|n| format!("clang-{n}"))
        .chain(["clang".to_string()]);
    names.find_map(|name| find(&name))
}

/// Returns a call of the program of this name, which [`need`] found.
pub(super) fn call(name: &str) -> Command {
    Command::new(find(name).unwrap_or_else(|| name.into()))
}

/// Checks that the tools to build and load a program exist. `why` begins the error's sentence: it names the
/// caller's feature.
pub fn need(why: &str) -> Result<(), String> {
    present(
        why,
        "clang 14 or newer",
        clang().is_some(),
        "clang-16 (or clang) and libbpf-dev",
    )?;
    present(why, "bpftool", find("bpftool").is_some(), "bpftool")?;
    let header = Path::new(HEADER).is_file();
    present(why, "bpf/bpf_helpers.h", header, "libbpf-dev")
}

/// Returns an error if `is` is false.
pub(super) fn present(why: &str, what: &str, is: bool, packages: &str) -> Result<(), String> {
    match is {
        true => Ok(()),
        false => Err(format!(
            "{why} needs {what}, which is not installed (Debian: {packages})"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said_with_who_needs_it_and_its_package() {
        assert_eq!(present("a switch", "tc", true, "iproute2"), Ok(()));
        assert_eq!(
            present("a switch", "tc", false, "iproute2").unwrap_err(),
            "a switch needs tc, which is not installed (Debian: iproute2)"
        );
        assert_eq!(find("no such program"), None);
        assert!(find("sh").is_some_and(|path| path.is_absolute()));
    }
}
