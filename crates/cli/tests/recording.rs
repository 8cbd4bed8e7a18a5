//! Tests of `run --record` and `show --recording`: the same bytes at any number of threads, and messages for
//! refusals.

use crate::common;

use common::Room;
use serde_json::Value;
use std::fs;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// Records `quickstart` into `out`, with `more` arguments.
fn record(room: &Room, out: &str, more: &[&str]) -> Value {
    let args = [
        &[
            "run",
            "quickstart",
            "--seed",
            "1",
            "--record",
            "--json",
            "--out",
            out,
        ][..],
        more,
    ];
    json(&room.run(&args.concat()).with_status(0).out)
}

#[test]
fn the_number_of_threads_changes_no_byte_and_a_cached_run_is_made_anew() {
    let room = Room::new();
    room.run(&["run", "quickstart", "--seed", "1", "--out", "plain"])
        .with_status(0);
    let told = record(&room, "one", &["--jobs", "1"]);
    record(&room, "four", &["--jobs", "4"]);
    let listed = told["recordings"].as_array().unwrap();
    assert!(listed.len() > 1, "{told}");
    let manifest = json(&fs::read_to_string(room.path().join("one/manifest.json")).unwrap());
    assert_eq!(&manifest["recordings"], &told["recordings"]);
    for recording in listed {
        let file = recording["file"].as_str().unwrap();
        let read = |dir: &str| fs::read(room.path().join(dir).join(file)).unwrap();
        assert_eq!(read("one").len() as u64, recording["bytes"]);
        assert!(read("one") == read("four"), "{file}");
    }
    // The recording changes nothing else.
    for file in ["summary.json", "flows.parquet", "ports.parquet"] {
        let read = |dir: &str| fs::read(room.path().join(dir).join(file)).unwrap();
        if file != "summary.json" {
            assert!(read("plain") == read("one"), "{file}");
        }
    }
}

#[test]
fn what_was_recorded_is_shown_and_so_are_events() {
    let room = Room::new();
    let told = record(&room, "r", &["--record-flows", "none"]);
    let scheme = told["recordings"][0]["scheme"]
        .as_str()
        .unwrap()
        .to_string();
    let of = |more: &[&str]| {
        let args = [&["show", "r", "--recording", "--scheme", &scheme][..], more];
        room.run(&args.concat())
    };
    let text = of(&[]).with_status(0).out;
    for words in [
        "bytes an event",
        "; it ends because the run ends",
        "windows of no flow",
        "dropped: full",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let all = json(&of(&["--json"]).with_status(0).out);
    let holds = &all["recordings"][0];
    assert_eq!(holds["counts"]["window"], 0);
    assert_eq!(holds["events"], told["recordings"][0]["events"]);
    let an_event = holds["bytes_an_event"].as_f64().unwrap();
    assert!(an_event < 12.0, "{holds}");

    let one = json(&of(&["--packet", "1:0", "--json"]).with_status(0).out);
    let events = one["events"].as_array().unwrap();
    let words: Vec<&str> = events
        .iter()
        .map(|e| e["event"].as_str().unwrap())
        .collect();
    assert_eq!(&words[..3], ["send", "enqueue", "dequeue"]);
    assert_eq!(words.last(), Some(&"deliver"));
    let name = events[3]["node"].as_str().unwrap();
    let listed = of(&["--at", name, "--most", "3"]).with_status(0).out;
    assert_eq!(listed.lines().count(), 4, "{listed}");
    assert!(
        listed.contains(name)
            && listed.ends_with("only the first 3 are listed; --most N lists more\n")
    );
    let none = of(&["--during", "900 s..901 s"]).with_status(0).out;
    assert_eq!(none, "no such event is recorded\n");
}

#[test]
fn what_cannot_be_recorded_or_shown_is_refused_in_words() {
    let room = Room::new();
    let told = record(&room, "r", &[]);
    let file = told["recordings"][0]["file"].as_str().unwrap();
    let path = room.path().join("r").join(file);
    let whole = fs::read(&path).unwrap();
    room.file(
        "sweep.toml",
        "duration = \"1 ms\"\nschemes = [\"dctcp\"]\n[topology]\nkind = \"single_switch\"\nhosts = 4\n\
         [workload.a]\nkind = \"incast\"\ndegree = 3\nsize = \"20 kB\"\n\
         [sweep]\n\"workload.a.size\" = [\"20 kB\", \"40 kB\"]\n",
    );
    let wrong: [(&[&str], &str); 5] = [
        (
            &["run", "sweep.toml", "--record"],
            "--record: expected a scenario without [sweep]",
        ),
        (
            &[
                "run",
                "quickstart",
                "--record",
                "--record-window",
                "3 ms..2 ms",
            ],
            "--record-window: expected a window of time like \"2 ms..12 ms\" that ends after it \
             begins, got \"3 ms..2 ms\"",
        ),
        (
            &["run", "quickstart", "--record", "--record-flows", "some"],
            "--record-flows: expected \"all\", \"none\"",
        ),
        (
            &["show", "r", "--recording", "--packet", "1:0"],
            "--recording: expected --scheme and --seed that select one recording, got recordings/",
        ),
        (
            &["show", "r", "--recording", "--seed", "7"],
            "has no recording of this scheme and seed; it has ",
        ),
    ];
    for (args, says) in wrong {
        let done = room.run(args).with_status(2);
        assert!(done.err.contains(says), "{says}: {}", done.err);
    }
    fs::write(&path, &whole[..whole.len() - 9]).unwrap();
    let done = room.run(&["show", "r", "--recording"]).with_status(2);
    assert!(
        done.err.contains("the recording is cut off"),
        "{}",
        done.err
    );
    let mut newer = whole;
    newer[8] = 9;
    fs::write(&path, &newer).unwrap();
    let done = room.run(&["show", "r", "--recording"]).with_status(2);
    let says = "expected version 1 to 2 (a newer sidestep reads newer versions), got version 9";
    assert!(done.err.contains(says), "{}", done.err);
}
