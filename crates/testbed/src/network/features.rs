//! Kernel features of a host: release, clock tick, values of its TCP, and whether RACK can be switched off.
//!
//! **Decision**     RACK can be switched off if the kernel still has RFC 6675's detection, which
//!                  `tcp_recovery=0` returns to. The kernel's type information (BTF) shows that: the code kept
//!                  a hint in `tcp_sock`, removed with it. Without BTF the release decides.
//! **Units**        a tick in microseconds as measured; in the emulated network's time it is shorter by the
//!                  testbed's factor.
//! **Errors**       none: a value that cannot be read counts as absent.
//! **Source**       Linux 1c120191dcec, "tcp: remove obsolete and unused RFC3517/RFC6675 loss recovery code",
//!                  June 2025, in 6.17; Documentation/networking/ip-sysctl.rst.

use super::netns;
use crate::error::Error;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// TCP values to read, without the prefix `tcp_`.
const VALUES: [&str; 20] = [
    "sack",
    "dsack",
    "timestamps",
    "recovery",
    "early_retrans",
    "frto",
    "reordering",
    "max_reordering",
    "rto_min_us",
    "rto_max_ms",
    "slow_start_after_idle",
    "ecn",
    "ecn_fallback",
    "congestion_control",
    "no_metrics_save",
    "autocorking",
    "limit_output_bytes",
    "comp_sack_delay_ns",
    "comp_sack_nr",
    "plb_enabled",
];

/// Folder of the kernel's values, below /proc/sys.
const FOLDER: &str = "net/ipv4";

/// Type information of the running kernel.
const BTF: &str = "/sys/kernel/btf/vmlinux";

/// Member of `tcp_sock` that only RFC 6675's detection used.
const HINT: &[u8] = b"\0lost_cnt_hint\0";

/// First release without RFC 6675's detection.
const WITHOUT_RFC6675: (u32, u32) = (6, 17);

/// First release with RACK.
const WITH_RACK: (u32, u32) = (4, 4);

/// Loss detection by time (RFC 8985) in a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rack {
    /// The kernel is older than RACK.
    Absent,
    /// `tcp_recovery=0` switches it off: RFC 6675 detects losses then.
    Switchable,
    /// A SACK connection always has it: the kernel has no other detection.
    Fixed,
}

/// Kernel features of a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelFeatures {
    /// The kernel's release.
    pub release: String,
    /// The clock tick (jiffy), in microseconds as measured.
    pub tick_us: u64,
    /// Tells whether RACK can be switched off.
    pub rack: Rack,
    /// Congestion controls that are loaded.
    pub controls: Vec<String>,
    /// Values by name (`tcp_sack`); null where the kernel has no such value.
    pub values: BTreeMap<String, Option<String>>,
}

impl KernelFeatures {
    /// Reads the features in a namespace.
    pub fn of_space(space: &str) -> Result<KernelFeatures, Error> {
        netns::within(space, || Ok(KernelFeatures::here(Path::new("/proc/sys"))))
    }

    /// Reads the features in this thread's namespace, with `/proc/sys` at `root`.
    fn here(root: &Path) -> KernelFeatures {
        let read = |key: &str| {
            let text = fs::read_to_string(root.join(key)).ok()?;
            Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        let value = |name: &str| {
            let name = format!("tcp_{name}");
            let text = read(&format!("{FOLDER}/{name}"));
            (name, text)
        };
        let controls = read(&format!("{FOLDER}/tcp_available_congestion_control"));
        KernelFeatures {
            release: release(),
            tick_us: tick_us(),
            rack: rack(),
            controls: controls
                .unwrap_or_default()
                .split(' ')
                .filter(|name| !name.is_empty())
                .map(String::from)
                .collect(),
            values: VALUES.into_iter().map(value).collect(),
        }
    }

    /// Returns a host's value; `None` if the kernel does not have it.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.values.get(name)?.as_deref()
    }

    /// Lists the values that have changed, as `tcp_sack: 0, now 1`.
    pub fn changes_to(&self, now: &KernelFeatures) -> Vec<String> {
        let word = |value: &Option<String>| value.clone().unwrap_or_else(|| "absent".into());
        let change = |(name, before): (&String, &Option<String>)| {
            let after = now.values.get(name).cloned().flatten();
            (after != *before).then(|| format!("{name}: {}, now {}", word(before), word(&after)))
        };
        self.values.iter().filter_map(change).collect()
    }

    /// Describes the features in three lines; times of the emulated network are shorter by `scale`.
    pub fn to_text(&self, scale: f64) -> String {
        let is = |(name, value): (&String, &Option<String>)| {
            let short = name.strip_prefix("tcp_").unwrap_or(name);
            value.as_ref().map(|value| format!("{short} {value}"))
        };
        let held: Vec<String> = self.values.iter().filter_map(is).collect();
        let absent = self.values.iter().filter(|(_, value)| value.is_none());
        let absent: Vec<&str> = absent.map(|(name, _)| name.as_str()).collect();
        let mut text = format!(
            "kernel: Linux {}, {}; {}\n  congestion controls: {}\n  tcp: {}\n",
            self.release,
            self.tick_text(scale),
            self.rack.words(),
            self.controls.join(" "),
            held.join(", "),
        );
        if !absent.is_empty() {
            text.push_str(&format!("  absent: {}\n", absent.join(", ")));
        }
        text
    }

    /// Describes the length of a jiffy, here and in the emulated network.
    fn tick_text(&self, scale: f64) -> String {
        let ms = self.tick_us as f64 / 1e3;
        format!(
            "{:.0} clock ticks per second: a jiffy is {ms} ms, {} ms in the emulated network",
            1e3 / ms,
            ms / scale
        )
    }
}

impl Rack {
    /// Describes whether RACK can be switched off.
    pub fn words(self) -> &'static str {
        match self {
            Rack::Absent => "no RACK",
            Rack::Switchable => "RACK can be turned off (tcp_recovery)",
            Rack::Fixed => {
                "RACK cannot be turned off for SACK connections (RFC 6675 was removed in Linux \
                 6.17)"
            }
        }
    }

    /// Decides by the release, the presence of `tcp_recovery`, and the kernel's type information if available.
    fn of(release: &str, has_value: bool, btf: Option<&[u8]>) -> Rack {
        let version = version(release);
        if !has_value && version.is_some_and(|version| version < WITH_RACK) {
            return Rack::Absent;
        }
        let has_rfc6675 = match btf {
            Some(types) => types.windows(HINT.len()).any(|at| at == HINT),
            // A release that cannot be read counts as a new one.
            None => version.is_some_and(|version| version < WITHOUT_RFC6675),
        };
        match has_value && has_rfc6675 {
            true => Rack::Switchable,
            false => Rack::Fixed,
        }
    }
}

/// Queries the running kernel whether RACK can be switched off.
pub fn rack() -> Rack {
    let has_value = Path::new("/proc/sys/net/ipv4/tcp_recovery").exists();
    Rack::of(&release(), has_value, fs::read(BTF).ok().as_deref())
}

/// Returns the kernel's release.
pub fn release() -> String {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease");
    release.map_or_else(|_| "unknown".into(), |r| r.trim().to_string())
}

/// Reads the first two numbers of a release.
fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// Returns the clock tick in microseconds: the coarse clock moves once a tick.
fn tick_us() -> u64 {
    let mut tick = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the kernel writes one value.
    let got = unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC_COARSE, &raw mut tick) };
    assert_eq!(got, 0, "Linux has a coarse clock");
    tick.tv_nsec as u64 / 1_000
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &[u8] = b"\0lost_out\0lost_cnt_hint\0sacked_out\0";
    const NEW: &[u8] = b"\0lost_out\0sacked_out\0";

    fn features(values: &[(&str, Option<&str>)]) -> KernelFeatures {
        let values = values.iter();
        KernelFeatures {
            release: "6.18.1".into(),
            tick_us: 4_000,
            rack: Rack::Fixed,
            controls: vec!["reno".into(), "cubic".into()],
            values: values
                .map(|(name, value)| (name.to_string(), value.map(String::from)))
                .collect(),
        }
    }

    #[test]
    fn rack_stays_where_the_kernel_has_no_other_detection() {
        assert_eq!(Rack::of("6.16.9", true, None), Rack::Switchable);
        assert_eq!(Rack::of("6.17.0-rc1", true, None), Rack::Fixed);
        assert_eq!(Rack::of("7.0", true, None), Rack::Fixed);
        assert_eq!(Rack::of("unknown", true, None), Rack::Fixed);
        // A later kernel may drop the value; an old one never had it.
        assert_eq!(Rack::of("7.3", false, None), Rack::Fixed);
        assert_eq!(Rack::of("3.10.0-1160", false, None), Rack::Absent);
    }

    #[test]
    fn type_information_decides_against_the_release() {
        // A distribution may have backported the change to an older release, or reverted it.
        assert_eq!(Rack::of("6.12.4", true, Some(NEW)), Rack::Fixed);
        assert_eq!(Rack::of("6.18.4", true, Some(OLD)), Rack::Switchable);
    }

    #[test]
    fn a_jiffy_is_told_in_both_networks_time() {
        let text = features(&[("tcp_sack", Some("0")), ("tcp_frto", None)]).to_text(10.0);
        assert!(
            text.contains("250 clock ticks per second: a jiffy is 4 ms, 0.4 ms in the emulated"),
            "{text}"
        );
        assert!(text.contains("cannot be turned off"), "{text}");
        assert!(text.contains("congestion controls: reno cubic\n"), "{text}");
        assert!(text.contains("  tcp: sack 0\n"), "{text}");
        assert!(text.contains("  absent: tcp_frto\n"), "{text}");
    }

    #[test]
    fn a_value_that_somebody_changed_is_named() {
        let before = features(&[("tcp_sack", Some("0")), ("tcp_ecn", Some("1"))]);
        let after = features(&[("tcp_sack", Some("1")), ("tcp_ecn", Some("1"))]);
        assert_eq!(before.changes_to(&after), ["tcp_sack: 0, now 1"]);
        assert_eq!(before.changes_to(&before), [""; 0]);
    }

    #[test]
    fn an_absent_value_is_no_value() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join(FOLDER);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("tcp_sack"), "1\n").unwrap();
        let read = KernelFeatures::here(root.path());
        assert_eq!(read.value("tcp_sack"), Some("1"));
        assert_eq!(read.value("tcp_frto"), None);
        assert_eq!(read.values["tcp_frto"], None);
        assert_eq!(read.controls, [""; 0]);
        assert!((100..=100_000).contains(&read.tick_us), "{}", read.tick_us);
    }
}
