//! Explanation of a missing run or packet path, for `show`.

use crate::Error;
use crate::format::{count, seeds};
use crate::result::{Choice, ResultDir};
use serde_json::Value;

/// Explains that the chosen scheme or seed is not among the runs of `dir`, called `name`; `None` if both are.
pub fn not_run(dir: &ResultDir, name: &str, choice: &Choice) -> Result<Option<String>, Error> {
    if choice.scheme.is_none() && choice.seed.is_none() {
        return Ok(None);
    }
    let manifest = dir.json("manifest.json")?;
    let runs = manifest["runs"].as_array().cloned().unwrap_or_default();
    let mut schemes: Vec<&str> = Vec::new();
    for scheme in runs.iter().filter_map(|run| run["scheme"].as_str()) {
        if !schemes.contains(&scheme) {
            schemes.push(scheme);
        }
    }
    if let Some(scheme) = choice
        .scheme
        .as_deref()
        .filter(|scheme| !schemes.contains(scheme))
    {
        return Ok(Some(format!(
            "--scheme {scheme:?} is not in {name}, which has runs of {}",
            schemes.join(", ")
        )));
    }
    let mut with: Vec<u64> = runs.iter().filter_map(|run| run["seed"].as_u64()).collect();
    with.sort_unstable();
    with.dedup();
    let seed = choice.seed.filter(|seed| !with.contains(seed));
    Ok(seed.map(|seed| {
        format!(
            "--seed {seed} is not in {name}, which has seed {}",
            seeds(&with)
        )
    }))
}

/// Explains why none of the paths in `dir`, called `name`, matches `choice`.
pub fn missing(dir: &ResultDir, name: &str, choice: &Choice) -> Result<String, Error> {
    if let Some(not_run) = not_run(dir, name, choice)? {
        return Ok(not_run);
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
    let without = format!("`sidestep why {name} {ask}` works without stored paths");
    if all.is_empty() {
        return Ok(format!(
            "{name} has no paths: no packet of this run matched --trace-packets; {without}"
        ));
    }
    if !anywhere.is_empty() {
        let mut of: Vec<String> = anywhere.iter().map(run_of).collect();
        of.dedup();
        return Ok(format!(
            "{name} has no path of {what} in the chosen runs, only in {}",
            of.join(" and ")
        ));
    }
    Ok(format!(
        "{name} has no path of {what}: --trace-packets stored {} others (list them with `sidestep \
         show {name} --packets`); {without}",
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
