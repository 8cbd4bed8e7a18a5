//! BPF programs in C, built on the machine that runs them: the kernel's types are read from the kernel.
//!
//! **Decision**     clang builds; bpftool dumps the types and loads. Testbeds without a program need neither.
//! **Errors**       name the Debian package of the tool that is missing (`sidestep_softswitch::ebpf::tools`).

use super::blueprint::Blueprint;
use super::blueprint::INTERFACE;
use super::{netns, tools};
use crate::error::{Error, failed};
use serde_json::Value;
use sidestep_softswitch::ebpf::tools as of_bpf;
use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Mount point of pinned objects; bpftool mounts it if necessary.
pub const PINS: &str = "/sys/fs/bpf";

/// File with the kernel's type information.
const TYPES: &str = "/sys/kernel/btf/vmlinux";

/// Refuses to begin if a tool to build or load a program is missing. `why` is the beginning of the sentence:
/// the feature that needs it.
pub fn need(why: &str) -> Result<(), Error> {
    of_bpf::need(why).map_err(Error::Input)?;
    match Path::new(TYPES).exists() {
        true => Ok(()),
        false => Err(Error::Input(format!(
            "{why} needs the kernel's type information: expected {TYPES} (CONFIG_DEBUG_INFO_BTF), got none"
        ))),
    }
}

/// Builds a program in the folder `dir`, which is made anew; returns the object's path.
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
    let clang = of_bpf::clang()
        .ok_or_else(|| Error::Work("clang was removed while the testbed was built".into()))?;
    tools::run(&clang.display().to_string(), &args, "")?;
    Ok(object)
}

/// Returns libbpf's name of this machine's architecture.
fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "aarch64" => "arm64",
        "s390x" => "s390",
        "riscv64" => "riscv",
        "powerpc64" => "powerpc",
        _ => "x86",
    }
}

/// Returns the name for objects of a testbed pinned for one purpose; its `_` cannot occur in a testbed's name.
pub fn name_of(testbed: &str, purpose: &str) -> String {
    format!("{testbed}_{purpose}")
}

/// Returns the folder of the objects pinned under a name.
fn pins(name: &str) -> PathBuf {
    Path::new(PINS).join(format!("sidestep-{name}"))
}

fn trial(name: &str) -> PathBuf {
    pins(&name_of(name, "trial"))
}

fn maps(name: &str, host: usize) -> PathBuf {
    pins(name).join(format!("m{host}"))
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Loads the two programs [built](build) in a folder, one at each side of every host's interface, with empty
/// maps, and pins them under a name; they replace earlier ones. If a program returns less than 0, the packet goes
/// on to programs with a larger `turn`.
pub fn renew(
    print: &Blueprint,
    folder: &Path,
    name: &str,
    sides: [(&str, &str); 2],
    turn: u8,
) -> Result<(), Error> {
    let object = text(&folder.join("program.bpf.o"));
    let (pins, trial) = (pins(name), trial(name));
    // bpftool mounts the file system if necessary; a folder made at the mount point before would be hidden.
    tools::run("bpftool", &["prog", "loadall", &object, &text(&trial)], "")?;
    for old in [&trial, &pins] {
        if old.exists() {
            fs::remove_dir_all(old).map_err(failed(format!("cannot remove {}", old.display())))?;
        }
    }
    fs::create_dir(&pins).map_err(failed(format!("cannot make {}", pins.display())))?;
    for h in 0..print.hosts {
        let (programs, maps) = (text(&pins.join(format!("h{h}"))), text(&maps(name, h)));
        let load = ["prog", "loadall", &object, &programs, "pinmaps", &maps];
        tools::run("bpftool", &load, "")?;
        // Not by `tc -n`: that mounts another /sys, without the pinned objects.
        netns::within(&print.host_space(h), || {
            tc(&format!("qdisc replace dev {INTERFACE} clsact"))?;
            for (side, program) in sides {
                tc(&format!(
                    "filter replace dev {INTERFACE} {side} prio {turn} handle 1 bpf direct-action object-pinned \
                     {programs}/{program}"
                ))?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn tc(words: &str) -> Result<(), Error> {
    let words: Vec<&str> = words.split(' ').collect();
    tools::run("tc", &words, "").map(drop)
}

/// Reads the map `counts` of a host's programs.
pub fn counts<const N: usize>(name: &str, host: usize) -> Result<[u64; N], Error> {
    let map = text(&maps(name, host).join("counts"));
    let said = tools::run("bpftool", &["-j", "map", "dump", "pinned", &map], "")?;
    read(&said).ok_or_else(|| {
        Error::Work(format!(
            "bpftool map dump pinned {map}: expected {N} numbers, got {said:?}"
        ))
    })
}

/// Parses the 64-bit values of a map in bpftool's output.
fn read<const N: usize>(said: &str) -> Option<[u64; N]> {
    let rows: Value = serde_json::from_str(said).ok()?;
    let number = |row: &Value| row["formatted"]["value"].as_u64();
    let numbers: Option<Vec<u64>> = rows.as_array()?.iter().map(number).collect();
    numbers?.try_into().ok()
}

/// Removes the objects pinned under a name.
pub fn unpin(name: &str) -> Result<(), Error> {
    for pinned in [trial(name), pins(name)] {
        if pinned.exists() {
            let doing = format!("cannot remove {}", pinned.display());
            fs::remove_dir_all(&pinned).map_err(failed(doing))?;
        }
    }
    Ok(())
}

#[cfg(test)]
pub mod rows;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::blueprint::check_name;

    #[test]
    fn what_is_pinned_for_a_purpose_is_no_other_testbeds() {
        for purpose in ["marks", "trial"] {
            assert!(check_name(&format!("x-{purpose}")).is_ok());
            let name = name_of("x", purpose);
            assert!(check_name(&name).is_err(), "{name}");
        }
        assert_eq!(trial("x"), Path::new("/sys/fs/bpf/sidestep-x_trial"));
    }

    #[test]
    fn counts_are_read_in_the_order_of_the_map() {
        let row = |n: u64| {
            format!("{{\"key\":[],\"value\":[],\"formatted\":{{\"key\":0,\"value\":{n}}}}}")
        };
        let said = |n: u64| format!("[{}]", (0..n).map(row).collect::<Vec<_>>().join(","));
        assert_eq!(read(&said(5)), Some([0, 1, 2, 3, 4]));
        assert_eq!(read::<5>(&said(4)), None);
        assert_eq!(read::<0>("[]x"), None);
    }
}
