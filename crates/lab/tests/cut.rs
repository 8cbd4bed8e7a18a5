//! Every shipped scheme gives the same run in parts, however many: without threads, which `study` has.

use sidestep_lab::cut::{cut, refused};
use sidestep_lab::run_cut;
use sidestep_lab::{Run, Scenario, Watch, run, shipped};
use sidestep_sim::parts::SequentialCrew;
use sidestep_sim::{NoFiles, TraceFilter};
use std::sync::Arc;

/// Reads a tree with four pods, under load and a burst, with probes.
fn scenario(scheme: &str) -> Scenario {
    let text = format!(
        "duration = \"1 ms\"\ndrain = \"30 ms\"\nschemes = [{scheme:?}]\n\
         [topology]\nkind = \"fat_tree\"\nk = 4\n\
         [probe]\nlinks = \"130 us\"\n\
         [workload.query]\nkind = \"incast\"\ndegree = 12\nsize = \"20 kB\"\n\
         [workload.background]\nkind = \"background\"\nload = 0.4\ncdf = \"uniform 2 kB..98 kB\"\ninter_arrival = \"off\"\n"
    );
    let read = Scenario::read("t.toml", &text, &[], &NoFiles);
    read.unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn in_parts(scenario: &Scenario, count: usize) -> Run {
    let cut = Arc::new(cut(scenario, 0, count).expect("a cut"));
    let go = &mut |_: &_| Watch::Go;
    run_cut(scenario, (0, 1), &cut, Box::new(SequentialCrew), go).expect("a run")
}

#[test]
fn every_shipped_scheme_runs_in_parts_as_in_one_piece() {
    let mut in_one_piece = Vec::new();
    for (scheme, _) in shipped::SCHEMES {
        let scenario = scenario(scheme);
        if refused(&scenario, 0, &TraceFilter::None).is_some() {
            in_one_piece.push(*scheme);
            continue;
        }
        let whole = run(&scenario, 0, 1, TraceFilter::None, &mut |_| Watch::Go).expect("a run");
        assert!(whole.outcome.totals.packet_hops > 1_000, "{scheme}");
        for count in [2, 3, 8] {
            let parts = in_parts(&scenario, count);
            let hashes = [&parts, &whole].map(|run| run.outcome.trajectory_hash);
            assert_eq!(hashes[0], hashes[1], "{scheme} in {count} parts");
            assert!(parts.outcome == whole.outcome, "{scheme} in {count} parts");
            assert_eq!(parts.probed, whole.probed, "{scheme} in {count} parts");
            assert_eq!(parts.warnings, whole.warnings, "{scheme} in {count} parts");
        }
    }
    assert_eq!(in_one_piece, ["pfc"], "schemes that are not cut yet");
}

#[test]
fn what_is_looked_at_packet_by_packet_is_in_one_piece() {
    let with = |probe: &str| {
        let text = format!(
            "duration = \"1 ms\"\nschemes = [\"dibs\"]\n[topology]\nkind = \"fat_tree\"\nk = 4\n\
             [probe]\n{probe}\n[workload.q]\nkind = \"incast\"\ndegree = 12\nsize = \"20 kB\"\n"
        );
        let read = Scenario::read("t.toml", &text, &[], &NoFiles);
        let scenario = read.unwrap_or_else(|problems| panic!("{problems:?}"));
        refused(&scenario, 0, &TraceFilter::None)
    };
    let why = |probe: &str| with(probe).expect("a refusal");
    assert!(why("detours = true").contains("`probe.detours`"));
    assert!(why("paths = 3").contains("`probe.paths`"));
    assert!(why("loops = true").contains("`probe.loops`"));
    assert_eq!(with("links = \"100 us\""), None);
}
