//! Fuzzes the import of a SONiC switch with any rows of queues: the error is brief, and each queue that it offers can
//! be imported.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sidestep_import::{Format, Options, import};

/// Configuration whose rows are any words.
#[derive(Debug, arbitrary::Arbitrary)]
struct Switch {
    /// Keys of BUFFER_QUEUE, with the number of a profile.
    buffers: Vec<(String, u8)>,
    /// Keys of QUEUE, with the number of a WRED profile.
    marks: Vec<(String, u8)>,
    /// Values of pfc_enable by port.
    pauses: Vec<(String, String)>,
    queue: Option<String>,
    profile: Option<u8>,
}

const PROFILES: [&str; 4] = ["lossy", "[BUFFER_PROFILE|lossless]", "ingress", "none"];
const WREDS: [&str; 3] = ["W0", "[WRED_PROFILE|W1]", "none"];

fuzz_target!(|switch: Switch| {
    let quoted = |word: &str| {
        format!("{word:?}")
            .replace("\\'", "'")
            .replace("\\u{", "\\\\u{")
    };
    let rows = |all: &[(String, u8)], field: &str, names: &[&str]| {
        let row = |(key, which): &(String, u8)| {
            let name = names[usize::from(*which) % names.len()];
            format!("{}: {{\"{field}\": \"{name}\"}}", quoted(key))
        };
        all.iter().map(row).collect::<Vec<_>>().join(", ")
    };
    let pauses = switch
        .pauses
        .iter()
        .map(|(key, on)| format!("{}: {{\"pfc_enable\": {}}}", quoted(key), quoted(on)));
    let text = format!(
        r#"{{
"BUFFER_POOL": {{"out": {{"size": "7000000", "type": "egress"}}, "in": {{"size": "9", "type": "ingress"}}}},
"BUFFER_PROFILE": {{"lossy": {{"pool": "out", "dynamic_th": "3"}}, "lossless": {{"pool": "out", "static_th": "9"}},
  "ingress": {{"pool": "in", "dynamic_th": "3"}}}},
"WRED_PROFILE": {{"W0": {{"ecn": "ecn_all", "green_min_threshold": "1"}}, "W1": {{"ecn": "ecn_none"}}}},
"BUFFER_QUEUE": {{{}}}, "QUEUE": {{{}}}, "PORT_QOS_MAP": {{{}}}}}"#,
        rows(&switch.buffers, "profile", &PROFILES),
        rows(&switch.marks, "wred_profile", &WREDS),
        pauses.collect::<Vec<_>>().join(", "),
    );
    let profile = switch
        .profile
        .map(|which| ["lossy", "lossless", "ingress", "x"][usize::from(which % 4)]);
    let read = |queue: Option<String>| {
        let options = Options {
            queue,
            profile: profile.map(str::to_string),
            ..Options::new()
        };
        import("fuzz", text.as_bytes(), Format::Sonic, &options)
    };
    let Err(said) = read(switch.queue.clone()) else {
        return;
    };
    assert!(said.len() < 4_000 && !said.contains('\x1b'), "{said}");
    // What the message offers is one kind of queues.
    if switch.queue.is_none() {
        for offer in said
            .lines()
            .filter_map(|line| line.strip_prefix("  --queue "))
        {
            let Some((flag, _)) = offer.split_once(": ") else {
                continue;
            };
            if flag.contains(['…', '\\']) || flag.matches('\'').count() > 2 {
                continue;
            }
            let again = read(Some(flag.trim_matches('\'').to_string()));
            let asked = again
                .err()
                .is_some_and(|said| said.contains("kinds of queues"));
            assert!(!asked, "{flag} of\n{said}");
        }
    }
});
