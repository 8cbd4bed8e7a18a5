//! Builds a plug-in with cargo.

use super::write::unpack;
use crate::Error;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, io};

/// Builds the crate in `dir` and returns its library. If the build fails, the error contains cargo's output.
pub fn build(dir: &Path) -> Result<PathBuf, Error> {
    let manifest = dir.join("Cargo.toml");
    if !manifest.is_file() {
        return Err(Error::Input(format!(
            "cannot build the plug-in {}: expected a crate with a Cargo.toml; `sidestep new-policy \
             NAME` writes one",
            dir.display()
        )));
    }
    unpack(dir)?;
    // Dependencies are usually on the machine; only missing ones are fetched from the registry.
    let mut output = cargo(&manifest, &["--offline"])?;
    if !output.status.success() && String::from_utf8_lossy(&output.stderr).contains("--offline") {
        output = cargo(&manifest, &[])?;
    }
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        return Err(Error::Input(format!(
            "cannot build the plug-in {}:\n{}",
            dir.display(),
            words.trim_end()
        )));
    }
    library(&output.stdout).ok_or_else(|| {
        Error::Input(format!(
            "cannot load the plug-in {}: the build made no dynamic library; set crate-type = \
             [\"cdylib\"] in its Cargo.toml",
            dir.display()
        ))
    })
}

fn cargo(manifest: &Path, more: &[&str]) -> Result<Output, Error> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(&cargo);
    command.args([
        "build",
        "--release",
        "--lib",
        "--message-format=json-render-diagnostics",
    ]);
    command.arg("--manifest-path").arg(manifest).args(more);
    // These variables come from the cargo that started this program, if one did.
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command.output().map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => Error::Input(format!(
            "cannot build the plug-in {}: {} was not found; install Rust (https://rustup.rs), \
             which includes it",
            manifest.display(),
            Path::new(&cargo).display()
        )),
        _ => Error::io("cannot run", Path::new(&cargo), e),
    })
}

/// Returns the last library that cargo reports.
fn library(said: &[u8]) -> Option<PathBuf> {
    let text = String::from_utf8_lossy(said);
    let mut made = text.lines().filter_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        let is = |value: &Value, word: &str| value.as_str() == Some(word);
        if !is(&message["reason"], "compiler-artifact") {
            return None;
        }
        let kinds = message["target"]["kind"].as_array()?;
        let dynamic = kinds.iter().any(|kind| is(kind, "cdylib"));
        let files = message["filenames"].as_array()?;
        let file = files
            .iter()
            .filter_map(Value::as_str)
            .find(|name| name.ends_with(".so"))?;
        dynamic.then(|| PathBuf::from(file))
    });
    made.next_back()
}
