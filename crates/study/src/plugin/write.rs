//! Writes the crate of a plug-in, with the sources it shares with this program beside it.

use crate::{Error, files};
use sidestep_lab::catalog;
use sidestep_plugin::STAMP;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Kinds of policy that a plug-in can implement.
pub const SEAMS: [&str; 3] = ["buffer", "route", "sched"];

/// Folder of the shared sources, within the folder of a plug-in.
const SHARED: &str = ".sidestep";

/// Shared sources, by path below [`SHARED`].
const SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/plugin_sources.rs"));

/// Packages of `Cargo.lock` that the shared crates need.
const LOCKED: &str = include_str!(concat!(env!("OUT_DIR"), "/plugin_lock.txt"));

/// Writes the crate `name` with a policy of `seam` into `dir`, which must not exist yet. Returns the files
/// written.
///
/// Errors if cargo or a scheme cannot have the name, or if `dir` exists.
pub fn write(dir: &Path, name: &str, seam: &str) -> Result<Vec<PathBuf>, Error> {
    let refuse = |why: String| Err(Error::Input(why));
    if !may_be_a_name(name) {
        let near = name.to_lowercase().replace(['_', ' '], "-");
        let hint = match near != name && may_be_a_name(&near) {
            true => format!("; did you mean {near:?}?"),
            false => String::new(),
        };
        return refuse(format!(
            "a policy's name: expected at most 64 lower-case letters, digits and hyphens, \
             beginning with a letter and not ending with a hyphen, got {name:?}{hint}"
        ));
    }
    let needed = LOCKED.contains(&format!("name = {name:?}\n"));
    if name.starts_with("sidestep-") || needed {
        return refuse(format!(
            "a policy's name: {name:?} is reserved for a crate that plug-ins depend on; choose \
             another"
        ));
    }
    let of_kind = |kind: &&str| {
        let items = catalog::kind(kind).map_or(Vec::new(), |kind| kind.items);
        items.iter().any(|item| item.name == name)
    };
    let shipped = ["schemes", "buffers", "routes", "schedulers"];
    if let Some(kind) = shipped.iter().find(|kind| of_kind(kind)) {
        return refuse(format!(
            "a policy's name: {name:?} is taken (see `sidestep list {kind}`); choose another"
        ));
    }
    let template = match seam {
        "buffer" => include_str!("template/buffer.rs.txt"),
        "route" => include_str!("template/route.rs.txt"),
        "sched" => include_str!("template/sched.rs.txt"),
        other => {
            return refuse(format!(
                "kind: expected one of {}, got {other:?}",
                SEAMS.join(", ")
            ));
        }
    };
    if dir.symlink_metadata().is_ok() {
        return refuse(format!(
            "cannot write {}: it already exists; choose another folder",
            dir.display()
        ));
    }
    if let Err(why) = files::is_no_file(dir) {
        return refuse(format!("cannot write {}: {why}", dir.display()));
    }
    let fill = |text: &str| text.replace("NAME", name).replace("SEAM", seam);
    let files = [
        ("Cargo.toml", fill(include_str!("template/Cargo.toml.txt"))),
        ("Cargo.lock", lock(name)),
        ("src/lib.rs", fill(template)),
        ("README.md", fill(include_str!("template/README.md.txt"))),
        (".gitignore", format!("/target\n/{SHARED}\n")),
    ];
    let mut written = Vec::new();
    let done = files.iter().try_for_each(|(file, text)| {
        let path = dir.join(file);
        put(&path, text)?;
        written.push(path);
        Ok(())
    });
    if let Err(e) = done.and_then(|()| unpack(dir)) {
        let _ = fs::remove_dir_all(dir);
        return Err(e);
    }
    Ok(written)
}

/// True for a name that cargo and results accept.
fn may_be_a_name(name: &str) -> bool {
    let first = name.starts_with(|c: char| c.is_ascii_lowercase());
    let rest = name
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    first && rest && !name.ends_with('-') && name.len() <= 64
}

/// Writes the shared sources of this version beside the crate in `dir`, unless they are there.
pub fn unpack(dir: &Path) -> Result<(), Error> {
    let shared = dir.join(SHARED);
    let stamp = shared.join("STAMP");
    if fs::read_to_string(&stamp).is_ok_and(|there| there == STAMP) {
        return Ok(());
    }
    match fs::remove_dir_all(&shared) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => {
            return Err(Error::io("cannot remove", &shared, e));
        }
        _ => {}
    }
    for (path, text) in SOURCES {
        put(&shared.join(path), text)?;
    }
    // The stamp is written last: an interrupted unpacking is repeated.
    put(&stamp, STAMP)
}

fn put(path: &Path, text: &str) -> Result<(), Error> {
    let folder = path.parent().expect("a file is in a folder");
    fs::create_dir_all(folder).map_err(|e| Error::io("cannot make", folder, e))?;
    fs::write(path, text).map_err(|e| Error::io("cannot write", path, e))
}

/// Returns the lock file of the crate `name`, with the versions that this program was built with.
fn lock(name: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let package = |name: &str, version: &str, needs: &[&str]| {
        let needs: Vec<String> = needs.iter().map(|need| format!(" \"{need}\",\n")).collect();
        let needs = match needs.is_empty() {
            true => String::new(),
            false => format!("dependencies = [\n{}]\n", needs.concat()),
        };
        format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n{needs}")
    };
    let others = LOCKED.split("\n\n").map(|package| format!("{package}\n"));
    let own = [
        package(name, "0.1.0", &["sidestep-plugin"]),
        package("sidestep-derive", version, &["proc-macro2", "quote", "syn"]),
        package(
            "sidestep-plugin",
            version,
            &["sidestep-switch", "sidestep-types"],
        ),
        package("sidestep-switch", version, &["sidestep-types"]),
        package("sidestep-types", version, &["libm", "sidestep-derive"]),
    ];
    let mut packages: Vec<String> = own.into_iter().chain(others).collect();
    packages.sort();
    format!("version = 4\n\n{}", packages.join("\n"))
}
