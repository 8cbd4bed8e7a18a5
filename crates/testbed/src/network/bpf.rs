//! BPF programs in C, built on the machine that runs them: its kernel's types are read from the kernel.
//!
//! **Decision**     clang builds, bpftool gives the types and loads; neither is needed by who has no program.
//! **Errors**       name the Debian package of the tool that is missing.

use super::tools;
use crate::error::{Error, failed};
use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

/// Where the kernel says its types.
const TYPES: &str = "/sys/kernel/btf/vmlinux";

/// Refuses to begin without what builds and loads a program. `why` is the beginning of a sentence: what needs it.
pub fn need(why: &str) -> Result<(), Error> {
    let missing = |what: &str, packages: &str| {
        Error::Input(format!(
            "{why} needs {what}, which is not there; Debian's packages are {packages}"
        ))
    };
    if clang().is_none() {
        return Err(missing(
            "clang 14 or newer",
            "clang-16 (or clang) and libbpf-dev",
        ));
    }
    if tools::find("bpftool").is_none() {
        return Err(missing("bpftool", "bpftool"));
    }
    if !Path::new("/usr/include/bpf/bpf_helpers.h").exists() {
        return Err(missing("bpf/bpf_helpers.h", "libbpf-dev"));
    }
    if !Path::new(TYPES).exists() {
        return Err(Error::Input(format!(
            "{why} needs the kernel's type information: expected {TYPES} (CONFIG_DEBUG_INFO_BTF), got none"
        )));
    }
    Ok(())
}

fn clang() -> Option<String> {
    let versions = (14..=22).rev().map(|n| format!("clang-{n}"));
    let mut names = std::iter::once("clang-16".to_string())
        .chain(versions)
        .chain(["clang".to_string()]);
    names.find(|name| tools::find(name).is_some())
}

/// Builds a program in a folder of its own, which is made anew; returns the object's path.
pub fn build(dir: &Path, source: &str, defines: &[String]) -> Result<String, Error> {
    let doing = || format!("cannot write to {}", dir.display());
    let _ = fs::remove_dir_all(dir);
    fs::DirBuilder::new()
        .mode(0o700)
        .create(dir)
        .map_err(failed(doing()))?;
    let types = tools::run(
        "bpftool",
        &["btf", "dump", "file", TYPES, "format", "c"],
        "",
    )?;
    let at = |file: &str| dir.join(file).display().to_string();
    let (text, object) = (at("program.bpf.c"), at("program.bpf.o"));
    fs::write(at("vmlinux.h"), types).map_err(failed(doing()))?;
    fs::write(&text, source).map_err(failed(doing()))?;
    let include = format!("-I{}", dir.display());
    let target = format!("__TARGET_ARCH_{}", architecture());
    let defines: Vec<String> = (defines.iter().chain([&target]))
        .map(|define| format!("-D{define}"))
        .collect();
    let mut args = vec!["-O2", "-g", "-target", "bpf", &include];
    args.extend(defines.iter().map(String::as_str));
    args.extend(["-c", &text, "-o", &object]);
    tools::run(&clang().unwrap_or_else(|| "clang".into()), &args, "")?;
    Ok(object)
}

/// As libbpf's headers call this machine.
fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "aarch64" => "arm64",
        "s390x" => "s390",
        "riscv64" => "riscv",
        "powerpc64" => "powerpc",
        _ => "x86",
    }
}
