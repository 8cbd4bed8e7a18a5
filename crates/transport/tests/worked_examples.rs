//! Checks the worked examples of `docs/reference/estimators/` against the estimators, and those of
//! `docs/reference/transports/swift.md`
//! against Swift.

use sidestep_transport::{
    Ack, Congestion, Estimator, RtoConfig, Sender, SwiftConfig, TcpConfig, TcpSender,
    TransportConfig,
};
use sidestep_types::{SackBlocks, Time, Words};
use std::sync::Arc;

const MSS: u64 = 1000;

fn sender(estimator: Estimator) -> TcpSender {
    let linux = estimator == Estimator::Linux;
    let config = TcpConfig {
        mss: MSS as u32,
        dupack_threshold: None,
        rto: RtoConfig {
            estimator,
            // The tables give the timeout before the minimum applies; for `linux` the minimum is part of it.
            min: if linux {
                Time::from_us(200)
            } else {
                Time::from_ps(1)
            },
            initial: Time::from_s(1),
            ..TcpConfig::default().rto
        },
        ..TcpConfig::default()
    };
    TcpSender::new(Arc::new(config), None)
}

/// Returns the timeouts after round trips of 100, 100, 300, 100, 100 and 100 µs. The fourth and the
/// sixth acknowledgement are beyond the data sent when the window before them began.
fn timeouts(estimator: Estimator) -> Vec<Time> {
    let mut tx = sender(estimator);
    let mut out = Vec::new();
    let mut acked = 0;
    for (sent_us, heard_us) in [
        (&[0, 10, 20][..], &[100, 110, 320][..]),
        (&[400, 410], &[500, 510]),
        (&[600], &[700]),
    ] {
        for us in sent_us {
            tx.poll_send(Time::from_us(*us))
                .expect("the window is open");
        }
        for us in heard_us {
            acked += MSS;
            let ack = Ack {
                ack: acked,
                ece: false,
                syn: false,
                sack: SackBlocks::NONE,
                cut: false,
                below: false,
                hops: 0,
            };
            tx.on_ack(Time::from_us(*us), ack);
            out.push(tx.rto());
        }
    }
    out
}

/// Reads the last column of the page's table: the numbers as written, and the picoseconds of one unit.
fn written(page: &str) -> (Vec<String>, f64) {
    let mut rows = page
        .lines()
        .skip_while(|line| !line.starts_with("| sample"));
    let head = rows.next().expect("a worked example");
    let unit = if head.ends_with("RTO, ms |") {
        1e9
    } else {
        1e6
    };
    assert!(unit == 1e9 || head.ends_with("RTO, µs |"), "{head}");
    let last = |row: &str| {
        row.trim_end_matches(" |")
            .rsplit("| ")
            .next()
            .map(str::to_string)
    };
    let rows = rows.skip(1).take_while(|line| line.starts_with('|'));
    (rows.filter_map(last).collect(), unit)
}

#[test]
fn every_worked_example_is_what_its_estimator_does() {
    for entry in Estimator::ENTRIES {
        let path = format!(
            "{}/../../docs/reference/estimators/{}.md",
            env!("CARGO_MANIFEST_DIR"),
            entry.name
        );
        let page = std::fs::read_to_string(&path).expect("a page");
        let (written, unit) = written(&page);
        let estimator = Estimator::from_name(entry.name).expect("a listed name is known");
        assert!(written.len() >= 4, "{}: {written:?}", entry.name);
        for (row, rto) in written.iter().zip(timeouts(estimator)) {
            let places = row.split_once('.').map_or(0, |(_, after)| after.len());
            let ours = format!("{:.places$}", rto.ps() as f64 / unit);
            assert_eq!(&ours, row, "{}", entry.name);
        }
    }
}

/// Settings of a connection as INET opens and times it: see docs/reference/estimators/inet.md.
fn of_inet() -> TcpConfig {
    TcpConfig {
        mss: MSS as u32,
        receive_window: 65_535,
        dupack_threshold: None,
        rto: RtoConfig {
            estimator: Estimator::Inet,
            min: Time::from_ms(10),
            initial: Time::from_s(1),
            max: Time::from_s(240),
            ..TcpConfig::default().rto
        },
        timestamps: true,
        syn_sample: false,
        handshake: true,
        ..TcpConfig::default()
    }
}

const fn ns(n: u64) -> Time {
    Time::from_ns(n)
}

fn heard(ack: u64, syn: bool) -> Ack {
    Ack {
        ack,
        ece: false,
        syn,
        sack: SackBlocks::NONE,
        cut: false,
        below: false,
        hops: 0,
    }
}

/// Returns the time until the oldest segment is retransmitted, and retransmitted again, in milliseconds.
fn waits(tx: &mut TcpSender, since: Time) -> [u64; 2] {
    [(); 2].map(|()| {
        let due = tx.deadline().expect("something is outstanding");
        tx.on_timeout(due);
        assert!(tx.poll_send(due).expect("a repair").retransmit);
        let whole_ms = (due - since).ps() as f64 / 1e9;
        whole_ms.round() as u64
    })
}

/// Reads the rows of the table of a page that begins with `head`, cell by cell.
fn table(page: &str, head: &str) -> Vec<Vec<String>> {
    let rows = page.lines().skip_while(|line| !line.starts_with(head));
    let rows = rows.skip(2).take_while(|line| line.starts_with('|'));
    let cells = |row: &str| {
        row.trim_matches('|')
            .split('|')
            .map(|c| c.trim().to_string())
            .collect()
    };
    rows.map(cells).collect()
}

#[test]
fn a_request_and_its_answer_walk_down_vertigos_ladder() {
    let config = Arc::new(of_inet());
    // The answering end: the handshake was its first sample, each acknowledgement of its data is another.
    let answer = |acked: u64| {
        let fresh = TcpSender::new(Arc::clone(&config), Some(40_000));
        let mut tx = fresh.answering(sidestep_transport::Opened::Took(ns(200)));
        while tx.poll_send(ns(1_000)).is_some() {}
        for n in 1..=acked {
            tx.on_ack(ns(1_200), heard(n * MSS, false));
            while tx.poll_send(ns(1_200)).is_some() {}
        }
        waits(&mut tx, ns(1_200))
    };
    // The requesting end: it has no sample when its request leaves.
    let mut asks = TcpSender::new(Arc::clone(&config), Some(250));
    assert!(asks.poll_send(ns(0)).expect("a SYN").syn);
    let mut unheard = asks.clone();
    asks.on_ack(ns(200), heard(0, true));
    while asks.poll_send(ns(200)).is_some() {}
    let ours = [
        waits(&mut unheard, ns(0)),
        waits(&mut asks, ns(200)),
        answer(0),
        answer(1),
        answer(2),
    ];
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/reference/estimators/inet.md"
    );
    let page = std::fs::read_to_string(path).expect("a page");
    let written = table(&page, "| what is lost");
    assert_eq!(written.len(), ours.len());
    for (row, ours) in written.iter().zip(ours) {
        let seconds = ours.map(|ms| format!("{:.3}", ms as f64 / 1000.0));
        assert_eq!(row[2..], seconds, "{row:?}");
    }
}

/// Checks that INET, which gives up after 12 retries, tries for longer than any run of Vertigo's artefact
/// lasts.
#[test]
fn twelve_retries_outlast_a_run_of_five_seconds() {
    let mut tx = TcpSender::new(Arc::new(of_inet()), Some(250))
        .answering(sidestep_transport::Opened::Took(ns(200)));
    // Takes so many samples that the smallest timeout is in force.
    for _ in 0..60 {
        while tx.poll_send(ns(0)).is_some() {}
        tx.on_ack(ns(200), heard(250, false));
        tx.push(250);
    }
    while tx.poll_send(ns(200)).is_some() {}
    assert_eq!(tx.rto(), Time::from_ms(10));
    let mut due = Time::ZERO;
    for _ in 0..=12 {
        due = tx.deadline().expect("it is outstanding");
        tx.on_timeout(due);
        while tx.poll_send(due).is_some() {}
    }
    // 10 ms * (2^13 - 1).
    assert_eq!((due - ns(200)).ps(), Time::from_ms(81_910).ps());
}

fn swift() -> SwiftConfig {
    let swift = TransportConfig::from_name("swift").expect("it is listed");
    match swift.tcp().expect("it is TCP").congestion {
        Congestion::Swift { settings } => settings,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_targets_and_cuts_of_swifts_page_are_what_it_does() {
    let path = format!(
        "{}/../../docs/reference/transports/swift.md",
        env!("CARGO_MANIFEST_DIR")
    );
    let page = std::fs::read_to_string(&path).expect("a page");
    let number = |text: &str| text.parse::<f64>().expect("a number");
    let (swift, us) = (swift(), 1e6);
    let targets = table(&page, "| window, packets |");
    assert!(targets.len() >= 8, "{targets:?}");
    for row in targets {
        let target = swift.target(number(&row[0]), number(&row[1]) as u8);
        assert_eq!(format!("{:.3}", target / us), row[2], "{row:?}");
    }
    let cuts = table(&page, "| delay, µs |");
    assert!(cuts.len() >= 6, "{cuts:?}");
    for row in cuts {
        let (delay, window) = (number(&row[0]) * us, number(&row[1]));
        let target = swift.target(window, number(&row[2]) as u8);
        let after = window * swift.left(delay, target);
        assert_eq!(format!("{after:.3}"), row[3], "{row:?}");
    }
}
