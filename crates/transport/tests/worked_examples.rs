//! The worked examples of `docs/estimators/` are what the estimators do.

use sidestep_transport::{Ack, Estimator, RtoConfig, Sender, TcpConfig, TcpSender};
use sidestep_types::{SackBlocks, Time};
use std::sync::Arc;

const MSS: u64 = 1000;

fn sender(estimator: Estimator) -> TcpSender {
    let linux = estimator == Estimator::Linux;
    let config = TcpConfig {
        mss: MSS as u32,
        dupack_threshold: None,
        rto: RtoConfig {
            estimator,
            // The tables give the timeout before the minimum applies; for `linux` it is inside.
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

/// Timeouts after round trips of 100, 100, 300, 100, 100 and 100 µs. The fourth and the
/// sixth acknowledgement are beyond what had been sent when the window before them began.
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
            };
            tx.on_ack(Time::from_us(*us), ack);
            out.push(tx.rto());
        }
    }
    out
}

/// The last column of the page's table: the numbers as written, and picoseconds in one.
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
            "{}/../../docs/estimators/{}.md",
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
