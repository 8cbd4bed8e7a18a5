//! Memory check: refuses experiments that need more memory than is free.
//!
//! **Decision**     free memory is the minimum of: the memory that the system reports as available, the rest of
//!                  each control group of this process, and the rest of its address-space limit.
//! **Errors**       refused before anything is planned, by the numbers of [`Estimate`]. If nothing can be read,
//!                  as on other systems, everything fits.

use crate::Error;
use sidestep_lab::{Estimate, Experiment, RecordSpec, Scenario};
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the bytes that this process may still allocate, if the system reports them.
pub fn free() -> Option<u64> {
    let of_groups = groups().into_iter().filter_map(|group| left(&group));
    let all = [available(), address_space()];
    all.into_iter().flatten().chain(of_groups).min()
}

/// Refuses an experiment that does not fit into memory with `jobs` runs at a time of `threads` threads each.
pub fn refuse(experiment: &Experiment, jobs: usize, threads: usize) -> Result<(), Error> {
    let estimate = || experiment.estimate().in_parts(threads);
    match free() {
        Some(free) => against(&experiment.name, &estimate(), jobs, free),
        None => Ok(()),
    }
}

/// Refuses a recorded scenario that does not fit into memory with `jobs` runs at a time.
pub fn refuse_recorded(scenario: &Scenario, spec: &RecordSpec, jobs: usize) -> Result<(), Error> {
    match free() {
        Some(free) => against(
            &scenario.name,
            &scenario.estimate_recorded(spec),
            jobs,
            free,
        ),
        None => Ok(()),
    }
}

/// Refuses several experiments of one call, named `name` together, if they do not fit into memory.
pub fn refuse_all(name: &str, experiments: &[&Experiment], jobs: usize) -> Result<(), Error> {
    match free() {
        Some(free) => against(name, &together(experiments), jobs, free),
        None => Ok(()),
    }
}

/// Estimates several experiments together: their runs may be mixed at any time, and the results of all are
/// kept.
fn together(experiments: &[&Experiment]) -> Estimate {
    let all = experiments.iter().map(|experiment| experiment.estimate());
    all.fold(Estimate::default(), Estimate::and)
}

fn against(name: &str, estimate: &Estimate, jobs: usize, free: u64) -> Result<(), Error> {
    let jobs = jobs.clamp(1, estimate.runs.max(1));
    let needed = estimate.bytes(jobs);
    if needed <= free as f64 {
        return Ok(());
    }
    let at_a_time = match jobs {
        1 => "single runs".to_string(),
        jobs => format!("{jobs} runs at a time"),
    };
    let alone = estimate.bytes(1);
    let less = match jobs > 1 && alone <= free as f64 {
        true => format!("--jobs 1 needs about {}", size(alone)),
        false => "make the network, duration, rates or seeds smaller".to_string(),
    };
    Err(Error::Input(format!(
        "{name}: {at_a_time} (about {} flows each) need about {} of memory, but only {} are free; \
         {less}, or use --force to run anyway",
        crate::format::count(estimate.flows.round() as u64),
        size(needed),
        size(free as f64),
    )))
}

/// Formats bytes with two digits, as in `12 GiB`: an estimate has no third.
pub fn size(bytes: f64) -> String {
    const STEPS: [(f64, &str); 3] = [(1073741824.0, "GiB"), (1048576.0, "MiB"), (1024.0, "KiB")];
    let fits = STEPS.iter().find(|(step, _)| bytes >= 0.95 * step);
    let (step, unit) = fits.unwrap_or(&(1.0, "B"));
    match bytes / step {
        n if n < 9.95 => format!("{n:.1} {unit}"),
        n => format!("{n:.0} {unit}"),
    }
}

fn available() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// Returns the rest of the limit on address space, `ulimit -v`.
fn address_space() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
    let held = fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = held.split_whitespace().next()?.parse().ok()?;
    Some(limit.saturating_sub(pages * 4096))
}

/// Lists the control groups of this process, of version 1 and 2, innermost first.
fn groups() -> Vec<PathBuf> {
    let text = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mut all = Vec::new();
    for line in text.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
            continue;
        };
        let root = match controllers {
            "" => "/sys/fs/cgroup",
            c if c.split(',').any(|c| c == "memory") => "/sys/fs/cgroup/memory",
            _ => continue,
        };
        let own = Path::new(root).join(path.trim_start_matches('/'));
        let up = own.ancestors().take_while(|path| path.starts_with(root));
        all.extend(up.map(Path::to_path_buf));
    }
    all
}

/// Returns the bytes left in a control group, if it has a limit. The page cache of files counts as free.
fn left(group: &Path) -> Option<u64> {
    let number = |name: &str| -> Option<u64> {
        fs::read_to_string(group.join(name))
            .ok()?
            .trim()
            .parse()
            .ok()
    };
    let limit = number("memory.max").or_else(|| number("memory.limit_in_bytes"))?;
    let used = number("memory.current").or_else(|| number("memory.usage_in_bytes"))?;
    let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let cached = stat
        .lines()
        .find_map(|line| line.strip_prefix("inactive_file "));
    let cached: u64 = cached.and_then(|n| n.trim().parse().ok()).unwrap_or(0);
    Some(limit.saturating_sub(used.saturating_sub(cached)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::library::{ExperimentEntry, ExperimentLibrary};
    use crate::reproduce::long::takes_hours;
    use sidestep_lab::stats::Sample;
    use sidestep_sim::NoFiles;
    use sidestep_types::Time;

    #[test]
    fn what_does_not_fit_is_refused_with_both_numbers() {
        let estimate = Estimate {
            flows: 48e6,
            runs: 4,
            run_bytes: 6e9,
            ..Estimate::default()
        };
        let said = |jobs, free| match against("a", &estimate, jobs, free) {
            Ok(()) => "fits".to_string(),
            Err(e) => e.to_string(),
        };
        assert_eq!(said(2, 13 << 30), "fits");
        assert_eq!(
            said(2, 8 << 30),
            "a: 2 runs at a time (about 48,000,000 flows each) need about 11 GiB of memory, but \
             only 8.0 GiB are free; --jobs 1 needs about 5.6 GiB, or use --force to run anyway"
        );
        assert_eq!(
            said(1, 1 << 30),
            "a: single runs (about 48,000,000 flows each) need about 5.6 GiB of memory, but only \
             1.0 GiB are free; make the network, duration, rates or seeds smaller, or use --force \
             to run anyway"
        );
    }

    #[test]
    fn figures_of_one_call_need_the_largest_run_and_all_that_is_kept() {
        let of = |text: &str| Experiment::read("a.toml", text, &[], false, &NoFiles).unwrap();
        let file = "duration = \"10 ms\"\nseeds = \"1..2\"\nschemes = [\"dctcp\"]\n[topology]\nkind = \"single_switch\"\nhosts = 4\n\
            [workload.a]\nkind = \"query\"\nrate = \"2 k/s\"\ndegree = 3\n";
        let (small, large) = (of(file), of(&file.replace("10 ms", "1 s")));
        let (a, b) = (small.estimate(), large.estimate());
        let all = together(&[&small, &large]);
        assert_eq!((all.runs, all.run_bytes), (a.runs + b.runs, b.run_bytes));
        assert_eq!(all.kept_bytes, a.kept_bytes + b.kept_bytes);
        assert!(a.kept_bytes > 0.0 && a.run_bytes < b.run_bytes);
        // All shipped figures together fit into a small machine, so no earlier command is refused.
        let shelf = ExperimentLibrary::open(Path::new("nowhere")).unwrap();
        let books = shelf.find(None).unwrap();
        let read = |book: &&ExperimentEntry| {
            let file = format!("{}/{}.toml", book.paper, book.name);
            Experiment::read(&file, &book.text, &[], false, &shelf.beside(book)).unwrap()
        };
        let unnamed = |experiment: &Experiment| !takes_hours(experiment);
        let shipped: Vec<Experiment> = books.iter().map(read).filter(unnamed).collect();
        let all = together(&shipped.iter().collect::<Vec<_>>());
        assert!(all.bytes(2) < 4e9, "{}", all.bytes(2));
        // None of their samples is rounded.
        assert!(all.flows < Sample::EACH as f64, "{}", all.flows);
    }

    #[test]
    fn recordings_take_memory_as_long_as_their_window() {
        let text = "duration = \"1 s\"\nschemes = [\"dctcp\"]\n[topology]\nkind = \"fat_tree\"\nk = 4\n\
            [workload.a]\nkind = \"query\"\nrate = \"2 k/s\"\ndegree = 15\n";
        let scenario = Scenario::read("a.toml", text, &[], &NoFiles).unwrap();
        let without = scenario.estimate();
        let of = |window: Option<(u64, u64)>| {
            let window = window.map(|(from, to)| (Time::from_ms(from), Time::from_ms(to)));
            let spec = RecordSpec {
                window,
                ..RecordSpec::default()
            };
            scenario.estimate_recorded(&spec).run_bytes - without.run_bytes
        };
        let (whole, tenth) = (of(Some((0, 1000))), of(Some((100, 200))));
        assert!(whole > 1.5 * tenth && tenth > 8e6, "{whole}, {tenth}");
        // If no window is given, the estimate is for as much as the recorder keeps, and at most for the whole
        // run.
        assert!(of(None) <= whole && of(None) < tenth + 36e6, "{}", of(None));
    }

    #[test]
    fn a_control_group_has_left_what_is_not_used_or_can_be_given_back() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
        assert_eq!(left(dir.path()), None);
        write("memory.current", "600\n");
        write("memory.max", "max\n");
        assert_eq!(left(dir.path()), None, "no limit");
        write("memory.max", "1000\n");
        assert_eq!(left(dir.path()), Some(400));
        write("memory.stat", "anon 1\ninactive_file 150\n");
        assert_eq!(left(dir.path()), Some(550));
    }

    #[test]
    fn sizes_have_two_digits() {
        let all = [900.0, 2e6, 5.5e9, 1.3e10];
        assert_eq!(all.map(size), ["900 B", "1.9 MiB", "5.1 GiB", "12 GiB"]);
    }
}
