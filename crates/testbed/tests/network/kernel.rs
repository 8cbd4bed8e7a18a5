//! Tests of the kernel's loss repair settings, read back from the kernel.

use crate::common::{Bed, build, inside, star};
use crate::needs_namespaces;
use sidestep_testbed::network::blueprint::Kernel;
use sidestep_testbed::network::features::{KernelFeatures, Rack};
use sidestep_testbed::network::hosts::warnings;

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

/// Returns the values of [`KEYS`] at a host of such a testbed.
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

#[test]
fn a_plain_kernel_with_sack_has_probes_off_and_a_window_that_does_not_move() {
    needs_namespaces!();
    let mut print = star("kep", 2);
    print.settings.kernel = Kernel::Plain;
    print.settings.fast_retransmit = Some(3);
    print.settings.sack = true;
    let state = build(&print).unwrap();
    let _bed = Bed(print);
    let kernel = state.kernel.expect("a testbed that stands has read it");
    let recovery = match kernel.rack {
        Rack::Fixed => "2",
        _ => "0",
    };
    for (name, expected) in [
        ("tcp_sack", "1"),
        ("tcp_recovery", recovery),
        ("tcp_early_retrans", "0"),
        ("tcp_frto", "0"),
        ("tcp_max_reordering", "3"),
        ("tcp_congestion_control", "reno"),
    ] {
        assert_eq!(kernel.value(name), Some(expected), "{name}");
    }
    let said = warnings(&state.blueprint.settings, &kernel);
    assert_eq!(
        said.len(),
        usize::from(kernel.rack == Rack::Fixed),
        "{said:?}"
    );
    assert!(kernel.controls.contains(&"reno".to_string()));
    let release = inside(&state.blueprint.host_space(0), &["uname", "-r"]);
    assert_eq!(kernel.release, release.trim());
}

#[test]
fn what_changed_in_a_host_since_it_was_built_is_said() {
    needs_namespaces!();
    let state = build(&star("kch", 2)).unwrap();
    let bed = Bed(state.blueprint.clone());
    let space = bed.0.host_space(0);
    let built = state.kernel.expect("a testbed that stands has read it");
    let now = || KernelFeatures::of_space(&space).unwrap();
    assert_eq!(built.changes_to(&now()), [""; 0]);
    inside(&space, &["sysctl", "-q", "-w", "net.ipv4.tcp_sack=1"]);
    assert_eq!(built.changes_to(&now()), ["tcp_sack: 0, now 1"]);
}
