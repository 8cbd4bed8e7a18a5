//! Captures whose right flows are known in closed form.

use crate::build::Capture;
use crate::build::End::{Client, Server};
use crate::{count, read, rows};
use sidestep_import::{Imported, Options};

const AGAIN: &str = "payload bytes that were sent or captured again";
const M: u32 = 1460;

fn imported(capture: &Capture) -> Imported {
    read("c.pcap", &capture.bytes, &Options::new()).unwrap()
}

/// Returns sizes as `start size`, from the client (`>`) or the server (`<`), payload captured again, and the notes
/// about bytes that were not captured.
fn told(capture: &Capture) -> (Vec<String>, u64, Vec<String>) {
    let imported = imported(capture);
    let hosts = &imported.files[1].1;
    let client = if hosts.contains("10.0.0.1,h0") {
        "h0"
    } else {
        "h1"
    };
    let flow = |row: &&str| {
        let cells: Vec<&str> = row.split(',').collect();
        let way = if cells[1] == client { '>' } else { '<' };
        format!("{} {way} {}", cells[0], cells[3].trim_end_matches(" B"))
    };
    let flows = rows(&imported).iter().map(flow).collect();
    let missing = imported.notes.iter();
    let missing = missing.filter(|note| note.contains("missing from") || note.contains("jump by"));
    let again = count(&imported.dropped, AGAIN);
    (flows, again, missing.cloned().collect())
}

/// Requires these flows, so many bytes captured again, and no bytes missing.
fn is(capture: &Capture, flows: &[&str], again: u64) {
    let (got, repeated, missing) = told(capture);
    assert_eq!(got, flows);
    assert_eq!(repeated, again, "sent again");
    assert!(missing.is_empty(), "{missing:?}");
}

/// Adds `many` full segments of the server from the position of segment `first` on, 10 µs apart.
fn answer(capture: &mut Capture, micros: u64, first: u32, many: u32) {
    for i in 0..many {
        capture.data(
            micros + u64::from(i) * 10,
            Server,
            (first + i) * M,
            M as usize,
        );
    }
}

// A second SYN, or answer, of the same connection.

#[test]
fn of_two_answers_the_one_whose_numbers_are_used_opens_the_connection() {
    for first in [true, false] {
        let mut c = Capture::new();
        let used = c.numbers[1];
        c.syn(0, Client, c.numbers[0]);
        c.syn(900, Client, c.numbers[0]);
        let (one, two) = if first { (used, 7777) } else { (7777, used) };
        c.syn(1000, Server, one);
        c.syn(1010, Server, two);
        c.ack(1020, Client, 0);
        c.data(1100, Client, 0, 200);
        answer(&mut c, 1200, 0, 20);
        c.ack(1500, Client, 20 * M);
        is(&c, &["0 > 200", "100 < 29200"], 0);
    }
}

#[test]
fn a_late_copy_of_a_syn_or_of_its_answer_restarts_nothing() {
    for from in [Client, Server] {
        let mut c = Capture::new();
        c.open(0);
        c.data(100, Client, 0, 200);
        answer(&mut c, 200, 0, 10);
        c.syn(295, from, c.numbers[usize::from(from == Server)]);
        answer(&mut c, 300, 10, 10);
        is(&c, &["0 > 200", "100 < 29200"], 0);
    }
}

#[test]
fn a_late_syn_of_an_older_connection_restarts_nothing() {
    let mut c = Capture::new();
    c.open(0);
    c.data(100, Client, 0, 200);
    answer(&mut c, 200, 0, 10);
    c.syn(295, Client, 77_000_000);
    answer(&mut c, 300, 10, 10);
    c.data(500, Client, 200, 300);
    is(&c, &["0 > 500", "100 < 29200"], 0);
}

#[test]
fn a_new_connection_on_the_same_ports_is_one() {
    // After FIN, after RST, after a long silence, and with only its numbers to tell.
    for (end, later) in [("F", 5_000), ("R", 5_000), ("", 3_000_000), ("", 5_000)] {
        let mut c = Capture::new();
        c.open(0);
        c.data(100, Client, 0, 200);
        answer(&mut c, 200, 0, 2);
        if !end.is_empty() {
            c.flagged(300, Client, 200, 0, end);
            c.flagged(310, Server, 2 * M, 0, end);
        }
        c.numbers = [900_000_000, 100];
        c.open(later);
        c.data(later + 100, Client, 0, 300);
        answer(&mut c, later + 200, 0, 3);
        let expected = [
            "0 > 200".to_string(),
            "100 < 2920".to_string(),
            format!("{later} > 300"),
            format!("{} < 4380", later + 100),
        ];
        is(&c, &expected.each_ref().map(String::as_str), 0);
    }
}

#[test]
fn a_copy_of_each_packet_counts_once() {
    let mut c = Capture::new();
    for _ in 0..2 {
        c.open(0);
        c.data(100, Client, 0, 200);
        answer(&mut c, 200, 0, 3);
    }
    is(&c, &["0 > 200", "100 < 4380"], 200 + 4380);
}

#[test]
fn what_is_out_of_order_is_neither_sent_again_nor_missing() {
    let mut c = Capture::new();
    c.open(0);
    for (i, at) in [0, 1, 3, 2, 4, 6, 5, 7].into_iter().enumerate() {
        c.data(100 + i as u64 * 10, Client, at * M, M as usize);
    }
    is(&c, &["0 > 11680"], 0);
    // Without a SYN the first packet need not have the first bytes, nor the FIN the last.
    let mut c = Capture::new();
    for (i, at) in [1, 0, 2].into_iter().enumerate() {
        c.data(100 + i as u64 * 10, Client, at * M, M as usize);
    }
    c.flagged(130, Client, 4 * M, 0, "F");
    c.data(140, Client, 3 * M, M as usize);
    is(&c, &["0 > 5840"], 0);
}

// A wait of TCP is no pause of the application.

/// Returns the capture of an answer of 30 segments of which 11 to 20 are lost; the timer of 200 ms repairs them.
fn timeout(acknowledged: bool) -> Capture {
    let mut c = Capture::new();
    c.open(0);
    let ack = |c: &mut Capture, at, to| {
        if acknowledged {
            c.ack(at, Client, to);
        }
    };
    answer(&mut c, 1_000, 0, 20);
    ack(&mut c, 1_500, 10 * M);
    answer(&mut c, 201_500, 10, 1);
    ack(&mut c, 201_700, 11 * M);
    answer(&mut c, 201_710, 11, 9);
    ack(&mut c, 202_700, 20 * M);
    answer(&mut c, 202_800, 20, 10);
    ack(&mut c, 203_700, 30 * M);
    c
}

#[test]
fn a_retransmission_timeout_splits_no_message() {
    for acknowledged in [true, false] {
        is(&timeout(acknowledged), &["0 < 43800"], 10 * u64::from(M));
    }
}

#[test]
fn timeouts_that_double_split_no_message() {
    let mut c = Capture::new();
    c.open(0);
    answer(&mut c, 1_000, 0, 3);
    for at in [201_000, 601_000, 1_401_000] {
        answer(&mut c, at, 0, 1);
    }
    c.ack(1_401_200, Client, 3 * M);
    answer(&mut c, 1_401_300, 3, 2);
    is(&c, &["0 < 7300"], 3 * u64::from(M));
}

#[test]
fn a_repeat_with_new_bytes_behind_it_continues_the_message() {
    let mut c = Capture::new();
    c.open(0);
    c.data(100, Client, 0, 700);
    c.data(250_000, Client, 0, 1460);
    is(&c, &["0 > 1460"], 700);
}

#[test]
fn a_window_of_zero_is_no_pause() {
    let mut c = Capture::new();
    c.open(0);
    answer(&mut c, 100, 0, 4);
    c.window(200, Client, 4 * M, 0);
    // Probes: the byte before once more, and a new byte that is not taken.
    c.data(200_000, Server, 4 * M - 1, 0);
    c.window(200_100, Client, 4 * M, 0);
    c.window(500_000, Client, 4 * M, 400);
    answer(&mut c, 500_100, 4, 2);
    is(&c, &["0 < 8760"], 0);
    let mut c = Capture::new();
    c.open(0);
    answer(&mut c, 100, 0, 4);
    c.window(200, Client, 4 * M, 0);
    c.data(200_000, Server, 4 * M, 1);
    c.window(200_100, Client, 4 * M, 0);
    c.data(600_000, Server, 4 * M, 1);
    c.window(600_100, Client, 4 * M, 400);
    answer(&mut c, 600_200, 4, 2);
    is(&c, &["0 < 8760"], 2);
}

#[test]
fn a_first_acknowledgement_with_a_window_of_zero_is_no_pause_after_an_open_syn() {
    // The receiver's only window above zero is that of its SYN, or of its answer to one.
    for from in [Client, Server] {
        let to = if from == Client { Server } else { Client };
        let mut c = Capture::new();
        let [client, server] = c.numbers;
        c.syn(0, Client, client);
        c.syn(10, Server, server);
        for i in 0..3 {
            c.data(100 + u64::from(i) * 10, from, i * 1000, 1000);
        }
        c.window(200, to, 3000, 0);
        c.window(300_000, to, 3000, 60_000);
        for i in 3..6 {
            c.data(300_100 + u64::from(i) * 10, from, i * 1000, 1000);
        }
        let way = if from == Client { '>' } else { '<' };
        is(&c, &[&format!("0 {way} 6000")], 0);
    }
}

#[test]
fn a_flight_that_waits_for_acknowledgements_is_no_pause() {
    // Round trips of 50 ms; the window doubles. The last segment of the message has PSH.
    let mut c = Capture::new();
    c.open(0);
    answer(&mut c, 100, 0, 10);
    c.ack(50_100, Client, 10 * M);
    answer(&mut c, 50_110, 10, 19);
    c.flagged(50_400, Server, 29 * M, 1460, "P");
    c.ack(100_500, Client, 30 * M);
    // The next message comes right after an acknowledgement as well, but nothing waited for it.
    answer(&mut c, 100_600, 30, 1);
    is(&c, &["0 < 43800", "100500 < 1460"], 0);
}

#[test]
fn a_pause_of_the_application_splits_whatever_the_acknowledgements_do() {
    // Acknowledged at once, after a delay of 40 ms, with keep-alives in the pause, and never captured.
    for kind in ["at once", "delayed", "keep-alive", "none"] {
        let mut c = Capture::new();
        c.open(0);
        answer(&mut c, 100, 0, 3);
        match kind {
            "at once" => c.ack(200, Client, 3 * M),
            "delayed" => c.ack(40_200, Client, 3 * M),
            "keep-alive" => {
                c.ack(200, Client, 3 * M);
                c.data(20_000, Server, 3 * M - 1, 1);
                c.ack(20_100, Client, 3 * M);
                c.data(40_000, Server, 3 * M - 1, 0);
                c.ack(40_100, Client, 3 * M);
            }
            _ => {}
        }
        let at = if kind == "delayed" { 60_100 } else { 45_100 };
        answer(&mut c, at, 3, 3);
        let second = format!("{} < 4380", at - 100);
        is(&c, &["0 < 4380", &second], 0);
    }
}

#[test]
fn a_window_of_zero_in_every_packet_says_nothing() {
    let mut c = Capture::new();
    for (at, first) in [(100, 0), (500_000, 3)] {
        answer(&mut c, at, first, 3);
        c.window(at + 100, Client, (first + 3) * M, 0);
    }
    is(&c, &["0 < 4380", "499900 < 4380"], 0);
}

// Bytes that the capture missed.

#[test]
fn bytes_missed_before_a_pause_are_no_burst_after_it() {
    for opened in [false, true] {
        let mut c = Capture::new();
        if opened {
            c.open(0);
        }
        answer(&mut c, 100, 0, 4);
        answer(&mut c, 4_000_000, 137_000, 4);
        let (flows, again, missing) = told(&c);
        assert_eq!(flows, ["0 < 5840", "3999900 < 5840"]);
        assert_eq!(again, 0);
        let bytes = (137_000 - 4) * M;
        assert_eq!(missing.len(), 1);
        assert!(missing[0].starts_with(&format!("Sequence numbers jump by {bytes} bytes")));
    }
}

#[test]
fn bytes_missed_within_a_message_are_counted_and_told() {
    let mut c = Capture::new();
    c.open(0);
    answer(&mut c, 100, 0, 2);
    answer(&mut c, 200, 5, 2);
    c.flagged(230, Server, 8 * M, 0, "F");
    let (flows, again, missing) = told(&c);
    assert_eq!((flows, again), (vec!["0 < 11680".to_string()], 0));
    assert!(
        missing[0].starts_with("5840 payload bytes are missing"),
        "{missing:?}"
    );
    // What comes later was only late.
    answer(&mut c, 300, 2, 3);
    answer(&mut c, 350, 7, 1);
    is(&c, &["0 < 11680"], 0);
}

#[test]
fn bytes_missed_after_a_pause_and_captured_later_belong_to_the_message_after_it() {
    let mut c = Capture::new();
    c.open(0);
    answer(&mut c, 100, 0, 2);
    c.ack(200, Client, 2 * M);
    answer(&mut c, 50_000, 3, 2);
    answer(&mut c, 50_100, 2, 1);
    is(&c, &["0 < 2920", "49900 < 4380"], 0);
}

#[test]
fn a_jump_that_no_link_could_send_is_another_connection() {
    let mut c = Capture::new();
    answer(&mut c, 100, 0, 2);
    answer(&mut c, 200, 100_000, 2);
    let (flows, again, missing) = told(&c);
    assert_eq!(flows, ["0 < 2920", "100 < 2920"]);
    assert_eq!((again, missing.len()), (0, 0));
    let note = "2 directions of connections have no SYN in the capture: earlier bytes are missing";
    assert!(imported(&c).notes.iter().any(|of| of == note));
}

#[test]
fn numbers_far_behind_are_another_connection_and_not_sent_again() {
    let mut c = Capture::new();
    c.numbers[1] = 1_000_000_000;
    answer(&mut c, 100, 0, 2);
    c.numbers[1] = 900_000_000;
    answer(&mut c, 200, 0, 3);
    is(&c, &["0 < 2920", "100 < 4380"], 0);
}

#[test]
fn a_fin_after_a_pause_sends_no_missed_bytes() {
    let mut c = Capture::new();
    c.open(0);
    answer(&mut c, 100, 0, 2);
    c.flagged(9_000_000, Server, 100_000 * M, 0, "F");
    let (flows, _, missing) = told(&c);
    assert_eq!(flows, ["0 < 2920"]);
    assert!(
        missing[0].contains("jump by 145997080 bytes"),
        "{missing:?}"
    );
}

// Clocks that are years apart.

const YEAR: u64 = 365 * 24 * 3600 * 1_000_000;

/// Returns a capture of one-segment flows of ports of their own at these microseconds.
fn flows_at(all: &[u64]) -> Capture {
    let mut c = Capture::new();
    for at in all {
        c.data(*at, Client, 0, 100);
        c.port += 1;
    }
    c
}

#[test]
fn times_of_several_years_are_refused_with_the_packet_and_a_remedy() {
    let cases = [
        (
            vec![1_500_000_000, 1_500_000_000 + 2 * YEAR],
            "c.pcap: the flow of packet 2: expected all flows to start within 4000000 s, got one \
             63072000 s after that of packet 1 (a wrong clock, or captures of different days in one \
             file): cut the file, or keep the 1 before with `--for \"1 s\"`, or the 1 after with \
             `--from-time 63073500`",
        ),
        (
            vec![5_000_000, 6 * YEAR, 6 * YEAR + 3_000_000, 6 * YEAR + 9],
            "c.pcap: the flow of packet 2: expected all flows to start within 4000000 s, got one \
             189215995 s after that of packet 1 (a wrong clock, or captures of different days in one \
             file): cut the file, or keep the 1 before with `--for \"1 s\"`, or the 3 after with \
             `--from-time 189216000`",
        ),
        (
            vec![YEAR, YEAR + 2_500_000, 3 * YEAR],
            "c.pcap: the flow of packet 3: expected all flows to start within 4000000 s, got one \
             63071997.5 s after that of packet 2 (a wrong clock, or captures of different days in \
             one file): cut the file, or keep the 2 before with `--for \"3 s\"`, or the 1 after with \
             `--from-time 94608000`",
        ),
    ];
    for (all, expected) in cases {
        let said = read("c.pcap", &flows_at(&all).bytes, &Options::new()).unwrap_err();
        assert_eq!(said, expected);
    }
}

#[test]
fn the_remedies_of_times_of_several_years_keep_what_they_say() {
    let capture = flows_at(&[YEAR, YEAR + 2_500_000, 3 * YEAR]);
    let kept = |from_time, length| {
        let options = Options {
            from_time,
            length,
            ..Options::new()
        };
        let imported = read("c.pcap", &capture.bytes, &options).unwrap();
        let rows: Vec<String> = rows(&imported).iter().map(ToString::to_string).collect();
        (rows, imported.dropped)
    };
    let (flows, dropped) = kept(None, Some(3_000_000_000_000));
    assert_eq!(flows, ["0,h0,h1,100 B", "2500000,h0,h1,100 B"]);
    assert_eq!(
        dropped,
        [("flows that start after the time of --for".to_string(), 1)]
    );
    let from = sidestep_import::time_of("94608000");
    let (flows, dropped) = kept(from, None);
    assert_eq!(flows, ["0,h0,h1,100 B"]);
    assert_eq!(
        dropped,
        [("flows that start before --from-time".to_string(), 2)]
    );
    let (flows, _) = kept(
        sidestep_import::time_of("1970-12-01T00:00:00Z"),
        Some(1_000_000_000_000),
    );
    assert_eq!(flows, ["0,h0,h1,100 B"]);
}
