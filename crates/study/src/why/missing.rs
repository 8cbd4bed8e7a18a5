//! Explanation of a missing packet path, for `show`.

use crate::Error;
use crate::result::{Choice, ResultDir};
use crate::words::{count, seeds};
use serde_json::Value;

/// Explains why none of the paths in `dir`, called `name`, matches `choice`.
pub fn missing(dir: &ResultDir, name: &str, choice: &Choice) -> Result<String, Error> {
    let manifest = dir.json("manifest.json")?;
    let runs = manifest["runs"].as_array().cloned().unwrap_or_default();
    let mut schemes: Vec<&str> = runs
        .iter()
        .filter_map(|run| run["scheme"].as_str())
        .collect();
    schemes.dedup();
    if let Some(scheme) = choice
        .scheme
        .as_deref()
        .filter(|scheme| !schemes.contains(scheme))
    {
        return Ok(format!(
            "--scheme {scheme:?}: {name} holds runs of {}",
            schemes.join(", ")
        ));
    }
    let mut with: Vec<u64> = runs.iter().filter_map(|run| run["seed"].as_u64()).collect();
    with.sort_unstable();
    with.dedup();
    if let Some(seed) = choice.seed.filter(|seed| !with.contains(seed)) {
        return Ok(format!(
            "--seed {seed}: {name} was run with seed {}",
            seeds(&with)
        ));
    }
    let all = dir.packets(&Choice::default())?;
    let anywhere = dir.packets(&Choice {
        scheme: None,
        seed: None,
        ..choice.clone()
    })?;
    let (what, ask) = match (&choice.packet, choice.flow) {
        (Some(packet), _) => (format!("packet {packet}"), format!("--packet {packet}")),
        (None, Some(flow)) => (format!("flow {flow}"), format!("--flow {flow}")),
        (None, None) => ("any packet".into(), "--dropped".into()),
    };
    let without = format!("`sidestep why {name} {ask}` needs none");
    if all.is_empty() {
        return Ok(format!(
            "{name} holds no paths: --trace-packets chose no packet of this run; {without}"
        ));
    }
    if !anywhere.is_empty() {
        let mut of: Vec<String> = anywhere.iter().map(run_of).collect();
        of.dedup();
        return Ok(format!(
            "{name} holds no path of {what} there, but of {}",
            of.join(" and ")
        ));
    }
    Ok(format!(
        "{name} holds no path of {what}: --trace-packets kept {} others, which `sidestep show {name} --packets` lists; {without}",
        count(all.len() as u64)
    ))
}

/// Returns the run of a packet: `dibs, seed 1`.
fn run_of(packet: &Value) -> String {
    format!(
        "{}, seed {}",
        packet["scheme"].as_str().unwrap_or("?"),
        packet["seed"]
    )
}
