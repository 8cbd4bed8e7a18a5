//! Rows of `bench --history`: the measurements of a benchmark, with commit, machine and load.

use crate::failure::Failure;
use sidestep_study::COMMIT;
use sidestep_study::bench::{BenchResult, COUNTED};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Columns, with their units. A value that could not be measured is empty.
const HEADER: &str = "unix_s,commit,machine,load_1min,benchmark,rounds,packet_hops,hops_per_cpu_s,instructions_per_hop,\
    peak_rss_mb,ratio_to_heap,trajectory_hash";

/// File that rows are appended to.
pub struct History {
    path: PathBuf,
}

impl History {
    /// Opens the file at `path`: created if missing, refused if it has other columns.
    pub fn open(path: &Path) -> Result<History, Failure> {
        let path = path.to_path_buf();
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                let first = text.lines().next().unwrap_or_default();
                if first != HEADER {
                    let path = path.display();
                    return Err(Failure::input(format!(
                        "{path}:1: expected the columns {HEADER}, got {first:?}"
                    )));
                }
                if !text.ends_with('\n') {
                    let (path, line) = (path.display(), text.lines().count());
                    return Err(Failure::input(format!(
                        "{path}:{line}: expected the end of a line, got the end of the file"
                    )));
                }
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                let made = File::create_new(&path).and_then(|mut file| writeln!(file, "{HEADER}"));
                made.map_err(|e| cannot(&path, &e))?;
            }
            Err(e) => return Err(cannot(&path, &e)),
        }
        Ok(History { path })
    }

    /// Appends a benchmark's measurements, with the instruction count of its short form, which `command` runs.
    pub fn append(&self, command: &Path, result: &BenchResult) -> Result<(), Failure> {
        // Read before Valgrind adds to the load.
        let load = load();
        let instructions = instructions_per_hop(command, &result.name)?;
        let row = row(&machine(), &load, instructions, result);
        let file = OpenOptions::new().append(true).open(&self.path);
        let written = file.and_then(|mut file| file.write_all(row.as_bytes()));
        written.map_err(|e| cannot(&self.path, &e))
    }
}

fn row(machine: &str, load: &str, instructions: Option<f64>, result: &BenchResult) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.map_or(0, |since| since.as_secs());
    let instructions = instructions.map_or(String::new(), |n| format!("{n:.1}"));
    format!(
        "{now},{COMMIT},{machine},{load},{},{},{},{:.0},{instructions},{:.1},{:.3},{:016x}\n",
        result.name,
        result.rounds,
        result.packet_hops,
        result.hops_per_cpu_s,
        result.peak_rss_mb,
        result.ratio_to_heap,
        result.trajectory_hash,
    )
}

/// Returns the instructions per packet-hop, counted by Valgrind; `None` if that is not installed.
fn instructions_per_hop(command: &Path, name: &str) -> Result<Option<f64>, Failure> {
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(format!("--toggle-collect={COUNTED}"))
        .arg(command)
        .args(["bench", name, "--brief"])
        .stdin(Stdio::null())
        .output();
    let run = match run {
        Ok(run) => run,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(Failure::work(format!("valgrind did not start: {e}"))),
    };
    let said = String::from_utf8_lossy(&run.stderr);
    let hops = String::from_utf8_lossy(&run.stdout).trim().parse::<f64>();
    match (run.status.success(), collected(&said), hops) {
        (true, Some(all), Ok(hops)) if all > 0.0 && hops > 0.0 => Ok(Some(all / hops)),
        _ => Err(Failure::work(format!(
            "valgrind counted nothing of the short form of {name} ({}): {}",
            run.status,
            said.trim()
        ))),
    }
}

/// Parses the number of instructions in callgrind's output.
fn collected(said: &str) -> Option<f64> {
    let (_, after) = said.split_once("Collected : ")?;
    after.split_whitespace().next()?.parse().ok()
}

/// Returns the number of cores and the processor model, without commas.
fn machine() -> String {
    let known = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = known
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("unknown", |(_, model)| model.trim());
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!("{cores} x {}", model.replace(',', " "))
}

/// Returns Linux's load average of the last minute; empty on other systems.
fn load() -> String {
    let known = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    known
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .to_string()
}

fn cannot(path: &Path, e: &std::io::Error) -> Failure {
    Failure::work(format!("cannot write {}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result() -> BenchResult {
        BenchResult {
            name: "perm128".into(),
            packet_hops: 1000,
            cpu_s: 0.5,
            hops_per_cpu_s: 2000.0,
            events_per_hop: 1.0,
            peak_rss_mb: 6.25,
            ratio_to_heap: 1.5,
            rounds: 3,
            trajectory_hash: 0xabc,
        }
    }

    #[test]
    fn a_row_has_a_value_for_each_column_and_says_nothing_of_what_was_not_counted() {
        for instructions in [Some(480.25), None] {
            let row = row("2 x CPU", "0.70", instructions, &result());
            let row = row.strip_suffix('\n').expect("a whole line");
            let values: Vec<&str> = row.split(',').collect();
            assert_eq!(values.len(), HEADER.split(',').count(), "{row}");
            let at = |column| {
                values[HEADER
                    .split(',')
                    .position(|c| c == column)
                    .expect("a column")]
            };
            let said = instructions.map_or(String::new(), |n| format!("{n:.1}"));
            assert_eq!(at("instructions_per_hop"), said);
            assert_eq!((at("hops_per_cpu_s"), at("peak_rss_mb")), ("2000", "6.2"));
            assert_eq!(at("trajectory_hash"), "0000000000000abc");
        }
    }

    #[test]
    fn what_callgrind_collected_is_read() {
        let said = "==7== Collected : 1234567\n==7==\n==7== I   refs:      1,234,567\n";
        assert_eq!(collected(said), Some(1_234_567.0));
        assert_eq!(collected("==7== nothing\n"), None);
    }

    #[test]
    fn a_file_with_other_columns_or_half_a_row_is_refused_and_a_new_one_gets_them() {
        let room = tempfile::tempdir().expect("a folder");
        let path = room.path().join("history.csv");
        assert!(History::open(&path).is_ok(), "a new file");
        assert!(History::open(&path).is_ok(), "its own file");
        let whole = std::fs::read_to_string(&path).expect("it is there");
        assert_eq!(whole, format!("{HEADER}\n"));
        for wrong in ["a,b\n".to_string(), format!("{HEADER}\n1,2")] {
            std::fs::write(&path, &wrong).expect("written");
            assert!(History::open(&path).is_err(), "{wrong}");
        }
    }
}
