//! Tests of the import of a SONiC switch: one real queue is written, and which one is asked where they differ.
//!
//! The tables have the layouts of sonic-buildimage and sonic-mgmt: lossy queues 0-2 and 5-6, lossless queues 3-4,
//! rows for lists of ports, and rows of a chassis.

mod common;

use common::{add_wrong, fixtures, is_golden};
use sidestep_import::{Format, Imported, Options, import};
use std::fs;

/// Pools and profiles that all tests here use, and tables beside them.
fn config(tables: &str) -> String {
    format!(
        r#"{{
 "BUFFER_POOL": {{
  "egress_lossless_pool": {{"mode": "static", "size": "12000000", "type": "egress"}},
  "egress_lossy_pool": {{"mode": "dynamic", "size": "7000000", "type": "egress"}},
  "ingress_lossless_pool": {{"mode": "dynamic", "size": "12000000", "type": "ingress"}}
 }},
 "BUFFER_PROFILE": {{
  "egress_lossless_profile": {{"pool": "egress_lossless_pool", "size": "0", "static_th": "12000000"}},
  "egress_lossy_profile": {{"pool": "egress_lossy_pool", "size": "1518", "dynamic_th": "3"}},
  "ingress_lossy_profile": {{"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"}}
 }},
 "WRED_PROFILE": {{
  "AZURE_LOSSLESS": {{"ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": "1000000",
   "green_max_threshold": "2000000", "green_drop_probability": "5"}}
 }},
 {tables}
}}"#
    )
}

/// Rows that give each key one value: `rows("profile", [("Ethernet0|0-2", "lossy")])`.
fn rows(field: &str, all: &[(&str, &str)]) -> String {
    let row = |(key, name): &(&str, &str)| format!("\"{key}\": {{\"{field}\": \"{name}\"}}");
    all.iter().map(row).collect::<Vec<_>>().join(", ")
}

const LOSSY: &str = "egress_lossy_profile";
const LOSSLESS: &str = "egress_lossless_profile";
const WRED: &str = "AZURE_LOSSLESS";

/// Tables BUFFER_QUEUE and QUEUE.
fn queues(buffers: &[(&str, &str)], marks: &[(&str, &str)]) -> String {
    config(&format!(
        "\"BUFFER_QUEUE\": {{{}}}, \"QUEUE\": {{{}}}",
        rows("profile", buffers),
        rows("wred_profile", marks)
    ))
}

/// The default layout of one port.
fn default_layout() -> String {
    queues(
        &[
            ("Ethernet0|0-2", LOSSY),
            ("Ethernet0|3-4", LOSSLESS),
            ("Ethernet0|5-6", LOSSY),
        ],
        &[("Ethernet0|3", WRED), ("Ethernet0|4", WRED)],
    )
}

fn read(text: &str, queue: Option<&str>, profile: Option<&str>) -> Result<Imported, String> {
    let options = Options {
        queue: queue.map(str::to_string),
        profile: profile.map(str::to_string),
        ..Options::new()
    };
    import("c.json", text.as_bytes(), Format::Sonic, &options)
}

/// Returns the lines of the section, without comments.
fn switch(imported: &Imported) -> Vec<String> {
    let lines = imported.files[0].1.lines();
    let lines = lines.map(|line| line.split(" #").next().unwrap_or_default());
    let lines = lines.filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.skip(1).map(str::to_string).collect()
}

fn lossy() -> Vec<&'static str> {
    vec![
        "capacity = \"shared\"",
        "memory = \"7000000 B\"",
        "alpha = \"8\"",
    ]
}

fn lossless() -> Vec<&'static str> {
    vec![
        "capacity = \"shared\"",
        "memory = \"12000000 B\"",
        "alpha = \"65536\"",
    ]
}

const MARKS: &str = "buffer = { kind = \"ecn\", mark_at = \"1000000 B\" }";

fn with_marks(mut lines: Vec<&'static str>) -> Vec<&'static str> {
    lines.push(MARKS);
    lines
}

/// The importer took the profile of the lossy queues and the ECN marks of the lossless ones.
#[test]
fn marks_of_another_queue_are_not_given_to_the_queue_that_is_written() {
    let text = default_layout();
    let asked = read(&text, None, None).unwrap_err();
    assert_eq!(
        asked,
        "c.json: BUFFER_QUEUE: the switch has 2 kinds of queues: choose one with --queue\n  \
         --queue 0: queues 0-2, 5-6 of 1 port, profile \"egress_lossy_profile\", no WRED profile\n  \
         --queue 3: queues 3-4 of 1 port, profile \"egress_lossless_profile\", WRED profile \
         \"AZURE_LOSSLESS\""
    );
    for (queue, expected) in [
        ("0", lossy()),
        ("5-6", lossy()),
        ("Ethernet0|0-2", lossy()),
        ("3", with_marks(lossless())),
        ("3-4", with_marks(lossless())),
        ("Ethernet0|3-4", with_marks(lossless())),
    ] {
        let imported = read(&text, Some(queue), None).unwrap();
        assert_eq!(switch(&imported), expected, "{queue}");
    }
    for (profile, expected) in [(LOSSY, lossy()), (LOSSLESS, with_marks(lossless()))] {
        let imported = read(&text, None, Some(profile)).unwrap();
        assert_eq!(switch(&imported), expected, "{profile}");
    }
    let mixed = read(&text, Some("2-3"), None).unwrap_err();
    assert!(
        mixed.contains("--queue names 2 kinds of queues: choose one with --queue\n  --queue 2: queue 2 of 1 port,"),
        "{mixed}"
    );
}

/// The only WRED profile was taken although no queue has it.
#[test]
fn a_wred_profile_that_no_queue_has_gives_no_marks() {
    let text = queues(
        &[("Ethernet0|0-2", LOSSY), ("Ethernet0|3-4", LOSSLESS)],
        &[],
    );
    let imported = read(&text, Some("3"), None).unwrap();
    assert_eq!(switch(&imported), lossless());
    let left = ("WRED profiles that the queue does not have".to_string(), 1);
    assert!(imported.dropped.contains(&left), "{:?}", imported.dropped);
    // A profile that no queue has: neither.
    let imported = read(
        &queues(&[("Ethernet0|3", LOSSLESS)], &[("Ethernet0|3", WRED)]),
        None,
        Some(LOSSY),
    )
    .unwrap();
    assert_eq!(switch(&imported), lossy());
    // No BUFFER_QUEUE: QUEUE says which queue has marks, and --queue which queue is meant.
    let text = queues(&[], &[("Ethernet0|3-4", WRED)]);
    assert_eq!(switch(&read(&text, None, Some(LOSSY)).unwrap()), lossy());
    assert_eq!(
        switch(&read(&text, Some("4"), Some(LOSSLESS)).unwrap()),
        with_marks(lossless())
    );
}

/// A static threshold became a capacity of each port: 32 ports held 384 MB of 12.
#[test]
fn a_static_threshold_belongs_to_a_pool_that_all_ports_share() {
    let text = default_layout();
    let of = |old: &str, new: &str| read(&text.replace(old, new), Some("3"), None).unwrap();
    let pool = "\"size\": \"12000000\", \"type\": \"egress\"";
    let notes = |imported: &Imported| imported.notes.join("\n");
    let same = of("", "");
    assert!(notes(&same).contains(
        "static_th (12000000 B) lets one queue fill the pool \"egress_lossless_pool\" (12000000 B), which all ports share"
    ));
    let larger = of(pool, "\"size\": \"48000000\", \"type\": \"egress\"");
    assert_eq!(switch(&larger), with_marks(lossless()));
    assert!(notes(&larger).contains(
        "static_th limits each queue to 12000000 B of the pool \"egress_lossless_pool\", which has 48000000 B: \
         here all ports together hold at most 12000000 B. For that limit at each port, without the pool, set \
         capacity = \"12000000 B\""
    ));
    assert!(
        larger.files[0]
            .1
            .contains("# static_th; the pool egress_lossless_pool has 48000000 B\n")
    );
    let smaller = of(pool, "\"size\": \"3000000\", \"type\": \"egress\"");
    assert_eq!(switch(&smaller)[1], "memory = \"3000000 B\"");
    let none = of(pool, "\"type\": \"egress\"");
    assert_eq!(switch(&none), with_marks(lossless()));
    assert!(notes(&none).contains("The pool \"egress_lossless_pool\" has no size"));
}

#[test]
fn queues_count_by_the_ports_and_numbers_in_their_keys() {
    // One row each, as in the file of a Mellanox switch: a tie of rows, and not of queues.
    let text = queues(
        &[
            ("Ethernet0,Ethernet4,Ethernet8|0-1", LOSSY),
            ("Ethernet0,Ethernet4,Ethernet8|3,4,6", LOSSLESS),
        ],
        &[],
    );
    let asked = read(&text, None, None).unwrap_err();
    assert!(
        asked.contains("\n  --queue 0: queues 0-1 of 3 ports, profile \"egress_lossy_profile\""),
        "{asked}"
    );
    assert!(
        asked.contains(
            "\n  --queue 3: queues 3-4, 6 of 3 ports, profile \"egress_lossless_profile\""
        ),
        "{asked}"
    );
    let imported = read(&text, Some("6"), None).unwrap();
    assert!(
        imported.read.contains(&("queues".into(), 15)),
        "{:?}",
        imported.read
    );
    assert!(
        imported.kept.contains(&("queues of one kind".into(), 9)),
        "{:?}",
        imported.kept
    );
    let other = "queues of other kinds: Sidestep has one queue per port";
    assert!(
        imported.dropped.contains(&(other.into(), 6)),
        "{:?}",
        imported.dropped
    );
}

#[test]
fn queues_that_are_all_alike_need_no_choice() {
    let text = queues(
        &[("Ethernet0|0-7", LOSSY), ("Ethernet4|0-7", LOSSY)],
        &[("Ethernet0,Ethernet4|0-7", WRED)],
    );
    let imported = read(&text, None, None).unwrap();
    assert_eq!(switch(&imported), with_marks(lossy()));
    let note = "[switch] describes queues 0-7 of 2 ports: profile \"egress_lossy_profile\", WRED profile \"AZURE_LOSSLESS\"";
    assert!(
        imported.notes.contains(&note.to_string()),
        "{:?}",
        imported.notes
    );
}

#[test]
fn references_in_the_older_form_are_read() {
    let text = queues(
        &[
            ("Ethernet0|0-2", "[BUFFER_PROFILE|egress_lossy_profile]"),
            ("Ethernet0|3-4", "[BUFFER_PROFILE|egress_lossless_profile]"),
        ],
        &[
            ("Ethernet0|3", "[WRED_PROFILE|AZURE_LOSSLESS]"),
            ("Ethernet0|4", "[WRED_PROFILE|AZURE_LOSSLESS]"),
        ],
    )
    .replace(
        "\"pool\": \"egress_lossy_pool\"",
        "\"pool\": \"[BUFFER_POOL|egress_lossy_pool]\"",
    );
    assert_eq!(switch(&read(&text, Some("2"), None).unwrap()), lossy());
    assert_eq!(
        switch(&read(&text, Some("3"), None).unwrap()),
        with_marks(lossless())
    );
}

#[test]
fn ports_whose_queues_of_one_number_differ_are_named() {
    // The uplink has no marks at queue 3.
    let text = queues(
        &[("Ethernet0,Ethernet4,Ethernet8|3", LOSSLESS)],
        &[("Ethernet0,Ethernet4|3", WRED)],
    );
    let asked = read(&text, Some("3"), None).unwrap_err();
    assert!(asked.contains("\n  --queue 'Ethernet8|3': queue 3 of 1 port, profile \"egress_lossless_profile\", no WRED profile"), "{asked}");
    assert!(
        asked.contains("\n  --queue 'Ethernet0|3': queue 3 of 2 ports, profile"),
        "{asked}"
    );
    assert_eq!(
        switch(&read(&text, Some("Ethernet8|3"), None).unwrap()),
        lossless()
    );
    assert_eq!(
        switch(&read(&text, Some("Ethernet4|3"), None).unwrap()),
        with_marks(lossless())
    );
    // Ports are in natural order: Ethernet8 is before Ethernet12.
    let text = queues(
        &[
            ("Ethernet12|3", LOSSY),
            ("Ethernet8|3", LOSSY),
            ("Ethernet4|3", LOSSLESS),
        ],
        &[],
    );
    let asked = read(&text, None, None).unwrap_err();
    assert!(
        asked.contains("--queue 'Ethernet8|3': queue 3 of 2 ports"),
        "{asked}"
    );
    // So are kinds with the same queues.
    let text = queues(&[("Ethernet12|3", LOSSLESS), ("Ethernet8|3", LOSSY)], &[]);
    let asked = read(&text, None, None).unwrap_err();
    let at = |port: &str| asked.find(port).unwrap();
    assert!(at("Ethernet8|3") < at("Ethernet12|3"), "{asked}");
}

#[test]
fn a_chassis_names_host_and_chip_of_a_queue() {
    let text = queues(
        &[
            ("lc1|asic0|Ethernet0|0-2", LOSSY),
            ("lc1|asic0|Ethernet0|3-4", LOSSLESS),
            ("lc1|asic1|Ethernet0|3-4", LOSSLESS),
        ],
        &[("lc1|asic0|Ethernet0|3-4", WRED)],
    );
    let of = |queue| read(&text, Some(queue), None).map(|imported| switch(&imported));
    assert_eq!(of("0").unwrap(), lossy());
    assert_eq!(of("lc1|asic0|Ethernet0|3").unwrap(), with_marks(lossless()));
    assert_eq!(of("lc1|asic1|Ethernet0|3").unwrap(), lossless());
    // Two ports are called Ethernet0, and they differ.
    let asked = of("Ethernet0|3").unwrap_err();
    assert!(
        asked.contains("--queue 'lc1|asic1|Ethernet0|3': queue 3 of 1 port"),
        "{asked}"
    );
    // The same without a host.
    let text = queues(
        &[("asic0|Ethernet0|3-4", LOSSLESS)],
        &[("asic0|Ethernet0|3-4", WRED)],
    );
    assert_eq!(
        switch(&read(&text, Some("3"), None).unwrap()),
        with_marks(lossless())
    );
}

#[test]
fn a_queue_with_pauses_is_said_to_have_them() {
    let pfc = r#""PORT_QOS_MAP": {"global": {"dscp_to_tc_map": "AZURE"}, "Ethernet0": {"pfc_enable": "3,4"},
        "Ethernet4": {"pfc_enable": "2", "pfc_to_queue_map": "[MAP_PFC_PRIORITY_TO_QUEUE|M]"}},
        "MAP_PFC_PRIORITY_TO_QUEUE": {"M": {"2": "6"}}"#;
    let text = config(&format!(
        "\"BUFFER_QUEUE\": {{{}}}, {pfc}",
        rows(
            "profile",
            &[
                ("Ethernet0,Ethernet4|0-2", LOSSY),
                ("Ethernet0,Ethernet4|3-4,6", LOSSLESS)
            ]
        )
    ));
    let number = text.replace("\"3,4\"", "3");
    let read_number = read(&number, Some("3"), None).unwrap();
    assert!(
        read_number
            .notes
            .iter()
            .any(|note| note.contains("is on for queue 3 of 1 port")),
        "{:?}",
        read_number.notes
    );
    let notes = |queue| read(&text, Some(queue), None).unwrap().notes.join("\n");
    assert!(!notes("0").contains("pfc_enable"));
    assert!(
        notes("3")
            .contains("PFC (pfc_enable) is on for queue 3 of 1 port: the switch pauses senders"),
        "{}",
        notes("3")
    );
    assert!(
        notes("6").contains("PFC (pfc_enable) is on for queue 6 of 1 port:"),
        "{}",
        notes("6")
    );
    assert!(
        notes("3-4").contains("PFC (pfc_enable) is on for queues 3-4 of 1 port:"),
        "{}",
        notes("3-4")
    );
}

#[test]
fn marks_need_a_wred_profile_that_marks_green_packets() {
    let text = queues(&[("Ethernet0|3", LOSSY)], &[("Ethernet0|3", WRED)]);
    let of = |old: &str, new: &str| read(&text.replace(old, new), None, None).unwrap();
    assert_eq!(switch(&of("", "")), with_marks(lossy()));
    assert_eq!(switch(&of("ecn_all", "ecn_green")), with_marks(lossy()));
    assert_eq!(switch(&of("ecn_all", "ecn_yellow")), lossy());
    assert_eq!(switch(&of("ecn_all", "ecn_none")), lossy());
    assert_eq!(switch(&of("\"ecn\": \"ecn_all\", ", "")), lossy());
    // Numbers may be numbers.
    assert_eq!(switch(&of("\"1000000\"", "1000000")), with_marks(lossy()));
    // Queues without a buffer profile are no choice.
    let text = queues(
        &[("Ethernet0|3", LOSSY)],
        &[("Ethernet0|3", WRED), ("Ethernet0|7", WRED)],
    );
    assert_eq!(
        switch(&read(&text, None, None).unwrap()),
        with_marks(lossy())
    );
}

/// A table of wrong configurations: what is changed of a right one, and what the importer says.
#[test]
fn what_is_wrong_in_a_configuration_is_said_with_its_place() {
    let right = queues(&[("Ethernet0|0-2", LOSSY)], &[("Ethernet0|0-2", WRED)]);
    assert!(read(&right, None, None).is_ok());
    let (mut now, mut many) = (String::new(), 0);
    let kept = fs::read_to_string(fixtures().join("sonic-wrong.txt")).unwrap();
    let (about, cases) = kept.split_once("\n\n").unwrap();
    for case in cases.split("\n\n").filter(|case| !case.trim().is_empty()) {
        let head = case.trim().lines().next().unwrap();
        // The bar with blanks around it; a queue may have one without.
        let (words, change) = head
            .strip_prefix("| ")
            .map_or_else(|| head.split_once(" | ").unwrap(), |change| ("", change));
        let (old, new) = change.split_once(" => ").unwrap();
        let option = |name: &str| {
            let after = words.split_once(name)?.1.trim_start();
            Some(after.split_whitespace().next().unwrap_or_default())
        };
        let new = if new == "(nothing)" { "" } else { new };
        assert!(old == "(all)" || right.contains(old), "{old}");
        let text = match old {
            "(all)" => new.to_string(),
            old => right.replacen(old, new, 1),
        };
        add_wrong(
            &mut now,
            head,
            read(&text, option("--queue"), option("--profile")),
        );
        many += 1;
    }
    assert!(many >= 50, "{many} cases");
    is_golden("sonic-wrong.txt", &format!("{about}\n{now}"));
}

proptest::proptest! {
    /// Each queue that a refusal offers is of one kind, whatever the rows.
    #[test]
    fn queues_that_a_refusal_offers_can_be_imported(
        buffers in proptest::collection::vec(("(Ethernet[0-2]|lc\\|asic[01]\\|Ethernet[01])(,Ethernet[34])?\\|[0-4](-[3-4])?", 0..2usize), 0..6),
        marks in proptest::collection::vec("(Ethernet[0-2]|lc\\|asic[01]\\|Ethernet[01])\\|[0-4]", 0..6),
    ) {
        let buffers: Vec<(&str, &str)> = (buffers.iter())
            .map(|(key, which)| (key.as_str(), [LOSSY, LOSSLESS][*which]))
            .collect();
        let marks: Vec<(&str, &str)> = marks.iter().map(|key| (key.as_str(), WRED)).collect();
        let text = queues(&buffers, &marks);
        if let Err(said) = read(&text, None, None) {
            for line in said.lines().filter_map(|line| line.strip_prefix("  --queue ")) {
                let flag = line.split(": ").next().unwrap().trim_matches('\'');
                let again = read(&text, Some(flag), None);
                proptest::prop_assert!(again.is_ok(), "{flag}: {said}\n{again:?}");
            }
        }
    }
}
