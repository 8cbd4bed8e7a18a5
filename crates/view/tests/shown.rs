//! Tests of the recordings shown: selection, order and refusals.

use crate::common::{Room, recording, shown};
use sidestep_view::{Choice, PageContents};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

fn names(shown: &PageContents) -> Vec<&str> {
    shown.recordings.iter().map(|r| r.name.as_str()).collect()
}

#[test]
fn two_schemes_on_one_seed_come_first_as_the_result_lists_them() {
    let room = Room::new();
    let dir = room.result("r", &["vertigo", "dctcp", "dibs"], &[10, 2]);
    let found = shown(&[&dir]).unwrap();
    let wanted = [
        "vertigo-2",
        "dctcp-2",
        "dibs-2",
        "vertigo-10",
        "dctcp-10",
        "dibs-10",
    ];
    assert_eq!(names(&found), wanted);
    assert_eq!(found.title, "an <incast>");
    assert!(found.summary.is_some());
    assert_eq!(
        names(&shown(&[&dir.join("recordings")]).unwrap())[0],
        "dctcp-2"
    );
}

#[test]
fn files_and_directories_stand_side_by_side_as_they_are_named() {
    let room = Room::new();
    let (a, b) = (
        room.result("a", &["dibs"], &[1]),
        room.result("b", &["dibs"], &[1]),
    );
    let alone = room.file("alone/dibs-1.srec", &recording("dibs", 1));
    let found = shown(&[&b, &alone, &a, &alone]).unwrap();
    assert_eq!(
        names(&found),
        ["b/dibs-1", "dibs-1", "a/dibs-1", "dibs-1 (2)"]
    );
    assert!(found.summary.is_none(), "whose would it be?");
    let one = shown(&[&alone]).unwrap();
    assert_eq!(names(&one), ["dibs-1"]);
    assert_eq!(one.recordings[0].bytes, recording("dibs", 1).len() as u64);
}

#[test]
fn schemes_and_seeds_are_chosen() {
    let room = Room::new();
    let dir = room.result("r", &["dctcp", "dibs"], &[1, 2]);
    let choose = |schemes: &[&str], seeds: &[u64]| {
        let choice = Choice {
            schemes: schemes.iter().map(|scheme| scheme.to_string()).collect(),
            seeds: seeds.to_vec(),
        };
        PageContents::gather(std::slice::from_ref(&dir), &choice)
    };
    assert_eq!(
        names(&choose(&["dibs"], &[]).unwrap()),
        ["dibs-1", "dibs-2"]
    );
    assert_eq!(names(&choose(&[], &[2]).unwrap()), ["dctcp-2", "dibs-2"]);
    let says = choose(&["dips"], &[2]).unwrap_err().to_string();
    assert_eq!(
        says,
        "--scheme, --seed: expected a recorded scheme and seed, got scheme dips, seed 2; the \
         recordings are dctcp with seed 1, dibs with seed 1, dctcp with seed 2, dibs with seed 2"
    );
}

#[test]
fn what_is_no_result_or_recording_is_refused_in_words() {
    let room = Room::new();
    let mut newer = recording("dibs", 1);
    newer[8] = 9;
    let whole = recording("dibs", 1);
    fs::create_dir(room.path("empty")).unwrap();
    room.file("plain/manifest.json", b"{}");
    room.file("spoilt/recordings/a.srec", &whole);
    room.file("spoilt/summary.json", b"{");
    let kind = "expected a result directory or a recording (.srec), got";
    let wrong: [(PathBuf, String); 8] = [
        (
            room.path("none"),
            format!("{kind} a path that does not exist"),
        ),
        (
            room.path("empty"),
            format!("{kind} a directory without manifest.json and recordings"),
        ),
        (
            room.path("plain"),
            "expected recordings/*.srec, got a result without recordings; record with `sidestep \
             run SCENARIO --record`"
                .into(),
        ),
        (room.file("notes.txt", b"a few notes"), "expected ".into()),
        (room.file("nothing.srec", b""), "expected ".into()),
        (
            room.file("cut.srec", &whole[..whole.len() - 9]),
            "the recording is cut off".into(),
        ),
        (
            room.file("newer.srec", &newer),
            "expected version 1 to 2 (a newer sidestep reads newer versions), got version 9".into(),
        ),
        (
            room.path("spoilt"),
            "summary.json: expected JSON, got ".into(),
        ),
    ];
    for (path, says) in wrong {
        let said = shown(&[&path]).unwrap_err();
        assert!(said.contains(&says), "{says}: {said}");
        assert!(said.contains(&path.display().to_string()), "{said}");
    }
}

#[test]
fn a_link_that_leaves_the_directory_is_refused() {
    let room = Room::new();
    let elsewhere = room.file("elsewhere/dibs-1.srec", &recording("dibs", 1));
    let dir = room.result("r", &["dctcp"], &[1]);
    symlink(&elsewhere, dir.join("recordings/dibs-1.srec")).unwrap();
    let said = shown(&[&dir]).unwrap_err();
    assert!(
        said.contains("got a link to") && said.contains("r/recordings/dibs-1.srec"),
        "{said}"
    );

    // A folder that is a link, and a summary that is one.
    let dir = room.path("s");
    fs::create_dir(&dir).unwrap();
    symlink(room.path("elsewhere"), dir.join("recordings")).unwrap();
    assert!(shown(&[&dir]).unwrap_err().contains("got a link to"));
    let dir = room.result("t", &["dctcp"], &[1]);
    fs::remove_file(dir.join("summary.json")).unwrap();
    symlink(
        room.file("other.json", b"{\"secret\":1}"),
        dir.join("summary.json"),
    )
    .unwrap();
    assert!(shown(&[&dir]).unwrap_err().contains("got a link to"));

    // A link that stays inside counts as a file, and a directory may be reached by a link.
    let dir = room.result("u", &["dctcp"], &[1]);
    symlink(
        dir.join("recordings/dctcp-1.srec"),
        dir.join("recordings/again.srec"),
    )
    .unwrap();
    symlink(&dir, room.path("way")).unwrap();
    assert_eq!(shown(&[&room.path("way")]).unwrap().recordings.len(), 2);
}

#[test]
fn a_pipe_in_the_place_of_a_recording_is_not_waited_for() {
    let room = Room::new();
    let dir = room.result("r", &["dctcp"], &[1]);
    let pipe = dir.join("recordings/pipe.srec");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let said = shown(&[&dir]).unwrap_err();
    assert!(
        said.contains("pipe.srec: expected a file")
            && said.ends_with("got a path that is not a file"),
        "{said}"
    );
}
