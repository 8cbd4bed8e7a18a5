//! How far the kernel is told how losses are repaired, read back from it.

use crate::common::{Bed, inside, star};
use crate::needs_namespaces;
use sidestep_testbed::network::blueprint::Kernel;

const KEYS: [&str; 8] = [
    "sack",
    "dsack",
    "timestamps",
    "recovery",
    "reordering",
    "max_reordering",
    "early_retrans",
    "frto",
];

/// What a host of such a testbed says of [`KEYS`].
fn told(kernel: Kernel) -> [String; 8] {
    let mut print = star("ker", 2);
    print.settings.kernel = kernel;
    print.settings.fast_retransmit = Some(3);
    let bed = Bed::up(print);
    let space = bed.0.host_space(0);
    let congestion = inside(&space, &["sysctl", "-n", "net.ipv4.tcp_congestion_control"]);
    assert_eq!(congestion.trim(), "reno");
    KEYS.map(|key| {
        let key = format!("net.ipv4.tcp_{key}");
        inside(&space, &["sysctl", "-n", &key]).trim().to_string()
    })
}

#[test]
fn a_plain_kernel_has_a_threshold_of_3_and_nothing_else() {
    needs_namespaces!();
    assert_eq!(
        told(Kernel::Plain),
        ["0", "0", "0", "0", "3", "3", "0", "0"]
    );
}

#[test]
fn a_stock_kernel_has_what_a_fresh_namespace_has() {
    needs_namespaces!();
    let script = KEYS.map(|key| format!("sysctl -n net.ipv4.tcp_{key}"));
    let fresh = std::process::Command::new("unshare")
        .args(["-n", "sh", "-c", &script.join("; ")])
        .output()
        .unwrap();
    let fresh = String::from_utf8_lossy(&fresh.stdout).into_owned();
    let fresh: Vec<&str> = fresh.lines().map(str::trim).collect();
    assert_eq!(told(Kernel::Stock).to_vec(), fresh);
    assert_eq!(fresh[0], "1", "SACK is on where nobody turns it off");
}
