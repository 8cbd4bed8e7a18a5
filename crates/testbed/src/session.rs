//! Session on a testbed that is up: runs the scenario's seeds and writes their result directory.

use crate::error::Error;
use crate::log::Log;
use crate::network::changes::check_engine;
use crate::network::lock::{Lock, occupy};
use crate::network::state::State;
use crate::order::Order;
use crate::run::{RunOutputs, check_record, each};
use crate::setup::TestbedSetup;
use crate::standing::standing;
use serde_json::Value;
use sidestep_study::{Recorder, Report, Status, WrittenRecording};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Testbed locked for exclusive use until this is dropped.
pub struct Session {
    state: State,
    order: Order,
    setup: TestbedSetup,
    _busy: Lock,
}

/// Results of a session's runs.
pub struct Recorded {
    /// Result directory.
    pub dir: PathBuf,
    report: Report,
    /// Description of the testbed, as in the manifest.
    about: Value,
    /// Description of the testbed, as text.
    line: String,
    /// Recordings in the directory, as in the manifest.
    recordings: Vec<Value>,
}

impl Session {
    /// Opens the testbed called `name`, or the only one, with `seeds` if given.
    pub fn open(name: &Option<String>, seeds: Option<&str>) -> Result<Session, Error> {
        let state = standing(name)?;
        let busy = occupy(&state.blueprint.name)?;
        let order = Order::from_json(&state.blueprint.name, &state.note)?;
        let setup = order.read(seeds)?;
        same(&state, &setup)?;
        check_engine(&state.engine, &setup.changes)?;
        Ok(Session {
            state,
            order,
            setup,
            _busy: busy,
        })
    }

    /// Returns the name of the scenario.
    pub fn scenario(&self) -> &str {
        &self.setup.scenario.name
    }

    /// Runs the seeds one after the other and writes the result directory `out`.
    ///
    /// Optional outputs that `how` requests are written beside the tables.
    pub fn record(
        &self,
        out: &Path,
        how: RunOutputs,
        stop: &AtomicBool,
    ) -> Result<Recorded, Error> {
        let (setup, state) = (&self.setup, &self.state);
        if how.record {
            check_record(setup, state)?;
        }
        let mut recorder = Recorder::begin(&setup.scenario, out, 1, false)?;
        if how.kernel_stats {
            recorder.expect_kernel()?;
        }
        let mut log = Log::of(state);
        let (mut begun, mut kept) = (0, 0);
        let ended = each(setup, state, how, stop, &mut log, |seed, run, wall_s| {
            begun += 1;
            match run {
                Some(mut done) => {
                    kept += 1;
                    recorder.add(0, &mut done.run, None, wall_s);
                    recorder.add_kernel(&done.kernel);
                }
                None => recorder.not_run(0, seed),
            }
            Ok(())
        });
        let seeds = &setup.scenario.seeds;
        let Err(why) = ended else {
            return self.finish(recorder, &log);
        };
        if kept == 0 {
            return Err(why.and("no run was completed before that, and nothing is written"));
        }
        for seed in &seeds[begun..] {
            recorder.not_run(0, *seed);
        }
        recorder.warn(format!("seed {}: {why}", seeds[begun]));
        let all = seeds.len();
        Err(match self.finish(recorder, &log) {
            Ok(written) => why.and(format_args!(
                "the {kept} of {all} runs completed before that are in {}",
                written.dir.display()
            )),
            Err(also) => why.and(also),
        })
    }

    /// Writes the runs recorded so far.
    fn finish(&self, mut recorder: Recorder<'_>, log: &Log) -> Result<Recorded, Error> {
        let (setup, state) = (&self.setup, &self.state);
        for warning in log.warnings() {
            recorder.warn(warning);
        }
        let about = log.to_json(setup, state, &self.order);
        recorder.remark("testbed", about.clone());
        let finished = recorder.finish()?;
        Ok(Recorded {
            dir: finished.dir,
            report: finished.report,
            about,
            line: log.to_text(setup, state),
            recordings: finished
                .recordings
                .iter()
                .map(WrittenRecording::to_json)
                .cloned()
                .collect(),
        })
    }
}

impl Recorded {
    /// Returns true if every seed was run.
    pub fn is_complete(&self) -> bool {
        self.report.status == Status::Complete
    }

    /// Returns the summary, the directory, and the measurements of the testbed itself.
    pub fn to_json(&self) -> Value {
        let mut json = self.report.to_json();
        json["result"] = self.dir.display().to_string().into();
        json["testbed"] = self.about.clone();
        if !self.recordings.is_empty() {
            json["recordings"] = self.recordings.clone().into();
        }
        json
    }

    /// Returns the summary as a table, followed by a description of the testbed and the paths. `all`: the whole table, not
    /// the answer only.
    pub fn to_text(&self, all: bool) -> String {
        let table = match all {
            true => self.report.to_text(),
            false => self.report.answer(),
        };
        let (line, dir) = (&self.line, self.dir.display());
        format!("{table}{line}\nreport: {dir}/report.html\nresult: {dir}\n")
    }
}

/// Checks that the scenario still describes the network that was built; the send buffer may differ, as it
/// depends on the seeds.
fn same(state: &State, setup: &TestbedSetup) -> Result<(), Error> {
    let mut now = setup.blueprint.clone();
    now.settings.send_buffer = state.blueprint.settings.send_buffer;
    if now != state.blueprint {
        return Err(Error::Input(format!(
            "scenario {} has changed since testbed {} was built; remove the testbed and build it \
             again",
            setup.scenario.name, state.blueprint.name
        )));
    }
    Ok(())
}
