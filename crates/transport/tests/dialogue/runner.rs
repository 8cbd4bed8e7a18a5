//! Tests of the runner: every error is reported, with its place, and for every dialogue.

use crate::play;

const GOOD: &str = "
mss = \"1000 B\"
initial_window = 2
rto_min = \"200 us\"
rto_initial = \"200 us\"
flow = 4

== A flow of four segments in a window of two
0    sends 0-1
100  hears 1
     sends 2-3   # slow start
     has cwnd 3, timeouts 0
300  hears 4
     has done yes, deadline none
";

/// Returns the failures of [`GOOD`] after one text in it is replaced by another.
fn told(from: &str, to: &str) -> Vec<String> {
    assert!(GOOD.contains(from), "{from}");
    let text = GOOD.replace(from, to);
    let played = play::file("f.txt", &text);
    let failures = played.into_iter().filter_map(|one| one.failure);
    failures.map(|failure| failure.to_string()).collect()
}

#[test]
fn a_dialogue_that_holds_is_told_of_in_no_way() {
    assert_eq!(told("mss", "mss"), [""; 0]);
}

#[test]
fn a_wrong_line_is_told_with_its_place_and_both_sides() {
    let name = "(A flow of four segments in a window of two)";
    for (from, to, line, says) in [
        (
            "sends 2-3",
            "sends 2",
            11,
            "expected nothing more to be sent, got it to send 3",
        ),
        (
            "sends 2-3",
            "sends 2-4",
            11,
            "expected it to send 4, got nothing sent",
        ),
        (
            "sends 2-3",
            "sends 3",
            11,
            "expected it to send 3, got it to send 2",
        ),
        (
            "sends 2-3",
            "sends 2 again, 3",
            11,
            "expected it to send 2 again, got it to send 2",
        ),
        (
            "sends 2-3",
            "sends 2 cwr, 3",
            11,
            "expected it to send 2 cwr, got it to send 2",
        ),
        (
            "sends 2-3",
            "sends 2 ect, 3",
            11,
            "expected it to send 2 ect, got it to send 2 not-ect",
        ),
        ("cwnd 3", "cwnd 4", 12, "expected cwnd 4, got cwnd 3"),
        (
            "deadline none",
            "deadline 300",
            14,
            "expected deadline 300, got deadline none",
        ),
        (
            "100  hears 1",
            "201  hears 1",
            10,
            "expected no timer before 201 us, got a timer that is due at 200 us",
        ),
        (
            "100  hears 1",
            "150  timeout",
            10,
            "expected timeout at 150 us, got a timer that is due at 200 us",
        ),
        (
            "100  hears 1",
            "200  timer",
            10,
            "expected timer at 200 us, got a timeout",
        ),
    ] {
        assert_eq!(told(from, to), [format!("f.txt:{line}: {says} {name}")]);
    }
}

#[test]
fn what_is_sent_may_be_left_open() {
    assert_eq!(told("sends 2-3", "sends anything"), [""; 0]);
    assert_eq!(told("sends 2-3", "sends 2\n     sends anything"), [""; 0]);
    assert_eq!(told("sends 2-3", "sends 3\n     sends anything").len(), 1);
}

#[test]
fn a_segment_may_leave_early_by_as_much_as_the_dialogue_says() {
    let early = |by: &str| {
        let text = GOOD.replace("flow = 4", &format!("flow = 4\nearly = \"{by}\""));
        let text = text.replace("sends 2-3 ", "sends 2\n104 sends 3 ");
        let played = play::file("f.txt", &text);
        played[0]
            .failure
            .as_ref()
            .map(|failure| failure.what.clone())
    };
    assert_eq!(early("4 us"), None);
    let what = "expected nothing more to be sent, got it to send 3";
    assert_eq!(early("3 us").as_deref(), Some(what));
}

#[test]
fn a_timer_that_sends_something_needs_a_line_even_where_others_are_silent() {
    let silent = "flow = 4\ntimers = \"silent\"";
    assert_eq!(told("flow = 4", silent), [""; 0]);
    let late = GOOD
        .replace("flow = 4", silent)
        .replace("300  hears 4", "500  hears 4");
    let played = play::file("f.txt", &late);
    let failure = played[0]
        .failure
        .as_ref()
        .expect("the timeout has sent 1 again");
    assert_eq!(
        failure.what,
        "expected nothing sent before 500 us, got it to send 1 again at 400 us"
    );
}

#[test]
fn a_timer_may_be_due_within_a_span_and_be_of_any_kind() {
    let tail = "300  hears 4\n     has done yes, deadline none";
    for (line, says) in [
        ("150..400  timeout", ""),
        ("400..500  alarm", ""),
        (
            "401..500  alarm",
            "expected alarm at 401 to 500 us, got a timer that is due at 400 us",
        ),
        (
            "300..399  timeout",
            "expected timeout at 300 to 399 us, got a timer that is due at 400 us",
        ),
        (
            "300..500  timer",
            "expected timer at 300 to 500 us, got a timeout",
        ),
    ] {
        let told = told(
            tail,
            &format!("{line}\n     sends 1 again\n     has deadline 1000"),
        );
        let places: Vec<String> = told
            .iter()
            .map(|one| one.replace("f.txt:13: ", ""))
            .collect();
        let name = " (A flow of four segments in a window of two)";
        match says {
            "" => assert_eq!(places, [""; 0]),
            says => assert_eq!(places, [format!("{says}{name}")]),
        }
    }
}

#[test]
fn what_cannot_be_read_is_told_with_its_line() {
    for (from, to, line, says) in [
        ("100  hears 1", "100  heard 1", 10, "got \"heard\""),
        ("100  hears 1", "hears 1", 10, "hears needs a time"),
        (
            "100  hears 1",
            "100  hears one",
            10,
            "expected a segment like 7",
        ),
        (
            "100  hears 1",
            "100  hears 1 sack 3-2",
            10,
            "expected segments like 7 or 2-5",
        ),
        (
            "100  hears 1",
            "100  hears 1 sack",
            10,
            "expected blocks behind sack",
        ),
        (
            "100  hears 1",
            "100  hears 1 twice",
            10,
            "expected ece, sack, dsack or cut",
        ),
        (
            "100  hears 1",
            "100  hears 2 sack 1",
            10,
            "blocks above the acknowledgement",
        ),
        (
            "100  hears 1",
            "100..110  hears 1",
            10,
            "hears happens at one time",
        ),
        (
            "100  hears 1",
            "110..100  alarm",
            10,
            "expected the earlier time first",
        ),
        ("100  hears 1", "mss = \"1 B\"", 10, "settings stand before"),
        (
            "300  hears 4",
            "99  hears 4",
            13,
            "expected a time not before",
        ),
        (
            "0    sends 0-1",
            "0    hears 1",
            9,
            "expected `sends` first",
        ),
        ("cwnd 3", "window 3", 12, "expected one of cwnd"),
        ("flow = 4", "flow = many", 6, "expected segments like 20"),
        ("flow = 4\n", "\n", 8, "the setting `flow` is missing"),
        (
            "mss",
            "size",
            2,
            "\"size\" is no setting of transport \"newreno\"",
        ),
        (
            "\"200 us\"",
            "200",
            4,
            "rto_min: expected a time like \"50 us\", got \"200\"",
        ),
        (
            "initial_window = 2",
            "initial_window = 0",
            3,
            "must be from 1 to",
        ),
        (
            "flow = 4",
            "flow = 4\nkind = \"dips\"",
            7,
            "transport \"dips\" is unknown",
        ),
        (
            "flow = 4",
            "flow = 4\nkind = \"pfabric\"",
            9,
            "one TCP sender",
        ),
        (
            "flow = 4",
            "flow = 4\ncwr = \"seen\"",
            7,
            "cwr: expected \"ignored\"",
        ),
        ("flow = 4", "flow 4", 6, "expected a setting or `== name`"),
    ] {
        let told = told(from, to);
        assert_eq!(told.len(), 1, "{to}: {told:?}");
        assert!(told[0].starts_with(&format!("f.txt:{line}: ")), "{told:?}");
        assert!(told[0].contains(says), "{told:?}");
    }
}

#[test]
fn every_dialogue_that_fails_is_told_of_and_the_others_are_played() {
    let second =
        |name: &str, window: u32| format!("\n== {name}\nflow = 9\n0 sends 0-{}\n", window - 1);
    let text = [
        GOOD.into(),
        second("One", 3),
        second("Two", 2),
        second("Three", 1),
    ]
    .concat();
    let played = play::file("f.txt", &text);
    let failed: Vec<&str> = (played.iter())
        .filter(|one| one.failure.is_some())
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!((played.len(), failed), (4, vec!["One", "Three"]));
}

#[test]
fn a_dialogue_that_is_known_not_to_hold_fails_once_it_does() {
    let fails = "timeouts 0\n== Again\nfails = \"a reason\"\n0 sends 0-2";
    assert_eq!(told("timeouts 0", fails), [""; 0]);
    assert_eq!(
        told(
            "0-1",
            "0-1\n100 has cwnd 2\n== Again\nfails = \"a reason\"\n0 sends 0-1"
        ),
        [
            "f.txt:12: expected a line that does not hold, as the setting `fails` says, got a dialogue that holds (Again)"
        ]
    );
}

#[test]
fn a_file_without_a_dialogue_is_a_failure() {
    let played = play::file("f.txt", "# nothing\n");
    assert!(played[0].failure.is_some());
}

#[test]
fn times_have_six_digits_behind_the_point_at_most() {
    use crate::text::{micros, time};
    for (text, picoseconds) in [
        ("0", 0),
        ("12", 12_000_000),
        ("0.25", 250_000),
        ("1.000001", 1_000_001),
    ] {
        let read = time(text).expect("it is a time");
        assert_eq!((read.ps(), micros(read).as_str()), (picoseconds, text));
    }
    for wrong in ["", "1.0000001", "-1", "1,5", "18446744073709551615"] {
        assert!(time(wrong).is_err(), "{wrong}");
    }
}
