//! Result directory of an earlier call, opened for reading.

use crate::format::Grid;
use crate::sweep::SweepReport;
use crate::trace::{describe, packet_id, parse_packet_id};
use crate::{Error, Report};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Result directory of a run.
#[derive(Debug)]
pub struct ResultDir {
    path: PathBuf,
}

/// Filter for traced packets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Packet, as `100:3`.
    pub packet: Option<String>,
    /// All packets of this flow.
    pub flow: Option<u32>,
    /// Packets under this scheme.
    pub scheme: Option<String>,
    /// Packets of runs with this seed.
    pub seed: Option<u64>,
}

impl ResultDir {
    /// Opens `path`. Errors name the missing part.
    pub fn open(path: &Path) -> Result<ResultDir, Error> {
        if !path.is_dir() {
            let got = if path.exists() {
                "a file"
            } else {
                "a path that does not exist"
            };
            return Err(Error::Input(format!(
                "cannot read {}: expected a result directory, got {got}",
                path.display()
            )));
        }
        if !path.join("manifest.json").exists() {
            return Err(Error::Input(format!(
                "cannot read {}: expected a result directory, got one without manifest.json{}",
                path.display(),
                results_in(path)
            )));
        }
        if path.join("report.json").exists() && !path.join("summary.json").exists() {
            return Err(Error::Input(format!(
                "cannot read {0}: expected the result directory of a run or a sweep, got one of `sidestep reproduce`, \
                 whose report is {0}/report.html",
                path.display()
            )));
        }
        Ok(ResultDir {
            path: path.to_path_buf(),
        })
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads its report.
    pub fn report(&self) -> Result<Report, Error> {
        let path = self.path.join("summary.json");
        Report::from_json(&self.json("summary.json")?)
            .map_err(|e| Error::Input(format!("cannot read {}: {e}", path.display())))
    }

    /// Reads its report, if it is of an experiment with a sweep.
    pub fn sweep(&self) -> Result<Option<SweepReport>, Error> {
        let path = self.path.join("summary.json");
        let json = self.json("summary.json")?;
        if json.get("experiment").is_none() {
            return Ok(None);
        }
        let report = SweepReport::from_json(&json);
        let refuse = |e| Error::Input(format!("cannot read {}: {e}", path.display()));
        report.map(Some).map_err(refuse)
    }

    /// Reads one of its JSON files.
    pub fn json(&self, name: &str) -> Result<Value, Error> {
        let path = self.path.join(name);
        let text = fs::read_to_string(&path).map_err(|e| Error::io("cannot read", &path, e))?;
        serde_json::from_str(&text).map_err(|e| {
            Error::Input(format!(
                "cannot read {}: expected JSON, got {e}",
                path.display()
            ))
        })
    }

    /// Returns the traced packets that match, in the order of the results.
    pub fn packets(&self, choice: &Choice) -> Result<Vec<Value>, Error> {
        let id = match &choice.packet {
            None => None,
            Some(text) => Some(parse_packet_id(text).map(packet_id).ok_or_else(|| {
                Error::Input(format!(
                    "cannot show packet {text:?}: expected a host and a packet number like 100:3"
                ))
            })?),
        };
        if !self.path.join("traces.json").exists() {
            return Err(Error::Input(format!(
                "{} has no packet paths; run again with --trace-packets, for instance \
                 --trace-packets \"detours>=8\", or use `sidestep why {} --packet 100:3`, which \
                 needs none",
                self.path.display(),
                self.path.display()
            )));
        }
        let traces = self.json("traces.json")?;
        let packets = traces["packets"].as_array().cloned().unwrap_or_default();
        let wanted = |p: &Value| {
            id.as_deref().is_none_or(|id| p["id"] == id)
                && choice.flow.is_none_or(|flow| p["flow"] == flow)
                && choice.scheme.as_deref().is_none_or(|s| p["scheme"] == s)
                && choice.seed.is_none_or(|s| p["seed"] == s)
        };
        Ok(packets.into_iter().filter(wanted).collect())
    }
}

/// Names the result directories in a folder that is none, as a hint.
fn results_in(folder: &Path) -> String {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let mut found: Vec<String> = (paths.filter(|path| path.join("manifest.json").exists()))
        .map(|path| path.display().to_string())
        .collect();
    found.sort();
    match &found[..] {
        [] => String::new(),
        [only] => format!("; did you mean {only}?"),
        [.., last] => format!("; it has {} of them, the last is {last}", found.len()),
    }
}

/// Formats a packet's path as text; see [`describe`].
pub fn packet_text(packet: &Value) -> String {
    describe(packet)
}

/// Formats a list of traced packets as text, those with the most detours first, at most `most`.
pub fn packet_list(packets: &[Value], most: usize) -> String {
    let mut sorted: Vec<&Value> = packets.iter().collect();
    let detours = |p: &Value| p["detours"].as_u64().unwrap_or(0);
    sorted.sort_by_key(|p| std::cmp::Reverse(detours(p)));
    let mut grid = Grid::default();
    let columns = [
        "packet", "scheme", "seed", "flow", "kind", "from", "to", "detours", "ended",
    ];
    grid.row(columns.map(String::from));
    grid.rule();
    for p in sorted.iter().take(most) {
        let plain = |key: &str| {
            p[key]
                .as_str()
                .map_or_else(|| p[key].to_string(), String::from)
        };
        let last = p["steps"].as_array().and_then(|s| s.last());
        let ended = last.and_then(|s| s["event"].as_str());
        let ended = ended
            .filter(|e| ["delivered", "dropped"].contains(e))
            .unwrap_or("under way");
        let cells = [
            "id", "scheme", "seed", "flow", "kind", "src", "dst", "detours",
        ]
        .map(plain);
        grid.row(cells.into_iter().chain([ended.to_string()]));
    }
    let mut out = grid.render(&[1, 4, 8]);
    if packets.len() > most {
        out.push_str(&format!("and {} more\n", packets.len() - most));
    }
    out
}
