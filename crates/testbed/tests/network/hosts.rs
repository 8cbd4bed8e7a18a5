//! Tests of the settings of Table 1, read back from the kernel.

use crate::common::{Bed, DCTCP, PLENTY_NS, inside, star, table1};
use crate::needs_namespaces;
use sidestep_testbed::traffic::{Flow, Job, Start, run};
use std::sync::atomic::AtomicBool;

#[test]
fn the_settings_of_table_1_are_in_force() {
    needs_namespaces!();
    let mut print = star("set", 2);
    print.settings = table1(DCTCP);
    let Some(bed) = Bed::up_or_skip(print) else {
        return;
    };
    let space = bed.0.host_space(1);
    let sysctl = |key: &str| inside(&space, &["sysctl", "-n", key]).trim().to_string();
    for (key, expected) in [
        ("net.ipv4.tcp_ecn", "1"),
        ("net.ipv4.tcp_sack", "0"),
        ("net.ipv4.tcp_no_metrics_save", "1"),
        ("net.ipv4.tcp_reordering", "1000000"),
        ("net.ipv4.tcp_slow_start_after_idle", "0"),
    ] {
        assert_eq!(sysctl(key), expected, "{key}");
    }
    assert!(sysctl("net.ipv4.tcp_congestion_control").starts_with("dctcp"));
    let route = inside(&space, &["ip", "route"]);
    assert!(
        route.contains("initcwnd 10") && route.contains("window 65535"),
        "{route}"
    );
    let offloads = inside(&space, &["ethtool", "-k", "eth0"]);
    for name in [
        "tx-checksumming",
        "scatter-gather",
        "tx-tcp-segmentation",
        "generic-receive-offload",
        "generic-segmentation-offload",
    ] {
        assert!(
            offloads.contains(&format!("{name}: off")),
            "{name}: {offloads}"
        );
    }
}

#[test]
fn a_connection_has_what_its_hosts_were_told() {
    needs_namespaces!();
    let mut print = star("con", 2);
    print.settings = table1(DCTCP);
    let Some(bed) = Bed::up_or_skip(print) else {
        return;
    };
    let job = Job {
        flows: vec![Flow {
            src: 0,
            dst: 1,
            bytes: Some(1),
            start: Start::At(0),
            back_on: None,
            says: None,
            mss: None,
        }],
        lasts_ns: 0,
        horizon_ns: PLENTY_NS,
    };
    let ran = run(&bed.0, &job, &AtomicBool::new(false)).unwrap();
    let info = ran.flows[0].sender;
    assert!(info.ecn, "{info:?}");
    assert_eq!(
        (info.snd_mss, info.snd_cwnd, info.reordering),
        (1460, 10, 1_000_000),
        "{info:?}"
    );
    // The smoothed round trip S and its deviation, which is at least the minimum of 100 ms, in steps of the
    // kernel's clock. S takes an eighth of each new round trip, the deviation all of its distance, so that two
    // round trips leave a deviation of at most 8 S.
    let most = info.rtt_us + (info.rtt_us * 8).max(100_000) + 3 * 4_000;
    assert!((100_000..=most).contains(&info.rto_us), "{info:?}");
}
