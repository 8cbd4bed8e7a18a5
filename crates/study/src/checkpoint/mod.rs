//! Checkpoints: an interrupted run resumes from its last saved state.
//!
//! **Decision**  the state is saved after an interval of simulated time or of wall-clock time. A wall-clock
//!               interval is checked at each thousandth of the run. The last two checkpoints of each run are
//!               kept; a new one replaces the older. When the result of all runs is written, their checkpoints
//!               are removed.
//! **State**     one file a checkpoint ([`sidestep_lab::checkpoint`]), `DIR/SCHEME-SEED.0.checkpoint` and `.1`.
//! **Errors**    a checkpoint of another version, scenario, scheme or seed is refused, and nothing runs. A
//!               truncated or damaged one is skipped with a remark; the run resumes from the one before, or
//!               starts anew. If the first checkpoint cannot be written, the run ends. If a later one cannot,
//!               the run goes on with a remark, since the one before is still there.
//! **Processes** one at a time in a folder: two would remove each other's files, so the second is refused.

mod every;
mod held;

pub use every::CheckpointInterval;
pub use held::FolderLock;

use crate::Error;
use crate::sweep::{CODE, Key};
use crate::usage::thread_cpu_s;
use sidestep_lab::checkpoint::{Head, HeadError, body_of, go_on, read_head, sealed};
use sidestep_lab::{Progress, Run, Scenario, Session, Watch};
use sidestep_sim::TraceFilter;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Settings of checkpoints: their interval and their folder.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    /// Interval between checkpoints.
    pub every: CheckpointInterval,
    /// Folder of the checkpoints, created with the first one.
    pub dir: PathBuf,
    /// Receives a message where a run resumes, and one for each damaged checkpoint.
    pub remark: fn(&str),
}

/// Checkpoints kept of each run.
const KEPT: u64 = 2;

impl Checkpoints {
    /// Refuses, before anything runs, a call that cannot be checkpointed (a recording, or a scheme with the
    /// caller's own policies), and a folder with checkpoints of another run.
    pub fn check(
        &self,
        scenario: &Scenario,
        trace: &TraceFilter,
        recorded: bool,
    ) -> Result<(), Error> {
        if recorded {
            let why = "a checkpoint cannot contain a recording; leave out --record or --checkpoint";
            return Err(Error::Input(format!("--checkpoint: {why}")));
        }
        for (number, scheme) in scenario.schemes.iter().enumerate() {
            if scheme.own.is_some() {
                return Err(Error::Input(format!(
                    "--checkpoint: scheme {} has a policy from a plug-in or from Python, whose \
                     state cannot be saved; leave out the scheme or --checkpoint",
                    scheme.name
                )));
            }
            for seed in &scenario.seeds {
                // Existing checkpoints are read before other runs spend time.
                self.found(&Name::of(scenario, number, *seed, trace), false)?;
            }
        }
        Ok(())
    }

    /// Locks the folder for this call until the returned value is dropped; refuses a folder that another call
    /// has locked.
    pub fn hold(&self) -> Result<FolderLock, Error> {
        FolderLock::new(&self.dir, self.remark)
    }

    /// Runs scheme number `scheme` with `seed`, from its last intact checkpoint if there is one.
    pub fn run(
        &self,
        scenario: &Scenario,
        (scheme, seed): (usize, u64),
        trace: &TraceFilter,
        watch: &mut dyn FnMut(&Progress) -> Watch,
    ) -> Result<(Run, Spent), Error> {
        let name = Name::of(scenario, scheme, seed, trace);
        let mut spent = Spent::begin();
        let fresh = || -> Result<Session, Error> {
            Session::new(scenario, scheme, seed, trace.clone()).map_err(|why| name.failed(&why))
        };
        let mut session = fresh()?;
        if let Some(why) = session.cannot_be_kept() {
            return Err(Error::Input(format!(
                "--checkpoint: scheme {}, seed {seed}: {why}, and its state cannot be saved",
                name.scheme
            )));
        }
        let found = self.found(&name, true)?;
        found.damaged.iter().for_each(|why| (self.remark)(why));
        let mut number = found.next;
        for whole in found.whole {
            let path = whole.path.display();
            match go_on(fresh()?, &whole.body) {
                Ok(gone_on) => {
                    let at = gone_on.now();
                    (self.remark)(&format!("{name} resumes at {at} from {path}"));
                    session = gone_on;
                    spent.before(whole.cpu_us, whole.wall_us);
                    break;
                }
                Err(why) => (self.remark)(&format!("{path}: {why}; skipped")),
            }
        }
        let mut due = self.every.after(session.now(), Instant::now());
        loop {
            let over = session.run_until(due.at.min(session.next_step()));
            if over || watch(&session.glance()) == Watch::Stop {
                break;
            }
            let (now, clock) = (session.now(), Instant::now());
            if due.is_now(now, clock) {
                match self.write(&name, &session, number, &spent) {
                    Ok(()) => number += 1,
                    Err(why) if number == 0 => return Err(why),
                    // The checkpoint before is still there, and a later one may find room on the disk.
                    Err(why) => (self.remark)(&format!("{why}; the run goes on")),
                }
                due = self.every.after(now, Instant::now());
            }
        }
        if !session.is_over() {
            // A stopped run can be resumed from here.
            self.write(&name, &session, number, &spent)?;
        }
        Ok((session.finish(), spent))
    }

    /// Removes the checkpoints of a run whose result is written.
    pub fn forget(&self, scenario: &Scenario, scheme: usize, seed: u64) {
        let name = Name::of(scenario, scheme, seed, &TraceFilter::None);
        for path in (0..KEPT).map(|slot| self.path(&name, slot)) {
            for path in [hidden(&path), path] {
                if let Err(e) = fs::remove_file(&path)
                    && e.kind() != io::ErrorKind::NotFound
                {
                    (self.remark)(&format!("cannot remove {}: {e}", path.display()));
                }
            }
        }
    }

    fn path(&self, name: &Name, slot: u64) -> PathBuf {
        let (scheme, seed) = (&name.scheme, name.seed);
        self.dir.join(format!("{scheme}-{seed}.{slot}.checkpoint"))
    }

    fn write(
        &self,
        name: &Name,
        session: &Session,
        number: u64,
        spent: &Spent,
    ) -> Result<(), Error> {
        let path = self.path(name, number % KEPT);
        let body = body_of(session).map_err(|why| name.failed(&why))?;
        let head = Head {
            number,
            cpu_us: micros(spent.cpu_s()),
            wall_us: micros(spent.wall_s()),
            ..name.head()
        };
        place(&path, &sealed(&head, &body)).map_err(|e| {
            let path = path.display();
            Error::Unwritten(format!("cannot write the checkpoint {path}: {e}"))
        })
    }

    /// Finds the checkpoints of a run, the newest intact one first. Refuses those of another run.
    fn found(&self, name: &Name, bodies: bool) -> Result<Found, Error> {
        let mut found = Found::default();
        for slot in 0..KEPT {
            let path = self.path(name, slot);
            let bytes = match fs::read(&path) {
                Ok(bytes) => bytes,
                Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
                Err(e) => {
                    let path = path.display();
                    return Err(Error::Input(format!(
                        "cannot read the checkpoint {path}: {e}"
                    )));
                }
            };
            match read_head(&bytes) {
                Err(HeadError::Torn(why)) => {
                    let path = path.display();
                    found.damaged.push(format!("{path}: {why}; skipped"));
                }
                Err(HeadError::Version { expected, got }) => {
                    return Err(refused(&path, "version of the format", &expected, &got));
                }
                Ok((head, body)) => {
                    name.refuse(&path, &head)?;
                    found.next = found.next.max(head.number + 1);
                    found.whole.push(Whole {
                        number: head.number,
                        cpu_us: head.cpu_us,
                        wall_us: head.wall_us,
                        path,
                        body: if bodies { body.to_vec() } else { Vec::new() },
                    });
                }
            }
        }
        found
            .whole
            .sort_by_key(|whole| std::cmp::Reverse(whole.number));
        Ok(found)
    }
}

/// Checkpoints found for one run.
#[derive(Default)]
struct Found {
    whole: Vec<Whole>,
    damaged: Vec<String>,
    /// Number of the next checkpoint.
    next: u64,
}

struct Whole {
    number: u64,
    cpu_us: u64,
    wall_us: u64,
    path: PathBuf,
    body: Vec<u8>,
}

/// CPU time and wall-clock time of a run, including the time before an interruption.
pub struct Spent {
    cpu_s: f64,
    wall_s: f64,
    wall: Instant,
    cpu: f64,
}

impl Spent {
    fn begin() -> Spent {
        Spent {
            cpu_s: 0.0,
            wall_s: 0.0,
            wall: Instant::now(),
            cpu: thread_cpu_s(),
        }
    }

    fn before(&mut self, cpu_us: u64, wall_us: u64) {
        (self.cpu_s, self.wall_s) = (cpu_us as f64 / 1e6, wall_us as f64 / 1e6);
    }

    /// Returns seconds of CPU time.
    pub fn cpu_s(&self) -> f64 {
        self.cpu_s + thread_cpu_s() - self.cpu
    }

    /// Returns seconds of wall-clock time.
    pub fn wall_s(&self) -> f64 {
        self.wall_s + self.wall.elapsed().as_secs_f64()
    }
}

fn micros(seconds: f64) -> u64 {
    (seconds * 1e6) as u64
}

/// Identity of the run that a checkpoint belongs to.
struct Name {
    scenario: String,
    scheme: String,
    seed: u64,
    identity: String,
    trace: String,
}

impl Name {
    fn of(scenario: &Scenario, scheme: usize, seed: u64, trace: &TraceFilter) -> Name {
        Name {
            scenario: scenario.name.clone(),
            scheme: scenario.schemes[scheme].name.clone(),
            seed,
            identity: Key::of(scenario, scheme, seed).digits(),
            trace: format!("{trace:?}"),
        }
    }

    fn head(&self) -> Head {
        Head {
            code: CODE.to_string(),
            scenario: self.scenario.clone(),
            scheme: self.scheme.clone(),
            seed: self.seed,
            identity: self.identity.clone(),
            trace: self.trace.clone(),
            number: 0,
            cpu_us: 0,
            wall_us: 0,
        }
    }

    /// Refuses a checkpoint of another version, scheme, seed or scenario, or with another set of traced
    /// packets.
    fn refuse(&self, path: &Path, got: &Head) -> Result<(), Error> {
        let own = self.head();
        let all = [
            ("version of Sidestep", &own.code, &got.code),
            ("scheme", &own.scheme, &got.scheme),
            ("seed", &own.seed.to_string(), &got.seed.to_string()),
            ("scenario", &own.scenario, &got.scenario),
            (
                "digest of the scenario's settings",
                &own.identity,
                &got.identity,
            ),
            ("traced packets", &own.trace, &got.trace),
        ];
        match all.iter().find(|(_, expected, got)| expected != got) {
            Some((what, expected, got)) => Err(refused(path, what, expected, got)),
            None => Ok(()),
        }
    }

    fn failed(&self, why: &str) -> Error {
        Error::Run(format!("{self}: {why}"))
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "scheme {}, seed {}", self.scheme, self.seed)
    }
}

fn refused(path: &Path, what: &str, expected: &str, got: &str) -> Error {
    Error::Input(format!(
        "{} is of another run: {what}: expected {expected}, got {got}; remove the file to start \
         anew, or choose another folder with --checkpoint-to",
        path.display()
    ))
}

/// Returns the path of a checkpoint while it is being written.
fn hidden(path: &Path) -> PathBuf {
    path.with_extension("partial")
}

/// Writes a file atomically: writes it under another name, flushes it to the disk, then renames it over the old
/// file.
fn place(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().expect("a checkpoint is in a folder");
    fs::create_dir_all(folder)?;
    let hidden = hidden(path);
    let mut file = fs::File::create(&hidden)?;
    io::Write::write_all(&mut file, bytes)?;
    file.sync_all()?;
    fs::rename(&hidden, path)?;
    // Flushing the folder puts the new name on the disk as well.
    fs::File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests;
