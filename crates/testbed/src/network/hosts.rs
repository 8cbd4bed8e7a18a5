//! Hosts: settings of the kernel in a host's namespace, as in the table of `docs/how-to/testbed.md`.
//!
//! **Decision**     a value of `/proc/sys/net` or an attribute of the only route for each setting.
//! **Source**       measured on Linux 6.18; Documentation/networking/ip-sysctl.rst for the names.
//! **Deviations**   listed by [`differences`]: settings that the kernel does not offer.

use super::blueprint::{
    Blueprint, Cable, End, HostSettings, INTERFACE, Kernel, address, address6, addresses, mac,
};
use super::features::{KernelFeatures, Rack};
use super::sysctl::{has_sysctl, write_sysctl};
use super::{multipath, netns, tools};
use crate::error::{Error, failed};
use sidestep_softswitch::io::offloads;

/// Returns the interface of port `p` of a switch.
pub fn port_interface(p: usize) -> String {
    format!("p{p}")
}

/// Duplicate acknowledgement threshold that disables fast retransmit: more than any window of a scaled network
/// holds.
const NEVER: u32 = 1_000_000;

/// Sets up host `i`, whose veth exists. `congestion` is the kernel's name of the congestion control; `rack`
/// tells whether RACK can be switched off.
///
/// The host has static entries for all other hosts' MACs: address requests and probes would cross a full queue,
/// and they take no detours.
pub fn set_up(print: &Blueprint, i: usize, congestion: &str, rack: Rack) -> Result<(), Error> {
    let space = print.host_space(i);
    let settings = &print.settings;
    netns::within(&space, || {
        for (key, value) in sysctls(settings, congestion, rack) {
            write_sysctl(key, &value)?;
        }
        offloads_off(INTERFACE)
    })?;
    let mut lines = vec![
        "link set lo up".to_string(),
        format!("link set {INTERFACE} address {} addrgenmode none", mac(i)),
        format!(
            "address add {}/16 dev {INTERFACE} noprefixroute",
            address(i)
        ),
        format!(
            "address add {}/64 dev {INTERFACE} nodad noprefixroute",
            address6(i)
        ),
        format!("link set {INTERFACE} up"),
        format!(
            "route replace 10.77.0.0/16 dev {INTERFACE} src {} {}",
            address(i),
            metrics(settings)
        ),
        format!(
            "route replace fd77::/64 dev {INTERFACE} {}",
            metrics(settings)
        ),
    ];
    for other in (0..print.hosts).filter(|&other| other != i) {
        for to in addresses(other) {
            let (dev, mac) = (INTERFACE, mac(other));
            lines.push(format!(
                "neighbour replace {to} lladdr {mac} dev {dev} nud permanent"
            ));
        }
    }
    lines.extend(multipath::lines(print, i));
    tools::ip(Some(&space), &lines)?;
    pace(&space, host_cable(print, i))
}

/// Turns off the interface's offloads, which veth has no hardware for; in this thread's namespace.
pub fn offloads_off(interface: &str) -> Result<(), Error> {
    offloads::off(interface).map_err(failed(format!("cannot turn offloads of {interface} off")))
}

/// Paces a host's packets to its link's rate with the kernel's token bucket, from a queue without a limit, as
/// the model's NIC has; all of Ethernet's framing counts. The bucket holds two packets, so that a timer may be
/// late by one: with room for one, a busy machine reached 92 of 100 Mbps.
pub fn pace(space: &str, cable: Cable) -> Result<(), Error> {
    let rate = format!("{}bit", cable.rate_bps);
    let tbf = format!(
        "qdisc replace dev {INTERFACE} root tbf rate {rate} burst 3100 limit 1000000000 overhead 24 mpu 84"
    );
    let args: Vec<&str> = ["-n", space].into_iter().chain(tbf.split(' ')).collect();
    tools::run("tc", &args, "").map(drop)
}

/// Returns the only cable of host `i`.
pub fn host_cable(print: &Blueprint, i: usize) -> Cable {
    let end = End::Host(i);
    let mut cables = print.cables.iter().filter(|c| c.a == end || c.b == end);
    *cables.next().expect("a checked blueprint")
}

/// Returns the attributes of the route to the other hosts.
fn metrics(settings: &HostSettings) -> String {
    let mut words = format!("initcwnd {}", settings.initial_window);
    if settings.receive_window < LARGEST_WINDOW {
        words.push_str(&format!(" window {}", settings.receive_window));
    }
    if !settings.delayed_ack {
        words.push_str(" quickack 1");
    }
    if !has_sysctl("net/ipv4/tcp_rto_min_us") {
        words.push_str(&format!(
            " rto_min {}ms",
            settings.rto_min_us.div_ceil(1000)
        ));
    }
    if settings.mss < 1460 {
        words.push_str(&format!(" advmss {}", settings.mss));
    }
    words
}

/// Largest window, in bytes, that the receive buffer allows.
const LARGEST_WINDOW: u64 = 16 << 20;

/// Returns the values to write below /proc/sys, in this order.
fn sysctls(settings: &HostSettings, congestion: &str, rack: Rack) -> Vec<(&'static str, String)> {
    let flag = |on: bool| u32::from(on).to_string();
    let buffer = settings.send_buffer.max(1 << 20);
    let mut list = vec![
        ("net/ipv6/conf/all/accept_dad", "0".into()),
        ("net/ipv6/conf/default/accept_dad", "0".into()),
        ("net/ipv6/conf/all/router_solicitations", "0".into()),
        // Multicast groups are reported when the link comes up, not in the first run: such a frame takes no
        // detours.
        (
            "net/ipv6/conf/eth0/mldv1_unsolicited_report_interval",
            "1".into(),
        ),
        (
            "net/ipv6/conf/eth0/mldv2_unsolicited_report_interval",
            "1".into(),
        ),
        ("net/ipv4/ip_default_ttl", settings.ttl.to_string()),
        ("net/ipv6/conf/default/hop_limit", settings.ttl.to_string()),
        ("net/ipv6/conf/all/hop_limit", settings.ttl.to_string()),
        ("net/ipv4/tcp_congestion_control", congestion.into()),
        ("net/ipv4/tcp_ecn", flag(settings.ecn)),
        // A path that failed once must not disable ECN for the next run.
        ("net/ipv4/tcp_ecn_fallback", "0".into()),
        ("net/ipv4/tcp_no_metrics_save", "1".into()),
        (
            "net/ipv4/tcp_slow_start_after_idle",
            flag(settings.idle_restart),
        ),
        (
            "net/ipv4/tcp_wmem",
            format!("4096 {buffer} {}", buffer.max(16 << 20)),
        ),
        (
            "net/ipv4/tcp_rmem",
            format!("4096 {} {}", 4 << 20, 2 * LARGEST_WINDOW),
        ),
        ("net/ipv4/tcp_max_syn_backlog", "4096".into()),
        ("net/core/somaxconn", "4096".into()),
        ("net/ipv4/ip_local_port_range", "10000 65000".into()),
        ("net/ipv4/tcp_tw_reuse", "1".into()),
    ];
    list.extend(repairs(settings, rack));
    if settings.subflows.is_some() {
        list.push(("net/mptcp/enabled", "1".into()));
    }
    if has_sysctl("net/ipv4/tcp_rto_min_us") {
        list.push(("net/ipv4/tcp_rto_min_us", settings.rto_min_us.to_string()));
    }
    if has_sysctl("net/ipv4/tcp_rto_max_ms") {
        let most = settings.rto_max_ms.clamp(1_000, 120_000);
        list.push(("net/ipv4/tcp_rto_max_ms", most.to_string()));
    }
    list
}

/// Mechanisms that a plain kernel switches off, each with the value that does so.
const OFF: [(&str, &str); 3] = [
    ("RACK", "net/ipv4/tcp_recovery"),
    ("tail-loss probes", "net/ipv4/tcp_early_retrans"),
    ("F-RTO", "net/ipv4/tcp_frto"),
];

/// Value of `tcp_recovery` if RACK stays on: its reordering window is a quarter of the shortest round trip and
/// does not adapt. The other bits, which would keep it on and ignore duplicates, stay 0.
const STATIC_WINDOW: &str = "2";

/// Returns the value of `tcp_recovery` that comes nearest to no RACK.
fn least_rack(settings: &HostSettings, rack: Rack) -> &'static str {
    match rack_stays(settings, rack) {
        true => STATIC_WINDOW,
        false => "0",
    }
}

/// Returns true if RACK detects losses of these hosts regardless of settings. No kernel uses it without SACK.
fn rack_stays(settings: &HostSettings, rack: Rack) -> bool {
    settings.sack && rack == Rack::Fixed
}

/// Returns the values that control loss detection and repair.
fn repairs(settings: &HostSettings, rack: Rack) -> Vec<(&'static str, String)> {
    if settings.kernel == Kernel::Stock {
        return Vec::new();
    }
    let flag = |on: bool| u32::from(on).to_string();
    let duplicates = settings.fast_retransmit.unwrap_or(NEVER);
    let most = match settings.kernel {
        // Disables the adaptive threshold.
        Kernel::Plain => duplicates,
        _ => duplicates.max(300),
    };
    let mut list = vec![
        ("net/ipv4/tcp_sack", flag(settings.sack)),
        ("net/ipv4/tcp_dsack", flag(settings.sack)),
        // Segments of the model carry no options; with time stamps they would hold 1448 B.
        ("net/ipv4/tcp_timestamps", "0".into()),
        // The first limits the second, so it is written before it.
        ("net/ipv4/tcp_max_reordering", most.to_string()),
        ("net/ipv4/tcp_reordering", duplicates.to_string()),
    ];
    if settings.kernel == Kernel::Plain {
        // `warnings` names a value that the kernel lacks.
        let there = OFF.into_iter().filter(|(_, key)| has_sysctl(key));
        list.extend(there.map(|(name, key)| match name {
            "RACK" => (key, least_rack(settings, rack).to_string()),
            _ => (key, "0".to_string()),
        }));
    }
    list
}

/// Returns warnings that affect the results of these hosts: parts of `host.kernel = "plain"` that are
/// not possible.
pub fn warnings(settings: &HostSettings, features: &KernelFeatures) -> Vec<String> {
    if settings.kernel != Kernel::Plain {
        return Vec::new();
    }
    let mut list = Vec::new();
    if rack_stays(settings, features.rack) {
        list.push(format!(
            "host.kernel = \"plain\" with SACK: Linux {} always detects losses of SACK connections \
             with RACK (RFC 8985), with a fixed reordering window of a quarter of the shortest \
             round trip; duplicate thresholds apply until reordering is seen. Set \
             transport.recovery = \"newreno\" to turn SACK off: NewReno counts duplicates",
            features.release
        ));
    }
    let unknown = |(name, key): (&str, &str)| {
        let value = key.rsplit('/').next().expect("a key has a name");
        // Without SACK the first two are not used, and an absent RACK needs no switch.
        let unused = match name {
            "RACK" => !settings.sack || features.rack != Rack::Switchable,
            "tail-loss probes" => !settings.sack,
            _ => false,
        };
        (!unused && features.value(value).is_none()).then(|| {
            format!(
                "host.kernel = \"plain\": this kernel has no setting {value}, so {name} may be on"
            )
        })
    };
    list.extend(OFF.into_iter().filter_map(unknown));
    list
}

/// Describes the kernel's deviations from the blueprint's settings, a sentence each.
pub fn differences(settings: &HostSettings, rack: Rack) -> Vec<String> {
    let mut list = vec![
        "the kernel's timeout is the smoothed round trip plus at least the minimum RTO (RFC 6298 with the minimum \
         below the deviation), in steps of its clock tick"
            .to_string(),
        match settings.kernel {
            Kernel::Told => "F-RTO, tail-loss probes, TSQ and the other defaults of the kernel's \
                             TCP are on",
            Kernel::Plain if rack_stays(settings, rack) => {
                "TSQ and the other defaults of the kernel's TCP are on; its thresholds do not \
                 adapt, and tail-loss probes and F-RTO are off (host.kernel = \"plain\"); RACK \
                 detects losses, which this kernel cannot turn off with SACK, with a fixed \
                 reordering window; needless window cuts are undone, which no setting turns off"
            }
            Kernel::Plain => {
                "TSQ and the other defaults of the kernel's TCP are on; its thresholds do not \
                 adapt, and RACK, tail-loss probes and F-RTO are off (host.kernel = \"plain\"); \
                 needless window cuts are undone, which no setting turns off"
            }
            Kernel::Stock => {
                "loss detection and repair have the kernel's defaults (host.kernel = \"stock\"): \
                 SACK, D-SACK, RACK, tail-loss probes, F-RTO, an adaptive threshold, and time \
                 stamps, which take 12 B of a full segment"
            }
        }
        .into(),
    ];
    if let Some(subflows) = settings.subflows {
        list.push(format!(
            "MPTCP is the kernel's: {subflows} subflows between one pair of addresses, each to \
             another port; windows are not coupled, and scheduler and reinjection are the kernel's"
        ));
    }
    if settings.agent.is_some() {
        list.push(
            "the agent is a BPF program at the host's interface; an acknowledgement without data, \
             with the highest number and an unchanged window, counts as a duplicate"
                .into(),
        );
    }
    if settings.fast_retransmit.is_none() && settings.sack && settings.kernel != Kernel::Stock {
        list.push(
            "fast retransmit can be off only without SACK, so SACK is turned off (tcp_sack = 0)"
                .into(),
        );
    }
    if settings.rto_max_ms > 120_000 || settings.rto_max_ms < 1_000 {
        list.push(format!(
            "the longest timeout is {} ms: the kernel does not accept {} ms",
            settings.rto_max_ms.clamp(1_000, 120_000),
            settings.rto_max_ms
        ));
    }
    if settings.receive_window > LARGEST_WINDOW {
        list.push(format!(
            "the receive window is at most {LARGEST_WINDOW} B, less than the {} B of the scenario",
            settings.receive_window
        ));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::blueprint::tests::paper;

    fn value(settings: &HostSettings, key: &str) -> String {
        value_with(settings, key, Rack::Fixed)
    }

    fn value_with(settings: &HostSettings, key: &str, rack: Rack) -> String {
        let list = sysctls(settings, "reno", rack);
        let found = list.into_iter().find(|(k, _)| k.ends_with(key));
        found.unwrap_or_else(|| panic!("{key} is set")).1
    }

    #[test]
    fn no_fast_retransmit_is_a_threshold_that_no_window_reaches() {
        let mut settings = paper().settings;
        assert_eq!(value(&settings, "tcp_reordering"), "3");
        assert_eq!(value(&settings, "tcp_max_reordering"), "300");
        settings.fast_retransmit = None;
        assert_eq!(value(&settings, "tcp_reordering"), "1000000");
        assert_eq!(value(&settings, "tcp_max_reordering"), "1000000");
        assert_eq!(value(&settings, "tcp_sack"), "0");
    }

    #[test]
    fn a_plain_kernel_does_nothing_that_it_is_not_told() {
        let mut settings = paper().settings;
        settings.kernel = Kernel::Plain;
        assert_eq!(value(&settings, "tcp_reordering"), "3");
        assert_eq!(value(&settings, "tcp_max_reordering"), "3");
        for off in [
            "sack",
            "dsack",
            "timestamps",
            "recovery",
            "early_retrans",
            "frto",
        ] {
            assert_eq!(value(&settings, &format!("tcp_{off}")), "0", "{off}");
        }
        settings.fast_retransmit = None;
        assert_eq!(value(&settings, "tcp_max_reordering"), "1000000");
    }

    /// Returns the settings of a plain kernel with SACK.
    fn plain_sack() -> HostSettings {
        HostSettings {
            kernel: Kernel::Plain,
            sack: true,
            fast_retransmit: Some(3),
            ..paper().settings
        }
    }

    fn features(rack: Rack, values: &[&str]) -> KernelFeatures {
        KernelFeatures {
            release: "6.18.1".into(),
            tick_us: 4_000,
            rack,
            controls: Vec::new(),
            values: values
                .iter()
                .map(|name| (name.to_string(), Some("0".into())))
                .collect(),
        }
    }

    const ALL: [&str; 3] = ["tcp_recovery", "tcp_early_retrans", "tcp_frto"];

    #[test]
    fn a_plain_kernel_with_sack_says_that_rack_stays() {
        let settings = plain_sack();
        let said = warnings(&settings, &features(Rack::Fixed, &ALL));
        assert_eq!(said.len(), 1);
        assert!(said[0].contains("Linux 6.18.1") && said[0].contains("RACK"));
        let differs = |rack| differences(&settings, rack)[1].clone();
        assert!(differs(Rack::Fixed).contains("RACK detects losses"));
        assert!(differs(Rack::Switchable).contains("RACK, tail-loss probes and F-RTO are off"));
        // The reordering window is then as static as the kernel allows.
        let recovery = |settings, rack| value_with(settings, "tcp_recovery", rack);
        assert_eq!(recovery(&settings, Rack::Fixed), "2");
        assert_eq!(recovery(&settings, Rack::Switchable), "0");
    }

    #[test]
    fn a_plain_kernel_without_sack_counts_duplicates_and_warns_of_nothing() {
        let settings = HostSettings {
            sack: false,
            ..plain_sack()
        };
        let fixed = features(Rack::Fixed, &ALL);
        assert_eq!(warnings(&settings, &fixed), [""; 0]);
        assert_eq!(value(&settings, "tcp_recovery"), "0");
        assert!(
            differences(&settings, Rack::Fixed)[1]
                .contains("RACK, tail-loss probes and F-RTO are off")
        );
        let told = HostSettings {
            kernel: Kernel::Told,
            ..plain_sack()
        };
        assert_eq!(warnings(&told, &fixed), [""; 0]);
    }

    #[test]
    fn a_switch_that_a_kernel_lacks_is_named() {
        let lacking = features(Rack::Fixed, &["tcp_recovery"]);
        let said = warnings(&plain_sack(), &lacking);
        assert_eq!(said.len(), 3, "{said:?}");
        assert!(said[1].contains("no setting tcp_early_retrans, so tail-loss probes may be on"));
        assert!(said[2].contains("no setting tcp_frto"));
        let settings = HostSettings {
            sack: false,
            ..plain_sack()
        };
        let said = warnings(&settings, &lacking);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].contains("no setting tcp_frto"));
    }

    #[test]
    fn a_stock_kernel_is_told_nothing_of_repairs() {
        let mut settings = paper().settings;
        let keys = |settings: &HostSettings| {
            let list = sysctls(settings, "reno", Rack::Fixed).into_iter();
            list.map(|(key, _)| key).collect::<Vec<_>>()
        };
        let told = keys(&settings);
        settings.kernel = Kernel::Stock;
        let stock = keys(&settings);
        let left: Vec<_> = told.iter().filter(|key| !stock.contains(key)).collect();
        assert_eq!(
            left,
            [
                &"net/ipv4/tcp_sack",
                &"net/ipv4/tcp_dsack",
                &"net/ipv4/tcp_timestamps",
                &"net/ipv4/tcp_max_reordering",
                &"net/ipv4/tcp_reordering"
            ]
        );
        assert!(stock.iter().all(|key| told.contains(key)));
    }

    #[test]
    fn the_limit_of_reordering_is_raised_before_what_it_limits() {
        let keys: Vec<&str> = sysctls(&paper().settings, "reno", Rack::Fixed)
            .iter()
            .map(|(k, _)| *k)
            .collect();
        let at = |name| keys.iter().position(|k| k.ends_with(name)).unwrap();
        assert!(at("tcp_max_reordering") < at("/tcp_reordering"));
    }

    #[test]
    fn the_route_carries_what_has_no_sysctl() {
        let words = metrics(&paper().settings);
        assert!(
            words.starts_with("initcwnd 10 window 65535 quickack 1"),
            "{words}"
        );
    }
}
