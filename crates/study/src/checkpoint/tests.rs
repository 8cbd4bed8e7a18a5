use super::*;
use sidestep_sim::NoFiles;
use sidestep_types::Time;
use std::sync::Mutex;
use std::time::Duration;

const TEXT: &str = "duration = \"1 ms\"\nseeds = [1, 2]\nschemes = [\"dctcp\", \"dibs\"]\n\
    [topology]\nkind = \"fat_tree\"\nk = 4\n\
    [workload.query]\nkind = \"incast\"\ndegree = 15\nsize = \"40 kB\"\n";

fn scenario(sets: &[&str]) -> Scenario {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    let read = Scenario::read("t.toml", TEXT, &sets, &NoFiles);
    read.unwrap_or_else(|problems| panic!("{problems:?}"))
}

static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn remark(line: &str) {
    SAID.lock()
        .expect("no holder panics")
        .push(line.to_string());
}

/// Returns the remarks on files in `dir`, which one test uses.
fn said(dir: &Path) -> Vec<String> {
    let dir = dir.display().to_string();
    let all = SAID.lock().expect("no holder panics");
    all.iter()
        .filter(|line| line.contains(&dir))
        .cloned()
        .collect()
}

fn checkpoints(dir: &Path) -> Checkpoints {
    Checkpoints {
        every: CheckpointInterval::Simulated(Time::from_us(100)),
        dir: dir.to_path_buf(),
        remark,
    }
}

/// Runs DIBS with seed 1 until `until`, or to its end.
fn run_until(all: &Checkpoints, until: Time) -> Result<Run, Error> {
    let mut watch = |p: &Progress| match p.now >= until {
        true => Watch::Stop,
        false => Watch::Go,
    };
    let ran = all.run(&scenario(&[]), (1, 1), &TraceFilter::None, &mut watch);
    ran.map(|(run, _)| run)
}

#[test]
fn a_run_that_goes_on_has_taken_what_it_took_before() {
    let room = tempfile::tempdir().expect("a folder");
    let all = checkpoints(room.path());
    run_until(&all, Time::from_ms(4)).expect("it runs");
    // The times are set as if the run had taken an hour.
    for path in [0, 1].map(|at| slot(room.path(), at)) {
        let Ok(bytes) = fs::read(&path) else { continue };
        let (head, body) = read_head(&bytes).expect("whole");
        let (cpu_us, wall_us) = (3_000_000_000, 3_600_000_000);
        let hour = Head {
            cpu_us,
            wall_us,
            ..head
        };
        fs::write(&path, sealed(&hour, body)).expect("written");
    }
    let mut watch = |_: &Progress| Watch::Go;
    let ran = all.run(&scenario(&[]), (1, 1), &TraceFilter::None, &mut watch);
    let (_, spent) = ran.expect("it runs");
    assert!(
        (3_000.0..3_010.0).contains(&spent.cpu_s()),
        "{}",
        spent.cpu_s()
    );
    assert!(spent.wall_s() >= 3_600.0, "{}", spent.wall_s());
}

#[test]
fn a_later_checkpoint_that_cannot_be_written_does_not_end_the_run() {
    let room = tempfile::tempdir().expect("a folder");
    let all = checkpoints(room.path());
    let blocked = |at| hidden(&slot(room.path(), at));
    fs::create_dir(blocked(0)).expect("a folder in the place of a file");
    let first = run_until(&all, Time::MAX)
        .map(|_| ())
        .expect_err("nothing was kept");
    assert!(
        first.to_string().contains("cannot write the checkpoint"),
        "{first}"
    );
    fs::remove_dir(blocked(0)).expect("it is empty");
    fs::create_dir(blocked(1)).expect("a folder in the place of a file");
    let ended = run_until(&all, Time::MAX).expect("it runs");
    assert_eq!(ended.outcome, whole().outcome);
    assert!(
        slot(room.path(), 0).exists(),
        "the one before is still there"
    );
}

fn whole() -> Run {
    let go = &mut |_: &Progress| Watch::Go;
    sidestep_lab::run(&scenario(&[]), 1, 1, TraceFilter::None, go).expect("a run")
}

fn slot(dir: &Path, n: u64) -> PathBuf {
    dir.join(format!("dibs-1.{n}.checkpoint"))
}

#[test]
fn a_run_that_was_stopped_goes_on_from_its_last_checkpoint() {
    let room = tempfile::tempdir().expect("a folder");
    let all = checkpoints(room.path());
    let stopped = run_until(&all, Time::from_us(430)).expect("it runs");
    assert!(stopped.interrupted);
    let ended = run_until(&all, Time::MAX).expect("it goes on");
    assert_eq!(ended.outcome, whole().outcome);
    let told = said(room.path());
    assert_eq!(told.len(), 1, "{told:?}");
    // The run is stopped at the first checkpoint after 430 us.
    let from = told[0].starts_with("scheme dibs, seed 1 resumes at 500 us from ");
    assert!(from, "{told:?}");
    all.forget(&scenario(&[]), 1, 1);
    assert_eq!(fs::read_dir(room.path()).expect("it is there").count(), 0);
}

/// Checks checkpoints that a killed process left truncated: one of the two, then both.
#[test]
fn of_a_torn_checkpoint_the_one_before_is_taken_and_of_two_the_start() {
    let room = tempfile::tempdir().expect("a folder");
    let all = checkpoints(room.path());
    run_until(&all, Time::from_us(430)).expect("it runs");
    let number = |n| {
        let bytes = fs::read(slot(room.path(), n)).expect("two are kept");
        read_head(&bytes).expect("it is whole").0.number
    };
    let newest = u64::from(number(1) > number(0));
    for (n, expected) in [(newest, 3), (1 - newest, 4)] {
        let path = slot(room.path(), n);
        let bytes = fs::read(&path).expect("it is there");
        fs::write(&path, &bytes[..bytes.len() / 2]).expect("written");
        // Found before a new checkpoint is written.
        let again = all.found(&Name::of(&scenario(&[]), 1, 1, &TraceFilter::None), true);
        let again = again.expect("torn ones are passed over");
        assert_eq!(again.whole.len() + 2 * again.damaged.len(), expected);
    }
    let ended = run_until(&all, Time::MAX).expect("it begins anew");
    assert_eq!(ended.outcome, whole().outcome);
    let told = said(room.path());
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(
        told.iter().all(|line| line.ends_with("skipped")),
        "{told:?}"
    );
}

#[test]
fn a_checkpoint_whose_state_does_not_fit_is_passed_over() {
    let room = tempfile::tempdir().expect("a folder");
    let all = checkpoints(room.path());
    let name = Name::of(&scenario(&[]), 1, 1, &TraceFilter::None);
    let path = slot(room.path(), 0);
    place(&path, &sealed(&name.head(), b"no state")).expect("written");
    let ended = run_until(&all, Time::MAX).expect("it begins anew");
    assert_eq!(ended.outcome, whole().outcome);
    let told = said(room.path());
    assert!(told[0].contains("its state cannot be read"), "{told:?}");
}

#[test]
fn a_checkpoint_of_another_version_scenario_scheme_or_seed_is_refused_by_name() {
    let room = tempfile::tempdir().expect("a folder");
    let all = checkpoints(room.path());
    let path = slot(room.path(), 0);
    let own = Name::of(&scenario(&[]), 1, 1, &TraceFilter::None).head();
    let other = |set: &[&str]| {
        let name = Name::of(&scenario(set), 1, 1, &TraceFilter::None);
        (name.identity, own.identity.clone())
    };
    let (identity, expected) = other(&["duration=2 ms"]);
    let wrong = [
        (
            Head {
                code: "0.0.9-feed".into(),
                ..own.clone()
            },
            format!("version of Sidestep: expected {CODE}, got 0.0.9-feed"),
        ),
        (
            Head {
                scheme: "dctcp".into(),
                ..own.clone()
            },
            "scheme: expected dibs, got dctcp".into(),
        ),
        (
            Head {
                seed: 2,
                ..own.clone()
            },
            "seed: expected 1, got 2".into(),
        ),
        (
            Head {
                scenario: "u".into(),
                ..own.clone()
            },
            "scenario: expected t, got u".into(),
        ),
        (
            Head {
                identity: identity.clone(),
                ..own.clone()
            },
            format!("digest of the scenario's settings: expected {expected}, got {identity}"),
        ),
        (
            Head {
                trace: "Dropped".into(),
                ..own.clone()
            },
            "traced packets: expected None, got Dropped".into(),
        ),
    ];
    for (head, what) in wrong {
        place(&path, &sealed(&head, b"")).expect("written");
        let checked = all.check(&scenario(&[]), &TraceFilter::None, false);
        let ran = run_until(&all, Time::MAX).map(|_| ());
        for refused in [checked, ran] {
            let said = refused.expect_err("a refusal");
            assert_eq!(said.exit_status(), 2);
            let expected = format!(
                "{} is of another run: {what}; remove the file",
                path.display()
            );
            assert!(
                said.to_string().starts_with(&expected),
                "{said}\n{expected}"
            );
        }
    }
    let mut newer = sealed(&own, b"");
    let at = newer
        .iter()
        .position(|byte| *byte == b'1')
        .expect("its version");
    newer[at] = b'9';
    fs::write(&path, newer).expect("written");
    let said = run_until(&all, Time::MAX)
        .map(|_| ())
        .expect_err("a refusal")
        .to_string();
    assert!(
        said.contains("version of the format: expected 1, got 9"),
        "{said}"
    );
}

#[test]
fn recordings_are_refused_before_anything_runs() {
    let room = tempfile::tempdir().expect("a folder");
    let refused = checkpoints(room.path()).check(&scenario(&[]), &TraceFilter::None, true);
    assert!(
        refused
            .expect_err("a refusal")
            .to_string()
            .contains("cannot contain a recording")
    );
}

#[test]
fn by_the_clock_a_checkpoint_is_written_when_its_time_has_come() {
    let room = tempfile::tempdir().expect("a folder");
    let all = Checkpoints {
        every: CheckpointInterval::Clock(Duration::ZERO),
        ..checkpoints(room.path())
    };
    let mut seen = 0;
    let mut watch = |_: &Progress| {
        seen += 1;
        Watch::Go
    };
    let ended = all.run(&scenario(&[]), (1, 1), &TraceFilter::None, &mut watch);
    assert_eq!(ended.expect("it runs").0.outcome, whole().outcome);
    let kept = fs::read(slot(room.path(), 0)).expect("it was written");
    let last = fs::read(slot(room.path(), 1)).expect("it was written");
    let numbers = [kept, last].map(|bytes| read_head(&bytes).expect("whole").0.number);
    assert_eq!(
        numbers.iter().max().map(|n| n + 1),
        Some(seen),
        "one a look"
    );
}

#[test]
fn a_folder_is_one_calls_at_a_time() {
    let room = tempfile::tempdir().expect("a folder");
    let all = checkpoints(&room.path().join("kept"));
    let held = all.hold().expect("nobody has it");
    let refused = all.hold().expect_err("somebody has it").to_string();
    let expected = "kept is in use by another call; wait for it";
    assert!(refused.contains(expected), "{refused}");
    drop(held);
    all.hold().expect("nobody has it any more");
}

#[test]
fn a_folder_that_cannot_be_made_is_named_before_anything_runs() {
    let room = tempfile::tempdir().expect("a folder");
    fs::write(room.path().join("file"), "").expect("written");
    let refused = checkpoints(&room.path().join("file/kept")).hold();
    let said = refused.expect_err("a file is in the way").to_string();
    assert!(
        said.contains("cannot create the folder of checkpoints"),
        "{said}"
    );
}
